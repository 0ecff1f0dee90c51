package repl

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"scalargrad/engine"
	"scalargrad/grammar"
	"scalargrad/repl/edit"
)

// A curve is an expression and its derivative over values of one variable,
// both taken on a copy of what the expression is made from.
type curve struct {
	session *Session
	of, by  string // names of the expression and of the variable
	target  engine.Node
	now     float64   // the variable's value in the session
	x, y, d []float64 // y is the expression's value at x, d its derivative
	unused  bool      // the expression does not use the variable
}

// follow fills in y and d at every x. It costs a replay and a sweep of what
// the expression uses for each, and gives up when the session is interrupted.
func (c *curve) follow(by engine.Node) error {
	t := c.session.tape
	sub, find, err := c.session.copyOf(c.target, by)
	if err != nil {
		return err
	}
	target, v := find(c.target), find(by)
	c.now = t.Value(by)
	c.unused = true
	for n := range sub.Reach(target) {
		c.unused = c.unused && n != v
	}
	c.y, c.d = make([]float64, len(c.x)), make([]float64, len(c.x))
	defer c.session.endProgress()
	for i, x := range c.x {
		c.session.reportProgress(func() string { return c.of + " at " + grouped(i) + " of " + grouped(len(c.x)) + " values of " + c.by })
		if err := sub.Set(v, x); err != nil || c.session.interrupted() {
			return errInterrupted
		}
		if err := sub.Sweep(target); err != nil {
			return errInterrupted
		}
		c.y[i], c.d[i] = sub.Value(target), sub.Adjoint(v)
	}
	return nil
}

// remark says what a picture of the curve cannot show.
func (c *curve) remark(r *remarks) {
	digits := c.session.digits
	say := func(what string, values []float64) {
		first, count := -1, 0
		for i, v := range values {
			if !finite(v) {
				if first < 0 {
					first = i
				}
				count++
			}
		}
		if count == 0 {
			return
		}
		text := what + " is " + formatNumber(values[first], digits) + " at " + c.by + " = " + formatNumber(c.x[first], digits)
		if count > 1 {
			text += ", and not finite at " + grouped(count-1) + " more of the " + grouped(len(values)) + " values"
		}
		r.warn("not-finite", c.of, text)
	}
	if c.unused {
		r.note("unused", "", c.of+" does not use "+c.by)
	}
	say(c.of, c.y)
	if !slices.ContainsFunc(c.y, func(v float64) bool { return !finite(v) }) {
		say("the derivative", c.d)
	}
}

// curveWords completes the arguments of :plot and :table.
func (s *Session) curveWords(n int) (w []edit.Word) {
	if n == 0 {
		w = s.targetWords()
	}
	if n <= 1 {
		for _, v := range s.vars {
			w = append(w, edit.Word{Text: v, Suffix: " "})
		}
	}
	return w
}

// curveOf reads [y] a and returns the curve, the node of a, and how many
// arguments that took. Alone, y or a stand for the other too where only one
// can be meant.
func (s *Session) curveOf(c *call) (*curve, engine.Node, int, error) {
	isVariable := func(i int) bool {
		n, ok := s.resolve([]byte(c.arg(i)))
		return ok && s.tape.IsVariable(n)
	}
	names := min(len(c.Args), 2)
	if len(c.Args) != 2 && isVariable(0) && !isVariable(1) {
		names = 1
	}
	var target, by engine.Node
	var at grammar.Span
	var err error
	switch {
	case names == 2:
		if target, err = s.nodeArg(c, 0); err != nil {
			return nil, 0, 0, err
		}
		at = c.at(1)
		if by, err = s.nodeArg(c, 1); err != nil {
			return nil, 0, 0, err
		}
	case names == 1 && isVariable(0):
		if s.latest == 0 {
			return nil, 0, 0, s.nothingToDraw(c)
		}
		at, target = c.at(0), s.latest
		by, _ = s.resolve([]byte(c.arg(0)))
	default:
		target = s.latest
		if names == 1 {
			if target, err = s.nodeArg(c, 0); err != nil {
				return nil, 0, 0, err
			}
		}
		if target == 0 {
			return nil, 0, 0, s.nothingToDraw(c)
		}
		used := s.variablesOf(target)
		if len(used) != 1 {
			message := s.nodeName(target) + " uses no variable, so there is nothing to move"
			hint := ""
			if len(used) > 1 {
				message = "by which variable? " + s.nodeName(target) + " uses " + s.someNames(used)
				hint = ":" + c.entry.name + " " + s.nodeName(target) + " " + s.nodeName(used[0])
			}
			return nil, 0, 0, s.diagnose(c.Span, "no-variable", message, hint)
		}
		by = used[0]
	}
	if !s.tape.IsVariable(by) {
		name := s.text(at)
		if s.tape.IsConstant(by) {
			return nil, 0, 0, s.diagnose(at, "not-variable", name+" is a constant: only a variable can be moved", "VAR "+name+" = "+shortest(s.tape.Value(by))+" makes it one")
		}
		hint := ""
		if used := s.variablesOf(target); len(used) > 0 {
			hint = s.nodeName(target) + " uses " + s.someNames(used)
		}
		return nil, 0, 0, s.diagnose(at, "not-variable", name+" is an expression: only a variable can be moved", hint)
	}
	return &curve{session: s, of: s.nodeName(target), by: s.nodeName(by), target: target}, by, names, nil
}

// nothingToDraw is the error before the first EXPR.
func (s *Session) nothingToDraw(c *call) error {
	return s.diagnose(c.Span, "no-expression", "there is no EXPR yet for :"+c.entry.name+"; type one first, such as  EXPR (a + b) * a", "")
}

// variablesOf returns the variables that n is made from, oldest first.
func (s *Session) variablesOf(n engine.Node) (vars []engine.Node) {
	for m := range s.reach(n) {
		if s.tape.IsVariable(m) {
			vars = append(vars, m)
		}
	}
	slices.Reverse(vars)
	return vars
}

func (s *Session) someNames(nodes []engine.Node) string {
	var names []string
	for i, n := range nodes {
		if i == 4 && len(nodes) > 5 {
			names = append(names, grouped(len(nodes)-i)+" more")
			break
		}
		names = append(names, abridge(s.nodeName(n)))
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return names[0]
}

// nodeArg returns the node that an argument names.
func (s *Session) nodeArg(c *call, i int) (engine.Node, error) {
	word := c.arg(i)
	digits := strings.TrimPrefix(word, "@")
	isName := word != "" && !c.Args[i].Quoted && strings.IndexFunc(word, func(r rune) bool { return r < 0x80 && !isWordByte(byte(r)) }) < 0 && (word[0] < '0' || word[0] > '9')
	if digits != word {
		isName = digits != "" && strings.Trim(digits, "0123456789") == ""
	}
	if !isName {
		return 0, s.diagnose(c.at(i), "not-name", ":"+c.entry.name+" takes the name of an expression here", "EXPR y = …, then :"+c.entry.name+" y")
	}
	return s.operandAt(c.at(i))
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// numberArg works out an argument that is a constant expression without
// blanks, or in quotes.
func (s *Session) numberArg(c *call, i int) (float64, error) {
	arg := c.Args[i]
	start := int(arg.Span.Start)
	if arg.Quoted {
		start++
	}
	// Blanks before it keep the spans those of the running line.
	source := append(bytes.Repeat([]byte{' '}, start), arg.Text...)
	var parser grammar.Parser
	parser.Reset(source)
	st, ok := parser.Next()
	var value float64
	switch {
	case ok && st.Err != nil:
		d := *st.Err
		d.Span.Start, d.Span.End = min(d.Span.Start, arg.Span.End), min(d.Span.End, arg.Span.End)
		return 0, &d
	case ok && st.Kind == grammar.Expr && st.Name.Empty():
		v, err := s.evaluate(st.Expr)
		if err != nil {
			return 0, s.constantOnly(c, i, err)
		}
		value = v
	case ok && st.Kind == grammar.Show:
		item := grammar.Item{Kind: grammar.Name, Span: st.Name}
		if source[st.Name.Start] == '@' {
			item.Kind, item.Value = grammar.Node, float64(atoi(string(source[st.Name.Start+1:])))
		}
		v, err := s.evaluate([]grammar.Item{item})
		if err != nil {
			return 0, s.constantOnly(c, i, err)
		}
		value = v
	default:
		return 0, s.misuse(c, i)
	}
	if !finite(value) {
		return 0, s.diagnose(arg.Span, "bad-argument", "this is "+formatNumber(value, s.digits)+", and a range needs finite numbers", "")
	}
	return value, nil
}

// constantOnly rewords the error that a VAR would get.
func (s *Session) constantOnly(c *call, i int, err error) error {
	if d, ok := err.(*grammar.Diagnostic); ok && d.Code == "not-constant" {
		return s.diagnose(d.Span, d.Code, "a range is made of constants, and "+s.text(d.Span)+" is none", "")
	}
	return err
}

// neighbourhood is the range where none is given: as far on both sides as the
// value is from 0, and at least 1.
func neighbourhood(v float64) (from, to float64) {
	r := math.Max(1, math.Abs(v))
	return tidy(v-r, r), tidy(v+r, r)
}

// tidy returns x to 15 digits, and 0 for what is only the rounding of sums of
// numbers like scale: so that three steps of 0.1 make 0.3.
func tidy(x, scale float64) float64 {
	if math.Abs(x) < 1e-12*math.Abs(scale) {
		return 0
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 15, 64), 64)
	if err != nil {
		return x
	}
	return short
}

// mostRows is how many rows :table works out.
const mostRows = 100_000

func (s *Session) runTable(c *call) (Result, error) {
	v, by, names, err := s.curveOf(c)
	if err != nil {
		return nil, err
	}
	from, to := neighbourhood(s.tape.Value(by))
	step := tidy(to/10-from/10, to/10-from/10)
	switch given := len(c.Args) - names; given {
	case 0:
		if !finite(from) || !finite(to) {
			return nil, s.diagnose(c.Span, "bad-argument", v.by+" is "+formatNumber(s.tape.Value(by), s.digits)+", so a range is needed", ":table y a FROM TO STEP")
		}
	case 2, 3:
		if from, err = s.numberArg(c, names); err != nil {
			return nil, err
		}
		if to, err = s.numberArg(c, names+1); err != nil {
			return nil, err
		}
		if step = tidy(to/10-from/10, to/10-from/10); given == 3 {
			if step, err = s.numberArg(c, names+2); err != nil {
				return nil, err
			}
			if step == 0 || from != to && (step < 0) != (to < from) {
				return nil, s.diagnose(c.at(names+2), "bad-argument", "this step never comes from "+formatNumber(from, s.digits)+" to "+formatNumber(to, s.digits), "")
			}
		}
	default:
		return nil, s.misuse(c, min(names+3, len(c.Args)-1))
	}
	rows := 1.0
	if from != to && step != 0 {
		rows = math.Floor(to/step-from/step+1e-9) + 1
	}
	if !(rows <= mostRows) {
		return nil, s.diagnose(c.at(len(c.Args)-1), "too-many", "these are "+countText(rows)+" rows; a table has "+grouped(mostRows)+" at most", "take a larger step")
	}
	for i := range int(rows) {
		v.x = append(v.x, tidy(from+float64(i)*step, step))
	}
	if err := v.follow(by); err != nil {
		return nil, err
	}
	r := &tableResult{curve: v}
	v.remark(&r.remarks)
	return r, nil
}

func countText(n float64) string {
	if n < 1e15 {
		return grouped(int(n))
	}
	return "too many"
}

// A tableResult is what :table shows.
type tableResult struct {
	*curve
	remarks
}

func (r *tableResult) kind() string { return "table" }

func (r *tableResult) writeText(w *sheet) {
	g := r.session.glyphs()
	first, last := len(r.x), len(r.x)
	if w.height > 0 && len(r.x) > max(w.height-4, 4) {
		keep := max(w.height-5, 4)
		first, last = keep-keep/3, len(r.x)-keep/3
	}
	var rows [][3]string
	var width [3]int
	digits := w.digits
	for {
		rows = append(rows[:0], [3]string{r.by, r.of, g.partial(r.of, r.by)})
		for i := range r.x {
			if i < first || i >= last {
				rows = append(rows, [3]string{formatNumber(r.x[i], digits), formatNumber(r.y[i], digits), formatNumber(r.d[i], digits)})
			}
		}
		width = [3]int{}
		for _, row := range rows {
			for k, cell := range row {
				width[k] = max(width[k], min(columns(cell), max(w.width/3-3, 3)))
			}
		}
		numbers := 0
		for _, row := range rows[1:] {
			total := 6
			for _, cell := range row {
				total += len(cell)
			}
			numbers = max(numbers, total)
		}
		if numbers <= w.width || digits <= 3 {
			break
		}
		digits-- // a narrow window gets fewer digits rather than torn numbers
	}
	for _, row := range rows[1:] {
		for k, cell := range row {
			width[k] = max(width[k], len(cell))
		}
	}
	for i, row := range rows {
		if i == first+1 && first < last {
			w.paint(faint, g.clip(g.ellipsis+" "+plural(last-first, "more row")+" (all of them in a pipe or a file) "+g.ellipsis, w.width)).line()
		}
		roles := [3]role{number, number, number}
		if i == 0 {
			roles = [3]role{name, name, name}
		}
		room := w.width
		for k, cell := range row {
			cell = g.clip(cell, min(width[k], room))
			room -= width[k] + 3
			if k == 2 {
				w.paint(roles[k], cell)
				break
			}
			w.pad(roles[k], cell, width[k]).text("   ")
		}
		w.line()
	}
	r.remarks.writeText(w)
}

func (r *tableResult) writeJSON(j *jsonObject) {
	j.str("of", r.of)
	j.str("by", r.by)
	j.array("rows", len(r.x), func(i int) {
		j.begin()
		j.num("x", r.x[i])
		j.num("y", r.y[i])
		j.num("dy", r.d[i])
		j.end()
	})
	r.remarks.writeJSON(j)
}
