"""Atomic updates against the interpreter, and of several threads at once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.backends.cpu.building import (
    LANES,
    SUBSCRIPTS,
    agree,
    compute,
    cpu,
    open_cpu,
    parameter,
    position,
    run,
    values_of,
)

from headwater import ir
from headwater.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, SCALARS, UINT32, ScalarType

ATOMIC = {
    "add": SCALARS,
    "min": SCALARS,
    "max": SCALARS,
    "exch": SCALARS,
    "cas": SCALARS,
    "and": [k for k in SCALARS if k.is_integer],
    "or": [k for k in SCALARS if k.is_integer],
    "xor": [k for k in SCALARS if k.is_integer],
    "inc": [k for k in SCALARS if k.kind == "uint"],
    "dec": [k for k in SCALARS if k.kind == "uint"],
}
ATOMIC_PAIRS = [
    (operation, kind) for operation, kinds in ATOMIC.items() for kind in kinds if kind.bits >= 32
]


PLACES = ("linear", "shuffled", "fixed", "colliding")


@pytest.mark.parametrize(("operation", "kind"), ATOMIC_PAIRS, ids=str)
def test_atomics(operation: str, kind: ScalarType) -> None:
    """One thread after another in the order of their numbers, on one core, as in the interpreter.

    On elements of each thread's own and on common ones, of an argument and of a shared array: each case has a row.
    """
    rows = 2 * len(PLACES)

    def build() -> ir.Kernel:
        old = parameter("old", kind, 2, written=True)
        target, a = parameter("target", kind, 2, written=True), parameter("a", kind)
        own = ir.SharedArray("own", kind, (rows, 37))
        kernel = ir.Kernel("update", [old, target, a], (37, 1, 1), shared=[own])
        builder = ir.Builder(kernel.body)
        i = builder.index("thread", 0)
        lines = [builder.constant(row, INT32) for row in range(rows)]
        for line in lines:
            builder.store(own, (line, i), builder.load(target, (line, i)))
        builder.append(ir.Barrier())
        odd = builder.compute("mod", i, builder.constant(5, INT32))
        works = builder.compute("ne", odd, builder.constant(2, INT32))
        four = builder.compute("mod", i, builder.constant(4, INT32))
        value, other = builder.load(a, (i,)), builder.load(a, (four,))
        for row, line in enumerate(lines):
            place = PLACES[row % len(PLACES)]
            at = four if place == "colliding" else SUBSCRIPTS[place](builder, i)
            array = own if row < len(PLACES) else target
            with builder.when(works):
                compare = other if operation == "cas" else None
                found = builder.atomic(operation, array, (line, at), value, compare=compare)
                builder.store(old, (line, i), found)
        builder.append(ir.Barrier())
        for line in lines[: len(PLACES)]:
            builder.store(target, (line, i), builder.load(own, (line, i)))
        return kernel

    start = values_of(kind, 37)
    if kind.is_float:
        start[[3, 6]] = [np.nan, -0.0]
    values = values_of(kind, 37)[::-1].copy() if operation != "cas" else start.copy()
    targets = np.tile(start, (rows, 1))
    agree(build, (1, 1, 1), np.zeros_like(targets), targets, values)


def test_floats_are_compared_and_swapped_by_value() -> None:
    def build() -> ir.Kernel:
        target, compare = parameter("t", FLOAT32, written=True), parameter("c", FLOAT32)
        kernel = ir.Kernel("swap", [target, compare], (4, 1, 1))
        builder = ir.Builder(kernel.body)
        i = builder.index("thread", 0)
        new = builder.constant(9.0, FLOAT32)
        builder.atomic("cas", target, (i,), new, compare=builder.load(compare, (i,)))
        return kernel

    for lanes in LANES:
        target = np.array([0.0, np.nan, 2.0, 3.0], np.float32)
        compare = np.array([-0.0, np.nan, 2.0, 2.0], np.float32)
        found = run(cpu(lanes), build(), (1, 1, 1), target, compare)[0]
        np.testing.assert_array_equal(found, np.array([9, np.nan, 9, 3], np.float32))


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        *itertools.product(["add", "cas", "min"], [UINT32, INT64, FLOAT32, FLOAT64]),
        ("inc", UINT32),
        ("xor", UINT32),
    ],
    ids=str,
)
def test_atomics_of_several_threads(operation: str, kind: ScalarType) -> None:
    """Every update counts: of a compare-and-swap in a loop too."""
    n = 64 * 200

    def build() -> ir.Kernel:
        target = parameter("t", kind, written=True)
        kernel = ir.Kernel("count", [target], (64, 1, 1))
        builder = ir.Builder(kernel.body)
        i = position(builder)
        zero = builder.constant(0, INT32)
        value = builder.cast(i, kind)
        if operation == "inc":
            value = builder.constant(10**6, kind)
        if operation != "cas":
            builder.atomic(operation, target, (zero,), value)
            return kernel
        seen, done = ir.Variable("seen", kind), ir.Variable("done", BOOL)
        kernel.variables = [seen, done]
        builder.assign(seen, builder.load(target, (zero,)))
        builder.assign(done, builder.constant(False, BOOL))
        loop = ir.While(ir.Block(), ir.Value(BOOL), ir.Block())
        builder.append(loop)
        with builder.inside(loop.test):
            loop.condition = builder.compute("not", builder.read(done))
        with builder.inside(loop.body):
            before = builder.read(seen)
            new = builder.compute(
                "add", before, builder.constant(1.0 if kind.is_float else 1, kind)
            )
            found = builder.atomic("cas", target, (zero,), new, compare=before)
            builder.assign(done, compute(builder, "eq", BOOL, found, before))
            builder.assign(seen, found)
        return kernel

    start = np.array([-5 if kind.kind != "uint" else 0], kind.numpy)
    device = open_cpu(threads=2)
    found = run(device, build(), (200, 1, 1), start)[0][0]
    indices = np.arange(n, dtype=np.uint32)
    expected = {
        "add": start[0] + kind.numpy.type(n * (n - 1) // 2),
        "inc": n,
        "cas": start[0] + kind.numpy.type(n),
        "min": start[0],
        "xor": np.bitwise_xor.reduce(indices),
    }[operation]
    if kind is FLOAT32 and operation == "add":
        np.testing.assert_allclose(found, expected, rtol=1e-4)
    else:
        assert found == expected
