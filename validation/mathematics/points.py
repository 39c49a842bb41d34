"""Arguments: every float32, samples of intervals, and points where reductions go wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mpmath as mp
import numpy as np
from validation.mathematics.functions import Function, Interval

Array = np.ndarray[Any, np.dtype[Any]]
CHUNK = 1 << 16
_BITS = {"float32": (np.uint32, 24, 127), "float64": (np.uint64, 53, 1023)}

_INTEGERS = (0.0, 1.0, 2.0, 3.0, 4.0, 7.0, 10.0, 1e5, 2.0**24, 2.0**24 + 2, 2.0**53)
SPECIAL = (*_INTEGERS, 0.5, 1.5, 2.5, np.inf, np.nan)


def every_float32() -> Iterator[Array]:
    """All 2**32 values, in parts."""
    for start in range(0, 1 << 32, CHUNK):
        yield np.arange(start, start + CHUNK, dtype=np.uint32).view(np.float32)


def special(dtype: np.dtype[Any]) -> Array:
    """Zeros, infinities, NaN, small integers, and both ends of the normal and the subnormal range."""
    limits = np.finfo(dtype)
    ends = [
        limits.max,
        limits.tiny,
        limits.smallest_subnormal,
        np.nextafter(dtype.type(1), dtype.type(2)),
    ]
    ends += [np.nextafter(dtype.type(1), dtype.type(0)), np.nextafter(limits.tiny, dtype.type(0))]
    values = np.array([*SPECIAL, *ends])
    return np.concatenate([values, -values]).astype(dtype)


def sample(
    interval: Interval, count: int, dtype: np.dtype[Any], random: np.random.Generator
) -> Array:
    """Random points of an interval."""
    low, high = interval[:2]
    if len(interval) == 2:
        return random.uniform(low, high, count).astype(dtype)
    unsigned = _BITS[dtype.name][0]
    first = 0 if low < 0 else int(dtype.type(low).view(unsigned))
    last = int(dtype.type(high).view(unsigned))
    values = random.integers(first, last, count, dtype=unsigned).view(dtype)
    signs = random.integers(0, 2, count) * 2 - 1 if low < 0 else 1
    return (values * signs).astype(dtype)


def near_quarters(dtype: np.dtype[Any]) -> Array:
    """The values next to multiples of pi / 2: for each exponent those that a continued fraction finds."""
    _, precision, last = _BITS[dtype.name]
    found = []
    with mp.workdps(700):
        quarter = mp.pi / 2
        for exponent in range(-precision, last - precision + 1):
            ratio = mp.ldexp(1, exponent) / quarter
            for m in _denominators(ratio, 1 << precision):
                scale = (1 << precision) // (2 * m)
                found += [mp.ldexp(m, exponent), mp.ldexp(m * max(scale, 1), exponent)]
    return np.array([float(x) for x in found]).astype(dtype)


def _denominators(ratio: mp.mpf, limit: int) -> list[int]:
    """The last denominators below `limit` of the convergents: m * ratio is next to an integer."""
    rest, before, now, kept = ratio - mp.floor(ratio), 0, 1, [1]
    while rest > mp.mpf(10) ** -300:
        rest = 1 / rest
        term = int(mp.floor(rest))
        rest -= term
        before, now = now, term * now + before
        if now >= limit:
            break
        kept.append(now)
    return kept[-3:]


def next_to(values: Array) -> Array:
    """The values, and both neighbours of each."""
    up, down = (
        np.nextafter(values, values.dtype.type(np.inf)),
        np.nextafter(values, -values.dtype.type(np.inf)),
    )
    return np.concatenate([values, up, down])


def arguments(
    function: Function, dtype: np.dtype[Any], count: int, seed: int
) -> Iterator[tuple[Array, ...]]:
    """The sampled arguments of a function, `count` in each of its intervals, and its special ones."""
    random = np.random.default_rng(seed)
    first = function.intervals32 if dtype.name == "float32" else function.intervals64
    second = function.seconds or first
    if function.arguments == 1:
        yield (special(dtype),)
        if function.hard == "quarters":
            yield (next_to(near_quarters(dtype)),)
    else:
        values = special(dtype)
        yield np.repeat(values, len(values)), np.tile(values, len(values))
    for x, y in zip(first, second, strict=False):
        for start in range(0, count, CHUNK):
            size = min(CHUNK, count - start)
            one = sample(x, size, dtype, random)
            yield (one,) if function.arguments == 1 else (one, sample(y, size, dtype, random))


def selected(function: Function, parts: Iterator[tuple[Array, ...]]) -> Iterator[tuple[Array, ...]]:
    """The parts, with only those arguments that belong to the function's row."""
    for part in parts:
        if function.where is None:
            yield part
        else:
            kept = function.where(part[0])
            yield tuple(x[kept] for x in part)
