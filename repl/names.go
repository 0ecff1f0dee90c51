package repl

import (
	"strings"
	"unicode/utf8"

	"scalargrad/engine"
)

// longest is how many characters an expression may take written out; a longer
// one is shown one level deep.
const longest = 60

// expression returns how node n reads: its named parts by name, the rest
// written out; where that takes more than 60 characters, one level deep.
func (s *Session) expression(n engine.Node) string {
	if text, ok := s.spell(n, true); ok {
		return text
	}
	return s.operation(n)
}

// operation returns how node n reads one level deep: n1 * a.
func (s *Session) operation(n engine.Node) string {
	text, _ := s.spell(n, false)
	return text
}

// equation returns "n2 = (a + b) * a", and only the name of a leaf.
func (s *Session) equation(n engine.Node) string {
	if s.tape.IsLeaf(n) {
		return s.nodeName(n)
	}
	return s.nodeName(n) + " = " + s.expression(n)
}

// Precedences of what is spelled, from the loosest.
const (
	precSum = iota + 1
	precProduct
	precMinus
	precPower
	precCall
)

func precedence(op engine.Op) int {
	switch op {
	case engine.OpAdd, engine.OpSub:
		return precSum
	case engine.OpMul, engine.OpDiv:
		return precProduct
	case engine.OpNeg:
		return precMinus
	case engine.OpPower:
		return precPower
	}
	return precCall
}

// least are the precedences that the parents of op need to stand without
// parentheses.
func least(op engine.Op) (x, y int) {
	switch op {
	case engine.OpAdd, engine.OpSub:
		return precSum, precProduct
	case engine.OpMul, engine.OpDiv:
		return precProduct, precMinus
	case engine.OpNeg:
		return precMinus, 0
	case engine.OpPower:
		return precCall, precMinus
	}
	return 0, 0
}

// spell writes n as an expression. It goes down to names when deep is set, else
// one level, and gives up (ok is false) when a deep one gets too long, which it
// notices before it has gone down millions of nodes. It keeps its own stack.
func (s *Session) spell(root engine.Node, deep bool) (text string, ok bool) {
	type piece struct {
		text  string
		node  engine.Node
		least int
	}
	var b strings.Builder
	todo := []piece{{node: root}}
	nodes := 0
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.node == 0 {
			b.WriteString(p.text)
			if deep && b.Len() > longest && utf8.RuneCountInString(b.String()) > longest {
				return "", false
			}
			continue
		}
		if nodes++; deep && nodes > longest {
			return "", false // each node is at least one character
		}
		n, op := p.node, s.tape.Op(p.node)
		if s.tape.IsLeaf(n) || n != root && (!deep || len(s.names[n]) > 0) {
			word := s.nodeName(n)
			if p.least > precMinus && strings.HasPrefix(word, "-") {
				word = "(" + word + ")"
			}
			todo = append(todo, piece{text: word})
			continue
		}
		x, y := s.tape.Parents(n)
		needX, needY := least(op)
		before, rest, _ := strings.Cut(op.Format(), "%s")
		between, after, two := strings.Cut(rest, "%s")
		if precedence(op) < p.least {
			before, after = "("+before, after+")"
			if !two {
				between += ")"
			}
		}
		if two {
			todo = append(todo, piece{text: after}, piece{node: y, least: needY})
		}
		todo = append(todo, piece{text: between}, piece{node: x, least: needX}, piece{text: before})
	}
	return b.String(), true
}

// fill puts the names of n's parents for {x} and {y}.
func (s *Session) fill(text string, n engine.Node) string {
	x, y := s.tape.Parents(n)
	nameOf := func(p engine.Node) string {
		if p == 0 {
			return ""
		}
		return s.nodeName(p)
	}
	return strings.NewReplacer("{x}", nameOf(x), "{y}", nameOf(y)).Replace(text)
}
