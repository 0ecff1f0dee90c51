package repl

import (
	"strings"

	"scalargrad/engine"
	"scalargrad/grammar"
	"scalargrad/repl/edit"
)

// A topic is a page of help that is neither a command, a function nor a code.
type topic struct {
	name  string
	line  string // how it is typed
	brief string // what the page that fits one screen says
	text  string // paragraphs, a line each
}

var topics = []topic{
	{"VAR", "VAR a = 2, b = 3", "variables, or new values for them",
		"Makes variables, or gives them new values; what depends on them is evaluated again.\n" +
			"The value may be any expression without variables: VAR w = -1/3. The = and the commas may be left out: VAR a 2 b 3."},
	{"EXPR", "EXPR y = (a + b) * a", "an expression: one node per operation",
		"Records one node per operation and shows the value. The name is optional, and so is the word EXPR.\n" +
			"n2 or @2 is the second operation on the tape, ans the latest result; a line that is only a name shows its value.\n" +
			"y = … again makes y another node; what was built from the earlier one keeps it."},
	{"GRAD", "GRAD [y] [[WRT] a, b]", "one backward sweep: every derivative of y",
		"Runs one backward sweep and shows the derivative of y by every variable, or by those named.\n" +
			"Without a target it is that of the latest EXPR. An expression may be the target too: GRAD y^2 + a, and then WRT comes before the names.\n" +
			"a.grad alone shows an adjoint of the last sweep. grad(y, a) inside an expression is the derivative as nodes, which can be differentiated again."},
	{"numbers", "2  .5  1e-3  1_000", "", "Numbers are float64. They print with up to 12 significant digits; :digits 17 shows every bit.\n" +
		"The constants are pi, e and tau; a variable of that name hides one until :reset."},
	{"operators", "^ ** - * / +", "", "From the tightest: ^ or ** (from the right: 2^3^2 is 2^9), the sign -, then * and /, then + and -.\n" +
		"So -a^2 is -(a^2). A product needs its *: 1/2a means two things to two people. x², ×, ÷ and − from other texts are understood."},
	{"names", "a  w_12  θ  n2  @2  ans", "", "A name is a letter or _, then letters, digits and _; case counts. VAR, EXPR, GRAD, WRT, ans and _ are taken.\n" +
		"Operations are called n1, n2, … in order; @2 is the second one even where you gave n2 another meaning."},
	{"errors", "what a caret means", "", "The caret stands under the first character that cannot be right; what to type instead is beside it.\n" +
		"A refused line changes nothing. :help CODE explains one of these, as --json gives them:"},
	{"warnings", "warning: … and note: …", "", "A warning names the operation where an Inf or NaN began, and the values that made it.\n" +
		"A note tells when a convention decided: where a function has no derivative, where a constant or a node got hidden, where a name is a constant that GRAD will not show."},
	{"keys", "Tab  ↑  Ctrl-R  Ctrl-C  Ctrl-D", "", "Tab completes names, functions, commands and files. ↑ and ↓ go through the lines typed before, Ctrl-R searches them.\n" +
		"Ctrl-C drops the line, or stops a computation; Ctrl-D on an empty line leaves. A line that ends in \\ goes on in the next one; ; separates statements, # and // start a comment."},
	{"flags", "scalargrad -h", "", "scalargrad FILE… runs files, scalargrad -e 'VAR a 2; a^3; GRAD' what it is told, both without a prompt; -i gives one afterwards.\n" +
		"--json is for programs, --echo makes a transcript, --color=never or NO_COLOR turns the colours off; scalargrad -h lists the rest."},
}

func (s *Session) runHelp(c *call) (Result, error) {
	if len(c.Args) == 0 {
		return &textResult{"help", s.writeHelp}, nil
	}
	if len(c.Args) > 1 {
		return nil, s.misuse(c, 1)
	}
	if page := s.page(c.arg(0)); page != nil {
		return &textResult{"help", page}, nil
	}
	word := strings.TrimPrefix(c.arg(0), ":")
	var known []string
	for _, t := range s.topicWords() {
		known = append(known, t.Text)
	}
	message := "there is no help on " + abridge(word)
	if c := near(word, known); c != "" {
		message += "; did you mean " + c + "?"
	}
	return nil, s.diagnose(c.at(0), "no-topic", message, ":help lists the topics")
}

// page returns what writes the help on a word, nil where there is none. A colon
// means the command; without one a function comes before a command of its name.
func (s *Session) page(word string) func(*sheet) {
	name, colon := strings.CutPrefix(word, ":")
	name = strings.TrimSuffix(name, "()")
	entry := lookupCommand(strings.ToLower(name))
	if op, ok := engine.Lookup([]byte(name)); ok && !colon {
		return func(w *sheet) { writeFunction(w, op, true) }
	}
	switch {
	case name == "grad" && !colon:
		return func(w *sheet) {
			w.paint(function, "grad(y, a)").line()
			w.wrap(2, "The derivative of y by a, recorded as nodes: use it in expressions, and differentiate it again. a may be a variable, a named expression or a node.").line()
			w.wrap(2, "The statement GRAD is another thing: :help GRAD").line()
		}
	case entry != nil:
		return func(w *sheet) { writeEntry(w, entry) }
	case name == "functions":
		return writeFunctions
	case name == "commands":
		return writeCommands
	}
	for i := range topics {
		if t := &topics[i]; t.name == name || strings.EqualFold(t.name, name) || t.name == "GRAD" && strings.EqualFold(name, "WRT") || t.name == "numbers" && constants[name].doc != "" {
			return func(w *sheet) { t.write(w) }
		}
	}
	for _, table := range [][]grammar.CodeRow{grammar.Codes[:], codes} {
		for i := range table {
			if table[i].Code == strings.ToLower(name) {
				return func(w *sheet) { writeCode(w, &table[i]) }
			}
		}
	}
	return nil
}

func (t *topic) write(w *sheet) {
	w.paint(keyword, t.line).line()
	w.paragraphs(t.text)
	if t.name == "errors" {
		var all []string
		for _, table := range [][]grammar.CodeRow{grammar.Codes[:], codes} {
			for _, row := range table {
				all = append(all, row.Code)
			}
		}
		w.columns(2, plain, all)
	}
}

func writeEntry(w *sheet, e *commandEntry) {
	w.paint(command, ":"+e.name).text(blank(e.args), e.args)
	for _, a := range e.aliases {
		w.text(", ").paint(command, ":"+a).text(blank(e.args), e.args)
	}
	w.line().wrap(2, e.help).line()
	w.paragraphs(e.long)
}

func writeCode(w *sheet, row *grammar.CodeRow) {
	w.paint(strong, row.Code).line().wrap(2, row.Meaning).line()
	if row.Example != "" {
		w.text("  for example:  ", visible(row.Example)).line()
	}
}

func blank(s string) string {
	if s == "" {
		return ""
	}
	return " "
}

// wrap adds text, broken at blanks so that no line is wider than the sheet and
// each begins with indent blanks. The last line is not ended.
func (w *sheet) wrap(indent int, text string) *sheet {
	w.blanks(indent)
	column := indent
	for i, word := range strings.Split(text, " ") {
		n := columns(word)
		switch {
		case i == 0:
		case column+1+n > w.width && column > indent:
			w.line().blanks(indent)
			column = indent
		default:
			w.text(" ")
			column++
		}
		w.text(word)
		column += n
	}
	return w
}

// paragraphs adds text, wrapped and indented. A line that ends a sentence ends
// a paragraph; any other goes on in the next one.
func (w *sheet) paragraphs(text string) {
	paragraph := ""
	for l := range strings.Lines(text) {
		paragraph += strings.TrimSuffix(l, "\n")
		if strings.HasSuffix(paragraph, ".") || strings.HasSuffix(paragraph, ":") {
			w.wrap(2, paragraph).line()
			paragraph = ""
		} else {
			paragraph += " "
		}
	}
	if paragraph != "" {
		w.wrap(2, strings.TrimSuffix(paragraph, " ")).line()
	}
}

// columns adds words in columns, to be read downwards.
func (w *sheet) columns(indent int, r role, words []string) {
	widest := 0
	for _, word := range words {
		widest = max(widest, columns(word))
	}
	across := max((w.width-indent+2)/(widest+2), 1)
	down := (len(words) + across - 1) / across
	for row := range down {
		w.blanks(indent)
		for i := row; i < len(words); i += down {
			if i+down < len(words) {
				w.pad(r, words[i], widest+2)
			} else {
				w.paint(r, words[i])
			}
		}
		w.line()
	}
}

// writeHelp is the page that fits one screen of 80 by 24.
func (s *Session) writeHelp(w *sheet) {
	for _, t := range topics[:3] {
		w.pad(keyword, t.line, 24).text(head(t.brief, max(w.width-25, 20))).line()
	}
	w.pad(name, "y   a.grad   n2   ans", 24).text(head("shows y, an adjoint, the second node, the latest result", max(w.width-25, 20))).line()
	writeCommands(w)
	functions := "functions: grad"
	for _, op := range engine.Functions() {
		functions += " " + op.Call()
	}
	w.wrap(0, functions).line()
	topicNames := ":help TOPIC tells more: a command, a statement, a function, an error's code, functions"
	for _, t := range topics[3:] {
		topicNames += " " + t.name
	}
	w.wrap(0, topicNames).line()
}

// writeCommands lists the commands in as many columns as there is room for.
func writeCommands(w *sheet) {
	const nameWidth, aboutWidth, gap = 10, 28, 2
	list := commands()
	across := max((w.width+gap)/(nameWidth+aboutWidth+gap), 1)
	down := (len(list) + across - 1) / across
	for row := range down {
		for i := row; i < len(list); i += down {
			e := &list[i]
			about := e.brief
			if about == "" {
				about = e.help
			}
			about = head(about, aboutWidth-1)
			w.pad(command, ":"+e.name, nameWidth)
			if i+down < len(list) {
				w.pad(plain, about, aboutWidth+gap)
			} else {
				w.text(about)
			}
		}
		w.line()
	}
}

func writeFunctions(w *sheet) {
	for _, op := range engine.Functions() {
		writeFunction(w, op, false)
	}
	w.wrap(0, "x and y are the arguments, z the value; each row ends with the derivative, by x and by y. :help NAME shows one.").line()
}

// writeFunction shows one row of the engine's table.
func writeFunction(w *sheet, op engine.Op, alone bool) {
	call, by := op.Call()+"(x)", "derivative:       "
	slope := op.Derivative(0)
	if op.Arity() == 2 {
		call, by = op.Call()+"(x, y)", "derivative by x:  "
	}
	if !alone {
		if op.Arity() == 2 {
			slope += ", " + op.Derivative(1)
		}
		const at = 56 // where the derivatives stand
		w.pad(function, call, 12).text("  ").pad(plain, op.Doc(), at-16)
		if wide := columns(slope); columns(op.Doc()) > at-16 || at+wide > w.width {
			w.line().blanks(max(min(at, w.width-wide), 14)).text(slope).line()
		} else {
			w.text("  ", slope).line()
		}
		return
	}
	w.paint(function, call).line().wrap(2, op.Doc()).line()
	w.text("  ", by, slope).line()
	if op.Arity() == 2 {
		w.text("  derivative by y:  ", op.Derivative(1)).line()
	}
	if strings.Contains(slope+op.Derivative(1), "z") {
		w.text("  where z is the value").line()
	}
	if what := op.Corner(0, 0); what != "" {
		x, y := "x", "y"
		w.wrap(2, "at 0 it "+strings.NewReplacer("{x}", x, "{y}", y).Replace(what)).line()
	}
}

// topicWords are the words that :help takes.
func (s *Session) topicWords() (w []edit.Word) {
	for _, c := range commands() {
		w = append(w, edit.Word{Text: c.name})
	}
	for _, t := range topics {
		w = append(w, edit.Word{Text: t.name})
	}
	w = append(w, edit.Word{Text: "functions"}, edit.Word{Text: "commands"}, edit.Word{Text: "grad"})
	for _, op := range engine.Functions() {
		w = append(w, edit.Word{Text: op.Call()})
	}
	for _, table := range [][]grammar.CodeRow{grammar.Codes[:], codes} {
		for _, row := range table {
			w = append(w, edit.Word{Text: row.Code})
		}
	}
	return w
}
