package repl

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"scalargrad/grammar"
)

// refused are scripts in which much is wrong, of the kinds that people report.
var refused = []string{
	"VAR a = 2, b = 3\nEXPR y = (a + b) * a\nGRAD y\ny = \ny = a +\nGRAD zz\nVAR a = y\nVAR c = 1, c2 = zz\na = 5\n",
	"VAR x = 1; x2 = x*x; 2x; (x)(x); x2 = ; VAR x2 = 3; GRAD x2 WRT zz; GRAD x2 x, 5; GRAD 5\n",
	"VAR a = 1\ny = log(-a)\nGRAD y\ny/0*0\nGRAD\nsqrt(0*a)\nGRAD\nabs(a-1); GRAD; :trace on; GRAD; :trace zz; :trace all; :trace off\n",
	"EXPR n5 = 2\nVAR n1 = 3\nn1*n1\nEXPR n2 = n1 + n2\n@1\n@9\nn9\n@0\nGRAD @1\nans = 2\n_\n_ + zz\n",
	"grad(a, b)\nVAR a = 2\ng = grad(a^3, a)\nh = grad(g, a)\ngrad(h, 2)\ngrad(h)\ngrad(zz, a)\nf = grad(a^2, a) + zz\nVAR a = 3\n",
	"pi = 3\ne\nVAR e 1\ntau*e\n:reset\ne\nVAR a 1 b 2 c\nVAR a 1, a 2; VAR = 3; VAR a.grad = 1; a.grad; zz.grad; GRAD a; a.grad\n",
	"VAR a = 2; y = a^2\n:check y = 2\n:check a = 2*a\n:check a = 3*a\n:check zz\n:hessian\n:hessian y a a\n:descend y steps=3\n:descend y rate=\n:minimize y\n:plot\n:plot y zz\n:table y a 0 1 0\n:table y a 1 0\n:graph\n:graph zz\n:graph y y.svg\n",
	":undo\nVAR a 1\na*a\n:undo\n:undo 5\n:save x\n:load x\n:digits 0\n:digits 17\n:echo \"\n:help zz\n:zz\n:explain zz\n:mistake zz\n:mistake\n:tape zz\n:vars 1\n",
	"VAR θ = 1, w_0 = 1e308\nw_0*10\nGRAD\nθ²\nθ²^3\n(θ\nθ)\n1e999\n1e-999\n1.2.3\nθ \\\n + \\\n zz\n“2”\nf(x) = 2\nmax(θ)\nmax(θ, θ); GRAD\n",
	"VAR a = 9\na^a^a^a\n-a^-a\n2^3^2\nexp(exp(exp(a)))\nGRAD\nx = 3\nVAR x = 4\nVAR x = 5\nx*a\nVAR x = 6; VAR a = zz\nGRAD\n",
}

// FuzzEval: whatever is said, a line of which all is refused leaves the session
// as it was, GRAD answers the same twice, and when all is taken back nothing is
// left.
func FuzzEval(f *testing.F) {
	for _, script := range refused {
		f.Add([]byte(script))
	}
	for _, row := range append(codes, grammar.Codes[:]...) {
		f.Add([]byte("VAR a = 2\ny = a^3\n" + row.Example + "\nGRAD\n"))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		r := &runner{Session: NewSession(Options{MaxNodes: 5_000, Timeout: time.Second, Restricted: true})}
		r.keep = true
		refusals := 0
		var answer strings.Builder
		w := &sheet{theme: NewTheme(false), width: 80, limit: 1 << 20}
		emit := func(result Result) {
			if _, ok := result.(*failure); ok {
				refusals++
			}
			w.buf, w.start = w.buf[:0], 0
			func() {
				defer func() {
					if why := recover(); why != nil && why != any(cut{full: true}) {
						panic(why)
					}
				}()
				result.writeText(w)
			}()
			answer.Write(w.buf)
		}
		run := func(line []byte) string {
			answer.Reset()
			r.Eval(line, 1, emit)
			return answer.String()
		}
		for line := range bytes.Lines(script) {
			if bytes.Contains(line, []byte(":q")) || bytes.Contains(line, []byte("lesson")) {
				continue // to go on is what this is about
			}
			before, target := stateOf(r.Session), r.target
			refusals = 0
			answered := run(line)
			if refusals > 0 && refusals == countStatements(line) {
				if after := stateOf(r.Session); after != before {
					t.Fatalf("%q was refused, and changed\n%s\ninto\n%s\n%s", line, before, after, answered)
				}
				if r.target != target && !strings.Contains(answered, "timeout") {
					t.Fatalf("%q was refused, and the last GRAD was of node %d, now %d", line, target, r.target)
				}
			}
			if r.latest != 0 {
				first, second := run([]byte("GRAD")), run([]byte("GRAD"))
				if first != second && !strings.Contains(first+second, "--timeout") {
					t.Fatalf("after %q GRAD says\n%s\nand then\n%s", line, first, second)
				}
			}
		}
		r.takeBack(len(r.done))
		if n := r.tape.Len(); n != 0 || len(r.symbols) != 0 || len(r.vars) != 0 || len(r.names) != 0 || r.latest != 0 {
			t.Fatalf("all is taken back, and this is left: %s", stateOf(r.Session))
		}
	})
}

// countStatements counts the statements on a line.
func countStatements(line []byte) (n int) {
	var p grammar.Parser
	for p.Reset(line); ; n++ {
		if _, ok := p.Next(); !ok {
			return n
		}
	}
}

// FuzzCaret: in whatever line, the excerpt fits the window, nothing in it acts
// on a terminal, and the pointer stands under the fault.
func FuzzCaret(f *testing.F) {
	f.Add("a + ", " * b", "type b", byte(80))
	f.Add("日本\t", "\u0301é\x1b[31m", "", byte(20))
	f.Add("\ufeff> \xff\x80", "\r\n\r", strings.Repeat("日", 50), byte(40))
	f.Add("0", "00000000000000", "1", byte(1))
	f.Add(strings.Repeat("e\u0301", 3000), strings.Repeat("\U0001F600", 3000), "x", byte(79))
	f.Add(strings.Repeat("\u200b", 90), strings.Repeat("\u202e", 90), "\x00", byte(120))
	f.Fuzz(func(t *testing.T, before, after, hint string, size byte) {
		const fault = "F~A~T"
		if strings.Contains(before+after+hint, "F~A") || strings.Contains(hint, "^") || utf8.RuneCountInString(hint) > 5000 {
			return
		}
		size = 20 + size%101
		line := []byte(before + fault + after)
		text, at := nearby(line, grammar.Span{Start: int32(len(before)), End: int32(len(before) + len(fault))})
		got := excerpt(text, int(at.Start), int(at.End), int(size), hint)
		if what := harmful([]byte(got), false); what != "" {
			t.Fatalf("%q: %s", line, what)
		}
		rows := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		if len(rows) < 2 || len(rows) > 3 {
			t.Fatalf("%q: %d lines:\n%s", line, len(rows), got)
		}
		for i, row := range rows {
			if i < 2 && columns(row) > int(size) && (i == 0 || columns(visible(hint)) == 0) {
				t.Errorf("%q in %d columns: %d of them in\n%s", line, size, columns(row), row)
			}
		}
		head, _, ok := strings.Cut(rows[0], fault)
		if mark := strings.IndexByte(rows[1], '^'); !ok || mark != columns(head) {
			t.Errorf("%q: the pointer is at %d, the fault at %d:\n%s", line, mark, columns(head), got)
		}
	})
}
