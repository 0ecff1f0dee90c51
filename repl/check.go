package repl

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"scalargrad/engine"
	"scalargrad/grammar"
)

// runCheck is :check: every derivative against a numerical one, or one against
// a formula worked out on paper.
func (s *Session) runCheck(c *call) (Result, error) {
	if i := bytes.IndexByte(c.Tail.Text(s.source), '='); i >= 0 {
		return s.checkFormula(c, c.Tail.Start+int32(i))
	}
	target, wrt, err := s.targetAndNames(c, s.fields(c.Tail))
	if err != nil {
		return nil, err
	}
	r := &checkResult{of: s.nodeName(target), value: s.tape.Value(target)}
	copied, find, err := s.copyOf(target)
	if err != nil {
		return nil, err
	}
	doubt, err := doubts(copied, find(target))
	if err != nil {
		return nil, errInterrupted
	}
	corners := s.corners(target)
	cornered := map[engine.Node]bool{} // of those to differentiate by: is a corner made from it?
	for _, e := range wrt {
		cornered[e.node] = false
	}
	if len(corners) > 0 {
		for n := range s.reach(corners...) {
			if _, asked := cornered[n]; asked {
				cornered[n] = true
			}
		}
	}
	defer s.endProgress()
	for i, e := range wrt {
		row := checkRow{name: e.name}
		if in := find(e.node); in == 0 {
			row.verdict = independent
		} else {
			var p *probe
			row.analytic = copied.Adjoint(in)
			if copied.IsVariable(in) {
				p = newProbe(copied, find(target), in)
			} else {
				apart, out, at, err := s.severed(target, e.node)
				if err != nil {
					return nil, err
				}
				p = newProbe(apart, out, at)
			}
			p.doubt = doubt[in]
			row.numeric, row.left, row.right, row.verdict, err = p.judge(row.analytic, cornered[e.node])
			if err != nil {
				return nil, errInterrupted
			}
		}
		if row.verdict == differs {
			s.failed = true
		}
		r.rows = append(r.rows, row)
		s.reportProgress(func() string { return "check " + r.of + ": " + itoa(i+1) + " of " + itoa(len(wrt)) })
	}
	if slices.ContainsFunc(r.rows, func(row checkRow) bool { return row.verdict == kinked }) {
		s.noteConventions(&r.remarks, slices.Values(corners))
	}
	s.checkFinite(&r.remarks, target)
	return r, nil
}

// fields cuts a part of the line at blanks and commas.
func (s *Session) fields(of grammar.Span) (words []grammar.Span) {
	start := int32(-1)
	text := of.Text(s.source)
	for i := 0; i <= len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if i == len(text) || r == ',' || r == '\\' || unicode.IsSpace(r) {
			if start >= 0 {
				words = append(words, grammar.Span{Start: start, End: of.Start + int32(i)})
				start = -1
			}
		} else if start < 0 {
			start = of.Start + int32(i)
		}
		i += max(size, 1)
	}
	return words
}

// targetAndNames reads "[y] [names]" as GRAD does: a leading variable belongs to
// the names, anything else is the target, which is the latest EXPR when it is
// left out. Without names all variables that the target uses are meant. The word
// WRT may stand before the names.
func (s *Session) targetAndNames(c *call, words []grammar.Span) (target engine.Node, wrt []gradientEntry, err error) {
	target = s.latest
	isWRT := func(i int) bool { return i < len(words) && strings.EqualFold(s.text(words[i]), "wrt") }
	if len(words) > 0 && !isWRT(0) && (!s.isVariable(s.text(words[0])) || isWRT(1)) {
		if target, err = s.namedAt(c, words[0]); err != nil {
			return 0, nil, err
		}
		words = words[1:]
	}
	if isWRT(0) {
		words = words[1:]
	}
	if target == 0 {
		return 0, nil, s.noExpression(c.Statement)
	}
	for _, w := range words {
		if _, err := s.namedAt(c, w); err != nil {
			return 0, nil, err
		}
		node, err := s.differentiable(w)
		if err != nil {
			return 0, nil, err
		}
		if word := s.text(w); !slices.ContainsFunc(wrt, func(e gradientEntry) bool { return e.name == word }) {
			wrt = append(wrt, gradientEntry{name: word, node: node})
		}
	}
	if len(words) == 0 {
		used := map[engine.Node]bool{}
		for n := range s.reach(target) {
			if s.tape.IsVariable(n) {
				used[n] = true
			}
		}
		for _, v := range s.vars {
			if n := s.symbols[v].node; used[n] {
				wrt = append(wrt, gradientEntry{name: v, node: n})
			}
		}
	}
	if len(wrt) == 0 {
		return 0, nil, s.diagnose(c.Span, "constant-derivative", s.nothingToDifferentiateBy(target), "")
	}
	return target, wrt, nil
}

// namedAt returns the node that a word of a command means: a name, n5 or @5.
func (s *Session) namedAt(c *call, at grammar.Span) (engine.Node, error) {
	word := s.text(at)
	if word[0] == '@' && atoi(word[1:]) > 0 || grammar.ValidName([]byte(word)) || word == "ans" || word == "_" {
		return s.operandAt(at)
	}
	return 0, s.diagnose(at, "bad-argument", "a name is expected here, not "+abridge(word),
		"it is used as  :"+c.entry.name+" "+c.entry.args)
}

// corners are the operations that target uses at a corner, newest first.
func (s *Session) corners(target engine.Node) (nodes []engine.Node) {
	for n := range s.reach(target) {
		if s.tape.Corner(n) != "" {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// A checkResult is every derivative of a target beside a numerical one.
type checkResult struct {
	of    string
	value float64
	rows  []checkRow
	remarks
}

type checkRow struct {
	name     string
	analytic float64
	numeric  slope
	left     slope // where two slopes meet
	right    slope
	verdict  verdict
}

func (r *checkResult) kind() string { return "check" }

func (r *checkResult) count(v verdict) (n int) {
	for i := range r.rows {
		if r.rows[i].verdict == v {
			n++
		}
	}
	return n
}

// says returns the verdict in words.
func (row *checkRow) says(of string) string {
	switch row.verdict {
	case kinked:
		if !row.left.known {
			return "kink: a convention decided"
		}
		return "kink: slope " + formatNumber(row.left.value, 6) + " on the left, " + formatNumber(row.right.value, 6) + " on the right"
	case unclear:
		return "unclear: every step is too long or too short"
	case notFinite:
		return "not finite: nothing to compare"
	case independent:
		return of + " does not use " + row.name
	}
	return row.verdict.String()
}

func (r *checkResult) writeText(w *sheet) {
	w.paint(strong, "check of ").text(r.of, " = ").number(r.value).text(" against differences").line()
	const gap = 3
	table := [][4]string{{"", "tape", "numeric", "error"}}
	for i := range r.rows {
		row := &r.rows[i]
		cells := [4]string{row.name, w.format(row.analytic), "", ""}
		if row.numeric.known {
			cells[2], cells[3] = w.format(row.numeric.value), formatNumber(row.numeric.err, 1)
		}
		table = append(table, cells)
	}
	var width [4]int
	for _, cells := range table {
		for k, text := range cells {
			width[k] = max(width[k], min(columns(text), 30))
		}
	}
	first, last := len(table), len(table)
	if w.height > 0 && len(table) > w.height-4 {
		first, last = max((w.height-6)*2/3, 2), len(table)-max((w.height-6)/3, 1)
	}
	for i, cells := range table {
		if i > 0 && i >= first && i < last && r.rows[i-1].verdict != differs {
			if i == first {
				w.paint(faint, "  … "+grouped(last-first)+" more; those that differ are shown …").line()
			}
			continue
		}
		roles := [4]role{name, number, number, faint}
		if i == 0 {
			roles = [4]role{faint, faint, faint, faint}
		}
		says := ""
		if i > 0 {
			says = r.rows[i-1].says(r.of)
		}
		full := 2 + width[0] + width[1] + width[2] + width[3] + 4*gap
		wraps := full+columns(says) > w.width
		used, at := 0, 2
		for k, text := range cells {
			if text != "" {
				w.blanks(at-used).paint(roles[k], text)
				used = at + columns(text)
			}
			at += width[k] + gap
		}
		if wraps {
			w.line()
			used, full = 0, 4
		}
		if i > 0 {
			w.blanks(full-used).paint(verdictRole(r.rows[i-1].verdict), says)
		}
		w.line()
	}
	r.writeSummary(w)
	r.remarks.writeText(w)
}

// writeSummary counts the verdicts where there are several.
func (r *checkResult) writeSummary(w *sheet) {
	total := len(r.rows) - r.count(independent)
	if total < 2 {
		return
	}
	agree, differ := r.count(agrees), r.count(differs)
	if agree == total {
		w.text("all ", grouped(total), " agree").line()
		return
	}
	w.text(grouped(agree), " of ", grouped(total), " agree")
	if differ == 1 {
		w.text(", 1 differs")
	} else if differ > 1 {
		w.text(", ", grouped(differ), " differ")
	}
	for _, v := range []verdict{kinked, unclear, notFinite} {
		if n := r.count(v); n > 0 {
			w.text(", ", grouped(n), map[verdict]string{kinked: " at a kink", unclear: " unclear", notFinite: " not finite"}[v])
		}
	}
	w.line()
}

func verdictRole(v verdict) role {
	switch v {
	case agrees:
		return good
	case differs:
		return bad
	case independent:
		return faint
	}
	return doubtful
}

func (r *checkResult) writeJSON(j *jsonObject) {
	j.str("of", r.of)
	j.num("value", r.value)
	j.bool("agrees", r.count(differs) == 0)
	j.array("rows", len(r.rows), func(i int) {
		row := &r.rows[i]
		j.begin()
		j.str("name", row.name)
		j.num("analytic", row.analytic)
		if row.numeric.known {
			j.num("numeric", row.numeric.value)
			j.num("error", row.numeric.err)
		}
		if row.left.known {
			j.num("left", row.left.value)
			j.num("right", row.right.value)
		}
		j.str("verdict", row.verdict.String())
		j.end()
	})
	r.remarks.writeJSON(j)
}
