package repl

import (
	"bytes"
	"strings"

	"scalargrad/engine"
	"scalargrad/grammar"
	"scalargrad/repl/edit"
)

// A place is what may stand where a token stands.
type place uint8

const (
	placeNothing  place = iota // a comment, a blank before nothing
	placeStart                 // the first word of a statement: a keyword or an expression
	placeBinding               // VAR: the name of a variable
	placeValue                 // VAR: its value, a constant expression
	placeExpr                  // an expression
	placeGrad                  // a target or the names of a GRAD
	placeCommand               // the name of a command
	placeArgument              // an argument of a command
)

// A glance is one token of the line being typed, with what the session makes
// of it.
type glance struct {
	grammar.Token
	role  role
	place place
}

// A glancer reads a line as it is typed, left to right: what each token is, and
// whether it can be right. It never fails.
type glancer struct {
	session *Session // nil while the session is at work: then nothing is unknown
	line    []byte
	tokens  []glance

	kind    place           // the kind of statement: start, value (VAR), expr, grad or argument
	seen    int             // tokens of the statement so far, blanks and keyword left out
	operand bool            // the last of them ends an operand
	depth   int             // parentheses open in the statement
	opens   []int           // which tokens opened them
	subject int             // the token that is the statement's first name; -1: none
	bound   []string        // names that the statement binds
	defined map[string]bool // names that earlier statements of the line bind
	records bool            // an earlier statement of the line may have made nodes

	entry *commandEntry // the command of the statement
	args  int           // its complete arguments before the token
}

// glanceAt reads line, in the light of what s knows.
func glanceAt(s *Session, line []byte) *glancer {
	g := &glancer{session: s, line: line, tokens: make([]glance, 0, len(line)/2+4), subject: -1, kind: placeStart}
	grammar.Tokens(line, func(t grammar.Token) bool {
		g.token(t)
		return true
	})
	g.endStatement()
	return g
}

// token judges the next token.
func (g *glancer) token(t grammar.Token) {
	role, where := plain, g.here()
	text := t.Span.Text(g.line)
	switch t.Kind {
	case grammar.TokenBlank:
		if bytes.IndexByte(text, '\n') >= 0 && bytes.IndexByte(text, '\\') < 0 {
			g.endStatement()
		}
		g.add(t, plain, where)
		return
	case grammar.TokenSemicolon:
		g.endStatement()
		g.add(t, plain, placeNothing)
		return
	case grammar.TokenComment:
		g.add(t, faint, placeNothing)
		return
	case grammar.TokenPrompt:
		g.add(t, faint, placeNothing)
		return
	case grammar.TokenKeyword:
		g.add(t, g.keyword(text), where)
		return
	case grammar.TokenCommand:
		word := strings.TrimLeft(string(text[1:]), " \t")
		g.kind, g.entry, g.args = placeArgument, lookupCommand(strings.ToLower(word)), 0
		role = command
		if g.entry == nil && !(int(t.Span.End) == len(g.line) && beginsCommand(word)) {
			role = wrong
		}
		g.add(t, role, placeCommand)
		return
	case grammar.TokenWord, grammar.TokenString:
		g.argument(t)
		return
	case grammar.TokenName, grammar.TokenFunction, grammar.TokenNode:
		role = g.name(t, text, where)
		if g.unjoined() {
			role = wrong
		}
		g.operand = t.Kind != grammar.TokenFunction
	case grammar.TokenNumber:
		role = number
		if g.unjoined() {
			role = wrong
		}
		g.operand = true
	case grammar.TokenGrad:
		role = name
	case grammar.TokenOperator:
		g.operand = text[0] >= 0x80 && g.operand // a superscript stays with its operand
	case grammar.TokenAssign:
		if g.subject >= 0 && g.seen == 1 && g.kind == placeExpr {
			first := &g.tokens[g.subject]
			if first.role != name {
				first.role = result
			}
			g.bound = append(g.bound, string(first.Span.Text(g.line)))
			g.subject = -1
		}
		g.operand = false
	case grammar.TokenComma:
		g.operand = false
	case grammar.TokenOpen:
		if g.unjoined() {
			role = wrong
		}
		g.opens = append(g.opens, len(g.tokens))
		g.depth++
		g.operand = false
	case grammar.TokenClose:
		if g.depth == 0 {
			role = wrong
		} else {
			g.opens = g.opens[:len(g.opens)-1]
			g.depth--
		}
		g.operand = true
	case grammar.TokenBad:
		role = wrong
		if g.entry != nil { // an argument whose quote is still open
			role = plain
		}
		g.operand = true
	}
	if g.kind == placeStart {
		g.kind = placeExpr
	}
	g.seen++
	g.add(t, role, where)
}

func (g *glancer) add(t grammar.Token, r role, p place) {
	g.tokens = append(g.tokens, glance{t, r, p})
}

// here returns what the next token may be.
func (g *glancer) here() place {
	if g.kind == placeValue && g.depth == 0 && (g.seen == 0 || g.operand || g.after(grammar.TokenComma)) {
		return placeBinding
	}
	return g.kind
}

// unjoined reports whether an operand that comes now has none of the signs
// before it that it needs: 2a.
func (g *glancer) unjoined() bool {
	return g.operand && (g.kind == placeExpr || g.depth > 0)
}

// after reports whether the last token but blanks is of that kind.
func (g *glancer) after(kind grammar.TokenKind) bool {
	for i := len(g.tokens) - 1; i >= 0; i-- {
		if k := g.tokens[i].Kind; k != grammar.TokenBlank {
			return k == kind
		}
	}
	return false
}

// keyword begins the statement of a keyword, and returns how it is painted.
func (g *glancer) keyword(text []byte) role {
	is := strings.ToUpper(string(text))
	if is == "WRT" {
		if g.kind != placeGrad || g.depth > 0 {
			return wrong
		}
		g.operand = false
		return keyword
	}
	if g.kind != placeStart {
		return wrong
	}
	g.kind = map[string]place{"VAR": placeValue, "EXPR": placeExpr, "GRAD": placeGrad}[is]
	return keyword
}

// name judges a name, a call or a node.
func (g *glancer) name(t grammar.Token, text []byte, where place) role {
	s := g.session
	if t.Kind == grammar.TokenFunction {
		if _, ok := engine.Lookup(text); ok || string(text) == "grad" {
			return function
		}
		return wrong
	}
	if where == placeBinding {
		g.bound = append(g.bound, string(text))
		return name
	}
	if g.seen == 0 && (g.kind == placeStart || g.kind == placeExpr) && t.Kind == grammar.TokenName {
		g.subject = len(g.tokens) // y = … may be what this becomes
	}
	switch {
	case s == nil, g.defined[string(text)]:
		return name
	case t.Kind == grammar.TokenNode:
		if g.records || atoi(string(text[1:])) <= s.tape.Operations() {
			return result
		}
		return wrong
	}
	if n, ok := s.resolve(text); ok {
		if s.tape.IsVariable(n) {
			return name
		}
		return result
	}
	if _, ok := constants[string(text)]; ok {
		return number
	}
	if g.records && (nodeNumber(text) > 0 || string(text) == "ans" || string(text) == "_") {
		return result
	}
	if int(t.Span.End) == len(g.line) && s.begins(string(text)) {
		return plain // it may become a word that is known
	}
	return wrong
}

// argument judges a word behind a command; where the command takes formulas,
// the tokens in it.
func (g *glancer) argument(t grammar.Token) {
	if t.Kind == grammar.TokenString || g.entry == nil || !g.entry.formula {
		g.add(t, plain, placeArgument)
		g.args++
		return
	}
	args, first := g.args, len(g.tokens)
	g.kind = placeExpr
	grammar.Tokens(t.Span.Text(g.line), func(part grammar.Token) bool {
		part.Span.Start += t.Span.Start
		part.Span.End += t.Span.Start
		switch part.Kind {
		case grammar.TokenName, grammar.TokenFunction, grammar.TokenNode, grammar.TokenNumber, grammar.TokenOperator,
			grammar.TokenAssign, grammar.TokenComma, grammar.TokenOpen, grammar.TokenClose:
			g.token(part)
		default:
			g.add(part, plain, placeArgument)
		}
		return true
	})
	if args == 0 && len(g.tokens) == first+1 && g.tokens[first].role == wrong {
		g.tokens[first].role = plain // :trace on: a word of the command's own
	}
	g.kind, g.args = placeArgument, args+1
}

// endStatement marks what was left open, and forgets the statement.
func (g *glancer) endStatement() {
	for _, i := range g.opens {
		g.tokens[i].role = wrong
	}
	if g.subject >= 0 && g.seen == 1 && g.tokens[g.subject].role == wrong && g.lastBut(g.subject) {
		g.tokens[g.subject].role = plain // the = may be still to come
	}
	for _, n := range g.bound {
		if g.defined == nil {
			g.defined = map[string]bool{}
		}
		g.defined[n] = true
	}
	g.records = g.records || g.seen > 0 && g.kind != placeValue && g.kind != placeArgument
	g.kind, g.seen, g.operand, g.depth, g.opens, g.subject = placeStart, 0, false, 0, g.opens[:0], -1
	g.bound, g.entry, g.args = g.bound[:0], nil, 0
}

// lastBut reports whether only blanks follow token i on the line.
func (g *glancer) lastBut(i int) bool {
	return len(bytes.TrimSpace(g.line[g.tokens[i].Span.End:])) == 0
}

// begins reports whether a word that an expression may hold begins with prefix.
func (s *Session) begins(prefix string) bool {
	for n := range s.symbols {
		if strings.HasPrefix(n, prefix) {
			return true
		}
	}
	for _, op := range engine.Functions() {
		if strings.HasPrefix(op.Call(), prefix) {
			return true
		}
	}
	for c := range constants {
		if strings.HasPrefix(c, prefix) {
			return true
		}
	}
	for _, k := range keywords {
		if len(prefix) <= len(k.name) && strings.EqualFold(k.name[:len(prefix)], prefix) {
			return true
		}
	}
	return strings.HasPrefix("grad", prefix) || strings.HasPrefix("ans", prefix)
}

// beginsCommand reports whether a command's name begins with prefix.
func beginsCommand(prefix string) bool {
	for _, c := range commands() {
		for _, n := range append([]string{c.name}, c.aliases...) {
			if strings.HasPrefix(n, strings.ToLower(prefix)) {
				return true
			}
		}
	}
	return false
}

// readLine reads a line at the prompt. While it waits, and only then, the
// painter and the completer, which run in the editor's goroutine, may look at
// the session.
func (r *runner) readLine(from lineReader, prompt string) (string, error) {
	r.busy.Unlock()
	defer r.busy.Lock()
	return from.ReadLine(prompt)
}

// painter returns what colours the line being typed: it adds SGR sequences and
// nothing else. While the session is at work it paints by the grammar alone.
func (r *runner) painter(t *Theme) func(line string) string {
	return func(line string) string {
		var s *Session
		if r.busy.TryRLock() {
			defer r.busy.RUnlock()
			s = r.Session
		}
		return paintLine(s, t, line)
	}
}

// paintLine returns line in the colours of t.
func paintLine(s *Session, t *Theme, line string) string {
	g := glanceAt(s, []byte(line))
	out := make([]byte, 0, len(line)+16*len(g.tokens))
	for _, token := range g.tokens {
		text := line[token.Span.Start:token.Span.End]
		if token.role == plain {
			out = append(out, text...)
			continue
		}
		out = append(out, t.open[token.role]...)
		out = append(out, text...)
		out = append(out, t.close[token.role]...)
	}
	return string(out)
}

// completer returns what completes the word at the cursor.
func (r *runner) completer() func(line string, pos int) (start int, words []edit.Word) {
	return func(line string, pos int) (int, []edit.Word) {
		if !r.busy.TryRLock() {
			return pos, nil
		}
		defer r.busy.RUnlock()
		return r.completions(line, pos)
	}
}
