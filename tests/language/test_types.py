"""Casts between all types, the promotion table, weak values, and the joined type of a variable."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.language.bench import NUMBERS, assert_same, edges, launch

import headwater as hw

KINDS = (*NUMBERS, "bool")


@hw.kernel(contract=False)
def to_bool(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = bool(a[i])


@hw.kernel(contract=False)
def to_int32(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = hw.int32(a[i])


@hw.kernel(contract=False)
def to_uint32(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = hw.uint32(a[i])


@hw.kernel(contract=False)
def to_int64(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = hw.int64(a[i])


@hw.kernel(contract=False)
def to_float32(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = hw.float32(a[i])


@hw.kernel(contract=False)
def to_float64(out, a):
    i = hw.grid(1)
    if i < len(out):
        out[i] = hw.float64(a[i])


CASTS: dict[str, Any] = {
    "bool": to_bool,
    "int32": to_int32,
    "uint32": to_uint32,
    "int64": to_int64,
    "float32": to_float32,
    "float64": to_float64,
}


def cast_one(value: Any, kind: str) -> Any:
    """The meaning of a cast, in Python."""
    if kind == "bool":
        return value != 0
    if kind.startswith("float"):
        return np.array([value]).astype(kind)[0]
    info = np.iinfo(kind)
    if isinstance(value, float):
        if math.isnan(value):
            return 0
        return (
            int(min(max(value, info.min), info.max))
            if math.isinf(value)
            else min(max(int(value), info.min), info.max)
        )
    bits = info.bits
    cut = int(value) & ((1 << bits) - 1)
    return cut - (1 << bits) if info.min < 0 and cut >> (bits - 1) else cut


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("source", KINDS)
def test_cast(device: hw.Device, source: str, target: str) -> None:
    a = edges(source)
    out, *_ = launch(CASTS[target].forall(len(a)), device, np.zeros(len(a), target), a)
    with np.errstate(all="ignore"):
        if target.startswith("float"):
            expected = a.astype(target)
        else:
            expected = np.array([cast_one(value, target) for value in a.tolist()], target)
    assert_same(out, expected)


@hw.kernel(contract=False)
def store_converts(out_int, out_float, a):
    i = hw.grid(1)
    if i < len(out_int):
        out_int[i] = hw.int32(a[i] + 0.5)
        out_float[i] = a[i]


def test_a_store_converts_to_the_wider_type(device: hw.Device) -> None:
    a = np.array([0.25, 1.75, -2.5, 7.0, 0.1], np.float32)
    ints, floats, _ = launch(
        store_converts.forall(5), device, np.zeros(5, np.int32), np.zeros(5), a
    )
    assert_same(ints, (a + np.float32(0.5)).astype(np.int32))
    assert_same(floats, a.astype(np.float64))


# --- promotion: the type of a + b shows in how it wraps and rounds ---

PROMOTION = {
    ("int32", "int32"): "int32",
    ("int32", "uint32"): "int64",
    ("int32", "int64"): "int64",
    ("int32", "float32"): "float32",
    ("int32", "float64"): "float64",
    ("uint32", "uint32"): "uint32",
    ("uint32", "int64"): "int64",
    ("uint32", "float32"): "float32",
    ("uint32", "float64"): "float64",
    ("int64", "int64"): "int64",
    ("int64", "float32"): "float32",
    ("int64", "float64"): "float64",
    ("float32", "float32"): "float32",
    ("float32", "float64"): "float64",
    ("float64", "float64"): "float64",
    ("bool", "int32"): "int32",
    ("bool", "uint32"): "uint32",
    ("bool", "int64"): "int64",
    ("bool", "float32"): "float32",
    ("bool", "float64"): "float64",
}


@hw.kernel(contract=False)
def add_mixed(out, a, b):
    i = hw.grid(1)
    if i < out.shape[0]:
        out[i, 0] = hw.float64(a[i] + b[i])
        out[i, 1] = hw.float64(b[i] + a[i])


@pytest.mark.parametrize(("one", "other"), PROMOTION)
def test_promotion(device: hw.Device, one: str, other: str) -> None:
    joined = PROMOTION[one, other]
    a = np.repeat(edges(one), len(edges(other)))
    b = np.tile(edges(other), len(edges(one)))
    out, *_ = launch(add_mixed.forall(len(a)), device, np.zeros((len(a), 2)), a, b)
    with np.errstate(all="ignore"):
        total = (a.astype(joined) + b.astype(joined)).astype(np.float64)
    assert_same(out[:, 0], total)
    assert_same(out[:, 1], total)


# --- weak values ---


@hw.kernel(contract=False)
def weak_literals(out, a):
    i = hw.grid(1)
    if i < out.shape[0]:
        out[i, 0] = a[i] * 3
        out[i, 1] = 2 + a[i]
        out[i, 2] = a[i] - 1


@pytest.mark.parametrize("kind", NUMBERS)
def test_integer_literals_take_the_type_they_meet(device: hw.Device, kind: str) -> None:
    a = edges(kind)
    out, *_ = launch(weak_literals.forall(len(a)), device, np.zeros((len(a), 3), kind), a)
    with np.errstate(all="ignore"):
        one, two, three = (np.array(v, kind) for v in (1, 2, 3))
        assert_same(out, np.stack([a * three, two + a, a - one], axis=1))


@hw.kernel(contract=False)
def weak_arguments(out, a, scale, shift):
    i = hw.grid(1)
    if i < len(out):
        out[i] = a[i] * scale + shift


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_python_scalars_are_weak(device: hw.Device, kind: str) -> None:
    a = edges(kind)
    out, *_ = launch(weak_arguments.forall(len(a)), device, np.zeros_like(a), a, 0.1, 7)
    with np.errstate(all="ignore"):
        assert_same(out, a * np.array(0.1, kind) + np.array(7, kind))


def test_one_weak_scalar_at_two_types(device: hw.Device) -> None:
    @hw.kernel(contract=False)
    def both(single, double, factor):
        i = hw.grid(1)
        if i < len(single):
            single[i] = single[i] * factor
            double[i] = double[i] * factor

    single, double = np.arange(5, dtype=np.float32), np.arange(5, dtype=np.float64)
    out, wide = launch(both.forall(5), device, single, double, 0.1)
    assert_same(out, single * np.float32(0.1))
    assert_same(wide, double * 0.1)


def test_numpy_scalars_are_strong(device: hw.Device) -> None:
    a = np.array([0.1, 0.2, 1e-9], np.float32)
    out, *_ = launch(weak_arguments.forall(3), device, np.zeros(3), a, np.float64(0.1), 0)
    assert_same(out, a.astype(np.float64) * 0.1 + 0)


@hw.kernel(contract=False)
def joined_variable(out, a, n):
    i = hw.grid(1)
    if i < len(out):
        total = 0
        for k in range(n):
            total += a[i] * k
        out[i] = total


@pytest.mark.parametrize("kind", NUMBERS)
def test_a_variable_joins_its_assignments(device: hw.Device, kind: str) -> None:
    a = (
        np.arange(1, 6).astype(kind) / np.array(2, kind)
        if kind.startswith("f")
        else np.arange(5).astype(kind)
    )
    out, *_ = launch(joined_variable.forall(5), device, np.zeros(5, kind), a.astype(kind), 4)
    assert_same(out, (a * 6).astype(kind))


@hw.kernel(contract=False)
def chosen(out, a, b):
    i = hw.grid(1)
    if i < out.shape[0]:
        out[i, 0] = a[i] if a[i] > b[i] else b[i]
        out[i, 1] = hw.select(a[i] > b[i], a[i], b[i])
        out[i, 2] = 1.5 if a[i] > 0 else a[i]


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_conditional_expressions_join(device: hw.Device, kind: str) -> None:
    values = edges(kind)
    a, b = np.repeat(values, len(values)), np.tile(values, len(values))
    out, *_ = launch(chosen.forall(len(a)), device, np.zeros((len(a), 3), kind), a, b)
    larger = np.where(a > b, a, b)
    assert_same(out, np.stack([larger, larger, np.where(a > 0, np.array(1.5, kind), a)], axis=1))
