package grammar

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestStatements holds lines against what is read from them.
func TestStatements(t *testing.T) {
	for _, row := range []struct {
		line string
		want []string
	}{
		// Blank and comment.
		{"", nil},
		{"  \t ; ;; # x", nil},
		{"// a; b", nil},
		{"# a; b", nil},
		{"a; b;; c;", []string{"show a", "show b", "show c"}},
		{"a # b; c", []string{"show a"}},
		{"5 // 2", []string{"expr 5"}},
		{"a/2 // 2", []string{"expr a 2 div"}},

		// VAR.
		{"VAR a = 2, b = 3", []string{"var a = 2, b = 3"}},
		{"VAR a 2 b 3", []string{"var a = 2, b = 3"}},
		{"VAR a=2,b=3", []string{"var a = 2, b = 3"}},
		{"VAR a = 2 b = 3", []string{"var a = 2, b = 3"}},
		{"VAR a 2, b 3 c 4", []string{"var a = 2, b = 3, c = 4"}},
		{"VAR a - 1", []string{"var a = 1 neg"}},
		{"VAR a-1", []string{"var a = 1 neg"}},
		{"VAR a 5 - 1 b -2", []string{"var a = 5 1 sub, b = 2 neg"}},
		{"VAR w = -1/3", []string{"var w = 1 neg 3 div"}},
		{"VAR t = sqrt(2)", []string{"var t = 2 sqrt/1"}},
		{"VAR a (1+2) b (3)", []string{"var a = 1 2 add, b = 3"}},
		{"VAR a pi b 3", []string{"var a = pi, b = 3"}},
		{"VAR a b 3", []string{"error missing-value"}},
		{"VAR a = pi b 3", []string{"var a = pi, b = 3"}},
		{"VAR t = max(1, 2), u = 3", []string{"var t = 1 2 max/2, u = 3"}},
		{"VAR S = 28535, K = 28500, sigma = 0.1817, tau = 17/252",
			[]string{"var S = 28535, K = 28500, sigma = 0.1817, tau = 17 252 div"}},
		{"var a 2; Var b 3; VAR c 4", []string{"var a = 2", "var b = 3", "var c = 4"}},
		{"VAR a = 2;", []string{"var a = 2"}},
		{"VAR a 2 WRT", []string{"error misplaced-keyword"}},
		{"VAR e = 2, E = 3", []string{"var e = 2, E = 3"}},

		// EXPR.
		{"EXPR (a + b) * a", []string{"expr a b add a mul"}},
		{"EXPR(a + b)*a", []string{"expr a b add a mul"}},
		{"EXPR y = (a + b) * a", []string{"expr y = a b add a mul"}},
		{"expr y=a", []string{"expr y = a"}},
		{"y = (a + b) * a", []string{"expr y = a b add a mul"}},
		{"EXPR y", []string{"expr y"}},
		{"(y)", []string{"expr y"}},
		{"a = 5", []string{"expr a = 5"}},
		{"5", []string{"expr 5"}},
		{"f (x)", []string{"expr x f/1"}},
		{"f()", []string{"expr f/0"}},
		{"f(x, -y, g(1, 2))", []string{"expr x y neg 1 2 g/2 f/3"}},
		{"f(x)^2", []string{"expr x f/1 2 power"}},
		{"@5 + n2", []string{"expr @5 n2 add"}},
		{"ans + _", []string{"expr ans _ add"}},
		{"_x = 1", []string{"expr _x = 1"}},
		{"grad(y, a) * 2", []string{"expr y a grad/2 2 mul"}},
		{"g = grad(y, a)", []string{"expr g = y a grad/2"}},
		{"EXPR grad(y, a)", []string{"expr y a grad/2"}},
		{"2*grad(y, a)", []string{"expr 2 y a grad/2 mul"}},
		{"variance + exprs + graded + wrtx", []string{"expr variance exprs add graded add wrtx add"}},

		// Show.
		{"y", []string{"show y"}},
		{"ans", []string{"show ans"}},
		{"_", []string{"show _"}},
		{"@12", []string{"show @12"}},
		{"a.grad", []string{"showgrad a"}},
		{"  a.grad  # now", []string{"showgrad a"}},
		{"@3.grad", []string{"showgrad @3"}},
		{"grad", []string{"grad"}},

		// GRAD.
		{"GRAD", []string{"grad"}},
		{"GRAD; GRAD # again", []string{"grad", "grad"}},
		{"GRAD y", []string{"grad y"}},
		{"GRAD y a, b", []string{"grad y a b"}},
		{"GRAD y, a b", []string{"grad y, a b"}},
		{"GRAD y ,a", []string{"grad y, a"}},
		{"GRAD a b c", []string{"grad a b c"}},
		{"GRAD @5 n1 ans _", []string{"grad @5 n1 ans _"}},
		{"GRAD WRT a, b", []string{"grad WRT a b"}},
		{"GRAD y WRT a b", []string{"grad y WRT a b"}},
		{"GRAD @5 WRT a", []string{"grad @5 WRT a"}},
		{"GRAD y wrt @2, n1", []string{"grad y WRT @2 n1"}},
		{"GRAD y^2 + a", []string{"grad y 2 power a add"}},
		{"GRAD y^2 WRT x, y", []string{"grad y 2 power WRT x y"}},
		{"GRAD (y)", []string{"grad y"}},
		{"GRAD(y)", []string{"grad y"}},
		{"Grad(y) WRT a", []string{"grad y WRT a"}},
		{"GRAD grad(y, a)", []string{"grad y a grad/2"}},
		{"GRAD y -1", []string{"grad y 1 sub"}},
		{"GRAD -y", []string{"grad y neg"}},
		{"GRAD f(y) WRT y", []string{"grad y f/1 WRT y"}},
		{"GRAD y²", []string{"grad y 2 power"}},

		// Powers, signs, precedence.
		{"2^3^2", []string{"expr 2 3 2 power power"}},
		{"2**3**2", []string{"expr 2 3 2 power power"}},
		{"-a^2", []string{"expr a 2 power neg"}},
		{"2*-a", []string{"expr 2 a neg mul"}},
		{"a--b", []string{"expr a b neg sub"}},
		{"--a", []string{"expr a neg neg"}},
		{"+a + +b", []string{"expr a b add"}},
		{"-+-a", []string{"expr a neg neg"}},
		{"-2", []string{"expr 2 neg"}},
		{"-a*b", []string{"expr a neg b mul"}},
		{"a - b - c", []string{"expr a b sub c sub"}},
		{"a / b / c * d", []string{"expr a b div c div d mul"}},
		{"a + b * c ^ d", []string{"expr a b c d power mul add"}},
		{"a ^ b * c + d", []string{"expr a b power c mul d add"}},
		{"a^-2", []string{"expr a -2 power"}},
		{"a^+2", []string{"expr a 2 power"}},
		{"a^ - 2", []string{"expr a -2 power"}},
		{"a**-2", []string{"expr a -2 power"}},
		{"a^−2", []string{"expr a -2 power"}},
		{"a^-b", []string{"expr a b neg power"}},
		{"a^--2", []string{"expr a 2 neg neg power"}},
		{"a^(-2)", []string{"expr a 2 neg power"}},
		{"2^-2^2", []string{"expr 2 2 2 power neg power"}},
		{"2^-2²", []string{"expr 2 2 2 power neg power"}},
		{"2^-2**2", []string{"expr 2 2 2 power neg power"}},
		{"2^-2 * 3", []string{"expr 2 -2 power 3 mul"}},
		{"2^-.5", []string{"expr 2 -0.5 power"}},
		{"2^-a*b", []string{"expr 2 a neg power b mul"}},
		{"x² + x⁻¹", []string{"expr x 2 power x -1 power add"}},
		{"(a+b)²", []string{"expr a b add 2 power"}},
		{"f(x)²", []string{"expr x f/1 2 power"}},
		{"-x²", []string{"expr x 2 power neg"}},
		{"a^x²", []string{"expr a x 2 power power"}},
		{"2²", []string{"expr 2 2 power"}},
		{"x ²", []string{"expr x 2 power"}},
		{"x⁺¹⁰", []string{"expr x 10 power"}},
		{"(a²)^3", []string{"expr a 2 power 3 power"}},
		{"((a²))³", []string{"expr a 2 power 3 power"}},
		{"a²*b²", []string{"expr a 2 power b 2 power mul"}},

		// Pasted text.
		{"\uFEFFVAR a = 2", []string{"var a = 2"}},
		{"\uFEFF> VAR a = 2", []string{"var a = 2"}},
		{"> VAR a = 2", []string{"var a = 2"}},
		{"  >  a", []string{"show a"}},
		{">", nil},
		{"> ", nil},
		{"a + b\r", []string{"expr a b add"}},
		{"a + b\r\n", []string{"expr a b add"}},
		{"a – b − c", []string{"expr a b sub c sub"}},
		{"a×b·c⋅d÷e", []string{"expr a b mul c mul d mul e div"}},
		{"a\u00A0+\u2009b\u3000", []string{"expr a b add"}},
		{"\u00A0VAR\u00A0a\u00A0=\u00A02\u00A0", []string{"var a = 2"}},
		{"θ = 2; θ₀", []string{"expr θ = 2", "error foreign-character"}},
		{"наклон = 2*ñ", []string{"expr наклон = 2 ñ mul"}},

		// Continuation.
		{"a + \\\n b", []string{"expr a b add"}},
		{"a + \\ \t\r\n b", []string{"expr a b add"}},
		{"VAR a = 2, \\\n b = 3 \\\n", []string{"var a = 2, b = 3"}},
		{"a \\\n\\\n + b # c", []string{"expr a b add"}},
		{"a \\", []string{"show a"}},
		{"\\\n", nil},
		{"a\nb # c\n> d", []string{"show a", "show b", "show d"}},

		// Commands.
		{":trace", []string{"command trace"}},
		{":trace on", []string{"command trace on"}},
		{": trace on", []string{"command trace on"}},
		{"a; :trace ; b", []string{"show a", "command trace", "show b"}},
		{`:echo "a; # b" // c`, []string{`command echo "a; # b"`}},
		{`:echo 'a "b" // c' d`, []string{`command echo "a \"b\" // c" d`}},
		{`:echo "a \"b\" \\ \c"`, []string{`command echo "a \"b\" \\ \\c"`}},
		{`:echo it's # a comment`, []string{"command echo it's"}},
		{`:echo""x`, []string{`command echo "" x`}},
		{`:save C:\dir\a.sg -f`, []string{`command save C:\dir\a.sg -f`}},
		{":load a.sg;a", []string{"command load a.sg", "show a"}},
		{":check a = 2a + b", []string{"command check a = 2a + b"}},
		{":?", []string{"command ?"}},
		{":max-nodes 3", []string{"command max-nodes 3"}},
		{":descend loss rate=1..0.1 steps=100", []string{"command descend loss rate=1..0.1 steps=100"}},
		{":echo a\u00A0b", []string{"command echo a b"}},
		{":echo \"a \\\n b\"", []string{`command echo "a   b"`}},

		// A refused statement leaves its neighbours alone.
		{"VAR a = 2; 2a; a", []string{"var a = 2", "error implicit-multiplication", "show a"}},
		{`y = "a; b"; c`, []string{"error unexpected-character", "show c"}},
		{`y = 5"; b`, []string{"error unexpected-character", "show b"}},
		{"y = a ! b # c; d", []string{"error unexpected-character"}},
		{"y = (a \\\n ; b", []string{"error missing-paren", "show b"}},
		{`:load "a; b`, []string{"error missing-quote"}},
		{":load \"a; b\nc", []string{"error missing-quote", "show c"}},
		{":; a", []string{"error missing-command", "show a"}},
	} {
		var p Parser
		if got := lines(&p, []byte(row.line)); !slices.Equal(got, row.want) {
			t.Errorf("%q:\n got %q\nwant %q", row.line, got, row.want)
		}
		checkLine(t, []byte(row.line))
	}
}

// TestSpans holds the offsets of one statement of each kind.
func TestSpans(t *testing.T) {
	one := func(line string) *Statement {
		t.Helper()
		var p Parser
		p.Reset([]byte(line))
		s, ok := p.Next()
		if !ok || s.Err != nil {
			t.Fatalf("%q: %v %v", line, ok, s)
		}
		return s
	}
	same := func(line, what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %s is %v, want %v", line, what, got, want)
		}
	}

	line := "> var  a = -2, b 3 ;"
	s := one(line)
	same(line, "Span", s.Span, Span{2, 18})
	same(line, "Keyword", s.Keyword, Span{2, 5})
	same(line, "Bindings", s.Bindings, []Binding{
		{Name: Span{7, 8}, Expr: []Item{
			{Kind: Number, Span: Span{12, 13}, Start: 12, End: 13, Value: 2},
			{Kind: Operator, Op: OpNeg, Span: Span{11, 12}, Start: 11, End: 13},
		}},
		{Name: Span{15, 16}, Expr: []Item{{Kind: Number, Span: Span{17, 18}, Start: 17, End: 18, Value: 3}}},
	})

	line = "y = f( (a) , @2 ) **b"
	s = one(line)
	same(line, "Span", s.Span, Span{0, 21})
	same(line, "Keyword", s.Keyword, Span{})
	same(line, "Name", s.Name, Span{0, 1})
	same(line, "Expr", s.Expr, []Item{
		{Kind: Name, Span: Span{8, 9}, Start: 8, End: 9},
		{Kind: Node, Span: Span{13, 15}, Start: 13, End: 15, Value: 2},
		{Kind: Call, Args: 2, Span: Span{4, 5}, Start: 4, End: 17},
		{Kind: Name, Span: Span{20, 21}, Start: 20, End: 21},
		{Kind: Operator, Op: OpPower, Span: Span{18, 20}, Start: 4, End: 21},
	})

	line = "(a − b)² - c^-2"
	s = one(line)
	same(line, "Expr", s.Expr, []Item{
		{Kind: Name, Span: Span{1, 2}, Start: 1, End: 2},
		{Kind: Name, Span: Span{7, 8}, Start: 7, End: 8},
		{Kind: Operator, Op: OpSub, Span: Span{3, 6}, Start: 1, End: 8},
		{Kind: Number, Span: Span{9, 11}, Start: 9, End: 11, Value: 2},
		{Kind: Operator, Op: OpPower, Span: Span{9, 11}, Start: 0, End: 11},
		{Kind: Name, Span: Span{14, 15}, Start: 14, End: 15},
		{Kind: Number, Span: Span{16, 18}, Start: 16, End: 18, Value: -2},
		{Kind: Operator, Op: OpPower, Span: Span{15, 16}, Start: 14, End: 18},
		{Kind: Operator, Op: OpSub, Span: Span{12, 13}, Start: 0, End: 18},
	})

	line = "  GRAD y wrt a ,@2 # b"
	s = one(line)
	same(line, "Span", s.Span, Span{2, 18})
	same(line, "Keyword", s.Keyword, Span{2, 6})
	same(line, "WRT", s.WRT, Span{9, 12})
	same(line, "Expr", s.Expr, []Item{{Kind: Name, Span: Span{7, 8}, Start: 7, End: 8}})
	same(line, "Names", s.Names, []Span{{13, 14}, {16, 18}})

	line = ` :load  "a b" c  // d`
	s = one(line)
	same(line, "Span", s.Span, Span{1, 15})
	same(line, "Command", s.Command, Span{2, 6})
	same(line, "Tail", s.Tail, Span{8, 15})
	same(line, "Args", s.Args, []Arg{{Span{8, 13}, "a b", true}, {Span{14, 15}, "c", false}})

	line = " a.grad "
	s = one(line)
	same(line, "Span", s.Span, Span{1, 7})
	same(line, "Name", s.Name, Span{1, 2})

	line = "GRAD a + b WRT c"
	s = one(line)
	same(line, "Span", s.Span, Span{0, 16})
	same(line, "WRT", s.WRT, Span{11, 14})
	if got := string((Span{11, 14}).Text([]byte(line))); got != "WRT" || (Span{11, 14}).Len() != 3 || (Span{3, 4}).Empty() || !(Span{3, 3}).Empty() {
		t.Errorf("Span's methods: %q", got)
	}
}

// TestNothingRecurses parses nesting and length that would overflow a stack or,
// were anything quadratic, not end.
func TestNothingRecurses(t *testing.T) {
	const n = 100_000
	for _, row := range []struct {
		name, line string
		items      int
	}{
		{"parentheses", strings.Repeat("(", n) + "a" + strings.Repeat(")", n), 1},
		{"calls", strings.Repeat("f(", n) + "a" + strings.Repeat(")", n), n + 1},
		{"minus signs", strings.Repeat("-", n) + "a", n + 1},
		{"plus signs", strings.Repeat("+", n) + "a", 1},
		{"sum", strings.Repeat("x+", 2*n) + "x", 4*n + 1},
		{"powers", strings.Repeat("x^", n) + "x", 2*n + 1},
		{"powers with signs", strings.Repeat("x^-", n) + "x", 3*n + 1},
		{"arguments", "f(" + strings.Repeat("a, ", n) + "a)", n + 2},
		{"a name of a megabyte", strings.Repeat("a", 10*n) + "+b", 3},
		{"a literal of a megabyte", "0." + strings.Repeat("1", 10*n), 1},
		{"blanks", strings.Repeat(" ", n) + "(a)" + strings.Repeat("\\\n", n) + "+b", 3},
		{"comment", "(a) # " + strings.Repeat("; // ", n), 1},
		{"empty statements", strings.Repeat(";", n) + "(a)", 1},
	} {
		var p Parser
		if got := count(t, &p, []byte(row.line)); got != row.items {
			t.Errorf("%s: %d items, want %d", row.name, got, row.items)
		}
	}
	for _, line := range []string{
		strings.Repeat("(", n), strings.Repeat("f(", n) + "1", strings.Repeat("a ", n), strings.Repeat("GRAD ", n),
		strings.Repeat(")", n), strings.Repeat("²", n), "VAR " + strings.Repeat("a ", n), strings.Repeat(`"`, n),
		":a " + strings.Repeat(`" `, n), strings.Repeat(`\`, n), strings.Repeat(`\ `, n), "GRAD " + strings.Repeat("a,", n),
	} {
		checkLine(t, []byte(line))
	}
}

// TestNoGarbage holds the parser to its word that a line costs no allocation.
func TestNoGarbage(t *testing.T) {
	var p Parser
	for _, line := range []string{
		"(a + b) * a - 3 / b ^ 2 + 7", "VAR a = 2, b = 3e-3; EXPR y = f(a, -b)²; GRAD y WRT a, b; GRAD y a b; y; a.grad",
		"VAR w = 0.23550571390294128",
	} {
		src := []byte(line)
		if n := testing.AllocsPerRun(100, func() { count(t, &p, src) }); n != 0 {
			t.Errorf("%q: %v allocations", line, n)
		}
	}
}

// TestStorage proves what is promised about storage: bindings survive the
// growing of the items, Expression leaves the statement alone, a huge line's
// storage is not kept.
func TestStorage(t *testing.T) {
	var p Parser
	line := []byte("VAR a = 1" + strings.Repeat(", b = 1+1", 1000))
	p.Reset(line)
	s, _ := p.Next()
	if got := text(line, s.Bindings[0].Expr); got != "1" {
		t.Errorf("the first binding is %q after the thousandth", got)
	}
	if got := append(s.Bindings[0].Expr, Item{}); len(got) != 2 || text(line, s.Bindings[1].Expr) != "1 1 add" {
		t.Error("appending to a binding's items wrote into the next one's")
	}

	line = []byte("EXPR y = a*b; :check a = b + 1; c")
	p.Reset(line)
	s, _ = p.Next()
	if items, d := p.Expression(line, Span{25, 30}); d != nil || text(line, items) != "b 1 add" || items[2].Start != 25 {
		t.Errorf("Expression: %v %v", items, d)
	}
	if got := show(line, s); got != "expr y = a b mul" {
		t.Errorf("after Expression the statement is %q", got)
	}
	p.Next()
	if s, ok := p.Next(); !ok || show(line, s) != "show c" {
		t.Error("Expression lost the place in the line")
	}

	huge := []byte(strings.Repeat("-", 2*keepItems) + "x")
	if n := testing.AllocsPerRun(2, func() { count(t, &p, huge) }); n != 0 {
		t.Errorf("%v allocations for a huge line that follows a huge line", n)
	}
	p.Reset([]byte("x"))
	if cap(p.items) > keepItems || cap(p.ops) > keepItems {
		t.Error("the storage of a huge line is kept")
	}
}

// TestExpression holds Expression against spans of a line.
// The room reserved for a long line is about what it takes, whatever its signs.
func TestTokenCount(t *testing.T) {
	for _, sign := range []string{"+", " * ", "×", "·", "−", "÷", "²+", "**"} {
		for _, name := range []string{"a", "a_1", "θ", "12.5"} {
			line := []byte(strings.Repeat(name+sign, 1000) + name)
			var p Parser
			p.Reset(line)
			st, _ := p.Next()
			if st.Err != nil {
				t.Fatalf("%s%s: %v", name, sign, st.Err)
			}
			if n := tokenCount(line); n < len(st.Expr)*3/4 || n > len(st.Expr)*3/2 {
				t.Errorf("%s%s: %d counted, %d items", name, sign, n, len(st.Expr))
			}
		}
	}
}

func TestExpression(t *testing.T) {
	var p Parser
	for _, row := range []struct {
		line       string
		start, end int32
		want, code string
		at         Span
	}{
		{":check a = 2*a + b", 10, 18, "2 a mul b add", "", Span{}},
		{":check a = 2a + b", 10, 17, "", "implicit-multiplication", Span{12, 13}},
		{":check a = b ", 10, 13, "b", "", Span{}},
		{":check a = b; c", 10, 12, "b", "", Span{}},
		{":check a = b; c", 10, 15, "", "unexpected-character", Span{12, 13}},
		{":check a = b # c", 10, 16, "b", "", Span{}},
		{":check a =", 10, 10, "", "missing-expression", Span{10, 10}},
		{":check a = b = c", 10, 16, "", "unexpected-equals", Span{13, 14}},
		{":check a = b, c", 10, 15, "", "unexpected-comma", Span{12, 13}},
		{":check a = 1.5e3", 10, 13, "1", "", Span{}},
		{":check a = (b + 1", 10, 17, "", "missing-paren", Span{11, 12}},
		{":check a = GRAD", 10, 15, "", "keyword-as-name", Span{11, 15}},
	} {
		src := []byte(row.line)
		items, d := p.Expression(src, Span{row.start, row.end})
		if d != nil {
			checkDiagnostic(t, src, d, Span{row.start, row.end})
			if d.Code != row.code || d.Span != row.at {
				t.Errorf("%q: %s at %v, want %s at %v", row.line, d.Code, d.Span, row.code, row.at)
			}
			continue
		}
		checkItems(t, src, items, Span{row.start, row.end})
		if got := text(src, items); got != row.want {
			t.Errorf("%q: %q, want %q", row.line, got, row.want)
		}
	}
}

// TestContinues holds physical lines against whether they go on.
func TestContinues(t *testing.T) {
	for line, want := range map[string]bool{
		"":                           false,
		"a + b":                      false,
		`a + \`:                      true,
		"a + \\ \t\r\n":              true,
		"a + \\\r\n":                 true,
		`\`:                          true,
		`a # b \`:                    false,
		`a // b \`:                   false,
		`a \ b`:                      false,
		`a / b \`:                    true,
		`:echo "# not" \`:            true,
		`:echo '// not' \`:           true,
		`:echo "a" # is \`:           false,
		`:echo "# open \`:            true,
		`:echo it's # is \`:          false,
		`a; :echo "# not"; b \`:      true,
		`a; b # "c" \`:               false,
		"a + \\\n b # c \\":          false,
		"a + \\\n b \\":              true,
		":echo \"a \\\n # b\" c \\":  true,
		"> :echo '#' \\":             true,
		"# a \\\nb \\":               true,
		`C:\dir # \`:                 false,
		"\uFEFF> :echo \"#\" x \\\n": true,
	} {
		if got := Continues([]byte(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestNames holds what may be bound and what is a keyword.
func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "_a": true, "a1": true, "θ": true, "x_1": true, "__": true, "é": true, "sin": true, "n5": true, "answer": true,
		"": false, "1a": false, "_": false, "ans": false, "Ans": true, "a b": false, "a-b": false, "@5": false, "e\u0301": false,
		"VAR": false, "expr": false, "gRaD": false, "wrt": false, "graph": true, "a₂": false, "\xff": false, "a\xff": false,
	} {
		if got := ValidName([]byte(name)); got != want {
			t.Errorf("ValidName(%q) = %v", name, got)
		}
	}
	for name, want := range map[string]bool{
		"VAR": true, "var": true, "Expr": true, "GRAD": true, "wRt": true, "": false, "va": false, "vara": false, "6AR": false,
		"\x16ar": false, "grad(": false, "gr d": false,
	} {
		if got := IsKeyword([]byte(name)); got != want {
			t.Errorf("IsKeyword(%q) = %v", name, got)
		}
	}
}

// TestOperators proves that the table is complete and that its indices fit.
func TestOperators(t *testing.T) {
	seen := make(map[string]bool)
	for i, o := range Operators {
		if o.Symbol == "" || o.Op == "" || o.Precedence < 1 || seen[o.Op] {
			t.Errorf("row %d: %+v", i, o)
		}
		seen[o.Op] = true
		if o.Prefix {
			continue
		}
		var p Parser
		line := "a " + o.Symbol + " b"
		if got := lines(&p, []byte(line)); !slices.Equal(got, []string{"expr a b " + o.Op}) {
			t.Errorf("%s: %q", line, got)
		}
	}
}
