package repl

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"scalargrad/repl/edit"
)

// marked returns line with [ ] around what is painted as wrong.
func marked(s *Session, line string) string {
	t := &Theme{}
	t.open[wrong], t.close[wrong] = "[", "]"
	return paintLine(s, t, line)
}

// TestPaintWrong shows what is marked while a line is being typed.
func TestPaintWrong(t *testing.T) {
	s, run := console(t)
	run("VAR a = 2, b = 3")
	run("EXPR loss = a*b")
	for _, want := range []string{
		"VAR a = 2",
		"var new 2, other = 3 third 4",
		"EXPR y = (a + b) * a",
		"y = (a + b) * a",
		"y = y2",               // it may be the start of something … no:
		"EXPR a + [zz] ",       // a blank ends the word
		"EXPR a + [zz]*2",      //
		"EXPR a + lo",          // loss, log
		"EXPR a + [lox]",       //
		"y",                    // y = … may follow
		"y ",                   //
		"[y] + 1",              //
		"[y] [y] = 2",          //
		"[(]a + b",             //
		"a + b[)]",             //
		"[(]max[(]a, [(]b + 1", //
		"(a[(]b)",
		"sin(a) + [sim](a)",
		"2[a] + a [b] + 2 [3] + (a)[(]b) + 2[sin](a)",
		"GRAD loss WRT a, [c] ",
		"GRAD loss a, b",
		"[WRT] a",
		"a [VAR] [b] = 2",
		"VAR c = 1; c*2; n2 + ans; GRAD c",
		"[c]*2; VAR c = 1; c*2",
		"n1 + [n7] + @1 + [@9] ",
		"grad(loss, a)",
		"pi*e*tau",
		":trace on",
		":tra",
		":[x",
		"x² + 1 # [never in a comment",
		"θ[²]",
		"  ",
		"",
	} {
		line := strings.NewReplacer("[", "", "]", "").Replace(want)
		switch want {
		case "y = y2":
			want = "y = [y2]"
		case ":[x":
			line, want = ":x", "[:x]"
		case "x² + 1 # [never in a comment":
			line, want = "x² + 1 # never [in a comment", "[x]² + 1 # never [in a comment"
		case "θ[²]":
			line, want = "θ²", "[θ]²"
		case "(a[(]b)":
			line, want = "(a(b)", "[(][a](b)"
		}
		if got := marked(s, line); got != want {
			t.Errorf("%q is painted %q, want %q", line, got, want)
		}
	}
}

// TestPaintKeepsTheText: without its colours a painted line is the line, for
// anything that can be typed, also while the session is at work, and at every
// place there is something to complete or nothing.
func TestPaintKeepsTheText(t *testing.T) {
	s, run := console(t)
	run("VAR a = 2; y = a^2")
	pieces := []string{"VAR ", "a", "=", "(", ")", ")", " ", "\t", ";", ":trace", ":load \"a", ":check a = ", "#", "//", "\n", "\\\n", "²", "−", "日本", "e\u0301", "\xff", "\x00", ".grad", "GRAD ", "1e", "@2", ",", "WRT ", "'", "> ", "grad("}
	seed := uint32(1)
	for range 3000 {
		var b strings.Builder
		for range seed>>8%9 + 1 {
			seed = seed*1664525 + 1013904223
			b.WriteString(pieces[int(seed>>10)%len(pieces)])
		}
		lookAt(t, s, b.String())
	}
}

// FuzzTyping is TestPaintKeepsTheText for the fuzzer, and what is typed is run.
func FuzzTyping(f *testing.F) {
	for _, line := range []string{"VAR a = 2, b", "y = (a + zz", "GRAD y WRT a", ":check a = 2*si", ":load \"x y", "а²^3 # \x00", "dy/da", "sin^2(a)", "y.backward()", "a = b"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, ":") && !strings.Contains(line, ":help") {
			return // no commands: some write files
		}
		s, run := console(t)
		run("VAR a = 2; y = a^2")
		lookAt(t, s, line)
		run(line)
		lookAt(t, s, line)
	})
}

func lookAt(t *testing.T, s *Session, line string) {
	theme := NewTheme(true)
	for _, s := range []*Session{s, nil} {
		if got := unpainted(paintLine(s, theme, line)); got != line && !strings.Contains(line, "\x1b[") {
			t.Fatalf("%q is painted as %q", line, got)
		}
	}
	for pos := range len(line) + 1 {
		start, words := s.completions(line, pos)
		if start < 0 || start > pos {
			t.Fatalf("completing %q at %d starts at %d", line, pos, start)
		}
		for _, w := range words {
			if w.Text == "" {
				t.Fatalf("completing %q at %d offers nothing at all", line, pos)
			}
		}
	}
}

// unpainted takes SGR sequences out.
func unpainted(s string) string {
	var b strings.Builder
	for s != "" {
		before, after, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			break
		}
		_, s, _ = strings.Cut(after, "m")
	}
	return b.String()
}

// TestPaintLongLine paints a pasted line of 31,000 characters.
func TestPaintLongLine(t *testing.T) {
	s, run := console(t)
	run("VAR alpha = 2")
	line := "y = " + strings.Repeat("sin(alpha) + ", 2400) + "1"
	if got := unpainted(paintLine(s, NewTheme(true), line)); got != line {
		t.Error("the text has changed")
	}
	if n := testing.AllocsPerRun(3, func() { paintLine(s, NewTheme(false), line) }); n > 60 {
		t.Errorf("painting %d bytes takes %v pieces of memory: it should not take one for each token", len(line), n)
	}
}

// TestPaintWhileRunning looks at the session from another goroutine the way the
// editor does; the race detector watches.
func TestPaintWhileRunning(t *testing.T) {
	s, _ := console(t)
	r := &runner{Session: s}
	r.busy.Lock()
	paint, complete := r.painter(NewTheme(true)), r.completer()
	stop := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				paint("VAR a = 2; y = a + zz")
				complete("y", 1)
			}
		}
	})
	lines := typed{"VAR a = 1", "a*a", "y = a*a", "VAR a = 2", ":reset"}
	for range 200 {
		line, _ := r.readLine(&lines, "> ")
		r.Eval([]byte(line), 1, func(Result) {})
	}
	close(stop)
	done.Wait()
}

// typed is a lineReader of fixed lines, over and over.
type typed []string

func (l *typed) ReadLine(string) (string, error) {
	line := (*l)[0]
	*l = append((*l)[1:], line)
	return line, nil
}
func (*typed) Remember(string)  {}
func (*typed) Size() (int, int) { return 80, 24 }
func (*typed) Close() error     { return nil }

// wordsAt completes line at the | in it.
func wordsAt(s *Session, line string) (start int, words []edit.Word) {
	pos := strings.IndexByte(line, '|')
	return s.completions(line[:pos]+line[pos+1:], pos)
}

func TestCompletion(t *testing.T) {
	s, run := console(t)
	run("VAR alpha = 2, beta = 3, θ = 1")
	run("EXPR loss = alpha*beta; alpha + beta")
	run("EXPR Großer = alpha^2")
	for _, c := range []struct{ line, want string }{
		{"|", "VAR EXPR GRAD alpha …"},
		{"V|", "VAR"},
		{"v|", "var"},
		{"gr|", "grad grad("},
		{"GR|", "GRAD"},
		{"Gro|", "Großer"},
		{"Groß|", "Großer"},
		{"EXPR y = θ*alp|", "alpha"},
		{"EXPR y = θ*alp| + 1", "alpha"},
		{"EXPR y = si|", "sin( sinh( sigmoid( sign("},
		{"y = 2*lo|", "loss log( log2( log10( log1p("},
		{"y = s|*2", "sqrt( sin( sinh( sigmoid( softplus( sign("},
		{"VAR b|", "beta"},
		{"VAR beta = be|", ""},
		{"VAR beta = sqr|", "sqrt("},
		{"VAR x = 1; xx = 3; x|", "xx x"},
		{"GRAD lo|", "loss log( log2( log10( log1p("},
		{"GRAD loss W|", "WRT"},
		{"GRAD loss alpha, b|", "beta"},
		{"n|", "n1 n2 n3"},
		{"loss.|", ".grad"},
		{"alpha.gr|", ".grad"},
		{"2al|", ""},
		{":|", ":trace …"},
		{":tr|", ":trace"},
		{":exi|", ":exit …"},
		{":trace o|", "on off"},
		{":trace lo|", "loss"},
		{":trace all lo|", "loss"},
		{":help sq|", "sqrt"},
		{"a; :trace o|", "on off"},
		{"# lo|", ""},
		{"日本 lo|", "loss log( log2( log10( log1p("},
	} {
		_, words := wordsAt(s, c.line)
		var got []string
		for _, w := range words {
			text := w.Text
			if w.Suffix == "(" {
				text += "("
			}
			got = append(got, text)
		}
		want, more := strings.CutSuffix(c.want, " …")
		if text := strings.Join(got, " "); more && !strings.HasPrefix(text, want) || !more && !sameWords(text, want) {
			t.Errorf("%s offers %q, want %q", c.line, text, c.want)
		}
	}
}

// sameWords compares lists of words in any order.
func sameWords(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	count := map[string]int{}
	for _, w := range x {
		count[w]++
	}
	for _, w := range y {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// TestFileCompletion completes the arguments that name files.
func TestFileCompletion(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one.sg", "other file.sg", ".hidden", "sub/in.sg", "größe.sg"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	s, run := console(t)
	run("VAR a = 2; y = a^2")
	for _, c := range []struct{ line, want string }{
		{":load |", `größe.sg one.sg "other file.sg" sub/`},
		{":load o|", `one.sg "other file.sg"`},
		{`:load "o|`, `"one.sg" "other file.sg"`},
		{":load gr|", "größe.sg"},
		{":load größ|", "größe.sg"},
		{":load .h|", ".hidden"},
		{":load sub/|", "sub/in.sg"},
		{":load nowhere/|", ""},
		{"a; :save on|", "one.sg"},
		{":graph y o|", `one.sg "other file.sg"`},
	} {
		_, words := wordsAt(s, c.line)
		var got []string
		for _, w := range words {
			got = append(got, w.Text)
		}
		if text := strings.Join(got, " "); !sameWords(text, c.want) {
			t.Errorf("%s offers %s, want %s", c.line, text, c.want)
		}
	}
	s.options.Restricted = true
	if _, words := wordsAt(s, ":load |"); len(words) > 0 {
		t.Errorf("--restricted, and yet files are listed: %v", words)
	}
}
