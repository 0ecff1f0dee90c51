//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package history

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The tests in this file need processes of their own: the test binary runs
// itself with the name of a helper and the helper's arguments.

const helperVar = "HISTORY_TEST_HELPER"

var helpers = map[string]func(args []string) error{
	"share": shareHelper, "type": typeHelper, "log": logHelper, "full": fullHelper, "other": otherHelper,
}

func TestMain(m *testing.M) {
	if name := os.Getenv(helperVar); name != "" {
		if err := helpers[name](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, name, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func helper(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	check(t, err)
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), helperVar+"="+name, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	return cmd
}

const (
	sharers = 20
	each    = 30
)

// shareHelper appends lines of its own and now and then fills the file with
// blank lines, so that the Close that follows compacts it.
func shareHelper(args []string) error {
	path, id := args[0], args[1]
	for i := 0; i < each; {
		h, err := Open(path, sharers*each)
		for range 10 {
			err = errors.Join(err, h.Append(fmt.Sprintf("%s-%d", id, i)))
			i++
		}
		f, e := openLocked(path)
		if e != nil {
			return e
		}
		e = appendText(f, strings.Repeat("\n", 2*sharers*each))
		if err := errors.Join(err, e, f.Close(), h.Close()); err != nil {
			return err
		}
	}
	return nil
}

func TestTwentySessionsLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history")
	var cmds []*exec.Cmd
	for i := range sharers {
		cmd := helper(t, "share", path, strconv.Itoa(i))
		check(t, cmd.Start())
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	next := map[string]int{} // by session: the number of its next line
	for _, line := range mustOpen(t, path, 2*sharers*each).Lines() {
		id, number, _ := strings.Cut(line, "-")
		if number != strconv.Itoa(next[id]) {
			t.Errorf("line %q, want number %d", line, next[id])
		}
		next[id]++
	}
	for i := range sharers {
		if n := next[strconv.Itoa(i)]; n != each {
			t.Errorf("session %d has %d lines of %d", i, n, each)
		}
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("left in the directory: %v", files)
	}
}

const killLimit = 40

// typeHelper appends lines, and compacts, until it is killed. It prints the
// number of each line that it was told is written.
func typeHelper(args []string) error {
	path := args[0]
	for i := 0; ; {
		h, err := Open(path, killLimit)
		if err != nil {
			return err
		}
		for range 2*killLimit + 1 {
			if err := h.Append(typed(i)); err != nil {
				return err
			}
			fmt.Println(i)
			i++
		}
		if err := h.Close(); err != nil {
			return err
		}
	}
}

// typed returns line i of typeHelper; some are long enough for a kill to tear.
func typed(i int) string {
	return fmt.Sprintf("line %d %s.", i, strings.Repeat("x", i%7*2000))
}

// killAfter runs the helper, kills it when it has printed n lines, and returns
// the number of lines it has printed in all.
func killAfter(t *testing.T, n int, name string, args ...string) (printed int) {
	t.Helper()
	cmd := helper(t, name, args...)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	for lines := bufio.NewScanner(out); lines.Scan(); printed++ {
		if printed == n {
			check(t, cmd.Process.Kill())
		}
	}
	cmd.Wait()
	if printed <= n {
		t.Fatalf("helper %s ended by itself after %d lines: %v", name, printed, cmd.ProcessState)
	}
	return printed
}

func TestKillLosesNoLine(t *testing.T) {
	for range 30 {
		path := filepath.Join(t.TempDir(), "history")
		printed := killAfter(t, rand.IntN(5*killLimit), "type", path)
		got := mustOpen(t, path, killLimit).Lines()
		// The file ends with the lines reported, and perhaps with one that was
		// written, in whole or in part, but not reported.
		if len(got) > 0 && strings.HasPrefix(typed(printed), got[len(got)-1]) {
			got = got[:len(got)-1]
		}
		var want []string
		for i := max(0, printed-killLimit+1); i < printed; i++ {
			want = append(want, typed(i))
		}
		if len(got) < len(want) || !slices.Equal(got[len(got)-len(want):], want) {
			t.Fatalf("%d lines were reported, the file has %d, want the last %d", printed, len(got), len(want))
		}
		check(t, mustOpen(t, path, killLimit).Append("after"))
		got = mustOpen(t, path, killLimit).Lines()
		if got[len(got)-1] != "after" {
			t.Fatalf("appended after the kill: %.50q", got[len(got)-1])
		}
	}
}

// logHelper resumes the latest log and goes on, until it is killed.
func logHelper(args []string) error {
	entries, _, err := LatestLog(args[0])
	if err != nil {
		return err
	}
	entries = kept(entries)
	l := NewLog(args[0])
	if err := l.Append(entries...); err != nil {
		return err
	}
	for i := len(entries); ; i++ {
		// Something else that is taken back: it is never seen, unless last.
		err := errors.Join(l.Append(typed(i)), l.Append("x", "y\nz"), l.Rewind(2))
		if err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// kept returns entries without what logHelper had no time to take back.
func kept(entries []string) []string {
	for _, e := range []string{"y\nz", "x"} {
		if n := len(entries); n > 0 && entries[n-1] == e {
			entries = entries[:n-1]
		}
	}
	return entries
}

func TestKillLosesNoEntry(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	sum := 0 // entries reported by all sessions so far, each resuming the one before
	for range 30 {
		printed := killAfter(t, rand.IntN(30), "log", dir)
		sum += printed
		entries, _, err := LatestLog(dir)
		check(t, err)
		entries = kept(entries)
		for i, e := range entries {
			if e != typed(i) {
				t.Fatalf("entry %d is %.50q", i, e)
			}
		}
		if len(entries) != sum && len(entries) != sum+1 {
			t.Fatalf("%d entries were reported, the log has %d", sum, len(entries))
		}
		sum = len(entries)
	}
}

func TestSessionsDoNotMix(t *testing.T) {
	dir := t.TempDir()
	mine := NewLog(dir)
	check(t, mine.Append("mine"))
	n := killAfter(t, 5, "log", dir)
	check(t, mine.Append("mine too"))
	entries, _, err := LatestLog(dir)
	check(t, err)
	if len(entries) < n || entries[0] != typed(0) {
		t.Errorf("the other session's log has %d entries, want %d; first %.20q", len(entries), n, entries)
	}
	check(t, mine.Close())
	check(t, os.Chtimes(mine.path, time.Time{}, time.Now().Add(time.Second))) // clocks of files are coarse
	wantLatest(t, dir, "mine", "mine too")
}

// fullHelper may write 4,096 bytes to a file and no more, as on a full disk.
func fullHelper(args []string) error {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = 4096
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	line := strings.Repeat("x", 999)
	h, err := Open(args[0], 100)
	l := NewLog(args[1])
	for i := range 4 {
		err = errors.Join(err, h.Append(line+strconv.Itoa(i)), l.Append(line+strconv.Itoa(i)))
	}
	if err != nil {
		return fmt.Errorf("before the disk is full: %w", err)
	}
	if h.Append(line) == nil || l.Append(line) == nil {
		return errors.New("full disk: no error")
	}
	if err := errors.Join(h.Append("later"), l.Append("later"), l.Rewind(1), l.Clear(), h.Close(), l.Close()); err != nil {
		return fmt.Errorf("reported again: %w", err)
	}
	if n := len(h.Lines()); n != 6 {
		return fmt.Errorf("%d lines in memory", n)
	}
	return nil
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	path, logs := filepath.Join(dir, "history"), filepath.Join(dir, "sessions")
	check(t, helper(t, "full", path, logs).Run())
	// The line that did not fit has left no part of itself.
	text := read(t, path)
	if len(text) != 4*1001 || !strings.HasSuffix(text, "x3\n") {
		t.Errorf("file has %d bytes and ends with %q", len(text), text[len(text)-5:])
	}
	entries, _, err := LatestLog(logs)
	check(t, err)
	if len(entries) != 4 {
		t.Errorf("log has %d entries, want 4", len(entries))
	}
}

// otherHelper opens the history as somebody who is not root and not the owner.
func otherHelper(args []string) error {
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			return err
		}
	}
	h, err := Open(args[0], 10)
	if !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("opened with error %v", err)
	}
	if want := args[1:]; !slices.Equal(h.Lines(), want) {
		return fmt.Errorf("got %q, want %q", h.Lines(), want)
	}
	return errors.Join(h.Append("b"), h.Close())
}

func TestPermission(t *testing.T) {
	path := write(t, "a\n")
	dir := filepath.Dir(path)
	for d := dir; d != filepath.Clean(os.TempDir()) && d != "/"; d = filepath.Dir(d) {
		check(t, os.Chmod(d, 0o755))
	}
	for _, c := range []struct {
		name, path string
		mode       os.FileMode
		lines      []string
	}{
		{"mode 000", path, 0, nil},
		{"read only", path, 0o444, []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, os.Chmod(path, c.mode))
			check(t, helper(t, "other", append([]string{c.path}, c.lines...)...).Run())
		})
	}
	t.Run("read-only directory", func(t *testing.T) {
		check(t, os.Chmod(dir, 0o555))
		defer os.Chmod(dir, 0o755)
		check(t, helper(t, "other", filepath.Join(dir, "new")).Run())
		check(t, helper(t, "other", filepath.Join(dir, "sub", "new")).Run())
	})
	if got := read(t, path); got != "a\n" {
		t.Errorf("file holds %q", got)
	}
}

func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		check(t, err)
		return info.Mode().Perm()
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	path, sessions := filepath.Join(dir, "history"), filepath.Join(dir, "sessions")
	h := mustOpen(t, path, 1)
	l := NewLog(sessions)
	check(t, l.Append("a"))
	for _, p := range []string{path, l.path} {
		if m := mode(p); m != 0o600 {
			t.Errorf("%s has mode %o", p, m)
		}
	}
	for _, p := range []string{filepath.Dir(dir), dir, sessions} {
		if m := mode(p); m != 0o700 {
			t.Errorf("%s has mode %o", p, m)
		}
	}

	// A file that was open to others is closed to them; so is its replacement.
	check(t, os.Chmod(path, 0o666))
	check(t, h.Append("a"))
	if m := mode(path); m != 0o600 {
		t.Errorf("after Append: mode %o", m)
	}
	check(t, errors.Join(h.Append("b"), h.Append("c"), h.Close(), l.Clear()))
	if m := mode(path); m != 0o600 || read(t, path) != "c\n" {
		t.Errorf("after compaction: mode %o, content %q", m, read(t, path))
	}
	if m := mode(l.path); m != 0o600 {
		t.Errorf("log after Clear: mode %o", m)
	}

	// A umask that takes everything away takes nothing from us.
	syscall.Umask(0o777)
	path += "2"
	check(t, mustOpen(t, path, 1).Append("a"))
	if m := mode(path); m != 0o600 {
		t.Errorf("under umask 777: mode %o", m)
	}
}

func TestCompactionKeepsTheOwner(t *testing.T) {
	path := write(t, "a\nb\nc\n")
	owner := os.Getuid()
	if owner == 0 { // only root can give a file away
		owner = 65534
		check(t, os.Chown(path, owner, owner))
	}
	check(t, mustOpen(t, path, 1).Close())
	info, err := os.Stat(path)
	check(t, err)
	if uid := info.Sys().(*syscall.Stat_t).Uid; int(uid) != owner || read(t, path) != "c\n" {
		t.Errorf("owner %d, want %d; content %q", uid, owner, read(t, path))
	}
}

func TestFIFOIsRefusedWithoutBlocking(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "1.log")
	check(t, syscall.Mkfifo(path, 0o600))
	h, err := Open(path, 10)
	if !errors.Is(err, errNotRegular) {
		t.Errorf("error %v", err)
	}
	check(t, h.Append("a"))
	wantLatest(t, dir)
	// Also when it appears after the look at what is there.
	if _, err := openChecked(path, os.O_RDONLY); !errors.Is(err, errNotRegular) {
		t.Errorf("error %v", err)
	}
	if _, err := Open(dir, 10); !errors.Is(err, errNotRegular) {
		t.Errorf("directory: error %v", err)
	}
}

// A session that was stopped while it held the lock costs the others a wait of
// lockWait once, not the prompt.
func TestLockThatIsNeverFreed(t *testing.T) {
	defer func(d time.Duration) { lockWait = d }(lockWait)
	lockWait = 20 * time.Millisecond
	path := write(t, "a\n")
	holder, err := openLocked(path)
	check(t, err)
	h, err := Open(path, 10)
	if !errors.Is(err, errBusy) {
		t.Errorf("error %v", err)
	}
	wantLines(t, h.Lines(), "a")
	check(t, h.Append("b"))
	check(t, holder.Close())
	check(t, mustOpen(t, path, 10).Close())
}
