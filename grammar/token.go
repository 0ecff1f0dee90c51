package grammar

// TokenKind is the kind of a [Token].
type TokenKind uint8

// The kinds of token that Tokens yields.
const (
	TokenBlank     TokenKind = iota // blanks, line ends, continuations, a BOM
	TokenKeyword                    // VAR EXPR GRAD WRT, where they act as one
	TokenName                       // a name that is not called
	TokenFunction                   // a name directly followed by (
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

// Tokens yields the tokens of a line, in order, without gaps: together they
// cover src. It never fails; what is not a token comes as TokenBad. It stops
// early when yield returns false.
func Tokens(src []byte, yield func(Token) bool) {}
