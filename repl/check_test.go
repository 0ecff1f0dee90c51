package repl

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"scalargrad/engine"
)

// answers returns a session and a function that runs a line and returns the
// object of its last answer.
func answers(t testing.TB) (*Session, func(line string) map[string]any) {
	t.Helper()
	s, run := console(t, func(o *Options) { o.JSON = true })
	return s, func(line string) (object map[string]any) {
		t.Helper()
		lines := strings.Split(strings.TrimSpace(run(line)), "\n")
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &object); err != nil {
			t.Fatalf("%s: %v in %q", line, err, lines)
		}
		return object
	}
}

// verdictOf returns the verdict of the only row of a :check.
func verdictOf(t testing.TB, object map[string]any) string {
	t.Helper()
	rows, ok := object["rows"].([]any)
	if !ok || len(rows) != 1 {
		t.Fatalf("one row expected: %v", object)
	}
	return rows[0].(map[string]any)["verdict"].(string)
}

// Gradients that are right must be called right, and those of another function
// wrong, at any size of the variable and however near to the edge of the domain.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		x       float64
		formula string
	}{
		{1e4, "exp(sin(x))*x"}, {2.6e-5, "sqrt(x) + log(x)"}, {123456.789, "x*1e-6"}, {1e-6, "1/x"}, {1e8, "x^2"},
		{0, "exp(x)"}, {0, "cos(x)"}, {1e-9, "cos(1 + x)"}, {1, "log(x - 1 + 1e-9)"}, {-3, "x^3"}, {1e-200, "3*x"}, {1e200, "x/7"},
		{1.001, "exp(-(1000*(x - 1))^2)"}, {0.999999999, "asin(x)"}, {1, "relu(x - 1 + 1e-12)"}, {1, "x + relu(x - 1 - 1e-12)"},
		{2, "abs(x - 3)*max(x, 1.9999999)"}, {0, "x*abs(x)"}, {1e3, "sin(x)"}, {1e6, "sin(x)"}, {5, "x + 1e9"}, {40, "sigmoid(x)"}, {-700, "exp(x)"},
	} {
		s, run := answers(t)
		run(fmt.Sprintf("VAR x = %v", c.x))
		run("y = " + c.formula)
		if v := verdictOf(t, run(":check")); v != "agrees" || s.failed {
			t.Errorf("%s at %v: %s, want agrees", c.formula, c.x, v)
		}
		y, x := s.latest, s.symbols["x"].node
		if s.tape.Sweep(y) != nil {
			t.Fatal("stopped")
		}
		p := newProbe(s.tape, y, x)
		for _, off := range []float64{1.001, 0.5, -1} {
			wrong := s.tape.Adjoint(x) * off
			if math.Abs(wrong) < 1e-10*max(math.Abs(s.tape.Value(y)), 1e-3) {
				wrong = off // next to nothing, and differences cannot see that
			}
			d, _, _, v, err := p.judge(wrong, false)
			if v == agrees || err != nil {
				t.Errorf("%s at %v: %v for %v in place of %v (numeric %v)", c.formula, c.x, v, wrong, s.tape.Adjoint(x), d)
			}
		}
		if s.tape.Value(x) != c.x {
			t.Errorf("%s: the variable was left at %v", c.formula, s.tape.Value(x))
		}
	}
}

// A numerical derivative that contradicts the tape fails the run.
func TestCheckFails(t *testing.T) {
	r := &checkResult{of: "y", rows: []checkRow{
		{name: "a", analytic: 1, numeric: slope{value: 2, err: 1e-9, known: true}, verdict: differs},
		{name: "b", analytic: 1, numeric: slope{value: 1, err: 1e-9, known: true}},
	}}
	w := &sheet{theme: NewTheme(false), digits: 12, width: 80}
	r.writeText(w)
	const want = `check of y = 0 against differences
      tape   numeric   error
  a   1      2         1e-09   differs
  b   1      1         1e-09   agrees
1 of 2 agree, 1 differs
`
	if string(w.buf) != want {
		t.Errorf("got\n%s", w.buf)
	}
	j := jsonObject{}
	r.writeJSON(&j)
	if !strings.Contains(string(j.buf), `"agrees":false`) {
		t.Errorf("%s", j.buf)
	}
}

// Under --stop-on-error a check that disagrees ends the run, as an error does.
func TestCheckStops(t *testing.T) {
	for _, stop := range []bool{false, true} {
		s, _ := console(t, func(o *Options) { o.StopOnError = stop })
		s.Eval([]byte("VAR a = 2; y = a^2; :check a = 2*a"), 1, func(Result) {})
		if s.failed {
			t.Error("a formula that agrees failed the run")
		}
		results := 0
		more := s.Eval([]byte(":check a = 3*a; y"), 2, func(Result) { results++ })
		if more == stop || !s.failed || stop && results != 1 || !stop && results != 2 {
			t.Errorf("stop %v: goes on %v, failed %v, %d results", stop, more, s.failed, results)
		}
	}
}

func TestCheckKinks(t *testing.T) {
	for _, c := range []struct{ formula, verdict string }{
		{"relu(x)", "kink"}, {"abs(x)", "kink"}, {"max(x, 0)", "kink"}, {"min(x, -x)", "kink"}, {"sign(x)", "kink"},
		{"relu(x) - relu(-x)", "kink"}, {"relu(x)^2", "agrees"}, {"max(x, x)", "agrees"}, {"sqrt(x)", "not finite"},
	} {
		_, run := answers(t)
		run("VAR x = 0")
		run("y = " + c.formula)
		if v := verdictOf(t, run(":check")); v != c.verdict {
			t.Errorf("%s at 0: %s, want %s", c.formula, v, c.verdict)
		}
	}
}

// A corner is only that of the variables that it is made from.
func TestCheckKinkOfAnother(t *testing.T) {
	_, run := answers(t)
	run("VAR x = 1, z = 0")
	run("y = sin(1e15*x) + relu(z)*x")
	for name, want := range map[string]string{"x": "unclear", "z": "kink"} {
		if v := verdictOf(t, run(":check y "+name)); v != want {
			t.Errorf("%s: %s, want %s", name, v, want)
		}
	}
}

// Where rounding, underflow or a wave too short for any step leaves a numerical
// derivative without meaning, it neither contradicts the tape nor finds a kink.
func TestCheckAtTheEndsOfTheNumbers(t *testing.T) {
	for _, c := range []struct {
		x       float64
		formula string
		verdict string
	}{
		{1e-170, "x^2", "unclear"}, {1e-200, "x^2", "unclear"}, {1e-250, "x^2", "unclear"}, {1e-200, "x*x*1e300", "unclear"},
		{1e-110, "x^3", "unclear"}, {1e-120, "x^3", "unclear"}, {1e-160, "x^3", "unclear"}, {1e-150, "x^2", "agrees"},
		{1e-290, "log(x)", "agrees"}, {1e-290, "sqrt(x)", "agrees"}, {1e-290, "cbrt(x)", "agrees"}, {1e-290, "x^0.3", "agrees"}, {1e-290, "x*log(x)", "agrees"},
		{1e-300, "log(x)", "agrees"}, {1e-300, "sqrt(x)", "agrees"}, {1e-300, "x*log(x)", "agrees"}, {1e-310, "sqrt(x)", "agrees"}, {2.115e-321, "x^0.5", "unclear"}, {5e-322, "x^0.5", "unclear"},
		{1e-290, "cos(1 + x)", "agrees"}, {1e-200, "cos(1 + x)", "agrees"}, {-1e-200, "relu(x)", "agrees"}, {1.7e308, "x", "agrees"},
		{1, "sin(1e12*x)", "unclear"}, {1, "sin(1e15*x)", "unclear"}, {1, "sin(1e15*x) + abs(x)", "unclear"}, {1e17, "x + sin(x)", "unclear"}, {1, "sin(1e9*x)", "agrees"},
		{-4.245438063259627e10, "(2.0224056250039517e23 - x)*sin(x)", "agrees"}, // steps are rounded, and so is the ratio of two
		{-1.65e-218, "3.25 - x - 5e-242/x", "unclear"},                          // only steps beyond the pole see anything
		{1e-280, "log1p(x^2)/(2*x)", "unclear"},                                 // the tape's x^2 is 0
		{5e244, "6e156/x*3e270", "unclear"},                                     // the tape's 1/x^2 is 0
	} {
		s, run := answers(t)
		run(fmt.Sprintf("VAR x = %v", c.x))
		run("y = " + c.formula)
		if v := verdictOf(t, run(":check")); v != c.verdict || s.failed {
			t.Errorf("%s at %v: %s, want %s", c.formula, c.x, v, c.verdict)
		}
	}
}

// randomFormula writes an expression over a, b and c and the functions of
// the table.
func randomFormula(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(8) == 0 {
		return []string{"a", "b", "c", "2", "0.5", "3.25"}[r.IntN(6)]
	}
	sub := func() string { return randomFormula(r, depth-1) }
	switch r.IntN(7) {
	case 0:
		return "(" + sub() + " + " + sub() + ")"
	case 1:
		return "(" + sub() + " - " + sub() + ")"
	case 2:
		return sub() + "*" + sub()
	case 3:
		return "(" + sub() + ")/(" + sub() + ")"
	case 4:
		return "(" + sub() + ")^" + []string{"2", "3", "-1", "0.5", "(" + sub() + ")"}[r.IntN(5)]
	}
	ops := engine.Functions()
	op := ops[r.IntN(len(ops))]
	if op.Arity() == 2 {
		return op.Call() + "(" + sub() + ", " + sub() + ")"
	}
	return op.Call() + "(" + sub() + ")"
}

// Whatever the expression, the tape and the differences never contradict each
// other, and nearly always it is possible to tell.
func TestCheckRandom(t *testing.T) {
	const rounds = 1500
	r := rand.New(rand.NewPCG(3, 4))
	count := map[string]int{}
	for range rounds {
		text := randomFormula(r, 4)
		s, run := answers(t)
		values := fmt.Sprintf("VAR a = %v, b = %v, c = %v", r.NormFloat64(), 3*r.NormFloat64(), r.Float64())
		run(values)
		run("y = " + text)
		if s.tape.IsConstant(s.latest) {
			continue
		}
		mark := s.tape.Mark()
		object := run(":check")
		for _, row := range object["rows"].([]any) {
			verdict := row.(map[string]any)["verdict"].(string)
			count[verdict]++
			if verdict == "differs" {
				t.Errorf("%s; y = %s: %v", values, text, row)
			}
		}
		if s.tape.Mark() != mark {
			t.Fatalf("%s: :check left nodes behind", text)
		}
	}
	if count["agrees"] < 1000 || count["unclear"] > count["agrees"]/50 {
		t.Errorf("verdicts %v", count)
	}
}

// A formula that is the tape's own agrees, and one that is off by a factor, a
// sign or a term is found out with the right hint, whatever the expression.
func TestFormulaRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	compared := 0
	for range 400 {
		text := randomFormula(r, 3)
		s, run := answers(t)
		run("VAR a = 1.25, b = 2.5, c = 0.75")
		run("y = " + text)
		run("y2 = y + 0*a*b*c")
		if run("GRAD y2")["kind"] != "grad" {
			continue
		}
		g := s.tape.Adjoint(s.symbols["a"].node)
		operations := s.tape.Operations()
		if !finite(g) || math.Abs(g) < 1e-3 || math.Abs(g) > 1e3 {
			continue
		}
		object := run(":check y2 a = grad(y2, a)")
		if object["agrees"] != true || object["points"] != 20.0 {
			continue // too few finite points to tell
		}
		compared++
		for formula, hint := range map[string]string{
			"-grad(y2, a)":     "tape = -yours",
			"grad(y2, a)/b":    "tape = yours * b",
			"grad(y2, a)*c":    "tape = yours / c",
			"grad(y2, a)*4":    "tape = yours / 4",
			"grad(y2, a) - 10": "tape = yours + 10",
		} {
			object := run(":check y2 a = " + formula)
			got, _ := object["hint"].(string)
			if object["agrees"] != false || !strings.Contains(got, "tape") {
				t.Errorf("y = %s, %s: %v, want %q", text, formula, object, hint)
			} else if !strings.Contains(got, hint) {
				compared-- // another explanation is as good, where the derivative is simple
			}
		}
		if !s.failed {
			t.Errorf("y = %s: a formula that differs did not fail the run", text)
		}
		if s.tape.Operations() != operations {
			t.Fatalf("y = %s: :check left nodes behind", text)
		}
		if s.tape.Adjoint(s.symbols["a"].node) != g {
			t.Fatalf("y = %s: :check changed the adjoints of the last GRAD", text)
		}
	}
	if compared < 50 {
		t.Errorf("only %d formulas were compared", compared)
	}
}

func TestNumberResult(t *testing.T) {
	for _, c := range []struct {
		text           string
		tape           float64
		agrees, single bool
		from           int
	}{
		{"0.8674", 0.867369903535, true, false, 0},
		{"0.8673", 0.867369903535, false, false, 4},
		{"0.86736989", 0.867369903535, true, true, 0},
		{"0.8635639", 0.867369903535, false, false, 3},
		{"2953.0981", 2953.09797142, true, true, 0},
		{"7", 7, true, false, 0},
		{"-7", 7, false, false, 0},
		{"70", 7, false, false, 0},
		{"0.1", 0.1, true, false, 0},
		{"0.3", 0.1 + 0.2, true, false, 0},
		{"0.30000000000000004", 0.3, true, false, 0},
		{"1e-3", 0.001, true, false, 0},
		{"1", 0.87758256189, false, false, 0},
		{"0.9", 0.87758256189, true, false, 0},
		{"0.88", 0.87758256189, true, false, 0},
		{"0.87", 0.87758256189, false, false, 2},
		{"1", 0.96, true, false, 0},
		{"1.0", 0.96, false, false, 0},
		{"0.9", 0.85, true, false, 0},
		{"9", 9.6, false, false, 0},
		{"10", 9.6, false, false, 0},
		{"1e3", 1000, true, false, 0},
		{"0", 0.3, false, false, 0},
		{"0", 1.2e-16, true, false, 0},
		{"0.00", -1e-9, false, false, 0},
		{"1_000.5", 1000.54, true, false, 0},
		{"1000.50", 1000.54, false, false, 6},
		{"0", 0, true, false, 0},
		{"1", math.NaN(), false, false, 0},
		{"1", math.Inf(1), false, false, 0},
	} {
		var yours float64
		fmt.Sscan(strings.ReplaceAll(c.text, "_", ""), &yours)
		r := numberResult{text: c.text, yours: yours, tape: c.tape}
		r.compare()
		if r.agrees != c.agrees || r.single != c.single || r.from != c.from {
			t.Errorf("%s against %v: agrees %v, single %v, from %d", c.text, c.tape, r.agrees, r.single, r.from)
		}
	}
}

func TestFamiliar(t *testing.T) {
	for _, c := range []struct {
		v    float64
		text string
		nice bool
	}{
		{2, "2", true}, {-0.5, "-1/2", true}, {2 * math.Pi, "2*pi", true}, {-math.Pi, "-pi", true}, {math.Pi / 2, "pi/2", true},
		{math.Sqrt(0.5), "sqrt(2)/2", true}, {1.2345678, "1.2345678", false}, {1e9, "1000000000", false},
	} {
		if text, nice := familiar(c.v); text != c.text || nice != c.nice {
			t.Errorf("familiar(%v) = %q, %v, want %q, %v", c.v, text, nice, c.text, c.nice)
		}
	}
}

func TestHessianIsGradOfGrad(t *testing.T) {
	s, run := answers(t)
	run("VAR a = 1.5, b = -0.5, c = 2")
	run("n = a*b + c")
	run("y = tanh(n)*exp(a*c) + n^3/b + hypot(a, n)")
	mark := s.tape.Mark()
	object := run(":hessian y a n b c")
	if s.tape.Mark() != mark {
		t.Error(":hessian left nodes behind")
	}
	names := []string{"a", "n", "b", "c"}
	for i, x := range names {
		for k, z := range names {
			got := object["matrix"].([]any)[i].([]any)[k].(float64)
			want := run("grad(grad(y, " + x + "), " + z + ")")["value"].(float64)
			if math.Abs(got-want) > 1e-12*math.Abs(want) {
				t.Errorf("%s %s: %v, want %v", x, z, got, want)
			}
		}
	}
	run("VAR lone = 1")
	if m := run(":hessian y lone")["matrix"].([]any)[0].([]any)[0]; m != 0.0 {
		t.Errorf("a variable that y does not use has second derivative %v", m)
	}
}

// The rate of step k of N is R0 + (R1-R0)*k/N, and values are those before each
// step: held against the recurrence of a parabola.
func TestDescendSchedule(t *testing.T) {
	_, run := answers(t)
	run("VAR x = 3")
	run("y = x^2")
	object := run(":descend y rate=0.4..0.1 steps=50")
	x := 3.0
	for k, v := range object["values"].([]any) {
		if want := x * x; math.Abs(v.(float64)-want) > 1e-12*want {
			t.Fatalf("step %d: %v, want %v", k, v, want)
		}
		x -= (0.4 + (0.1-0.4)*float64(k)/50) * 2 * x
	}
	if v := object["value"].(float64); math.Abs(v-x*x) > 1e-12*x*x {
		t.Errorf("at the end %v, want %v", v, x*x)
	}
	if v := run("x")["value"].(float64); math.Abs(v-x) > 1e-12*math.Abs(x) {
		t.Errorf("x is %v, want %v", v, x)
	}
}

// Ctrl-C ends :descend between two steps, and what was reached is kept: by the
// session, by :undo and by what :save would write.
func TestDescendInterrupted(t *testing.T) {
	for _, command := range []string{":descend y steps=1000", ":minimize y"} {
		s, run := console(t)
		run("VAR a = -1.2, b = 1; y = (1-a)^2 + 100*(b-a^2)^2")
		start := s.tape.Value(s.latest)
		shown := 0
		s.progress = func(text string) {
			if text != "" {
				shown++
				s.stop.Store(true)
			}
		}
		if command == ":descend y steps=1000" {
			command += " rate=0.001"
		}
		text := run(command)
		if !strings.Contains(text, "interrupted after") || strings.Contains(text, "error") || shown == 0 {
			t.Errorf("%s: %s", command, text)
		}
		a, b := s.tape.Value(s.symbols["a"].node), s.tape.Value(s.symbols["b"].node)
		y := s.tape.Value(s.latest)
		if want := (1-a)*(1-a) + 100*(b-a*a)*(b-a*a); math.Abs(y-want) > 1e-12*want {
			t.Errorf("%s: y is %v, want %v", command, y, want)
		}
		if strings.HasPrefix(command, ":descend") && (y >= start || s.failed) {
			t.Errorf("%s: y is %v, it was %v", command, y, start)
		}
		s.progress = nil
		if y < start {
			if saved := s.done[len(s.done)-1].text; saved != fmt.Sprintf("VAR a = %v, b = %v", a, b) {
				t.Errorf("%s: %q would be saved", command, saved)
			}
			run(":undo")
		}
		if y := s.tape.Value(s.latest); y != start {
			t.Errorf("%s: after :undo y is %v, want %v", command, y, start)
		}
	}
}

// The whole training of micrograd's demo, written out as 3,640 statements: the
// losses are those that its authors published.
func TestDescendMoons(t *testing.T) {
	script, err := os.Open("testdata/moons.sg.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer script.Close()
	source, err := gzip.NewReader(script)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/moons-expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected struct{ Losses []float64 }
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	_, run := answers(t)
	lines := bufio.NewScanner(source)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		run(lines.Text())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	values := run(":descend loss rate=1..0.1 steps=100")["values"].([]any)
	if len(values) != len(expected.Losses) {
		t.Fatalf("%d losses, want %d", len(values), len(expected.Losses))
	}
	for k, v := range values {
		if want := expected.Losses[k]; math.Abs(v.(float64)-want) > 1e-9*want {
			t.Errorf("step %d: %v, want %v", k, v, want)
		}
	}
}

func TestMinimize(t *testing.T) {
	for _, c := range []struct {
		start, formula string
		at, tolerance  float64
	}{
		{"VAR x = 5", "(x - 2)^2 + 1", 2, 1e-7},
		{"VAR x = 0.1", "x*log(x)", 1 / math.E, 1e-7},
		{"VAR x = 3", "abs(x - 1.5)", 1.5, 1e-6},
		{"VAR x = 1", "cosh(x) - x", math.Asinh(1), 1e-7},
		{"VAR x = 4", "sqrt(1 + x^2)", 0, 1e-6},
		{"VAR x = 0.5", "-log(x) - log(1 - x) + x", (3 - math.Sqrt(5)) / 2, 1e-7}, // nothing is defined outside of 0 to 1
	} {
		s, run := answers(t)
		run(c.start)
		run("y = " + c.formula)
		object := run(":minimize")
		if x := s.tape.Value(s.symbols["x"].node); !(math.Abs(x-c.at) <= c.tolerance) {
			t.Errorf("%s: %v, want %v: %v", c.formula, x, c.at, object)
		}
	}
	_, run := answers(t)
	run("VAR x = 1")
	run("y = 2*x")
	if v := run(":minimize")["verdict"].(string); !strings.HasPrefix(v, "no minimum") {
		t.Errorf("2*x: %s", v)
	}
}

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		values []float64
		width  int
		want   string
	}{
		{nil, 5, ""}, {[]float64{1}, 5, "▁"}, {[]float64{0, 7}, 5, "▁█"}, {[]float64{3, 3, 3}, 5, "▁▁▁"},
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7}, 4, "▁▃▅█"}, {[]float64{1, 1e7}, 2, "▁█"}, {[]float64{1, 1e3, 1e6}, 3, "▁▅█"},
		{[]float64{-math.MaxFloat64, 0, math.MaxFloat64}, 3, "▁▅█"}, {[]float64{math.NaN(), 1, math.Inf(1), 2}, 4, "▁▁▁█"}, {[]float64{5e-324, 0}, 2, "█▁"},
	} {
		if got := sparkline(c.values, c.width); got != c.want {
			t.Errorf("%v in %d: %q, want %q", c.values, c.width, got, c.want)
		}
	}
}
