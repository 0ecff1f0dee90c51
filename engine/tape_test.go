package engine

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
)

// Number and Operation are each other's inverse, whatever leaves lie between.
func TestNumbers(t *testing.T) {
	tape := NewTape()
	if tape.Len() != 0 || tape.Operations() != 0 || tape.Operation(1) != 0 {
		t.Fatal("a new tape is not empty")
	}
	r := rand.New(rand.NewPCG(1, 1))
	want := map[Node]int{}
	last := tape.Var(1)
	for i := range 3000 {
		switch r.IntN(5) {
		case 0:
			tape.Var(float64(i))
		case 1:
			tape.Const(float64(i))
		case 2:
			for range r.IntN(200) {
				tape.Var(0)
			}
		default:
			last = tape.Add(last, last)
			want[last.Node()] = len(want) + 1
		}
	}
	if tape.Operations() != len(want) {
		t.Fatalf("%d operations, want %d", tape.Operations(), len(want))
	}
	for n := Node(1); n <= Node(tape.Len()); n++ {
		k := tape.Number(n)
		if k != want[n] || tape.IsLeaf(n) != (k == 0) {
			t.Fatalf("Number(%d) = %d, want %d", n, k, want[n])
		}
		if k != 0 && tape.Operation(k) != n {
			t.Fatalf("Operation(%d) = %d, want %d", k, tape.Operation(k), n)
		}
	}
	for _, k := range []int{-1, 0, len(want) + 1} {
		if n := tape.Operation(k); n != 0 {
			t.Errorf("Operation(%d) = %d", k, n)
		}
	}
}

// What was taken back leaves no trace: what is recorded next is as on a tape
// that never had it.
func TestRollback(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		s := newSample(r, arithmetic, r.IntN(100), true)
		mark, nodes, ops := s.Mark(), s.Len(), s.Operations()
		if len(s.terms) > 1 { // a sweep from below the mark stays
			if err := s.Sweep(s.terms[0].Node()); err != nil {
				t.Fatal(err)
			}
		}
		for range r.IntN(300) {
			x := s.Var(r.Float64())
			s.Mul(x, s.Const(r.Float64()))
		}
		above := s.Len() > nodes
		if above {
			if err := s.Sweep(Node(s.Len())); err != nil {
				t.Fatal(err)
			}
		}
		if r.IntN(2) == 0 {
			s.Rollback(mark)
		} else {
			s.Rollback(Mark{nodes + 1})
		}
		if s.Len() != nodes || s.Operations() != ops || s.Mark() != mark {
			t.Fatalf("%d nodes, %d operations; want %d, %d", s.Len(), s.Operations(), nodes, ops)
		}
		if above && s.Root() != 0 {
			t.Fatalf("adjoints of node %d, which is gone", s.Root())
		}
		x := s.Var(3)
		y := s.Mul(x, x)
		if err := s.Sweep(y.Node()); err != nil {
			t.Fatal(err)
		}
		if s.Adjoint(x.Node()) != 6 || s.Number(y.Node()) != ops+1 {
			t.Fatalf("adjoint %v, number %d", s.Adjoint(x.Node()), s.Number(y.Node()))
		}
	}
}

func TestReset(t *testing.T) {
	tape := NewTape()
	x := tape.Var(2)
	if err := tape.Sweep(tape.Mul(x, x).Node()); err != nil {
		t.Fatal(err)
	}
	tape.Reset()
	if tape.Len() != 0 || tape.Operations() != 0 || tape.Root() != 0 {
		t.Fatal("not empty after Reset")
	}
	x = tape.Var(5)
	if err := tape.Sweep(tape.Mul(x, x).Node()); err != nil || tape.Adjoint(x.Node()) != 10 {
		t.Fatalf("%v, %v", tape.Adjoint(x.Node()), err)
	}
}

// A Term that is out of date must not be recorded with its old value.
func TestStaleTerm(t *testing.T) {
	for name, change := range map[string]func(*Tape, Node){
		"Set":      func(t *Tape, n Node) { _ = t.Set(n, 7) },
		"Rollback": func(t *Tape, n Node) { t.Var(1); t.Rollback(Mark{2}) },
		"Reset":    func(t *Tape, n Node) { t.Reset(); t.Var(1) },
		"other":    func(t *Tape, n Node) { *t = *NewTape(); t.Var(1) },
	} {
		tape := NewTape()
		x := tape.Var(2)
		change(tape, x.Node())
		func() {
			defer func() {
				if p := recover(); p != StaleTerm {
					t.Errorf("%s: panic %v", name, p)
				}
			}()
			tape.Add(x, x)
			t.Errorf("%s: a stale term was recorded", name)
		}()
		fresh := tape.At(x.Node())
		tape.Add(fresh, fresh)
	}
	if StaleTerm.Error() == "" || ErrStopped.Error() == "" || ErrFull.Error() == "" {
		t.Error("an error without text")
	}
}

func TestConstants(t *testing.T) {
	tape := NewTape()
	a, b := tape.Const(2), tape.Const(2)
	if a.Node() != b.Node() {
		t.Error("equal constants have two leaves")
	}
	if own := tape.NewConst(2); own.Node() == a.Node() {
		t.Error("NewConst shares a leaf")
	}
	if zero, minus := tape.Const(0), tape.Const(math.Copysign(0, -1)); zero.Node() == minus.Node() {
		t.Error("0 and -0 share a leaf")
	}
	nan := tape.Const(math.NaN())
	c := tape.Mul(a, nan)
	if !c.IsConstant() || !tape.IsConstant(c.Node()) || tape.IsLeaf(c.Node()) {
		t.Error("a product of constants is not a constant operation")
	}
	// After a rollback the leaf's place may hold anything.
	mark := tape.Mark()
	tape.Const(9)
	tape.Rollback(mark)
	x := tape.Var(9)
	if nine := tape.Const(9); nine.Node() == x.Node() {
		t.Error("a variable was taken for a constant")
	}
	// Nothing goes to a constant.
	y := tape.Mul(tape.Mul(x, tape.Const(3)), tape.Add(tape.Const(4), tape.Const(5)))
	if err := tape.Sweep(y.Node()); err != nil {
		t.Fatal(err)
	}
	for n := Node(1); n <= Node(tape.Len()); n++ {
		if tape.IsConstant(n) && (tape.Adjoint(n) != 0 || tape.Reached(n)) {
			t.Errorf("constant %d has adjoint %v", n, tape.Adjoint(n))
		}
	}
	if tape.Adjoint(x.Node()) != 27 {
		t.Errorf("adjoint %v, want 27", tape.Adjoint(x.Node()))
	}
	// A constant as target has adjoint 1 and that is all.
	if err := tape.Sweep(c.Node()); err != nil || tape.Adjoint(c.Node()) != 1 || tape.Adjoint(a.Node()) != 0 {
		t.Errorf("constant target: %v, %v, %v", tape.Adjoint(c.Node()), tape.Adjoint(a.Node()), err)
	}
	d, err := tape.Differentiate(c.Node())
	if _, ok := d.By(x.Node()); ok || err != nil {
		t.Errorf("derivative of a constant: %v, %v", ok, err)
	}
}

// Structural zeros: what the target does not use, or only behind a branch that
// is not taken, gets nothing at all.
func TestStructuralZeros(t *testing.T) {
	max, _ := Named("max")
	sqrt, _ := Named("sqrt")
	tape := NewTape()
	z, x := tape.Var(0), tape.Var(2)
	bad := tape.Apply(sqrt, z, z)
	three := tape.Mul(x, tape.Const(3))
	for _, y := range []Term{
		three,
		tape.Add(three, tape.ReLU(tape.Sub(tape.Const(-1), bad))),
		tape.Apply(max, tape.Sub(tape.Const(-1), bad), three),
		tape.Apply(max, tape.ReLU(tape.Neg(tape.Add(bad, tape.Mul(bad, bad)))), three),
	} {
		if err := tape.Sweep(y.Node()); err != nil {
			t.Fatal(err)
		}
		if gx, gz := tape.Adjoint(x.Node()), tape.Adjoint(z.Node()); gx != 3 || gz != 0 {
			t.Errorf("node %d: gradient %v, %v; want 3, 0", y.Node(), gx, gz)
		}
		d, err := tape.Differentiate(y.Node())
		if err != nil {
			t.Fatal(err)
		}
		compareDerivative(t, tape, y.Node(), d, []Node{x.Node(), z.Node()}, "structural zero")
	}
	// But a 0 that arithmetic made is handed on: sqrt(z)^2 is NaN at 0.
	y := tape.Power(bad, tape.Const(2))
	if err := tape.Sweep(y.Node()); err != nil {
		t.Fatal(err)
	}
	if g := tape.Adjoint(z.Node()); g == g {
		t.Errorf("sqrt(z)^2 at 0 has slope %v, want NaN", g)
	}
}

// The cost of a chain is in its length and nothing is on the stack.
func TestTenMillionNodes(t *testing.T) {
	const n = 10_000_000
	tape := NewTape()
	a := tape.Var(1)
	x := a
	for range n / 2 {
		x = tape.Neg(x)
		x = tape.Add(x, a)
	}
	if err := tape.Sweep(x.Node()); err != nil {
		t.Fatal(err)
	}
	if g := tape.Adjoint(a.Node()); g != 1 { // 1 - (1 - (1 - …)), an even number of times
		t.Errorf("slope %v", g)
	}
	if changed, err := tape.SetAndCount(a.Node(), 2); err != nil || changed != n/2+1 { // every other one is 0 again
		t.Errorf("%d changed, %v", changed, err)
	}
	if per := float64(tape.Bytes()) / n; per > 25 {
		t.Errorf("%v bytes a node", per)
	}
	count := 0
	for range tape.Reach(x.Node()) {
		count++
	}
	if count != n+1 {
		t.Errorf("reach %d", count)
	}
}

// Stopped work says so and leaves the tape as it was.
func TestStop(t *testing.T) {
	var flag atomic.Bool
	tape := NewTape()
	tape.StopOn(&flag)
	x := tape.Var(2)
	y := x
	for range 500_000 {
		y = tape.Mul(tape.Add(y, x), tape.Const(.25))
	}
	nodes := tape.Len()
	sum := func() (sum float64) {
		for n := 1; n <= nodes; n++ {
			sum += tape.Value(Node(n))
		}
		return sum
	}
	before := sum()
	flag.Store(true)
	if err := tape.Sweep(y.Node()); !errors.Is(err, ErrStopped) || tape.Root() != 0 || tape.Adjoint(x.Node()) != 0 {
		t.Errorf("Sweep: %v", err)
	}
	if err := tape.Trace(y.Node(), func(*Step) {}); !errors.Is(err, ErrStopped) || tape.Root() != 0 {
		t.Errorf("Trace: %v", err)
	}
	if n, err := tape.SetAndCount(x.Node(), 3); !errors.Is(err, ErrStopped) || n != 0 || sum() != before {
		t.Errorf("Set: %v, values changed: %v", err, sum() != before)
	}
	if err := tape.SetAll([]Node{x.Node(), x.Node()}, []float64{3, 4}); !errors.Is(err, ErrStopped) || sum() != before {
		t.Errorf("SetAll of one variable twice: %v", err)
	}
	if _, err := tape.Differentiate(y.Node()); !errors.Is(err, ErrStopped) || tape.Operations() != nodes-2 {
		t.Errorf("Differentiate: %v, %d operations", err, tape.Operations())
	}
	// Stopped in the middle: the flag is raised by the work itself.
	flag.Store(false)
	steps := 0
	err := tape.Trace(y.Node(), func(*Step) {
		if steps++; steps == 1000 {
			flag.Store(true)
		}
	})
	if !errors.Is(err, ErrStopped) || steps != 1000 {
		t.Errorf("Trace: %v after %d steps", err, steps)
	}
	// And everything works again afterwards.
	flag.Store(false)
	if err := tape.Sweep(y.Node()); err != nil {
		t.Error(err)
	}
	g := tape.Adjoint(x.Node())
	if err := tape.Set(x.Node(), 3); err != nil {
		t.Error(err)
	}
	tape.Rollback(Mark{nodes + 1})
	if err := tape.Sweep(Node(nodes)); err != nil || tape.Adjoint(x.Node()) != g {
		t.Errorf("slope %v, was %v, %v", tape.Adjoint(x.Node()), g, err)
	}
}

// A sweep visits what its target uses, and what the one before left is gone.
func TestSweepsDoNotMix(t *testing.T) {
	tape := NewTape()
	a, b := tape.Var(3), tape.Var(2)
	y := tape.Mul(a, b)
	z := tape.Add(y, a)
	want := map[Node][3]float64{y.Node(): {2, 3, 1}, z.Node(): {3, 3, 1}}
	for _, out := range []Node{y.Node(), z.Node(), y.Node(), y.Node()} {
		if err := tape.Sweep(out); err != nil {
			t.Fatal(err)
		}
		got := [3]float64{tape.Adjoint(a.Node()), tape.Adjoint(b.Node()), tape.Adjoint(y.Node())}
		if got != want[out] {
			t.Errorf("from %d: %v, want %v", out, got, want[out])
		}
	}
	var swept []Node
	for n := range tape.Swept() {
		swept = append(swept, n)
	}
	if len(swept) != 3 || swept[0] != y.Node() || swept[2] != a.Node() {
		t.Errorf("swept %v", swept)
	}
	// b = a + a, c = b + b: the contributions of both uses are added.
	c := tape.Add(tape.Add(a, a), tape.Add(a, a))
	if err := tape.Sweep(c.Node()); err != nil || tape.Adjoint(a.Node()) != 4 {
		t.Errorf("slope %v, want 4", tape.Adjoint(a.Node()))
	}
}

func TestReach(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 200 {
		s := newSample(r, allOps(), 100, true)
		outs := []Node{s.terms[r.IntN(len(s.terms))].Node(), s.terms[r.IntN(len(s.terms))].Node()}
		want := map[Node]bool{outs[0]: true, outs[1]: true}
		for n := Node(s.Len()); n > 0; n-- {
			if want[n] {
				x, y := s.Parents(n)
				want[x], want[y] = true, true
			}
		}
		delete(want, 0)
		last := Node(s.Len() + 1)
		for n := range s.Reach(outs...) {
			if n >= last || !want[n] {
				t.Fatalf("%d after %d, wanted: %v", n, last, want[n])
			}
			last = n
			delete(want, n)
		}
		if len(want) != 0 {
			t.Fatalf("not reached: %v", want)
		}
		// Left early it works again.
		for range s.Reach(outs...) {
			break
		}
		for n := range s.Reach(outs[0]) {
			if n != outs[0] {
				t.Fatalf("begins at %d, want %d", n, outs[0])
			}
			break
		}
	}
}

// A tape taken out has the same values, gradients and replays, and leaves its
// origin alone.
func TestExtract(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for i := range 300 {
		s := newSample(r, allOps(), 60, i%2 == 0)
		out := s.last()
		if i%3 == 0 { // far from the rest
			for range 5000 {
				s.Var(0)
			}
			x, y := s.At(out), s.At(s.vars[0])
			out = s.Mul(x, y).Node()
		}
		e, find, _ := s.Extract(out)
		size := 0
		for n := range s.Reach(out) {
			size++
			m := find(n)
			if m == 0 || e.Op(m) != s.Op(n) || !sameBits(e.Value(m), s.Value(n)) || e.IsConstant(m) != s.IsConstant(n) {
				t.Fatalf("node %d is %d", n, m)
			}
			x, y := s.Parents(n)
			if ex, ey := e.Parents(m); ex != find(x) || ey != find(y) {
				t.Fatalf("parents of %d", n)
			}
		}
		if e.Len() != size || find(0) != 0 || find(Node(s.Len()+1)) != 0 {
			t.Fatalf("%d nodes, want %d", e.Len(), size)
		}
		if err := e.Sweep(find(out)); err != nil {
			t.Fatal(err)
		}
		if err := s.Sweep(out); err != nil {
			t.Fatal(err)
		}
		for n := range s.Reach(out) {
			if !sameBits(e.Adjoint(find(n)), s.Adjoint(n)) {
				t.Fatalf("adjoint of %d: %v, want %v", n, e.Adjoint(find(n)), s.Adjoint(n))
			}
		}
		v := s.vars[0]
		was := s.Value(out)
		if find(v) == 0 {
			continue
		}
		if err := e.Set(find(v), 0.75); err != nil {
			t.Fatal(err)
		}
		if !sameBits(s.Value(out), was) {
			t.Fatal("the origin changed")
		}
		if err := s.Set(v, 0.75); err != nil {
			t.Fatal(err)
		}
		if !sameBits(e.Value(find(out)), s.Value(out)) {
			t.Fatalf("replayed to %v, want %v", e.Value(find(out)), s.Value(out))
		}
	}
}

// Where the system has no regions to offer, everything works on slices that grow.
func TestWithoutRegions(t *testing.T) {
	tape := &Tape{regions: new(regions), slots: make([]slot, 1), limit: MaxNodes}
	tape.expire()
	a, b := tape.Var(2), tape.Var(3)
	y := b
	for range 1000 {
		y = tape.Div(tape.Mul(tape.Add(a, y), a), b)
	}
	same := NewTape()
	a2, b2 := same.Var(2), same.Var(3)
	z := b2
	for range 1000 {
		z = same.Div(same.Mul(same.Add(a2, z), a2), b2)
	}
	for range 2 {
		if err := errors.Join(tape.Sweep(y.Node()), same.Sweep(z.Node())); err != nil {
			t.Fatal(err)
		}
		for n := Node(1); n <= Node(same.Len()); n++ {
			if !sameBits(tape.Adjoint(n), same.Adjoint(n)) || !sameBits(tape.Value(n), same.Value(n)) {
				t.Fatalf("node %d: adjoint %v, want %v", n, tape.Adjoint(n), same.Adjoint(n))
			}
		}
		for _, t2 := range []*Tape{tape, same} {
			if err := t2.SetAll([]Node{1, 2}, []float64{1.5, 2.5}); err != nil {
				t.Fatal(err)
			}
		}
	}
	d, err := tape.Differentiate(y.Node())
	if err != nil {
		t.Fatal(err)
	}
	compareDerivative(t, tape, y.Node(), d, []Node{1, 2}, "without regions")
}

// More tapes at a time than may hold regions: the others work as well.
func TestManyTapes(t *testing.T) {
	tapes := make([]*Tape, mostReserved+50)
	for i := range tapes {
		tapes[i] = NewTape()
	}
	for _, tape := range tapes {
		a, b := tape.Var(2), tape.Var(3)
		y := tape.Mul(tape.Add(a, b), a)
		if err := tape.Sweep(y.Node()); err != nil {
			t.Fatal(err)
		}
		if tape.Adjoint(a.Node()) != 7 || tape.Adjoint(b.Node()) != 2 {
			t.Fatal("a wrong gradient")
		}
	}
}
