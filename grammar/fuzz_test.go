package grammar

import "testing"

// seeds are lines of every kind, good and bad.
var seeds = []string{
	"VAR a = 2, b = 3; EXPR y = (a + b) * a // twice\n",
	"\uFEFF> VAR w -1/3 t sqrt(2) # and more",
	"EXPR g = 0.5*u*(1 + tanh(sqrt(2/pi)*(u + 0.044715*u^3)))",
	"GRAD y^2 + a WRT a, b; GRAD y a, @5; GRAD WRT n1; GRAD",
	"z = grad(y, a)² − x⁻¹ × 2 ÷ (b·c) ** -1_000.5e-3",
	"y; a.grad; @12; @12.grad; _; ans",
	`:echo "a; # b" 'it\'s' C:\dir \\ "é" // comment`,
	"a + \\\n b \\ \r\n * c\r\n",
	"2a; (a)(b); (a + b; a); f(x) = 2; VAR GRAD = 1; VAR a; y = 1,300",
	"a ! b; “2”; 1e999; 1e-999; 1.2.3; 0x10; 5e; a²^3; H₂O; a.grad + 1; f(,); \xff",
	"GRAD x^2 y; GRAD y WRT; GRAD y, a WRT b; WRT; EXPR; VAR ans 1; @0; :; :load \"x",
}

// FuzzParse parses anything: no panic, and every statement, span and item is
// well formed.
func FuzzParse(f *testing.F) {
	for _, line := range seeds {
		f.Add([]byte(line))
	}
	for _, row := range Codes {
		f.Add([]byte(row.Example))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		checkLine(t, line)
		Continues(line)
	})
}

// FuzzTokens cuts anything into tokens.
func FuzzTokens(f *testing.F) {
	for _, line := range seeds {
		f.Add([]byte(line))
	}
	f.Fuzz(checkTokens)
}

// FuzzExpression parses any part of anything as an expression.
func FuzzExpression(f *testing.F) {
	for _, line := range seeds {
		f.Add([]byte(line), 0, len(line))
	}
	f.Fuzz(func(t *testing.T, line []byte, start, end int) {
		if start < 0 || start > end || end > len(line) {
			return
		}
		within := Span{int32(start), int32(end)}
		items, d := new(Parser).Expression(line, within)
		if d != nil {
			checkDiagnostic(t, line, d, within)
			return
		}
		checkItems(t, line, items, within)
	})
}
