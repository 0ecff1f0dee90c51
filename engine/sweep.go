package engine

import "slices"

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
	if cap(t.slots) <= MaxNodes {
		return t.Trace(out, nil) // no regions: the portable twin, eight times slower
	}
	t.begin(out)
	for n := out; n != 0; {
		if t.stopped() {
			t.Forget()
			return ErrStopped
		}
		n = t.sweepDown(n, 1<<18)
	}
	return nil
}

// sweepDown visits due nodes from n downwards, up to limit places on the tape,
// and returns the next one due, 0 when none is left.
//
// This loop is where a long sweep spends its time. Each case is the row of the
// table for its operation, written out; a test holds them against each other.
// A switch over so few operations is predicted well and costs no more than
// partial derivatives stored at recording would. One bit of the link, whether y
// depends on a variable, is switched on together with the operation.
//
// In a long expression the next node down is due as a rule, and its adjoint was
// completed by the node before it. It stays in g then: a chain would otherwise
// wait for every store to come back from memory (a third of its time). Nor is
// such a node entered in the set of the reached; the run of nodes from newest
// down to i is, when it ends. For the others, an adjoint that is not 0 says
// that its node has been entered before: the bit is looked at only where it is
// 0, and so adjoints have to be 0 where no sweep has been.
//
// Products are wrapped in float64() lest the compiler fuse them into a sum:
// results are those of the plain order of operations.
func (t *Tape) sweepDown(from Node, limit uint64) Node {
	// As arrays of fixed size they are indexed by 28 bits without a bounds check
	// (a fifth of the time).
	slots := (*[MaxNodes + 1]slot)(t.slots[:MaxNodes+1])
	adjoints := (*[MaxNodes + 1]float64)(t.adjoints[:MaxNodes+1])
	due := (*[(MaxNodes + 1) >> levelBits]uint64)(t.reached.levels[0][:(MaxNodes+1)>>levelBits])
	i, newest := uint64(from), from
	end := uint64(0)
	if i > limit {
		end = i - limit
	}
	for {
		n := uint64(0)
		why := pause
		g := adjoints[i&nodeMask]
	run:
		for i > end {
			i &= nodeMask
			adjoints[i] = g
			link := slots[i].link
			x, y := link&nodeMask, link>>refBits&nodeMask
			var gx, a float64
			switch link >> (opShift - 1) {
			case uint64(opVar) << 1, uint64(opConst) << 1:
				goto next
			case uint64(OpAdd)<<1 | 1:
				if y == i-1 { // the newest goes last: it is next
					x, y = y, x
				}
				gx = g
				a = adjoints[y]
				adjoints[y] = a + g
			case uint64(OpSub)<<1 | 1:
				gx = g
				a = adjoints[y]
				adjoints[y] = a - g
			case uint64(OpMul)<<1 | 1:
				gx = g * slots[y].value
				a = adjoints[y]
				adjoints[y] = a + float64(g*slots[x].value)
			case uint64(OpDiv)<<1 | 1:
				d := slots[y].value
				gx = g / d
				a = adjoints[y]
				adjoints[y] = a - float64(slots[i].value/d*g)
			case uint64(OpAdd) << 1, uint64(OpSub) << 1:
				gx = g
				goto one
			case uint64(OpMul) << 1:
				gx = g * slots[y].value
				goto one
			case uint64(OpDiv) << 1:
				gx = g / slots[y].value
				goto one
			case uint64(OpNeg)<<1 | 1:
				gx = -g
				goto one
			case uint64(OpReLU)<<1 | 1:
				v := slots[x].value
				if v <= 0 {
					goto next
				}
				if gx = g; v != v {
					gx = v
				}
				goto one
			default:
				why = byTable
				break run // a call in here would have every variable saved on each round
			}
			if a == 0 {
				v := due[y>>levelBits]
				due[y>>levelBits] = v | 1<<(y&63)
				if v == 0 {
					adjoints[y] = 0 // so that the visit can begin again
					n, why = y, firstY
					break
				}
			}
		one:
			a = adjoints[x]
			if x == i-1 {
				i--
				g = gx
				if a != 0 {
					g = a + float64(gx)
				}
				continue
			}
			adjoints[x] = a + float64(gx)
			if a == 0 {
				v := due[x>>levelBits]
				due[x>>levelBits] = v | 1<<(x&63)
				if v == 0 {
					n, why = x, firstX
					break
				}
			}
		next:
			i--
			if g = adjoints[i&nodeMask]; g == 0 && due[i>>levelBits&(nodeMask>>levelBits)]>>(i&63)&1 == 0 {
				why = gap
				break
			}
		}
		switch why {
		case pause:
			adjoints[i&nodeMask] = g
			t.reached.insertRun(Node(i), newest)
			return Node(i)
		case byTable:
			t.visit(Node(i), nil)
			if i--; t.reached.has(Node(i)) {
				continue
			}
		case firstY:
			t.reached.insertAbove(Node(n))
			continue
		case firstX:
			t.reached.insertAbove(Node(n))
			if i--; t.reached.has(Node(i)) {
				continue
			}
		}
		t.reached.insertRun(Node(i+1), newest)
		newest = t.reached.below(Node(i + 1))
		if i = uint64(newest); i == 0 {
			return 0
		}
	}
}

// Why the inner loop of sweepDown was left.
const (
	pause   = iota // to look at the stop flag
	byTable        // the node's operation has no case of its own
	firstX         // x is the first member of its word: tell the levels above
	firstY         // so is y; then visit the node once more
	gap            // the next node down is not due
)

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
	return t.adjoints[n] + 0 // never -0, as if the sum had begun at 0
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
	if s.constant() || s.op() == OpPower && s.link&(liveBit<<refBits) == 0 {
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
	var gives [2]Contribution
	count := 0
	for i, parent := range [2]Node{s.x(), s.y()} {
		if c, live := t.contribution(n, i, g); live {
			gives[count] = Contribution{i, parent, c}
			count++
		}
	}
	// y before x, as in sweepDown: for x*x the order is in the last bit.
	for _, c := range slices.Backward(gives[:count]) {
		t.reached.insert(c.To)
		t.adjoints[c.To] += c.Value
	}
	if observe != nil {
		observe(&Step{n, g, gives[:count]})
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
// leaves. The Step and its Gives are only valid during the call.
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
