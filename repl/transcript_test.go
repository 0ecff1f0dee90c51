package repl

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata with what the program prints")

// console returns a session as at a prompt, in a window of 80 columns without
// height, and a function that runs a line and returns everything it prints.
func console(t testing.TB, change ...func(*Options)) (*Session, func(line string) string) {
	t.Helper()
	o := Options{MaxNodes: 1 << 24, Color: "never", Version: "test"}
	for _, c := range change {
		c(&o)
	}
	var screen bytes.Buffer
	r := &runner{Session: NewSession(o), console: true}
	r.keep = true
	r.out = stream{sheet: sheet{theme: NewTheme(false), width: 80}, file: &screen}
	r.err = stream{sheet: sheet{theme: NewTheme(false), width: 80}, file: &screen}
	number := 0
	return r.Session, func(line string) string {
		number++
		screen.Reset()
		r.stop.Store(false)
		r.Eval([]byte(line), number, r.emitResult)
		r.out.flush()
		return screen.String()
	}
}

// TestTranscripts plays the files of testdata/transcripts: a line that starts
// with "> " is typed at the prompt, and what follows up to the next one must
// come out. A line that starts with "# " outside of an answer begins a new
// session.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := playTranscript(t, string(want))
			if got == string(want) {
				return
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s (go test -run Transcripts -update rewrites it):\n%s", file, firstDifference(string(want), got))
		})
	}
}

func playTranscript(t *testing.T, text string) string {
	var got strings.Builder
	_, run := console(t)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "# "):
			got.WriteString(line + "\n")
			_, run = console(t)
		case strings.HasPrefix(line, "> "):
			got.WriteString(line + "\n")
			got.WriteString(run(line[2:]))
		}
	}
	return got.String()
}

// firstDifference shows the first line that differs, with the line typed before.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	typed := ""
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if strings.HasPrefix(a, "> ") && a == b {
			typed = a
		}
		if a != b {
			return "after " + typed + "\nwant " + a + "\ngot  " + b
		}
	}
	return "no difference"
}
