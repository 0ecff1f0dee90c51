package repl

import (
	"math"
	"strconv"
	"strings"
	"time"

	"scalargrad/engine"
	"scalargrad/grammar"
)

// What :descend does when it is not told.
const (
	defaultRate  = 0.1
	defaultSteps = 100
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
			if steps = atoi(value); steps < 1 || steps > 1e9 {
				return nil, s.diagnose(at, "bad-argument", "the number of steps is a whole number from 1 on", "steps=100")
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
	for k := range steps {
		y := d.value()
		if !finite(y) {
			r.verdict = "stopped after step " + itoa(k-1) + ": the next one makes " + d.of + " " + formatNumber(y, s.digits) + "; try a smaller rate"
			r.values = r.values[:len(r.values)-1]
			d.back()
			break
		}
		r.values = append(r.values, y)
		rate := r.first + (r.last-r.first)*float64(k)/float64(steps)
		if d.step(rate) != nil {
			r.interrupted(s, k, len(r.values)-1)
			r.values = r.values[:len(r.values)-1]
			break
		}
		s.reportProgress(func() string {
			return "step " + grouped(k+1) + " of " + grouped(steps) + "   " + d.of + " = " + formatNumber(y, s.digits) + "   " + sparkline(r.values, 24)
		})
	}
	if r.verdict == "" && !finite(d.value()) {
		r.verdict = "the last step makes " + d.of + " " + formatNumber(d.value(), s.digits) + " and was left out; try a smaller rate"
		r.values = r.values[:len(r.values)-1]
		d.back()
	}
	r.steps = len(r.values)
	r.value = d.value()
	r.settled, err = s.settle(d.vars, d.x)
	return r, err
}

// A descent moves variables on a copy of the tape.
type descent struct {
	tape    *engine.Tape
	out     engine.Node
	of      string
	vars    []engine.Node // on the session's tape …
	moving  []engine.Node // … and on the copy
	x, last []float64     // now, and before the last step
	next    []float64
}

// newDescent reads "[y] [names]" and copies what y is made from.
func (s *Session) newDescent(c *call, words []grammar.Span) (*descent, error) {
	target, wrt, err := s.targetAndNames(c, words)
	if err != nil {
		return nil, err
	}
	copied, find := s.tape.Extract(target)
	copied.StopOn(&s.stop)
	d := &descent{tape: copied, out: find(target), of: s.nodeName(target)}
	for _, e := range wrt {
		if !s.tape.IsVariable(e.node) {
			return nil, s.diagnose(c.Span, "bad-argument", e.name+" is an expression: only variables can be moved", "name variables, or none for all that "+d.of+" uses")
		}
		if n := find(e.node); n != 0 {
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

// step moves every variable against its derivative. The error is that the work
// was stopped; nothing has moved then.
func (d *descent) step(rate float64) error {
	if err := d.tape.Sweep(d.out); err != nil {
		return err
	}
	for i, n := range d.moving {
		d.next[i] = d.x[i] - rate*d.tape.Adjoint(n)
	}
	return d.move(d.next)
}

// move gives the variables other values. The error is that the work was
// stopped; nothing has moved then.
func (d *descent) move(to []float64) error {
	if _, err := d.tape.SetAll(d.moving, to); err != nil {
		return err
	}
	copy(d.last, d.x)
	copy(d.x, to)
	return nil
}

// back takes the last step back, whether or not the work is to stop.
func (d *descent) back() {
	d.tape.StopOn(nil)
	_, _ = d.tape.SetAll(d.moving, d.last)
	copy(d.x, d.last)
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
	for i, n := range vars {
		was := s.tape.Value(n)
		if math.Float64bits(was) == math.Float64bits(values[i]) {
			continue
		}
		s.change.nodes = append(s.change.nodes, n)
		s.change.values = append(s.change.values, was)
		r.names = append(r.names, moved{s.names[n][0], values[i], was})
		if s.keep {
			text.WriteString(map[bool]string{true: "VAR ", false: ", "}[text.Len() == 0])
			text.WriteString(s.names[n][0] + " = " + shortest(values[i]))
		}
	}
	s.change.text = text.String()
	stop := s.stop.Swap(false)
	_, err = s.tape.SetAll(vars, values)
	if stop {
		s.stop.Store(true)
	}
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

// writeMoved writes what changed as VAR does: ten at most, and a count.
func writeMoved(w *sheet, list []moved, what string) {
	const most = 10
	for i, m := range list {
		if i == most {
			w.paint(faint, plural(len(list)-most, "more "+what)+" changed").line()
			break
		}
		w.value(m.name, m.now).text(" (was ").number(m.was).text(")").line()
	}
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
func (r *descentResult) interrupted(s *Session, steps, _ int) {
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
			height = (scale(v)/2 - low/2) / (high/2 - low/2) // halves: the span may be beyond 1.8e308
		}
		line[i] = bars[int(min(max(height, 0), 1)*float64(len(bars)-1)+0.5)]
	}
	return string(line)
}

// reportProgress shows how far long work has come, where somebody watches a
// terminal: a few times a second, and not before the work has taken a while.
func (s *Session) reportProgress(text func() string) {
	const pause = 80 * time.Millisecond
	if s.progress == nil {
		return
	}
	if now := time.Now(); now.Sub(s.reported) >= pause {
		s.reported = now
		s.progress(text())
	}
}
