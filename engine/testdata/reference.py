#!/usr/bin/env python3
"""Writes reference.txt: values and slopes of every function to 60 digits, rounded once. Needs mpmath.

usage: python3 reference.py > reference.txt
"""
import random
from mpmath import mp, mpf, inf, isnan
import mpmath as m

mp.dps = 60
# exp(-26^2) and the like cancel 300 digits in 1 - erf; mpmath's erfc does not, but sech^2 far out is 1 - tanh^2: write the stable form.
unary = {
    "exp": (m.exp, m.exp),
    "log": (m.log, lambda x: 1 / x),
    "log2": (lambda x: m.log(x) / m.log(2), lambda x: 1 / (x * m.log(2))),
    "log10": (lambda x: m.log(x) / m.log(10), lambda x: 1 / (x * m.log(10))),
    "log1p": (m.log1p, lambda x: 1 / (1 + x)),
    "expm1": (m.expm1, m.exp),
    "sqrt": (m.sqrt, lambda x: 1 / (2 * m.sqrt(x))),
    "cbrt": (lambda x: m.sign(x) * m.cbrt(abs(x)), lambda x: 1 / (3 * m.cbrt(abs(x)) ** 2)),
    "sin": (m.sin, m.cos),
    "cos": (m.cos, lambda x: -m.sin(x)),
    "tan": (m.tan, lambda x: m.sec(x) ** 2),
    "asin": (m.asin, lambda x: 1 / m.sqrt((1 - x) * (1 + x))),
    "acos": (m.acos, lambda x: -1 / m.sqrt((1 - x) * (1 + x))),
    "atan": (m.atan, lambda x: 1 / (1 + x * x)),
    "sinh": (m.sinh, m.cosh),
    "cosh": (m.cosh, m.sinh),
    "tanh": (m.tanh, lambda x: m.sech(x) ** 2),
    "sigmoid": (lambda x: 1 / (1 + m.exp(-x)), lambda x: 1 / ((1 + m.exp(-x)) * (1 + m.exp(x)))),
    "softplus": (lambda x: m.log1p(m.exp(x)), lambda x: 1 / (1 + m.exp(-x))),
    "erf": (m.erf, lambda x: 2 / m.sqrt(m.pi) * m.exp(-x * x)),
    "erfc": (m.erfc, lambda x: -2 / m.sqrt(m.pi) * m.exp(-x * x)),
}
def power_slope(x, y):
    # The program takes y - 1 as a float64; for 0 < y < 1/2 that costs ln(x) * 2^-54, beyond 1e80 more than 1e-14.
    return m.nan if 0 < y < 0.5 and abs(m.log10(x)) > 80 else y * x ** (y - 1)
binary = {
    "div": (lambda x, y: x / y, lambda x, y: 1 / y, lambda x, y: -x / y ** 2),
    "power": (lambda x, y: x ** y, lambda x, y: power_slope(x, y), lambda x, y: x ** y * m.log(x)),
    "hypot": (m.hypot, lambda x, y: x / m.hypot(x, y), lambda x, y: y / m.hypot(x, y)),
    "atan2": (m.atan2, lambda x, y: y / (x * x + y * y), lambda x, y: -x / (x * x + y * y)),
}
random.seed(20)
def spread(low, high, n=25):
    return [random.uniform(low, high) for _ in range(n)]
def decades(low, high, n=15, signs=(1,)):
    return [random.choice(signs) * 10 ** random.uniform(low, high) for _ in range(n)]
both = (1, -1)
near1 = [s for k in (1e-15, 3e-13, 1e-10, 2e-7, 1e-4, 0.01, 0.2) for s in (1 + k, 1 - k)]
points = {
    "exp": spread(-5, 5) + spread(-700, 700),
    "log": spread(0.1, 10) + decades(-300, 300) + near1,
    "log2": spread(0.1, 10) + decades(-300, 300) + near1,
    "log10": spread(0.1, 10) + decades(-300, 300) + near1,
    "log1p": spread(-0.99, 10) + decades(-18, -1, signs=both) + [-1 + 2 ** -40, 1e300],
    "expm1": spread(-5, 5) + decades(-18, -1, signs=both) + [-50.0, 700.0],
    "sqrt": spread(0, 10) + decades(-300, 300),
    "cbrt": spread(-10, 10) + decades(-300, 300, signs=both),
    "sin": spread(-10, 10) + decades(-18, 6, signs=both),
    "cos": spread(-10, 10) + decades(-18, 6, signs=both),
    "tan": spread(-10, 10) + decades(-18, 6, signs=both) + [1.5707, -1.57],
    "asin": spread(-1, 1) + decades(-18, -1, signs=both) + [1 - 2.0 ** -k for k in (5, 20, 40, 52)] + [2.0 ** -k - 1 for k in (5, 30, 52)],
    "acos": spread(-1, 1) + decades(-18, -1, signs=both) + [1 - 2.0 ** -k for k in (5, 20, 40, 52)] + [2.0 ** -k - 1 for k in (5, 30, 52)],
    "atan": spread(-5, 5) + decades(-18, 150, signs=both),
    "sinh": spread(-5, 5) + decades(-18, -1, signs=both) + [700.0, -709.5, 710.3, 710.47],
    "cosh": spread(-5, 5) + decades(-18, -1, signs=both) + [700.0, -709.5, 710.3, 710.47],
    "tanh": spread(-5, 5) + spread(-25, 25) + decades(-18, -1, signs=both) + [300.0, -340.0],
    "sigmoid": spread(-5, 5) + spread(-50, 50) + [-600.0, 600.0, -700.0, 700.0, 36.7],
    "softplus": spread(-5, 5) + spread(-50, 50) + [-600.0, 600.0, 1000.0],
    "erf": spread(-3, 3) + decades(-18, -1, signs=both) + [5.5, -6.0],
    "erfc": spread(-3, 3) + spread(3, 26) + [26.5, -6.0],
    "div": list(zip(spread(-5, 5), spread(-5, 5))) + list(zip(decades(-150, 150, signs=both), decades(-150, 150, signs=both)))
        + [(1e-200, 1e-200), (1e200, 1e200), (3e-300, 7e-300), (3e300, 7e300)],
    "power": list(zip(spread(0.1, 10), spread(-5, 5))) + list(zip(decades(-20, 20), spread(-7, 7)))
        + [(1.0001, 123456.0), (1.0001, 123456.7), (0.999, -3000.25), (1.5, 1000.0), (1.5, 1000.5), (3.0, 500.0), (1 + 1e-9, 1e9), (1 + 1e-9, 1e9 + 0.5),
           (7.0, -300.0), (1e300, 0.3), (1e-300, 0.3), (1e-300, 0.999), (1e300, -0.7), (2.5, 300.125), (10.0, 300.0), (10.0, -290.0), (0.3, 1e-9), (0.5, 1000.0)],
    "hypot": list(zip(spread(-5, 5), spread(-5, 5))) + list(zip(decades(-150, 150, signs=both), decades(-150, 150, signs=both))) + [(3e300, 4e300), (3e-200, 4e-200), (1.0, 1e-9)],
    "atan2": list(zip(spread(-5, 5), spread(-5, 5))) + list(zip(decades(-100, 100, signs=both), decades(-100, 100, signs=both))) + [(3e200, 4e200), (3e-200, 4e-200)],
}
def out(v):
    if isinstance(v, m.mpc) or isnan(v):
        return "-"
    f = float(v)
    return repr(f) if f == 0 or 1e-305 < abs(f) < 1.7e308 else "-"  # what is not an ordinary number is not compared
for name, (f, d) in unary.items():
    for x in points[name]:
        print(name, repr(x), "-", out(f(mpf(x))), out(d(mpf(x))), "-")
for name, (f, dx, dy) in binary.items():
    for x, y in points[name]:
        X, Y = mpf(x), mpf(y)
        print(name, repr(x), repr(y), out(f(X, Y)), out(dx(X, Y)), out(dy(X, Y)))
