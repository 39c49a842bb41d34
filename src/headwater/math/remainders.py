"""Exact remainders, and the operators % and // of floats.

By long division of the mantissas in integers: right for every pair, subnormal numbers included. Each trip gives one
bit of the quotient, so a call takes as many as the exponents of x and y differ by. The operators need that for large
quotients only: for smaller ones a division, and two multiplications and additions that are rounded once, are exact.
"""

from __future__ import annotations

import math

import headwater as hw
from headwater.math.pieces import signed_float32, signed_float64

NAN = math.nan
# Quotients below these are off by less than one, on devices too that divide with an error of 2.5 ulp.
TURNS_FLOAT32, TURNS_FLOAT64 = 2.0**20, 2.0**49


@hw.function
def mantissa_float32(bits):
    """Gives m and e of the number m * 2**(e - 150) with these bits (uint32); the leading bit of m is bit 23."""
    fraction = bits & 0x007FFFFF
    shift = hw.clz(fraction) - 8
    small = bits < 0x00800000
    m = hw.select(small, fraction << hw.uint32(shift), fraction | 0x00800000)
    return m, hw.select(small, 1 - shift, hw.int32(bits >> 23))


@hw.function
def packed_float32(m, e):
    """The number m * 2**(e - 150), which must be exact, for m below 2**24."""
    shift = hw.clz(m) - 8
    normal = (m << hw.uint32(shift)) + (hw.uint32(e - shift - 1) << 23)
    subnormal = hw.select(e >= 1, m << hw.uint32(e - 1), m >> hw.uint32(1 - e))
    bits = hw.select(e - shift < 1, subnormal, normal)
    return hw.bitcast(hw.select(m == 0, hw.uint32(0), bits), hw.float32)


@hw.function
def divided_float32(m, n, trips):
    """The remainder of m * 2**trips by n, and whether the quotient is odd; m < 2 n."""
    rest = m
    for _ in range(trips):
        rest = hw.select(rest >= n, rest - n, rest) << 1
    odd = rest >= n
    return hw.select(odd, rest - n, rest), odd


@hw.function
def with_remainder_limits_float32(x, y, z):
    """Gives z where a remainder of x by y is more than x or NaN."""
    a, b = hw.bitcast(x, hw.uint32) & 0x7FFFFFFF, hw.bitcast(y, hw.uint32) & 0x7FFFFFFF
    undefined = a >= 0x7F800000 or b > 0x7F800000 or b == 0
    return hw.select(undefined, NAN, hw.select(a == 0 or b == 0x7F800000, x, z))


@hw.function
def fmod_float32(x, y):
    """The remainder of the quotient cut off, with the sign of x: exact."""
    m, e = mantissa_float32(hw.bitcast(x, hw.uint32) & 0x7FFFFFFF)
    n, f = mantissa_float32(hw.bitcast(y, hw.uint32) & 0x7FFFFFFF)
    rest, _ = divided_float32(m, n, e - f)
    z = hw.select(e < f, x, signed_float32(packed_float32(rest, f), x))
    return with_remainder_limits_float32(x, y, z)


@hw.function
def remainder_float32(x, y):
    """The remainder of the quotient rounded to nearest, ties to even: exact."""
    m, e = mantissa_float32(hw.bitcast(x, hw.uint32) & 0x7FFFFFFF)
    n, f = mantissa_float32(hw.bitcast(y, hw.uint32) & 0x7FFFFFFF)
    rest, odd = divided_float32(m, n, e - f)
    # In units of half the last place of y, where x may be next below y.
    whole = e >= f
    twice = hw.select(whole, rest << 1, m)
    up = twice > n or (twice == n and whole and odd)
    size = packed_float32(hw.select(up, (n << 1) - twice, twice), f - 1)
    z = signed_float32(size, hw.select(up, -x, x))
    return with_remainder_limits_float32(x, y, hw.select(e < f - 1, x, z))


@hw.function
def mantissa_float64(bits):
    """Gives m and e of the number m * 2**(e - 1075) with these bits (uint64); the leading bit of m is bit 52."""
    fraction = bits & 0x000FFFFFFFFFFFFF
    shift = hw.clz(fraction) - 11
    small = bits < 0x0010000000000000
    m = hw.select(small, fraction << hw.uint64(shift), fraction | 0x0010000000000000)
    return m, hw.select(small, 1 - shift, hw.int32(bits >> 52))


@hw.function
def packed_float64(m, e):
    """The number m * 2**(e - 1075), which must be exact, for m below 2**53."""
    shift = hw.clz(m) - 11
    normal = (m << hw.uint64(shift)) + (hw.uint64(e - shift - 1) << 52)
    subnormal = hw.select(e >= 1, m << hw.uint64(e - 1), m >> hw.uint64(1 - e))
    bits = hw.select(e - shift < 1, subnormal, normal)
    return hw.bitcast(hw.select(m == 0, hw.uint64(0), bits), hw.float64)


@hw.function
def divided_float64(m, n, trips):
    """The remainder of m * 2**trips by n, and whether the quotient is odd; m < 2 n."""
    rest = m
    for _ in range(trips):
        rest = hw.select(rest >= n, rest - n, rest) << 1
    odd = rest >= n
    return hw.select(odd, rest - n, rest), odd


@hw.function
def with_remainder_limits_float64(x, y, z):
    """Gives z where a remainder of x by y is more than x or NaN."""
    a, b = (
        hw.bitcast(x, hw.uint64) & 0x7FFFFFFFFFFFFFFF,
        hw.bitcast(y, hw.uint64) & 0x7FFFFFFFFFFFFFFF,
    )
    undefined = a >= 0x7FF0000000000000 or b > 0x7FF0000000000000 or b == 0
    return hw.select(undefined, NAN, hw.select(a == 0 or b == 0x7FF0000000000000, x, z))


@hw.function
def fmod_float64(x, y):
    """The remainder of the quotient cut off, with the sign of x: exact."""
    m, e = mantissa_float64(hw.bitcast(x, hw.uint64) & 0x7FFFFFFFFFFFFFFF)
    n, f = mantissa_float64(hw.bitcast(y, hw.uint64) & 0x7FFFFFFFFFFFFFFF)
    rest, _ = divided_float64(m, n, e - f)
    z = hw.select(e < f, x, signed_float64(packed_float64(rest, f), x))
    return with_remainder_limits_float64(x, y, z)


@hw.function
def remainder_float64(x, y):
    """The remainder of the quotient rounded to nearest, ties to even: exact."""
    m, e = mantissa_float64(hw.bitcast(x, hw.uint64) & 0x7FFFFFFFFFFFFFFF)
    n, f = mantissa_float64(hw.bitcast(y, hw.uint64) & 0x7FFFFFFFFFFFFFFF)
    rest, odd = divided_float64(m, n, e - f)
    # In units of half the last place of y, where x may be next below y.
    whole = e >= f
    twice = hw.select(whole, rest << 1, m)
    up = twice > n or (twice == n and whole and odd)
    size = packed_float64(hw.select(up, (n << 1) - twice, twice), f - 1)
    z = signed_float64(size, hw.select(up, -x, x))
    return with_remainder_limits_float64(x, y, hw.select(e < f - 1, x, z))


# --- the operators, for both types: `limit` is the one of the type ------------------------------------


@hw.function
def turns(x, y, limit):
    """Gives floor(x / y), exactly, and the remainder x - y * that, rounded once; and whether both are right.

    The rounded quotient is off by one at most, which the remainder shows: it has the sign of y, and is smaller. It may
    be rounded up to y; then the next quotient is too large.
    """
    near = hw.floor(x / y)
    rest = hw.fma(-near, y, x)
    wrong = rest != 0 and (rest < 0) != (y < 0)
    other = hw.select(wrong, near - 1, near + 1)
    moved = hw.fma(-other, y, x)
    fits = moved == 0 or (moved < 0) == (y < 0)
    taken = wrong or (hw.abs(rest) >= hw.abs(y) and fits)
    known = hw.abs(near) < limit and hw.abs(y) < math.inf
    return hw.select(taken, other, near), hw.select(taken, moved, rest), known


@hw.function
def modulo(x, y, limit):
    """Gives x % y as Python does: the remainder of the quotient rounded down, with the sign of y; NaN for y = 0."""
    _, z, known = turns(x, y, limit)
    if not known:
        z = hw.fmod(x, y)
        if z != 0 and (z < 0) != (y < 0):
            z += y
    return hw.select(z == 0, hw.copysign(z, y), z)


@hw.function
def floor_divide(x, y, limit):
    """Gives x // y as Python does: the quotient, rounded down; x / y for y = 0. Python's own steps for large ones."""
    z, _, known = turns(x, y, limit)
    if not known:
        rest = hw.fmod(x, y)
        quotient = (x - rest) / y
        if rest != 0 and (rest < 0) != (y < 0):
            quotient -= 1
        z = hw.floor(quotient)
        z = hw.select(quotient - z > 0.5, z + 1, z)
        z = hw.select(quotient == 0, hw.copysign(quotient, x / y), z)
        z = hw.select(y == 0, x / y, z)
    return z


@hw.function
def modulo_float32(x, y):
    """Gives x % y."""
    return modulo(x, y, TURNS_FLOAT32)


@hw.function
def modulo_float64(x, y):
    """Gives x % y."""
    return modulo(x, y, TURNS_FLOAT64)


@hw.function
def floor_divide_float32(x, y):
    """Gives x // y."""
    return floor_divide(x, y, TURNS_FLOAT32)


@hw.function
def floor_divide_float64(x, y):
    """Gives x // y."""
    return floor_divide(x, y, TURNS_FLOAT64)
