package engine

import (
	"iter"
	"slices"
)

// Reach yields the nodes that any of outs is made from, themselves included,
// newest to oldest. Constants count, and so does the branch of a max that is
// not taken: this is what the expression mentions, whatever its values. The
// cost is in proportion to the nodes yielded. While it is looped over there may be
// no other Reach, Extract or Differentiate of the tape. Like all long work it ends
// early when the flag of StopOn is set: who loops over it looks at the flag
// afterwards.
func (t *Tape) Reach(outs ...Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		end := slices.Max(outs)
		t.marks.grow(end)
		for _, n := range outs {
			t.marks.insert(n)
		}
		more, yielded := true, 0
		for n := t.marks.below(end + 1); n != 0; n = t.marks.below(n) {
			t.marks.remove(n)
			if !more {
				continue // only empties the set
			}
			x, y := t.Parents(n)
			if x != 0 {
				t.marks.insert(x)
			}
			if y != 0 {
				t.marks.insert(y)
			}
			more = yield(n)
			if yielded++; yielded&0xffff == 0 && t.stopped() {
				more = false
			}
		}
	}
}

// Extract returns a tape of its own that holds what outs are made from and
// nothing else, in the same order, and a function that finds a node of t on it
// (0 if it is not there). Replaying or sweeping it leaves t alone; it shares the
// stop flag of t and has its limit. The error is ErrStopped or nil.
func (t *Tape) Extract(outs ...Node) (*Tape, func(Node) Node, error) {
	const stretch = 1 << 16 // nodes between two looks at the stop flag
	var old []Node
	for n := range t.Reach(outs...) {
		if old = append(old, n); len(old) == stretch {
			old = slices.Grow(old, int(n)) // copied now, or again and again
		}
	}
	if t.stopped() {
		return nil, nil, ErrStopped
	}
	slices.Reverse(old)
	first, last := old[0], old[len(old)-1]
	var place []Node // of each node from first to last, where that is worth its memory
	if span := int(last-first) + 1; span <= 8*len(old) {
		place = make([]Node, span)
		for i, n := range old {
			place[n-first] = Node(i + 1)
		}
	}
	find := func(n Node) Node {
		if n < first || n > last {
			return 0
		}
		if place != nil {
			return place[n-first]
		}
		i, ok := slices.BinarySearch(old, n)
		if !ok {
			return 0
		}
		return Node(i + 1)
	}
	e := NewTape()
	e.stop, e.limit = t.stop, t.limit
	for i, n := range old {
		if i%stretch == 0 && t.stopped() {
			return nil, nil, ErrStopped
		}
		s := t.slots[n]
		if !t.IsLeaf(n) {
			// Of one argument: y stands for x again.
			s.link = s.link&(xLive|yLive|opMask) | uint64(find(s.y()))<<yShift | uint64(find(s.x()))<<xShift
		}
		e.slots = append(e.slots, s)
	}
	return e, find, nil
}

// Swept yields the nodes that the last sweep reached, newest to oldest,
// constants left out.
func (t *Tape) Swept() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for n := t.root; n != 0; n = t.reached.below(n) {
			if t.Reached(n) && !yield(n) {
				return
			}
		}
	}
}
