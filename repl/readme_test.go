package repl

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadme holds the sessions and the JSON in the README to what the program
// prints.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	sessions := 0
	for _, block := range regexp.MustCompile("(?s)\n```\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		switch want := block[1]; {
		case strings.HasPrefix(want, "> "):
			sessions++
			if got := playTranscript(t, want); got != want {
				t.Error(firstDifference(want, got))
			}
		case strings.HasPrefix(want, "{"):
			sessions++
			var out strings.Builder
			r := batch(Options{JSON: true}, &out)
			r.lines(strings.NewReader("VAR a 2; a^3; GRAD"), "-e")
			r.out.flush()
			if out.String() != want {
				t.Error(firstDifference(want, out.String()))
			}
		}
	}
	if sessions < 2 {
		t.Errorf("%d sessions in the README, want a session and its JSON", sessions)
	}
}

// TestLeavesImportNothing holds the three leaves apart: they meet here.
func TestLeavesImportNothing(t *testing.T) {
	for _, leaf := range []string{"engine", "grammar", "history"} {
		files, err := os.ReadDir("../" + leaf)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name(), ".go") {
				continue
			}
			source, err := os.ReadFile("../" + leaf + "/" + f.Name())
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range []string{"engine", "grammar", "history", "repl"} {
				if other != leaf && strings.Contains(string(source), "\"scalargrad/"+other) {
					t.Errorf("%s/%s imports %s", leaf, f.Name(), other)
				}
			}
		}
	}
}
