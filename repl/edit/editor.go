//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package edit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/chzyer/readline"
)

// An Editor reads lines at a terminal.
//
// readline runs in two goroutines of its own, which this package feeds and
// watches: read hands it one key and then waits until changed has seen what
// the key did. So the state below never lags behind, and each key is judged by
// what is on the line when its turn comes.
type Editor struct {
	c   Config
	tty *tty
	rl  *readline.Instance // nil before the first ReadLine

	ended   atomic.Pointer[SignalError] // the signal that ends the session
	fault   atomic.Pointer[fault]       // the callback that panicked
	reading atomic.Bool                 // a line is being typed
	ran     atomic.Int64                // when the line before was handed over, 0 at first; in Unix nanoseconds
	began   atomic.Int64                // when this one was begun

	done    chan struct{} // closed by Close
	deaths  chan os.Signal
	changes chan os.Signal
	once    sync.Once

	mu      sync.Mutex
	settled sync.Cond // pending has become false, or closed true
	pending bool      // readline has a key that changed has not seen
	closed  bool
	gone    bool // the terminal is no more

	// What readline was given last.
	act    event // what ownRune stands for
	leave  bool  // the key ends ReadLine: the line is no longer ours to look at
	keeps  bool  // the key stays within a search
	giveUp bool  // the key ends a search and nothing is to come of it

	keys  decoder
	burst []byte

	prompt    string
	line      line
	killed    []rune // what Ctrl-Y brings back
	painted   string // line.text with colours, if paintedOf is it
	paintedOf string
	searching bool
	before    line   // what was typed when the search began
	query     string // what is searched for
	failing   bool
	forward   bool
	screen    screen
}

// A fault is a panic of a callback, on its way from readline's goroutine, where
// nobody could catch it, to the caller of ReadLine.
type fault struct {
	value any
	stack []byte
}

// opened is what Restore restores.
var opened atomic.Pointer[Editor]

// Open prepares the terminal c.In and returns its editor. There can be one at
// a time. The error is that of a file which is no terminal.
func Open(c Config) (*Editor, error) {
	if c.Limit <= 0 {
		c.Limit = 1000
	}
	t, err := openTTY(c.In)
	if err != nil {
		return nil, err
	}
	e := &Editor{
		c: c, tty: t, screen: screen{bare: c.Bare},
		done: make(chan struct{}), deaths: make(chan os.Signal, 8), changes: make(chan os.Signal, 8),
	}
	e.settled.L = &e.mu
	if !opened.CompareAndSwap(nil, e) {
		t.close()
		return nil, errors.New("an editor is open already")
	}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) { // as under nohup
			signal.Notify(e.deaths, s)
		}
	}
	signal.Notify(e.changes, syscall.SIGWINCH, syscall.SIGCONT)
	go e.watchDeaths()
	go e.watchChanges()
	t.set(&t.busy)
	return e, nil
}

// ReadLine shows prompt (one line; it may hold SGR colours) and returns the
// line typed. Output before it must have ended in a line end. Errors:
// ErrInterrupt and ErrInterruptEmpty for Ctrl-C, after which reading may go on;
// io.EOF for Ctrl-D on an empty line, or a terminal that is gone; *SignalError.
// A panic of Paint or Complete comes out here, the terminal restored.
func (e *Editor) ReadLine(prompt string) (string, error) {
	if err := e.begin(prompt); err != nil {
		return "", err
	}
	text, err := e.rl.Readline()
	return e.finish(text, err)
}

// begin makes everything ready for a line.
func (e *Editor) begin(prompt string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.ended.Load(); s != nil {
		return s
	}
	if e.closed || e.gone {
		return io.EOF
	}
	if e.rl == nil {
		if err := e.start(); err != nil {
			return err
		}
	}
	if err := e.tty.set(&e.tty.raw); err != nil {
		return err
	}
	e.prompt, e.line, e.searching = prompt, line{}, false
	e.screen.forget()
	e.began.Store(time.Now().UnixNano())
	e.reading.Store(true)
	if !e.c.Bare {
		io.WriteString(e.c.Out, pasteOn)
	}
	if len(e.keys.events) == 0 {
		e.draw(false)
	}
	return nil
}

// start makes the instance of readline. All that it would draw is left out
// (it is told that it has no terminal): drawing is done here.
func (e *Editor) start() error {
	rl, err := readline.NewEx(&readline.Config{
		HistoryLimit:           e.c.Limit + 1,
		DisableAutoSaveHistory: true,
		HistorySearchFold:      true,
		AutoComplete:           noCompletion{},
		Listener:               readline.FuncListener(e.changed),
		Stdin:                  source{e},
		Stdout:                 sink{e},
		Stderr:                 io.Discard,
		FuncIsTerminal:         func() bool { return false },
		FuncGetWidth:           func() int { return 80 },
		FuncOnWidthChanged:     func(func()) {},
		FuncMakeRaw:            func() error { return nil },
		FuncExitRaw:            func() error { return nil },
	})
	if err != nil {
		return err
	}
	e.rl = rl
	rl.SaveHistory("") // a search in a list without entries is a panic
	lines := e.c.History
	for _, s := range lines[max(0, len(lines)-e.c.Limit):] {
		e.remember(s)
	}
	return nil
}

// finish ends a line in whichever way: what readline returned goes in, what
// ReadLine returns comes out.
func (e *Editor) finish(text string, err error) (string, error) {
	text, f, err := e.leaveLine(text, err)
	if f != nil {
		e.Close()
		panic(fmt.Sprintf("%v\n\n%s", f.value, f.stack))
	}
	return text, err
}

// leaveLine is finish but for the panic, which must not hold the lock.
func (e *Editor) leaveLine(text string, err error) (string, *fault, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rl.SaveHistory("") // back to the newest: Up may have left it elsewhere
	e.searching = false
	f, ended, mark := e.fault.Load(), e.ended.Load(), ""
	switch {
	case f != nil:
		err = io.EOF
	case ended != nil:
		err = ended
	case e.closed, e.gone:
		err = io.EOF
	default:
		e.line = line{text: []rune(text), pos: len([]rune(text))}
	}
	if errors.Is(err, readline.ErrInterrupt) {
		mark, err = "^C", ErrInterrupt
		if text == "" {
			err = ErrInterruptEmpty
		}
	}
	mode := &e.tty.busy
	if f != nil || ended != nil || e.closed || e.gone {
		mode = &e.tty.saved
	}
	e.reading.Store(false)
	e.ran.Store(time.Now().UnixNano())
	e.tty.set(mode)
	e.draw(true)
	e.screen.forget()
	if !e.c.Bare {
		mark += pasteOff
	}
	io.WriteString(e.c.Out, mark+"\n")
	if err != nil {
		return "", f, err
	}
	return text, nil, nil
}

// Remember makes line the newest that Up and Ctrl-R find. Line ends in it
// become blanks; a line equal to the newest is not repeated, and one that begins
// with a blank is not remembered at all: whoever types it wants that. Call it
// between ReadLines only.
func (e *Editor) Remember(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.rl == nil {
		e.c.History = append(e.c.History, line)
		return
	}
	e.remember(line)
}

func (e *Editor) remember(line string) {
	if line = clean([]byte(line)); line != "" && line[0] != ' ' {
		e.rl.SaveHistory(line)
	}
}

// Size returns the size of the terminal in characters, 80 by 24 when unknown.
func (e *Editor) Size() (width, height int) { return Size(e.c.Out) }

// Close restores the terminal. A ReadLine that waits returns io.EOF. Calling
// it again does nothing. It leaves no goroutine behind, and does not wait for
// one that is stuck in writing to the terminal.
func (e *Editor) Close() error {
	e.once.Do(func() {
		signal.Stop(e.deaths)
		signal.Stop(e.changes)
		close(e.done)
		e.tty.wake()
		e.tty.set(&e.tty.saved)
		within(200*time.Millisecond, func() {
			e.mu.Lock()
			e.closed = true
			e.settled.Broadcast()
			rl := e.rl
			e.mu.Unlock()
			if rl != nil {
				rl.Terminal.Close() // not rl.Close, which would leave a goroutine
			}
			e.tty.close()
			if e.reading.Load() && !e.c.Bare {
				io.WriteString(e.c.Out, pasteOff)
			}
		})
		opened.CompareAndSwap(e, nil)
	})
	return nil
}

// within runs f and waits for it no longer than d.
func within(d time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		f()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(d):
	}
}

// restore puts the terminal back, on a line of its own. It takes no lock.
func (e *Editor) restore() {
	e.tty.set(&e.tty.saved)
	if e.reading.Load() {
		out := "\n"
		if !e.c.Bare {
			out = pasteOff + out
		}
		within(100*time.Millisecond, func() { io.WriteString(e.c.Out, out) })
	}
}

// Restore puts the terminal back as Open found it: for the handler of a panic.
// It may be called from any goroutine at any time, also with no editor open.
func Restore() {
	if e := opened.Load(); e != nil {
		e.restore()
	}
}

// source is readline's input.
type source struct{ e *Editor }

func (s source) Read(p []byte) (int, error) { return s.e.read(p) }
func (s source) Close() error               { return nil }

// read gives readline the bytes of one key.
func (e *Editor) read(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.pending && !e.closed {
		e.settled.Wait()
	}
	for {
		if e.closed || e.gone || e.fault.Load() != nil || e.ended.Load() != nil {
			e.leave = true // readline makes an Enter of it when there is text
			return 0, io.EOF
		}
		if len(e.keys.events) > 0 && !e.keys.held() {
			if r, ok := e.next(); ok {
				e.pending = true
				return copy(p, string(r)), nil
			}
			continue
		}
		if err := e.fill(); err != nil {
			e.gone = !e.closed && e.ended.Load() == nil && e.fault.Load() == nil
		}
	}
}

// fill waits for the next burst of input, with the lock given up.
func (e *Editor) fill() error {
	e.mu.Unlock()
	burst, err := e.tty.read(e.burst[:0])
	e.mu.Lock()
	if cap(burst) <= 1<<16 {
		e.burst = burst
	}
	e.keys.feed(burst)
	if len(burst) > 0 {
		return nil
	}
	return err
}

// native are the keys that readline acts on, and the character it knows each by.
var native = map[key]rune{
	keyEnter: readline.CharEnter, keyInterrupt: readline.CharInterrupt,
	keyBackspace: readline.CharBackspace, keyHome: readline.CharLineStart, keyEnd: readline.CharLineEnd,
	keyUp: readline.CharPrev, keyDown: readline.CharNext, keyCancel: readline.CharBell,
	keySearchBack: readline.CharBckSearch, keySearchForward: readline.CharFwdSearch,
}

// next takes the next event and returns the character that readline gets for
// it. ok is false when the event is dealt with already.
func (e *Editor) next() (r rune, ok bool) {
	ev := &e.keys.events[0]
	e.leave, e.keeps = false, false
	if ev.key == keySuspend {
		e.drop()
		e.suspend()
		return 0, false
	}
	e.giveUp = e.searching && (ev.key == keyCancel || ev.key == keyInterrupt)
	if ev.key == keyEOF && !e.searching {
		if len(e.line.text) == 0 {
			e.drop()
			e.leave = true
			return readline.CharDelete, true
		}
		ev.key = keyDelete
	}
	if e.searching && ev.key == keyText {
		r, n := decodeRune(ev.text)
		if ev.text = ev.text[n:]; ev.text == "" {
			e.drop()
		}
		e.keeps = true
		return r, true
	}
	if r, ok := native[ev.key]; ok {
		switch ev.key {
		case keyEnter:
			e.leave = true
		case keyInterrupt:
			e.leave = !e.searching
		case keyBackspace, keySearchBack, keySearchForward:
			e.keeps = true
			if !e.searching {
				e.before = e.line
			}
		}
		e.drop()
		return r, true
	}
	if e.searching {
		// readline's search would take ownRune for a character to look for. A
		// tab, which completes nothing here, ends it with what was found.
		return readline.CharTab, true
	}
	e.act = *ev
	e.drop()
	return ownRune, true
}

func (e *Editor) drop() {
	e.keys.events[0] = event{}
	if e.keys.events = e.keys.events[1:]; len(e.keys.events) == 0 {
		e.keys.events = nil
	}
}

// changed is called by readline when it has acted on a key: this is what the
// line has become. What it returns takes the line's place.
func (e *Editor) changed(text []rune, pos int, r rune) (newText []rune, newPos int, ok bool) {
	if r == 0 {
		return nil, 0, false // the beginning of a line
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		e.pending = false
		e.settled.Broadcast()
	}()
	if e.leave {
		return nil, 0, false // ReadLine has returned by now, or is about to
	}
	l := line{text, pos}
	if r == ownRune {
		l.cut(pos-1, pos)
		e.own(&l)
	}
	if e.giveUp {
		l = e.before // readline would leave the cursor at the end
	}
	e.line = l
	e.searching = e.keeps && e.rl.Operation.IsSearchMode()
	if !e.searching {
		e.query, e.failing = "", false
	}
	if len(e.keys.events) == 0 {
		e.draw(false)
	}
	// A line of our own, always: after a search readline's is the entry in the
	// history itself, and editing it would change that.
	return append([]rune(nil), l.text...), l.pos, true
}

// own acts on the keys that readline does not know, or knows wrongly.
func (e *Editor) own(l *line) {
	kill := func(from, to int) {
		if from < to {
			e.killed = l.cut(from, to)
		}
	}
	switch e.act.key {
	case keyText:
		l.insert([]rune(e.act.text))
	case keyTab:
		e.complete(l)
	case keyDelete:
		l.cut(l.pos, l.right())
	case keyLeft:
		l.pos = l.left()
	case keyRight:
		l.pos = l.right()
	case keyWordLeft:
		l.pos = l.wordLeft()
	case keyWordRight:
		l.pos = l.wordRight()
	case keyKillEnd:
		kill(l.pos, len(l.text))
	case keyKillStart:
		kill(0, l.pos)
	case keyKillWordLeft:
		kill(l.wordLeft(), l.pos)
	case keyKillWordRight:
		kill(l.pos, l.wordRight())
	case keyYank:
		l.insert(e.killed)
	case keyTranspose:
		l.transpose()
	case keyClear:
		io.WriteString(e.c.Out, "\x1b[H\x1b[2J")
		e.screen.forget()
	}
	e.act = event{}
}

// complete acts on Tab. The lock is given up while the callback runs.
func (e *Editor) complete(l *line) {
	if e.c.Complete == nil {
		return
	}
	before, after := string(l.text[:l.pos]), string(l.text[l.pos:])
	var start int
	var words []Word
	e.mu.Unlock()
	e.guard(func() { start, words = e.c.Complete(before+after, len(before)) })
	e.mu.Lock()
	if start < 0 || start > len(before) {
		return
	}
	insert, list := completion(before[start:], after, words)
	switch {
	case insert != "":
		from := len([]rune(before[:start]))
		l.cut(from, l.pos)
		l.insert([]rune(clean([]byte(insert))))
	case list:
		width, _ := e.Size()
		io.WriteString(e.c.Out, e.screen.erase(width)+listing(words, width))
	}
}

// guard calls a callback. Its panic ends ReadLine.
func (e *Editor) guard(callback func()) {
	defer func() {
		if v := recover(); v != nil {
			e.fault.CompareAndSwap(nil, &fault{v, debug.Stack()})
			e.tty.wake()
		}
	}()
	callback()
}

// draw brings the screen up to date. final: the line is finished.
func (e *Editor) draw(final bool) {
	v := view{prompt: e.prompt, text: e.line.text, pos: e.line.pos}
	s := string(v.text)
	switch {
	case e.searching:
		v.prompt, v.shown = e.searchPrompt(), e.found(s)
	case e.c.Bare || e.c.Paint == nil || e.fault.Load() != nil || s == "":
		v.shown = s
	default:
		if s != e.paintedOf {
			e.paintedOf, e.painted = s, s
			e.guard(func() { e.painted = e.c.Paint(s) })
			if plainOf(e.painted) != s {
				e.painted = s
			}
		}
		v.shown = e.painted
	}
	width, height := e.Size()
	io.WriteString(e.c.Out, e.screen.draw(v, width, height, final))
}

func (e *Editor) searchPrompt() string {
	s := "bck-i-search: "
	if e.forward {
		s = "fwd-i-search: "
	}
	if e.failing {
		s = "failing " + s
	}
	return "(" + s + e.query + ") "
}

// found returns the line with the place underlined that the search has found.
func (e *Editor) found(s string) string {
	if e.query == "" || e.failing || e.c.Bare {
		return s
	}
	from := e.line.pos
	n := len([]rune(e.query))
	if e.forward {
		from -= n
	}
	if from < 0 || from+n > len(e.line.text) {
		return s
	}
	t := e.line.text
	return string(t[:from]) + "\x1b[4m" + string(t[from:from+n]) + "\x1b[0m" + string(t[from+n:])
}

// noCompletion keeps readline out of its completion menu.
type noCompletion struct{}

func (noCompletion) Do([]rune, int) ([][]rune, int) { return nil, 0 }

// sink is readline's output. Of all that is written only the line that says
// what is searched for is of use: readline tells it to nobody else.
type sink struct{ e *Editor }

func (w sink) Write(p []byte) (int, error) {
	const mark = "-i-search: "
	s := string(p)
	if i := strings.Index(s, mark); i >= 0 {
		head, rest := s[:i], s[i+len(mark):]
		if j := strings.LastIndex(rest, "\x1b[4m"); j >= 0 {
			rest = rest[:j]
		}
		w.e.mu.Lock()
		w.e.query, w.e.forward, w.e.failing = rest, strings.HasSuffix(head, "fwd"), strings.Contains(head, "failing ")
		w.e.mu.Unlock()
	}
	return len(p), nil
}

// watchDeaths acts on the signals that stop things. It takes no lock: the
// editor may be stuck in writing to a terminal that does not take anything.
func (e *Editor) watchDeaths() {
	for {
		var sig os.Signal
		select {
		case sig = <-e.deaths:
		case <-e.done:
			return
		}
		switch {
		case sig == syscall.SIGQUIT:
			e.die(sig)
		case sig == os.Interrupt && !e.reading.Load():
			if e.c.Interrupted != nil {
				e.c.Interrupted()
			}
			continue
		case sig == os.Interrupt && e.late():
			continue
		}
		if !e.ended.CompareAndSwap(nil, &SignalError{sig}) {
			e.die(sig)
		}
		// Nobody may be reading what is being written: then this is the end.
		defer time.AfterFunc(Grace, func() { e.die(sig) }).Stop()
		if e.c.Terminated != nil {
			e.c.Terminated(sig)
		}
		e.tty.wake()
	}
}

// late reports whether a statement that took a while was running until a
// moment ago: a Ctrl-C now was meant for it.
func (e *Editor) late() bool {
	ran, began := e.ran.Load(), e.began.Load()
	return ran != 0 && began-ran > int64(20*time.Millisecond) &&
		time.Now().UnixNano()-began < int64(250*time.Millisecond)
}

// die ends the process by sig as if it had not been caught.
func (e *Editor) die(sig os.Signal) {
	e.restore()
	signal.Reset(sig)
	syscall.Kill(os.Getpid(), sig.(syscall.Signal))
	select {} // it is on its way
}

// watchChanges acts on the signals that change the screen.
func (e *Editor) watchChanges() {
	for {
		select {
		case <-e.done:
			return
		case sig := <-e.changes:
			switch sig {
			case syscall.SIGWINCH:
				e.mu.Lock()
				if e.reading.Load() && e.screen.drawn {
					e.draw(false)
				}
				e.mu.Unlock()
			case syscall.SIGCONT:
				e.resume()
			}
		}
	}
}

// suspend stops the whole job, as the terminal would do for Ctrl-Z, with the
// terminal restored. (SIGTSTP itself is not caught: once it has been, Go has no
// way to let it stop the process. While a statement runs Ctrl-Z is such a
// signal, and it is the shell that sets the terminal as it likes it.)
func (e *Editor) suspend() {
	e.draw(true)
	e.screen.forget()
	e.restore()
	cont := make(chan os.Signal, 1)
	signal.Notify(cont, syscall.SIGCONT)
	defer signal.Stop(cont)
	e.mu.Unlock()
	defer e.mu.Lock()
	syscall.Kill(0, syscall.SIGTSTP)
	// A job of an orphaned group (no shell could wake it) does not stop: there
	// is no telling but by waiting for a moment.
	select {
	case <-cont: // watchChanges resumes
	case <-time.After(200 * time.Millisecond):
		select {
		case <-cont:
		case <-time.After(20 * time.Millisecond):
			e.resume()
		}
	}
}

// resume takes the terminal again, unless the process goes on in the
// background: then the next ReadLine does, or the signal that brings it back.
func (e *Editor) resume() {
	if !e.tty.foreground() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.ended.Load() != nil {
		return
	}
	if !e.reading.Load() {
		e.tty.set(&e.tty.busy)
		return
	}
	e.tty.set(&e.tty.raw)
	if !e.c.Bare {
		io.WriteString(e.c.Out, pasteOn)
	}
	e.screen.forget()
	e.draw(false)
}
