"""Every operation on edge values, against NumPy and Python integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.language.bench import FLOATS, INTEGERS, NUMBERS, assert_same, edges, launch, pairs

import headwater as hw


@hw.kernel(contract=False)
def add(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] + b[i]


@hw.kernel(contract=False)
def subtract(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] - b[i]


@hw.kernel(contract=False)
def multiply(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] * b[i]


@hw.kernel(contract=False)
def divide(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] / b[i]


@hw.kernel(contract=False)
def floor_divide(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] // b[i]


@hw.kernel(contract=False)
def remainder(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] % b[i]


@hw.kernel(contract=False)
def bit_and(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] & b[i]


@hw.kernel(contract=False)
def bit_or(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] | b[i]


@hw.kernel(contract=False)
def bit_xor(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] ^ b[i]


@hw.kernel(contract=False)
def shift_left(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] << b[i]


@hw.kernel(contract=False)
def shift_right(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] >> b[i]


@hw.kernel(contract=False)
def smaller(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = min(a[i], b[i])


@hw.kernel(contract=False)
def larger(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = hw.max(a[i], b[i])


@hw.kernel(contract=False)
def compare(out, a, b):
    i = hw.grid(1)
    if i < out.shape[0]:
        out[i, 0] = a[i] < b[i]
        out[i, 1] = a[i] <= b[i]
        out[i, 2] = a[i] > b[i]
        out[i, 3] = a[i] >= b[i]
        out[i, 4] = a[i] == b[i]
        out[i, 5] = a[i] != b[i]


@hw.kernel(contract=False)
def negate(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = -a[i]


@hw.kernel(contract=False)
def absolute(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = abs(a[i])


@hw.kernel(contract=False)
def complement(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = ~a[i]


@hw.kernel(contract=False)
def plus(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = +a[i]


@hw.kernel(contract=False)
def square_root(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = hw.sqrt(a[i])


@hw.kernel(contract=False)
def square_root_of_math(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = math.sqrt(a[i])


@hw.kernel(contract=False)
def round_down(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = hw.floor(a[i])


@hw.kernel(contract=False)
def round_up(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = hw.ceil(a[i])


@hw.kernel(contract=False)
def powers(out, a):
    i = hw.grid(1)
    if i < out.shape[0]:
        out[i, 0] = a[i] ** 0
        out[i, 1] = a[i] ** 1
        out[i, 2] = a[i] ** 2
        out[i, 3] = a[i] ** 3


@hw.kernel(contract=False)
def logic(out, a, b):
    i = hw.grid(1)
    if i < out.shape[0]:
        out[i, 0] = a[i] and b[i]
        out[i, 1] = a[i] or b[i]
        out[i, 2] = not a[i]
        out[i, 3] = a[i] & b[i]
        out[i, 4] = a[i] | b[i]
        out[i, 5] = a[i] ^ b[i]
        out[i, 6] = a[i] == b[i]
        out[i, 7] = a[i] != b[i]


@hw.kernel(contract=False)
def chained(out, a, b):
    i = hw.grid(1)
    if i < len(out):
        out[i] = -2 <= a[i] < b[i]


def wrapped(kind: str, value: int) -> int:
    """An exact integer cut to the bits of a type."""
    bits = np.dtype(kind).itemsize * 8
    value &= (1 << bits) - 1
    signed = kind.startswith("int")
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def exact(kind: str, function: Callable[..., int], *columns: np.ndarray) -> np.ndarray:
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return np.array([wrapped(kind, function(*row)) for row in rows], kind)


INTEGER_BINARY: dict[str, tuple[Any, Callable[[int, int, int], int]]] = {
    # name: kernel, meaning on exact integers (a, b, bits)
    "add": (add, lambda a, b, bits: a + b),
    "subtract": (subtract, lambda a, b, bits: a - b),
    "multiply": (multiply, lambda a, b, bits: a * b),
    "floordiv": (floor_divide, lambda a, b, bits: a // b if b else 0),
    "mod": (remainder, lambda a, b, bits: a % b if b else a),
    "and": (bit_and, lambda a, b, bits: a & b),
    "or": (bit_or, lambda a, b, bits: a | b),
    "xor": (bit_xor, lambda a, b, bits: a ^ b),
    "shl": (shift_left, lambda a, b, bits: a << (b % bits)),
    "shr": (shift_right, lambda a, b, bits: a >> (b % bits)),
    "min": (smaller, lambda a, b, bits: min(a, b)),
    "max": (larger, lambda a, b, bits: max(a, b)),
}


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("name", INTEGER_BINARY)
def test_integer_operation(device: hw.Device, name: str, kind: str) -> None:
    kernel, meaning = INTEGER_BINARY[name]
    a, b = pairs(kind)
    bits = a.dtype.itemsize * 8
    out, *_ = launch(kernel.forall(len(a)), device, np.zeros_like(a), a, b)
    assert_same(out, exact(kind, lambda x, y: meaning(x, y, bits), a, b))


@pytest.mark.parametrize("kind", INTEGERS)
def test_integer_unary(device: hw.Device, kind: str) -> None:
    a = edges(kind)
    for kernel, meaning in (
        (negate, int.__neg__),
        (absolute, abs),
        (complement, int.__invert__),
        (plus, int),
    ):
        out, *_ = launch(kernel.forall(len(a)), device, np.zeros_like(a), a)
        assert_same(out, exact(kind, meaning, a))


def float_meanings() -> dict[str, tuple[Any, Callable[[np.ndarray, np.ndarray], np.ndarray]]]:
    return {
        "add": (add, lambda a, b: a + b),
        "subtract": (subtract, lambda a, b: a - b),
        "multiply": (multiply, lambda a, b: a * b),
        "divide": (divide, lambda a, b: a / b),
        "floordiv": (floor_divide, np.floor_divide),
        "mod": (remainder, np.remainder),
    }


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", float_meanings())
def test_float_operation(device: hw.Device, name: str, kind: str) -> None:
    kernel, meaning = float_meanings()[name]
    a, b = pairs(kind)
    out, *_ = launch(kernel.forall(len(a)), device, np.zeros_like(a), a, b)
    with np.errstate(all="ignore"):
        assert_same(out, meaning(a, b))


@pytest.mark.parametrize("kind", FLOATS)
def test_float_min_and_max_prefer_numbers(device: hw.Device, kind: str) -> None:
    a, b = pairs(kind)
    zeros = (a == 0) & (b == 0)  # the sign of a zero is open
    for kernel, meaning in ((smaller, np.fmin), (larger, np.fmax)):
        out, *_ = launch(kernel.forall(len(a)), device, np.zeros_like(a), a, b)
        assert_same(np.where(zeros, np.abs(out), out), np.where(zeros, 0, meaning(a, b)))


@pytest.mark.parametrize("kind", FLOATS)
def test_float_unary(device: hw.Device, kind: str) -> None:
    a = edges(kind)
    cases = (
        (negate, np.negative),
        (absolute, np.abs),
        (plus, np.positive),
        (square_root, np.sqrt),
        (square_root_of_math, np.sqrt),
        (round_down, np.floor),
        (round_up, np.ceil),
    )
    for kernel, meaning in cases:
        out, *_ = launch(kernel.forall(len(a)), device, np.zeros_like(a), a)
        with np.errstate(all="ignore"):
            assert_same(out, meaning(a))


@pytest.mark.parametrize("kind", NUMBERS)
def test_comparisons(device: hw.Device, kind: str) -> None:
    a, b = pairs(kind)
    out, *_ = launch(compare.forall(len(a)), device, np.zeros((len(a), 6), np.bool_), a, b)
    expected = np.stack([a < b, a <= b, a > b, a >= b, a == b, a != b], axis=1)
    assert_same(out, expected)


@pytest.mark.parametrize("kind", NUMBERS)
def test_integer_powers(device: hw.Device, kind: str) -> None:
    a = edges(kind)
    out, *_ = launch(powers.forall(len(a)), device, np.zeros((len(a), 4), kind), a)
    with np.errstate(all="ignore"):
        expected = np.stack([np.ones_like(a), a, a * a, a * a * a], axis=1)
    assert_same(out, expected)


def test_bool_logic(device: hw.Device) -> None:
    a, b = pairs("bool")
    out, *_ = launch(logic.forall(len(a)), device, np.zeros((4, 8), np.bool_), a, b)
    expected = np.stack([a & b, a | b, ~a, a & b, a | b, a ^ b, a == b, a != b], axis=1)
    assert_same(out, expected)


def test_chained_comparisons(device: hw.Device) -> None:
    a, b = pairs("int32")
    out, *_ = launch(chained.forall(len(a)), device, np.zeros(len(a), np.bool_), a, b)
    assert_same(out, (a >= -2) & (a < b))
