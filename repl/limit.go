package repl

import "time"

// limitTime starts the clock of --timeout for one statement and returns what
// stops it.
func (s *Session) limitTime() (done func()) {
	s.late.Store(false)
	if s.options.Timeout <= 0 {
		return func() {}
	}
	timer := time.AfterFunc(s.options.Timeout, func() {
		s.late.Store(true)
		s.stop.Store(true)
	})
	return func() {
		if !timer.Stop() && s.late.Load() {
			s.stop.Store(false) // the next statement has its own time
		}
	}
}

func (s *Session) timedOut() bool { return s.late.Load() }
