package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"scalargrad/engine"
	"scalargrad/grammar"
	"scalargrad/repl/edit"
)

// keywords are the words of the language, with what completion says of them.
var keywords = []struct{ name, help string }{
	{"VAR", "a variable, or a new value for it"},
	{"EXPR", "record an expression and show its value"},
	{"GRAD", "the derivative by every variable"},
	{"WRT", "the names to differentiate by"},
}

// mostNodes is up to how many operations the nodes n1, n2 … are offered by name.
const mostNodes = 30

// completions returns the words that may stand for the one which ends at byte
// pos of line, and the byte at which that one starts.
func (s *Session) completions(line string, pos int) (start int, words []edit.Word) {
	pos = min(max(pos, 0), len(line))
	g := &glancer{session: s, line: []byte(line[:pos]), subject: -1, kind: placeStart}
	grammar.Tokens(g.line, func(t grammar.Token) bool {
		g.token(t)
		return true
	})
	where, start := g.here(), pos
	var last grammar.Token
	if n := len(g.tokens); n > 0 {
		last = g.tokens[n-1].Token
		switch last.Kind {
		case grammar.TokenComment:
			return pos, nil
		case grammar.TokenCommand:
			return int(last.Span.Start), commandWords(strings.TrimLeft(line[last.Span.Start+1:pos], " \t"))
		case grammar.TokenName, grammar.TokenKeyword, grammar.TokenFunction, grammar.TokenNode:
			start, where = int(last.Span.Start), g.tokens[n-1].place
		}
	}
	if g.entry != nil {
		return s.argumentWords(g, line, pos)
	}
	if at, w := s.gradSuffix(line, pos); len(w) > 0 {
		return at, w
	}
	if start == pos && (last.Kind == grammar.TokenNumber || last.Kind == grammar.TokenBad || last.Kind == grammar.TokenGrad) ||
		start > 0 && line[start-1] >= '0' && line[start-1] <= '9' {
		return pos, nil // 2a is no name
	}
	c := &candidates{prefix: line[start:pos]}
	switch where {
	case placeStart:
		c.keywords("VAR", "EXPR", "GRAD")
		c.expression(s, g)
		if c.prefix == "" {
			c.words = append(c.words, edit.Word{Text: ":", Help: "a command"})
		}
	case placeBinding:
		for _, v := range s.vars {
			c.add(v, " ", s.valueOf(v))
		}
	case placeValue:
		c.constantExpression(s)
	case placeExpr:
		c.expression(s, g)
	case placeGrad:
		c.expression(s, g)
		if g.operand || last.Kind == grammar.TokenName && g.seen > 1 {
			c.keywords("WRT")
		}
	}
	return start, c.words
}

// candidates are the words that go on from a prefix.
type candidates struct {
	prefix string
	words  []edit.Word
}

// add offers a word if it begins with the prefix.
func (c *candidates) add(text, suffix, help string) {
	if strings.HasPrefix(text, c.prefix) {
		c.words = append(c.words, edit.Word{Text: text, Suffix: suffix, Help: help})
	}
}

// keywords offers keywords, in the case in which the prefix is typed.
func (c *candidates) keywords(names ...string) {
	for _, k := range keywords {
		if !slices.Contains(names, k.name) {
			continue
		}
		text := k.name
		if c.prefix != "" && c.prefix == strings.ToLower(c.prefix) {
			text = strings.ToLower(text)
		}
		if len(c.prefix) <= len(text) && strings.EqualFold(text[:len(c.prefix)], c.prefix) {
			c.words = append(c.words, edit.Word{Text: text, Suffix: " ", Help: k.help})
		}
	}
}

// expression offers what may stand in an expression: names, nodes, functions
// and constants.
func (c *candidates) expression(s *Session, g *glancer) {
	for _, n := range s.listed(func(n string, _ engine.Node) bool { return strings.HasPrefix(n, c.prefix) }) {
		c.add(n, "", s.valueOf(n))
	}
	for n := range g.defined {
		if _, known := s.symbols[n]; !known {
			c.add(n, "", "")
		}
	}
	if count := s.tape.Operations(); c.prefix != "" && count <= mostNodes {
		for k := 1; k <= count; k++ {
			node := s.tape.Operation(k)
			if own := "n" + itoa(k); s.symbols[own].node == 0 {
				c.add(own, "", s.operation(node))
			}
			if c.prefix[0] == '@' {
				c.add("@"+itoa(k), "", s.operation(node))
			}
		}
	}
	if s.latest != 0 {
		c.add("ans", "", "the latest result")
	}
	c.functions()
	c.add("grad", "(", "the derivative as nodes: grad(y, a)")
	c.constants(s)
}

// constantExpression offers what may stand in the value of a variable.
func (c *candidates) constantExpression(s *Session) {
	for _, n := range s.listed(func(n string, node engine.Node) bool { return s.tape.IsConstant(node) }) {
		c.add(n, "", s.valueOf(n))
	}
	c.functions()
	c.constants(s)
}

func (c *candidates) functions() {
	for _, op := range engine.Functions() {
		c.add(op.Call(), "(", op.Doc())
	}
	c.add("ln", "(", "the natural logarithm, also log")
}

func (c *candidates) constants(s *Session) {
	for _, n := range []string{"pi", "e", "tau"} {
		if s.symbols[n].node == 0 {
			c.add(n, "", formatNumber(constants[n].value, s.digits))
		}
	}
}

// valueOf returns the value of a name, as shown beside it in a list.
func (s *Session) valueOf(of string) string {
	return formatNumber(s.tape.Value(s.symbols[of].node), s.digits)
}

// gradSuffix completes a. and a.gr to a.grad.
func (s *Session) gradSuffix(line string, pos int) (int, []edit.Word) {
	dot := strings.LastIndexByte(line[:pos], '.')
	if dot <= 0 || !strings.HasPrefix(".grad", line[dot:pos]) {
		return pos, nil
	}
	name := line[:dot]
	if at := strings.LastIndexFunc(name, notInName); at >= 0 {
		_, size := utf8.DecodeRuneInString(name[at:])
		name = name[at+size:]
	}
	if _, known := s.resolve([]byte(name)); !known {
		return pos, nil
	}
	return dot, []edit.Word{{Text: ".grad"}}
}

// commandWords are the commands that begin with prefix.
func commandWords(prefix string) []edit.Word {
	c := &candidates{prefix: ":" + strings.ToLower(prefix)}
	for _, e := range commands() {
		suffix := " "
		if e.args == "" {
			suffix = ""
		}
		c.add(":"+e.name, suffix, e.help)
		for _, a := range e.aliases {
			if prefix != "" && !strings.HasPrefix(":"+e.name, c.prefix) {
				c.add(":"+a, suffix, e.help)
			}
		}
	}
	return c.words
}

// argumentWords completes an argument of a command.
func (s *Session) argumentWords(g *glancer, line string, pos int) (start int, words []edit.Word) {
	// Where the argument starts is found anew: the glancer may have taken it apart.
	start, n := pos, 0
	inCommand := false
	grammar.Tokens([]byte(line[:pos]), func(t grammar.Token) bool {
		switch t.Kind {
		case grammar.TokenCommand:
			inCommand, n, start = true, 0, pos
		case grammar.TokenSemicolon:
			inCommand = false
		case grammar.TokenWord, grammar.TokenString, grammar.TokenBad:
			if inCommand {
				if start = int(t.Span.Start); int(t.Span.End) < pos || t.Kind == grammar.TokenString {
					start = pos
					n++
				}
			}
		}
		return true
	})
	typed := line[start:pos]
	c := &candidates{prefix: typed}
	if g.entry.complete != nil {
		for _, w := range g.entry.complete(s, n) {
			c.add(w.Text, w.Suffix, w.Help)
		}
	}
	if g.entry.files && !s.options.Restricted && (n > 0 || len(c.words) == 0 || typed == "") {
		c.words = append(c.words, fileWords(typed)...)
	}
	if len(c.words) > 0 || !g.entry.formula {
		return start, c.words
	}
	// Within a formula only the name at its end is completed.
	at := strings.LastIndexFunc(typed, func(r rune) bool { return r != '@' && notInName(r) })
	if at >= 0 {
		_, size := utf8.DecodeRuneInString(typed[at:])
		start += at + size
	}
	c = &candidates{prefix: line[start:pos]}
	if first, _ := utf8.DecodeRuneInString(c.prefix); !unicode.IsDigit(first) {
		c.expression(s, g)
	}
	return start, c.words
}

// fileWords are the files that go on from what is typed of a path, which may
// be in quotes; names with blanks are put into quotes. Hidden files are offered
// only when their dot is typed.
func fileWords(typed string) (words []edit.Word) {
	quote, path := "", typed
	if path != "" && (path[0] == '"' || path[0] == '\'') {
		quote, path = path[:1], unescaper.Replace(path[1:])
	}
	dir, base := filepath.Split(path)
	from := dir
	if from == "" {
		from = "."
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		n := e.Name()
		if !strings.HasPrefix(n, base) || n[0] == '.' && base == "" || visible(n) != n {
			continue
		}
		text, suffix, q := dir+n, " ", quote
		if strings.ContainsAny(text, " \t;#'\"") || strings.Contains(text, "//") {
			if q == "" {
				q = `"`
			}
		}
		if q != "" {
			text = q + strings.NewReplacer(`\`, `\\`, q, `\`+q).Replace(text)
		}
		info, err := os.Stat(filepath.Join(from, n)) // a link to a directory counts as one
		if err == nil && info.IsDir() {
			text, suffix = text+"/", ""
		} else {
			text += q
		}
		words = append(words, edit.Word{Text: text, Suffix: suffix})
	}
	return words
}

var unescaper = strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, `\`)
