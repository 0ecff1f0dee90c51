package history

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

const (
	// DefaultLimit is the number of lines a History keeps unless told.
	DefaultLimit = 2000
	// MaxLine is the length in bytes of the longest line that is kept.
	MaxLine = 64 << 10
	// maxLoad is the size in bytes of the end of a file that is looked at.
	maxLoad = 16 << 20
)

// A History is the lines a person typed, oldest first, in memory and, if it has
// a file, on disk. Sessions may share a file. A History is for one goroutine.
type History struct {
	path  string // "" once there is no file to write
	limit int
	lines []string // up to twice limit, the rest of it too old
}

// DefaultPath returns where the history of the program named app belongs:
// $XDG_STATE_HOME/app/history, or ~/.local/state/app/history if that variable
// does not hold an absolute path. It returns "" if there is no home directory.
func DefaultPath(app string) string { return statePath(app, "history") }

func statePath(app, name string) string {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, app, name)
}

// Open returns the history in the file at path, making the file if there is
// none, with the last limit lines (a limit below 1 means DefaultLimit). If path
// is empty the history is in memory only.
//
// The History can be used also when the error is not nil: it has what could be
// read, goes on in memory, and does not report the same again.
//
// What a damaged file holds does no harm: NUL is left out, other control
// characters and bytes that are not UTF-8 become U+FFFD, lines over MaxLine
// bytes are left out, and only the last 16 MiB of a file are read.
func Open(path string, limit int) (*History, error) {
	if limit < 1 {
		limit = DefaultLimit
	}
	h := &History{path: path, limit: limit}
	if path == "" {
		return h, nil
	}
	f, err := openLocked(path)
	if err == nil {
		defer f.Close()
		if _, err = h.load(f); err == nil {
			return h, nil
		}
	} else if f, e := openRegular(path, os.O_RDONLY); e == nil {
		defer f.Close()
		h.load(f) // cannot be written, but perhaps read
	}
	h.path = ""
	return h, err
}

// Lines returns a copy of the lines, oldest first, at most as many as the limit.
func (h *History) Lines() []string {
	return slices.Clone(h.lines[max(0, len(h.lines)-h.limit):])
}

// Append adds line at the end and writes it to the file. Line breaks inside it
// become spaces. It keeps no line that is blank, starts with a space, equals
// the line before it, or is longer than MaxLine bytes.
//
// The first error to write is returned; from then on lines are kept in memory
// only and Append returns nil.
func (h *History) Append(line string) error {
	line = strings.Trim(line, "\r\n")
	line = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(line)
	if !h.add(line) || h.path == "" {
		return nil
	}
	// Opened anew for every line: another session may have replaced the file.
	f, err := openLocked(h.path)
	if err == nil {
		err = appendText(f, h.lines[len(h.lines)-1]+"\n")
		if e := f.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		h.path = ""
	}
	return err
}

// Close cuts the file down to the limit if it has more than twice as many lines.
// The History goes on in memory.
func (h *History) Close() error {
	path := h.path
	h.path = ""
	if path == "" {
		return nil
	}
	return compact(path, h.limit)
}

// compact rewrites the file at path to its last limit lines when it has more
// than twice as many. It reads the file again, since other sessions wrote to it.
func compact(path string, limit int) error {
	f, err := openLocked(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := &History{limit: limit}
	n, err := h.load(f)
	if err != nil || n-limit <= limit {
		return err
	}
	target, err := filepath.EvalSymlinks(path) // a link stays a link
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, line := range h.Lines() {
		text.WriteString(line)
		text.WriteByte('\n')
	}
	return writeAside(target, text.String(), f)
}

// load adds the lines of f and returns how many lines f has, kept or not.
func (h *History) load(f *os.File) (n int, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	skip := max(0, info.Size()-maxLoad)
	data, err := io.ReadAll(io.NewSectionReader(f, skip, maxLoad))
	if err != nil {
		return 0, err
	}
	text := string(data)
	if skip > 0 { // in the middle of a line
		_, text, _ = strings.Cut(text, "\n")
		n = math.MaxInt / 2
	}
	for line := range strings.Lines(text) {
		h.add(strings.TrimRight(line, "\r\n"))
		n++
	}
	return n, nil
}

// add appends line, made printable, in memory, and reports whether it did.
func (h *History) add(line string) bool {
	if len(line) > MaxLine {
		return false
	}
	line = printable(line)
	if strings.TrimSpace(line) == "" || line[0] == ' ' || len(line) > MaxLine {
		return false
	}
	if n := len(h.lines); n > 0 && h.lines[n-1] == line {
		return false
	}
	h.lines = append(h.lines, line)
	if extra := len(h.lines) - h.limit; extra > h.limit {
		h.lines = slices.Delete(h.lines, 0, extra)
	}
	return true
}

// printable returns line with nothing in it that a terminal would act on, apart
// from tabs.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0: // what a crash leaves where data never reached the disk
			return -1
		case r != '\t' && unicode.IsControl(r):
			return unicode.ReplacementChar
		}
		return r
	}, line)
}
