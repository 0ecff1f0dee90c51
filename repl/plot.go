package repl

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"scalargrad/engine"
)

// plotPoints is at how many values of the variable :plot looks, both ends
// included: intervals enough for the dots of the widest window.
const plotPoints = 241

func (s *Session) runPlot(c *call) (Result, error) {
	v, by, names, err := s.curveOf(c)
	if err != nil {
		return nil, err
	}
	from, to := neighbourhood(s.tape.Value(by))
	switch given := len(c.Args) - names; given {
	case 0:
		if !finite(from) || !finite(to) {
			return nil, s.diagnose(c.Span, "bad-argument", v.by+" is "+formatNumber(s.tape.Value(by), s.digits)+", so a range is needed", ":plot y a FROM TO")
		}
		if step := roundStep(from, to, 20); step > 0 {
			low, up := tidy(math.Floor(from/step+1e-9)*step, step), tidy(math.Ceil(to/step-1e-9)*step, step)
			if finite(low) && finite(up) {
				from, to = low, up
			}
		}
	case 2:
		if from, err = s.numberArg(c, names); err != nil {
			return nil, err
		}
		if to, err = s.numberArg(c, names+1); err != nil {
			return nil, err
		}
		if from > to {
			return nil, s.diagnose(c.at(names+1), "bad-argument", "a range goes up: "+formatNumber(to, s.digits)+" is below "+formatNumber(from, s.digits), "")
		}
	default:
		return nil, s.misuse(c, min(names+2, len(c.Args)-1))
	}
	if to/2-from/2 < max(1e-300, 1e-12*math.Abs(from), 1e-12*math.Abs(to)) {
		return nil, s.diagnose(c.at(len(c.Args)-1), "bad-argument", "this range is too narrow to draw", "")
	}
	for i := range plotPoints {
		f := float64(i) / (plotPoints - 1)
		v.x = append(v.x, tidy(from*(1-f)+to*f, to/2-from/2))
	}
	v.x[0], v.x[plotPoints-1] = from, to
	if err := v.follow(by); err != nil {
		return nil, err
	}
	r := &plotResult{curve: v}
	for i, values := range [][]float64{v.y, v.d} {
		if _, _, outliers := bulk(values); !outliers {
			continue
		}
		if r.poles[i], err = v.look(values, i == 1, by); err != nil {
			return nil, err
		}
	}
	v.remark(&r.remarks)
	return r, nil
}

// look looks closer and closer around the value that is farthest from 0, and
// reports whether it keeps growing.
func (c *curve) look(values []float64, derivative bool, by engine.Node) (grows bool, err error) {
	at := 0
	for i, v := range values {
		if finite(v) && math.Abs(v) > math.Abs(values[at]) || !finite(values[at]) {
			at = i
		}
	}
	low, up := c.x[max(at-1, 0)], c.x[min(at+1, len(c.x)-1)]
	var most []float64
	for range 8 {
		closer := &curve{session: c.session, target: c.target}
		for i := range 7 {
			closer.x = append(closer.x, low+(up-low)*float64(i)/6)
		}
		if err := closer.follow(by); err != nil {
			return false, err
		}
		values := closer.y
		if derivative {
			values = closer.d
		}
		best := 0
		for i, v := range values {
			if !finite(v) {
				return true, nil
			}
			if math.Abs(v) > math.Abs(values[best]) {
				best = i
			}
		}
		most = append(most, math.Abs(values[best]))
		low, up = closer.x[max(best-1, 0)], closer.x[min(best+1, 6)]
	}
	return most[7] > 2*most[4], nil
}

// A plotResult is what :plot shows.
type plotResult struct {
	*curve
	poles [2]bool // of the value and of the derivative: see look
	remarks
}

func (r *plotResult) kind() string { return "plot" }

func (r *plotResult) writeJSON(j *jsonObject) {
	j.str("of", r.of)
	j.str("by", r.by)
	j.nums("x", r.x)
	j.nums("y", r.y)
	j.nums("dy", r.d)
	r.remarks.writeJSON(j)
}

// writeText draws two panels, the value above the derivative, over the same
// values of the variable.
func (r *plotResult) writeText(w *sheet) {
	s, g := r.session, r.session.glyphs()
	title := r.of
	if !s.tape.IsLeaf(r.target) {
		title += " = " + s.expression(r.target)
	}
	w.paint(strong, g.clip(title, w.width)).line()
	height := 8
	if w.height > 0 {
		height = min(max((w.height-8-len(r.remarks.list))/2, 3), 14)
	}
	panels := [2]*panel{r.panel(r.of, r.y, height, r.poles[0]), r.panel(g.partial(r.of, r.by), r.d, height, r.poles[1])}
	left := 1
	for _, p := range panels {
		for _, l := range p.labels {
			left = max(left, columns(l))
		}
	}
	left = min(left, max(w.width/3, 3))
	room := max(w.width-left-2, 4)
	for i, p := range panels {
		p.write(w, g, left, room)
		r.writeAxis(w, g, left, room, i == 1)
	}
	for _, p := range panels {
		if p.beyond > 0 {
			w.paint(faint, g.clip(p.title+" goes on beyond what is drawn: "+formatNumber(p.farthest, 3)+" was seen", w.width)).line()
		}
	}
	r.remarks.writeText(w)
}

// column returns at which of n places from 0 to n-1 a value of the variable
// stands.
func (r *plotResult) column(x float64, n int) int {
	from, to := r.x[0], r.x[len(r.x)-1]
	return int(math.Round((x/2 - from/2) / (to/2 - from/2) * float64(n-1)))
}

// writeAxis writes the lower edge of a panel, with a tick for each round value
// of the variable and a mark where it stands now, and the numbers below it.
func (r *plotResult) writeAxis(w *sheet, g *glyphs, left, room int, numbers bool) {
	from, to := r.x[0], r.x[len(r.x)-1]
	ticks, texts := roundTicks(from, to, max(room/14, 2))
	edge := slices.Repeat([]string{g.flat}, room)
	under := []byte(strings.Repeat(" ", left+2+room+1))
	end := 0 // of the labels so far
	for i, v := range ticks {
		at := r.column(v, room)
		if at < 0 || at >= room {
			continue
		}
		edge[at] = g.tickBelow
		label := texts[i]
		start := min(max(left+2+at-len(label)/2, end), left+2+room-len(label))
		if start < end || start < 0 {
			continue
		}
		copy(under[start:], label)
		end = start + len(label) + 1
	}
	if at := r.column(r.now, room); finite(r.now) && at >= 0 && at < room {
		edge[at] = g.here
	}
	w.blanks(left+1).paint(faint, g.corner)
	for i := 0; i < room; {
		j := i
		for j < room && (edge[j] == g.here) == (edge[i] == g.here) {
			j++
		}
		role := faint
		if edge[i] == g.here {
			role = name
		}
		w.paint(role, strings.Join(edge[i:j], ""))
		i = j
	}
	w.line()
	if !numbers {
		return
	}
	w.text(strings.TrimRight(string(under), " ")).line()
	text := r.by + " from " + w.format(from) + " to " + w.format(to)
	if r.now >= from && r.now <= to {
		text += ";  " + g.here + " " + r.by + " = " + w.format(r.now)
	} else {
		text += "  (now " + r.by + " = " + w.format(r.now) + ")"
	}
	w.blanks(min(left+2, max(0, w.width-columns(text)))).text(g.clip(text, w.width)).line()
}

// A panel is one curve in its frame.
type panel struct {
	*plotResult
	title    string
	values   []float64
	low, up  float64 // what its lower and its upper edge stand for
	rows     int
	grows    bool // looked at closely, its extreme has no end
	ticks    []float64
	labels   []string
	clipped  bool    // the curve goes on beyond the edges
	beyond   int     // points that are not drawn because they are too far out
	farthest float64 // of those
}

func (r *plotResult) panel(title string, values []float64, rows int, grows bool) *panel {
	p := &panel{plotResult: r, title: title, values: values, rows: rows, grows: grows}
	p.low, p.up = span2(values)
	if low, up, ok := p.withoutPole(); ok {
		for _, v := range values {
			if v < low || v > up {
				p.beyond++
				if math.Abs(v) > math.Abs(p.farthest) && finite(v) {
					p.farthest = v
				}
			}
		}
		p.low, p.up, p.clipped = low, up, true
	}
	// A round number just beyond the edge is worth the room that it takes.
	if step := roundStep(p.low, p.up, max(rows/2, 1)); step > 0 && !p.clipped {
		near := (p.up - p.low) / 10
		if low := math.Floor(p.low/step) * step; p.low-low < near {
			p.low = low
		}
		if up := math.Ceil(p.up/step) * step; up-p.up < near {
			p.up = up
		}
	}
	p.ticks, p.labels = roundTicks(p.low, p.up, max(rows/2, 1))
	return p
}

// span2 returns the least and the greatest of the finite values, pulled apart
// where they are the same but for rounding.
func span2(values []float64) (low, up float64) {
	low, up = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			low, up = math.Min(low, v), math.Max(up, v)
		}
	}
	if low > up {
		return -1, 1
	}
	low, up = math.Max(low, -8e307), math.Min(up, 8e307) // so that their distance is finite
	if size := math.Max(math.Abs(low), math.Abs(up)); up-low <= 1e-12*size || size < 1e-300 {
		size = math.Max(1, size) / 2
		low, up = low-size, up+size
	}
	return low, up
}

// withoutPole finds a range that shows the curve where a pole would press it
// flat. It is taken for a pole where one of the extreme values stands beside a
// point that is not finite or beside the other extreme, or where it only grows
// as one looks closer.
func (p *panel) withoutPole() (low, up float64, ok bool) {
	low, up, ok = bulk(p.values)
	if !ok {
		return 0, 0, false
	}
	pole := p.grows
	extreme := func(v float64) bool { return v == p.low || v == p.up }
	for i := 1; i < len(p.values); i++ {
		u, v := p.values[i-1], p.values[i]
		pole = pole || !finite(u) && extreme(v) || !finite(v) && extreme(u) || extreme(u) && extreme(v) && u != v
	}
	reach := (up - low) / 4
	return math.Max(p.low, low-reach), math.Min(p.up, up+reach), pole
}

// bulk returns between what nine tenths of the finite values lie; ok reports
// whether all of them take at least four times that room.
func bulk(values []float64) (low, up float64, ok bool) {
	var sorted []float64
	for _, v := range values {
		if finite(v) {
			sorted = append(sorted, v)
		}
	}
	if len(sorted) < 20 {
		return 0, 0, false
	}
	slices.Sort(sorted)
	n := len(sorted)
	low, up = sorted[n/20], sorted[n-1-n/20]
	return low, up, up > low && (sorted[n-1]/4-sorted[0]/4)/(up-low) >= 1
}

// place returns how many dots below the upper edge v stands.
func (p *panel) place(v float64, dots int) float64 {
	return (p.up - v) / (p.up - p.low) * float64(dots-1)
}

// write draws the panel: its title, and rows of room columns.
func (p *panel) write(w *sheet, g *glyphs, left, room int) {
	w.blanks(left+2).paint(name, g.clip(p.title, room)).line()
	c := newCanvas(g, room, p.rows)
	p.draw(c)
	labels := make([]string, p.rows)
	for i, v := range p.ticks {
		if row := int(math.Round(p.place(v, c.height()))) / g.dotsY; row >= 0 && row < p.rows {
			labels[row] = p.labels[i]
		}
	}
	zero := -1
	if p.low < 0 && p.up > 0 {
		zero = int(math.Round(p.place(0, c.height()))) / g.dotsY
	}
	for row := range p.rows {
		edge := g.upright
		if labels[row] != "" {
			edge = g.tickLeft
		}
		w.padLeft(number, g.clip(labels[row], left), left).text(" ").paint(faint, edge)
		cells := c.lit[row*room : (row+1)*room]
		for i := 0; i < room; {
			j := i
			var b strings.Builder
			for ; j < room && (cells[j] == 0) == (cells[i] == 0); j++ {
				b.WriteRune(g.dot(cells[j]))
			}
			switch {
			case cells[i] != 0:
				w.paint(plain, b.String())
			case row == zero:
				w.paint(faint, strings.Repeat(g.zero, j-i))
			case j < room:
				w.blanks(j - i)
			}
			i = j
		}
		w.line()
	}
}

// draw joins neighbouring points by lines; a point that is not finite, and a
// jump from beyond one edge to beyond the other, leave a gap.
func (p *panel) draw(c *canvas) {
	last := len(p.values) - 1
	for i, v := range p.values {
		if !finite(v) {
			continue
		}
		x1 := divide(i*(c.width()-1), last)
		y1 := p.place(v, c.height())
		inside := y1 > -0.5 && y1 < float64(c.height())-0.5
		if i == 0 || !finite(p.values[i-1]) {
			if inside {
				c.set(x1, int(math.Round(y1)))
			}
			continue
		}
		x0 := divide((i-1)*(c.width()-1), last)
		y0 := p.place(p.values[i-1], c.height())
		wasInside := y0 > -0.5 && y0 < float64(c.height())-0.5
		if inside || wasInside {
			// One dot outside is far enough to leave the panel.
			clamp := func(y float64) int { return int(math.Round(math.Min(math.Max(y, -1), float64(c.height())))) }
			c.line(x0, clamp(y0), x1, clamp(y1))
		}
	}
}

// roundStep returns a round number (1, 2 or 5 times a power of ten) that goes
// about n times into the distance from low to up; 0 if there is none.
func roundStep(low, up float64, n int) float64 {
	raw := (up/2 - low/2) / float64(n) * 2
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := power
	for _, m := range []float64{1, 2, 5, 10} {
		if step = m * power; step >= raw*(1-1e-9) {
			break
		}
	}
	if !finite(step) || !(step > 0) || math.Max(math.Abs(low), math.Abs(up)) > step*1e12 {
		return 0
	}
	return step
}

// roundTicks returns the multiples of roundStep from low to up, and how they
// read: with as many digits as tell them apart.
func roundTicks(low, up float64, n int) (ticks []float64, labels []string) {
	step := roundStep(low, up, n)
	if step == 0 {
		return nil, nil
	}
	first, last := math.Ceil(low/step-1e-6), math.Floor(up/step+1e-6)
	digits := 2
	if size := math.Max(math.Abs(first), math.Abs(last)); size > 0 {
		digits += int(math.Log10(size))
	}
	for k := first; k <= last; k++ {
		v := tidy(k*step, step)
		text := strconv.FormatFloat(v, 'g', digits, 64)
		if plain := formatNumber(v, digits); len(plain) <= 7 {
			text = plain
		}
		ticks, labels = append(ticks, v), append(labels, text)
	}
	return ticks, labels
}
