package repl

import (
	"strings"
	"testing"

	"scalargrad/engine"
	"scalargrad/grammar"
	"scalargrad/repl/edit"
)

// TestHelpFitsTheScreen: :help and the prompt below it fit 80 by 24, nothing is
// cut, and every command and function is there.
func TestHelpFitsTheScreen(t *testing.T) {
	_, run := console(t)
	page := run(":help")
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	if len(lines) > 23 {
		t.Errorf("%d lines:\n%s", len(lines), page)
	}
	for _, l := range lines {
		if edit.Width(l) > 80 || strings.Contains(l, "…") {
			t.Errorf("this line is cut or too wide: %s", l)
		}
	}
	for _, c := range commands() {
		if !strings.Contains(page, ":"+c.name+" ") {
			t.Errorf(":%s is not there", c.name)
		}
		if c.help == "" || c.brief == "" && len(c.help) > 27 || len(c.brief) > 27 {
			t.Errorf(":%s needs a brief of at most 27 columns", c.name)
		}
	}
	for _, op := range engine.Functions() {
		if !strings.Contains(page, op.Call()) {
			t.Errorf("%s is not there", op.Call())
		}
	}
}

// TestHelpTopics: there is a page, no wider than the window, on everything that
// completion offers, and on every command with its colon.
func TestHelpTopics(t *testing.T) {
	s, run := console(t)
	words := []string{"WRT", "pi"}
	for _, w := range s.topicWords() {
		words = append(words, w.Text)
	}
	for _, c := range commands() {
		words = append(words, ":"+c.name)
		words = append(words, c.aliases...)
	}
	for _, row := range grammar.Codes {
		words = append(words, row.Code)
	}
	for _, word := range words {
		page := run(":help " + word)
		if strings.Count(page, "\n") < 2 && word != "commands" || strings.HasPrefix(page, "error") {
			t.Errorf(":help %s: %s", word, page)
		}
		for l := range strings.Lines(page) {
			if edit.Width(strings.TrimSuffix(l, "\n")) > 80 {
				t.Errorf(":help %s: too wide: %s", word, l)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	w := &sheet{theme: NewTheme(false), width: 20}
	w.wrap(2, "the quick brown fox jumps over averyveryverylongwordindeed it").line()
	want := "  the quick brown\n  fox jumps over\n  averyveryverylongwordindeed\n  it\n"
	if got := string(w.buf); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
