package repl

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// colours are the only sequences that a terminal may get from an answer.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// harmful returns what in an answer could act on a terminal, or is not text at
// all; "" if there is nothing. Letters of all scripts are fine, also those that
// are written from right to left: they have no effect beyond themselves.
func harmful(answer []byte, coloured bool) string {
	if !utf8.Valid(answer) {
		return "invalid UTF-8"
	}
	text := string(answer)
	if coloured {
		text = colours.ReplaceAllString(text, "")
	}
	for line := range strings.Lines(text) {
		for _, r := range strings.TrimSuffix(line, "\n") {
			if !unicode.IsGraphic(r) {
				return "U+" + strings.ToUpper(string(hexOf(r))) + " in " + line
			}
		}
	}
	return ""
}

func hexOf(r rune) (digits []byte) {
	for ; r > 0; r >>= 4 {
		digits = append([]byte{"0123456789abcdef"[r&15]}, digits...)
	}
	return digits
}

// FuzzOutput: whatever the input, no answer and no error has a control
// character in it but line ends (and colours, where they are on), and JSON is
// one valid object a line.
func FuzzOutput(f *testing.F) {
	for _, s := range []string{
		"VAR a = 2\n(a + b) * a\nGRAD\n",
		"\x1b]0;title\x07 + 1\n:echo \x1b[2J\x9b2J\x7f\u009b\n:\x1bhelp\n:help \x1b[31m\n",
		"VAR a\u202eb = 2\nEXPR \u2066x\u2069 = 1\n\u200b\ufeff+1\n\u00ad\n",
		"\xff\xfe + \x80\n:echo \xc3\x28 \"\x1b\" 'a\tb'\n",
		"VAR \u03b8 = 1, \u05d0 = 2, \u0915\u094d = 3\nGRAD \u05d0^2\n",
		":load \x1b[A\n:save \u202e\x7f -f\n:load 'a\x00b'\n:graph y \x1b.svg\n:digits \x1b\n:undo \x1b\n:trace \x1b\n",
		"VAR a = 1 \x1b\nVAR a = 1; \x1b; b\r\r\na +\r\\\n b\x0b\x0c\n\x85\u2028\u2029\n",
		"EXPR y = a\x00\nGRAD y\x00 WRT \x1b\n\x1b.grad\n@\x1b\n@9\n1.2.\x1b\n1e\x1b\n\"\x1b\n",
		":check a = \x1b\nVAR a = 1; y = a^2\n:check a = 2a\x1b\n:descend y rate=\x1b steps=2 \x1b\n:minimize \x1b\n:plot y a \x1b 1\n:table y a 0 1 \x1b\n:hessian \x1b\n:graph \x1b\n:mistake \x1b\n:explain \x1b\n:lesson \x1b\n:history \x1b\n",
		"VAR a = 0\n1/a\nlog(-a-1); sqrt(a)\nGRAD\nabs(a); GRAD; :trace; :tape; :vars\n:graph\n:help\n:help grad\n",
		"> VAR a = 2 # \x1b\n> // \x1b\n>\x1b\n\\\n \x1b\\\n\x1b\n",
		strings.Repeat("\u0301", 50) + "\n" + strings.Repeat("\u6f22", 90) + "\x1b" + strings.Repeat("\u6f22", 90) + "\n",
	} {
		for how := range byte(16) {
			f.Add([]byte(s), how)
		}
	}
	f.Fuzz(func(t *testing.T, script []byte, how byte) {
		o := Options{JSON: how&1 != 0, Echo: how&2 != 0, Trace: how&8 != 0, Restricted: true, MaxNodes: 20_000, Timeout: 200 * time.Millisecond}
		coloured := how&4 != 0
		var out, errs bytes.Buffer
		r := &runner{Session: NewSession(o)}
		r.out = stream{sheet: sheet{theme: NewTheme(coloured && !o.JSON), width: 80, limit: 1 << 20}, file: &out}
		r.err = stream{sheet: sheet{theme: NewTheme(coloured), width: 80}, file: &errs}
		r.lines(bytes.NewReader(script), "name\x1b of a file")
		r.out.flush()
		if what := harmful(out.Bytes(), coloured && !o.JSON); what != "" {
			t.Errorf("standard output: %q", what)
		}
		if what := harmful(errs.Bytes(), coloured); what != "" {
			t.Errorf("standard error: %q", what)
		}
		if !o.JSON {
			return
		}
		if errs.Len() > 0 {
			t.Errorf("standard error beside JSON: %q", errs.String())
		}
		for line := range bytes.Lines(out.Bytes()) {
			var object map[string]any
			if err := json.Unmarshal(line, &object); err != nil || object["kind"] == nil || object["line"] == nil {
				t.Errorf("no object: %v: %q", err, line)
			}
		}
	})
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain":             "plain",
		"θ 漢 é e\u0301":     "θ 漢 é e\u0301",
		"\x1b[2J\x07\n\t":   "␛[2J␇␊␉",
		"\x7f":              "␡",
		"\x9b2J":            "\ufffd2J", // CSI to a terminal of eight bits
		"\u009b":            "\ufffd",
		"a\u202eb\u200b":    "a\ufffdb\ufffd",
		"\u2028":            "\ufffd",
		"no\u00a0break":     "no\u00a0break",
		"\xff":              "\ufffd",
		"\U000e0041 tagged": "\ufffd tagged",
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}
