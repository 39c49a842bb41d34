"""Indices that the emitter knows something about, against the interpreter: what threads load and store with them."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from tests.backends.cpu.building import agree, compute

from headwater import ir
from headwater.types import BOOL, FLOAT32, INT32, INT64, UINT8, UINT32, ArrayType, ScalarType

# Each gives an index from 0 to 255 for the thread's x, y and its number in the block.
Index = Callable[[ir.Builder, ir.Value, ir.Value, ir.Value], ir.Value]


def _with(operation: str, number: int, after: int = 0) -> Index:
    """The thread's number and a literal."""

    def index(b: ir.Builder, x: ir.Value, y: ir.Value, t: ir.Value) -> ir.Value:
        result = b.compute(operation, t, b.constant(number, INT32))
        return b.compute("add", result, b.constant(after, INT32)) if after else result

    return index


def _reversed(operation: str, number: int) -> Index:
    return lambda b, x, y, t: b.compute(operation, b.constant(number, INT32), t)


def _twice(first: str, number: int, then: str, other: int) -> Index:
    def index(b: ir.Builder, x: ir.Value, y: ir.Value, t: ir.Value) -> ir.Value:
        return b.compute(
            then, b.compute(first, t, b.constant(number, INT32)), b.constant(other, INT32)
        )

    return index


def _tile(b: ir.Builder, x: ir.Value, y: ir.Value, t: ir.Value) -> ir.Value:
    return b.compute("add", b.compute("mul", y, b.constant(8, INT32)), x)


def _transposed(b: ir.Builder, x: ir.Value, y: ir.Value, t: ir.Value) -> ir.Value:
    return b.compute("add", b.compute("mul", x, b.constant(3, INT32)), y)


def _next_round(b: ir.Builder, x: ir.Value, y: ir.Value, t: ir.Value) -> ir.Value:
    """The one after, or the first."""
    after = b.compute("add", t, b.constant(1, INT32))
    inside = b.compute("lt", after, b.constant(37, INT32))
    return b.compute("select", inside, after, b.constant(0, INT32))


def _chosen_far(b: ir.Builder, x: ir.Value, y: ir.Value, t: ir.Value) -> ir.Value:
    """One of two places; where no thread takes the second, it lies far outside."""
    inside = b.compute("lt", t, b.constant(1000, INT32))
    return b.compute("select", inside, t, b.constant(1 << 29, INT32))


def _unsigned_below(b: ir.Builder, x: ir.Value, y: ir.Value, t: ir.Value) -> ir.Value:
    """An unsigned index whose first lanes' base lies below 0; threads there are sent elsewhere."""
    at = b.compute("sub", b.cast(t, UINT32), b.constant(5, UINT32))
    return b.compute("select", b.compute("lt", at, b.constant(200, UINT32)), at, b.cast(t, UINT32))


def _either(operation: str, number: int) -> Index:
    def index(b: ir.Builder, x: ir.Value, y: ir.Value, t: ir.Value) -> ir.Value:
        chosen = b.compute(operation, t, b.constant(number, INT32))
        return b.compute("add", chosen, b.constant(2, INT32))

    return index


def _wide(b: ir.Builder, x: ir.Value, y: ir.Value, t: ir.Value) -> ir.Value:
    wide = b.cast(t, INT64)
    return b.compute("xor", b.compute("mul", wide, b.constant(2, INT64)), b.constant(1, INT64))


INDICES: dict[str, Index] = {
    "warp": _with("floordiv", 32),
    "lane": _with("mod", 32),
    "lane by bits": _with("and", 31),
    "pairs": _with("xor", 1),
    "butterfly of 2": _with("xor", 2),
    "butterfly of 16": _with("xor", 16),
    "butterfly of 21": _with("xor", 21),
    "even": _with("and", -2),
    "odd": _with("or", 1),
    "quads": _with("shr", 2),
    "thirds": _with("floordiv", 3),
    "rest of 3": _with("mod", 3),
    "doubled": _with("shl", 1),
    "twice and one": _with("mul", 2, after=1),
    "fourfold": _with("mul", 4),
    "backwards": _reversed("sub", 63),
    "backwards in steps": _twice("mul", -3, "add", 200),
    "quads of a shifted lane": _twice("add", 3, "shr", 2),
    "bits of a shifted lane": _twice("add", 3, "and", 15),
    "blocks of eight": _twice("shr", 3, "shl", 3),
    "warp's start": _twice("floordiv", 32, "mul", 32),
    "tile": _tile,
    "transposed": _transposed,
    "clamped above": _either("min", 20),
    "clamped below": _either("max", 9),
    "round": _next_round,
    "chosen far": _chosen_far,
    "unsigned": _unsigned_below,
    "wide": _wide,
}
SHAPES = [(64, 1, 1), (37, 1, 1), (8, 8, 1), (4, 4, 4), (5, 7, 1), (16, 2, 1), (2, 3, 2)]


def number_of(b: ir.Builder, shape: tuple[int, int, int]) -> ir.Value:
    """The thread's number in its block."""
    number = b.index("thread", 2)
    for axis in (1, 0):
        scaled = b.compute("mul", number, b.constant(shape[axis], INT32))
        number = b.compute("add", scaled, b.index("thread", axis))
    return number


@pytest.mark.parametrize("kind", [UINT8, FLOAT32, INT64], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_loads(shape: tuple[int, int, int], kind: ScalarType) -> None:
    """All of them in one kernel: from an argument and from a shared array, some under a mask."""

    def build() -> ir.Kernel:
        out = ir.ArrayParameter("out", ArrayType(kind, 3), ("out",), written=True)
        a = ir.ArrayParameter("a", ArrayType(kind, 1), ("a",))
        shared = ir.SharedArray("shared", kind, (256,))
        kernel = ir.Kernel("loads", [out, a], shape, shared=[shared])
        b = ir.Builder(kernel.body)
        t, x, y = number_of(b, shape), b.index("thread", 0), b.index("thread", 1)
        bounds = (t, b.constant(256, INT32), b.constant(kernel.threads, INT32))
        with b.loop(*bounds) as loop:
            b.store(shared, (loop.index,), b.load(a, (loop.index,)))
        b.append(ir.Barrier())
        some = b.compute("ne", b.compute("mod", t, b.constant(5, INT32)), b.constant(2, INT32))
        for row, index in enumerate(INDICES.values()):
            at, line = index(b, x, y, t), b.constant(row, INT32)
            b.store(out, (b.constant(0, INT32), line, t), b.load(a, (at,)))
            with b.when(some):
                b.store(out, (b.constant(1, INT32), line, t), b.load(shared, (at,)))
        return kernel

    threads = shape[0] * shape[1] * shape[2]
    numbers = (np.arange(256) * 7 % 251).astype(kind.numpy)
    agree(build, (1, 1, 1), np.zeros((2, len(INDICES), threads), kind.numpy), numbers)


@pytest.mark.parametrize("kind", [UINT8, FLOAT32, INT64], ids=str)
@pytest.mark.parametrize("shape", [(64, 1, 1), (37, 1, 1), (8, 8, 1)], ids=str)
def test_stores(shape: tuple[int, int, int], kind: ScalarType) -> None:
    """Where threads meet at one element, the last one's value stays."""

    def build() -> ir.Kernel:
        out = ir.ArrayParameter("out", ArrayType(kind, 3), ("out",), written=True)
        kernel = ir.Kernel("stores", [out], shape)
        b = ir.Builder(kernel.body)
        t, x, y = number_of(b, shape), b.index("thread", 0), b.index("thread", 1)
        some = b.compute("ne", b.compute("mod", t, b.constant(5, INT32)), b.constant(2, INT32))
        value = b.cast(b.compute("add", t, b.constant(1, INT32)), kind)
        for row, index in enumerate(INDICES.values()):
            at, line = index(b, x, y, t), b.constant(row, INT32)
            b.store(out, (b.constant(0, INT32), line, at), value)
            with b.when(some):
                b.store(out, (b.constant(1, INT32), line, at), value)
        return kernel

    agree(build, (1, 1, 1), np.zeros((2, len(INDICES), 256), kind.numpy))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values(shape: tuple[int, int, int]) -> None:
    """What is computed with such integers, and compared."""

    def build() -> ir.Kernel:
        out = ir.ArrayParameter("out", ArrayType(INT64, 2), ("out",), written=True)
        kernel = ir.Kernel("values", [out], shape)
        b = ir.Builder(kernel.body)
        t, x, y = number_of(b, shape), b.index("thread", 0), b.index("thread", 1)
        for row, index in enumerate(INDICES.values()):
            at = index(b, x, y, t)
            less = compute(b, "lt", BOOL, at, b.constant(11, at.type))
            value = b.compute("add", b.cast(at, INT64), b.cast(less, INT64))
            b.store(out, (b.constant(row, INT32), t), b.compute("neg", value))
        return kernel

    threads = shape[0] * shape[1] * shape[2]
    agree(build, (1, 1, 1), np.zeros((len(INDICES), threads), np.int64))


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize(
    ("kind", "operation"),
    [
        *itertools.product([INT32, UINT32, INT64], ["add", "min", "max", "and", "or", "xor"]),
        *itertools.product([FLOAT32], ["add", "min", "max"]),
    ],
    ids=str,
)
def test_lanes_that_meet(kind: ScalarType, operation: str, used: bool) -> None:
    """At one element, or at one for each warp: with one value for all, and with each thread's own."""

    def build() -> ir.Kernel:
        target = ir.ArrayParameter("t", ArrayType(kind, 1), ("t",), written=True, atomic=True)
        a = ir.ArrayParameter("a", ArrayType(kind, 1), ("a",))
        old = ir.ArrayParameter("old", ArrayType(kind, 2), ("old",), written=True)
        kernel = ir.Kernel("meet", [target, a, old], (75, 1, 1))
        b = ir.Builder(kernel.body)
        t = b.index("thread", 0)
        three = b.constant(3.0 if kind.is_float else 3, kind)
        zero = b.constant(0, INT32)
        some = b.compute("ne", b.compute("mod", t, b.constant(5, INT32)), b.constant(2, INT32))
        own = b.load(a, (t,))
        cases = [(zero, three), (zero, own), (_warp(b, t), three), (_warp(b, t), own)]
        for row, (place, value) in enumerate(cases):
            at = b.compute("add", place, b.constant(4 * row, INT32))
            with b.when(some):
                found = b.atomic(operation, target, (at,), value)
                if used:
                    b.store(old, (b.constant(row, INT32), t), found)
        return kernel

    numbers = ((np.arange(75) * 5) % 61 - (0 if kind is UINT32 else 20)).astype(kind.numpy)
    start = np.arange(16).astype(kind.numpy)
    agree(build, (1, 1, 1), start, numbers, np.zeros((4, 75), kind.numpy))


def _warp(b: ir.Builder, t: ir.Value) -> ir.Value:
    return b.compute("floordiv", t, b.constant(32, INT32))
