package grammar

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// first returns the first diagnostic of a line, or nil.
func first(src []byte) *Diagnostic {
	var p Parser
	p.Reset(src)
	for {
		s, ok := p.Next()
		if !ok {
			return nil
		}
		if s.Err != nil {
			return s.Err
		}
	}
}

// TestCodes runs the example of every code.
func TestCodes(t *testing.T) {
	seen := make(map[string]bool)
	for _, row := range Codes {
		if seen[row.Code] || row.Meaning == "" {
			t.Errorf("row %+v", row)
		}
		seen[row.Code] = true
		d := first([]byte(row.Example))
		if d == nil || d.Code != row.Code {
			t.Errorf("%s: the example %q gives %+v", row.Code, row.Example, d)
		}
		checkLine(t, []byte(row.Example))
	}
}

// TestDiagnostics holds mistakes against their code, place (columns count code
// points from 1; to is where the span ends) and hint.
func TestDiagnostics(t *testing.T) {
	for _, row := range []struct {
		line     string
		code     string
		from, to int
		hint     string
	}{
		// What people and other programs' bug reports wrote.
		{"EXPR y = 2x", "implicit-multiplication", 11, 12, "type 2*x"},
		{"EXPR y = a/2(1+2)", "implicit-multiplication", 13, 14, "type 2*(1+2)"},
		{"VAR a = 5e", "malformed-number", 9, 11, "type 5e0, or 5*e for the constant e"},
		{"VAR a = -20165.4676_e-+4294967292", "malformed-number", 10, 22, ""},
		{"VAR a = 1.2.3", "malformed-number", 9, 14, ""},
		{"VAR a = 1__0", "malformed-number", 9, 13, ""},
		{"VAR b = 100_", "malformed-number", 9, 13, ""},
		{"VAR c = 1_.5", "malformed-number", 9, 13, ""},
		{"VAR a = 0x10", "malformed-number", 9, 13, "type 16"},
		{"VAR a = 123 456", "missing-operator", 13, 16, "type 123456 or 123_456"},
		{"VAR a = “2”", "foreign-character", 9, 10, ""},
		{"EXPR y = a + 7)", "extra-paren", 15, 16, "delete it, or put a ( before it"},
		{"EXPR y = a +", "missing-operand", 13, 13, ""},
		{"EXPR y = a ! 2", "unexpected-character", 12, 13, "there is no factorial and no comparison"},
		{"EXPR z = a = 5", "unexpected-equals", 12, 13, "put a ; between two statements"},
		{"VAR H₂O = 18", "foreign-character", 6, 7, "type 2"},
		{"VAR GRAD = 1", "keyword-as-name", 5, 9, "take another name"},
		{"VAR VAR = 3", "keyword-as-name", 5, 8, "take another name"},
		{"EXPR (a + b * a", "missing-paren", 6, 7, "this ( is never closed"},

		// Products.
		{"2a", "implicit-multiplication", 2, 3, "type 2*a"},
		{"1/2a", "implicit-multiplication", 4, 5, "type 2*a"},
		{"(a)(b)", "implicit-multiplication", 4, 5, "type (a)*(b)"},
		{"(a)b", "implicit-multiplication", 4, 5, "type (a)*b"},
		{"(a) 2", "implicit-multiplication", 5, 6, "type (a)*2"},
		{"a b", "implicit-multiplication", 3, 4, "type a*b"},
		{"a 2", "implicit-multiplication", 3, 4, "type a*2"},
		{"2sin(x)", "implicit-multiplication", 2, 5, "type 2*sin(x)"},
		{"2exp(x)", "implicit-multiplication", 2, 5, "type 2*exp(x)"},
		{"2 @5", "implicit-multiplication", 3, 5, "type 2*@5"},
		{"@5a", "implicit-multiplication", 3, 4, "type @5*a"},
		{"a.5", "implicit-multiplication", 2, 4, "type a*.5"},
		{"x²y", "implicit-multiplication", 3, 4, "type x²*y"},
		{"a^2b", "implicit-multiplication", 4, 5, "type a^2*b"},
		{"a^-b c", "implicit-multiplication", 6, 7, "type a^-b*c"},
		{"sin(a)cos(b)", "implicit-multiplication", 7, 10, "type sin(a)*cos(b)"},
		{"f(2 x)", "implicit-multiplication", 5, 6, "type 2*x"},
		{"2(a + b * c - d / e + f + g + h)", "implicit-multiplication", 2, 3, "type 2*(…)"},
		{"2(a", "implicit-multiplication", 2, 3, "type 2*(…)"},
		{"2" + strings.Repeat("a", 99), "implicit-multiplication", 2, 101, "type 2*" + strings.Repeat("a", 23) + "…"},
		{"EXPR y a", "implicit-multiplication", 8, 9, "type y*a, or EXPR y = a"},
		{"x = 3 y = 4", "implicit-multiplication", 7, 8, "type 3*y, or put a ; before y"},
		{"VAR a 2b", "implicit-multiplication", 8, 9, "type 2*b"},
		{"VAR a 2 sin(3)", "implicit-multiplication", 9, 12, "type 2*sin(3)"},
		{"VAR a 2 (3)", "implicit-multiplication", 9, 10, "type 2*(3)"},
		{"GRAD 2x", "implicit-multiplication", 7, 8, "type 2*x"},
		{"GRAD x^2 y", "implicit-multiplication", 10, 11, "type x^2*y, or GRAD x^2 WRT y"},
		{"GRAD y a WRT b", "implicit-multiplication", 8, 9, "type y*a, or GRAD y WRT a"},
		{"2 3", "missing-operator", 3, 4, "type an operator between them"},
		{"1 .5", "missing-operator", 3, 5, "type an operator between them"},

		// Something missing.
		{"a + * b", "missing-operand", 5, 6, ""},
		{"* b", "missing-operand", 1, 2, ""},
		{"a ÷ × b", "missing-operand", 5, 6, ""},
		{"a + ; b", "missing-operand", 4, 4, ""},
		{"a + # b", "missing-operand", 4, 4, ""},
		{"a + // b", "missing-operand", 4, 4, ""},
		{"a + \\\n", "missing-operand", 4, 4, ""},
		{"(a + )", "missing-operand", 6, 7, ""},
		{"f(a + , b)", "missing-operand", 7, 8, ""},
		{"()", "missing-operand", 1, 3, ""},
		{"(, a)", "missing-operand", 2, 3, ""},
		{"²", "missing-operand", 1, 2, ""},
		{"a^²", "missing-operand", 3, 4, ""},
		{"-", "missing-operand", 2, 2, ""},
		{"f(a,)", "missing-argument", 5, 6, "delete the comma"},
		{"f(a,", "missing-argument", 5, 5, ""},
		{"f(,a)", "missing-argument", 3, 4, ""},
		{"f(a,,b)", "missing-argument", 5, 6, ""},
		{"EXPR", "missing-expression", 5, 5, "type EXPR a + b"},
		{"y =", "missing-expression", 4, 4, ""},
		{"EXPR y = # 2", "missing-expression", 9, 9, ""},
		{"((a + b)", "missing-paren", 1, 2, "this ( is never closed"},
		{"sin(", "missing-paren", 4, 5, "this ( is never closed"},
		{"sin(cos(a", "missing-paren", 4, 5, "this ( is never closed"},
		{"GRAD (a + b WRT a", "missing-paren", 6, 7, "this ( is never closed"},
		{"a = (b + c; d", "missing-paren", 5, 6, "this ( is never closed"},
		{")", "extra-paren", 1, 2, "delete it, or put a ( before it"},
		{"GRAD y, a)", "extra-paren", 10, 11, "delete it"},
		{"VAR", "missing-name", 4, 4, "type VAR a = 1"},
		{"VAR ; a", "missing-name", 4, 4, "type VAR a = 1"},
		{"VAR 2 = a", "missing-name", 5, 6, "type VAR a = 1"},
		{"VAR = 2", "keyword-as-name", 1, 4, "take another name"},
		{"VAR (a) = 2", "missing-name", 5, 6, "type VAR a = 1"},
		{"VAR 2a = 1", "invalid-name", 5, 7, ""},
		{"VAR a", "missing-value", 5, 6, "type VAR a = 1"},
		{"VAR a =", "missing-value", 8, 8, "type VAR a = 1"},
		{"VAR a, b = 2", "missing-value", 5, 6, "type VAR a = 1"},
		{"VAR a b = 2", "missing-value", 5, 6, "type VAR a = 1"},
		{"VAR a = 2, b", "missing-value", 12, 13, "type VAR b = 1"},
		{"VAR a(2)", "missing-equals", 5, 7, "type VAR a = (…)"},
		{"GRAD y WRT", "missing-name", 11, 11, "type WRT a, b"},
		{"GRAD y WRT 2", "missing-name", 12, 13, "type GRAD y WRT a, b"},
		{"GRAD y WRT a + b", "missing-name", 14, 15, "type GRAD y WRT a, b"},
		{"GRAD y, a + b", "missing-name", 11, 12, "type GRAD y WRT a, b"},
		{"GRAD y,, a", "missing-name", 8, 9, "type GRAD y WRT a, b"},

		// Something too much.
		{"VAR a = 1,", "trailing-comma", 10, 11, "delete it"},
		{"GRAD y,", "trailing-comma", 7, 8, "delete it"},
		{"GRAD y WRT a, # b", "trailing-comma", 13, 14, "delete it"},
		{"VAR a = 1,300", "missing-name", 11, 14, "type 1300 or 1_300"},
		{"VAR a = 1,5", "missing-name", 11, 12, "type 1.5"},
		{"y = 1,300", "unexpected-comma", 6, 7, "type 1300 or 1_300"},
		{"y = 1,300.5", "unexpected-comma", 6, 7, "type 1300.5 or 1_300.5"},
		{"y = 1,300,000.25*a", "unexpected-comma", 6, 7, "type 1300000.25 or 1_300_000.25"},
		{"y = 1'000*a", "unexpected-character", 6, 7, "type 1000 or 1_000"},
		{"1'000'000", "unexpected-character", 2, 3, "type 1000000 or 1_000_000"},
		{"1’000", "foreign-character", 2, 3, "type 1000 or 1_000"},
		{"y' + 1", "unexpected-character", 2, 3, "for a derivative type grad(y, a)"},
		{"n1'000", "unexpected-character", 3, 4, "for a derivative type grad(y, a)"},
		{"n1,300", "unexpected-comma", 3, 4, "put a ; between two statements"},
		{"y = 1,300,00", "unexpected-comma", 6, 7, "type 1300 or 1_300"},
		{"y = 1.300,5", "unexpected-comma", 10, 11, "put a ; between two statements"},
		{"y = 1,5", "unexpected-comma", 6, 7, "type 1.5"},
		{"a = 1, b = 2", "unexpected-comma", 6, 7, "put a ; between two statements"},
		{"(a, b)", "unexpected-comma", 3, 4, "put a ; between two statements"},
		{", a", "unexpected-comma", 1, 2, "put a ; between two statements"},
		{"y == 2", "unexpected-equals", 3, 5, "for a difference type a - b"},
		{"y = = 2", "unexpected-equals", 5, 6, "put a ; between two statements"},
		{"2*a = 5", "unexpected-equals", 5, 6, "type y = …"},
		{"a.grad = 5", "grad-in-expression", 1, 7, "type grad(ans, a), or a.grad on a line by itself"},
		{"VAR a = b = 2", "unexpected-equals", 11, 12, "put a ; between two statements"},
		{"GRAD y = a", "unexpected-equals", 8, 9, "type y = …; GRAD y"},
		{"f(x) = x^2", "function-definition", 1, 5, "type the expression itself: y = …"},
		{"EXPR f(x, y) = x^2", "function-definition", 6, 13, "type the expression itself: y = …"},
		{"VAR f(x) = 2", "function-definition", 5, 9, "type the expression itself: y = …"},
		{"EXPR y = f(x) = 2", "unexpected-equals", 15, 16, "put a ; between two statements"},
		{"f(x) + 1 = 2", "unexpected-equals", 10, 11, "type y = …"},

		// Names and keywords.
		{"EXPR EXPR = 2", "keyword-as-name", 6, 10, "take another name"},
		{"grad = 2", "keyword-as-name", 1, 5, "take another name"},
		{"a + var", "keyword-as-name", 5, 8, "take another name"},
		{"2*Grad(y, a)", "keyword-as-name", 3, 7, "the function is typed grad( in lower case and without a blank"},
		{"2*grad (y, a)", "keyword-as-name", 3, 7, "the function is typed grad( in lower case and without a blank"},
		{"VAR ans = 2", "reserved-name", 5, 8, "take another name"},
		{"_ = 2", "reserved-name", 1, 2, "take another name"},
		{"EXPR @5 = 2", "reserved-name", 6, 8, "take a name that starts with a letter"},
		{"VAR @5 = 2", "reserved-name", 5, 7, "take a name that starts with a letter"},
		{"VAR a = 2 EXPR a*a", "misplaced-keyword", 11, 15, "put a ; before it"},
		{"a + b GRAD", "misplaced-keyword", 7, 11, "put a ; before it"},
		{"GRAD y VAR", "misplaced-keyword", 8, 11, "put a ; before it"},
		{"WRT a", "misplaced-keyword", 1, 4, "type GRAD y WRT a"},
		{"grad(y, a) WRT a", "misplaced-keyword", 12, 15, "type GRAD y WRT a"},
		{"GRAD y, a WRT b", "misplaced-keyword", 11, 14, "type GRAD y WRT a, b"},
		{"GRAD y WRT a WRT b", "misplaced-keyword", 14, 17, "type GRAD y WRT a, b"},
		{"2*a.grad", "grad-in-expression", 3, 9, "type grad(ans, a), or a.grad on a line by itself"},
		{"y = a.grad", "grad-in-expression", 5, 11, "type grad(ans, a), or a.grad on a line by itself"},
		{"GRAD a.grad", "grad-in-expression", 6, 12, "type grad(ans, a), or a.grad on a line by itself"},
		{"GRAD y WRT a.grad", "grad-in-expression", 12, 18, "type a"},
		{"(a).grad", "unexpected-character", 4, 5, ""},
		{"a.gradient", "unexpected-character", 2, 3, ""},

		// Numbers and nodes.
		{"1e999", "number-overflow", 1, 6, "the largest is 1.7976931348623157e308"},
		{"VAR a = 1e-999", "number-underflow", 9, 15, "the smallest is 5e-324"},
		{"a^-1e999", "number-overflow", 4, 9, "the largest is 1.7976931348623157e308"},
		{"1e", "malformed-number", 1, 3, "type 1e0, or 1*e for the constant e"},
		{"5e-x", "malformed-number", 1, 3, "type 5e0, or 5*e for the constant e"},
		{"1e_5", "malformed-number", 1, 5, ""},
		{"1e5.2", "malformed-number", 1, 6, ""},
		{"1._5", "malformed-number", 1, 5, ""},
		{"1..2", "malformed-number", 1, 5, ""},
		{"0b101", "malformed-number", 1, 6, "type 5"},
		{"0o17", "malformed-number", 1, 5, "type 15"},
		{"0o9", "implicit-multiplication", 2, 4, "type 0*o9"},
		{"0x", "implicit-multiplication", 2, 3, "type 0*x"},
		{"2 1.2.3", "missing-operator", 3, 8, "type an operator between them"},
		{"GRAD y WRT @", "malformed-node", 12, 13, "type @5 for n5"},
		{"0xg", "implicit-multiplication", 2, 4, "type 0*xg"},
		{".", "malformed-number", 1, 2, ""},
		{".x", "malformed-number", 1, 2, ""},
		{"a²^3", "power-after-superscript", 3, 4, "put parentheses around what is meant: (a²)^3"},
		{"a²**3", "power-after-superscript", 3, 5, "put parentheses around what is meant: (a²)^3"},
		{"a² ³", "power-after-superscript", 4, 5, "put parentheses around what is meant: (a²)^3"},
		{"a⁻", "malformed-superscript", 2, 3, "type ^( … ) for a longer exponent"},
		{"a²⁺³", "malformed-superscript", 2, 5, "type ^( … ) for a longer exponent"},
		{"a" + strings.Repeat("⁹", 400), "number-overflow", 2, 402, ""},
		{"@", "malformed-node", 1, 2, "type @5 for n5"},
		{"@0 + 1", "malformed-node", 1, 3, "nodes are counted from @1"},
		{"@99999999999", "malformed-node", 1, 13, "nodes are counted from @1"},

		// Characters.
		{"\uFEFFy = a ! 2", "unexpected-character", 7, 8, "there is no factorial and no comparison"},
		{"a\uFEFF", "foreign-character", 2, 3, "delete it"},
		{"y = [a]", "unexpected-character", 5, 6, "type ("},
		{"y = a % 2", "unexpected-character", 7, 8, "there is no remainder; a percentage is a/100"},
		{"y := 3", "unexpected-character", 3, 4, "type = instead of :="},
		{"> > a", "unexpected-character", 3, 4, "there are no comparisons"},
		{"f’(x)", "foreign-character", 2, 3, ""},
		{"2 — a", "foreign-character", 3, 4, "type -"},
		{"√2", "foreign-character", 1, 2, "type sqrt(a)"},
		{"a = ２", "foreign-character", 5, 6, "type 2"},
		{"a = ٣", "foreign-character", 5, 6, ""},
		{"e\u0301 = 2", "foreign-character", 2, 3, ""},
		{"a\u200B", "foreign-character", 2, 3, "delete it"},
		{"a + \x00", "foreign-character", 5, 6, ""},
		{"a + \x1b[31m", "foreign-character", 5, 6, ""},
		{"a\rb", "foreign-character", 2, 3, ""},
		{"a + \xff", "foreign-character", 5, 6, "save the text as UTF-8"},
		{"VAR a\x80 = 2", "foreign-character", 6, 7, "save the text as UTF-8"},
		{"GRAD y, €", "foreign-character", 9, 10, ""},
		{`a \ b`, "stray-backslash", 3, 4, "delete it"},
		{`a + \ b`, "stray-backslash", 5, 6, "delete it"},
		{`VAR a = 2, \ b`, "stray-backslash", 12, 13, "delete it"},
		{`GRAD y, \ b`, "stray-backslash", 9, 10, "delete it"},

		// Commands.
		{`:load "a b`, "missing-quote", 7, 8, `type another " behind the argument`},
		{`:load 'a "b"`, "missing-quote", 7, 8, `type another ' behind the argument`},
		{":", "missing-command", 1, 2, "type :help"},
		{": ; a", "missing-command", 1, 2, "type :help"},
		{"a :trace", "unexpected-character", 3, 4, ""},

		// The first mistake counts.
		{"(a + b ! 2", "unexpected-character", 8, 9, "there is no factorial and no comparison"},
		{"2a + 1.2.3", "implicit-multiplication", 2, 3, "type 2*a"},
	} {
		src := []byte(row.line)
		d := first(src)
		if d == nil {
			t.Errorf("%q: accepted, want %s", row.line, row.code)
			continue
		}
		column := func(offset int32) int {
			before := strings.TrimPrefix(row.line[:offset], "\uFEFF")
			return utf8.RuneCountInString(before) + 1
		}
		if from, to := column(d.Span.Start), column(d.Span.End); d.Code != row.code || from != row.from || to != row.to || d.Hint != row.hint {
			t.Errorf("%q:\n got %s %d to %d, %q (%s)\nwant %s %d to %d, %q",
				row.line, d.Code, from, to, d.Hint, d.Message, row.code, row.from, row.to, row.hint)
		}
		checkLine(t, src)
	}
}

// TestMessages holds the wording that the lesson's transcript and the contract
// fix, and the naming of characters.
func TestMessages(t *testing.T) {
	for line, want := range map[string]string{
		"a = 2a + b":                      `"2a" needs a * between the factors`,
		"a = 2 a":                         `"2 a" needs a * between the factors`,
		"a = 2 sin(x)":                    `"2 sin(x)" needs a * between the factors`,
		"(a + b * a":                      "a ) is missing",
		"((a + b * a":                     "2 ) are missing",
		"a)":                              "this ) closes nothing",
		"VAR a":                           "a needs a value",
		"“a”":                             "“ (U+201C, left double quotation mark) has no meaning here",
		"a = ２":                           "２ (U+FF12, full-width digit 2) has no meaning here",
		"a = ٣":                           "٣ (U+0663, digit) has no meaning here",
		"a + €":                           "€ (U+20AC, currency symbol) has no meaning here",
		"e\u0301":                         "U+0301 (combining mark) has no meaning here",
		"a\x01":                           "U+0001 (control character) has no meaning here",
		"a\u0378":                         "U+0378 (unassigned) has no meaning here",
		"a\U000E0041":                     "U+E0041 (format character) has no meaning here",
		"a\xff":                           "the byte 0xFF is not UTF-8 text",
		"a + * b":                         `a value is missing between "+" and "*"`,
		"f(":                              "a ) is missing",
		"f(a + ":                          `a value is missing behind "+"`,
		"f(*a)":                           `a value is missing before "*"`,
		"a  \t 2":                         `"a 2" needs a * between the factors`,
		"(a + \\\n b)c":                   `"(a + b)c" needs a * between the factors`,
		"sin(a + b + c + d + e + f + g)2": `"sin(…)2" needs a * between the factors`,
	} {
		if d := first([]byte(line)); d == nil || d.Message != want {
			t.Errorf("%q: %v\nwant %s", line, d, want)
		}
	}
}
