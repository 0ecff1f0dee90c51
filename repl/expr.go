package repl

import (
	"fmt"
	"math"

	"scalargrad/engine"
	"scalargrad/grammar"
)

// infix are the operations of grammar's operators, by index.
var infix = func() (ops [len(grammar.Operators)]engine.Op) {
	for i, o := range grammar.Operators {
		ops[i], _ = engine.Named(o.Op)
	}
	return ops
}()

// constants are the names that mean a number until somebody takes them.
var constants = map[string]struct {
	value float64
	doc   string
}{
	"pi":  {math.Pi, "pi"},
	"e":   {math.E, "e"},
	"tau": {2 * math.Pi, "2*pi"},
}

// record puts the operations of a postfix program on the tape, evaluating each
// at once, and returns its result.
func (s *Session) record(items []grammar.Item) (engine.Term, error) {
	t := s.tape
	stack := s.stack[:0]
	for i := range items {
		item := &items[i]
		switch item.Kind {
		case grammar.Number:
			stack = append(stack, t.Const(item.Value))
		case grammar.Name, grammar.Node:
			term, err := s.operand(item)
			if err != nil {
				return engine.Term{}, err
			}
			stack = append(stack, term)
		case grammar.Operator:
			last := len(stack) - 1
			switch op := infix[item.Op]; op {
			case engine.OpAdd:
				stack[last-1] = t.Add(stack[last-1], stack[last])
				stack = stack[:last]
			case engine.OpSub:
				stack[last-1] = t.Sub(stack[last-1], stack[last])
				stack = stack[:last]
			case engine.OpMul:
				stack[last-1] = t.Mul(stack[last-1], stack[last])
				stack = stack[:last]
			case engine.OpDiv:
				stack[last-1] = t.Div(stack[last-1], stack[last])
				stack = stack[:last]
			case engine.OpNeg:
				stack[last] = t.Neg(stack[last])
			default:
				stack[last-1] = t.Apply(op, stack[last-1], stack[last])
				stack = stack[:last]
			}
		case grammar.Call:
			var err error
			if stack, err = s.call(items, i, stack); err != nil {
				return engine.Term{}, err
			}
		}
		if i&0xffff == 0xffff && s.interrupted() {
			return engine.Term{}, errInterrupted
		}
		if t.Len() > s.options.MaxNodes {
			return engine.Term{}, s.tapeFull()
		}
	}
	s.stack = stack
	return stack[0], nil
}

// operand fetches what a name or @5 means.
func (s *Session) operand(item *grammar.Item) (engine.Term, error) {
	if item.Kind == grammar.Node {
		if item.Value <= float64(s.tape.Operations()) {
			return s.tape.At(s.tape.Operation(int(item.Value))), nil
		}
		return engine.Term{}, s.noSuchNode(item.Span)
	}
	word := item.Span.Text(s.source)
	if n, ok := s.resolve(word); ok {
		return s.tape.At(n), nil
	}
	if c, ok := constants[string(word)]; ok {
		return s.tape.Const(c.value), nil
	}
	return engine.Term{}, s.unknown(item.Span)
}

// call records the function items[i] of what is on the stack.
func (s *Session) call(items []grammar.Item, i int, stack []engine.Term) ([]engine.Term, error) {
	item := &items[i]
	word := item.Span.Text(s.source)
	args := stack[len(stack)-int(item.Args):]
	stack = stack[:len(stack)-int(item.Args)]
	if string(word) == "grad" {
		d, err := s.differentiate(items, i, args)
		return append(stack, d), err
	}
	op, ok := engine.Lookup(word)
	if !ok {
		return stack, s.notFunction(item)
	}
	if len(args) != op.Arity() {
		return stack, s.wrongCount(item, op)
	}
	if op.Arity() == 1 {
		return append(stack, s.tape.Apply(op, args[0], engine.Term{})), nil
	}
	return append(stack, s.tape.Apply(op, args[0], args[1])), nil
}

// differentiate is grad(y, a): the derivative as nodes. What is recorded for
// one target serves all its variables.
func (s *Session) differentiate(items []grammar.Item, i int, args []engine.Term) (engine.Term, error) {
	item := &items[i]
	if len(args) != 2 {
		return engine.Term{}, s.diagnose(item.Span, "wrong-arguments", "grad takes 2 arguments, not "+itoa(len(args)), "grad(y, a) is the derivative of y by a")
	}
	y, a := args[0], args[1]
	if a.IsConstant() {
		return engine.Term{}, s.diagnose(grammar.Span{Start: item.Start, End: item.End}, "constant-derivative",
			"grad needs a variable, a named expression or a node to differentiate by, not a constant", "grad(y, a) with a from VAR a = 1")
	}
	if by := &items[i-1]; by.Kind != grammar.Name && by.Kind != grammar.Node {
		// What is recorded here is new: y cannot have been made from it.
		return engine.Term{}, s.diagnose(grammar.Span{Start: by.Start, End: by.End}, "not-name",
			"grad needs a variable, a named expression or a node to differentiate by, not an expression", "name it first, as in  u = a^2; y = 3*u; grad(y, u)")
	}
	d, ok := s.grads[y.Node()]
	if !ok {
		first := engine.Node(s.tape.Len() + 1)
		derivative, err := s.tape.Differentiate(y.Node())
		switch {
		case err == engine.ErrFull:
			return engine.Term{}, s.tapeFull()
		case err != nil:
			return engine.Term{}, errInterrupted
		}
		d = recorded{derivative, engine.Node(s.tape.Len())}
		s.grads[y.Node()] = d
		s.made = append(s.made, span{first, d.end + 1})
	}
	if n, ok := d.By(a.Node()); ok {
		return s.tape.At(n), nil
	}
	return s.tape.Const(0), nil
}

// evaluate works out a constant expression, recording nothing.
func (s *Session) evaluate(items []grammar.Item) (float64, error) {
	var stack []float64
	for i := range items {
		item := &items[i]
		switch item.Kind {
		case grammar.Number:
			stack = append(stack, item.Value)
		case grammar.Name, grammar.Node:
			mark := s.tape.Mark()
			term, err := s.operand(item)
			if err != nil {
				return 0, err
			}
			s.tape.Rollback(mark)
			if !term.IsConstant() {
				word := s.text(item.Span)
				return 0, s.diagnose(item.Span, "not-constant", "a variable's value may not mention a variable, and "+word+" is or uses one",
					"EXPR y = … makes an expression of it")
			}
			stack = append(stack, term.Value())
		case grammar.Operator:
			op := infix[item.Op]
			last := len(stack) - 1
			if op.Arity() == 2 {
				stack[last-1] = op.Value(stack[last-1], stack[last])
				stack = stack[:last]
			} else {
				stack[last] = op.Value(stack[last], 0)
			}
		case grammar.Call:
			word := item.Span.Text(s.source)
			op, ok := engine.Lookup(word)
			if !ok {
				if string(word) == "grad" {
					return 0, s.diagnose(item.Span, "not-constant", "a variable's value may not be a derivative", "EXPR g = grad(y, a)")
				}
				return 0, s.notFunction(item)
			}
			if int(item.Args) != op.Arity() {
				return 0, s.wrongCount(item, op)
			}
			args := [2]float64{}
			copy(args[:], stack[len(stack)-int(item.Args):])
			stack = append(stack[:len(stack)-int(item.Args)], op.Value(args[0], args[1]))
		}
		if i&0xffff == 0xffff && s.interrupted() {
			return 0, errInterrupted
		}
	}
	return stack[0], nil
}

// runVar makes variables or gives them new values: all of a statement, or none.
func (s *Session) runVar(st *grammar.Statement) error {
	values := make([]float64, len(st.Bindings))
	for i, b := range st.Bindings {
		v, err := s.evaluate(b.Expr)
		if err != nil {
			return err
		}
		values[i] = v
	}
	var results []*boundResult
	for i, b := range st.Bindings {
		r, err := s.setVariable(b.Name, values[i])
		if err != nil {
			return err
		}
		results = append(results, r)
		if s.tape.Len() > s.options.MaxNodes {
			return s.tapeFull()
		}
		if s.interrupted() {
			return errInterrupted
		}
	}
	for _, r := range results {
		s.give(r)
	}
	return nil
}

func (s *Session) setVariable(at grammar.Span, value float64) (*boundResult, error) {
	word := s.text(at)
	r := &boundResult{name: word, value: value}
	old, exists := s.symbols[word]
	switch {
	case exists && s.isVariable(word):
		r.was, r.again = s.tape.Value(old.node), true
		watched := s.watched()
		before := make([]float64, len(watched))
		for i, w := range watched {
			before[i] = s.tape.Value(w.node)
		}
		s.change.nodes = append(s.change.nodes, old.node)
		s.change.values = append(s.change.values, r.was)
		var err error
		if s.options.JSON { // nobody else is told
			r.changed, err = s.tape.SetAndCount(old.node, value)
		} else {
			err = s.tape.Set(old.node, value)
		}
		if err != nil {
			s.change.nodes = s.change.nodes[:len(s.change.nodes)-1]
			s.change.values = s.change.values[:len(s.change.values)-1]
			return nil, errInterrupted
		}
		for i, w := range watched {
			if now := s.tape.Value(w.node); math.Float64bits(now) != math.Float64bits(before[i]) {
				r.moved = append(r.moved, moved{w.name, now, before[i]})
				s.checkFinite(&r.remarks, w.node)
			}
		}
		return r, nil
	case exists && !s.tape.IsConstant(old.node):
		return nil, s.diagnose(at, "name-taken", word+" is an expression, so it cannot become a variable",
			"choose another name, or :reset")
	case exists:
		r.remarks.note("was-constant", "", word+" was a constant"+s.builtFrom(old.node))
	}
	node := s.tape.Var(value).Node()
	s.vars = append(s.vars, word)
	s.bind(word, node)
	s.hides(&r.remarks, word, "variable")
	if math.IsNaN(value) || math.IsInf(value, 0) {
		r.remarks.warn("not-finite", word, word+" is "+formatNumber(value, s.digits))
	}
	return r, nil
}

// watched are the expressions whose change VAR reports: the named ones, and
// the latest.
func (s *Session) watched() (w []struct {
	name string
	node engine.Node
}) {
	if s.quiet && !s.options.JSON {
		return nil
	}
	for _, n := range s.expressions() {
		w = append(w, struct {
			name string
			node engine.Node
		}{n, s.symbols[n].node})
	}
	if s.latest != 0 && len(s.names[s.latest]) == 0 {
		w = append(w, struct {
			name string
			node engine.Node
		}{s.nodeName(s.latest), s.latest})
	}
	return w
}

// builtFrom says which named expressions use the constant n.
func (s *Session) builtFrom(n engine.Node) string {
	users := s.listed(func(name string, node engine.Node) bool {
		if node == n || s.isVariable(name) {
			return false
		}
		for m := range s.reach(node) {
			if m == n {
				return true
			}
		}
		return false
	})
	switch len(users) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("; %s = %s was built from it and keeps it", users[0], formatNumber(s.tape.Value(s.symbols[users[0]].node), s.digits))
	}
	return fmt.Sprintf("; %s and %d more were built from it and keep it", users[0], len(users)-1)
}

// hides notes what a name new in the session puts out of reach.
func (s *Session) hides(r *remarks, word, kind string) {
	if c, ok := constants[word]; ok {
		r.note("constant-hidden", "", fmt.Sprintf("%s is now your %s; the constant %s is hidden until :reset", word, kind, c.doc))
	}
}

// runExpr records an expression and shows its value.
func (s *Session) runExpr(st *grammar.Statement) error {
	var word string
	if !st.Name.Empty() {
		word = s.text(st.Name)
		if s.isVariable(word) {
			return s.variableTaken(st)
		}
	}
	term, err := s.record(st.Expr)
	if err != nil {
		return err
	}
	r := &s.answer
	*r = valueResult{remarks: remarks{list: r.remarks.list[:0]}}
	node := term.Node()
	if word != "" {
		if s.tape.IsLeaf(node) && s.tape.IsConstant(node) && len(s.names[node]) == 0 {
			// Its own leaf: equal numbers elsewhere do not get this name.
			node = s.tape.NewConst(term.Value()).Node()
		}
		s.nameExpression(&r.remarks, word, node)
	}
	s.latest = node
	s.show(r, word, node)
	s.checkFinite(&r.remarks, node)
	s.give(r)
	return nil
}

// nameExpression binds a name to a node that is no variable of that name.
func (s *Session) nameExpression(r *remarks, word string, node engine.Node) {
	_, known := s.symbols[word]
	s.bind(word, node)
	if !known {
		s.hides(r, word, "expression")
	}
	if k := nodeNumber([]byte(word)); k > 0 {
		if own := s.tape.Operation(k); own != 0 && own != node {
			r.note("node-hidden", "", fmt.Sprintf("%s is now this node; the earlier %s is @%d", word, word, k))
		}
	}
	if s.tape.IsConstant(node) {
		v := formatNumber(s.tape.Value(node), 17)
		if s.tape.IsLeaf(node) {
			r.note("constant", "", fmt.Sprintf("%s is a constant: GRAD will not show it. To differentiate by it: VAR %s = %s", word, word, shortest(s.tape.Value(node))))
		} else if len(s.constantNames(node)) == 0 {
			r.note("constant", "", fmt.Sprintf("%s is a constant: it uses no variable. To differentiate by it: VAR %s = %s", word, word, v))
		}
	}
}

// show fills in a result with what node is and has.
func (s *Session) show(r *valueResult, word string, node engine.Node) {
	r.name, r.value = word, s.tape.Value(node)
	switch {
	case s.tape.IsVariable(node):
		r.node = s.names[node][0]
	case !s.tape.IsLeaf(node):
		r.node = s.numberName(node)
	}
	if word == "" {
		if r.name = r.node; r.node == "" || len(s.names[node]) > 0 {
			r.name = s.nodeName(node)
		}
	}
}

// runShow answers a line that is only a name; it changes nothing.
func (s *Session) runShow(st *grammar.Statement) error {
	r := &valueResult{asked: true}
	word := s.text(st.Name)
	if word[0] == '@' {
		n := s.tape.Operation(atoi(word[1:]))
		if n == 0 {
			return s.noSuchNode(st.Name)
		}
		s.show(r, "", n)
		r.name = word
		s.give(r)
		return nil
	}
	n, ok := s.resolve([]byte(word))
	if !ok {
		if c, ok := constants[word]; ok {
			s.give(&valueResult{name: word, value: c.value, asked: true})
			return nil
		}
		return s.unknown(st.Name)
	}
	s.show(r, word, n)
	if word == "ans" || word == "_" {
		r.name = s.nodeName(n)
	}
	s.checkFinite(&r.remarks, n)
	s.give(r)
	return nil
}
