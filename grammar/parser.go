package grammar

import (
	"bytes"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Parser cuts a logical line into statements. The zero value is ready for
// Reset. A Parser is not safe for use by several goroutines at once.
type Parser struct {
	src       []byte
	pos       int  // where the next statement is looked for
	lineStart bool // a `> ` may stand here
	end       int  // of the last token that was read
	ops       []entry
	items     []Item // of the statement
	part      []Item // of the last Expression
	stmt      Statement
	stop      *atomic.Bool
}

// StopOn makes the parser look at flag now and then in long statements. When it
// is set they are refused with the code [Stopped] at the place reached; nil:
// never.
func (p *Parser) StopOn(flag *atomic.Bool) { p.stop = flag }

func (p *Parser) stopped(pos int) *Diagnostic {
	if p.stop != nil && p.stop.Load() {
		return fault(Stopped, pos, pos, "stopped", "")
	}
	return nil
}

// Stopped is the code of a statement that was given up because of
// [Parser.StopOn]. It is not in [Codes]: nothing is wrong with the statement.
const Stopped = "stopped-parsing"

// Storage for up to keepItems items (2 MB) is kept from line to line; larger
// storage is given back at the first line that is far too short to need it.
const keepItems = 1 << 16

// longLine is from how many bytes on the items are counted before they are
// made: growing them step by step would take up to three times their memory.
const longLine = 1 << 16

// Reset starts a new line. src is one logical line of less than 2 GiB, with or
// without its line end; continuations (a backslash before a newline) stay in it
// and count as blanks. Should src hold other newlines, each ends a statement as
// a ; does. The parser keeps src, which must not change until the following
// Reset.
func (p *Parser) Reset(src []byte) {
	p.src, p.pos, p.lineStart = src, 0, true
	if kept := max(cap(p.items), cap(p.part), cap(p.ops)); kept > keepItems && kept/8 > len(src) {
		p.items, p.part, p.ops = nil, nil, nil
		p.stmt = Statement{}
	}
	if len(src) >= longLine && len(src) > cap(p.items) {
		p.reserve(tokenCount(src))
	}
}

// reserve makes room for n items, or leaves off when it is stopped. The system
// may take a third of a second to hand out what a line of 16 MB needs, and no
// flag is looked at meanwhile: so somebody else waits for it.
func (p *Parser) reserve(n int) {
	made := make(chan []Item, 1)
	go func() { made <- make([]Item, 0, n) }()
	for look := time.NewTicker(5 * time.Millisecond); ; {
		select {
		case p.items = <-made:
			look.Stop()
			return
		case <-look.C:
			if p.stop != nil && p.stop.Load() {
				look.Stop()
				return
			}
		}
	}
}

// tokenCount returns about how many items the expressions of src have, never
// far too few.
func tokenCount(src []byte) int {
	n, inWord := 0, false
	for _, c := range src {
		switch class[c] {
		case cLetter, cDigit, cDot:
			if !inWord {
				n++
			}
			inWord = true
		case cPlus, cMinus, cStar, cSlash, cCaret:
			n++
			inWord = false
		case cHigh: // a letter, but also × and ²
			if c >= 0xc0 { // the first byte of a character
				n++
			}
			inWord = false
		default:
			inWord = false
		}
	}
	return n
}

// Next returns the next statement of the line and true, or nil and false at its
// end. Blank statements are left out. The statement is valid until the
// following call of Next or Reset.
func (p *Parser) Next() (*Statement, bool) {
	src := p.src
	start := p.skipToStatement(p.pos)
	if start >= len(src) {
		p.pos = start
		return nil, false
	}
	s := &p.stmt
	*s = Statement{Bindings: s.Bindings[:0], Names: s.Names[:0], Args: s.Args[:0]}
	p.items, p.end = p.items[:0], start
	pos, d := p.statement(start)
	if d != nil {
		pos = len(src)
		if d.Code != Stopped { // whoever stops a statement is not made to wait for its end
			pos = statementEnd(src, start)
		}
		p.end = max(trimBlank(src, start, pos), int(d.Span.End))
		*s = Statement{Kind: s.Kind, Keyword: s.Keyword, Bindings: s.Bindings[:0], Names: s.Names[:0], Args: s.Args[:0], Err: d}
	}
	s.Span = Span{int32(start), int32(p.end)}
	p.pos = pos
	return s, true
}

// skipToStatement returns the position of the first character of the next
// statement at or behind pos, or the end of the line.
func (p *Parser) skipToStatement(pos int) int {
	src := p.src
	for {
		pos = skipBlank(src, pos)
		switch {
		case pos >= len(src):
			return pos
		case src[pos] == ';':
			pos++
			p.lineStart = false
		case src[pos] == '\n':
			pos++
			p.lineStart = true
		case startsComment(src, pos):
			pos = skipComment(src, pos)
		case p.lineStart && isPrompt(src, pos):
			pos++
			p.lineStart = false
		default:
			p.lineStart = false
			return pos
		}
	}
}

// isPrompt reports whether a `> ` stands at pos, as in a pasted transcript.
func isPrompt(src []byte, pos int) bool {
	return src[pos] == '>' && (pos+1 == len(src) || src[pos+1] == '\n' || skipBlank(src, pos+1) > pos+1)
}

// statement parses the statement at pos and returns the position behind it.
//
//	statement = "VAR" variables | "EXPR" named | "GRAD" gradient | ":" command
//	          | named | show
//	show      = name | node | ( name | node ) ".grad"
func (p *Parser) statement(pos int) (int, *Diagnostic) {
	src, s := p.src, &p.stmt
	k, _ := classAt(src, pos)
	switch k {
	case cColon:
		s.Kind = Command
		return p.command(pos)
	case cAt:
		_, end, d := nodeNumber(src, pos)
		if d != nil {
			s.Kind = Expr
			return pos, d
		}
		if after, ok := p.show(pos, end); ok {
			return after, nil
		}
	case cLetter:
		end := scanName(src, pos)
		w := keywordOf(src[pos:end])
		if w == noKeyword || isGradCall(src, pos, end) {
			if after, ok := p.show(pos, end); ok {
				return after, nil
			}
			break
		}
		if after := skipBlank(src, end); assigns(src, after) || w == keywordWRT {
			s.Kind = Expr
			if assigns(src, after) {
				return pos, keywordAsName(src, pos, end)
			}
			return pos, misplaced(w, pos, end)
		}
		s.Keyword, p.end = Span{int32(pos), int32(end)}, end
		switch w {
		case keywordVar:
			s.Kind = Var
			return p.variables(end)
		case keywordGrad:
			s.Kind = Grad
			return p.gradient(end)
		}
		pos = end
	}
	s.Kind = Expr
	return p.named(pos)
}

// show reports whether the statement is only the name or node src[start:end],
// or that and .grad, fills it in and returns the position behind it.
func (p *Parser) show(start, end int) (int, bool) {
	src, s := p.src, &p.stmt
	if after := skipBlank(src, end); atEnd(src, after) {
		s.Kind, s.Name, p.end = Show, Span{int32(start), int32(end)}, end
		return after, true
	}
	if n := gradSuffix(src, end); n > 0 {
		if after := skipBlank(src, end+n); atEnd(src, after) {
			s.Kind, s.Name, p.end = ShowGrad, Span{int32(start), int32(end)}, end+n
			return after, true
		}
	}
	return 0, false
}

// gradSuffix returns the length of the .grad at pos, or 0.
func gradSuffix(src []byte, pos int) int {
	const suffix = ".grad"
	if bytes.HasPrefix(src[pos:], []byte(suffix)) && scanName(src, pos+1) == pos+len(suffix) {
		return len(suffix)
	}
	return 0
}

// assigns reports whether a = stands at pos that is not the first half of ==.
func assigns(src []byte, pos int) bool {
	return pos < len(src) && src[pos] == '=' && (pos+1 == len(src) || src[pos+1] != '=')
}

// named parses what stands behind EXPR.
//
//	named = [ name "=" ] expression
func (p *Parser) named(pos int) (int, *Diagnostic) {
	src, s := p.src, &p.stmt
	pos = skipBlank(src, pos)
	switch k, _ := classAt(src, pos); k {
	case cLetter:
		end := scanName(src, pos)
		if after := skipBlank(src, end); assigns(src, after) {
			if d := checkName(src, pos, end); d != nil {
				return pos, d
			}
			s.Name, p.end = Span{int32(pos), int32(end)}, after+1
			pos = after + 1
		}
	case cAt:
		if _, end, d := nodeNumber(src, pos); d == nil && assigns(src, skipBlank(src, end)) {
			return pos, nodeAsName(src, pos, end)
		}
	}
	pos, d := p.expression(pos, inExpr)
	s.Expr = p.items
	return pos, d
}

// variables parses what stands behind VAR.
//
//	variables = variable { [ "," ] variable }
//	variable  = name [ "=" ] expression
func (p *Parser) variables(pos int) (int, *Diagnostic) {
	src, s := p.src, &p.stmt
	comma := -1 // the comma before this variable
	for {
		if len(s.Bindings)&0xfff == 0xfff {
			if d := p.stopped(pos); d != nil {
				return pos, d
			}
		}
		start := skipBlank(src, pos)
		if d := p.variableName(start, comma); d != nil {
			return start, d
		}
		end := scanName(src, start)
		pos = skipBlank(src, end)
		equals := assigns(src, pos)
		if equals {
			p.end = pos + 1
			pos = skipBlank(src, pos+1)
		}
		if d := p.missingValue(start, end, pos, equals); d != nil {
			return pos, d
		}
		first := len(p.items)
		var d *Diagnostic
		pos, d = p.expression(pos, inVar)
		if d != nil {
			return pos, d
		}
		s.Bindings = append(s.Bindings, Binding{
			Name: Span{int32(start), int32(end)},
			Expr: p.items[first:len(p.items):len(p.items)],
		})
		if atEnd(src, pos) {
			return pos, nil
		}
		comma = -1
		if src[pos] == ',' {
			comma, p.end = pos, pos+1
			pos++
		}
	}
}

// gradient parses what stands behind GRAD.
//
//	gradient = [ target ] [ [ "WRT" ] listed { [ "," ] listed } ]
//	target   = name | node | expression
//	listed   = name | node
//
// A list of names and nothing else is left to the session, which knows whether
// the first of them is the target. Anything else is parsed as an expression.
func (p *Parser) gradient(pos int) (int, *Diagnostic) {
	src, s := p.src, &p.stmt
	pos = skipBlank(src, pos)
	begin := pos
	comma := -1 // the last comma, while no name follows it
	for {
		if atEnd(src, pos) {
			if comma >= 0 {
				return pos, trailingComma(comma, "name")
			}
			return pos, nil
		}
		end, isName, d := p.listed(pos)
		if d != nil {
			return pos, d
		}
		if isName && keywordOf(src[pos:end]) == keywordWRT && !s.Comma {
			if len(s.Names) > 1 {
				break // an expression before WRT, and not a well-formed one
			}
			if len(s.Names) == 1 {
				p.target(s.Names[0])
				s.Names = s.Names[:0]
			}
			s.WRT, p.end = Span{int32(pos), int32(end)}, end
			return p.wrt(end)
		}
		after := skipBlank(src, end)
		if !isName || keywordOf(src[pos:end]) != noKeyword || !listGoesOn(src, after, end) {
			if s.Comma {
				return pos, p.listFault(pos, after, end, isName)
			}
			break
		}
		s.Names = append(s.Names, Span{int32(pos), int32(end)})
		p.end, pos, comma = end, after, -1
		if pos < len(src) && src[pos] == ',' {
			s.Comma = s.Comma || len(s.Names) == 1
			comma, p.end = pos, pos+1
			pos = skipBlank(src, pos+1)
		}
	}
	s.Names, s.Comma = s.Names[:0], false
	pos, d := p.expression(begin, inGrad)
	if d != nil {
		return pos, d
	}
	s.Expr = p.items
	if atEnd(src, pos) {
		return pos, nil
	}
	end := scanName(src, pos) // WRT: nothing else ends an expression here
	s.WRT, p.end = Span{int32(pos), int32(end)}, end
	return p.wrt(end)
}

// listed returns the end of the name or node at pos and whether one is there.
func (p *Parser) listed(pos int) (int, bool, *Diagnostic) {
	switch k, n := classAt(p.src, pos); k {
	case cLetter:
		return scanName(p.src, pos), true, nil
	case cAt:
		_, end, d := nodeNumber(p.src, pos)
		return end, d == nil, d
	default:
		return pos + n, false, nil
	}
}

// listGoesOn reports whether what stands at pos, the first thing behind a name
// that ends at end, leaves the name an entry of a list: a comma, the end, or,
// behind a blank, another name.
func listGoesOn(src []byte, pos, end int) bool {
	if atEnd(src, pos) || src[pos] == ',' {
		return true
	}
	k, _ := classAt(src, pos)
	return pos > end && (k == cLetter || k == cAt)
}

// target makes the one name or node before WRT the target.
func (p *Parser) target(name Span) {
	it := Item{Kind: Name, Span: name, Start: name.Start, End: name.End}
	if p.src[name.Start] == '@' {
		it.Kind = Node
		it.Value, _, _ = nodeNumber(p.src, int(name.Start))
	}
	p.items = append(p.items, it)
	p.stmt.Expr = p.items
}

// wrt parses the names behind WRT.
func (p *Parser) wrt(pos int) (int, *Diagnostic) {
	src, s := p.src, &p.stmt
	comma := -1
	for {
		pos = skipBlank(src, pos)
		if atEnd(src, pos) {
			switch {
			case comma >= 0:
				return pos, trailingComma(comma, "name")
			case len(s.Names) == 0:
				return pos, fault("missing-name", p.end, p.end, "WRT needs the names to differentiate by", "type WRT a, b")
			}
			return pos, nil
		}
		end, isName, d := p.listed(pos)
		if d != nil {
			return pos, d
		}
		after := skipBlank(src, end)
		if !isName || keywordOf(src[pos:end]) != noKeyword || !listGoesOn(src, after, end) {
			return pos, p.listFault(pos, after, end, isName)
		}
		s.Names = append(s.Names, Span{int32(pos), int32(end)})
		p.end, pos, comma = end, after, -1
		if pos < len(src) && src[pos] == ',' {
			comma, p.end = pos, pos+1
			pos++
		}
	}
}

// Expression parses the bytes of src within the span as one expression. The
// items' offsets count from the start of src. The result is valid until the
// following call of Expression or Reset; the statement that Next returned last
// stays as it is.
func (p *Parser) Expression(src []byte, within Span) ([]Item, *Diagnostic) {
	line, items, end, name := p.src, p.items, p.end, p.stmt.Name
	p.src, p.items, p.end, p.stmt.Name = src[:within.End], p.part[:0], int(within.Start), Span{}
	pos, d := p.expression(int(within.Start), inExpr)
	if d == nil {
		if pos = p.skipComments(pos); pos < len(p.src) {
			d = fault("unexpected-character", pos, pos+1, "the formula ends before this ;", "delete what follows")
		}
	}
	p.part = p.items
	p.src, p.items, p.end, p.stmt.Name = line, items, end, name
	if d != nil {
		return nil, d
	}
	return p.part, nil
}

// skipComments returns the position of the first character at or behind pos
// that is neither blank nor in a comment.
func (p *Parser) skipComments(pos int) int {
	for {
		pos = skipBlank(p.src, pos)
		if pos >= len(p.src) || !startsComment(p.src, pos) {
			return pos
		}
		pos = skipComment(p.src, pos)
	}
}

// statementEnd returns the position of the ; or newline or comment that ends
// the statement at pos, whether or not the statement makes sense. What stands
// in quotes is text: in a command's argument, and in a refused statement that
// looks as if it had one.
func statementEnd(src []byte, pos int) int {
	isCommand := pos < len(src) && src[pos] == ':'
	if isCommand {
		pos = scanCommandName(src, pos+1)
	}
	for mayQuote := isCommand; pos < len(src); {
		switch c := src[pos]; {
		case c == ';' || c == '\n' || startsComment(src, pos):
			return pos
		case c == '\\' && joint(src, pos) > 0:
			pos += joint(src, pos)
			mayQuote = true
		case (c == '"' || c == '\'') && mayQuote:
			if end := quotedEnd(src, pos); end > 0 {
				pos = end
				mayQuote = isCommand
				break
			}
			if isCommand { // nobody knows where it should have ended
				return physicalEnd(src, pos)
			}
			pos++
			mayQuote = false
		case class[c] == cHigh:
			k, n := highClass(src, pos)
			mayQuote = k == cBlank
			pos += n
		default:
			mayQuote = class[c] == cBlank || !isCommand && (c == '(' || c == ',' || c == '=')
			pos++
		}
	}
	return pos
}

// physicalEnd returns the position of the first newline at or behind pos that
// no backslash hides.
func physicalEnd(src []byte, pos int) int {
	for pos < len(src) && src[pos] != '\n' {
		if src[pos] == '\\' {
			pos += max(joint(src, pos), 1)
		} else {
			pos++
		}
	}
	return pos
}

// trimBlank returns the end of src[start:end] without the blanks at its end.
func trimBlank(src []byte, start, end int) int {
	for end > start {
		_, n := utf8.DecodeLastRune(src[start:end])
		k, _ := classAt(src, end-n)
		if k != cBlank && k != cReturn && k != cNewline && k != cBackslash {
			break
		}
		end -= n
	}
	return end
}

// Continues reports whether a physical line ends in a backslash that continues
// it on the next one. Blanks and a line end may follow the backslash; one in a
// comment does not count. When a line continues an earlier one, hand over all
// of them together: only then is it known whether a # stands in quotes.
func Continues(line []byte) bool {
	end := len(line)
	for end > 0 && (class[line[end-1]] == cBlank || line[end-1] == '\r' || line[end-1] == '\n') {
		end--
	}
	if end == 0 || line[end-1] != '\\' {
		return false
	}
	if bytes.IndexByte(line, '#') < 0 && !bytes.Contains(line, []byte("//")) {
		return true
	}
	lineStart := true // a `> ` may stand here
	for pos := 0; ; {
		pos = skipBlank(line, pos)
		switch {
		case pos >= len(line):
			return true
		case startsComment(line, pos):
			if pos = skipComment(line, pos); pos >= end {
				return false
			}
		case line[pos] == ';' || line[pos] == '\n':
			lineStart = line[pos] == '\n'
			pos++
		case lineStart && isPrompt(line, pos):
			lineStart = false
			pos++
		default:
			lineStart = false
			pos = statementEnd(line, pos)
		}
	}
}
