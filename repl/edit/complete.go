package edit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxListed = 30 // completions shown; the rest are counted
	maxHelped = 12 // completions shown one to a row, with their help
)

// completion returns what replaces text[start:pos] for the given candidates,
// "" for nothing, and whether the candidates should be listed instead: there
// are several, and no character more is common to them all.
func completion(typed, after string, words []Word) (insert string, list bool) {
	switch len(words) {
	case 0:
		return "", false
	case 1:
		s := words[0].Suffix
		if strings.HasPrefix(after, s) {
			s = "" // it is there already
		}
		return words[0].Text + s, false
	}
	common := words[0].Text
	for _, w := range words[1:] {
		common = common[:commonPrefix(common, w.Text)]
	}
	if len(common) < len(typed) || common == typed {
		return "", true
	}
	return common, false
}

// commonPrefix returns how many bytes a and b have in common at their
// beginning, whole characters only.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

// listing lays the candidates out for a terminal of that width, each row ended:
// in columns, read downwards; a few that have help one to a row with it.
func listing(words []Word, width int) string {
	more := 0
	if len(words) > maxListed {
		more = len(words) - maxListed
		words = words[:maxListed]
	}
	cells, helped := 0, false
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = clip(clean([]byte(w.Text)), width-1)
		cells = max(cells, Width(names[i]))
		helped = helped || w.Help != ""
	}
	var b strings.Builder
	if helped && more == 0 && len(words) <= maxHelped {
		for i, w := range words {
			row := pad(names[i], cells) + "  " + clean([]byte(w.Help))
			b.WriteString(strings.TrimRight(clip(row, width-1), " ") + "\n")
		}
		return b.String()
	}
	if row := strings.Join(names, "  "); more == 0 && Width(row) < width {
		return row + "\n"
	}
	columns := max(1, (width+1)/(cells+2)) // the last column needs no gap, and the last cell stays free
	rows := (len(words) + columns - 1) / columns
	for r := range rows {
		var row strings.Builder
		for i := r; i < len(words); i += rows {
			row.WriteString(pad(names[i], cells) + "  ")
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	if more > 0 {
		fmt.Fprintf(&b, "… %d more\n", more)
	}
	return b.String()
}

func pad(s string, cells int) string {
	return s + strings.Repeat(" ", max(0, cells-Width(s)))
}

// clip cuts s to that many cells; where something is left out it ends in "…".
func clip(s string, cells int) string {
	if Width(s) <= cells {
		return s
	}
	n := 0
	for i, r := range s {
		if n += RuneWidth(r); n >= cells {
			return s[:i] + "…"
		}
	}
	return s
}
