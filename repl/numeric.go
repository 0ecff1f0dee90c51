package repl

import (
	"math"

	"scalargrad/engine"
)

// A probe finds derivatives by moving one variable and looking at what becomes
// of the target. It replays a tape of its own, and remembers on which side of
// every corner the evaluation was, so that a step over a corner is not taken
// for a slope.
type probe struct {
	tape    *engine.Tape
	in, out engine.Node
	x, y    float64 // the point, and the target's value there
	hinges  []hinge
	waves   []wave
	doubt   doubt   // how far the derivative to be judged may be off
	blur    float64 // how much rounding may move the target's value
	largest float64 // |value| seen with the steps of one run
	err     error   // the work was stopped
}

// A hinge is an operation that has another formula on either side of a corner.
type hinge struct {
	node engine.Node
	side int // at the point: -1, 0 (in the corner) or 1
	now  int // at the last evaluation
	run  int // at the first evaluation of a run of steps to one side
}

// A wave is an operation that repeats itself, such as sin. A step over a good
// part of its period sees nothing of its slope.
type wave struct {
	of engine.Node // its argument
	at float64     // the argument's value at the point
}

// newProbe prepares to move the variable in of tape t. It sweeps t from out: an
// adjoint tells how much the rounding of that node's value matters.
func newProbe(t *engine.Tape, out, in engine.Node) *probe {
	p := &probe{tape: t, in: in, out: out, x: t.Value(in), y: t.Value(out)}
	for n := range t.Reach(out) {
		switch {
		case t.IsConstant(n):
		case isHinge(t.Op(n)):
			p.hinges = append(p.hinges, hinge{node: n})
		case isWave(t.Op(n)):
			x, _ := t.Parents(n)
			p.waves = append(p.waves, wave{x, t.Value(x)})
		}
	}
	for i := range p.hinges {
		p.hinges[i].side = side(t, p.hinges[i].node)
	}
	if p.err = t.Sweep(out); p.err != nil {
		return p
	}
	for n := range t.Swept() {
		if !t.IsLeaf(n) {
			if move := math.Abs(t.Adjoint(n)) * max(epsilon*math.Abs(t.Value(n)), tiny); finite(move) {
				p.blur += move
			}
		}
	}
	return p
}

// isHinge reports whether op changes its formula where its argument is 0, or
// where its two arguments are equal: the table of rules says so by its corners.
func isHinge(op engine.Op) bool {
	switch op.Arity() {
	case 1:
		return op.Corner(0, 0) != ""
	case 2:
		return op.Corner(1, 1) != "" && op.Corner(2, 2) != ""
	}
	return false
}

// isWave reports whether op has the period 2*pi.
func isWave(op engine.Op) bool {
	if op.Arity() != 1 {
		return false
	}
	for _, x := range []float64{-1, 0.5, 2} {
		if !(math.Abs(op.Value(x, 0)-op.Value(x+2*math.Pi, 0)) < 1e-9) {
			return false
		}
	}
	return true
}

// side returns on which side of its corner the hinge n is: -1, 0 or 1.
func side(t *engine.Tape, n engine.Node) int {
	x, y := t.Parents(n)
	var vy float64
	if t.Op(n).Arity() == 2 {
		vy = t.Value(y)
	}
	switch vx := t.Value(x); {
	case vx > vy:
		return 1
	case vx < vy:
		return -1
	}
	return 0
}

// at returns the target's value with the variable at x, NaN where that is
// farther away than a wave allows.
func (p *probe) at(x float64) float64 {
	if err := p.tape.Set(p.in, x); err != nil {
		p.err = err
		return math.NaN()
	}
	for _, w := range p.waves {
		if math.Abs(p.tape.Value(w.of)-w.at) > 1 {
			return math.NaN()
		}
	}
	for i := range p.hinges {
		h := &p.hinges[i]
		h.now = side(p.tape, h.node)
	}
	y := p.tape.Value(p.out)
	if finite(y) {
		p.largest = max(p.largest, math.Abs(y))
	}
	return y
}

// home puts the variable back.
func (p *probe) home() { p.at(p.x) }

// A slope is a numerical derivative with an estimate of its error.
type slope struct {
	value, err float64
	known      bool
	scale      float64 // a slope that is small beside it is as good as 0: the target's size by the variable's
	long       bool    // the steps were longer than the variable is large
}

// size is what the error of a slope is measured by.
func (d slope) size() float64 { return max(math.Abs(d.value), d.scale) }

// relative is the estimated error in proportion to the slope.
func (d slope) relative() float64 {
	if d.value == 0 {
		return 1 // a step that sees no change may have seen nothing at all
	}
	return d.err / math.Abs(d.value)
}

// quotient is a difference quotient for step h, with the error that rounding
// leaves in it; ok is false where h is too long: a value is not finite, or
// there is a corner in between.
type quotient func(h float64) (q, noise float64, ok bool)

const (
	epsilon = 0x1p-52
	tiny    = 0x1p-1074 // what rounding may change where there is no smaller number
)

// central is the quotient that looks to both sides.
func (p *probe) central(h float64) (q, noise float64, ok bool) {
	right, left := p.x+h, p.x-h
	a := p.at(right)
	for i := range p.hinges {
		if h := &p.hinges[i]; h.now != h.side {
			return 0, 0, false
		}
	}
	b := p.at(left)
	for i := range p.hinges {
		if h := &p.hinges[i]; h.now != h.side {
			return 0, 0, false
		}
	}
	wide := right - left
	q = (a - b) / wide
	return q, max(epsilon*math.Abs(a)+epsilon*math.Abs(b), p.blur) / wide, wide > 0 && finite(q)
}

// oneSided returns the quotient that looks only to the right (towards 1) or to
// the left (towards -1). A hinge in its corner may leave it, but must then stay
// on the side where the first step of a run brought it.
func (p *probe) oneSided(towards float64) quotient {
	first := true
	return func(h float64) (q, noise float64, ok bool) {
		x := p.x + towards*h
		a := p.at(x)
		for i := range p.hinges {
			hinge := &p.hinges[i]
			if first {
				hinge.run = hinge.now
			}
			if hinge.now != hinge.run || hinge.side != 0 && hinge.now != hinge.side {
				first = true
				return 0, 0, false
			}
		}
		first = false
		wide := x - p.x
		q = (a - p.y) / wide
		noise = max(epsilon*math.Abs(a)+epsilon*math.Abs(p.y), p.blur) / math.Abs(wide)
		ok = wide != 0 && finite(q)
		first = !ok
		return q, noise, ok
	}
}

// ridders extrapolates difference quotients of shorter and shorter steps to the
// step 0. growth is by how much the error of a quotient shrinks with each step:
// the square of the ratio of two steps where the quotient looks to both sides,
// else the ratio itself; grid is how far apart the numbers are that steps lead
// to, which makes that ratio inexact.
//
// Source: Ridders, Advances in Engineering Software 4 (1982) 75; the estimate
// of the error, from neighbours in the tableau, as in Numerical Recipes 5.7.
func ridders(q quotient, h, grid float64, symmetric bool) slope {
	const rows, ratio = 10, 1.4
	growth := ratio
	if symmetric {
		growth = ratio * ratio
	}
	best := slope{err: math.Inf(1)}
	var last, row [rows]float64
	for i := range rows {
		if h < 256*grid {
			break // the next step might be the same one
		}
		value, noise, ok := q(h)
		if !ok {
			return slope{}
		}
		row[0] = value
		noise += math.Abs(value-last[0]) * grid / h
		factor := growth
		for j := 1; j <= i; j++ {
			row[j] = (row[j-1]*factor - last[j-1]) / (factor - 1)
			factor *= growth
			e := max(math.Abs(row[j]-row[j-1]), math.Abs(row[j]-last[j-1]), noise)
			if e <= best.err {
				best = slope{value: row[j], err: e, known: true}
			}
		}
		if i > 0 && (math.Abs(row[i]-last[i-1]) >= 2*best.err || best.err <= 2*noise) {
			break // rounding has taken over
		}
		last = row
		h /= ratio
	}
	return best
}

// stepLengths are what to try, the likeliest first.
func (p *probe) stepLengths() (list []float64) {
	size := p.size()
	for k := -1; k >= -3; k-- {
		list = append(list, size*math.Pow10(k))
	}
	if size < 0.1 {
		list = append(list, 0.1, 0.01, 0.001)
	}
	for k := -4; k >= -11; k-- {
		list = append(list, size*math.Pow10(k))
	}
	if p.x == 0 {
		list = append(list, 1e-12, 1e-13, 1e-14)
	}
	return list
}

// search tries steps of many lengths and returns the slope with the smallest
// relative error. It is content at once with a good one that agrees with what
// is expected.
func (p *probe) search(q quotient, symmetric bool, expected float64) slope {
	var best slope
	for _, h := range p.stepLengths() {
		p.largest = math.Abs(p.y)
		d := ridders(q, h, max(epsilon*math.Abs(p.x), tiny), symmetric)
		if p.err != nil {
			return slope{}
		}
		d.scale, d.long = p.largest/max(p.size(), h), h > p.size()
		if d.known && (!best.known || d.relative() < best.relative()) {
			best = d
		}
		sure := best.relative() < 1e-6 || best.value == 0 && (expected == 0 || best.err < math.Abs(expected))
		if best.known && sure && p.confirms(expected, best) {
			break
		}
	}
	return best
}

// size is the size of the variable, which steps are measured by.
func (p *probe) size() float64 {
	if p.x == 0 {
		return 1
	}
	return math.Abs(p.x)
}

// confirms reports whether a derivative is what a numerical one says.
func (p *probe) confirms(derivative float64, d slope) bool {
	return math.Abs(derivative-d.value) <= 10*d.err+4*p.doubt.rounding+1e-8*max(math.Abs(derivative), math.Abs(d.value))
}

// A verdict is what a numerical derivative says about one of the tape.
type verdict uint8

const (
	agrees      verdict = iota
	differs             // the one that makes a check fail
	kinked              // two slopes meet here, and a convention chose
	unclear             // the numerical derivative is too uncertain
	notFinite           // there is nothing to compare with
	independent         // the target does not use the variable
)

var verdictNames = [...]string{agrees: "agrees", differs: "differs", kinked: "kink", unclear: "unclear", notFinite: "not finite", independent: "not used"}

func (v verdict) String() string { return verdictNames[v] }

// judge compares the derivative that the tape has with a numerical one. left
// and right are known only where both were needed and they differ. The error is
// that the work was stopped; the variable is back where it was otherwise.
func (p *probe) judge(derivative float64, corner bool) (d, left, right slope, v verdict, err error) {
	if !finite(derivative) || !finite(p.y) || !finite(p.x) {
		return d, left, right, notFinite, nil
	}
	if p.err != nil {
		return d, left, right, unclear, p.err
	}
	d = p.search(p.central, true, derivative)
	if p.err == nil && (!d.known || !p.confirms(derivative, d)) {
		right = p.search(p.oneSided(1), false, derivative)
		left = p.search(p.oneSided(-1), false, derivative)
		switch {
		case d.known && (!right.known || !left.known || right.relative() > d.relative() || left.relative() > d.relative()):
		case left.known && right.known && math.Abs(left.value-right.value) <= 10*(left.err+right.err)+1e-8*math.Abs(left.value):
			d = slope{(left.value + right.value) / 2, max(left.err, right.err), true, max(left.scale, right.scale), left.long || right.long}
		case left.known && right.known && corner && left.err <= 1e-3*left.size() && right.err <= 1e-3*right.size():
			p.home()
			return slope{}, left, right, kinked, p.err
		case left.known && right.known:
			d = slope{} // they contradict each other where no two slopes meet
		case left.known:
			d = left
		case right.known:
			d = right
		}
		left, right = slope{}, slope{}
	}
	p.home()
	if p.err != nil {
		return d, left, right, unclear, p.err
	}
	switch {
	case !d.known || d.err > 1e-3*d.size() && (d.value != 0 || derivative != 0):
		v = unclear
		if corner { // a jump
			d, v = slope{}, kinked
		}
	case p.confirms(derivative, d):
		v = agrees
	case d.err > 1e-5*d.size(), d.long, math.Abs(derivative-d.value) <= 10*d.err+4*p.doubt.underflow:
		v = unclear // good enough to agree, not to contradict
	case corner:
		v = kinked // one slope, but the convention of a part of it chose another
	default:
		v = differs
	}
	return d, left, right, v, nil
}

// A doubt is how far an adjoint of a sweep may be off.
type doubt struct {
	rounding  float64 // shares that cancel leave the rounding of what was cancelled
	underflow float64 // shares that were too small for a number
}

// doubts returns the doubt of each node of t in a sweep from out. It is the same
// sweep with every local derivative taken without its sign.
func doubts(t *engine.Tape, out engine.Node) ([]doubt, error) {
	sums := make([]doubt, t.Len()+1)
	sums[out].rounding = epsilon
	err := t.Trace(out, func(st *engine.Step) {
		from := sums[st.Node]
		for _, c := range st.Gives {
			size, to := math.Abs(t.Slope(st.Node, c.Argument)), &sums[c.To]
			if d := from.rounding * size; finite(d) {
				to.rounding += d
			}
			if d := from.underflow*size + tiny*max(1, math.Abs(st.Adjoint)); finite(d) {
				to.underflow += d
			}
		}
	})
	return sums, err
}

// severed copies what out is made from onto a tape of its own, on which n is a
// variable whatever it was made from.
func (s *Session) severed(out, n engine.Node) (c *engine.Tape, newOut, newIn engine.Node, err error) {
	from, find, err := s.copyOf(out, n)
	if err != nil {
		return nil, 0, 0, err
	}
	out, n = find(out), find(n)
	c = engine.NewTape()
	c.StopOn(&s.stop)
	terms := make([]engine.Term, from.Len()+1)
	for m := engine.Node(1); int(m) <= from.Len(); m++ {
		if m&0xffff == 0 && s.interrupted() {
			return nil, 0, 0, errInterrupted
		}
		switch {
		case m == n || from.IsVariable(m):
			terms[m] = c.Var(from.Value(m))
		case from.IsLeaf(m):
			terms[m] = c.NewConst(from.Value(m))
		default:
			x, y := from.Parents(m)
			terms[m] = c.Apply(from.Op(m), terms[x], terms[y])
		}
	}
	return c, terms[out].Node(), terms[n].Node(), nil
}
