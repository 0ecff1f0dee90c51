package repl

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"scalargrad/history"
)

// TestSessionProcess is no test: it is the program that the tests below start
// on a pseudo-terminal, as this test binary under another environment.
func TestSessionProcess(t *testing.T) {
	flags := os.Getenv("SCALARGRAD_TEST_SESSION")
	if flags == "" {
		return // run as one of the tests
	}
	o := Options{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Color: "never", Version: "test",
		Resume: strings.Contains(flags, "resume"), NoHistory: strings.Contains(flags, "no-history")}
	os.Exit(Run(o))
}

// A typist is at the other end of a session's terminal.
type typist struct {
	t       *testing.T
	process *exec.Cmd
	master  *os.File
	more    sync.Cond
	seen    []byte // guarded by more.L
	over    bool   // guarded by more.L
}

// newTypist starts a session whose state is in dir.
func newTypist(t *testing.T, dir, flags string) *typist {
	t.Helper()
	master, slave := terminal(t)
	y := &typist{t: t, master: master, process: exec.Command(os.Args[0], "-test.run=^TestSessionProcess$")}
	y.more.L = new(sync.Mutex)
	y.process.Stdin, y.process.Stdout, y.process.Stderr = slave, slave, slave
	y.process.Env = append(os.Environ(), "SCALARGRAD_TEST_SESSION=prompt "+flags, "XDG_STATE_HOME="+dir, "TERM=xterm")
	y.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := y.process.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			y.more.L.Lock()
			y.seen = append(y.seen, buf[:n]...)
			y.over = err != nil
			y.more.Broadcast()
			y.more.L.Unlock()
			if err != nil {
				return
			}
		}
	}()
	// A session that hangs fails the test and does not hang it.
	watchdog := time.AfterFunc(30*time.Second, func() { y.process.Process.Kill() })
	t.Cleanup(func() {
		watchdog.Stop()
		y.process.Process.Kill()
		y.process.Wait()
		master.Close()
	})
	return y
}

func (y *typist) typed(text string) {
	y.t.Helper()
	if _, err := y.master.WriteString(text); err != nil {
		y.t.Fatal(err)
	}
}

// sees waits until text is on the screen behind what was seen before, and takes
// that away.
func (y *typist) sees(text string) {
	y.t.Helper()
	y.more.L.Lock()
	defer y.more.L.Unlock()
	for {
		if i := strings.Index(string(y.seen), text); i >= 0 {
			y.seen = y.seen[i+len(text):]
			return
		}
		if y.over {
			y.t.Fatalf("the session ended before %q was seen: %q", text, y.seen)
		}
		y.more.Wait()
	}
}

// leaves ends the session and returns all that was seen since.
func (y *typist) leaves() string {
	y.t.Helper()
	y.typed("\x04")
	return y.ends()
}

func (y *typist) kills() {
	y.process.Process.Kill()
	y.ends()
}

func (y *typist) ends() string {
	y.process.Wait()
	y.more.L.Lock()
	defer y.more.L.Unlock()
	for !y.over {
		y.more.Wait()
	}
	return string(y.seen)
}

// TestResumeAfterKill kills a session at random moments while statements are
// pasted into it. All whose answers were seen come back, in order, and none
// that was not typed.
func TestResumeAfterKill(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for range 8 {
		dir := t.TempDir()
		const count = 60
		var want []string
		for i := range count {
			want = append(want, fmt.Sprintf("VAR v%d = %d", i, i+1000))
		}
		y := newTypist(t, dir, "")
		y.sees("> ")
		y.typed(strings.Join(want, "\r") + "\r")
		answered := 1 + random.IntN(count-1)
		y.sees(fmt.Sprintf("\nv%d = %d", answered-1, answered-1+1000))
		y.kills()

		got, _, err := history.LatestLog(filepath.Join(dir, "scalargrad", "sessions"))
		if err != nil || len(got) < answered || !slices.Equal(got, want[:min(len(got), count)]) {
			t.Fatalf("%d answers were seen; the log has %d statements, %v: %q", answered, len(got), err, got)
		}
		y = newTypist(t, dir, "resume")
		y.sees(fmt.Sprintf("resumed %d statements: %d variables, 0 operations", len(got), len(got)))
		y.typed(fmt.Sprintf("v%d\r", answered-1))
		y.sees(fmt.Sprintf("\nv%d = %d", answered-1, answered-1+1000))
		y.leaves()
	}
}

// TestResume: what was taken back stays so, a resumed session can be resumed,
// numbers of nodes are as they were, and :reset leaves nothing.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	y := newTypist(t, dir, "")
	y.sees("> ")
	y.typed("VAR a = 2, b = 3; y = (a + b) * a\r")
	y.sees("y = 10")
	y.typed("n1 * 7\r")
	y.sees("n3 = 35")
	y.typed(":undo\r")
	y.sees("took back  n1 * 7")
	y.typed("oops\r")
	y.sees("error:")
	y.typed("VAR a 5\r")
	y.sees("y = 40 (was 10)")
	y.kills()

	for range 2 {
		y = newTypist(t, dir, "resume")
		y.sees("resumed 3 statements: 2 variables, 2 operations")
		y.typed("@2\r")
		y.sees("@2 = 40")
		y.leaves()
	}
	y = newTypist(t, dir, "resume")
	y.sees("resumed 3 statements")
	y.typed(":undo 2\r")
	y.sees("took back  y = (a + b) * a")
	y.typed("c = a + b\r")
	y.sees("c = 5")
	y.kills()
	y = newTypist(t, dir, "resume")
	y.sees("resumed 2 statements: 2 variables, 1 operation")
	y.typed(":reset\r")
	y.sees("tape cleared")
	y.kills()
	y = newTypist(t, dir, "resume")
	y.sees("there is no session to bring back")
	y.leaves()
}

func TestResumeOff(t *testing.T) {
	dir := t.TempDir()
	y := newTypist(t, dir, "no-history")
	y.sees("> ")
	y.typed("VAR a = 2\r")
	y.sees("\na = 2")
	y.leaves()
	if files, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(files) > 0 {
		t.Errorf("--no-history wrote %v", files)
	}
	y = newTypist(t, dir, "")
	y.sees("> ")
	y.typed("VAR b = 2\r")
	y.sees("\nb = 2")
	y.leaves()
	y = newTypist(t, dir, "resume no-history")
	y.sees("resumed 1 statement: 1 variable, 0 operations")
	y.leaves()
}

// TestResumeDamaged: what can be read comes back, with a warning, and the
// session works.
func TestResumeDamaged(t *testing.T) {
	dir := t.TempDir()
	logs := filepath.Join(dir, "scalargrad", "sessions")
	os.MkdirAll(logs, 0o700)
	os.WriteFile(filepath.Join(logs, "20200101T000000-1-1.log"), []byte("\"VAR a = 2\"\n\"b = a + oops\"\n\"c = a + 1\"\n\":save stolen.sg\"\ngarbage \x1b[2J\n\"d = 1\"\n"), 0o600)
	y := newTypist(t, dir, "resume")
	y.sees("warning: the last session does not come back whole")
	y.sees("--resume:2:9: error: unknown name \"oops\"")
	y.sees("--resume:4:7: error: no file is read or written")
	y.sees("warning: 2 statements did not come back; all of them are in ")
	y.sees("resumed 2 statements: 1 variable, 1 operation")
	y.typed("c + 1\r")
	y.sees("n2 = 4")
	if out := y.leaves(); strings.Contains(out, "\x1b[2J") {
		t.Errorf("what a file holds reached the terminal: %q", out)
	}
}
