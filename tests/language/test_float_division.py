"""`//`, `%` and divmod of floats: as NumPy has them, which are Python's but for a divisor of zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.language.bench import assert_same, edges, launch

import headwater as hw

FLOATS = ("float32", "float64")


@hw.kernel(contract=False)
def divided(quotient, rest, a, b):
    i = hw.grid(1)
    if i < len(a):
        quotient[i] = a[i] // b[i]
        rest[i] = a[i] % b[i]


def check(device: hw.Device, a: np.ndarray, b: np.ndarray) -> None:
    zeros = np.zeros_like(a), np.zeros_like(a)
    quotient, rest, *_ = launch(divided.forall(len(a)), device, *zeros, a, b)
    with np.errstate(all="ignore"):
        assert_same(quotient, np.floor_divide(a, b))
        assert_same(rest, np.remainder(a, b))


@pytest.mark.parametrize("kind", FLOATS)
def test_edges(device: hw.Device, kind: str) -> None:
    a, b = np.meshgrid(edges(kind), edges(kind))
    check(device, a.ravel(), b.ravel())


@pytest.mark.parametrize("kind", FLOATS)
def test_ordinary_numbers(device: hw.Device, kind: str) -> None:
    count = 30 if device.name == "reference" else 3000
    rng = np.random.default_rng(5)
    b = rng.choice([0.1, 0.25, 1, 3, -0.1, -2.5, np.pi, 1e-3], count).astype(kind)
    any_size = rng.normal(size=count) * 10.0 ** rng.uniform(-3, 9, count)
    multiples = np.round(rng.normal(size=count) * 20) * b
    next_to = np.nextafter(multiples, rng.choice([-np.inf, np.inf], count))
    for a in (any_size, multiples, next_to):
        check(device, a.astype(kind), b)


@pytest.mark.parametrize("kind", FLOATS)
def test_numbers_of_any_bits(device: hw.Device, kind: str) -> None:
    """Quotients of up to 2**254 (or 2**2046), subnormal numbers, infinities, NaNs."""
    count = 20 if device.name == "reference" else 2000
    rng = np.random.default_rng(6)
    bits = np.dtype(kind.replace("float", "uint"))
    pairs = rng.integers(0, np.iinfo(bits).max, (2, count), bits, endpoint=True)
    check(device, *pairs.view(kind))


def test_what_python_gives(device: hw.Device) -> None:
    @hw.kernel
    def kernel(out, x, tenth):
        out[0] = x // tenth
        out[1] = x % tenth
        out[2], out[3] = divmod(-x, tenth * 70)
        out[4] = 5.0
        out[4] %= tenth
        out[5] = 7.3 % tenth
        out[6] = hw.vec3d(1.0, -1.0, 7.3).z // tenth

    expected: list[Any] = [1.0 // 0.1, 1.0 % 0.1, *divmod(-1.0, 0.1 * 70), 5.0 % 0.1, 7.3 % 0.1]
    (out,) = launch(kernel[1, 1], device, np.zeros(7), np.float64(1.0), np.float64(0.1))
    assert_same(out, np.array([*expected, 7.3 // 0.1]))
