package edit

import (
	"bufio"
	"io"
	"os"
	"strings"
)

// A Plain reads whole lines and edits nothing: for TERM=dumb, where a prompt
// is all that can be shown. It writes no escape sequence.
type Plain struct {
	in  *bufio.Reader
	out *os.File
}

// NewPlain returns a Plain that reads in and writes prompts to out.
func NewPlain(in, out *os.File) *Plain {
	return &Plain{in: bufio.NewReader(in), out: out}
}

// ReadLine writes prompt and returns the next line without its line end. A
// last line without one is returned first, io.EOF after it.
func (p *Plain) ReadLine(prompt string) (string, error) {
	if _, err := io.WriteString(p.out, prompt); err != nil {
		return "", err
	}
	line, err := p.in.ReadString('\n')
	if err != nil && line == "" {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// Remember does nothing: there is no recall without editing.
func (p *Plain) Remember(string) {}

// Size returns the size of the terminal in characters, 80 by 24 when unknown.
func (p *Plain) Size() (width, height int) { return Size(p.out) }

// Write writes to the terminal.
func (p *Plain) Write(b []byte) (int, error) { return p.out.Write(b) }

// Close does nothing: the terminal was never changed.
func (p *Plain) Close() error { return nil }
