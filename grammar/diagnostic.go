package grammar

// Diagnostic says why a statement is refused, in parts that the caller puts
// together for a person or for a program. It is an error.
type Diagnostic struct {
	Span    Span   // the fault; empty (but placed) where something is missing
	Code    string // stable, one of the codes of this package: "missing-paren"
	Message string // what is wrong: lower case, no full stop
	Hint    string // what to type instead ("type 2*a"); may be ""
}

// Error returns the message.
func (d *Diagnostic) Error() string { return d.Message }
