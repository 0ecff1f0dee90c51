package engine

import (
	"runtime"
	"slices"
)

// Sweep runs the backward sweep from out: it gives out the adjoint 1 (the
// seed) and visits the nodes it uses from newest to oldest, each handing its
// parents their contributions, which are added up. Adjoint then tells
// ∂out/∂n for every node n.
//
// Only nodes that out uses are visited, whatever else is on the tape, and the
// cost is in proportion to their number. A branch that was not taken (relu at
// x <= 0, the loser of max and min) gets no contribution; everywhere else an
// adjoint of 0 is handed on as IEEE arithmetic has it, so that 0 times
// infinity is NaN and shows. Every Sweep starts from nothing: two in a row
// give the same adjoints.
//
// The error is ErrStopped or nil; a stopped sweep leaves no adjoints.
//
// Source: Griewank and Walther, Evaluating Derivatives, 2nd ed., ch. 3.
func (t *Tape) Sweep(out Node) error {
	t.begin(out)
	if !t.regions.held {
		return t.plainSweep(out)
	}
	for n := out; n != 0; {
		if t.stopped() {
			t.Forget()
			return ErrStopped
		}
		n = t.sweepDown(n, sweepStretch)
	}
	return nil
}

// sweepStretch is how many nodes a sweep goes down between two looks at the
// stop flag.
const sweepStretch = 1 << 18

// plainSweep is the sweep as the lesson has it, for systems without regions.
// sweepDown does the same a few times faster.
func (t *Tape) plainSweep(out Node) error {
	for n := out; n != 0; n = t.reached.below(n) {
		if t.stopped() {
			t.Forget()
			return ErrStopped
		}
		s, g := &t.slots[n], t.adjoints[n]
		x, y := &t.slots[s.x()], &t.slots[s.y()]
		op := s.op()
		switch {
		case op <= opConst: // a leaf has no parents
		case s.constant() || op > OpReLU:
			t.visit(n, nil)
		case op == OpAdd:
			t.hand(s.y(), g)
			t.hand(s.x(), g)
		case op == OpSub:
			t.hand(s.y(), -g)
			t.hand(s.x(), g)
		case op == OpMul:
			t.hand(s.y(), float64(g*x.value))
			t.hand(s.x(), float64(g*y.value))
		case op == OpDiv:
			t.hand(s.y(), float64(-(s.value/y.value)*g))
			t.hand(s.x(), g/y.value)
		case op == OpNeg:
			t.hand(s.x(), -g)
		case x.value > 0: // relu
			t.hand(s.x(), g)
		case x.value != x.value:
			t.hand(s.x(), x.value)
		}
	}
	return nil
}

// hand adds a contribution to the adjoint of n, which is due from now on.
func (t *Tape) hand(n Node, contribution float64) {
	t.reached.insert(n)
	t.adjoints[n] += contribution
}

// begin clears what the last sweep left and seeds out.
func (t *Tape) begin(out Node) {
	t.Forget()
	t.adjoints = extend(t.adjoints, int(out)+1)
	t.reached.grow(out)
	t.root = out
	t.adjoints[out] = 1
	t.reached.insert(out)
}

// Forget drops the adjoints of the last sweep. It costs what the sweep visited.
func (t *Tape) Forget() {
	if t.root == 0 {
		return
	}
	t.reached.clear(t.root, t.adjoints)
	t.root = 0
}

// Root returns the node that the last sweep started from, 0 if there was none
// or it was forgotten.
func (t *Tape) Root() Node { return t.root }

// Adjoint returns ∂root/∂n of the last sweep, 0 for a node that it did not
// reach and for a constant.
func (t *Tape) Adjoint(n Node) float64 {
	if !t.Reached(n) {
		return 0
	}
	g := t.adjoints[n] + 0 // never -0, as if the sum had begun at 0
	runtime.KeepAlive(t)   // as in Value
	return g
}

// Reached reports whether the last sweep reached n. A constant is not reached,
// whatever uses it, unless the sweep began there.
func (t *Tape) Reached(n Node) bool {
	return n != 0 && (n == t.root || n < t.root && t.reached.has(n) && !t.IsConstant(n))
}

// Corner returns which convention decided the local derivative of n by a parent
// that is not constant, with {x} and {y} for the parents, or "" where the
// calculus did: the derivative of |x| at 0 is one, and x^0 at 0 is not.
func (t *Tape) Corner(n Node) string {
	s := &t.slots[n]
	if s.constant() || s.op() == OpPower && s.link&yLive == 0 {
		return ""
	}
	return s.op().Corner(t.slots[s.x()].value, t.slots[s.y()].value)
}

// A Step is the visit of one node by a sweep.
type Step struct {
	Node    Node
	Adjoint float64 // complete: every node that uses this one came before
	Gives   []Contribution
}

// A Contribution is what a node hands to one of its parents.
type Contribution struct {
	Argument int // 0: x, 1: y
	To       Node
	Value    float64
}

// visit hands on the adjoint of n.
func (t *Tape) visit(n Node, observe func(*Step)) {
	s := &t.slots[n]
	g := t.adjoints[n] + 0
	var gives []Contribution // only for observe: it is on the heap
	// y before x, as in sweepDown: for x*x the order is in the last bit.
	for i := rules[s.op()].arity - 1; i >= 0; i-- {
		c, live := t.contribution(n, i, g)
		if !live {
			continue
		}
		to := [2]Node{s.x(), s.y()}[i]
		t.hand(to, c)
		if observe != nil {
			gives = append(gives, Contribution{i, to, c})
		}
	}
	if observe != nil {
		slices.Reverse(gives)
		observe(&Step{n, g, gives})
	}
}

// contribution returns what n with adjoint g hands to its parent i, and
// whether anything is handed at all: nothing goes to constants and into
// branches that were not taken.
func (t *Tape) contribution(n Node, i int, g float64) (value float64, live bool) {
	f := t.gives(n, i)
	if f == nil {
		return 0, false
	}
	s := &t.slots[n]
	in := [4]float64{t.slots[s.x()].value, t.slots[s.y()].value, s.value, g}
	if branch := rules[s.op()].branches[i]; branch != nil && branch.eval(&in) <= 0 {
		return 0, false
	}
	return f.eval(&in), true
}

// Slope returns the local derivative of n by its argument i (0 or 1) at the
// present values; 0 where nothing flows.
func (t *Tape) Slope(n Node, i int) float64 {
	c, _ := t.contribution(n, i, 1)
	return c
}

// SlopeText writes that local derivative with the given names for the parents
// and for n itself, constants worked out: "3*x^2". It is ready to be a factor:
// a sum stands in parentheses.
func (t *Tape) SlopeText(n Node, i int, name func(Node) string, number func(float64) string) string {
	s := &t.slots[n]
	if t.gives(n, i) == nil {
		return "0"
	}
	op := s.op()
	f := rules[op].shows[i]
	if op == OpPower && i == 0 && t.slots[s.y()].constant() && t.slots[s.y()].value == 0 {
		return "0"
	}
	return f.text(true, func(in int) (string, bool, float64) {
		of := [...]Node{s.x(), s.y(), n}[in]
		// Only a constant of a power is worked out: elsewhere its name says more.
		fixed := op == OpPower && in == inY && t.slots[of].constant()
		if fixed {
			return number(t.slots[of].value), true, t.slots[of].value
		}
		return name(of), false, 0
	}, number)
}

// Trace is Sweep with every step shown to observe, newest node first, also
// leaves.
func (t *Tape) Trace(out Node, observe func(*Step)) error {
	t.begin(out)
	for n := out; n != 0; n = t.reached.below(n) {
		if t.stopped() {
			t.Forget()
			return ErrStopped
		}
		t.visit(n, observe)
	}
	return nil
}
