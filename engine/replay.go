package engine

import (
	"math"
	"slices"
)

// Set gives the variable n a new value and replays the tape: every node that
// came after it and depends on variables is evaluated again, in order. It
// returns how many nodes have another value now, the variable included.
// Values are compared by their bits, but one NaN is as good as another.
//
// The cost is one pass over the tape from n on. The error is ErrStopped or
// nil; a stopped Set has put every value back, which may take as long again.
// Terms made before are out of date afterwards; adjoints of the last sweep are
// kept and belong to the old values.
func (t *Tape) Set(n Node, value float64) (changed int, err error) {
	return t.SetAll([]Node{n}, []float64{value})
}

// SetAll is Set for several variables with a single replay.
func (t *Tape) SetAll(vars []Node, values []float64) (changed int, err error) {
	first := Node(len(t.slots))
	was := make([]float64, len(vars))
	for i, n := range vars {
		s := &t.slots[n]
		was[i] = s.value
		if math.Float64bits(was[i]) != math.Float64bits(values[i]) {
			s.value = values[i]
			changed++
			first = min(first, n)
		}
	}
	t.expire()
	const stretch = 1 << 17 // nodes between two looks at the stop flag
	for low := int(first) + 1; low < len(t.slots); low += stretch {
		high := min(low+stretch, len(t.slots))
		changed += t.replay(low, high)
		if t.stopped() {
			for i, n := range slices.Backward(vars) { // backward: one may stand there twice
				t.slots[n].value = was[i]
			}
			t.replay(int(first)+1, high)
			return 0, ErrStopped
		}
	}
	return changed, nil
}

// replay evaluates the nodes from low up to high, high not included, and
// returns how many changed. Like the sweep it has the commonest rows of the
// table written out, and keeps the values of the two nodes before in registers:
// waiting for them to come back from memory took half the time.
func (t *Tape) replay(low, high int) (changed int) {
	if cap(t.slots) <= MaxNodes {
		return t.replayByTable(low, high)
	}
	slots := (*[MaxNodes + 1]slot)(t.slots[:MaxNodes+1]) // no bounds checks, as in sweepDown
	last := slots[(low-1)&nodeMask].value                // of node i-1 …
	older := slots[max(low-2, 0)&nodeMask].value         // … and i-2
	for i := uint64(low); i < uint64(high); i++ {
		s := &slots[i&nodeMask]
		link := s.link
		a, b := link&nodeMask, link>>refBits&nodeMask
		x, y := last, last
		if a != i-1 {
			if x = older; a != i-2 {
				x = slots[a].value
			}
		}
		if b != i-1 {
			y = slots[b].value
		}
		older = last
		was := s.value
		var z float64
		switch op := link >> opShift; op {
		case uint64(OpAdd):
			z = x + y
		case uint64(OpSub):
			z = x - y
		case uint64(OpMul):
			z = x * y
		case uint64(OpDiv):
			z = x / y
		case uint64(OpNeg):
			z = -x
		case uint64(OpReLU):
			z = max(x, 0)
		case uint64(opVar): // apart from opConst: eight cases make a table of jumps
			last = was
			continue
		case uint64(opConst):
			last = was
			continue
		default:
			if link&liveLinks == 0 {
				last = was
				continue
			}
			z = rules[op].value(x, y)
		}
		s.value = z // always: to store only what changed is slower
		last = z
		if math.Float64bits(z) != math.Float64bits(was) && (z == z || was == was) { // two NaN count as equal
			changed++
		}
	}
	return changed
}

// replayByTable is replay without the rows written out and without regions.
func (t *Tape) replayByTable(low, high int) (changed int) {
	for i := low; i < high; i++ {
		s := &t.slots[i]
		if s.op() <= opConst || s.constant() {
			continue
		}
		z := rules[s.op()].value(t.slots[s.x()].value, t.slots[s.y()].value)
		if math.Float64bits(z) != math.Float64bits(s.value) && (z == z || s.value == s.value) {
			changed++
		}
		s.value = z
	}
	return changed
}
