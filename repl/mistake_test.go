package repl

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"scalargrad/engine"
)

// TestMistakesByHand: what each bug makes of the lesson's expressions, worked
// out on paper. g(n) is what node n has; a sweep begins with g of the target 1.
func TestMistakesByHand(t *testing.T) {
	tests := []struct {
		vars, lines, mistake string
		want                 map[string][]float64 // several: the shares of a variable that is several nodes
		same                 string
	}{
		// n1 = a + b = 5, n2 = n1 * a = 10. Right: n2 gives n1 a*1 = 2 and a n1*1 = 5;
		// n1 gives a 2 and b 2. So a 5 + 2 = 7, b 2.
		//
		// With = for +=, a is 5 and then 2.
		{"VAR a 2 b 3", "(a + b) * a", "overwrite", map[string][]float64{"a": {2}, "b": {2}}, ""},
		// Everything is a multiple of g(n2) = 0.
		{"VAR a 2 b 3", "(a + b) * a", "noseed", map[string][]float64{"a": {0}, "b": {0}}, ""},
		// n1 first: g(n1) is 0 yet, a and b get 0. Then n2: n1 gets 2, too late, and a 5.
		{"VAR a 2 b 3", "(a + b) * a", "forward", map[string][]float64{"a": {5}, "b": {0}}, ""},
		{"VAR a 2 b 3", "(a + b) * a", "divide-swapped", map[string][]float64{"a": {7}, "b": {2}}, "no division"},
		{"VAR a 2 b 3", "(a + b) * a", "divide-unsquared", map[string][]float64{"a": {7}, "b": {2}}, "no division"},
		// a of n2 gets 5, a of n1 gets 2: two nodes.
		{"VAR a 2 b 3", "(a + b) * a", "unshared", map[string][]float64{"a": {5, 2}, "b": {2}}, ""},
		// a is used twice, but it hands nothing on; n1 is used once.
		{"VAR a 2 b 3", "(a + b) * a", "revisit", map[string][]float64{"a": {7}, "b": {2}}, "no operation has two consumers"},
		// After the first sweep n1 has 2, a 7, b 2. Second: n2 gives n1 2 more, so 4, and a 5 more,
		// so 12; n1 gives a 4, so 16, and b 4, so 2 + 4 = 6.
		{"VAR a 2 b 3", "(a + b) * a", "stale", map[string][]float64{"a": {16}, "b": {6}}, ""},

		// x*x at 3: 3 and 3 for the same node, right 6.
		{"VAR x 3", "x*x", "overwrite", map[string][]float64{"x": {3}}, ""},
		{"VAR x 3", "x*x", "unshared", map[string][]float64{"x": {3, 3}}, ""},
		{"VAR x 3", "x*x", "forward", map[string][]float64{"x": {6}}, "one operation has one order only"},

		// n1 = a*b, n2 = n1 + a. Right: n2 gives n1 1 and a 1, n1 gives a b*1 = 3 and b a*1 = 2: a 4, b 2.
		// With =, a is 1 and then 3.
		{"VAR a 2 b 3", "a*b + a", "overwrite", map[string][]float64{"a": {3}, "b": {2}}, ""},
		// n1 first with 0; then n2 gives n1 1, too late, and a 1.
		{"VAR a 2 b 3", "a*b + a", "forward", map[string][]float64{"a": {1}, "b": {0}}, ""},
		{"VAR a 2 b 3", "a*b + a", "revisit", map[string][]float64{"a": {4}, "b": {2}}, "no operation has two consumers"},
		{"VAR a 2 b 3", "a*b", "overwrite", map[string][]float64{"a": {3}, "b": {2}}, "nothing is used twice"},

		// a/b at 2, 3: a gets 1/3 and b gets -2/9. Swapped it is the other way round;
		// without the square b gets -a/b = -2/3.
		{"VAR a 2 b 3", "a/b", "divide-swapped", map[string][]float64{"a": {-2. / 9}, "b": {1. / 3}}, ""},
		{"VAR a 2 b 3", "a/b", "divide-unsquared", map[string][]float64{"a": {1. / 3}, "b": {-2. / 3}}, ""},
		// x/4 at 2: right 1/4. Swapped x gets -x/16 = -1/8. The divisor is a constant, which gets nothing.
		{"VAR x 2", "x/4", "divide-swapped", map[string][]float64{"x": {-0.125}}, ""},
		{"VAR x 2", "x/4", "divide-unsquared", map[string][]float64{"x": {0.25}}, "it divides by constants only"},
		// a/1: the square of 1 is 1.
		{"VAR a 2 b 1", "a/b", "divide-unsquared", map[string][]float64{"a": {1}, "b": {-2}}, nothing},

		// s = a + b = 5, n2 = s*a = 10, n3 = n2 + s = 15. Right: n3 gives n2 1 and s 1; n2 gives s a*1 = 2,
		// so s has 3, and a s*1 = 5; s gives a 3 and b 3: a 8, b 3.
		//
		// As a recursion: n3 gives n2 1, n2 gives s 2, s hands on 2 to a and b; n2 gives a 5, so a has 7;
		// n3 gives s 1, so s has 3 and hands on 3: a 10, b 5.
		{"VAR a 2 b 3", "s = a + b; s*a + s", "revisit", map[string][]float64{"a": {10}, "b": {5}}, ""},
		// With =: n3 gives n2 1 and s 1, n2 gives s 2 in place of the 1 and a 5, s gives a 2 in place of the 5, b 2.
		{"VAR a 2 b 3", "s = a + b; s*a + s", "overwrite", map[string][]float64{"a": {2}, "b": {2}}, ""},
		// s first with 0, n2 with 0; n3 gives n2 and s 1, too late.
		{"VAR a 2 b 3", "s = a + b; s*a + s", "forward", map[string][]float64{"a": {0}, "b": {0}}, ""},
		// After the first sweep n2 has 1, s 3, a 8, b 3. Second: n2 1 + 1 = 2, s 3 + 1 = 4; n2 gives s 2*2, so 8,
		// and a 5*2, so 18; s gives a 8, so 26, and b 8, so 11.
		{"VAR a 2 b 3", "s = a + b; s*a + s", "stale", map[string][]float64{"a": {26}, "b": {11}}, ""},
		// a stands in s and in s*a; s is one node, used twice: 5 from s*a, 3 from s.
		{"VAR a 2 b 3", "s = a + b; s*a + s", "unshared", map[string][]float64{"a": {5, 3}, "b": {3}}, ""},

		// p = a + a, c = p + p. Right 4. As a recursion: p gets 1, hands 1 and 1 to a, so 2; p gets 1 more,
		// has 2 and hands on 2 and 2: 6.
		{"VAR a 1", "p = a + a; p + p", "revisit", map[string][]float64{"a": {6}}, ""},
	}
	for _, c := range tests {
		t.Run(c.mistake+" "+c.lines, func(t *testing.T) {
			s, run := console(t)
			if out := run(c.vars + ";" + c.lines); strings.Contains(out, "error") {
				t.Fatal(out)
			}
			f, err := s.flowOf(s.latest)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range mistakes {
				if m.name != c.mistake {
					continue
				}
				o := m.play(f)
				if c.same != "" && o.same != c.same {
					t.Errorf("it is the same because %q, want %q", o.same, c.same)
				}
				for v, want := range c.want {
					n := copyOf(f, s.symbols[v].node)
					got := []float64{o.grad[n]}
					if o.split {
						got = f.shares[n]
					}
					if len(got) != len(want) {
						t.Fatalf("%s: %v, want %v", v, got, want)
					}
					for i := range got {
						if math.Abs(got[i]-want[i]) > 1e-15 {
							t.Errorf("%s: %v, want %v", v, got, want)
						}
					}
				}
			}
		})
	}
}

// copyOf finds a node of the session on the flow's copy.
func copyOf(f *flow, n engine.Node) engine.Node {
	for k, m := range f.origin {
		if m == n {
			return engine.Node(k)
		}
	}
	return 0
}

// TestMistakesLeaveTheSession: no node, no name, no value and no adjoint changes.
func TestMistakesLeaveTheSession(t *testing.T) {
	s, run := console(t)
	run("VAR a 2 b 3; y = (a + b)*a; z = a/b + y*y; GRAD z")
	before, nodes := run("a.grad; b.grad; y.grad; z; :vars; :tape; :trace z"), s.tape.Len()
	run(":mistake z; :mistake overwrite y; :mistake revisit; :explain a; :explain y")
	if after := run("a.grad; b.grad; y.grad; z; :vars; :tape; :trace z"); after != before || s.tape.Len() != nodes {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

// TestMistakesOfRandomExpressions: the right answers are GRAD's, and the
// recursion without an order does what such a recursion does.
func TestMistakesOfRandomExpressions(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		s, run := console(t)
		run("VAR v0 0.7, v1 -1.3, v2 2.1")
		names := []string{"v0", "v1", "v2"}
		for k := range 8 {
			x, y := names[random.IntN(len(names))], names[random.IntN(len(names))]
			own := "e" + itoa(k)
			run(own + " = " + []string{x + "+" + y, x + "*" + y, x + "/(2+" + y + "^2)", "relu(" + x + ")", x + "-2"}[random.IntN(5)])
			names = append(names, own)
		}
		f, err := s.flowOf(s.latest)
		if err != nil {
			t.Fatal(err)
		}
		run("GRAD")
		naive := map[engine.Node]float64{s.latest: 1}
		var visit func(n engine.Node)
		visit = func(n engine.Node) {
			x, y := s.tape.Parents(n)
			for i, p := range []engine.Node{x, y} {
				if p != 0 && !s.tape.IsConstant(p) {
					naive[p] += s.tape.Slope(n, i) * naive[n]
					visit(p)
				}
			}
		}
		visit(s.latest)
		o := f.revisit()
		for _, v := range s.vars {
			n := s.symbols[v].node
			in := copyOf(f, n)
			if f.right[in] != s.tape.Adjoint(n) {
				t.Errorf("%s.grad is %v, GRAD says %v", v, f.right[in], s.tape.Adjoint(n))
			}
			if got, want := o.grad[in], naive[n]; math.Abs(got-want) > 1e-12*math.Abs(want) {
				t.Errorf("revisit: %s.grad is %v, want %v", v, got, want)
			}
		}
	}
}

// TestMistakeWithoutEnd: 40 doublings have 2^40 paths; the recursion is given up.
func TestMistakeWithoutEnd(t *testing.T) {
	_, run := console(t)
	run("VAR x 1; y = x + x")
	for range 40 {
		run("y = y + y")
	}
	if out := run(":mistake revisit"); !strings.Contains(out, "not done after 1,000,000 visits") || !strings.Contains(out, "instead of") {
		t.Error(out)
	}
	if out := run(":mistake"); !strings.Contains(out, "wrong: not done") {
		t.Error(out)
	}
}

// TestMistakeOfAGiant: more nodes than anybody looks at are refused.
func TestMistakeOfAGiant(t *testing.T) {
	_, run := console(t)
	run("VAR x 1; y = x")
	long := "y = y" + strings.Repeat("+x", 100_001)
	for range 10 {
		run(long)
	}
	if out := run(":mistake overwrite y"); !strings.Contains(out, "up to 1,000,000 nodes") {
		t.Error(out)
	}
}

// TestMistakesFitTheWindow: no line of a table is wider than 80 columns,
// however long the numbers and however many the variables.
func TestMistakesFitTheWindow(t *testing.T) {
	for _, vars := range []int{1, 2, 3, 4, 12} {
		_, run := console(t)
		sum := "0.1"
		for i := range vars {
			v := "w" + itoa(i)
			run("VAR " + v + " = 1/3 + " + itoa(i) + "/7")
			sum += " + " + v + "/(0.3 + " + v + "*" + v + ")"
		}
		if out := run("y = " + sum + "; z = y*y/(y + 1)"); strings.Contains(out, "error") {
			t.Fatal(out)
		}
		page := run(":mistake")
		for _, m := range mistakes {
			page += run(":mistake " + m.name)
		}
		for l := range strings.Lines(page) {
			if columns(strings.TrimSuffix(l, "\n")) > 80 {
				t.Errorf("%d variables: %s", vars, l)
			}
		}
	}
}
