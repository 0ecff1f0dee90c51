package edit

import (
	"fmt"
	"strings"
	"testing"
)

// TestBursts decodes what depends on where one burst ends and the next begins.
func TestBursts(t *testing.T) {
	for _, c := range []struct {
		bursts []string
		want   string
	}{
		{[]string{"abc"}, `"abc"`},
		{[]string{"a", "b"}, `"ab"`},
		{[]string{"\xce", "\xb8\xe4\xb8", "\x89"}, `"θ三"`},
		{[]string{"\xce", "\r"}, "\"\uFFFD\" 1"},
		{[]string{"\x1b", "[", "1;", "5D"}, "9"},
		{[]string{"\x1b", "b"}, "9"},
		{[]string{"\x1b", "x"}, `"x"`},
		{[]string{"\x1b", "O", "K"}, `"OK"`},
		{[]string{"\x1b", "]x"}, `"]x"`},
		{[]string{"\x1bx"}, ""},
		{[]string{"\x1bO", "A"}, "13"},
		{[]string{"\r", "\n"}, "1"},
		{[]string{"\r\n\r\n\n"}, "1 1 1"},
		{[]string{"a\t"}, `"a" 2`},
		{[]string{"a\tb"}, `"a b"`},
		{[]string{"a\t\r"}, `"a" 2 1`},
		{[]string{"a\t\rb\t"}, `"a " 1 "b" 2`},
		{[]string{"\t\x1b[D"}, "2 7"},
		{[]string{"\x1b[200~a", "\t", "\n\tb\x1b[20", "1~", "\t"}, `"a " 1 " b" 2`},
		{[]string{"\x1b[200~ab", "\x03", "c"}, `3 "c"`},
		{[]string{"\x1b[", strings.Repeat("1", 1000), "D"}, "7"},
		{[]string{"\x1b]0;", "title", "\x1b", "\\a"}, `"a"`},
		{[]string{"\x1b]0;title\x03"}, "3"},
		{[]string{"\x1b]" + strings.Repeat("x", maxReply+2), "y"}, `"y"`},
	} {
		var d decoder
		for _, b := range c.bursts {
			d.feed([]byte(b))
		}
		var got []string
		for _, e := range d.events {
			if e.key == keyText {
				got = append(got, fmt.Sprintf("%q", e.text))
			} else {
				got = append(got, fmt.Sprint(e.key))
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: %s, want %s", c.bursts, s, c.want)
		}
	}
}
