package engine

// A Derivative holds the adjoints of one target as nodes on the tape.
type Derivative struct {
	target Node
	of     map[Node]Node // adjoint of each node that the target depends on
}

// Differentiate is Sweep with the adjoints recorded as nodes, so that they can
// be used in expressions and differentiated again, and follow when Set moves a
// variable: what is recorded does not depend on values, only on the operations
// (a corner is recorded as the selection it makes, not as the branch taken
// today).
//
// It records about three nodes for each operation that target uses, once for
// all variables. The error is ErrStopped or nil; a stopped call leaves its
// nodes behind, to be taken back with Rollback.
func (t *Tape) Differentiate(target Node) (Derivative, error) {
	d := Derivative{target, map[Node]Node{}}
	if t.IsConstant(target) {
		return d, nil
	}
	d.of[target] = t.Const(1).Node()
	t.marks.grow(target)
	t.marks.insert(target)
	var err error
	for n := target; n != 0; n = t.marks.below(n) {
		t.marks.remove(n)
		if err == nil && t.stopped() {
			err = ErrStopped
		}
		if err != nil {
			continue // only empties the set
		}
		s := t.slots[n]
		z := t.At(n)
		in := [4]Term{t.At(s.x()), t.At(s.y()), z, t.At(d.of[n])}
		for i := range rules[s.op()].arity {
			f := t.gives(n, i)
			if f == nil {
				continue
			}
			parent := in[i].Node()
			c := f.record(t, &in)
			if sum, ok := d.of[parent]; ok {
				c = t.fold(OpAdd, t.At(sum), c)
			}
			d.of[parent] = c.Node()
			t.marks.insert(parent)
		}
	}
	return d, err
}

// By returns the node of the derivative by n; ok is false where the target
// does not depend on n, or no derivative ever flows to it: it is then 0.
func (d Derivative) By(n Node) (derivative Node, ok bool) {
	derivative, ok = d.of[n]
	return derivative, ok
}

// Target returns the node that was differentiated.
func (d Derivative) Target() Node { return d.target }
