package repl

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scalargrad/engine"
)

// The pictures of the tests are those of a UTF-8 locale, whatever the machine has.
func init() { environment = locale("C.UTF-8", "xterm") }

func locale(lang, term string) func(string) string {
	return func(v string) string { return map[string]string{"LANG": lang, "TERM": term}[v] }
}

// inASCII draws the pictures of one test with ASCII.
func inASCII(t *testing.T) {
	was := environment
	environment = locale("C", "xterm")
	t.Cleanup(func() { environment = was })
}

func TestGlyphs(t *testing.T) {
	was := environment
	defer func() { environment = was }()
	for _, test := range []struct {
		all, ctype, lang string
		want             *glyphs
	}{
		{"", "", "", &braille},
		{"", "", "en_US.UTF-8", &braille},
		{"", "", "de_DE.utf8", &braille},
		{"", "", "C", &ascii},
		{"", "", "de_DE@euro", &ascii},
		{"", "C.UTF-8", "C", &braille},
		{"POSIX", "C.UTF-8", "C.UTF-8", &ascii},
		{"", "ja_JP.eucJP", "ja_JP.UTF-8", &ascii},
	} {
		environment = func(v string) string {
			return map[string]string{"LC_ALL": test.all, "LC_CTYPE": test.ctype, "LANG": test.lang}[v]
		}
		if got := NewSession(Options{}).glyphs(); got != test.want {
			t.Errorf("LC_ALL=%q LC_CTYPE=%q LANG=%q: other glyphs than expected (%s)", test.all, test.ctype, test.lang, got.ellipsis)
		}
	}
}

func TestCanvas(t *testing.T) {
	show := func(g *glyphs, lines ...[4]int) string {
		c := newCanvas(g, 4, 2)
		for _, l := range lines {
			c.line(l[0], l[1], l[2], l[3])
		}
		var b strings.Builder
		for row := range c.rows {
			for _, lit := range c.lit[row*c.columns : (row+1)*c.columns] {
				b.WriteRune(g.dot(lit))
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	for _, test := range []struct {
		g     *glyphs
		lines [][4]int
		want  string
	}{
		{&braille, [][4]int{{0, 0, 0, 0}}, "⠁   \n    \n"},
		{&braille, [][4]int{{0, 0, 7, 7}}, "⠑⢄  \n  ⠑⢄\n"},
		{&braille, [][4]int{{7, 0, 0, 7}}, "  ⡠⠊\n⡠⠊  \n"},
		{&braille, [][4]int{{-3, 4, 20, 4}}, "    \n⠉⠉⠉⠉\n"},
		{&braille, [][4]int{{3, -9, 3, 90}}, " ⢸  \n ⢸  \n"},
		{&ascii, [][4]int{{0, 0, 3, 3}}, "'.  \n  '.\n"},
		{&blocks, [][4]int{{0, 0, 0, 1}, {1, 0, 1, 0}, {2, 1, 2, 1}}, "█▀▄ \n    \n"},
	} {
		if got := show(test.g, test.lines...); got != test.want {
			t.Errorf("%v:\n%swant\n%s", test.lines, got, test.want)
		}
	}
}

func TestRoundTicks(t *testing.T) {
	for _, test := range []struct {
		low, up float64
		n       int
		want    string
	}{
		{0, 4, 4, "0 1 2 3 4"},
		{-10, 10, 4, "-10 -5 0 5 10"},
		{-0.3, 0.3, 3, "-0.2 0 0.2"},
		{0, 0.3, 3, "0 0.1 0.2 0.3"},
		{0.99, 1.01, 4, "0.99 0.995 1 1.005 1.01"},
		{1e6, 1e6 + 2, 2, "1000000 1000001 1000002"},
		{-4e-11, 4e-11, 4, "-4e-11 -2e-11 0 2e-11 4e-11"},
		{-8e307, 8e307, 4, "-5e+307 0 5e+307"},
		{0, 5e-324, 2, ""},
		{1, 1 + 1e-15, 2, ""},
	} {
		_, labels := roundTicks(test.low, test.up, test.n)
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("from %v to %v: %q, want %q", test.low, test.up, got, test.want)
		}
	}
}

func TestTidy(t *testing.T) {
	for _, test := range []struct{ x, scale, want float64 }{
		{0.1 + 0.2, 0.1, 0.3},
		{-0.3 + 3*0.1, 0.1, 0},
		{1.0 / 3, 1, 0.333333333333333},
		{1e-30, 1e-30, 1e-30},
		{7, 1, 7},
		{math.MaxFloat64, 1, math.MaxFloat64}, // 15 digits would be more than there are
	} {
		if got := tidy(test.x, test.scale); got != test.want {
			t.Errorf("tidy(%v, %v) = %v, want %v", test.x, test.scale, got, test.want)
		}
	}
}

// TestTableNumbers holds a table to the derivative known from calculus.
func TestTableNumbers(t *testing.T) {
	_, run := console(t, func(o *Options) { o.JSON = true })
	run("VAR x = 0.5, c = 3; y = c*x^3 - x")
	var got struct {
		Of, By string
		Rows   []struct{ X, Y, Dy float64 }
	}
	if err := json.Unmarshal([]byte(run(":table y x -1 1 0.1")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Of != "y" || got.By != "x" || len(got.Rows) != 21 {
		t.Fatalf("%+v", got)
	}
	for i, r := range got.Rows {
		x := float64(i-10) / 10
		if r.X != x || math.Abs(r.Y-(3*x*x*x-x)) > 1e-15 || math.Abs(r.Dy-(9*x*x-1)) > 1e-14 {
			t.Errorf("row %d: %+v", i, r)
		}
	}
}

func TestPlotNumbers(t *testing.T) {
	_, run := console(t, func(o *Options) { o.JSON = true })
	run("VAR x = 0.5; y = log(x)")
	var got struct {
		X     []float64
		Y, Dy []any
	}
	if err := json.Unmarshal([]byte(run(":plot y x -1 1")), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.X) != plotPoints || len(got.Y) != plotPoints || len(got.Dy) != plotPoints || got.X[0] != -1 || got.X[plotPoints-1] != 1 {
		t.Fatalf("%d points from %v", len(got.X), got.X[0])
	}
	for i, x := range got.X {
		y, finite := got.Y[i].(float64)
		if want := math.Log(x); finite != (x > 0) || finite && math.Abs(y-want) > 1e-12 {
			t.Errorf("at %v: %v", x, got.Y[i])
		}
	}
	if got.Y[plotPoints/2] != "-Inf" {
		t.Errorf("log(0) came as %v", got.Y[plotPoints/2])
	}
}

// TestGraphContributions: the adjoint of a node is the sum, over the edges that
// leave it, of the adjoint of who uses it times the edge's local derivative.
func TestGraphContributions(t *testing.T) {
	_, run := console(t, func(o *Options) { o.JSON = true })
	run("VAR a = 2, b = 3, c = 7; k = 4; y = (a + b)*a - tanh(b/k)*a^b + sqrt(k)*c")
	var got struct {
		Nodes []struct {
			Node, Op string
			Adjoint  *float64
		}
		Edges []struct {
			From, To string
			Local    *float64
		}
	}
	if err := json.Unmarshal([]byte(run(":graph y")), &got); err != nil {
		t.Fatal(err)
	}
	adjoint, sum := map[string]float64{}, map[string]float64{}
	for _, n := range got.Nodes {
		if n.Adjoint != nil {
			adjoint[n.Node] = *n.Adjoint
		}
	}
	for _, e := range got.Edges {
		if e.Local != nil {
			sum[e.From] += adjoint[e.To] * *e.Local
		}
	}
	if len(got.Nodes) != 14 || len(adjoint) != 12 { // k and sqrt(k) are constants
		t.Errorf("%d nodes, %d with an adjoint", len(got.Nodes), len(adjoint))
	}
	for n, want := range adjoint {
		if n != got.Nodes[0].Node && math.Abs(sum[n]-want) > 1e-12 {
			t.Errorf("the contributions to %s add up to %v, its adjoint is %v", n, sum[n], want)
		}
	}
	if got.Nodes[0].Adjoint == nil || *got.Nodes[0].Adjoint != 1 {
		t.Error("the target's adjoint is not 1")
	}
}

// TestPicturesLeaveNothing: no picture changes the tape, the values or the
// adjoints of the last GRAD.
func TestPicturesLeaveNothing(t *testing.T) {
	s, run := console(t)
	run("VAR a = 2, b = 3; y = (a + b)*a; z = a/b; GRAD z")
	before, nodes, done := run(":tape"), s.tape.Len(), len(s.done)
	dir := t.TempDir()
	for _, line := range []string{":graph y", ":graph", ":plot y a", ":table y a", ":table y b -1 1 0.5",
		":graph y " + dir + "/y.svg", ":graph y " + dir + "/y.dot", ":plot y a -1e308 1e308"} {
		if text := run(line); strings.Contains(text, "error") {
			t.Errorf("%s: %s", line, text)
		}
		if after := run(":tape"); after != before || s.tape.Len() != nodes || len(s.done) != done {
			t.Errorf("after %s:\n%s", line, after)
		}
	}
	if got := run("a.grad"); !strings.HasPrefix(got, "a.grad = 0.333333333333   (of z)") {
		t.Error(got)
	}
}

func TestGraphFiles(t *testing.T) {
	_, run := console(t)
	dir := t.TempDir()
	run("VAR a = 2, b = 3; y = (a + b)*a")
	for _, name := range []string{"y.svg", "y.dot", "Y.SVG", "y z.gv"} {
		path := filepath.Join(dir, name)
		for range 2 { // the second time it replaces the first
			if got := run(`:graph y "` + path + `"`); got != "wrote "+path+": 4 nodes\n" {
				t.Errorf("%s: %s", name, got)
			}
		}
		if data, err := os.ReadFile(path); err != nil || len(data) < 300 {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, line := range []string{":graph y " + dir + "/y.png", ":graph y " + dir + "/no/y.svg", ":graph y " + dir} {
		if got := run(line); !strings.HasPrefix(got, "error: ") {
			t.Errorf("%s: %s", line, got)
		}
	}
	_, run = console(t, func(o *Options) { o.Restricted = true })
	run("VAR a = 2; y = a*a")
	if got := run(":graph y " + dir + "/restricted.svg"); !strings.HasPrefix(got, "error: ") {
		t.Error(got)
	}
	if _, err := os.Stat(dir + "/restricted.svg"); err == nil {
		t.Error("a restricted session wrote a file")
	}
}

func TestDOT(t *testing.T) {
	s, run := console(t)
	run("VAR a = 2; k = 3; y = a*a + k")
	r := graphOf(s, s.latest)
	const want = `digraph scalargrad {
  label="y = a * a + k\nvalues flow to the right, adjoints to the left; on each edge its local derivative"
  rankdir=LR
  bgcolor=white
  fontname="monospace"
  node [shape=box, fontname="monospace", fontsize=11, style=filled, fillcolor=white]
  edge [fontname="monospace", fontsize=10]
  v0 [label="y = n1 + k\nvalue 7\nadjoint 1", penwidth=2]
  v1 [label="n1 = a * a\nvalue 4\nadjoint 1"]
  v2 [label="k\nvalue 3\nconstant", color=gray40, fontcolor=gray30]
  v3 [label="a\nvalue 2\nadjoint 4", style="filled,rounded", fillcolor=lightyellow]
  v1 -> v0 [label="1"]
  v2 -> v0 [style=dotted]
  v3 -> v1 [label="a = 2"]
  v3 -> v1 [label="a = 2"]
}
`
	if got := string(r.picture(100, 400).dot()); got != want {
		t.Errorf("got\n%s", got)
	}
	for text, want := range map[string]string{
		`a "b" \n`:     `"a \"b\" \\n"`,
		"one\ntwo":     `"one\ntwo"`,
		"\x1b[31m\x00": `"␛[31m␀"`,
	} {
		if got := quoteDOT(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// graphOf is the result of :graph for a node.
func graphOf(s *Session, target engine.Node) *graphResult {
	r := &graphResult{session: s, target: target}
	r.sub, r.find, _ = s.tape.Extract(target)
	_ = r.sub.Sweep(r.find(target))
	for n := range s.tape.Reach(target) {
		if r.shown(n) {
			r.total++
		}
	}
	return r
}

// TestDeepGraph: nothing recurses, the window is kept, and every node that is
// drawn is drawn once.
func TestDeepGraph(t *testing.T) {
	s, run := console(t)
	run("VAR a = 1.5; y = a" + strings.Repeat("*0.9+a", 5_000))
	for _, height := range []int{0, 5, 24, 100} {
		for _, line := range []string{":graph", ":graph y all"} {
			text := runIn(s, line, 80, height)
			lines := strings.Count(text, "\n")
			if height > 0 && line == ":graph" && lines > height {
				t.Errorf("%d lines in a window of %d", lines, height)
			}
			names := map[string]int{}
			for l := range strings.Lines(text) {
				if head, _, ok := strings.Cut(strings.TrimLeft(l, "├─└│ "), " = "); ok && !strings.Contains(l, "graph of") {
					if names[head]++; names[head] > 1 {
						t.Errorf("%s twice in %s", head, line)
					}
				}
			}
			if left := strings.Contains(text, "further away"); left != (line == ":graph") {
				t.Errorf("%s: says that something is left out: %v", line, left)
			}
		}
	}
	r := graphOf(s, s.latest)
	if p := r.picture(300, 1200); len(p.nodes) > 300 || !bytes.Contains(p.svg(), []byte("further away")) {
		t.Error("a large SVG does not say what it leaves out")
	}
}

// runIn runs a line in a window.
func runIn(s *Session, line string, width, height int) string {
	w := &sheet{theme: NewTheme(false), digits: s.digits, width: width, height: height}
	s.stop.Store(false)
	s.Eval([]byte(line), 1, func(r Result) { r.writeText(w) })
	return string(w.buf)
}

// randomExpression writes an expression of about n operations over names.
func randomExpression(random *rand.Rand, names []string, n int) string {
	if n <= 0 {
		if random.IntN(4) == 0 {
			return []string{"2", "0.5", "1e200", "0", "3"}[random.IntN(5)]
		}
		return names[random.IntN(len(names))]
	}
	left := random.IntN(n)
	x := randomExpression(random, names, left)
	switch random.IntN(8) {
	case 0:
		functions := []string{"exp", "log", "tanh", "sqrt", "relu", "abs"}
		return functions[random.IntN(len(functions))] + "(" + x + ")"
	case 1:
		return "-(" + x + ")"
	case 2:
		return "max(" + x + "," + randomExpression(random, names, n-1-left) + ")"
	}
	return "(" + x + ")" + []string{"+", "-", "*", "/"}[random.IntN(4)] + "(" + randomExpression(random, names, n-1-left) + ")"
}

// TestRandomPictures draws random expressions in windows of all sizes: nothing
// panics, nothing is wider than the window, the SVG is well-formed and has all
// its nodes in the page and none on another.
func TestRandomPictures(t *testing.T) {
	for _, set := range []string{"C.UTF-8", "C"} {
		was := environment
		environment = locale(set, "xterm")
		for seed := range uint64(60) {
			random := rand.New(rand.NewPCG(seed, 1))
			s, run := console(t)
			names := []string{"a", "b", "θ", "a_variable_with_a_name_that_is_too_long_for_any_window_there_is", "名前"}
			run("VAR a = 2, b = -1e-7, θ = 12345.678, a_variable_with_a_name_that_is_too_long_for_any_window_there_is = 0, 名前 = 1")
			for i := range random.IntN(4) {
				run(fmt.Sprintf("named_%d = %s", i, randomExpression(random, names, random.IntN(20))))
				names = append(names, fmt.Sprintf("named_%d", i))
			}
			text := randomExpression(random, names, random.IntN(120))
			run("y = " + text)
			s.digits = 1 + random.IntN(17)
			width, height := 20+random.IntN(101), random.IntN(60)
			by := names[random.IntN(5)]
			for _, line := range []string{":graph y", ":graph y all", ":plot y " + by, ":table y " + by, ":plot y " + by + " -1e308 1e308", ":table y " + by + " 0 1e-300 1e-302"} {
				for l := range strings.Lines(runIn(s, line, width, height)) {
					l = strings.TrimSuffix(l, "\n")
					if columns(l) > width && !strings.HasPrefix(l, "warning:") && !strings.HasPrefix(l, "note:") {
						t.Errorf("seed %d, %s, width %d: %d columns: %s", seed, line, width, columns(l), l)
					}
					if set == "C" && strings.ContainsAny(l, "⣀⠉│├└┤┬─…∂▲") {
						t.Errorf("seed %d, %s: not ASCII: %s", seed, line, l)
					}
				}
			}
			y, _ := s.resolve([]byte("y"))
			p := graphOf(s, y).picture(1+random.IntN(150), 500)
			checkSVG(t, p)
			if dot := string(p.dot()); strings.Count(dot, "\n  v") != len(p.nodes)+len(p.edges) {
				t.Errorf("seed %d: %d nodes, %d edges in\n%s", seed, len(p.nodes), len(p.edges), dot)
			}
		}
		environment = was
	}
}

// checkSVG reads a picture back.
func checkSVG(t *testing.T, p *picture) {
	t.Helper()
	type rect struct{ x, y, width, height float64 }
	var page rect
	var boxes []rect
	tips, locals := 0, 0
	decoder := xml.NewDecoder(bytes.NewReader(p.svg()))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attribute := map[string]string{}
		for _, a := range e.Attr {
			attribute[a.Name.Local] = a.Value
		}
		of := func(name string) (v float64) {
			if _, err := fmt.Sscan(attribute[name], &v); err != nil || !finite(v) {
				t.Fatalf("%s %s=%q", e.Name.Local, name, attribute[name])
			}
			return v
		}
		switch class := attribute["class"]; {
		case e.Name.Local == "svg":
			page = rect{0, 0, of("width"), of("height")}
		case strings.HasPrefix(class, "box"):
			boxes = append(boxes, rect{of("x"), of("y"), of("width"), of("height")})
		case class == "tip":
			tips++
		case class == "local":
			locals++
			if of("x") < 0 || of("x") > page.width {
				t.Error("a label outside the page")
			}
		}
	}
	flows := 0
	for _, e := range p.edges {
		if e.flows {
			flows++
		}
	}
	if len(boxes) != len(p.nodes) || tips != len(p.edges) || locals != flows {
		t.Errorf("%d boxes for %d nodes, %d tips for %d edges, %d local derivatives", len(boxes), len(p.nodes), tips, len(p.edges), locals)
	}
	slices.SortFunc(boxes, func(a, b rect) int { return int(a.x - b.x) })
	for i, a := range boxes {
		if a.x < 0 || a.y < 0 || a.x+a.width > page.width || a.y+a.height > page.height {
			t.Errorf("a node outside the page: %+v in %+v", a, page)
		}
		for _, b := range boxes[i+1:] {
			if a.x < b.x+b.width && b.x < a.x+a.width && a.y < b.y+b.height && b.y < a.y+a.height {
				t.Errorf("%+v and %+v overlap", a, b)
			}
		}
	}
}

// TestPicturesInterrupted: a picture that is asked to stop gives nothing and
// changes nothing.
func TestPicturesInterrupted(t *testing.T) {
	s, run := console(t)
	run("VAR a = 2; y = a*a + a; GRAD")
	before := run(":tape")
	for _, line := range []string{":graph y", ":plot y a", ":table y a"} {
		var got []Result
		s.stop.Store(true)
		s.Eval([]byte(line), 1, func(r Result) { got = append(got, r) })
		if f, ok := got[0].(*failure); !ok || f.Code != "interrupted" {
			t.Errorf("%s: %#v", line, got[0])
		}
		if after := run(":tape"); after != before {
			t.Errorf("%s changed the session:\n%s", line, after)
		}
	}
}

func TestPicturesInASCII(t *testing.T) {
	inASCII(t)
	_, run := console(t)
	run("VAR a = 2, b = 3; y = (a + b)*a")
	const graph = "graph of y = (a + b) * a\n" +
		"node            value   adjoint   local derivative\n" +
		"y = n1 * a      10      1\n" +
		"|- n1 = a + b   5       2         a = 2\n" +
		"|  |- a         2       7         1\n" +
		"|  `- b         3       2         1\n" +
		"`- a (above)                      n1 = 5\n"
	if got := run(":graph"); got != graph {
		t.Errorf("got\n%s", got)
	}
	plot := run(":plot y a 0 4")
	for _, want := range []string{"20 +", "dy/da", "^ a = 2"} {
		if !strings.Contains(plot, want) {
			t.Errorf("no %q in\n%s", want, plot)
		}
	}
}

// TestLayersKeepPorts: what has two inputs has them enter in order, and an
// order without crossings is found where the first one is.
func TestLayersKeepPorts(t *testing.T) {
	s, run := console(t)
	run("VAR a = 1, b = 2, c = 3, d = 4; y = (a*b)*(c*d)")
	l := graphOf(s, s.latest).picture(100, 400).layers()
	l.sort()
	if n := l.crossings(); n != 0 {
		t.Errorf("a tree has %d crossings", n)
	}
	run("z = (a*b)*(b*a)")
	l = graphOf(s, s.latest).picture(100, 400).layers()
	if l.sort(); l.crossings() == 0 {
		t.Error("two products of the same two, swapped, cannot be drawn without a crossing")
	}
}

func TestClip(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"名前名", 5, "名前…"}, {"名前名", 4, "名…"}, {"θθθθ", 4, "θθθθ"}, {"abc", 1, "…"}, {"abc", 0, ""},
	} {
		if got := braille.clip(test.text, test.width); got != test.want {
			t.Errorf("%q in %d: %q, want %q", test.text, test.width, got, test.want)
		}
	}
}
