package repl

import (
	"errors"
	"os"

	"scalargrad/history"
)

// A notice is a line of the session's own beside its answers: a warning that
// something is not kept, or what --resume brought back.
type notice struct {
	warning bool
	text    string
}

func (r *notice) kind() string {
	if r.warning {
		return "warning"
	}
	return "note"
}

func (r *notice) writeText(w *sheet) {
	if r.warning {
		w.paint(doubtful, "warning:").text(" ")
	}
	w.text(visible(r.text)).line()
}

func (r *notice) writeJSON(j *jsonObject) { j.str("text", r.text) }

// warnLog says that statements are no longer written down. The log reports its
// first error only, so this comes once.
func (s *Session) warnLog(err error) {
	if err != nil {
		s.give(&notice{warning: true, text: "what follows will not come back with --resume: " + err.Error()})
	}
}

// log writes down an accepted statement, for --resume.
func (s *Session) log(text string) {
	if s.journal != nil {
		s.warnLog(s.journal.Append(text))
	}
}

// rewindLog takes back the last n statements.
func (s *Session) rewindLog(n int) {
	if s.journal != nil {
		s.warnLog(s.journal.Rewind(n))
	}
}

// clearLog takes back all statements for good.
func (s *Session) clearLog() {
	if s.journal != nil {
		s.warnLog(s.journal.Clear())
	}
}

// openLog begins the log of this session, with the statements of the files that
// ran before the prompt.
func (r *runner) openLog() {
	r.emit = r.emitResult
	r.journal = history.NewLog(r.logDir())
	r.warnLog(r.journal.Append(r.statements()...))
}

func (r *runner) closeLog() {
	_ = r.journal.Close() // every statement in it was written when it was accepted
	r.journal = nil
}

// logDir returns where the logs are; "" when none is to be kept.
func (r *runner) logDir() string {
	if o := &r.options; o.NoHistory || o.Restricted || o.History == os.DevNull {
		return ""
	}
	return history.DefaultLogDir("scalargrad")
}

// resume brings back the statements of the last session at a prompt that is
// over. They go into the log of this session all at once, so that until then
// the older log stays the one to come back to. What cannot be brought back
// stays in the older log, whose path is told.
func (r *runner) resume() {
	r.emit = r.emitResult
	defer r.out.flush()
	entries, path, err := history.LatestLog(history.DefaultLogDir("scalargrad"))
	if err != nil {
		r.give(&notice{warning: true, text: "the last session does not come back whole: " + err.Error()})
	}
	if len(entries) == 0 {
		r.give(&notice{text: "there is no session to bring back: nothing was on the last one's tape"})
		return
	}
	journal := r.journal
	r.journal = nil
	refused := 0
	r.file = "--resume"
	r.options.Restricted = true // a log has no business with other files
	for i, entry := range entries {
		if !r.Eval([]byte(entry), i+1, func(result Result) {
			if f, ok := result.(*failure); ok {
				refused++
				r.emitResult(f)
			}
		}) || r.interrupted() {
			break
		}
	}
	r.options.Restricted = false // or there would be no --resume
	r.file = ""
	r.journal = journal
	if r.interrupted() {
		r.takeBack(len(r.done))
		r.give(&notice{warning: true, text: "stopped: nothing was brought back; the statements are in " + path})
		return
	}
	r.failed = false
	if refused > 0 {
		r.give(&notice{warning: true, text: plural(refused, "statement") + " did not come back; all of them are in " + path})
	}
	r.warnLog(r.journal.Append(r.statements()...))
	r.give(&notice{text: "resumed " + plural(len(r.done), "statement") + ": " +
		plural(len(r.vars), "variable") + ", " + plural(r.tape.Operations(), "operation")})
}

// errResume is the answer to --resume where it has no meaning.
var (
	errResumeBatch      = errors.New("--resume brings back a session at a prompt, and there is no prompt here")
	errResumeSources    = errors.New("--resume brings back a whole session, so it does not go with a FILE or -e; use :load FILE afterwards")
	errResumeRestricted = errors.New("--resume and --history name files, and --restricted reads and writes none")
)

// checkResume reports what the options ask for and cannot have.
func checkResume(o *Options, prompt bool) error {
	switch {
	case o.Restricted && (o.Resume || o.History != "" && o.History != os.DevNull):
		return errResumeRestricted
	case o.Resume && len(o.Sources) > 0:
		return errResumeSources
	case o.Resume && !prompt:
		return errResumeBatch
	}
	return nil
}
