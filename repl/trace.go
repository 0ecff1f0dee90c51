package repl

import (
	"strings"

	"scalargrad/engine"
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
			r.steps = append(r.steps, traceStep{st.Node, st.Adjoint, append([]engine.Contribution(nil), st.Gives...)})
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

func (r *traceResult) rows() (rows []traceRow) {
	s := r.session
	for i := range r.steps {
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
			row.shares = append(row.shares, "hands nothing on")
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

// writeSteps writes the heading, the seed and one row a node.
func (r *traceResult) writeSteps(w *sheet) {
	s := r.session
	w.paint(strong, "backward from ").text(s.equation(r.target), " = ").number(s.tape.Value(r.target)).line()
	seed := "  " + s.nodeName(r.target) + ".grad = 1"
	w.pad(plain, seed, 52).paint(faint, "seed").line()

	rows := r.rows()
	opWidth, eqWidth, shareWidth := 8, 0, 0
	for _, row := range rows {
		opWidth = max(opWidth, columns(row.op))
		eqWidth = max(eqWidth, columns(row.equation))
	}
	eqWidth = min(eqWidth, 34)
	left := 2 + opWidth + 2 + eqWidth + 3
	two := w.width // room for a second share on the same row
	for _, row := range rows {
		if len(row.shares) == 2 && left+columns(row.shares[0])+3+columns(row.shares[1]) <= two {
			shareWidth = max(shareWidth, columns(row.shares[0]))
		}
	}
	first, last := len(rows), len(rows)
	if w.height > 0 && !r.all && len(rows) > w.height-6 {
		keep := max(w.height-8, 4)
		first, last = keep*2/3, len(rows)-keep/3
	}
	for i, row := range rows {
		if i == first && last > first {
			w.paint(faint, "  … "+grouped(last-first)+" more rows (:trace all shows them) …").line()
		}
		if i >= first && i < last {
			continue
		}
		if row.folded > 0 {
			w.paint(faint, "  … "+plural(row.folded, "row")+" of grad(…) (:trace all shows them)").line()
			continue
		}
		w.text("  ").pad(operator, row.op, opWidth).text("  ").pad(plain, row.equation, eqWidth).text("   ")
		col := left
		if columns(row.equation) > eqWidth {
			w.line().blanks(left)
		}
		for k, share := range row.shares {
			if k > 0 {
				if pad := max(shareWidth, columns(row.shares[0])); left+pad+3+columns(share) <= two {
					w.blanks(pad - columns(row.shares[0])).text("   ")
				} else {
					w.line().blanks(col)
				}
			}
			w.text(share)
		}
		w.line()
	}
}

// writeSum writes "5 + 2 = " where several contributions met at n.
func (r *traceResult) writeSum(w *sheet, n engine.Node) {
	sum := r.sums[n]
	if len(sum) < 2 {
		return
	}
	const most = 8
	var b strings.Builder
	for i, v := range sum {
		if len(sum) > most && i == most-2 && !r.all {
			b.WriteString(" + … " + grouped(len(sum)-most+1) + " more …")
		}
		if len(sum) > most && i >= most-2 && i < len(sum)-1 && !r.all {
			continue
		}
		text := w.format(v)
		switch {
		case i == 0:
		case strings.HasPrefix(text, "-"):
			b.WriteString(" - ")
			text = text[1:]
		default:
			b.WriteString(" + ")
		}
		b.WriteString(text)
	}
	w.text(b.String(), " = ")
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
