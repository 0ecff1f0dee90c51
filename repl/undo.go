package repl

import (
	"math"
	"slices"
	"strings"

	"scalargrad/engine"
)

// statements returns the text of the accepted statements since the last
// :reset, oldest first, without those that changed nothing.
func (s *Session) statements() []string {
	texts := make([]string, len(s.done))
	for i := range s.done {
		texts[i] = s.done[i].text
	}
	return texts
}

// notKept is the error of a command that needs the statements, where they are
// not kept.
func (s *Session) notKept(c *call) error {
	return s.diagnose(c.Span, "not-kept", ":"+c.entry.name+" works at a prompt: a batch run does not keep its statements", "")
}

// takeBack undoes the last n statements that changed something. However many
// they are, the tape is rolled back once and values are worked out again once.
func (s *Session) takeBack(n int) {
	undone := s.done[len(s.done)-n:]
	if n == 0 {
		return
	}
	all := undone[0]
	all.names, all.nodes, all.values = nil, nil, nil
	for i := range undone {
		all.names = append(all.names, undone[i].names...)
		all.nodes = append(all.nodes, undone[i].nodes...)
		all.values = append(all.values, undone[i].values...)
	}
	s.revert(&all)
	clear(undone) // their texts are garbage now
	s.crowded = false
	s.done = s.done[:len(s.done)-n]
	s.begin()
}

// runUndo answers :undo.
func (s *Session) runUndo(c *call) (Result, error) {
	n := 1
	if len(c.Args) > 0 {
		if n = atoi(c.arg(0)); n < 1 || len(c.Args) > 1 {
			return nil, s.misuse(c, len(c.Args)-1)
		}
	}
	if !s.keep {
		return nil, s.notKept(c)
	}
	if len(s.done) == 0 {
		return nil, s.diagnose(c.Span, "nothing-to-undo", "there is nothing to take back", "")
	}
	n = min(n, len(s.done))
	r := &undoResult{statements: s.statements()[len(s.done)-n:], left: len(s.done) - n}
	slices.Reverse(r.statements)
	type named struct {
		node  engine.Node
		value float64
	}
	before := make(map[string]named, len(s.symbols))
	for name, sym := range s.symbols {
		before[name] = named{sym.node, s.tape.Value(sym.node)}
	}
	latest, was := s.latest, s.tape.Value(s.latest)
	s.takeBack(n)
	s.rewindLog(n)
	for _, name := range s.listed(func(string, engine.Node) bool { return true }) {
		was, ok := before[name]
		if now := s.tape.Value(s.symbols[name].node); ok && math.Float64bits(now) != math.Float64bits(was.value) {
			r.moved = append(r.moved, moved{name, now, was.value})
		}
	}
	if s.latest == latest && len(s.names[latest]) == 0 {
		if now := s.tape.Value(latest); math.Float64bits(now) != math.Float64bits(was) {
			r.moved = append(r.moved, moved{s.nodeName(latest), now, was})
		}
	}
	return r, nil
}

// An undoResult is what :undo answers.
type undoResult struct {
	statements []string // taken back, newest first
	left       int      // how many there are still to take back
	moved      []moved  // names that had another value
}

func (r *undoResult) kind() string { return "undo" }

func (r *undoResult) writeText(w *sheet) {
	const most = 10
	for i, text := range r.statements {
		if i == most {
			w.paint(faint, "… and "+plural(len(r.statements)-most, "statement")+" before").line()
			break
		}
		w.text("took back  ", visible(abridgeTo(joined(text), max(w.width-11, 20)))).line()
	}
	writeMoved(w, r.moved, "name")
}

func (r *undoResult) writeJSON(j *jsonObject) {
	j.strings("statements", r.statements)
	j.int("left", r.left)
	j.object("values", func() {
		for _, m := range r.moved {
			j.num(m.name, m.now)
		}
	})
}

// joined returns the text of a statement on one line, as if nothing had been
// continued.
func joined(text string) string {
	first, rest, more := strings.Cut(text, "\n")
	for more {
		first = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(first, "\r \t"), "\\"), " \t")
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		first += " " + strings.TrimLeft(line, " \t")
	}
	return first
}

// abridgeTo cuts text to at most room columns, an ellipsis at its end.
func abridgeTo(text string, room int) string {
	if columns(text) <= room {
		return text
	}
	used := 0
	for i, r := range text {
		if used += columns(string(r)); used >= room {
			return text[:i] + "…"
		}
	}
	return text
}
