package repl

import (
	"bytes"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"scalargrad/grammar"
	"scalargrad/repl/edit"
)

// errInterrupted ends a statement that was asked to give up.
var errInterrupted = errors.New("interrupted: the session is as it was before this statement")

// A failure is a statement that was refused.
type failure struct {
	grammar.Diagnostic
	whole  bool   // the fault is the whole statement: there is nothing to point at
	source string // what stands around the fault; Span is a part of it
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
	var d *grammar.Diagnostic
	switch {
	case errors.As(err, &d):
	case errors.Is(err, errInterrupted):
		d = &grammar.Diagnostic{Span: st.Span, Code: "interrupted", Message: err.Error()}
		if s.timedOut() {
			d.Code, d.Message = "timeout", "stopped after "+s.options.Timeout.String()+" (--timeout): the session is as it was before this statement"
		}
	default:
		d = &grammar.Diagnostic{Span: st.Span, Code: "failed", Message: err.Error()}
	}
	s.refuse(d, s.alone(st) && d.Hint == "" && d.Span.Start <= st.Span.Start && (d.Span.End >= st.Span.End || d.Code == "is-variable"))
}

// refuse gives the failure for a fault in the running statement; with whole
// there is nothing in it to point at.
func (s *Session) refuse(d *grammar.Diagnostic, whole bool) {
	s.failed = true
	f := &failure{Diagnostic: *d, whole: whole, file: s.file}
	f.line, f.column = s.place(int(d.Span.Start))
	f.source, f.Span = nearby(s.source, d.Span)
	s.give(f)
}

// nearby returns what stands around a part of a line, and the span of the part,
// or of its beginning, in that. A line may be 16 MiB and every statement on it
// wrong: what is told of one must not cost the whole line.
func nearby(line []byte, part grammar.Span) (text string, within grammar.Span) {
	const far = 1 << 10 // bytes; more than any window shows
	start := min(int(part.Start), len(line))
	end := max(min(int(part.End), start+far, len(line)), start)
	low, high := max(start-far, 0), min(end+far, len(line))
	for low > 0 && low < start && !utf8.RuneStart(line[low]) {
		low++
	}
	for high < len(line) && high > end && !utf8.RuneStart(line[high]) {
		high--
	}
	return string(line[low:high]), grammar.Span{Start: int32(start - low), End: int32(end - low)}
}

// alone reports whether st is all that its line says.
func (s *Session) alone(st *grammar.Statement) bool {
	blank := func(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
	return blank(s.source[:st.Span.Start]) && blank(s.source[st.Span.End:])
}

// place returns the 1-based line and column of a byte offset in the running
// statement. Columns are counted in code points, without a byte order mark. It
// counts from the statement before that was asked for, not from the beginning.
func (s *Session) place(offset int) (line, column int) {
	at := s.known
	for _, next := range [2]int{min(s.startAt, offset), min(offset, len(s.source))} {
		if next < at.offset {
			at = milestone{}
		}
		between := s.source[at.offset:next]
		if i := bytes.LastIndexByte(between, '\n'); i >= 0 {
			at.lines += bytes.Count(between, newline)
			at.column = 0
			between = between[i+1:]
		}
		if at.column == 0 {
			between = bytes.TrimPrefix(between, []byte("\ufeff"))
		}
		at.column += utf8.RuneCount(between)
		at.offset = next
		if next == s.startAt {
			s.known = at // where statements start no character is cut in two
		}
	}
	return s.line + at.lines, at.column + 1
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

// margin is how far an excerpt is moved to the right.
const margin = 2

// writeExcerpt shows the line of the fault, cut to a window around it where it
// is long, and points at it; what to type instead stands beside the pointer, or
// below it where there is no room. Columns are those of the terminal: a tab
// becomes a blank, wide characters take two, combining ones none.
func (f *failure) writeExcerpt(w *sheet) {
	hint := visible(f.Hint)
	if f.whole {
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
	for start > 0 && start < end && combining(line[start:]) { // point at the character it sits on
		_, size := utf8.DecodeLastRuneInString(line[:start])
		start -= size
	}
	for end < len(line) && combining(line[end:]) {
		_, size := utf8.DecodeRuneInString(line[end:])
		end += size
	}

	room := max(w.width-margin-2, 16)
	cut := func(s string) string {
		return visible(strings.ReplaceAll(strings.TrimRight(strings.TrimPrefix(s, "\ufeff"), "\r"), "\t", " "))
	}
	before, fault, after := window(line[:start], line[start:end], line[end:], room)
	b, x, a := cut(before), cut(fault), strings.TrimRight(cut(after), " ")
	w.blanks(margin).text(b)
	if x != "" {
		w.paint(bad, x)
	}
	w.text(a).line()
	marks := max(columns(x), 1)
	w.blanks(margin+columns(b)).paint(bad, strings.Repeat("^", marks))
	if hint != "" {
		if at := margin + columns(b) + marks + 1; at+columns(hint) >= w.width {
			w.line().blanks(max(min(margin+columns(b), w.width-1-columns(hint)), margin)).text(hint)
		} else {
			w.text(" ", hint)
		}
	}
	w.line()
}

// combining reports whether s begins with a character that takes no column of
// its own.
func combining(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.In(r, unicode.Mn, unicode.Me)
}

// cells returns how many columns an excerpt gives to r: what acts on a terminal
// is replaced by something of one column.
func cells(r rune) int {
	if unicode.IsPrint(r) || unicode.In(r, unicode.Mn, unicode.Me, unicode.Zs) {
		return edit.RuneWidth(r)
	}
	return 1
}

// window cuts a long line to about room columns around the fault. What is left
// out is marked by an ellipsis. It looks at no more of the line than it shows.
func window(before, fault, after string, room int) (b, f, a string) {
	if len(before)+len(fault)+len(after) <= room { // no character has fewer bytes than columns
		return before, fault, after
	}
	fault = head(fault, max(room/2, 10))
	rest := room - width(fault)
	left := min(rest*2/3, width(tail(before, rest)))
	if need := width(head(after, rest)); need < rest-left {
		left = rest - need
	}
	return tail(before, left), fault, head(after, rest-left)
}

func width(s string) (n int) {
	for _, r := range s {
		n += cells(r)
	}
	return n
}

// head returns s, or its beginning of n columns and an ellipsis.
func head(s string, n int) string {
	for i, r := range s {
		if n -= cells(r); n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// tail returns s, or an ellipsis and its end of n columns.
func tail(s string, n int) string {
	i := len(s)
	for i > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if n -= cells(r); n < 0 {
			break
		}
		i -= size
	}
	if i == 0 {
		return s
	}
	for i < len(s) && combining(s[i:]) { // its character is left out
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return "…" + s[i:]
}

// codes are those of the mistakes that only the session can see, beside
// grammar.Codes: each with a line that shows it after VAR a = 2, where a line
// can.
var codes = []grammar.CodeRow{
	{Code: "undefined-name", Example: "b*2", Meaning: "a name that nothing has yet"},
	{Code: "undefined-node", Example: "n7", Meaning: "a node with a number that the tape does not reach"},
	{Code: "undefined-function", Example: "sine(a)", Meaning: "a call of a function that there is none of"},
	{Code: "function-name", Example: "exp a", Meaning: "a function's name without its parentheses"},
	{Code: "not-function", Example: "a(3)", Meaning: "a name followed by ( is a call; a product needs its *"},
	{Code: "wrong-arguments", Example: "max(a)", Meaning: "a call with too few or too many arguments"},
	{Code: "not-constant", Example: "VAR b = a", Meaning: "the value of a variable is made of constants alone: it is where differentiating ends"},
	{Code: "is-variable", Example: "a = 5", Meaning: "= names an expression, and a variable's name stays a variable's: VAR gives it a new value"},
	{Code: "name-taken", Example: "y = a^2; VAR y = 1", Meaning: "an expression's name cannot become a variable's before :reset"},
	{Code: "constant-derivative", Example: "grad(a^2, 2)", Meaning: "nothing can be differentiated by a number, which never changes"},
	{Code: "no-expression", Example: "GRAD", Meaning: "GRAD alone means the latest EXPR, and there is none yet"},
	{Code: "no-gradient", Example: "a.grad", Meaning: "a.grad is the adjoint of the last GRAD, and there was none yet"},
	{Code: "unknown-command", Example: ":tracing", Meaning: "a command that there is none of"},
	{Code: "bad-argument", Example: ":digits 99", Meaning: "an argument that the command does not take; beside it stands what it does"},
	{Code: "no-topic", Example: ":help xyzzy", Meaning: ":help knows the commands, statements, functions and codes"},
	{Code: "no-lesson", Example: ":lesson 99", Meaning: "the lesson has no such step, or there is none to leave"},
	{Code: "no-mistake", Example: "y = a^2; :mistake overwork y", Meaning: "the classic mistakes have names: :help mistake lists them"},
	{Code: "no-variable", Example: "y = 2^2; :table y", Meaning: "the command moves a variable, and there is none to move"},
	{Code: "not-variable", Example: "y = a^2; :table y y", Meaning: "only a variable can be moved: an expression follows, and a constant stays"},
	{Code: "not-name", Example: ":table 2 a", Meaning: "the name of an expression or a node belongs here; for grad also a variable's"},
	{Code: "too-many", Example: "y = a^2; :table y a 0 1 1e-9", Meaning: "more rows than anybody reads, or more nodes than the command is made for"},
	{Code: "too-large", Meaning: "a matrix of more rows than can be kept"},
	{Code: "nothing-to-undo", Meaning: "no statement since the start or the last :reset changed anything"},
	{Code: "nothing-to-save", Meaning: "no statement since the start or the last :reset changed anything"},
	{Code: "needs-empty-tape", Meaning: "a script that mentions nodes by number means those of an empty tape: :reset comes first"},
	{Code: "not-kept", Meaning: "the text of statements is kept only for those typed or loaded at a prompt"},
	{Code: "stopped", Meaning: "--stop-on-error ended the loading of a file at its first error"},
	{Code: "file", Meaning: "a file cannot be read or written; the system's reason stands beside it"},
	{Code: "restricted", Meaning: "--restricted keeps statements away from files"},
	{Code: "not-finite", Meaning: "a value or a derivative became NaN or infinite where the command needs numbers"},
	{Code: "output-limit", Meaning: "--restricted bounds what a script may print"},
	{Code: "tape-full", Meaning: "the tape holds as many nodes as --max-nodes allows; :reset clears it"},
	{Code: "memory-full", Meaning: "names, and the statements of a prompt, take all the memory there is; :reset clears them"},
	{Code: "line-too-long", Meaning: "a line of more than 16 MiB"},
	{Code: "interrupted", Meaning: "Ctrl-C ended the statement; nothing of it was kept"},
	{Code: "timeout", Meaning: "the statement took longer than --timeout allows; nothing of it was kept"},
	{Code: "failed", Meaning: "the system said no: a file that cannot be read or written, for example"},
}
