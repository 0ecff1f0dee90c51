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
// table written out.
func (t *Tape) replay(low, high int) (changed int) {
	slots := t.slots[:high]
	for i := low; i < high; i++ {
		s := &slots[i]
		link := s.link
		x := slots[link&nodeMask].value
		y := slots[link>>refBits&nodeMask].value
		var z float64
		switch op := Op(link >> opShift); op {
		case OpAdd:
			z = x + y
		case OpSub:
			z = x - y
		case OpMul:
			z = x * y
		case OpDiv:
			z = x / y
		case OpNeg:
			z = -x
		case OpReLU:
			z = relu(x)
		case opVar, opConst:
			continue
		default:
			if link&liveLinks == 0 {
				continue
			}
			z = rules[op].value(x, y)
		}
		if math.Float64bits(z) != math.Float64bits(s.value) {
			if z == z || s.value == s.value { // two NaN count as equal
				changed++
			}
			s.value = z
		}
	}
	return changed
}
