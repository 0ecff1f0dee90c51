package repl

import (
	"os"
	"time"

	"scalargrad/repl/edit"
)

// progressOn returns what shows how far long work has come on a terminal: one
// line that is written over and over, and cleared by "". It is nil where stream
// is no terminal or one that cannot clear a line.
func progressOn(stream *os.File) func(text string) {
	if !edit.IsTerminal(stream) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return func(text string) {
		width, _ := edit.Size(stream)
		_, _ = stream.WriteString("\r" + cutColumns(text, width-1) + "\x1b[K")
	}
}

// cutColumns returns the longest beginning of text that takes at most width
// columns.
func cutColumns(text string, width int) string {
	used := 0
	for i, r := range text {
		if used += columns(string(r)); used > width {
			return text[:i]
		}
	}
	return text
}

// reportProgress shows how far long work has come, where somebody watches: not
// more often than eyes can follow, since text may take longer than the work.
func (s *Session) reportProgress(text func() string) {
	const pause = 80 * time.Millisecond
	if s.progress == nil {
		return
	}
	if now := time.Now(); now.Sub(s.reported) >= pause {
		s.reported = now
		s.progress(text())
	}
}

// endProgress takes away what reportProgress showed.
func (s *Session) endProgress() {
	if !s.reported.IsZero() {
		s.progress("")
		s.reported = time.Time{}
	}
}
