package engine

import (
	"math"
	"testing"
)

// The derivatives of a function up to the eighth, recorded one from the other,
// against closed forms; at the point where they were recorded and at others
// after Set.
func TestHigherDerivatives(t *testing.T) {
	exp, _ := Named("exp")
	tanh, _ := Named("tanh")
	sin, _ := Named("sin")
	points := []float64{0.3, -1.25, 2, 0.01}
	for _, tt := range []struct {
		name   string
		record func(*Tape, Term) Term
		want   func(k int, x float64) float64
	}{
		{"x^3", func(t *Tape, x Term) Term { return t.Power(x, t.Const(3)) }, func(k int, x float64) float64 {
			return [9]float64{x * x * x, 3 * x * x, 6 * x, 6}[k]
		}},
		{"exp(-(x^2))", func(t *Tape, x Term) Term {
			s := t.Neg(t.Power(x, t.Const(2)))
			return t.Apply(exp, s, s)
		}, func(k int, x float64) float64 {
			// (-1)^k H_k(x) exp(-x^2), H_k+1 = 2x H_k - 2k H_k-1.
			h, before := 1.0, 0.0
			for i := range k {
				h, before = 2*x*h-2*float64(i)*before, h
			}
			if k%2 == 1 {
				h = -h
			}
			return h * math.Exp(-x*x)
		}},
		{"tanh", func(t *Tape, x Term) Term { return t.Apply(tanh, x, x) }, func(k int, x float64) float64 {
			// A polynomial in z = tanh x: p' times 1 - z^2, k times.
			p := []float64{0, 1}
			for range k {
				q := make([]float64, len(p)+1)
				for i := 1; i < len(p); i++ {
					q[i-1] += float64(i) * p[i]
					q[i+1] -= float64(i) * p[i]
				}
				p = q
			}
			sum := 0.0
			for i := len(p) - 1; i >= 0; i-- {
				sum = sum*math.Tanh(x) + p[i]
			}
			return sum
		}},
		{"sin", func(t *Tape, x Term) Term { return t.Apply(sin, x, x) }, func(k int, x float64) float64 {
			return [4]float64{math.Sin(x), math.Cos(x), -math.Sin(x), -math.Cos(x)}[k%4]
		}},
	} {
		tape := NewTape()
		x := tape.Var(points[0])
		nodes := []Node{tt.record(tape, x).Node()}
		for k := 1; k <= 8; k++ {
			d, err := tape.Differentiate(nodes[k-1])
			if err != nil {
				t.Fatal(err)
			}
			by, ok := d.By(x.Node())
			if !ok {
				by = tape.Const(0).Node()
			}
			nodes = append(nodes, by)
		}
		for _, p := range points {
			if err := tape.Set(x.Node(), p); err != nil {
				t.Fatal(err)
			}
			for k, n := range nodes {
				if got, want := tape.Value(n), tt.want(k, p); !near(got, want, 1e-11, 1e-1) {
					t.Errorf("%s: derivative %d at %v is %v, want %v", tt.name, k, p, got, want)
				}
			}
		}
		if n := tape.Len(); n > 5_000 {
			t.Errorf("%s: eight derivatives took %d nodes", tt.name, n)
		}
	}
}

// Recorded on one side of a kink, a derivative is right on the other.
func TestDerivativeCrossesKinks(t *testing.T) {
	named := func(name string) Op { op, _ := Named(name); return op }
	record := map[string]func(*Tape, Term, Term) Term{
		"relu": func(t *Tape, a, b Term) Term { return t.Mul(t.ReLU(t.Mul(a, b)), a) },
		"abs":  func(t *Tape, a, b Term) Term { return t.Mul(t.Apply(named("abs"), a, a), b) },
		"max":  func(t *Tape, a, b Term) Term { return t.Apply(named("max"), t.Mul(a, a), b) },
		"min":  func(t *Tape, a, b Term) Term { return t.Apply(named("min"), t.Mul(a, a), t.Mul(b, a)) },
		"a^b":  func(t *Tape, a, b Term) Term { return t.Power(a, b) },
		"sqrt behind max": func(t *Tape, a, b Term) Term {
			return t.Apply(named("max"), t.Apply(named("sqrt"), a, a), b)
		},
	}
	points := [][2]float64{{2, 3}, {0, 0}, {-2, 3}, {2, -3}, {0, 2}, {0, -1}, {3, 3}, {1, 1}, {-2, 2}, {4, 2}}
	for name, f := range record {
		for _, from := range points {
			tape := NewTape()
			a, b := tape.Var(from[0]), tape.Var(from[1])
			vars := []Node{a.Node(), b.Node()}
			y := f(tape, a, b).Node()
			d, err := tape.Differentiate(y)
			if err != nil {
				t.Fatal(err)
			}
			da, ok := d.By(a.Node())
			if !ok {
				t.Fatalf("%s does not depend on a", name)
			}
			dd, err := tape.Differentiate(da)
			if err != nil {
				t.Fatal(err)
			}
			for _, to := range points {
				if err := tape.SetAll(vars, to[:]); err != nil {
					t.Fatal(err)
				}
				compareDerivative(t, tape, y, d, vars, name)
				compareDerivative(t, tape, da, dd, vars, name+", second")
			}
		}
	}
}

// One recorded sweep serves all variables; a second derivative by either order
// is the same number.
func TestMixedPartials(t *testing.T) {
	tape := NewTape()
	a, b := tape.Var(0.7), tape.Var(1.3)
	sin, _ := Named("sin")
	s := tape.Mul(a, tape.Mul(b, b))
	y := tape.Mul(tape.Apply(sin, s, s), a)
	d, err := tape.Differentiate(y.Node())
	if err != nil {
		t.Fatal(err)
	}
	da, _ := d.By(a.Node())
	db, _ := d.By(b.Node())
	dda, err := tape.Differentiate(da)
	if err != nil {
		t.Fatal(err)
	}
	ddb, err := tape.Differentiate(db)
	if err != nil {
		t.Fatal(err)
	}
	dab, _ := dda.By(b.Node())
	dba, _ := ddb.By(a.Node())
	if x, y := tape.Value(dab), tape.Value(dba); !near(x, y, 1e-14, 0) {
		t.Errorf("mixed partials %v and %v", x, y)
	}
	if _, ok := d.By(tape.Var(1).Node()); ok {
		t.Error("a derivative by a variable made later")
	}
	if n, ok := d.By(y.Node()); !ok || tape.Value(n) != 1 {
		t.Error("the derivative of the target by itself is not 1")
	}
}

func TestDifferentiateStopsAtTheLimit(t *testing.T) {
	tape := NewTape()
	x := tape.Var(0.5)
	y := x
	for range 1000 {
		y = tape.Mul(y, x)
	}
	mark := tape.Mark()
	const most = 1500
	tape.Limit(most)
	if _, err := tape.Differentiate(y.Node()); err != ErrFull {
		t.Fatalf("error %v, want %v", err, ErrFull)
	}
	if n := tape.Len(); n < most || n > most+12 {
		t.Errorf("it gave up at %d nodes, and the limit was %d", n, most)
	}
	tape.Rollback(mark)
	copied, find, _ := tape.Extract(y.Node())
	if _, err := copied.Differentiate(find(y.Node())); err != ErrFull {
		t.Errorf("a copy has another limit: %v", err)
	}
	tape.Reset()
	x = tape.Var(0.5)
	for range most {
		x = tape.Mul(x, x)
	}
	if _, err := tape.Differentiate(x.Node()); err != ErrFull {
		t.Errorf("Reset lifted the limit: %v", err)
	}
	tape.Limit(MaxNodes)
	if _, err := tape.Differentiate(tape.At(1).Node()); err != nil {
		t.Errorf("after a refusal: %v", err)
	}
}
