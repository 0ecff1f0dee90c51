package repl

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// batch returns a runner as for a pipe.
func batch(o Options, out io.Writer) *runner {
	if o.MaxNodes == 0 {
		o.MaxNodes = 1 << 27
	}
	r := &runner{Session: NewSession(o)}
	r.out = stream{sheet: sheet{theme: NewTheme(false), width: 80}, file: out}
	r.err = stream{sheet: sheet{theme: NewTheme(false), width: 80}, file: out}
	return r
}

// BenchmarkLines runs a file of 100,000 expressions with their results
// printed: lines a second from text to text.
func BenchmarkLines(b *testing.B) {
	const lines = 100_000
	text := "VAR a = 2, b = 3\n" + strings.Repeat("(a + b) * a - 3 / b ^ 2 + 7\n", lines)
	for b.Loop() {
		r := batch(Options{}, io.Discard)
		r.lines(strings.NewReader(text), "")
	}
	b.ReportMetric(lines*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkLongLine runs one line of a megabyte.
func BenchmarkLongLine(b *testing.B) {
	line := []byte("EXPR y = a" + strings.Repeat(" + a*b", 1<<20/6))
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		r := batch(Options{}, io.Discard)
		r.lines(strings.NewReader("VAR a = 2, b = 3\n"), "")
		r.lines(bytes.NewReader(line), "")
	}
}
