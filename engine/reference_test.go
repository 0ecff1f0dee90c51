package engine

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Values and slopes are within 1e-14 of references computed with 60 digits,
// relative, also where the obvious formula is not.
func TestReference(t *testing.T) {
	f, err := os.Open("testdata/reference.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	worst := map[string]float64{}
	lines := bufio.NewScanner(f)
	count := 0
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		op, ok := Named(fields[0])
		if !ok || len(fields) != 6 {
			t.Fatalf("reference.txt: %s", lines.Text())
		}
		var num [6]float64
		for i, s := range fields[1:] {
			if num[i+1] = math.NaN(); s != "-" {
				if num[i+1], err = strconv.ParseFloat(s, 64); err != nil {
					t.Fatal(err)
				}
			}
		}
		tape := NewTape()
		x, y := arguments(tape, op, [2]float64{num[1], num[2]})
		z := tape.Apply(op, x, y)
		for i, got := range []float64{z.Value(), tape.Slope(z.Node(), 0), tape.Slope(z.Node(), 1)} {
			want := num[3+i]
			if want != want {
				continue
			}
			count++
			name := fields[0] + []string{"", "'x", "'y"}[i]
			e := math.Abs(got-want) / math.Abs(want)
			if want == 0 {
				e = math.Abs(got)
			}
			worst[name] = max(worst[name], e)
			if !(e <= 1e-14) {
				t.Errorf("%s(%s, %s) = %v, want %v, off by %.2g", name, fields[1], fields[2], got, want, e)
			}
		}
		if op == OpPower { // also with a constant exponent
			z := tape.Power(x, tape.Const(num[2]))
			got, want := tape.Slope(z.Node(), 0), num[4]
			if want == want && !(math.Abs(got-want) <= 1e-14*math.Abs(want)) {
				t.Errorf("%s^%s has slope %v, want %v, off by %.2g", fields[1], fields[2], got, want, math.Abs(got-want)/math.Abs(want))
			}
		}
	}
	if lines.Err() != nil || count < 1500 {
		t.Errorf("%d numbers compared, %v", count, lines.Err())
	}
	for name, e := range worst {
		t.Logf("%-10s %.1e", name, e)
	}
}
