package edit

import (
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether f is a terminal. f may be nil.
func IsTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// Size returns the size in characters of the terminal f: 80 by 24 when f is
// none or does not know (a fresh pseudo-terminal says 0 by 0). Never below 1.
func Size(f *os.File) (width, height int) {
	if f != nil {
		width, height, _ = term.GetSize(int(f.Fd()))
	}
	if width <= 0 {
		width = 80
	}
	if height <= 0 {
		height = 24
	}
	return width, height
}
