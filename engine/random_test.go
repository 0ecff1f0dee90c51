package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A sample is a random tape: variables, then operations over the whole table.
type sample struct {
	*Tape
	vars  []Node
	terms []Term
}

// special are the values at which rules go wrong.
var special = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2, math.Inf(1), math.Inf(-1), math.NaN(), 1e200, -1e-200, 710}

// newSample records n operations taken from ops. With rough set, values are
// often special; otherwise a node with a value that is not a moderate number,
// or not a smooth point, is taken back and another one tried.
func newSample(r *rand.Rand, ops []Op, n int, rough bool) *sample {
	s := &sample{Tape: NewTape()}
	value := func() float64 {
		if rough && r.IntN(2) == 0 {
			return special[r.IntN(len(special))]
		}
		return math.Round(r.NormFloat64()*1000) / 500
	}
	for range 1 + r.IntN(4) {
		v := s.Var(value())
		s.vars = append(s.vars, v.Node())
		s.terms = append(s.terms, v)
	}
	for tries := 0; s.Operations() < n && tries < 20*n; tries++ {
		pick := func() Term {
			switch r.IntN(8) {
			case 0:
				return s.Const(value())
			case 1, 2: // a long way back
				return s.terms[r.IntN(len(s.terms))]
			}
			return s.terms[max(0, len(s.terms)-1-r.IntN(6))]
		}
		op := ops[r.IntN(len(ops))]
		x, y := pick(), pick()
		switch {
		case op.Arity() == 1:
			y = x
		case op == OpPower && r.IntN(4) != 0:
			y = s.Const(float64(r.IntN(9) - 4))
		case r.IntN(12) == 0:
			y = x
		}
		if !rough {
			z := rules[op].value(x.Value(), y.Value())
			if z != z || math.Abs(z) > 30 || z != 0 && math.Abs(z) < 1e-3 || op.Corner(x.Value(), y.Value()) != "" || op.Domain(x.Value(), y.Value()) != "" {
				continue
			}
		}
		if rough && r.IntN(6) == 0 { // a sum of products, or almost: the sweep has a way of its own for it
			last := s.terms[len(s.terms)-1]
			product := s.Mul(pick(), pick())
			x, y, op = last, product, []Op{OpAdd, OpSub, OpMul}[r.IntN(3)]
			s.terms = append(s.terms, product)
		}
		mark := s.Mark()
		z := s.Apply(op, x, y)
		if slope := math.Abs(s.Slope(z.Node(), 0)) + math.Abs(s.Slope(z.Node(), 1)); !rough && !(slope < 1e4) {
			s.Rollback(mark)
			s.refresh()
			continue
		}
		s.terms = append(s.terms, z)
	}
	return s
}

func (s *sample) last() Node { return s.terms[len(s.terms)-1].Node() }

// refresh takes the terms again after Set.
func (s *sample) refresh() {
	for i, x := range s.terms {
		s.terms[i] = s.At(x.Node())
	}
}

// allOps are all rows that record something; userOps those that users can.
func allOps() (ops []Op) {
	for op := range operations {
		ops = append(ops, op)
	}
	return ops
}

func userOps() []Op {
	ops := append(Functions(), OpAdd, OpSub, OpMul, OpDiv, OpNeg)
	return slices.DeleteFunc(ops, func(op Op) bool { return op.String() == "sign" })
}

// arithmetic are the rows with cases of their own in sweep and replay.
var arithmetic = []Op{OpAdd, OpSub, OpMul, OpDiv, OpNeg, OpReLU, OpPower}

func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// Sweep has its commonest rows written out, Trace goes by the table: they have
// to agree in every bit of every adjoint, also where numbers end.
func TestSweepAgreesWithTrace(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 600 {
		ops := arithmetic
		if i%2 == 1 {
			ops = allOps()
		}
		if i%5 == 0 { // without regions, as when there are too many tapes
			reserved.Add(mostReserved)
		}
		s := newSample(r, ops, 1+r.IntN(300), i%3 != 0)
		if i%5 == 0 {
			reserved.Add(-mostReserved)
		}
		for range 3 {
			out := s.terms[r.IntN(len(s.terms))].Node()
			if !s.regions.held || i%3 == 0 {
				if err := s.Sweep(out); err != nil {
					t.Fatal(err)
				}
			} else { // in stretches that end anywhere
				s.begin(out)
				for n, limit := out, 1+r.Uint64N(70); n != 0; {
					n = s.sweepDown(n, limit)
				}
			}
			swept := make([]float64, s.Len()+1)
			reached := make([]bool, len(swept))
			for n := range swept {
				swept[n], reached[n] = s.Adjoint(Node(n)), s.Reached(Node(n))
			}
			last := out + 1
			err := s.Trace(out, func(st *Step) {
				if st.Node >= last {
					t.Fatalf("node %d was visited after %d", st.Node, last)
				}
				last = st.Node
				if !sameBits(st.Adjoint, swept[st.Node]) {
					t.Fatalf("sample %d: node %d (%s): %v in a sweep, %v in a trace", i, st.Node, s.Op(st.Node), swept[st.Node], st.Adjoint)
				}
				for _, c := range st.Gives {
					x, y := s.Parents(st.Node)
					if c.To != [2]Node{x, y}[c.Argument] || s.IsConstant(c.To) {
						t.Fatalf("contribution of %d to %d", st.Node, c.To)
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			for n := range swept {
				if !sameBits(s.Adjoint(Node(n)), swept[n]) || s.Reached(Node(n)) != reached[n] {
					t.Fatalf("sample %d: node %d: %v, reached %v in a sweep; %v, %v in a trace", i, n, swept[n], reached[n], s.Adjoint(Node(n)), s.Reached(Node(n)))
				}
			}
			s.Forget()
			for n, g := range s.adjoints {
				if math.Float64bits(g) != 0 {
					t.Fatalf("sample %d: node %d was left with %v", i, n, g)
				}
			}
			checkEmpty(t, &s.reached)
		}
	}
}

// Where both parents are the node before, which has an adjoint already, the
// order of the two additions is in the last bit: y before x, as in the table.
func TestSweepOfOneNodeTwice(t *testing.T) {
	for _, op := range arithmetic {
		tape := NewTape()
		a := tape.Var(1.7)
		p := tape.Mul(a, a)
		q := tape.Apply(op, p, p)
		out := tape.Add(q, tape.Mul(p, tape.Const(.1)))
		if err := tape.Sweep(out.Node()); err != nil {
			t.Fatal(err)
		}
		swept := tape.Adjoint(p.Node())
		if err := tape.Trace(out.Node(), func(*Step) {}); err != nil {
			t.Fatal(err)
		}
		if traced := tape.Adjoint(p.Node()); !sameBits(swept, traced) {
			t.Errorf("%s: %v in a sweep, %v in a trace", op, swept, traced)
		}
	}
}

// A sweep in several stretches, from targets beside the place where one ends.
func TestSweepFromTheEndsOfStretches(t *testing.T) {
	tape := NewTape()
	a := tape.Var(1)
	x := a
	for tape.Len() < 2*sweepStretch+2 {
		x = tape.Add(x, a)
	}
	for _, n := range []Node{sweepStretch - 1, sweepStretch, sweepStretch + 1, 2*sweepStretch - 1, 2 * sweepStretch, 2*sweepStretch + 1} {
		if err := tape.Sweep(n); err != nil {
			t.Fatal(err)
		}
		if g := tape.Adjoint(a.Node()); g != float64(n) {
			t.Errorf("from node %d: %v, want as much as its number", n, g)
		}
	}
}

// The cases of the sweep against their rows, one operation at a time on every
// pair of special values and every special adjoint.
func TestSweepAgreesWithRows(t *testing.T) {
	for _, op := range arithmetic {
		for _, vx := range special {
			for _, vy := range special {
				for _, seed := range special {
					tape := NewTape()
					x, y := tape.Var(vx), tape.Var(vy)
					z := tape.Apply(op, x, y)
					out := tape.Mul(z, tape.Const(seed)) // gives z the adjoint seed
					if err := tape.Sweep(out.Node()); err != nil {
						t.Fatal(err)
					}
					for i, v := range []Term{x, y}[:op.Arity()] {
						want, live := tape.contribution(z.Node(), i, seed)
						want += 0 // never -0
						got := tape.Adjoint(v.Node())
						if !sameBits(got, want) || live != tape.Reached(v.Node()) {
							t.Fatalf("%s(%v, %v), adjoint %v: %v to argument %d, the row has %v", op, vx, vy, seed, got, i, want)
						}
					}
				}
			}
		}
	}
}

// Replay has rows written out too.
func TestReplayAgreesWithRecording(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 400 {
		ops := arithmetic
		if i%2 == 1 {
			ops = allOps()
		}
		s := newSample(r, ops, 200, i%3 != 0)
		before := make([]float64, s.Len()+1)
		for n := range before {
			before[n] = s.Value(Node(n))
		}
		values := make([]float64, len(s.vars))
		for j := range values {
			values[j] = s.Value(s.vars[j])
			if r.IntN(3) > 0 {
				values[j] = special[r.IntN(len(special))]
			}
		}
		count, changed := 0, 0
		var err error
		if i%4 < 2 {
			err = s.SetAll(s.vars, values)
		} else {
			changed, err = s.SetAndCount(s.vars[0], values[0])
		}
		if err != nil {
			t.Fatal(err)
		}
		for n := Node(1); n <= Node(s.Len()); n++ {
			if !sameBits(before[n], s.Value(n)) {
				count++
			}
			if s.IsLeaf(n) {
				continue
			}
			x, y := s.Parents(n)
			if y == 0 {
				y = x
			}
			if want := rules[s.Op(n)].value(s.Value(x), s.Value(y)); !sameBits(s.Value(n), want) {
				t.Fatalf("%s(%v, %v) = %v after Set, want %v", s.Op(n), s.Value(x), s.Value(y), s.Value(n), want)
			}
		}
		if i%4 >= 2 && count != changed {
			t.Fatalf("%d nodes changed, SetAndCount says %d", count, changed)
		}
	}
}

// Recorded derivatives against swept ones, over the full table and where
// numbers end, when recorded and after the variables have moved.
func TestDerivativeAgreesWithSweep(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 1500 {
		s := newSample(r, userOps(), 1+r.IntN(40), i%2 == 1)
		out := s.last()
		d, err := s.Differentiate(out)
		if err != nil {
			t.Fatal(err)
		}
		for move := range 4 {
			compareDerivative(t, s.Tape, out, d, s.vars, fmt.Sprint("sample ", i, " move ", move))
			if t.Failed() {
				describe(t, s.Tape, out)
				t.FailNow()
			}
			values := make([]float64, len(s.vars))
			for j := range values {
				if values[j] = r.NormFloat64(); r.IntN(2) == 0 {
					values[j] = special[r.IntN(len(special))]
				}
			}
			if err := s.SetAll(s.vars, values); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// describe logs what out is made from.
func describe(t *testing.T, tape *Tape, out Node) {
	for n := range tape.Reach(out) {
		x, y := tape.Parents(n)
		t.Logf("%d = %s(%d, %d) = %v", n, tape.Op(n), x, y, tape.Value(n))
	}
}

// First derivatives against differences through replay, and second ones
// against differences of first ones.
func TestDerivativesAgainstDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	first, second := 0, 0
	for i := range 6000 {
		s := newSample(r, userOps(), 1+r.IntN(12), false)
		out := s.last()
		d, err := s.Differentiate(out)
		if err != nil {
			t.Fatal(err)
		}
		v := s.vars[r.IntN(len(s.vars))]
		dv, ok := d.By(v)
		if !ok {
			continue
		}
		dd, err := s.Differentiate(dv)
		if err != nil {
			t.Fatal(err)
		}
		w := s.vars[r.IntN(len(s.vars))]
		at := func(n, by Node) func(float64) float64 {
			return func(x float64) float64 {
				if err := s.Set(by, x); err != nil {
					t.Fatal(err)
				}
				return s.Value(n)
			}
		}
		check := func(n, by Node, got float64, count *int) {
			was := s.Value(by)
			want, e := difference(at(n, by), was)
			if err := s.Set(by, was); err != nil {
				t.Fatal(err)
			}
			// Where the differences have not settled a kink or a pole is near.
			if scale := max(math.Abs(want), 1e-3); !(e < 1e-7*scale) || scale > 1e6 {
				return
			}
			*count++
			if !near(got, want, 1e-6, 1e-3) {
				describe(t, s.Tape, n)
				t.Fatalf("sample %d: derivative of %d by %d is %v, differences say %v (%.1g)", i, n, by, got, want, e)
			}
		}
		if err := s.Sweep(out); err != nil {
			t.Fatal(err)
		}
		check(out, v, s.Adjoint(v), &first)
		got := 0.0
		if n, ok := dd.By(w); ok {
			got = s.Value(n)
		}
		check(dv, w, got, &second)
	}
	t.Logf("%d first and %d second derivatives compared", first, second)
	if first < 2500 || second < 2500 {
		t.Errorf("too few compared: %d first, %d second", first, second)
	}
}
