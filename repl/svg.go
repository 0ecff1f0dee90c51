package repl

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Measures of an SVG picture, in its units: pixels of a monospaced font.
const (
	svgCharacter = 7.3  // width of one column of text at 12 pixels, a little generous
	svgSmall     = 6.7  // … at 11
	svgBox       = 62.0 // height of a node
	svgApart     = 16.0 // least distance of two nodes in a layer
	svgLane      = 14.0 // height kept free for an edge that passes a layer
	svgTurn      = 46.0 // width in which edges change their height
	svgMargin    = 20.0
	svgLongest   = 44 // columns of a node's label
)

// svgStyle has both pages: the picture brings its own background and follows
// the reader's choice of a light or a dark one.
const svgStyle = `
.sg .page{fill:#ffffff}
.sg text{font:12px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:#1b1f24}
.sg .title{font-size:14px;font-weight:bold}
.sg .note{font-size:11px;fill:#57606a}
.sg .name{font-weight:bold}
.sg .box{fill:#f6f8fa;stroke:#57606a}
.sg .variable{fill:#ddf4ff;stroke:#0969da}
.sg .target{stroke-width:2.5}
.sg .constant,.sg .cut{stroke-dasharray:4 3}
.sg .adjoint{fill:#6639ba}
.sg .edge{fill:none;stroke:#6e7781;stroke-width:1.2}
.sg .still{stroke-dasharray:2 3}
.sg .tip{fill:#6e7781}
.sg .local{font-size:11px;fill:#8a3800;stroke:#ffffff;stroke-width:3px;paint-order:stroke}
@media (prefers-color-scheme:dark){
.sg .page{fill:#0d1117}
.sg text{fill:#e6edf3}
.sg .note{fill:#9da7b1}
.sg .box{fill:#161b22;stroke:#9da7b1}
.sg .variable{fill:#0c2a4d;stroke:#58a6ff}
.sg .adjoint{fill:#d2a8ff}
.sg .edge{stroke:#8b949e}
.sg .tip{fill:#8b949e}
.sg .local{fill:#ffb077;stroke:#0d1117}
}
`

// svg draws the picture in layers, values flowing from left to right.
func (p *picture) svg() []byte {
	l := p.layers()
	l.sort()
	l.stack()
	return l.write()
}

// Layers are a picture laid out: the target alone in layer 0, to the right,
// and each node one layer further to the left than the leftmost that uses it.
// An edge that passes layers has a lane in each; the edges of one parent share
// their lanes and part where they must.
type layers struct {
	*picture
	layer  [][]int // vertices of each layer from top to bottom
	vertex []vertex
	links  []link // every one between neighbouring layers
}

// A vertex is a node or a lane.
type vertex struct {
	node   int // -1: a lane
	layer  int
	height float64
	y      float64 // of its middle
	place  int     // in its layer, from the top
	right  []int   // links to the layer on the right: to who uses it
	left   []int
}

// A link runs from a vertex to one in the next layer to the right.
type link struct {
	from, to int
	edge     int // the edge that arrives at a node here; -1 at a lane
}

func (p *picture) layers() *layers {
	l := &layers{picture: p}
	depth := make([]int, len(p.nodes))
	order := make([]int, len(p.nodes)) // users before what they use
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p.nodes[b].node, p.nodes[a].node) })
	deepest := 0
	for _, i := range order {
		n := &p.nodes[i]
		for _, e := range p.edges[n.first : n.first+n.count] {
			depth[e.parent] = max(depth[e.parent], depth[i]+1)
			deepest = max(deepest, depth[e.parent])
		}
	}
	l.layer = make([][]int, deepest+1)
	add := func(v vertex) int {
		i := len(l.vertex)
		l.vertex = append(l.vertex, v)
		return i
	}
	join := func(from, to, edge int) {
		k := len(l.links)
		l.links = append(l.links, link{from, to, edge})
		l.vertex[from].right = append(l.vertex[from].right, k)
		l.vertex[to].left = append(l.vertex[to].left, k)
	}
	for i := range p.nodes {
		add(vertex{node: i, layer: depth[i], height: svgBox})
	}
	lanes := make([][]int, len(p.nodes)) // of each parent, from the layer on its right onwards
	for i := range p.edges {
		e := &p.edges[i]
		at := e.parent
		for k := 0; depth[e.parent]-1-k > depth[e.user]; k++ {
			if k == len(lanes[e.parent]) {
				lane := add(vertex{node: -1, layer: depth[e.parent] - 1 - k, height: svgLane})
				lanes[e.parent] = append(lanes[e.parent], lane)
				join(at, lane, -1)
			}
			at = lanes[e.parent][k]
		}
		join(at, e.user, i)
	}
	// The first order is that of a walk from the target, inputs in turn.
	seen := make([]bool, len(l.vertex))
	for walk := []int{0}; len(walk) > 0; {
		v := walk[len(walk)-1]
		walk = walk[:len(walk)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		l.layer[l.vertex[v].layer] = append(l.layer[l.vertex[v].layer], v)
		for _, k := range slices.Backward(l.vertex[v].left) {
			walk = append(walk, l.links[k].from)
		}
	}
	l.number()
	return l
}

// number brings place up to date with the order in the layers.
func (l *layers) number() {
	for _, layer := range l.layer {
		for i, v := range layer {
			l.vertex[v].place = i
		}
	}
}

// port is how much lower than the middle of its end a link arrives.
func (l *layers) port(k int) float64 {
	e := l.links[k].edge
	if e < 0 || l.nodes[l.edges[e].user].count < 2 {
		return 0
	}
	return float64(2*l.edges[e].argument-1) * svgBox / 5
}

// sort orders each layer by the mean place of the neighbours, to and fro, and
// keeps the order with the fewest crossings.
func (l *layers) sort() {
	best, least := l.copy(), l.crossings()
	for round := 0; round < 12 && least > 0 && !l.session.interrupted(); round++ {
		for i := range l.layer {
			at := i
			if round%2 == 1 {
				at = len(l.layer) - 1 - i
			}
			layer := l.layer[at]
			mean := make(map[int]float64, len(layer))
			for _, v := range layer {
				links := l.vertex[v].right
				if round%2 == 1 {
					links = l.vertex[v].left
				}
				sum := 0.0
				for _, k := range links {
					if round%2 == 1 {
						sum += float64(l.vertex[l.links[k].from].place)
					} else {
						sum += float64(l.vertex[l.links[k].to].place) + l.port(k)/svgBox
					}
				}
				mean[v] = float64(l.vertex[v].place)
				if len(links) > 0 {
					mean[v] = sum / float64(len(links))
				}
			}
			slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
			for i, v := range layer {
				l.vertex[v].place = i
			}
		}
		if n := l.crossings(); n < least {
			best, least = l.copy(), n
		}
	}
	l.layer = best
	l.number()
}

func (l *layers) copy() [][]int {
	c := make([][]int, len(l.layer))
	for i, layer := range l.layer {
		c[i] = slices.Clone(layer)
	}
	return c
}

// crossings counts the pairs of links that cross, layer by layer: inversions,
// by a tree of partial sums.
func (l *layers) crossings() (count int) {
	for i := 1; i < len(l.layer); i++ {
		var ends []int // on the right side, in the order of the left side
		size := 2 * len(l.layer[i-1])
		for _, v := range l.layer[i] {
			from := len(ends)
			for _, k := range l.vertex[v].right {
				end := 2 * l.vertex[l.links[k].to].place
				if l.port(k) > 0 {
					end++
				}
				ends = append(ends, end)
			}
			slices.Sort(ends[from:])
		}
		sums := make([]int, size+1)
		for n, end := range ends {
			count += n
			for k := end + 1; k > 0; k &= k - 1 {
				count -= sums[k] // those that end above or at the same place
			}
			for k := end + 1; k <= size; k += k & -k {
				sums[k]++
			}
		}
	}
	return count
}

// stack gives each vertex its height on the page: as near to the middle of its
// neighbours as the order and the distances in its layer allow.
func (l *layers) stack() {
	for _, layer := range l.layer {
		y := 0.0
		for i, v := range layer {
			if i > 0 {
				y += l.apart(layer[i-1], v)
			}
			l.vertex[v].y = y
		}
	}
	for round := range 16 {
		for i := range l.layer {
			at := i
			if round%2 == 0 {
				at = len(l.layer) - 1 - i
			}
			l.settle(l.layer[at])
		}
	}
}

// apart is the least distance of the middles of two neighbours in a layer.
func (l *layers) apart(above, below int) float64 {
	gap := svgApart
	if l.vertex[above].node < 0 && l.vertex[below].node < 0 {
		gap = 0
	}
	return (l.vertex[above].height+l.vertex[below].height)/2 + gap
}

// settle moves the vertices of a layer to where the squares of their distances
// from where they want to be are least: those that would overlap go as one
// block to their mean.
func (l *layers) settle(layer []int) {
	type block struct {
		sum   float64 // of what its members want, their distances taken out
		count float64
	}
	var blocks []block
	offset := make([]float64, len(layer)) // of each from the first, packed
	for i, v := range layer {
		if i > 0 {
			offset[i] = offset[i-1] + l.apart(layer[i-1], v)
		}
		want, n := 0.0, 0.0
		for _, k := range l.vertex[v].right {
			want += l.vertex[l.links[k].to].y + l.port(k)
			n++
		}
		for _, k := range l.vertex[v].left {
			want += l.vertex[l.links[k].from].y - l.port(k)
			n++
		}
		if n == 0 {
			want, n = l.vertex[v].y, 1
		}
		b := block{want/n - offset[i], 1}
		for len(blocks) > 0 && blocks[len(blocks)-1].sum/blocks[len(blocks)-1].count > b.sum/b.count {
			last := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			b.sum += last.sum
			b.count += last.count
		}
		blocks = append(blocks, b)
	}
	i := 0
	for _, b := range blocks {
		for range int(b.count) {
			l.vertex[layer[i]].y = b.sum/b.count + offset[i]
			i++
		}
	}
}

// write writes the document.
func (l *layers) write() []byte {
	p := l.picture
	digits := min(p.session.digits, pictureDigits)
	type box struct {
		lines [3]string
		width float64
	}
	boxes := make([]box, len(p.nodes))
	for i := range p.nodes {
		n := &p.nodes[i]
		b := &boxes[i]
		b.lines = [3]string{braille.clip(visible(p.label(i)), svgLongest), "value " + formatNumber(n.value, digits), "constant"}
		if !n.constant {
			b.lines[2] = "adjoint " + formatNumber(n.adjoint, digits)
		}
		if n.cut {
			b.lines[0] += " …"
		}
		for _, text := range b.lines {
			b.width = max(b.width, float64(columns(text))*svgCharacter+20)
		}
	}
	locals := make([]string, len(p.edges))
	for i := range p.edges {
		locals[i] = braille.clip(visible(p.localText(&p.edges[i], digits, true)), 30)
	}
	// From the left: columns as wide as their widest node, and before each
	// room for what its edges say.
	leftOf, width := make([]float64, len(l.layer)), make([]float64, len(l.layer))
	straight := make([]float64, len(l.layer)) // where edges begin to run level
	x := svgMargin
	top, bottom := math.Inf(1), math.Inf(-1)
	for i := len(l.layer) - 1; i >= 0; i-- {
		room := 0.0
		for _, v := range l.layer[i] {
			vx := &l.vertex[v]
			top, bottom = min(top, vx.y-vx.height/2), max(bottom, vx.y+vx.height/2)
			if vx.node < 0 {
				continue
			}
			width[i] = max(width[i], boxes[vx.node].width)
			for _, k := range vx.left {
				room = max(room, float64(columns(locals[l.links[k].edge]))*svgSmall+18)
			}
		}
		if i < len(l.layer)-1 {
			x += svgTurn
			straight[i] = x
			x += room
		}
		leftOf[i] = x
		x += width[i]
	}
	caption := strings.Split(p.caption(), "\n")
	caption[0] = braille.clip(visible(caption[0])+" = "+formatNumber(p.nodes[0].value, digits), 2*svgLongest)
	pageWidth := x + svgMargin
	for i, text := range caption {
		character := svgSmall
		if i == 0 {
			character = svgCharacter * 14 / 12
		}
		pageWidth = max(pageWidth, float64(columns(text))*character+2*svgMargin)
	}
	head := svgMargin + 22*float64(len(caption))
	shift := head + 10 - top
	pageHeight := bottom + shift + svgMargin

	var b strings.Builder
	fmt.Fprintf(&b, "<svg class=\"sg\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n", pageWidth, pageHeight, pageWidth, pageHeight)
	fmt.Fprintf(&b, "<title>%s</title>\n<style>%s</style>\n", escapeXML("graph of "+caption[0]), svgStyle)
	b.WriteString("<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n")
	for i, text := range caption {
		class := "note"
		if i == 0 {
			class = "title"
		}
		fmt.Fprintf(&b, "<text class=\"%s\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", class, svgMargin, svgMargin+14+22*float64(i), escapeXML(text))
	}
	// Edges first: what they pass lies above them.
	ends := func(v int) (left, right float64) {
		vx := &l.vertex[v]
		left, right = leftOf[vx.layer], leftOf[vx.layer]+width[vx.layer]
		if vx.node >= 0 {
			free := (width[vx.layer] - boxes[vx.node].width) / 2
			left, right = left+free, right-free
		}
		return left, right
	}
	for k, e := range l.links {
		from, to := &l.vertex[e.from], &l.vertex[e.to]
		_, x0 := ends(e.from)
		x1, end := ends(e.to)
		edgeOf0, edgeOf1 := leftOf[from.layer]+width[from.layer], straight[to.layer]
		y0, y1 := from.y+shift, to.y+l.port(k)+shift
		class := "edge"
		parent := e.from
		for l.vertex[parent].node < 0 {
			parent = l.links[l.vertex[parent].left[0]].from
		}
		if p.nodes[l.vertex[parent].node].constant {
			class += " still"
		}
		middle := (edgeOf0 + edgeOf1) / 2
		if to.node >= 0 {
			end = x1
		}
		fmt.Fprintf(&b, "<path class=\"%s\" d=\"M%.1f %.1fH%.1fC%.1f %.1f %.1f %.1f %.1f %.1fH%.1f\"/>\n",
			class, x0, y0, edgeOf0, middle, y0, middle, y1, edgeOf1, y1, end)
		if to.node >= 0 {
			fmt.Fprintf(&b, "<path class=\"tip\" d=\"M%.1f %.1fl-7 -3.5v7z\"/>\n", x1, y1)
		}
	}
	for k, e := range l.links {
		if e.edge >= 0 && locals[e.edge] != "" {
			x1, _ := ends(e.to)
			fmt.Fprintf(&b, "<text class=\"local\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", x1-10, l.vertex[e.to].y+l.port(k)+shift-5, escapeXML(locals[e.edge]))
		}
	}
	for i := range p.nodes {
		n, box := &p.nodes[i], &boxes[i]
		class := "box"
		switch {
		case p.session.tape.IsVariable(n.node):
			class += " variable"
		case n.constant:
			class += " constant"
		}
		if i == 0 {
			class += " target"
		}
		if n.cut {
			class += " cut"
		}
		left, right := ends(i)
		y := l.vertex[i].y + shift
		round := 3
		if p.session.tape.IsLeaf(n.node) {
			round = 14
		}
		fmt.Fprintf(&b, "<g><title>%s</title>", escapeXML(visible(p.label(i))))
		fmt.Fprintf(&b, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%d\"/>", class, left, y-svgBox/2, right-left, svgBox, round)
		for k, text := range box.lines {
			class := [3]string{"name", "value", "adjoint"}[k]
			fmt.Fprintf(&b, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>", class, (left+right)/2, y-13+17*float64(k), escapeXML(text))
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
