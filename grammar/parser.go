package grammar

// Parser cuts a logical line into statements. The zero value is ready for
// Reset. A Parser is not safe for use by several goroutines at once.
type Parser struct {
	src []byte
}

// Reset starts a new line. src is one logical line of less than 2 GiB, with or
// without its line end; continuations (a backslash before a newline) stay in it
// and count as blanks. The parser keeps src, which must not change until the
// following Reset.
func (p *Parser) Reset(src []byte) { p.src = src }

// Next returns the next statement of the line and true, or nil and false at its
// end. Blank statements are left out. The statement is valid until the
// following call of Next, Reset or Expression.
func (p *Parser) Next() (*Statement, bool) { return nil, false }

// Expression parses the bytes of src within the span as one expression. The
// items' offsets count from the start of src. The result is valid until the
// following call of a method of p.
func (p *Parser) Expression(src []byte, within Span) ([]Item, *Diagnostic) {
	return nil, &Diagnostic{Span: within, Code: "expected-expression", Message: "an expression is missing"}
}

// Continues reports whether a physical line ends in a backslash that continues
// it on the next one. Blanks and a line end may follow the backslash; one in a
// comment does not count.
func Continues(line []byte) bool { return false }

// IsKeyword reports whether name is VAR, EXPR, GRAD or WRT in any case.
func IsKeyword(name []byte) bool { return false }

// ValidName reports whether name may be bound: a letter or _ and then letters,
// digits and _; not a keyword, not ans, not _ alone.
func ValidName(name []byte) bool { return false }
