package repl

import (
	"bytes"
	"math"
	"strconv"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"scalargrad/repl/edit"
)

// A sheet is text under way to one stream: bytes, painted as they are added.
// It is reused from answer to answer.
type sheet struct {
	buf    []byte
	theme  *Theme
	digits int // significant ones in numbers
	width  int // columns to lay out for
	height int // lines of the window; 0: no window, nothing is cut

	limit int          // bytes that one answer may have; 0: any number
	start int          // where the answer begins in buf
	stop  *atomic.Bool // when it is set nobody wants the answer any more; nil: never
}

// A cut is what the writing of an answer panics with when it is given up, and
// what looks through the tape for a statement: there are loops within loops, and
// any of them may be the long one. Whoever has an answer written, or runs a
// statement, recovers it.
type cut struct {
	full bool // the answer is longer than its limit; else it was stopped
}

// pause lets long writing be given up. line does it too.
func (w *sheet) pause() {
	if w.stop != nil && w.stop.Load() {
		panic(cut{})
	}
	if w.limit > 0 && len(w.buf)-w.start > w.limit {
		w.buf = w.buf[:w.start+1+bytes.LastIndexByte(w.buf[w.start:len(w.buf)-1], '\n')] // whole lines
		panic(cut{full: true})
	}
}

// text adds s as it is.
func (w *sheet) text(s ...string) *sheet {
	for _, s := range s {
		w.buf = append(w.buf, s...)
	}
	return w
}

// paint adds s in the colour of r.
func (w *sheet) paint(r role, s string) *sheet {
	w.buf = append(w.buf, w.theme.open[r]...)
	w.buf = append(w.buf, s...)
	w.buf = append(w.buf, w.theme.close[r]...)
	return w
}

// number adds v as people read it.
func (w *sheet) number(v float64) *sheet {
	w.buf = append(w.buf, w.theme.open[number]...)
	w.buf = appendNumber(w.buf, v, w.digits)
	w.buf = append(w.buf, w.theme.close[number]...)
	return w
}

// value adds "NAME = VALUE".
func (w *sheet) value(of string, v float64) *sheet {
	return w.paint(name, of).text(" = ").number(v)
}

// pad adds s, painted, and blanks up to width columns.
func (w *sheet) pad(r role, s string, width int) *sheet {
	w.paint(r, s)
	return w.blanks(width - columns(s))
}

// padLeft adds blanks and then s, painted, together width columns.
func (w *sheet) padLeft(r role, s string, width int) *sheet {
	return w.blanks(width-columns(s)).paint(r, s)
}

func (w *sheet) blanks(n int) *sheet {
	for ; n > 0; n-- {
		w.buf = append(w.buf, ' ')
	}
	return w
}

// line ends a line.
func (w *sheet) line() *sheet {
	w.buf = append(w.buf, '\n')
	w.pause()
	return w
}

// format returns v as the sheet would write it, without colour.
func (w *sheet) format(v float64) string { return formatNumber(v, w.digits) }

// formatNumber returns v with up to digits significant digits: see appendNumber.
func formatNumber(v float64, digits int) string {
	var a [32]byte
	return string(appendNumber(a[:0], v, digits))
}

// appendNumber adds v with up to digits significant digits, integers below
// 2^53 whole, the rest as C's %.*g; -0 as 0, and NaN, +Inf, -Inf by name.
func appendNumber(b []byte, v float64, digits int) []byte {
	switch {
	case v == 0:
		return append(b, '0')
	case math.IsNaN(v):
		return append(b, "NaN"...)
	case math.IsInf(v, 1):
		return append(b, "+Inf"...)
	case math.IsInf(v, -1):
		return append(b, "-Inf"...)
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendFloat(b, v, 'g', digits, 64)
}

// columns returns how many columns s takes on a terminal.
func columns(s string) int { return edit.Width(s) }

// Visible returns s with nothing in it that could act on a terminal.
func Visible(s string) string { return visible(s) }

// visible replaces what could act on a terminal, one column for one code
// point: control characters by their pictures, the rest of what does not print
// by a replacement character.
func visible(s string) string {
	clean := utf8.ValidString(s) // a stray byte can be a control character to a terminal of eight bits
	for _, r := range s {
		if r < ' ' || r >= 0x7f && !unicode.IsPrint(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	out := make([]rune, 0, len(s))
	for _, r := range s {
		switch {
		case r < ' ':
			r += 0x2400 // the control pictures
		case r == 0x7f:
			r = 0x2421
		case unicode.In(r, unicode.Mn, unicode.Me):
		case !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r):
			r = utf8.RuneError
		}
		out = append(out, r)
	}
	return string(out)
}
