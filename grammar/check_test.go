package grammar

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// text shows items as words in postfix order: `a b add 2 power f/1`.
func text(src []byte, items []Item) string {
	words := make([]string, len(items))
	for i, it := range items {
		switch it.Kind {
		case Number:
			words[i] = fmt.Sprint(it.Value)
		case Operator:
			words[i] = Operators[it.Op].Op
		case Call:
			words[i] = fmt.Sprintf("%s/%d", it.Span.Text(src), it.Args)
		default:
			words[i] = string(it.Span.Text(src))
		}
	}
	return strings.Join(words, " ")
}

// show shows a statement on one line: its kind, then what the kind has.
func show(src []byte, s *Statement) string {
	if s.Err != nil {
		return "error " + s.Err.Code
	}
	var b strings.Builder
	switch s.Kind {
	case Var:
		b.WriteString("var")
		for i, v := range s.Bindings {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, " %s = %s", v.Name.Text(src), text(src, v.Expr))
		}
	case Expr:
		b.WriteString("expr ")
		if !s.Name.Empty() {
			fmt.Fprintf(&b, "%s = ", s.Name.Text(src))
		}
		b.WriteString(text(src, s.Expr))
	case Grad:
		b.WriteString("grad")
		if len(s.Expr) > 0 {
			b.WriteString(" " + text(src, s.Expr))
		}
		if !s.WRT.Empty() {
			b.WriteString(" WRT")
		}
		for i, n := range s.Names {
			fmt.Fprintf(&b, " %s", n.Text(src))
			if i == 0 && s.Comma {
				b.WriteString(",")
			}
		}
	case Command:
		fmt.Fprintf(&b, "command %s", s.Command.Text(src))
		for _, a := range s.Args {
			if a.Quoted {
				fmt.Fprintf(&b, " %q", a.Text)
			} else {
				b.WriteString(" " + a.Text)
			}
		}
	case Show:
		fmt.Fprintf(&b, "show %s", s.Name.Text(src))
	case ShowGrad:
		fmt.Fprintf(&b, "showgrad %s", s.Name.Text(src))
	}
	return b.String()
}

// lines shows all statements of a line, each on its own.
func lines(p *Parser, src []byte) []string {
	var all []string
	p.Reset(src)
	for {
		s, ok := p.Next()
		if !ok {
			return all
		}
		all = append(all, show(src, s))
	}
}

// checkLine parses src and fails the test on anything that no line, however
// wrong, may lead to.
func checkLine(t *testing.T, src []byte) {
	t.Helper()
	var p Parser
	p.Reset(src)
	before := int32(0)
	for {
		s, ok := p.Next()
		if !ok {
			break
		}
		if s.Span.Start < before || s.Span.End <= s.Span.Start || int(s.Span.End) > len(src) {
			t.Fatalf("%q: statement %v behind %d", src, s.Span, before)
		}
		before = s.Span.End
		if s.Err != nil {
			checkDiagnostic(t, src, s.Err, s.Span)
			if s.Expr != nil || len(s.Bindings)+len(s.Names)+len(s.Args) > 0 {
				t.Fatalf("%q: refused, and yet it has parts", src)
			}
			continue
		}
		checkStatement(t, src, s)
	}
	if _, ok := p.Next(); ok {
		t.Fatalf("%q: a statement behind the last one", src)
	}
}

func checkStatement(t *testing.T, src []byte, s *Statement) {
	t.Helper()
	inside := func(what string, part Span) {
		if part.Start < s.Span.Start || part.End > s.Span.End || part.Start >= part.End {
			t.Fatalf("%q: %s %v outside its statement %v", src, what, part, s.Span)
		}
	}
	switch s.Kind {
	case Var:
		if len(s.Bindings) == 0 {
			t.Fatalf("%q: VAR of nothing", src)
		}
		for _, b := range s.Bindings {
			inside("name", b.Name)
			if !ValidName(b.Name.Text(src)) {
				t.Fatalf("%q: binds %q", src, b.Name.Text(src))
			}
			checkItems(t, src, b.Expr, s.Span)
		}
	case Expr:
		if !s.Name.Empty() && !ValidName(s.Name.Text(src)) {
			t.Fatalf("%q: binds %q", src, s.Name.Text(src))
		}
		checkItems(t, src, s.Expr, s.Span)
	case Grad:
		if s.Expr != nil {
			checkItems(t, src, s.Expr, s.Span)
			if s.WRT.Empty() && len(s.Names) > 0 {
				t.Fatalf("%q: an expression and names without WRT", src)
			}
		}
		for _, n := range s.Names {
			inside("name", n)
		}
		if !s.WRT.Empty() {
			inside("WRT", s.WRT)
			if len(s.Names) == 0 {
				t.Fatalf("%q: WRT of nothing", src)
			}
		}
	case Command:
		inside("command", s.Command)
		for _, a := range s.Args {
			inside("argument", a.Span)
			if a.Span.Start < s.Tail.Start || a.Span.End > s.Tail.End {
				t.Fatalf("%q: argument %v outside the tail %v", src, a.Span, s.Tail)
			}
		}
	case Show, ShowGrad:
		inside("name", s.Name)
	}
}

// checkItems fails the test unless items is a postfix program that leaves one
// operand, with every operand's text inside that of the item that takes it.
func checkItems(t *testing.T, src []byte, items []Item, within Span) {
	t.Helper()
	var stack []Span
	for i, it := range items {
		own := Span{it.Start, it.End}
		if own.Start < within.Start || own.End > within.End || own.Start >= own.End ||
			it.Span.Start < own.Start || it.Span.End > own.End || it.Span.Empty() {
			t.Fatalf("%q: item %d %+v outside %v", src, i, it, within)
		}
		takes := 0
		switch it.Kind {
		case Number:
			if math.IsNaN(it.Value) || math.IsInf(it.Value, 0) {
				t.Fatalf("%q: the literal %q is %v", src, it.Span.Text(src), it.Value)
			}
		case Node:
			if it.Value < 1 || it.Value != math.Trunc(it.Value) {
				t.Fatalf("%q: node %v", src, it.Value)
			}
		case Operator:
			takes = 2
			if Operators[it.Op].Prefix {
				takes = 1
			}
			if it.Op == OpPos {
				t.Fatalf("%q: an item for unary plus", src)
			}
		case Call:
			takes = int(it.Args)
		}
		if takes > len(stack) {
			t.Fatalf("%q: item %d takes %d of %d operands", src, i, takes, len(stack))
		}
		end := own.Start
		for _, operand := range stack[len(stack)-takes:] {
			if operand.Start < end || operand.End > own.End {
				t.Fatalf("%q: operand %v of item %d %+v", src, operand, i, it)
			}
			end = operand.End
		}
		stack = append(stack[:len(stack)-takes], own)
	}
	if len(stack) != 1 {
		t.Fatalf("%q: %d operands are left: %s", src, len(stack), text(src, items))
	}
}

var knownCodes = func() map[string]bool {
	known := make(map[string]bool)
	for _, row := range Codes {
		known[row.Code] = true
	}
	return known
}()

// checkDiagnostic fails the test unless d can be shown to a person.
func checkDiagnostic(t *testing.T, src []byte, d *Diagnostic, within Span) {
	t.Helper()
	if d.Span.Start < within.Start || d.Span.End > within.End || d.Span.Start > d.Span.End {
		t.Fatalf("%q: %s at %v, outside %v", src, d.Code, d.Span, within)
	}
	if !knownCodes[d.Code] {
		t.Fatalf("%q: the code %q is not in Codes", src, d.Code)
	}
	if d.Message == "" || strings.HasSuffix(d.Message, ".") || d.Error() != d.Message {
		t.Fatalf("%q: message %q", src, d.Message)
	}
	for _, s := range []string{d.Message, d.Hint} {
		if utf8.RuneCountInString(s) > 6*maxQuoted {
			t.Fatalf("%q: %d bytes: %s", src, len(s), s)
		}
		for _, r := range s {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q: %q would be printed", src, s)
			}
		}
	}
}
