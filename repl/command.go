package repl

import (
	"fmt"
	"math"
	"strings"

	"scalargrad/engine"
	"scalargrad/grammar"
	"scalargrad/repl/edit"
)

// A commandEntry is all the program knows about one command: dispatch, help,
// completion and suggestions read it here.
type commandEntry struct {
	name    string
	aliases []string
	args    string // as help shows them
	help    string // one line
	brief   string // the same in 27 columns, where help is longer
	long    string // what more :help NAME says; may be empty
	run     func(s *Session, c *call) (Result, error)
	// complete returns the words that may stand as argument n, 0-based; nil: none.
	complete func(s *Session, n int) []edit.Word
	files    bool // arguments may be names of files
	formula  bool // arguments may be expressions
	leaves   bool // ends the session
}

// A call is one command as it was typed.
type call struct {
	*grammar.Statement
	entry *commandEntry
}

// arg returns argument i, "" where there is none.
func (c *call) arg(i int) string {
	if i < len(c.Args) {
		return c.Args[i].Text
	}
	return ""
}

// at returns the span of argument i, or of the whole command where there is none.
func (c *call) at(i int) grammar.Span {
	if i >= 0 && i < len(c.Args) {
		return c.Args[i].Span
	}
	return c.Span
}

// commands is a function because a variable would be an initialization cycle:
// the entry of :help lists the table.
func commands() []commandEntry {
	return []commandEntry{
		{name: "trace", args: "[on | off | [all] [y]]", help: "show the steps of every GRAD, or of one", brief: "the steps of every GRAD", run: (*Session).runTrace,
			long: "Alone it turns tracing on or off; turned on after a GRAD, it shows that GRAD's steps at once.\n" +
				":trace y shows the steps of one target and changes nothing. :trace all leaves no row of the last GRAD out, :trace all y none of y's.",
			complete: (*Session).traceWords},
		{name: "check", args: "[y] [names] | [y] NAME = FORMULA", help: "hold the tape's derivatives, or yours, against numbers", brief: "check derivatives, or yours", run: (*Session).runCheck,
			long: "Alone it compares every derivative with a numerical one: value, estimated error, verdict.\n" +
				":check a = 2*a + b compares what you worked out on paper with the tape, here and at 20 points nearby.\n" +
				"A bare number (:check a = 6.9315) is compared here only. What disagrees makes the exit status 1.",
			complete: manyNames, formula: true},
		{name: "hessian", args: "[y] [names]", help: "the matrix of second derivatives", brief: "second derivatives", run: (*Session).runHessian, complete: manyNames},
		{name: "descend", args: "[y] [rate=R | rate=R0..R1] [steps=N] [names]", help: "walk downhill by gradient descent", brief: "gradient descent, by steps", run: (*Session).runDescend,
			long: "Every step moves each variable by -rate times its derivative. rate=0.1 steps=100 unless told;\n" +
				"with rate=R0..R1 the rate of step k of N, from 0, is R0 + (R1-R0)*k/N. A negative rate climbs.\n" +
				"Ctrl-C stops between steps and keeps the values reached; :undo takes them all back.",
			complete: descendWords},
		{name: "minimize", args: "[y] [names]", help: "find a minimum nearby (the L-BFGS method)", brief: "find a minimum nearby", run: (*Session).runMinimize,
			long: "Far fewer steps than :descend. It ends with a verdict; Ctrl-C keeps the best values found.", complete: manyNames},
		{name: "reset", help: "clear the tape and the names on it; settings stay", brief: "clear the tape and names", run: (*Session).runReset},
		{name: "vars", help: "list the variables and the named expressions", brief: "variables and expressions", run: (*Session).runVars},
		{name: "tape", args: "[all]", help: "list the nodes: operation, parents, value, adjoint", brief: "the nodes, one to a row", run: (*Session).runTape,
			long: "The adjoints are those of the last GRAD; a node it did not reach shows none.", complete: first(words("all"))},
		{name: "graph", args: "[y] [all] [FILE.svg | FILE.dot]", help: "draw what y is made from, with values and adjoints", brief: "draw what y is made from", run: (*Session).runGraph,
			long: "Under each node stand its inputs; the local derivative is that of the node above by the node on the row. " +
				"Times the adjoint of the node above it is the contribution, and the contributions to a node add up to its adjoint.\n" +
				"A node used twice is drawn once and referred to; numbers are no nodes of their own. The adjoints of the last GRAD stay.\n" +
				"What is nearest to y comes first; all draws more. A file ends in .svg, or in .dot (Graphviz).",
			complete: (*Session).graphWords, files: true},
		{name: "plot", args: "[y] a [FROM TO]", help: "draw y and its derivative over values of a", brief: "draw y and its derivative", run: (*Session).runPlot,
			long: "Without a range it goes as far to both sides of a as a is from 0, at least by 1, to round numbers. " +
				"FROM and TO may be constant expressions without blanks, such as -pi 2*pi.\n" +
				"It works on a copy: a keeps its value, and no node is left behind. Where a curve is not finite it has a gap.\n" +
				"Braille patterns draw it, or ASCII where the locale (LC_ALL, LC_CTYPE, LANG) or the terminal (TERM) has no more.",
			complete: (*Session).curveWords},
		{name: "table", args: "[y] a [FROM TO [STEP]]", help: "print y and its derivative at values of a", brief: "the same in numbers", run: (*Session).runTable,
			long: "Like :plot in numbers: on a copy, with a range, or ten steps, of its own where none are given.", complete: (*Session).curveWords},
		{name: "lesson", args: "[next | back | skip | leave | list | N]", help: "a guided tour of gradients, at the prompt", brief: "new here? a guided tour", run: (*Session).runLesson,
			long: "Each step asks you to type something, or a number. What you type runs as always, and is looked at.\n" +
				":lesson next (or Enter) goes on, skip shows the answer first, back returns, N jumps; leave ends it for now,\n" +
				"and :lesson alone takes it up again. What a step needs and is not there is typed for you.",
			complete: first(lessonWords)},
		{name: "explain", args: "n", help: "tell what made a node, what arrived at it and what it handed on", brief: "the story of one node", run: (*Session).runExplain,
			long: "The slopes are the local derivatives, in symbols and as numbers. What arrived and what was handed on is that\n" +
				"of the last GRAD's target, at today's values; the adjoints of the last GRAD stay.",
			complete: first(func(s *Session) []edit.Word { return manyNames(s, 0) })},
		{name: "mistake", args: "[NAME] [y]", help: "run the backward sweep with a classic bug in it", brief: "a sweep with a classic bug", run: (*Session).runMistake,
			long: "Alone it plays all of them in a table, and says which change the answer and why the others happen not to.\n" +
				":mistake NAME shows the step where one parts from the right sweep, and what it makes of each variable.\n" +
				"The NAMEs: overwrite, noseed, forward, divide-swapped, divide-unsquared, unshared, revisit, stale.",
			complete: mistakeArguments},
		{name: "history", args: "[N]", help: "list the lines typed before", brief: "the lines typed before", run: (*Session).runHistory},
		{name: "digits", args: "[N]", help: "significant digits of printed numbers, 1 to 17", brief: "digits of printed numbers", run: (*Session).runDigits,
			long: "17 shows every bit; the default is 12."},
		{name: "echo", args: "[TEXT | on | off]", help: "print TEXT; or print each line before its answer", brief: "print TEXT, or every line", run: (*Session).runEcho,
			complete: first(words("on", "off"))},
		{name: "undo", args: "[N]", help: "take back the last statement that changed something, or N", brief: "take back what changed", run: (*Session).runUndo,
			long: "Nodes, names and values are as they were before it. :reset is final. Only what was typed or loaded at a prompt can be taken back."},
		{name: "save", args: "FILE [-f]", help: "write the statements since the last :reset; -f replaces a file", brief: "statements into a file", run: (*Session).runSave, files: true,
			long: "Running the file gives the same names, values and node numbers. What changed nothing (GRAD y, :tape) is left out."},
		{name: "load", args: "FILE", help: "run the statements of a file in this session", brief: "statements from a file", run: (*Session).runLoad, files: true,
			long: "Each can be taken back by :undo. A file that calls nodes by their numbers (n2, @2) needs an empty tape: :reset."},
		{name: "help", args: "[TOPIC]", help: "one screen about everything, or more about a command, a statement, a function or an error", brief: "this page, or one on TOPIC", run: (*Session).runHelp,
			complete: first((*Session).topicWords)},
		{name: "quit", aliases: []string{"exit"}, help: "leave (also Ctrl-D on an empty line)", brief: "leave (also Ctrl-D)", leaves: true,
			run: func(*Session, *call) (Result, error) { return nil, nil }},
	}
}

// words is a completion of fixed words.
func words(texts ...string) func(*Session) []edit.Word {
	return func(*Session) (w []edit.Word) {
		for _, t := range texts {
			w = append(w, edit.Word{Text: t, Suffix: " "})
		}
		return w
	}
}

// first completes the first argument with what any of the sources have.
func first(sources ...func(*Session) []edit.Word) func(*Session, int) []edit.Word {
	return func(s *Session, n int) (w []edit.Word) {
		if n == 0 {
			for _, source := range sources {
				w = append(w, source(s)...)
			}
		}
		return w
	}
}

// manyNames completes any argument with the names there are.
func manyNames(s *Session, _ int) []edit.Word {
	w := s.targetWords()
	for _, v := range s.vars {
		w = append(w, edit.Word{Text: v, Suffix: " "})
	}
	return w
}

// descendWords are the names there are and what can be set.
func descendWords(s *Session, n int) []edit.Word {
	return append([]edit.Word{{Text: "rate="}, {Text: "steps="}}, manyNames(s, n)...)
}

// targetWords are the names that may stand for a target.
func (s *Session) targetWords() (w []edit.Word) {
	for _, n := range s.expressions() {
		w = append(w, edit.Word{Text: n, Suffix: " "})
	}
	return w
}

func lookupCommand(word string) *commandEntry {
	for _, c := range commands() {
		if c.name == word {
			return &c
		}
		for _, a := range c.aliases {
			if a == word {
				return &c
			}
		}
	}
	return nil
}

// runCommand dispatches a line that starts with a colon.
func (s *Session) runCommand(st *grammar.Statement) (more bool, err error) {
	word := s.text(st.Command)
	entry := lookupCommand(strings.ToLower(word))
	if entry == nil {
		return true, s.unknownCommand(st)
	}
	r, err := entry.run(s, &call{st, entry})
	if err != nil {
		return true, err
	}
	if r != nil {
		s.give(r)
	}
	return !entry.leaves, nil
}

// say is an answer of one line of text.
func (c *call) say(format string, args ...any) Result {
	text := fmt.Sprintf(format, args...)
	return &textResult{c.entry.name, func(w *sheet) { w.text(text).line() }}
}

// misuse is the error for arguments that a command does not take.
func (s *Session) misuse(c *call, i int) error {
	usage := strings.TrimSpace(":" + c.entry.name + " " + c.entry.args)
	return s.diagnose(c.at(i), "bad-argument", fmt.Sprintf(":%s does not take %q", c.entry.name, c.arg(i)), "it is used as  "+usage)
}

func (s *Session) runReset(c *call) (Result, error) {
	if len(c.Args) > 0 {
		return nil, s.misuse(c, 0)
	}
	variables, operations := len(s.vars), s.tape.Operations()
	s.tape.Reset()
	s.clear()
	s.change = change{mark: s.tape.Mark()}
	s.clearLog()
	return c.say("tape cleared: %s, %s", plural(variables, "variable"), plural(operations, "operation")), nil
}

func (s *Session) runVars(c *call) (Result, error) {
	if len(c.Args) > 0 {
		return nil, s.misuse(c, 0)
	}
	return &listing{s: s}, nil
}

// A listing is what :vars shows.
type listing struct{ s *Session }

func (r *listing) kind() string { return "vars" }

func (r *listing) writeText(w *sheet) {
	s := r.s
	exprs := s.expressions()
	if len(s.vars)+len(exprs) == 0 {
		w.text("no names yet: VAR a = 2 makes a variable, EXPR y = a^2 an expression").line()
		return
	}
	for _, v := range s.vars {
		w.value(v, s.tape.Value(s.symbols[v].node)).line()
	}
	for _, n := range exprs {
		node := s.symbols[n].node
		w.value(n, s.tape.Value(node))
		if !s.tape.IsLeaf(node) {
			w.paint(faint, "   "+s.expression(node))
		} else if s.tape.IsConstant(node) {
			w.paint(faint, "   constant")
		}
		w.line()
	}
}

func (r *listing) writeJSON(j *jsonObject) {
	s := r.s
	j.object("variables", func() {
		for _, v := range s.vars {
			j.num(v, s.tape.Value(s.symbols[v].node))
		}
	})
	j.object("expressions", func() {
		for _, n := range s.expressions() {
			j.num(n, s.tape.Value(s.symbols[n].node))
		}
	})
}

func (s *Session) runTape(c *call) (Result, error) {
	if len(c.Args) > 1 || c.arg(0) != "" && c.arg(0) != "all" {
		return nil, s.misuse(c, len(c.Args)-1)
	}
	return &tapeResult{s, c.arg(0) == "all"}, nil
}

// A tapeResult is what :tape shows.
type tapeResult struct {
	s   *Session
	all bool
}

func (r *tapeResult) kind() string { return "tape" }

// nodes yields the listed nodes: constants that are only operands are left out.
func (r *tapeResult) nodes() (nodes []engine.Node) {
	t := r.s.tape
	for n := engine.Node(1); int(n) <= t.Len(); n++ {
		if n&0xffff == 0 && r.s.interrupted() {
			break // it will not be written
		}
		if !t.IsLeaf(n) || len(r.s.names[n]) > 0 {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func (r *tapeResult) writeText(w *sheet) {
	s, t := r.s, r.s.tape
	nodes := r.nodes()
	if len(nodes) == 0 {
		w.text("the tape is empty").line()
		return
	}
	head := []string{"node", "operation", "value", ""}
	if s.target != 0 {
		head[3] = "adjoint of " + s.nodeName(s.target)
	}
	first, last := len(nodes), len(nodes)
	most := 10_000 // rows that anybody may want in a file
	if w.height > 0 {
		most = max(w.height-3, 4)
	}
	if !r.all && len(nodes) > most {
		first, last = most/2, len(nodes)-most/2
	}
	rows := [][4]string{}
	for i, n := range nodes {
		if i >= first && i < last {
			continue
		}
		w.pause()
		op := s.operation(n)
		switch {
		case t.IsVariable(n):
			op = "variable"
		case t.IsLeaf(n):
			op = "constant"
		}
		label := s.nodeName(n)
		if own := s.numberName(n); own != label && !t.IsLeaf(n) {
			label += " (" + own + ")"
		}
		adjoint := ""
		if s.target != 0 && t.Reached(n) {
			adjoint = w.format(t.Adjoint(n))
		}
		rows = append(rows, [4]string{label, op, w.format(t.Value(n)), adjoint})
	}
	var width [3]int
	for k := range width {
		width[k] = columns(head[k])
		for _, row := range rows {
			w.pause()
			width[k] = max(width[k], min(columns(row[k]), 30))
		}
	}
	write := func(row [4]string, roles [4]role) {
		for k := range width {
			w.pad(roles[k], row[k], width[k])
			if k < 2 || row[3] != "" {
				w.text("  ")
			}
		}
		w.paint(roles[3], row[3]).line()
	}
	write([4]string(head), [4]role{faint, faint, faint, faint})
	for i, row := range rows {
		if i == first && last > first {
			w.paint(faint, "… "+grouped(last-first)+" more nodes (:tape all shows them) …").line()
		}
		write(row, [4]role{name, plain, number, number})
	}
}

func (r *tapeResult) writeJSON(j *jsonObject) {
	s, t := r.s, r.s.tape
	if s.target != 0 {
		j.str("of", s.nodeName(s.target))
	}
	nodes := r.nodes()
	j.array("nodes", len(nodes), func(i int) {
		n := nodes[i]
		j.begin()
		j.str("node", s.numberName(n))
		if names := s.names[n]; len(names) > 0 && names[0] != s.numberName(n) {
			j.strings("names", names)
		}
		j.str("op", t.Op(n).String())
		if !t.IsLeaf(n) {
			x, y := t.Parents(n)
			parents := []string{s.numberName(x)}
			if y != 0 {
				parents = append(parents, s.numberName(y))
			}
			j.strings("parents", parents)
		}
		j.num("value", t.Value(n))
		if s.target != 0 && t.Reached(n) {
			j.num("adjoint", t.Adjoint(n))
		}
		j.end()
	})
}

func (s *Session) runHistory(c *call) (Result, error) {
	most := math.MaxInt
	if len(c.Args) > 0 {
		if most = atoi(c.arg(0)); most < 1 {
			return nil, s.misuse(c, 0)
		}
	}
	var lines []string
	if s.options.history != nil {
		lines = s.options.history.Lines()
	}
	start := max(0, len(lines)-most)
	return &textResult{"history", func(w *sheet) {
		if len(lines) == 0 {
			w.text("no history: lines are kept when they are typed at a prompt").line()
		}
		for i, l := range lines[start:] {
			w.padLeft(faint, itoa(start+i+1), 4).text("  ", visible(l)).line()
		}
	}}, nil
}

func (s *Session) runDigits(c *call) (Result, error) {
	if len(c.Args) > 0 {
		n := atoi(c.arg(0))
		if n < 1 || n > 17 || len(c.Args) > 1 {
			return nil, s.misuse(c, len(c.Args)-1)
		}
		s.digits = n
	}
	return c.say("numbers are printed with up to %s", plural(s.digits, "digit")), nil
}

func (s *Session) runEcho(c *call) (Result, error) {
	switch strings.ToLower(s.text(c.Tail)) {
	case "on", "off":
		s.echo = strings.EqualFold(s.text(c.Tail), "on")
		return nil, nil
	}
	var text strings.Builder
	end := c.Tail.Start
	for _, a := range c.Args { // quoted parts lose their quotes, blanks between stay
		between := s.text(grammar.Span{Start: end, End: a.Span.Start})
		if strings.Contains(between, "\\") {
			between = " " // the line went on
		}
		text.WriteString(between + a.Text)
		end = a.Span.End
	}
	return &textResult{"echo", func(w *sheet) { w.text(visible(text.String())).line() }}, nil
}
