package repl

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"scalargrad/engine"
	"scalargrad/grammar"
)

// What :descend does when it is not told.
const (
	defaultRate  = 0.1
	defaultSteps = 100
	maxSteps     = 10_000_000 // the value before each is kept
)

// runDescend is :descend: gradient descent by replay of a copy of the tape.
// The session gets the values at the end, also when it was interrupted.
func (s *Session) runDescend(c *call) (Result, error) {
	r := &descentResult{command: "descend", first: defaultRate, last: defaultRate}
	steps := defaultSteps
	var words []grammar.Span
	for _, w := range s.fields(c.Tail) {
		key, value, given := strings.Cut(s.text(w), "=")
		at := grammar.Span{Start: w.Start + int32(len(key)) + 1, End: w.End}
		switch {
		case !given:
			words = append(words, w)
		case key == "rate":
			from, to, schedule := strings.Cut(value, "..")
			if !schedule {
				to = from
			}
			a, errA := strconv.ParseFloat(from, 64)
			b, errB := strconv.ParseFloat(to, 64)
			if errA != nil || errB != nil || !finite(a) || !finite(b) {
				return nil, s.diagnose(at, "bad-argument", "a rate is a number, or two with .. between", "rate=0.1 or rate=1..0.1")
			}
			r.first, r.last = a, b
		case key == "steps":
			if steps = atoi(value); steps < 1 || steps > maxSteps {
				return nil, s.diagnose(at, "bad-argument", "the number of steps is a whole number from 1 to "+grouped(maxSteps), "steps=100")
			}
		default:
			return nil, s.diagnose(w, "bad-argument", ":descend does not take "+abridge(key)+"=", "it is used as  :descend "+c.entry.args)
		}
	}
	d, err := s.newDescent(c, words)
	if err != nil {
		return nil, err
	}
	r.of = d.of
	defer s.endProgress()
	for k := range steps {
		r.values = append(r.values, d.value())
		if err := d.step(r.first + (r.last-r.first)*float64(k)/float64(steps)); err != nil {
			r.values = r.values[:k]
			if err == engine.ErrStopped {
				r.interrupted(s, k)
			} else {
				r.verdict = err.Error() + ", so it was left out: try a smaller rate"
			}
			break
		}
		s.reportProgress(func() string {
			return "step " + grouped(k+1) + " of " + grouped(steps) + "   " + d.of + " = " + formatNumber(d.value(), s.digits) + "   " + sparkline(r.values, 24)
		})
	}
	r.steps, r.value = len(r.values), d.value()
	if r.settled, err = s.settle(d.vars, d.x); err == nil && !s.interrupted() {
		s.noteConventions(&r.remarks, slices.Values(s.corners(d.target)))
	}
	return r, err
}

// A descent moves variables on a copy of the tape.
type descent struct {
	tape   *engine.Tape
	out    engine.Node
	target engine.Node // on the session's tape
	of     string
	names  []string
	vars   []engine.Node // on the session's tape …
	moving []engine.Node // … and on the copy
	x      []float64     // their values on the copy
	last   []float64     // before the last step
	next   []float64
}

// newDescent reads "[y] [names]" and copies what y is made from.
func (s *Session) newDescent(c *call, words []grammar.Span) (*descent, error) {
	target, wrt, err := s.targetAndNames(c, words)
	if err != nil {
		return nil, err
	}
	copied, find, err := s.copyOf(target)
	if err != nil {
		return nil, err
	}
	d := &descent{tape: copied, out: find(target), target: target, of: s.nodeName(target)}
	for _, e := range wrt {
		if !s.tape.IsVariable(e.node) {
			at := c.Span
			for _, w := range words {
				if s.text(w) == e.name {
					at = w
				}
			}
			return nil, s.diagnose(at, "bad-argument", e.name+" is an expression: only variables can be moved", "name variables, or none for all that "+d.of+" uses")
		}
		if n := find(e.node); n != 0 {
			d.names = append(d.names, e.name)
			d.vars, d.moving, d.x = append(d.vars, e.node), append(d.moving, n), append(d.x, s.tape.Value(e.node))
		}
	}
	if len(d.vars) == 0 {
		return nil, s.diagnose(c.Span, "bad-argument", d.of+" does not use "+wrt[0].name+", so moving it changes nothing", "")
	}
	if v := d.value(); !finite(v) {
		return nil, s.diagnose(c.Span, "not-finite", d.of+" is "+formatNumber(v, s.digits)+": there is no way down from there", "give its variables other values with VAR")
	}
	d.last, d.next = make([]float64, len(d.x)), make([]float64, len(d.x))
	copy(d.last, d.x)
	return d, nil
}

// value returns the target's value where the variables are now.
func (d *descent) value() float64 { return d.tape.Value(d.out) }

// step moves every variable against its derivative. The error is ErrStopped, or
// says that a value would not be finite; nothing has moved then.
func (d *descent) step(rate float64) error {
	if err := d.tape.Sweep(d.out); err != nil {
		return err
	}
	for i, n := range d.moving {
		d.next[i] = d.x[i] - rate*d.tape.Adjoint(n)
		if !finite(d.next[i]) {
			return fmt.Errorf("the next step makes %s %s", d.names[i], formatNumber(d.next[i], defaultDigits))
		}
	}
	if err := d.move(d.next); err != nil {
		return err
	}
	if v := d.value(); !finite(v) {
		copy(d.next, d.last)
		if err := d.move(d.next); err != nil {
			return err
		}
		return fmt.Errorf("the next step makes %s %s", d.of, formatNumber(v, defaultDigits))
	}
	return nil
}

// move gives the variables other values. The error is that the work was
// stopped; nothing has moved then.
func (d *descent) move(to []float64) error {
	if err := d.tape.SetAll(d.moving, to); err != nil {
		return err
	}
	copy(d.last, d.x)
	copy(d.x, to)
	return nil
}

// A settled is what a descent changed in the session.
type settled struct {
	names   []moved // variables, with their values now and before
	results []moved // the expressions that VAR would report
	remarks
}

// settle gives the session's variables the values that a descent reached. It
// does so also after an interrupt: what was reached is kept.
func (s *Session) settle(vars []engine.Node, values []float64) (r settled, err error) {
	watched := s.watched()
	before := make([]float64, len(watched))
	for i, w := range watched {
		before[i] = s.tape.Value(w.node)
	}
	var text strings.Builder
	line := 0 // where the last VAR of the text begins
	for i, n := range vars {
		was := s.tape.Value(n)
		if math.Float64bits(was) == math.Float64bits(values[i]) {
			continue
		}
		s.change.nodes = append(s.change.nodes, n)
		s.change.values = append(s.change.values, was)
		r.names = append(r.names, moved{s.names[n][0], values[i], was})
		if s.keep {
			switch {
			case text.Len() == 0:
				text.WriteString("VAR ")
			case text.Len()-line > s.longestLine()/2: // no line gets too long to be read again
				line = text.Len()
				text.WriteString("\nVAR ")
			default:
				text.WriteString(", ")
			}
			text.WriteString(s.names[n][0] + " = " + shortest(values[i]))
		}
	}
	s.change.text = text.String()
	if s.stop.Swap(false) {
		defer s.stop.Store(true)
	}
	err = s.tape.SetAll(vars, values)
	if err != nil {
		return r, errInterrupted // a second interrupt, while the values were being put in
	}
	for i, w := range watched {
		if now := s.tape.Value(w.node); math.Float64bits(now) != math.Float64bits(before[i]) {
			r.results = append(r.results, moved{w.name, now, before[i]})
			s.checkFinite(&r.remarks, w.node)
		}
	}
	return r, nil
}

// A descentResult is what :descend and :minimize answer.
type descentResult struct {
	command     string
	of          string
	first, last float64   // the rate
	steps       int       // taken
	evaluations int       // of value and gradient, by :minimize
	slope       float64   // the largest |derivative| at the end, by :minimize
	values      []float64 // before each step
	value       float64   // at the end
	verdict     string    // "" where all the steps were taken
	stopped     bool      // by Ctrl-C or --timeout
	settled
}

// interrupted records that the work was stopped after so many whole steps.
func (r *descentResult) interrupted(s *Session, steps int) {
	r.stopped = true
	r.verdict = "interrupted after " + plural(steps, "step") + "; the values reached are kept"
	if s.timedOut() {
		r.verdict = "stopped by --timeout after " + plural(steps, "step") + "; the values reached are kept"
	}
}

func (r *descentResult) kind() string { return r.command }

func (r *descentResult) writeText(w *sheet) {
	w.paint(strong, r.command).text(" ", r.of, ": ", plural(r.steps, "step"))
	if r.command == "descend" {
		w.text(", rate ").number(r.first)
		if r.first != r.last {
			w.text(" to ").number(r.last)
		}
	} else {
		w.text(", ", plural(r.evaluations, "evaluation"))
	}
	w.line()
	all := append(r.values[:len(r.values):len(r.values)], r.value)
	w.padLeft(faint, "step", 10).text("   ").paint(faint, r.of).line()
	rows := min(len(all), 11)
	for i := range rows {
		k := i
		if rows > 1 {
			k = i * (len(all) - 1) / (rows - 1)
		}
		w.padLeft(faint, grouped(k), 10).text("   ").number(all[k]).line()
	}
	if len(all) > 2 {
		w.text("  ", sparkline(all, min(w.width-4, 60))).line()
	}
	if r.verdict != "" {
		role := noted
		if r.command == "descend" {
			role = doubtful
		}
		w.paint(role, r.verdict).line()
	}
	writeMoved(w, r.names, "variable")
	writeMoved(w, r.results, "named result")
	r.remarks.writeText(w)
}

func (r *descentResult) writeJSON(j *jsonObject) {
	j.str("of", r.of)
	j.int("steps", r.steps)
	if r.command == "descend" {
		j.nums("rate", []float64{r.first, r.last})
	} else {
		j.int("evaluations", r.evaluations)
		j.num("slope", r.slope)
	}
	j.nums("values", r.values)
	j.num("value", r.value)
	if r.verdict != "" {
		j.str("verdict", r.verdict)
	}
	if r.stopped {
		j.bool("interrupted", true)
	}
	j.object("changed", func() {
		for _, m := range r.names {
			j.num(m.name, m.now)
		}
	})
	r.remarks.writeJSON(j)
}

// sparkline draws values as a row of at most width bars; where there are more
// values than that, evenly chosen ones, with the first and the last. Positive
// values that span more than a factor of 100 are drawn by their logarithms.
func sparkline(values []float64, width int) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	n := min(len(values), width)
	if n < 1 {
		return ""
	}
	chosen := make([]float64, n)
	least, most := math.Inf(1), math.Inf(-1)
	for i := range chosen {
		k := 0
		if n > 1 {
			k = i * (len(values) - 1) / (n - 1)
		}
		chosen[i] = values[k]
		if finite(chosen[i]) {
			least, most = min(least, chosen[i]), max(most, chosen[i])
		}
	}
	scale := func(v float64) float64 { return v }
	if least > 0 && most/least > 100 {
		scale = math.Log
	}
	line := make([]rune, n)
	low, high := scale(least), scale(most)
	for i, v := range chosen {
		height := 0.0
		if finite(v) && high > low {
			height = (scale(v) - low) / (high - low)
			if !finite(high - low) { // halves: the span is beyond 1.8e308
				height = (scale(v)/2 - low/2) / (high/2 - low/2)
			}
		}
		line[i] = bars[int(min(max(height, 0), 1)*float64(len(bars)-1)+0.5)]
	}
	return string(line)
}
