package edit

import (
	"strconv"
	"strings"
	"testing"
)

// A vt is as much of a terminal as the drawing needs: it wraps like one, with
// the wait at the end of a full row, and scrolls. Anything that the drawing
// should not send fails the test.
type vt struct {
	t        testing.TB
	w, h     int
	cell     [][]string // "" behind a wide character
	row, col int        // col == w: waiting
	held     string     // an unfinished sequence or character
	escapes  int
	output   func(string) // gets every finished row; may be nil
}

func newVT(t testing.TB, w, h int) *vt {
	v := &vt{t: t, w: w, h: h}
	for range h {
		v.cell = append(v.cell, v.blank())
	}
	return v
}

func (v *vt) blank() []string {
	r := make([]string, v.w)
	for i := range r {
		r[i] = " "
	}
	return r
}

func (v *vt) down() {
	if v.row++; v.row == v.h {
		v.row--
		if v.output != nil {
			v.output(v.text(0))
		}
		v.cell = append(v.cell[1:], v.blank())
	}
}

func (v *vt) text(row int) string { return strings.TrimRight(strings.Join(v.cell[row], ""), " ") }

// rows returns what is to be seen, without the empty rows at the end.
func (v *vt) rows() string {
	var b strings.Builder
	for i := range v.h {
		b.WriteString(v.text(i) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func (v *vt) write(s string) {
	s, v.held = v.held+s, ""
	n := whole([]byte(s)) // a read may end within a character
	defer func(rest string) { v.held += rest }(s[n:])
	s = s[:n]
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			n := v.sequence(s[i:])
			if n == 0 {
				v.held = s[i:]
				return
			}
			i += n
			continue
		}
		r, n := decodeRune(s[i:])
		v.put(r)
		i += n
	}
}

func (v *vt) put(r rune) {
	switch w := RuneWidth(r); {
	case r == '\r':
		v.col = 0
	case r == '\n': // the terminal's driver makes CR LF of it
		v.col = 0
		v.down()
	case r == '\b':
		v.col = max(0, min(v.col, v.w-1)-1)
	case r < 0x20:
		v.t.Errorf("control character %q", r)
	case w == 0:
		if v.col > 0 {
			v.cell[v.row][v.col-1] += string(r)
		}
	case w > v.w: // no place for it at all
	default:
		if v.col+w > v.w {
			v.col = 0
			v.down()
		}
		v.cell[v.row][v.col] = string(r)
		if w == 2 {
			v.cell[v.row][v.col+1] = ""
		}
		v.col += w
	}
}

func (v *vt) sequence(s string) int {
	end := strings.IndexFunc(s[1:], func(r rune) bool { return r >= 0x40 && r != '[' })
	if end < 0 {
		return 0
	}
	seq := s[:end+2]
	if sgr(seq) > 0 {
		return len(seq)
	}
	v.escapes++
	if seq == pasteOn || seq == pasteOff {
		return len(seq)
	}
	n, err := strconv.Atoi(seq[2 : len(seq)-1])
	if err != nil {
		n = 1
	}
	v.col = min(v.col, v.w-1)
	switch seq[len(seq)-1] {
	case 'A':
		v.row = max(0, v.row-n)
	case 'C':
		v.col = min(v.w-1, v.col+n)
	case 'H':
		v.row, v.col = 0, 0
	case 'J':
		if seq == "\x1b[2J" {
			v.cell = newVT(v.t, v.w, v.h).cell
			break
		}
		for i := v.col; i < v.w; i++ {
			v.cell[v.row][i] = " "
		}
		for i := v.row + 1; i < v.h; i++ {
			v.cell[i] = v.blank()
		}
	default:
		v.t.Errorf("sequence %q", seq)
	}
	return len(seq)
}
