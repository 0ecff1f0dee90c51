package repl

import (
	"math"
	"slices"

	"scalargrad/engine"
	"scalargrad/grammar"
)

// A gradientResult is what GRAD answers.
type gradientResult struct {
	session *Session
	target  engine.Node
	name    string // how the target is called
	node    string
	value   float64
	title   string // "n2 = (a + b) * a" where the target was not named; else ""
	entries []gradientEntry
	unused  []string
	alone   string // why there is nothing to differentiate by; else ""
	trace   *traceResult
	all     bool // print every entry, whatever the window's height
	remarks
}

type gradientEntry struct {
	name   string
	node   engine.Node
	value  float64
	unused bool
}

// runGrad answers GRAD in all its forms.
func (s *Session) runGrad(st *grammar.Statement) error {
	target, named, names, err := s.gradTarget(st)
	if err != nil {
		return err
	}
	recorded := len(st.Expr) > 0 && !named
	if recorded {
		s.latest = target
	}
	wrt := make([]gradientEntry, 0, len(names))
	asked := make(map[string]bool, len(names))
	for _, n := range names {
		word := s.text(n)
		if asked[word] {
			continue
		}
		asked[word] = true
		node, err := s.differentiable(n)
		if err != nil {
			return err
		}
		wrt = append(wrt, gradientEntry{name: word, node: node})
	}
	if len(names) == 0 {
		wrt = slices.Grow(wrt, len(s.vars))
		for _, v := range s.vars {
			wrt = append(wrt, gradientEntry{name: v, node: s.symbols[v].node})
		}
	}
	r, err := s.gradient(target, wrt, s.trace, false)
	if err != nil {
		return err
	}
	switch {
	case !named:
		r.title = s.equation(target)
	case len(st.Expr) == 1:
		r.name = s.called(st.Expr[0].Span, target)
	default:
		r.name = s.called(st.Names[0], target)
	}
	if recorded && !s.options.JSON { // now that nothing is refused any more
		value := &valueResult{}
		s.show(value, "", target)
		s.checkFinite(&value.remarks, target)
		s.give(value)
	}
	s.give(r)
	return nil
}

// called returns what a node is called where it was given by name: that name,
// of the several that it may have, unless it was ans.
func (s *Session) called(at grammar.Span, n engine.Node) string {
	if word := s.text(at); word != "ans" && word != "_" {
		return word
	}
	return s.nodeName(n)
}

// gradTarget finds what GRAD differentiates, whether it was given by name, and
// the names to differentiate by.
func (s *Session) gradTarget(st *grammar.Statement) (target engine.Node, named bool, names []grammar.Span, err error) {
	names = st.Names
	if len(st.Expr) > 0 {
		term, err := s.record(st.Expr)
		if err != nil {
			return 0, false, nil, err
		}
		if len(st.Expr) == 1 && st.Expr[0].Kind != grammar.Number {
			return term.Node(), true, names, nil
		}
		return term.Node(), false, names, nil
	}
	if st.WRT.Empty() && len(names) > 0 && !st.Comma && !s.isVariable(s.text(names[0])) {
		node, err := s.operandAt(names[0])
		return node, true, names[1:], err
	}
	if s.latest == 0 {
		return 0, false, nil, s.noExpression(st)
	}
	return s.latest, false, names, nil
}

// operandAt returns the node that the name (or @5) at a span means.
func (s *Session) operandAt(at grammar.Span) (engine.Node, error) {
	item := grammar.Item{Kind: grammar.Name, Span: at}
	if word := s.text(at); word[0] == '@' {
		item.Kind, item.Value = grammar.Node, float64(atoi(word[1:]))
	}
	term, err := s.operand(&item)
	return term.Node(), err
}

// differentiable is operandAt for a name to differentiate by.
func (s *Session) differentiable(at grammar.Span) (engine.Node, error) {
	n, err := s.operandAt(at)
	if err != nil {
		return 0, err
	}
	if s.tape.IsConstant(n) {
		word := s.text(at)
		return 0, s.diagnose(at, "constant-derivative", word+" is a constant, and nothing can be differentiated by it",
			"VAR "+word+" = "+shortest(s.tape.Value(n))+" makes it a variable")
	}
	return n, nil
}

// gradient sweeps from target and collects the adjoints of wrt.
func (s *Session) gradient(target engine.Node, wrt []gradientEntry, trace, all bool) (*gradientResult, error) {
	r := &gradientResult{session: s, target: target, name: s.nodeName(target), value: s.tape.Value(target), entries: wrt, all: all}
	if !s.tape.IsLeaf(target) {
		r.node = s.numberName(target)
	}
	var err error
	if trace && !s.tape.IsConstant(target) {
		r.trace, err = s.traced(target, wrt, all)
	} else if s.tape.Sweep(target) != nil {
		err = errInterrupted
	}
	if err != nil {
		s.tape.Forget()
		s.target = 0
		return nil, err
	}
	s.target = target
	r.unused = s.fillAdjoints(wrt)
	if s.tape.IsConstant(target) {
		r.alone = s.nothingToDifferentiateBy(target)
	}
	s.noteCorners(&r.remarks)
	s.warnGradient(&r.remarks, r)
	return r, nil
}

// fillAdjoints gives the entries what the last sweep left for them, and returns
// the names of those that its target does not use.
func (s *Session) fillAdjoints(entries []gradientEntry) (unused []string) {
	silent := map[engine.Node]bool{} // no adjoint arrived there: unused, or only multiplied by nothing
	for i := range entries {
		e := &entries[i]
		e.value = s.tape.Adjoint(e.node)
		if e.value == 0 && e.node != s.target && !s.tape.Reached(e.node) {
			silent[e.node] = true
		}
	}
	if len(silent) == 0 {
		return nil
	}
	for n := range s.reach(s.target) {
		if delete(silent, n); len(silent) == 0 {
			return nil
		}
	}
	for i := range entries {
		if e := &entries[i]; silent[e.node] {
			e.unused = true
			unused = append(unused, e.name)
		}
	}
	return unused
}

func (s *Session) nothingToDifferentiateBy(target engine.Node) string {
	text := s.nodeName(target) + " uses no variable, so there is nothing to differentiate by"
	if s.tape.IsLeaf(target) && len(s.names[target]) == 0 {
		text = formatNumber(s.tape.Value(target), s.digits) + " is a constant, so there is nothing to differentiate by"
	}
	names := s.constantNames(target)
	if s.tape.IsLeaf(target) && len(s.names[target]) > 0 {
		names = s.names[target][:1]
	}
	for i, n := range names {
		if i == 0 {
			text += ": "
		} else {
			text += ", "
		}
		text += n + " is a constant (VAR " + n + " = " + shortest(s.tape.Value(s.symbols[n].node)) + " makes it a variable)"
	}
	return text
}

func (r *gradientResult) kind() string { return "grad" }

func (r *gradientResult) writeText(w *sheet) {
	s := r.session
	first, last := len(r.entries), len(r.entries)
	room := 0 // lines for the trace; 0: no window
	if w.height > 0 && !r.all {
		room = w.height - 1 - len(r.remarks.list) // the prompt comes below
		most := room
		if r.trace != nil {
			most = w.height / 3
		}
		if len(r.entries) > most {
			first, last = max(w.height/8, 1), len(r.entries)-max(w.height/12, 1)
			room -= 3
		}
		room = max(room-len(r.entries)+(last-first), 8)
	}
	if r.trace != nil {
		r.trace.writeSteps(w, room)
	} else if r.title != "" {
		w.paint(strong, "gradient of ").text(r.title).line()
	}
	if r.alone != "" {
		w.text(r.alone).line()
	}
	for i, e := range r.entries {
		if i == first && last > first {
			w.paint(faint, "… "+grouped(last-first)+" more …").line()
		}
		if i >= first && i < last {
			continue
		}
		w.paint(name, e.name+".grad").text(" = ")
		if r.trace != nil {
			r.trace.writeSum(w, e.node, columns(e.name+".grad = "), columns(w.format(e.value)))
		}
		w.number(e.value)
		if e.unused {
			w.paint(faint, "   ("+r.name+" does not use "+e.name+")")
		}
		w.line()
	}
	if first < last {
		norm, largest := 0.0, r.entries[0]
		for _, e := range r.entries {
			norm = math.Hypot(norm, e.value)
			if math.Abs(e.value) > math.Abs(largest.value) {
				largest = e
			}
		}
		w.text(grouped(len(r.entries)), " variables: norm ").number(norm).text(", largest ").paint(name, largest.name+".grad").text(" = ").number(largest.value).line()
		w.text("one of them: GRAD ", s.nodeName(r.target), " ", largest.name, "   all of them: GRAD in a pipe or a file").line()
	}
	r.remarks.writeText(w)
}

func (r *gradientResult) writeJSON(j *jsonObject) {
	j.str("of", r.name)
	if r.node != "" {
		j.str("node", r.node)
	}
	j.num("value", r.value)
	j.object("grad", func() {
		for _, e := range r.entries {
			j.num(e.name, e.value)
		}
	})
	if len(r.unused) > 0 {
		j.strings("unused", r.unused)
	}
	if r.trace != nil {
		r.trace.writeField(j)
	}
	r.remarks.writeJSON(j)
}

// runShowGrad answers a.grad.
func (s *Session) runShowGrad(st *grammar.Statement) error {
	n, err := s.differentiable(st.Name)
	if err != nil {
		return err
	}
	if s.target == 0 {
		return s.diagnose(st.Name, "no-gradient", "no GRAD has been asked for yet", "GRAD, then "+s.text(st.Name)+".grad")
	}
	entry := []gradientEntry{{name: s.text(st.Name), node: n}}
	s.fillAdjoints(entry)
	s.give(&adjointResult{entry[0], s.nodeName(s.target)})
	return nil
}
