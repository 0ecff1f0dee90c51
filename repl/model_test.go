package repl

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// What follows is the language said again, slowly: a name means a tree, a
// value is worked out from the leaves each time it is asked for, a derivative
// is carried forward by the rules of a textbook, one variable at a time. Random
// statements are run by both, and must agree.

type modelLeaf struct{ value float64 }

// A modelTree is a number, a variable, or an operation on trees.
type modelTree struct {
	op     string // "" for a leaf
	leaf   *modelLeaf
	x, y   *modelTree
	number int // of the operation, counted from 1 over the session
}

// A dual is a value with its derivative, and a bound of what rounding has done to
// the value: sin(exp(a)) may have no digit that two programs agree on.
type dual struct{ v, d, e float64 }

// eval returns the value of the tree and its derivative by wrt.
func (t *modelTree) eval(wrt *modelLeaf, known map[*modelTree]dual) dual {
	if t.op == "" {
		if t.leaf == wrt {
			return dual{v: t.leaf.value, d: 1}
		}
		return dual{v: t.leaf.value}
	}
	if d, ok := known[t]; ok {
		return d
	}
	x, y := t.x.eval(wrt, known), dual{}
	if t.y != nil {
		y = t.y.eval(wrt, known)
	}
	r := modelRule(t.op, x, y)
	r.e = rounding(t.op, x, y, r.v)
	known[t] = r
	return r
}

// rounding returns the bound for v, the operation's value.
func rounding(op string, x, y dual, v float64) float64 {
	e := x.e + y.e // no slope of the others is larger than 1
	switch op {
	case "*":
		e = math.Abs(y.v)*x.e + math.Abs(x.v)*y.e
	case "/":
		e = (x.e + math.Abs(v)*y.e) / math.Abs(y.v)
	case "^":
		e = math.Abs(y.v*v/x.v) * x.e
	case "exp":
		e = v * x.e
	case "log":
		e = x.e / x.v
	case "sqrt":
		e = x.e / (2 * v)
	}
	return e + 0x1p-50*math.Abs(v)
}

func modelRule(op string, x, y dual) dual {
	switch op {
	case "+":
		return dual{v: x.v + y.v, d: x.d + y.d}
	case "-":
		return dual{v: x.v - y.v, d: x.d - y.d}
	case "*":
		return dual{v: x.v * y.v, d: x.d*y.v + x.v*y.d}
	case "/":
		return dual{v: x.v / y.v, d: (x.d - x.v/y.v*y.d) / y.v}
	case "neg":
		return dual{v: -x.v, d: -x.d}
	case "^":
		// The exponents of the test are small integers.
		r := dual{v: 1, d: 0}
		for range int(math.Abs(y.v)) {
			r = modelRule("*", r, x)
		}
		if y.v < 0 {
			r = modelRule("/", dual{v: 1, d: 0}, r)
		}
		return r
	case "exp":
		return dual{v: math.Exp(x.v), d: math.Exp(x.v) * x.d}
	case "sin":
		return dual{v: math.Sin(x.v), d: math.Cos(x.v) * x.d}
	case "log":
		return dual{v: math.Log(x.v), d: x.d / x.v}
	case "sqrt":
		return dual{v: math.Sqrt(x.v), d: x.d / (2 * math.Sqrt(x.v))}
	case "tanh":
		c := math.Cosh(x.v)
		return dual{v: math.Tanh(x.v), d: x.d / c / c}
	case "sigmoid":
		s := 1 / (1 + math.Exp(-x.v))
		return dual{v: s, d: s * (1 / (1 + math.Exp(x.v))) * x.d}
	case "relu":
		if x.v > 0 || math.IsNaN(x.v) {
			return x
		}
		return dual{v: 0, d: 0}
	case "abs":
		if x.v < 0 {
			return dual{v: -x.v, d: -x.d}
		}
		if x.v == 0 {
			return dual{v: 0, d: 0}
		}
		return x
	case "max":
		switch {
		case math.IsNaN(x.v + y.v):
			return dual{v: math.NaN(), d: math.NaN()}
		case x.v > y.v:
			return x
		case x.v < y.v:
			return y
		}
		return dual{v: x.v, d: (x.d + y.d) / 2}
	case "hypot":
		h := math.Hypot(x.v, y.v)
		return dual{v: h, d: (x.v*x.d + y.v*y.d) / h}
	}
	panic("model: " + op)
}

// uses reports whether the tree mentions the leaf.
func (t *modelTree) uses(l *modelLeaf, seen map[*modelTree]bool) bool {
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	return t.leaf == l && t.op == "" || t.x.uses(l, seen) || t.y.uses(l, seen)
}

// constant reports whether the tree uses none of the leaves.
func (t *modelTree) constant(leaves []*modelLeaf) bool {
	for _, l := range leaves {
		if t.uses(l, map[*modelTree]bool{}) {
			return false
		}
	}
	return true
}

type model struct {
	vars       []string
	leaves     map[string]*modelLeaf // of variables
	names      map[string]*modelTree // what every name means, variables included
	operations []*modelTree
	latest     *modelTree
}

func newModel() *model {
	return &model{leaves: map[string]*modelLeaf{}, names: map[string]*modelTree{}}
}

// A speaker makes random statements and says what must come of them.
type speaker struct {
	*model
	random *rand.Rand
	made   []*modelTree // operations of the statement under way
}

var (
	modelUnary  = []string{"neg", "exp", "sin", "log", "sqrt", "tanh", "sigmoid", "relu", "abs"}
	modelBinary = []string{"+", "-", "*", "/", "+", "-", "*", "max", "hypot", "^"}
	modelNames  = []string{"a", "b", "c", "x", "y", "loss", "θ", "n3", "e"}
)

func (s *speaker) pick(from []string) string { return from[s.random.IntN(len(from))] }

func (s *speaker) number() (string, float64) {
	v := math.Abs(math.Round(s.random.NormFloat64()*200) / 100)
	return formatNumber(v, 17), v
}

// expression returns a random expression as text and as tree; ok is false if
// it mentions something that is not there.
func (s *speaker) expression(depth int) (text string, tree *modelTree, ok bool) {
	if depth == 0 || s.random.IntN(5) == 0 {
		switch k := s.random.IntN(12); {
		case k < 2:
			text, v := s.number()
			return text, &modelTree{leaf: &modelLeaf{v}}, true
		case k == 2 && s.latest != nil:
			return "ans", s.latest, true
		case k == 3 && len(s.operations) > 0:
			n := s.random.IntN(len(s.operations)) + 1
			name := fmt.Sprintf("@%d", n)
			if own := fmt.Sprintf("n%d", n); s.names[own] == nil && s.random.IntN(2) == 0 {
				name = own
			}
			return name, s.operations[n-1], true
		case k == 4 && s.random.IntN(6) == 0:
			return "nowhere", nil, false
		}
		name := s.pick(modelNames)
		if t := s.names[name]; t != nil {
			return name, t, true
		}
		if len(s.vars) == 0 {
			return "0.5", &modelTree{leaf: &modelLeaf{0.5}}, true
		}
		name = s.pick(s.vars)
		return name, s.names[name], true
	}
	t := &modelTree{}
	if s.random.IntN(3) == 0 {
		t.op = s.pick(modelUnary)
		inner, x, ok := s.expression(depth - 1)
		t.x = x
		s.made = append(s.made, t)
		if t.op == "neg" {
			return "-(" + inner + ")", t, ok
		}
		return t.op + "(" + inner + ")", t, ok
	}
	t.op = s.pick(modelBinary)
	left, x, okX := s.expression(depth - 1)
	t.x = x
	if t.op == "^" {
		k := s.random.IntN(8) - 3
		t.y = &modelTree{leaf: &modelLeaf{float64(k)}}
		s.made = append(s.made, t)
		return fmt.Sprintf("(%s)^%d", left, k), t, okX
	}
	right, y, okY := s.expression(depth - 1)
	t.y = y
	s.made = append(s.made, t)
	if t.op == "max" || t.op == "hypot" {
		return t.op + "(" + left + ", " + right + ")", t, okX && okY
	}
	return "(" + left + ") " + t.op + " (" + right + ")", t, okX && okY
}

// An expectation is what the JSON of one statement has to say.
type expectation struct {
	refused bool
	kind    string
	name    string
	node    string
	tree    *modelTree
	wrt     []string
}

// statement says something and returns what must come of it.
func (s *speaker) statement() (text string, want expectation) {
	s.made = s.made[:0]
	switch k := s.random.IntN(20); {
	case k < 6 || len(s.vars) == 0:
		name := s.pick(modelNames)
		digits, v := s.number()
		text = "VAR " + name + " = " + digits
		want = expectation{kind: "var", name: name, tree: &modelTree{leaf: &modelLeaf{v}}}
		if l := s.leaves[name]; l != nil && s.names[name].leaf == l {
			l.value = v
			return text, want
		}
		if t := s.names[name]; t != nil && !t.constant(s.all()) {
			want.refused = true
			return text, want
		}
		l := &modelLeaf{v}
		s.leaves[name], s.names[name] = l, &modelTree{leaf: l}
		s.vars = append(s.vars, name)
		return text, want
	case k < 14:
		text, tree, ok := s.expression(s.random.IntN(4))
		name := ""
		if s.random.IntN(2) == 0 {
			name = s.pick(modelNames)
			text = name + " = " + text
		}
		shown := name == "" && !strings.ContainsAny(text, "( .") && text[0] > '9' // only a name: it shows its value
		if s.random.IntN(2) == 0 {
			text, shown = "EXPR "+text, false
		}
		want = expectation{kind: "expr", name: name, tree: tree}
		if !ok || name != "" && s.leaves[name] != nil {
			want.refused = true
			return text, want
		}
		s.accept()
		if !shown {
			s.latest = tree
		}
		if tree.op != "" {
			want.node = fmt.Sprintf("n%d", tree.number)
		}
		if name != "" {
			s.names[name] = tree
		}
		if own := s.names[want.node]; own != nil && own != tree {
			want.node = "@" + want.node[1:]
		}
		return text, want
	case k < 19:
		var tree *modelTree
		text := "GRAD"
		if s.random.IntN(2) == 0 {
			inner, t, ok := s.expression(2)
			if !ok {
				return "GRAD " + inner + " + nowhere", expectation{refused: true}
			}
			text, tree = "GRAD "+inner+" WRT", t
			s.accept()
			if strings.ContainsAny(inner, "( ") {
				s.latest = t
			}
			text = strings.TrimSuffix(text, " WRT")
			if isName(inner) && s.leaves[inner] != nil {
				// A leading variable alone belongs to the list of names.
				text += " WRT " + s.vars[0]
				return text, expectation{kind: "grad", tree: tree, wrt: s.vars[:1]}
			}
			if inner[0] >= '0' && inner[0] <= '9' {
				s.latest = t // a number
			}
		} else {
			tree = s.latest
		}
		if tree == nil {
			return text, expectation{refused: true}
		}
		return text, expectation{kind: "grad", tree: tree, wrt: slices.Clone(s.vars)}
	}
	if s.random.IntN(4) > 0 {
		return "VAR a = nowhere", expectation{refused: true}
	}
	*s.model = *newModel()
	return ":reset", expectation{kind: "reset"}
}

func isName(text string) bool { return slices.Contains(modelNames, text) }

func (s *speaker) all() (leaves []*modelLeaf) {
	for _, v := range s.vars {
		leaves = append(leaves, s.leaves[v])
	}
	return leaves
}

// accept numbers the operations of the statement.
func (s *speaker) accept() {
	for _, t := range s.made {
		s.operations = append(s.operations, t)
		t.number = len(s.operations)
	}
}

// agree runs n random statements in a session and in the model.
func agree(t *testing.T, seed uint64, n int) {
	t.Helper()
	s := &speaker{model: newModel(), random: rand.New(rand.NewPCG(seed, 1))}
	var out strings.Builder
	r := batch(Options{JSON: true}, &out)
	var script []string
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("seed %d: %s\nanswer %safter\n%s", seed, fmt.Sprintf(format, args...), out.String(), strings.Join(script, "\n"))
	}
	for range n {
		text, want := s.statement()
		script = append(script, text)
		out.Reset()
		before := r.tape.Len()
		r.Eval([]byte(text), 1, r.emitResult)
		r.out.flush()
		var got struct {
			Kind, Name, Node, Message string
			Value                     any
			Grad                      map[string]any
			Unused                    []string
		}
		answer := out.String()
		if err := json.NewDecoder(strings.NewReader(answer)).Decode(&got); err != nil {
			fail("no JSON: %v", err)
		}
		if want.refused != (got.Kind == "error") {
			fail("refused should be %v", want.refused)
		}
		if want.refused {
			if r.tape.Len() != before {
				fail("a refused statement left nodes")
			}
			continue
		}
		if got.Kind != want.kind {
			fail("kind %s, want %s", got.Kind, want.kind)
		}
		if want.kind == "reset" {
			continue
		}
		value := want.tree.eval(nil, map[*modelTree]dual{})
		if !close12(value.v, number64(got.Value), value.e) {
			fail("value %v, want %v", got.Value, value.v)
		}
		if want.kind == "expr" && want.node != "" && got.Node != want.node {
			fail("node %s, want %s", got.Node, want.node)
		}
		if want.kind != "grad" {
			continue
		}
		if len(got.Grad) != len(want.wrt) {
			fail("%d gradients, want %d", len(got.Grad), len(want.wrt))
		}
		for _, v := range want.wrt {
			leaf := s.leaves[v]
			d := want.tree.eval(leaf, map[*modelTree]dual{})
			if used := want.tree.uses(leaf, map[*modelTree]bool{}); used == slices.Contains(got.Unused, v) {
				fail("%s: unused should be %v", v, !used)
			}
			if g := number64(got.Grad[v]); !math.IsNaN(d.d) && !math.IsInf(d.d, 0) && !want.tree.singular(leaf) && !close9(d.d, g, want.tree, leaf) {
				fail("%s.grad = %v, want %v", v, g, d.d)
			}
		}
	}
}

// singular reports whether some value or derivative on the way is not finite, as
// forward and backward products of 0 and infinity need not agree, or has lost its
// digits.
func (t *modelTree) singular(wrt *modelLeaf) bool {
	known := map[*modelTree]dual{}
	t.eval(wrt, known)
	for node, d := range known {
		if !finite(d.v) || !finite(d.d) || d.e > 1e-9*max(1, math.Abs(d.v)) || (node.op == "sqrt" || node.op == "hypot" || node.op == "log") && d.v == 0 || node.op == "/" && node.y.eval(nil, map[*modelTree]dual{}).v == 0 {
			return true
		}
	}
	return false
}

func number64(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case string:
		switch v {
		case "+Inf":
			return math.Inf(1)
		case "-Inf":
			return math.Inf(-1)
		}
	}
	return math.NaN()
}

func close12(want, got, rounding float64) bool {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return want == got || math.IsNaN(want) && math.IsNaN(got)
	}
	return math.Abs(want-got) <= 1e-9*math.Max(1, math.Abs(want)) || math.Abs(want-got) <= rounding
}

// close9 compares derivatives on the scale of the largest on the way, since
// sums of large terms that cancel round differently in the two directions.
func close9(want, got float64, t *modelTree, wrt *modelLeaf) bool {
	known := map[*modelTree]dual{}
	t.eval(wrt, known)
	scale := math.Max(1, math.Abs(want))
	for _, d := range known {
		scale = math.Max(scale, math.Max(math.Abs(d.d), math.Abs(d.v)))
	}
	return math.Abs(want-got) <= 1e-7*scale*scale
}

func TestSessionAgreesWithModel(t *testing.T) {
	for seed := range uint64(400) {
		agree(t, seed, 60)
	}
}

func FuzzSession(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, uint16(100))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16) { agree(t, seed, int(n%512)) })
}

var _ io.Writer = (*strings.Builder)(nil)
