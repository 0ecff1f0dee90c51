package engine

import "math"

// What follows are the values of the operations for which package math has no
// function, or one that loses digits somewhere.

func relu(x float64) float64 {
	if x < 0 || x == 0 {
		return 0
	}
	return x // x > 0, or NaN
}

// exp is math.Exp up to its end at 709.78, from which that of some processors is
// a quarter of a unit away. A 1 more or less is far below the last digit there.
func exp(x float64) float64 {
	if x > 709 {
		return math.Expm1(x)
	}
	return math.Exp(x)
}

// log is math.Log, which on some processors takes the leading zeros of the very
// smallest numbers for digits.
func log(x float64) float64 {
	if 0 < x && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// power is x^y. The whole part of the exponent is multiplied out with twice the
// digits (Dekker's product by a fused multiply-add) and an exponent apart,
// because math.Pow is 30 units in the last place off at x^300 and has four
// digits at 1.00000000001^7e13. The special cases are those of math.Pow, but
// for a negative x, also infinite, to a broken power.
func power(x, y float64) float64 {
	switch y {
	case 1:
		return x
	case 2:
		return x * x
	case 3:
		return float64(x*x) * x
	case -1:
		return 1 / x
	}
	whole := math.Trunc(y)
	switch {
	case x < 0 && whole != y:
		return math.NaN()
	case x == 0 || x-x != 0 || y == 0 || !(math.Abs(y) < 1<<63):
		return math.Pow(x, y)
	}
	z, exponent := integerPower(x, int64(whole))
	if whole != y {
		f, e := fractionPower(x, y-whole)
		z, exponent = z*f, exponent+e
	}
	return math.Ldexp(z, exponent)
}

// fractionPower is x^f for x > 0 and |f| < 1, as digits and an exponent of 2. The
// exponent of x is taken apart from its digits so that nothing large is rounded
// before it reaches exp.
func fractionPower(x, f float64) (float64, int) {
	digits, exponent := math.Frexp(x)
	e := float64(exponent)
	n := math.Round(e * f)
	return math.Exp(float64(f*math.Log(digits)) + float64(math.FMA(e, f, -n)*math.Ln2)), int(n)
}

// integerPower is x^k for a finite x that is not 0, as digits and an exponent of
// 2. Its error is about |k| times 2^-104.
func integerPower(x float64, k int64) (float64, int) {
	type wide struct {
		hi, lo   float64 // their sum
		exponent int     // times 2 to this power
	}
	// level keeps hi between 2^-400 and 2^400, so that no product overflows or
	// loses its lo, and the exponent where sums of two are no trouble.
	level := func(w wide) wide {
		for ; math.Abs(w.hi) >= 0x1p400; w.exponent += 400 {
			w.hi, w.lo = w.hi*0x1p-400, w.lo*0x1p-400
		}
		for ; math.Abs(w.hi) < 0x1p-400; w.exponent -= 400 {
			w.hi, w.lo = w.hi*0x1p400, w.lo*0x1p400
		}
		w.exponent = max(-1<<29, min(w.exponent, 1<<29))
		return w
	}
	mul := func(a, b wide) wide {
		p := a.hi * b.hi
		e := math.FMA(a.hi, b.hi, -p) + (float64(a.hi*b.lo) + float64(a.lo*b.hi))
		hi := p + e
		return level(wide{hi, e - (hi - p), a.exponent + b.exponent})
	}
	n := uint64(k)
	if k < 0 {
		n = -n
	}
	r, b := wide{1, 0, 0}, level(wide{x, 0, 0})
	for ; ; b = mul(b, b) {
		if n&1 != 0 {
			r = mul(r, b)
		}
		if n >>= 1; n == 0 {
			break
		}
	}
	if k < 0 {
		q := 1 / r.hi
		return q - float64(q*(math.FMA(q, r.hi, -1)+float64(q*r.lo))), -r.exponent
	}
	return r.hi, r.exponent
}

// sigmoid avoids the overflow of exp(-x) and keeps all digits in both tails.
func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

func softplus(x float64) float64 {
	return relu(x) + math.Log1p(math.Exp(-math.Abs(x)))
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	case x == 0:
		return 0 // also for -0
	}
	return x // NaN
}

// log2 is exact for powers of two, where a product with 1/ln 2 is not, and
// right near 1, where math.Log2 adds 1 to a number near -1.
func log2(x float64) float64 {
	if f, e := math.Frexp(x); f == 0.5 {
		return float64(e - 1)
	}
	return log(x) * (1 / math.Ln2)
}

// log10 is exact for powers of ten.
func log10(x float64) float64 {
	z := log(x) * (1 / math.Ln10)
	if n := math.Round(z); math.Abs(z-n) < 1e-13*math.Abs(n) && math.Pow10(int(n)) == x {
		return n
	}
	return z
}

// asin and acos by the arc tangent of two roots: 1 - x*x and pi/2 - asin(x)
// cancel near 1.
func asin(x float64) float64 { return math.Atan2(x, circle(x)) }

func acos(x float64) float64 { return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) }

// circle is sqrt(1 - x^2), also near 1.
func circle(x float64) float64 { return math.Sqrt((1 - x) * (1 + x)) }

// bell is the slope of sigmoid, with all digits in both tails.
func bell(x float64) float64 { return sigmoid(x) * sigmoid(-x) }

// cosine is x/hypot(x, y), the slope of hypot.
func cosine(x, y float64) float64 { return x / math.Hypot(x, y) }

// atan2 has the sign of y left of the axis also where y/x is too small for a
// number, and math.Atan2 has lost it.
func atan2(y, x float64) float64 {
	z := math.Atan2(y, x)
	if x < 0 {
		return math.Copysign(z, y)
	}
	return z
}

// sinh and cosh go on to 710.47, where exp(x) is out of range and half of it is not.
func sinh(x float64) float64 {
	if math.Abs(x) > 709 {
		return math.Copysign(cosh(x), x)
	}
	return math.Sinh(x)
}

func cosh(x float64) float64 {
	if math.Abs(x) > 709 {
		h := math.Exp(math.Abs(x) / 2)
		return h / 2 * h
	}
	return math.Cosh(x)
}

// gauss is exp(-x^2). The square is taken of a head of 26 bits, which is exact,
// so that no digit is lost in the tail: at 26 the plain form is wrong by 4e-14.
func gauss(x float64) float64 {
	head := math.Float64frombits(math.Float64bits(x) &^ (1<<27 - 1))
	if math.IsInf(x, 0) {
		return 0
	}
	return math.Exp(-head*head) * math.Exp(-(x-head)*(x+head))
}

// pass is the slope of relu, times y: what flows through an open gate.
func pass(x, y float64) float64 {
	switch {
	case x > 0:
		return y
	case x <= 0:
		return 0
	}
	return math.NaN()
}

// keep is pass but for NaN, which does not close it.
func keep(x, y float64) float64 {
	if x <= 0 {
		return 0
	}
	return y
}

// maximum and minimum are the first where both are equal, and NaN where one
// of them is, which math.Max is not beside an infinity.
func maximum(x, y float64) float64 {
	switch {
	case x >= y:
		return x
	case x < y:
		return y
	}
	return x + y // NaN
}

func minimum(x, y float64) float64 {
	switch {
	case x <= y:
		return x
	case x > y:
		return y
	}
	return x + y // NaN
}

// smaller is the share of min(x, y) that belongs to x.
func smaller(x, y float64) float64 { return larger(-x, -y) }

// larger is the share of max(x, y) that belongs to x.
func larger(x, y float64) float64 {
	switch {
	case x > y:
		return 1
	case x < y:
		return 0
	case x == y:
		return 0.5
	case math.IsNaN(x):
		return math.NaN()
	}
	return 0 // y alone is NaN
}

func gate(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * y
}

// squareRoot has no -0, so that its slope at -0 is +Inf as at 0.
func squareRoot(x float64) float64 { return math.Sqrt(x) + 0 }

// nonneg keeps a logarithm's slope from being finite where its value is NaN.
func nonneg(x float64) float64 {
	if x >= 0 {
		return math.Abs(x) // not -0: the slope at 0 is +Inf
	}
	return math.NaN()
}

func powx(x, y float64) float64 {
	if y == 0 {
		return 0
	}
	return y * power(x, y-1)
}

func powy(x, y float64) float64 {
	switch {
	case x == 0 && y >= 0:
		return 0
	case x == 0 && y < 0:
		return math.Inf(-1)
	}
	return power(x, y) * log(x)
}
