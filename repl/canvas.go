package repl

import (
	"os"
	"strings"
	"unicode/utf8"

	"scalargrad/repl/edit"
)

// Glyphs are the characters that pictures are drawn with. There are three
// sets, so that a terminal is only sent what its font has.
type glyphs struct {
	dotsX, dotsY int              // dots in one character cell
	dot          func(uint8) rune // the character with these dots lit: bit y*dotsX+x
	partial      func(y, a string) string
	ellipsis     string

	branch, last, through, under string // of a tree: an input, the last one, and what runs past or below them

	upright, tickLeft, corner, flat, tickBelow string // of the axes
	here, zero                                 string // where the variable stands; the line of value 0
}

var braille = glyphs{
	dotsX: 2, dotsY: 4, dot: brailleDot, partial: roundDerivative, ellipsis: "…",
	branch: "├─ ", last: "└─ ", through: "│  ", under: "   ",
	upright: "│", tickLeft: "┤", corner: "└", flat: "─", tickBelow: "┬", here: "▲", zero: "┈",
}

// blocks is for the Linux console, whose font has the boxes and the blocks of
// the old personal computers and no braille.
var blocks = glyphs{
	dotsX: 1, dotsY: 2, dot: func(lit uint8) rune { return []rune(" ▀▄█")[lit&3] }, partial: straightDerivative, ellipsis: "...",
	branch: "├─ ", last: "└─ ", through: "│  ", under: "   ",
	upright: "│", tickLeft: "┤", corner: "└", flat: "─", tickBelow: "┬", here: "▲", zero: "·",
}

var ascii = glyphs{
	dotsX: 1, dotsY: 2, dot: func(lit uint8) rune { return []rune(" '.:")[lit&3] }, partial: straightDerivative, ellipsis: "...",
	branch: "|- ", last: "`- ", through: "|  ", under: "   ",
	upright: "|", tickLeft: "+", corner: "+", flat: "-", tickBelow: "+", here: "^", zero: "-",
}

func roundDerivative(y, a string) string    { return "∂" + y + "/∂" + a }
func straightDerivative(y, a string) string { return "d" + y + "/d" + a }

// brailleBits are Unicode's numbers for the dots of a cell, row by row.
var brailleBits = [8]rune{0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80}

func brailleDot(lit uint8) rune {
	if lit == 0 {
		return ' '
	}
	r := rune(0x2800)
	for i, bit := range brailleBits {
		if lit>>i&1 != 0 {
			r |= bit
		}
	}
	return r
}

// environment is os.Getenv, but for tests.
var environment = os.Getenv

// glyphs chooses the characters: ASCII where LC_ALL, LC_CTYPE or LANG (the
// first that is set) names another character set than UTF-8, or where the
// output is a terminal that draws nothing else; blocks on the Linux console;
// braille otherwise, also into pipes and files. No locale at all says nothing
// and counts as UTF-8, in which the rest of the output is written too.
func (s *Session) glyphs() *glyphs {
	for _, v := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if l := strings.ToLower(environment(v)); l != "" {
			if !strings.Contains(l, "utf-8") && !strings.Contains(l, "utf8") {
				return &ascii
			}
			break
		}
	}
	if edit.IsTerminal(s.options.Out) {
		switch environment("TERM") {
		case "", "dumb", "unknown", "ansi", "vt52", "vt100", "vt102", "vt220":
			return &ascii
		case "linux":
			return &blocks
		}
	}
	return &braille
}

// A canvas is a rectangle of character cells that lines are drawn on in dots.
type canvas struct {
	*glyphs
	columns, rows int
	lit           []uint8 // of each cell, row by row from the top
}

func newCanvas(g *glyphs, columns, rows int) *canvas {
	return &canvas{g, columns, rows, make([]uint8, columns*rows)}
}

// width and height are in dots.
func (c *canvas) width() int  { return c.columns * c.dotsX }
func (c *canvas) height() int { return c.rows * c.dotsY }

// set lights the dot x from the left, y from the top, both 0-based; what lies
// outside is left out.
func (c *canvas) set(x, y int) {
	if x < 0 || y < 0 || x >= c.width() || y >= c.height() {
		return
	}
	c.lit[y/c.dotsY*c.columns+x/c.dotsX] |= 1 << (y%c.dotsY*c.dotsX + x%c.dotsX)
}

// line lights the dots from (x0, y0) to (x1, y1), both included. It costs the
// length of the line: clip those that may run far outside.
func (c *canvas) line(x0, y0, x1, y1 int) {
	n := max(x1-x0, x0-x1, y1-y0, y0-y1, 1)
	for i := 0; i <= n; i++ {
		c.set(x0+divide((x1-x0)*i, n), y0+divide((y1-y0)*i, n))
	}
}

// divide returns a/b to the nearest integer, for b above 0.
func divide(a, b int) int {
	if a < 0 {
		return -divide(-a, b)
	}
	return (2*a + b) / (2 * b)
}

// clip shortens s to width columns; what is cut is marked.
func (g *glyphs) clip(s string, width int) string {
	if len(s) <= width || columns(s) <= width {
		return s
	}
	room := width - columns(g.ellipsis)
	if room < 0 {
		return strings.Repeat(".", max(width, 0))
	}
	used, end := 0, 0
	for end < len(s) {
		_, size := utf8.DecodeRuneInString(s[end:])
		c := columns(s[end : end+size])
		if used+c > room {
			break
		}
		used += c
		end += size
	}
	return s[:end] + g.ellipsis
}
