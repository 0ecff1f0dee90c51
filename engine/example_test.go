package engine_test

import (
	"fmt"

	"scalargrad/engine"
)

// The lesson: (a + b) * a at a = 2, b = 3.
func Example() {
	tape := engine.NewTape()
	a, b := tape.Var(2), tape.Var(3)
	y := tape.Mul(tape.Add(a, b), a)
	if err := tape.Sweep(y.Node()); err != nil {
		fmt.Println(err)
	}
	fmt.Println("y =", y.Value())
	fmt.Println("by a:", tape.Adjoint(a.Node()))
	fmt.Println("by b:", tape.Adjoint(b.Node()))
	// Output:
	// y = 10
	// by a: 7
	// by b: 2
}

// A node that is used twice gets two contributions, also from one operation.
func ExampleTape_Sweep() {
	tape := engine.NewTape()
	x := tape.Var(3)
	y := tape.Mul(x, x)
	for range 2 { // every sweep starts from nothing
		if err := tape.Sweep(y.Node()); err != nil {
			fmt.Println(err)
		}
		fmt.Println(tape.Adjoint(x.Node()))
	}
	// Output:
	// 6
	// 6
}

func ExampleTape_Trace() {
	tape := engine.NewTape()
	a, b := tape.Var(2), tape.Var(3)
	y := tape.Mul(tape.Add(a, b), a)
	err := tape.Trace(y.Node(), func(s *engine.Step) {
		fmt.Printf("node %d, %s, has adjoint %g\n", s.Node, tape.Op(s.Node), s.Adjoint)
		for _, c := range s.Gives {
			fmt.Printf("  node %d gets %g\n", c.To, c.Value)
		}
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// node 4, mul, has adjoint 1
	//   node 3 gets 2
	//   node 1 gets 5
	// node 3, add, has adjoint 2
	//   node 1 gets 2
	//   node 2 gets 2
	// node 2, var, has adjoint 2
	// node 1, var, has adjoint 7
}

// A variable gets another value, and everything made from it follows.
func ExampleTape_Set() {
	tape := engine.NewTape()
	a, b := tape.Var(2), tape.Var(3)
	y := tape.Mul(tape.Add(a, b), a)
	if err := tape.Set(a.Node(), 5); err != nil {
		fmt.Println(err)
	}
	fmt.Println(tape.Value(y.Node()))
	// Output: 40
}

// The derivative as nodes: it follows Set and can be differentiated again.
func ExampleTape_Differentiate() {
	tape := engine.NewTape()
	x := tape.Var(2)
	y := tape.Power(x, tape.Const(3))
	node := y.Node()
	derivatives := []engine.Node{node}
	for range 3 {
		d, err := tape.Differentiate(node)
		if err != nil {
			fmt.Println(err)
			return
		}
		node, _ = d.By(x.Node())
		derivatives = append(derivatives, node)
	}
	for _, at := range []float64{2, 10} {
		if err := tape.Set(x.Node(), at); err != nil {
			fmt.Println(err)
		}
		var values []float64
		for _, n := range derivatives {
			values = append(values, tape.Value(n))
		}
		fmt.Println(values)
	}
	// Output:
	// [8 12 12 6]
	// [1000 300 60 6]
}

// What was recorded since a mark can be taken back.
func ExampleTape_Rollback() {
	tape := engine.NewTape()
	x := tape.Var(2)
	mark := tape.Mark()
	tape.Mul(tape.Mul(x, x), x)
	fmt.Println(tape.Len())
	tape.Rollback(mark)
	fmt.Println(tape.Len())
	x = tape.At(x.Node()) // terms from before are out of date
	fmt.Println(tape.Mul(x, x).Value())
	// Output:
	// 3
	// 1
	// 4
}
