package repl

import (
	"io"
	"testing"
	"time"
)

// TestCommandsAtTheEndsOfTheNumbers runs every command that computes on
// variables whose values are the smallest, the largest or none: each answers or
// refuses, and none has a fault.
func TestCommandsAtTheEndsOfTheNumbers(t *testing.T) {
	values := []string{"0", "-0", "5e-324", "1e-308", "-1e308", "1.7976931348623157e308", "-1.7976931348623157e308", "1e308*10", "0/0", "1e16"}
	expressions := []string{"a", "a*a", "1/a", "exp(a)", "log(a)", "a^a", "a*1e308", "relu(a)", "5", "tan(a) + a^3"}
	commands := []string{
		":plot", ":plot y", ":plot a", ":plot y a -1e308 1.7e308", ":plot y a 0 5e-324", ":plot y a 1e16 1.0000000001e16",
		":table", ":table y a 0 1", ":table y a -1.7e308 1.7e308", ":table y a 0 5e-324", ":table y a 1e308 -1e308 -1e307",
		":check", ":check a = 2*a", ":hessian", ":trace y", ":explain y", ":graph y all", ":mistake overwrite", ":tape", ":vars",
		":descend y rate=1 steps=3", ":descend y rate=1e308 steps=3", ":minimize y",
		":plot", ":table", ":hessian", // where the descent has led
	}
	for _, json := range []bool{false, true} {
		for _, value := range values {
			for _, expression := range expressions {
				r := batch(Options{JSON: json, Timeout: 2 * time.Second}, io.Discard)
				said := 0
				count := func(result Result) { said++; r.emitResult(result) }
				for _, line := range append([]string{"VAR a = " + value, "y = " + expression, "GRAD"}, commands...) {
					said = 0
					r.Eval([]byte(line), 1, count)
					if said == 0 {
						t.Errorf("VAR a = %s; y = %s; %s: no answer", value, expression, line)
					}
				}
				r.out.flush()
			}
		}
	}
}
