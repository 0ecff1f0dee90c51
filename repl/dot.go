package repl

import (
	"fmt"
	"strings"
)

// pictureDigits are the significant digits of numbers in a drawing, where
// room is short.
const pictureDigits = 6

// dot writes the picture in the language of Graphviz: values flow from left to
// right, and each edge carries its local derivative.
func (p *picture) dot() []byte {
	s := p.session
	digits := min(s.digits, pictureDigits)
	var b strings.Builder
	b.WriteString("digraph scalargrad {\n")
	fmt.Fprintf(&b, "  label=%s\n", quoteDOT(p.caption()))
	b.WriteString("  rankdir=LR\n  bgcolor=white\n  fontname=\"monospace\"\n")
	b.WriteString("  node [shape=box, fontname=\"monospace\", fontsize=11, style=filled, fillcolor=white]\n")
	b.WriteString("  edge [fontname=\"monospace\", fontsize=10]\n")
	for i := range p.nodes {
		n := &p.nodes[i]
		text := p.label(i) + "\nvalue " + formatNumber(n.value, digits)
		more := ""
		switch {
		case n.constant:
			text += "\nconstant"
			more = ", color=gray40, fontcolor=gray30"
		default:
			text += "\nadjoint " + formatNumber(n.adjoint, digits)
		}
		switch {
		case i == 0:
			more += ", penwidth=2"
		case s.tape.IsVariable(n.node):
			more += ", style=\"filled,rounded\", fillcolor=lightyellow"
		}
		if n.cut {
			text += "\n… its inputs are not drawn"
			more += ", style=\"filled,dashed\""
		}
		fmt.Fprintf(&b, "  v%d [label=%s%s]\n", i, quoteDOT(text), more)
	}
	for i := range p.edges {
		e := &p.edges[i]
		fmt.Fprintf(&b, "  v%d -> v%d", e.parent, e.user)
		if e.flows {
			fmt.Fprintf(&b, " [label=%s]\n", quoteDOT(p.localText(e, digits, true)))
		} else {
			b.WriteString(" [style=dotted]\n")
		}
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

// caption says what is drawn, and what is not.
func (p *picture) caption() string {
	text := p.session.equation(p.target) + "\nvalues flow to the right, adjoints to the left; on each edge its local derivative"
	if n := p.total - len(p.nodes); n > 0 {
		text += "\n" + plural(n, "node") + " further away not drawn"
	}
	return text
}

// quoteDOT writes s as a quoted string. A new line centres the one before it.
func quoteDOT(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(visible(l))
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}
