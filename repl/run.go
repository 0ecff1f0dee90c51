package repl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"scalargrad/grammar"
	"scalargrad/history"
	"scalargrad/repl/edit"
)

// Options say how a session runs.
type Options struct {
	In, Out, Err *os.File

	Sources     []Source // what to run, in order; empty: standard input
	Interactive bool     // -i: a prompt after the sources
	Quiet       bool
	Echo        bool
	JSON        bool
	Trace       bool
	StopOnError bool
	Restricted  bool
	Resume      bool
	NoHistory   bool
	History     string // path; "": the default
	Color       string // auto, always, never
	Digits      int
	MaxNodes    int           // 0: from the machine's memory
	memory      int64         // bytes that this process may use; 0: nobody knows
	Timeout     time.Duration // of one statement; 0: none
	Version     string

	history *history.History
}

// A Source is a file of statements, or a text of them.
type Source struct {
	File   string // "-" is standard input
	Text   string // the argument of -e
	IsText bool
}

// maxLine is the longest line of statements, in bytes.
const maxLine = 16 << 20

// A runner joins a session to its streams.
type runner struct {
	*Session
	out, err stream
	console  bool         // at a prompt: errors in what is typed are shown without a place
	busy     sync.RWMutex // held at a prompt while the session may change: see readLine
	deadly
}

// A stream is one of the two that answers go to.
type stream struct {
	sheet
	file io.Writer
	bad  error // the first error of writing
}

func (w *stream) flush() {
	if len(w.buf) > 0 && w.bad == nil {
		_, w.bad = w.file.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

// flushWhile writes what waits in the stream in pieces, while stop is not set,
// and reports whether that was all of it. What somebody at a terminal does not
// want to read is dropped; the line it ends in is ended.
func (w *stream) flushWhile(stop *atomic.Bool) (whole bool) {
	const piece = 4 << 10
	all := w.buf
	defer func() { w.buf = all[:0] }()
	for rest := all; len(rest) > 0; {
		if stop.Load() {
			w.buf = append(all[:0], '\n')
			w.flush()
			return false
		}
		w.buf = rest[:min(piece, len(rest))]
		rest = rest[len(w.buf):]
		w.flush()
	}
	return true
}

// Run runs a session to its end and returns the exit status: 0; 1 when a
// statement was refused; 2 when a file could not be opened; 128+n for a signal.
func Run(o Options) int {
	terminal := edit.IsTerminal(o.In) && (edit.IsTerminal(o.Out) || edit.IsTerminal(o.Err))
	prompt := terminal && (o.Interactive || len(o.Sources) == 0 && !o.JSON)
	if err := checkResume(&o, prompt); err != nil {
		fmt.Fprintln(o.Err, "scalargrad:", err)
		return 2
	}
	if o.Restricted {
		o.restrict()
	}
	o.memory = memory()
	if most := maxNodes(o.memory); o.MaxNodes <= 0 || o.MaxNodes > most {
		o.MaxNodes = most
	}
	r := &runner{Session: NewSession(o)}
	r.out = stream{sheet: sheet{theme: NewTheme(!o.JSON && ColorOn(o.Color, o.Out)), width: 80}, file: o.Out}
	r.err = stream{sheet: sheet{theme: NewTheme(ColorOn(o.Color, o.Err)), width: 80}, file: o.Err}
	r.out.limit = o.outputLimit()
	if !o.JSON {
		r.progress = progressOn(o.Err)
	}
	end := r.watch(r.interrupt)
	r.keep = prompt // also what runs before it, so that :save has it all
	status := r.sources(end, prompt)
	switch r.out.flush(); {
	case errors.Is(r.out.bad, syscall.EPIPE): // as if the signal had not been caught
		return 128 + int(syscall.SIGPIPE)
	case r.out.bad != nil:
		fmt.Fprintln(o.Err, "scalargrad: writing the output:", r.out.bad)
		return 1
	}
	if signal := r.deadly.status(); signal != 0 {
		return signal
	}
	if status == 0 && r.failed {
		status = 1
	}
	return status
}

// sources runs what there is to run, and then a prompt if there is to be one.
// endWatch is called before the prompt, which has its own way with signals.
func (r *runner) sources(endWatch func(), prompt bool) int {
	o := &r.options
	status, more := 0, true
	for _, src := range o.Sources {
		if !more {
			return status
		}
		switch {
		case src.IsText:
			more = r.lines(strings.NewReader(src.Text), "-e")
		case src.File == "-":
			more = r.lines(o.In, "")
		default:
			f, err := openScript(src.File)
			if err != nil {
				r.out.flush()
				fmt.Fprintln(o.Err, "scalargrad:", visible(err.Error()))
				if !o.Interactive {
					return 2
				}
				status = 2
				continue
			}
			more = r.lines(f, src.File)
			f.Close()
		}
	}
	if !more {
		return status
	}
	switch {
	case prompt:
		endWatch()
		if s := r.prompt(); s != 0 {
			status = s
		}
		r.failed = false // what was refused at a prompt was seen there
	case o.Interactive, len(o.Sources) == 0:
		r.lines(o.In, "")
	}
	return status
}

// openScript opens a file of statements.
func openScript(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s is a directory, not a file of statements", path)
	}
	return f, nil
}

// flushing writes out what has been answered before a read that may block.
type flushing struct {
	from io.Reader
	out  *stream
	*deadly
}

func (f flushing) Read(p []byte) (int, error) {
	f.out.flush()
	return f.wait(func() (int, error) { return f.from.Read(p) })
}

// lines runs the statements of a file, a pipe or a text, and reports whether
// to go on with the next one.
func (r *runner) lines(from io.Reader, file string) bool {
	outer := r.file
	r.file = file
	defer func() { r.file = outer }()
	in := bufio.NewReaderSize(flushing{from, &r.out, &r.deadly}, 64<<10)
	var long []byte // a line that is continued, or did not fit the buffer
	emit := r.emitResult
	for number := 1; ; {
		logical, physical, err := readLogical(in, &long, r.longestLine())
		if err != nil && err != io.EOF {
			if errors.Is(err, errLineTooLong) {
				r.refuseLine(number)
				number += physical
				if r.options.StopOnError {
					return false
				}
				continue
			}
			r.out.flush()
			fmt.Fprintln(r.options.Err, "scalargrad:", visible(err.Error()))
			r.failed = true
			return true
		}
		if len(logical) > 0 {
			if r.echo && len(bytes.TrimSpace(logical)) > 0 {
				r.echoLine(logical)
			}
			if !r.Eval(logical, number, emit) {
				return false
			}
		}
		number += physical
		if err == io.EOF || r.out.bad != nil || r.deadly.status() != 0 {
			return r.deadly.status() == 0
		}
	}
}

var errLineTooLong = errors.New("this line is longer than the limit")

// readLogical reads one line and the lines that continue it, without the last
// line end; physical is how many lines that were. The result is valid until
// the next call. Of a line that is too long the whole is read, so that none of
// it runs as a statement of its own, but only as much kept as a line may have,
// which is most bytes.
func readLogical(in *bufio.Reader, long *[]byte, most int) (logical []byte, physical int, err error) {
	*long = (*long)[:0]
	quoted, looked, tooLong := false, 0, false
	for {
		part, err := in.ReadSlice('\n')
		if len(*long)+len(bytes.TrimSuffix(part, newline)) > most {
			tooLong = true
			*long = (*long)[:min(len(*long), most)] // its end still tells whether the next line belongs to it
		}
		if err == bufio.ErrBufferFull {
			*long = append(*long, part...)
			quoted = quoted || bytes.ContainsAny(part, `"'`)
			continue
		}
		if err == nil {
			physical++
		} else if len(part)+len(*long) > 0 {
			physical++
		}
		if len(*long) == 0 {
			if err != nil || len(part) < 2 || !grammar.Continues(part[:len(part)-1]) {
				return bytes.TrimSuffix(part, newline), physical, err
			}
		}
		*long = append(*long, part...)
		quoted = quoted || bytes.ContainsAny(part, `"'`)
		// What a backslash means may depend on a quote that an earlier line
		// opened; else the last line alone tells. Nor is a line of thousands of
		// lines looked through again and again: for all of them that is a minute.
		const patience = 256 << 20
		tail := lastLine(*long)
		if quoted && looked < patience {
			tail = bytes.TrimSuffix(*long, newline)
			looked += len(tail)
		}
		if err == nil && grammar.Continues(tail) {
			continue
		}
		if tooLong {
			*long = nil
			return nil, physical, errLineTooLong
		}
		return bytes.TrimSuffix(*long, newline), physical, err
	}
}

var newline = []byte{'\n'}

// lastLine returns the last physical line of text that ends in a line end.
func lastLine(text []byte) []byte {
	text = bytes.TrimSuffix(text, newline)
	return text[bytes.LastIndexByte(text, '\n')+1:]
}

func (r *runner) refuseLine(number int) {
	r.failed = true
	r.emitResult(r.lineTooLong(number))
}

func (r *runner) echoLine(line []byte) {
	if !r.options.JSON {
		writeEcho(&r.out.sheet, line)
	}
}

// writeEcho writes a line of statements as it would have been typed.
func writeEcho(w *sheet, line []byte) {
	for l := range strings.Lines(strings.TrimPrefix(string(line), "\ufeff")) {
		l = strings.TrimRight(l, "\r\n")
		w.text("> ", visible(strings.TrimPrefix(l, "> "))).line()
	}
}

// emitResult writes one result where it belongs.
func (r *runner) emitResult(result Result) {
	if r.options.JSON {
		r.emitJSON(result)
		return
	}
	if f, ok := result.(*failure); ok {
		r.out.flush()
		r.err.digits = r.digits
		if r.console && f.file == "" {
			f.writeText(&r.err.sheet)
		} else {
			from := r.file
			if from == "" {
				from = "stdin"
			}
			f.writeLocated(&r.err.sheet, from)
		}
		r.err.flush()
		return
	}
	r.out.digits = r.digits
	if r.quiet {
		switch v := result.(type) {
		case *valueResult:
			if !v.asked {
				v.remarks.writeWarnings(&r.out.sheet)
				return
			}
		case *boundResult:
			v.remarks.writeWarnings(&r.out.sheet)
			return
		}
	}
	if full := r.write(result); full {
		r.outputLimit()
	}
	r.flushLong()
}

// flushLong does not let answers pile up.
func (r *runner) flushLong() {
	switch {
	case len(r.out.buf) <= 1<<16:
	case r.console && !r.stop.Load():
		r.halted = !r.out.flushWhile(&r.stop)
	default:
		r.out.flush()
	}
}

// write writes an answer behind those that wait in r.out, and reports whether
// it was longer than the limit: of a text whole lines are left then. Where the
// session is interrupted meanwhile nothing is left of it, and the statement is
// not accepted; but what a statement still says that was interrupted before is
// said.
func (r *runner) write(result Result) (full bool) {
	r.out.start = len(r.out.buf)
	if !r.stop.Load() {
		r.out.stop = &r.stop
	}
	defer func() {
		r.out.stop = nil
		switch why := recover().(type) {
		case nil:
		case cut:
			full = why.full
			if !full || r.options.JSON {
				r.out.buf = r.out.buf[:r.out.start]
			}
			r.halted = !full
		default:
			panic(why) // a fault in the program: its stack is still there
		}
	}()
	if r.options.JSON {
		r.writeObject(result)
	} else {
		result.writeText(&r.out.sheet)
	}
	return false
}

func (r *runner) emitJSON(result Result) {
	if r.quiet {
		switch v := result.(type) {
		case *valueResult:
			if !v.asked && len(v.remarks.list) == 0 {
				return
			}
		case *boundResult:
			if len(v.remarks.list) == 0 {
				return
			}
		}
	}
	if full := r.write(result); full {
		r.outputLimit()
	}
	r.flushLong()
}

func (r *runner) writeObject(result Result) {
	var line int
	if f, ok := result.(*failure); ok {
		line = f.line
	} else {
		line, _ = r.place(max(r.startAt, 0))
	}
	j := jsonObject{buf: r.out.buf, stop: r.out.stop}
	if _, refused := result.(*failure); !refused && r.out.limit > 0 {
		j.limit = r.out.start + r.out.limit
	}
	j.begin()
	j.int("line", line)
	j.str("kind", result.kind())
	if r.file != "" {
		j.str("file", r.file)
	}
	result.writeJSON(&j)
	j.end()
	r.out.buf = append(j.buf, '\n')
}
