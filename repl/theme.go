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
	name          // of a variable; in answers also of an expression or a node
	result        // in the line being typed: the name of what an expression made
	number        // a value
	keyword       // VAR EXPR GRAD WRT
	function      // of the mathematics
	command       // :trace
	operator      // in a trace
	faint         // what may be skipped
	strong        // headings
	bad           // error:
	wrong         // in the line being typed: what cannot be right
	doubtful      // warning:
	noted         // note:
	good          // a check that agrees
	ready         // the prompt
	roleCount
)

// A Theme paints the roles for one stream. Meaning is never in a colour alone:
// without a theme the text is the same text.
type Theme struct{ open, close [roleCount]string }

// palette are the colours of a terminal with 256 of them. They are of middling
// lightness, at least 3.8:1 in contrast against black as well as white, so that
// nobody has to say which background they have. Blue, orange and magenta stay
// apart for the colour-blind; red and green only colour words that say the same,
// and what is wrong is underlined as well.
var palette = [roleCount][]color.Attribute{
	name:     indexed(blue),
	result:   append(indexed(blue), color.Bold),
	number:   indexed(teal),
	keyword:  indexed(magenta),
	function: indexed(orange),
	command:  indexed(magenta),
	operator: indexed(orange),
	faint:    indexed(grey),
	strong:   {color.Bold},
	bad:      append(indexed(red), color.Bold),
	wrong:    append(indexed(red), color.Underline),
	doubtful: append(indexed(orange), color.Bold),
	noted:    indexed(teal),
	good:     append(indexed(green), color.Bold),
	ready:    append(indexed(green), color.Bold),
}

// Entries of the table of 256 colours.
const (
	blue    color.Attribute = 32
	teal    color.Attribute = 30
	magenta color.Attribute = 133
	orange  color.Attribute = 130
	green   color.Attribute = 28
	red     color.Attribute = 160
	grey    color.Attribute = 243
)

// indexed returns the attributes that choose a colour of the table.
func indexed(n color.Attribute) []color.Attribute { return []color.Attribute{38, 5, n} }

// poor are the colours of a terminal with eight: only those that can be read on
// both backgrounds wherever the eight are what they used to be.
var poor = [roleCount][]color.Attribute{
	keyword:  {color.FgMagenta},
	command:  {color.FgMagenta},
	strong:   {color.Bold},
	bad:      {color.FgRed, color.Bold},
	wrong:    {color.FgRed, color.Underline},
	doubtful: {color.Bold},
	noted:    {color.Bold},
	good:     {color.Bold},
	ready:    {color.Bold},
}

// NewTheme returns the colours, or none at all.
func NewTheme(on bool) *Theme {
	t := &Theme{}
	if !on {
		return t
	}
	colors := &palette
	switch os.Getenv("TERM") {
	case "linux", "ansi", "screen", "vt100", "vt102", "vt220", "cons25", "cygwin", "xterm-color", "xterm-16color":
		if os.Getenv("COLORTERM") == "" {
			colors = &poor
		}
	}
	for r, attributes := range colors {
		if len(attributes) == 0 {
			continue
		}
		c := color.New(attributes...)
		c.EnableColor() // whatever the library found out about standard output
		t.open[r], _, _ = strings.Cut(c.Sprint("\x00"), "\x00")
		t.close[r] = "\x1b[0m"
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
