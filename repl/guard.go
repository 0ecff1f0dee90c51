package repl

import (
	"fmt"
	"io"
	"runtime/debug"

	"scalargrad/repl/edit"
)

// Guard returns the exit status of program. A panic in it puts the terminal
// back as it was and says on errs what to report; the status is 3 then.
func Guard(errs io.Writer, version string, program func() int) (status int) {
	defer func() {
		if bug := recover(); bug != nil {
			edit.Restore()
			fmt.Fprintf(errs, "scalargrad %s: a fault in the program, please report it: %v\n%s", version, bug, debug.Stack())
			status = 3
		}
	}()
	return program()
}
