// Echo is a program to try the editor with: it says back what it is told.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"scalargrad/repl/edit"
)

func main() {
	words := []edit.Word{{Text: "GRAD", Suffix: " "}, {Text: "EXPR", Suffix: " "}, {Text: "alpha", Suffix: " "},
		{Text: "alpine", Suffix: " "}, {Text: "log", Suffix: "("}, {Text: ":quit"}, {Text: "θeta"}, {Text: "θeta2"}}
	for i := range 50 {
		words = append(words, edit.Word{Text: fmt.Sprintf("v%d", i)})
	}
	stop := make(chan struct{}, 1)
	c := edit.Config{
		In: os.Stdin, Out: os.Stdout, Bare: os.Getenv("NO_COLOR") != "",
		Complete: func(line string, pos int) (int, []edit.Word) {
			start := strings.LastIndexAny(line[:pos], " ()+-*/=") + 1
			var out []edit.Word
			for _, w := range words {
				if strings.HasPrefix(strings.ToLower(w.Text), strings.ToLower(line[start:pos])) {
					out = append(out, w)
				}
			}
			return start, out
		},
		Interrupted: func() {
			select {
			case stop <- struct{}{}:
			default:
			}
		},
		Terminated: func(os.Signal) {
			select {
			case stop <- struct{}{}:
			default:
			}
		},
	}
	if os.Getenv("NO_COLOR") == "" {
		c.Paint = func(line string) string {
			line = strings.ReplaceAll(line, "VAR", "\x1b[35mVAR\x1b[0m")
			if strings.Contains(line, "PANIC") {
				panic("a bug in the painter")
			}
			return line
		}
	}
	os.Exit(run(c, stop))
}

type reader interface {
	ReadLine(prompt string) (string, error)
	Remember(line string)
	Close() error
}

func run(c edit.Config, stop chan struct{}) int {
	var e reader
	var err error
	if os.Getenv("TERM") == "dumb" {
		e = edit.OpenPlain(c)
	} else if e, err = edit.Open(c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer e.Close()
	for {
		line, err := e.ReadLine("> ")
		var sig *edit.SignalError
		switch {
		case errors.Is(err, edit.ErrInterruptEmpty):
			fmt.Println("(Ctrl-D or :quit leaves)")
			continue
		case errors.Is(err, edit.ErrInterrupt):
			continue
		case errors.As(err, &sig):
			fmt.Println("signal:", sig.Signal)
			return 3
		case err == io.EOF:
			return 0
		case err != nil:
			fmt.Println(err)
			return 1
		}
		if line != "" {
			e.Remember(line)
		}
		switch {
		case line == ":quit":
			return 0
		case line == ":sleep":
			fmt.Println("sleeping")
			select {
			case <-stop:
				fmt.Println("interrupted")
			case <-time.After(30 * time.Second):
			}
		case len(line) > 200:
			fmt.Printf("got %d bytes\n", len(line))
		default:
			fmt.Printf("got <%s>\n", line)
		}
	}
}
