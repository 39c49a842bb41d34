"""Functions of numbers and bits on edge values, against NumPy and Python's exact numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.language.bench import FLOATS, assert_same, edges, launch, pairs

import headwater as hw

WHOLE = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
WIDE = ("int32", "uint32", "int64", "uint64")


def random_bits(kind: str, count: int = 300) -> np.ndarray:
    """The edge values, and numbers of random bits."""
    dtype = np.dtype(kind)
    data = np.random.default_rng(5).bytes(count * dtype.itemsize)
    return np.concatenate([edges(kind), np.frombuffer(data, dtype)])


# --- bits -----------------------------------------------------------------------------------------


@hw.kernel
def count_bits(out, a):
    i = hw.grid(1)
    if i < len(a):
        out[0, i] = hw.popc(a[i])
        out[1, i] = hw.clz(a[i])
        out[2, i] = hw.ffs(a[i])


@pytest.mark.parametrize("kind", WHOLE)
def test_counts_of_bits(device: hw.Device, kind: str) -> None:
    a = random_bits(kind)
    bits = np.dtype(kind).itemsize * 8
    patterns = [int(x) % (1 << bits) for x in a]
    expected = [
        [x.bit_count() for x in patterns],
        [bits - x.bit_length() for x in patterns],
        [(x & -x).bit_length() for x in patterns],
    ]
    out, _ = launch(count_bits[len(a) // 64 + 1, 64], device, np.zeros((3, len(a)), np.int32), a)
    assert_same(out, np.array(expected, np.int32))


@pytest.mark.parametrize("kind", WHOLE)
def test_reversed_bits(device: hw.Device, kind: str) -> None:
    @hw.kernel
    def reverse(out, a):
        i = hw.grid(1)
        if i < len(a):
            out[i] = hw.brev(a[i])

    a = random_bits(kind)
    bits = np.dtype(kind).itemsize * 8
    reversed_ = [int(f"{int(x) % (1 << bits):0{bits}b}"[::-1], 2) for x in a]
    expected = np.array(reversed_, np.dtype(kind.lstrip("u").replace("int", "uint"))).view(kind)
    out, _ = launch(reverse[len(a) // 64 + 1, 64], device, np.zeros_like(a), a)
    assert_same(out, expected)


@pytest.mark.parametrize("kind", WIDE)
def test_upper_half_of_a_product(device: hw.Device, kind: str) -> None:
    @hw.kernel
    def upper(out, a, b):
        i = hw.grid(1)
        if i < len(a):
            out[i] = hw.mulhi(a[i], b[i])

    a, b = pairs(kind)
    bits = np.dtype(kind).itemsize * 8
    expected = np.array([(int(x) * int(y)) >> bits for x, y in zip(a, b, strict=True)], kind)
    out, *_ = launch(upper[len(a) // 64 + 1, 64], device, np.zeros_like(a), a, b)
    assert_same(out, expected)


@pytest.mark.parametrize(
    ("source", "target"),
    [("float32", "uint32"), ("uint32", "int32"), ("float64", "int64"), ("int8", "uint8")],
)
def test_bits_are_read_as_another_type(device: hw.Device, source: str, target: str) -> None:
    @hw.kernel
    def there(out, a, kind: hw.constexpr):
        i = hw.grid(1)
        if i < len(a):
            out[i] = hw.bitcast(a[i], kind)

    a = random_bits(source)
    if a.dtype.kind == "f":
        a = a[~np.isnan(a)]  # not every device keeps the bits of a NaN
    kinds = {name: getattr(hw, name) for name in (source, target)}
    blocks = len(a) // 64 + 1
    out, _ = launch(there[blocks, 64], device, np.zeros(len(a), target), a, kinds[target])
    assert_same(out, a.view(target))
    back, _ = launch(there[blocks, 64], device, np.zeros_like(a), out, kinds[source])
    assert back.tobytes() == a.tobytes()


# --- what a float is ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FLOATS)
def test_classification(device: hw.Device, kind: str) -> None:
    @hw.kernel
    def classify(out, a):
        i = hw.grid(1)
        if i < len(a):
            out[0, i] = hw.isnan(a[i])
            out[1, i] = math.isinf(a[i])
            out[2, i] = np.isfinite(a[i])

    a = random_bits(kind)
    out, _ = launch(classify[len(a) // 64 + 1, 64], device, np.zeros((3, len(a)), bool), a)
    assert_same(out, np.stack([np.isnan(a), np.isinf(a), np.isfinite(a)]))


# --- rounding -------------------------------------------------------------------------------------


@hw.kernel(contract=False)
def round_all(out, a):
    i = hw.grid(1)
    if i < len(a):
        out[0, i] = hw.trunc(a[i])
        out[1, i] = hw.rint(a[i])
        out[2, i] = np.floor(a[i])
        out[3, i] = hw.ceil(a[i])


@pytest.mark.parametrize("kind", FLOATS)
def test_rounding_to_integral_floats(device: hw.Device, kind: str) -> None:
    halves = (np.arange(-20, 20) / 4).astype(kind)
    a = np.concatenate([edges(kind), halves, np.array([2.0**23 + 0.5, 2.0**52 + 0.5], kind)])
    a = a[np.isfinite(a)]
    a = a[np.abs(a) >= np.finfo(kind).tiny]
    expected = np.stack([np.trunc(a), np.rint(a), np.floor(a), np.ceil(a)])
    out, _ = launch(round_all[len(a) // 64 + 1, 64], device, np.zeros_like(expected), a)
    assert_same(out, expected)


@pytest.mark.parametrize("kind", FLOATS)
def test_rounding_to_integers(device: hw.Device, kind: str) -> None:
    @hw.kernel
    def rounded(out, a):
        i = hw.grid(1)
        if i < len(a):
            out[0, i] = round(a[i])
            out[1, i] = math.trunc(a[i])
            out[2, i] = math.floor(a[i])

    a = (np.arange(-20, 20) / 4).astype(kind)
    expected = [[round(x), math.trunc(x), math.floor(x)] for x in a.tolist()]
    out, _ = launch(rounded[1, 64], device, np.zeros((3, len(a)), np.int32), a)
    assert_same(out, np.array(expected, np.int32).T)


@pytest.mark.parametrize("kind", FLOATS)
def test_a_fused_product_rounds_once(device: hw.Device, kind: str) -> None:
    @hw.kernel(contract=False)
    def fused(out, a, b, c):
        i = hw.grid(1)
        if i < len(a):
            out[i] = hw.fma(a[i], b[i], c[i])

    random = np.random.default_rng(3)
    n = 400
    a = random.standard_normal(n).astype(kind)
    b = (random.standard_normal(n) * 2.0 ** random.integers(-12, 12, n)).astype(kind)
    c = (-a * b * (1 + random.choice([0, 1e-7, 1e-3, 1], n))).astype(kind)
    exact = [
        Fraction(x) * Fraction(y) + Fraction(z)
        for x, y, z in zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    ]
    expected = np.array([rounded(value, kind) for value in exact], kind)
    out, *_ = launch(fused[n // 64 + 1, 64], device, np.zeros(n, kind), a, b, c)
    assert_same(out, expected)


def rounded(value: Fraction, kind: str) -> float:
    """A fraction rounded once, by trying the neighbours of what a double gives."""
    guess = np.array(float(value), kind)
    down, up = np.nextafter(guess, -np.inf, dtype=kind), np.nextafter(guess, np.inf, dtype=kind)
    near = [float(x) for x in (down, guess, up)]
    distances = [abs(Fraction(x) - value) for x in near]
    best = min(distances)
    ties = [x for x, distance in zip(near, distances, strict=True) if distance == best]
    unsigned = np.dtype(f"u{np.dtype(kind).itemsize}")
    return next(x for x in ties if len(ties) == 1 or int(np.array(x, kind).view(unsigned)) % 2 == 0)


# --- choices and powers ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*WIDE, *FLOATS])
def test_clamp_and_divmod(device: hw.Device, kind: str) -> None:
    @hw.kernel(contract=False)
    def both(out, a):
        i = hw.grid(1)
        if i < len(a):
            out[0, i] = hw.clamp(a[i], 2, high=7)
            out[1, i], out[2, i] = divmod(a[i], 3)

    a = np.arange(20).astype(kind)
    expected = np.stack([np.clip(a, 2, 7), a // 3, a % 3])
    out, _ = launch(both[1, 32], device, np.zeros_like(expected), a)
    assert_same(out, expected)


def test_a_clamped_nan_is_the_lower_bound(device: hw.Device) -> None:
    @hw.kernel
    def clamp(out):
        out[0] = hw.clamp(out[0], 2.0, 7.0)

    (out,) = launch(clamp[1, 1], device, np.array([np.nan], np.float32))
    assert out[0] == 2.0


@pytest.mark.parametrize("kind", WIDE)
def test_powers_of_integers(device: hw.Device, kind: str) -> None:
    @hw.kernel
    def power(out, a, n):
        i = hw.grid(1)
        if i < len(a):
            out[i] = a[i] ** n[i]

    a = np.repeat(np.arange(-7, 8), 12)
    a = (a[a >= 0] if kind[0] == "u" else a).astype(kind)
    n = np.resize(np.arange(12), len(a)).astype(kind)
    bits = np.dtype(kind).itemsize * 8
    exact = [int(x) ** int(y) % (1 << bits) for x, y in zip(a, n, strict=True)]
    unsigned = np.array(exact, f"u{bits // 8}")
    out, *_ = launch(power[len(a) // 64 + 1, 64], device, np.zeros_like(a), a, n)
    assert_same(out, unsigned.view(kind))


def test_a_negative_power_of_an_integer_is_zero(device: hw.Device) -> None:
    @hw.kernel
    def power(out, n):
        out[0] = 2 ** n[0]
        out[1] = n[0] ** 2

    out, _ = launch(power[1, 1], device, np.ones(2, np.int32), np.array([-3], np.int32))
    assert out.tolist() == [0, 9]


def test_functions_of_vectors(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def vectors(out, a):
        v = hw.vec3(a[0], a[1], a[2])
        w = hw.clamp(hw.floor(v), -1, 1) + hw.min(v, 0.25) + abs(v)
        out[0], out[1], out[2] = hw.fma(v, 2.0, w)

    a = np.array([-2.5, 0.5, 3.25], np.float32)
    w = np.clip(np.floor(a), -1, 1) + np.minimum(a, np.float32(0.25)) + np.abs(a)
    out, _ = launch(vectors[1, 1], device, np.zeros(3, np.float32), a)
    assert_same(out, (a * 2 + w).astype(np.float32))


# --- rounding as written --------------------------------------------------------------------------


@hw.function(contract=False)
def product_error(a, b):
    """What a * b loses: zero where a * b - p is fused by accident."""
    p = a * b
    return p * 1.0 - a * b


def test_a_function_without_contraction_is_exact(device: hw.Device) -> None:
    @hw.kernel
    def lost(out, a, b):
        i = hw.grid(1)
        if i < len(a):
            out[i] = product_error(a[i], b[i])

    random = np.random.default_rng(1)
    a, b = (random.standard_normal(128).astype(np.float32) for _ in range(2))
    out, *_ = launch(lost[2, 64], device, np.ones(128, np.float32), a, b)
    assert_same(out, np.zeros(128, np.float32))


# --- keywords -------------------------------------------------------------------------------------


def test_keywords(device: hw.Device) -> None:
    @hw.kernel
    def named(out, a):
        i = hw.grid(ndim=1)
        tile = hw.shared.array(shape=32, dtype=hw.int32)
        tile[i] = a[i]
        hw.syncthreads()
        out[i] = hw.select(a=tile[31 - i], b=0, condition=i > 3)

    a = np.arange(32, dtype=np.int32)
    out, _ = launch(named[1, 32], device, np.zeros(32, np.int32), a)
    assert_same(out, np.where(a > 3, a[::-1], 0).astype(np.int32))
