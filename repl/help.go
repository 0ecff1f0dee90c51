package repl

import (
	"strings"

	"scalargrad/engine"
	"scalargrad/repl/edit"
)

// A topic is a page of help that is neither a command nor a function.
type topic struct{ name, line, text string }

var topics = []topic{
	{"VAR", "VAR a = 2, b = 3", "makes variables, or gives them new values; what depends on them is evaluated again.\n" +
		"The value may be any expression without variables: VAR w = -1/3"},
	{"EXPR", "EXPR y = (a + b) * a", "records one node per operation and shows the value. The name is optional, and so is EXPR.\n" +
		"ans is the latest result; n2 or @2 is the second operation on the tape."},
	{"GRAD", "GRAD [y] [[WRT] a, b]", "runs one backward sweep and shows the derivative of y by every variable, or by those named.\n" +
		"Without a target it is the latest EXPR. grad(y, a) inside an expression is the derivative as nodes."},
	{"numbers", "2  .5  1e-3  1_000", "are float64. Results print with 12 significant digits; :digits 17 shows every bit.\n" +
		"^ is power (also **, and x²), and 2*a needs its *."},
	{"errors", "what a caret means", "The caret stands under the first character that cannot be right; what to type instead is beside it.\n" +
		"A refused line changes nothing. Warnings name the operation where an Inf or NaN began; notes tell when a convention decided."},
}

func (s *Session) runHelp(c *call) (Result, error) {
	if len(c.Args) == 0 {
		return &textResult{"help", s.writeHelp}, nil
	}
	word := strings.TrimPrefix(c.arg(0), ":")
	if e := lookupCommand(strings.ToLower(word)); e != nil {
		return &textResult{"help", func(w *sheet) {
			w.paint(command, ":"+e.name).text(blank(e.args), e.args).line().text("  ", e.help).line()
			writeIndented(w, e.long)
		}}, nil
	}
	for _, t := range topics {
		if strings.EqualFold(t.name, word) {
			return &textResult{"help", func(w *sheet) {
				w.paint(keyword, t.line).line()
				writeIndented(w, t.text)
			}}, nil
		}
	}
	if strings.EqualFold(word, "functions") {
		return &textResult{"help", writeFunctions}, nil
	}
	if op, ok := engine.Lookup([]byte(word)); ok {
		return &textResult{"help", func(w *sheet) { writeFunction(w, op, true) }}, nil
	}
	if word == "grad" {
		return &textResult{"help", func(w *sheet) {
			w.paint(function, "grad(y, a)").line()
			writeIndented(w, "the derivative of y by a, recorded as nodes: use it in expressions, and differentiate it again.\na may be a variable, a named expression or a node.")
		}}, nil
	}
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

func blank(s string) string {
	if s == "" {
		return ""
	}
	return " "
}

func writeIndented(w *sheet, text string) {
	for l := range strings.Lines(text) {
		w.text("  ", strings.TrimSuffix(l, "\n")).line()
	}
}

// writeHelp is the page that fits one screen.
func (s *Session) writeHelp(w *sheet) {
	for _, t := range topics[:3] {
		about, _, _ := strings.Cut(t.text, "\n")
		about, _, _ = strings.Cut(about, ";")
		about, _, _ = strings.Cut(about, ". ")
		w.pad(keyword, t.line, 24).text(about).line()
	}
	for _, c := range commands() {
		w.pad(command, strings.TrimSpace(":"+c.name+" "+c.args), 24).text(c.help).line()
	}
	w.text("functions: ")
	for i, op := range engine.Functions() {
		if i > 0 {
			w.text(" ")
		}
		w.paint(function, op.Call())
	}
	w.line()
	w.text(":help functions lists their derivatives; :help TOPIC tells more").line()
}

func writeFunctions(w *sheet) {
	for _, op := range engine.Functions() {
		writeFunction(w, op, false)
	}
}

// writeFunction shows one row of the engine's table.
func writeFunction(w *sheet, op engine.Op, alone bool) {
	call := op.Call() + "(x)"
	slope := op.Derivative(0)
	if op.Arity() == 2 {
		call = op.Call() + "(x, y)"
		slope += ", " + op.Derivative(1)
	}
	w.pad(function, call, 12).text("  ").pad(plain, op.Doc(), 40)
	if alone {
		w.line().text("  derivative: ", slope).line()
		return
	}
	w.text("  ", slope).line()
}

// topicWords are the words that :help takes.
func (s *Session) topicWords() (w []edit.Word) {
	for _, c := range commands() {
		w = append(w, edit.Word{Text: c.name})
	}
	for _, t := range topics {
		w = append(w, edit.Word{Text: t.name})
	}
	w = append(w, edit.Word{Text: "functions"}, edit.Word{Text: "grad"})
	for _, op := range engine.Functions() {
		w = append(w, edit.Word{Text: op.Call()})
	}
	return w
}
