"""Atomics on every type, in device and shared memory, against sums that are exact in any order."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from webgpu_hand import Hand, run

from headwater import ir
from headwater.backends.contract import Driver, Options
from headwater.backends.webgpu.compiler import compile_kernel
from headwater.backends.webgpu.features import FLOAT32_ATOMIC_ADD, INT64_ATOMICS, Features
from headwater.errors import CapabilityError
from headwater.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, UINT32, UINT64, ScalarType

_KINDS = (INT32, UINT32, INT64, UINT64, FLOAT32, FLOAT64)
_ORACLES = {"add": np.add, "min": np.minimum, "max": np.maximum}
_BITS = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
_CASES = [(name, kind) for name in _ORACLES for kind in _KINDS]
_CASES += [(name, kind) for name in _BITS for kind in _KINDS if kind.is_integer]


def scattered(kind: ScalarType, *names: str) -> Hand:
    """cell[i % 8] op= x[i] for each name; the old values of the last go to `old`."""
    hand = Hand()
    cells = hand.array("cells", kind, written=True, atomic=True)
    source = hand.array("x", kind)
    old = hand.array("old", kind, written=True)
    i, build = hand.thread(), hand.build
    place = build.compute("mod", i, hand.const(8))
    value = build.load(source, (i,))
    for name in names:
        before = build.atomic(name, cells, (place,), value)
    build.store(old, (i,), before)
    return hand


def without(features: Features, name: str) -> tuple[str, ...]:
    return tuple(other for other in features.names if other != name)


def values_of(kind: ScalarType, count: int) -> np.ndarray[Any, Any]:
    low = 0 if kind.kind == "uint" else -1000
    return np.random.default_rng(6).integers(low, 1000, count).astype(kind.numpy)


@pytest.mark.parametrize(("name", "kind"), _CASES, ids=str)
def test_device_memory(driver: Driver, kind: ScalarType, name: str) -> None:
    values = values_of(kind, 4096)
    start = np.full(8, 5, kind.numpy)
    hand = scattered(kind, name)
    cells, _, old = run(driver, hand, start, values, np.zeros(4096, kind.numpy))
    expected = start.copy()
    (_ORACLES | _BITS)[name].at(expected, np.arange(4096) % 8, values)
    assert np.array_equal(cells, expected)
    if name == "add":
        for cell in range(8):
            assert 5 in old[cell::8]
            assert len(set(old[cell::8])) > 1


@pytest.mark.parametrize("kind", _KINDS, ids=str)
def test_several_operations_on_one_array(driver: Driver, kind: ScalarType) -> None:
    values = np.ones(4096, kind.numpy)
    hand = scattered(kind, "add", "max", "min")
    cells = run(driver, hand, np.full(8, 5, kind.numpy), values, np.zeros(4096, kind.numpy))[0]
    assert np.all((cells >= 1) & (cells <= 2))


@pytest.mark.parametrize(("name", "kind"), _CASES, ids=str)
def test_shared_memory(driver: Driver, kind: ScalarType, name: str) -> None:
    """Not zeroed by the driver: the kernel sets its start value before the barrier."""
    hand = Hand()
    out, source = hand.array("out", kind, written=True), hand.array("x", kind)
    tile = hand.shared("tile", kind, 1)
    build = hand.build
    zero = hand.const(0)
    t = build.index("thread", 0)
    first = build.compute("eq", t, zero)
    start = hand.const(5.0 if kind.is_float else 5, kind)
    with build.when(first):
        build.store(tile, (zero,), start)
    build.append(ir.Barrier())
    build.atomic(name, tile, (zero,), build.load(source, (hand.thread(),)))
    build.append(ir.Barrier())
    with build.when(first):
        build.store(out, (build.index("block", 0),), build.load(tile, (zero,)))
    values = values_of(kind, 1024)
    got = run(driver, hand, np.zeros(16, kind.numpy), values)[0]
    expected = (_ORACLES | _BITS)[name].reduce(
        values.reshape(16, 64), axis=1, initial=kind.numpy.type(5)
    )
    assert np.array_equal(got, expected)


def test_a_float_keeps_its_number_against_nan(driver: Driver) -> None:
    values = np.array([np.nan] * 32 + [3.0] * 32, np.float32)
    hand = scattered(FLOAT32, "min")
    start = np.full(8, np.nan, np.float32)
    cells = run(driver, hand, start, values, np.zeros(64, np.float32))[0]
    assert np.array_equal(cells, np.full(8, 3.0))


def test_float32_add_without_the_feature_is_a_compare_and_swap(driver: Any) -> None:
    """And both forms of one addition agree."""
    values = values_of(FLOAT32, 4096)
    plain = driver.features
    less = dataclasses.replace(plain, names=without(plain, FLOAT32_ATOMIC_ADD))
    texts = [
        compile_kernel(scattered(FLOAT32, "add").kernel, Options(), features).text()
        for features in (plain, less)
    ]
    assert "atomicAdd(" in texts[0]
    assert "atomicCompareExchangeWeak(" not in texts[0]
    assert "atomicCompareExchangeWeak(" in texts[1]
    driver.features = less
    try:
        cells = run(
            driver,
            scattered(FLOAT32, "add"),
            np.zeros(8, np.float32),
            values,
            np.zeros_like(values),
        )[0]
    finally:
        driver.features = plain
    assert np.array_equal(cells, values.reshape(-1, 8).sum(axis=0))


def test_wide_atomics_without_the_feature_are_refused(driver: Any) -> None:
    less = dataclasses.replace(driver.features, names=without(driver.features, INT64_ATOMICS))
    for kind in (INT64, FLOAT64):
        with pytest.raises(CapabilityError, match=f"'hand' needs atomics on {kind}.*'vulkan'"):
            compile_kernel(scattered(kind, "add").kernel, Options(), less)


def test_a_bool_is_no_atomic(driver: Driver) -> None:
    hand = Hand()
    cells = hand.array("cells", BOOL, written=True, atomic=True)
    hand.build.atomic("add", cells, (hand.const(0),), hand.const(True, BOOL))
    with pytest.raises(CapabilityError, match="updates a bool atomically"):
        driver.compile(hand.kernel, Options())


@pytest.mark.parametrize("kind", [FLOAT64, INT64], ids=str)
def test_wide_types_without_the_feature_are_refused(driver: Any, kind: ScalarType) -> None:
    less = dataclasses.replace(driver.features, names=())
    hand = Hand()
    out = hand.array("out", kind, written=True)
    hand.build.store(out, (hand.const(0),), hand.const(1.0 if kind.is_float else 1, kind))
    with pytest.raises(CapabilityError, match=f"'hand' needs {kind}, which is not there.*'vulkan'"):
        compile_kernel(hand.kernel, Options(), less)


def test_the_same_array_plain_and_atomic(driver: Driver) -> None:
    """Loads and stores of an array that has atomics go through its atomic type."""
    hand = Hand()
    cells = hand.array("cells", FLOAT32, written=True, atomic=True)
    build, i = hand.build, hand.thread()
    one = hand.const(1.0, FLOAT32)
    build.store(cells, (i,), build.compute("add", build.load(cells, (i,)), one))
    build.atomic("max", cells, (i,), hand.const(10.0, FLOAT32))
    build.store(cells, (i,), build.compute("add", build.load(cells, (i,)), one))
    values = np.arange(64, dtype=np.float32)
    got = run(driver, hand, values)[0]
    assert np.array_equal(got, np.maximum(values + 1, 10) + 1)


# --- exchanges and counters -------------------------------------------------------------------------


def launched(driver: Driver, hand: Hand, kind: ScalarType, start: Any) -> tuple[Any, Any]:
    """The cell and the old values after 4096 threads, by an array argument."""
    cells, old = run(driver, hand, np.full(1, start, kind.numpy), np.zeros(4096, kind.numpy))
    return cells[0], old


def one_cell(kind: ScalarType, name: str, value: Any, compare: Any = None) -> Hand:
    """Every thread updates one cell with the same value, and keeps the old one."""
    hand = Hand()
    cells = hand.array("cells", kind, written=True, atomic=True)
    old = hand.array("old", kind, written=True)
    expected = None if compare is None else hand.const(compare, kind)
    i, build = hand.thread(), hand.build
    before = build.atomic(
        name, cells, (hand.const(0),), hand.const(value, kind), 0, compare=expected
    )
    build.store(old, (i,), before)
    return hand


@pytest.mark.parametrize("kind", [UINT32, UINT64], ids=str)
def test_counters_turn_round(driver: Driver, kind: ScalarType) -> None:
    cell, old = launched(driver, one_cell(kind, "inc", 6), kind, 0)
    assert cell == 4096 % 7
    assert np.array_equal(np.sort(old), np.sort(np.arange(4096) % 7))
    cell, old = launched(driver, one_cell(kind, "dec", 6), kind, 9)
    # 9 is more than 6, so that it becomes 6 at once; then 6, 5, ... 0 and again.
    assert np.array_equal(np.sort(old), np.sort([9, *(6 - np.arange(4095) % 7)]))
    assert cell == 6 - 4095 % 7


@pytest.mark.parametrize("kind", _KINDS, ids=str)
def test_an_exchange_hands_every_value_to_one_thread(driver: Driver, kind: ScalarType) -> None:
    hand = Hand()
    cells = hand.array("cells", kind, written=True, atomic=True)
    old = hand.array("old", kind, written=True)
    build, i = hand.build, hand.thread()
    build.store(old, (i,), build.atomic("exch", cells, (hand.const(0),), build.cast(i, kind)))
    cell, seen = launched(driver, hand, kind, 5000)
    assert np.array_equal(np.sort([*seen, cell]), [*range(4096), 5000])


@pytest.mark.parametrize("kind", _KINDS, ids=str)
def test_of_many_that_compare_one_swaps(driver: Driver, kind: ScalarType) -> None:
    number = float if kind.is_float else int
    hand = one_cell(kind, "cas", number(7), number(3))
    cell, old = launched(driver, hand, kind, 3)
    assert cell == 7
    assert sorted(set(old)) == [3, 7]
    assert np.count_nonzero(old == 3) == 1
    cell, old = launched(driver, hand, kind, 4)
    assert cell == 4
    assert set(old) == {4}


@pytest.mark.parametrize("kind", [FLOAT32, FLOAT64], ids=str)
def test_floats_are_compared_by_value(driver: Driver, kind: ScalarType) -> None:
    """-0.0 is 0.0, NaN is nothing, and a subnormal number is no zero."""
    swap = one_cell(kind, "cas", 7.0, 0.0)
    assert launched(driver, swap, kind, -0.0)[0] == 7
    tiny = np.finfo(kind.numpy).smallest_subnormal
    assert launched(driver, swap, kind, tiny)[0] == tiny
    never = one_cell(kind, "cas", 7.0, float("nan"))
    assert np.isnan(launched(driver, never, kind, np.nan)[0])
