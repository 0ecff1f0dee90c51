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
// bits, but one NaN is as good as another. It takes two to three times as long as
// Set.
func (t *Tape) SetAndCount(n Node, value float64) (changed int, err error) {
	if differs(t.slots[n].value, value) {
		changed = 1
	}
	err = t.set([]Node{n}, []float64{value}, func(low, high int) { changed += t.replayAndCount(low, high) })
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

// replay evaluates the nodes from low up to high, high not included.
func (t *Tape) replay(low, high int) {
	if t.regions.held {
		t.replayUp(low, high)
		return
	}
	for i := low; i < high; i++ {
		s := &t.slots[i]
		s.value = s.again(t.slots[s.x()].value, t.slots[s.y()].value)
	}
}

// replayAndCount is replay that returns how many of the nodes have another value
// now. It looks at so few at a time that they are still in the nearest cache.
func (t *Tape) replayAndCount(low, high int) (changed int) {
	var was [512]float64
	for ; low < high; low += len(was) {
		part := t.slots[low:min(low+len(was), high)]
		for i := range part {
			was[i] = part[i].value
		}
		t.replay(low, low+len(part))
		for i := range part {
			if differs(was[i], part[i].value) {
				changed++
			}
		}
	}
	return changed
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
