//go:build unix

package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const scenarios = "testdata/expect"

// checksDone is the last thing that a scenario prints. Without it the scenario
// has come to an end that nobody meant, whatever its exit status.
var checksDone = regexp.MustCompile(`(?m)^ok [1-9][0-9]* checks$`)

// TestTerminal builds the program and lets expect talk to it on a terminal:
// each file of testdata/expect is one conversation, in a home of its own. The
// files of testdata/expect/selftest are conversations that go wrong; each must
// fail with the words in its first line.
func TestTerminal(t *testing.T) {
	expect, err := exec.LookPath("expect")
	if err != nil {
		t.Fatal("the program expect is missing, and without it nobody has looked at the prompt: run  sh .ci/test  from the root, which installs it")
	}
	program, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	good, _ := filepath.Glob(scenarios + "/*.exp")
	bad, _ := filepath.Glob(scenarios + "/selftest/*.exp")
	if len(good) < 2 || len(bad) < 2 {
		t.Fatalf("%d scenarios and %d that must fail", len(good), len(bad))
	}
	for _, file := range good {
		name := strings.TrimSuffix(filepath.Base(file), ".exp")
		if name == "lib" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, err := converse(t, expect, file, program); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
	for _, file := range bad {
		t.Run("selftest/"+strings.TrimSuffix(filepath.Base(file), ".exp"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(text), "\n")
			want, ok := strings.CutPrefix(first, "# fails: ")
			if !ok {
				t.Fatalf("%s does not begin with how it fails", file)
			}
			out, err := converse(t, expect, file, program)
			if err == nil {
				t.Fatalf("passed:\n%s", out)
			}
			if got := err.Error() + "\n" + out; !strings.Contains(got, want) {
				t.Fatalf("did not fail with %q but with\n%s", want, got)
			}
		})
	}
}

// converse runs one scenario and returns what it printed.
func converse(t *testing.T, expect, file, program string) (string, error) {
	t.Helper()
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, expect, "-f", file, program)
	for _, v := range os.Environ() {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TERM", "HOME", "LANG", "LC_ALL", "XDG_STATE_HOME":
		default:
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "LC_ALL=C.UTF-8",
		"GORACE=halt_on_error=1 exitcode=66")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("%v after three minutes", err)
	case err == nil && !checksDone.Match(out.Bytes()):
		err = errors.New("the scenario ended without having come to its end")
	}
	return out.String(), err
}
