"""The error function and its complement.

Method: erf(x) = x + x * P(x**2) for abs(x) < 1; else erfc(x) = exp(-x**2) * Q(u) / (x + K) with u = (x - K) / (x + K),
which maps [0, inf) to [-1, 1) (M. M. Shepherd, J. G. Laframboise, Math. Comp. 36 (1981)), and the square as a sum of
two numbers. Minimax polynomials: `python -m validation.mathematics.fits`, fits `erf` and `erfc`.
"""

from __future__ import annotations

import headwater as hw
from headwater.math.exponential import (
    clamped,
    reduced_float32,
    reduced_float64,
    scaled_float32,
    scaled_float64,
)
from headwater.math.pieces import (
    horner4,
    signed_float32,
    signed_float64,
    two_product,
    two_sum,
)


@hw.function
def erf_near_0_float32(x):
    """erf(x) for abs(x) <= 1."""
    z = x * x
    p1 = horner4(z, 7.806904e-05, -0.0007997853, 0.005187162, -0.026853347)
    p = horner4(z, p1, 0.11283579, -0.37612626, 0.12837917)
    return p * x + x


@hw.function
def erf_near_0_float64(x):
    """erf(x) for abs(x) <= 1."""
    z = x * x
    p3 = horner4(
        z,
        1.4321689253510132e-10,
        -1.6452583032120718e-09,
        1.6010298978503153e-08,
        -1.6556729036612937e-07,
    )
    p2 = horner4(z, p3, 1.6481024671865811e-06, -1.4926879573724475e-05, 0.00012055386125529437)
    p1 = horner4(z, p2, -0.0008548328534256303, 0.005223977652671639, -0.026866170648029646)
    p = horner4(z, p1, 0.11283791670971094, -0.376126389031841, 0.1283791670955126)
    return p * x + x


@hw.function
def centered(x, center):
    """Gives t = 1 / (x + K), u = (x - K) / (x + K), and what t lacks, as a part of it."""
    d, d_low = two_sum(x, center)
    t = 1.0 / d
    error = hw.fma(-t, d, 1.0) - t * d_low
    step = (2.0 * center) * t
    return t, (1.0 - step) - step * error, error


@hw.function
def erfc_far_float32(x):
    """erfc(x) for 0.63 <= x <= 10.1."""
    square, square_low = two_product(x, x)
    q, exponent = reduced_float32(-square)
    t, u, error = centered(x, 2.5)
    p2 = horner4(u, -0.00013127438, 0.0008497257, -0.0003148712, -0.0049615065)
    p1 = horner4(u, p2, 0.008367368, 0.028396044, -0.17124955)
    p = horner4(u, p1, 0.45391157, -0.80465186, 1.0540318)
    y = (q + 1.0) * (p * t)
    return scaled_float32(y + y * (error - square_low), exponent)


@hw.function
def erfc_far_float64(x):
    """erfc(x) for 0.63 <= x <= 27.3."""
    square, square_low = two_product(x, x)
    q, exponent = reduced_float64(-square)
    t, u, error = centered(x, 4.0)
    p6 = horner4(
        u,
        2.153762218918036e-08,
        -3.220842805226262e-08,
        -5.532616186315022e-08,
        1.724022024797561e-07,
    )
    p5 = horner4(u, p6, -1.2763650763598573e-08, -9.018345597192687e-07, 1.3853230995588594e-06)
    p4 = horner4(u, p5, 4.7293989655684315e-06, -1.8846306707113207e-05, -3.648372131384226e-06)
    p3 = horner4(u, p4, 0.00017680942147774427, -0.00045504961594606364, -0.0002809583806311717)
    p2 = horner4(u, p3, 0.00611205522343419, -0.026370053380554766, 0.07638151494414072)
    p1 = horner4(u, p2, -0.17401093723819427, 0.33085158787659324, -0.5408538313132665)
    p = horner4(u, p1, 0.7732087022652594, -0.9765487290808819, 1.095995661000491)
    y = (q + 1.0) * (p * t)
    return scaled_float64(y + y * (error - square_low), exponent)


@hw.function
def erf_float32(x):
    """The error function."""
    a = abs(x)
    far = 1.0 - erfc_far_float32(clamped(a, 1.0, 4.0))
    return signed_float32(hw.select(a < 1.0, erf_near_0_float32(a), far), x)


@hw.function
def erf_float64(x):
    """The error function."""
    a = abs(x)
    far = 1.0 - erfc_far_float64(clamped(a, 1.0, 6.0))
    return signed_float64(hw.select(a < 1.0, erf_near_0_float64(a), far), x)


@hw.function
def erfc_float32(x):
    """1 - erf(x)."""
    a = abs(x)
    far = erfc_far_float32(clamped(a, 0.63, 10.1))
    beyond = hw.select(x < 0.0, 2.0 - far, far)
    return hw.select(a < 0.65, 1.0 - erf_near_0_float32(clamped(x, -1.0, 1.0)), beyond)


@hw.function
def erfc_float64(x):
    """1 - erf(x)."""
    a = abs(x)
    far = erfc_far_float64(clamped(a, 0.63, 27.3))
    beyond = hw.select(x < 0.0, 2.0 - far, far)
    return hw.select(a < 0.65, 1.0 - erf_near_0_float64(clamped(x, -1.0, 1.0)), beyond)
