package edit

import "io"

// An Editor reads lines at a terminal.
type Editor struct{ c Config }

// Open prepares the terminal c.In and returns its editor.
func Open(c Config) (*Editor, error) { return &Editor{c}, nil }

// ReadLine shows prompt (one line; it may hold SGR colours) and returns the
// line typed. Errors: ErrInterrupt and ErrInterruptEmpty for Ctrl-C, after
// which reading may go on; io.EOF for Ctrl-D on an empty line or a terminal
// that is gone; *SignalError.
func (e *Editor) ReadLine(prompt string) (string, error) { return "", io.EOF }

// Remember makes line the newest that Up and Ctrl-R find.
func (e *Editor) Remember(line string) {}

// Size returns the size of the terminal in characters, 80 by 24 when unknown.
func (e *Editor) Size() (width, height int) { return Size(e.c.Out) }

// Write shows p on the terminal, above the line when one is being read. It may
// be called from any goroutine.
func (e *Editor) Write(p []byte) (int, error) { return e.c.Out.Write(p) }

// Close restores the terminal. A ReadLine that waits returns io.EOF. Calling
// it again does nothing.
func (e *Editor) Close() error { return nil }

// Restore puts the terminal back as Open found it: for the handler of a panic.
// It may be called from any goroutine at any time, also with no editor open.
func Restore() {}
