package repl

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// A situation is a real one, from a public report about some engine,
// calculator or editor (source tells which): statements, and what is right.
// testdata/situations.jsonl holds one a line. Several answers may be right;
// any of them will do. Numbers are given as JSON numbers or as nan, inf, -inf.
type situation struct {
	Name, Source string
	Input        []string
	Unroll       *struct {
		Before, After []string
		Repeat        *struct {
			From, To int
			Line     string
		}
		Join *struct {
			Head, Sep, Item, Tail string
			Count                 int
			TailItem              string `json:"tail_item"`
			TailCount             int    `json:"tail_count"`
		}
	}
	Expect struct {
		Values    map[string]any
		Grads     [][]map[string]any
		LastValue any `json:"last_value"`
		Errors    []struct {
			Line    int
			Columns []int
		}
		Reltol float64
	}
}

func (s *situation) script() string {
	lines := s.Input
	if u := s.Unroll; u != nil {
		lines = append(lines, u.Before...)
		if r := u.Repeat; r != nil {
			for i := r.From; i <= r.To; i++ {
				lines = append(lines, strings.NewReplacer("{i}", itoa(i), "{i-1}", itoa(i-1)).Replace(r.Line))
			}
		}
		if j := u.Join; j != nil {
			items := strings.TrimSuffix(strings.Repeat(j.Item+j.Sep, j.Count), j.Sep)
			lines = append(lines, j.Head+items+j.Tail+strings.Repeat(j.TailItem, j.TailCount))
		}
		lines = append(lines, u.After...)
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestSituations(t *testing.T) {
	f, err := os.Open("testdata/situations.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	count := 0
	for lines := bufio.NewScanner(f); lines.Scan(); count++ {
		var s situation
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		t.Run(s.Name, func(t *testing.T) { s.play(t) })
	}
	if count < 90 {
		t.Errorf("%d situations", count)
	}
}

func (s *situation) play(t *testing.T) {
	var out strings.Builder
	r := batch(Options{JSON: true}, &out)
	r.lines(strings.NewReader(s.script()), "")
	r.out.flush()

	tolerance := s.Expect.Reltol
	if tolerance == 0 {
		tolerance = 1e-12
	}
	values := map[string]any{}
	refused := map[int]int{}
	grads := 0
	var last any
	for line := range strings.Lines(out.String()) {
		var got struct {
			Kind, Name   string
			Line, Column int
			Value        any
			Grad         map[string]any
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err, line)
		}
		switch got.Kind {
		case "var", "expr":
			values[got.Name] = got.Value
		case "error":
			refused[got.Line] = got.Column
		case "grad":
			last = got.Value
			if grads < len(s.Expect.Grads) {
				right := false
				for _, want := range s.Expect.Grads[grads] {
					right = right || sameGradient(want, got.Grad, tolerance)
				}
				if !right {
					t.Errorf("GRAD %d: %v, want one of %v", grads+1, got.Grad, s.Expect.Grads[grads])
				}
			}
			grads++
		}
	}
	if want := s.Expect.Grads; len(want) > 0 && len(want) != grads {
		t.Errorf("%d gradients, want %d", grads, len(want))
	}
	for name, want := range s.Expect.Values {
		if !sameNumber(want, values[name], tolerance) {
			t.Errorf("%s = %v, want %v", name, values[name], want)
		}
	}
	if want := s.Expect.LastValue; want != nil && !sameNumber(want, last, tolerance) {
		t.Errorf("value %v, want %v", last, want)
	}
	for _, e := range s.Expect.Errors {
		column, ok := refused[e.Line]
		if !ok {
			t.Errorf("line %d was not refused", e.Line)
		}
		right := len(e.Columns) == 0
		for _, c := range e.Columns {
			right = right || c == column
		}
		if ok && !right {
			t.Errorf("line %d: column %d, want one of %v", e.Line, column, e.Columns)
		}
		delete(refused, e.Line)
	}
	if len(refused) > 0 {
		t.Errorf("refused as well: %v", refused)
	}
}

func sameGradient(want, got map[string]any, tolerance float64) bool {
	for name, w := range want {
		if g, ok := got[name]; !ok || !sameNumber(w, g, tolerance) {
			return false
		}
	}
	return true
}

func sameNumber(want, got any, tolerance float64) bool {
	w, g := jsonNumber(want), jsonNumber(got)
	switch {
	case got == nil:
		return false
	case math.IsNaN(w):
		return math.IsNaN(g)
	case math.IsInf(w, 0):
		return w == g
	}
	return math.Abs(w-g) <= tolerance*math.Abs(w)
}

func jsonNumber(v any) float64 {
	var x float64
	if _, err := fmt.Sscan(fmt.Sprint(v), &x); err != nil {
		return math.NaN()
	}
	return x
}
