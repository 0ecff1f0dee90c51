//go:build unix

package repl

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// screens are what a person sees in a window of 80 columns and 24 lines after
// typing some keys: a line each, but for the last, which stays unfinished.
var screens = []struct {
	name string
	keys []string
}{
	{"gradient", []string{"VAR a = 2, b = 3", "(a + b) * a", "GRAD", ":trace", ""}},
	{"mistakes", []string{"VAR a = 2", "2a", "y = (a + 1", "sine(a)", "GARD", "a = 5", ""}},
	{"completing", []string{"VAR alpha = 1, beta = 2", "y = alpha + s\t"}},
	{"help", []string{":help", ""}},
	{"graph", []string{"VAR a = 2, b = 3", "s = a + b", "y = s*a + s", ":graph", ""}},
	{"plot", []string{"VAR a = 1", "y = a^3 - 3*a", ":plot y a -2 2", ""}},
	{"lesson", []string{":lesson", "VAR a = 2, b = 3", ""}},
	{"long", []string{"VAR x = 1", strings.Repeat("x*x + ", 60) + "x", "GRAD", ":trace", ""}},
}

// TestScreens holds the screens to the pictures in testdata/screens; -update
// takes new ones. It needs the program tmux, which  sh .ci/test  installs.
func TestScreens(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatal("the program tmux is missing: run  sh .ci/test  from the root, which installs it")
	}
	program, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range screens {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := screenOf(t, tmux, program, c.keys)
			file := filepath.Join("testdata", "screens", c.name+".txt")
			want, err := os.ReadFile(file)
			if *update {
				err = os.WriteFile(file, []byte(got), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !*update && got != string(want) {
				t.Errorf("%s (go test -run Screens -update rewrites it)\n%s\nthe screen is\n%s", file, firstDifference(string(want), got), got)
			}
		})
	}
}

// screenOf types keys in a window of its own and returns what it shows then.
func screenOf(t *testing.T, tmux, program string, keys []string) string {
	t.Helper()
	home := t.TempDir()
	// The name of a socket is short by the system's rules.
	socket := fmt.Sprintf("sg%d-%s", os.Getpid(), filepath.Base(t.Name()))
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(tmux, append([]string{"-L", socket, "-f", os.DevNull}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "LC_ALL=C.UTF-8", "TERM=xterm-256color",
			"NO_COLOR=", "CLICOLOR=", "CLICOLOR_FORCE=", "COLORTERM=", "TMUX=", "TMUX_TMPDIR="+os.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %s: %v\n%s", args[0], err, out)
		}
		return string(out)
	}
	run("-u", "new-session", "-d", "-x", "80", "-y", "24", program, "--no-history") // whose end nobody waits for
	t.Cleanup(func() { _ = exec.Command(tmux, "-L", socket, "kill-server").Run() })
	// settled waits for a screen that ends as it should and stays for a while.
	settled := func(last string) string {
		t.Helper()
		before, same := "", 0
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			screen := strings.TrimRight(run("capture-pane", "-p"), "\n")
			lines := strings.Split(screen, "\n")
			if screen != before || !strings.HasSuffix(strings.TrimRight(lines[len(lines)-1], " "), last) {
				before, same = screen, 0
			} else if same++; same == 10 {
				return screen + "\n"
			}
		}
		t.Fatalf("the screen does not come to end in %q:\n%s", last, before)
		return ""
	}
	settled(">")
	for i, line := range keys {
		run("send-keys", "-l", line)
		if i == len(keys)-1 {
			break
		}
		run("send-keys", "Enter")
		settled(">")
	}
	last := ">"
	if line := keys[len(keys)-1]; line != "" {
		last = strings.TrimSpace(strings.TrimRight(line, "\t"))
	}
	return settled(last)
}
