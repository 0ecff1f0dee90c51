package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A session is an editor on a pseudo-terminal with a vt at its other end.
type session struct {
	t      testing.TB
	e      *Editor
	master *os.File
	slave  *os.File

	mu   sync.Mutex
	seen *sync.Cond // the screen has changed
	vt   *vt
	gone bool // the other end is closed

	fd     int  // of slave,
	closed bool // unless this
}

// patience is how long something may take that is expected at once.
const patience = 20 * time.Second

// one: editors take the whole process's signals, so there is one at a time.
var one sync.Mutex

func openPTY(t testing.TB, w, h int) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	control(t, master, func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0) })
	control(t, master, func(fd int) (err error) { n, err = unix.IoctlGetInt(fd, unix.TIOCGPTN); return err })
	resize(t, master, w, h)
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// control does what File.Fd is for, but leaves the file such that closing it
// ends a read.
func control(t testing.TB, f *os.File, do func(fd int) error) {
	t.Helper()
	c, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if e := c.Control(func(fd uintptr) { err = do(int(fd)) }); e != nil || err != nil {
		t.Fatal(e, err)
	}
}

func resize(t testing.TB, master *os.File, w, h int) {
	t.Helper()
	control(t, master, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(h), Col: uint16(w)})
	})
}

func start(t testing.TB, w, h int, c Config) *session {
	t.Helper()
	one.Lock()
	t.Cleanup(one.Unlock)
	s := &session{t: t, vt: newVT(t, max(w, 1), max(h, 1))}
	s.seen = sync.NewCond(&s.mu)
	s.master, s.slave = openPTY(t, w, h)
	c.In, c.Out = s.slave, s.slave
	e, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	s.e, s.fd = e, int(s.slave.Fd())
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1<<16)
		for {
			n, err := s.master.Read(buf)
			s.mu.Lock()
			s.vt.write(strings.ReplaceAll(string(buf[:n]), "\r\n", "\n"))
			s.gone = err != nil
			s.seen.Broadcast()
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		e.Close()
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		s.slave.Close()
		<-done
		s.master.Close()
	})
	return s
}

// send types. A terminal takes 4,095 bytes at a time, so a long text waits for
// the editor to read.
func (s *session) send(text string) {
	if _, err := s.master.Write([]byte(text)); err != nil {
		s.t.Errorf("typing: %v", err)
	}
}

// line types keys and returns what ReadLine returns. It types when the line is
// being read: before that a Ctrl-C is a signal to a statement that runs.
func (s *session) line(keys string) (string, error) {
	go func() {
		for !s.e.reading.Load() {
			runtime.Gosched()
		}
		s.send(keys)
	}()
	return s.e.ReadLine("> ")
}

// shows waits until the screen is as ok says.
func (s *session) shows(what string, ok func(v *vt) bool) {
	s.t.Helper()
	late := time.AfterFunc(patience, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.gone = true
		s.seen.Broadcast()
	})
	defer late.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !ok(s.vt) {
		if s.gone {
			s.t.Fatalf("never seen: %s; the screen (cursor %d,%d):\n%s", what, s.vt.row, s.vt.col, s.vt.rows())
		}
		s.seen.Wait()
	}
}

// TestKeys types whole lines and looks at what comes out.
func TestKeys(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ what, keys, want string }{
		{"plain", "VAR a = 2\r", "VAR a = 2"},
		{"line feed", "a\n", "a"},
		{"CR LF is one end", "a\r\n", "a"},
		{"Home of tmux", "23\x1b[1~1\r", "123"},
		{"Home of rxvt", "23\x1b[7~1\r", "123"},
		{"Home of xterm", "23\x1b[H1\r", "123"},
		{"Home, keypad mode", "23\x1bOH1\r", "123"},
		{"Ctrl-A", "23\x011\r", "123"},
		{"End of tmux", "23\x1b[1~1\x1b[4~4\r", "1234"},
		{"End", "23\x1b[H1\x1b[F4\r", "1234"},
		{"Ctrl-E", "23\x011\x054\r", "1234"},
		{"Left", "13\x1b[D2\r", "123"},
		{"Ctrl-B and Ctrl-F", "13\x02\x02\x062\r", "123"},
		{"Right beyond the end", "12\x1b[C\x1b[C3\r", "123"},
		{"Left beyond the start", "23\x1b[D\x1b[D\x1b[D\x1b[D1\r", "123"},
		{"Delete", "1x2\x1b[D\x1b[D\x1b[3~\r", "12"},
		{"Delete at the end", "12\x1b[3~\r", "12"},
		{"Delete on an empty line", "\x1b[3~ok\r", "ok"},
		{"Ctrl-D deletes", "1x2\x02\x02\x04\r", "12"},
		{"Ctrl-D at the end", "12\x04\r", "12"},
		{"Backspace", "12x\x7f3\r", "123"},
		{"Ctrl-H", "12x\b3\r", "123"},
		{"Backspace on an empty line", "\x7f\x7fok\r", "ok"},
		{"Ctrl-Left", "one two\x1b[1;5DX\r", "one Xtwo"},
		{"Ctrl-Left of rxvt", "one two\x1bOdX\r", "one Xtwo"},
		{"Alt-Left", "one two\x1b[1;3DX\r", "one Xtwo"},
		{"Alt-b", "one two\x1bbX\r", "one Xtwo"},
		{"names are words", "w_1 θeta_2\x1bb\x1bb.\r", ".w_1 θeta_2"},
		{"Ctrl-Right", "one two\x01\x1b[1;5CX\r", "oneX two"},
		{"Alt-f", "one two\x01\x1bfX\r", "oneX two"},
		{"Alt-d", "one two\x01\x1bd1\r", "1 two"},
		{"Ctrl-Delete", "one two\x01\x1b[3;5~1\r", "1 two"},
		{"Alt-Backspace", "one two\x1b\x7f2\r", "one 2"},
		{"Ctrl-W", "one two\x172\r", "one 2"},
		{"Ctrl-U", "one two\x15three\r", "three"},
		{"Ctrl-K", "one two\x01\x1bf\x0b\r", "one"},
		{"Ctrl-Y", "one two\x15\x19 \x19\r", "one two one two"},
		{"Ctrl-Y with nothing", "a\x19b\r", "ab"},
		{"Ctrl-T", "ba\x14c\r", "abc"},
		{"Ctrl-T within", "acb\x02\x14d\r", "abcd"},
		{"Ctrl-T on one character", "a\x14b\r", "ab"},
		{"Ctrl-T on none", "\x14a\r", "a"},
		{"Ctrl-L", "ab\x0cc\r", "abc"},
		{"control characters that mean nothing", "a\x00\x0f\x11\x16\x18\x1c\x1d\x1e\x1fb\r", "ab"},
		{"function keys", "a\x1bOP\x1b[15~\x1b[[Ab\x1b[5~\x1b[6~\x1b[2~\x1b[Z\r", "ab"},
		{"Alt-x", "a\x1bxb\r", "ab"},
		{"Esc and Enter", "a\x1b\r", "a"},
		{"Esc Esc", "a\x1b\x1b\r", "a"},
		{"reports of the terminal", "a\x1b[12;40R\x1b]11;rgb:0000/0000/0000\x1b\\b\x1b]0;t\ac\x1b[?62;c\r", "abc"},
		{"an unfinished sequence", "a\x1b[12\x03", "^C"},
		{"keypad Enter", "ab\x1bOM", "ab"},
		{"Unicode", "θ = 三四😀\r", "θ = 三四😀"},
		{"over a combining mark", "e\u0301x\x1b[D\x1b[Da\r", "ae\u0301x"},
		{"delete with its mark", "e\u0301x\x01\x1b[3~\r", "x"},
		{"invalid UTF-8", "a\xffb\xc3\r", "a\uFFFDb\uFFFD"},
		{"reserved code points", "a\uFDD0\uFDD1\uFFFF\u0085\u009bb\r", "a b"},
		{"long", long + "\r", long},
		{"blanks stay", "  a  \r", "  a  "},
		{"Tab as a key does nothing here", "a\t\r", "a"},
		{"tab in a text", "a\tb\r", "a b"},
		{"paste", "\x1b[200~VAR\ta = 2\x1b[201~\r", "VAR a = 2"},
		{"paste of control characters", "\x1b[200~a\x03\x04\x01\x1b[Db\x1b[31mc\x1b\x7fd\x00\x15\x1b[201~\r", "abcd"},
		{"paste in the middle", "ad\x02\x1b[200~bc\x1b[201~\r", "abcd"},
		{"empty paste", "a\x1b[200~\x1b[201~b\r", "ab"},
		{"Ctrl-C", "abc\x03", "^C"},
		{"Ctrl-C on an empty line", "\x03", "^C empty"},
		{"Ctrl-D", "\x04", "EOF"},
		{"Ctrl-D with text, then without", "a\x01\x04\x04", "EOF"},
		{"Ctrl-R first, then Ctrl-C", "\x12\x03a\r", "a"},
		{"Ctrl-S first, then Ctrl-G", "\x13\x07a\r", "a"},
		{"Ctrl-G", "a\x07b\r", "ab"},
		{"Up and Down with no history", "a\x1b[A\x1b[B\x1b[A\x10\x0e\x15b\r", "b"},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := start(t, 80, 24, Config{})
			got, err := s.line(c.keys)
			switch {
			case err == ErrInterruptEmpty:
				got = "^C empty"
			case err == ErrInterrupt:
				got = "^C"
			case err == io.EOF:
				got = "EOF"
			case err != nil:
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestPasteWithoutEnd loses the end of a paste: Ctrl-C gets out of it.
func TestPasteWithoutEnd(t *testing.T) {
	s := start(t, 80, 24, Config{})
	go func() {
		s.send("ab\x1b[200~cd")
		for held := false; !held; runtime.Gosched() {
			s.e.mu.Lock()
			held = s.e.keys.held()
			s.e.mu.Unlock()
		}
		s.send("\x03")
	}()
	if _, err := s.e.ReadLine("> "); !errors.Is(err, ErrInterrupt) {
		t.Errorf("got %v", err)
	}
	if got, _ := s.line("ef\r"); got != "ef" {
		t.Errorf("then %q", got)
	}
}

// TestSlowKeys types the same lines byte by byte, so that each is a burst.
func TestSlowKeys(t *testing.T) {
	for _, c := range [][2]string{
		{"θ 三\x1b[D\x1b[1;5Dx\r", "xθ 三"},
		{"23\x1b[1~1\x1b[4~4\x1b[3~\r", "1234"},
		{"\x1b[200~a\tb\x1b[201~c\r", "a bc"},
		{"ab \x1b\x7fc\r", "c"},
	} {
		s := start2(t)
		go func() {
			for i := range len(c[0]) {
				s.send(c[0][i : i+1])
				s.read()
			}
		}()
		got, err := s.e.ReadLine("> ")
		if err != nil || got != c[1] {
			t.Errorf("%q: got %q, %v, want %q", c[0], got, err, c[1])
		}
		s.end()
	}
}

// A stepper is an editor whose terminal has been read to the end whenever read
// returns.
type stepper struct {
	*session
	cleanups []func()
}

type cleaner struct {
	testing.TB
	s *stepper
}

func (c cleaner) Cleanup(f func()) { c.s.cleanups = append(c.s.cleanups, f) }

func start2(t testing.TB) *stepper {
	st := &stepper{}
	st.session = start(cleaner{t, st}, 80, 24, Config{})
	st.t = t
	return st
}

func (s *stepper) end() {
	for _, f := range slices.Backward(s.cleanups) {
		f()
	}
}

// read waits until the editor has taken what was typed.
func (s *stepper) read() {
	for n := 1; n > 0; runtime.Gosched() {
		s.mu.Lock()
		if n = 0; !s.closed {
			n, _ = unix.IoctlGetInt(s.fd, unix.TIOCINQ)
		}
		s.mu.Unlock()
	}
}

func TestPaste(t *testing.T) {
	t.Run("lines in order", func(t *testing.T) {
		for _, mark := range [][2]string{{"", ""}, {"\x1b[200~", "\x1b[201~"}} {
			s := start2(t)
			var b strings.Builder
			for i := range 500 {
				fmt.Fprintf(&b, "VAR v%d = %d\r\n", i, i)
			}
			go s.send(mark[0] + b.String() + mark[1] + "last\r")
			for i := range 500 {
				got, err := s.e.ReadLine("> ")
				if want := fmt.Sprintf("VAR v%d = %d", i, i); got != want || err != nil {
					t.Fatalf("line %d of the paste: %q, %v", i, got, err)
				}
			}
			if got, _ := s.e.ReadLine("> "); got != "last" {
				t.Errorf("after it: %q", got)
			}
			s.end()
		}
	})
	t.Run("the last line stays to be edited", func(t *testing.T) {
		s := start(t, 80, 24, Config{})
		go s.send("\x1b[200~one\ntwo\x1b[201~")
		if got, _ := s.e.ReadLine("> "); got != "one" {
			t.Errorf("first line %q", got)
		}
		if got, _ := s.line("!\r"); got != "two!" {
			t.Errorf("second line %q", got)
		}
	})
	t.Run("long line", func(t *testing.T) {
		text := "EXPR y = 1" + strings.Repeat("+1", 50000)
		for _, mark := range [][2]string{{"", ""}, {"\x1b[200~", "\x1b[201~"}} {
			s := start2(t)
			s.e.c.Paint = paintAll
			before := cpu()
			got, err := s.line(mark[0] + text + mark[1] + "\r")
			if got != text || err != nil {
				t.Errorf("%d bytes of %d came through, %v", len(got), len(text), err)
			}
			took := cpu() - before
			t.Logf("100,009 characters, marked %v: %v of CPU", mark[0] != "", took)
			if took > 4*time.Second {
				t.Errorf("that took %v of CPU", took)
			}
			s.end()
		}
	})
	t.Run("keys in a long line", func(t *testing.T) {
		text := strings.Repeat("abc + ", 6000)
		s := start(t, 80, 24, Config{Paint: paintAll})
		before := cpu()
		go func() {
			s.send("\x1b[200~" + text + "\x1b[201~")
			for range 100 {
				s.send("\x1b[D")
				s.shows("anything", func(*vt) bool { return true })
			}
			s.send("\r")
		}()
		if got, _ := s.e.ReadLine("> "); got != text {
			t.Errorf("%d bytes of %d came through", len(got), len(text))
		}
		t.Logf("100 keys in a line of 36,000: %v of CPU", cpu()-before)
	})
}

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestHistory(t *testing.T) {
	s := start(t, 80, 24, Config{History: []string{"VAR first = 1", "VAR second = 2", "two\nlines"}})
	ask := func(keys, want string) {
		t.Helper()
		got, err := s.line(keys)
		if got != want || err != nil {
			t.Errorf("%q gives %q, %v, want %q", keys, got, err, want)
		}
		if got != "" {
			s.e.Remember(got)
		}
	}
	ask("\x1b[A\r", "two lines")
	ask("\x1b[A\x1b[A\r", "VAR second = 2")
	ask("\x10\x10\x0e\r", "VAR second = 2")
	ask("new\r", "new")
	ask("\x1b[A\x15ABC\r", "ABC")     // a recalled line that was changed is remembered as it was changed,
	ask("\x1b[A\x1b[A\r", "new")      // and the one it was made from as it was
	ask("\x12fir\r", "VAR first = 1") // search
	ask("\x12FIR\r", "VAR first = 1") // in any case
	ask("\x12sec\x01# \r", "# VAR second = 2")
	ask("\x12VAR s\x12\r", "VAR second = 2")
	ask("\x12sec\x01\x1b[3~\x1b[3~\r", "R second = 2")
	ask("\x1b[A\x1b[A\r", "VAR second = 2") // editing what was found left the entry alone
	ask("abc\x12first\x07\r", "abc")        // given up
	ask("abc\x12first\x03\r", "abc")
	ask("\x12nowhere\x07x\r", "x")
	ask("\x12first\x7f\x7f\r", "VAR first = 1")
	ask("\x12first\x1b[200~?\x1b[201~\x07y\r", "y") // a paste into the search
	ask("\x12first\x1b[3~\x17z\r", "zirst = 1")     // an editing key takes what was found
	ask("\x12first\x04\r", "VAR irst = 1")
	ask("\x12first\t\r", "VAR first = 1")
	ask("x\x1b[A\x1b[Bx\r", "xx")
}

// TestHistoryLimit goes to the oldest line and beyond.
func TestHistoryLimit(t *testing.T) {
	var h []string
	for i := range 50 {
		h = append(h, fmt.Sprint("line ", i))
	}
	s := start(t, 80, 24, Config{History: h, Limit: 10})
	for range 3 {
		got, _ := s.line(strings.Repeat("\x1b[A", 30) + "\x1b[B\x1b[A\r")
		if n := 0; got != "" {
			if fmt.Sscanf(got, "line %d", &n); n < 39 {
				t.Errorf("reached back to %q", got)
			}
		}
		s.e.Remember("again")
	}
}

func TestSearchIsShown(t *testing.T) {
	s := start(t, 60, 10, Config{History: []string{"VAR first = 1"}})
	done := make(chan string)
	go func() {
		got, _ := s.e.ReadLine("> ")
		done <- got
	}()
	s.send("\x12fir")
	s.shows("the search and what it found", func(v *vt) bool { return v.rows() == "(bck-i-search: fir) VAR first = 1" })
	s.send("x")
	s.shows("a search that fails", func(v *vt) bool { return v.rows() == "(failing bck-i-search: firx) VAR first = 1" })
	s.send("\x7f\x13")
	s.shows("a search forward", func(v *vt) bool { return v.rows() == "(fwd-i-search: fir) VAR first = 1" })
	s.send("\x01")
	s.shows("the line itself", func(v *vt) bool { return v.rows() == "> VAR first = 1" && v.col == 2 })
	s.send("\r")
	if got := <-done; got != "VAR first = 1" {
		t.Errorf("got %q", got)
	}
}

func TestCompletion(t *testing.T) {
	words := []Word{{Text: "GRAD", Suffix: " "}, {Text: "alpha", Suffix: " "}, {Text: "alpine", Suffix: " "},
		{Text: "log", Suffix: "("}, {Text: "θeta1"}, {Text: "θeta2"}, {Text: "mö"}, {Text: "mô"}}
	complete := func(line string, pos int) (int, []Word) {
		start := strings.LastIndexAny(line[:pos], " =(") + 1
		var out []Word
		for _, w := range words {
			if start < pos && strings.HasPrefix(strings.ToLower(w.Text), strings.ToLower(line[start:pos])) {
				out = append(out, w)
			}
		}
		return start, out
	}
	for _, c := range []struct{ keys, want string }{
		{"EXPR y = lo\t", "EXPR y = log("},
		{"al\t", "alp"},
		{"al\x02\t", "alpl"},
		{"θ\t", "θeta"},
		{"三 θ\t", "三 θeta"},
		{"m\t", "m"},
		{"lo(x)\x01\x06\x06\t", "log(x)"},
		{"zzz\t", "zzz"},
		{"\t", ""},
	} {
		s := start2(t)
		called := make(chan struct{}, 9)
		s.e.c.Complete = func(line string, pos int) (int, []Word) {
			defer func() { called <- struct{}{} }()
			return complete(line, pos)
		}
		go func() {
			s.send(c.keys)
			<-called
			s.send("\r")
		}()
		if got, err := s.e.ReadLine("> "); got != c.want || err != nil {
			t.Errorf("%q gives %q, %v, want %q", c.keys, got, err, c.want)
		}
		s.end()
	}
	t.Run("list", func(t *testing.T) {
		s := start(t, 40, 10, Config{Complete: complete})
		done := make(chan struct{})
		go func() {
			s.e.ReadLine("> ")
			close(done)
		}()
		s.send("x alp\t")
		s.shows("the list above the line", func(v *vt) bool { return v.rows() == "alpha  alpine\n> x alp" && v.col == 7 })
		s.send("h\t")
		s.shows("the word", func(v *vt) bool { return v.rows() == "alpha  alpine\n> x alpha" && v.col == 10 })
		s.send("\r")
		<-done
	})
	t.Run("nonsense from the callback", func(t *testing.T) {
		for _, start := range []int{-1, 3, 100} {
			s := start2(t)
			called := make(chan struct{})
			s.e.c.Complete = func(string, int) (int, []Word) { defer close(called); return start, words[:1] }
			go func() {
				s.send("ab\t")
				<-called
				s.send("\r")
			}()
			if got, _ := s.e.ReadLine("> "); got != "ab" {
				t.Errorf("start %d: %q", start, got)
			}
			s.end()
		}
	})
}

func TestListing(t *testing.T) {
	var many []Word
	for i := range 45 {
		many = append(many, Word{Text: fmt.Sprintf("v%d", i)})
	}
	got := listing(many, 40)
	if rows := strings.Split(got, "\n"); !strings.HasSuffix(got, "\n… 15 more\n") || !strings.HasPrefix(rows[0], "v0   v4 ") {
		t.Errorf("45 words in 40 columns:\n%s", got)
	}
	for _, w := range []int{1, 2, 5, 80} {
		for row := range strings.Lines(listing(many, w)) {
			if n := Width(strings.TrimSuffix(row, "\n")); n > w && w > 4 && !strings.HasPrefix(row, "…") {
				t.Errorf("%d columns: %q is too long", w, row)
			}
		}
	}
	helped := []Word{{Text: "GRAD", Help: "gradients"}, {Text: "三", Help: "a wide one, with a help that does not fit"}}
	if got, want := listing(helped, 30), "GRAD  gradients\n三    a wide one, with a hel…\n"; got != want {
		t.Errorf("with help:\n%q\nwant\n%q", got, want)
	}
	if got := listing([]Word{{Text: "a\x1b[2Jb"}, {Text: "c"}}, 80); strings.Contains(got, "\x1b") {
		t.Errorf("a word can send a sequence: %q", got)
	}
}

func TestResize(t *testing.T) {
	s := start(t, 40, 10, Config{})
	done := make(chan struct{})
	go func() {
		s.e.ReadLine("> ")
		close(done)
	}()
	s.send("abc")
	s.shows("the line", func(v *vt) bool { return v.rows() == "> abc" })
	resize(t, s.master, 0, 0)
	syscall.Kill(os.Getpid(), syscall.SIGWINCH)
	s.send("d\x1b[D\x1b[D\x12\x03x")
	s.shows("keys on a terminal of no size", func(v *vt) bool { return v.rows() == "> abxcd" && v.col == 5 })
	s.send("\r")
	<-done
}

func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	s := start2(t)
	mode, _ := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
	if mode.Lflag&unix.ECHO != 0 {
		t.Error("the terminal echoes")
	}
	done := make(chan error)
	go func() {
		_, err := s.e.ReadLine("> ")
		done <- err
	}()
	s.send("abc")
	s.shows("the line", func(v *vt) bool { return v.rows() == "> abc" })
	mode, _ = unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
	if mode.Lflag&(unix.ISIG|unix.ICANON) != 0 {
		t.Error("not raw while a line is typed")
	}
	s.e.Close()
	if err := <-done; err != io.EOF {
		t.Errorf("ReadLine: %v", err)
	}
	if _, err := s.e.ReadLine("> "); err != io.EOF {
		t.Errorf("ReadLine on a closed editor: %v", err)
	}
	mode, _ = unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
	if mode.Lflag&unix.ECHO == 0 || mode.Lflag&unix.ICANON == 0 || mode.Lflag&unix.ISIG == 0 {
		t.Error("the terminal is not restored")
	}
	if err := s.e.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	Restore()
	s.end()
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			buf := make([]byte, 1<<16)
			t.Fatalf("goroutines are left:\n%s", buf[:runtime.Stack(buf, true)])
		}
	}
}

func TestHangup(t *testing.T) {
	s := start2(t)
	done := make(chan error)
	go func() {
		_, err := s.e.ReadLine("> ")
		done <- err
	}()
	s.send("abc")
	s.shows("the line", func(v *vt) bool { return v.rows() == "> abc" })
	s.master.Close()
	if err := <-done; err != io.EOF {
		t.Errorf("ReadLine: %v", err)
	}
	s.end()
}

func TestOneAtATime(t *testing.T) {
	s := start(t, 80, 24, Config{})
	if _, err := Open(Config{In: s.slave, Out: s.slave}); err == nil {
		t.Error("two editors are open")
	}
	f, _ := os.Open(os.DevNull)
	defer f.Close()
	if _, err := Open(Config{In: f, Out: f}); err == nil {
		t.Error("an editor on something that is no terminal")
	}
}

// TestCallbackPanics shows where a panic of the caller's own functions goes.
func TestCallbackPanics(t *testing.T) {
	for what, c := range map[string]Config{
		"Paint":    {Paint: func(s string) string { panic("boo") }},
		"Complete": {Complete: func(string, int) (int, []Word) { panic("boo") }},
	} {
		s := start2(t)
		s.e.c.Paint, s.e.c.Complete = c.Paint, c.Complete
		func() {
			defer func() {
				if v := recover(); !strings.HasPrefix(fmt.Sprint(v), "boo") {
					t.Errorf("%s: ReadLine panics with %v", what, v)
				}
			}()
			s.line("a\t")
			t.Errorf("%s: ReadLine returned", what)
		}()
		mode, _ := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
		if mode.Lflag&unix.ECHO == 0 {
			t.Errorf("%s: the terminal is not restored", what)
		}
		s.end()
	}
}

// TestPainter shows that what a painter adds or takes away is not drawn.
func TestPainter(t *testing.T) {
	for _, paint := range []func(string) string{
		func(s string) string { return s + "x" },
		func(s string) string { return "\x1b[2J" + s },
		func(string) string { return "" },
	} {
		s := start2(t)
		s.e.c.Paint = paint
		done := make(chan struct{})
		go func() {
			s.e.ReadLine("> ")
			close(done)
		}()
		s.send("abc")
		s.shows("the line as it is", func(v *vt) bool { return v.rows() == "> abc" })
		s.send("\r")
		<-done
		s.end()
	}
}

// randomKeys are a person at play, but for Ctrl-Z, which would stop the test.
func randomKeys(r *rand.Rand, n int) string {
	special := []string{"\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[3~", "\x1b[1~", "\x1b[4~", "\x1b[1;5D", "\x1b[1;5C",
		"\x1bb", "\x1bf", "\x1bd", "\x1b\x7f", "\x1bOA", "\x1b[200~", "\x1b[201~", "\x1b[200~p\tq\nr\x1b[201~", "\x1b", "\x1b[", "\x1b]", "\t", "\t\t",
		"\x12", "\x13", "\x14", "\x07", "\x03", "\x04", "\r", "θ", "三", "e\u0301", "😀", "alp", "VAR a = ", strings.Repeat("long ", 30)}
	var b strings.Builder
	for range n {
		switch k := r.IntN(3); {
		case k == 0:
			b.WriteString(special[r.IntN(len(special))])
		case k == 1:
			c := byte(r.IntN(128))
			if c == 0x1a {
				c = 'z'
			}
			b.WriteByte(c)
		default:
			b.WriteByte("abc+ 12()"[r.IntN(9)])
		}
	}
	return b.String()
}

// play types keys, and then enough to get a line through whatever they did.
// The screen must show the line that the editor has.
func play(t testing.TB, w, h int, bare bool, keys []string) {
	unsized := w == 0 || h == 0
	if unsized {
		w, h = 80, 24
	}
	w = max(w, 3)
	synced := make(chan struct{}, 1)
	c := Config{Bare: bare, History: []string{"VAR a = 2", "EXPR y = a * a", "三四 wide", strings.Repeat("old ", 40)}, Limit: 5}
	if !bare {
		c.Paint = paintAll
	}
	c.Complete = func(line string, pos int) (int, []Word) {
		if strings.HasPrefix(line, "sync") {
			synced <- struct{}{}
			return 0, nil
		}
		return pos - len(line[:pos]) + strings.LastIndex(line[:pos], " ") + 1, []Word{{Text: "alpha", Suffix: " "}, {Text: "alpine"}, {Text: "θ"}, {Text: "θθ三"}}[:len(line)%5]
	}
	st := &stepper{}
	st.session = start(cleaner{t, st}, w, h, c)
	st.t = t
	defer st.end()
	if unsized {
		resize(t, st.master, 0, 0)
	}
	lines := make(chan string)
	go func() {
		for {
			line, err := st.e.ReadLine("> ")
			if err == nil {
				st.e.Remember(line)
			} else if !errors.Is(err, ErrInterrupt) && err != io.EOF {
				t.Errorf("ReadLine: %v", err)
			}
			lines <- line
			if line == "the end" {
				return
			}
		}
	}()
	// out of any sequence, paste and search, and to an empty line
	const clear = "\x07\x1b[201~\x07\x07\x01\x0b"
	go func() {
		for _, k := range keys {
			st.send(k)
			st.read()
		}
		st.send(clear + "sync 三e\u0301\x1b[D\x1b[D")
		st.send("\t")
		<-synced
		want := view{prompt: "> ", text: []rune("sync 三e\u0301"), pos: 5}
		rows, _, col := expected(t, want, w)
		if len(rows) <= h {
			st.shows(strings.Join(rows, "/"), func(v *vt) bool {
				return strings.HasSuffix(v.rows(), strings.TrimRight(strings.Join(rows, "\n"), "\n")) && v.col == col
			})
		}
		st.send(clear + "the end\r")
	}()
	late := time.After(patience)
	for {
		select {
		case line := <-lines:
			for _, r := range line {
				if r < 0x20 || r == ownRune {
					t.Errorf("%q in the line %q", r, line)
				}
			}
			if line == "the end" {
				return
			}
		case <-late:
			buf := make([]byte, 1<<20)
			t.Fatalf("stuck after %q\n%s", keys, buf[:runtime.Stack(buf, true)])
		}
	}
}

// TestRandomKeys plays on terminals of all sizes.
func TestRandomKeys(t *testing.T) {
	n := uint64(150)
	if testing.Short() {
		n = 20
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 2))
		var keys []string
		for range 1 + r.IntN(20) {
			keys = append(keys, randomKeys(r, 1+r.IntN(10)))
		}
		play(t, r.IntN(100), r.IntN(30), r.IntN(4) == 0, keys)
		if t.Failed() {
			t.Fatalf("seed %d: %q", seed, keys)
		}
	}
}

// FuzzKeys feeds the editor any bytes, in bursts of any length.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("\x12\x03"), byte(3))
	f.Add([]byte("a\x14b"), byte(1))
	f.Add([]byte("\t\t\x0b\x01"), byte(1))
	f.Add([]byte("\x00\x1b[3~\x16"), byte(80))
	f.Add([]byte("\x1b[200~a\tb\nc\x1b[201~\x12a\x1b[200~x\x1b[201~"), byte(7))
	f.Add([]byte("\x12VAR\x12\x13\x7f\x7f\x07\x04\x04"), byte(0))
	f.Fuzz(func(t *testing.T, data []byte, size byte) {
		data = bytes.ReplaceAll(data, []byte{0x1a}, []byte("z"))
		var keys []string
		for len(data) > 0 {
			n := min(len(data), 1+int(size)%16)
			keys = append(keys, string(data[:n]))
			data = data[n:]
		}
		play(t, int(size), int(size)/4, size%3 == 0, keys)
	})
}
