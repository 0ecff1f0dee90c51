package repl

import (
	"fmt"
	"strings"
	"testing"
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
