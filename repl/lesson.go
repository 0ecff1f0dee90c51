package repl

import (
	"math"
	"strings"

	"scalargrad/engine"
	"scalargrad/grammar"
	"scalargrad/repl/edit"
)

// A lesson is how far somebody has come in the guided tour. What is typed
// meanwhile runs as always; the lesson looks at what came of it.
type lesson struct {
	step   int // 0-based
	open   bool
	done   bool   // the step has been answered
	solved []bool // by step
	saw    bool   // the running statement gave what the step asks for …
	slip   string // … or something that comes near it
}

// runLesson answers :lesson in all its forms.
func (s *Session) runLesson(c *call) (Result, error) {
	if len(c.Args) > 1 {
		return nil, s.misuse(c, 1)
	}
	l := s.lesson
	word := strings.ToLower(c.arg(0))
	started := l != nil
	if !started {
		l = &lesson{solved: make([]bool, len(lessonSteps))}
	}
	to := l.step
	if !started {
		to = -1 // next begins it
	}
	switch n := atoi(word); {
	case word == "list":
		return &textResult{"lesson", l.writeList}, nil
	case word == "leave":
		if !started || !l.open {
			return nil, s.diagnose(c.at(0), "no-lesson", "there is no lesson to leave", ":lesson begins it")
		}
		l.open = false
		return l.says("left", "You have left the lesson; what you made stays on the tape. `:lesson` goes on at step "+itoa(l.step+1)+"."), nil
	case word == "":
		to = l.step
	case word == "next", word == "skip":
		to++
	case word == "back":
		if to--; to < 0 {
			return nil, s.diagnose(c.at(0), "no-lesson", "this is the first step", ":lesson next goes on")
		}
	case n >= 1 && n <= len(lessonSteps):
		to = n - 1
	case n != 0 || word == "0":
		return nil, s.diagnose(c.at(0), "no-lesson", "the lesson has the steps 1 to "+itoa(len(lessonSteps)), ":lesson list shows them")
	default:
		return nil, s.misuse(c, 0)
	}
	if word == "skip" && started && l.open && !l.done {
		s.give(l.says("skipped", l.solution()))
	}
	s.lesson = l
	if to == len(lessonSteps) {
		s.lesson = nil
		return l.end(), nil
	}
	if to != l.step {
		l.done = false
	}
	l.step, l.open = to, true
	clash := ""
	if !started {
		clash = s.clashes()
	}
	refused, err := s.prepare(&lessonSteps[to])
	if err != nil {
		return nil, err
	}
	if refused {
		clash = "The lesson cannot make what this step needs: `:reset` clears the tape for it, and `:save FILE` keeps yours before."
	}
	return &lessonResult{state: "ask", at: to, first: !started, text: clash}, nil
}

// clashes warns of names that the lesson is going to use, where the session has
// them already.
func (s *Session) clashes() string {
	var taken []string
	seen := map[string]bool{}
	for i := range lessonSteps {
		for _, f := range lessonSteps[i].makes {
			_, known := s.symbols[f.name]
			if known && !seen[f.name] && !s.holds(f) && !(f.formula == "" && s.isVariable(f.name)) {
				taken = append(taken, f.name)
				seen[f.name] = true
			}
		}
	}
	if taken == nil {
		return ""
	}
	return "The lesson uses names that you have already: " + listed(taken, 6, " and ") + ". `:save FILE` keeps what you have, and `:reset` makes room."
}

// prepare types what the step needs and is not there. It reports whether
// something was refused.
func (s *Session) prepare(p *lessonStep) (refused bool, err error) {
	var missing []fact
	for _, f := range p.needs {
		if !s.holds(f) {
			missing = append(missing, f)
		}
	}
	emit := s.emit
	for _, line := range statements(missing) {
		if !s.options.JSON {
			emit(&textResult{"echo", func(w *sheet) { w.paint(faint, "> ").text(line, "   ").paint(faint, "(typed for you)").line() }})
		}
		s.Eval([]byte(line), s.line, func(r Result) {
			if _, ok := r.(*failure); ok {
				refused = true
			}
			emit(r)
		})
		if s.interrupted() {
			return true, errInterrupted
		}
		if refused {
			break
		}
	}
	s.begin() // what the statements changed is theirs
	return refused, nil
}

// statements are the lines that make facts: one VAR for the variables.
func statements(facts []fact) (lines []string) {
	vars := ""
	for _, f := range facts {
		switch {
		case f.formula != "":
			lines = append(lines, f.name+" = "+f.formula)
		case vars == "":
			vars = "VAR " + f.name + " = " + shortest(f.value)
		default:
			vars += ", " + f.name + " = " + shortest(f.value)
		}
	}
	if vars != "" {
		lines = append([]string{vars}, lines...)
	}
	return lines
}

// holds reports whether the tape has what a fact says.
func (s *Session) holds(f fact) bool {
	sym, ok := s.symbols[f.name]
	if !ok {
		return false
	}
	if f.formula == "" {
		return s.isVariable(f.name) && s.tape.Value(sym.node) == f.value
	}
	if s.isVariable(f.name) {
		return false
	}
	// The formula is recorded and compared: the same value, made by as many
	// operations, and following all the names in the formula at the same rate.
	outer := s.running
	defer func() { s.running = outer }()
	s.running = running{source: []byte(f.formula), emit: func(Result) {}}
	items, mistake := new(grammar.Parser).Expression(s.source, grammar.Span{End: int32(len(s.source))})
	if mistake != nil {
		return false
	}
	mark := s.tape.Mark()
	defer s.tape.Rollback(mark)
	term, err := s.record(items)
	if err != nil {
		return false
	}
	made, wanted := sym.node, term.Node()
	count := func() (difference int) {
		for range s.reach(made) {
			difference++
		}
		for range s.reach(wanted) {
			difference--
		}
		return difference
	}
	if !near12(s.tape.Value(made), s.tape.Value(wanted)) || count() != 0 {
		return false
	}
	copied, find, err := s.copyOf(made, wanted)
	if err != nil {
		return false
	}
	slopes := func(of engine.Node) (d []float64) {
		_ = copied.Sweep(find(of))
		for i := range items {
			if items[i].Kind == grammar.Name {
				if n, ok := s.resolve(items[i].Span.Text(s.source)); ok {
					d = append(d, copied.Adjoint(find(n)))
				}
			}
		}
		return d
	}
	a, b := slopes(made), slopes(wanted)
	for i := range a {
		if !near12(a[i], b[i]) {
			return false
		}
	}
	return true
}

func near12(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b)) }

// answers takes an unnamed expression of numbers alone for the answer to a step
// that asks for a number; it is not recorded then.
func (s *Session) answers(st *grammar.Statement) bool {
	l := s.lesson
	if l == nil || !l.open || s.depth > 1 || st.Kind != grammar.Expr || !st.Name.Empty() {
		return false
	}
	p := &lessonSteps[l.step]
	if !p.isNumber || l.done {
		return false
	}
	for i := range st.Expr {
		if k := st.Expr[i].Kind; k != grammar.Number && k != grammar.Operator {
			return false
		}
	}
	v, err := s.evaluate(st.Expr)
	if err != nil {
		return false
	}
	if agreesWith(v, p.number) {
		s.give(l.right())
		return true
	}
	text := p.hint
	for _, slip := range p.slips {
		if agreesWith(v, slip.number) {
			text = slip.text
			break
		}
	}
	s.give(l.says("wrong", "Not "+formatNumber(v, s.digits)+". "+text))
	return true
}

// agreesWith allows for an answer rounded to two digits or more.
func agreesWith(answer, number float64) bool {
	return math.Abs(answer-number) <= 0.01*math.Abs(number)+1e-9
}

// saw shows a result to the lesson.
func (s *Session) saw(r Result) {
	l := s.lesson
	if _, refused := r.(*failure); refused {
		l.saw, l.slip = false, "" // whatever the statement gave before
		return
	}
	if !l.open || l.done || l.saw {
		return
	}
	if done := lessonSteps[l.step].done; done != nil {
		ok, slip := done(s, r)
		l.saw, l.slip = ok, slip
	}
}

// attend looks at what a statement has made of the tape, where the step asks
// for that.
func (s *Session) attend(st *grammar.Statement) {
	l := s.lesson
	if l == nil || !l.open || l.done || s.depth > 1 || st.Kind == grammar.Command && s.isLesson(st) {
		return
	}
	p := &lessonSteps[l.step]
	saw, slip := l.saw, l.slip
	l.saw, l.slip = false, ""
	if p.makes != nil {
		var missing *fact
		for i := range p.makes {
			if f := &p.makes[i]; !s.holds(*f) {
				missing = f
				break
			}
		}
		if saw = missing == nil; !saw && (st.Kind == grammar.Var || st.Kind == grammar.Expr) {
			slip = s.notYet(missing)
		}
	}
	switch {
	case saw:
		s.give(l.right())
	case slip != "":
		s.give(l.says("wrong", slip))
	}
}

func (s *Session) isLesson(st *grammar.Statement) bool {
	return strings.EqualFold(s.text(st.Command), "lesson")
}

// notYet says what is missing for a fact, or wrong with it.
func (s *Session) notYet(f *fact) string {
	line := statements([]fact{*f})[0]
	sym, known := s.symbols[f.name]
	switch {
	case known && f.formula == "" && s.isVariable(f.name):
		return f.name + " is " + formatNumber(s.tape.Value(sym.node), s.digits) + "; the lesson counts on another value: `" + line + "`"
	case known && f.formula == "" && s.tape.IsConstant(sym.node):
		return f.name + " is a constant, and nothing can be differentiated by it. A variable is made by VAR: `" + line + "`"
	case known && s.isVariable(f.name) == (f.formula == ""):
		return f.name + " is something else, " + s.expression(sym.node) + ". Here it should be: `" + line + "`"
	case !known:
		return "Still to come: `" + line + "`"
	}
	return f.name + " is taken. To make room for the lesson: `:save FILE` if you want to keep what you have, then `:reset`"
}

// goOn is Enter at an empty prompt: in a lesson, on to the next step when this
// one has been answered.
func (s *Session) goOn() bool { return s.lesson != nil && s.lesson.open && s.lesson.done }

func (l *lesson) right() Result {
	l.done, l.solved[l.step] = true, true
	return l.says("right", lessonSteps[l.step].right)
}

// solution is what is said when a step is skipped.
func (l *lesson) solution() string {
	p := &lessonSteps[l.step]
	switch {
	case p.isNumber:
		return "It is " + formatNumber(p.number, 6) + ". " + p.right
	case p.does != "":
		return "It was `" + p.does + "`"
	}
	return "It was `" + strings.Join(statements(p.makes), "` and `") + "`"
}

func (l *lesson) says(state, text string) Result {
	return &lessonResult{state: state, at: l.step, text: text}
}

// end is the answer behind the last step.
func (l *lesson) end() Result {
	count := 0
	for _, ok := range l.solved {
		if ok {
			count++
		}
	}
	return l.says("over", "That was the lesson: you answered "+itoa(count)+" of its "+plural(len(lessonSteps), "step")+".\n"+
		"What you have seen works on expressions of your own: GRAD, :trace, :check, :mistake, :explain.\n"+
		":help lists the rest, and `:lesson list` shows the steps again.")
}

// writeList shows the steps, and which have been answered.
func (l *lesson) writeList(w *sheet) {
	for i := range lessonSteps {
		mark := "  "
		switch {
		case i == l.step && l.open:
			mark = "> "
		case l.solved[i]:
			mark = "* "
		}
		w.text(mark).padLeft(number, itoa(i+1), 2).text("  ", lessonSteps[i].title).line()
	}
}

// lessonWords completes :lesson.
func lessonWords(*Session) (w []edit.Word) {
	return []edit.Word{{Text: "next", Help: "on to the next step"}, {Text: "back"}, {Text: "skip", Help: "show the answer and go on"}, {Text: "leave"}, {Text: "list", Help: "the steps"}}
}

// A lessonResult is what the lesson says.
type lessonResult struct {
	state string // ask, right, wrong, skipped, left, over
	at    int    // the step, 0-based
	first bool   // the lesson begins
	text  string
}

func (r *lessonResult) kind() string { return "lesson" }

func (r *lessonResult) writeText(w *sheet) {
	p := &lessonSteps[r.at]
	switch r.state {
	case "ask":
		w.line().paint(strong, "lesson "+itoa(r.at+1)+" of "+itoa(len(lessonSteps))+": "+p.title).line()
		w.prose(p.text)
		if r.text != "" {
			w.paint(noted, "note:").text(" ").proseFrom(len("note: "), r.text)
		}
		w.line()
		r.writeQuestion(w, p)
		if r.first {
			w.paint(faint, ":lesson skip  shows the answer;  back, leave and list are there as well").line()
		}
	case "right":
		w.paint(good, "Right.").text(" ").proseFrom(len("Right. "), r.text)
		w.paint(faint, "Enter, or :lesson next, goes on").line()
	default:
		w.prose(r.text)
	}
}

func (r *lessonResult) writeQuestion(w *sheet, p *lessonStep) {
	if p.isNumber {
		w.paint(strong, "? ").text(p.ask, " ").paint(faint, "(a number)").line()
		return
	}
	lead := "type  "
	for _, line := range p.lines() {
		w.paint(strong, "? ").paint(faint, lead).paint(command, line).line()
		lead = "then  "
	}
}

// lines are what a step asks to type.
func (p *lessonStep) lines() []string {
	if p.ask != "" {
		return []string{p.ask}
	}
	return statements(p.makes)
}

// prose writes paragraphs, wrapped.
func (w *sheet) prose(text string) {
	for l := range strings.Lines(text) {
		w.proseFrom(0, strings.TrimSuffix(l, "\n"))
	}
}

// proseFrom writes a paragraph on a line of which used columns are taken. What
// stands between backquotes is to be typed, or is from the tape: it is not
// broken, and set off by colour and two blanks. No line is broken beside an
// operator either.
func (w *sheet) proseFrom(used int, text string) {
	quoted, gap := false, 0
	for i, part := range strings.Split(text, "`") {
		var words []string
		if quoted = i%2 == 1; quoted {
			words = []string{part}
			if gap > 0 {
				gap = 2
			}
		} else {
			words = unbroken(strings.Split(part, " "))
		}
		for k, word := range words {
			if k > 0 {
				gap++
			}
			if word == "" {
				if i > 0 && k == 0 && len(words) > 1 {
					gap = 1 // and one more: what was quoted comes before
				}
				continue
			}
			if used > 0 && used+gap+columns(word) > w.width {
				w.line()
				used, gap = 0, 0
			}
			w.blanks(gap)
			if quoted {
				w.paint(command, word)
			} else {
				w.text(word)
			}
			used += gap + columns(word)
			gap = 0
		}
	}
	w.line()
}

// plainProse is the text without what sets off quotations.
func plainProse(text string) string { return strings.ReplaceAll(text, "`", "") }

// unbroken joins words that have an operator between them: "a", "+", "b".
func unbroken(words []string) (joined []string) {
	glued := false
	for _, word := range words {
		operator := word != "" && strings.Trim(word, "+-*/^=") == ""
		if last := len(joined) - 1; last >= 0 && (operator || glued) {
			joined[last] += " " + word
		} else {
			joined = append(joined, word)
		}
		glued = operator
	}
	return joined
}

func (r *lessonResult) writeJSON(j *jsonObject) {
	p := &lessonSteps[r.at]
	j.int("step", r.at+1)
	j.int("of", len(lessonSteps))
	j.str("state", r.state)
	if r.state != "ask" {
		j.str("text", plainProse(r.text))
		return
	}
	j.str("title", p.title)
	j.str("text", plainProse(p.text))
	if p.isNumber {
		j.str("question", p.ask)
	} else {
		j.strings("type", p.lines())
	}
	if r.text != "" {
		j.str("note", plainProse(r.text))
	}
}
