"""Small numbers in words, float16, arrays of the block, the thread and the program, views with strides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from webgpu_hand import Hand, download, operation, run, upload

from headwater import ir
from headwater.backends.contract import ArrayArgument, Options
from headwater.backends.webgpu.compiler import compile_kernel
from headwater.backends.webgpu.driver import WebGpuDriver
from headwater.errors import CapabilityError, Span
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
    VectorType,
)

Column: TypeAlias = npt.NDArray[Any]

_SMALL = (INT8, UINT8, INT16, UINT16, FLOAT16, BOOL)


def values_of(kind: ScalarType, *shape: int) -> Column:
    """Any bits; for floats numbers that can be compared."""
    random = np.random.default_rng(kind.bits)
    if kind.is_float:
        return (random.integers(-1000, 1000, shape) / 8).astype(kind.numpy)
    low, high = (0, 1) if kind is BOOL else kind.limits
    return random.integers(low, high, shape, endpoint=True, dtype=kind.numpy)


# --- small numbers --------------------------------------------------------------------------------


def copying(kind: ScalarType | VectorType, components: int = 1) -> Hand:
    """out[i] = x[i], one thread an element."""
    hand = Hand()
    out, source = hand.array("out", kind, written=True), hand.array("x", kind)
    i, build = hand.thread(), hand.build
    with build.when(build.compute("lt", i, build.extent(source, 0))):
        for component in range(components):
            build.store(out, (i,), build.load(source, (i,), component), component)
    return hand


@pytest.mark.parametrize("kind", _SMALL, ids=str)
def test_neighbours_in_one_word_are_stored_by_different_threads(
    driver: WebGpuDriver, kind: ScalarType
) -> None:
    executable = driver.load(driver.compile(copying(kind).kernel, Options()))
    for count in (1, 2, 3, 5, 1001):
        before, values = values_of(kind, count + 9), values_of(kind, count + 3)
        out, source = upload(driver, before), upload(driver, values)
        views = [replace(out, offset=5 * kind.size), replace(source, offset=3 * kind.size)]
        passed = [replace(view, shape=(count,)) for view in views]
        executable.launch((-(-count // 64), 1, 1), passed)
        expected = before.copy()
        expected[5 : 5 + count] = values[3:]
        assert np.array_equal(download(driver, out, before), expected)


def test_small_vectors(driver: WebGpuDriver) -> None:
    for kind, components in ((UINT8, 3), (BOOL, 2), (FLOAT16, 4), (INT16, 2)):
        lanes = 2 if components == 2 else 4
        values = values_of(kind, 100, lanes)
        passed = [upload(driver, array) for array in (np.zeros_like(values), values)]
        passed = [replace(p, shape=(100,), strides=(lanes,), component_stride=1) for p in passed]
        hand = copying(VectorType(kind, components), components)
        driver.load(driver.compile(hand.kernel, Options())).launch((2, 1, 1), passed)
        got = download(driver, passed[0], values)[:, :components]
        assert np.array_equal(got, values[:, :components])


def test_of_racing_stores_one_wins(driver: WebGpuDriver) -> None:
    """With an `and` and an `or` the bits of several values were mixed."""
    hand = Hand()
    out = hand.array("out", UINT8, written=True)
    build, i = hand.build, hand.thread()
    value = build.cast(build.compute("and", i, hand.const(3)), INT32)
    power = build.cast(build.cast(build.compute("shl", hand.const(1), value), UINT32), UINT8)
    build.store(out, (hand.const(1),), power)
    got = run(driver, hand, np.zeros(4, np.uint8), grid=(64, 1, 1))[0]
    assert got[1] in (1, 2, 4, 8)
    assert list(got[[0, 2, 3]]) == [0, 0, 0]


def test_float16_widens_exactly(driver: WebGpuDriver) -> None:
    values = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    for options in (Options(), Options(contract=False)):
        hand = operation("cast", (FLOAT16,), FLOAT32)
        got = run(driver, hand, np.zeros(1 << 16, np.float32), values, options=options)[0]
        assert np.array_equal(got, values.astype(np.float32), equal_nan=True)
        assert np.array_equal(np.signbit(got), np.signbit(values))


@pytest.mark.parametrize("source", [FLOAT32, FLOAT64], ids=str)
def test_float16_is_rounded_to_the_nearest(driver: WebGpuDriver, source: ScalarType) -> None:
    """Each half-way point between two numbers, its neighbours on both sides, and others."""
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    middles = np.append((halves[1:] + halves[:-1]) / 2, [65519.99, 65520.0, 1e30, np.inf, np.nan])
    middles = middles.astype(source.numpy)
    near = [np.nextafter(middles, source.numpy.type(towards)) for towards in (-np.inf, np.inf)]
    values = np.concatenate([middles, *near, halves.astype(source.numpy)])
    values = np.concatenate([values, -values])
    hand = operation("cast", (source,), FLOAT16)
    got = run(driver, hand, np.zeros(len(values), np.float16), values)[0]
    with np.errstate(over="ignore"):
        expected = values.astype(np.float16)
    assert np.array_equal(got, expected, equal_nan=True)
    assert np.array_equal(np.signbit(got), np.signbit(expected))


# --- memory of the block ----------------------------------------------------------------------------


def through_shared(kind: ScalarType, size: int) -> Hand:
    """out[b] = x[b] reversed, by the last elements of a shared array."""
    hand = Hand()
    out, source = hand.array("out", kind, written=True), hand.array("x", kind)
    tile = hand.shared("tile", kind, size)
    build, t, i = hand.build, hand.build.index("thread", 0), hand.thread()
    last = hand.const(size - 1)
    build.store(tile, (build.compute("sub", last, t),), build.load(source, (i,)))
    build.append(ir.Barrier())
    place = build.compute("add", t, hand.const(size - 64))
    build.store(out, (i,), build.load(tile, (place,)))
    return hand


@pytest.mark.parametrize("kind", _SMALL, ids=str)
def test_small_shared_arrays_a_word_each_or_packed_where_there_is_no_room(
    driver: WebGpuDriver, kind: ScalarType
) -> None:
    values = values_of(kind, 256)
    room = driver.features.max_shared
    for size, packed in ((64, False), (room // kind.size - 32, True)):
        hand = through_shared(kind, size)
        got = run(driver, hand, np.zeros_like(values), values)[0]
        assert np.array_equal(got, values.reshape(-1, 64)[:, ::-1].ravel())
        words = f"array<atomic<u32>, {size * kind.size // 4}>"
        assert (words in driver.source(hand.kernel, Options())) == packed
    with pytest.raises(CapabilityError, match=f"'hand' uses {room + 16} bytes of shared arrays"):
        driver.compile(through_shared(INT8, room + 16).kernel, Options())


def dynamic(hand: Hand, name: str, kind: ScalarType) -> ir.SharedArray:
    """A dynamic shared array of all of the bytes that the kernel has."""
    array = ir.SharedArray(name, kind, (hand.kernel.dynamic_shared // kind.size,), dynamic=True)
    hand.kernel.shared.append(array)
    return array


def mixed_views() -> Hand:
    """Threads write parts of one piece as several types; then each byte is read."""
    hand = Hand(32)
    hand.kernel.dynamic_shared = 256
    out = hand.array("out", UINT8, written=True)
    kinds = {FLOAT64: 0, FLOAT32: 8, UINT16: 24, FLOAT16: 32, INT64: 10, INT8: 90, INT32: 40}
    arrays = {kind: dynamic(hand, str(kind), kind) for kind in kinds}
    words = dynamic(hand, "words", UINT32)
    raw = dynamic(hand, "bytes", UINT8)
    build, t = hand.build, hand.build.index("thread", 0)
    for start in (0, 32):
        build.store(words, (build.compute("add", t, hand.const(start)),), hand.const(0, UINT32))
    build.append(ir.Barrier())
    with build.when(build.compute("eq", t, hand.const(0))):
        for kind, place in kinds.items():
            value = -2.5 if kind.is_float else 300 if kind is UINT16 else -3
            build.store(arrays[kind], (hand.const(place),), hand.const(value, kind))
    build.append(ir.Barrier())
    build.atomic("add", arrays[INT32], (hand.const(41),), hand.const(-2))
    build.atomic("min", arrays[INT32], (hand.const(42),), hand.const(-7))
    build.atomic("add", arrays[FLOAT32], (hand.const(43),), hand.const(0.5, FLOAT32))
    build.append(ir.Barrier())
    with build.loop(t, hand.const(256), hand.const(32)) as loop:
        build.store(out, (loop.index,), build.load(raw, (loop.index,)))
    return hand


def test_views_of_all_types_of_one_dynamic_piece(driver: WebGpuDriver) -> None:
    got = run(driver, mixed_views(), np.zeros(256, np.uint8), grid=(1, 1, 1))[0]
    expected = np.zeros(256, np.uint8)
    for kind, place, value in (
        (FLOAT64, 0, -2.5),
        (FLOAT32, 8, -2.5),
        (UINT16, 24, 300),
        (FLOAT16, 32, -2.5),
        (INT64, 10, -3),
        (INT8, 90, -3),
        (INT32, 40, -3),
        (INT32, 41, -64),
        (INT32, 42, -7),
        (FLOAT32, 43, 16.0),
    ):
        expected.view(kind.numpy)[place] = value
    assert np.array_equal(got, expected)


def test_dynamic_arrays_of_one_type_are_plain(driver: WebGpuDriver) -> None:
    for kind, element in ((FLOAT32, "f32"), (FLOAT64, "f64"), (UINT64, "u64")):
        hand = Hand()
        hand.kernel.dynamic_shared = 64 * kind.size
        out, source = hand.array("out", kind, written=True), hand.array("x", kind)
        first, second = dynamic(hand, "a", kind), dynamic(hand, "b", kind)
        build, t, i = hand.build, hand.build.index("thread", 0), hand.thread()
        build.store(first, (build.compute("sub", hand.const(63), t),), build.load(source, (i,)))
        build.append(ir.Barrier())
        build.store(out, (i,), build.load(second, (t,)))
        assert f"array<{element}, 64>" in driver.source(hand.kernel, Options())
        values = values_of(kind, 64)
        assert np.array_equal(run(driver, hand, np.zeros_like(values), values)[0], values[::-1])


def test_dynamic_memory_of_no_bytes(driver: WebGpuDriver) -> None:
    hand = Hand(1)
    out = hand.array("out", INT32, written=True)
    hand.build.store(out, (hand.const(0),), hand.build.extent(dynamic(hand, "none", FLOAT32), 0))
    assert run(driver, hand, np.ones(1, np.int32))[0][0] == 0


def test_wide_atomics_in_mixed_dynamic_memory_are_refused(driver: WebGpuDriver) -> None:
    hand = Hand()
    hand.kernel.dynamic_shared = 64
    wide, _ = dynamic(hand, "wide", INT64), dynamic(hand, "narrow", FLOAT32)
    hand.build.span = Span("kernel.py", 7, 0, 7, 4)
    hand.build.atomic("add", wide, (hand.const(0),), hand.const(1, INT64))
    with pytest.raises(CapabilityError, match="updates int64 atomically in dynamic") as caught:
        driver.compile(hand.kernel, Options())
    assert caught.value.span is not None
    assert caught.value.span.line == 7


# --- memory of the thread, and tables -----------------------------------------------------------------


@pytest.mark.parametrize("kind", [*_SMALL, INT32, FLOAT32, FLOAT64, UINT64], ids=str)
def test_arrays_of_one_thread(driver: WebGpuDriver, kind: ScalarType) -> None:
    """Each thread reverses a row of five elements of two components."""
    hand = Hand()
    out = hand.array("out", kind, ndim=2, written=True)
    source = hand.array("x", kind, ndim=2)
    row = ir.LocalArray("row", kind, (5,), 2)
    hand.kernel.locals.append(row)
    build, i = hand.build, hand.thread()
    bounds = (hand.const(0), hand.const(10), hand.const(1))
    two = hand.const(2)
    with build.loop(*bounds) as loop:
        value, place = (
            build.load(source, (i, loop.index)),
            build.compute("floordiv", loop.index, two),
        )
        even = build.compute("eq", build.compute("mod", loop.index, two), hand.const(0))
        with build.when(even):
            build.store(row, (place,), value, 0)
        with build.when(build.compute("not", even)):
            build.store(row, (place,), value, 1)
    with build.loop(hand.const(0), build.extent(row, 0), hand.const(1)) as loop:
        mirrored = build.compute("sub", hand.const(4), loop.index)
        first = build.compute("mul", loop.index, two)
        for component in (0, 1):
            place = build.compute("add", first, hand.const(component))
            build.store(out, (i, place), build.load(row, (mirrored,), component))
    values = values_of(kind, 128, 10)
    got = run(driver, hand, np.zeros_like(values), values, grid=(2, 1, 1))[0]
    assert np.array_equal(got, values.reshape(128, 5, 2)[:, ::-1].reshape(128, 10))


def test_tables_of_constants(driver: WebGpuDriver) -> None:
    hand = Hand(1)
    kinds = (FLOAT32, UINT8, INT64, FLOAT64, BOOL, FLOAT16, INT16, UINT64, FLOAT32, INT32)
    out = hand.array("out", FLOAT64, written=True)
    build, position = hand.build, 0
    expected: list[float] = []
    for number, kind in enumerate(kinds):
        values = values_of(kind, 2, 3)
        flat = tuple(values.ravel().tolist())
        table = ir.ConstantArray(f"table{number}", kind, (2, 3), flat)
        hand.kernel.constants.append(table)
        with build.loop(hand.const(0), hand.const(2), hand.const(1)) as loop:
            for column in range(3):
                value = build.load(table, (loop.index, hand.const(column)))
                place = build.compute("mul", loop.index, hand.const(3))
                place = build.compute("add", place, hand.const(position + column))
                build.store(out, (place,), build.cast(value, FLOAT64))
        position += 6
        expected += [float(kind.numpy.type(value)) for value in flat]
    got = run(driver, hand, np.zeros(position), grid=(1, 1, 1))[0]
    assert list(got) == expected


# --- views --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [FLOAT32, UINT8, BOOL], ids=str)
def test_four_dimensions_with_any_strides(driver: WebGpuDriver, kind: ScalarType) -> None:
    base = values_of(kind, 4, 5, 6, 7)
    cuts: list[Callable[[Column], Column]] = [
        lambda a: a,
        lambda a: a[::-1, 1:4, ::2, ::-3],
        lambda a: a.transpose(3, 1, 0, 2)[1:, ::-1],
    ]
    for cut in cuts:
        hand = Hand(1)
        out = hand.array("out", kind, ndim=4, written=True, contiguous=False)
        source = hand.array("x", kind, ndim=4, contiguous=False)
        build = hand.build
        first = tuple(build.index("block", axis) for axis in range(3))
        with build.loop(hand.const(0), build.extent(source, 3), hand.const(1)) as loop:
            place = (*first, loop.index)
            build.store(out, place, build.load(source, place))
        target = np.zeros_like(base)
        passed = [view_of(driver, array, cut(array)) for array in (target, base)]
        executable = driver.load(driver.compile(hand.kernel, Options()))
        shape = cut(base).shape
        executable.launch((shape[0], shape[1], shape[2]), passed)
        got = np.empty_like(base)
        driver.read(passed[0].memory, 0, memoryview(got).cast("B"))
        cut(target)[...] = cut(base)
        assert np.array_equal(got, target)


def view_of(driver: WebGpuDriver, base: Column, view: Column) -> ArrayArgument:
    """A view of an array that is uploaded whole."""
    memory = upload(driver, base).memory
    offset = view.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    strides = tuple(stride // base.itemsize for stride in view.strides)
    return ArrayArgument(memory, offset, view.shape, strides)


def test_views_of_one_array_share_its_binding_whatever_is_done_to_them(
    driver: WebGpuDriver,
) -> None:
    hand = Hand()
    counts = hand.array("counts", FLOAT32, written=True, alias=1, atomic=True)
    other = hand.array("other", FLOAT32, alias=1)
    flags = hand.array("flags", UINT8, written=True, alias=2)
    seen = hand.array("seen", UINT8, alias=2)
    build, i = hand.build, hand.thread()
    build.atomic("max", counts, (i,), build.load(other, (i,)))
    build.store(flags, (i,), build.load(seen, (i,)))
    text = driver.source(hand.kernel, Options())
    assert text.count("var<storage") == 2


# --- limits -------------------------------------------------------------------------------------------


def test_too_many_buffers_are_counted(driver: WebGpuDriver) -> None:
    def kernel(arrays: int) -> ir.Kernel:
        hand = Hand()
        for n in range(arrays):
            hand.array(f"x{n}", FLOAT32)
        hand.array("y", FLOAT32, alias=1)
        hand.array("z", FLOAT32, alias=1)
        hand.kernel.constants.append(ir.ConstantArray("table", FLOAT32, (1,), (1.0,)))
        return hand.kernel

    features = replace(driver.features, max_storage_buffers=8)
    compile_kernel(kernel(6), Options(), features)
    text = "uses 8 arrays and 1 tables of constants, more than the 8 buffers.*'vulkan'"
    with pytest.raises(CapabilityError, match=text):
        compile_kernel(kernel(7), Options(), features)
