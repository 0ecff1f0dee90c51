package repl

import (
	"math"
	"testing"
)

// luminance is that of an entry of the table of 256 colours, as WCAG 2 has it:
// 0 is black and 1 white.
func luminance(n int) float64 {
	var c [3]int
	if n >= 232 {
		c[0], c[1], c[2] = 8+10*(n-232), 8+10*(n-232), 8+10*(n-232)
	} else {
		steps := [6]int{0, 95, 135, 175, 215, 255}
		n -= 16
		c = [3]int{steps[n/36], steps[n/6%6], steps[n%6]}
	}
	linear := func(v int) float64 {
		x := float64(v) / 255
		if x <= 0.03928 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

// TestThemeContrast holds the palette to what its comment promises.
func TestThemeContrast(t *testing.T) {
	for r, attributes := range palette {
		if len(attributes) < 3 || attributes[0] != 38 {
			continue
		}
		l := luminance(int(attributes[2]))
		if black, white := (l+0.05)/0.05, 1.05/(l+0.05); black < 3.8 || white < 3.8 {
			t.Errorf("role %d: contrast %.2f on black, %.2f on white", r, black, white)
		}
	}
}
