// Package grammar turns lines of text into statements.
//
// It exists so that everything about the written language (tokens, columns,
// precedence, what is refused and why) can be read and tested without a tape.
// It imports no package of this module and knows no functions, no values of
// names and no nodes: `sin(a)` and `frob(a)` are both a call of a name, and the
// session that runs the statement decides what the names mean.
//
// A [Parser] is handed one logical line and returns its statements one by one.
// An expression is a flat postfix program, a slice of [Item]: each item takes
// its operands from the top of a stack and puts one result there, so whoever
// evaluates it needs a loop and a stack and no recursion, however deep the
// parentheses were. The storage of statements and items belongs to the parser
// and is used again for the next statement: in the steady state a line is
// parsed without allocating.
//
// Positions are byte offsets; nothing here counts columns. A mistake is a
// [Diagnostic] in the statement's Err: it refuses that statement only, and the
// statements behind the next `;` are parsed as if nothing had happened.
package grammar
