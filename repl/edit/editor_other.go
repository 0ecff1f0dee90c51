//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package edit

import (
	"errors"
	"os"
)

// An Editor reads lines at a terminal. On this system the console itself edits
// and recalls lines: it is a Plain.
type Editor struct{ *Plain }

// Open returns the editor of the terminal c.In. The error is that of a file
// which is no terminal.
func Open(c Config) (*Editor, error) {
	if !IsTerminal(c.In) {
		return nil, errors.New("not a terminal")
	}
	return &Editor{OpenPlain(c)}, nil
}

// Restore does nothing: the terminal was never changed.
func Restore() {}

func keepTyped(*os.File) (keep, restore func()) { return func() {}, func() {} }
