package grammar

import (
	"bytes"
	"math"
	"strconv"
)

// pow10 holds the powers of ten that a float64 holds exactly.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// exactDigits is how many decimal digits always fit the 53 bits of a float64.
// Up to there, digits times or divided by an entry of pow10 is one rounding of
// exact operands and so the nearest float64.
const exactDigits = 15

// number reads the literal at pos, which starts with a digit or a dot, and
// returns its value and end. Plain short decimals are read here; everything
// else, also all that can be wrong, is left to longNumber.
//
//	number   = ( digits [ "." [ digits ] ] | "." digits ) [ exponent ]
//	exponent = ( "e" | "E" ) [ "+" | "-" ] digits
//	digits   = digit { [ "_" ] digit }
func number(src []byte, pos int) (float64, int, *Diagnostic) {
	m, i := uint64(0), pos
	for i < len(src) && src[i]-'0' <= 9 {
		m = m*10 + uint64(src[i]-'0')
		i++
	}
	digits, places := i-pos, 0
	if i < len(src) && src[i] == '.' {
		i++
		point := i
		for i < len(src) && src[i]-'0' <= 9 {
			m = m*10 + uint64(src[i]-'0')
			i++
		}
		places = i - point
		digits += places
	}
	if digits == 0 || digits > exactDigits {
		return longNumber(src, pos)
	}
	if i < len(src) {
		switch class[src[i]] {
		case cLetter, cDot: // an exponent, a separator, a mistake or a factor
			return longNumber(src, pos)
		}
	}
	v := float64(m)
	if places > 0 {
		v /= pow10[places]
	}
	return v, i, nil
}

// scanDigits returns the end of the digits at pos. Single underscores between
// two digits belong to them.
func scanDigits(src []byte, pos int) int {
	for i := pos; i < len(src); i++ {
		switch {
		case src[i]-'0' <= 9:
		case src[i] == '_' && i > pos && src[i-1] != '_' && i+1 < len(src) && src[i+1]-'0' <= 9:
		default:
			return i
		}
	}
	return max(pos, len(src))
}

// longNumber is number for every literal.
func longNumber(src []byte, pos int) (float64, int, *Diagnostic) {
	i := scanDigits(src, pos)
	digits := i > pos
	if i < len(src) && src[i] == '.' {
		end := scanDigits(src, i+1)
		digits = digits || end > i+1
		i = end
	}
	if !digits {
		return 0, i, malformed(src, pos, i)
	}
	mantissa := i
	if i < len(src) && src[i]|0x20 == 'e' {
		j := i + 1
		if j < len(src) && (src[j] == '+' || src[j] == '-') {
			j++
		}
		if end := scanDigits(src, j); end > j {
			i = end
		} else if bareExponent(src, i) {
			return 0, i, malformed(src, pos, i)
		}
	}
	if i < len(src) && (src[i] == '.' || src[i] == '_' || i == pos+1 && otherBase(src, pos)) {
		return 0, i, malformed(src, pos, i)
	}

	// Underscores are ours, not strconv's.
	var buf [64]byte
	text, zero := buf[:0], true
	for j, c := range src[pos:i] {
		if c != '_' {
			text = append(text, c)
		}
		if pos+j < mantissa && c >= '1' && c <= '9' {
			zero = false
		}
	}
	v, _ := strconv.ParseFloat(string(text), 64) // the only error left: overflow, an Inf
	switch {
	case math.IsInf(v, 0):
		return 0, i, fault("number-overflow", pos, i, quote(src[pos:i])+" is too large for a float64",
			"the largest is 1.7976931348623157e308")
	case v == 0 && !zero:
		return 0, i, fault("number-underflow", pos, i, quote(src[pos:i])+" is too small for a float64: it would be 0",
			"the smallest is 5e-324")
	}
	return v, i, nil
}

// bareExponent reports whether the e at pos is the start of an exponent without
// digits and not the start of a name: `5e`, `5e_3`, but not `5exp`.
func bareExponent(src []byte, pos int) bool {
	end := scanName(src, pos)
	for _, c := range src[pos+1 : end] {
		if class[c] != cDigit && c != '_' {
			return false
		}
	}
	return true
}

// otherBase reports whether the literal at pos is written in base 16, 8 or 2 as
// in programming languages: `0x10`.
func otherBase(src []byte, pos int) bool {
	return src[pos] == '0' && base(src[pos+1]) != 0 && digitIn(src, pos+2, base(src[pos+1]))
}

// base returns the base that the letter behind a 0 announces, or 0.
func base(c byte) int {
	switch c | 0x20 {
	case 'x':
		return 16
	case 'o':
		return 8
	case 'b':
		return 2
	}
	return 0
}

// digitIn reports whether src has a digit of the base at pos.
func digitIn(src []byte, pos, base int) bool {
	if pos >= len(src) {
		return false
	}
	_, err := strconv.ParseUint(string(src[pos:pos+1]), base, 64)
	return err == nil
}

// malformed says what is wrong with the literal at pos, of which the part up to
// good could be read. The span covers everything that was meant as the literal.
func malformed(src []byte, pos, good int) *Diagnostic {
	if src[pos] == '.' && good == pos+1 && (good == len(src) || src[good] != '.') {
		return fault("malformed-number", pos, good, "a . needs a digit beside it", "")
	}
	end := good
	for end < len(src) && (class[src[end]] == cDot || class[src[end]] == cDigit || class[src[end]] == cLetter) {
		end++
	}
	text, hint := src[pos:end], ""
	switch {
	case len(text) > 2 && text[0] == '0' && base(text[1]) != 0:
		v, err := strconv.ParseUint(string(text[2:]), base(text[1]), 53)
		if err == nil {
			hint = "type " + strconv.FormatUint(v, 10)
		}
		return fault("malformed-number", pos, end, quote(text)+" is malformed: numbers are decimal here", hint)
	case good < len(src) && src[good]|0x20 == 'e':
		if mantissa := string(src[pos:good]); len(mantissa) <= 20 && len(text) == good-pos+1 {
			hint = "type " + mantissa + "e0, or " + mantissa + "*e for the constant e"
		}
		return fault("malformed-number", pos, end, quote(text)+" is malformed: the exponent has no digits", hint)
	case good < len(src) && src[good] == '_' || good > pos && src[good-1] == '_':
		return fault("malformed-number", pos, end, quote(text)+" is malformed: a _ must stand between two digits", "")
	}
	if bytes.ContainsAny(src[pos:good], "eE") {
		return fault("malformed-number", pos, end, quote(text)+" is malformed: an exponent is a whole number", "")
	}
	return fault("malformed-number", pos, end, quote(text)+" is malformed: it has more than one point", "")
}

// raised reads the superscript at pos and returns its value and end.
//
//	superscript = [ "⁺" | "⁻" ] raised-digit { raised-digit }
func raised(src []byte, pos int) (float64, int, *Diagnostic) {
	var buf [32]byte
	text, i, sound := buf[:0], pos, true
	for i < len(src) {
		k, n := classAt(src, i)
		if k != cSuper {
			break
		}
		c := raisedByte(src[i : i+n])
		if (c == '+' || c == '-') && len(text) > 0 {
			sound = false
		}
		text = append(text, c)
		i += n
	}
	if c := text[len(text)-1]; !sound || c == '+' || c == '-' {
		return 0, i, fault("malformed-superscript", pos, i, quote(src[pos:i])+" is no whole number", "type ^( … ) for a longer exponent")
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, i, fault("number-overflow", pos, i, quote(src[pos:i])+" is too large for a float64", "")
	}
	return v, i, nil
}
