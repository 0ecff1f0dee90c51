package repl

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"scalargrad/engine"
	"scalargrad/history"
)

// A likeness is all that a person can see of a session's tape and names.
type likeness struct {
	Nodes     []string // operation, parents and value of every operation, by its number
	Names     map[string]string
	NodeNames map[string][]string // the names of a node, the first one first
	Variables []string
	Latest    string
	Listed    []string
}

func (l likeness) equals(other likeness) bool { return fmt.Sprint(l) == fmt.Sprint(other) }

func likenessOf(s *Session) likeness {
	describe := func(n engine.Node) string {
		switch {
		case n == 0:
			return ""
		case s.tape.IsLeaf(n) && s.tape.IsVariable(n):
			return "variable " + s.names[n][0]
		case s.tape.IsLeaf(n):
			return fmt.Sprint("constant ", s.tape.Value(n))
		}
		return fmt.Sprint("@", s.tape.Number(n))
	}
	l := likeness{Names: map[string]string{}, NodeNames: map[string][]string{}, Variables: slices.Clone(s.vars), Latest: describe(s.latest)}
	for k := 1; k <= s.tape.Operations(); k++ {
		n := s.tape.Operation(k)
		x, y := s.tape.Parents(n)
		l.Nodes = append(l.Nodes, fmt.Sprintf("%v %s %s %x", s.tape.Op(n), describe(x), describe(y), math.Float64bits(s.tape.Value(n))))
	}
	for name, sym := range s.symbols {
		l.Names[name] = fmt.Sprintf("%s %x", describe(sym.node), math.Float64bits(s.tape.Value(sym.node)))
		l.NodeNames[name] = slices.Clone(s.names[sym.node])
	}
	l.Listed = s.expressions()
	return l
}

// randomStatement returns a statement that may use anything: also what is not
// there, so that some are refused.
func randomStatement(r *rand.Rand) string {
	names := []string{"a", "b", "c", "y", "z", "n2", "n5"}
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	operand := func() string {
		return pick(pick(names...), pick(names...), pick(names...), "ans", "n1", "n3", "@2", "@4", "2", "3.5", "pi", "_", "missing")
	}
	var term func(depth int) string
	term = func(depth int) string {
		if depth == 0 {
			return operand()
		}
		switch r.IntN(6) {
		case 0:
			return "sin(" + term(depth-1) + ")"
		case 1:
			return "-" + term(depth-1)
		case 2:
			return "grad(" + operand() + ", " + operand() + ")"
		}
		return "(" + term(depth-1) + pick(" + ", "*", " - ", " / ", "^") + term(depth-1) + ")"
	}
	switch r.IntN(12) {
	case 0, 1:
		return "VAR " + pick("a", "b", "c", "n2") + fmt.Sprintf(" = %d/4", r.IntN(20)-8)
	case 2:
		return fmt.Sprintf("var a %d, b %d, \\\n c %d, a %d", r.IntN(9), r.IntN(9), r.IntN(9), r.IntN(9))
	case 3, 4, 5:
		return "EXPR " + pick("y", "z", "n5", "n2", "c") + " = " + term(r.IntN(3))
	case 6:
		return term(1 + r.IntN(2))
	case 7:
		return "GRAD " + term(r.IntN(3))
	case 8:
		return "GRAD " + pick("y", "z", "a", "ans")
	case 9:
		return pick("y", "a.grad", "n1", "oops", ":vars", "VAR y = 2 +", ":digits 12")
	case 10:
		return "k" + fmt.Sprint(r.IntN(3)) + " = " + fmt.Sprint(r.IntN(5))
	}
	return pick("z = y", "y = a", "y = ans", "VAR k1 = 3", "EXPR z = y + \\\r\n  a # why")
}

// TestKeepProperties: after any statements, taking back the last n gives what
// there was n statements ago; what :save writes gives the same session in an
// empty one; and so does the log that is kept for --resume.
func TestKeepProperties(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 4))
		s, run := console(t)
		logs := filepath.Join(dir, fmt.Sprint("log", seed))
		s.journal = history.NewLog(logs)
		s.emit = func(Result) {}
		var before []likeness // what there was before the statement in s.done
		var script []string
		for range 40 {
			line := randomStatement(r)
			if r.IntN(4) == 0 && !strings.Contains(line, "#") {
				line += "; " + randomStatement(r)
			}
			if r.IntN(50) == 0 {
				line = ":reset"
			}
			script = append(script, line)
			if r.IntN(8) == 0 && len(s.done) > 0 {
				n := 1 + r.IntN(min(5, len(s.done)))
				if out := run(fmt.Sprint(":undo ", n)); strings.Contains(out, "error") {
					t.Fatalf("seed %d: :undo %d: %s", seed, n, out)
				}
				want := before[len(before)-n]
				before = before[:len(before)-n]
				script = append(script, fmt.Sprint(":undo ", n))
				if got := likenessOf(s); !got.equals(want) {
					t.Fatalf("seed %d: after\n%s\n got %+v\nwant %+v", seed, strings.Join(script, "\n"), got, want)
				}
			}
			was := likenessOf(s)
			for part := range strings.SplitSeq(line, "; ") {
				done := len(s.done)
				run(part)
				now := likenessOf(s)
				switch {
				case part == ":reset":
					before = nil
				case len(s.done) > done:
					before = append(before, was)
				case !now.equals(was):
					t.Fatalf("seed %d: %q changed something and is not kept", seed, part)
				}
				was = now
			}
		}
		want, wantTexts := likenessOf(s), s.statements()
		s.journal.Close()
		if len(s.done) == 0 {
			continue
		}

		path := filepath.Join(dir, fmt.Sprint(seed, ".sg"))
		if out := run(":save " + path); !strings.HasPrefix(out, "saved") {
			t.Fatal(out)
		}
		again, run := console(t)
		if out := run(":load " + path); strings.Contains(out, "error:") {
			t.Fatalf("seed %d: %s", seed, out)
		}
		if got := likenessOf(again); !got.equals(want) {
			text, _ := os.ReadFile(path)
			t.Fatalf("seed %d: loading\n%s\n got %+v\nwant %+v", seed, text, got, want)
		}
		if got := again.statements(); !slices.Equal(got, wantTexts) {
			t.Fatalf("seed %d: saved %q, loaded as %q", seed, wantTexts, got)
		}
		run(fmt.Sprint(":undo ", len(again.done)))
		if !likenessOf(again).equals(likenessOf(NewSession(Options{}))) {
			t.Fatalf("seed %d: undoing all leaves something", seed)
		}

		entries, _, err := history.LatestLog(logs)
		if err != nil || !slices.Equal(entries, wantTexts) {
			t.Fatalf("seed %d: the log has %q, %v; accepted were %q", seed, entries, err, wantTexts)
		}
	}
}

// TestUndoMany takes back many values of one variable with one replay: were it
// one each, this would take minutes.
func TestUndoMany(t *testing.T) {
	s, run := console(t)
	run("VAR a = 1")
	run("y = a" + strings.Repeat("+a", 200_000))
	s.quiet = true
	for i := range 50 {
		run(fmt.Sprint("VAR a = ", i+2))
	}
	for range 1000 { // as if 50,000 had been typed
		s.done = append(s.done, s.done[2:52]...)
	}
	run(":undo 50050")
	if v := s.tape.Value(s.symbols["y"].node); v != 200_001 {
		t.Errorf("y = %v, want what it was when a was 1", v)
	}
}

func TestBatchKeepsNothing(t *testing.T) {
	s, run := console(t)
	s.keep = false
	run("VAR a = 2")
	for _, line := range []string{":undo", ":save " + filepath.Join(t.TempDir(), "x")} {
		if out := run(line); !strings.Contains(out, "does not keep its statements") {
			t.Errorf("%s: %s", line, out)
		}
	}
	if len(s.done) > 0 {
		t.Error("something is kept all the same")
	}
}

func TestSaveFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	_, run := console(t)
	run("VAR a = 2")
	in := func(name string) string { return filepath.Join(dir, name) }
	const text = "# saved by scalargrad test\nVAR a = 2\n"
	holds := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(in(name)); string(got) != want || err != nil {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	expect := func(line, want string) {
		t.Helper()
		if out := run(line); !strings.Contains(out, want) {
			t.Errorf("%s: %s", line, out)
		}
	}
	expect(":save "+in("new"), "saved 1 statement")
	holds("new", text)
	expect(":save ~/home", "saved 1 statement to ~/home")
	holds("home", text)
	expect(`:save "`+in("with blank; # and all")+`"`, "saved")
	holds("with blank; # and all", text)

	os.WriteFile(in("old"), []byte("precious"), 0o640)
	expect(":save "+in("old"), "exists")
	holds("old", "precious")
	expect(":save -f "+in("old"), "saved")
	holds("old", text)
	if st, _ := os.Stat(in("old")); st.Mode().Perm() != 0o640 {
		t.Errorf("the permissions of the file that was replaced are %v now", st.Mode())
	}

	os.WriteFile(in("behind"), []byte("precious"), 0o600)
	os.Symlink("behind", in("link"))
	expect(":save "+in("link"), "symbolic link")
	holds("behind", "precious")
	expect(":save "+in("link")+" -f", "saved")
	holds("behind", text)
	if st, _ := os.Lstat(in("link")); st.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced and not followed")
	}
	os.Symlink("nowhere", in("dangling"))
	expect(":save "+in("dangling")+" -f", "symbolic link")

	files, _ := filepath.Glob(in(".*"))
	if len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}

// TestWriteFileFails: what cannot be written whole changes nothing.
func TestWriteFileFails(t *testing.T) {
	s, _ := console(t)
	path := filepath.Join(t.TempDir(), "f")
	os.WriteFile(path, []byte("precious"), 0o600)
	boom := fmt.Errorf("boom")
	err := s.writeFile(path, true, func(w io.Writer) error {
		w.Write(bytes.Repeat([]byte("x"), 1<<20))
		return boom
	})
	if err == nil || !strings.Contains(err.Error(), "boom") || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "precious" {
		t.Errorf("the file holds %.20q", got)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
}

func TestLoadOdd(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "loaded"},
		{"no newline at the end", "VAR a = 2\nb = a", "b = 2"},
		{"CRLF and BOM", "\ufeffVAR a = 2\r\n  a+1\r\n", "n2 = 3"},
		{"binary", "\x7fELF\x02\x00\x00", "binary data"},
		{"a transcript", "> VAR a = 2\n> a^2\n", "n2 = 4"},
		{"its own names", "VAR n3 = 2\nEXPR n4 = n3*2\n n4 + n3", "loaded"},
		{"a number", "VAR a = 1\nn1 + 2", ":2 mentions n1"},
		{"an @", "VAR a = 1\n\n1; b = 2; @1", ":3 mentions @1"},
		{"to differentiate", "VAR a = 1; GRAD a WRT n2", ":1 mentions n2"},
		{"shown", "n1", ":1 mentions n1"},
		{"in a command", ":trace n1", ":1 mentions n1"},
		{"in text", ":echo n1 # n1\nVAR a = 1 // n1", "loaded"},
		{"name too late", "VAR a = n2; VAR n2 = 1", ":1 mentions n2"},
		{"behind a reset", ":reset; VAR a = 1\na + a; n1", "n1 = 2"},
		{"continued", "VAR a = 1\nb = a + \\\n n1", ":3 mentions n1"},
		{"no such operation", "n1000000", "mentions n1000000"},
		{"a fault", "VAR a = 1\n  a +\n", ":2:6: error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, run := console(t)
			run("VAR other = 1")
			run("other + 1") // the tape has an operation
			if out := run(":load " + file("f.sg", test.text)); !strings.Contains(out, test.want) {
				t.Errorf("got %s", out)
			}
		})
	}
	t.Run("deep", func(t *testing.T) {
		for i := range maxLoads + 2 {
			file(fmt.Sprint("d", i), fmt.Sprintf(":load %s/d%d\n", dir, i+1))
		}
		_, run := console(t)
		if out := run(":load " + dir + "/d0"); !strings.Contains(out, "not deeper") {
			t.Errorf("got %s", out)
		}
	})
	t.Run("stopped", func(t *testing.T) {
		s, _ := console(t)
		lines, results := 0, ""
		s.Eval([]byte(":load "+file("long.sg", "VAR a = 2\n"+strings.Repeat("a^2\n", 10_000))), 1, func(r Result) {
			if lines++; lines == 100 {
				s.stop.Store(true)
			}
			if f, ok := r.(*failure); ok {
				results += f.Message + "\n"
			}
		})
		if !strings.Contains(results, "interrupted at") || lines > 105 || s.tape.Operations() < 90 {
			t.Errorf("%d results, %d operations: %s", lines, s.tape.Operations(), results)
		}
	})
	t.Run("grows", func(t *testing.T) {
		s, _ := console(t)
		path := file("grows.sg", "VAR a = 1\na+1\na+2\n")
		s.Eval([]byte(":load "+path), 1, func(Result) {
			f, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			f.WriteString("a+3\n")
			f.Close()
		})
		if n := s.tape.Operations(); n != 2 {
			t.Errorf("%d operations, want the 2 that the file had when it was opened", n)
		}
	})
}

func TestRestricted(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "s.sg")
	os.WriteFile(script, []byte("VAR a = 1\n"), 0o600)
	_, run := console(t, func(o *Options) { o.Restricted = true })
	run("VAR a = 2; y = a^2")
	for _, line := range []string{
		":load " + script, ":save " + dir + "/x", ":save " + script + " -f", ":graph y " + dir + "/x.svg", ":graph y " + dir + "/x.dot", ":load /nonexistent",
	} {
		if out := run(line); !strings.Contains(out, "--restricted") {
			t.Errorf("%s: %s", line, out)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("files: %v", files)
	}
}

func TestOutputLimit(t *testing.T) {
	for _, json := range []bool{false, true} {
		var screen bytes.Buffer
		r := &runner{Session: NewSession(Options{JSON: json, MaxNodes: 1 << 20})}
		for _, w := range []*stream{&r.out, &r.err} {
			*w = stream{sheet: sheet{theme: NewTheme(false), width: 80}, file: &screen}
		}
		r.out.limit = 1000
		for i := range 200 {
			r.Eval(fmt.Appendf(nil, "VAR v%d = %d", i, i), i, r.emitResult)
		}
		r.out.flush()
		screen.Reset()
		r.Eval([]byte(":vars"), 101, r.emitResult)
		r.Eval([]byte(":tape"), 102, r.emitResult)
		r.Eval([]byte("v1 + 1"), 103, r.emitResult)
		r.out.flush()
		if got := strings.Count(screen.String(), "the answer is cut"); got != 2 || screen.Len() > 4000 {
			t.Errorf("JSON %v: %d answers are cut:\n%s", json, got, screen.String())
		}
		if !r.failed || !strings.Contains(screen.String(), "n1") {
			t.Errorf("JSON %v: %s", json, screen.String())
		}
	}
}

// FuzzLoad: a file is the same by :load as on the command line, whatever is in
// it; all that it did can be taken back; and among other nodes it runs or is
// refused for the numbers in it, as a whole.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		"VAR a = 2, b = 3\r\nEXPR y = (a + \\\n b) * a; n1 * 2\nGRAD y WRT n1\n",
		"\ufeff> VAR n1 = 2\n> n1 + 1 # n2\n:reset\n@1\n", "VAR a = 1\n:quit\nVAR b = 2", "\xff\x1b\x00\n", "a.grad\n@5\n:undo\n1.2.3", ":trace n2\n:tape\n:echo n2\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte(":")) && regexp.MustCompile(`(?i):\s*(load|save|graph|undo|quit|exit)`).Match(text) {
			return // these are not the same within a :load, or write files
		}
		path := filepath.Join(t.TempDir(), "f.sg")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		load := `:load "` + path + `"` // there is a # in the path
		limits := func(o *Options) { o.MaxNodes, o.Timeout = 10_000, time.Second }
		s, run := console(t, limits)
		if out := run(load); strings.Contains(out, "binary data") {
			return
		}
		o := Options{}
		limits(&o)
		direct := batch(o, io.Discard)
		direct.lines(bytes.NewReader(text), path)
		if got, want := likenessOf(s), likenessOf(direct.Session); !got.equals(want) {
			t.Errorf("%q\nloaded %+v\n   ran %+v", text, got, want)
		}
		run(fmt.Sprint(":undo ", max(len(s.done), 1)))
		if !bytes.Contains(bytes.ToLower(text), []byte("reset")) && !likenessOf(s).equals(likenessOf(NewSession(o))) {
			t.Errorf("%q: undoing all leaves %+v", text, likenessOf(s))
		}

		s, run = console(t, limits)
		run("VAR q = 1; q + 1")
		before := likenessOf(s)
		if out := run(load); strings.Contains(out, "only right on an empty tape") && !likenessOf(s).equals(before) {
			t.Errorf("%q was refused and did something", text)
		}
	})
}
