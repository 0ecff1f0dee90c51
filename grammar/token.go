package grammar

// TokenKind is the kind of a [Token].
type TokenKind uint8

// The kinds of token that Tokens yields.
const (
	TokenBlank     TokenKind = iota // blanks, line ends, continuations, a BOM
	TokenKeyword                    // VAR EXPR GRAD WRT, in any case
	TokenName                       // a name that is not called
	TokenFunction                   // a name before a (
	TokenNode                       // @5
	TokenNumber                     // a well-formed literal
	TokenOperator                   // + - * / ^ ** and their typographic twins, a superscript
	TokenAssign                     // =
	TokenOpen                       // (
	TokenClose                      // )
	TokenComma                      // ,
	TokenSemicolon                  // ;
	TokenGrad                       // the .grad of a.grad
	TokenCommand                    // a colon and the command's name
	TokenString                     // a quoted argument of a command
	TokenWord                       // any other argument of a command
	TokenComment                    // # or // to the end of its line
	TokenPrompt                     // a leading `> `
	TokenBad                        // anything that cannot be a token
)

// Token is a piece of a line as the highlighter and the completer see it.
type Token struct {
	Kind TokenKind
	Span Span
}

// Tokens yields the tokens of a line, in order and without gaps: together they
// cover src. It never fails, since a line that is being typed is wrong most of
// the time; what is not a token comes as TokenBad. It stops early when yield
// returns false.
//
// A keyword is a keyword wherever it stands. The arguments of a command come as
// words and strings; where one is a formula, call Tokens again on that part.
func Tokens(src []byte, yield func(Token) bool) {
	t := tokenizer{src: src, lineStart: true, first: true}
	for pos := 0; pos < len(src); {
		kind, end := t.next(pos)
		if !yield(Token{Kind: kind, Span: Span{int32(pos), int32(end)}}) {
			return
		}
		pos = end
	}
}

// tokenizer is what the meaning of a character depends on besides itself.
type tokenizer struct {
	src       []byte
	lineStart bool // nothing but blanks on this line so far
	first     bool // nothing but blanks in this statement so far
	command   bool // in the arguments of a command
	nameEnd   int  // where the last name or node ended
}

// next returns the kind and the end of the token at pos.
func (t *tokenizer) next(pos int) (TokenKind, int) {
	src := t.src
	if end := skipBlank(src, pos); end > pos {
		return TokenBlank, end
	}
	switch {
	case src[pos] == '\n':
		t.lineStart, t.first, t.command = true, true, false
		return TokenBlank, pos + 1
	case src[pos] == ';':
		t.lineStart, t.first, t.command = false, true, false
		return TokenSemicolon, pos + 1
	case startsComment(src, pos):
		return TokenComment, skipComment(src, pos)
	case t.lineStart && isPrompt(src, pos):
		t.lineStart = false
		return TokenPrompt, pos + 1
	}
	first := t.first
	t.lineStart, t.first = false, false
	switch {
	case first && src[pos] == ':':
		t.command = true
		return TokenCommand, scanCommandName(src, pos+1)
	case t.command:
		return argument(src, pos)
	}
	switch k, n := classAt(src, pos); k {
	case cLetter:
		end := scanName(src, pos)
		switch {
		case keywordOf(src[pos:end]) != noKeyword && !isGradCall(src, pos, end):
			return TokenKeyword, end
		case callFollows(src, skipBlank(src, end)):
			return TokenFunction, end
		}
		t.nameEnd = end
		return TokenName, end
	case cAt:
		_, end, d := nodeNumber(src, pos)
		if d != nil {
			return TokenBad, end
		}
		t.nameEnd = end
		return TokenNode, end
	case cDot:
		if end := pos + gradSuffix(src, pos); end > pos && pos > 0 && t.nameEnd == pos {
			return TokenGrad, end
		}
		return literal(number(src, pos))
	case cDigit:
		return literal(number(src, pos))
	case cSuper:
		kind, end := literal(raised(src, pos))
		if kind == TokenNumber {
			kind = TokenOperator
		}
		return kind, end
	case cStar:
		if src[pos] == '*' && pos+1 < len(src) && src[pos+1] == '*' {
			n = 2
		}
		return TokenOperator, pos + n
	case cPlus, cMinus, cSlash, cCaret:
		return TokenOperator, pos + n
	case cEquals:
		return TokenAssign, pos + n
	case cOpen:
		return TokenOpen, pos + n
	case cClose:
		return TokenClose, pos + n
	case cComma:
		return TokenComma, pos + n
	default:
		return TokenBad, pos + n
	}
}

// literal turns what a literal was read as into its token.
func literal(_ float64, end int, d *Diagnostic) (TokenKind, int) {
	if d != nil {
		return TokenBad, int(d.Span.End)
	}
	return TokenNumber, end
}

// argument returns the kind and the end of the argument of a command at pos.
func argument(src []byte, pos int) (TokenKind, int) {
	if src[pos] != '"' && src[pos] != '\'' {
		return TokenWord, scanWord(src, pos)
	}
	if end := quotedEnd(src, pos); end > 0 {
		return TokenString, end
	}
	return TokenBad, physicalEnd(src, pos)
}
