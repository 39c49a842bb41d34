"""Integers of 8 and 16 bits compute in their own type; float16 is what arrays hold, not what is computed in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.language.bench import assert_same, edges, launch, pairs

import headwater as hw

SMALL = ("int8", "uint8", "int16", "uint16")
INTEGERS = (*SMALL, "int32", "uint32", "int64", "uint64")


@hw.kernel
def arithmetic(out, a, b):
    i = hw.grid(1)
    if i < len(a):
        x, y = a[i], b[i]
        out[0, i] = x + y
        out[1, i] = x - y
        out[2, i] = x * y
        out[3, i] = -x
        out[4, i] = abs(x)
        out[5, i] = min(x, y)
        out[6, i] = max(x, y)
        out[7, i] = x & y
        out[8, i] = x | y
        out[9, i] = x ^ y
        out[10, i] = ~x
        out[11, i] = x << (y & 3)
        out[12, i] = x >> (y & 3)
        out[13, i] = x // y
        out[14, i] = x % y


def expected_arithmetic(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    low = b & b.dtype.type(3)
    with np.errstate(all="ignore"):
        rows = [a + b, a - b, a * b, -a, abs(a), np.minimum(a, b), np.maximum(a, b), a & b, a | b]
        rows += [
            a ^ b,
            ~a,
            a << low,
            a >> low,
            a // b,
            np.where(b == 0, a, a % np.where(b == 0, 1, b)),
        ]
    return np.stack(rows).astype(a.dtype)


@pytest.mark.parametrize("kind", SMALL)
def test_arithmetic_wraps_in_the_small_type(device: hw.Device, kind: str) -> None:
    a, b = pairs(kind)
    out, *_ = launch(arithmetic.forall(len(a)), device, np.zeros((15, len(a)), kind), a, b)
    assert_same(out, expected_arithmetic(a, b))


@hw.kernel
def compared(out, a, b):
    i = hw.grid(1)
    if i < len(a):
        out[0, i] = a[i] < b[i]
        out[1, i] = a[i] >= b[i]
        out[2, i] = a[i] == b[i]
        out[3, i] = a[i] > 3
        out[4, i] = bool(a[i])


@pytest.mark.parametrize("kind", SMALL)
def test_comparisons(device: hw.Device, kind: str) -> None:
    a, b = pairs(kind)
    out, *_ = launch(compared.forall(len(a)), device, np.zeros((5, len(a)), bool), a, b)
    assert_same(out, np.stack([a < b, a >= b, a == b, a > 3, a != 0]))


CASTS: dict[str, Any] = {"int8": hw.int8, "uint8": hw.uint8, "int16": hw.int16, "uint16": hw.uint16}
CASTS |= {"int32": hw.int32, "uint32": hw.uint32, "int64": hw.int64, "uint64": hw.uint64}


def caster(kind: Any) -> Any:
    @hw.kernel
    def cast(out, a):
        i = hw.grid(1)
        if i < len(a):
            out[i] = kind(a[i])

    return cast


@pytest.mark.parametrize("target", SMALL)
@pytest.mark.parametrize("source", [*INTEGERS, "bool"])
def test_casts_keep_the_low_bits(device: hw.Device, source: str, target: str) -> None:
    a = edges(source)
    out, *_ = launch(caster(CASTS[target]).forall(len(a)), device, np.zeros(len(a), target), a)
    assert_same(out, a.astype(target))


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", SMALL)
def test_casts_extend_by_the_source(device: hw.Device, source: str, target: str) -> None:
    a = edges(source)
    out, *_ = launch(caster(CASTS[target]).forall(len(a)), device, np.zeros(len(a), target), a)
    assert_same(out, a.astype(target))


@pytest.mark.parametrize("target", SMALL)
def test_casts_of_floats_saturate(device: hw.Device, target: str) -> None:
    a = np.array(
        [0.0, 1.9, -1.9, 127.5, 300.0, -300.0, 7e4, -7e4, np.inf, -np.inf, np.nan], np.float32
    )
    out, *_ = launch(caster(CASTS[target]).forall(len(a)), device, np.zeros(len(a), target), a)
    limits = np.iinfo(target)
    cut = [0 if np.isnan(v) else int(np.clip(np.trunc(v), limits.min, limits.max)) for v in a]
    assert_same(out, np.array(cut, target))


@hw.kernel
def mixed(out, a, b):
    i = hw.grid(1)
    if i < len(a):
        out[i] = a[i] + b[i]


# The type of a sum shows where it wraps: the store into int64 keeps what was computed.
@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        ("int8", "uint8", "int16"),
        ("uint8", "int16", "int16"),
        ("int8", "uint16", "int32"),
        ("uint8", "uint16", "uint16"),
        ("int16", "int32", "int32"),
        ("uint16", "int32", "int32"),
        ("uint8", "uint32", "uint32"),
        ("int8", "int64", "int64"),
    ],
)
def test_promotion(device: hw.Device, one: str, other: str, joined: str) -> None:
    a = np.repeat(edges(one), len(edges(other)))
    b = np.tile(edges(other), len(edges(one)))
    for first, second in ((a, b), (b, a)):
        out, *_ = launch(mixed.forall(len(a)), device, np.zeros(len(a), np.int64), first, second)
        with np.errstate(all="ignore"):
            assert_same(out, (first.astype(joined) + second.astype(joined)).astype(np.int64))


@hw.kernel
def counted(out, lengths, table):
    i = hw.grid(1)
    if i < len(lengths):
        total = 0
        for k in range(lengths[i]):
            total += k * k
        out[i] = total + table[lengths[i]]


@pytest.mark.parametrize("kind", SMALL)
def test_loops_and_subscripts_count_in_int32(device: hw.Device, kind: str) -> None:
    lengths = np.array([0, 1, 5, 100, 127], kind)
    table = np.arange(300, dtype=np.int32)
    out, *_ = launch(counted.forall(5), device, np.zeros(5, np.int32), lengths, table)
    expected = [sum(k * k for k in range(n)) + n for n in lengths.tolist()]
    assert_same(out, np.array(expected, np.int32))


@hw.kernel
def weak(out, a, n):
    i = hw.grid(1)
    if i < len(a):
        count = 0
        count += a[i]
        out[0, i] = count
        out[1, i] = a[i] * n + 1
        out[2, i] = 5


@pytest.mark.parametrize("kind", SMALL)
def test_weak_values_take_the_small_type(device: hw.Device, kind: str) -> None:
    a = edges(kind)
    out, *_ = launch(weak.forall(len(a)), device, np.zeros((3, len(a)), kind), a, 3)
    three, one = np.array(3, kind), np.array(1, kind)
    with np.errstate(all="ignore"):
        assert_same(out, np.stack([a, a * three + one, np.full_like(a, 5)]))


@hw.kernel
def staged(out, a):
    t = hw.threadIdx.x
    tile = hw.shared.array(64, a.dtype)
    own = hw.local.array(2, a.dtype)
    tile[t] = a[t]
    hw.syncthreads()
    own[0] = tile[63 - t]
    own[1] = tile[t]
    out[t] = own[0] - own[1]


@pytest.mark.parametrize("kind", [*SMALL, "uint64"])
def test_shared_and_local_arrays(device: hw.Device, kind: str) -> None:
    a = (np.arange(64) * 37 % 251).astype(kind)
    out, *_ = launch(staged[1, 64], device, np.zeros(64, kind), a)
    assert_same(out, a[::-1] - a)


# --- uint64 ---------------------------------------------------------------------------------------


@hw.kernel
def large(out, a, n):
    i = hw.grid(1)
    if i < len(a):
        out[0, i] = a[i] + 18446744073709551615
        out[1, i] = a[i] * n
        out[2, i] = a[i] >> 1
        out[3, i] = a[i] // 3


def test_unsigned_integers_of_64_bits(device: hw.Device) -> None:
    a = edges("uint64")
    n = 2**63 + 5
    out, *_ = launch(
        large.forall(len(a)), device, np.zeros((4, len(a)), np.uint64), a, np.uint64(n)
    )
    one, three, factor = np.uint64(1), np.uint64(3), np.uint64(n)
    with np.errstate(all="ignore"):
        assert_same(out, np.stack([a - one, a * factor, a >> one, a // three]))


@hw.kernel
def signed_meets_unsigned(out, a, b):
    i = hw.grid(1)
    if i < len(a):
        out[0, i] = a[i] < b[i]
        out[1, i] = hw.int64(-1) < hw.uint64(1)


def test_a_comparison_of_int64_and_uint64_is_one_of_bits(device: hw.Device) -> None:
    a, b = np.array([-1, 0, 5], np.int64), np.array([1, 1, 2**63], np.uint64)
    out, *_ = launch(signed_meets_unsigned.forall(3), device, np.zeros((2, 3), bool), a, b)
    assert_same(out, np.stack([a.astype(np.uint64) < b, np.zeros(3, bool)]))


# --- float16 --------------------------------------------------------------------------------------


def halves() -> np.ndarray:
    """All values that a half can have, NaNs but one left out."""
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    return np.concatenate([every[~np.isnan(every)][::97], np.array([np.nan], np.float16)])


@hw.kernel
def widened(out, a):
    i = hw.grid(1)
    if i < len(a):
        out[i] = a[i]


def test_a_load_of_a_half_widens_it(device: hw.Device) -> None:
    a = halves()
    out, *_ = launch(widened.forall(len(a)), device, np.zeros(len(a), np.float32), a)
    assert_same(out, a.astype(np.float32))


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_a_store_rounds_to_half(device: hw.Device, kind: str) -> None:
    a = np.array([0.1, 1.0, 65504.0, 65519.0, 65520.0, 1e30, -1e30, 5.9e-8, 2.9e-8, 1e-10], kind)
    a = np.concatenate([a, [1.00048828125, 1.0004882812500002, np.inf, np.nan]]).astype(kind)
    out, *_ = launch(widened.forall(len(a)), device, np.zeros(len(a), np.float16), a)
    with np.errstate(over="ignore"):
        assert_same(out, a.astype(np.float16))


@hw.kernel(contract=False)
def computed(out, a, b):
    i = hw.grid(1)
    if i < len(a):
        out[0, i] = a[i] * b[i] + a[i]
        out[1, i] = hw.float16(a[i] * b[i]) + a[i]
        out[2, i] = 0.1


def test_arithmetic_of_halves_is_that_of_float32(device: hw.Device) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.uniform(-30, 30, (2, 100)).astype(np.float16)
    out, *_ = launch(computed.forall(100), device, np.zeros((3, 100), np.float32), a, b)
    product = a.astype(np.float32) * b.astype(np.float32)
    wide = a.astype(np.float32)
    rounded = product.astype(np.float16).astype(np.float32)
    assert_same(out, np.stack([product + wide, rounded + wide, np.full(100, 0.1, np.float32)]))


@hw.kernel
def half_values(out, s, a):
    tile = hw.shared.array(4, hw.float16)
    own = hw.local.array(1, hw.float16)
    tile[0] = 0.1
    own[0] = s
    out[0] = tile[0]
    out[1] = own[0]
    out[2] = HALF
    a[0] = 0.1
    a[1] += 0.1


HALF = np.float16(0.1)


def test_halves_in_own_arrays_scalars_and_constants(device: hw.Device) -> None:
    a = np.array([0, 0.5], np.float16)
    out, a = launch(half_values[1, 1], device, np.zeros(3, np.float32), np.float16(0.7), a)
    assert_same(out, np.array([0.1, 0.7, 0.1], np.float16).astype(np.float32))
    assert_same(a, np.array([0.1, 0.6], np.float16))
