package grammar

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Diagnostic says why a statement is refused, in parts that the caller puts
// together for a person or for a program. It is an error.
type Diagnostic struct {
	Span    Span   // the fault; empty, but placed, where something is missing
	Code    string // stable, one of Codes: "missing-paren"
	Message string // what is wrong: lower case, no full stop
	Hint    string // what to type instead ("type 2*a"); may be ""
}

// Error returns the message.
func (d *Diagnostic) Error() string { return d.Message }

// fault returns a diagnostic for src[start:end].
func fault(code string, start, end int, message, hint string) *Diagnostic {
	return &Diagnostic{Span: Span{int32(start), int32(end)}, Code: code, Message: message, Hint: hint}
}

// CodeRow is a row of [Codes].
type CodeRow struct {
	Code    string // as in Diagnostic.Code
	Example string // a line whose first fault has this code
	Meaning string // one sentence for the person who typed it
}

// Codes lists every code that this package gives, with a line that shows it.
var Codes = [...]CodeRow{
	{"foreign-character", "y = “a”", "a character that the language does not have, often pasted from a text processor"},
	{"unexpected-character", "y = a ! 2", "a character that has no meaning where it stands"},
	{"stray-backslash", `y = a \ b`, "a backslash continues a line, so nothing but blanks may follow it"},
	{"implicit-multiplication", "y = 2a", "a product needs its *, because 1/2a means two things to two people"},
	{"missing-operator", "y = 2 3", "two numbers stand next to each other"},
	{"missing-operand", "y = a +", "an operator has nothing to work on"},
	{"missing-argument", "y = max(a,)", "a comma in a call has no argument on one of its sides"},
	{"missing-expression", "EXPR", "there is nothing to evaluate"},
	{"missing-paren", "y = (a + b * a", "an opening parenthesis is never closed"},
	{"extra-paren", "y = a + b)", "a closing parenthesis closes nothing"},
	{"unexpected-comma", "y = 1,300", "a comma separates arguments and names, nothing else"},
	{"trailing-comma", "VAR a = 1,", "a comma with nothing behind it"},
	{"unexpected-equals", "2*a = 5", "only one name can stand before =, and only one = in a statement"},
	{"function-definition", "f(x) = x^2", "functions cannot be defined"},
	{"keyword-as-name", "VAR GRAD = 1", "VAR, EXPR, GRAD and WRT cannot be names, in any case"},
	{"reserved-name", "VAR ans = 1", "ans, _ and @1 always mean a node of the tape"},
	{"invalid-name", "VAR 2a = 1", "a name starts with a letter or _"},
	{"missing-name", "VAR a = 1, (b)", "a name is expected"},
	{"missing-value", "VAR a", "a variable needs a value"},
	{"missing-equals", "VAR a(2)", "a name directly followed by ( is a call"},
	{"misplaced-keyword", "VAR a = 2 EXPR a*a", "a keyword in the middle of a statement"},
	{"malformed-number", "y = 1.2.3", "a number that cannot be read"},
	{"malformed-superscript", "y = a⁻", "a superscript must be a whole number"},
	{"power-after-superscript", "y = a²^3", "a power of a superscript needs parentheses"},
	{"malformed-node", "@0", "@ and the number of a node reach that node"},
	{"number-overflow", "y = 1e999", "a number too large for a float64"},
	{"number-underflow", "y = 1e-999", "a number too close to 0 for a float64"},
	{"grad-in-expression", "y = 2 * a.grad", "a derivative inside an expression is written grad(y, a)"},
	{"missing-quote", `:load "file`, "a quoted argument is never closed"},
	{"missing-command", ":", "a colon without the name of a command"},
}

// maxQuoted is how many characters of the line a message repeats.
const maxQuoted = 24

// shorten returns text on one line and, if it is long, cut: (…) for the inside
// of parentheses, … for the rest of anything else. It shows no character that
// could act on a terminal.
func shorten(text []byte) string {
	var short []rune
	open := -1 // the first parenthesis
	for i := 0; i < len(text); {
		if next := skipBlank(text, i); next > i {
			if next < len(text) && i > 0 {
				short = append(short, ' ')
			}
			i = next
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		i += n
		if r == '(' && open < 0 {
			open = len(short)
		}
		if !unicode.IsPrint(r) {
			r = '�'
		}
		if short = append(short, r); len(short) > maxQuoted {
			if open >= 0 && text[len(text)-1] == ')' {
				return string(short[:open]) + "(…)"
			}
			return string(short[:maxQuoted-1]) + "…"
		}
	}
	return string(short)
}

// quote returns text, shortened, in quotation marks.
func quote(text []byte) string { return `"` + shorten(text) + `"` }

// strayJoint refuses a backslash or a carriage return with text behind it.
func strayJoint(src []byte, pos int) *Diagnostic {
	if src[pos] == '\r' {
		return stray(src, pos)
	}
	return fault("stray-backslash", pos, pos+1, `a \ continues the line, so nothing may follow it`, "delete it")
}

// keywordAsName refuses the keyword src[start:end] as a name.
func keywordAsName(src []byte, start, end int) *Diagnostic {
	return fault("keyword-as-name", start, end, quote(src[start:end])+" is a keyword and cannot be a name", "take another name")
}

// nodeAsName refuses to bind the node src[start:end].
func nodeAsName(src []byte, start, end int) *Diagnostic {
	return fault("reserved-name", start, end, quote(src[start:end])+" is a node of the tape and cannot be given a meaning", "take a name that starts with a letter")
}

// checkName refuses the names that may not be bound.
func checkName(src []byte, start, end int) *Diagnostic {
	name := src[start:end]
	switch {
	case keywordOf(name) != noKeyword:
		return keywordAsName(src, start, end)
	case reserved(name):
		return fault("reserved-name", start, end, quote(name)+" always means the latest EXPR and cannot be given a meaning", "take another name")
	}
	return nil
}

// misplaced refuses the keyword w, whose place is the start of a statement or,
// for WRT, inside a GRAD.
func misplaced(w keyword, start, end int) *Diagnostic {
	switch w {
	case keywordWRT:
		return fault("misplaced-keyword", start, end, "WRT belongs behind the target of a GRAD", "type GRAD y WRT a")
	case keywordVar:
		return fault("misplaced-keyword", start, end, "VAR starts a new statement", "put a ; before it")
	case keywordGrad:
		return fault("misplaced-keyword", start, end, "GRAD starts a new statement", "put a ; before it")
	}
	return fault("misplaced-keyword", start, end, "EXPR starts a new statement", "put a ; before it")
}

// trailingComma refuses a comma behind which nothing comes.
func trailingComma(comma int, what string) *Diagnostic {
	return fault("trailing-comma", comma, comma+1, "there is no "+what+" behind this comma", "delete it")
}

// keywordOperand refuses the keyword src[start:end] where an operand should be.
func (p *Parser) keywordOperand(start, end int) *Diagnostic {
	d := keywordAsName(p.src, start, end)
	if after := skipBlank(p.src, end); callFollows(p.src, after) && keywordOf(p.src[start:end]) == keywordGrad {
		d.Hint = "the function is typed grad( in lower case and without a blank"
	}
	return d
}

// missingOperand refuses the character of class k at pos, where an operand
// should be. The top of the stack is what stands before it.
func (p *Parser) missingOperand(ops []entry, begin, pos int, k uint8) *Diagnostic {
	src, top := p.src, ops[len(ops)-1]
	before := quote(src[top.at:top.end]) // the sign or ( that waits for an operand
	if top.op == entryCall {
		before = `"` + shorten(src[top.at:top.end]) + `("`
	}
	_, n := classAt(src, pos)
	if k == cSlash && startsComment(src, pos) {
		k = cEnd
	}
	switch k {
	case cEnd, cSemicolon, cHash, cNewline:
		at := trimBlank(src, begin, pos)
		switch {
		case top.op == entryBottom && !p.stmt.Name.Empty():
			return fault("missing-expression", p.end, p.end, "the expression behind = is missing", "")
		case top.op == entryBottom:
			return fault("missing-expression", p.end, p.end, "an expression is missing", "type EXPR a + b")
		case top.op == entryCall && top.args > 0:
			return fault("missing-argument", at, at, "an argument is missing behind the comma", "")
		case top.op >= entryBottom:
			return missingParen(ops)
		}
		return fault("missing-operand", at, at, "a value is missing behind "+before, "")
	case cClose:
		switch {
		case top.op == entryBottom:
			return fault("extra-paren", pos, pos+1, "this ) closes nothing", "delete it, or put a ( before it")
		case top.op == entryParen:
			return fault("missing-operand", int(top.at), pos+1, "there is nothing between these parentheses", "")
		}
	case cEquals:
		return p.strayEquals(pos)
	case cComma:
		if top.op == entryBottom {
			return p.strayComma(pos)
		}
	case cStar, cSlash, cCaret:
		if top.op >= entryBottom {
			return fault("missing-operand", pos, pos+n, "a value is missing before "+quote(src[pos:pos+n]), "")
		}
		return fault("missing-operand", pos, pos+n, "a value is missing between "+before+" and "+quote(src[pos:pos+n]), "")
	case cSuper:
		return fault("missing-operand", pos, pos+n, "a value is missing before the superscript "+quote(src[pos:pos+n]), "")
	default:
		return p.strayAt(pos)
	}
	if top.op == entryCall {
		if k == cClose {
			return fault("missing-argument", pos, pos+n, "an argument is missing behind the comma", "delete the comma")
		}
		return fault("missing-argument", pos, pos+n, "an argument is missing before this comma", "")
	}
	return fault("missing-operand", pos, pos+n, "a value is missing behind "+before, "")
}

// missingParen refuses an expression that ends with open parentheses; the first
// of them is shown.
func missingParen(ops []entry) *Diagnostic {
	var first entry
	count := 0
	for _, e := range ops {
		if e.op == entryParen || e.op == entryCall {
			if count == 0 {
				first = e
			}
			count++
		}
	}
	message := "a ) is missing"
	if count > 1 {
		message = fmt.Sprintf("%d ) are missing", count)
	}
	return fault("missing-paren", int(first.start), int(first.start)+1, message, "this ( is never closed")
}

// raisedTwice refuses the power src[pos:end] of something with a superscript.
func raisedTwice(src []byte, pos, end int) *Diagnostic {
	return fault("power-after-superscript", pos, end, "a superscript cannot be raised again by "+quote(src[pos:end]),
		"put parentheses around what is meant: (a²)^3")
}

// unexpected refuses the character of class k at pos, where an operator should
// be. The operand before it is src[start:end].
func (p *Parser) unexpected(ops []entry, items []Item, in mode, start, end, pos int, k uint8) *Diagnostic {
	src := p.src
	last := items[len(items)-1]
	switch k {
	case cDigit, cAt:
		return p.adjacent(ops, items, in, start, end, pos)
	case cDot:
		if next, _ := classAt(src, pos+1); next == cDigit {
			return p.adjacent(ops, items, in, start, end, pos)
		}
		isName := (last.Kind == Name || last.Kind == Node) && int(last.Start) == start && int(last.End) == end && pos == end
		if n := gradSuffix(src, pos); isName && n > 0 {
			return fault("grad-in-expression", start, pos+n, quote(src[start:pos+n])+" can only stand alone, not in a statement",
				"type grad(ans, "+shorten(src[start:end])+"), or "+shorten(src[start:pos+n])+" on a line by itself")
		}
	case cEquals:
		if last.Kind == Call && len(ops) == 1 && int(last.Start) == start && p.stmt.Name.Empty() && in != inGrad {
			return functionDefinition(src, start, end)
		}
		return p.strayEquals(pos)
	}
	return p.strayAt(pos)
}

// functionDefinition refuses the f(x) of `f(x) = …`.
func functionDefinition(src []byte, start, end int) *Diagnostic {
	return fault("function-definition", start, end, "functions cannot be defined: "+quote(src[start:end])+" is a call",
		"type the expression itself: y = …")
}

// strayEquals refuses the = at pos.
func (p *Parser) strayEquals(pos int) *Diagnostic {
	src, n := p.src, 1
	if pos+1 < len(src) && src[pos+1] == '=' {
		n = 2
		return fault("unexpected-equals", pos, pos+n, "== compares nothing here", "for a difference type a - b")
	}
	message, hint := "only a single name can stand before =", "type y = …"
	switch {
	case p.stmt.Kind == Grad:
		message, hint = "GRAD gives no name to its target", "type y = …; GRAD y"
	case p.stmt.Kind == Var || !p.stmt.Name.Empty():
		message, hint = "there is a second = in this statement", "put a ; between two statements"
	}
	return fault("unexpected-equals", pos, pos+n, message, hint)
}

// strayComma refuses the comma at pos.
func (p *Parser) strayComma(pos int) *Diagnostic {
	hint := "put a ; between two statements"
	if grouped := groupingHint(p.src, pos, ","); grouped != "" {
		hint = grouped
	}
	return fault("unexpected-comma", pos, pos+1, "a comma belongs between arguments: f(a, b)", hint)
}

// strayAt is stray with a hint for a := b and for 1'000.
func (p *Parser) strayAt(pos int) *Diagnostic {
	src, d := p.src, stray(p.src, pos)
	switch {
	case src[pos] == ':' && pos+1 < len(src) && src[pos+1] == '=':
		d.Hint = "type = instead of :="
	case src[pos] == '\'':
		if hint := groupingHint(src, pos, "'"); hint != "" {
			d.Hint = hint
		}
	case bytes.HasPrefix(src[pos:], []byte("’")):
		d.Hint = groupingHint(src, pos, "’")
	}
	return d
}

// groupingHint says how to write a number that the separator at pos stands in,
// a comma or an apostrophe, or nothing if digits are not on both sides of it.
func groupingHint(src []byte, pos int, separator string) string {
	start, after := pos, pos+len(separator)
	end := scanDigits(src, after)
	for start > 0 && class[src[start-1]] == cDigit {
		start--
	}
	left, right := string(src[start:pos]), string(src[after:end])
	switch {
	case left == "" || right == "" || end-start > maxQuoted:
		return ""
	case start > 0 && (src[start-1] == '.' || class[src[start-1]] == cLetter || class[src[start-1]] == cHigh):
		return "" // the digits belong to a fraction or to a name
	case len(right) != 3 || len(left) > 3:
		if separator != "," {
			return ""
		}
		return "type " + left + "." + right
	}
	for bytes.HasPrefix(src[end:], []byte(separator)) {
		next := end + len(separator)
		if scanDigits(src, next) != next+3 {
			break
		}
		end = next + 3
	}
	if end < len(src) && class[src[end]] == cDot { // the fraction
		end = scanDigits(src, end+1)
	}
	whole := string(src[start:min(end, start+maxQuoted)])
	return "type " + strings.ReplaceAll(whole, separator, "") + " or " + strings.ReplaceAll(whole, separator, "_")
}

// adjacent refuses two operands without an operator between them: src[start:end]
// and the one at pos.
func (p *Parser) adjacent(ops []entry, items []Item, in mode, start, end, pos int) *Diagnostic {
	src := p.src
	right, rightEnd := factor(src, pos)
	last := items[len(items)-1]
	twoNumbers := last.Kind == Number && int(last.Start) == start && (class[src[pos]] == cDigit || class[src[pos]] == cDot)
	if twoNumbers && len(ops) > 0 {
		left := shorten(src[start:end])
		hint := "type an operator between them"
		if len(left) <= 3 && rightEnd-pos == 3 {
			hint = "type " + left + right + " or " + left + "_" + right
		}
		return fault("missing-operator", pos, rightEnd, left+" and "+right+" are two numbers without an operator between them", hint)
	}
	// A power binds more tightly than the * would: it is the left factor.
	for i := len(ops) - 1; ops[i].op == OpPower || ops[i].op == OpNeg && ops[i-1].op == OpPower; i-- {
		start = int(ops[i].start)
	}
	left, gap := shorten(src[start:end]), ""
	if pos > end {
		gap = " "
	}
	hint := "type " + left + "*" + right
	switch {
	case in == inGrad && gap != "" && class[src[pos]] != cOpen && class[src[pos]] != cDigit:
		hint += ", or GRAD " + left + " WRT " + right
	case in == inExpr && class[src[pos]] == cLetter && assigns(src, skipBlank(src, rightEnd)):
		hint += ", or put a ; before " + right
	case in == inExpr && gap != "" && last.Kind == Name && !p.stmt.Keyword.Empty() && start == skipBlank(src, int(p.stmt.Keyword.End)):
		hint += ", or EXPR " + left + " = " + right
	}
	return fault("implicit-multiplication", pos, rightEnd, `"`+left+gap+right+`" needs a * between the factors`, hint)
}

// factor returns how a message shows the operand at pos, and the end of its
// first token.
func factor(src []byte, pos int) (string, int) {
	end := pos
	switch k, n := classAt(src, pos); k {
	case cLetter:
		end = scanName(src, pos)
	case cDigit, cDot:
		if _, e, d := number(src, pos); d == nil {
			end = e
		} else {
			end = int(d.Span.End)
		}
	case cAt:
		_, end, _ = nodeNumber(src, pos)
	case cOpen:
		end = pos + 1
		if whole := parenEnd(src, pos); whole > 0 {
			return shorten(src[pos:whole]), end
		}
		return "(…)", end
	default:
		end = pos + n
	}
	text := shorten(src[pos:end])
	if callFollows(src, end) && class[src[pos]] != cDigit {
		inside, _ := factor(src, end)
		text += inside
	}
	return text, end
}

// parenEnd returns the position behind the parenthesis that closes the one at
// pos, or 0 if that is not near.
func parenEnd(src []byte, pos int) int {
	depth := 0
	for i := pos; i < len(src) && i < pos+4*maxQuoted && !atEnd(src, i); i++ {
		switch src[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// variableName refuses what stands at pos if no variable's name does. comma is
// the position of the comma before it, or negative.
func (p *Parser) variableName(pos, comma int) *Diagnostic {
	src := p.src
	if atEnd(src, pos) {
		if comma >= 0 {
			return trailingComma(comma, "variable")
		}
		return fault("missing-name", p.end, p.end, "VAR needs a name and a value", "type VAR a = 1")
	}
	k, _ := classAt(src, pos)
	switch k {
	case cLetter:
		return checkName(src, pos, scanName(src, pos))
	case cAt:
		_, end, d := nodeNumber(src, pos)
		if d == nil {
			d = nodeAsName(src, pos, end)
		}
		return d
	case cDigit:
		if comma >= 0 {
			if hint := groupingHint(src, comma, ","); hint != "" {
				return fault("missing-name", pos, scanDigits(src, pos), "a variable's name is expected behind the comma", hint)
			}
		}
		end := scanName(src, pos)
		if next := scanDigits(src, pos); next < end {
			return fault("invalid-name", pos, end, quote(src[pos:end])+" is no name: a name starts with a letter", "")
		}
		return fault("missing-name", pos, end, "a variable's name is expected here, not "+quote(src[pos:end]), "type VAR a = 1")
	case cOther, cColon:
		return p.strayAt(pos)
	case cBackslash, cReturn:
		return strayJoint(src, pos)
	}
	_, n := classAt(src, pos)
	return fault("missing-name", pos, pos+n, "a variable's name is expected here, not "+quote(src[pos:pos+n]), "type VAR a = 1")
}

// missingValue refuses what stands at pos behind the variable src[start:end] if
// no value does. equals says that a = was read.
func (p *Parser) missingValue(start, end, pos int, equals bool) *Diagnostic {
	src := p.src
	missing := func(start, end int, name []byte) *Diagnostic {
		short := shorten(name)
		return fault("missing-value", start, end, short+" needs a value", "type VAR "+short+" = 1")
	}
	name := src[start:end]
	switch {
	case atEnd(src, pos) || src[pos] == ',':
		if equals {
			return missing(p.end, p.end, name)
		}
		return missing(start, end, name)
	case equals:
		return nil
	case callFollows(src, end):
		if e := parenEnd(src, end); e > 0 && assigns(src, skipBlank(src, e)) {
			return functionDefinition(src, start, e)
		}
		short := shorten(name)
		return fault("missing-equals", start, end+1, short+"( looks like a call", "type VAR "+short+" = (…)")
	}
	if k, _ := classAt(src, pos); k == cLetter {
		after := skipBlank(src, scanName(src, pos))
		if k, _ := classAt(src, after); k == cDigit || assigns(src, after) {
			return missing(start, end, name)
		}
	}
	return nil
}

// listFault refuses what stands at pos in a list of names. after is the next
// thing behind it, end its end, and isName says that it looks like a name.
func (p *Parser) listFault(pos, after, end int, isName bool) *Diagnostic {
	src := p.src
	switch w := noKeyword; {
	case isName && src[pos] != '@' && keywordOf(src[pos:end]) != noKeyword:
		if w = keywordOf(src[pos:end]); w == keywordWRT {
			return fault("misplaced-keyword", pos, end, "WRT comes once, between the target and the names", "type GRAD y WRT a, b")
		}
		return misplaced(w, pos, end)
	case isName && gradSuffix(src, end) > 0:
		return fault("grad-in-expression", pos, end+gradSuffix(src, end), "a name is expected here, without .grad", "type "+shorten(src[pos:end]))
	case isName:
		pos = after
	}
	k, n := classAt(src, pos)
	switch k {
	case cOther, cColon:
		return p.strayAt(pos)
	case cBackslash, cReturn:
		return strayJoint(src, pos)
	case cClose:
		return fault("extra-paren", pos, pos+1, "this ) closes nothing", "delete it")
	}
	return fault("missing-name", pos, pos+n, "only names can be listed here, not "+quote(src[pos:pos+n]), "type GRAD y WRT a, b")
}
