package repl

import (
	"math"
	"slices"
	"strings"

	"scalargrad/engine"
	"scalargrad/repl/edit"
)

// A mistake is a bug that people make when they write a backward sweep for the
// first time. It is played on what a right sweep did: the engine knows none.
type mistake struct {
	name string
	what string                // the bug itself
	why  string                // what goes wrong, in a sentence
	try  string                // what to type to see it, with a and b for variables; "": any expression shows it
	sums bool                  // the right gradient is shown as the sum that it is
	play func(f *flow) outcome // runs the sweep that has it
}

// mistakes are in the order in which people meet them.
var mistakes = []mistake{
	{"overwrite", "= where += belongs", "A node that is used twice gets a share from each use, and its gradient is their sum.",
		"EXPR a*b + a", true, (*flow).overwrite},
	{"noseed", "no seed: the gradient of the result stays 0", "The seed says that the result moves by 1 when it moves by 1; without it every share is a multiple of 0.",
		"", false, (*flow).noseed},
	{"forward", "oldest node first", "A node may hand on only what is complete: all that use it come first, and they are newer.",
		"EXPR a*b + a", false, (*flow).forward},
	{"divide-swapped", "each parent of a division gets the other's share", "Of a / b the first parent gets 1/b and the second -a/b^2, times the gradient: as in the division, which is which matters.",
		"EXPR a/b", false, (*flow).divideSwapped},
	{"divide-unsquared", "a divisor's share without the square", "1/b has the slope -1/b^2, so the divisor of a / b gets -a/b^2 times the gradient.",
		"EXPR a/b", false, (*flow).divideUnsquared},
	{"unshared", "a new node for every mention of a variable", "A variable is one node however often it is mentioned: there its shares meet and are added up.",
		"EXPR a*b + a", true, (*flow).unshared},
	{"revisit", "no order: each arrival is handed on at once, with all that came before", "A node hands on once, when its gradient is complete; what came early must not be handed on again with what comes late.",
		"EXPR s = a + b  then  EXPR s*a + s", true, (*flow).revisit},
	{"stale", "nothing is cleared between two sweeps", "Shares are added to what is there, so every sweep has to begin with gradients of 0.",
		"", false, (*flow).stale},
}

// A flow is what the backward sweep of a target moves, on a copy of what the
// target is made from, so that the session's adjoints stay.
type flow struct {
	session *Session
	tape    *engine.Tape // the copy
	target  engine.Node  // on the copy, as all nodes here
	origin  []engine.Node
	order   []engine.Node // that the sweep visits, newest first
	gives   [][]edge      // by node: its shares, in the order of its arguments
	shares  [][]float64   // by variable: what arrived, in order
	arrived []int         // by node: how many shares
	right   []float64     // by node: the adjoint
	size    []float64     // by node: the sum of the magnitudes of its shares
}

// An edge is one use of a node by another.
type edge struct {
	from, to engine.Node
	argument int
	slope    float64
}

// An outcome is what came of a mistake.
type outcome struct {
	grad    []float64 // by node of the flow
	step    string    // where it parted from the right sweep; "" if it did not
	wrong   string    // what went wrong, for a table
	same    string    // why the answer happens to be right, if it is
	split   bool      // shares stay apart: the flow has them
	endless bool      // given up: grad means nothing
}

// flowOf sweeps a copy of what target is made from and keeps what moved.
func (s *Session) flowOf(target engine.Node) (*flow, error) {
	copied, find, err := s.copyOf(target)
	if err != nil {
		return nil, err
	}
	end := copied.Len() + 1
	f := &flow{session: s, tape: copied, target: find(target), origin: make([]engine.Node, end), gives: make([][]edge, end),
		shares: make([][]float64, end), arrived: make([]int, end), right: make([]float64, end), size: make([]float64, end)}
	k := end
	for n := range s.reach(target) { // newest first, as the copy has them
		k--
		if f.origin[k] = n; k&0xffff == 0 && s.interrupted() {
			return nil, errInterrupted
		}
	}
	err = copied.Trace(f.target, func(st *engine.Step) {
		f.order = append(f.order, st.Node)
		f.right[st.Node] = st.Adjoint
		for _, c := range st.Gives {
			f.gives[st.Node] = append(f.gives[st.Node], edge{st.Node, c.To, c.Argument, copied.Slope(st.Node, c.Argument)})
			f.arrived[c.To]++
			f.size[c.To] += math.Abs(c.Value)
			if copied.IsVariable(c.To) {
				f.shares[c.To] = append(f.shares[c.To], c.Value)
			}
		}
	})
	if err != nil {
		return nil, errInterrupted
	}
	return f, nil
}

// seeded returns gradients of 0, and 1 for the target.
func (f *flow) seeded() outcome {
	o := outcome{grad: make([]float64, len(f.gives))}
	o.grad[f.target] = 1
	return o
}

// pass visits the nodes in the given order and hands every share to put.
func (f *flow) pass(grad []float64, order []engine.Node, put func(e *edge, share float64)) {
	for _, n := range order {
		for i := range f.gives[n] {
			e := &f.gives[n][i]
			put(e, e.slope*grad[n])
		}
	}
}

func (f *flow) name(n engine.Node) string { return f.session.nodeName(f.origin[n]) }

func (f *flow) number(v float64) string { return formatNumber(v, f.session.digits) }

// equation returns how n reads one level deep.
func (f *flow) equation(n engine.Node) string {
	return f.name(n) + " = " + f.session.operation(f.origin[n])
}

// nothing is why a bug that had its occasion did not change the answer.
const nothing = "at these values it makes no difference"

func (f *flow) overwrite() outcome {
	o := f.seeded()
	count := make([]int, len(o.grad))
	o.same = "nothing is used twice"
	f.pass(o.grad, f.order, func(e *edge, share float64) {
		had := o.grad[e.to]
		if count[e.to]++; count[e.to] > 1 {
			if o.same = nothing; o.step == "" && had != 0 {
				o.step = f.equation(e.from) + "   " + f.name(e.to) + " has " + f.number(had) + " and gets " + f.number(share) +
					": += makes that " + f.number(had+share) + ", = leaves " + f.number(share)
				o.wrong = f.name(e.to) + " kept its last share only"
			}
		}
		o.grad[e.to] = share
	})
	return o
}

func (f *flow) noseed() outcome {
	o := outcome{grad: make([]float64, len(f.gives)), wrong: "there was nothing to hand on", same: "the gradient is 0 anyway"}
	o.step = f.name(f.target) + ".grad is 0 where the sweep begins; the seed is 1"
	f.pass(o.grad, f.order, func(e *edge, share float64) { o.grad[e.to] += share })
	return o
}

func (f *flow) forward() outcome {
	o := f.seeded()
	o.same = nothing
	operations := 0
	for _, n := range slices.Backward(f.order) {
		if f.tape.IsLeaf(n) {
			continue
		}
		operations++
		if o.step == "" && !equal(o.grad[n], f.right[n], f.size[n]) {
			o.step = f.equation(n) + "   its turn comes while " + f.name(n) + ".grad is " + f.number(o.grad[n]) + "; complete, it is " + f.number(f.right[n])
			o.wrong = f.name(n) + " was visited too early"
		}
		f.pass(o.grad, []engine.Node{n}, func(e *edge, share float64) { o.grad[e.to] += share })
	}
	if operations < 2 {
		o.same = "one operation has one order only"
	}
	return o
}

// divide sweeps with another local derivative for the divisions: x and y are
// the values of the parents.
func (f *flow) divide(slope func(e *edge, x, y float64) float64) outcome {
	o := f.seeded()
	o.same = "no division"
	f.pass(o.grad, f.order, func(e *edge, share float64) {
		if f.tape.Op(e.from) == engine.OpDiv {
			if o.same == "no division" {
				o.same = nothing
			}
			x, y := f.tape.Parents(e.from)
			bad := slope(e, f.tape.Value(x), f.tape.Value(y)) * o.grad[e.from]
			if o.step == "" && !equal(bad, share, math.Abs(share)) {
				o.step = f.equation(e.from) + "   " + f.name(e.to) + " gets " + f.number(bad) + "; its own share is " + f.number(share)
				o.wrong = f.name(e.to) + " got "
			}
			share = bad
		}
		o.grad[e.to] += share
	})
	return o
}

func (f *flow) divideSwapped() outcome {
	o := f.divide(func(e *edge, x, y float64) float64 {
		if e.argument == 0 {
			return -x / y / y
		}
		return 1 / y
	})
	o.wrong += "the other parent's share"
	return o
}

func (f *flow) divideUnsquared() outcome {
	divisor := false
	o := f.divide(func(e *edge, x, y float64) float64 {
		if e.argument == 0 {
			return e.slope
		}
		divisor = true
		return -x / y
	})
	o.wrong += "its share without the square"
	if o.same == nothing && !divisor {
		o.same = "it divides by constants only"
	}
	return o
}

func (f *flow) unshared() outcome {
	o := outcome{grad: f.right, split: true, same: "no variable is mentioned twice"}
	var first engine.Node
	for _, n := range f.order {
		if len(f.shares[n]) > 1 {
			first = n
		}
	}
	if first == 0 {
		return o
	}
	shares := make([]string, 0, len(f.shares[first]))
	for _, v := range f.shares[first] {
		shares = append(shares, f.number(v))
	}
	apart := listed(shares, 3, " and ")
	if columns(apart) > 12 {
		apart = "their shares"
	}
	o.wrong = f.name(first) + " is " + counted(len(shares)) + " nodes, " + apart + " never meet"
	var uses []string
	for _, n := range f.order {
		for _, e := range f.gives[n] {
			if e.to == first {
				uses = append(uses, f.equation(n))
			}
		}
	}
	if len(uses) == 2 && uses[0] == uses[1] {
		uses = []string{uses[0] + " twice"}
	}
	o.step = f.name(first) + " is mentioned in  " + listed(uses, 3, "  and  ") + "   each mention has a node of its own"
	return o
}

// mostVisits is where a recursion without an order is given up: its visits are
// as many as there are paths from the target.
const mostVisits = 1_000_000

func (f *flow) revisit() outcome {
	o := f.seeded()
	o.same = "no operation has two consumers"
	handed := make([]float64, len(o.grad)) // in the last visit of the node
	visits := make([]int, len(o.grad))
	type frame struct {
		node engine.Node
		next int // edge
	}
	stack := []frame{{f.target, 0}}
	for total := 0; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.next == len(f.gives[top.node]) {
			stack = stack[:len(stack)-1]
			continue
		}
		e := &f.gives[top.node][top.next]
		top.next++
		n := e.to
		o.grad[n] += e.slope * o.grad[e.from]
		if f.tape.IsLeaf(n) {
			continue
		}
		if total++; total > mostVisits || total&0xfff == 0 && f.session.interrupted() {
			o.endless = true
			o.wrong = "not done after " + grouped(mostVisits) + " visits, one for each path"
			o.step = o.wrong + " from " + f.name(f.target) + " down"
			return o
		}
		if visits[n]++; visits[n] > 1 {
			o.same = nothing
			if o.step == "" && handed[n] != 0 {
				had, now := f.number(handed[n]), f.number(o.grad[n])
				o.step = f.equation(n) + "   arrival " + itoa(visits[n]) + ": it has " + now + " and hands on " + now + ", though it had handed on " + had + " before"
				o.wrong = f.name(n) + " handed on " + had + " twice"
			}
		}
		handed[n] = o.grad[n]
		stack = append(stack, frame{n, 0})
	}
	return o
}

func (f *flow) stale() outcome {
	o := f.seeded()
	o.same = "the gradient is 0 anyway"
	put := func(e *edge, share float64) { o.grad[e.to] += share }
	f.pass(o.grad, f.order, put)
	o.grad[f.target] = 1
	f.pass(o.grad, f.order, func(e *edge, share float64) {
		if had := o.grad[e.to]; o.step == "" && had != 0 {
			o.step = "second sweep, " + f.equation(e.from) + "   " + f.name(e.to) + " still has " + f.number(had) + ", and " + f.number(share) + " more make " + f.number(had+share)
		}
		put(e, share)
	})
	return o
}

// equal reports whether two results are the same up to the rounding of a sum
// whose terms have that much magnitude together.
func equal(a, b, size float64) bool {
	if !finite(a) || !finite(b) {
		return a == b || a != a && b != b
	}
	return math.Abs(a-b) <= 1e-13*size
}

// counted writes small numbers in words.
func counted(n int) string {
	if n == 2 {
		return "two"
	}
	return grouped(n)
}

// listed joins the texts, most at most, the last by and; the rest is counted.
func listed(texts []string, most int, and string) string {
	if len(texts) > most {
		return strings.Join(texts[:most-1], ", ") + and + grouped(len(texts)-most+1) + " more"
	}
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + and + texts[last]
}

// mostPlayed is how many nodes a mistake is played on: some 200 bytes are needed
// for each, and nobody learns more from more.
const mostPlayed = 1_000_000

// runMistake answers :mistake [NAME] [y].
func (s *Session) runMistake(c *call) (Result, error) {
	if len(c.Args) > 2 {
		return nil, s.misuse(c, 2)
	}
	played := mistakes
	rest := s.fields(c.Tail)
	if len(rest) > 0 {
		word := s.text(rest[0])
		if i := slices.IndexFunc(mistakes, func(m mistake) bool { return m.name == strings.ToLower(word) }); i >= 0 {
			played, rest = mistakes[i:i+1], rest[1:]
		} else if _, known := s.resolve([]byte(word)); len(rest) == 2 || !known && near(word, mistakeNames()) != "" {
			message := "there is no mistake " + abridge(word)
			if m := near(word, mistakeNames()); m != "" {
				message += "; did you mean " + m + "?"
			}
			return nil, s.diagnose(rest[0], "no-mistake", message, ":mistake alone plays all of them")
		}
	}
	if len(rest) > 0 && s.isVariable(s.text(rest[0])) {
		return nil, s.diagnose(rest[0], "not-name", s.text(rest[0])+" is a variable: its gradient has no step to go wrong in", "the name of an expression belongs here")
	}
	target, wrt, err := s.targetAndNames(c, rest)
	if err != nil {
		return nil, err
	}
	size := 0
	for range s.reach(target) {
		if size++; size > mostPlayed {
			at := c.Span
			if len(rest) > 0 {
				at = rest[0]
			}
			return nil, s.diagnose(at, "too-many", ":mistake plays on expressions of up to "+grouped(mostPlayed)+" nodes", "one of the parts of "+s.nodeName(target)+" shows as much")
		}
	}
	f, err := s.flowOf(target)
	if err != nil {
		return nil, err
	}
	r := &mistakeResult{flow: f, of: s.nodeName(target), title: s.equation(target), value: s.tape.Value(target), alone: len(played) == 1}
	if !s.tape.IsLeaf(target) {
		r.node = s.numberName(target)
	}
	place := make(map[engine.Node]engine.Node, len(f.origin)) // on the copy
	for k, n := range f.origin {
		place[n] = engine.Node(k)
	}
	for _, e := range wrt {
		r.names = append(r.names, e.name)
		r.nodes = append(r.nodes, place[e.node])
	}
	for i := range played {
		if s.interrupted() {
			return nil, errInterrupted
		}
		r.played = append(r.played, played[i])
		r.outcomes = append(r.outcomes, played[i].play(f))
	}
	if s.interrupted() {
		return nil, errInterrupted
	}
	s.checkFinite(&r.remarks, target)
	return r, nil
}

func mistakeNames() (names []string) {
	for _, m := range mistakes {
		names = append(names, m.name)
	}
	return names
}

// mistakeWords completes the name of a mistake.
func mistakeWords(*Session) (w []edit.Word) {
	for _, m := range mistakes {
		w = append(w, edit.Word{Text: m.name, Suffix: " ", Help: m.what})
	}
	return w
}

// mistakeArguments completes a mistake and a target.
func mistakeArguments(s *Session, n int) []edit.Word {
	switch n {
	case 0:
		return append(mistakeWords(s), s.targetWords()...)
	case 1:
		return s.targetWords()
	}
	return nil
}

// A mistakeResult is one sweep with several bugs, one at a time.
type mistakeResult struct {
	flow     *flow
	of       string
	node     string
	title    string // "n2 = n1 * a"
	value    float64
	names    []string // the variables
	nodes    []engine.Node
	alone    bool // one was asked for
	played   []mistake
	outcomes []outcome
	remarks
}

func (r *mistakeResult) kind() string { return "mistake" }

// differs reports whether mistake k changes the derivative by variable i.
func (r *mistakeResult) differs(k, i int) bool {
	o, n := &r.outcomes[k], r.nodes[i]
	if o.split {
		return len(r.flow.shares[n]) > 1
	}
	return o.endless || !equal(o.grad[n], r.flow.right[n], r.flow.size[n])
}

// first returns a variable whose derivative mistake k changes, -1 if none.
func (r *mistakeResult) first(k int) int {
	for i := range r.nodes {
		if r.differs(k, i) {
			return i
		}
	}
	return -1
}

// verdict says in a few words what mistake k did.
func (r *mistakeResult) verdict(k int) string {
	switch {
	case r.first(k) < 0:
		return "same here: " + r.outcomes[k].same
	case r.outcomes[k].wrong == "":
		return "wrong from the second GRAD on"
	}
	return "wrong: " + r.outcomes[k].wrong
}

// cell is what mistake k makes of variable i.
func (r *mistakeResult) cell(w *sheet, k, i int) string {
	o, n := &r.outcomes[k], r.nodes[i]
	switch {
	case o.endless:
		return "…"
	case o.split && r.differs(k, i):
		var shares []string
		for _, v := range r.flow.shares[n] {
			shares = append(shares, w.format(v))
		}
		if len(shares) > 3 {
			shares = append(shares[:2], grouped(len(shares)-2)+" more")
		}
		return strings.Join(shares, " | ")
	}
	return w.format(o.grad[n])
}

func (r *mistakeResult) writeText(w *sheet) {
	if r.alone {
		r.writeOne(w)
	} else {
		r.writeTable(w)
	}
	r.remarks.writeText(w)
}

// writeOne shows one mistake: the step where it parts from the right sweep, the
// derivatives that it changes, and why.
func (r *mistakeResult) writeOne(w *sheet) {
	m, o := &r.played[0], &r.outcomes[0]
	if r.first(0) < 0 {
		text := r.verdict(0)
		w.text(text)
		if m.try != "" && o.same != nothing {
			try := "Try  " + r.flow.session.withNames(m.try)
			if w.text("."); columns(text+". "+try) > w.width {
				w.line()
			} else {
				w.text(" ")
			}
			w.text(try)
		}
		w.line()
		return
	}
	w.paint(strong, m.what).text(",")
	if in := " in " + r.title + " = "; columns(m.what+","+in+w.format(r.value)) > w.width {
		w.line().text(" ", in)
	} else {
		w.text(in)
	}
	w.number(r.value).line()
	w.wrap(2, o.step).line()
	var rows []int
	for i := range r.nodes {
		if r.differs(0, i) {
			rows = append(rows, i)
		}
	}
	first, last := len(rows), len(rows)
	if w.height > 0 && len(rows) > w.height-6 {
		first, last = max(w.height-8, 1), len(rows)-1
	}
	for k, i := range rows {
		if k >= first && k < last {
			if k == first {
				w.paint(faint, "… "+grouped(last-first)+" more …").line()
			}
			continue
		}
		r.writeRow(w, i)
	}
	w.wrap(2, m.why).line()
}

// writeRow is "a.grad = 3 instead of 1 + 3 = 4". Where there is no room for all
// of it, the sum is left out and the right derivative may get its own line.
func (r *mistakeResult) writeRow(w *sheet, i int) {
	o, n := &r.outcomes[0], r.nodes[i]
	shares := r.flow.shares[n]
	bug := "?"
	switch room := w.width - columns(r.names[i]) - len(".grad = "); {
	case o.endless:
	case o.split:
		for most := 6; most >= 2; most-- {
			if bug = apart(w, shares, most) + ", in " + counted(len(shares)) + " nodes,"; columns(bug) <= room {
				break
			}
		}
	default:
		bug = w.format(o.grad[n])
	}
	right := w.format(r.flow.right[n])
	if sum := total(w, shares[:min(len(shares), 7)]); r.played[0].sums && len(shares) > 1 && len(shares) <= 6 && columns("  instead of "+sum+" = "+right) <= w.width {
		right = sum + " = " + right
	}
	used := columns(r.names[i] + ".grad = " + bug)
	w.paint(name, r.names[i]+".grad").text(" = ").paint(number, bug)
	if used+columns(" instead of "+right) > w.width {
		w.line().text(" ")
	}
	w.text(" instead of ", right).line()
}

// apart writes shares that are not added up, most at most.
func apart(w *sheet, shares []float64, most int) string {
	texts := make([]string, 0, len(shares))
	for _, v := range shares {
		texts = append(texts, w.format(v))
	}
	return listed(texts, most, " and ")
}

// total writes "5 + 2 - 1".
func total(w *sheet, shares []float64) string {
	text := ""
	for i, v := range shares {
		switch term := w.format(v); {
		case i == 0:
			text = term
		case strings.HasPrefix(term, "-"):
			text += " - " + term[1:]
		default:
			text += " + " + term
		}
	}
	return text
}

// withNames puts the names of two of the session's variables for a and b, and
// for s one that is no variable.
func (s *Session) withNames(try string) string {
	a, b := "a", "b"
	if len(s.vars) > 0 && !(s.isVariable(a) && s.isVariable(b)) {
		a, b = s.vars[0], s.vars[len(s.vars)-1]
	}
	free := "s"
	for _, word := range []string{"s", "t", "u", "sum"} {
		if free = word; !s.isVariable(word) {
			break
		}
	}
	var text strings.Builder
	for i, r := range try { // a letter that stands alone is a name
		alone := (i == 0 || !letter(try[i-1])) && (i+1 == len(try) || !letter(try[i+1]))
		switch {
		case alone && r == 'a':
			text.WriteString(a)
		case alone && r == 'b':
			text.WriteString(b)
		case alone && r == 's':
			text.WriteString(free)
		default:
			text.WriteRune(r)
		}
	}
	return text.String()
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// writeTable shows every mistake in a row. Where the verdicts have no room
// beside the numbers they stand below them, and where the numbers have none the
// first derivative that differs stands for all.
func (r *mistakeResult) writeTable(w *sheet) {
	const gap = 3
	table := [][]string{{r.title + " = " + w.format(r.value)}, {"right"}}
	for i, n := range r.nodes {
		table[0] = append(table[0], r.names[i]+".grad")
		table[1] = append(table[1], w.format(r.flow.right[n]))
	}
	verdicts := []string{"", ""}
	for k := range r.played {
		row := []string{r.played[k].name}
		for i := range r.nodes {
			row = append(row, r.cell(w, k, i))
		}
		table = append(table, row)
		verdicts = append(verdicts, r.verdict(k))
	}
	title := table[0][0]
	if columns(title) > 25 {
		w.paint(strong, title).line()
		table[0][0] = ""
	}
	width := make([]int, len(table[0]))
	full, longest := 0, 0
	for j := range width {
		for _, row := range table {
			width[j] = max(width[j], columns(row[j]))
		}
		full += width[j] + gap
	}
	for _, v := range verdicts {
		longest = max(longest, columns(v))
	}
	if full-gap > w.width {
		if table[0][0] != "" {
			w.paint(strong, title).line()
		}
		r.writeList(w)
		return
	}
	beside := full+longest <= w.width
	for j, row := range table {
		for i, text := range row {
			switch {
			case i == 0 && j == 0:
				w.pad(strong, text, width[i])
			case i == 0:
				w.pad(plain, text, width[i])
			case j == 0:
				w.blanks(gap).padLeft(name, text, width[i])
			default:
				w.blanks(gap).padLeft(number, text, width[i])
			}
		}
		if v := verdicts[j]; v != "" {
			if beside {
				w.blanks(gap)
			} else {
				w.line().blanks(4)
			}
			r.paintVerdict(w, v)
		}
		w.line()
	}
}

func (r *mistakeResult) paintVerdict(w *sheet, verdict string) {
	if rest, ok := strings.CutPrefix(verdict, "wrong"); ok {
		w.paint(bad, "wrong").text(rest)
	} else {
		w.paint(faint, verdict)
	}
}

// writeList is the table of a target with more variables than have room.
func (r *mistakeResult) writeList(w *sheet) {
	for k := range r.played {
		w.pad(plain, r.played[k].name, 16).blanks(3)
		r.paintVerdict(w, r.verdict(k))
		w.line()
		i := r.first(k)
		if i < 0 {
			continue
		}
		more := 0
		for j := range r.nodes {
			if j != i && r.differs(k, j) {
				more++
			}
		}
		cell := r.cell(w, k, i)
		if shares := len(r.flow.shares[r.nodes[i]]); r.outcomes[k].split && columns(cell) > 24 {
			cell = grouped(shares) + " shares"
		}
		w.blanks(4).paint(name, r.names[i]+".grad").text(" = ", cell, " instead of ").number(r.flow.right[r.nodes[i]])
		if more > 0 {
			w.paint(faint, ", and "+grouped(more)+" more differ")
		}
		w.line()
	}
	w.paint(faint, ":mistake NAME "+r.of+" shows all that one of them changes").line()
}

func (r *mistakeResult) writeJSON(j *jsonObject) {
	j.str("of", r.of)
	if r.node != "" {
		j.str("node", r.node)
	}
	j.num("value", r.value)
	j.object("grad", func() {
		for i, n := range r.nodes {
			j.num(r.names[i], r.flow.right[n])
		}
	})
	j.array("mistakes", len(r.played), func(k int) {
		o := &r.outcomes[k]
		wrong := r.first(k) >= 0
		j.begin()
		j.str("name", r.played[k].name)
		j.bool("differs", wrong)
		j.str("verdict", r.verdict(k))
		if wrong {
			j.str("step", o.step)
		}
		switch {
		case o.endless:
		case o.split:
			j.object("shares", func() {
				for i, n := range r.nodes {
					j.nums(r.names[i], r.flow.shares[n])
				}
			})
		default:
			j.object("grad", func() {
				for i, n := range r.nodes {
					j.num(r.names[i], o.grad[n])
				}
			})
		}
		j.end()
	})
	r.remarks.writeJSON(j)
}
