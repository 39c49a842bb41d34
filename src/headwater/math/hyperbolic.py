"""Hyperbolic functions and their inverses.

Method: polynomials next to 0, where differences of exponentials cancel; else exponentials. The inverses are logarithms
of a sum of two numbers, so that nothing is lost next to 1. Minimax polynomials:
`python -m validation.mathematics.fits`, fits `sinh`, `tanh` and `atanh`.
"""

from __future__ import annotations

import math

import headwater as hw
from headwater.math.exponential import (
    clamped,
    reduced_float32,
    reduced_float64,
    scaled_float32,
    scaled_float64,
)
from headwater.math.logarithm import log_of_sum_float32, log_of_sum_float64
from headwater.math.pieces import (
    difference,
    horner3,
    horner4,
    quick_two_sum,
    signed_float32,
    signed_float64,
    two_sum,
)

NAN, INFINITY = math.nan, math.inf


@hw.function
def half_exp_float32(a):
    """e**a / 2 for a >= 0."""
    r, e, exponent = reduced_float32(clamped(a, 0.0, 91.0))
    return scaled_float32((e * r + 1.0) * r + 1.0, exponent - 1)


@hw.function
def half_exp_float64(a):
    """e**a / 2 for a >= 0."""
    r, e, exponent = reduced_float64(clamped(a, 0.0, 712.0))
    return scaled_float64((e * r + 1.0) * r + 1.0, exponent - 1)


@hw.function
def sinh_float32(x):
    """The hyperbolic sine."""
    a = abs(x)
    z = a * a
    p = horner4(z, 2.7822134e-06, 0.00019842896, 0.0083333105, 0.16666667)
    grown = half_exp_float32(a)
    return signed_float32(hw.select(a < 1.0, p * (z * a) + a, grown - 0.25 / grown), x)


@hw.function
def sinh_float64(x):
    """The hyperbolic sine."""
    a = abs(x)
    z = a * a
    p1 = horner4(
        z,
        7.776607009313809e-13,
        1.6056659007494634e-10,
        2.5052131000063948e-08,
        2.7557319106752005e-06,
    )
    p = horner4(z, p1, 0.00019841269841593416, 0.008333333333332912, 0.16666666666666669)
    grown = half_exp_float64(a)
    return signed_float64(hw.select(a < 1.0, p * (z * a) + a, grown - 0.25 / grown), x)


@hw.function
def cosh_float32(x):
    """The hyperbolic cosine."""
    grown = half_exp_float32(abs(x))
    return grown + 0.25 / grown


@hw.function
def cosh_float64(x):
    """The hyperbolic cosine."""
    grown = half_exp_float64(abs(x))
    return grown + 0.25 / grown


@hw.function
def tanh_float32(x):
    """The hyperbolic tangent."""
    a = abs(x)
    z = a * a
    p1 = horner4(z, -0.006159795, 0.020994198, -0.053834535, 0.1333243)
    p = p1 * z - 0.33333313
    r, e, exponent = reduced_float32(clamped(2.0 * a, 0.0, 20.0))
    far = 1.0 - 2.0 / (scaled_float32((e * r + 1.0) * r + 1.0, exponent) + 1.0)
    return signed_float32(hw.select(a < 0.56, p * (z * a) + a, far), x)


@hw.function
def tanh_float64(x):
    """The hyperbolic tangent."""
    a = abs(x)
    z = a * a
    p3 = horner4(
        z,
        -1.8743991584313428e-05,
        8.209441520260528e-05,
        -0.0002325251097417876,
        0.0005881065086775898,
    )
    p2 = horner4(z, p3, -0.0014554603997879985, 0.003592079185335878, -0.008863231326250654)
    p1 = horner4(z, p2, 0.021869488307841235, -0.05396825396102949, 0.1333333333332191)
    p = p1 * z - 0.3333333333333327
    r, e, exponent = reduced_float64(clamped(2.0 * a, 0.0, 44.0))
    far = 1.0 - 2.0 / (scaled_float64((e * r + 1.0) * r + 1.0, exponent) + 1.0)
    return signed_float64(hw.select(a < 0.56, p * (z * a) + a, far), x)


@hw.function
def asinh_sum(a):
    """Gives u and c with u + c = a + sqrt(1 + a * a)."""
    square = a * a
    h, low = quick_two_sum(a, square / (1.0 + hw.sqrt(1.0 + square)))
    u, c = two_sum(1.0, h)
    return u, c + low


@hw.function
def asinh_float32(x):
    """The inverse hyperbolic sine."""
    a = abs(x)
    u, c = asinh_sum(a)
    large = a > 4096.0
    y = log_of_sum_float32(
        hw.select(large, a, u), hw.select(large, 0.0, c), hw.select(large, 1.0, 0.0)
    )
    return signed_float32(hw.select(a < INFINITY, y, a), x)


@hw.function
def asinh_float64(x):
    """The inverse hyperbolic sine."""
    a = abs(x)
    u, c = asinh_sum(a)
    large = a > 134217728.0
    y = log_of_sum_float64(
        hw.select(large, a, u), hw.select(large, 0.0, c), hw.select(large, 1.0, 0.0)
    )
    return signed_float64(hw.select(a < INFINITY, y, a), x)


@hw.function
def acosh_sum(x):
    """Gives u and c with u + c = x + sqrt(x * x - 1) = 1 + (t + sqrt(t * t + 2 t)), t = x - 1."""
    t = x - 1.0
    square = hw.fma(t, t, t + t)
    root = hw.sqrt(square)
    missing = hw.fma(-root, root, square) + hw.fma(t, t, difference(t + t, square))
    h, low = quick_two_sum(root, t)
    u, c = two_sum(1.0, h)
    return u, c + (low + hw.select(t > 0.0, missing / (root + root), 0.0))


@hw.function
def acosh_float32(x):
    """The inverse hyperbolic cosine; NaN below 1."""
    u, c = acosh_sum(x)
    large = x > 4096.0
    y = log_of_sum_float32(
        hw.select(large, x, u), hw.select(large, 0.0, c), hw.select(large, 1.0, 0.0)
    )
    return hw.select(x < 1.0, NAN, hw.select(x < INFINITY, y, x))


@hw.function
def acosh_float64(x):
    """The inverse hyperbolic cosine; NaN below 1."""
    u, c = acosh_sum(x)
    large = x > 134217728.0
    y = log_of_sum_float64(
        hw.select(large, x, u), hw.select(large, 0.0, c), hw.select(large, 1.0, 0.0)
    )
    return hw.select(x < 1.0, NAN, hw.select(x < INFINITY, y, x))


@hw.function
def atanh_float32(x):
    """The inverse hyperbolic tangent; NaN outside [-1, 1]."""
    a = abs(x)
    z = a * a
    p1 = horner4(z, 0.17640647, 0.051585916, 0.11816822, 0.14223742)
    p = horner3(z, p1, 0.20002455, 0.33333302)
    u, c = two_sum(1.0, 2.0 * a / (1.0 - a))
    far = 0.5 * log_of_sum_float32(u, c, 0.0)
    limit = hw.select(a == 1.0, INFINITY, NAN)
    y = hw.select(a < 0.5, p * (z * a) + a, hw.select(a < 1.0, far, limit))
    return signed_float32(y, x)


@hw.function
def atanh_float64(x):
    """The inverse hyperbolic tangent; NaN outside [-1, 1]."""
    a = abs(x)
    z = a * a
    p4 = horner4(
        z, 0.24123227543455122, -0.19630103148244274, 0.17508239625564573, -0.005400425048670475
    )
    p3 = horner4(z, p4, 0.059584467126466215, 0.050576206912972585, 0.05907483403500264)
    p2 = horner4(z, p3, 0.06664482029452513, 0.07692440737403486, 0.09090903583873113)
    p1 = horner4(z, p2, 0.11111111258248109, 0.14285714283388187, 0.20000000000018558)
    p = p1 * z + 0.3333333333333328
    u, c = two_sum(1.0, 2.0 * a / (1.0 - a))
    far = 0.5 * log_of_sum_float64(u, c, 0.0)
    limit = hw.select(a == 1.0, INFINITY, NAN)
    y = hw.select(a < 0.5, p * (z * a) + a, hw.select(a < 1.0, far, limit))
    return signed_float64(y, x)
