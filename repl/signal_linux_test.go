package repl

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignals sends the signals that end a batch, while it waits for input and
// while it works: what was answered is written, what was not is not, and the
// status is 128 and the signal.
func TestSignals(t *testing.T) {
	program, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		status int
	}{{"interrupt", syscall.SIGINT, 130}, {"terminate", syscall.SIGTERM, 143}, {"hang up", syscall.SIGHUP, 129}} {
		// The tests themselves may run under nohup: what is caught here is not
		// ignored by the programs that are started.
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, c.signal)
		t.Cleanup(func() { signal.Stop(caught) })
		for _, long := range []string{"", "VAR x = 1; y = x; y = y" + strings.Repeat("+y*x", 100_000) + "; :descend y rate=1e-300 steps=1000000\n"} {
			name := c.name + " while it waits"
			if long != "" {
				name = c.name + " while it works"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				cmd := exec.Command(program, "-q")
				cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
				in, out := piped(t, cmd)
				go io.WriteString(in, ":echo first\n"+long) // and no end of input
				answer := make([]byte, len("first\n"))
				if long == "" {
					if _, err := io.ReadFull(out, answer); err != nil {
						t.Fatal(err)
					}
				} else {
					spent(t, cmd.Process.Pid, 300*time.Millisecond)
				}
				asked := time.Now()
				if err := cmd.Process.Signal(c.signal); err != nil {
					t.Fatal(err)
				}
				rest, err := io.ReadAll(out)
				if err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait()
				t.Logf("it ended %v later", time.Since(asked).Round(time.Millisecond/10))
				if got := cmd.ProcessState.ExitCode(); got != c.status {
					t.Errorf("%v, want exit status %d", cmd.ProcessState, c.status)
				}
				if long != "" {
					answer, rest, _ = bytes.Cut(rest, []byte("\n"))
					answer = append(answer, '\n')
				}
				if string(answer) != "first\n" {
					t.Errorf("the first answer is %q", answer)
				}
				if len(rest) > 0 && rest[len(rest)-1] != '\n' {
					t.Errorf("the last answer is cut: …%q", rest[max(0, len(rest)-80):])
				}
			})
		}
	}
}

// TestNobodyReads: a signal ends a batch also when it waits for a reader of its
// answers that never comes.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	program, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Stdin = strings.NewReader("VAR a 2; y = a" + strings.Repeat("+a", 100_000) + "; :tape all\n")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	if _, err := io.ReadFull(out, make([]byte, 100)); err != nil { // it writes
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	state, err := cmd.Process.Wait() // not cmd.Wait, which would close what nobody reads
	if err != nil {
		t.Fatal(err)
	}
	if got := state.ExitCode(); got != 143 {
		t.Errorf("%v, want exit status 143", state)
	}
	out.Close()
	_ = cmd.Wait()
}

// TestNobodyReadsThePrompt is the same at a terminal: the session ends, and the
// terminal is as it was.
func TestNobodyReadsThePrompt(t *testing.T) {
	program, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "long.sg")
	if err := os.WriteFile(script, []byte("VAR a 2; y = a"+strings.Repeat("+a", 100_000)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, term := range []string{"xterm", "dumb"} {
		t.Run(term, func(t *testing.T) {
			t.Parallel()
			master, slave := terminal(t)
			before := mode(t, slave)
			cmd := exec.Command(program, "-i", "-q", script)
			cmd.Env = append(os.Environ(), "TERM="+term, "HOME="+dir)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
			start(t, cmd)
			if _, err := io.WriteString(master, ":tape all\r"); err != nil {
				t.Fatal(err)
			}
			var seen []byte
			for buf := make([]byte, 256); !bytes.Contains(seen, []byte("n19 + a")); { // a row of the table
				n, err := master.Read(buf)
				if err != nil {
					t.Fatal(err)
				}
				seen = append(seen, buf[:n]...)
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			// It may have come to its own end, where what was left to write has fitted.
			if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.ExitStatus() != 143 && status.Signal() != syscall.SIGTERM {
				t.Errorf("%v, want the end that the signal makes", cmd.ProcessState)
			}
			if after := mode(t, slave); after != before {
				t.Errorf("the mode of the terminal was %+v and is %+v", before, after)
			}
		})
	}
}

// TestIgnoredSignals: what a shell had ignored, for nohup or for a job in the
// background of a script, does not end a batch.
func TestIgnoredSignals(t *testing.T) {
	t.Parallel()
	program, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "trap '' HUP INT; exec \"$0\" -q -", program)
	in, out := piped(t, cmd)
	io.WriteString(in, ":echo one\n")
	if _, err := io.ReadFull(out, make([]byte, len("one\n"))); err != nil {
		t.Fatal(err)
	}
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	io.WriteString(in, ":echo two\n")
	in.Close()
	rest, _ := io.ReadAll(out)
	if _ = cmd.Wait(); string(rest) != "two\n" || !cmd.ProcessState.Success() {
		t.Errorf("%q, %v", rest, cmd.ProcessState)
	}
}

// start starts cmd, and ends it when it has not ended in a minute.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	t.Cleanup(func() { late.Stop() })
}

// piped is start with pipes to and from cmd.
func piped(t *testing.T, cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	return in, out
}

// spent waits until a process has worked for that long.
func spent(t *testing.T, pid int, work time.Duration) {
	t.Helper()
	const tick = 10 * time.Millisecond
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		user, _ := strconv.Atoi(string(fields[11]))
		if time.Duration(user)*tick >= work {
			return
		}
		runtime.Gosched()
	}
}
