package engine

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// operations yields every row of the table that records an operation.
func operations(yield func(Op, *rule) bool) {
	for op := OpAdd; op < opCount; op++ {
		if r := &rules[op]; r.name != "" && !yield(op, r) {
			return
		}
	}
}

func TestRowsAreComplete(t *testing.T) {
	names := map[string]bool{}
	for op, r := range operations {
		if names[r.name] {
			t.Errorf("two rows are called %s", r.name)
		}
		names[r.name] = true
		if r.arity < 1 || r.arity > 2 || r.doc == "" || r.value == nil || len(r.probe) == 0 {
			t.Errorf("%s: incomplete: %+v", r.name, r)
		}
		if n := strings.Count(r.format, "%s"); n != r.arity {
			t.Errorf("%s: format %q has %d arguments", r.name, r.format, n)
		}
		for i := range 2 {
			if i >= r.arity && r.gives[i]+r.shown[i]+r.taken[i] != "" {
				t.Errorf("%s: has a rule for argument %d", r.name, i)
			}
			if r.gives[i] == "" && r.shown[i]+r.taken[i] != "" {
				t.Errorf("%s: shows what it does not give", r.name)
			}
			// What a user can call has a derivative, if only 0, by each argument.
			if i < r.arity && r.call != "" && r.gives[i] == "" {
				t.Errorf("%s: no contribution to argument %d", r.name, i)
			}
		}
		if got, ok := Named(r.name); !ok || got != op || op.String() != r.name {
			t.Errorf("Named(%s) = %v, %v", r.name, got, ok)
		}
		if r.call != "" {
			if got, ok := Lookup([]byte(r.call)); !ok || got != op {
				t.Errorf("Lookup(%s) = %v, %v", r.call, got, ok)
			}
		}
		if op.Arity() != r.arity || op.Doc() != r.doc || op.Format() != r.format || op.Call() != r.call {
			t.Errorf("%s: its methods disagree with its row", r.name)
		}
	}
	for _, name := range strings.Fields(`exp log ln log2 log10 log1p expm1 sqrt cbrt sin cos tan asin acos atan atan2 sinh cosh
		tanh sigmoid softplus relu abs sign min max hypot erf erfc pow`) {
		if _, ok := Lookup([]byte(name)); !ok {
			t.Errorf("no function %s", name)
		}
	}
	if _, ok := Lookup([]byte("pass")); ok {
		t.Error("pass can be called")
	}
	if _, ok := Named("nope"); ok {
		t.Error("there is an operation nope")
	}
	if n := len(Functions()); n != 29 {
		t.Errorf("%d functions", n)
	}
}

// near reports whether got and want agree to a relative error of tol, or
// absolute below scale.
func near(got, want, tol, scale float64) bool {
	if got == want || got != got && want != want {
		return true
	}
	return math.Abs(got-want) <= tol*max(math.Abs(want), scale)
}

// difference is the derivative of f at x by central differences, with
// Ridders' extrapolation over halved steps (Numerical Recipes, 3rd ed., 5.7),
// and an estimate of its error.
func difference(f func(float64) float64, x float64) (best, err float64) {
	const rounds = 8
	h := 0.05 * max(math.Abs(x), 0.1)
	var row [rounds]float64
	best, err = math.NaN(), math.Inf(1)
	for i := range row {
		next := (f(x+h) - f(x-h)) / (2 * h)
		p := 4.0
		for j := range i {
			before := row[j]
			row[j] = next
			better := next + (next-before)/(p-1)
			if e := max(math.Abs(better-next), math.Abs(better-before)); e < err {
				best, err = better, e
			}
			next = better
			p *= 4
		}
		row[i] = next
		h /= 2
	}
	return best, err
}

// arguments makes variables of p, as many as op takes.
func arguments(t *Tape, op Op, p [2]float64) (x, y Term) {
	x = t.Var(p[0])
	if op.Arity() == 2 {
		return x, t.Var(p[1])
	}
	return x, x
}

// Every contribution against differences of the value, and against what is
// shown for it, at each row's own points.
func TestRowsAgainstDifferences(t *testing.T) {
	for op, r := range operations {
		for _, p := range r.probe {
			tape := NewTape()
			x, y := arguments(tape, op, p)
			z := tape.Apply(op, x, y)
			if op.Domain(p[0], p[1]) != "" || op.Corner(p[0], p[1]) != "" {
				t.Errorf("%s: probe %v is outside its domain or at a corner", r.name, p)
			}
			for i := range r.arity {
				want, _ := difference(func(v float64) float64 {
					q := p
					q[i] = v
					return r.value(q[0], q[1])
				}, p[i])
				got := tape.Slope(z.Node(), i)
				// pass is differentiated by what it passes, gate likewise.
				if r.gives[i] == "" {
					want = 0
				}
				if !near(got, want, 1e-8, 1) {
					t.Errorf("%s at %v: slope by argument %d is %v, difference %v", r.name, p, i, got, want)
				}
				if f := r.shows[i]; f != nil {
					if s := f.eval(&[4]float64{p[0], p[1], z.Value(), 1}); !near(s, got, 1e-12, 1e-3) {
						t.Errorf("%s at %v: %s is %v, and %s is %v", r.name, p, r.gives[i], got, op.Derivative(i), s)
					}
				} else if op.Derivative(i) != "0" {
					t.Errorf("%s shows %s", r.name, op.Derivative(i))
				}
			}
		}
	}
}

// The derivative recorded as nodes has the bits of the swept one at every
// probe, before and after the variables have moved to each other probe.
func TestRowsAsNodes(t *testing.T) {
	for op, r := range operations {
		for _, p := range r.probe {
			tape := NewTape()
			x, y := arguments(tape, op, p)
			z := tape.Apply(op, x, y).Node()
			vars := []Node{x.Node(), y.Node()}[:r.arity]
			d, err := tape.Differentiate(z)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range r.probe {
				if err := tape.SetAll(vars, q[:r.arity]); err != nil {
					t.Fatal(err)
				}
				compareDerivative(t, tape, z, d, vars, fmt.Sprint(r.name, " at ", q, " recorded at ", p))
			}
		}
	}
}

// compareDerivative holds the nodes of d against a sweep from z, bit for bit
// up to the sign of 0.
func compareDerivative(t *testing.T, tape *Tape, z Node, d Derivative, vars []Node, what string) {
	t.Helper()
	if err := tape.Sweep(z); err != nil {
		t.Fatal(err)
	}
	for _, v := range vars {
		got := 0.0
		if n, ok := d.By(v); ok {
			got = tape.Value(n)
		}
		if want := tape.Adjoint(v); got != want && (got == got || want == want) {
			t.Errorf("%s: by node %d: %v as a node, %v in a sweep", what, v, got, want)
		}
	}
}

// The nodes that a derivative takes, over the table.
func TestDerivativeSize(t *testing.T) {
	total, rows := 0, 0
	for op, r := range operations {
		if r.call == "" && op > OpPower {
			continue
		}
		tape := NewTape()
		x, y := arguments(tape, op, r.probe[0])
		z := tape.Apply(op, x, y)
		if _, err := tape.Differentiate(z.Node()); err != nil {
			t.Fatal(err)
		}
		added := tape.Operations() - 1
		total += added
		rows++
		if limit := 10; added > limit && op != OpPower || added > 12 {
			t.Errorf("%s takes %d nodes", r.name, added)
		}
	}
	if mean := float64(total) / float64(rows); mean > 5 {
		t.Errorf("%.1f nodes on average", mean)
	} else {
		t.Logf("%.2f nodes on average over %d rows", mean, rows)
	}
}

// Values and slopes at corners and singular points.
func TestConventions(t *testing.T) {
	negZero := math.Copysign(0, -1)
	const constant = -12345.5 // in want: the parent is a constant
	tests := []struct {
		op         string
		x, y       float64
		fixed      bool // y is a constant
		value      float64
		gx, gy     float64
		convention bool
	}{
		{"relu", 0, 0, false, 0, 0, 0, true},
		{"relu", negZero, 0, false, 0, 0, 0, true},
		{"relu", nan, 0, false, nan, nan, 0, false},
		{"max", 1, 1, false, 1, .5, .5, true},
		{"min", 1, 1, false, 1, .5, .5, true},
		{"max", 1, 2, false, 2, 0, 1, false},
		{"min", 1, 2, false, 1, 1, 0, false},
		{"max", nan, 1, false, nan, nan, 0, false},
		{"max", 1, nan, false, nan, 0, nan, false},
		{"min", nan, 1, false, nan, nan, 0, false},
		{"min", 1, nan, false, nan, 0, nan, false},
		{"max", nan, inf, false, nan, nan, 0, false},
		{"min", nan, -inf, false, nan, nan, 0, false},
		{"max", nan, nan, false, nan, nan, nan, false},
		{"abs", 0, 0, false, 0, 0, 0, true},
		{"abs", negZero, 0, false, 0, 0, 0, true},
		{"sign", 0, 0, false, 0, 0, 0, true},
		{"sign", -3, 0, false, -1, 0, 0, false},
		{"sign", 3, 0, false, 1, 0, 0, false},
		{"sqrt", 0, 0, false, 0, inf, 0, false},
		{"sqrt", negZero, 0, false, 0, inf, 0, false},
		{"sqrt", -1, 0, false, nan, nan, 0, false},
		{"log", 0, 0, false, -inf, inf, 0, false},
		{"log", negZero, 0, false, -inf, inf, 0, false},
		{"log", -1, 0, false, nan, nan, 0, false},
		{"log2", 0, 0, false, -inf, inf, 0, false},
		{"log2", -1, 0, false, nan, nan, 0, false},
		{"log10", 0, 0, false, -inf, inf, 0, false},
		{"log10", -1, 0, false, nan, nan, 0, false},
		{"log1p", -1, 0, false, -inf, inf, 0, false},
		{"log1p", -2, 0, false, nan, nan, 0, false},
		{"div", 1, 0, false, inf, inf, -inf, false},
		{"div", -1, 0, false, -inf, inf, inf, false},
		{"div", 0, 0, false, nan, inf, nan, false},
		{"div", 1, negZero, false, -inf, -inf, -inf, false},
		{"div", 1e-200, 1e-200, false, 1, 1e200, -1e200, false},
		{"div", 1e200, 1e200, false, 1, 1e-200, -1e-200, false},
		{"power", 0, 0, true, 1, 0, constant, false},
		{"power", -7, 0, true, 1, 0, constant, false},
		{"power", inf, 0, true, 1, 0, constant, false},
		{"power", -7, 1, true, -7, 1, constant, false},
		{"power", 0, 1, true, 0, 1, constant, false},
		{"power", 0, 2, true, 0, 0, constant, false},
		{"power", 0, 3, true, 0, 0, constant, false},
		{"power", 0, 7, true, 0, 0, constant, false},
		{"power", -2, 3, true, -8, 12, constant, false},
		{"power", -2, -3, true, -.125, -3. / 16, constant, false},
		{"power", 0, -1, true, inf, -inf, constant, false},
		{"power", 0, .5, true, 0, inf, constant, false},
		{"power", negZero, .5, true, 0, inf, constant, false},
		{"power", 0, 1.5, true, 0, 0, constant, false},
		{"power", -1, .5, true, nan, nan, constant, false},
		{"power", 0, 0, false, 1, 0, 0, true},
		{"power", 0, 1, false, 0, 1, 0, false},
		{"power", 0, 2, false, 0, 0, 0, false},
		{"power", 0, -1, false, inf, -inf, -inf, false},
		{"power", -2, 3, false, -8, 12, nan, false},
		{"power", -2, .5, false, nan, nan, nan, false},
		{"exp", 710, 0, false, inf, inf, 0, false},
		{"exp", -inf, 0, false, 0, 0, 0, false},
		{"tanh", 1000, 0, false, 1, 0, 0, false},
		{"tanh", -1000, 0, false, -1, 0, 0, false},
		{"sigmoid", 40, 0, false, 1, 4.248354255291589e-18, 0, false},
		{"sigmoid", -1000, 0, false, 0, 0, 0, false},
		{"sigmoid", 1000, 0, false, 1, 0, 0, false},
		{"softplus", 1000, 0, false, 1000, 1, 0, false},
		{"softplus", -1000, 0, false, 0, 0, 0, false},
		{"asin", 1, 0, false, math.Pi / 2, inf, 0, false},
		{"asin", -1, 0, false, -math.Pi / 2, inf, 0, false},
		{"acos", 1, 0, false, 0, -inf, 0, false},
		{"acos", -1, 0, false, math.Pi, -inf, 0, false},
		{"asin", 2, 0, false, nan, nan, 0, false},
		{"atan2", 0, 0, false, 0, nan, nan, false},
		{"hypot", 0, 0, false, 0, nan, nan, false},
		{"hypot", 3e200, 4e200, false, 5e200, .6, .8, false},
		{"atan2", 1e-200, 1e-200, false, math.Pi / 4, .5e200, -.5e200, false},
		{"cbrt", 0, 0, false, 0, inf, 0, false},
		{"erf", inf, 0, false, 1, 0, 0, false},
		{"erfc", -inf, 0, false, 2, 0, 0, false},
	}
	equal := func(got, want float64) bool { return near(got, want, 4e-16, 0) }
	for _, tt := range tests {
		op, ok := Named(tt.op)
		if !ok {
			t.Fatal("no operation ", tt.op)
		}
		tape := NewTape()
		x := tape.Var(tt.x)
		y := x
		if op.Arity() == 2 {
			if tt.fixed {
				y = tape.Const(tt.y)
			} else {
				y = tape.Var(tt.y)
			}
		}
		z := tape.Apply(op, x, y)
		what := fmt.Sprintf("%s(%v, %v)", tt.op, tt.x, tt.y)
		if !equal(z.Value(), tt.value) {
			t.Errorf("%s = %v, want %v", what, z.Value(), tt.value)
		}
		if got := tape.Corner(z.Node()) != ""; got != tt.convention {
			t.Errorf("%s: a convention decides: %v", what, got)
		}
		vars := []Node{x.Node()}
		want := []float64{tt.gx, tt.gy}
		if op.Arity() == 2 && !tt.fixed {
			vars = append(vars, y.Node())
		}
		if err := tape.Sweep(z.Node()); err != nil {
			t.Fatal(err)
		}
		for i, v := range vars {
			if got := tape.Adjoint(v); !equal(got, want[i]) {
				t.Errorf("%s: slope %d is %v, want %v", what, i, got, want[i])
			}
		}
		if tt.fixed && (tape.Adjoint(y.Node()) != 0 || tape.Reached(y.Node())) {
			t.Errorf("%s: the constant exponent has adjoint %v", what, tape.Adjoint(y.Node()))
		}
		d, err := tape.Differentiate(z.Node())
		if err != nil {
			t.Fatal(err)
		}
		compareDerivative(t, tape, z.Node(), d, vars, what)
	}
	// max(a, a) has slope 1.
	tape := NewTape()
	a := tape.Var(3)
	for _, name := range []string{"max", "min"} {
		op, _ := Named(name)
		z := tape.Apply(op, a, a).Node()
		if err := tape.Sweep(z); err != nil {
			t.Fatal(err)
		}
		if g := tape.Adjoint(a.Node()); g != 1 {
			t.Errorf("%s(a, a) has slope %v", name, g)
		}
	}
}

// What a trace and help show.
func TestSlopeText(t *testing.T) {
	tape := NewTape()
	names := map[Node]string{}
	v := func(name string, value float64) Term {
		x := tape.Var(value)
		names[x.Node()] = name
		return x
	}
	a, b := v("a", 2), v("b", 3)
	name := func(n Node) string {
		if s, ok := names[n]; ok {
			return s
		}
		return fmt.Sprintf("n%d", tape.Number(n))
	}
	number := func(v float64) string { return fmt.Sprintf("%.12g", v) }
	call := func(name string, x, y Term) Term {
		op, ok := Named(name)
		if !ok {
			t.Fatal(name)
		}
		return tape.Apply(op, x, y)
	}
	for _, tt := range []struct {
		z    Term
		x, y string
	}{
		{tape.Add(a, b), "1", "1"},
		{tape.Sub(a, b), "1", "-1"},
		{tape.Mul(a, b), "b", "a"},
		{tape.Div(a, b), "1/b", "-a/b^2"},
		{tape.Neg(a), "-1", ""},
		{tape.Power(a, tape.Const(3)), "3*a^2", "0"},
		{tape.Power(a, tape.Const(2)), "2*a", "0"},
		{tape.Power(a, tape.Const(1)), "1", "0"},
		{tape.Power(a, tape.Const(0)), "0", "0"},
		{tape.Power(a, tape.Const(-1)), "-1*a^-2", "0"},
		{tape.Power(a, tape.Const(.5)), "0.5*a^-0.5", "0"},
		{tape.Power(a, b), "b*a^(b - 1)", "n12*log(a)"},
		{call("exp", a, a), "n13", ""},
		{call("tanh", a, a), "(1 - n14^2)", ""},
		{call("sin", a, a), "cos(a)", ""},
		{call("cos", a, a), "-sin(a)", ""},
		{call("sqrt", a, a), "1/(2*n17)", ""},
	} {
		for i, want := range []string{tt.x, tt.y} {
			if want == "" {
				continue
			}
			if got := tape.SlopeText(tt.z.Node(), i, name, number); got != want {
				t.Errorf("%s by argument %d: %s, want %s", tape.Op(tt.z.Node()), i, got, want)
			}
		}
	}
}

func TestDomain(t *testing.T) {
	for _, tt := range []struct {
		op      string
		x, y    float64
		outside bool
	}{
		{"log", 1, 0, false}, {"log", 0, 0, true}, {"log", -1, 0, true}, {"log", math.NaN(), 0, false},
		{"log2", -1, 0, true}, {"log10", -1, 0, true}, {"log1p", -0.5, 0, false}, {"log1p", -1, 0, true},
		{"sqrt", 0, 0, false}, {"sqrt", -1, 0, true}, {"cbrt", -1, 0, false},
		{"asin", 1, 0, false}, {"asin", 1.5, 0, true}, {"acos", -1.5, 0, true},
		{"power", -2, 3, false}, {"power", -2, 0.5, true}, {"power", 0, -1, false}, {"exp", 800, 0, false},
	} {
		op, ok := Named(tt.op)
		if !ok {
			t.Fatal(tt.op)
		}
		if why := op.Domain(tt.x, tt.y); (why != "") != tt.outside {
			t.Errorf("%s(%v, %v): %q", tt.op, tt.x, tt.y, why)
		}
	}
}

var inf, nan = math.Inf(1), math.NaN()

// Where package math, or the plain formula, loses digits. Right values by mpmath
// 1.3 with 60 digits.
func TestValuesAtTheEnds(t *testing.T) {
	for _, tt := range []struct {
		op         string
		x, y, want float64
	}{
		{"exp", 709.43, 0, 1.2633808701860083e+308},
		{"exp", 709.5, 0, 1.3549863193146328e+308},
		{"exp", 709.7, 0, 1.6549840276802644e+308},
		{"exp", 709.78, 0, 1.7928227943945155e+308},
		{"log", 1e-310, 0, -713.8013788281542},
		{"log2", 1e-310, 0, -1029.7977094150824},
		{"log10", 1e-310, 0, -310.0},
		{"log", 5e-324, 0, -744.4400719213812},
		{"log2", 5e-324, 0, -1074.0},
		{"log10", 5e-324, 0, -323.3062153431158},
		{"power", 1.00000000001, 70000000000000.0, 1.0142907954416938e+304},
		{"power", 0.99999999, 70500000000.0, 6.6433508462465705e-307},
		{"power", 1.0000000000000002, 1e+16, 9.21143870499353},
		{"power", 1.0000000000000002, -1e+16, 0.10856067461621376},
		{"power", 1.0001, 7090000, 7.9321872231762e+307},
		{"power", 0.999, 700000.0, 6.946374402185022e-305},
		{"power", 1e-320, 0.97, 3.9810287146003e-311},
		{"power", 5e-324, -0.5, 4.4989137945431964e+161},
		{"power", 1.7e+308, -0.99, 7.109770265867096e-306},
		{"power", 1e-05, 61.3, 3.1622776601684987e-307},
		{"power", -1.5, 1001, -1.8507608953592603e+176},
		{"power", -1.5, -1001.0, -5.403183104351711e-177},
		{"power", 2, -1074, 5e-324},
		{"power", 2, 1023, 8.98846567431158e+307},
		{"power", 2, 1024.0, inf},
		{"power", -2, 1025.0, -inf},
		{"power", -inf, .5, nan},
		{"power", -inf, 3, -inf},
		{"atan2", -1e-200, -1e200, -math.Pi},
		{"atan2", 1e-200, -1e200, math.Pi},
	} {
		op, _ := Named(tt.op)
		if got := op.Value(tt.x, tt.y); !near(got, tt.want, 5e-16, 0) {
			t.Errorf("%s(%v, %v) = %v, want %v", tt.op, tt.x, tt.y, got, tt.want)
		}
	}
}

// Second derivatives where the first ones are differences of nearly equal terms.
func TestSecondDerivativesNearZero(t *testing.T) {
	for _, tt := range []struct {
		op         string
		x, y, want float64 // the second derivative by x
	}{
		{"tanh", 1e-05, 0, -1.9999999997333335e-05},
		{"sigmoid", 1e-05, 0, -1.2499999999583335e-06},
		{"asin", 1e-05, 0, 1.0000000001500001e-05},
		{"acos", 1e-05, 0, -1.0000000001500001e-05},
		{"tanh", 1e-12, 0, -2e-12},
		{"sigmoid", 1e-12, 0, -1.25e-13},
		{"asin", 1e-12, 0, 1e-12},
		{"acos", 1e-12, 0, -1e-12},
		{"tanh", 1e-17, 0, -2e-17},
		{"sigmoid", 1e-17, 0, -1.25e-18},
		{"asin", 1e-17, 0, 1e-17},
		{"acos", 1e-17, 0, -1e-17},
		{"tanh", 0.3, 0, -0.5331818782014544},
		{"sigmoid", 0.3, 0, -0.03639618395557624},
		{"asin", 0.3, 0, 0.3455884077105225},
		{"acos", 0.3, 0, -0.3455884077105225},
		{"tanh", 0.999, 0, -0.6403213016577569},
		{"sigmoid", 0.999, 0, -0.09082236033050631},
		{"asin", 0.999, 0, 11177.541655871468},
		{"acos", 0.999, 0, -11177.541655871468},
		{"tanh", -2, 0, 0.13621868742711304},
		{"sigmoid", -2, 0, 0.07996250105615306},
		{"hypot", 1.0, 1e-05, 9.999999998500001e-11},
		{"hypot", 1.0, 1e-08, 9.999999999999999e-17},
		{"hypot", 1e-05, 1.0, 0.99999999985},
		{"asin", 1, 0, inf}, {"asin", -1, 0, -inf}, {"acos", 1, 0, -inf}, {"acos", -1, 0, inf},
	} {
		op, _ := Named(tt.op)
		tape := NewTape()
		x, y := tape.Var(tt.x), tape.Var(tt.y)
		d, err := tape.Differentiate(tape.Apply(op, x, y).Node())
		if err != nil {
			t.Fatal(err)
		}
		first, _ := d.By(x.Node())
		if err := tape.Sweep(first); err != nil {
			t.Fatal(err)
		}
		if got := tape.Adjoint(x.Node()); !near(got, tt.want, 2e-15, 0) {
			t.Errorf("%s(%v, %v): second derivative %v, want %v", tt.op, tt.x, tt.y, got, tt.want)
		}
	}
}
