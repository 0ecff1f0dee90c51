package repl

import (
	"fmt"
	"strings"
	"testing"

	"scalargrad/repl/edit"
)

// inWindow returns a session at a prompt in a window of that size.
func inWindow(t *testing.T, width, height int) (*Session, func(string) string) {
	s, _ := console(t)
	return s, func(line string) string {
		w := &sheet{theme: NewTheme(false), width: width, height: height, digits: s.digits}
		s.Eval([]byte(line), 1, func(r Result) { r.writeText(w) })
		return string(w.buf)
	}
}

// TestManyVariables: GRAD by 337 variables in a window of 24 lines.
func TestManyVariables(t *testing.T) {
	_, run := inWindow(t, 80, 24)
	sum := "loss = 0"
	for i := range 337 {
		run(fmt.Sprintf("VAR w%d = %d", i, i%7-3))
		sum += fmt.Sprintf(" + w%d^2", i)
	}
	run(sum)
	want := `w0.grad = -6
w1.grad = -4
w2.grad = -2
… 332 more …
w335.grad = 6
w336.grad = -6
337 variables: norm 73.566296631, largest w0.grad = -6
one of them: GRAD loss w0   all of them: GRAD in a pipe or a file
`
	if got := run("GRAD loss"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	run(":trace on")
	for _, line := range []string{"GRAD loss", ":trace loss"} {
		got := run(line)
		if n := strings.Count(got, "\n"); n > 23 || !strings.Contains(got, "… 332 more …\n") || !strings.Contains(got, " more rows (:trace all shows them) …\n") {
			t.Errorf("%s takes %d lines:\n%s", line, n, got)
		}
	}
	if got := run(":trace all"); strings.Contains(got, "…") || strings.Count(got, "\n") < 3*337 {
		t.Errorf(":trace all is cut:\n%s", got)
	}
}

// TestTraceFits: a trace is no longer and no wider than the window, whatever
// its size.
func TestTraceFits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {80, 15}, {100, 50}, {60, 30}, {120, 18}} {
		_, run := inWindow(t, size[0], size[1])
		run(":trace on; VAR alpha = 0.123456789, beta = 1.3")
		for _, expr := range []string{
			"y = alpha*beta + alpha",
			"y = sin(alpha)*cos(beta)/(1 + exp(-alpha*beta)) + log(alpha)^2 + sqrt(beta/alpha)*tanh(alpha*beta)",
			"y = alpha" + strings.Repeat("*beta + alpha/3", 40),
			"y = alpha" + strings.Repeat(" + alpha", 100),
		} {
			run(expr)
			got := run("GRAD y")
			if n := strings.Count(got, "\n"); n > size[1]-1 {
				t.Errorf("%s in %v takes %d lines:\n%s", expr, size, n, got)
			}
			for l := range strings.Lines(run(":trace all")) {
				if n := edit.Width(strings.TrimSuffix(l, "\n")); n > size[0] && !strings.HasPrefix(l, "backward from") || strings.Contains(l, "…") {
					t.Errorf("in %v this line of :trace all is cut or %d wide: %s", size, n, l)
				}
			}
			for l := range strings.Lines(got) {
				if n := edit.Width(strings.TrimSuffix(l, "\n")); n > size[0] && !strings.HasPrefix(l, "backward from") {
					t.Errorf("in %v this line is %d wide: %s", size, n, l)
				}
			}
		}
	}
}

// TestTraceKeepsTheGradient: showing the steps of one target does not change
// what a.grad means.
func TestTraceKeepsTheGradient(t *testing.T) {
	_, run := console(t)
	run("VAR a = 2; y = a^2; z = a^3; GRAD y")
	run(":trace z")
	if got := run("a.grad"); got != "a.grad = 4   (of y)\n" {
		t.Errorf("after :trace z: %s", got)
	}
	run(":reset; VAR a = 2; y = a^2; :trace y")
	if got := run("a.grad"); !strings.Contains(got, "no GRAD") {
		t.Errorf("without a GRAD: %s", got)
	}
}
