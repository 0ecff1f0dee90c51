//go:build unix

package repl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// builtProgram builds the real program once for all tests.
var builtProgram = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "scalargrad-test-")
	if err != nil {
		return "", err
	}
	builtIn = dir
	program := filepath.Join(dir, "scalargrad")
	args := []string{"build", "-o", program}
	if raceDetector {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, "scalargrad")...).CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return program, nil
})

// builtIn is where the program was built; "" while no test has asked for it.
var builtIn string

// TestMain looks, when all tests are done, whether one has left a goroutine of
// ours running.
func TestMain(m *testing.M) {
	status := m.Run()
	if left := goroutinesLeft(); left != "" {
		fmt.Fprintln(os.Stderr, "goroutines that the tests have left:\n"+left)
		status = 1
	}
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
	os.Exit(status)
}

// goroutinesLeft returns the stacks of the goroutines, beside this one, that
// run code of ours and do not end by themselves.
func goroutinesLeft() (stacks string) {
	for range 1000 {
		all := make([]byte, 1<<20)
		all = all[:runtime.Stack(all, true)]
		stacks = ""
		for i, stack := range strings.Split(string(all), "\n\n") {
			if i > 0 && strings.Contains(stack, "scalargrad/") {
				stacks += stack + "\n"
			}
		}
		if stacks == "" {
			return ""
		}
		runtime.Gosched()
	}
	return stacks
}

// TestProgram runs the real program on files, pipes and texts.
func TestProgram(t *testing.T) {
	program, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lesson := file("lesson.sg", "VAR a = 2, b = 3\ny = (a + b) * a\n")
	fault := file("fault.sg", "VAR a = 2\nEXPR y = a +\nEXPR z = a * 3\nGRAD z\n")
	file("-a.sg", "VAR a = 2\n")
	file("-b.sg", "a^2\n")
	for _, c := range []struct {
		name   string
		args   []string
		in     string
		out    string // exact
		errs   string // pattern; "" is nothing at all
		status int
	}{
		{name: "a pipe", in: "VAR a 2\na^3\nGRAD", out: "a = 2\nn1 = 8\ngradient of n1 = a^3\na.grad = 12\n"},
		{name: "a text", args: []string{"-e", "VAR a 2; a^3"}, out: "a = 2\nn1 = 8\n"},
		{name: "texts and files in order", args: []string{"-e", "VAR k 1", lesson, "-e", "y*k"}, out: "k = 1\na = 2\nb = 3\ny = 10\nn3 = 10\n"},
		{name: "flags behind files", args: []string{lesson, "-q", "-e", "GRAD y a"}, out: "a.grad = 7\n"},
		{name: "standard input in the middle", args: []string{lesson, "-", "-e", "ans"}, in: "y + 1\n", out: "a = 2\nb = 3\ny = 10\nn3 = 11\nn3 = 11\n"},
		{name: "an error goes on", args: []string{fault}, out: "a = 2\nz = 6\na.grad = 3\n", errs: `^\S*fault.sg:2:1[23]: error: .*\n(.*\n)*$`, status: 1},
		{name: "an error stops", args: []string{"--stop-on-error", fault}, out: "a = 2\n", errs: `fault.sg:2:`, status: 1},
		{name: "an error as JSON", args: []string{"--json"}, in: "nope\n", out: `{"line":1,"kind":"error","code":"undefined-name","column":1,"message":"unknown name \"nope\"","hint":"VAR nope = 1 makes a variable"}` + "\n", status: 1},
		{name: "a check that disagrees", args: []string{"-q", lesson, "-e", ":check a = a"}, out: "a: your formula differs from the tape\n  here              yours 2   tape 7\n  20 points nearby  all differ\n  at all 21 points yours is the derivative by b, not by a\n", status: 1},
		{name: "echo", args: []string{"--echo", "-e", "VAR a 2 # two"}, out: "> VAR a 2 # two\na = 2\n"},
		{name: "trace", args: []string{"--trace", "-q", "-e", "VAR a 2; a*a; GRAD"},
			out: "backward from n1 = a * a = 4\n  n1.grad = 1                                       seed\n  multiply  n1 = a * a   a gets a*1 = 2   a gets a*1 = 2\na.grad = 2 + 2 = 4\n"},
		{name: "trace as JSON", args: []string{"--trace", "--json", "-q", "-e", "VAR a 2; a*a; GRAD"},
			out: `{"line":1,"kind":"grad","file":"-e","of":"n1","node":"n1","value":4,"grad":{"a":4},"trace":[{"node":"n1","op":"mul","grad":1,"gives":[{"to":"a","value":2},{"to":"a","value":2}]}]}` + "\n"},
		{name: "digits", args: []string{"--digits", "3", "-e", "VAR a 2/3"}, out: "a = 0.667\n"},
		{name: "every digit", args: []string{"--digits=17", "-e", "0.1+0.2"}, out: "n1 = 0.30000000000000004\n"},
		{name: "colour", args: []string{"--color=always", "-e", ":digits"}, out: "numbers are printed with up to 12 digits\n"},
		{name: "nothing", in: ""},
		{name: "blank lines", in: "\n\n  \n"},
		{name: "no last line end", in: "VAR a 2", out: "a = 2\n"},
		{name: "a null device", args: []string{os.DevNull}},
		{name: "a directory", args: []string{dir}, errs: `is a directory`, status: 2},
		{name: "a missing file", args: []string{filepath.Join(dir, "missing")}, errs: `no such file`, status: 2},
		{name: "a file without a name", args: []string{"-e", "VAR a 2", ""}, in: "a^2\n", out: "a = 2\n", errs: `no such file`, status: 2},
		{name: "files that look like flags", args: []string{"-e", "VAR a 3", "--", "-a.sg", "-b.sg"}, out: "a = 3\na = 2 (was 3)\nn1 = 4\n"},
		{name: "-- behind a file", args: []string{lesson, "-q", "--", "-b.sg", "--"}, errs: `open --: no such file`, status: 2},
		{name: "a wrong flag", args: []string{"--nope"}, errs: `nope.*--help`, status: 2},
		{name: "a wrong flag that acts on terminals", args: []string{"--\x1b]0;x\a"}, errs: `^scalargrad: [^\x00-\x1f]*␛]0;x␇[^\x00-\x1f]*\n$`, status: 2},
		{name: "a wrong colour", args: []string{"--color=red"}, errs: `auto, always or never`, status: 2},
		{name: "the tape is full", args: []string{"--max-nodes", "5", "-e", "VAR a 1", "-e", "a+a+a+a+a+a+a+a", "-e", "a*a"}, out: "a = 1\nn1 = 1\n", errs: `5 nodes`, status: 1},
		{name: "a line continued", in: "VAR a \\\r\n = 2\nEXPR a \\\n + nope\n", out: "a = 2\n", errs: `^stdin:4:4: `, status: 1},
		{name: "an echo continued", in: ":echo a \\\nb\\ \r\n  c  d \"e  f\"'g' \\\n", out: "a b c  d e  fg\n"},
		{name: "an echo continued as JSON", args: []string{"--json"}, in: ":echo a \\\nb\n", out: `{"line":1,"kind":"echo","text":"a b"}` + "\n"},
		{name: "quit", in: ":quit\nVAR a 2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(program, c.args...)
			cmd.Env = append(os.Environ(), "NO_COLOR=1", "HOME="+t.TempDir())
			cmd.Dir = dir
			cmd.Stdin = strings.NewReader(c.in)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			err := cmd.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if got := cmd.ProcessState.ExitCode(); got != c.status {
				t.Errorf("exit status %d, want %d", got, c.status)
			}
			if out.String() != c.out {
				t.Errorf("standard output %q, want %q", out.String(), c.out)
			}
			if c.errs == "" && errs.Len() > 0 || !regexp.MustCompile(c.errs).Match(errs.Bytes()) {
				t.Errorf("standard error %q, want %q", errs.String(), c.errs)
			}
		})
	}
}

// TestOutputThatCloses has `| head -1` at the other end: the program ends by
// SIGPIPE, as others do, and does not read on.
func TestOutputThatCloses(t *testing.T) {
	program, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		line := []byte(strings.Repeat("VAR a 2\n", 1000))
		for {
			if _, err := in.Write(line); err != nil {
				return
			}
		}
	}()
	if _, err := io.ReadFull(out, make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	out.Close()
	_ = cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGPIPE {
		t.Errorf("ended with %v, want by SIGPIPE", cmd.ProcessState)
	}
}

// TestFullDisk writes where there is no room.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		if _, missing := os.Stat("/dev/full"); missing != nil {
			return // this system has no such device
		}
		t.Fatal(err)
	}
	defer full.Close()
	program, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-e", "VAR a 2"}, {"--version"}, {"--help"}} {
		cmd := exec.Command(program, args...)
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &errs
		if cmd.Run(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%v: %v, %q", args, cmd.ProcessState, errs.String())
		}
	}
}

// BenchmarkStart is the program from its start to its end, for one statement.
func BenchmarkStart(b *testing.B) {
	program, err := builtProgram()
	if err != nil {
		b.Fatal(err)
	}
	var cpu float64
	for b.Loop() {
		cmd := exec.Command(program, "-e", "VAR a 2")
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		cpu += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	b.ReportMetric(1e3*cpu/float64(b.N), "cpu-ms/op")
}
