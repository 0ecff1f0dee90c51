package repl

import (
	"math"
	"strings"

	"scalargrad/engine"
	"scalargrad/repl/edit"
)

// A traceResult is a backward sweep with its steps kept.
type traceResult struct {
	session *Session
	target  engine.Node
	steps   []traceStep
	all     bool                      // nothing folded, nothing cut
	sums    map[engine.Node][]float64 // the contributions to the nodes asked for
}

type traceStep struct {
	node  engine.Node
	grad  float64
	gives []engine.Contribution
}

// traced sweeps from target and keeps every step, and the contributions to
// each node of wrt.
func (s *Session) traced(target engine.Node, wrt []gradientEntry, all bool) (*traceResult, error) {
	r := &traceResult{session: s, target: target, all: all, sums: make(map[engine.Node][]float64, len(wrt))}
	for _, e := range wrt {
		r.sums[e.node] = nil
	}
	err := s.tape.Trace(target, func(st *engine.Step) {
		for _, c := range st.Gives {
			if sum, ok := r.sums[c.To]; ok {
				r.sums[c.To] = append(sum, c.Value)
			}
		}
		if !s.tape.IsLeaf(st.Node) {
			r.steps = append(r.steps, traceStep{st.Node, st.Adjoint, st.Gives})
		}
	})
	if err != nil {
		return nil, errInterrupted
	}
	return r, nil
}

// operations are named in a trace as the lesson does; functions by their names.
var lessonNames = map[engine.Op]string{
	engine.OpAdd: "add", engine.OpSub: "subtract", engine.OpMul: "multiply", engine.OpDiv: "divide", engine.OpNeg: "negate", engine.OpPower: "power",
}

func lessonName(op engine.Op) string {
	if n, ok := lessonNames[op]; ok {
		return n
	}
	return op.String()
}

// share returns the arithmetic of a contribution: "a gets b*1 = 3".
func (s *Session) share(st *traceStep, c engine.Contribution) string {
	text := s.nodeName(c.To) + " gets "
	number := func(v float64) string { return formatNumber(v, s.digits) }
	slope := s.tape.SlopeText(st.node, c.Argument, s.nodeName, number)
	if slope == "1" || slope == "-1" {
		return text + number(c.Value)
	}
	return text + slope + "*" + number(st.grad) + " = " + number(c.Value)
}

type traceRow struct {
	op, equation string
	shares       []string
	folded       int // rows of grad(…) that this line stands for
}

func (r *traceResult) rows(w *sheet) (rows []traceRow) {
	s := r.session
	for i := range r.steps {
		w.pause()
		st := &r.steps[i]
		if !r.all && st.node != r.target && s.recorded(st.node) {
			if n := len(rows); n > 0 && rows[n-1].folded > 0 {
				rows[n-1].folded++
			} else {
				rows = append(rows, traceRow{folded: 1})
			}
			continue
		}
		row := traceRow{op: lessonName(s.tape.Op(st.node)), equation: s.nodeName(st.node) + " = " + s.operation(st.node)}
		for _, c := range st.gives {
			row.shares = append(row.shares, s.share(st, c))
		}
		if len(row.shares) == 0 {
			row.shares = append(row.shares, idle)
		}
		rows = append(rows, row)
	}
	return rows
}

// recorded reports whether grad(…) put n on the tape.
func (s *Session) recorded(n engine.Node) bool {
	for _, m := range s.made {
		if m.first <= n && n < m.end {
			return true
		}
	}
	return false
}

// A traceLayout says in which columns the rows of a trace stand.
type traceLayout struct {
	op, equation int // widths
	left         int // where the shares begin
	share        int // width of a first share that has a second one beside it
	right        int // no second share goes further
	edge         int // no share goes further: the edge of the window, if there is one
}

// layout finds the columns for rows on w.
func layout(rows []traceRow, w *sheet) traceLayout {
	l := traceLayout{op: len("multiply"), right: w.width - 2, edge: math.MaxInt}
	if w.height > 0 {
		l.edge = w.width
	}
	for _, row := range rows {
		l.op = max(l.op, columns(row.op))
		l.equation = max(l.equation, columns(row.equation))
	}
	l.equation = min(l.equation, 34)
	l.left = 2 + l.op + 2 + l.equation + 3
	for _, row := range rows {
		if l.beside(row, 0) {
			l.share = max(l.share, columns(row.shares[0]))
		}
	}
	return l
}

// beside reports whether the second share of a row fits beside its first one,
// which gets at least that many columns.
func (l *traceLayout) beside(row traceRow, first int) bool {
	return len(row.shares) == 2 && columns(row.equation) <= l.equation &&
		l.left+max(first, columns(row.shares[0]))+3+columns(row.shares[1]) <= l.right
}

// lines returns how many lines a row takes.
func (l *traceLayout) lines(row traceRow) int {
	switch {
	case row.folded > 0:
		return 1
	case l.beside(row, l.share):
		return 1
	}
	n := max(len(row.shares), 1)
	if columns(row.equation) > l.equation || l.left+columns(row.shares[0]) > l.edge {
		n++
	}
	return n
}

// write writes a row. A share too wide for its place begins further left, on a
// line of its own.
func (l *traceLayout) write(w *sheet, row traceRow) {
	w.text("  ").pad(operator, row.op, l.op).text("  ")
	if columns(row.equation) > l.equation || l.left+columns(row.shares[0]) > l.edge {
		w.text(row.equation).line().blanks(l.place(row.shares[0]))
	} else {
		w.pad(plain, row.equation, l.equation).text("   ")
	}
	if l.beside(row, l.share) {
		writeShare(w, row.shares[0])
		w.blanks(l.share - columns(row.shares[0])).text("   ")
		writeShare(w, row.shares[1])
		w.line()
		return
	}
	for k, share := range row.shares {
		if k > 0 {
			w.line().blanks(l.place(share))
		}
		writeShare(w, share)
	}
	w.line()
}

// writeShare writes "a gets b*1 = 3", its value in the colour of values.
func writeShare(w *sheet, share string) {
	value := strings.LastIndexByte(share, ' ') + 1
	if share == idle {
		value = len(share)
	}
	w.text(share[:value])
	if value < len(share) {
		w.paint(number, share[value:])
	}
}

// idle stands where a node has no share for anybody.
const idle = "hands nothing on"

// place returns the column for a share on a line of its own.
func (l *traceLayout) place(share string) int {
	return max(min(l.left, l.edge-columns(share)), 2)
}

// writeSteps writes the heading, the seed and one row a node, in at most that
// many lines, or in as many as it takes if that is 0.
func (r *traceResult) writeSteps(w *sheet, most int) {
	s := r.session
	w.paint(strong, "backward from ").text(s.equation(r.target), " = ").number(s.tape.Value(r.target)).line()
	seed := "  " + s.nodeName(r.target) + ".grad = 1"
	w.pad(plain, seed, 52).paint(faint, "seed").line()

	rows := r.rows(w)
	l := layout(rows, w)
	first, last := len(rows), len(rows)
	if most > 0 && !r.all {
		first, last = l.cut(rows, max(most-2, 5))
	}
	all := ":trace all"
	if r.target != s.target {
		all += " " + s.nodeName(r.target)
	}
	for i, row := range rows {
		if i == first && last > first {
			w.paint(faint, "  … "+grouped(last-first)+" more rows ("+all+" shows them) …").line()
		}
		if i >= first && i < last {
			continue
		}
		if row.folded > 0 {
			w.paint(faint, "  … "+plural(row.folded, "row")+" of grad(…) ("+all+" shows them)").line()
			continue
		}
		l.write(w, row)
	}
}

// cut returns which rows, from first up to last, to leave out so that the
// others and a line that counts them take at most that many lines: two thirds
// of it for the beginning.
func (l *traceLayout) cut(rows []traceRow, most int) (first, last int) {
	total := 0
	for _, row := range rows {
		total += l.lines(row)
	}
	if total <= most {
		return len(rows), len(rows)
	}
	most--
	for room := most * 2 / 3; first < len(rows) && l.lines(rows[first]) <= room; first++ {
		room -= l.lines(rows[first])
		most -= l.lines(rows[first])
	}
	for last = len(rows); last > first && l.lines(rows[last-1]) <= most; last-- {
		most -= l.lines(rows[last-1])
	}
	return first, last
}

// writeSum writes "5 + 2 = " where several contributions met at n. It begins in
// column at, and value columns are to follow. In a window it leaves out what
// does not fit the line, or breaks the line where everything is asked for.
func (r *traceResult) writeSum(w *sheet, n engine.Node, at, value int) {
	sum := r.sums[n]
	if len(sum) < 2 {
		return
	}
	term := func(i int) string {
		text := w.format(sum[i])
		switch {
		case i == 0:
			return text
		case strings.HasPrefix(text, "-"):
			return " - " + text[1:]
		}
		return " + " + text
	}
	shown := len(sum) // up to here, and the last one
	if w.height > 0 && !r.all {
		room := w.width - at - value - columns(term(len(sum)-1)) - len(" = ")
		cut := room - columns(" + … "+grouped(len(sum))+" more …")
		shown = 0 // as many as fit with a count of the others
		for i := range len(sum) - 1 {
			n := columns(term(i))
			room, cut = room-n, cut-n
			if cut >= 0 {
				shown++
			}
			if room < 0 {
				break
			}
		}
		switch {
		case room >= 0:
			shown = len(sum)
		case shown == 0:
			return
		}
	}
	for i := range sum {
		w.pause()
		if i == shown && i < len(sum)-1 {
			w.text(" + … ", grouped(len(sum)-1-shown), " more …")
		}
		if i >= shown && i < len(sum)-1 {
			continue
		}
		text := term(i)
		if at += columns(text); i > 0 && r.all && w.height > 0 && at+len(" =") > w.width {
			w.line().text("   ")
			at = len("   ") + columns(text)
		}
		w.text(text)
	}
	if r.all && w.height > 0 && at+len(" = ")+value > w.width {
		w.line().text("   ")
	}
	w.text(" = ")
}

// writeField writes the steps into a grad object.
func (r *traceResult) writeField(j *jsonObject) {
	s := r.session
	j.array("trace", len(r.steps), func(i int) {
		st := &r.steps[i]
		j.begin()
		j.str("node", s.numberName(st.node))
		j.str("op", s.tape.Op(st.node).String())
		j.num("grad", st.grad)
		j.array("gives", len(st.gives), func(k int) {
			j.begin()
			j.str("to", s.numberName(st.gives[k].To))
			j.num("value", st.gives[k].Value)
			j.end()
		})
		j.end()
	})
}

// runTrace turns tracing on or off, or shows the steps of one sweep.
func (s *Session) runTrace(c *call) (Result, error) {
	const off = "trace is off"
	const on = "trace is on: every GRAD shows its steps (:trace off, or :trace y for one)"
	word := strings.ToLower(c.arg(0))
	if len(c.Args) > 1 && (word != "all" || len(c.Args) > 2) {
		return nil, s.misuse(c, len(c.Args)-1)
	}
	switch {
	case word == "" && s.trace || word == "off":
		s.trace = false
		return c.say(off), nil
	case word == "" || word == "on":
		s.trace = true
		s.give(c.say(on))
		if s.target == 0 {
			return nil, nil
		}
		return s.stepsOf(s.target, false)
	case word == "all" && len(c.Args) == 1:
		if s.target == 0 {
			return nil, s.diagnose(c.Span, "no-gradient", "no GRAD has been asked for yet", "type GRAD, then :trace all")
		}
		return s.stepsOf(s.target, true)
	}
	target, err := s.namedAt(c, c.Args[len(c.Args)-1].Span)
	if err != nil {
		return nil, err
	}
	last := s.target
	r, err := s.stepsOf(target, word == "all")
	if err == nil && last != target {
		s.sweepAgain(last)
	}
	return r, err
}

// steps is a gradient shown by :trace.
type steps struct{ *gradientResult }

func (r *steps) kind() string { return "trace" }

// stepsOf sweeps from target and returns the steps, with the gradients by the
// variables that took part; a GRAD also says which did not.
func (s *Session) stepsOf(target engine.Node, all bool) (Result, error) {
	wrt := make([]gradientEntry, 0, len(s.vars))
	for _, v := range s.vars {
		wrt = append(wrt, gradientEntry{name: v, node: s.symbols[v].node})
	}
	r, err := s.gradient(target, wrt, true, all)
	if err != nil {
		return nil, err
	}
	used := r.entries[:0]
	for _, e := range r.entries {
		if !e.unused {
			used = append(used, e)
		}
	}
	r.entries, r.unused = used, nil
	return &steps{r}, nil
}

// sweepAgain makes the adjoints those of the last GRAD, after a sweep from
// elsewhere.
func (s *Session) sweepAgain(target engine.Node) {
	if target == 0 || s.tape.Sweep(target) != nil {
		s.tape.Forget()
		target = 0
	}
	s.target = target
}

// traceWords completes the arguments of :trace.
func (s *Session) traceWords(n int) (w []edit.Word) {
	if n == 0 {
		w = words("on", "off", "all")(s)
	}
	if n < 2 {
		w = append(w, s.targetWords()...)
	}
	return w
}
