// Scalargrad is a REPL in which people see how backpropagation works, and get
// derivatives they can trust.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"scalargrad/repl"
)

const version = "0.1.0"

const usage = `usage: scalargrad [flags] [FILE…]

Runs files of statements, in one session; - is standard input. Without a FILE
and without -e it reads standard input, at a prompt when that is a terminal.

flags, which may stand before and after files, but not behind --:
`

func main() {
	os.Exit(repl.Guard(os.Stderr, version, func() int { return run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }))
}

// run is the program but for the process: it returns the exit status.
func run(args []string, in, out, errs *os.File) int {
	o := repl.Options{In: in, Out: out, Err: errs, Version: version}
	flags := flag.NewFlagSet("scalargrad", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are said below, without the whole page
	flags.Func("e", "run `STATEMENTS`; may be given several times", func(text string) error {
		o.Sources = append(o.Sources, repl.Source{Text: text, IsText: true})
		return nil
	})
	flags.BoolVar(&o.Interactive, "i", false, "stay at the prompt afterwards")
	flags.BoolVar(&o.Quiet, "q", false, "print neither the banner nor what VAR and EXPR print")
	flags.BoolVar(&o.Echo, "echo", false, "print each line before its answer")
	flags.BoolVar(&o.JSON, "json", false, "print one JSON object per result")
	flags.BoolVar(&o.Trace, "trace", false, "show the steps of every GRAD")
	flags.BoolVar(&o.StopOnError, "stop-on-error", false, "stop at the first statement that fails")
	flags.BoolVar(&o.Restricted, "restricted", false, "for scripts that are not trusted: no file is read or written beyond them, and limits are on")
	flags.BoolVar(&o.Resume, "resume", false, "bring back the statements of the last session at a prompt")
	flags.BoolVar(&o.NoHistory, "no-history", false, "keep no history of the lines typed, and no log for --resume")
	flags.StringVar(&o.History, "history", "", "keep the history in `FILE`")
	flags.StringVar(&o.Color, "color", "auto", "`WHEN` to colour: auto, always or never")
	flags.IntVar(&o.Digits, "digits", 12, "print up to `N` significant digits, 1 to 17")
	flags.IntVar(&o.MaxNodes, "max-nodes", 0, "allow `N` nodes on the tape (default: what the machine's memory holds)")
	flags.DurationVar(&o.Timeout, "timeout", 0, "stop a statement after `TIME`, such as 2s (default: never)")
	showVersion := flags.Bool("version", false, "print the version")

	for rest := args; ; {
		if err := flags.Parse(rest); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				var page strings.Builder
				page.WriteString(usage)
				flags.SetOutput(&page)
				flags.PrintDefaults()
				return say(page.String(), out, errs)
			}
			fmt.Fprintf(errs, "scalargrad: %s (scalargrad --help lists the flags)\n", repl.Visible(err.Error()))
			return 2
		}
		if flags.NArg() == 0 {
			break
		}
		files := flags.Args()
		if read := len(rest) - len(files); read == 0 || rest[read-1] != "--" {
			files = files[:1] // flags may follow
		}
		for _, file := range files {
			o.Sources = append(o.Sources, repl.Source{File: file})
		}
		rest = flags.Args()[len(files):]
	}
	switch {
	case *showVersion:
		return say("scalargrad "+version+"\n", out, errs)
	case o.Color != "auto" && o.Color != "always" && o.Color != "never":
		fmt.Fprintf(errs, "scalargrad: --color is auto, always or never, not %q\n", o.Color)
		return 2
	case o.Digits < 1 || o.Digits > 17:
		fmt.Fprintln(errs, "scalargrad: --digits is a number from 1 to 17")
		return 2
	case set(flags, "max-nodes") && o.MaxNodes < 1:
		fmt.Fprintln(errs, "scalargrad: --max-nodes is a number of nodes, at least 1")
		return 2
	case o.Timeout < 0:
		fmt.Fprintln(errs, "scalargrad: --timeout is a time, such as 2s or 500ms")
		return 2
	}
	return repl.Run(o)
}

// say writes text to out and returns the exit status.
func say(text string, out, errs *os.File) int {
	if _, err := io.WriteString(out, text); err != nil {
		fmt.Fprintln(errs, "scalargrad: writing the output:", err)
		return 1
	}
	return 0
}

// set reports whether a flag was given.
func set(flags *flag.FlagSet, name string) (given bool) {
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}
