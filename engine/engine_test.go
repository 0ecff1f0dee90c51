package engine

import (
	"testing"
)

// The lesson: (a + b) * a at 2, 3.
func TestLesson(t *testing.T) {
	tape := NewTape()
	a, b := tape.Var(2), tape.Var(3)
	y := tape.Mul(tape.Add(a, b), a)
	if y.Value() != 10 {
		t.Fatalf("value %v, want 10", y.Value())
	}
	for range 2 { // asking twice gives the same answer
		if err := tape.Sweep(y.Node()); err != nil {
			t.Fatal(err)
		}
		if ga, gb := tape.Adjoint(a.Node()), tape.Adjoint(b.Node()); ga != 7 || gb != 2 {
			t.Fatalf("gradient %v, %v; want 7, 2", ga, gb)
		}
	}
	changed, err := tape.SetAndCount(a.Node(), 5)
	if err != nil || changed != 3 || tape.Value(y.Node()) != 40 {
		t.Fatalf("after a = 5: %v, %d changed, %v", tape.Value(y.Node()), changed, err)
	}
	d, _ := tape.Differentiate(y.Node())
	da, _ := d.By(a.Node())
	if tape.Value(da) != 13 {
		t.Fatalf("da = %v", tape.Value(da))
	}
}
