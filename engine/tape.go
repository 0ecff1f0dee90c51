package engine

import (
	"math"
	"runtime"
	"sort"
	"sync/atomic"
)

// A Node is the place of a value on a tape, counted from 1 in order of
// creation. A node's parents always have smaller numbers, so creation order is
// already a topological order. The zero Node is no node.
type Node uint32

// MaxNodes is how many nodes a tape can hold: a parent is stored in 28 bits.
// The constructors do not look, for the sake of their speed: who records on
// behalf of others compares Len with it.
const MaxNodes = 1<<28 - 1

// A slot is one entry of the tape, 16 bytes without a pointer in it, so that
// the collector never looks inside a tape of any length: the value, and packed
// into one word two parents (29 bits each: its number, and a bit that says
// whether it depends on a variable) and the operation (6 bits). Bytes and stores
// per operation decide the speed of recording; five parallel arrays took 1.6
// times as long.
type slot struct {
	value float64
	link  uint64
}

// The link of a slot, from its highest bit down: x, xLive, y, yLive, operation. A
// parent is here as it is in a Term, moved by a fixed number of bits, and beside
// the operation stands the one bit that a sweep looks at together with it.
const (
	nodeBits = 28
	nodeMask = 1<<nodeBits - 1
	refBits  = nodeBits + 1

	opBits = 6
	opMask = 1<<opBits - 1
	yLive  = 1 << opBits // y depends on a variable
	yShift = opBits + 1
	xLive  = yLive << refBits
	xShift = yShift + refBits
)

func (s *slot) op() Op         { return Op(s.link & opMask) }
func (s *slot) x() Node        { return Node(s.link >> xShift) }
func (s *slot) y() Node        { return Node(s.link >> yShift & nodeMask) }
func (s *slot) constant() bool { return s.link&(xLive|yLive) == 0 }

// A Tape records operations on single numbers as they are evaluated, and
// differentiates any of its values by every other one.
//
// A Tape is not safe for use by several goroutines at once. The zero Tape is
// not usable; NewTape makes one.
type Tape struct {
	slots      []slot // slots[0] is no node
	generation uint32 // what a Term of this tape carries while it is in date
	runs       []run  // where the variables and constants are, in order of creation
	runEnd     Node   // the node after the last run
	counted    Node   // the first node that runs do not know of yet
	last       Term   // the last constant asked for, while it is in date
	consts     [256]Node

	adjoints []float64 // of the last sweep; all 0 where it did not go
	root     Node      // where the last sweep started; 0: none yet
	reached  bitset    // the nodes the last sweep touched
	marks    bitset    // scratch of Reach, empty between its uses
	pending  []pending // scratch of Differentiate, zero between its uses
	stop     *atomic.Bool
	limit    int // of Len, for Differentiate
	regions  *regions
}

// regions are what has to be given back when a tape is no longer used.
type regions struct {
	slots, adjoints, reached, marks, pending region
	held                                     bool // all of them are there, and count among reserved
}

// reserved is how many tapes hold regions. A process has room for some ten
// thousand; a program that makes more tapes than mostReserved before the
// collector finds the old ones has the others in ordinary memory.
var reserved atomic.Int32

const mostReserved = 500

func (r *regions) release() {
	r.slots.release()
	r.adjoints.release()
	r.reached.release()
	r.marks.release()
	r.pending.release()
	if r.held {
		reserved.Add(-1)
	}
	*r = regions{}
}

// generations numbers the states of all tapes of the process between two
// changes, so that a Term of one is not taken for a Term of another. Numbers
// come again after 2^32 changes.
var generations atomic.Uint32

// expire puts every Term out of date.
func (t *Tape) expire() { t.generation, t.last = generations.Add(1), Term{} }

// NewTape returns an empty tape. It costs some ten microseconds, some ten
// kilobytes and, where the system has them, 8 GB of addresses; memory is taken
// as the tape grows, 16 bytes a node and 8 more for those that sweeps have
// visited, from 512 nodes on perhaps in pages of 2 MB.
func NewTape() *Tape {
	t := &Tape{regions: new(regions), limit: MaxNodes}
	runtime.AddCleanup(t, (*regions).release, t.regions)
	t.Reset()
	return t
}

// Reset empties the tape and gives its memory back to the system.
func (t *Tape) Reset() {
	t.regions.release()
	*t = Tape{regions: t.regions, stop: t.stop, limit: t.limit}
	t.expire()
	t.reserve()
	t.slots = append(t.slots, slot{})
}

// reserve sets addresses aside for all arrays of an empty tape, or for none:
// where some are refused, the few that were granted would be missing elsewhere.
func (t *Tape) reserve() {
	t.regions.held = true
	if reserved.Add(1) <= mostReserved {
		t.slots, t.regions.slots = reserve[slot](MaxNodes+1, 0)
		t.adjoints, t.regions.adjoints = reserve[float64](MaxNodes+1, 1)
		t.reached.reserve(&t.regions.reached, 3)
		t.marks.reserve(&t.regions.marks, 4)
		t.pending, t.regions.pending = reserve[pending](MaxNodes+1, 2)
	}
	if t.slots == nil || t.adjoints == nil || t.pending == nil || t.reached.levels[0] == nil || t.marks.levels[0] == nil {
		t.regions.release()
		t.slots, t.adjoints, t.pending, t.reached, t.marks = nil, nil, nil, bitset{}, bitset{}
		return
	}
	preferLarge(t.slots[:cap(t.slots)])
	preferLarge(t.adjoints[:cap(t.adjoints)])
	preferLarge(t.pending[:cap(t.pending)])
}

// A Term is a node in the hand of somebody who writes an expression: which
// node it is, and its value, so that the next operation need not fetch it from
// memory (2.5 ns an operation on a chain). A Term goes out of date when Set,
// Rollback or Reset changes the tape; constructors refuse it then by a panic,
// and At gives a new one.
type Term struct {
	value      float64
	generation uint32 // of the tape
	ref        uint32 // the node, and below it a bit that is set if it depends on a variable
}

const live = 1 // of a Term's ref

// Node returns the node of the term.
func (a Term) Node() Node { return Node(a.ref >> 1) }

// Value returns the value of the term.
func (a Term) Value() float64 { return a.value }

// IsConstant reports whether the term depends on no variable.
func (a Term) IsConstant() bool { return a.ref&live == 0 }

// StaleTerm is what a constructor panics with when it is given a Term that was
// made before the tape changed, or by another tape.
const StaleTerm = constError("engine: term is out of date or of another tape; take it again with At")

// push records one operation. It is just small enough to be inlined into the
// constructors, which takes recording a chain from 3.0 ns an operation to 1.6. The
// parents go into the link by one shift each, a tenth less than taking a tag off
// them first.
func (t *Tape) push(op Op, x, y Term, value float64) Term {
	if x.generation != t.generation || y.generation != t.generation {
		panic(StaleTerm)
	}
	ref := (x.ref|y.ref)&live + uint32(len(t.slots))<<1
	// link(op, x.ref, y.ref): a call is counted as too much to be inlined
	t.slots = append(t.slots, slot{value, uint64(x.ref)<<(xShift-1) + uint64(y.ref)<<(yShift-1) + uint64(op)})
	return Term{value, t.generation, ref}
}

// link returns the link of the operation op on two terms with these refs.
func link(op Op, x, y uint32) uint64 {
	return uint64(x)<<(xShift-1) + uint64(y)<<(yShift-1) + uint64(op)
}

// Constructors are inlined, and a product would be fused with a sum that follows
// it on some processors, were it not for float64(). The node of the sum would not
// have the sum of its parents' values then.

// Add records x + y.
func (t *Tape) Add(x, y Term) Term { return t.push(OpAdd, x, y, x.value+y.value) }

// Sub records x - y.
func (t *Tape) Sub(x, y Term) Term { return t.push(OpSub, x, y, x.value-y.value) }

// Mul records x * y.
func (t *Tape) Mul(x, y Term) Term {
	return t.push(OpMul, x, y, float64(x.value*y.value))
}

// Div records x / y.
func (t *Tape) Div(x, y Term) Term { return t.push(OpDiv, x, y, x.value/y.value) }

// Power records x to the power y. A constant integer y has the sign and the
// special values of repeated multiplication.
func (t *Tape) Power(x, y Term) Term {
	return t.push(OpPower, x, y, power(x.value, y.value))
}

// Neg records -x.
func (t *Tape) Neg(x Term) Term { return t.push(OpNeg, x, x, -x.value) }

// ReLU records max(x, 0) with slope 0 at 0.
func (t *Tape) ReLU(x Term) Term { return t.push(OpReLU, x, x, max(x.value, 0)) }

// Apply records the operation of the table's row op. For an operation of one
// argument y is not looked at.
func (t *Tape) Apply(op Op, x, y Term) Term {
	if rules[op].arity < 2 {
		y = x
	}
	return t.push(op, x, y, rules[op].value(x.value, y.value))
}

// Var makes a new variable: a leaf that gradients are taken by, and whose
// value Set can change.
func (t *Tape) Var(value float64) Term {
	value = float64(value) // a product is not fused with what is made of it
	t.slots = append(t.slots, slot{value, xLive | uint64(opVar)})
	return Term{value, t.generation, uint32(len(t.slots)-1)<<1 | live}
}

// Const returns a leaf with a fixed value. Equal constants made within a short
// while of each other share one leaf.
func (t *Tape) Const(value float64) Term {
	bits := math.Float64bits(value)
	if t.last.ref != 0 && math.Float64bits(t.last.value) == bits {
		return t.last
	}
	recent := &t.consts[(bits*0x9E3779B97F4A7C15)>>56] // Fibonacci hashing, Knuth vol. 3, 6.4
	if n := *recent; int(n) < len(t.slots) && n != 0 {
		if s := &t.slots[n]; s.op() == opConst && math.Float64bits(s.value) == bits {
			t.last = Term{value, t.generation, uint32(n) << 1}
			return t.last
		}
	}
	t.last = t.NewConst(value)
	*recent = t.last.Node()
	return t.last
}

// NewConst is Const with a leaf of its own, shared with no equal constant.
func (t *Tape) NewConst(value float64) Term {
	value = float64(value) // as in Var
	t.slots = append(t.slots, slot{value, uint64(opConst)})
	return Term{value, t.generation, uint32(len(t.slots)-1) << 1}
}

// A run is a row of neighbours that are all leaves. Leaves come in runs, and
// are worth one entry for each run rather than one of their own. They are
// entered when somebody asks, not when they are made: recording a leaf is then
// as short as recording an operation.
type run struct {
	first  Node
	before uint32 // leaves before it
}

// count enters the leaves that have been made since it was last called.
func (t *Tape) count() {
	for ; int(t.counted) < len(t.slots); t.counted++ {
		if !t.IsLeaf(t.counted) || t.counted == 0 {
			continue
		}
		if t.counted != t.runEnd {
			t.runs = append(t.runs, run{t.counted, uint32(t.entered())})
		}
		t.runEnd = t.counted + 1
	}
}

// entered returns how many leaves count has entered.
func (t *Tape) entered() int {
	k := len(t.runs) - 1
	if k < 0 {
		return 0
	}
	return int(t.runs[k].before) + int(t.runEnd-t.runs[k].first)
}

// leaves returns how many leaves there are.
func (t *Tape) leaves() int {
	t.count()
	return t.entered()
}

// leavesBefore returns how many leaves there are below n.
func (t *Tape) leavesBefore(n Node) int {
	t.count()
	k := len(t.runs) // of the first run that is not below n
	if k > 0 && t.runs[k-1].first >= n {
		k = sort.Search(k, func(i int) bool { return t.runs[i].first >= n })
	}
	if k == 0 {
		return 0
	}
	end := t.leaves()
	if k < len(t.runs) {
		end = int(t.runs[k].before)
	}
	return min(int(t.runs[k-1].before)+int(n-t.runs[k-1].first), end)
}

// At returns node n, with the value it has now, for use in an expression.
func (t *Tape) At(n Node) Term {
	s := t.slots[n]
	ref := uint32(n) << 1
	if !s.constant() {
		ref |= live
	}
	return Term{s.value, t.generation, ref} // the generation is read last: t is alive until then
}

// Len returns how many nodes are on the tape, leaves included. They are the
// nodes 1 to Len.
func (t *Tape) Len() int { return len(t.slots) - 1 }

// Operations returns how many operations are on the tape: its nodes without
// the leaves.
func (t *Tape) Operations() int { return t.Len() - t.leaves() }

// Value returns the value of n.
func (t *Tape) Value(n Node) float64 {
	v := t.slots[n].value
	runtime.KeepAlive(t) // or its memory might be given back before the last use
	return v
}

// Op returns the operation that made n; IsLeaf tells those that none made.
func (t *Tape) Op(n Node) Op { return t.slots[n].op() }

// Parents returns the parents of n in the order of its arguments. A leaf has
// none (0, 0), an operation of one argument only x.
func (t *Tape) Parents(n Node) (x, y Node) {
	s := &t.slots[n]
	switch rules[s.op()].arity {
	case 0:
		return 0, 0
	case 1:
		return s.x(), 0
	}
	return s.x(), s.y()
}

// IsVariable reports whether n is a leaf made by Var.
func (t *Tape) IsVariable(n Node) bool { return t.slots[n].op() == opVar }

// IsLeaf reports whether n is a variable or a constant leaf.
func (t *Tape) IsLeaf(n Node) bool { return t.slots[n].op() <= opConst }

// IsConstant reports whether n depends on no variable.
func (t *Tape) IsConstant(n Node) bool { return t.slots[n].constant() }

// Number returns which operation n is, counted from 1 over the operations
// alone; 0 for a leaf. It costs a binary search among the runs of leaves.
func (t *Tape) Number(n Node) int {
	if t.IsLeaf(n) {
		return 0
	}
	return int(n) - t.leavesBefore(n)
}

// Operation returns the node whose Number is k, or 0 if there is none. It
// costs a binary search among the runs of leaves.
func (t *Tape) Operation(k int) Node {
	if k < 1 || k > t.Operations() {
		return 0
	}
	// A run has first-1-before operations below it.
	i := sort.Search(len(t.runs), func(i int) bool { return int(t.runs[i].first)-1-int(t.runs[i].before) >= k })
	if i == len(t.runs) {
		return Node(k + t.leaves())
	}
	return Node(k + int(t.runs[i].before))
}

// A Mark is a place on the tape to come back to.
type Mark struct{ nodes int }

// Mark returns the present end of the tape.
func (t *Tape) Mark() Mark { return Mark{len(t.slots)} }

// Rollback takes back every node made since m, which is a mark of this tape that
// nothing before it was taken back since. Terms made before are out of date
// afterwards; values that Set changed since stay changed.
func (t *Tape) Rollback(m Mark) {
	if m.nodes == len(t.slots) {
		return
	}
	if int(t.root) >= m.nodes {
		t.Forget()
	}
	t.slots = t.slots[:m.nodes]
	end := Node(m.nodes)
	k := len(t.runs)
	for k > 0 && t.runs[k-1].first >= end {
		k--
		t.runEnd = 0
		if k > 0 {
			t.runEnd = t.runs[k-1].first + Node(t.runs[k].before-t.runs[k-1].before)
		}
	}
	t.runs, t.runEnd, t.counted = t.runs[:k], min(t.runEnd, end), min(t.counted, end)
	t.expire()
}

// StopOn makes long work of this tape (Sweep, Set, Differentiate, Reach, Extract)
// look at flag now and then and give up with ErrStopped when it is set; nil:
// never.
func (t *Tape) StopOn(flag *atomic.Bool) { t.stop = flag }

// Limit makes Differentiate give up with ErrFull where the tape would get longer
// than n nodes; it may be a dozen longer then. Anything from 1 to MaxNodes is a
// limit, and MaxNodes is what a tape begins with. The constructors do not look.
func (t *Tape) Limit(n int) { t.limit = max(1, min(n, MaxNodes)) }

func (t *Tape) stopped() bool { return t.stop != nil && t.stop.Load() }

// ErrStopped is returned by work that the flag of StopOn ended early.
const ErrStopped = constError("engine: stopped")

type constError string

func (e constError) Error() string { return string(e) }

// Bytes returns the memory in use for nodes, adjoints, the places of leaves and
// what Differentiate keeps. The sets of nodes beside them, a bit a node, are not
// counted.
func (t *Tape) Bytes() int {
	return 16*len(t.slots) + 8*len(t.adjoints) + 8*len(t.runs) + 8*len(t.pending)
}
