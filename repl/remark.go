package repl

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"scalargrad/engine"
)

// A remark is a warning or a note beside a result.
type remark struct {
	warning bool
	code    string
	node    string // what it is about; may be empty
	message string
}

type remarks struct{ list []remark }

func (r *remarks) warn(code, node, message string) {
	r.list = append(r.list, remark{true, code, node, message})
}

func (r *remarks) note(code, node, message string) {
	r.list = append(r.list, remark{false, code, node, message})
}

func (r *remarks) writeText(w *sheet) {
	for _, m := range r.list {
		if m.warning {
			w.paint(doubtful, "warning:")
		} else {
			w.paint(noted, "note:")
		}
		w.text(" ", m.message).line()
	}
}

// writeWarnings writes the warnings alone.
func (r *remarks) writeWarnings(w *sheet) {
	for _, m := range r.list {
		if m.warning {
			w.paint(doubtful, "warning:").text(" ", m.message).line()
		}
	}
}

func (r *remarks) writeJSON(j *jsonObject) {
	if len(r.list) == 0 {
		return
	}
	j.array("warnings", len(r.list), func(i int) {
		m := r.list[i]
		j.begin()
		j.str("code", m.code)
		if m.node != "" {
			j.str("node", m.node)
		}
		j.str("message", m.message)
		j.end()
	})
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// checkFinite warns when the value of n is not finite, and names the first
// operation where that began.
func (s *Session) checkFinite(r *remarks, n engine.Node) {
	v := s.tape.Value(n)
	if finite(v) {
		return
	}
	origin := n
	for m := range s.reach(n) {
		if finite(s.tape.Value(m)) {
			continue
		}
		x, y := s.tape.Parents(m)
		if (x == 0 || finite(s.tape.Value(x))) && (y == 0 || finite(s.tape.Value(y))) {
			origin = m
		}
	}
	is := " is " + formatNumber(v, s.digits)
	switch {
	case s.tape.IsLeaf(origin):
		if origin != n {
			r.warn("not-finite", s.nodeName(origin), fmt.Sprintf("%s%s; it began at %s, which is %s", s.nodeName(n), is, s.nodeName(origin), formatNumber(s.tape.Value(origin), s.digits)))
		} else {
			r.warn("not-finite", s.nodeName(n), s.nodeName(n)+is)
		}
	case origin == n:
		r.warn("not-finite", s.nodeName(n), fmt.Sprintf("%s = %s%s: %s", s.nodeName(n), s.operation(n), is, s.reason(n)))
	default:
		r.warn("not-finite", s.nodeName(origin), fmt.Sprintf("%s%s; it began at %s = %s: %s", s.nodeName(n), is, s.nodeName(origin), s.operation(origin), s.reason(origin)))
	}
}

// reason says which values of the parents of n made its value not finite.
func (s *Session) reason(n engine.Node) string {
	x, y := s.tape.Parents(n)
	op := s.tape.Op(n)
	var parts []string
	say := func(p engine.Node) {
		if p != 0 && !(s.tape.IsLeaf(p) && len(s.names[p]) == 0) {
			text := s.nodeName(p) + " is " + formatNumber(s.tape.Value(p), s.digits)
			if len(parts) == 0 || parts[0] != text {
				parts = append(parts, text)
			}
		}
	}
	if op != engine.OpDiv || s.tape.Value(y) != 0 {
		say(x)
	}
	say(y)
	if op == engine.OpDiv && len(parts) == 0 {
		parts = append(parts, "a number has no quotient by 0")
	}
	var vy float64
	if y != 0 {
		vy = s.tape.Value(y)
	}
	if why := op.Domain(s.tape.Value(x), vy); why != "" {
		if s.tape.IsLeaf(x) && len(s.names[x]) == 0 {
			why = strings.ReplaceAll(why, "{x}", "x") // "log needs 0 > 0" helps nobody
		}
		parts = append(parts, s.fill(why, n))
	} else if finite(s.tape.Value(x)) && op != engine.OpDiv && math.IsInf(s.tape.Value(n), 0) {
		parts = append(parts, "the result is beyond 1.8e308")
	}
	return strings.Join(parts, ", ")
}

// noteCorners notes which conventions decided the adjoints of the last sweep.
func (s *Session) noteCorners(r *remarks) {
	s.noteConventions(r, func(yield func(engine.Node) bool) {
		for n := range s.tape.Swept() {
			op := s.tape.Op(n)
			if op.Arity() == 0 || op <= engine.OpNeg || s.tape.Adjoint(n) == 0 || s.tape.Corner(n) == "" {
				continue
			}
			if !yield(n) {
				return
			}
		}
	})
}

// noteConventions notes the conventions in force at the nodes, which come newest
// first: one note for each kind of operation, that names the oldest.
func (s *Session) noteConventions(r *remarks, nodes iter.Seq[engine.Node]) {
	oldest, count := map[engine.Op]engine.Node{}, map[engine.Op]int{}
	for n := range nodes {
		op := s.tape.Op(n)
		oldest[op] = n
		count[op]++
	}
	for _, n := range slices.Sorted(maps.Values(oldest)) {
		op, what := s.tape.Op(n), s.tape.Corner(n)
		if x, y := s.tape.Parents(n); x == y || s.tape.IsLeaf(x) && len(s.names[x]) == 0 {
			what = strings.Replace(what, "{x} = 0, ", "", 1) // x^x and 0^x: one place says it
		}
		message := s.nodeName(n) + " = " + s.operation(n) + " " + s.fill(what, n)
		if more := count[op] - 1; more > 0 {
			message += " (and at " + grouped(more) + " more " + op.String() + " nodes)"
		}
		r.note("convention", s.nodeName(n), message)
	}
}

// warnGradient warns when a printed adjoint is not finite, and names the first
// step of the sweep that made one.
func (s *Session) warnGradient(r *remarks, g *gradientResult) {
	first, more := "", 0
	for _, e := range g.entries {
		if !finite(e.value) {
			if first == "" {
				first = e.name + ".grad is " + formatNumber(e.value, s.digits)
			} else {
				more++
			}
		}
	}
	if first == "" {
		return
	}
	if more > 0 {
		first += fmt.Sprintf(" (and %d more)", more)
	}
	var at engine.Node
	var step engine.Contribution
	_ = s.tape.Trace(g.target, func(st *engine.Step) {
		for _, c := range st.Gives {
			if at == 0 && finite(st.Adjoint) && !finite(c.Value) {
				at, step = st.Node, c
			} else if at == 0 && finite(st.Adjoint) && !finite(st.Adjoint+c.Value) {
				at, step = st.Node, c
			}
		}
	})
	if at == 0 {
		r.warn("gradient-not-finite", "", first)
		return
	}
	parent := step.To
	message := fmt.Sprintf("%s: %s = %s", first, s.nodeName(at), s.operation(at))
	slope := s.tape.Slope(at, step.Argument)
	switch v := s.tape.Value(at); {
	case !finite(v):
		message += " is " + formatNumber(v, s.digits)
	case !finite(slope) && s.tape.Adjoint(at) == 0:
		message += fmt.Sprintf(" has infinite slope at %s = %s, and 0 times that is NaN", s.nodeName(parent), formatNumber(s.tape.Value(parent), s.digits))
	case math.IsNaN(slope):
		message += fmt.Sprintf(" has no slope at %s = %s", s.nodeName(parent), formatNumber(s.tape.Value(parent), s.digits))
	case !finite(slope):
		message += fmt.Sprintf(" has infinite slope at %s = %s", s.nodeName(parent), formatNumber(s.tape.Value(parent), s.digits))
	default:
		message += " handed on more than 1.8e308"
	}
	r.warn("gradient-not-finite", s.nodeName(at), message)
}
