package repl

import (
	"strings"

	"scalargrad/engine"
)

// A story is what :explain tells of one node: what made it, by how much it
// follows its parents, what arrived at it in the sweep of the last GRAD's
// target, and what it handed on. Where VAR has changed a value since, it is
// that sweep at today's values.
type story struct {
	session *Session
	node    engine.Node
	name    string // as it was asked for
	users   []engine.Node
	of      engine.Node // the target; 0: there was no GRAD
	used    bool        // by the target
	reached bool        // by the sweep
	adjoint float64
	arrived []arrival
	gives   []engine.Contribution
	remarks
}

// An arrival is one share, and the node that handed it on.
type arrival struct {
	from     traceStep
	argument int
	value    float64
}

// runExplain answers :explain n.
func (s *Session) runExplain(c *call) (Result, error) {
	words := s.fields(c.Tail)
	switch {
	case len(words) > 1:
		return nil, s.misuse(c, 1)
	case len(words) == 0:
		return nil, s.diagnose(c.Span, "bad-argument", "which node?", ":explain n2, or a name: :tape lists the nodes")
	}
	n, err := s.namedAt(c, words[0])
	if err != nil {
		return nil, err
	}
	r := &story{session: s, node: n, name: s.nodeName(n), of: s.target}
	for m := n + 1; int(m) <= s.tape.Len(); m++ {
		if x, y := s.tape.Parents(m); x == n || y == n {
			r.users = append(r.users, m)
		}
		if m&0xffff == 0 && s.interrupted() {
			return nil, errInterrupted
		}
	}
	if r.of != 0 {
		if err := r.sweep(); err != nil {
			return nil, errInterrupted
		}
	}
	s.checkFinite(&r.remarks, n)
	return r, nil
}

// sweep collects what arrives and what is handed on, on a copy: the adjoints of
// the last GRAD stay.
func (r *story) sweep() error {
	s := r.session
	copied, find, err := s.copyOf(r.of)
	if err != nil {
		return err
	}
	here := find(r.node)
	if r.used = here != 0; !r.used {
		return nil
	}
	origin := map[engine.Node]engine.Node{} // of those next to the node, by their place on the copy
	x, y := s.tape.Parents(r.node)
	for _, n := range append([]engine.Node{x, y}, r.users...) {
		if n != 0 {
			origin[find(n)] = n
		}
	}
	return copied.Trace(find(r.of), func(st *engine.Step) {
		for _, c := range st.Gives {
			if c.To == here {
				r.arrived = append(r.arrived, arrival{traceStep{node: origin[st.Node], grad: st.Adjoint}, c.Argument, c.Value})
			}
		}
		if st.Node == here {
			r.reached, r.adjoint = true, st.Adjoint
			for _, c := range st.Gives {
				c.To = origin[c.To]
				r.gives = append(r.gives, c)
			}
		}
	})
}

func (r *story) kind() string { return "explain" }

// slopes are the local derivatives: by which parent, in symbols and as numbers.
func (r *story) slopes() (rows []slopeRow) {
	s, t := r.session, r.session.tape
	x, y := t.Parents(r.node)
	for i, p := range [2]engine.Node{x, y} {
		if p == 0 || i >= t.Op(r.node).Arity() {
			continue
		}
		row := slopeRow{by: p}
		if row.fixed = t.IsConstant(p); !row.fixed {
			row.text = s.tape.SlopeText(r.node, i, s.nodeName, func(v float64) string { return formatNumber(v, s.digits) })
			row.value = t.Slope(r.node, i)
		}
		rows = append(rows, row)
	}
	return rows
}

type slopeRow struct {
	by    engine.Node
	fixed bool // a constant: nothing flows to it
	text  string
	value float64
}

// mostArrivals is how many arrivals are shown in a window.
const mostArrivals = 8

func (r *story) writeText(w *sheet) {
	s, t := r.session, r.session.tape
	head := func(text string) { w.text("  ").pad(faint, text, 12).text("  ") }
	w.paint(strong, s.equation(r.node)).text(" = ").number(t.Value(r.node))
	switch {
	case t.IsVariable(r.node):
		w.text("   a variable")
	case t.IsLeaf(r.node):
		w.text("   a constant")
	case t.IsConstant(r.node):
		w.text("   a constant: it uses no variable")
	}
	w.line()
	if !t.IsLeaf(r.node) {
		r.writeOrigin(w, head)
	}
	head("used by")
	var users []string
	for i, u := range r.users {
		if i == 4 {
			users = append(users[:3], grouped(len(r.users)-3)+" more nodes")
			break
		}
		users = append(users, s.nodeName(u)+" = "+s.operation(u))
	}
	if users == nil {
		users = []string{"nothing on the tape"}
	}
	w.hang(16, strings.Join(users, ", "))
	if !t.IsConstant(r.node) {
		r.writeSweep(w, head)
	}
	r.remarks.writeText(w)
}

// writeOrigin says what made the node, and how it follows its parents.
func (r *story) writeOrigin(w *sheet, head func(string)) {
	s, t := r.session, r.session.tape
	head("made by")
	made := lessonName(t.Op(r.node))
	rows := r.slopes()
	for i, row := range rows {
		switch {
		case i == 0:
			made += " of "
		case row.by == rows[0].by:
			made += " and itself"
			continue
		default:
			made += " and "
		}
		made += s.nodeName(row.by)
		if !(row.fixed && t.IsLeaf(row.by) && len(s.names[row.by]) == 0) {
			made += " = " + w.format(t.Value(row.by))
		}
	}
	w.hang(16, made)
	for i, row := range rows {
		if i == 0 {
			head("slope")
		} else {
			w.blanks(16)
		}
		w.text("by ", s.nodeName(row.by), ": ")
		switch number := w.format(row.value); {
		case row.fixed:
			w.paint(faint, "a constant, so nothing flows")
		case row.text == number:
			w.text(number)
		default:
			w.text(row.text, " = ").number(row.value)
		}
		w.line()
	}
}

// writeSweep says what arrived in the sweep, and what was handed on.
func (r *story) writeSweep(w *sheet, head func(string)) {
	s := r.session
	head("gradient")
	of := ""
	if r.of != 0 {
		of = s.nodeName(r.of)
	}
	switch {
	case r.of == 0:
		w.hang(16, "no GRAD yet: after one, here stands what arrived and what was handed on")
		return
	case !r.used:
		w.hang(16, of+" does not use "+r.name+", so its sweep does not come by")
		return
	case !r.reached:
		w.hang(16, "nothing arrived in the sweep of "+of+": "+r.name+" is on a branch that was not taken")
		return
	}
	w.paint(name, r.name+".grad").text(" = ")
	if r.node == r.of {
		w.number(r.adjoint).paint(faint, "   the seed: the sweep began here").line()
	} else {
		if n := len(r.arrived); n > 1 && n <= mostArrivals {
			for i, a := range r.arrived {
				switch text := w.format(a.value); {
				case i == 0:
					w.text(text)
				case strings.HasPrefix(text, "-"):
					w.text(" - ", text[1:])
				default:
					w.text(" + ", text)
				}
			}
			w.text(" = ")
		}
		w.number(r.adjoint).paint(faint, "   in the sweep of "+of).line()
		for i, a := range r.arrived {
			if w.height > 0 && i == mostArrivals-1 && len(r.arrived) > mostArrivals {
				w.blanks(16).paint(faint, "… "+grouped(len(r.arrived)-i)+" more shares …").line()
				break
			}
			share := s.share(&a.from, engine.Contribution{Argument: a.argument, To: r.node, Value: a.value})
			w.wrap(16, "from "+s.nodeName(a.from.node)+" = "+s.operation(a.from.node)+":  "+share).line()
		}
	}
	head("hands on")
	if len(r.gives) == 0 {
		if s.tape.IsLeaf(r.node) {
			w.text("nothing: at a variable the sweep ends").line()
		} else {
			w.text("nothing").line()
		}
		return
	}
	step := traceStep{node: r.node, grad: r.adjoint}
	for i, c := range r.gives {
		if share := s.share(&step, c); i == 0 {
			w.hang(16, share)
		} else {
			w.wrap(16, share).line()
		}
	}
}

// hang adds text from column indent on, where the line stands already, and
// continues there.
func (w *sheet) hang(indent int, text string) {
	own := sheet{theme: w.theme, width: w.width}
	own.wrap(indent, text)
	w.text(string(own.buf[indent:])).line()
}

func (r *story) writeJSON(j *jsonObject) {
	s, t := r.session, r.session.tape
	j.str("node", s.numberName(r.node))
	if names := s.names[r.node]; len(names) > 0 && names[0] != s.numberName(r.node) {
		j.strings("names", names)
	}
	j.str("op", t.Op(r.node).String())
	j.num("value", t.Value(r.node))
	rows := r.slopes()
	j.array("slopes", len(rows), func(i int) {
		j.begin()
		j.str("by", s.numberName(rows[i].by))
		if !rows[i].fixed {
			j.str("text", rows[i].text)
			j.num("value", rows[i].value)
		}
		j.end()
	})
	j.array("users", len(r.users), func(i int) { j.buf = appendJSONString(j.buf, s.numberName(r.users[i])) })
	if r.of != 0 {
		j.str("of", s.nodeName(r.of))
		j.bool("used", r.used)
	}
	if r.reached {
		j.num("grad", r.adjoint)
		j.array("arrived", len(r.arrived), func(i int) {
			j.begin()
			j.str("from", s.numberName(r.arrived[i].from.node))
			j.num("value", r.arrived[i].value)
			j.end()
		})
		j.array("gives", len(r.gives), func(i int) {
			j.begin()
			j.str("to", s.numberName(r.gives[i].To))
			j.num("value", r.gives[i].Value)
			j.end()
		})
	}
	r.remarks.writeJSON(j)
}
