// Package engine differentiates expressions of single numbers by
// backpropagation.
//
// It exists because the idea is small and the programs that contain it are
// not: here is one tape, one table of rules and one loop, which a reader can
// hold in mind, and which are nevertheless as fast as the best.
//
// # The lesson
//
// Whoever evaluates (a + b) * a works step by step, and every step combines at
// most two numbers that are known already. A [Tape] writes the steps down as
// they are taken. Each entry is a [Node]; the entries it combines are its
// parents; an entry without parents is a leaf, a variable or a constant. With
// a = 2 and b = 3:
//
//	node   operation   parents   value
//	1      var                   2       a
//	2      var                   3       b
//	3      add         1, 2      5       a + b
//	4      mul         3, 1      10      (a + b) * a
//
// How does the result change when a changes a little? Each step can answer for
// itself, without knowing anything of the others: a sum changes as fast as
// either parent, so its local derivatives are 1 and 1; a product x*y changes y
// times as fast as x, and x times as fast as y. What is left is to combine the
// answers, and the order for that is the tape read backwards. The result has
// the adjoint 1 by itself, the seed. Every node hands to each parent a
// contribution, its own adjoint times the local derivative, and a node's
// adjoint is the sum of the contributions it gets:
//
//	node 4   adjoint 1        node 3 gets a * 1 = 2       a gets (a + b) * 1 = 5
//	node 3   adjoint 2        a gets 1 * 2 = 2            b gets 1 * 2 = 2
//	node 2   adjoint 2        ∂/∂b = 2
//	node 1   adjoint 5 + 2    ∂/∂a = 7
//
// a is used twice and gets two contributions; adding them up is the whole
// secret. Parents are always older than their node, so one pass from the
// newest node to the oldest finds every adjoint complete when it comes by: no
// recursion, no sorting, and the derivatives by all variables for the price of
// a few evaluations, however many variables there are. The proof of it is
// pencil work: (a + b)*a = a² + a*b has the derivatives 2a + b = 7 and a = 2.
//
// [Tape.Sweep] is this pass, [Tape.Trace] the same with every step shown.
//
// # What one tape can do
//
//   - [Tape.Var], [Tape.Const], [Tape.Add] … [Tape.Apply] record. They take and
//     return a [Term], a node together with its value.
//   - [Tape.Sweep] and [Tape.Adjoint] differentiate one node by all others.
//   - [Tape.Set] gives a variable another value and replays: every node that
//     depends on it is evaluated again.
//   - [Tape.Differentiate] writes the adjoints themselves on the tape, as nodes:
//     they can be used, replayed and differentiated again, to any order.
//   - [Tape.Mark] and [Tape.Rollback] take back what was recorded since.
//   - [Tape.Reach] and [Tape.Extract] find what a node is made from.
//
// # Rules
//
// All that is known of an operation is one row of one table in rule.go: its
// value, and for each parent the contribution as a formula in x, y (the
// parents), z (the node itself) and g (the adjoint that arrived). The formula
// for tan is g*(1+z^2). From this one text come the number in a sweep, the
// nodes that Differentiate records and the words in help and traces. Rows are
// held against numerical derivatives by a test that loops over the table, and
// against references of 60 digits.
//
// Where a function has a corner or a pole the rows say what happens, and it is
// what PyTorch and JAX do wherever those agree: relu and abs have slope 0 at 0
// ([Op.Corner] tells that a convention decided), sqrt has slope +Inf, 0/0 is
// NaN. hypot at (0, 0) has slopes NaN: there is no plane that touches a cone at
// its tip. The branch that max, min or relu does not take gets no contribution
// at all, not even one of 0, so that an infinite slope behind it cannot turn 0
// into NaN. Everywhere else arithmetic is IEEE 754, in the order in which the
// formulas are written.
//
// # Decisions and their price
//
// Figures are nanoseconds an operation on one core of an AMD EPYC of 2023, for
// a chain of 1e6 operations x = x*b + a, x = x/c - b.
//
// Values are stored, local derivatives are not. A sweep computes them again
// from the values, which for the four arithmetic operations costs less than
// fetching them would; and a tape of values can be replayed. A node is a slot
// of 16 bytes (value; operation and parents in one word), and an adjoint of 8
// once a sweep has been there. Recording takes 1.6; the arithmetic alone, in
// C++, 1.4.
//
// A sweep goes only where the target's parents lead: the cost of ten
// operations at the end of a tape is 0.1 µs whether the tape has a thousand
// nodes or ten million. What is due is kept in a set of bits with three levels
// of summaries, which a plain loop over the whole tape would not need. The sweep
// takes 2.0.
//
// Adjoints are kept until the next sweep, and have to be cleared by it: 0.3.
//
// A replay evaluates everything after the variable, not only what depends on
// it: to look would cost more. It takes 1.7.
//
// Arrays grow without being copied, in address space reserved from the system
// (region_unix.go, with a portable twin): a first recording and sweep takes 2 to
// 3 times as long as a later one, most of that for the system to hand out pages,
// where doubling a slice takes 5. The price is 8 GB of addresses, not of memory,
// for a tape.
//
// The commonest operations are written out in the loops of sweep and replay,
// besides their rows, whose formulas are interpreted at 45 ns a node and
// more. A test holds the two against each other, bit for bit.
package engine
