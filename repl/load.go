package repl

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"scalargrad/grammar"
)

// maxLoads is how deep files may :load files.
const maxLoads = 16

// runLoad answers :load FILE: it runs the statements of a file as if they had
// been typed, each by itself, so that :undo takes them back one by one and a
// refused one does not keep the others from running.
func (s *Session) runLoad(c *call) (result Result, err error) {
	if len(c.Args) != 1 || c.arg(0) == "" {
		if len(c.Args) < 2 {
			return nil, s.diagnose(c.Span, "bad-argument", ":load needs the name of a file", ":load session.sg")
		}
		return nil, s.misuse(c, 1)
	}
	path := c.arg(0)
	refuse := func(err error) error { return s.refuseFile(c.at(0), err, "") }
	f, info, err := s.openRegular(path)
	if err != nil {
		return nil, refuse(err)
	}
	defer f.Close()
	switch {
	case slices.ContainsFunc(s.loading, func(other fs.FileInfo) bool { return os.SameFile(info, other) }):
		return nil, refuse(fmt.Errorf("%s is being loaded already: it may not load itself", path))
	case len(s.loading) == maxLoads:
		return nil, refuse(fmt.Errorf("%s: files may load files %d deep, not deeper", path, maxLoads))
	}
	if head, _ := io.ReadAll(io.NewSectionReader(f, 0, 4096)); bytes.IndexByte(head, 0) >= 0 {
		return nil, refuse(fmt.Errorf("%s has binary data in it, not statements", path))
	}
	// A file that grows while it is read, as one that this session writes, ends
	// where it ended when it was opened.
	script := func() *bufio.Reader { return bufio.NewReaderSize(io.NewSectionReader(f, 0, info.Size()), 64<<10) }
	if s.tape.Operations() > 0 {
		where, word, err := s.mention(script())
		if err != nil {
			return nil, refuse(fileError(path, err))
		}
		if word != "" {
			return nil, s.diagnose(c.at(0), "needs-empty-tape",
				fmt.Sprintf("%s:%d mentions %s, and the numbers of its nodes are only right on an empty tape", path, where, abridge(word)),
				":reset clears the tape")
		}
	}

	s.loading = append(s.loading, info)
	outer := s.file
	s.file = path
	done := len(s.done)
	lines, refused, err := s.runLines(script())
	s.file = outer
	s.loading = s.loading[:len(s.loading)-1]
	s.begin() // what the statements changed is theirs, not the :load's
	switch {
	case err != nil && s.timedOut():
		return nil, s.diagnose(c.Span, "timeout", fmt.Sprintf("stopped at %s:%d after %v (--timeout); what was loaded before stays", path, lines, s.options.Timeout), "")
	case err != nil && s.interrupted():
		return nil, s.diagnose(c.Span, "interrupted", fmt.Sprintf("interrupted at %s:%d; what was loaded before stays", path, lines), "")
	case err != nil:
		return nil, refuse(fileError(path, err))
	case refused > 0 && s.options.StopOnError:
		return nil, s.diagnose(c.Span, "stopped", fmt.Sprintf("stopped at %s:%d (--stop-on-error); what was loaded before stays", path, lines), "")
	}
	return &loadResult{path: path, lines: lines, refused: refused, changed: len(s.done) - done}, nil
}

// runLines runs the lines of a script up to its end or its :quit, which ends
// the script and not the session. It returns how many lines it ran and how many
// statements were refused.
func (s *Session) runLines(in *bufio.Reader) (lines, refused int, err error) {
	emit := s.emit
	count := func(r Result) {
		if _, ok := r.(*failure); ok {
			refused++
		}
		emit(r)
	}
	var long []byte
	for {
		if s.interrupted() {
			return lines + 1, refused, errInterrupted
		}
		logical, physical, err := readLogical(in, &long, s.longestLine())
		switch {
		case err == errLineTooLong:
			s.failed = true
			count(s.lineTooLong(lines + 1))
		case err != nil && err != io.EOF:
			return lines, refused, err
		case len(logical) > 0:
			if s.echo && !s.options.JSON {
				emit(&textResult{"echo", func(w *sheet) { writeEcho(w, logical) }})
			}
			if !s.Eval(logical, lines+1, count) {
				return lines + physical, refused, nil
			}
			if s.interrupted() {
				return lines + 1, refused, errInterrupted
			}
		}
		lines += physical
		if err == io.EOF {
			return lines, refused, nil
		}
		if err == errLineTooLong && s.options.StopOnError {
			return lines, refused, nil
		}
	}
}

// lineTooLong is the error for a line that is not even parsed.
func (s *Session) lineTooLong(number int) *failure {
	message := fmt.Sprintf("this line is longer than %d MiB, the limit", maxLine>>20)
	if most := s.longestLine(); most < maxLine {
		message = "this line is longer than " + grouped(most>>10) + " KiB, the limit with so little memory"
	}
	return &failure{Diagnostic: grammar.Diagnostic{Code: "line-too-long", Message: message},
		whole: true, line: number, column: 1, file: s.file}
}

// mention looks for the first node called by its number in a script, n5 or @5,
// and returns the number of its line. A name that the session or the script
// itself gave to something is no number, and behind a :reset the script is on
// its own. The word is "" if there is none.
func (s *Session) mention(in *bufio.Reader) (line int, word string, err error) {
	bound := map[string]bool{}
	isNumber := func(text []byte) bool {
		if len(text) > 0 && text[0] == '@' {
			return true
		}
		_, known := s.symbols[string(text)]
		return nodeNumber(text) > 0 && !known && !bound[string(text)]
	}
	var parser grammar.Parser
	var long []byte
	for line = 1; ; {
		if s.interrupted() {
			return line, "", errInterrupted
		}
		logical, physical, err := readLogical(in, &long, s.longestLine())
		if err != nil && err != io.EOF && err != errLineTooLong {
			return line, "", err
		}
		parser.Reset(logical)
		for {
			st, ok := parser.Next()
			if !ok {
				break
			}
			if st.Err != nil {
				continue
			}
			for at := range mentioned(st, logical) {
				if text := at.Text(logical); isNumber(text) {
					return line + bytes.Count(logical[:at.Start], newline), string(text), nil
				}
			}
			if st.Kind == grammar.Command {
				if entry := lookupCommand(string(bytes.ToLower(st.Command.Text(logical)))); entry != nil && entry.name == "reset" {
					return line, "", nil
				}
			}
			for _, b := range st.Bindings {
				if nodeNumber(b.Name.Text(logical)) > 0 {
					bound[string(b.Name.Text(logical))] = true
				}
			}
			if st.Kind == grammar.Expr && nodeNumber(st.Name.Text(logical)) > 0 {
				bound[string(st.Name.Text(logical))] = true
			}
		}
		line += physical
		if err == io.EOF {
			return line, "", nil
		}
	}
}

// mentioned yields the spans of the names and numbers of nodes that a statement
// asks for, not those that it binds.
func mentioned(st *grammar.Statement, source []byte) func(yield func(grammar.Span) bool) {
	return func(yield func(grammar.Span) bool) {
		items := func(items []grammar.Item) bool {
			for i := range items {
				if k := items[i].Kind; (k == grammar.Name || k == grammar.Node) && !yield(items[i].Span) {
					return false
				}
			}
			return true
		}
		for _, b := range st.Bindings {
			if !items(b.Expr) {
				return
			}
		}
		if !items(st.Expr) {
			return
		}
		for _, n := range st.Names {
			if !yield(n) {
				return
			}
		}
		switch st.Kind {
		case grammar.Show, grammar.ShowGrad:
			yield(st.Name)
		case grammar.Command:
			entry := lookupCommand(string(bytes.ToLower(st.Command.Text(source))))
			if entry == nil || entry.files || entry.name == "echo" || entry.name == "help" {
				return // their arguments are no nodes
			}
			for _, a := range st.Args {
				for token := range tokensOf(source, a.Span) {
					if !yield(token) {
						return
					}
				}
			}
		}
	}
}

// tokensOf yields the spans of the names and @5s in a part of a line.
func tokensOf(source []byte, part grammar.Span) func(yield func(grammar.Span) bool) {
	return func(yield func(grammar.Span) bool) {
		grammar.Tokens(part.Text(source), func(t grammar.Token) bool {
			if t.Kind != grammar.TokenName && t.Kind != grammar.TokenNode {
				return true
			}
			return yield(grammar.Span{Start: part.Start + t.Span.Start, End: part.Start + t.Span.End})
		})
	}
}

// A loadResult is what :load says at the end.
type loadResult struct {
	path    string
	lines   int
	refused int
	changed int // statements that :undo can take back
}

func (r *loadResult) kind() string { return "load" }

func (r *loadResult) writeText(w *sheet) {
	w.text("loaded ", visible(r.path), ": ", plural(r.lines, "line"))
	if r.refused > 0 {
		w.text(", ").paint(bad, plural(r.refused, "statement")+" refused")
	}
	if r.changed > 0 {
		w.paint(faint, "   (:undo "+itoa(r.changed)+" takes it back)")
	}
	w.line()
}

func (r *loadResult) writeJSON(j *jsonObject) {
	j.str("path", r.path)
	j.int("lines", r.lines)
	j.int("refused", r.refused)
	if r.changed > 0 {
		j.int("changed", r.changed)
	}
}
