package edit

import (
	"slices"
	"unicode"
)

// A line is the text being typed, with the cursor before line.text[line.pos].
// Its operations never fail: what cannot be done is not done.
type line struct {
	text []rune
	pos  int
}

// insert puts s at the cursor, which ends up behind it.
func (l *line) insert(s []rune) {
	l.text = slices.Insert(l.text, l.pos, s...)
	l.pos += len(s)
}

// cut removes text[from:to] and returns it. The cursor stays with its text.
func (l *line) cut(from, to int) []rune {
	gone := slices.Clone(l.text[from:to])
	l.text = slices.Delete(l.text, from, to)
	switch {
	case l.pos >= to:
		l.pos -= to - from
	case l.pos > from:
		l.pos = from
	}
	return gone
}

// left returns the place one character before the cursor: its combining marks
// go with it.
func (l *line) left() int {
	i := l.pos
	for i > 0 {
		i--
		if RuneWidth(l.text[i]) > 0 {
			break
		}
	}
	return i
}

// right returns the place one character behind the cursor.
func (l *line) right() int {
	i := l.pos
	if i < len(l.text) {
		i++
	}
	for i < len(l.text) && RuneWidth(l.text[i]) == 0 {
		i++
	}
	return i
}

// inWord reports whether r belongs to a name or a number.
func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// wordLeft returns where the word before the cursor begins.
func (l *line) wordLeft() int {
	i := l.pos
	for i > 0 && !inWord(l.text[i-1]) {
		i--
	}
	for i > 0 && inWord(l.text[i-1]) {
		i--
	}
	return i
}

// wordRight returns where the word behind the cursor ends.
func (l *line) wordRight() int {
	i := l.pos
	for i < len(l.text) && !inWord(l.text[i]) {
		i++
	}
	for i < len(l.text) && inWord(l.text[i]) {
		i++
	}
	return i
}

// transpose exchanges the characters on both sides of the cursor, at the end
// of the line the last two, and moves behind them.
func (l *line) transpose() {
	i := l.pos
	if i == len(l.text) {
		i--
	}
	if i < 1 {
		return
	}
	l.text[i-1], l.text[i] = l.text[i], l.text[i-1]
	l.pos = i + 1
}
