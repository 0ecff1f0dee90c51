package repl

import (
	"strconv"
	"strings"
)

// A Result is one answer of a session. The kinds of result are a closed set of
// small structs; each can be written for people and for programs, from the
// same fields. A Result is only valid until the next one is given.
type Result interface {
	kind() string // of the JSON object
	writeText(*sheet)
	writeJSON(*jsonObject)
}

// give hands a result to whoever runs the session.
func (s *Session) give(r Result) {
	s.emit(r)
	if s.lesson != nil {
		s.saw(r)
	}
}

// A valueResult is what EXPR answers, and a line that is only a name.
type valueResult struct {
	name  string // what is shown before the value
	node  string // the node's number or the variable's name; "" for a constant
	value float64
	asked bool // a name was asked for: shown also under -q
	remarks
}

func (r *valueResult) kind() string { return "expr" }

func (r *valueResult) writeText(w *sheet) {
	if r.node == "" && r.name != "" && isNumber(r.name) {
		w.number(r.value).line()
	} else {
		w.value(r.name, r.value).line()
	}
	r.remarks.writeText(w)
}

func isNumber(s string) bool {
	return s[0] == '-' || s[0] == '+' || s[0] >= '0' && s[0] <= '9' || s == "NaN"
}

func (r *valueResult) writeJSON(j *jsonObject) {
	if !isNumber(r.name) {
		j.str("name", r.name)
	}
	if r.node != "" {
		j.str("node", r.node)
	}
	j.num("value", r.value)
	r.remarks.writeJSON(j)
}

// A boundResult is a variable made, or given a new value.
type boundResult struct {
	name    string
	value   float64
	was     float64
	again   bool    // it existed: was counts
	changed int     // in JSON only: nodes that have another value now, the variable included
	moved   []moved // the watched expressions among them
	remarks
}

type moved struct {
	name     string
	now, was float64
}

func (r *boundResult) kind() string { return "var" }

func (r *boundResult) writeText(w *sheet) {
	w.value(r.name, r.value)
	if r.again {
		w.text(" (was ").number(r.was).text(")")
	}
	w.line()
	writeMoved(w, r.moved, "named result")
	r.remarks.writeText(w)
}

// writeMoved writes what changed: ten at most, and a count.
func writeMoved(w *sheet, list []moved, what string) {
	const most = 10
	for i, m := range list {
		if i == most {
			w.paint(faint, plural(len(list)-most, "more "+what)+" changed").line()
			break
		}
		w.value(m.name, m.now).text(" (was ").number(m.was).text(")").line()
	}
}

func (r *boundResult) writeJSON(j *jsonObject) {
	j.str("name", r.name)
	j.num("value", r.value)
	if r.again {
		j.num("was", r.was)
		j.int("changed", r.changed)
	}
	r.remarks.writeJSON(j)
}

// An adjointResult answers a.grad.
type adjointResult struct {
	gradientEntry
	of string
}

func (r *adjointResult) kind() string { return "adjoint" }

func (r *adjointResult) writeText(w *sheet) {
	w.paint(name, r.name+".grad").text(" = ").number(r.value)
	if r.unused {
		w.paint(faint, "   ("+r.of+" does not use "+r.name+")")
	} else {
		w.paint(faint, "   (of "+r.of+")")
	}
	w.line()
}

func (r *adjointResult) writeJSON(j *jsonObject) {
	j.str("name", r.name)
	j.num("value", r.value)
	j.str("of", r.of)
}

// A textResult is a command's answer that is text and nothing else.
type textResult struct {
	command string
	write   func(*sheet)
}

func (r *textResult) kind() string       { return r.command }
func (r *textResult) writeText(w *sheet) { r.write(w) }

func (r *textResult) writeJSON(j *jsonObject) {
	w := &sheet{theme: NewTheme(false), digits: defaultDigits, width: 80, limit: j.limit, stop: j.stop}
	r.write(w)
	j.str("text", strings.TrimSuffix(string(w.buf), "\n"))
}

func itoa(n int) string { return strconv.Itoa(n) }

// atoi reads digits; what is no number is 0.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// shortest writes v with as many digits as read back as v.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// grouped writes 1792 as 1,792.
func grouped(n int) string {
	text := itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// plural writes "1 node", "2 nodes".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + " " + what + "s"
}
