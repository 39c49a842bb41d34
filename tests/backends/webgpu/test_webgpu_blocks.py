"""What the threads of a block share: barriers, fences, shared arrays, limits of blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from webgpu_hand import Hand, run

from headwater import ir
from headwater.backends.contract import Driver, Options
from headwater.backends.webgpu.compiler import compile_kernel
from headwater.backends.webgpu.driver import WebGpuDriver
from headwater.errors import CapabilityError, Span
from headwater.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    ScalarType,
)

_EXACT = Options(contract=False)


def one(kind: ScalarType, count: int = 1) -> np.ndarray[Any, Any]:
    return np.zeros(count, kind.numpy)


# --- blocks ---------------------------------------------------------------------------------------


def reversed_in_blocks(kind: ScalarType, block: int = 64, through_global: bool = False) -> Hand:
    """out[block] = x[block] reversed, through shared memory, or through global memory and a barrier."""
    hand = Hand(block)
    out, source = hand.array("out", kind, written=True), hand.array("x", kind)
    scratch = (
        hand.array("scratch", kind, written=True)
        if through_global
        else hand.shared("tile", kind, block)
    )
    build = hand.build
    t = build.index("thread", 0)
    i = hand.thread()
    first = build.compute("sub", i, t)
    mirrored = build.compute("sub", hand.const(block - 1), t)
    place = build.compute("add", first, mirrored) if through_global else mirrored
    build.store(scratch, (i if through_global else t,), build.load(source, (i,)))
    build.append(ir.Barrier())
    build.store(out, (i,), build.load(scratch, (place,)))
    return hand


@pytest.mark.parametrize("kind", [FLOAT32, FLOAT64, INT32, INT64, BOOL], ids=str)
def test_shared_memory_and_barrier(driver: Driver, kind: ScalarType) -> None:
    values = (
        np.random.default_rng(5).integers(0, 2 if kind is BOOL else 100, 256).astype(kind.numpy)
    )
    got = run(driver, reversed_in_blocks(kind), one(kind, 256), values)[0]
    assert np.array_equal(got, values.reshape(-1, 64)[:, ::-1].ravel())


@pytest.mark.parametrize(("through_global", "count"), [(False, 0), (True, 1)])
def test_only_barriers_behind_global_memory_order_it(
    driver: WebGpuDriver, through_global: bool, count: int
) -> None:
    hand = reversed_in_blocks(FLOAT32, through_global=through_global)
    with hand.build.loop(*map(hand.const, (0, 3, 1))):
        hand.build.append(ir.Barrier())
    text = driver.source(hand.kernel, Options())
    # The store before the loop counts in both; inside it there is none.
    assert text.count("storageBarrier") == count + 1
    assert text.count("workgroupBarrier") == 2


def test_a_barrier_in_a_loop_that_stores_orders_global_memory(driver: WebGpuDriver) -> None:
    hand = Hand(64)
    out = hand.array("out", INT32, written=True)
    build = hand.build
    with build.loop(*map(hand.const, (0, 3, 1))) as loop:
        build.append(ir.Barrier())
        build.append(ir.Barrier())
        build.store(out, (build.index("thread", 0),), loop.index)
    assert driver.source(hand.kernel, Options()).count("storageBarrier") == 1


def test_a_barrier_orders_global_memory_too(driver: Driver) -> None:
    values = np.arange(256, dtype=np.float32)
    hand = reversed_in_blocks(FLOAT32, through_global=True)
    got = run(driver, hand, one(FLOAT32, 256), values, one(FLOAT32, 256))[0]
    assert np.array_equal(got, values.reshape(-1, 64)[:, ::-1].ravel())


def test_shared_arrays_of_vectors_and_more_dimensions(driver: Driver) -> None:
    hand = Hand((4, 4, 1))
    out = hand.array("out", FLOAT32, written=True)
    tile = hand.shared("tile", FLOAT32, 4, 4, components=3)
    build = hand.build
    x, y = build.index("thread", 0), build.index("thread", 1)
    for component in range(3):
        value = build.compute("add", build.cast(x, FLOAT32), hand.const(float(component), FLOAT32))
        build.store(tile, (y, x), value, component)
    build.append(ir.Barrier())
    i = build.compute("add", build.compute("mul", x, build.extent(tile, 1)), y)
    total = build.load(tile, (x, y), 0)
    for component in (1, 2):
        total = build.compute("add", total, build.load(tile, (x, y), component))
    build.store(out, (i,), total)
    got = run(driver, hand, one(FLOAT32, 16), grid=(1, 1, 1))[0].reshape(4, 4)
    assert np.array_equal(got, np.tile(3.0 * np.arange(4) + 3, (4, 1)))


def test_too_much_shared_memory_is_refused(driver: Driver) -> None:
    hand = Hand()
    hand.shared("tile", FLOAT32, 1 << 20)
    with pytest.raises(
        CapabilityError, match=r"'hand' uses 4194304 bytes of shared arrays.*'vulkan'"
    ):
        driver.compile(hand.kernel, Options())


def test_too_large_a_block_is_refused(driver: Driver) -> None:
    with pytest.raises(CapabilityError, match=r"'hand' has blocks of \(4096, 1, 1\) threads"):
        driver.compile(Hand(4096).kernel, Options())


def test_too_many_arrays_are_refused(driver: WebGpuDriver) -> None:
    hand = Hand()
    for n in range(9):
        hand.array(f"x{n}", FLOAT32)
    features = replace(driver.features, max_storage_buffers=8)
    with pytest.raises(CapabilityError, match="uses 9 arrays, more than the 8 buffers"):
        compile_kernel(hand.kernel, Options(), features)


# --- fences -----------------------------------------------------------------------------------------


def fenced(scope: str, *, divided: bool, early: bool = False) -> Hand:
    hand = Hand(32)
    out = hand.array("out", INT32, written=True)
    build, t = hand.build, hand.build.index("thread", 0)
    if early:
        with build.when(build.compute("ge", t, build.extent(out, 0))):
            build.append(ir.Return())
    build.store(out, (t,), t)
    build.span = Span("kernel.py", 3, 0, 3, 8)
    if divided:
        with build.when(build.compute("lt", t, hand.const(3))):
            build.append(ir.Fence(scope, build.span))
    else:
        build.append(ir.Fence(scope, build.span))
    one = build.compute("add", build.load(out, (t,)), hand.const(1))
    build.store(out, (t,), one)
    return hand


@pytest.mark.parametrize("divided", [False, True])
def test_a_fence_of_a_block_is_a_barrier_that_all_reach(
    driver: WebGpuDriver, divided: bool
) -> None:
    for early, count in ((False, 32), (True, 20)):
        hand = fenced("block", divided=divided, early=early)
        got = run(driver, hand, one(INT32, count), grid=(1, 1, 1))[0]
        assert np.array_equal(got, np.arange(count) + 1)
        hand = fenced("block", divided=divided, early=early)
        lines = driver.source(hand.kernel, Options()).splitlines()
        assert [line for line in lines if "Barrier();" in line] == [
            "    storageBarrier();",
            "    workgroupBarrier();",
        ]


@pytest.mark.parametrize("scope", ["device", "system"])
def test_a_fence_between_blocks_is_refused_with_its_line(driver: WebGpuDriver, scope: str) -> None:
    assert not driver.capabilities.device_fences
    with pytest.raises(CapabilityError, match="orders writes between blocks") as caught:
        driver.compile(fenced(scope, divided=False).kernel, Options())
    assert caught.value.span is not None
    assert caught.value.span.line == 3
