package repl

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
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
		for _, long := range []string{"", "VAR x = 1; y = x; y = y" + strings.Repeat("+y*x", 100_000) + "; :descend y rate=1e-300 steps=1000000\n"} {
			name := c.name + " while it waits"
			if long != "" {
				name = c.name + " while it works"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				cmd := exec.Command(program, "-q")
				cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
				in, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
				defer late.Stop()
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
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
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
