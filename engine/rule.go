package engine

import (
	"fmt"
	"math"
	"strings"
)

// An Op names an operation: a row of the table of rules.
type Op uint8

// The operations that have a constructor, or a case of their own in the sweep.
// The others are found by Lookup.
const (
	opNone Op = iota
	opVar
	opConst
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpNeg
	OpReLU
	OpPower
)

// A rule is all that the program knows about one operation. x and y are the
// values of the parents, z the value of the node, g the adjoint that arrived.
type rule struct {
	name  string // in listings and JSON
	call  string // as typed before a parenthesis; empty: not a function for users
	arity int
	doc   string // one line for help
	// format is how an expression with the operation reads.
	format string
	value  func(x, y float64) float64
	// gives is the contribution to each parent: a formula in x, y, z and g. An
	// empty one says that nothing ever flows there.
	gives [2]string
	// shown is the local derivative as the lesson writes it. Empty: gives
	// without its leading "g*". The two differ where the textbook's form loses
	// digits; a test holds them against each other.
	shown [2]string
	// taken says, for an operation that selects, when the branch to a parent is
	// taken: where this formula is not <= 0. A branch that is not taken passes
	// nothing on, not even 0 times infinity.
	taken [2]string
	// domain says why (x, y) has no real value; "" where it has. {x} and {y}
	// stand for the names of the parents.
	domain func(x, y float64) string
	// corner says which convention decides the gradient at (x, y); "" where
	// the calculus does.
	corner func(x, y float64) string
	// probe holds smooth points at which tests compare the rule with differences.
	probe [][2]float64

	formulas, shows, branches [2]formula // gives, shown and taken, parsed
}

// rules is the table. To add a function, add a row: recording, sweep, replay,
// derivatives of derivatives, help, completion and trace all read it here.
// Rows without an index follow the one before.
var rules [opCount]rule

// opCount is what six bits of a slot can tell apart.
const opCount = 64

func table() [opCount]rule {
	at := func(points ...float64) (p [][2]float64) {
		for _, x := range points {
			p = append(p, [2]float64{x, 0})
		}
		return p
	}
	return [opCount]rule{
		opNone:  {name: "none"},
		opVar:   {name: "var", doc: "a variable"},
		opConst: {name: "const", doc: "a constant"},

		OpAdd: {name: "add", arity: 2, doc: "sum", format: "%s + %s",
			value: func(x, y float64) float64 { return x + y },
			gives: [2]string{"g", "g"}, shown: [2]string{"1", "1"},
			probe: [][2]float64{{2, 3}, {-1.5, 0.25}}},
		OpSub: {name: "sub", arity: 2, doc: "difference", format: "%s - %s",
			value: func(x, y float64) float64 { return x - y },
			gives: [2]string{"g", "-g"}, shown: [2]string{"1", "-1"},
			probe: [][2]float64{{2, 3}, {-1.5, 0.25}}},
		OpMul: {name: "mul", arity: 2, doc: "product", format: "%s * %s",
			value: func(x, y float64) float64 { return x * y },
			gives: [2]string{"g*y", "g*x"}, shown: [2]string{"y", "x"},
			probe: [][2]float64{{2, -3}, {0, 5}}},
		// -(z/y) and not x/y^2: y*y overflows where the slope does not.
		OpDiv: {name: "div", arity: 2, doc: "quotient", format: "%s / %s",
			value: func(x, y float64) float64 { return x / y },
			gives: [2]string{"g/y", "-(z/y)*g"}, shown: [2]string{"1/y", "-x/y^2"},
			probe: [][2]float64{{2, -3}, {0, 5}, {1e3, 1e-2}}},
		OpNeg: {name: "neg", arity: 1, doc: "minus", format: "-%s",
			value: func(x, _ float64) float64 { return -x },
			gives: [2]string{"-g"}, shown: [2]string{"-1"}, probe: at(2, -3)},
		OpReLU: {name: "relu", call: "relu", arity: 1, doc: "x where x > 0, else 0; slope 0 at 0", format: "relu(%s)",
			value: func(x, _ float64) float64 { return relu(x) },
			gives: [2]string{"pass(x,g)"}, shown: [2]string{"larger(x,0)"}, taken: [2]string{"x"},
			corner: func(x, _ float64) string { return cornerIf(x == 0, "{x} = 0", "0") },
			probe:  at(2, -3)},
		// With a constant exponent the contribution to x is powerGives; these
		// serve a^b.
		OpPower: {name: "power", call: "pow", arity: 2, doc: "x^y; for an integer y as repeated multiplication", format: "%s^%s",
			value: power,
			gives: [2]string{"g*powx(x,y)", "g*powy(x,y)"}, shown: [2]string{"y*x^(y-1)", "z*log(x)"},
			domain: func(x, y float64) string {
				return reasonIf(x < 0 && y != math.Trunc(y), "a negative number has no real power with a fraction")
			},
			corner: func(x, y float64) string {
				return cornerIf(x == 0 && y == 0, "{x} = 0, {y} = 0", "0")
			},
			probe: [][2]float64{{2, 3}, {1.5, -2.5}, {0.3, 0.7}}},

		{name: "exp", call: "exp", arity: 1, doc: "e to the power x", format: "exp(%s)",
			value: of(exp), gives: [2]string{"g*z"}, probe: at(0, 1.5, -2)},
		{name: "log", call: "log", arity: 1, doc: "natural logarithm, also called ln", format: "log(%s)",
			value: of(log), gives: [2]string{"g/nonneg(x)"}, shown: [2]string{"1/x"},
			domain: needs("log", "{x} > 0", func(x float64) bool { return x > 0 }), probe: at(0.5, 1, 30)},
		{name: "log2", call: "log2", arity: 1, doc: "logarithm to base 2", format: "log2(%s)",
			value: of(log2), gives: [2]string{"g*(1.4426950408889634/nonneg(x))"}, shown: [2]string{"1/(x*log(2))"},
			domain: needs("log2", "{x} > 0", func(x float64) bool { return x > 0 }), probe: at(0.5, 1, 30)},
		{name: "log10", call: "log10", arity: 1, doc: "logarithm to base 10", format: "log10(%s)",
			value: of(log10), gives: [2]string{"g*(0.4342944819032518/nonneg(x))"}, shown: [2]string{"1/(x*log(10))"},
			domain: needs("log10", "{x} > 0", func(x float64) bool { return x > 0 }), probe: at(0.5, 1, 30)},
		{name: "log1p", call: "log1p", arity: 1, doc: "log(1 + x), exact for small x", format: "log1p(%s)",
			value: of(math.Log1p), gives: [2]string{"g/nonneg(1+x)"}, shown: [2]string{"1/(1 + x)"},
			domain: needs("log1p", "{x} > -1", func(x float64) bool { return x > -1 }), probe: at(0, 1e-3, -0.5, 8)},
		{name: "expm1", call: "expm1", arity: 1, doc: "exp(x) - 1, exact for small x", format: "expm1(%s)",
			value: of(math.Expm1), gives: [2]string{"g*exp(x)"}, probe: at(0, 1e-3, -2, 3)},
		{name: "sqrt", call: "sqrt", arity: 1, doc: "square root", format: "sqrt(%s)",
			value: of(squareRoot), gives: [2]string{"g/(2*z)"}, shown: [2]string{"1/(2*z)"},
			domain: needs("sqrt", "{x} >= 0", func(x float64) bool { return x >= 0 }), probe: at(0.25, 2, 90)},
		{name: "cbrt", call: "cbrt", arity: 1, doc: "cube root, also of negative numbers", format: "cbrt(%s)",
			value: of(math.Cbrt), gives: [2]string{"g/(3*z^2)"}, shown: [2]string{"1/(3*z^2)"}, probe: at(0.25, -2, 90)},
		{name: "sin", call: "sin", arity: 1, doc: "sine of x in radians", format: "sin(%s)",
			value: of(math.Sin), gives: [2]string{"g*cos(x)"}, probe: at(0, 1, -2.5)},
		{name: "cos", call: "cos", arity: 1, doc: "cosine of x in radians", format: "cos(%s)",
			value: of(math.Cos), gives: [2]string{"g*-sin(x)"}, probe: at(0.5, 1, -2.5)},
		{name: "tan", call: "tan", arity: 1, doc: "tangent of x in radians", format: "tan(%s)",
			value: of(math.Tan), gives: [2]string{"g*(1+z^2)"}, probe: at(0, 1, -0.7)},
		{name: "asin", call: "asin", arity: 1, doc: "arc sine, in radians", format: "asin(%s)",
			value: of(asin), gives: [2]string{"g/circle(x)"}, shown: [2]string{"1/sqrt(1 - x^2)"},
			domain: needs("asin", "-1 <= {x} <= 1", func(x float64) bool { return -1 <= x && x <= 1 }), probe: at(0, 0.5, -0.9)},
		{name: "acos", call: "acos", arity: 1, doc: "arc cosine, in radians", format: "acos(%s)",
			value: of(acos), gives: [2]string{"-g/circle(x)"}, shown: [2]string{"-1/sqrt(1 - x^2)"},
			domain: needs("acos", "-1 <= {x} <= 1", func(x float64) bool { return -1 <= x && x <= 1 }), probe: at(0, 0.5, -0.9)},
		{name: "atan", call: "atan", arity: 1, doc: "arc tangent, in radians", format: "atan(%s)",
			value: of(math.Atan), gives: [2]string{"g/(1+x^2)"}, shown: [2]string{"1/(1 + x^2)"}, probe: at(0, 0.5, -4)},
		// Divided by the length twice: its square overflows where the slope does not.
		{name: "atan2", call: "atan2", arity: 2, doc: "angle of the point (x, y), called as atan2(y, x)", format: "atan2(%s, %s)",
			value: atan2, gives: [2]string{"g*(y/hypot(x,y)/hypot(x,y))", "g*(-x/hypot(x,y)/hypot(x,y))"},
			shown: [2]string{"y/(x^2 + y^2)", "-x/(x^2 + y^2)"}, probe: [][2]float64{{1, 2}, {-0.5, -3}, {2, 0.1}}},
		{name: "sinh", call: "sinh", arity: 1, doc: "hyperbolic sine", format: "sinh(%s)",
			value: of(sinh), gives: [2]string{"g*cosh(x)"}, probe: at(0, 1.5, -2)},
		{name: "cosh", call: "cosh", arity: 1, doc: "hyperbolic cosine", format: "cosh(%s)",
			value: of(cosh), gives: [2]string{"g*sinh(x)"}, probe: at(0.5, 1.5, -2)},
		// 1 - z^2 has no correct digit left at x = 19.
		{name: "tanh", call: "tanh", arity: 1, doc: "hyperbolic tangent", format: "tanh(%s)",
			value: of(math.Tanh), gives: [2]string{"g*(4*bell(2*x))"}, shown: [2]string{"1 - z^2"}, probe: at(0, 1.5, -2)},
		{name: "sigmoid", call: "sigmoid", arity: 1, doc: "1/(1 + exp(-x)), without overflow", format: "sigmoid(%s)",
			value: of(sigmoid), gives: [2]string{"g*bell(x)"}, shown: [2]string{"z*(1 - z)"}, probe: at(0, 1.5, -2)},
		{name: "softplus", call: "softplus", arity: 1, doc: "log(1 + exp(x)), without overflow", format: "softplus(%s)",
			value: of(softplus), gives: [2]string{"g*sigmoid(x)"}, probe: at(0, 1.5, -2)},
		{name: "abs", call: "abs", arity: 1, doc: "absolute value; slope 0 at 0", format: "abs(%s)",
			value: of(math.Abs), gives: [2]string{"g*sign(x)"},
			corner: func(x, _ float64) string { return cornerIf(x == 0, "{x} = 0", "0") }, probe: at(2, -3)},
		{name: "sign", call: "sign", arity: 1, doc: "-1, 0 or 1; slope 0", format: "sign(%s)",
			value: of(sign), gives: [2]string{"g*0"},
			corner: func(x, _ float64) string { return cornerIf(x == 0, "{x} = 0", "0") }, probe: at(2, -3)},
		{name: "min", call: "min", arity: 2, doc: "the smaller; half the slope to each where they are equal", format: "min(%s, %s)",
			value: minimum, gives: [2]string{"gate(smaller(x,y),g)", "gate(smaller(y,x),g)"},
			shown: [2]string{"smaller(x,y)", "smaller(y,x)"}, taken: [2]string{"smaller(x,y)", "smaller(y,x)"},
			corner: func(x, y float64) string { return cornerIf(x == y, "{x} = {y}", "1/2 each") }, probe: [][2]float64{{1, 2}, {3, -1}}},
		{name: "max", call: "max", arity: 2, doc: "the larger; half the slope to each where they are equal", format: "max(%s, %s)",
			value: maximum, gives: [2]string{"gate(larger(x,y),g)", "gate(larger(y,x),g)"},
			shown: [2]string{"larger(x,y)", "larger(y,x)"}, taken: [2]string{"larger(x,y)", "larger(y,x)"},
			corner: func(x, y float64) string { return cornerIf(x == y, "{x} = {y}", "1/2 each") }, probe: [][2]float64{{1, 2}, {3, -1}}},
		{name: "hypot", call: "hypot", arity: 2, doc: "sqrt(x^2 + y^2), without overflow", format: "hypot(%s, %s)",
			value: math.Hypot, gives: [2]string{"g*cosine(x,y)", "g*cosine(y,x)"}, shown: [2]string{"x/z", "y/z"}, probe: [][2]float64{{3, 4}, {-1, 0.5}}},
		{name: "erf", call: "erf", arity: 1, doc: "error function", format: "erf(%s)",
			value: of(math.Erf), gives: [2]string{"g*(1.1283791670955126*gauss(x))"}, shown: [2]string{"2/sqrt(pi)*exp(-x^2)"}, probe: at(0, 0.5, -1.5)},
		{name: "erfc", call: "erfc", arity: 1, doc: "1 - erf(x), exact in its tail", format: "erfc(%s)",
			value: of(math.Erfc), gives: [2]string{"g*(-1.1283791670955126*gauss(x))"}, shown: [2]string{"-2/sqrt(pi)*exp(-x^2)"}, probe: at(0, 0.5, -1.5)},

		// What follows appears only in derivatives that are nodes. They record
		// the step or the selection and not the branch that was taken, so that
		// replay keeps them right when a variable crosses the corner.
		{name: "pass", arity: 2, doc: "y where x > 0, else 0", format: "pass(%s, %s)",
			value: pass, gives: [2]string{"", "pass(x,g)"}, shown: [2]string{"", "larger(x,0)"}, taken: [2]string{"", "x"}, probe: [][2]float64{{2, 3}, {-2, 3}}},
		{name: "keep", arity: 2, doc: "0 where x <= 0, else y", format: "keep(%s, %s)",
			value: keep, gives: [2]string{"", "keep(x,g)"}, shown: [2]string{"", "larger(x,0)"}, taken: [2]string{"", "x"}, probe: [][2]float64{{2, 3}, {-2, 3}}},
		{name: "larger", arity: 2, doc: "1 where x > y, 1/2 where they are equal, else 0", format: "(%s > %s)",
			value: larger, probe: [][2]float64{{2, 3}, {3, 2}}},
		{name: "smaller", arity: 2, doc: "1 where x < y, 1/2 where they are equal, else 0", format: "(%s < %s)",
			value: smaller, probe: [][2]float64{{2, 3}, {3, 2}}},
		{name: "gate", arity: 2, doc: "x*y, and 0 where x is 0", format: "gate(%s, %s)",
			value: gate, gives: [2]string{"", "gate(x,g)"}, shown: [2]string{"", "x"}, taken: [2]string{"", "x"}, probe: [][2]float64{{1, 3}, {0, 3}, {0.5, 2}}},
		{name: "nonneg", arity: 1, doc: "x where x >= 0, else NaN", format: "nonneg(%s)",
			value: of(nonneg), gives: [2]string{"g"}, shown: [2]string{"1"}, probe: at(2, 0.5)},
		// These have slopes of their own where those of what they are written
		// with would cancel: 1/sqrt((1-x)*(1+x)) is exact near 1, and its slope by
		// the product rule has no digit left near 0.
		{name: "circle", arity: 1, doc: "sqrt(1 - x^2)", format: "sqrt(1 - (%s)^2)",
			value: of(circle), gives: [2]string{"g*(-x/z)"}, probe: at(0, 0.5, -0.9)},
		{name: "bell", arity: 1, doc: "sigmoid(x)*sigmoid(-x)", format: "bell(%s)",
			value: of(bell), gives: [2]string{"g*(-tanh(x/2)*z)"}, probe: at(0, 1.5, -2)},
		{name: "cosine", arity: 2, doc: "x/hypot(x, y)", format: "cosine(%s, %s)",
			value: cosine, gives: [2]string{"g*(cosine(y,x)*cosine(y,x)/hypot(x,y))", "g*-(cosine(x,y)*cosine(y,x)/hypot(x,y))"},
			shown: [2]string{"y^2/hypot(x,y)^3", "-x*y/hypot(x,y)^3"}, probe: [][2]float64{{3, 4}, {-1, 0.5}}},
		{name: "gauss", arity: 1, doc: "exp(-x^2)", format: "exp(-(%s)^2)",
			value: of(gauss), gives: [2]string{"g*(-2*x*z)"}, probe: at(0.5, -1.5)},
		{name: "powx", arity: 2, doc: "slope of x^y in x: y*x^(y - 1)", format: "powx(%s, %s)",
			value: powx, gives: [2]string{"g*(y*powx(x,y-1))", "g*(x^(y-1)+y*powy(x,y-1))"}, probe: [][2]float64{{2, 3}, {1.5, -2.5}, {0.3, 0.7}}},
		{name: "powy", arity: 2, doc: "slope of x^y in y: x^y*log(x)", format: "powy(%s, %s)",
			value: powy, gives: [2]string{"g*(x^(y-1)+y*powy(x,y-1))", "g*(z*log(x))"}, probe: [][2]float64{{2, 3}, {1.5, -2.5}, {0.3, 0.7}}},
	}
}

// powerGives is the contribution to x of x^k for a constant k. The first three
// are not only shorter: 0*x^-1 would be NaN at 0.
var powerGives struct{ zero, one, two, general formula }

func powerFormula(k float64) formula {
	switch k {
	case 0:
		return powerGives.zero
	case 1:
		return powerGives.one
	case 2:
		return powerGives.two
	}
	return powerGives.general
}

// byName finds rows by what a user types.
var byName = map[string]Op{}

func init() {
	rules = table()
	for op := range rules {
		r := &rules[op]
		if r.name == "" {
			continue
		}
		if r.call != "" {
			byName[r.call] = Op(op)
		}
	}
	byName["ln"] = byName["log"]
	for op := range rules {
		r := &rules[op]
		for i, text := range r.gives {
			if text == "" {
				continue
			}
			r.formulas[i] = parseFormula(text)
			if shown := r.shown[i]; shown != "" {
				text = shown
			} else {
				text = strings.TrimPrefix(strings.Replace(text, "g/", "1/", 1), "g*")
			}
			r.shows[i] = parseFormula(text)
			if taken := r.taken[i]; taken != "" {
				r.branches[i] = parseFormula(taken)
			}
		}
	}
	opKeep, opMax = mustLookup("keep"), mustLookup("max")
	powerGives.zero = parseFormula("g*0")
	powerGives.one = parseFormula("g")
	powerGives.two = parseFormula("g*(2*x)")
	powerGives.general = parseFormula("g*(y*x^(y-1))")
}

// Named returns the operation with the given name in listings, such as "add",
// also one that users cannot call.
func Named(name string) (Op, bool) {
	for op := range rules {
		if rules[op].name == name && name != "" {
			return Op(op), true
		}
	}
	return 0, false
}

// opKeep and opMax are the rows that Differentiate itself records.
var opKeep, opMax Op

func mustLookup(name string) Op {
	op, ok := Named(name)
	if !ok {
		panic("engine: no row " + name)
	}
	return op
}

// gives returns the formula of the contribution of n to its parent i (0 for x,
// 1 for y); nil if nothing ever flows there, as to a constant.
func (t *Tape) gives(n Node, i int) formula {
	s := &t.slots[n]
	op := s.op()
	if i >= rules[op].arity || s.link&(xLive>>(i*refBits)) == 0 {
		return nil
	}
	if op == OpPower && i == 0 && s.link&yLive == 0 {
		return powerFormula(t.slots[s.y()].value)
	}
	return rules[op].formulas[i]
}

// Lookup returns the operation that a call by name means.
func Lookup(name []byte) (Op, bool) {
	op, ok := byName[string(name)]
	return op, ok
}

// Functions returns the operations that can be called by name, in the order of
// the table.
func Functions() (ops []Op) {
	for op := range rules {
		if rules[op].call != "" {
			ops = append(ops, Op(op))
		}
	}
	return ops
}

// String returns the name of the operation in listings: add, sub, mul, div,
// power, neg or a function's name.
func (op Op) String() string { return rules[op].name }

// Call returns the name by which users call the operation, "" if they cannot.
func (op Op) Call() string { return rules[op].call }

// Arity returns how many parents a node of the operation has, 0 to 2.
func (op Op) Arity() int { return rules[op].arity }

// Doc returns one line about the operation.
func (op Op) Doc() string { return rules[op].doc }

// Format returns how an expression with the operation reads, with a %s for
// each argument: "%s + %s", "exp(%s)".
func (op Op) Format() string { return rules[op].format }

// Derivative returns the local derivative by argument i, 0-based, in the names
// x, y (arguments) and z (the value): "1 - z^2" for tanh; "0" where nothing
// flows.
func (op Op) Derivative(i int) string {
	if f := rules[op].shows[i]; f != nil {
		return f.sourceText()
	}
	return "0"
}

// Domain returns why the operation has no real value at (x, y), with {x} and
// {y} for the arguments' names, or "" where it has one.
func (op Op) Domain(x, y float64) string {
	if d := rules[op].domain; d != nil {
		return d(x, y)
	}
	return ""
}

// Corner returns which convention decides the derivative at (x, y), with {x}
// and {y} for the arguments' names, or "" where the calculus decides.
func (op Op) Corner(x, y float64) string {
	if c := rules[op].corner; c != nil {
		return c(x, y)
	}
	return ""
}

func of(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

func cornerIf(at bool, where, used string) string {
	if !at {
		return ""
	}
	return fmt.Sprintf("has no derivative at %s; %s was used", where, used)
}

func reasonIf(bad bool, why string) string {
	if bad {
		return why
	}
	return ""
}

func needs(name, what string, inside func(x float64) bool) func(x, y float64) string {
	return func(x, _ float64) string {
		return reasonIf(!inside(x) && !math.IsNaN(x), name+" needs "+what)
	}
}

// Value returns the operation's value at (x, y); y is not looked at by an
// operation of one argument.
func (op Op) Value(x, y float64) float64 { return rules[op].value(x, y) }
