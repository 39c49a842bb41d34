"""Random numbers by counters: the number of a seed, an index and a draw is the same on every device, in any order.

Philox 4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
SC 2011.
Nothing is stored: a thread gives its own index, and counts its draws itself.

    x = hw.random.uniform(seed, i)
    y = hw.random.normal(seed, i, draw=1)

Of seed, index and draw the low 32 bits count. `philox` takes all 128 bits of a counter and 64 of a key.
"""

from __future__ import annotations

import headwater as hw


@hw.function
def philox_round(a, b, c, d, k, m):
    """One round of a block of four uint32 with the round's two keys."""
    return (
        hw.mulhi(c, hw.uint32(0xCD9E8D57)) ^ b ^ k,
        c * hw.uint32(0xCD9E8D57),
        hw.mulhi(a, hw.uint32(0xD2511F53)) ^ d ^ m,
        a * hw.uint32(0xD2511F53),
    )


@hw.function
def philox(counter, key):
    """Four random uint32 of a counter (a tuple of four uint32) and a key (a tuple of two)."""
    a, b, c, d = counter
    k, m = key
    for step in hw.static_range(10):
        a, b, c, d = philox_round(a, b, c, d, k, m)
        if step < 9:
            k, m = k + hw.uint32(0x9E3779B9), m + hw.uint32(0xBB67AE85)
    return a, b, c, d


@hw.function
def bits(seed, index, draw=0):
    """Four random uint32: of the counter (index, draw, 0, 0) and the key (seed, 0)."""
    zero = hw.uint32(0)
    return philox((hw.uint32(index), hw.uint32(draw), zero, zero), (hw.uint32(seed), zero))


@hw.function
def uniform(seed, index, draw=0):
    """A float32 in [0, 1): one of the 2**24 multiples of 2**-24, each as likely."""
    a, _b, _c, _d = bits(seed, index, draw)
    return hw.float32(a >> 8) * hw.float32(2.0**-24)


@hw.function
def uniform64(seed, index, draw=0):
    """A float64 in [0, 1): one of the 2**53 multiples of 2**-53, each as likely."""
    a, b, _c, _d = bits(seed, index, draw)
    return (hw.float64(a >> 5) * 2.0**26 + hw.float64(b >> 6)) * 2.0**-53


@hw.function
def randint(seed, index, low, high, draw=0):
    """An int32 n with low <= n < high. A value may be more likely than another by (high - low) / 2**32 of itself."""
    a, _b, _c, _d = bits(seed, index, draw)
    span = hw.uint32(high) - hw.uint32(low)
    return hw.int32(hw.uint32(low) + hw.mulhi(a, span))


@hw.function(contract=False)
def normal(seed, index, draw=0):
    """A float32 of the normal distribution with mean 0 and variance 1, between -6.7 and 6.7.

    G. E. P. Box, M. E. Muller, Ann. Math. Statist. 29 (1958).
    """
    a, b, _c, _d = bits(seed, index, draw)
    u = (hw.float32(a) + 0.5) * hw.float32(2.0**-32)
    return hw.sqrt(-2.0 * hw.log(u)) * hw.cospi(hw.float32(b) * hw.float32(2.0**-31))


@hw.function(contract=False)
def normal64(seed, index, draw=0):
    """A float64 of the normal distribution with mean 0 and variance 1, between -8.7 and 8.7."""
    a, b, c, d = bits(seed, index, draw)
    u = (hw.float64(a >> 5) * 2.0**26 + (hw.float64(b >> 6) + 0.5)) * 2.0**-53
    v = (hw.float64(c >> 5) * 2.0**26 + hw.float64(d >> 6)) * 2.0**-52
    return hw.sqrt(-2.0 * hw.log(u)) * hw.cospi(v)
