package grammar

import (
	"strings"
	"testing"
)

// count parses the line and returns its number of items.
func count(tb testing.TB, p *Parser, line []byte) int {
	n := 0
	p.Reset(line)
	for {
		s, ok := p.Next()
		if !ok {
			return n
		}
		if s.Err != nil {
			tb.Fatalf("%s: %v", shorten(line), s.Err)
		}
		n += len(s.Expr)
		for _, b := range s.Bindings {
			n += len(b.Expr)
		}
	}
}

// BenchmarkParse measures one line of each kind.
func BenchmarkParse(b *testing.B) {
	for _, row := range []struct{ name, line string }{
		{"Expression", "(a + b) * a - 3 / b ^ 2 + 7"},
		{"Named", "EXPR y = (a + b) * a"},
		{"Calls", "z3 = tanh(w1*x1 + w2*x2 + 0.25) + max(a, b)"},
		{"Var", "VAR w1_0_0 = 0.235505713903"},
		{"LongLiterals", "VAR a = -0.23550571390294128, b = 1.1066107079784142"},
		{"Grad", "GRAD loss WRT a, b"},
		{"Show", "loss"},
		{"Unicode", "θ² · 2 − 1"},
	} {
		b.Run(row.name, func(b *testing.B) {
			var p Parser
			line := []byte(row.line)
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				count(b, &p, line)
			}
		})
	}
}

// BenchmarkMegabyte measures one line of a megabyte.
func BenchmarkMegabyte(b *testing.B) {
	const size = 1_000_000
	for _, row := range []struct{ name, unit, middle, close string }{
		{"Sum", "x+", "x", ""},
		{"Mixed", "(a + b) * a - 3 / b ^ 2 + ", "x", ""},
		{"Parens", "(", "x", ")"},
		{"Signs", "-", "x", ""},
	} {
		b.Run(row.name, func(b *testing.B) {
			n := size / len(row.unit+row.close)
			line := []byte(strings.Repeat(row.unit, n) + row.middle + strings.Repeat(row.close, n))
			var p Parser
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				count(b, &p, line)
			}
		})
	}
}
