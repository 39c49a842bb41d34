"""Powers of e, 2 and 10.

Method: x = n ln b + r with the integer n nearest to x / ln b, r by two constants (W. J. Cody, W. Waite, Software Manual
for the Elementary Functions, 1980), a minimax polynomial for b**r, and a scaling by 2**n in two steps that rounds once.
n is read off the low bits of a sum with 1.5 * 2**23 (2**52). Polynomials: `python -m validation.mathematics.fits`, fits
`exp`, `exp2` and `exp10`.
"""

from __future__ import annotations

import headwater as hw
from headwater.math.pieces import difference, horner3, horner4

# A sum with these has its integer part, plus 254 (2046), in its low bits.
SHIFT_FLOAT32 = 12583166.0
SHIFT_FLOAT64 = 6755399441057790.0


@hw.function(contract=False)
def scaled_float32(x, exponent):
    """Gives x * 2**(exponent - 254), rounded once; of `exponent`, 2 ... 507, only the low 9 bits count."""
    half = exponent >> 1
    first = hw.bitcast(half << 23, hw.float32)
    second = hw.bitcast((exponent - half) << 23, hw.float32)
    return x * first * second


@hw.function(contract=False)
def scaled_float64(x, exponent):
    """Gives x * 2**(exponent - 2046), rounded once; of `exponent`, 2 ... 4091, only the low 12 bits count."""
    half = exponent >> 1
    first = hw.bitcast(half << 52, hw.float64)
    second = hw.bitcast((exponent - half) << 52, hw.float64)
    return x * first * second


@hw.function
def reduced_float32(x):
    """Gives r, p and the exponent for `scaled_float32`: e**x = (1 + r + r**2 p) * 2**n."""
    shifted = x * 1.442695 + SHIFT_FLOAT32
    n = difference(shifted, SHIFT_FLOAT32)
    r = hw.fma(n, -1.4286068e-06, hw.fma(n, -0.69314575, x))
    p1 = horner4(r, 0.0013821026, 0.008368674, 0.041668262, 0.16666521)
    p = p1 * r + 0.49999994
    return r, p, hw.bitcast(shifted, hw.int32)


@hw.function
def reduced_float64(x):
    """As `reduced_float32`, for `scaled_float64`."""
    shifted = x * 1.4426950408889634 + SHIFT_FLOAT64
    n = difference(shifted, SHIFT_FLOAT64)
    r = hw.fma(n, -5.497923018708371e-14, hw.fma(n, -0.6931471805598903, x))
    p3 = horner4(
        r,
        2.0837238466459806e-09,
        2.5110866929890735e-08,
        2.7557529213707693e-07,
        2.755723871438551e-06,
    )
    p2 = horner4(r, p3, 2.4801587023672783e-05, 0.00019841269891847005, 0.0013888888889032984)
    p1 = horner4(r, p2, 0.008333333333319268, 0.041666666666666415, 0.1666666666666668)
    p = p1 * r + 0.5
    return r, p, hw.bitcast(shifted, hw.int64)


@hw.function(contract=False)
def clamped(x, low, high):
    """x, not below `low` and not above `high`; a NaN stays, and no compiler makes a minimum of it, which loses one."""
    raised = hw.select(x < low, low, x)
    return hw.select(raised > high, high, raised)


@hw.function
def exp_float32(x):
    """e**x."""
    r, p, exponent = reduced_float32(clamped(x, -104.0, 89.0))
    return scaled_float32((p * r + 1.0) * r + 1.0, exponent)


@hw.function
def exp_float64(x):
    """e**x."""
    r, p, exponent = reduced_float64(clamped(x, -746.0, 710.0))
    return scaled_float64((p * r + 1.0) * r + 1.0, exponent)


@hw.function
def exp2_fraction_float32(r):
    """2**r for abs(r) <= 1/2."""
    p1 = horner4(r, 0.00015326498, 0.0013390812, 0.009618506, 0.0555036)
    p = horner3(r, p1, 0.24022648, 0.6931472)
    return p * r + 1.0


@hw.function
def exp2_fraction_float64(r):
    """2**r for abs(r) <= 1/2."""
    p3 = horner4(
        r, 2.73233139539592e-11, 4.479026895429048e-10, 7.053795968294626e-09, 1.017789846370187e-07
    )
    p2 = horner4(r, p3, 1.3215489581490019e-06, 1.525273423516198e-05, 0.00015403530390304803)
    p1 = horner4(r, p2, 0.0013333558145980147, 0.009618129107629875, 0.055504108664823505)
    p = horner3(r, p1, 0.2402265069591007, 0.6931471805599453)
    return p * r + 1.0


@hw.function
def exp2_float32(x):
    """2**x."""
    y = clamped(x, -151.0, 129.0)
    shifted = y + SHIFT_FLOAT32
    r = y - difference(shifted, SHIFT_FLOAT32)
    return scaled_float32(exp2_fraction_float32(r), hw.bitcast(shifted, hw.int32))


@hw.function
def exp2_float64(x):
    """2**x."""
    y = clamped(x, -1076.0, 1025.0)
    shifted = y + SHIFT_FLOAT64
    r = y - difference(shifted, SHIFT_FLOAT64)
    return scaled_float64(exp2_fraction_float64(r), hw.bitcast(shifted, hw.int64))


@hw.function
def exp10_float32(x):
    """10**x."""
    y = clamped(x, -46.0, 39.0)
    shifted = y * 3.321928 + SHIFT_FLOAT32
    n = difference(shifted, SHIFT_FLOAT32)
    r = hw.fma(n, 3.0243555e-06, hw.fma(n, -0.30103302, y))
    p1 = horner4(r, 0.20618074, 0.5418254, 1.1712948, 2.034656)
    p = horner3(r, p1, 2.6509488, 2.3025851)
    return scaled_float32(p * r + 1.0, hw.bitcast(shifted, hw.int32))


@hw.function
def exp10_float64(x):
    """10**x."""
    y = clamped(x, -324.0, 309.0)
    shifted = y * 3.321928094887362 + SHIFT_FLOAT64
    n = difference(shifted, SHIFT_FLOAT64)
    r = hw.fma(n, -2.8363394551044964e-14, hw.fma(n, -0.30102999566395283, y))
    p3 = horner4(
        r, 3.79808307451414e-05, 0.0002387484701891741, 0.0011550311617068915, 0.005014130827296488
    )
    p2 = horner4(r, p3, 0.019597682387631966, 0.06808936035484106, 0.2069958488210981)
    p1 = horner4(r, p2, 0.5393829292429598, 1.1712551489117429, 2.0346785922932837)
    p = horner3(r, p1, 2.6509490552391997, 2.302585092994046)
    return scaled_float64(p * r + 1.0, hw.bitcast(shifted, hw.int64))


@hw.function
def expm1_float32(x):
    """e**x - 1 = ((1 - 2**-n) + expm1(r)) * 2**n."""
    r, p, exponent = reduced_float32(clamped(x, -18.0, 89.0))
    n = hw.min((exponent & 511) - 254, 30)
    inverse = hw.bitcast((127 - n) << 23, hw.float32)
    y = scaled_float32((1.0 - inverse) + (p * (r * r) + r), exponent)
    return hw.select(abs(x) < 2.9802322e-08, x, y)


@hw.function
def expm1_float64(x):
    """e**x - 1 = ((1 - 2**-n) + expm1(r)) * 2**n."""
    r, p, exponent = reduced_float64(clamped(x, -38.0, 710.0))
    n = hw.min((exponent & 4095) - 2046, 60)
    inverse = hw.bitcast((1023 - n) << 52, hw.float64)
    y = scaled_float64((1.0 - inverse) + (p * (r * r) + r), exponent)
    return hw.select(abs(x) < 5.5511151231257827e-17, x, y)
