package engine

import (
	"math"
	"slices"
)

// Set gives the variable n a new value and replays the tape: every node that
// came after it and depends on variables is evaluated again, in order.
//
// The cost is one pass over the tape from n on. The error is ErrStopped or
// nil; a stopped Set has put every value back, which may take as long again.
// Terms made before are out of date afterwards; adjoints of the last sweep are
// kept and belong to the old values.
func (t *Tape) Set(n Node, value float64) error {
	return t.SetAll([]Node{n}, []float64{value})
}

// SetAll is Set for several variables with a single replay.
func (t *Tape) SetAll(vars []Node, values []float64) error {
	return t.set(vars, values, t.replay)
}

// SetAndCount is Set that also returns how many nodes have another value now,
// the variable included; 0 when it was stopped. Values are compared by their
// bits, but one NaN is as good as another. It takes about three times as long
// as Set.
func (t *Tape) SetAndCount(n Node, value float64) (changed int, err error) {
	if differs(t.slots[n].value, value) {
		changed = 1
	}
	err = t.set([]Node{n}, []float64{value}, func(low, high int) { changed += t.replayByTable(low, high) })
	if err != nil {
		return 0, err
	}
	return changed, nil
}

// set is SetAll with a choice of how to replay the nodes from low up to high.
func (t *Tape) set(vars []Node, values []float64, replay func(low, high int)) error {
	first := len(t.slots)
	was := make([]float64, len(vars))
	for i, n := range vars {
		s := &t.slots[n]
		was[i] = s.value
		if math.Float64bits(was[i]) != math.Float64bits(values[i]) {
			s.value = values[i]
			first = min(first, int(n))
		}
	}
	t.expire()
	const stretch = 1 << 17 // nodes between two looks at the stop flag
	for low := first + 1; low < len(t.slots); low += stretch {
		high := min(low+stretch, len(t.slots))
		replay(low, high)
		if t.stopped() {
			for i, n := range slices.Backward(vars) { // backward: one may stand there twice
				t.slots[n].value = was[i]
			}
			t.replay(first+1, high)
			return ErrStopped
		}
	}
	return nil
}

// replay evaluates the nodes from low up to high, high not included. Like the
// sweep it has the commonest rows of the table written out, and keeps the value
// of the node before in a register: waiting for it to come back from memory
// took half the time. The cases are tried in order, the commonest first, which
// takes a fifth less than a table of jumps.
func (t *Tape) replay(low, high int) {
	if cap(t.slots) <= MaxNodes {
		t.replayByTable(low, high)
		return
	}
	slots := (*[MaxNodes + 1]slot)(t.slots[:MaxNodes+1]) // no bounds checks, as in sweepDown
	last := slots[(low-1)&nodeMask].value                // of node i-1
	for i := uint64(low); i < uint64(high); i++ {
		link := slots[i&nodeMask].link
		a, b := link&nodeMask, uint64(uint32(link>>refBits)&nodeMask)
		var x, y float64
		if a == i-1 {
			x = last
			y = slots[b].value
		} else {
			x = slots[a].value
			if b == i-1 {
				y = last
			} else {
				y = slots[b].value
			}
		}
		switch op := Op(link >> opShift); {
		case op == OpAdd:
			last = x + y
		case op == OpMul:
			last = x * y
		case op == OpSub:
			last = x - y
		case op == OpDiv:
			last = x / y
		case op == OpReLU:
			last = max(x, 0)
		default:
			last = t.slots[i].again(x, y)
		}
		slots[i&nodeMask].value = last // always: to store only what changed is slower
	}
}

// again returns the value that the operation of s has for x and y. A leaf keeps
// its own, and so does what depends on no variable.
func (s *slot) again(x, y float64) float64 {
	if s.op() <= opConst || s.constant() {
		return s.value
	}
	return rules[s.op()].value(x, y)
}

// differs reports whether x is another value than y: one NaN is as good as another.
func differs(x, y float64) bool {
	return math.Float64bits(x) != math.Float64bits(y) && (x == x || y == y)
}

// replayByTable is replay without the rows written out and without regions. It
// returns how many of the nodes have another value now.
func (t *Tape) replayByTable(low, high int) (changed int) {
	for i := low; i < high; i++ {
		s := &t.slots[i]
		was := s.value
		s.value = s.again(t.slots[s.x()].value, t.slots[s.y()].value)
		if differs(was, s.value) {
			changed++
		}
	}
	return changed
}
