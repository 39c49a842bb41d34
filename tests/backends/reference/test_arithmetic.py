"""The interpreter's scalar operations against NumPy and exact fractions, over edge values."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from headwater.backends.reference.arithmetic import OPERATORS, cast, float_of, wrap
from headwater.ir import OPERATIONS
from headwater.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, UINT32, ScalarType

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


def test_float_floor_division_is_the_floor_of_the_rounded_quotient() -> None:
    one, tenth = np.float64(1.0), np.float64(0.1)
    assert OPERATORS["floordiv"](FLOAT64, one, tenth) == 10.0  # Python's own gives 9.0
    assert OPERATORS["mod"](FLOAT64, np.float64(-1.5), np.float64(1.0)) == 0.5
    assert OPERATORS["mod"](FLOAT64, np.float64(1.5), np.float64(-1.0)) == -0.5


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
