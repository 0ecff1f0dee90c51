package edit

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// expected writes the whole view to a terminal of endless height and says what
// rows and which cursor it comes to.
func expected(t testing.TB, v view, width int) (rows []string, row, col int) {
	high := 2*len(v.text) + 10
	big := newVT(t, width, high)
	big.write(plainOf(v.prompt) + string(v.text))
	all := strings.Split(big.rows(), "\n")
	if row, col = big.row, big.col; col == width {
		row, col = row+1, 0
	}
	end := row
	if v.pos < len(v.text) {
		// the cursor stands on the character it is before
		cur := newVT(t, width, high)
		cur.write(plainOf(v.prompt) + string(v.text[:v.pos]))
		if w := RuneWidth(v.text[v.pos]); w > 0 {
			cur.write(string(v.text[v.pos]))
			row, col = cur.row, cur.col-w
		} else {
			if row, col = cur.row, cur.col; col == width {
				row, col = row+1, 0
			}
		}
	}
	for len(all) <= end {
		all = append(all, "")
	}
	return all, row, col
}

func randomText(r *rand.Rand, n int) []rune {
	const letters = "ab +*(3θ三四é\u0301😀漢"
	from := []rune(letters)
	if r.IntN(2) == 0 {
		from = from[:8] // narrow ones
	}
	out := make([]rune, n)
	for i := range out {
		out[i] = from[r.IntN(len(from))]
	}
	return out
}

func paintAll(s string) string {
	var b strings.Builder
	for i, r := range s {
		if i%3 == 0 {
			b.WriteString("\x1b[35m" + string(r) + "\x1b[0m")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// TestDrawn draws view after view and looks at the screen each time: the line
// is there, or the rows of it around the cursor, and the cursor in its cell;
// and nothing else is.
func TestDrawn(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		w, h := 3+r.IntN(30), 1+r.IntN(8)
		bare := r.IntN(3) == 0
		term := newVT(t, w, h)
		s := screen{bare: bare}
		above := ""
		if h > 2 && r.IntN(2) == 0 {
			above = "xy"
			term.write("xy\n")
		}
		for step := range 12 {
			v := view{prompt: "> ", text: randomText(r, r.IntN(1+r.IntN(2*w*h)))}
			if r.IntN(4) == 0 {
				v.prompt = "\x1b[32m>\x1b[0m "
			}
			v.pos = r.IntN(len(v.text) + 1)
			v.shown = string(v.text)
			if !bare {
				v.shown = paintAll(v.shown)
			}
			term.write(s.draw(v, w, h, false))
			rows, row, col := expected(t, v, w)
			if len(rows) <= h {
				want := strings.TrimRight(strings.Join(rows, "\n"), "\n")
				got := term.rows()
				if above != "" && len(rows) < h && strings.HasPrefix(got, above) {
					got = strings.TrimPrefix(got, above+"\n")
				}
				// rows scrolled away or left by a taller line before are above it
				if got != want && !strings.HasSuffix(got, want) {
					t.Fatalf("seed %d step %d (%dx%d bare %v): screen\n%s\nwant\n%s", seed, step, w, h, bare, term.rows(), want)
				}
			} else {
				for i := range h {
					if term.text(i) != rows[s.top+i] {
						t.Fatalf("seed %d step %d (%dx%d): row %d is %q, want %q; screen\n%s", seed, step, w, h, i, term.text(i), rows[s.top+i], term.rows())
					}
				}
				if term.row != row-s.top {
					t.Fatalf("seed %d step %d: cursor in row %d, want %d", seed, step, term.row, row-s.top)
				}
			}
			if term.col != col || !strings.HasPrefix(term.text(term.row)+strings.Repeat(" ", w), strings.TrimRight(rows[row], " ")) {
				t.Fatalf("seed %d step %d (%dx%d bare %v): cursor at %d,%d, want column %d of row %d: %q", seed, step, w, h, bare, term.row, term.col, col, row, rows[row])
			}
		}
		width := w
		if r.IntN(2) == 0 {
			term.write(s.erase(width))
			left := strings.TrimSpace(term.rows())
			if left != "" && left != above && !s.bare && s.top == 0 && h > 20 {
				t.Fatalf("seed %d: erased, but there is %q", seed, left)
			}
		}
	}
}

// TestBareDrawing shows that a line of one row needs no escape sequence.
func TestBareDrawing(t *testing.T) {
	term := newVT(t, 20, 4)
	s := screen{bare: true}
	for _, c := range []struct {
		text string
		pos  int
	}{{"", 0}, {"abc", 3}, {"a三c", 1}, {"a", 1}, {"", 0}, {"abcdefghijklmnopq", 17}} {
		v := view{prompt: "> ", text: []rune(c.text), shown: c.text, pos: c.pos}
		term.write(s.draw(v, 20, 4, false))
		if got := term.rows(); got != strings.TrimRight("> "+c.text, " ") {
			t.Errorf("%q shows as %q", c.text, got)
		}
		if want := 2 + Width(string([]rune(c.text)[:c.pos])); term.col != want {
			t.Errorf("%q: cursor at %d, want %d", c.text, term.col, want)
		}
	}
	if term.escapes != 0 {
		t.Errorf("%d escape sequences", term.escapes)
	}
	term.write(s.draw(view{prompt: "> ", text: []rune("abcdefghijklmnopqrstu"), shown: "abcdefghijklmnopqrstu"}, 20, 4, false))
	if term.escapes == 0 || term.rows() != "> abcdefghijklmnopqr\nstu" {
		t.Errorf("two rows: %q", term.rows())
	}
}

// TestRewrapped narrows and widens a terminal that keeps lines together.
func TestRewrapped(t *testing.T) {
	text := strings.Repeat("0123456789", 4)
	v := view{prompt: "> ", text: []rune(text), shown: text, pos: len(text)}
	s := screen{}
	s.draw(v, 60, 24, false)
	if got := s.home(30); got != "\x1b[1A\r" {
		t.Errorf("narrowed from one row to two: %q", got)
	}
	s.draw(v, 30, 24, false)
	if got := s.home(60); got != "\r" {
		t.Errorf("widened from two rows to one: %q", got)
	}
}

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "abc": 3, "θ": 1, "三四": 4, "e\u0301": 1, "😀": 2, "\x1b[1;31mab\x1b[0m": 2, "한": 2, "，": 2, "\u200b": 0, "−": 1,
	} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
	for i := 1; i < len(wide); i++ {
		if wide[i][0] <= wide[i-1][1] || wide[i][1] < wide[i][0] {
			t.Errorf("the table of wide characters is out of order at %#x", wide[i][0])
		}
	}
}
