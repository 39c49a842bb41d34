"""Powers and roots.

Method of pow: 2**(y log2 x), where log2 x and its product with y are sums of two numbers, exact to about 2**-38
(2**-66). log2(1 + f) is s * (2 / ln 2 + s**2 * Q(s**2)) with s = f / (2 + f), in T. J. Dekker's arithmetic (Numer.
Math. 18 (1971)). cbrt: a guess from the exponent, steps of Halley, and one of Newton with an exact residual. Minimax
polynomials: `python -m validation.mathematics.fits`, fits `log2_ratio` and `exp2`.
"""

from __future__ import annotations

import math

import headwater as hw
from headwater.math.exponential import (
    SHIFT_FLOAT32,
    SHIFT_FLOAT64,
    clamped,
    exp2_fraction_float32,
    exp2_fraction_float64,
    scaled_float32,
    scaled_float64,
)
from headwater.math.logarithm import split_float32, split_float64
from headwater.math.pieces import (
    difference,
    horner4,
    quick_two_sum,
    signed_float32,
    signed_float64,
    two_product,
)

NAN, INFINITY = math.nan, math.inf


@hw.function
def ratio_parts(f):
    """Gives f / (2 + f) and its square, each as a sum of two numbers."""
    d, d_low = quick_two_sum(2.0, f)
    inverse = 1.0 / d
    s = f * inverse
    s_low = hw.fma(-s, d_low, hw.fma(-s, d, f)) * inverse
    z, error = two_product(s, s)
    return s, s_low, z, error + 2.0 * s * s_low


@hw.function
def series_parts(s, s_low, z, z_low, first, first_low, second, rest):
    """Gives s * (first + z * (second + rest)) as a sum of two numbers."""
    w, w_low = quick_two_sum(second, rest)
    t, t_error = two_product(z, w)
    v, v_low = quick_two_sum(first, t)
    v_rest = v_low + (first_low + (t_error + (z * w_low + z_low * w)))
    y, y_error = two_product(s, v)
    return y, y_error + (s * v_rest + s_low * v)


@hw.function
def sum_of_parts(e, y, low):
    """Gives e + y + low as a sum of two numbers; abs(e) >= abs(y) or e = 0."""
    total, error = quick_two_sum(e, y)
    return quick_two_sum(total, error + low)


@hw.function
def log2_parts_float32(x):
    """log2(x) of a positive finite x as a sum of two numbers."""
    e, f = split_float32(hw.bitcast(x, hw.int32))
    s, s_low, z, z_low = ratio_parts(f)
    p = horner4(z, 0.41625017, 0.31035858, 0.41244462, 0.57707566)
    y, low = series_parts(s, s_low, z, z_low, 2.88539, 3.851926e-08, 0.9617967, p * z)
    return sum_of_parts(e, y, low)


@hw.function
def log2_parts_float64(x):
    """log2(x) of a positive finite x as a sum of two numbers."""
    e, f = split_float64(hw.bitcast(x, hw.int64))
    s, s_low, z, z_low = ratio_parts(f)
    p2 = horner4(
        z, 0.06733262350545657, 0.18233783670544398, 0.19164119820099965, 0.22197464033981476
    )
    p1 = horner4(z, p2, 0.262307816786534, 0.32059890171139305, 0.41219858309044255)
    p = p1 * z + 0.5770780163556407
    y, low = series_parts(
        s, s_low, z, z_low, 2.8853900817779268, 4.0710547481862066e-17, 0.9617966939259756, p * z
    )
    return sum_of_parts(e, y, low)


@hw.function
def exp2_parts_float32(h, low):
    """2**(h + low), abs(low) much smaller than 1, as a number and the exponent for `scaled_float32`.

    Where abs(h) is 160 or more, `low` does not count: it may be NaN.
    """
    y = clamped(h, -250.0, 160.0)
    shifted = y + SHIFT_FLOAT32
    r = (y - difference(shifted, SHIFT_FLOAT32)) + hw.select(abs(h) < 160.0, low, 0.0)
    return exp2_fraction_float32(r), hw.bitcast(shifted, hw.int32)


@hw.function
def exp2_parts_float64(h, low):
    """2**(h + low), abs(low) much smaller than 1, as a number and the exponent for `scaled_float64`.

    Where abs(h) is 1100 or more, `low` does not count: it may be NaN.
    """
    y = clamped(h, -2040.0, 1100.0)
    shifted = y + SHIFT_FLOAT64
    r = (y - difference(shifted, SHIFT_FLOAT64)) + hw.select(abs(h) < 1100.0, low, 0.0)
    return exp2_fraction_float64(r), hw.bitcast(shifted, hw.int64)


@hw.function
def with_power_limits(x, y, magnitude, integral, odd, left):
    """abs(x)**y with the sign and the special cases of C's pow; `left` is the sign bit of x."""
    a = abs(x)
    signed = hw.select(left and odd, -magnitude, magnitude)
    undefined = left and not integral and a > 0.0 and a < INFINITY
    known = (y == 0.0) or (x == 1.0) or (a == 1.0 and abs(y) == INFINITY)
    return hw.select(known, 1.0, hw.select(undefined, NAN, signed))


@hw.function
def exponent_sum(a, y, h, low):
    """Gives y * (h + low) as a sum of two numbers, where h + low = log2(a); infinite for a = 0 and infinite a."""
    limit = hw.select(a == 0.0, -INFINITY, hw.select(a < INFINITY, h, a))
    product, error = two_product(y, limit)
    return product, error + y * low


@hw.function
def pow_float32(x, y):
    """x**y."""
    a = abs(x)
    h, low = log2_parts_float32(a)
    total, rest = exponent_sum(a, y, h, low)
    power, exponent = exp2_parts_float32(total, rest)
    magnitude = scaled_float32(power, exponent)
    size = abs(y)
    integral = hw.trunc(y) == y
    odd = integral and size < 16777216.0 and (hw.int32(clamped(size, 0.0, 16777216.0)) & 1) == 1
    return with_power_limits(x, y, magnitude, integral, odd, hw.bitcast(x, hw.int32) < 0)


@hw.function
def pow_float64(x, y):
    """x**y."""
    a = abs(x)
    h, low = log2_parts_float64(a)
    total, rest = exponent_sum(a, y, h, low)
    power, exponent = exp2_parts_float64(total, rest)
    magnitude = scaled_float64(power, exponent)
    size = abs(y)
    integral = hw.trunc(y) == y
    whole = hw.int64(clamped(size, 0.0, 9007199254740992.0))
    odd = integral and (whole & 1) == 1
    return with_power_limits(x, y, magnitude, integral, odd, hw.bitcast(x, hw.int64) < 0)


@hw.function
def halley(t, a):
    """A better cube root of a than t."""
    cube = t * t * t
    return t * ((cube + (a + a)) / ((cube + cube) + a))


@hw.function
def corrected_root(t, a):
    """One step of Newton for the cube root of a, with the residual as if it were exact."""
    square, square_low = two_product(t, t)
    cube, cube_low = two_product(square, t)
    residual = difference(cube, a) + (cube_low + square_low * t)
    return t - residual / (3.0 * square)


@hw.function
def cbrt_float32(x):
    """The cube root. Numbers near either end are scaled; subnormal ones are read as integers, in units of 2**-149."""
    a = abs(x)
    bits = hw.bitcast(a, hw.int32)
    subnormal, small, large = bits < 0x00800000, a < 2.0**-96, a > 2.0**96
    factor = hw.select(small, 2.0**90, hw.select(large, 2.0**-96, 1.0))
    scaled = hw.select(subnormal, hw.float32(bits) * 2.0**-59, a * factor)
    thirds = hw.float32(hw.bitcast(scaled, hw.int32)) * 0.33333334
    guess = hw.bitcast(hw.int32(thirds) + 0x2A5119F2, hw.float32)
    root = corrected_root(halley(guess, scaled), scaled)
    y = root * hw.select(small, 2.0**-30, hw.select(large, 2.0**32, 1.0))
    usual = bits > 0 and bits < 0x7F800000
    return signed_float32(hw.select(usual, y, a), x)


@hw.function
def cbrt_float64(x):
    """The cube root. Subnormal numbers are read as integers, in units of 2**-1074, and large ones scaled."""
    a = abs(x)
    bits = hw.bitcast(a, hw.int64)
    small, large = bits < 0x0010000000000000, a > 2.0**900
    scaled = hw.select(small, hw.float64(bits), hw.select(large, 2.0**-300 * a, a))
    thirds = hw.float64(hw.bitcast(scaled, hw.int64)) * 0.3333333333333333
    guess = hw.bitcast(hw.int64(thirds) + 0x2A9F789300000000, hw.float64)
    root = corrected_root(halley(halley(guess, scaled), scaled), scaled)
    y = root * hw.select(small, 2.0**-358, hw.select(large, 2.0**100, 1.0))
    usual = bits > 0 and bits < 0x7FF0000000000000
    return signed_float64(hw.select(usual, y, a), x)


@hw.function
def length(a, b):
    """sqrt(a * a + b * b) for a >= b >= 0 whose squares neither overflow nor vanish."""
    square, error = two_product(a, a)
    return hw.sqrt(square + (b * b + error))


@hw.function
def hypot_float32(x, y):
    """sqrt(x * x + y * y) without overflow; infinite where one is, even beside a NaN."""
    a, b = hw.max(abs(x), abs(y)), hw.min(abs(x), abs(y))
    large, small = a > 2.0**60, a < 2.0**-40
    scale = hw.select(large, 2.0**-70, hw.select(small, 2.0**90, 1.0))
    back = hw.select(large, 2.0**70, hw.select(small, 2.0**-90, 1.0))
    z = length(a * scale, b * scale) * back
    infinite = abs(x) == INFINITY or abs(y) == INFINITY
    return hw.select(infinite, INFINITY, hw.select(hw.isnan(x), x, hw.select(hw.isnan(y), y, z)))


@hw.function
def hypot_float64(x, y):
    """sqrt(x * x + y * y) without overflow; infinite where one is, even beside a NaN."""
    a, b = hw.max(abs(x), abs(y)), hw.min(abs(x), abs(y))
    large, small = a > 2.0**500, a < 2.0**-450
    scale = hw.select(large, 2.0**-600, hw.select(small, 2.0**700, 1.0))
    back = hw.select(large, 2.0**600, hw.select(small, 2.0**-700, 1.0))
    z = length(a * scale, b * scale) * back
    infinite = abs(x) == INFINITY or abs(y) == INFINITY
    return hw.select(infinite, INFINITY, hw.select(hw.isnan(x), x, hw.select(hw.isnan(y), y, z)))
