package grammar

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestNumbers holds literals against their values.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "2": 2, "2.5": 2.5, ".5": 0.5, "5.": 5, "0.1": 0.1, "007": 7, "1e-3": 1e-3, "1E3": 1e3, "5.e2": 500, ".5e+1": 5,
		"1_000": 1000, "1_000.000_5": 1000.0005, "1e1_0": 1e10, "1_2e3": 12e3,
		"9007199254740993": 9007199254740992, "123456789012345": 123456789012345, "1234567890123456789": 1234567890123456789,
		"0.235505713903": 0.235505713903, "0.23550571390294128": 0.23550571390294128, "1e22": 1e22, "1e23": 1e23,
		"1.7976931348623157e308": math.MaxFloat64, "5e-324": 5e-324, "2.2250738585072011e-308": 2.2250738585072011e-308,
		"0e999": 0, "0.0e-999": 0, "0.000000000000000000000001": 1e-24,
	} {
		v, end, d := number([]byte(text), 0)
		if d != nil || v != want || end != len(text) {
			t.Errorf("%s: %v to %d, %v", text, v, end, d)
		}
	}
}

// TestNumbersAreNearest holds random decimals against strconv, in all notations
// that the fast path takes and some that it leaves.
func TestNumbersAreNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		text := strconv.FormatUint(r.Uint64()>>r.IntN(64), 10)
		if r.IntN(2) == 0 {
			at := r.IntN(len(text) + 1)
			text = text[:at] + "." + text[at:]
		}
		if r.IntN(3) == 0 {
			text += fmt.Sprintf("e%d", r.IntN(60)-30)
		}
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		v, end, d := number([]byte(text+" "), 0)
		if d != nil || v != want || end != len(text) {
			t.Fatalf("%s: %v to %d, %v; want %v", text, v, end, d, want)
		}
	}
}

// TestNumbersRoundTrip reads every kind of float64 back from its shortest form.
func TestNumbersRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		want := math.Abs(math.Float64frombits(r.Uint64()))
		if math.IsNaN(want) || math.IsInf(want, 0) {
			continue
		}
		text := strconv.FormatFloat(want, "efg"[r.IntN(3)], -1, 64)
		if v, end, d := number([]byte(text), 0); d != nil || v != want || end != len(text) {
			t.Fatalf("%s: %v to %d, %v; want %v", text, v, end, d, want)
		}
	}
}

// TestSuperscripts holds every raised digit and sign.
func TestSuperscripts(t *testing.T) {
	for text, want := range map[string]float64{"⁰¹²³⁴⁵⁶⁷⁸⁹": 123456789, "⁻⁷": -7, "⁺⁴⁰": 40, "⁰": 0} {
		if v, end, d := raised([]byte(text), 0); d != nil || v != want || end != len(text) {
			t.Errorf("%s: %v to %d, %v", text, v, end, d)
		}
	}
	if v, _, d := raised([]byte(strings.Repeat("⁹", 30)), 0); d != nil || v != 1e30 {
		t.Errorf("thirty nines: %v, %v", v, d)
	}
}
