package edit

import (
	"errors"
	"os"
)

// Config says what an Editor works with. Only In and Out are needed.
type Config struct {
	In  *os.File // the terminal that keys are read from
	Out *os.File // the terminal that is drawn on: standard error when standard output is a pipe

	History []string // earlier lines, oldest first
	Limit   int      // how many lines Up and Ctrl-R reach back; 0: 1000

	// Bare keeps every escape sequence off the terminal as long as the line
	// being typed fits one row. It is meant for NO_COLOR; Paint is then not used.
	Bare bool

	// Paint returns line with SGR colours and nothing else added: without
	// them it must be line again, else the line is shown unpainted. It is
	// called for every drawing from a goroutine of the editor, so it must not
	// share anything unlocked with the rest of the program nor call the
	// Editor. nil: no colour.
	Paint func(line string) string

	// Complete returns the completions of the word under the cursor: start is
	// the byte offset at which that word begins (start <= pos, the cursor),
	// and each Word replaces line[start:pos]. They are listed in the order
	// given. It is called from a goroutine of the editor while ReadLine waits.
	// nil: Tab does nothing.
	Complete func(line string, pos int) (start int, words []Word)

	// Interrupted is called, from a goroutine of the editor, for every Ctrl-C
	// (SIGINT) that arrives while no line is being read. nil: ignored.
	Interrupted func()

	// Terminated is called once, from a goroutine of the editor, when the
	// program is told to end: by SIGTERM or SIGHUP, or by a SIGINT sent while
	// a line is read. ReadLine returns a *SignalError from then on. A second
	// such signal restores the terminal and ends the process. nil: ignored.
	Terminated func(sig os.Signal)
}

// A Word is one completion.
type Word struct {
	Text   string // the whole word
	Suffix string // typed after it when it is the only one: "(" or " "
	Help   string // shown beside it in a list of few; may be empty
}

// ErrInterrupt is what ReadLine returns for Ctrl-C on a line with text. The
// text is dropped.
var ErrInterrupt = errors.New("interrupted")

// ErrInterruptEmpty is what ReadLine returns for Ctrl-C on an empty line.
// errors.Is(err, ErrInterrupt) holds for it too.
var ErrInterruptEmpty error = interruptEmpty{}

type interruptEmpty struct{}

func (interruptEmpty) Error() string        { return "interrupted on an empty line" }
func (interruptEmpty) Is(target error) bool { return target == ErrInterrupt }

// A SignalError is what ReadLine returns once a signal has ended the session.
type SignalError struct{ Signal os.Signal }

// Error names the signal.
func (e *SignalError) Error() string { return "ended by signal: " + e.Signal.String() }
