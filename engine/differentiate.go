package engine

import "slices"

// A Derivative holds the derivatives of one target, by everything it is made
// from, as nodes on the tape.
type Derivative struct {
	// What the target depends on, newest first, and the adjoint of each.
	nodes, adjoints []Node
}

// pending is what Differentiate knows so far about a node it has yet to visit.
type pending struct {
	adjoint Node // the sum of the contributions so far
	// taken is a node whose value is > 0, or NaN, where some branch to this
	// node is taken, and <= 0 where none is; 0 when one always is.
	taken Node
}

// Differentiate is Sweep with the adjoints recorded as nodes, so that they can
// be used in expressions and differentiated again, and follow when Set moves a
// variable: what is recorded does not depend on values, only on the operations.
// A corner is recorded as the selection it makes, not as the branch taken
// today, and what lies behind a selection gets nothing where its branch is not
// taken, not even 0 times infinity, exactly as in a sweep.
//
// It records about three nodes for each operation that target uses, once for
// all variables; the result holds 8 bytes for each. The error is ErrStopped,
// ErrFull or nil; after an error the nodes made so far are left, to be taken
// back with Rollback.
func (t *Tape) Differentiate(target Node) (Derivative, error) {
	var d Derivative
	if t.IsConstant(target) {
		return d, nil
	}
	t.pending = extend(t.pending, int(target)+1)
	t.pending[target].adjoint = t.Const(1).Node()
	t.marks.grow(target)
	t.marks.insert(target)
	var err error
	for n := target; n != 0; n = t.marks.below(n) {
		p := t.pending[n]
		t.pending[n] = pending{}
		t.marks.remove(n)
		switch {
		case err != nil:
			continue // only empties the set
		case t.stopped():
			err = ErrStopped
			continue
		case t.Len() > min(t.limit, MaxNodes-64): // a visit records a dozen
			err = ErrFull
			continue
		}
		d.nodes, d.adjoints = append(d.nodes, n), append(d.adjoints, p.adjoint)
		t.differentiate(n, p)
	}
	return d, err
}

// differentiate records the contributions of n, which has got p.
func (t *Tape) differentiate(n Node, p pending) {
	s := t.slots[n]
	since := Node(t.Len())
	in := [4]Term{t.At(s.x()), t.At(s.y()), t.At(n), t.At(p.adjoint)}
	for i := rules[s.op()].arity - 1; i >= 0; i-- { // y before x, as a sweep has it
		f := t.gives(n, i)
		if f == nil {
			continue
		}
		c, taken := f.record(t, &in, since), p.taken
		if branch := rules[s.op()].branches[i]; branch != nil {
			taken = branch.record(t, &in, since).Node()
		}
		if p.taken != 0 {
			// Where n itself is behind a branch not taken its adjoint is 0, and
			// would meet an infinite factor here. A factor of 1 or -1 is harmless.
			if len(f) > 2 {
				c = t.fold(opKeep, t.At(p.taken), c, since)
			}
			if taken != p.taken {
				taken = t.fold(opKeep, t.At(p.taken), t.At(taken), since).Node()
			}
		}
		to := &t.pending[in[i].Node()]
		if to.adjoint == 0 {
			*to = pending{c.Node(), taken}
			t.marks.insert(in[i].Node())
			continue
		}
		to.adjoint = t.fold(OpAdd, t.At(to.adjoint), c, since).Node()
		switch {
		case to.taken == 0 || taken == 0:
			to.taken = 0
		case to.taken != taken:
			to.taken = t.fold(opMax, t.At(to.taken), t.At(taken), since).Node()
		}
	}
}

// By returns the node of the derivative by n; ok is false where the target
// does not depend on n, or no derivative ever flows to it: it is then 0. It
// costs a binary search among the nodes that the target depends on.
func (d Derivative) By(n Node) (derivative Node, ok bool) {
	i, ok := slices.BinarySearchFunc(d.nodes, n, func(have, want Node) int { return int(want) - int(have) })
	if !ok {
		return 0, false
	}
	return d.adjoints[i], true
}

// ErrFull is returned by Differentiate when the tape would get longer than its
// Limit.
const ErrFull = constError("engine: the tape is full")
