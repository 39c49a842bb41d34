"""Functions whose result is exact, bit by bit, against Python's and NumPy's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.language.bench import assert_same, launch
from validation.mathematics.measure import arithmetic
from validation.mathematics.points import special

import headwater as hw

KINDS = ("float32", "float64")


def both(kind: str, count: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Special values against each other, random bits, and small numbers."""
    values = special(np.dtype(kind))
    random = np.random.default_rng(3)
    unsigned = np.uint32 if kind == "float32" else np.uint64
    bits = random.integers(0, np.iinfo(unsigned).max, (2, count), dtype=unsigned).view(kind)
    near = random.uniform(-100, 100, (2, count)).astype(kind) / np.array([[1], [30]], kind)
    whole = np.rint(random.uniform(-500, 500, (2, count))).astype(kind)
    x = np.concatenate([np.repeat(values, len(values)), bits[0], near[0], whole[0]])
    y = np.concatenate([np.tile(values, len(values)), bits[1], near[1], whole[1]])
    return x, y


def ieee_remainder(x: float, y: float) -> float:
    if math.isinf(x) or y == 0:
        return math.nan
    return math.remainder(x, y)


@hw.kernel
def fmods(out, x, y):
    i = hw.grid(1)
    out[i] = math.fmod(x[i], y[i])


@hw.kernel
def remainders(out, x, y):
    i = hw.grid(1)
    out[i] = math.remainder(x[i], y[i])


@hw.kernel
def nexts(out, x, y):
    i = hw.grid(1)
    out[i] = np.nextafter(x[i], y[i])


@hw.kernel
def signs(out, x, y):
    i = hw.grid(1)
    out[i] = np.copysign(x[i], y[i])


@pytest.mark.compiled
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (fmods, np.fmod),
        (remainders, np.vectorize(ieee_remainder)),
        (nexts, np.nextafter),
        (signs, np.copysign),
    ],
    ids=["fmod", "remainder", "nextafter", "copysign"],
)
def test_of_two(
    device: hw.Device, kernel: hw.Kernel, expected: Callable[..., Any], kind: str
) -> None:
    x, y = both(kind, 500)
    with np.errstate(all="ignore"):
        right = expected(x, y).astype(kind)
    assert_same(launch(kernel.over(len(x)), device, np.zeros_like(x), x, y)[0], right)


@hw.kernel
def take_apart(mantissa, exponent, fraction, whole, scaled, x, n):
    i = hw.grid(1)
    mantissa[i], exponent[i] = math.frexp(x[i])
    fraction[i], whole[i] = math.modf(x[i])
    scaled[i] = math.ldexp(x[i], n[i])


@pytest.mark.compiled
@pytest.mark.parametrize("kind", KINDS)
def test_frexp_modf_and_ldexp(device: hw.Device, kind: str) -> None:
    x, _ = both(kind, 500)
    n = np.random.default_rng(4).integers(-3000, 3000, len(x), dtype=np.int32)
    n[::2] //= 20
    n[:4] = 0, 1, np.iinfo(np.int32).max, np.iinfo(np.int32).min
    empty = [np.zeros_like(x) for _ in range(4)]
    found = launch(
        take_apart.over(len(x)),
        device,
        empty[0],
        np.zeros(len(x), np.int32),
        *empty[1:],
        x,
        n,
    )
    with np.errstate(all="ignore"):
        mantissa, exponent = np.frexp(x)
        fraction, whole = np.modf(x)
        scaled = np.ldexp(x, n)
    exponent[~np.isfinite(x)] = 0
    keeps = kind == "float64" or arithmetic(device, contract=True).subnormals
    for got, right in zip(found, (mantissa, exponent, fraction, whole, scaled), strict=False):
        kept = np.full(len(x), True) if keeps else is_normal(x) & is_normal(right)
        assert_same(got[kept], right[kept])


def is_normal(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Which are no subnormal numbers, nor what one may have been rounded to."""
    return (x == 0) | (x.dtype.kind == "i") | ~(np.abs(x) <= np.finfo(np.float32).tiny)
