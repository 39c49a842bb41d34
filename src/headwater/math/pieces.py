"""What several functions share: exact sums and products, rounding by a large addend, scaling by powers of two.

The exact ones are `contract=False`: their steps must be rounded as written, and no compiler may join them.

T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18 (1971);
D. E. Knuth, The Art of Computer Programming, vol. 2, section 4.2.2.
"""

from __future__ import annotations

import headwater as hw


@hw.function(contract=False)
def difference(a, b):
    """Gives a - b, rounded; it is not joined with whatever made a or b."""
    return a - b


@hw.function(contract=False)
def added(a, b):
    """Gives a + b, rounded; it is not joined with whatever made a or b."""
    return a + b


@hw.function(contract=False)
def quick_two_sum(a, b):
    """The rounded sum and its error, for |a| >= |b| or a = 0 (Dekker)."""
    total = a + b
    return total, b - (total - a)


@hw.function(contract=False)
def two_sum(a, b):
    """The rounded sum and its error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@hw.function(contract=False)
def two_product(a, b):
    """The rounded product and its error."""
    rounded = a * b
    return rounded, hw.fma(a, b, -rounded)


@hw.function
def horner3(x, a, b, c):
    """Gives a x**2 + b x + c."""
    return (a * x + b) * x + c


@hw.function
def horner4(x, a, b, c, d):
    """Gives a x**3 + b x**2 + c x + d."""
    return ((a * x + b) * x + c) * x + d


@hw.function
def signed_float32(magnitude, sign):
    """`magnitude` (not negative) with the sign bit of `sign`."""
    bits = hw.bitcast(magnitude, hw.uint32) | (hw.bitcast(sign, hw.uint32) & 0x80000000)
    return hw.bitcast(bits, hw.float32)


@hw.function
def signed_float64(magnitude, sign):
    """`magnitude` (not negative) with the sign bit of `sign`."""
    bits = hw.bitcast(magnitude, hw.uint64) | (hw.bitcast(sign, hw.uint64) & 0x8000000000000000)
    return hw.bitcast(bits, hw.float64)
