"""Rounding as written, against drivers that reassociate, fold and drop roundings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from webgpu_hand import Hand, operation, run

from headwater import ir
from headwater.backends.contract import Driver, Options
from headwater.backends.webgpu.driver import WebGpuDriver
from headwater.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT64,
    UINT32,
    ScalarType,
)

_EXACT = Options(contract=False)


def one(kind: ScalarType, count: int = 1) -> np.ndarray[Any, Any]:
    return np.zeros(count, kind.numpy)


# --- arithmetic -----------------------------------------------------------------------------------


def two_operations(first: str, second: str, kind: ScalarType = FLOAT32) -> Hand:
    """out = second(first(a, b), a)."""
    hand = Hand()
    out = hand.array("out", kind, written=True)
    a, b = hand.array("a", kind), hand.array("b", kind)
    i, build = hand.thread(), hand.build
    with build.when(build.compute("lt", i, build.extent(out, 0))):
        x, y = build.load(a, (i,)), build.load(b, (i,))
        build.store(out, (i,), build.compute(second, build.compute(first, x, y), x))
    return hand


@pytest.mark.parametrize("kind", [FLOAT32, FLOAT64], ids=str)
def test_nothing_is_reassociated_without_contraction(driver: Driver, kind: ScalarType) -> None:
    """This driver makes b of (a + b) - a."""
    random = np.random.default_rng(1)
    a = (random.uniform(1, 2, 256) * 1e6).astype(kind.numpy)
    b = random.uniform(0, 1, 256).astype(kind.numpy)
    got = run(driver, two_operations("add", "sub", kind), one(kind, 256), a, b, options=_EXACT)[0]
    assert np.array_equal(got, (a + b) - a)


def test_multiply_and_add_are_not_fused_without_contraction(driver: Driver) -> None:
    random = np.random.default_rng(2)
    a, b = random.uniform(-1, 1, (2, 4096)).astype(np.float32)
    hand = two_operations("mul", "add")
    got = run(driver, hand, one(FLOAT32, 4096), a, b, options=_EXACT)[0]
    assert np.array_equal(got, a * b + a)


def test_x_ne_x_finds_nan(driver: Driver) -> None:
    """Drivers fold x != x to false."""
    for name, expected in (("ne", [False, True, False]), ("eq", [True, False, True])):
        hand = Hand()
        out = hand.array("out", BOOL, written=True)
        source = hand.array("x", FLOAT32)
        i, build = hand.thread(), hand.build
        with build.when(build.compute("lt", i, build.extent(out, 0))):
            x = build.load(source, (i,))
            build.store(out, (i,), build.compute(name, x, x))
        values = np.array([1.0, math.nan, math.inf], np.float32)
        assert list(run(driver, hand, one(BOOL, 3), values)[0]) == expected


def test_a_rounding_cast_is_not_dropped(driver: Driver) -> None:
    """Mesa 25 makes x of float64(float32(x))."""
    hand = Hand()
    out, source = hand.array("out", FLOAT64, written=True), hand.array("x", FLOAT64)
    i, build = hand.thread(), hand.build
    with build.when(build.compute("lt", i, build.extent(out, 0))):
        x = build.load(source, (i,))
        build.store(out, (i,), build.cast(build.cast(x, FLOAT32), FLOAT64))
    values = np.random.default_rng(3).uniform(-1, 1, 64)
    got = run(driver, hand, one(FLOAT64, 64), values)[0]
    assert np.array_equal(got, values.astype(np.float32).astype(np.float64))


def test_uint32_widens_without_its_sign(driver: Driver) -> None:
    """naga extends by the sign of the target."""
    values = np.array([4294967289, 7], np.uint32)
    got = run(driver, operation("cast", (UINT32,), INT64), one(INT64, 2), values)[0]
    assert list(got) == [4294967289, 7]


# --- single operations as written -------------------------------------------------------------------


def remainder_of_a_sum(kind: ScalarType) -> Hand:
    """The two-sum of Knuth, as written, of an array and a literal; then one of their plain sums."""
    hand = Hand()
    out = hand.array("out", kind, written=True)
    source = hand.array("x", kind)
    i, build = hand.thread(), hand.build
    a, b = build.load(source, (i,)), hand.const(0.1, kind)
    build.contract = False
    total = build.compute("add", a, b)
    part = build.compute("sub", total, a)
    rest = build.compute("sub", a, build.compute("sub", total, part))
    rest = build.compute("add", rest, build.compute("sub", b, part))
    none = build.compute("sub", rest, rest)
    never = build.compute("mul", rest, hand.const(0.0, kind))
    for value in (none, never):
        rest = build.compute("add", rest, value)
    build.store(out, (i,), rest)
    return hand


@pytest.mark.parametrize("kind", [FLOAT32, FLOAT64], ids=str)
def test_single_operations_are_rounded_as_written(driver: WebGpuDriver, kind: ScalarType) -> None:
    """In a kernel that may contract all others; literals are hidden too."""
    a = (np.random.default_rng(8).uniform(1, 2, 256) * 1e4).astype(kind.numpy)
    b = kind.numpy.type(0.1)
    part = (a + b) - a
    expected = (a - ((a + b) - part)) + (b - part)
    assert np.count_nonzero(expected) > 100
    got = run(driver, remainder_of_a_sum(kind), one(kind, 256), a)[0]
    assert np.array_equal(got, expected)
    a[:2] = np.nan, np.inf
    assert np.isnan(run(driver, remainder_of_a_sum(kind), one(kind, 256), a)[0][:2]).all()


def test_identities_do_not_uncover_what_was_hidden(driver: WebGpuDriver) -> None:
    """With a * 1.0 known to the driver, two of the launch's zeros met, and it made b of (a + b) - a."""
    hand = Hand()
    out, a_, b_ = (hand.array(name, FLOAT32, written=name == "out") for name in ("out", "a", "b"))
    i, build = hand.thread(), hand.build
    a, b = build.load(a_, (i,)), build.load(b_, (i,))
    build.contract = False
    total = build.compute("add", a, b)
    for _ in range(3):
        total = build.compute("mul", total, hand.const(1.0, FLOAT32))
        total = build.compute("sub", total, hand.const(0.0, FLOAT32))
        total = build.compute("div", total, hand.const(1.0, FLOAT32))
    build.store(out, (i,), build.compute("sub", total, a))
    x, y = np.random.default_rng(9).uniform(1, 2, (2, 64)).astype(np.float32)
    x *= np.float32(1e5)
    got = run(driver, hand, one(FLOAT32, 64), x, y)[0]
    assert np.array_equal(got, (x + y) - x)


def test_plain_operations_stay_plain_beside_one_as_written(driver: WebGpuDriver) -> None:
    hand = Hand()
    out, source = hand.array("out", FLOAT32, written=True), hand.array("x", FLOAT32)
    i, build = hand.thread(), hand.build
    x = build.load(source, (i,))
    build.contract = False
    exact = build.compute("add", x, x)
    build.contract = True
    build.store(out, (i,), build.compute("mul", exact, hand.const(3.0, FLOAT32)))
    text = driver.source(hand.kernel, Options())
    assert " * 3.0f;" in text
    assert text.count("hw_exact_f32(") == 2


def test_divisions_as_written_are_exact_where_the_devices_own_are_not(
    emulating: WebGpuDriver,
) -> None:
    hand = operation("div", (FLOAT32, FLOAT32), FLOAT32)
    plain = operation("add", (FLOAT32, FLOAT32), FLOAT32)
    for made in (hand, plain):
        for node in ir.walk(made.kernel.body):
            if isinstance(node, ir.Compute):
                node.contract = False
    assert "hw_ieee_div" in emulating.source(hand.kernel, Options())
    assert "ieee" not in emulating.source(plain.kernel, Options())
