package engine

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// workload measures recording, sweeping and replaying as medians, in ns per
// elementary operation. A sweep is everything from one GRAD to the next: clearing
// what it leaves behind is part of it. A cold round is the first of a new tape, and
// the median of some of those is reported beside the others, which are warm.
func workload(b *testing.B, ops float64, record func(*Tape) Term) {
	t := NewTape()
	defer t.Reset() // or the next one has to ask the machine for other memory
	var out Term
	round := func() (recording, sweeping float64) {
		cleared := time.Now()
		t.Rollback(Mark{1})
		clearing := time.Since(cleared)
		start := time.Now()
		out = record(t)
		recorded := time.Now()
		if err := t.Sweep(out.Node()); err != nil {
			b.Fatal(err)
		}
		swept := time.Now()
		return float64(recorded.Sub(start)) / ops, float64(swept.Sub(recorded)+clearing) / ops
	}
	var cold, recording, sweeping, replaying []float64
	for range 5 {
		t.Reset() // as good as new: its memory is given back
		r, s := round()
		cold = append(cold, r+s)
	}
	for i := 0; i < b.N; i++ {
		first := Node(1)
		for !t.IsVariable(first) {
			first++
		}
		replayed := time.Now()
		if err := t.Set(first, t.Value(first)+1e-6); err != nil {
			b.Fatal(err)
		}
		replaying = append(replaying, float64(time.Since(replayed))/ops)
		r, s := round()
		recording, sweeping = append(recording, r), append(sweeping, s)
	}
	median := func(x []float64) float64 { slices.Sort(x); return x[len(x)/2] }
	warmRecord, warmSweep, replay := median(recording), median(sweeping), median(replaying)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(warmRecord, "record-ns/elem")
	b.ReportMetric(warmSweep, "sweep-ns/elem")
	b.ReportMetric(replay, "replay-ns/elem")
	b.ReportMetric(replay/(warmRecord+warmSweep), "replay/both")
	b.ReportMetric(median(cold)/(warmRecord+warmSweep), "cold/warm")
	b.ReportMetric(float64(t.Bytes())/float64(t.Len()), "tape-B/node")
	b.ReportMetric(out.Value(), "value")
}

func BenchmarkChain(b *testing.B) {
	workload(b, 1e6, func(t *Tape) Term {
		a, b, c := t.Var(.49), t.Var(.7), t.Var(.7)
		return chain(t, a, b, c, 250_000)
	})
}

// chain records 4n operations, as BenchmarkChain has them.
func chain(t *Tape, a, b, c Term, n int) Term {
	x := a
	for range n {
		x = t.Add(t.Mul(x, b), a)
		x = t.Sub(t.Div(x, c), b)
	}
	return x
}

// BenchmarkReplay is Set on the first variable of a chain of 1e6 operations,
// beside what recording and sweeping it costs.
func BenchmarkReplay(b *testing.B) {
	t := NewTape()
	x, y, z := t.Var(.49), t.Var(.7), t.Var(.7)
	out := chain(t, x, y, z, 250_000)
	for i := 0; b.Loop(); i++ {
		if err := t.Set(x.Node(), .49+float64(i&1)*1e-6); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/1e6, "ns/elem")
	if t.Value(out.Node()) == 0 {
		b.Fatal("0")
	}
}

// BenchmarkSession is a sweep of ten operations at the end of a tape of each
// length that use its oldest variables: the cost must not grow with the tape.
func BenchmarkSession(b *testing.B) {
	for _, length := range []int{1e3, 1e5, 1e7} {
		b.Run(fmt.Sprintf("%.0e", float64(length)), func(b *testing.B) {
			t := NewTape()
			x, y, z := t.Var(.49), t.Var(.7), t.Var(.7)
			chain(t, x, y, z, length/4)
			out := chain(t, x, y, z, 2)
			out = t.Mul(t.Add(out, x), y)
			for b.Loop() {
				if err := t.Sweep(out.Node()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkByTable sweeps 1e5 products and as many calls of a function, whose
// contributions are worked out by the formula of its row.
func BenchmarkByTable(b *testing.B) {
	for _, name := range []string{"exp", "sin", "tanh"} {
		b.Run(name, func(b *testing.B) {
			op, _ := Lookup([]byte(name))
			t := NewTape()
			a := t.Var(.5)
			x := a
			for range 100_000 {
				x = t.Apply(op, t.Mul(x, a), a)
			}
			for b.Loop() {
				if err := t.Sweep(x.Node()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/1e5, "ns/pair")
		})
	}
}

// BenchmarkDifferentiate records the derivative of a chain of 1e5 operations.
func BenchmarkDifferentiate(b *testing.B) {
	t := NewTape()
	x, y, z := t.Var(.49), t.Var(.7), t.Var(.7)
	out := chain(t, x, y, z, 25_000).Node()
	n := t.Len()
	for b.Loop() {
		t.Rollback(Mark{n + 1})
		if _, err := t.Differentiate(out); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/1e5, "ns/elem")
	b.ReportMetric(float64(t.Len()-n)/1e5, "nodes/elem")
}

// BenchmarkExtract takes a chain of 1e5 operations out of a tape with as many
// others between them.
func BenchmarkExtract(b *testing.B) {
	t := NewTape()
	x, y, z := t.Var(.49), t.Var(.7), t.Var(.7)
	out := x
	for range 25_000 {
		out = chain(t, t.At(out.Node()), y, z, 1)
		chain(t, x, y, z, 1)
	}
	for b.Loop() {
		if _, _, err := t.Extract(out.Node()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/1e5, "ns/elem")
}

func BenchmarkPolynomial(b *testing.B) {
	const terms = 100_000
	seed := uint64(1337)
	uniform := func(low, high float64) float64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return low + (high-low)*(float64(seed>>11)*0x1p-53)
	}
	w, x := make([]float64, terms), make([]float64, terms)
	for i := range w {
		w[i], x[i] = uniform(-1, 1), uniform(-2, 2)
	}
	W, X := slices.Repeat([]Term{{}}, terms), slices.Repeat([]Term{{}}, terms) // written once: cold is the tape alone
	workload(b, 7*terms, func(t *Tape) Term {
		for i := range w {
			W[i] = t.Var(w[i])
		}
		for i := range x {
			X[i] = t.Var(x[i])
		}
		y := t.Const(0)
		for i := range W {
			q := t.Mul(X[i], X[i])
			y = t.Add(y, t.Sub(t.Mul(t.Mul(W[i], q), X[i]), t.Div(X[i], t.Add(t.Const(1), q))))
		}
		return y
	})
}

// neuron records the weighted sum of in and a bias, which is the last of w.
func neuron(t *Tape, w, in []Term) Term {
	s := w[len(in)]
	for i := range in {
		s = t.Add(s, t.Mul(w[i], in[i]))
	}
	return s
}

// BenchmarkPerceptron is micrograd's demo network on its 100 points.
func BenchmarkPerceptron(b *testing.B) {
	f, err := os.Open("testdata/perceptron.txt")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	var params, points int
	fmt.Fscan(in, &params, &points)
	values := make([]float64, params)
	for i := range values {
		fmt.Fscan(in, &values[i])
	}
	x0, x1, label := make([]float64, points), make([]float64, points), make([]float64, points)
	for i := range x0 {
		if _, err := fmt.Fscan(in, &x0[i], &x1[i], &label[i]); err != nil {
			b.Fatal(err)
		}
	}
	p := make([]Term, params)
	var h, g [16]Term
	workload(b, 65077, func(t *Tape) Term {
		for i := range p {
			p[i] = t.Var(values[i])
		}
		loss := t.Const(0)
		for k := range x0 {
			q, in := p, []Term{t.Const(x0[k]), t.Const(x1[k])}
			for j := range h {
				h[j] = t.ReLU(neuron(t, q[:3], in))
				q = q[3:]
			}
			for j := range g {
				g[j] = t.ReLU(neuron(t, q[:17], h[:]))
				q = q[17:]
			}
			s := neuron(t, q, g[:])
			loss = t.Add(loss, t.ReLU(t.Add(t.Const(1), t.Mul(t.Const(-label[k]), s))))
		}
		loss = t.Mul(loss, t.Const(1/float64(points)))
		reg := t.Const(0)
		for i := range p {
			reg = t.Add(reg, t.Mul(p[i], p[i]))
		}
		return t.Add(loss, t.Mul(t.Const(1e-4), reg))
	})
}
