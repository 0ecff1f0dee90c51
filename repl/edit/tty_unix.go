//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package edit

import (
	"errors"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// A tty is the terminal that keys come from, with the three modes it is used in.
type tty struct {
	fd    int
	saved unix.Termios // as it was found
	raw   unix.Termios // while a line is typed: every byte as it comes, Ctrl-C too
	busy  unix.Termios // while a statement runs: Ctrl-C and Ctrl-Z are signals

	wakeR, wakeW *os.File // a pipe: when it is closed at one end, a read at the other ends
	wakeFD       int      // of wakeR
	once         sync.Once
}

// openTTY remembers the terminal's mode and changes nothing yet.
//
// In the busy mode nothing is echoed (it will be shown when it is its turn) and
// a signal does not throw away what was typed ahead. Lines are not put together
// by the terminal: that would cut them at 4,095 bytes, act on a Ctrl-D typed
// ahead as on an end of file, and turn Enter into another byte. Nor does Ctrl-S
// stop the output: typed ahead for a search, it would hang the next drawing.
func openTTY(f *os.File) (*tty, error) {
	t := &tty{fd: int(f.Fd())}
	saved, err := unix.IoctlGetTermios(t.fd, ioctlGetTermios)
	if err != nil {
		return nil, &os.PathError{Op: "open terminal", Path: f.Name(), Err: err}
	}
	t.saved = *saved
	t.raw = *saved
	t.raw.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	t.raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.raw.Cflag &^= unix.CSIZE | unix.PARENB
	t.raw.Cflag |= unix.CS8
	t.raw.Cc[unix.VMIN], t.raw.Cc[unix.VTIME] = 1, 0
	t.busy = t.raw
	t.busy.Lflag |= unix.ISIG | unix.NOFLSH
	if t.wakeR, t.wakeW, err = os.Pipe(); err != nil {
		return nil, err
	}
	t.wakeFD = int(t.wakeR.Fd())
	if max(t.fd, t.wakeFD) >= unix.FD_SETSIZE {
		t.close()
		return nil, &os.PathError{Op: "open terminal", Path: f.Name(), Err: unix.EMFILE}
	}
	return t, nil
}

// close gives back what openTTY took. No read may be waiting.
func (t *tty) close() {
	t.wake()
	t.wakeR.Close()
}

func (t *tty) set(mode *unix.Termios) error {
	return unix.IoctlSetTermios(t.fd, ioctlSetTermios, mode)
}

// foreground reports whether this process may use the terminal: it is not one
// that a shell has put into the background.
func (t *tty) foreground() bool {
	pgrp, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	return err != nil || pgrp == unix.Getpgrp()
}

// ready waits for input, with poll only looks for it, and reports whether
// there is some.
func (t *tty) ready(poll bool) (bool, error) {
	var timeout *unix.Timeval
	if poll {
		timeout = new(unix.Timeval)
	}
	for {
		var set unix.FdSet
		set.Set(t.fd)
		set.Set(t.wakeFD)
		_, err := unix.Select(max(t.fd, t.wakeFD)+1, &set, nil, nil, timeout)
		switch {
		case errors.Is(err, unix.EINTR):
			if timeout != nil {
				*timeout = unix.Timeval{}
			}
		case err != nil:
			return false, err
		case set.IsSet(t.wakeFD):
			return false, io.EOF
		default:
			return set.IsSet(t.fd), nil
		}
	}
}

const maxBurst = 1 << 20 // bytes read before the first of them is looked at

// read waits for input and appends to buf all that is there. After wake it
// returns io.EOF at once and for ever.
func (t *tty) read(buf []byte) ([]byte, error) {
	for first := true; len(buf) < maxBurst; first = false {
		ok, err := t.ready(!first)
		if err != nil {
			return buf, err
		}
		if !ok {
			break
		}
		if cap(buf)-len(buf) < 4096 {
			buf = append(make([]byte, 0, 2*cap(buf)+8192), buf...)
		}
		n, err := unix.Read(t.fd, buf[len(buf):cap(buf)])
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			continue
		case err != nil:
			return buf, err
		case n == 0:
			return buf, io.EOF
		}
		buf = buf[:len(buf)+n]
	}
	return buf, nil
}

// wake ends the read that waits and every later one. It never blocks.
func (t *tty) wake() { t.once.Do(func() { t.wakeW.Close() }) }

// keepTyped returns a function that tells the terminal f not to throw away what
// was typed ahead when a signal is typed, and one that puts its mode back.
func keepTyped(f *os.File) (keep, restore func()) {
	fd := int(f.Fd())
	saved, err := unix.IoctlGetTermios(fd, ioctlGetTermios)
	if err != nil {
		return func() {}, func() {}
	}
	kept := *saved
	kept.Lflag |= unix.NOFLSH
	set := func(mode *unix.Termios) func() {
		return func() { _ = unix.IoctlSetTermios(fd, ioctlSetTermios, mode) } // it may be gone
	}
	return set(&kept), set(saved)
}
