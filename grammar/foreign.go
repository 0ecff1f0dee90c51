package grammar

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// raisedByte returns the ASCII form of the superscript character c.
func raisedByte(c []byte) byte {
	r, _ := utf8.DecodeRune(c)
	return superscript(r)
}

// lookAlike is what is known of a character that people paste or mistype and
// that the language does not have.
type lookAlike struct {
	name string // what to call it
	hint string // what to type instead; may be empty
}

var lookAlikes = map[rune]lookAlike{
	'!': {"", "there is no factorial and no comparison"}, '%': {"", "there is no remainder; a percentage is a/100"},
	'&': {"", ""}, '|': {"", "for the absolute value type abs(a)"}, '~': {"", ""}, '?': {"", "for help type :help"},
	'$': {"", ""}, '`': {"", ""}, '<': {"", "there are no comparisons"}, '>': {"", "there are no comparisons"},
	'[': {"", "type ("}, ']': {"", "type )"}, '{': {"", "type ("}, '}': {"", "type )"},
	'"': {"", "quotes belong to commands only"}, '\'': {"", "for a derivative type grad(y, a)"},
	'‘': {"left single quotation mark", ""}, '’': {"right single quotation mark", ""},
	'“': {"left double quotation mark", ""}, '”': {"right double quotation mark", ""},
	'„': {"low double quotation mark", ""}, '«': {"left-pointing double angle quotation mark", ""},
	'»': {"right-pointing double angle quotation mark", ""},
	'′': {"prime", "for a derivative type grad(y, a)"}, '″': {"double prime", ""},
	'´': {"acute accent", ""},
	'—': {"em dash", "type -"}, '‐': {"hyphen", "type -"}, '‑': {"non-breaking hyphen", "type -"},
	'‒': {"figure dash", "type -"}, '―': {"horizontal bar", "type -"}, '﹣': {"small hyphen-minus", "type -"},
	'－': {"full-width hyphen-minus", "type -"}, '\u00AD': {"soft hyphen", "delete it"},
	'＋': {"full-width plus sign", "type +"}, '＊': {"full-width asterisk", "type *"}, '／': {"full-width solidus", "type /"},
	'（': {"full-width left parenthesis", "type ("}, '）': {"full-width right parenthesis", "type )"},
	'＝': {"full-width equals sign", "type ="}, '，': {"full-width comma", "type ,"}, '；': {"full-width semicolon", "type ;"},
	'．': {"full-width full stop", "type ."}, '＾': {"full-width circumflex accent", "type ^"},
	'∗': {"asterisk operator", "type *"}, '∙': {"bullet operator", "type *"}, '•': {"bullet", "type *"}, '✕': {"multiplication x", "type *"},
	'✖': {"heavy multiplication x", "type *"}, '⁄': {"fraction slash", "type /"}, '∕': {"division slash", "type /"},
	'±': {"plus-minus sign", ""}, '≈': {"almost equal to", ""}, '≠': {"not equal to", ""}, '≤': {"less-than or equal to", ""},
	'≥': {"greater-than or equal to", ""}, '√': {"square root", "type sqrt(a)"}, '∛': {"cube root", "type cbrt(a)"},
	'∂': {"partial differential", "for a derivative type grad(y, a)"}, '∇': {"nabla", "type GRAD"}, '∞': {"infinity", ""},
	'∑': {"summation sign", ""}, '∫': {"integral sign", ""}, '°': {"degree sign", "angles are in radians: type a*pi/180"},
	'½': {"one half", "type (1/2)"}, '¼': {"one quarter", "type (1/4)"}, '¾': {"three quarters", "type (3/4)"},
	'…': {"ellipsis", ""}, '→': {"rightwards arrow", ""}, '\uFFFD': {"replacement character", "this text was read in a wrong encoding"},
	'\uFEFF': {"byte order mark", "delete it"}, '\u200B': {"zero width space", "delete it"}, '\u200C': {"zero width non-joiner", "delete it"},
	'\u200D': {"zero width joiner", "delete it"}, '\u200E': {"left-to-right mark", "delete it"}, '\u200F': {"right-to-left mark", "delete it"},
	'\u2060': {"word joiner", "delete it"}, '\u0000': {"NUL", ""}, '\u001B': {"escape", ""}, '\u0007': {"bell", ""}, '\b': {"backspace", ""},
	'\r': {"carriage return", ""}, '\u007F': {"delete", ""},
}

// categories names what unnamed characters are, the first that fits.
var categories = []struct {
	table *unicode.RangeTable
	name  string
}{
	{unicode.Nd, "digit"}, {unicode.N, "number"}, {unicode.M, "combining mark"}, {unicode.P, "punctuation"},
	{unicode.Sm, "mathematical symbol"}, {unicode.Sc, "currency symbol"}, {unicode.S, "symbol"},
	{unicode.Cc, "control character"}, {unicode.Cf, "format character"}, {unicode.Co, "private-use character"},
}

// stray says that the character at pos has no meaning where it stands. A
// character that could be invisible or act on a terminal is not shown, only
// called by its code point.
func stray(src []byte, pos int) *Diagnostic {
	r, n := utf8.DecodeRune(src[pos:])
	if r == utf8.RuneError && n <= 1 {
		return fault("foreign-character", pos, pos+1,
			fmt.Sprintf("the byte 0x%02X is not UTF-8 text", src[pos]), "save the text as UTF-8")
	}
	known := lookAlikes[r]
	if r < utf8.RuneSelf && unicode.IsPrint(r) {
		return fault("unexpected-character", pos, pos+1, fmt.Sprintf("%c has no meaning here", r), known.hint)
	}
	name, hint := known.name, known.hint
	switch {
	case name != "":
	case r >= '₀' && r <= '₉':
		name = fmt.Sprintf("subscript %d", r-'₀')
		hint = fmt.Sprintf("type %d", r-'₀')
	case r >= '０' && r <= '９':
		name = fmt.Sprintf("full-width digit %d", r-'０')
		hint = fmt.Sprintf("type %d", r-'０')
	default:
		name = "unassigned"
		for _, c := range categories {
			if unicode.Is(c.table, r) {
				name = c.name
				break
			}
		}
	}
	called := fmt.Sprintf("U+%04X (%s)", r, name)
	if unicode.IsPrint(r) && !unicode.Is(unicode.M, r) {
		called = fmt.Sprintf("%c (U+%04X, %s)", r, r, name)
	}
	return fault("foreign-character", pos, pos+n, called+" has no meaning here", hint)
}
