package repl

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestMemoryIsFull: names beyond what the memory holds are refused, and :reset
// makes room.
func TestMemoryIsFull(t *testing.T) {
	s, run := console(t, func(o *Options) { o.memory = 64 << 20 })
	text, names := "", 0
	for ; text == "" || !strings.Contains(text, "error"); names++ {
		if names > 1_000_000 {
			t.Fatal("a million names in 64 MB")
		}
		text = run(fmt.Sprintf("VAR a_variable_with_a_name_of_some_length_%d = 1", names))
	}
	if names < 10_000 || !strings.Contains(text, "memory is full") {
		t.Fatalf("after %d names: %s", names, text)
	}
	before := s.tape.Len()
	for _, line := range []string{"VAR b = 1", "1 + 1", "c = 2"} {
		if text := run(line); !strings.Contains(text, "memory is full") || s.tape.Len() != before {
			t.Errorf("%s: %s", line, text)
		}
	}
	if text := run(":digits"); strings.Contains(text, "error") {
		t.Errorf(":digits: %s", text)
	}
	run(":reset")
	if text := run("VAR b = 1"); text != "b = 1\n" {
		t.Errorf("after :reset: %s", text)
	}
}

// A stopper is a terminal at which somebody has seen enough after a while.
type stopper struct {
	r    *runner
	text strings.Builder
}

func (w *stopper) Write(p []byte) (int, error) {
	if w.text.Write(p); w.text.Len() > 100_000 {
		w.r.stop.Store(true)
	}
	return len(p), nil
}

// TestFlood: an answer that runs over the screen can be stopped, and is then no
// answer: the statement is taken back.
func TestFlood(t *testing.T) {
	r := &runner{Session: NewSession(Options{MaxNodes: 1 << 20}), console: true}
	w := &stopper{r: r}
	r.out = stream{sheet: sheet{theme: NewTheme(false), width: 80}, file: w}
	r.err = stream{sheet: sheet{theme: NewTheme(false), width: 80}, file: w}
	r.Eval([]byte("VAR a = 2; y = a"+strings.Repeat("+a", 50_000)), 1, r.emitResult)
	r.out.flush()
	before := stateOf(r.Session)
	w.text.Reset()
	r.Eval([]byte(":trace y; :digits 3"), 1, r.emitResult)
	r.out.flush()
	text := w.text.String()
	if len(text) > 200_000 || !strings.Contains(text, "\nerror: interrupted") || strings.Contains(text, "3 digits") {
		t.Errorf("%d bytes, …%q", len(text), text[max(0, len(text)-200):])
	}
	if after := stateOf(r.Session); after != before {
		t.Errorf("the session was\n%s\nand is\n%s", before, after)
	}
}

// A line that is too long is refused with all that continues it: none of that
// runs as a statement of its own.
func TestLineTooLong(t *testing.T) {
	long := "a = 0" + strings.Repeat(" + 1", maxLine/4)
	most := "a" + strings.Repeat("b", maxLine-1)
	many := strings.Repeat("1 + \\\n", maxLine/6)
	for _, c := range []struct {
		name, text string
		refused    int // physical lines
	}{
		{"one line", long + "\n", 1},
		{"continued behind the limit", long + " + \\\nb\n", 2},
		{"continued twice", long + " \\\r\n + b \\ \n + c\n", 3},
		{"continued before the limit", "b \\\n" + long + " \\\n + c\n", 3},
		{"a comment at the end", long + " # \\\n", 1},
		{"a comment at the beginning", "# " + long + " \\\n", 1},
		{"many lines", many + "1 + \\\n1 + \\\n1 + \\\n2\n", maxLine/6 + 4},
		{"quotes", `:echo "` + long + "\" \\\nb\n", 2},
		{"as long as may be", most + "\n", 0},
	} {
		in := bufio.NewReaderSize(strings.NewReader(c.text+"\nlast\n"), 64<<10)
		var kept []byte
		logical, physical, err := readLogical(in, &kept, maxLine)
		if tooLong := err == errLineTooLong; tooLong != (c.refused > 0) || tooLong && physical != c.refused {
			t.Errorf("%s: %d lines, %v", c.name, physical, err)
		}
		if c.refused == 0 && string(logical) != strings.TrimSuffix(c.text, "\n") {
			t.Errorf("%s: %d bytes", c.name, len(logical))
		}
		if logical, _, err = readLogical(in, &kept, maxLine); err != nil || len(logical) > 0 {
			t.Errorf("%s: then %.20q, %v", c.name, logical, err)
		}
		if logical, _, err = readLogical(in, &kept, maxLine); err != nil || string(logical) != "last" {
			t.Errorf("%s: then %.20q, %v", c.name, logical, err)
		}
	}
}

// A statement whose time is up just as it ends does not stop the next one; an
// interrupt does, whenever it came.
func TestTimeIsUpAtTheEnd(t *testing.T) {
	s, _ := console(t, func(o *Options) { o.Timeout = time.Nanosecond })
	for _, interrupted := range []bool{false, true} {
		for range 300 {
			done := s.limitTime()
			time.Sleep(time.Nanosecond) // wakes together with the clock
			if interrupted {
				s.interrupt()
			}
			done()
			time.Sleep(10 * time.Microsecond)
			if s.stop.Load() != interrupted {
				t.Fatalf("interrupted %v, and the next statement is stopped: %v", interrupted, !interrupted)
			}
		}
	}
}
