package repl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

// runSave answers :save FILE [-f]: the statements since the last :reset, one a
// line. Those that changed nothing (a GRAD of a name, a listing) and those that
// were refused or taken back are not among them, so that a run of the file gives
// the same names, values and node numbers.
func (s *Session) runSave(c *call) (Result, error) {
	file, force := -1, false
	for i, a := range c.Args {
		switch {
		case a.Text == "-f" && !a.Quoted && !force:
			force = true
		case file < 0 && a.Text != "":
			file = i
		default:
			return nil, s.misuse(c, i)
		}
	}
	if file < 0 {
		return nil, s.diagnose(c.Span, "bad-argument", ":save needs the name of a file", ":save session.sg")
	}
	if !s.keep {
		return nil, s.notKept(c)
	}
	if len(s.done) == 0 && !s.options.Restricted {
		return nil, s.diagnose(c.Span, "nothing-to-save", "there is nothing to save yet", "")
	}
	path := c.arg(file)
	target := path
	if force {
		// -f says that the file behind a link is meant; the link stays.
		if behind, err := filepath.EvalSymlinks(expandHome(path)); err == nil {
			target = behind
		}
	}
	err := s.writeFile(target, force, s.writeStatements)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, s.refuseFile(c.at(file), fmt.Errorf("%s exists", path), "to replace it: "+s.text(c.Span)+" -f")
	case err != nil:
		return nil, s.refuseFile(c.at(file), err, "")
	}
	return c.say("saved %s to %s", plural(len(s.done), "statement"), visible(path)), nil
}

func (s *Session) writeStatements(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "# saved by scalargrad %s\n", s.options.Version); err != nil {
		return err
	}
	for i := range s.done {
		if _, err := fmt.Fprintln(w, s.done[i].text); err != nil {
			return err
		}
		if s.interrupted() {
			return errInterrupted
		}
	}
	return nil
}
