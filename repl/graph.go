package repl

import (
	"io"
	"path/filepath"
	"strings"

	"scalargrad/engine"
	"scalargrad/repl/edit"
)

// How many nodes a picture draws; what is asked for with "all" has more.
const (
	mostTreeRows    = 1_000
	mostSVGNodes    = 200
	mostSVGNodesAll = 1_000
	mostDOTNodes    = 500 // Graphviz takes a minute for 2,000
	mostNodesAll    = 100_000
)

// A graphResult is what :graph shows: an expression, what it is made from, and
// the adjoints of a sweep of its own.
type graphResult struct {
	session *Session
	target  engine.Node
	all     bool
	sub     *engine.Tape // a copy of what target is made from, swept
	find    func(engine.Node) engine.Node
	total   int    // nodes that a picture of everything has
	path    string // of the file that was written; "" for none
	drawn   int    // nodes in that file
	remarks
}

func (s *Session) runGraph(c *call) (Result, error) {
	r := &graphResult{session: s, target: s.latest}
	named, file := false, -1
	for i, arg := range c.Args {
		_, isName := s.resolve([]byte(arg.Text))
		switch {
		case strings.EqualFold(arg.Text, "all") && (named || !isName) && !r.all:
			r.all = true
		case file < 0 && (arg.Quoted || strings.ContainsAny(arg.Text, "./\\")):
			file = i
		case !named:
			n, err := s.nodeArg(c, i)
			if err != nil {
				return nil, err
			}
			r.target, named = n, true
		default:
			return nil, s.misuse(c, i)
		}
	}
	if r.target == 0 {
		return nil, s.nothingToDraw(c)
	}
	var write func(*picture) []byte
	most := 0
	if file >= 0 {
		switch strings.ToLower(filepath.Ext(c.arg(file))) {
		case ".svg":
			write, most = (*picture).svg, mostSVGNodes
			if r.all {
				most = mostSVGNodesAll
			}
		case ".dot", ".gv":
			write, most = (*picture).dot, mostDOTNodes
			if r.all {
				most = mostNodesAll
			}
		default:
			return nil, s.diagnose(c.at(file), "bad-argument", "a graph is written as .svg or as .dot", "such as  :graph "+s.nodeName(r.target)+" graph.svg")
		}
	}
	var err error
	if r.sub, r.find, err = s.copyOf(r.target); err != nil {
		return nil, err
	}
	if r.sub.Sweep(r.find(r.target)) != nil {
		return nil, errInterrupted
	}
	for n := range s.reach(r.target) {
		if r.shown(n) {
			r.total++
		}
	}
	s.checkFinite(&r.remarks, r.target)
	if write != nil {
		p := r.picture(most, most*4)
		r.path, r.drawn = c.arg(file), len(p.nodes)
		data := write(p)
		if s.interrupted() {
			return nil, errInterrupted
		}
		err := s.writeFile(r.path, true, func(to io.Writer) error {
			_, err := to.Write(data)
			return err
		})
		if err != nil {
			return nil, s.refuseFile(c.at(file), err, "")
		}
	}
	return r, nil
}

// graphWords completes the arguments of :graph.
func (s *Session) graphWords(n int) (w []edit.Word) {
	if n == 0 {
		w = s.targetWords()
	}
	return append(w, edit.Word{Text: "all", Suffix: " "})
}

// shown reports whether n is drawn as a node: numbers are not, which the
// operations that use them show.
func (r *graphResult) shown(n engine.Node) bool {
	s := r.session
	return n == r.target || !s.tape.IsLeaf(n) || !s.tape.IsConstant(n) || len(s.names[n]) > 0
}

// A picture is the part of a graph that is drawn: the nodes nearest to the
// target, counted in steps, and the edges of those whose inputs are drawn too.
type picture struct {
	*graphResult
	nodes []pictureNode // in the order of their distance from the target
	edges []pictureEdge
}

type pictureNode struct {
	node     engine.Node
	value    float64
	adjoint  float64
	constant bool
	cut      bool // it has inputs and they are not drawn
	first    int  // its edges are edges[first : first+count]
	count    int
}

// A pictureEdge joins a node to one of its parents.
type pictureEdge struct {
	user, parent int     // indices of nodes
	argument     int     // 0-based
	local        float64 // ∂user/∂parent through this argument
	flows        bool    // the parent is not constant
}

// picture chooses what to draw: at most so many nodes and edges, whole nodes
// with all their edges, nearest to the target first.
func (r *graphResult) picture(nodes, edges int) *picture {
	s, t := r.session, r.session.tape
	p := &picture{graphResult: r}
	index := map[engine.Node]int{}
	add := func(n engine.Node) int {
		i, ok := index[n]
		if !ok {
			i = len(p.nodes)
			index[n] = i
			p.nodes = append(p.nodes, pictureNode{node: n, value: t.Value(n), adjoint: r.sub.Adjoint(r.find(n)), constant: t.IsConstant(n) && n != r.target})
		}
		return i
	}
	add(r.target)
	for i := 0; i < len(p.nodes); i++ {
		n := p.nodes[i].node
		x, y := t.Parents(n)
		fresh, count := 0, 0
		for _, parent := range [2]engine.Node{x, y} {
			if parent != 0 && r.shown(parent) {
				if _, ok := index[parent]; !ok {
					fresh++
				}
				count++
			}
		}
		if count == 0 {
			continue
		}
		if len(p.nodes)+fresh > nodes || len(p.edges)+count > edges || i&0xfff == 0xfff && s.interrupted() {
			p.nodes[i].cut = true
			continue
		}
		p.nodes[i].first, p.nodes[i].count = len(p.edges), count
		for k, parent := range [2]engine.Node{x, y} {
			if parent != 0 && r.shown(parent) {
				e := pictureEdge{user: i, parent: add(parent), argument: k}
				if e.flows = !t.IsConstant(parent); e.flows {
					e.local = t.Slope(n, k)
				}
				p.edges = append(p.edges, e)
			}
		}
	}
	return p
}

// label is how a node reads: its name, and one level of what it is.
func (p *picture) label(i int) string {
	s, n := p.session, p.nodes[i].node
	if s.tape.IsLeaf(n) {
		return s.nodeName(n)
	}
	return s.nodeName(n) + " = " + s.operation(n)
}

// localText is an edge's local derivative in symbols and as a number, or only
// as a number.
func (p *picture) localText(e *pictureEdge, digits int, symbols bool) string {
	if !e.flows {
		return ""
	}
	s := p.session
	value := formatNumber(e.local, digits)
	if symbols {
		number := func(v float64) string { return formatNumber(v, digits) }
		if text := s.tape.SlopeText(p.nodes[e.user].node, e.argument, s.nodeName, number); text != "" && !isNumber(text) {
			return text + " = " + value
		}
	}
	return value
}

func (p *picture) adjointText(i, digits int) string {
	if p.nodes[i].constant {
		return "constant"
	}
	return formatNumber(p.nodes[i].adjoint, digits)
}

func (r *graphResult) kind() string { return "graph" }

func (r *graphResult) writeText(w *sheet) {
	s, g := r.session, r.session.glyphs()
	if r.path != "" {
		w.text("wrote ", visible(r.path), ": ")
		if r.drawn < r.total {
			w.text("the ", grouped(r.drawn), " nodes nearest to ", s.nodeName(r.target), ", of ", grouped(r.total)).line()
			if !r.all {
				w.paint(faint, "more of them: :graph "+s.nodeName(r.target)+" all "+visible(r.path)).line()
			}
		} else {
			w.text(plural(r.total, "node")).line()
		}
		r.remarks.writeText(w)
		return
	}
	most, window := mostTreeRows, 0
	if r.all {
		most = mostNodesAll
	} else if w.height > 0 {
		window = max(w.height-4, 2) // the title, the heading, the prompts before and after
		most = window
	}
	depth := min(max((w.width-56)/3, 3), 20) // levels before a part is drawn further below
	var p *picture
	var rows []treeRow
	for {
		p = r.picture(most, most-1)
		rows = p.tree(g, depth)
		over := len(rows) - window
		if len(p.nodes) < r.total {
			over++ // the line that says so
		}
		if window == 0 || over <= 0 || most <= 1 {
			break
		}
		most = max(most-over, 1)
	}
	w.paint(strong, g.clip("graph of "+s.equation(r.target), w.width)).line()
	p.writeTree(w, g, rows)
	if n := r.total - len(p.nodes); n > 0 {
		text := g.ellipsis + " " + plural(n, "node") + " further away"
		if !r.all {
			text += "   all: :graph " + s.nodeName(r.target) + " all"
		}
		for i := range p.nodes {
			if p.nodes[i].cut {
				text += "   from there: :graph " + s.nodeName(p.nodes[i].node)
				break
			}
		}
		w.paint(faint, g.clip(text, w.width)).line()
	}
	r.remarks.writeText(w)
}

// A treeRow is one line of the tree: a node where it is used.
type treeRow struct {
	prefix, text string
	node         int
	edge         int  // -1: it starts a tree
	refers       bool // the node is drawn elsewhere
}

// tree lays the picture out as a tree with what a node is made from under it.
// A node that is used twice is drawn once and referred to. What lies deeper
// than depth levels becomes a tree of its own, further below.
func (p *picture) tree(g *glyphs, depth int) (rows []treeRow) {
	type visit struct {
		node, edge, level int
		prefix            string // of the rows under it
		lead              string // of its own row
	}
	const (
		unseen = iota
		drawn
		below
	)
	state := make([]uint8, len(p.nodes))
	state[0] = below
	for roots := []int{0}; len(roots) > 0; roots = roots[1:] {
		stack := []visit{{node: roots[0], edge: -1}}
		state[roots[0]] = unseen
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			n := &p.nodes[v.node]
			row := treeRow{prefix: v.lead, text: p.label(v.node), node: v.node, edge: v.edge}
			switch {
			case state[v.node] == drawn:
				row.text, row.refers = p.session.nodeName(n.node)+" (above)", true
			case state[v.node] == below, n.count > 0 && v.level >= depth:
				row.text, row.refers = p.session.nodeName(n.node)+" (below)", true
				if state[v.node] == unseen {
					state[v.node] = below
					roots = append(roots, v.node)
				}
			default:
				state[v.node] = drawn
				if n.cut {
					row.text += " " + g.ellipsis
				}
				for k := n.count - 1; k >= 0; k-- {
					e := n.first + k
					lead, under := g.branch, g.through
					if k == n.count-1 {
						lead, under = g.last, g.under
					}
					stack = append(stack, visit{p.edges[e].parent, e, v.level + 1, v.prefix + under, v.prefix + lead})
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// writeTree writes the rows beside their numbers. A narrow window gets fewer
// digits, then fewer columns, then shortened names.
func (p *picture) writeTree(w *sheet, g *glyphs, rows []treeRow) {
	type cells [4]string
	var table []cells
	var width [4]int
	measure := func(digits int) (total int) {
		table = append(table[:0], cells{"node", "value", "adjoint", "local"})
		for _, row := range rows {
			c := cells{row.prefix + row.text}
			if !row.refers {
				c[1], c[2] = formatNumber(p.nodes[row.node].value, digits), p.adjointText(row.node, digits)
			}
			if row.edge >= 0 {
				c[3] = p.localText(&p.edges[row.edge], digits, false)
			}
			table = append(table, c)
		}
		width = [4]int{}
		for _, c := range table {
			for k, text := range c {
				width[k] = max(width[k], columns(text))
			}
		}
		return width[0] + width[1] + width[2] + width[3] + 3*3
	}
	digits := w.digits
	for _, digits = range []int{w.digits, min(w.digits, 6), min(w.digits, 4)} {
		if measure(digits) <= w.width {
			break
		}
	}
	// Symbols stand before the numbers where there is room for them.
	room := w.width - width[0] - width[1] - width[2] - 3*3
	if room >= len("local derivative") {
		table[0][3] = "local derivative"
	}
	for i, row := range rows {
		if row.edge >= 0 {
			if text := p.localText(&p.edges[row.edge], digits, true); columns(text) <= room {
				table[i+1][3] = text
			}
		}
	}
	shown := 4
	for ; ; shown-- {
		room := w.width
		for k := 1; k < shown; k++ {
			room -= width[k] + 3
		}
		if room >= min(width[0], 14) || shown == 1 {
			width[0] = min(width[0], max(room, 1))
			break
		}
	}
	for i, c := range table {
		roles := [4]role{plain, number, number, plain}
		if i == 0 {
			roles = [4]role{faint, faint, faint, faint}
		}
		last := 0
		for k := range shown {
			if c[k] != "" {
				last = k
			}
		}
		c[0] = g.clip(c[0], width[0])
		for k := 0; k <= last; k++ {
			text := c[k]
			if k == 0 && i > 0 {
				w.tree(rows[i-1].prefix, text)
			} else {
				w.paint(roles[k], text)
			}
			if k < last {
				w.blanks(width[k] - columns(c[k]) + 3)
			}
		}
		w.line()
	}
}

// tree adds the first cell of a row: its lines faint, and then the name.
func (w *sheet) tree(prefix, text string) {
	rest, whole := strings.CutPrefix(text, prefix)
	if !whole {
		w.text(text) // the window is too narrow for the lines alone
		return
	}
	head, tail, more := strings.Cut(rest, " ")
	w.paint(faint, prefix).paint(name, head)
	if more {
		w.text(" ", tail)
	}
}

func (r *graphResult) writeJSON(j *jsonObject) {
	s, t := r.session, r.session.tape
	j.str("of", s.nodeName(r.target))
	if r.path != "" {
		j.str("path", r.path)
		j.int("drawn", r.drawn)
		j.int("total", r.total)
		r.remarks.writeJSON(j)
		return
	}
	p := r.picture(mostNodesAll, 2*mostNodesAll)
	id := func(i int) string {
		n := p.nodes[i].node
		if t.IsLeaf(n) {
			return s.nodeName(n)
		}
		return s.numberName(n)
	}
	j.array("nodes", len(p.nodes), func(i int) {
		n := p.nodes[i]
		j.begin()
		j.str("node", id(i))
		if names := s.names[n.node]; len(names) > 0 && (len(names) > 1 || names[0] != id(i)) {
			j.strings("names", names)
		}
		j.str("op", t.Op(n.node).String())
		if !t.IsLeaf(n.node) {
			j.str("text", s.operation(n.node))
		}
		j.num("value", n.value)
		if !n.constant {
			j.num("adjoint", n.adjoint)
		}
		j.end()
	})
	j.array("edges", len(p.edges), func(i int) {
		e := p.edges[i]
		j.begin()
		j.str("from", id(e.parent))
		j.str("to", id(e.user))
		j.int("argument", e.argument)
		if e.flows {
			j.num("local", e.local)
		}
		j.end()
	})
	if n := r.total - len(p.nodes); n > 0 {
		j.int("left_out", n)
	}
	r.remarks.writeJSON(j)
}
