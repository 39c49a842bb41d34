"""The interpreter's scalar operations against NumPy and exact fractions, over edge values."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from headwater.backends.reference.arithmetic import (
    ATOMIC_OPERATORS,
    OPERATORS,
    cast,
    float_of,
    wrap,
)
from headwater.ir import ATOMICS, OPERATIONS
from headwater.types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    ScalarType,
)

INTEGERS = (INT32, UINT32, INT64)
FLOATS = (FLOAT32, FLOAT64)


def edges(kind: ScalarType) -> list[int]:
    low, high = kind.limits
    small = (-7, -2, -1, 0, 1, 2, 3, 31, 32, 33, 63, 64, 65)
    return sorted({v for v in (*small, low, low + 1, high - 1, high) if low <= v <= high})


def float_edges(kind: ScalarType) -> list[np.floating]:
    limits = np.finfo(kind.numpy)
    values = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 3.0, math.nan, math.inf, -math.inf)
    extreme = (limits.max, limits.min, limits.tiny, limits.smallest_subnormal)
    return [kind.numpy.type(v) for v in (*values, *extreme)]


def test_every_operation_of_the_table_is_there() -> None:
    assert set(OPERATORS) == set(OPERATIONS)


@pytest.mark.parametrize("kind", INTEGERS, ids=str)
@pytest.mark.parametrize("operation", ["add", "sub", "mul", "and", "or", "xor"])
def test_integers_wrap_as_numpy_arrays_do(kind: ScalarType, operation: str) -> None:
    function = {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
    }[operation]
    for a in edges(kind):
        for b in edges(kind):
            expected = function(np.array([a], kind.numpy), np.array([b], kind.numpy))
            assert OPERATORS[operation](kind, a, b) == int(expected[0])


@pytest.mark.parametrize("kind", INTEGERS, ids=str)
def test_integer_division_is_pythons_and_never_traps(kind: ScalarType) -> None:
    low, _ = kind.limits
    for a in edges(kind):
        assert OPERATORS["floordiv"](kind, a, 0) == 0
        assert OPERATORS["mod"](kind, a, 0) == a
        for b in edges(kind):
            quotient = OPERATORS["floordiv"](kind, a, b)
            rest = OPERATORS["mod"](kind, a, b)
            assert wrap(kind, quotient * b + rest) == a
            if b != 0 and not (a == low and b == -1):
                assert quotient == math.floor(Fraction(a, b))
    if kind is not UINT32:
        assert OPERATORS["floordiv"](kind, low, -1) == low
        assert OPERATORS["mod"](kind, low, -1) == 0


def test_negation_absolute_and_complement_wrap() -> None:
    assert OPERATORS["neg"](INT32, -(2**31)) == -(2**31)
    assert OPERATORS["abs"](INT32, -(2**31)) == -(2**31)
    assert OPERATORS["neg"](UINT32, 1) == 2**32 - 1
    assert OPERATORS["not"](UINT32, 0) == 2**32 - 1
    assert OPERATORS["not"](INT64, 0) == -1
    assert OPERATORS["not"](BOOL, True) is False


def test_shifts_take_the_amount_modulo_the_bits() -> None:
    assert OPERATORS["shl"](INT32, 1, 31) == -(2**31)
    assert OPERATORS["shl"](INT32, 1, 32) == 1
    assert OPERATORS["shl"](INT32, 1, -1) == -(2**31)
    assert OPERATORS["shl"](INT64, 1, 65) == 2
    assert OPERATORS["shr"](INT32, -8, 1) == -4
    assert OPERATORS["shr"](UINT32, 2**32 - 8, 33) == 2**31 - 4


@pytest.mark.parametrize("kind", FLOATS, ids=str)
def test_floats_round_once_in_their_own_width(kind: ScalarType) -> None:
    tenth, three = kind.numpy.type(0.1), kind.numpy.type(3.0)
    product = OPERATORS["mul"](kind, tenth, three)
    assert product.dtype == kind.numpy
    exact = Fraction(float(tenth)) * 3
    steps = (np.nextafter(product, -np.inf), np.nextafter(product, np.inf))
    for step in steps:
        assert abs(Fraction(float(product)) - exact) <= abs(Fraction(float(step)) - exact)


@pytest.mark.parametrize("kind", FLOATS, ids=str)
def test_smaller_and_larger_prefer_numbers(kind: ScalarType) -> None:
    with np.errstate(invalid="ignore"):
        for a in float_edges(kind):
            for b in float_edges(kind):
                assert np.array_equal(OPERATORS["min"](kind, a, b), np.fmin(a, b), equal_nan=True)
                assert np.array_equal(OPERATORS["max"](kind, a, b), np.fmax(a, b), equal_nan=True)


def test_floats_become_integers_by_truncation_and_saturation() -> None:
    cases = {
        2.9: 2,
        -2.9: -2,
        math.nan: 0,
        math.inf: 2**31 - 1,
        -math.inf: -(2**31),
        1e20: 2**31 - 1,
    }
    for value, expected in cases.items():
        assert cast(INT32, np.float64(value)) == expected
    assert cast(UINT32, np.float32(-1.5)) == 0
    assert cast(UINT32, np.float32(math.inf)) == 2**32 - 1
    assert cast(INT64, np.float32(1e30)) == 2**63 - 1
    assert cast(INT64, np.float64(-(2.0**63))) == -(2**63)


def test_integers_become_floats_by_one_rounding() -> None:
    # To float64 first and then to float32 would give 2**60 + 2**37 here.
    value = 2**60 + 2**36 + 1
    assert int(float_of(FLOAT32, value)) == 2**60 + 2**37
    below = 2**60 + 2**36 - 1
    assert int(float_of(FLOAT32, below)) == 2**60
    assert float_of(FLOAT32, 2**24 + 1) == 2.0**24


def test_casts_between_integers_and_bools() -> None:
    assert cast(INT32, 2**32 - 1) == -1
    assert cast(UINT32, -1) == 2**32 - 1
    assert cast(INT64, 2**32 - 1) == 2**32 - 1
    assert cast(BOOL, np.float32(math.nan)) is True
    assert cast(BOOL, np.float64(-0.0)) is False
    assert cast(INT32, True) == 1
    assert type(cast(FLOAT32, True)) is np.float32


def test_a_fused_product_keeps_its_sign_at_both_ends_of_the_range() -> None:
    fma = OPERATORS["fma"]
    for kind in (FLOAT32, FLOAT64):
        scalar, limits = kind.numpy.type, np.finfo(kind.numpy)
        tiny, large, zero = limits.smallest_subnormal, limits.max, scalar(0.0)
        assert np.signbit(fma(kind, -tiny, tiny, zero))
        assert not np.signbit(fma(kind, tiny, tiny, -zero))
        assert fma(kind, -large, large, zero) == -math.inf
        assert fma(kind, large, large, -large) == math.inf


SMALL = (INT8, INT16, UINT8, UINT16)


@pytest.mark.parametrize("kind", [*SMALL, *INTEGERS, UINT64], ids=str)
def test_bits_are_counted_and_turned(kind: ScalarType) -> None:
    for a in edges(kind):
        text = format(a & (2**kind.bits - 1), f"0{kind.bits}b")
        assert OPERATORS["popc"](kind, a) == text.count("1")
        assert OPERATORS["clz"](kind, a) == len(text) - len(text.lstrip("0"))
        assert OPERATORS["ctz"](kind, a) == len(text) - len(text.rstrip("0"))
        assert OPERATORS["brev"](kind, a) == wrap(kind, int(text[::-1], 2))
        for b in edges(kind):
            assert OPERATORS["mulhi"](kind, a, b) == math.floor(Fraction(a * b, 2**kind.bits))


def test_the_fused_product_rounds_once() -> None:
    """Against exact fractions, and where two roundings would give something else."""
    rng = np.random.default_rng(5)
    fma = OPERATORS["fma"]
    for kind in FLOATS:
        scalar = kind.numpy.type
        for _ in range(300):
            a, b = (scalar(v) for v in rng.normal(0, 1, 2))
            c = scalar(-float(a) * float(b) * (1 + rng.normal(0, 1e-7)))
            found = fma(kind, a, b, c)
            exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
            for step in (np.nextafter(found, -np.inf), np.nextafter(found, np.inf)):
                assert abs(Fraction(float(found)) - exact) <= abs(Fraction(float(step)) - exact)
    # By way of float64 the sum would be rounded to a tie first: 1 + 2**-24 + 2**-60.
    a, c = np.float32(1 + 2**-12), np.float32(2**-60)
    b = np.float32(1 - 2**-12)
    assert fma(FLOAT32, a, b, c) == np.float32(1 - 2**-24)
    tie = np.float32(1 + 2**-23) * np.float32(1.0)
    assert fma(FLOAT32, np.float32(2**-12), np.float32(2**-12), np.float32(1.0)) == np.float32(1.0)
    up = fma(FLOAT32, np.float32(2**-12 + 2**-30), np.float32(2**-12), np.float32(1.0))
    assert up == tie


def test_the_fused_product_of_what_is_not_finite() -> None:
    fma, inf, nan = OPERATORS["fma"], np.float64(math.inf), np.float64(math.nan)
    one, zero, large = np.float64(1.0), np.float64(0.0), np.float64(1e300)
    with np.errstate(invalid="ignore"):
        assert fma(FLOAT64, large, large, -inf) == -inf  # the product alone would overflow
        assert np.isnan(fma(FLOAT64, inf, zero, one))
        assert np.isnan(fma(FLOAT64, inf, one, -inf))
        assert np.isnan(fma(FLOAT64, one, one, nan))
    assert np.signbit(fma(FLOAT64, -one, zero, -zero))
    assert not np.signbit(fma(FLOAT64, one, one, -one))


def test_casts_to_and_from_float16() -> None:
    half = cast(FLOAT16, np.float32(1.0009766))
    assert type(half) is np.float16
    assert cast(FLOAT16, np.float64(65519.9)) == 65504.0
    with np.errstate(over="ignore"):
        assert cast(FLOAT16, np.float32(65520.0)) == math.inf
        assert cast(FLOAT16, 2**40) == math.inf
    assert cast(FLOAT16, 2049) == 2048.0
    # By way of float32 this would be a tie, and go down.
    assert cast(FLOAT16, np.float64(1 + 2**-11 + 2**-40)) == np.float16(1 + 2**-10)
    assert cast(FLOAT32, half) == np.float32(half)
    assert cast(INT8, np.float16(-300.0)) == -128


def test_every_integer_becomes_the_nearest_float() -> None:
    rng = np.random.default_rng(3)
    for value in (*rng.integers(0, 2**64 - 1, 200, np.uint64).tolist(), 2**64 - 1, 2**63 + 2**39):
        assert float_of(FLOAT64, value) == float(value)
        found = int(float_of(FLOAT32, value))
        below, above = (int(np.nextafter(np.float32(found), d)) for d in (np.float32(0), np.inf))
        assert abs(found - value) <= min(abs(below - value), abs(above - value))


def test_bits_read_as_another_type() -> None:
    bitcast = OPERATORS["bitcast"]
    assert bitcast(UINT32, np.float32(1.0)) == 0x3F800000
    assert bitcast(INT32, np.float32(-0.0)) == -(2**31)
    assert bitcast(FLOAT64, 0x7FF0000000000000) == math.inf
    assert bitcast(INT8, 255) == -1
    assert bitcast(UINT64, -1) == 2**64 - 1
    assert bitcast(FLOAT16, 0x3C00) == 1.0
    assert type(bitcast(FLOAT32, -1)) is np.float32


def test_atomics_that_count() -> None:
    up, down = ATOMIC_OPERATORS["inc"], ATOMIC_OPERATORS["dec"]
    assert [up(UINT32, x, 3) for x in (0, 2, 3, 9)] == [1, 3, 0, 0]
    assert [down(UINT32, x, 3) for x in (0, 1, 3, 9)] == [3, 0, 2, 3]
    swap = ATOMIC_OPERATORS["cas"]
    assert swap(FLOAT32, np.float32(-0.0), np.float32(5.0), np.float32(0.0)) == 5.0
    assert np.isnan(swap(FLOAT32, np.float32(math.nan), np.float32(5.0), np.float32(math.nan)))
    assert set(ATOMIC_OPERATORS) == set(ATOMICS)
