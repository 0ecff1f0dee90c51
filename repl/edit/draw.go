package edit

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A terminal that was sent pasteOn marks what is pasted, until pasteOff.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

func decodeRune(s string) (rune, int) { return utf8.DecodeRuneInString(s) }

// sgr returns the length of the colour sequence ESC [ … m that s starts with, 0
// if it starts with none.
func sgr(s string) int {
	if len(s) < 3 || s[0] != 0x1b || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && c != ':' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// plainOf returns s without its colours.
func plainOf(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := sgr(s[i:]); n > 0 {
			i += n
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// A view is what is to be seen: one line of input behind its prompt.
type view struct {
	prompt string // one line; may be coloured
	text   []rune
	shown  string // text with colours
	pos    int    // the cursor is before text[pos]
}

func (v view) same(u view) bool {
	return v.pos == u.pos && v.prompt == u.prompt && v.shown == u.shown && slices.Equal(v.text, u.text)
}

// A spot is a cell on the screen, counted from the prompt's first.
type spot struct{ row, col int }

// after returns the spot behind a character of w cells at s. A character that
// does not fit its row stands at the start of the next. The spot behind a full
// row is one column outside: a terminal waits there for the next character.
func (s spot) after(w, width int) spot {
	if s.col+w > width && w > 0 {
		s = spot{s.row + 1, 0}
	}
	return spot{s.row, s.col + w}
}

// place returns where the cursor and the end of a view stand at a width.
func (v view) place(width int) (cursor, end spot) {
	p := spot{}
	for n := Width(v.prompt); n > 0; n-- {
		p = p.after(1, width)
	}
	for i, r := range v.text {
		q := p.after(RuneWidth(r), width)
		if i == v.pos {
			cursor = spot{q.row, q.col - RuneWidth(r)}
			if RuneWidth(r) == 0 {
				cursor = wrapped(p, width)
			}
		}
		p = q
	}
	if v.pos >= len(v.text) {
		cursor = wrapped(p, width)
	}
	return cursor, p
}

// marked reports whether a blank and a backspace follow the view: behind an
// empty line, as readline has it, so that a program at the other end can tell a
// prompt that is ready. In the last column they would move the cursor.
func (v view) marked(end spot, width int) bool { return len(v.text) == 0 && end.col+1 < width }

func wrapped(s spot, width int) spot {
	if s.col >= width {
		return spot{s.row + 1, 0}
	}
	return s
}

// A screen knows what was drawn last and draws the next view over it. It
// writes to nothing: each method returns the bytes to send.
//
// The line wraps where the terminal wraps it, so that the terminal keeps it
// together when its window changes size; a line of more rows than the window
// has is shown in part, the rows around the cursor. The whole view is sent for
// each drawing, which costs at most a window full of characters.
type screen struct {
	bare bool // use no escape sequence where it can be helped

	drawn  bool // the rest describes what is on the screen
	last   view
	width  int
	top    int  // the first row shown
	cursor spot // in the view
	oneRow bool // the last view fitted one row, with a cell left
}

// draw shows v. final: the line is finished, the cursor goes behind its end.
func (s *screen) draw(v view, width, height int, final bool) string {
	if final {
		v.pos = len(v.text)
	}
	if final && s.drawn && s.width == width && s.top == 0 && s.oneRow && v.same(s.last) {
		return ""
	}
	cursor, end := v.place(width)
	oneRow := end.row == 0 && end.col < width
	if s.bare && oneRow && (!s.drawn || s.oneRow && s.width == width) {
		return s.drawBare(v, width, cursor, end)
	}
	var b strings.Builder
	b.WriteString(s.home(width))
	b.WriteString("\x1b[J")

	rows := end.row + 1
	if !final {
		rows = wrapped(end, width).row + 1
	}
	top := 0
	if rows > height {
		if top = s.top; !s.drawn || cursor.row < top || cursor.row >= top+height || top > rows-height {
			top = min(max(0, cursor.row-height/2), rows-height)
		}
		end = v.writeRows(&b, top, height, width, end)
	} else {
		b.WriteString(v.prompt)
		b.WriteString(v.shown)
	}
	if !final && end.col >= width && end.row+1 < top+height || v.marked(end, width) {
		// A blank moves the terminal on to the next row.
		b.WriteString(" \b")
		end = wrapped(end, width)
	}
	if cursor != end && !(final && end.col >= width) {
		up(&b, end.row-cursor.row)
		b.WriteByte('\r')
		right(&b, cursor.col)
	} else if final {
		cursor = end
	}
	s.drawn, s.last, s.width, s.top, s.cursor, s.oneRow = true, v, width, top, cursor, oneRow
	return b.String()
}

// drawBare draws a view of one row over one of one row with blanks and
// backspaces alone.
func (s *screen) drawBare(v view, width int, cursor, end spot) string {
	var b strings.Builder
	b.WriteByte('\r')
	b.WriteString(plainOf(v.prompt))
	b.WriteString(string(v.text))
	blanks := 0
	if s.drawn {
		_, was := s.last.place(width)
		blanks = max(0, was.col-end.col)
	}
	b.WriteString(strings.Repeat(" ", blanks))
	b.WriteString(strings.Repeat("\b", end.col+blanks-cursor.col))
	if v.marked(end, width) {
		if blanks > 0 {
			b.WriteString("\r" + plainOf(v.prompt))
		}
		b.WriteString(" \b")
	}
	s.drawn, s.last, s.width, s.top, s.cursor, s.oneRow = true, v, width, 0, cursor, true
	return b.String()
}

// home moves to the start of what is drawn. When the terminal has become wider
// or narrower since, it has wrapped the line anew.
func (s *screen) home(width int) string {
	if !s.drawn {
		return "\r"
	}
	row := s.cursor.row - s.top
	if width != s.width {
		at, _ := s.last.place(width)
		before, _ := s.last.place(s.width)
		row = max(0, row+at.row-before.row)
	}
	var b strings.Builder
	up(&b, row)
	b.WriteByte('\r')
	return b.String()
}

// erase takes the drawing off the screen, so that other output can be written.
func (s *screen) erase(width int) string {
	if !s.drawn {
		return ""
	}
	s.drawn = false
	if s.bare && s.oneRow && s.width == width {
		_, end := s.last.place(width)
		return "\r" + strings.Repeat(" ", end.col) + "\r"
	}
	s.drawn = true
	b := s.home(width) + "\x1b[J"
	s.drawn = false
	return b
}

// forget is for output that the screen knows nothing of: the next drawing
// starts where the cursor is.
func (s *screen) forget() { s.drawn = false }

// writeRows writes height rows of the view from top on and returns the spot
// behind the last character written.
func (v view) writeRows(b *strings.Builder, top, height, width int, end spot) spot {
	p, colours := spot{}, ""
	in := false
	for _, s := range []string{v.prompt, v.shown} {
		for i := 0; i < len(s); {
			if n := sgr(s[i:]); n > 0 {
				switch c := s[i : i+n]; {
				case in:
					b.WriteString(c)
				case c == "\x1b[0m" || c == "\x1b[m":
					colours = ""
				default:
					colours += c
				}
				i += n
				continue
			}
			r, n := decodeRune(s[i:])
			q := p.after(RuneWidth(r), width)
			if q.row >= top+height {
				if strings.IndexByte(v.shown, 0x1b) >= 0 {
					b.WriteString("\x1b[0m")
				}
				return p
			}
			if !in && q.row >= top {
				in = true
				b.WriteString(colours)
			}
			if in {
				b.WriteString(s[i : i+n])
			}
			p = q
			i += n
		}
	}
	return end
}

func up(b *strings.Builder, rows int) {
	if rows > 0 {
		b.WriteString("\x1b[" + strconv.Itoa(rows) + "A")
	}
}

func right(b *strings.Builder, cells int) {
	if cells > 0 {
		b.WriteString("\x1b[" + strconv.Itoa(cells) + "C")
	}
}
