package grammar

// OperatorRow is a row of [Operators]: one way of writing an operation between
// operands or in front of one.
type OperatorRow struct {
	Symbol     string // as typed and as printed
	Op         string // the operation's name: add sub mul div power neg pos
	Precedence int    // higher binds tighter
	Right      bool   // right-associative
	Prefix     bool   // stands in front of its one operand
}

// Indices of the rows of [Operators], as in Item.Op.
const (
	OpAdd uint8 = iota
	OpSub
	OpMul
	OpDiv
	OpPower
	OpNeg
	OpPos
)

// Operators is the precedence table. `**` is read as `^`; a superscript emits
// the row of `^` too. Unary plus is in the table so that it can be parsed, but
// it never becomes an item.
var Operators = [...]OperatorRow{
	OpAdd:   {Symbol: "+", Op: "add", Precedence: 1},
	OpSub:   {Symbol: "-", Op: "sub", Precedence: 1},
	OpMul:   {Symbol: "*", Op: "mul", Precedence: 2},
	OpDiv:   {Symbol: "/", Op: "div", Precedence: 2},
	OpPower: {Symbol: "^", Op: "power", Precedence: 4, Right: true},
	OpNeg:   {Symbol: "-", Op: "neg", Precedence: 3, Right: true, Prefix: true},
	OpPos:   {Symbol: "+", Op: "pos", Precedence: 3, Right: true, Prefix: true},
}
