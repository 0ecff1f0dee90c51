package history_test

import (
	"fmt"
	"os"
	"path/filepath"

	"scalargrad/history"
)

func ExampleOpen() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)

	h, err := history.Open(filepath.Join(dir, "history"), 1000)
	if err != nil {
		fmt.Fprintln(os.Stderr, "warning:", err) // and go on
	}
	h.Append("VAR a = 2")
	h.Append("EXPR y = a * a")
	h.Append("EXPR y = a * a")
	h.Append(" GRAD y")
	h.Close()

	h, _ = history.Open(filepath.Join(dir, "history"), 1000)
	fmt.Printf("%q\n", h.Lines())
	// Output: ["VAR a = 2" "EXPR y = a * a"]
}

// A session takes over the statements of the one before.
func ExampleLog() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)

	log := history.NewLog(dir)
	log.Append("VAR a = 2")
	log.Append("VAR a = 3")
	log.Rewind(1)
	log.Close() // or the process is gone

	accepted, _, _ := history.LatestLog(dir)
	log = history.NewLog(dir)
	log.Append(accepted...) // all of them or, if we are killed, none
	fmt.Printf("%q\n", accepted)
	// Output: ["VAR a = 2"]
}
