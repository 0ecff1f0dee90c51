package repl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"scalargrad/engine"
	"scalargrad/grammar"
)

// checkPoints is at how many nearby points a formula is compared.
const checkPoints = 20

// checkFormula is :check [y] NAME = FORMULA, with the = at the given byte.
func (s *Session) checkFormula(c *call, equals int32) (Result, error) {
	words := s.fields(grammar.Span{Start: c.Tail.Start, End: equals})
	if len(words) == 0 || len(words) > 2 {
		at := grammar.Span{Start: equals, End: equals + 1}
		if len(words) > 2 {
			at = words[2]
		}
		return nil, s.diagnose(at, "bad-argument", "before the = stands the name to differentiate by, after at most a target", "such as  :check y a = 2*a")
	}
	target := s.latest
	if len(words) == 2 {
		var err error
		if target, err = s.namedAt(c, words[0]); err != nil {
			return nil, err
		}
	}
	if target == 0 {
		return nil, s.noExpression(c.Statement)
	}
	last := words[len(words)-1]
	if _, err := s.namedAt(c, last); err != nil {
		return nil, err
	}
	by, err := s.differentiable(last)
	if err != nil {
		return nil, err
	}
	items, mistake := s.parser.Expression(s.source, grammar.Span{Start: equals + 1, End: c.Tail.End})
	if mistake != nil {
		return nil, mistake
	}
	if isLiteral(items) {
		return s.checkNumber(target, by, s.text(last), items)
	}
	t, err := s.onPaper(target, by, items)
	if err != nil {
		return nil, err
	}
	r := &formulaResult{of: s.nodeName(target), name: s.text(last), formula: strings.TrimSpace(string(s.source[equals+1 : c.Tail.End]))}
	if err := t.compare(r); err != nil {
		return nil, errInterrupted
	}
	s.failed = s.failed || !r.agrees
	return r, nil
}

// isLiteral reports whether an expression is one number with or without signs.
func isLiteral(items []grammar.Item) bool {
	for i := range items {
		if items[i].Kind != grammar.Number && (items[i].Kind != grammar.Operator || items[i].Op != grammar.OpNeg) {
			return false
		}
	}
	return true
}

// A paper is a formula for a derivative beside the tape's own, on a tape made
// for the two.
type paper struct {
	tape       *engine.Tape
	target, by engine.Node // by is 0 where the target does not use it
	formula    engine.Node
	roundings  []engine.Node // the formula with one of its constants off by half a unit of its last digit
	digits     int           // of the shortest of those constants
	vars       []engine.Node // all that the target and the formula use
	names      []string
	points     []point // the first is where the session is
	scale      float64 // the largest |derivative| at the points
}

type point struct {
	values      []float64 // of the variables
	yours, tape float64
	others      []float64 // the derivatives by all the variables
	slack       float64   // what the rounding of the formula's constants explains
}

// onPaper evaluates the formula, and again with each of its rounded constants
// moved. The session's own tape is as before afterwards.
func (s *Session) onPaper(target, by engine.Node, items []grammar.Item) (*paper, error) {
	defer s.revert(&s.change)
	term, err := s.record(items)
	if err != nil {
		return nil, err
	}
	outs := []engine.Node{target, term.Node()}
	p := &paper{}
	const most = 1 << 20 // items, in all variants of the formula
	for i := range items {
		item := &items[i]
		if item.Kind != grammar.Number || len(outs)*len(items) > most {
			continue
		}
		text := s.text(item.Span)
		digits, unit := significant(text)
		if digits < 4 || !strings.ContainsAny(text, ".eE") {
			continue // 2 and 0.5 are meant as they stand
		}
		if p.digits == 0 || digits < p.digits {
			p.digits = digits
		}
		exact := item.Value
		item.Value += unit / 2
		term, err := s.record(items)
		item.Value = exact
		if err != nil {
			return nil, err
		}
		outs = append(outs, term.Node())
	}
	copied, find, err := s.copyOf(outs...)
	if err != nil {
		return nil, err
	}
	p.tape, p.target, p.by, p.formula = copied, find(target), find(by), find(outs[1])
	for _, n := range outs[2:] {
		p.roundings = append(p.roundings, find(n))
	}
	for _, v := range s.vars {
		if n := find(s.symbols[v].node); n != 0 {
			p.vars = append(p.vars, n)
			p.names = append(p.names, v)
		}
	}
	return p, nil
}

// significant returns how many significant digits a literal has, and how much
// one unit of the last one is.
func significant(literal string) (digits int, unit float64) {
	mantissa, exponent := strings.ReplaceAll(literal, "_", ""), 0
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		exponent, _ = strconv.Atoi(mantissa[i+1:])
		mantissa = mantissa[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = len(strings.TrimLeft(whole+fraction, "0"))
	return digits, math.Pow10(exponent - len(fraction))
}

// measure adds the point where the variables have the given values. It reports
// whether the derivative is finite there.
func (p *paper) measure(values []float64) (ok bool, err error) {
	if err := p.tape.SetAll(p.vars, values); err != nil {
		return false, err
	}
	if err := p.tape.Sweep(p.target); err != nil {
		return false, err
	}
	at := point{values: values, yours: p.tape.Value(p.formula)}
	if p.by != 0 {
		at.tape = p.tape.Adjoint(p.by)
	}
	for _, n := range p.vars {
		at.others = append(at.others, p.tape.Adjoint(n))
	}
	for _, n := range p.roundings {
		at.slack += math.Abs(p.tape.Value(n) - at.yours)
	}
	if len(p.points) > 0 && !finite(at.tape) {
		return false, nil
	}
	p.points = append(p.points, at)
	return true, nil
}

// sample measures where the session is and at points nearby: each variable up
// to 30 percent off, so that it keeps its sign, or up to 0.3 off from 0. Points
// where the derivative is not finite are drawn again, a little nearer. The
// points are the same every time.
func (p *paper) sample() error {
	here := make([]float64, len(p.vars))
	for i, n := range p.vars {
		here[i] = p.tape.Value(n)
	}
	if _, err := p.measure(here); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	radius := 0.3
	for tries := 0; len(p.points) <= checkPoints && tries < 10*checkPoints; tries++ {
		values := make([]float64, len(here))
		for i, x := range here {
			size := math.Abs(x)
			if size == 0 {
				size = 1
			}
			values[i] = x + size*radius*(2*random.Float64()-1)
		}
		ok, err := p.measure(values)
		if err != nil {
			return err
		}
		if !ok {
			radius *= 0.9
		}
	}
	for _, at := range p.points {
		if finite(at.tape) {
			p.scale = max(p.scale, math.Abs(at.tape))
		}
	}
	return nil
}

// exact is how far two float64 results of the same formula, written in two
// ways, may be apart in proportion to the scale.
const exact = 1e-9

// same reports whether two derivatives at a point are the same: up to rounding,
// or up to slack.
func (p *paper) same(yours, tape, slack float64) bool {
	if math.IsNaN(tape) || math.IsInf(tape, 0) {
		return yours == tape || yours != yours && tape != tape
	}
	return math.Abs(yours-tape) <= exact*p.scale+slack
}

// compare fills in what the points say.
func (p *paper) compare(r *formulaResult) error {
	if err := p.sample(); err != nil {
		return err
	}
	here := p.points[0]
	r.yours, r.tape = here.yours, here.tape
	r.nearby = len(p.points) - 1
	r.here = p.same(here.yours, here.tape, here.slack*1.01)
	rounded := !p.same(here.yours, here.tape, 0)
	most := 0.0
	for i, at := range p.points[1:] {
		if !p.same(at.yours, at.tape, 0) {
			rounded = true
		}
		if p.same(at.yours, at.tape, at.slack*1.01) {
			continue
		}
		r.differ++
		if off := math.Abs(at.yours - at.tape); off > most || r.worst == nil || math.IsNaN(off) {
			most, r.worst = off, &p.points[i+1]
		}
	}
	r.agrees = r.here && r.differ == 0
	if r.agrees && rounded {
		r.digits = p.digits
	}
	if !r.agrees {
		r.hint = p.hint()
	}
	r.names = p.names
	return nil
}

// hint looks for one thing that turns the formula into the derivative at every
// point: a sign, a variable, a constant.
func (p *paper) hint() string {
	everywhere := func(f func(at point) float64) bool {
		for _, at := range p.points {
			v, slack := f(at), 0.0
			if at.slack > 0 && at.yours != 0 {
				slack = at.slack * math.Abs(v/at.yours)
			}
			if !(math.Abs(v-at.tape) <= exact*p.scale+slack) { // NaN is no match
				return false
			}
		}
		return true
	}
	if p.by == 0 {
		return "the tape's derivative is 0 everywhere: the target does not use it"
	}
	if len(p.points) < 3 || p.scale == 0 {
		return ""
	}
	start := fmt.Sprintf("at all %d points tape = ", len(p.points))
	if everywhere(func(at point) float64 { return -at.yours }) {
		return start + "-yours: is a sign missing?"
	}
	for i, name := range p.names {
		value := func(at point) float64 { return at.values[i] }
		switch {
		case everywhere(func(at point) float64 { return at.yours * value(at) }):
			return start + "yours * " + name + ": is a factor " + name + " missing?"
		case everywhere(func(at point) float64 { return at.yours * -value(at) }):
			return start + "-yours * " + name + ": are a factor " + name + " and a sign missing?"
		case everywhere(func(at point) float64 { return at.yours / value(at) }):
			return start + "yours / " + name + ": is a factor " + name + " too many, or a division missing?"
		case everywhere(func(at point) float64 { return -at.yours / value(at) }):
			return start + "-yours / " + name + ": is a factor " + name + " too many, and a sign missing?"
		}
	}
	var largest point
	for _, at := range p.points {
		if math.Abs(at.yours) > math.Abs(largest.yours) {
			largest = at
		}
	}
	if k := largest.tape / largest.yours; largest.yours != 0 && k != 0 && everywhere(func(at point) float64 { return k * at.yours }) {
		text, nice := familiar(k)
		inverse, nicer := familiar(1 / k)
		if nicer && (!nice || len(inverse) < len(text)) {
			return start + "yours / " + factor(inverse) + ": is a factor " + inverse + " too many?"
		}
		return start + text + " * yours: is a factor " + text + " missing?"
	}
	for i, name := range p.names {
		if p.vars[i] != p.by && everywhere(func(at point) float64 { return at.yours - at.others[i] + at.tape }) {
			return fmt.Sprintf("at all %d points yours is the derivative by %s", len(p.points), name) + p.notBy()
		}
	}
	here := p.points[0]
	if d := here.tape - here.yours; everywhere(func(at point) float64 { return at.yours + d }) {
		text, _ := familiar(math.Abs(d))
		if d < 0 {
			return start + "yours - " + text + ": is a term " + text + " too many?"
		}
		return start + "yours + " + text + ": is a term " + text + " missing?"
	}
	for i, name := range p.names {
		switch {
		case everywhere(func(at point) float64 { return at.yours + at.values[i] }):
			return start + "yours + " + name + ": is a term " + name + " missing?"
		case everywhere(func(at point) float64 { return at.yours - at.values[i] }):
			return start + "yours - " + name + ": is a term " + name + " too many?"
		}
	}
	return ""
}

// notBy names what the derivative was to be by.
func (p *paper) notBy() string {
	for i, n := range p.vars {
		if n == p.by {
			return ", not by " + p.names[i]
		}
	}
	return ""
}

// factor puts parentheses around what would not stand alone behind a /.
func factor(text string) string {
	if strings.ContainsAny(text, "*/-") {
		return "(" + text + ")"
	}
	return text
}

// familiar writes a number as people would who had forgotten it: 2, 3/2, 2*pi.
// nice is false where it is none that people write so.
func familiar(v float64) (text string, nice bool) {
	for _, unit := range []struct {
		name  string
		value float64
	}{{"", 1}, {"pi", math.Pi}, {"sqrt(2)", math.Sqrt2}, {"sqrt(pi)", math.Sqrt(math.Pi)}, {"log(2)", math.Ln2}, {"log(10)", math.Ln10}} {
		for q := 1.0; q <= 12; q++ {
			p := math.Round(v / unit.value * q)
			if p == 0 || math.Abs(p) > 1000 || math.Abs(p*unit.value/q/v-1) > exact {
				continue
			}
			text := formatNumber(p, 12)
			switch {
			case unit.name == "":
			case p == 1:
				text = unit.name
			case p == -1:
				text = "-" + unit.name
			default:
				text += "*" + unit.name
			}
			if q > 1 {
				text += "/" + formatNumber(q, 12)
			}
			return text, true
		}
	}
	return formatNumber(v, 9), false
}

// A formulaResult is a derivative worked out on paper beside the tape's.
type formulaResult struct {
	of, name, formula string
	agrees            bool
	digits            int // it agrees up to the rounding of its constants to so many digits; 0: exactly
	yours, tape       float64
	here              bool // they agree where the session is
	nearby, differ    int  // other points, and at how many of them they differ
	worst             *point
	names             []string // of the variables of a point
	hint              string
}

func (r *formulaResult) kind() string { return "check" }

func (r *formulaResult) writeText(w *sheet) {
	w.paint(name, r.name).text(": your formula ")
	switch {
	case r.digits > 0:
		w.paint(good, "agrees").text(" with the tape to the ", itoa(r.digits), " digits of its constants").line()
	case r.agrees:
		w.paint(good, "agrees").text(" with the tape").line()
	default:
		w.paint(bad, "differs").text(" from the tape").line()
	}
	const left = 20
	w.pad(plain, "  here", left)
	r.writePair(w, r.yours, r.tape, !r.agrees || r.digits > 0)
	if r.digits > 0 {
		return
	}
	w.pad(plain, "  "+plural(r.nearby, "point")+" nearby", left)
	switch r.differ {
	case 0:
		w.text("all agree")
	case r.nearby:
		w.text("all differ")
	default:
		w.text(grouped(r.differ), " differ")
	}
	w.line()
	if r.worst != nil && (r.here || r.differ < r.nearby) {
		const most = 3
		w.text("  worst at ")
		for i, n := range r.names {
			if i > 0 {
				w.text(", ")
			}
			if i == most && len(r.names) > most+1 {
				w.text("…")
				break
			}
			w.paint(name, n).text(" = ").text(formatNumber(r.worst.values[i], 6))
		}
		w.line().blanks(left)
		r.writePair(w, r.worst.yours, r.worst.tape, true)
	}
	if r.hint != "" {
		w.text("  ", r.hint).line()
	}
}

// writePair writes the two values, and how far apart they are where that is too
// little to see at once.
func (r *formulaResult) writePair(w *sheet, yours, tape float64, apart bool) {
	w.text("yours ").number(yours).text("   tape ").number(tape)
	if d := math.Abs((yours - tape) / tape); apart && d > 0 && d < 0.1 {
		w.text("   relative difference ", strconv.FormatFloat(d, 'g', 1, 64))
	}
	w.line()
}

func (r *formulaResult) writeJSON(j *jsonObject) {
	j.str("of", r.of)
	j.str("name", r.name)
	j.str("formula", r.formula)
	j.bool("agrees", r.agrees)
	if r.digits > 0 {
		j.int("digits", r.digits)
	}
	j.num("yours", r.yours)
	j.num("tape", r.tape)
	j.int("points", r.nearby)
	j.int("differ", r.differ)
	if r.worst != nil {
		j.object("worst", func() {
			j.object("at", func() {
				for i, n := range r.names {
					j.num(n, r.worst.values[i])
				}
			})
			j.num("yours", r.worst.yours)
			j.num("tape", r.worst.tape)
		})
	}
	if r.hint != "" {
		j.str("hint", r.hint)
	}
}

// checkNumber compares a bare number, here only: to the digits given, or as far
// as a float32 can tell.
func (s *Session) checkNumber(target, by engine.Node, word string, items []grammar.Item) (Result, error) {
	copied, find, err := s.copyOf(target)
	if err != nil {
		return nil, err
	}
	if copied.Sweep(find(target)) != nil {
		return nil, errInterrupted
	}
	r := &numberResult{of: s.nodeName(target), name: word, text: s.text(items[0].Span), yours: items[0].Value}
	if n := find(by); n != 0 {
		r.tape = copied.Adjoint(n)
	}
	for range items[1:] {
		r.yours = -r.yours
	}
	if len(items)%2 == 0 {
		r.text = "-" + r.text
	}
	r.compare()
	s.failed = s.failed || !r.agrees
	return r, nil
}

// A numberResult is a bare number beside a derivative.
type numberResult struct {
	of, name    string
	text        string // the number as typed
	yours, tape float64
	agrees      bool
	digits      int  // given
	single      bool // agrees only as far as float32 goes
	from        int  // the first digit that differs, 1-based; 0: not even the size or the sign
}

func (r *numberResult) compare() {
	digits, unit := significant(strings.TrimPrefix(r.text, "-"))
	r.digits = max(digits, 1)
	off := math.Abs(r.yours - r.tape)
	if digits < 3 && r.tape != 0 { // so few say something only as digits of the tape's: 1 is not 0.88
		_, exponent, _ := strings.Cut(strconv.FormatFloat(r.tape, 'e', -1, 64), "e")
		unit = min(unit, math.Pow10(atoi(exponent)-r.digits+1))
	}
	if r.yours == 0 {
		unit = 0x1p-40 // what shares that cancel may leave of 0
	}
	const float32Off = 4 * 0x1p-24 // a framework's result is a few roundings off
	switch {
	case !finite(r.tape):
	case off <= max(unit/2*(1+1e-9), 2*epsilon*math.Abs(r.tape)):
		r.agrees = true
	case digits >= 7 && off <= float32Off*math.Abs(r.tape):
		r.agrees, r.single = true, true
	default:
		r.from = firstDigitOff(r.yours, r.tape, r.digits)
	}
}

// firstDigitOff returns the 1-based place of the first significant digit, of at
// most digits, in which two numbers differ; 0 where sign or magnitude do.
func firstDigitOff(a, b float64, digits int) int {
	if !finite(b) || (a < 0) != (b < 0) {
		return 0
	}
	x, y := strconv.FormatFloat(a, 'e', digits-1, 64), strconv.FormatFloat(b, 'e', digits-1, 64)
	x, ex, _ := strings.Cut(strings.Replace(strings.TrimPrefix(x, "-"), ".", "", 1), "e")
	y, ey, _ := strings.Cut(strings.Replace(strings.TrimPrefix(y, "-"), ".", "", 1), "e")
	if ex != ey {
		return 0
	}
	for i := range x {
		if x[i] != y[i] {
			return i + 1
		}
	}
	return digits
}

func (r *numberResult) kind() string { return "check" }

func (r *numberResult) writeText(w *sheet) {
	w.paint(name, r.name).text(": ").paint(number, r.text).text(" ")
	switch {
	case r.single:
		w.paint(good, "agrees").text(" with the tape as far as float32 goes")
	case r.agrees && r.yours == r.tape:
		w.paint(good, "agrees").text(" with the tape exactly")
	case r.agrees && r.digits == 1:
		w.paint(good, "agrees").text(" with the tape to the 1 digit given")
	case r.agrees:
		w.paint(good, "agrees").text(" with the tape to all ", itoa(r.digits), " digits given")
	case r.tape == -r.yours:
		w.paint(bad, "differs").text(" from the tape in its sign")
	case r.from > 1:
		w.paint(bad, "differs").text(" from the tape from digit ", itoa(r.from), " on")
	default:
		w.paint(bad, "differs").text(" from the tape")
	}
	w.text(" (tape ").number(r.tape).text(")").line()
}

func (r *numberResult) writeJSON(j *jsonObject) {
	j.str("of", r.of)
	j.str("name", r.name)
	j.str("formula", r.text)
	j.bool("agrees", r.agrees)
	j.int("digits", r.digits)
	if r.single {
		j.bool("float32", true)
	}
	if r.from > 0 {
		j.int("from", r.from)
	}
	j.num("yours", r.yours)
	j.num("tape", r.tape)
}
