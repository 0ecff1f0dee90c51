package grammar

// ItemKind says what an [Item] does.
type ItemKind uint8

// The kinds of item. Number, Name and Node push one operand; Operator takes two
// operands (one when its row is Prefix) and Call takes Args, and both push one.
const (
	Number   ItemKind = iota // a literal
	Name                     // a name that is not called
	Node                     // @5: a node by its number
	Operator                 // a row of Operators
	Call                     // name(…)
)

// Item is one step of a postfix program. The items of an expression take and
// push operands so that exactly one is left at the end.
type Item struct {
	Kind  ItemKind
	Op    uint8   // Operator: its index in Operators
	Args  int32   // Call: how many arguments, at least 0
	Span  Span    // the token: the literal, the name, the operator's sign, the function's name
	Start int32   // with End: the byte range of the whole subexpression that this
	End   int32   // item completes, its own parentheses left out, a call's included
	Value float64 // Number: its value, finite; Node: its number, a whole number >= 1
}

// Kind says what kind of statement a [Statement] is.
type Kind uint8

// The kinds of statement.
const (
	Var      Kind = iota // VAR a = 2, b = 3
	Expr                 // EXPR y = a + b; also without the keyword
	Grad                 // GRAD y WRT a, b
	Command              // :trace on
	Show                 // a line that is only a name, or only @5
	ShowGrad             // a.grad
)

// Binding is one `name = expression` of a VAR statement.
type Binding struct {
	Name Span
	Expr []Item
}

// Statement is one statement of a line. Which fields are set depends on Kind;
// all others are zero. The statement and every slice in it belong to the parser
// that returned it and are overwritten by its following Next or Reset; the text
// of an Arg stays valid.
type Statement struct {
	Kind     Kind
	Span     Span        // without surrounding blanks, `> `, comment and the `;`
	Keyword  Span        // VAR, EXPR or GRAD as typed; empty when it is implied
	Bindings []Binding   // Var: in order, at least one
	Name     Span        // Expr: the name bound, empty if none; Show, ShowGrad: the name (Show: possibly @5)
	Expr     []Item      // Expr: the expression; Grad: a target longer than one name, or any target before WRT; else empty
	WRT      Span        // Grad: the word WRT; empty if absent
	Names    []Span      // Grad: the names asked for; without WRT and Expr all names typed, the target among them
	Comma    bool        // Grad without WRT: a comma stands right after the first name
	Command  Span        // Command: its name, without the colon; empty for a lone colon
	Tail     Span        // Command: everything after its name, blanks at both ends left out
	Args     []Arg       // Command: Tail cut at blanks and quotes
	Err      *Diagnostic // this statement is refused; only Span, Kind and Keyword are then worth reading
}

// Arg is one argument of a command.
type Arg struct {
	Span   Span   // as typed, the quotes included
	Text   string // what is meant: without quotes and escapes
	Quoted bool   // it was written in quotes
}
