package repl

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"scalargrad/grammar"
	"scalargrad/repl/edit"
)

// excerpt returns what is printed for a fault of source at [start, end).
func excerpt(source string, start, end, columns int, hint string) string {
	f := &failure{Diagnostic: grammar.Diagnostic{Span: grammar.Span{Start: int32(start), End: int32(end)}, Message: "m", Hint: hint}, source: source}
	w := &sheet{theme: NewTheme(false), width: columns}
	f.writeExcerpt(w)
	return string(w.buf)
}

// TestCaret holds carets to the columns of a terminal.
func TestCaret(t *testing.T) {
	for _, c := range []struct{ source, fault, hint, want string }{
		{"a + zz", "zz", "", "  a + zz\n      ^^\n"},
		{"\ta +\tzz", "zz", "", "   a + zz\n       ^^\n"},
		{"日本 + zz*2", "zz", "h", "  日本 + zz*2\n         ^^ h\n"},
		{"a + 日本", "日本", "", "  a + 日本\n      ^^^^\n"},
		{"e\u0301 + zz", "zz", "", "  e\u0301 + zz\n      ^^\n"},
		{"ae\u0301 + 1", "\u0301", "", "  ae\u0301 + 1\n   ^\n"},
		{"x = e\u0301", "e", "", "  x = e\u0301\n      ^\n"},
		{"a \x1b[31m", "\x1b", "", "  a ␛[31m\n    ^\n"},
		{"\ufeffa + zz", "zz", "", "  a + zz\n      ^^\n"},
		{"a + zz\r", "zz", "", "  a + zz\n      ^^\n"},
		{"first \\\na + zz \\\nlast", "zz", "", "  a + zz \\\n      ^^\n"},
		{"(a + b", "", "gone", "  (a + b\n        ^ gone\n"},
		{"a \xff b", "\xff", "", "  a � b\n    ^\n"},
		{strings.Repeat("a + ", 16) + "zz", "zz", "a hint too long to stand beside the pointer", "  " + strings.Repeat("a + ", 16) + "zz\n" + strings.Repeat(" ", 66) + "^^\n" + strings.Repeat(" ", 36) + "a hint too long to stand beside the pointer\n"},
	} {
		at := len(c.source)
		if c.fault != "" {
			at = strings.Index(c.source, c.fault)
		}
		if got := excerpt(c.source, at, at+len(c.fault), 80, c.hint); got != c.want {
			t.Errorf("%q at %q:\n%swant\n%s", c.source, c.fault, got, c.want)
		}
	}
}

// TestCaretWindow: in any line, however long and whatever is in it, the excerpt
// fits the terminal and the pointer stands under the fault.
func TestCaretWindow(t *testing.T) {
	for _, piece := range []string{"a + ", "日本 + ", "e\u0301x", "\t", "\x01", "\xff", "😀"} {
		for _, before := range []int{0, 1, 7, 40, 5000} {
			for _, after := range []int{0, 1, 9, 60, 5000} {
				for _, columns := range []int{20, 40, 79, 80, 120} {
					source := strings.Repeat(piece, before) + "FAULT" + strings.Repeat(piece, after)
					start := len(piece) * before
					got := excerpt(source, start, start+5, columns, "what to type")
					lines := strings.Split(got, "\n")
					if w := max(edit.Width(lines[0]), edit.Width(lines[1])); w > max(columns, 24) {
						t.Fatalf("%q %d+%d in %d columns: %d wide\n%s", piece, before, after, columns, w, got)
					}
					text, _, found := strings.Cut(lines[0], "FAULT")
					pointer := strings.Index(lines[1], "^^^^^")
					if !found || pointer != edit.Width(text) {
						t.Fatalf("%q %d+%d in %d columns: pointer at %d, fault at %d\n%s", piece, before, after, columns, pointer, edit.Width(text), got)
					}
				}
			}
		}
	}
}

// TestLongFault: a fault of a megabyte does not fill the screen.
func TestLongFault(t *testing.T) {
	_, run := console(t)
	if got := run("y = " + strings.Repeat("x", 1<<20)); len(got) > 1000 || !strings.Contains(got, "…") {
		t.Errorf("%d bytes: %.300s", len(got), got)
	}
}

// TestCodes runs the line of each code, and finds every code of the source in
// the table.
func TestCodes(t *testing.T) {
	known := map[string]bool{}
	for _, row := range codes {
		if known[row.Code] || row.Meaning == "" {
			t.Errorf("%s: twice, or without a meaning", row.Code)
		}
		known[row.Code] = true
		if row.Example == "" {
			continue
		}
		s, _ := console(t)
		var got []string
		s.Eval([]byte("VAR a = 2; "+row.Example), 1, func(r Result) {
			if f, ok := r.(*failure); ok {
				got = append(got, f.Code)
			}
		})
		if !slices.Equal(got, []string{row.Code}) {
			t.Errorf("%s gives %v, not %s", row.Example, got, row.Code)
		}
	}
	for _, row := range grammar.Codes {
		known[row.Code] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	given := regexp.MustCompile(`diagnose\([^"\n]*"([a-z-]+)"|Code(?:: |, f\.Message = )"([a-z-]+)"`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range given.FindAllStringSubmatch(string(text), -1) {
			if code := m[1] + m[2]; !known[code] {
				t.Errorf("%s: the code %q is not in the table of failure.go", file, code)
			}
		}
	}
}

func TestNear(t *testing.T) {
	words := []string{"alpha", "loss", "y", "sin", "sinh", "GRAD", "VAR", "w12"}
	for word, want := range map[string]string{
		"alhpa": "alpha", "Alpha": "alpha", "GARD": "GRAD", "gard": "GRAD", "var": "VAR", "yy": "y", "x": "", "Y": "y",
		"lsos": "loss", "si": "sin", "zebra": "", "": "", "sinn": "sin", "w13": "w12",
	} {
		if got := near(word, words); got != want {
			t.Errorf("near %q is %q, want %q", word, got, want)
		}
	}
}
