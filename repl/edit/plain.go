package edit

import (
	"bufio"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Grace is how long a program has to end after the signal to: behind it nobody
// is taken to read what it still writes.
const Grace = 2 * time.Second

// A Plain reads whole lines, which the terminal itself lets people correct:
// for TERM=dumb and for systems where nothing better is at hand. It writes no
// escape sequence and leaves the terminal's mode alone, but for this: between
// lines, Ctrl-C does not throw away what was typed ahead.
type Plain struct {
	c       Config
	in      *bufio.Reader
	want    chan struct{}  // asks for one more line
	lines   chan plainLine // and this is it
	waiting bool           // a line has been asked for and not come

	reading    atomic.Bool
	interrupts chan struct{}
	ended      atomic.Pointer[SignalError]
	over       chan struct{} // closed when ended is set
	signals    chan os.Signal
	once       sync.Once

	keep, restore func() // the terminal's mode: what is typed ahead is kept; as it was
}

type plainLine struct {
	text string
	err  error
}

// OpenPlain returns a reader of c.In that writes to c.Out. History, Limit,
// Bare, Paint and Complete are not used.
func OpenPlain(c Config) *Plain {
	p := &Plain{
		c: c, in: bufio.NewReader(c.In),
		want: make(chan struct{}), lines: make(chan plainLine, 1),
		interrupts: make(chan struct{}, 1), over: make(chan struct{}), signals: make(chan os.Signal, 8),
	}
	p.keep, p.restore = keepTyped(c.In)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(p.signals, s)
		}
	}
	go p.watch()
	go p.read()
	return p
}

// watch acts on signals.
func (p *Plain) watch() {
	var last *time.Timer
	defer func() {
		if last != nil {
			last.Stop()
		}
	}()
	for sig := range p.signals {
		switch {
		case sig == os.Interrupt && p.reading.Load():
			select {
			case p.interrupts <- struct{}{}:
			default:
			}
		case sig == os.Interrupt:
			if p.c.Interrupted != nil {
				p.c.Interrupted()
			}
		case p.ended.CompareAndSwap(nil, &SignalError{sig}):
			close(p.over)
			last = time.AfterFunc(Grace, func() { p.die(sig) }) // as in Editor
			if p.c.Terminated != nil {
				p.c.Terminated(sig)
			}
		default: // the second one
			p.die(sig)
		}
	}
}

// die ends the process by sig as if it had not been caught.
func (p *Plain) die(sig os.Signal) {
	p.restore()
	signal.Reset(sig)
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Signal(sig)
	}
}

// read reads a line whenever one is wanted. It is its own goroutine because
// nothing can call a read back: an interrupted ReadLine leaves it waiting for
// the next one.
func (p *Plain) read() {
	for range p.want {
		text, err := p.in.ReadString('\n')
		if text != "" && err == io.EOF {
			err = nil // a last line without its end; the next read says EOF again
		}
		p.lines <- plainLine{strings.TrimRight(text, "\r\n"), err}
	}
}

// ReadLine writes prompt, without its colours, and returns the next line
// without its line end. Errors are those of Editor.ReadLine; for Ctrl-C it is
// always ErrInterruptEmpty, since what was typed is not known.
func (p *Plain) ReadLine(prompt string) (string, error) {
	if s := p.ended.Load(); s != nil {
		return "", s
	}
	p.reading.Store(true)
	p.restore()
	defer func() {
		p.keep()
		p.reading.Store(false)
	}()
	select {
	case <-p.interrupts: // came too late for the line before
	default:
	}
	if _, err := io.WriteString(p.c.Out, plainOf(prompt)); err != nil {
		return "", err
	}
	if !p.waiting {
		p.waiting = true
		p.want <- struct{}{}
	}
	select {
	case l := <-p.lines:
		p.waiting = false
		if l.err != nil {
			io.WriteString(p.c.Out, "\n")
		}
		return l.text, l.err
	case <-p.interrupts:
		io.WriteString(p.c.Out, "\n")
		return "", ErrInterruptEmpty
	case <-p.over:
		io.WriteString(p.c.Out, "\n")
		return "", p.ended.Load()
	}
}

// Remember does nothing: there is no recall without editing.
func (p *Plain) Remember(string) {}

// Size returns the size of the terminal in characters, 80 by 24 when unknown.
func (p *Plain) Size() (width, height int) { return Size(p.c.Out) }

// Close stops watching for signals. The goroutine that waits for a line stays
// until one comes or the process ends. Calling it again does nothing.
func (p *Plain) Close() error {
	p.once.Do(func() {
		signal.Stop(p.signals)
		close(p.signals)
		close(p.want)
		p.restore()
	})
	return nil
}
