package history

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// write makes a file with the given content in a new directory.
func write(t testing.TB, content string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func mustOpen(t testing.TB, path string, limit int) *History {
	t.Helper()
	h, err := Open(path, limit)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantLines(t testing.TB, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %.60q\nwant %.60q", got, want)
	}
}

func TestLoad(t *testing.T) {
	long := strings.Repeat("x", MaxLine)
	for _, c := range []struct {
		name, content string
		want          []string
	}{
		{"empty", "", nil},
		{"lines", "VAR a = 2\nGRAD y\n", []string{"VAR a = 2", "GRAD y"}},
		{"last line without newline", "a\nb", []string{"a", "b"}},
		{"CRLF", "a\r\nb\r\n", []string{"a", "b"}},
		{"blank lines", "\n\na\n \n\t\n\nb\n\n", []string{"a", "b"}},
		{"duplicates in a row", "a\na\nb\na\n", []string{"a", "b", "a"}},
		{"spaces inside and after, tab", "a  b \n\tc\n", []string{"a  b ", "\tc"}},
		{"beyond ASCII", "2×π ≤ √3\n", []string{"2×π ≤ √3"}},
		{"not UTF-8", "a\xffb\xc3\n", []string{"a\ufffdb\ufffd"}},
		{"control characters", "\x1b[2J\x9b\u009bx\x7f\x07\n", []string{"\ufffd[2J\ufffd\ufffdx\ufffd\ufffd"}},
		{"NUL", "a\n\x00\x00\x00\nb\x00c\n\x00\x00d", []string{"a", "bc", "d"}},
		{"as long as can be", long + "\nb\n", []string{long, "b"}},
		{"too long", "a\n" + long + "x\nb\n", []string{"a", "b"}},
		{"too long once made printable", "a\n\xff" + long[1:] + "\nb\n", []string{"a", "b"}},
		{"over the limit", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n", []string{"g", "h", "i", "j", "k"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantLines(t, mustOpen(t, write(t, c.content), 5).Lines(), c.want...)
		})
	}
}

func TestLoadReadsOnlyTheEndOfAHugeFile(t *testing.T) {
	path := write(t, strings.Repeat(strings.Repeat("x", 99)+"\n", maxLoad/100+100)+"a\nb\n")
	h := mustOpen(t, path, 2)
	wantLines(t, h.Lines(), "a", "b")
	check(t, h.Close())
	if got := read(t, path); got != "a\nb\n" {
		t.Errorf("after Close the file has %d bytes", len(got))
	}

	// Also if few lines make it huge.
	path = write(t, "a\n"+strings.Repeat("x", maxLoad)+"\nb\n")
	h = mustOpen(t, path, 100)
	wantLines(t, h.Lines(), "b")
	check(t, h.Close())
	if got := read(t, path); got != "b\n" {
		t.Errorf("after Close the file has %d bytes", len(got))
	}
}

func TestAppend(t *testing.T) {
	for _, c := range []struct {
		name, before string
		add          []string
		after        string
	}{
		{"to nothing", "", []string{"a"}, "a\n"},
		{"in order", "a\n", []string{"b", "c"}, "a\nb\nc\n"},
		{"blank", "a\n", []string{"", "\n", "\t", " \r\n"}, "a\n"},
		{"leading space", "a\n", []string{" secret", "  x"}, "a\n"},
		{"duplicate", "", []string{"a", "a", "b", "b", "a"}, "a\nb\na\n"},
		{"duplicate of a loaded line", "a\nb\n", []string{"b", "a"}, "a\nb\na\n"},
		{"line breaks", "", []string{"a\nb\r\nc\rd\n"}, "a b c d\n"},
		{"after a torn line", "a\nVAR b", []string{"c"}, "a\nVAR b\nc\n"},
		{"control characters", "", []string{"a\x1b[2J\x00\xffb"}, "a\ufffd[2J\ufffdb\n"},
		{"too long", "", []string{strings.Repeat("x", MaxLine+1), "a"}, "a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, c.before)
			h := mustOpen(t, path, 100)
			for _, line := range c.add {
				check(t, h.Append(line))
			}
			if got := read(t, path); got != c.after {
				t.Errorf("file holds %q, want %q", got, c.after)
			}
			wantLines(t, h.Lines(), mustOpen(t, path, 100).Lines()...)
		})
	}
}

func TestLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h")
	h := mustOpen(t, path, 3)
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprint("line ", i))
		check(t, h.Append(want[i]))
		wantLines(t, h.Lines(), want[max(0, i-2):]...)
	}
	h.Lines()[0] = "mine" // a copy
	wantLines(t, h.Lines(), want[17:]...)
	if n := strings.Count(read(t, path), "\n"); n != 20 {
		t.Errorf("%d lines before Close, want all 20", n)
	}
	check(t, h.Close())
	if got, want := read(t, path), "line 17\nline 18\nline 19\n"; got != want {
		t.Errorf("after Close %q, want %q", got, want)
	}
	check(t, h.Append("later")) // in memory
	check(t, h.Close())
	wantLines(t, h.Lines(), "line 18", "line 19", "later")

	// Twice the limit is left alone.
	six := "1\n2\n3\n4\n5\n6\n"
	path = write(t, six)
	check(t, mustOpen(t, path, 3).Close())
	if got := read(t, path); got != six {
		t.Errorf("Close rewrote %q to %q", six, got)
	}

	// No limit is the default limit and never empties the file.
	for _, limit := range []int{0, -1} {
		path := write(t, strings.Repeat("a\nb\n", DefaultLimit+1))
		check(t, mustOpen(t, path, limit).Close())
		if n := strings.Count(read(t, path), "\n"); n != DefaultLimit {
			t.Errorf("limit %d left %d lines, want %d", limit, n, DefaultLimit)
		}
	}
}

func TestCompactKeepsLinesOfOtherSessions(t *testing.T) {
	path := write(t, strings.Repeat("a\nb\n", 5))
	a, b := mustOpen(t, path, 4), mustOpen(t, path, 4)
	check(t, a.Append("from a"))
	check(t, b.Append("from b"))
	check(t, a.Close())
	check(t, b.Append("b again")) // into the file that replaced the one b opened
	wantLines(t, mustOpen(t, path, 9).Lines(), "a", "b", "from a", "from b", "b again")
}

func TestMemoryOnly(t *testing.T) {
	h := mustOpen(t, "", 2)
	for _, line := range []string{"a", " no", "b", "b", "c"} {
		check(t, h.Append(line))
	}
	check(t, h.Close())
	wantLines(t, h.Lines(), "b", "c")
}

// Whatever is wrong is reported once; the history goes on in memory.
func TestErrorOnce(t *testing.T) {
	dir := t.TempDir()
	file := write(t, "")
	for name, path := range map[string]string{
		"directory":      dir,
		"below a file":   filepath.Join(file, "history"),
		"device":         os.DevNull,
		"loop of links":  link(t, "loop", "loop"),
		"link to device": link(t, os.DevNull, "null"),
		"name too long":  filepath.Join(dir, strings.Repeat("x", 5000)),
		"NUL in name":    dir + "/a\x00b",
	} {
		t.Run(name, func(t *testing.T) {
			h, err := Open(path, 10)
			if err == nil {
				t.Fatal("no error")
			}
			if msg := err.Error(); !strings.Contains(msg, filepath.Dir(path)) || strings.Contains(msg, "\n") {
				t.Errorf("message %q should say where, on one line", msg)
			}
			check(t, h.Append("a"))
			check(t, h.Append("b"))
			check(t, h.Close())
			wantLines(t, h.Lines(), "a", "b")
		})
	}
}

func TestErrorWhileRunning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history")
	h := mustOpen(t, path, 10)
	check(t, h.Append("a"))
	check(t, os.RemoveAll(filepath.Dir(path)))
	check(t, h.Append("b")) // made again
	if got := read(t, path); got != "b\n" {
		t.Errorf("file holds %q", got)
	}
	check(t, os.Remove(path))
	check(t, os.Mkdir(path, 0o700))
	if h.Append("c") == nil {
		t.Error("no error for a directory")
	}
	check(t, h.Append("d"))
	check(t, h.Close())
	wantLines(t, h.Lines(), "a", "b", "c", "d")
}

// link makes a symbolic link in a new directory.
func link(t testing.TB, target, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	check(t, os.Symlink(target, path))
	return path
}

func TestSymlink(t *testing.T) {
	target := write(t, strings.Repeat("a\nb\n", 5))
	path := link(t, target, "link")
	h := mustOpen(t, path, 2)
	check(t, h.Append("c"))
	check(t, h.Close())
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	if got := read(t, target); got != "b\nc\n" {
		t.Errorf("target holds %q", got)
	}

	// A link to nothing yet.
	target = filepath.Join(t.TempDir(), "new")
	check(t, mustOpen(t, link(t, target, "link"), 2).Append("a"))
	if got := read(t, target); got != "a\n" {
		t.Errorf("target holds %q", got)
	}
}

func TestCompactionLeftHalfDone(t *testing.T) {
	path := write(t, strings.Repeat("a\nb\n", 5))
	check(t, os.WriteFile(asideName(path), []byte("half"), 0o600))
	check(t, mustOpen(t, path, 2).Close())
	if got := read(t, path); got != "a\nb\n" {
		t.Errorf("file holds %q", got)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("left in the directory: %v", files)
	}
}

func TestDefaultPath(t *testing.T) {
	for _, c := range []struct{ state, home, want string }{
		{"/s", "/h", "/s/app/history"},
		{"", "/h", "/h/.local/state/app/history"},
		{"relative", "/h", "/h/.local/state/app/history"},
		{"", "", ""},
		{"", "relative", ""},
	} {
		t.Setenv("XDG_STATE_HOME", c.state)
		t.Setenv("HOME", c.home)
		if got := DefaultPath("app"); got != c.want {
			t.Errorf("state %q home %q: %q, want %q", c.state, c.home, got, c.want)
		}
	}
	t.Setenv("XDG_STATE_HOME", "/s")
	if got := DefaultLogDir("app"); got != "/s/app/sessions" {
		t.Errorf("DefaultLogDir = %q", got)
	}
}

// FuzzLoad: any file gives lines that are safe to show, and a compacted file
// gives the same lines again.
func FuzzLoad(f *testing.F) {
	for _, s := range []string{"", "a\nb", "a\r\n\r\n b\n", "\x1b[2J\x00\xff\n", "a\na\na\nb\nc\nd\ne\nf\n", "\u0085\u2028\n\t\n"} {
		f.Add([]byte(s), uint8(2))
	}
	f.Fuzz(func(t *testing.T, content []byte, limit uint8) {
		path := write(t, string(content))
		h := mustOpen(t, path, int(limit))
		lines := h.Lines()
		if limit > 0 && len(lines) > int(limit) {
			t.Fatalf("%d lines, limit %d", len(lines), limit)
		}
		for i, line := range lines {
			if !utf8.ValidString(line) || strings.TrimSpace(line) == "" || len(line) > MaxLine ||
				strings.ContainsAny(line, "\x00\x07\n\r\x1b\x7f\u0085\u009b") || i > 0 && line == lines[i-1] {
				t.Fatalf("line %d is %q", i, line)
			}
		}
		check(t, h.Close())
		wantLines(t, mustOpen(t, path, int(limit)).Lines(), lines...)
		h = mustOpen(t, path, int(limit))
		check(t, h.Append("one more"))
		got := mustOpen(t, path, int(limit)).Lines()
		if got[len(got)-1] != "one more" {
			t.Fatalf("appended line is lost: %q", got)
		}
	})
}

func TestImportsNothingOfOurs(t *testing.T) {
	files, err := filepath.Glob("*.go")
	check(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		check(t, err)
		for _, imp := range file.Imports {
			if path := strings.Trim(imp.Path.Value, `"`); strings.Contains(path, "scalargrad") || strings.Contains(path, ".") {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
