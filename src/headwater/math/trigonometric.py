"""Sine, cosine and tangent.

Method: x = k pi / 2 + r with the k nearest to x / (pi / 2), then minimax polynomials for sin(r) and cos(r), or
tan(r). A small r is found by three constants and fused multiply-adds (Cody and Waite, 1980): the first difference is
exact. Above 2**16 (2**40) it comes from the product of x's integer mantissa with the bits of 2 / pi around its
exponent (M. H. Payne, R. N. Hanek, ACM SIGNUM Newsletter 18 (1983)), in unsigned integers of 32 (64) bits.
Polynomials: `python -m validation.mathematics.fits`, fits `sin`, `cos`, `tan`, `sinpi` and `cospi`; constants:
`python -m validation.mathematics.constants`.
"""

from __future__ import annotations

import math

import headwater as hw
from headwater.math.pieces import difference, horner3, horner4, two_product
from headwater.math.two_over_pi import WORDS_32, WORDS_64

NAN = math.nan


@hw.function
def reduced_large_float32(a):
    """Gives r and k (uint32, its low bits count) of a >= 2**16."""
    words = hw.const.array_like(WORDS_32)
    bits = hw.bitcast(a, hw.uint32)
    mantissa = (bits & 0x007FFFFF) | 0x00800000
    start = hw.int32(bits >> 23) - 120
    first, shift = start >> 5, hw.uint32(start & 31)
    word0, word1, word2, word3 = words[first], words[first + 1], words[first + 2], words[first + 3]
    # 96 bits of 2 / pi, of which the first stands for 2 in a * 2 / pi.
    window0 = (word0 << shift) | ((word1 >> 1) >> (31 - shift))
    window1 = (word1 << shift) | ((word2 >> 1) >> (31 - shift))
    window2 = (word2 << shift) | ((word3 >> 1) >> (31 - shift))
    middle = mantissa * window1
    low = middle + hw.mulhi(mantissa, window2)
    carry = hw.select(low < middle, hw.uint32(1), hw.uint32(0))
    high = mantissa * window0 + hw.mulhi(mantissa, window1) + carry
    k = (high + 0x20000000) >> 30
    # The fraction from its sign and its size, top * 2**-24 + rest * 2**-56, so that small ones keep their digits.
    signed = (high << 2) | (low >> 30)
    flip = hw.select(hw.int32(signed) < 0, hw.uint32(0xFFFFFFFF), hw.uint32(0))
    size = signed ^ flip
    top = hw.float32(size >> 8)
    rest = hw.float32(((size & 255) << 24) | (((low << 2) ^ flip) >> 8))
    r, error = two_product(top, 9.362676e-08)
    y = r + (error + (top * -2.6054018e-15 + rest * 2.1799179e-17))
    return hw.select(bits < 0x7F800000, hw.select(flip == 0, y, -y), NAN), k


@hw.function
def reduced_float32(a):
    """The r next to zero with a = k * pi / 2 + r, and k (uint32, its low bits count); a is not negative."""
    shifted = a * 0.63661975 + 12582912.0
    n = difference(shifted, 12582912.0)
    r = hw.fma(n, 1.7151245e-15, hw.fma(n, 4.371139e-08, hw.fma(n, -1.5707964, a)))
    k = hw.bitcast(shifted, hw.uint32)
    if a > 65536.0:
        r, k = reduced_large_float32(a)
    return r, k


@hw.function
def reduced_large_float64(a):
    """Gives r and k (uint64, its low bits count) of a >= 2**40."""
    words = hw.const.array_like(WORDS_64)
    bits = hw.bitcast(a, hw.uint64)
    mantissa = (bits & 0x000FFFFFFFFFFFFF) | 0x0010000000000000
    start = hw.int32(bits >> 52) - 1013
    first, shift = start >> 6, hw.uint64(start & 63)
    word0, word1, word2, word3 = words[first], words[first + 1], words[first + 2], words[first + 3]
    window0 = (word0 << shift) | ((word1 >> 1) >> (63 - shift))
    window1 = (word1 << shift) | ((word2 >> 1) >> (63 - shift))
    window2 = (word2 << shift) | ((word3 >> 1) >> (63 - shift))
    middle = mantissa * window1
    low = middle + hw.mulhi(mantissa, window2)
    carry = hw.select(low < middle, hw.uint64(1), hw.uint64(0))
    high = mantissa * window0 + hw.mulhi(mantissa, window1) + carry
    k = (high + 0x2000000000000000) >> 62
    # The fraction from its sign and its size, top * 2**-54 + rest * 2**-118, so that small ones keep their digits.
    signed = (high << 2) | (low >> 62)
    flip = hw.select(hw.int64(signed) < 0, hw.uint64(0xFFFFFFFFFFFFFFFF), hw.uint64(0))
    size = signed ^ flip
    top = hw.float64(size >> 10)
    rest = hw.float64(((size & 1023) << 54) | (((low << 2) ^ flip) >> 10))
    r, error = two_product(top, 8.71967124502158e-17)
    y = r + (error + (top * 3.3990776836172276e-33 + rest * 4.72694325360589e-36))
    return hw.select(bits < 0x7FF0000000000000, hw.select(flip == 0, y, -y), NAN), k


@hw.function
def reduced_float64(a):
    """The r next to zero with a = k * pi / 2 + r, and k (uint64, its low bits count); a is not negative."""
    shifted = a * 0.6366197723675814 + 6755399441055744.0
    n = difference(shifted, 6755399441055744.0)
    r1 = hw.fma(n, -6.123233995736766e-17, hw.fma(n, -1.5707963267948966, a))
    r = hw.fma(n, 1.4973849048591698e-33, r1)
    k = hw.bitcast(shifted, hw.uint64)
    if a > 1099511627776.0:
        r, k = reduced_large_float64(a)
    return r, k


@hw.function
def sin_and_cos_float32(r):
    """sin(r) and cos(r) for abs(r) < 0.79."""
    z = r * r
    p = horner3(z, -0.00019507877, 0.008332106, -0.16666654)
    q = horner3(z, 2.4430668e-05, -0.0013887301, 0.041666646)
    return p * (z * r) + r, (q * z - 0.5) * z + 1.0


@hw.function
def sin_and_cos_float64(r):
    """sin(r) and cos(r) for abs(r) < 0.79; the error of 1 - z / 2 is put back."""
    z = r * r
    p1 = horner4(
        z,
        1.5893465948837645e-10,
        -2.5050701058147466e-08,
        2.755731333000525e-06,
        -0.00019841269828771698,
    )
    p = horner3(z, p1, 0.008333333333321128, -0.16666666666666627)
    q1 = horner4(
        z,
        -1.1358333840931016e-11,
        2.087569883434207e-09,
        -2.75573141802436e-07,
        2.4801587288916725e-05,
    )
    q = horner3(z, q1, -0.0013888888888873275, 0.041666666666666595)
    h = 0.5 * z
    c = 1.0 - h
    return p * (z * r) + r, c + (difference(1.0 - c, h) + q * (z * z))


@hw.function
def turned_float32(y, quarters, sign):
    """y, negated by bit 1 of `quarters` and by the sign bit of `sign` (uint32)."""
    flip = ((quarters << 30) ^ sign) & 0x80000000
    return hw.bitcast(hw.bitcast(y, hw.uint32) ^ flip, hw.float32)


@hw.function
def turned_float64(y, quarters, sign):
    """y, negated by bit 1 of `quarters` and by the sign bit of `sign` (uint64)."""
    flip = ((quarters << 62) ^ sign) & 0x8000000000000000
    return hw.bitcast(hw.bitcast(y, hw.uint64) ^ flip, hw.float64)


@hw.function
def sin_float32(x):
    """The sine."""
    r, k = reduced_float32(abs(x))
    s, c = sin_and_cos_float32(r)
    return turned_float32(hw.select((k & 1) == 0, s, c), k, hw.bitcast(x, hw.uint32))


@hw.function
def sin_float64(x):
    """The sine."""
    r, k = reduced_float64(abs(x))
    s, c = sin_and_cos_float64(r)
    return turned_float64(hw.select((k & 1) == 0, s, c), k, hw.bitcast(x, hw.uint64))


@hw.function
def cos_float32(x):
    """The cosine."""
    r, k = reduced_float32(abs(x))
    s, c = sin_and_cos_float32(r)
    return turned_float32(hw.select((k & 1) == 0, c, s), k + 1, hw.uint32(0))


@hw.function
def cos_float64(x):
    """The cosine."""
    r, k = reduced_float64(abs(x))
    s, c = sin_and_cos_float64(r)
    return turned_float64(hw.select((k & 1) == 0, c, s), k + 1, hw.uint64(0))


@hw.function
def sincos_float32(x):
    """The sine and the cosine."""
    r, k = reduced_float32(abs(x))
    s, c = sin_and_cos_float32(r)
    even = (k & 1) == 0
    sine = turned_float32(hw.select(even, s, c), k, hw.bitcast(x, hw.uint32))
    return sine, turned_float32(hw.select(even, c, s), k + 1, hw.uint32(0))


@hw.function
def sincos_float64(x):
    """The sine and the cosine."""
    r, k = reduced_float64(abs(x))
    s, c = sin_and_cos_float64(r)
    even = (k & 1) == 0
    sine = turned_float64(hw.select(even, s, c), k, hw.bitcast(x, hw.uint64))
    return sine, turned_float64(hw.select(even, c, s), k + 1, hw.uint64(0))


@hw.function
def tan_float32(x):
    """The tangent."""
    r, k = reduced_float32(abs(x))
    z = r * r
    p1 = horner4(z, 0.0044627246, -8.46922e-05, 0.010972194, 0.021230113)
    p = horner4(z, p1, 0.054069865, 0.13332577, 0.33333352)
    t = p * (z * r) + r
    y = hw.select((k & 1) == 0, t, -1.0 / t)
    return turned_float32(y, hw.uint32(0), hw.bitcast(x, hw.uint32))


@hw.function
def tan_float64(x):
    """The tangent."""
    r, k = reduced_float64(abs(x))
    z = r * r
    p4 = horner4(
        z,
        1.0015183286292622e-05,
        -2.5239988840213603e-05,
        5.057485879700531e-05,
        -2.794136963508678e-05,
    )
    p3 = horner4(z, p4, 6.903330563767126e-05, 8.25720070280043e-05, 0.00024413351546105123)
    p2 = horner4(z, p3, 0.0005887583239900844, 0.0014560666137030636, 0.0035920979545694173)
    p1 = horner4(z, p2, 0.008863238197780949, 0.021869488382718384, 0.053968253973486244)
    p = horner3(z, p1, 0.1333333333332434, 0.33333333333333387)
    t = p * (z * r) + r
    y = hw.select((k & 1) == 0, t, -1.0 / t)
    return turned_float64(y, hw.uint64(0), hw.bitcast(x, hw.uint64))


@hw.function
def quarters(a):
    """Gives k in 0 ... 4 and r with a = k / 2 + r up to whole turns of 2, both exact."""
    turns = a - 2.0 * hw.floor(0.5 * a)
    k = hw.rint(2.0 * turns)
    return k, turns - 0.5 * k


@hw.function
def sinpi_and_cospi_float32(r):
    """sin(pi r) and cos(pi r) for abs(r) <= 1/4."""
    z = r * r
    p = horner3(z, -0.5892776, 2.5497947, -5.167709)
    q = horner4(z, 0.22875471, -1.3347362, 4.0586963, -4.934802)
    return hw.fma(r, 3.1415927, r * (p * z - 8.742278e-08)), q * z + 1.0


@hw.function
def sinpi_and_cospi_float64(r):
    """sin(pi r) and cos(pi r) for abs(r) <= 1/4."""
    z = r * r
    p1 = horner4(
        z, 0.000461563233898194, -0.007370028588357822, 0.08214586978021912, -0.5992645289643187
    )
    p = horner3(z, p1, 2.5501640398738683, -5.167712780049959)
    q1 = horner4(
        z, -0.00010298034423306627, 0.001929340175514922, -0.025806875174877536, 0.2353306297621061
    )
    q = horner4(z, q1, -1.3352627688430896, 4.058712126416665, -4.934802200544679)
    return hw.fma(r, 3.141592653589793, r * (p * z + 1.2246467991473532e-16)), q * z + 1.0


@hw.function
def sinpi_float32(x):
    """sin(pi x); zeros have the sign of x."""
    k, r = quarters(abs(x))
    s, c = sinpi_and_cospi_float32(r)
    y = hw.select(k == 1.0, c, hw.select(k == 3.0, -c, hw.select(k == 2.0, -s, s)))
    return turned_float32(hw.select(y == 0.0, 0.0, y), hw.uint32(0), hw.bitcast(x, hw.uint32))


@hw.function
def sinpi_float64(x):
    """sin(pi x); zeros have the sign of x."""
    k, r = quarters(abs(x))
    s, c = sinpi_and_cospi_float64(r)
    y = hw.select(k == 1.0, c, hw.select(k == 3.0, -c, hw.select(k == 2.0, -s, s)))
    return turned_float64(hw.select(y == 0.0, 0.0, y), hw.uint64(0), hw.bitcast(x, hw.uint64))


@hw.function
def cospi_float32(x):
    """cos(pi x); zeros are positive."""
    k, r = quarters(abs(x))
    s, c = sinpi_and_cospi_float32(r)
    y = hw.select(k == 1.0, -s, hw.select(k == 3.0, s, hw.select(k == 2.0, -c, c)))
    return hw.select(y == 0.0, 0.0, y)


@hw.function
def cospi_float64(x):
    """cos(pi x); zeros are positive."""
    k, r = quarters(abs(x))
    s, c = sinpi_and_cospi_float64(r)
    y = hw.select(k == 1.0, -s, hw.select(k == 3.0, s, hw.select(k == 2.0, -c, c)))
    return hw.select(y == 0.0, 0.0, y)
