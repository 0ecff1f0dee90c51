package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func wantLatest(t testing.TB, dir string, want ...string) {
	t.Helper()
	got, _, err := LatestLog(dir)
	check(t, err)
	wantLines(t, got, want...)
}

func TestLog(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(l *Log) []error
		want []string
	}{
		{"entries", func(l *Log) []error { return []error{l.Append("a"), l.Append("b", "c"), l.Append()} }, []string{"a", "b", "c"}},
		{"undo", func(l *Log) []error { return []error{l.Append("a", "b", "c"), l.Rewind(2), l.Append("d")} }, []string{"a", "d"}},
		{"undo of nothing", func(l *Log) []error { return []error{l.Rewind(1), l.Append("a"), l.Rewind(0)} }, []string{"a"}},
		{"undo of more than there is", func(l *Log) []error { return []error{l.Append("a"), l.Rewind(9), l.Append("b")} }, []string{"b"}},
		{"clear", func(l *Log) []error { return []error{l.Clear(), l.Append("a"), l.Clear()} }, nil},
		{"go on after clear", func(l *Log) []error {
			return []error{l.Append("a"), l.Clear(), l.Append("b"), l.Rewind(2), l.Append("c")}
		}, []string{"c"}},
		{"any bytes", func(l *Log) []error {
			return []error{l.Append("a\nb\r\n", `\n"`, "", "undo 1", "reset", " x ", "\xff\x00\x1b[2J", "π ≤ 4")}
		}, []string{"a\nb\r\n", `\n"`, "", "undo 1", "reset", " x ", "\xff\x00\x1b[2J", "π ≤ 4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "sessions")
			l := NewLog(dir)
			for _, err := range append(c.do(l), l.Close()) {
				check(t, err)
			}
			wantLatest(t, dir, c.want...)
		})
	}
}

func TestLogIsMadeWithTheFirstEntry(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	wantLatest(t, dir)
	l := NewLog(dir)
	check(t, l.Rewind(1))
	check(t, l.Clear())
	check(t, l.Close())
	if _, err := os.Stat(dir); err == nil {
		t.Error("a session without entries made a directory")
	}
	check(t, l.Append("after Close"))
	wantLatest(t, dir)

	l = NewLog("")
	check(t, l.Append("a"))
	check(t, l.Rewind(1))
	check(t, l.Clear())
	check(t, l.Close())
	wantLatest(t, "")
}

func TestLogFailsOnce(t *testing.T) {
	for _, wreck := range []bool{false, true} {
		l := NewLog(filepath.Join(t.TempDir(), "sessions"))
		check(t, l.Append("a"))
		if wreck {
			check(t, l.file.Close())
			if err := l.Append("b"); err == nil {
				t.Error("a file that is closed was written to")
			}
		}
		check(t, l.Append("c"))
		check(t, l.Rewind(1))
		check(t, l.Clear())
		check(t, l.Close())
		check(t, l.Close())
	}
}

func TestReadLog(t *testing.T) {
	for _, c := range []struct {
		text    string
		want    []string
		damaged bool
	}{
		{"\"a\"\n\"b\"\n", []string{"a", "b"}, false},
		{"\"a\"\n\"b\"", []string{"a"}, false}, // cut short
		{"\"a\"\n\"b", []string{"a"}, false},
		{"\"a\"\nundo", []string{"a"}, false},
		{"\"a\"\nundo 1", []string{"a"}, false},
		{"\"a\"\nundo 0\n", []string{"a"}, true},
		{"\"a\"\nundo -1\n\"b\"\n", []string{"a"}, true},
		{"\"a\"\nundo x\n\"b\"\n", []string{"a"}, true},
		{"\"a\"\n\x00\x00\x00\n\"b\"\n", []string{"a"}, true},
		{"\"a\"\n`b`\n", []string{"a"}, true},
		{"\"a\"\n'b'\n", []string{"a"}, true},
		{"\"a\"\n\"b\n", []string{"a"}, true},
		{"\n", nil, true},
	} {
		got, err := readLog(c.text)
		wantLines(t, got, c.want...)
		if (err != nil) != c.damaged {
			t.Errorf("%q: error %v", c.text, err)
		}
	}
}

func TestDamagedLogIsNamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "1.log")
	check(t, os.WriteFile(path, []byte("\"a\"\nrubbish\n\"b\"\n"), 0o600))
	got, name, err := LatestLog(dir)
	wantLines(t, got, "a")
	if want := path + ": record 2 is damaged"; name != path || err == nil || err.Error() != want {
		t.Errorf("path %q, error %v, want %s", name, err, want)
	}
}

func TestLatestLogIsTheLastFinishedOne(t *testing.T) {
	dir := t.TempDir()
	a, b, c := NewLog(dir), NewLog(dir), NewLog(dir)
	check(t, a.Append("a"))
	check(t, b.Append("b"))
	check(t, c.Append("c"))
	age := func(l *Log, d time.Duration) {
		check(t, os.Chtimes(l.path, time.Time{}, time.Now().Add(-d)))
	}
	wantLatest(t, dir) // all run
	check(t, b.Close())
	wantLatest(t, dir, "b")
	check(t, a.Append("a2"))
	check(t, a.Clear())
	check(t, a.Append("a3"))
	wantLatest(t, dir, "b")
	check(t, a.Close())
	age(b, time.Minute)
	wantLatest(t, dir, "a3")
	age(a, time.Hour) // begun first and ended last, but b was written last
	wantLatest(t, dir, "b")
	check(t, c.Close())
	wantLatest(t, dir, "c")

	for _, name := range []string{"x.log.new", "notes.txt"} { // not logs
		check(t, os.WriteFile(filepath.Join(dir, name), []byte("\"no\"\n"), 0o600))
	}
	check(t, os.Mkdir(filepath.Join(dir, "directory.log"), 0o700))
	wantLatest(t, dir, "c")
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	running := NewLog(dir)
	check(t, running.Append("old but running"))
	check(t, os.Chtimes(running.path, time.Time{}, time.Now().Add(-1000*time.Hour)))
	stale, fresh := filepath.Join(dir, ".1.log.new"), filepath.Join(dir, ".2.log.new")
	check(t, os.WriteFile(stale, nil, 0o600))
	check(t, os.WriteFile(fresh, nil, 0o600))
	check(t, os.Chtimes(stale, time.Time{}, time.Now().Add(-2*time.Hour)))
	for i := range keepLogs + 5 {
		path := filepath.Join(dir, fmt.Sprintf("%02d.log", i))
		check(t, os.WriteFile(path, nil, 0o600))
		check(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Duration(i-100)*time.Hour)))
	}
	l := NewLog(dir)
	check(t, l.Append("a"))
	var got []string
	files, err := os.ReadDir(dir)
	check(t, err)
	for _, file := range files {
		got = append(got, file.Name())
	}
	want := []string{".2.log.new"}
	for i := range keepLogs {
		want = append(want, fmt.Sprintf("%02d.log", i+5))
	}
	wantLines(t, got, append(want, filepath.Base(running.path), filepath.Base(l.path))...)
	check(t, running.Close())
	check(t, l.Close())
}

func TestLogErrorOnce(t *testing.T) {
	dir := write(t, "a file")
	l := NewLog(dir)
	if err := l.Append("a"); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v should name %s", err, dir)
	}
	check(t, l.Append("b"))
	check(t, l.Rewind(1))
	check(t, l.Clear())
	check(t, l.Close())
	if _, _, err := LatestLog(dir); err == nil {
		t.Error("LatestLog of a file: no error")
	}

	// The directory is replaced under a running session.
	dir = filepath.Join(t.TempDir(), "sessions")
	l = NewLog(dir)
	check(t, l.Append("a"))
	check(t, os.RemoveAll(dir))
	check(t, os.WriteFile(dir, nil, 0o600))
	if l.Clear() == nil {
		t.Error("Clear could write: no error")
	}
	check(t, l.Append("b"))
	check(t, l.Close())
}

// FuzzReadLog: any file is read; what its entries amount to is the same after
// they are logged again.
func FuzzReadLog(f *testing.F) {
	for _, s := range []string{"", "\"a\"\nundo 1\n", "\"\\xff\\n\"\n\"b", "undo 99999999999999999999\n", "\"a\"\n\"\\q\"\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		entries, _ := readLog(text)
		dir := t.TempDir()
		l := NewLog(dir)
		check(t, l.Append(entries...))
		check(t, l.Close())
		wantLatest(t, dir, entries...)
	})
}
