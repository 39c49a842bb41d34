"""Inverse sine, cosine and tangent.

Method: asin(x) = x + x**3 * P(x**2) for abs(x) <= 1/2; above, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)). The
arctangent takes the quotient of the smaller by the larger of two lengths, so that one polynomial on [0, 1] serves all.
Minimax polynomials: `python -m validation.mathematics.fits`, fits `asin` and `atan`.
"""

from __future__ import annotations

import math

import headwater as hw
from headwater.math.pieces import (
    added,
    difference,
    horner3,
    horner4,
    signed_float32,
    signed_float64,
)

NAN = math.nan


@hw.function
def half_angle(a):
    """Gives s = a and z = a * a, but for a > 1/2 s = sqrt(z) and z = (1 - a) / 2; then asin(a) = pi/2 - 2 asin(s)."""
    high = a > 0.5
    z = hw.select(high, 0.5 - 0.5 * a, a * a)
    return high, hw.select(high, hw.sqrt(z), a), z


@hw.function
def asin_rest_float32(s, z):
    """asin(s) - s, where z = s * s <= 1/4."""
    p1 = horner4(z, 0.042158406, 0.02418474, 0.045469154, 0.074953094)
    p = p1 * z + 0.16666752
    return p * (z * s)


@hw.function
def asin_rest_float64(s, z):
    """asin(s) - s, where z = s * s <= 1/4."""
    p3 = horner4(
        z, 0.032626305651821695, -0.020995180106870924, 0.021704560314679374, 0.003707663976381447
    )
    p2 = horner4(z, p3, 0.010779898962807115, 0.011398979947574907, 0.01398081158459708)
    p1 = horner4(z, p2, 0.017351612833240628, 0.022372214936786476, 0.030381942709843453)
    p = horner4(z, p1, 0.04464285717456117, 0.07499999999970866, 0.1666666666666676)
    return p * (z * s)


@hw.function
def asin_float32(x):
    """The inverse sine."""
    high, s, z = half_angle(abs(x))
    rest = asin_rest_float32(s, z)
    near = difference(0.7853982, 2.0 * s) - (2.0 * rest + 4.371139e-08)
    folded = added(0.7853982, near)
    return signed_float32(hw.select(high, folded, s + rest), x)


@hw.function
def asin_float64(x):
    """The inverse sine."""
    high, s, z = half_angle(abs(x))
    rest = asin_rest_float64(s, z)
    near = difference(0.7853981633974483, 2.0 * s) - (2.0 * rest - 6.123233995736766e-17)
    folded = added(0.7853981633974483, near)
    return signed_float64(hw.select(high, folded, s + rest), x)


@hw.function
def acos_float32(x):
    """The inverse cosine."""
    high, s, z = half_angle(abs(x))
    rest = asin_rest_float32(s, z)
    near_minus_1 = 3.1415927 - 2.0 * (s + (rest + 4.371139e-08))
    folded = hw.select(x < 0.0, near_minus_1, 2.0 * (s + rest))
    middle = 1.5707964 - (x + (signed_float32(rest, x) + 4.371139e-08))
    return hw.select(high, folded, middle)


@hw.function
def acos_float64(x):
    """The inverse cosine."""
    high, s, z = half_angle(abs(x))
    rest = asin_rest_float64(s, z)
    near_minus_1 = 3.141592653589793 - 2.0 * (s + (rest - 6.123233995736766e-17))
    folded = hw.select(x < 0.0, near_minus_1, 2.0 * (s + rest))
    middle = 1.5707963267948966 - (x + (signed_float64(rest, x) - 6.123233995736766e-17))
    return hw.select(high, folded, middle)


@hw.function
def atan_rest_float32(t):
    """atan(t) - t for 0 <= t <= 1."""
    z = t * t
    p2 = horner4(z, -0.0017827495, 0.0108685475, -0.031096945, 0.057881452)
    p1 = horner4(z, p2, -0.08399311, 0.10950881, -0.14264016)
    p = horner3(z, p1, 0.1999853, -0.333333)
    return p * (z * t)


@hw.function
def atan_rest_float64(t):
    """atan(t) - t for 0 <= t <= 1."""
    z = t * t
    p6 = horner4(
        z,
        1.3229773742379024e-05,
        -0.00015220892758433863,
        0.0008315496099675253,
        -0.002885581925583622,
    )
    p5 = horner4(z, p6, 0.007197832535898674, -0.013902502434408192, 0.02198699431792637)
    p4 = horner4(z, p5, -0.02990567518495194, 0.036643111258768374, -0.04219241022408139)
    p3 = horner4(z, p4, 0.04722347325330541, -0.05253526458517055, 0.058805297320311305)
    p2 = horner4(z, p3, -0.06666404410002796, 0.07692279887217605, -0.0909090700764813)
    p1 = horner4(z, p2, 0.11111111007333271, -0.14285714282587794, 0.19999999999951745)
    p = p1 * z - 0.3333333333333307
    return p * (z * t)


@hw.function
def atan_float32(x):
    """The inverse tangent."""
    a = abs(x)
    steep = a > 1.0
    t = hw.select(steep, 1.0 / a, a)
    rest = atan_rest_float32(t)
    y = hw.select(steep, (1.5707964 - t) - (rest + 4.371139e-08), t + rest)
    return signed_float32(y, x)


@hw.function
def atan_float64(x):
    """The inverse tangent."""
    a = abs(x)
    steep = a > 1.0
    t = hw.select(steep, 1.0 / a, a)
    rest = atan_rest_float64(t)
    y = hw.select(steep, (1.5707963267948966 - t) - (rest - 6.123233995736766e-17), t + rest)
    return signed_float64(y, x)


@hw.function
def slope(a, b):
    """The smaller of two lengths over the larger: 0 of two zeros, 1 of two infinities; a NaN where one is NaN."""
    shorter = hw.select(a > b, b, a)
    longer = hw.select(a > b, a, b)
    equal = hw.select(longer == 0.0, longer, 1.0)
    # Devices may divide by way of 1 / longer, which must not be subnormal.
    scale = hw.select(longer > 2.0**120, 2.0**-30, 1.0)
    return hw.select(shorter == longer, equal, (shorter * scale) / (longer * scale))


@hw.function
def atan2_float32(y, x):
    """The angle of the point (x, y), from -pi to pi."""
    a, b = abs(y), abs(x)
    t = slope(a, b)
    # atan of the true slope is 0 or pi/2 or pi, plus or minus that of t.
    steep, left = a > b, hw.bitcast(x, hw.int32) < 0
    base = hw.select(steep, 1.5707964, hw.select(left, 3.1415927, 0.0))
    below = hw.select(steep, 4.371139e-08, hw.select(left, 8.742278e-08, 0.0))
    minus = steep != left
    near = hw.select(minus, -t, t)
    rest = hw.select(minus, -atan_rest_float32(t), atan_rest_float32(t))
    return signed_float32((base + near) + (rest - below), y)


@hw.function
def atan2_float64(y, x):
    """The angle of the point (x, y), from -pi to pi."""
    a, b = abs(y), abs(x)
    t = slope(a, b)
    steep, left = a > b, hw.bitcast(x, hw.int64) < 0
    base = hw.select(steep, 1.5707963267948966, hw.select(left, 3.141592653589793, 0.0))
    above = hw.select(steep, 6.123233995736766e-17, hw.select(left, 1.2246467991473532e-16, 0.0))
    minus = steep != left
    near = hw.select(minus, -t, t)
    rest = hw.select(minus, -atan_rest_float64(t), atan_rest_float64(t))
    return signed_float64((base + near) + (rest + above), y)
