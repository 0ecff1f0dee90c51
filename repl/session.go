package repl

import (
	"context"
	"io/fs"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"scalargrad/engine"
	"scalargrad/grammar"
	"scalargrad/history"
)

// A symbol is what a name means.
type symbol struct {
	node  engine.Node
	since int // counts bindings: names are listed in this order
}

// A Session is what a person talks to: one tape, the names on it, and the
// settings. Eval runs a line and hands out results; it prints nothing itself,
// reads nothing, and never ends the program.
type Session struct {
	tape    *engine.Tape
	symbols map[string]symbol
	names   map[engine.Node][]string // of each named node, first one first
	vars    []string                 // names of the variables, as declared
	bound   int                      // counts bindings

	lookalikes int                      // how many names ever bound look like a node's: n5
	latest     engine.Node              // what ans means; 0: nothing yet
	target     engine.Node              // of the last GRAD
	made       []span                   // nodes that grad(…) recorded, in order
	grads      map[engine.Node]recorded // what grad(…) recorded, by target

	trace  bool // :trace
	digits int  // :digits
	echo   bool // :echo
	quiet  bool // -q

	options Options
	parser  grammar.Parser
	running
	depth   int    // of lines run within a line, by :load
	file    string // where the line is from; "" for standard input
	stack   []engine.Term
	ctx     context.Context
	stop    atomic.Bool   // asks the running statement to give up
	late    atomic.Bool   // … because its time was up
	asked   atomic.Bool   // … because somebody interrupted it
	halted  bool          // the writing of an answer was given up
	looked  int           // names and statements that were kept when checkMemory looked last …
	crowded bool          // … and found that there is no room for more
	change  change        // what the running statement has changed so far
	done    []change      // what accepted statements changed, when they are kept
	journal *history.Log  // where they are written for --resume; nil: nowhere
	loading []fs.FileInfo // the files that :load is running, outermost first
	keep    bool          // statements are kept, for :undo and :save
	failed  bool          // some statement was refused or a check disagreed
	answer  valueResult   // reused by every EXPR
	lesson  *lesson       // the guided tour; nil before it and after

	// progress shows how far long work has come, "" when it is over; nil where
	// nobody watches.
	progress func(text string)
	reported time.Time // when progress was last called

}

// running is the line that is being run.
type running struct {
	source  []byte // the logical line
	startAt int    // byte offset of the running statement in it
	line    int    // 1-based number of its first physical line in its input
	known   milestone
	emit    func(Result)
}

// A milestone is a byte offset in the running line, the physical lines that end
// before it and the code points that stand before it on its own.
type milestone struct{ offset, lines, column int }

// recorded is a derivative that is on the tape, and the tape's last node then.
type recorded struct {
	engine.Derivative
	end engine.Node
}

// A span is a stretch of the tape: the nodes from first up to end, not included.
type span struct{ first, end engine.Node }

// NewSession returns an empty session.
func NewSession(o Options) *Session {
	s := &Session{options: o, tape: engine.NewTape(), digits: defaultDigits, trace: o.Trace, echo: o.Echo, quiet: o.Quiet, ctx: context.Background()}
	if o.Digits != 0 {
		s.digits = o.Digits
	}
	s.tape.StopOn(&s.stop)
	s.parser.StopOn(&s.stop)
	s.tape.Limit(o.MaxNodes)
	s.clear()
	return s
}

const defaultDigits = 12

// clear forgets every name.
func (s *Session) clear() {
	s.symbols = map[string]symbol{}
	s.names = map[engine.Node][]string{}
	s.grads = map[engine.Node]recorded{}
	s.vars, s.made, s.done = nil, nil, nil
	s.latest, s.target = 0, 0
	s.crowded = false
}

// Eval runs the statements of one logical line (which may hold continued
// physical lines) and gives each result to emit, in order. A refused statement
// gives a *failure and changes nothing; those after it run. line is the
// 1-based number of the line in its input. It reports whether to go on: :quit
// says no, and so does --stop-on-error after a failure.
func (s *Session) Eval(source []byte, line int, emit func(Result)) bool {
	outer := s.running
	defer func() { s.running = outer }()
	s.running = running{source: source, line: line, emit: emit}
	parser := &s.parser
	if s.depth++; s.depth > 1 {
		parser = new(grammar.Parser) // :load runs statements within a statement
		parser.StopOn(&s.stop)
	}
	defer func() { s.depth-- }()
	parser.Reset(source)
	for {
		st, ok := parser.Next()
		if !ok {
			return true
		}
		if !s.statement(st) {
			return false
		}
		if s.stop.Load() {
			return true // the rest of the line goes with what was interrupted
		}
	}
}

// statement runs one statement and reports whether to go on.
func (s *Session) statement(st *grammar.Statement) bool {
	s.startAt = int(st.Span.Start)
	s.begin()
	defer s.limitTime()()
	failed := s.failed
	more, err := s.run(st)
	if s.halted { // its answer was interrupted
		s.halted, err = false, errInterrupted
	}
	if err != nil {
		s.revert(&s.change)
		s.fail(st, err)
		return !s.options.StopOnError
	}
	s.accept(st)
	s.attend(st)
	if s.failed && !failed && s.options.StopOnError {
		return false // a check that disagrees is no error, but it counts as one
	}
	return more
}

func (s *Session) run(st *grammar.Statement) (more bool, err error) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case cut:
			more, err = true, errInterrupted
		default:
			panic(why)
		}
	}()
	if st.Err != nil {
		return true, s.explain(st)
	}
	if err := s.checkMemory(st); err != nil {
		return true, err
	}
	switch st.Kind {
	case grammar.Var:
		return true, s.runVar(st)
	case grammar.Expr:
		if s.answers(st) {
			return true, nil
		}
		return true, s.runExpr(st)
	case grammar.Grad:
		return true, s.runGrad(st)
	case grammar.Show:
		return true, s.runShow(st)
	case grammar.ShowGrad:
		return true, s.runShowGrad(st)
	}
	return s.runCommand(st)
}

// text returns what a span of the running line says.
func (s *Session) text(of grammar.Span) string { return string(of.Text(s.source)) }

// A change is what one statement did, so that it can be taken back: because it
// was refused in the middle, because it was interrupted, or by :undo.
type change struct {
	text   string // as typed, when it is kept
	mark   engine.Mark
	vars   int // how many variables there were
	made   int
	bound  int
	latest engine.Node
	names  []rebinding
	nodes  []engine.Node // variables that got another value …
	values []float64     // … and what they had
	moved  bool          // something changed that :undo takes back
}

type rebinding struct {
	name string
	was  symbol // node 0: the name was free
}

// begin starts the record of what a statement changes.
func (s *Session) begin() {
	c := &s.change
	names, nodes, values := c.names[:0], c.nodes[:0], c.values[:0]
	if s.keep {
		names, nodes, values = nil, nil, nil // they outlive the statement
	}
	*c = change{mark: s.tape.Mark(), vars: len(s.vars), made: len(s.made), bound: s.bound,
		latest: s.latest, names: names, nodes: nodes, values: values}
}

// accept keeps what the statement changed, if anything.
func (s *Session) accept(st *grammar.Statement) {
	c := &s.change
	if !s.keep || !s.changed(c) {
		return
	}
	if c.text == "" {
		c.text = s.text(st.Span)
	}
	s.done = append(s.done, *c)
	s.log(c.text)
}

// changed reports whether c has anything to take back. A variable that was given
// the value it had is nothing.
func (s *Session) changed(c *change) bool {
	if c.moved || c.mark != s.tape.Mark() || len(c.names) > 0 || c.latest != s.latest {
		return true
	}
	for i, n := range c.nodes {
		if math.Float64bits(c.values[i]) != math.Float64bits(s.tape.Value(n)) {
			return true
		}
	}
	return false
}

// revert takes back what c records.
func (s *Session) revert(c *change) {
	for i := len(c.names) - 1; i >= 0; i-- {
		r := c.names[i]
		s.unname(r.name)
		if r.was.node == 0 {
			delete(s.symbols, r.name)
		} else {
			s.symbols[r.name] = r.was
			s.nameNode(r.was.node, r.name)
			// The oldest name comes first, and this one may be older than others.
			slices.SortFunc(s.names[r.was.node], func(a, b string) int { return s.symbols[a].since - s.symbols[b].since })
		}
	}
	s.vars, s.made, s.bound = s.vars[:c.vars], s.made[:c.made], c.bound
	s.latest = c.latest
	if s.tape.Mark() != c.mark {
		s.tape.Rollback(c.mark)
		end := engine.Node(s.tape.Len())
		for target, d := range s.grads {
			if target > end || d.end > end {
				delete(s.grads, target)
			}
		}
	}
	if s.tape.Root() == 0 {
		s.target = 0 // its node is gone, or its sweep was interrupted
	}
	var nodes []engine.Node
	var values []float64
	for i, n := range slices.Backward(c.nodes) { // the first value recorded for a node is the one to end with
		if int(n) <= s.tape.Len() { // else the same statement made it
			nodes, values = append(nodes, n), append(values, c.values[i])
		}
	}
	if len(nodes) > 0 {
		stop := s.stop.Swap(false) // this must not be stopped
		_ = s.tape.SetAll(nodes, values)
		if stop {
			s.stop.Store(true)
		}
	}
	*c = change{mark: s.tape.Mark(), vars: len(s.vars), made: len(s.made), bound: s.bound, latest: s.latest}
}

// bind makes name mean node.
func (s *Session) bind(as string, node engine.Node) {
	was := s.symbols[as]
	s.change.names = append(s.change.names, rebinding{as, was})
	s.unname(as)
	s.bound++
	s.symbols[as] = symbol{node, s.bound}
	if nodeNumber([]byte(as)) > 0 {
		s.lookalikes++
	}
	s.nameNode(node, as)
}

func (s *Session) nameNode(node engine.Node, as string) {
	s.names[node] = append(s.names[node], as)
}

// unname takes the name off the node that it means now.
func (s *Session) unname(as string) {
	old, ok := s.symbols[as]
	if !ok {
		return
	}
	rest := s.names[old.node]
	if i := slices.Index(rest, as); i >= 0 {
		rest = slices.Delete(rest, i, i+1)
	}
	if len(rest) == 0 {
		delete(s.names, old.node)
	} else {
		s.names[old.node] = rest
	}
}

// listed returns the names for which keep says so, in the order in which they
// got their present meaning.
func (s *Session) listed(keep func(name string, node engine.Node) bool) []string {
	type bound struct {
		name  string
		since int
	}
	var found []bound
	for n, sym := range s.symbols {
		if keep(n, sym.node) {
			found = append(found, bound{n, sym.since})
		}
	}
	slices.SortFunc(found, func(a, b bound) int { return a.since - b.since })
	names := make([]string, len(found))
	for i := range found {
		names[i] = found[i].name
	}
	return names
}

// expressions returns the names that are not variables, oldest first.
func (s *Session) expressions() []string {
	return s.listed(func(n string, node engine.Node) bool { return !s.isVariable(n) })
}

// isVariable reports whether the name is that of a variable and not an
// expression's that happens to be one.
func (s *Session) isVariable(as string) bool {
	sym, ok := s.symbols[as]
	return ok && s.tape.IsVariable(sym.node) && s.names[sym.node][0] == as
}

// interrupted reports, to long work of the session's own, that it should end.
func (s *Session) interrupted() bool { return s.stop.Load() }

// reach is the tape's Reach for a statement under way. An interrupt ends the
// statement and not only the loop, which would have seen a part of the nodes.
func (s *Session) reach(outs ...engine.Node) iter.Seq[engine.Node] {
	return func(yield func(engine.Node) bool) {
		for n := range s.tape.Reach(outs...) {
			if !yield(n) {
				return
			}
		}
		if s.interrupted() {
			panic(cut{})
		}
	}
}

// copyOf is Extract: what outs are made from, on a tape of its own.
func (s *Session) copyOf(outs ...engine.Node) (*engine.Tape, func(engine.Node) engine.Node, error) {
	copied, find, err := s.tape.Extract(outs...)
	if err != nil {
		err = errInterrupted
	}
	return copied, find, err
}

// resolve finds what a name means: what the user called so, then ans, then a
// node's number.
func (s *Session) resolve(n []byte) (engine.Node, bool) {
	if sym, ok := s.symbols[string(n)]; ok {
		return sym.node, true
	}
	if s.latest != 0 && (string(n) == "ans" || string(n) == "_") {
		return s.latest, true
	}
	if k := nodeNumber(n); k > 0 {
		if node := s.tape.Operation(k); node != 0 {
			return node, true
		}
	}
	return 0, false
}

// nodeNumber returns 5 for n5, and 0 for a name that is no node's.
func nodeNumber(n []byte) (k int) {
	if len(n) < 2 || len(n) > 10 || n[0] != 'n' || n[1] == '0' {
		return 0
	}
	for _, c := range n[1:] {
		if c < '0' || c > '9' {
			return 0
		}
		k = k*10 + int(c-'0')
	}
	return k
}

// nodeName returns what a node is called in the output: its first name, its
// number, or for a constant its value.
func (s *Session) nodeName(n engine.Node) string {
	if names := s.names[n]; len(names) > 0 {
		return names[0]
	}
	return s.numberName(n)
}

// numberName returns n5 for the fifth operation, @5 where a user's n5 is
// another node, and for a leaf its name or value.
func (s *Session) numberName(n engine.Node) string {
	k := s.tape.Number(n)
	if k == 0 {
		if names := s.names[n]; len(names) > 0 && s.tape.IsVariable(n) {
			return names[0]
		}
		return formatNumber(s.tape.Value(n), s.digits)
	}
	var digits [16]byte
	own := strconv.AppendInt(append(digits[:0], 'n'), int64(k), 10)
	if s.lookalikes > 0 {
		if sym, ok := s.symbols[string(own)]; ok && sym.node != n {
			own[0] = '@'
		}
	}
	return string(own)
}

// constantNames returns the names, among what n is made from, that are bound
// to constants: what a person may have taken for a variable.
func (s *Session) constantNames(n engine.Node) (names []string) {
	for m := range s.reach(n) {
		if s.tape.IsLeaf(m) && s.tape.IsConstant(m) && m != n {
			names = append(names, s.names[m]...)
		}
	}
	slices.SortFunc(names, strings.Compare)
	return names
}
