package repl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"scalargrad/grammar"
	"scalargrad/history"
	"scalargrad/repl/edit"
)

// A lineReader is where the lines of a prompt come from: the editor, or plain
// lines for a terminal that cannot be edited on.
type lineReader interface {
	ReadLine(prompt string) (string, error)
	Remember(line string)
	Size() (width, height int)
	Close() error
}

// prompt talks to a person until they leave, and returns the exit status: 0,
// or 128+n when signal n ended the session.
func (r *runner) prompt() (status int) {
	o := &r.options
	tty := o.Out
	if !edit.IsTerminal(tty) {
		tty = o.Err // scalargrad | tee log: the line is edited on the terminal all the same
	}
	r.file, r.console, r.keep = "", true, true
	defer func() { r.console = false }()
	r.busy.Lock()
	defer r.busy.Unlock()
	r.openHistory()
	defer r.closeHistory()
	r.openLog()
	defer r.closeLog()

	// Whoever reads what is piped out of a session may go away: that is an error
	// of the write, lest it end the program and leave the terminal as it is.
	signal.Ignore(syscall.SIGPIPE)
	lines, err := r.openLines(tty)
	if err != nil {
		fmt.Fprintln(o.Err, "scalargrad:", err)
		return 2
	}
	defer lines.Close()
	r.resize(lines)
	theme := NewTheme(ColorOn(o.Color, tty))
	first := theme.open[ready] + ">" + theme.close[ready] + " "
	more := theme.open[ready] + "…" + theme.close[ready] + " "
	if !o.Quiet {
		fmt.Fprintf(tty, "scalargrad %s   :help for help, :lesson for a guided tour, Ctrl-D to leave\n", o.Version)
	}
	if o.Resume {
		r.resume()
	}
	for number := 1; ; number++ {
		r.out.flush()
		r.asked.Store(false)
		r.stop.Store(false)
		line, err := r.readLine(lines, first)
		for err == nil && grammar.Continues([]byte(line)) && len(line) < r.longestLine() {
			var next string
			next, err = r.readLine(lines, more)
			line += "\n" + next
		}
		var end *edit.SignalError
		switch {
		case errors.As(err, &end):
			if n, ok := end.Signal.(syscall.Signal); ok {
				return 128 + int(n)
			}
			return 1
		case errors.Is(err, edit.ErrInterruptEmpty):
			fmt.Fprintln(tty, "(Ctrl-D or :quit leaves)")
			continue
		case errors.Is(err, edit.ErrInterrupt):
			continue
		case err != nil:
			if err != io.EOF {
				fmt.Fprintln(o.Err, "scalargrad: reading the terminal:", err)
				return 1
			}
			return 0
		}
		if strings.TrimSpace(line) == "" {
			if r.goOn() {
				r.resize(lines)
				r.Eval([]byte(":lesson next"), number, r.emitResult)
			}
			continue
		}
		lines.Remember(line)
		r.remember(line)
		r.resize(lines)
		if r.echo && tty != o.Out {
			r.echoLine([]byte(line))
		}
		if len(line) > r.longestLine() {
			r.refuseLine(number)
			continue
		}
		if !r.Eval([]byte(line), number, r.emitResult) {
			return 0
		}
		if r.out.flush(); r.out.bad != nil {
			return 1
		}
	}
}

// openLines opens the editor, or plain lines for a dumb terminal.
func (r *runner) openLines(tty *os.File) (lineReader, error) {
	o := &r.options
	c := edit.Config{In: o.In, Out: tty, Limit: history.DefaultLimit, Interrupted: r.interrupt, Terminated: func(os.Signal) { r.interrupt() }}
	if o.history != nil {
		c.History = o.history.Lines()
	}
	if os.Getenv("TERM") == "dumb" {
		return edit.OpenPlain(c), nil
	}
	if ColorOn(o.Color, tty) {
		c.Paint = r.painter(NewTheme(true))
	}
	c.Bare = os.Getenv("NO_COLOR") != ""
	c.Complete = r.completer()
	return edit.Open(c)
}

// resize asks how large the window is: answers are laid out for it.
func (r *runner) resize(lines lineReader) {
	width, height := lines.Size()
	for _, w := range []*stream{&r.out, &r.err} {
		w.width = min(max(width, 20), 120)
	}
	if edit.IsTerminal(r.options.Out) {
		r.out.height = height
	}
}

func (r *runner) openHistory() {
	o := &r.options
	path := o.History
	if path == "" {
		path = history.DefaultPath("scalargrad")
	}
	if o.NoHistory || o.Restricted || path == os.DevNull {
		path = ""
	}
	h, err := history.Open(path, history.DefaultLimit)
	if err != nil {
		r.warn(err)
	}
	o.history = h
}

func (r *runner) closeHistory() {
	if err := r.options.history.Close(); err != nil {
		r.warn(err)
	}
}

// remember puts a line into the history before it is run, so that nothing is
// lost whatever it does.
func (r *runner) remember(line string) {
	if err := r.options.history.Append(line); err != nil {
		r.warn(err)
	}
}

// warn says what went wrong with the history: of the statements nothing is lost.
func (r *runner) warn(err error) {
	r.out.flush()
	r.err.paint(doubtful, "warning:").text(" history: ", visible(err.Error())).line()
	r.err.flush()
}
