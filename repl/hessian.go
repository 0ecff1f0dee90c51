package repl

import (
	"errors"
	"slices"

	"scalargrad/engine"
)

// maxHessian is how many variables :hessian takes at once.
const maxHessian = 2000

// runHessian is :hessian: the matrix of second derivatives. The gradient is
// recorded on a copy of the tape, and one sweep from each of its components
// gives a row.
func (s *Session) runHessian(c *call) (Result, error) {
	target, wrt, err := s.targetAndNames(c, s.fields(c.Tail))
	if err != nil {
		return nil, err
	}
	if n := len(wrt); n > maxHessian {
		return nil, s.diagnose(c.Span, "too-large", "a matrix of "+grouped(n)+" by "+grouped(n)+" is more than anybody reads", "name the variables to see:  :hessian "+s.nodeName(target)+" "+wrt[0].name+" "+wrt[1].name)
	}
	copied, find, err := s.copyOf(target)
	if err != nil {
		return nil, err
	}
	const growth = 5 // nodes of the derivative for each of the target, at most, nearly always
	if s.tape.Len()+growth*copied.Len() > s.options.MaxNodes {
		return nil, s.tapeFull()
	}
	d, err := copied.Differentiate(find(target))
	if errors.Is(err, engine.ErrFull) {
		return nil, s.tapeFull()
	}
	if err != nil {
		return nil, errInterrupted
	}
	defer s.endProgress()
	r := &hessianResult{of: s.nodeName(target)}
	at := make([]engine.Node, len(wrt))
	for i, e := range wrt {
		r.names = append(r.names, e.name)
		at[i] = find(e.node)
	}
	for i := range wrt {
		row := make([]float64, len(wrt))
		r.rows = append(r.rows, row)
		first, ok := engine.Node(0), false
		if at[i] != 0 {
			first, ok = d.By(at[i])
		}
		if !ok {
			continue
		}
		if copied.Sweep(first) != nil {
			return nil, errInterrupted
		}
		for k, n := range at {
			if n != 0 {
				row[k] = copied.Adjoint(n)
			}
		}
		s.reportProgress(func() string { return "hessian of " + r.of + ": row " + itoa(i+1) + " of " + itoa(len(wrt)) })
	}
	s.noteConventions(&r.remarks, slices.Values(s.corners(target)))
	for i, row := range r.rows {
		for k, v := range row {
			if !finite(v) && len(r.remarks.list) == 0 {
				r.remarks.warn("gradient-not-finite", "", "the second derivative by "+r.names[i]+" and "+r.names[k]+" is "+formatNumber(v, s.digits))
			}
		}
	}
	return r, nil
}

// A hessianResult is a matrix of second derivatives.
type hessianResult struct {
	of    string
	names []string
	rows  [][]float64
	remarks
}

func (r *hessianResult) kind() string { return "hessian" }

// writeText writes the matrix, in stripes of columns where it is too wide.
func (r *hessianResult) writeText(w *sheet) {
	const gap = 3
	shown := len(r.names)
	if w.height > 0 && shown > max(w.height-4, 4) {
		shown = max(w.height-4, 4) // of a window full of numbers nobody sees more
		shown = min(shown, 8)
	}
	left := 0
	width := make([]int, shown)
	for i, n := range r.names[:shown] {
		left = max(left, columns(n)+gap)
		width[i] = columns(n)
		for _, row := range r.rows[:shown] {
			width[i] = max(width[i], columns(w.format(row[i])))
		}
	}
	for from := 0; from < shown; {
		to, used := from, left
		for to < shown && (to == from || used+width[to] <= w.width) {
			used += width[to] + gap
			to++
		}
		if from > 0 {
			w.line()
		}
		w.blanks(left)
		for k := from; k < to; k++ {
			if k == to-1 {
				w.paint(name, r.names[k])
			} else {
				w.pad(name, r.names[k], width[k]+gap)
			}
		}
		w.line()
		for i := range shown {
			w.pad(name, r.names[i], left)
			for k := from; k < to; k++ {
				w.number(r.rows[i][k])
				if k < to-1 {
					w.blanks(width[k] + gap - columns(w.format(r.rows[i][k])))
				}
			}
			w.line()
		}
		from = to
	}
	if shown < len(r.names) {
		w.paint(faint, "… "+grouped(len(r.names)-shown)+" more rows and columns: name the variables to see, or use a pipe …").line()
	}
	r.remarks.writeText(w)
}

func (r *hessianResult) writeJSON(j *jsonObject) {
	j.str("of", r.of)
	j.strings("names", r.names)
	j.array("matrix", len(r.rows), func(i int) {
		j.buf = append(j.buf, '[')
		for _, v := range r.rows[i] {
			j.comma()
			j.buf = appendJSONNumber(j.buf, v)
		}
		j.buf = append(j.buf, ']')
	})
	r.remarks.writeJSON(j)
}
