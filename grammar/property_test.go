package grammar

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// tree is an expression as the test writes it down, before any parser saw it.
type tree struct {
	op   uint8  // index into Operators, or leaf, or call
	text string // leaf: the token; call: the name
	args []*tree
}

const (
	leaf uint8 = 100 + iota
	call
)

// twins are the ways to write an infix operator.
var twins = map[uint8][]string{OpAdd: {"+"}, OpSub: {"-", "–", "−"}, OpMul: {"*", "×", "·", "⋅"}, OpDiv: {"/", "÷"}, OpPower: {"^", "**"}}

// grow returns a random tree of about the given size.
func grow(r *rand.Rand, size int) *tree {
	if size <= 1 {
		return &tree{op: leaf, text: []string{"a", "b", "θ_1", "2", "0.5", "1e3", "@7", "ans"}[r.IntN(8)]}
	}
	switch r.IntN(8) {
	case 0:
		t := &tree{op: call, text: []string{"sin", "max", "grad"}[r.IntN(3)]}
		for range r.IntN(4) {
			t.args = append(t.args, grow(r, size/3))
		}
		return t
	case 1, 2:
		return &tree{op: OpNeg, args: []*tree{grow(r, size-1)}}
	}
	left := r.IntN(size)
	return &tree{op: uint8(r.IntN(int(OpPower) + 1)), args: []*tree{grow(r, left), grow(r, size-left)}}
}

// postfix returns what text shows for the tree's items.
func (t *tree) postfix() string {
	var words []string
	for _, a := range t.args {
		words = append(words, a.postfix())
	}
	switch t.op {
	case leaf:
		if v, _, d := number([]byte(t.text), 0); d == nil {
			return fmt.Sprint(v)
		}
		return t.text
	case call:
		return strings.Join(append(words, fmt.Sprintf("%s/%d", t.text, len(t.args))), " ")
	}
	return strings.Join(append(words, Operators[t.op].Op), " ")
}

// isNegatedLiteral reports whether the tree is a minus before a literal, which
// as an exponent needs parentheses to stay an operation.
func (t *tree) isNegatedLiteral() bool {
	return t.op == OpNeg && t.args[0].op == leaf && t.args[0].text[0] <= '9'
}

// print writes the tree with as few parentheses as the precedence table asks
// for, or some more, and with random blanks.
func (t *tree) print(b *strings.Builder, r *rand.Rand) {
	blank := func() {
		b.WriteString([]string{"", "", " ", "\t", "\u00A0", "\\\n"}[r.IntN(6)])
	}
	part := func(sub *tree, parens bool) {
		if parens = parens || r.IntN(10) == 0; parens {
			b.WriteString("(")
		}
		blank()
		sub.print(b, r)
		blank()
		if parens {
			b.WriteString(")")
		}
	}
	switch t.op {
	case leaf:
		b.WriteString(t.text)
	case call:
		b.WriteString(t.text + "(")
		for i, a := range t.args {
			if i > 0 {
				b.WriteString(",")
			}
			part(a, false)
		}
		b.WriteString(")")
	case OpNeg:
		b.WriteString([]string{"-", "−", "+-"}[r.IntN(3)])
		part(t.args[0], t.args[0].binds() < t.binds())
	default:
		o, left, right := Operators[t.op], t.args[0], t.args[1]
		part(left, left.binds() < o.Precedence || left.binds() == o.Precedence && o.Right)
		signs := twins[t.op]
		b.WriteString(signs[r.IntN(len(signs))])
		exponent := t.op == OpPower && right.op == OpNeg && !right.isNegatedLiteral()
		part(right, !exponent && (right.binds() < o.Precedence || right.binds() == o.Precedence && !o.Right))
	}
}

// binds returns the precedence of the tree's root.
func (t *tree) binds() int {
	if t.op >= leaf {
		return 9
	}
	return Operators[t.op].Precedence
}

// TestPrintParse prints random trees and parses them back.
func TestPrintParse(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var p Parser
	for range 20_000 {
		want := grow(r, 1+r.IntN(30))
		var b strings.Builder
		b.WriteString("EXPR ")
		want.print(&b, r)
		line := []byte(b.String())
		p.Reset(line)
		s, ok := p.Next()
		if !ok || s.Err != nil {
			t.Fatalf("%q: %v", line, s.Err)
		}
		if got := text(line, s.Expr); got != want.postfix() {
			t.Fatalf("%q:\n got %s\nwant %s", line, got, want.postfix())
		}
		checkItems(t, line, s.Expr, s.Span)

		// What every item says it completes is, parsed alone, that item again.
		for i, it := range s.Expr {
			if it.Kind == Number && line[it.Start] == '-' {
				continue
			}
			part, d := new(Parser).Expression(line, Span{it.Start, it.End})
			if d != nil {
				t.Fatalf("%q: the part %q: %v", line, line[it.Start:it.End], d)
			}
			if whole := text(line, s.Expr[i+1-len(part):i+1]); text(line, part) != whole {
				t.Fatalf("%q: the part %q is %s, was %s", line, line[it.Start:it.End], text(line, part), whole)
			}
		}
	}
}

// TestPrefixes cuts valid lines everywhere: what is left is valid or refused
// inside itself.
func TestPrefixes(t *testing.T) {
	for _, line := range seeds {
		for i := range len(line) {
			checkLine(t, []byte(line[:i]))
			checkTokens(t, []byte(line[:i]))
		}
	}
}

// TestRandomTokens parses random words of the language, which reaches more
// states than random bytes do.
func TestRandomTokens(t *testing.T) {
	words := []string{
		"VAR", "EXPR", "GRAD", "WRT", "grad", "a", "b", "ans", "_", "@1", "@", "f(", "(", ")", ",", "=", ";", "+", "-", "*", "/", "^", "**",
		"²", "⁻", "1", "2.5", "1e", "1_", ".", ".grad", ":", ":load", `"`, "'", "#", "//", "\\", "\\\n", "\n", "\r", "\r\n", "> ", "−", "×",
		"\uFEFF", "\u00A0", "“", "\xff", "\x00", "!", "e\u0301", "θ",
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 100_000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(words[r.IntN(len(words))])
			if r.IntN(2) == 0 {
				b.WriteByte(' ')
			}
		}
		line := []byte(b.String())
		checkLine(t, line)
		checkTokens(t, line)
		Continues(line)
	}
}
