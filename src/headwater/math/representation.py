"""Functions of the sign, the exponent and the neighbours of a number: by its bits, so subnormal numbers count too."""

from __future__ import annotations

import headwater as hw
from headwater.math.exponential import scaled_float32, scaled_float64
from headwater.math.pieces import signed_float32, signed_float64


@hw.function
def copysign_float32(x, y):
    """abs(x) with the sign of y."""
    return signed_float32(hw.bitcast(hw.bitcast(x, hw.uint32) & 0x7FFFFFFF, hw.float32), y)


@hw.function
def copysign_float64(x, y):
    """abs(x) with the sign of y."""
    magnitude = hw.bitcast(x, hw.uint64) & 0x7FFFFFFFFFFFFFFF
    return signed_float64(hw.bitcast(magnitude, hw.float64), y)


@hw.function
def frexp_float32(x):
    """Gives m and e with x = m * 2**e and 1/2 <= abs(m) < 1; x and 0 for zeros, infinities and NaN."""
    bits = hw.bitcast(x, hw.int32) & 0x7FFFFFFF
    small = bits < 0x00800000
    normal = hw.select(small, hw.bitcast(hw.float32(bits), hw.int32), bits)
    m = hw.bitcast((normal & 0x007FFFFF) | 0x3F000000, hw.float32)
    e = (normal >> 23) - hw.select(small, 126 + 149, 126)
    usual = bits > 0 and bits < 0x7F800000
    return hw.select(usual, signed_float32(m, x), x), hw.select(usual, e, 0)


@hw.function
def frexp_float64(x):
    """Gives m and e with x = m * 2**e and 1/2 <= abs(m) < 1; x and 0 for zeros, infinities and NaN."""
    bits = hw.bitcast(x, hw.int64) & 0x7FFFFFFFFFFFFFFF
    small = bits < 0x0010000000000000
    normal = hw.select(small, hw.bitcast(hw.float64(bits), hw.int64), bits)
    m = hw.bitcast((normal & 0x000FFFFFFFFFFFFF) | 0x3FE0000000000000, hw.float64)
    e = hw.int32(normal >> 52) - hw.select(small, 1022 + 1074, 1022)
    usual = bits > 0 and bits < 0x7FF0000000000000
    return hw.select(usual, signed_float64(m, x), x), hw.select(usual, e, 0)


@hw.function
def ldexp_float32(x, n):
    """Gives x * 2**n for an int32 n, rounded once."""
    m, e = frexp_float32(x)
    exponent = hw.min(hw.max(e + hw.min(hw.max(n, -1000), 1000), -160), 140)
    return scaled_float32(m, exponent + 254)


@hw.function
def ldexp_float64(x, n):
    """Gives x * 2**n for an int32 n, rounded once."""
    m, e = frexp_float64(x)
    exponent = hw.min(hw.max(e + hw.min(hw.max(n, -5000), 5000), -1100), 1040)
    return scaled_float64(m, hw.int64(exponent) + 2046)


@hw.function
def modf_float32(x):
    """The fraction and the whole part, both with the sign of x."""
    whole = hw.trunc(x)
    fraction = hw.select((hw.bitcast(x, hw.uint32) << 1) == 0xFF000000, 0.0, x - whole)
    return copysign_float32(fraction, x), whole


@hw.function
def modf_float64(x):
    """The fraction and the whole part, both with the sign of x."""
    whole = hw.trunc(x)
    fraction = hw.select((hw.bitcast(x, hw.uint64) << 1) == 0xFFE0000000000000, 0.0, x - whole)
    return copysign_float64(fraction, x), whole


@hw.function
def nextafter_float32(x, y):
    """The number next to x on the way to y; y where both are equal."""
    a, b = hw.bitcast(x, hw.int32), hw.bitcast(y, hw.int32)
    # Integers in the order of the numbers; both zeros are 0.
    start = hw.select(a < 0, -(a & 0x7FFFFFFF), a)
    end = hw.select(b < 0, -(b & 0x7FFFFFFF), b)
    step = hw.select(start < end, start + 1, start - 1)
    moved = signed_float32(
        hw.bitcast(abs(step), hw.float32), hw.bitcast(hw.select(step == 0, a, step), hw.float32)
    )
    z = hw.select(start == end, y, moved)
    return hw.select(hw.isnan(x) or hw.isnan(y), x + y, z)


@hw.function
def nextafter_float64(x, y):
    """The number next to x on the way to y; y where both are equal."""
    a, b = hw.bitcast(x, hw.int64), hw.bitcast(y, hw.int64)
    # Integers in the order of the numbers; both zeros are 0.
    start = hw.select(a < 0, -(a & 0x7FFFFFFFFFFFFFFF), a)
    end = hw.select(b < 0, -(b & 0x7FFFFFFFFFFFFFFF), b)
    step = hw.select(start < end, start + 1, start - 1)
    moved = signed_float64(
        hw.bitcast(abs(step), hw.float64), hw.bitcast(hw.select(step == 0, a, step), hw.float64)
    )
    z = hw.select(start == end, y, moved)
    return hw.select(hw.isnan(x) or hw.isnan(y), x + y, z)
