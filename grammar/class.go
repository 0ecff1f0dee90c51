package grammar

import (
	"unicode"
	"unicode/utf8"
)

// Classes of characters. ASCII bytes are looked up in the table; a byte of a
// longer character is cHigh there and highClass looks at the whole character.
const (
	cOther uint8 = iota // nothing that the language uses
	cEnd                // behind the last byte
	cBlank
	cDigit
	cLetter // also _
	cDot
	cPlus
	cMinus
	cStar
	cSlash
	cCaret
	cOpen
	cClose
	cComma
	cEquals
	cSemicolon
	cHash
	cNewline
	cReturn    // a blank before a newline and at the end
	cBackslash // with what follows up to the newline, a blank
	cAt
	cColon
	cSuper // ² and its kin
	cHigh
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = cHigh
		case c >= '0' && c <= '9':
			t[c] = cDigit
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_':
			t[c] = cLetter
		}
	}
	for s, k := range map[string]uint8{
		" \t\v\f": cBlank, ".": cDot, "+": cPlus, "-": cMinus, "*": cStar, "/": cSlash, "^": cCaret,
		"(": cOpen, ")": cClose, ",": cComma, "=": cEquals, ";": cSemicolon, "#": cHash,
		"\n": cNewline, "\r": cReturn, "\\": cBackslash, "@": cAt, ":": cColon,
	} {
		for _, c := range []byte(s) {
			t[c] = k
		}
	}
	return t
}()

// highClass returns the class of the character at pos, whose first byte is not
// ASCII, and its length in bytes. Typographic twins have the class of what they
// stand for.
func highClass(src []byte, pos int) (uint8, int) {
	r, n := utf8.DecodeRune(src[pos:])
	switch r {
	case '−', '–':
		return cMinus, n
	case '×', '·', '⋅':
		return cStar, n
	case '÷':
		return cSlash, n
	case '\uFEFF': // a BOM, at the start only
		if pos == 0 {
			return cBlank, n
		}
	}
	switch {
	case superscript(r) != 0:
		return cSuper, n
	case r == utf8.RuneError && n <= 1:
		return cOther, 1
	case unicode.IsLetter(r):
		return cLetter, n
	case unicode.IsSpace(r):
		return cBlank, n
	}
	return cOther, n
}

// classAt returns the class of the character at pos and its length; at the end
// of src these are cEnd and 0.
func classAt(src []byte, pos int) (uint8, int) {
	if pos >= len(src) {
		return cEnd, 0
	}
	k := class[src[pos]]
	if k == cHigh {
		return highClass(src, pos)
	}
	return k, 1
}

// superscript returns the ASCII digit or sign that r is the raised form of, or
// 0 if it is none.
func superscript(r rune) byte {
	switch r {
	case '¹':
		return '1'
	case '²':
		return '2'
	case '³':
		return '3'
	case '⁺':
		return '+'
	case '⁻':
		return '-'
	case '⁰', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹':
		return byte('0' + r - '⁰')
	}
	return 0
}

// joint returns the length of the blank that a backslash or a carriage return
// at pos makes: a backslash with everything up to and including the line end,
// or a carriage return before one. It returns 0 when there is no line end, and
// the character is an ordinary one.
func joint(src []byte, pos int) int {
	i := pos + 1
	if src[pos] == '\r' {
		if i == len(src) || src[i] == '\n' {
			return 1
		}
		return 0
	}
	for i < len(src) {
		switch src[i] {
		case '\n':
			return i + 1 - pos
		case ' ', '\t', '\v', '\f', '\r':
			i++
		default:
			return 0
		}
	}
	return i - pos
}

// skipBlank returns the position of the first character at or behind pos that
// is not a blank. A newline that no backslash hides is not one: it ends the
// statement.
func skipBlank(src []byte, pos int) int {
	for pos < len(src) {
		switch class[src[pos]] {
		case cBlank:
			pos++
		case cReturn, cBackslash:
			n := joint(src, pos)
			if n == 0 {
				return pos
			}
			pos += n
		case cHigh:
			k, n := highClass(src, pos)
			if k != cBlank {
				return pos
			}
			pos += n
		default:
			return pos
		}
	}
	return pos
}

// scanName returns the end of the run of letters, digits and _ at pos.
func scanName(src []byte, pos int) int {
	for pos < len(src) {
		switch class[src[pos]] {
		case cLetter, cDigit:
			pos++
		case cHigh:
			r, n := utf8.DecodeRune(src[pos:])
			if !unicode.IsLetter(r) {
				return pos
			}
			pos += n
		default:
			return pos
		}
	}
	return pos
}

// startsComment reports whether a comment starts at pos.
func startsComment(src []byte, pos int) bool {
	return src[pos] == '#' || src[pos] == '/' && pos+1 < len(src) && src[pos+1] == '/'
}

// atEnd reports whether the statement is over at pos: the line is, or a ; a
// newline or a comment stands there.
func atEnd(src []byte, pos int) bool {
	return pos >= len(src) || src[pos] == ';' || src[pos] == '\n' || startsComment(src, pos)
}

// skipComment returns the position of the newline that ends the comment at pos.
func skipComment(src []byte, pos int) int {
	for pos < len(src) && src[pos] != '\n' {
		pos++
	}
	return pos
}

// keyword is one of the reserved words.
type keyword uint8

const (
	noKeyword keyword = iota
	keywordVar
	keywordExpr
	keywordGrad
	keywordWRT
)

// keywordOf returns the keyword that name is, in any case. name must be a name,
// so that setting one bit is enough to make its letters lower case.
func keywordOf(name []byte) keyword {
	switch len(name) {
	case 3:
		switch [3]byte{name[0] | 0x20, name[1] | 0x20, name[2] | 0x20} {
		case [3]byte{'v', 'a', 'r'}:
			return keywordVar
		case [3]byte{'w', 'r', 't'}:
			return keywordWRT
		}
	case 4:
		switch [4]byte{name[0] | 0x20, name[1] | 0x20, name[2] | 0x20, name[3] | 0x20} {
		case [4]byte{'e', 'x', 'p', 'r'}:
			return keywordExpr
		case [4]byte{'g', 'r', 'a', 'd'}:
			return keywordGrad
		}
	}
	return noKeyword
}

// IsKeyword reports whether name is VAR, EXPR, GRAD or WRT in any case.
func IsKeyword(name []byte) bool {
	return scanName(name, 0) == len(name) && keywordOf(name) != noKeyword
}

// ValidName reports whether name may be bound: a letter or _ and then letters,
// digits and _; not a keyword, not ans, not _ alone.
func ValidName(name []byte) bool {
	k, _ := classAt(name, 0)
	return k == cLetter && scanName(name, 0) == len(name) &&
		keywordOf(name) == noKeyword && !reserved(name)
}

// reserved reports whether name stands for the latest EXPR.
func reserved(name []byte) bool { return string(name) == "ans" || string(name) == "_" }
