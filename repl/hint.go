package repl

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"scalargrad/engine"
	"scalargrad/grammar"
)

// near returns the candidate most like word: at most a third of its letters
// wrong (an insertion, a deletion, a change or two letters swapped counts one;
// case does not count). "" if there is none. To a single letter nothing is near
// but itself in the other case.
func near(word string, candidates []string) string {
	length, folded := utf8.RuneCountInString(word), strings.ToLower(word)
	limit := max(1, (length+1)/3) + 1
	best, least := "", 2*limit
	for _, c := range candidates {
		if strings.EqualFold(c, word) && c != word {
			return c
		}
		if length < 2 || length == 2 && word[0] != c[0] {
			continue
		}
		d := distance(folded, strings.ToLower(c), limit)
		if d == limit {
			continue
		}
		if d *= 2; distance(word, c, limit) > d/2 {
			d++ // of two as near, the one in the same case
		}
		if d < least {
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
	var letters [2][64]rune
	var space [3][65]int
	x, y := letters[0][:0], letters[1][:0]
	for _, r := range a {
		x = append(x, r)
	}
	for _, r := range b {
		y = append(y, r)
	}
	rows := [3][]int{space[0][:len(y)+1], space[1][:len(y)+1], space[2][:len(y)+1]}
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

// suggestions are the words that a mistyped one may have meant: names on the
// tape, functions, constants and keywords. Of very many names only those are
// looked at that begin or end as it does.
func (s *Session) suggestions(word string) (words []string) {
	many := len(s.symbols) > 500
	first, last := word[0], word[len(word)-1]
	words = s.listed(func(n string, _ engine.Node) bool {
		return !many || len(n) < len(word)+8 && len(word) < len(n)+8 && (n[0] == first || n[len(n)-1] == last)
	})
	words = append(words, functionWords()...)
	words = append(words, "pi", "tau", "ans")
	for _, k := range keywords {
		words = append(words, k.name)
	}
	return words
}

func functionWords() (words []string) {
	for _, op := range engine.Functions() {
		words = append(words, op.Call())
	}
	return append(words, "ln", "grad")
}

func commandNames() (words []string) {
	for _, c := range commands() {
		words = append(append(words, c.name), c.aliases...)
	}
	return words
}

// said are words of other languages and calculators, with what to type here.
var said = map[string]string{
	"let": "VAR a = 1 makes a variable", "set": "VAR a = 1 makes a variable, or gives one a new value", "const": "VAR a = 1 makes a variable",
	"def": "functions cannot be defined; y = … names an expression", "print": "a line that is only a name shows its value",
	"echo": "a line that is only a name shows its value", "show": "a line that is only a name shows its value",
	"backward": "GRAD runs the backward sweep", "backprop": "GRAD runs the backward sweep", "gradient": "GRAD y shows the gradient of y",
	"diff": "the derivative of y by a is grad(y, a)", "derivative": "the derivative of y by a is grad(y, a)", "D": "the derivative of y by a is grad(y, a)",
	"nan": "there is no word for it: 0/0 is NaN", "NaN": "there is no word for it: 0/0 is NaN", "inf": "there is no word for it: 1/0 is +Inf", "Inf": "there is no word for it: 1/0 is +Inf",
	"infinity": "there is no word for it: 1/0 is +Inf", "Infinity": "there is no word for it: 1/0 is +Inf",
	"arcsin": "type asin(x)", "arccos": "type acos(x)", "arctan": "type atan(x)", "arctan2": "type atan2(x, y)", "fabs": "type abs(x)",
	"mod": "there is no remainder", "square": "type a^2", "logistic": "type sigmoid(x)", "power": "type pow(x, y) or x^y", "clear": "type :reset", "man": "type :help",
}

// unknown is the error for a name that means nothing.
func (s *Session) unknown(at grammar.Span) error {
	word := s.text(at)
	message := fmt.Sprintf("unknown name %q", abridge(word))
	if word == "ans" || word == "_" {
		return s.diagnose(at, "undefined-name", "there is no EXPR yet for "+word+" to mean", "type one first, such as  EXPR (a + b) * a")
	}
	if _, ok := engine.Lookup([]byte(word)); ok || word == "grad" {
		return s.functionAlone(at, "")
	}
	if nodeNumber([]byte(word)) > 0 {
		return s.noSuchNode(at)
	}
	if s.firstAndLast(at) && lookupCommand(strings.ToLower(word)) != nil {
		return s.diagnose(at, "undefined-name", message+"; did you mean :"+strings.ToLower(word)+"?", "")
	}
	if y, x, ok := leibniz(nearby(s.source, at)); ok {
		return s.diagnose(at, "undefined-name", message, "the derivative of "+y+" by "+x+" is grad("+y+", "+x+")")
	}
	if latin, r := s.lookAlike(word); latin != "" {
		return s.diagnose(at, "undefined-name", message+": "+described(r)+"; did you mean "+latin+"?", "")
	}
	if hint := said[word]; hint != "" {
		return s.diagnose(at, "undefined-name", message, hint)
	}
	if c := near(word, s.suggestions(word)); c != "" {
		return s.diagnose(at, "undefined-name", message+"; did you mean "+c+"?", "")
	}
	if s.firstAndLast(at) {
		if c := near(word, commandNames()); c != "" {
			return s.diagnose(at, "undefined-name", message+"; did you mean :"+c+"?", "")
		}
	}
	return s.diagnose(at, "undefined-name", message, "VAR "+abridge(word)+" = 1 makes a variable")
}

// firstAndLast reports whether the word at a span is all that its statement says.
func (s *Session) firstAndLast(at grammar.Span) bool {
	rest := strings.TrimLeft(string(s.source[at.End:min(int(at.End)+64, len(s.source))]), " \t\r\n")
	return int(at.Start) == s.startAt && (rest == "" || strings.HasPrefix(rest, ";") || strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, "//"))
}

// functionAlone is the error for a function's name without its parenthesis;
// operand is what stands behind it.
func (s *Session) functionAlone(at grammar.Span, operand string) error {
	word := s.text(at)
	hint := "type " + s.usage(word)
	if operand != "" && s.arity(word) == 1 {
		hint = "type " + word + "(" + operand + ")"
	}
	return s.diagnose(at, "function-name", word+" is a function", hint)
}

// arity returns how many arguments a function takes, 0 if there is none.
func (s *Session) arity(word string) int {
	if word == "grad" {
		return 2
	}
	if op, ok := engine.Lookup([]byte(word)); ok {
		return op.Arity()
	}
	return 0
}

// leibniz recognises dy/dx where dy stands at a span.
func leibniz(source string, at grammar.Span) (y, x string, ok bool) {
	word := source[at.Start:at.End]
	rest := strings.TrimLeft(source[at.End:], " ")
	if len(word) < 2 || word[0] != 'd' || !strings.HasPrefix(rest, "/") {
		return "", "", false
	}
	rest = strings.TrimLeft(rest[1:], " ")
	if end := strings.IndexFunc(rest, notInName); end >= 0 {
		rest = rest[:end]
	}
	if len(rest) < 2 || rest[0] != 'd' {
		return "", "", false
	}
	return word[1:], rest[1:], true
}

// notInName reports whether no name holds r.
func notInName(r rune) bool { return r != '_' && !unicode.IsDigit(r) && !unicode.IsLetter(r) }

// twins are the letters of other alphabets that look like Latin ones, each
// followed by its twin.
const twins = "аaеeоoрpсcуyхxіiјjѕsԁdԛqԝwһhАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅS" + // Cyrillic
	"οoαaνvρpγyικAΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX" // Greek

var twinOf = func() map[rune]rune {
	m := map[rune]rune{}
	letters := []rune(twins)
	for i := 0; i+1 < len(letters); i += 2 {
		m[letters[i]] = letters[i+1]
	}
	return m
}()

// latin returns the ASCII letter or digit that r looks like, or r.
func latin(r rune) rune {
	switch {
	case twinOf[r] != 0:
		return twinOf[r]
	case r >= 0xff01 && r <= 0xff5e: // full width
		return r - 0xfee0
	case r >= 0x1d400 && r <= 0x1d6a3: // the mathematical alphabets, of 52 letters each
		if k := (r - 0x1d400) % 52; k < 26 {
			return 'A' + k
		} else {
			return 'a' + k - 26
		}
	case r >= '₀' && r <= '₉':
		return '0' + r - '₀'
	}
	return r
}

// lookAlike returns what word would be in Latin letters, if that means
// something, and the first letter that is none.
func (s *Session) lookAlike(word string) (meant string, foreign rune) {
	meant = strings.Map(func(r rune) rune {
		if l := latin(r); l != r {
			if foreign == 0 {
				foreign = r
			}
			return l
		}
		return r
	}, word)
	if foreign == 0 {
		return "", 0
	}
	_, known := s.resolve([]byte(meant))
	_, constant := constants[meant]
	if known || constant || s.arity(meant) > 0 || grammar.IsKeyword([]byte(meant)) {
		return meant, foreign
	}
	return "", 0
}

// described names a letter by its code point and its alphabet.
func described(r rune) string {
	alphabet := "no Latin"
	switch {
	case r >= 0xff01 && r <= 0xff5e:
		alphabet = "a full-width"
	case r >= 0x1d400 && r <= 0x1d7ff:
		alphabet = "a mathematical"
	case unicode.Is(unicode.Cyrillic, r):
		alphabet = "a Cyrillic"
	case unicode.Is(unicode.Greek, r):
		alphabet = "a Greek"
	}
	return fmt.Sprintf("its %c is U+%04X, %s letter", r, r, alphabet)
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
	switch {
	case word == "grad":
		return "grad(y, a)"
	case s.arity(word) == 2:
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
	return s.diagnose(at, "undefined-node", "there is no node "+abridge(s.text(at))+": "+have, "")
}

// notFunction is the error for a call of what is no function.
func (s *Session) notFunction(item *grammar.Item) error {
	word := s.text(item.Span)
	inside := string(s.source[item.Span.End:item.End]) // (…)
	if _, ok := s.resolve([]byte(word)); ok {
		if len(inside) > 40 {
			inside = "(…)"
		}
		return s.diagnose(item.Span, "not-function", word+" is not a function", "to multiply, type "+word+"*"+strings.TrimSpace(inside))
	}
	message := fmt.Sprintf("unknown function %q", abridge(word))
	switch word {
	case "diff", "derivative", "D", "d", "Grad", "gradient", "deriv", "partial":
		hint := "the derivative of y by x is grad(y, x)"
		if item.Args == 2 && len(inside) <= 40 {
			hint = "type grad" + strings.TrimSpace(inside)
		}
		return s.diagnose(item.Span, "undefined-function", message, hint)
	}
	if lookupCommand(strings.ToLower(word)) != nil {
		return s.diagnose(item.Span, "undefined-function", message+"; did you mean :"+strings.ToLower(word)+"?", "")
	}
	if latin, r := s.lookAlike(word); latin != "" {
		return s.diagnose(item.Span, "undefined-function", message+": "+described(r)+"; did you mean "+latin+"?", "")
	}
	if hint := said[word]; hint != "" {
		return s.diagnose(item.Span, "undefined-function", message, hint)
	}
	if c := near(word, functionWords()); c != "" {
		return s.diagnose(item.Span, "undefined-function", message+"; did you mean "+c+"?", "")
	}
	return s.diagnose(item.Span, "undefined-function", message, ":help functions lists them; a product needs its *")
}

func (s *Session) wrongCount(item *grammar.Item, op engine.Op) error {
	word := s.text(item.Span)
	hint := "type " + s.usage(word)
	switch {
	case item.Args > 2 && (word == "max" || word == "min" || word == "hypot"):
		hint = "nest them: " + word + "(" + word + "(x, y), z)"
	case item.Args == 2 && strings.HasPrefix(word, "log"):
		hint = "to another base type log(x)/log(base)"
	case item.Args == 2 && word == "atan":
		hint = "type atan2(x, y)"
	}
	return s.diagnose(item.Span, "wrong-arguments", fmt.Sprintf("%s takes %s, not %d", word, plural(op.Arity(), "argument"), item.Args), hint)
}

func (s *Session) noExpression(st *grammar.Statement) error {
	return s.diagnose(st.Span, "no-expression", "there is no EXPR yet to differentiate; type one first, such as  EXPR (a + b) * a", "")
}

func (s *Session) tapeFull() error {
	return &grammar.Diagnostic{Span: grammar.Span{Start: 0, End: int32(len(s.source))}, Code: "tape-full",
		Message: "the tape is full: " + grouped(s.options.MaxNodes) + " nodes are allowed (--max-nodes); :reset clears it"}
}

// unknownCommand is the error for a command that there is none of.
func (s *Session) unknownCommand(st *grammar.Statement) error {
	word := s.text(st.Command)
	at := grammar.Span{Start: st.Span.Start, End: max(st.Command.End, st.Span.Start+1)}
	message := "unknown command :" + abridge(word)
	if grammar.IsKeyword([]byte(word)) {
		return s.diagnose(at, "unknown-command", message, "type "+strings.ToUpper(word)+" without the colon")
	}
	if c := near(word, commandNames()); c != "" {
		return s.diagnose(at, "unknown-command", message+"; did you mean :"+c+"?", "")
	}
	return s.diagnose(at, "unknown-command", message, ":help lists the commands")
}

// variableTaken is the error for a = expression where a is a variable.
func (s *Session) variableTaken(st *grammar.Statement) error {
	word := s.text(st.Name)
	constant := true
	for i := range st.Expr {
		if k := st.Expr[i].Kind; k == grammar.Name || k == grammar.Node {
			constant = false
		}
	}
	if !constant {
		return s.diagnose(st.Name, "is-variable", word+" is a variable, and an expression cannot take its name", "choose another name; VAR "+word+" = 1 gives it a new value")
	}
	_, value, _ := strings.Cut(string(s.source[st.Name.End:st.Span.End]), "=")
	value = strings.TrimSpace(value)
	if len(value) > 40 {
		value = "…"
	}
	return s.diagnose(st.Name, "is-variable", word+" is a variable; to change its value type  VAR "+word+" = "+value, "")
}

// explain improves on the parser's error where the names of the session tell
// more than the grammar can know.
func (s *Session) explain(st *grammar.Statement) error {
	d := st.Err
	switch d.Code {
	case grammar.Stopped:
		return errInterrupted
	case "implicit-multiplication":
		return s.explainProduct(st)
	case "grad-in-expression":
		of := s.target
		if of == 0 {
			of = s.latest
		}
		if of != 0 {
			word, _, _ := strings.Cut(s.text(d.Span), ".")
			return s.diagnose(d.Span, d.Code, d.Message, "type grad("+s.nodeName(of)+", "+abridge(strings.TrimSpace(word))+")")
		}
	case "unexpected-character":
		return s.explainDot(d)
	}
	return d
}

// explainProduct finds out what two words without a sign between them were
// meant to be: a mistyped keyword, a function without its parenthesis, a
// command without its colon.
func (s *Session) explainProduct(st *grammar.Statement) error {
	d := st.Err
	if left := s.wordBefore(int(d.Span.Start)); !left.Empty() && int(left.End) < int(d.Span.Start) {
		word := s.text(left)
		if _, known := s.resolve([]byte(word)); !known && s.arity(word) > 0 {
			return s.functionAlone(left, s.text(d.Span))
		}
	}
	if at, power := s.raisedFunction(int(d.Span.Start)); power != "" {
		word := s.text(at)
		_, argument, _ := strings.Cut(d.Hint, "*")
		if !strings.HasPrefix(argument, "(") {
			argument = "(x)"
		}
		hint := "type " + word + argument + power
		if inverse := "a" + word; power == "⁻¹" && s.arity(inverse) == 1 {
			hint = "type " + inverse + argument + ", or 1/" + word + argument
		}
		return s.diagnose(at, "function-name", word+" is a function, and its power comes last", hint)
	}
	if _, known := s.resolve([]byte("mod")); !known && s.text(d.Span) == "mod" {
		return s.diagnose(d.Span, "undefined-name", `unknown name "mod"`, said["mod"])
	}
	word := s.firstWord(st)
	if word == "" || grammar.IsKeyword([]byte(word)) {
		return d
	}
	if _, known := s.resolve([]byte(word)); known {
		return d
	}
	at := grammar.Span{Start: st.Span.Start, End: st.Span.Start + int32(len(word))}
	message := fmt.Sprintf("unknown name %q", abridge(word))
	if latin, r := s.lookAlike(word); latin != "" {
		return s.diagnose(at, "undefined-name", message+": "+described(r)+"; did you mean "+latin+"?", "")
	}
	if lookupCommand(strings.ToLower(word)) != nil {
		return s.diagnose(at, "undefined-name", message+"; did you mean :"+strings.ToLower(word)+"?", "")
	}
	if hint := said[word]; hint != "" {
		if rest := s.text(st.Span)[len(word):]; strings.HasPrefix(hint, "VAR ") && len(rest) < 40 {
			hint = "type VAR" + rest
		}
		return s.diagnose(at, "undefined-name", message, hint)
	}
	if c := near(word, []string{"VAR", "EXPR", "GRAD"}); c != "" {
		return s.diagnose(at, "undefined-name", message+"; did you mean "+c+"?", "")
	}
	return d
}

// raisedFunction finds the sin of sin^2 or sin² that ends before byte pos, and
// its power as it is typed: ^2 or ².
func (s *Session) raisedFunction(pos int) (at grammar.Span, power string) {
	near := strings.TrimRight(string(s.source[max(0, pos-128):pos]), " \t")
	end := max(0, pos-128) + len(near)
	start := end - len(near) + len(strings.TrimRight(near, "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
	if start == end {
		if start = int(s.wordBefore(end).Start) - 1; start < 0 || start >= end-1 || s.source[start] != '^' {
			return grammar.Span{}, ""
		}
	}
	at = s.wordBefore(start)
	if s.arity(s.text(at)) != 1 {
		return grammar.Span{}, ""
	}
	return at, string(s.source[start:end])
}

// wordBefore returns the name that ends, blanks left out, before byte pos.
func (s *Session) wordBefore(pos int) grammar.Span {
	text := strings.TrimRight(string(s.source[max(0, pos-128):pos]), " \t")
	end := max(0, pos-128) + len(text)
	start := end - len(text)
	if at := strings.LastIndexFunc(text, notInName); at >= 0 {
		_, size := utf8.DecodeRuneInString(text[at:])
		start += at + size
	}
	return grammar.Span{Start: int32(start), End: int32(end)}
}

// explainDot says what y.backward() and a.value are here.
func (s *Session) explainDot(d *grammar.Diagnostic) error {
	if d.Hint != "" || s.text(d.Span) != "." {
		return d
	}
	left := s.wordBefore(int(d.Span.Start))
	rest := string(s.source[d.Span.End:min(int(d.Span.End)+16, len(s.source))])
	if left.Start > 0 && s.source[left.Start-1] == '@' {
		left.Start--
	}
	word := abridge(s.text(left))
	if word == "" || isNumber(word) {
		return d
	}
	hint := word + " alone shows its value, " + word + ".grad its adjoint"
	if strings.HasPrefix(rest, "back") {
		hint = "type GRAD " + word
	}
	return s.diagnose(d.Span, d.Code, d.Message, hint)
}

// firstWord returns the word that a statement starts with, "" if it starts with
// none.
func (s *Session) firstWord(st *grammar.Statement) string {
	text := s.text(st.Span)
	end := strings.IndexFunc(text, notInName)
	if end <= 0 || unicode.IsDigit(rune(text[0])) {
		return ""
	}
	return text[:end]
}
