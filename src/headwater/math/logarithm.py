"""Logarithms.

Method: x = 2**e * (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). For float32 log(1 + f) = f + f**2 * P(f) with a
minimax polynomial P. For float64 it is f - h + s * (h + R(s**2)) with h = f**2 / 2, s = f / (2 + f), and R the rest of
2 atanh(s) - 2 s (P. T. P. Tang, ACM TOMS 16 (1990), in the form of K. C. Ng). Subnormal numbers are read as integers.
Polynomials: `python -m validation.mathematics.fits`, fits `log` and `log_ratio`.
"""

from __future__ import annotations

import math

import headwater as hw
from headwater.math.pieces import horner4, quick_two_sum, two_product, two_sum

NAN, INFINITY = math.nan, math.inf


@hw.function
def split_float32(bits):
    """Gives e and f of a positive finite number with these bits (int32)."""
    small = bits < 0x00800000
    normal = hw.select(small, hw.bitcast(hw.float32(bits), hw.int32), bits) - 0x3F3504F3
    e = hw.float32(normal >> 23) - hw.select(small, 149.0, 0.0)
    return e, hw.bitcast((normal & 0x007FFFFF) + 0x3F3504F3, hw.float32) - 1.0


@hw.function
def split_float64(bits):
    """Gives e and f of a positive finite number with these bits (int64)."""
    small = bits < 0x0010000000000000
    normal = hw.select(small, hw.bitcast(hw.float64(bits), hw.int64), bits) - 0x3FE6A09E667F3BCD
    e = hw.float64(normal >> 52) - hw.select(small, 1074.0, 0.0)
    return e, hw.bitcast((normal & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD, hw.float64) - 1.0


@hw.function
def with_limits_float32(x, y):
    """Gives y where x is positive and finite, else what a logarithm has there."""
    bits = hw.bitcast(x, hw.int32)
    at_zero_or_below = hw.select((bits << 1) == 0, -INFINITY, NAN)
    return hw.select(bits > 0, hw.select(bits < 0x7F800000, y, x), at_zero_or_below)


@hw.function
def with_limits_float64(x, y):
    """Gives y where x is positive and finite, else what a logarithm has there."""
    bits = hw.bitcast(x, hw.int64)
    at_zero_or_below = hw.select((bits << 1) == 0, -INFINITY, NAN)
    return hw.select(bits > 0, hw.select(bits < 0x7FF0000000000000, y, x), at_zero_or_below)


@hw.function
def series_float32(f):
    """(log(1 + f) - f) / f**2."""
    p2 = horner4(f, -0.076364614, 0.1276224, -0.13159612, 0.14201578)
    p1 = horner4(f, p2, -0.16623409, 0.20001242, -0.2500082)
    return (p1 * f + 0.3333333) * f - 0.5


@hw.function
def rest_float64(f):
    """log(1 + f) - f."""
    s = f / (2.0 + f)
    z = s * s
    p1 = horner4(
        z, 0.14798272723890768, 0.15313830931999367, 0.1818357239615359, 0.22222198428336745
    )
    p = horner4(z, p1, 0.2857142874369102, 0.3999999999940934, 0.6666666666666735)
    h = 0.5 * f * f
    return s * (h + z * p) - h


@hw.function
def log_of_bits_float32(bits, shift):
    """Gives log(x * 2**shift) of a normal x > 0 with these bits."""
    normal = bits - 0x3F3504F3
    e = hw.float32((normal >> 23) + shift)
    f = hw.bitcast((normal & 0x007FFFFF) + 0x3F3504F3, hw.float32) - 1.0
    return e * 0.6931472 + (series_float32(f) * (f * f) + f)


@hw.function
def log_float32(x):
    """The natural logarithm."""
    bits = hw.bitcast(x, hw.int32)
    y = log_of_bits_float32(bits, 0)
    if hw.uint32(bits - 0x00800000) >= hw.uint32(0x7F000000):
        scaled = hw.bitcast(hw.float32(bits), hw.int32)
        y = with_limits_float32(x, log_of_bits_float32(scaled, -149))
    return y


@hw.function
def log_float64(x):
    """The natural logarithm."""
    e, f = split_float64(hw.bitcast(x, hw.int64))
    y = e * 0.6931471805598903 + (f + (rest_float64(f) + e * 5.497923018708371e-14))
    return with_limits_float64(x, y)


@hw.function
def log2_float32(x):
    """The logarithm to base 2."""
    e, f = split_float32(hw.bitcast(x, hw.int32))
    rest = series_float32(f) * (f * f) * 1.442695 + f * 1.925963e-08
    return with_limits_float32(x, e + hw.fma(f, 1.442695, rest))


@hw.function
def log10_float32(x):
    """The logarithm to base 10."""
    e, f = split_float32(hw.bitcast(x, hw.int32))
    rest = series_float32(f) * (f * f) * 0.4342945 + (f * -1.010305e-08 + e * -3.0243555e-06)
    return with_limits_float32(x, e * 0.30103302 + hw.fma(f, 0.4342945, rest))


@hw.function
def scaled_log_float64(f, factor, rest_of_factor):
    """log(1 + f) times a factor that is the sum of two numbers, as a sum of two numbers."""
    h, low = quick_two_sum(f, rest_float64(f))
    y, error = two_product(h, factor)
    return y, error + (h * rest_of_factor + low * factor)


@hw.function
def log2_float64(x):
    """The logarithm to base 2."""
    e, f = split_float64(hw.bitcast(x, hw.int64))
    y, low = scaled_log_float64(f, 1.4426950408889634, 2.0355273740931033e-17)
    total, error = quick_two_sum(e, y)
    return with_limits_float64(x, total + (error + low))


@hw.function
def log10_float64(x):
    """The logarithm to base 10."""
    e, f = split_float64(hw.bitcast(x, hw.int64))
    y, low = scaled_log_float64(f, 0.4342944819032518, 1.098319650216765e-17)
    total, error = quick_two_sum(e * 0.30102999566395283, y)
    return with_limits_float64(x, total + (error + (low + e * 2.8363394551044964e-14)))


@hw.function
def log_of_sum_float32(u, c, doublings):
    """log((u + c) * 2**doublings) for a normal u > 0 and abs(c) <= ulp(u)."""
    bits = hw.bitcast(u, hw.int32) - 0x3F3504F3
    e = bits >> 23
    f = hw.bitcast((bits & 0x007FFFFF) + 0x3F3504F3, hw.float32) - 1.0
    g = f + c * hw.bitcast((127 - hw.min(e, 127)) << 23, hw.float32)
    n = hw.float32(e) + doublings
    return n * 0.6931472 + (series_float32(g) * (g * g) + g)


@hw.function
def log_of_sum_float64(u, c, doublings):
    """log((u + c) * 2**doublings) for a normal u > 0 and abs(c) <= ulp(u)."""
    bits = hw.bitcast(u, hw.int64) - 0x3FE6A09E667F3BCD
    e = bits >> 52
    f = hw.bitcast((bits & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD, hw.float64) - 1.0
    g = f + c * hw.bitcast((1023 - hw.min(e, 1023)) << 52, hw.float64)
    n = hw.float64(e) + doublings
    return n * 0.6931471805598903 + (g + (rest_float64(g) + n * 5.497923018708371e-14))


@hw.function
def log1p_float32(x):
    """log(1 + x): of the rounded sum and its error."""
    u, c = two_sum(1.0, x)
    y = with_limits_float32(u, log_of_sum_float32(u, c, 0.0))
    return hw.select(abs(x) < 2.9802322e-08, x, y)


@hw.function
def log1p_float64(x):
    """log(1 + x): of the rounded sum and its error."""
    u, c = two_sum(1.0, x)
    y = with_limits_float64(u, log_of_sum_float64(u, c, 0.0))
    return hw.select(abs(x) < 5.5511151231257827e-17, x, y)
