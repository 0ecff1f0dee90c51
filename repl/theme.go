package repl

import (
	"os"
	"strings"

	"github.com/fatih/color"

	"scalargrad/repl/edit"
)

// A role is what a piece of output is, from which a theme makes its colour.
type role uint8

const (
	plain    role = iota
	name          // of a variable, an expression or a node
	number        // a value
	keyword       // VAR EXPR GRAD WRT
	function      // of the mathematics
	command       // :trace
	operator      // in a trace
	faint         // what may be skipped
	strong        // headings
	bad           // error:
	doubtful      // warning:
	noted         // note:
	good          // a check that agrees
	ready         // the prompt
	roleCount
)

// A Theme paints the roles for one stream. Meaning is never in a colour alone:
// without a theme the text is the same text.
type Theme struct{ open, close [roleCount]string }

// NewTheme returns the colours, or none at all. They are sixteen-colour
// attributes only, which terminals map to what is readable on their background;
// red and green, which some people cannot tell apart, only colour words that
// say the same.
func NewTheme(on bool) *Theme {
	t := &Theme{}
	if !on {
		return t
	}
	for r, attributes := range [roleCount][]color.Attribute{
		name:     {color.FgBlue},
		number:   {color.FgCyan},
		keyword:  {color.FgMagenta},
		function: {color.FgYellow},
		command:  {color.FgMagenta},
		operator: {color.FgYellow},
		faint:    {color.Faint},
		strong:   {color.Bold},
		bad:      {color.FgRed, color.Bold},
		doubtful: {color.FgYellow, color.Bold},
		noted:    {color.FgCyan},
		good:     {color.FgGreen, color.Bold},
		ready:    {color.FgGreen, color.Bold},
	} {
		if len(attributes) == 0 {
			continue
		}
		c := color.New(attributes...)
		c.EnableColor() // whatever the library found out about standard output
		t.open[r], t.close[r], _ = strings.Cut(c.Sprint("\x00"), "\x00")
	}
	return t
}

// ColorOn decides whether stream gets colours: the mode always or never; else
// NO_COLOR, CLICOLOR_FORCE, CLICOLOR, TERM, and whether it is a terminal.
func ColorOn(mode string, stream *os.File) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	if os.Getenv("CLICOLOR") == "0" || os.Getenv("TERM") == "dumb" {
		return false
	}
	return stream != nil && edit.IsTerminal(stream)
}
