package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A formula is the rule of one row of the table, written once as a person
// would: "g*cosh(x)". From it come the number that a sweep computes, the nodes
// that Differentiate records, and the text that help and a trace show. Its
// names are x and y (the parents), z (the node itself) and g (the adjoint that
// arrived); its functions are rows of the same table.
//
// It is kept as postfix steps.
type formula []step

type step struct {
	op    Op      // the operation; opConst: push value; opVar: push the input `in`
	in    uint8   // index into x, y, z, g
	value float64 // of a constant
}

const inputNames = "xyzg"

const (
	inX = iota
	inY
	inZ
	inG
)

// parseFormula reads + - * / ^, a leading minus, numbers, names and calls.
//
//	sum     = product { ("+" | "-") product }
//	product = unary { ("*" | "/") unary }
//	unary   = "-" unary | power
//	power   = atom [ "^" unary ]
//	atom    = number | "x" | "y" | "z" | "g" | name "(" sum { "," sum } ")" | "(" sum ")"
//
// It panics on anything else: formulas are part of the program.
func parseFormula(text string) formula {
	p := &formulaParser{rest: strings.ReplaceAll(text, " ", ""), text: text}
	p.sum()
	if p.rest != "" {
		panic("engine: formula " + text + ": unexpected " + p.rest)
	}
	return p.out
}

type formulaParser struct {
	text, rest string
	out        formula
}

func (p *formulaParser) take(chars string) byte {
	if p.rest != "" && strings.IndexByte(chars, p.rest[0]) >= 0 {
		c := p.rest[0]
		p.rest = p.rest[1:]
		return c
	}
	return 0
}

func (p *formulaParser) emit(op Op) { p.out = append(p.out, step{op: op}) }

func (p *formulaParser) sum() {
	p.product()
	for {
		switch p.take("+-") {
		case '+':
			p.product()
			p.emit(OpAdd)
		case '-':
			p.product()
			p.emit(OpSub)
		default:
			return
		}
	}
}

func (p *formulaParser) product() {
	p.unary()
	for {
		switch p.take("*/") {
		case '*':
			p.unary()
			p.emit(OpMul)
		case '/':
			p.unary()
			p.emit(OpDiv)
		default:
			return
		}
	}
}

func (p *formulaParser) unary() {
	if p.take("-") != 0 {
		p.unary()
		p.emit(OpNeg)
		return
	}
	p.atom()
	if p.take("^") != 0 {
		p.unary()
		p.emit(OpPower)
	}
}

func (p *formulaParser) atom() {
	if p.take("(") != 0 {
		p.sum()
		p.expect(")")
		return
	}
	n := 0
	for n < len(p.rest) && (p.rest[n] == '.' || p.rest[n] >= '0' && p.rest[n] <= '9' || p.rest[n] >= 'a' && p.rest[n] <= 'z') {
		n++
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	if word == "pi" {
		p.out = append(p.out, step{op: opConst, value: math.Pi})
		return
	}
	if v, err := strconv.ParseFloat(word, 64); err == nil {
		p.out = append(p.out, step{op: opConst, value: v})
		return
	}
	if in := strings.Index(inputNames, word); in >= 0 && len(word) == 1 {
		p.out = append(p.out, step{op: opVar, in: uint8(in)})
		return
	}
	op, ok := Named(word)
	if !ok {
		panic("engine: formula " + p.text + ": unknown " + word)
	}
	p.expect("(")
	p.sum()
	if rules[op].arity == 2 {
		p.expect(",")
		p.sum()
	}
	p.expect(")")
	p.emit(op)
}

func (p *formulaParser) expect(c string) {
	if p.take(c) == 0 {
		panic("engine: formula " + p.text + ": want " + c + " before " + p.rest)
	}
}

// eval returns the number that f gives for its inputs x, y, z, g.
func (f formula) eval(in *[4]float64) float64 {
	var stack [12]float64
	n := 0
	for i := range f {
		switch s := &f[i]; s.op {
		case opConst:
			stack[n] = s.value
			n++
		case opVar:
			stack[n] = in[s.in]
			n++
		default:
			r := &rules[s.op]
			if r.arity == 2 {
				n--
				stack[n-1] = r.value(stack[n-1], stack[n])
			} else {
				stack[n-1] = r.value(stack[n-1], 0)
			}
		}
	}
	return stack[0]
}

// record puts the nodes of f on t and returns the last. It records nothing for
// a product with the constant 1, computes among constants without a node, and
// uses a node made after since again where it is the same operation on the same
// parents: all three are exact.
func (f formula) record(t *Tape, in *[4]Term, since Node) Term {
	var stack [12]Term
	n := 0
	for i := range f {
		switch s := &f[i]; s.op {
		case opConst:
			stack[n] = t.Const(s.value)
			n++
		case opVar:
			stack[n] = in[s.in]
			n++
		default:
			if rules[s.op].arity == 2 {
				n--
				stack[n-1] = t.fold(s.op, stack[n-1], stack[n], since)
			} else {
				stack[n-1] = t.fold(s.op, stack[n-1], stack[n-1], since)
			}
		}
	}
	return stack[0]
}

// fold is Apply, sparing the node where that changes no bit of any value.
func (t *Tape) fold(op Op, x, y Term, since Node) Term {
	r := &rules[op]
	switch {
	case x.IsConstant() && (r.arity == 1 || y.IsConstant()):
		return t.Const(r.value(x.value, y.value))
	case op == OpMul && x.IsConstant() && x.value == 1:
		return y
	case (op == OpMul || op == OpDiv || op == OpPower) && y.IsConstant() && y.value == 1:
		return x
	}
	same := link(op, x.ref, y.ref)
	for n := Node(t.Len()); n > since; n-- {
		if t.slots[n].link == same {
			return t.At(n)
		}
	}
	return t.Apply(op, x, y)
}

// text writes f with a name for each input. What has no variable input is
// worked out: with y fixed at 3, y*x^(y - 1) reads 3*x^2. With factor it is
// ready to be multiplied: a sum stands in parentheses.
func (f formula) text(factor bool, name func(in int) (text string, constant bool, value float64), number func(float64) string) string {
	type part struct {
		text  string
		prec  int // 1 sum, 2 product, 3 minus, 4 power, 5 atom
		fixed bool
		value float64
	}
	atom := func(v float64) part {
		if v < 0 {
			return part{number(v), 3, true, v}
		}
		return part{number(v), 5, true, v}
	}
	paren := func(p part, least int) string {
		if p.prec < least {
			return "(" + p.text + ")"
		}
		return p.text
	}
	var stack []part
	for i := range f {
		s := &f[i]
		switch s.op {
		case opConst:
			stack = append(stack, atom(s.value))
			continue
		case opVar:
			text, fixed, v := name(int(s.in))
			p := part{text, 5, fixed, v}
			if strings.HasPrefix(text, "-") {
				p.prec = 3
			}
			stack = append(stack, p)
			continue
		}
		r := &rules[s.op]
		args := stack[len(stack)-r.arity:]
		stack = stack[:len(stack)-r.arity]
		x, y := args[0], args[r.arity-1]
		var p part
		switch {
		case x.fixed && y.fixed && s.op != OpNeg:
			p = atom(r.value(x.value, y.value))
		case s.op == OpPower && y.fixed && y.value == 1:
			p = x
		case s.op == OpPower && y.fixed && y.value == 0:
			p = atom(1)
		case s.op == OpAdd || s.op == OpSub:
			p = part{text: fmt.Sprintf(r.format, paren(x, 1), paren(y, 2)), prec: 1}
		case s.op == OpMul || s.op == OpDiv:
			p = part{text: paren(x, 2) + strings.Trim(r.format, "%s ") + paren(y, 3), prec: 2}
		case s.op == OpNeg:
			p = part{text: "-" + paren(x, 2), prec: 3}
			if x.fixed {
				p = atom(-x.value)
			}
		case s.op == OpPower:
			p = part{text: paren(x, 5) + "^" + paren(y, 3), prec: 4}
		case r.arity == 2:
			p = part{text: fmt.Sprintf(r.format, x.text, y.text), prec: 5}
		default:
			p = part{text: fmt.Sprintf(r.format, x.text), prec: 5}
		}
		stack = append(stack, p)
	}
	if factor {
		return paren(stack[0], 2)
	}
	return stack[0].text
}

// sourceText is f in its own names, for help.
func (f formula) sourceText() string {
	return f.text(false, func(in int) (string, bool, float64) { return inputNames[in : in+1], false, math.NaN() },
		func(v float64) string { return strconv.FormatFloat(v, 'g', 12, 64) })
}
