package repl

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"scalargrad/engine"
	"scalargrad/grammar"
)

// errInterrupted ends a statement that was asked to give up.
var errInterrupted = errors.New("interrupted: the session is as it was before this statement")

// A failure is a statement that was refused.
type failure struct {
	grammar.Diagnostic
	whole  bool   // the fault is the whole statement: there is nothing to point at
	source string // the logical line
	start  int    // 1-based number of its first physical line
	file   string
	line   int // of the fault, 1-based
	column int // 1-based, in code points; a byte order mark is not counted
}

// diagnose makes the error for a fault at a span of the running line.
func (s *Session) diagnose(at grammar.Span, code, message, hint string) *grammar.Diagnostic {
	return &grammar.Diagnostic{Span: at, Code: code, Message: message, Hint: hint}
}

// fail reports that a statement was refused.
func (s *Session) fail(st *grammar.Statement, err error) {
	s.failed = true
	f := &failure{source: string(s.source), start: s.line, file: s.file}
	var d *grammar.Diagnostic
	switch {
	case errors.As(err, &d):
		f.Diagnostic = *d
	case errors.Is(err, errInterrupted):
		f.Diagnostic = grammar.Diagnostic{Span: st.Span, Code: "interrupted", Message: err.Error()}
		if s.timedOut() {
			f.Code, f.Message = "timeout", "stopped after "+s.options.Timeout.String()+" (--timeout): the session is as it was before this statement"
		}
	default:
		f.Diagnostic = grammar.Diagnostic{Span: st.Span, Code: "failed", Message: err.Error()}
	}
	f.whole = f.Span.Start <= st.Span.Start && f.Span.End >= st.Span.End && f.Hint == ""
	f.locate()
	s.give(f)
}

// locate turns the byte offset of the fault into line and column.
func (f *failure) locate() {
	at := min(int(f.Span.Start), len(f.source))
	before := f.source[:at]
	f.line = f.start + strings.Count(before, "\n")
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	f.column = utf8.RuneCountInString(strings.TrimPrefix(before, "\ufeff")) + 1
}

func (f *failure) kind() string { return "error" }

func (f *failure) writeJSON(j *jsonObject) {
	j.str("code", f.Code)
	j.int("column", f.column)
	j.str("message", f.Message)
	if f.Hint != "" {
		j.str("hint", f.Hint)
	}
}

// writeText writes the message, and the line with a caret under the fault.
func (f *failure) writeText(w *sheet) {
	w.paint(bad, "error:").text(" ", visible(f.Message)).line()
	f.writeExcerpt(w)
}

// writeLocated is writeText for a batch: where comes first.
func (f *failure) writeLocated(w *sheet, from string) {
	w.text(visible(from), ":", itoa(f.line), ":", itoa(f.column), ": ").paint(bad, "error:").text(" ", visible(f.Message)).line()
	f.writeExcerpt(w)
}

// writeExcerpt shows the line of the fault, cut to a window around it where it
// is long, and points at it. Columns are those of the terminal: tabs become
// blanks, wide characters take two.
func (f *failure) writeExcerpt(w *sheet) {
	hint := visible(f.Hint)
	if f.whole {
		if hint != "" {
			w.text("  hint: ", hint).line()
		}
		return
	}
	start, end := int(f.Span.Start), int(f.Span.End)
	first := strings.LastIndexByte(f.source[:min(start, len(f.source))], '\n') + 1
	last := len(f.source)
	if i := strings.IndexByte(f.source[first:], '\n'); i >= 0 {
		last = first + i
	}
	line := f.source[first:last]
	start, end = min(start-first, len(line)), min(end-first, len(line))
	end = max(end, start)

	const margin = 2
	room := max(w.width-margin-2, 20)
	cut := func(s string) string {
		return visible(strings.ReplaceAll(strings.TrimRight(strings.TrimPrefix(s, "\ufeff"), "\r"), "\t", " "))
	}
	before, fault, after := window(line[:start], line[start:end], line[end:], room)
	b, x, a := cut(before), cut(fault), strings.TrimRight(cut(after), " ")
	w.text("  ", b).paint(bad, x).text(a).line()
	marks := 1
	if n := columns(x); n > 1 {
		marks = n
	}
	w.blanks(margin+columns(b)).paint(bad, strings.Repeat("^", marks))
	if hint != "" {
		w.text(" ", hint)
	}
	w.line()
}

// window cuts a long line to about room columns around the fault. What is left
// out is marked by an ellipsis. It looks at no more of the line than it shows.
func window(before, fault, after string, room int) (b, f, a string) {
	head := func(s string, n int) string {
		for i := range s {
			if n == 0 {
				return s[:i] + "…"
			}
			n--
		}
		return s
	}
	tail := func(s string, n int) string {
		i := len(s)
		for i > 0 && n > 0 {
			_, size := utf8.DecodeLastRuneInString(s[:i])
			i -= size
			n--
		}
		if i == 0 {
			return s
		}
		return "…" + s[i:]
	}
	if len(before)+len(fault)+len(after) <= room {
		return before, fault, after
	}
	fault = head(fault, room/2)
	rest := room - utf8.RuneCountInString(fault)
	left := min(rest*2/3, utf8.RuneCountInString(tail(before, rest)))
	return tail(before, left), fault, head(after, rest-left)
}

// near returns the candidate most like word: at most a third of its letters
// wrong (an insertion, a deletion, a change or two letters swapped counts one),
// or the same but for case. "" if there is none.
func near(word string, candidates []string) string {
	best, least := "", max(1, (utf8.RuneCountInString(word)+1)/3)+1
	for _, c := range candidates {
		if strings.EqualFold(c, word) && c != word {
			return c
		}
		if d := distance(word, c, least); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance is the optimal string alignment distance of a and b (Damerau 1964),
// or limit if that is smaller.
func distance(a, b string, limit int) int {
	if len(a) > 64 || len(b) > 64 || len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	x, y := []rune(a), []rune(b)
	rows := [3][]int{make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(x); i++ {
		last, now := rows[1], rows[2]
		now[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], rows[0][j-2]+1)
			}
		}
		rows[0], rows[1], rows[2] = rows[1], rows[2], rows[0]
	}
	return min(rows[1][len(y)], limit)
}

// suggestions are the names that a mistyped one may have meant.
func (s *Session) suggestions() (words []string) {
	words = s.listed(func(string, engine.Node) bool { return len(s.symbols) < 10_000 })
	for _, op := range engine.Functions() {
		words = append(words, op.Call())
	}
	words = append(words, "grad", "ln", "pi", "tau", "ans", "VAR", "EXPR", "GRAD", "WRT")
	return words
}

// unknown is the error for a name that means nothing.
func (s *Session) unknown(at grammar.Span) error {
	word := s.text(at)
	message := fmt.Sprintf("unknown name %q", abridge(word))
	if word == "ans" || word == "_" {
		return s.diagnose(at, "undefined-name", "there is no EXPR yet for "+word+" to mean", "EXPR (a + b) * a")
	}
	if _, ok := engine.Lookup([]byte(word)); ok || word == "grad" {
		return s.diagnose(at, "function-name", word+" is a function", "type "+s.usage(word))
	}
	if nodeNumber([]byte(word)) > 0 {
		return s.noSuchNode(at)
	}
	switch word {
	case "quit", "exit", "help", "reset", "vars", "tape", "history", "trace":
		if at.Len() == len(bytes.TrimSpace(s.source)) {
			return s.diagnose(at, "undefined-name", message+"; did you mean :"+word+"?", "")
		}
	}
	if y, x, ok := leibniz(string(s.source), at); ok {
		return s.diagnose(at, "undefined-name", message, "the derivative of "+y+" by "+x+" is grad("+y+", "+x+")")
	}
	if c := near(word, s.suggestions()); c != "" {
		return s.diagnose(at, "undefined-name", message+"; did you mean "+c+"?", "")
	}
	return s.diagnose(at, "undefined-name", message, "VAR "+abridge(word)+" = 1 makes a variable")
}

// leibniz recognises dy/dx where dy stands at a span.
func leibniz(source string, at grammar.Span) (y, x string, ok bool) {
	word := source[at.Start:at.End]
	rest := strings.TrimLeft(source[at.End:], " ")
	if len(word) < 2 || word[0] != 'd' || !strings.HasPrefix(rest, "/") {
		return "", "", false
	}
	rest = strings.TrimLeft(rest[1:], " ")
	if len(rest) < 2 || rest[0] != 'd' {
		return "", "", false
	}
	end := strings.IndexFunc(rest, func(r rune) bool {
		return !(r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= 0x80)
	})
	if end < 0 {
		end = len(rest)
	}
	if end < 2 {
		return "", "", false
	}
	return word[1:], rest[1:end], true
}

// abridge shortens a name that would fill the screen.
func abridge(word string) string {
	if utf8.RuneCountInString(word) <= 40 {
		return word
	}
	r := []rune(word)
	return string(r[:37]) + "…"
}

// usage returns how a function is called: atan2(x, y).
func (s *Session) usage(word string) string {
	if word == "grad" {
		return "grad(y, a)"
	}
	if op, ok := engine.Lookup([]byte(word)); ok && op.Arity() == 2 {
		return word + "(x, y)"
	}
	return word + "(x)"
}

func (s *Session) noSuchNode(at grammar.Span) error {
	have := "the tape has no operation yet"
	if n := s.tape.Operations(); n == 1 {
		have = "the tape has n1 only"
	} else if n > 1 {
		have = "the tape has n1 to n" + itoa(n)
	}
	return s.diagnose(at, "undefined-node", "there is no node "+s.text(at)+": "+have, "")
}

func (s *Session) notFunction(item *grammar.Item) error {
	word := s.text(item.Span)
	if _, ok := s.resolve([]byte(word)); ok {
		return s.diagnose(item.Span, "not-function", word+" is not a function", "to multiply, type "+word+"*(…)")
	}
	switch word {
	case "diff", "derivative", "D", "d", "Grad", "GRAD", "gradient":
		return s.diagnose(item.Span, "undefined-function", fmt.Sprintf("unknown function %q", word), "the derivative of y by x is grad(y, x)")
	}
	var calls []string
	for _, op := range engine.Functions() {
		calls = append(calls, op.Call())
	}
	message := fmt.Sprintf("unknown function %q", abridge(word))
	if c := near(word, append(calls, "ln", "grad")); c != "" {
		message += "; did you mean " + c + "?"
	}
	return s.diagnose(item.Span, "undefined-function", message, "")
}

func (s *Session) wrongCount(item *grammar.Item, op engine.Op) error {
	word := s.text(item.Span)
	return s.diagnose(item.Span, "wrong-arguments", fmt.Sprintf("%s takes %s, not %d", word, plural(op.Arity(), "argument"), item.Args), "type "+s.usage(word))
}

func (s *Session) noExpression(st *grammar.Statement) error {
	return s.diagnose(st.Span, "no-expression", "there is no EXPR yet to differentiate; type one first, such as  EXPR (a + b) * a", "")
}

func (s *Session) tapeFull() error {
	return &grammar.Diagnostic{Span: grammar.Span{Start: 0, End: int32(len(s.source))}, Code: "tape-full",
		Message: "the tape is full: " + grouped(s.options.MaxNodes) + " nodes are allowed (--max-nodes); :reset clears it"}
}

// explain improves on the parser's error where the names of the session tell
// more: a mistyped keyword looks like two factors without a * between.
func (s *Session) explain(st *grammar.Statement) error {
	d := st.Err
	if d.Code == "implicit-multiplication" {
		word := s.firstWord(st)
		if _, known := s.resolve([]byte(word)); word != "" && !known {
			if c := near(word, []string{"VAR", "EXPR", "GRAD"}); c != "" && !strings.EqualFold(c, word) {
				at := grammar.Span{Start: st.Span.Start, End: st.Span.Start + int32(len(word))}
				return s.diagnose(at, "undefined-name", fmt.Sprintf("unknown name %q; did you mean %s?", word, c), "")
			}
		}
	}
	return d
}

func (s *Session) firstWord(st *grammar.Statement) string {
	text := s.text(st.Span)
	end := strings.IndexAny(text, " \t(")
	if end <= 0 {
		return ""
	}
	return text[:end]
}
