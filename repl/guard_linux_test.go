package repl

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"scalargrad/repl/edit"
)

// The test binary is also the program of TestPanic: one that has a fault.
func init() {
	where := os.Getenv("SCALARGRAD_TEST_FAULT")
	if where == "" {
		return
	}
	os.Exit(Guard(os.Stderr, "test", func() int {
		c := edit.Config{In: os.Stdin, Out: os.Stdout}
		if where == "while a line is typed" {
			c.Paint = func(line string) string {
				if strings.HasSuffix(line, "x") {
					panic("boo")
				}
				return line
			}
		}
		e, err := edit.Open(c)
		if err != nil {
			panic(err)
		}
		_, err = e.ReadLine("> ")
		panic(fmt.Sprintf("boo, %v", err))
	}))
}

// TestPanic: a panic leaves the terminal as it was, and says what to report.
func TestPanic(t *testing.T) {
	for where, keys := range map[string]string{"while a line is typed": "VAR x", "while a statement runs": "VAR y\r"} {
		t.Run(where, func(t *testing.T) {
			master, slave := terminal(t)
			before := mode(t, slave)
			program := exec.Command(os.Args[0])
			program.Env = append(os.Environ(), "SCALARGRAD_TEST_FAULT="+where, "TERM=xterm")
			program.Stdin, program.Stdout, program.Stderr = slave, slave, slave
			start(t, program)
			var screen bytes.Buffer
			shown, over := make(chan bool), make(chan bool)
			go func() {
				defer close(over)
				buf := make([]byte, 4096)
				for {
					n, err := master.Read(buf)
					first := screen.Len() == 0
					if screen.Write(buf[:n]); first {
						close(shown)
					}
					if err != nil || bytes.Contains(screen.Bytes(), []byte("END OF TEST")) {
						return
					}
				}
			}()
			<-shown // the prompt: now the terminal is the editor's
			if got := mode(t, slave); got == before {
				t.Error("the editor works in the terminal's own mode, so that this test shows nothing")
			}
			if _, err := io.WriteString(master, keys); err != nil {
				t.Fatal(err)
			}
			_ = program.Wait()
			after := mode(t, slave)
			io.WriteString(slave, "END OF TEST")
			<-over
			if status := program.ProcessState.ExitCode(); status != 3 {
				t.Errorf("exit status %d, want 3", status)
			}
			if after != before {
				t.Errorf("the mode of the terminal was %+v and is %+v", before, after)
			}
			text := screen.String()
			for _, want := range []string{"please report it: ", "boo", "test", "guard_linux_test.go"} {
				if !strings.Contains(text, want) {
					t.Errorf("the report has no %q:\n%s", want, text)
				}
			}
		})
	}
}

// terminal returns the two ends of a new terminal of 80 by 24.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	raw, err := master.SyscallConn() // Fd would make a read that Close cannot end
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if e := raw.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
		_ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}); e != nil || err != nil {
		t.Fatal(e, err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// mode returns the settings of a terminal.
func mode(t *testing.T, f *os.File) unix.Termios {
	t.Helper()
	m, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *m
}
