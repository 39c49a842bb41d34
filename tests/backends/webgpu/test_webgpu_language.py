"""The traps of WGSL, naga and drivers that the emitter must keep clear of, one test each."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from webgpu_hand import Hand, operation, run

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
    UINT32,
    ScalarType,
    VectorType,
)

_EXACT = Options(contract=False)


def one(kind: ScalarType, count: int = 1) -> np.ndarray[Any, Any]:
    return np.zeros(count, kind.numpy)


# --- loops ----------------------------------------------------------------------------------------


def python_range(
    driver: Driver, kind: ScalarType, bounds: tuple[int, int, int], constant: tuple[bool, ...]
) -> list[int]:
    """The indices that a kernel's `for` gives, each bound a literal or an argument."""
    hand = Hand(1)
    out = hand.array("out", kind, written=True)
    length = hand.array("length", INT32, written=True)
    values = [
        hand.const(value, kind) if fixed else hand.scalar(name, kind)
        for name, value, fixed in zip(("start", "stop", "step"), bounds, constant, strict=True)
    ]
    count = hand.variable("count", INT32)
    build = hand.build
    build.assign(count, hand.const(0))
    with build.loop(*values) as loop:
        build.store(out, (build.read(count),), loop.index)
        build.assign(count, build.compute("add", build.read(count), hand.const(1)))
    build.store(length, (hand.const(0),), build.read(count))
    passed = [value for value, fixed in zip(bounds, constant, strict=True) if not fixed]
    got, counted = run(driver, hand, one(kind, 64), one(INT32), *passed, grid=(1, 1, 1))
    return [int(value) for value in got[: counted[0]]]


_RANGES = {
    INT32: [
        (0, 5, 1), (5, 0, 1), (5, 0, -1), (0, 10, 3), (10, -4, -3), (3, 3, 1), (0, 5, 0), (4, 2, 0),
        (2147483640, 2147483647, 3), (2147483646, 2147483647, 1), (-2147483647, -2147483648, -1),
        (-2147483640, -2147483648, -5), (-2147483648, 2147483647, 2147483647),
        (2147483647, -2147483648, -2147483648), (-2147483648, 2147483647, 1073741824),
    ],
    UINT32: [(0, 5, 1), (5, 0, 2), (4294967290, 4294967295, 2), (0, 4294967295, 1 << 30), (0, 3, 0)],
    INT64: [
        (0, 5, 1), (5, -5, -3), (2**63 - 5, 2**63 - 1, 3), (-(2**63) + 4, -(2**63), -3),
        (-(2**63), 2**63 - 1, 2**62), (0, 3, 0),
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", _RANGES, ids=str)
@pytest.mark.parametrize(
    "constant", [(True, True, True), (False, False, False), (True, False, True)]
)
def test_a_for_loop_is_pythons_range(
    driver: Driver, kind: ScalarType, constant: tuple[bool, ...]
) -> None:
    for bounds in _RANGES[kind]:
        expected = list(range(*bounds)) if bounds[2] else []
        assert python_range(driver, kind, bounds, constant) == expected, bounds


def test_more_than_65535_iterations_run(driver: Driver) -> None:
    hand = Hand(1)
    out = hand.array("out", INT32, written=True)
    trips = hand.scalar("trips", INT32)
    total = hand.variable("total", INT32)
    build, zero, unit = hand.build, hand.const(0), hand.const(1)
    build.assign(total, zero)
    with build.loop(zero, trips, unit), build.loop(zero, trips, unit):
        build.assign(total, build.compute("add", build.read(total), unit))
    build.store(out, (zero,), build.read(total))
    assert run(driver, hand, one(INT32), 1000)[0][0] == 1_000_000


def test_while_with_continue_and_break(driver: Driver) -> None:
    """`continue` goes to the test; a loop whose last statement breaks ends."""
    hand = Hand(1)
    out = hand.array("out", INT32, written=True)
    build = hand.build
    n, total = hand.variable("n", INT32), hand.variable("total", INT32)
    zero, unit, limit = hand.const(0), hand.const(1), hand.const(10)
    build.assign(n, zero)
    build.assign(total, zero)
    loop = ir.While(ir.Block(), ir.Value(BOOL), ir.Block())
    with build.inside(loop.test):
        loop.condition = build.compute("lt", build.read(n), limit)
    with build.inside(loop.body):
        build.assign(n, build.compute("add", build.read(n), unit))
        odd = build.compute("eq", build.compute("and", build.read(n), unit), unit)
        with build.when(odd):
            build.append(ir.Continue())
        with build.when(build.compute("gt", build.read(n), hand.const(7))):
            build.append(ir.Break())
        build.assign(total, build.compute("add", build.read(total), build.read(n)))
    build.append(loop)
    build.store(out, (zero,), build.read(total))
    assert run(driver, hand, one(INT32))[0][0] == 2 + 4 + 6


# --- literals -------------------------------------------------------------------------------------

_LITERALS = [
    (INT32, -2147483648), (INT32, 2147483647), (INT32, -1), (UINT32, 4294967295), (UINT32, 0),
    (INT64, -(2**63)), (INT64, 2**63 - 1), (INT64, -5), (INT64, 2**40),
    (BOOL, True), (BOOL, False),
    *((kind, value) for kind in (FLOAT32, FLOAT64) for value in (
        0.1, -0.1, 0.0, -0.0, 1e-3, 1e30, 3.0, 16777217.0, 1e-40, 3.4028234663852886e38,
        math.inf, -math.inf, math.nan)),
    (FLOAT64, 1e300), (FLOAT64, 5e-324), (FLOAT64, 1 / 3), (FLOAT32, 1e39),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), _LITERALS, ids=str)
def test_a_literal_is_exact(driver: Driver, kind: ScalarType, value: Any) -> None:
    hand = Hand(1)
    out = hand.array("out", kind, written=True)
    hand.build.store(out, (hand.const(0),), hand.const(value, kind))
    got = run(driver, hand, one(kind))[0]
    with np.errstate(over="ignore"):
        expected = np.array([value]).astype(kind.numpy)
    if kind.is_float and math.isnan(value):
        assert np.isnan(got[0])
    else:
        assert got.tobytes() == expected.tobytes()


_FOLDED = [
    ("add", INT32, (2147483647, 1), -2147483648),
    ("mul", INT32, (65536, 65536), 0),
    ("neg", INT32, (-2147483648,), -2147483648),
    ("sub", UINT32, (0, 1), 4294967295),
    ("neg", UINT32, (1,), 4294967295),
    ("floordiv", INT32, (1, 0), 0),
    ("mod", INT32, (7, 0), 7),
    ("shl", INT32, (1, 40), 256),
    ("shl", UINT32, (1, 32), 1),
    ("add", INT64, (2**63 - 1, 1), -(2**63)),
    ("div", FLOAT32, (1.0, 0.0), math.inf),
    ("mul", FLOAT32, (1e30, 1e30), math.inf),
]


@pytest.mark.parametrize(("name", "kind", "values", "expected"), _FOLDED)
def test_overflow_of_literals_is_no_compile_error(
    driver: Driver, name: str, kind: ScalarType, values: tuple[Any, ...], expected: Any
) -> None:
    hand = Hand(1)
    out = hand.array("out", kind, written=True)
    operands = [hand.const(value, kind) for value in values]
    hand.build.store(out, (hand.const(0),), hand.build.compute(name, *operands))
    assert run(driver, hand, one(kind))[0][0] == expected


def test_a_literal_shift_amount_beyond_the_width(driver: Driver) -> None:
    hand = Hand(1)
    out = hand.array("out", INT32, written=True)
    x = hand.scalar("x", INT32)
    hand.build.store(out, (hand.const(0),), hand.build.compute("shl", x, hand.const(33)))
    assert run(driver, hand, one(INT32), 3)[0][0] == 6


def test_a_float_beyond_an_integer_as_a_literal(driver: Driver) -> None:
    hand = Hand(1)
    out = hand.array("out", INT32, written=True)
    hand.build.store(out, (hand.const(0),), hand.build.cast(hand.const(3e9, FLOAT32), INT32))
    assert run(driver, hand, one(INT32))[0][0] == 2147483647


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


# --- names, scalars, nesting ----------------------------------------------------------------------


def test_any_python_name_is_a_good_name(driver: Driver) -> None:
    hand = Hand(1)
    names = ["self", "__x", "f32", "größe", "型", "v_1", "hw", "array", "main", "a__b", "_"]
    out = hand.array("fn", FLOAT32, written=True)
    scalars = [hand.scalar(name, FLOAT32) for name in names]
    local = hand.variable("loop", FLOAT32)
    build = hand.build
    build.assign(local, hand.const(0.0, FLOAT32))
    for scalar in scalars:
        build.assign(local, build.compute("add", build.read(local), scalar))
    build.store(out, (hand.const(0),), build.read(local))
    values = [float(n) for n in range(len(names))]
    assert run(driver, hand, one(FLOAT32), *values)[0][0] == sum(values)


def all_scalars(repeats: int) -> tuple[Hand, list[Any]]:
    """Stores scalar arguments of every type, as float64."""
    hand = Hand(1)
    out = hand.array("out", FLOAT64, written=True)
    values: list[Any] = []
    kinds = (BOOL, INT64, INT32, FLOAT64, UINT32, FLOAT32)
    for n in range(repeats):
        for kind in kinds:
            value = {"bool": n % 2 == 0, "float": n + 0.5}.get(kind.kind, n + 7)
            scalar = hand.scalar(f"s{len(values)}", kind)
            place = (hand.const(len(values)),)
            hand.build.store(out, place, hand.build.cast(scalar, FLOAT64))
            values.append(value)
    return hand, values


@pytest.mark.parametrize("repeats", [1, 3, 40], ids=["few", "some", "uniform buffer"])
def test_scalars_of_every_type(driver: Driver, repeats: int) -> None:
    """Up to the device's limit they are immediates, beyond it a uniform buffer."""
    hand, values = all_scalars(repeats)
    got = run(driver, hand, one(FLOAT64, len(values)), *values, grid=(1, 1, 1))[0]
    assert list(got) == [float(value) for value in values]


def test_deep_nesting_is_refused_by_name(driver: Driver) -> None:
    hand = Hand(1)
    out = hand.array("out", INT32, written=True)
    build = hand.build
    outer = build.block
    x = hand.scalar("x", INT32)
    for _ in range(130):
        node = ir.If(build.compute("gt", x, hand.const(0)), ir.Block(), ir.Block())
        build.append(node)
        build.block = node.then
    build.store(out, (hand.const(0),), x)
    build.block = outer
    with pytest.raises(CapabilityError, match=r"'hand' nests more than 120 blocks"):
        driver.compile(hand.kernel, Options())


def test_nesting_up_to_the_limit_compiles(driver: Driver) -> None:
    hand = Hand(1)
    out = hand.array("out", INT32, written=True)
    build = hand.build
    outer = build.block
    x = hand.scalar("x", INT32)
    for _ in range(118):
        node = ir.If(build.compute("gt", x, hand.const(0)), ir.Block(), ir.Block())
        build.append(node)
        build.block = node.then
    build.store(out, (hand.const(0),), x)
    build.block = outer
    assert run(driver, hand, one(INT32), 5)[0][0] == 5


# --- memory ---------------------------------------------------------------------------------------


def test_neighbouring_bools_are_stored_by_different_threads(driver: Driver) -> None:
    """Four bools share a word; a plain read-modify-write loses some."""
    hand = Hand()
    out, source = hand.array("out", BOOL, written=True), hand.array("x", BOOL)
    i, build = hand.thread(), hand.build
    with build.when(build.compute("lt", i, build.extent(out, 0))):
        build.store(out, (i,), build.compute("not", build.load(source, (i,))))
    random = np.random.default_rng(4)
    for count in (1, 3, 4, 1001, 65537):
        values = random.integers(0, 2, count).astype(bool)
        before = random.integers(0, 2, count).astype(bool)
        got = run(driver, hand, before, values)[0]
        assert np.array_equal(got, ~values)


@pytest.mark.parametrize("scalar", [FLOAT32, FLOAT64, INT32, UINT32], ids=str)
def test_vectors_lie_as_the_driver_says(driver: Driver, scalar: ScalarType) -> None:
    layout = driver.vector_layout(3, 10)
    hand = Hand()
    kind = VectorType(scalar, 3)
    out, source = hand.array("out", kind, written=True), hand.array("x", kind)
    i, build = hand.thread(), hand.build
    with build.when(build.compute("lt", i, build.extent(source, 0))):
        for component in range(3):
            value = build.load(source, (i,), (component + 1) % 3)
            build.store(out, (i,), value, component)
    assert layout.component_stride == 1
    values = np.arange(10 * layout.element_stride).reshape(10, -1).astype(scalar.numpy)
    ir.verify(hand.kernel)
    got = run_vectors(driver, hand, np.zeros_like(values), values)
    assert np.array_equal(got[:, :3], values[:, [1, 2, 0]])


def run_vectors(driver: Driver, hand: Hand, *values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    from webgpu_hand import download, upload

    from headwater.backends.contract import ArrayArgument

    passed = []
    for value in values:
        memory = upload(driver, value).memory
        passed.append(ArrayArgument(memory, 0, (len(value),), (value.shape[1],), 1))
    executable = driver.load(driver.compile(hand.kernel, Options()))
    executable.launch((1, 1, 1), passed)
    return download(driver, passed[0], values[0])


@pytest.mark.parametrize("contiguous", [True, False])
def test_two_and_three_dimensions(driver: Driver, contiguous: bool) -> None:
    for shape in ((5, 7), (3, 4, 5)):
        hand = Hand(1)
        ndim = len(shape)
        out = hand.array("out", INT32, ndim=ndim, written=True, contiguous=contiguous)
        build = hand.build
        indices = tuple(build.index("block", axis) for axis in range(ndim))
        value = indices[0]
        for axis, index in enumerate(indices[1:], start=1):
            scaled = build.compute("mul", value, build.extent(out, axis))
            value = build.compute("add", scaled, index)
        build.store(out, indices, value)
        grid = (*shape, 1)[:3]
        got = run(driver, hand, np.zeros(shape, np.int32), grid=grid)[0]  # type: ignore[arg-type]
        assert np.array_equal(got.ravel(), np.arange(got.size))


def test_indices_of_every_integer_type(driver: Driver) -> None:
    hand = Hand(1)
    out = hand.array("out", INT32, written=True)
    for n, kind in enumerate((INT32, UINT32, INT64)):
        index = hand.build.cast(hand.const(n), kind)
        hand.build.store(out, (index,), hand.const(n + 10))
        hand.build.store(out, (hand.const(n + 3, kind),), hand.const(n + 20))
    assert list(run(driver, hand, one(INT32, 6))[0]) == [10, 11, 12, 20, 21, 22]


def test_a_whole_vector_is_read_at_once_and_anew_after_a_store(driver: WebGpuDriver) -> None:
    hand = Hand(1)
    p = hand.array("p", VectorType(FLOAT32, 3), written=True)
    out = hand.array("out", FLOAT32, written=True)
    build, zero = hand.build, (hand.const(0),)
    total = build.load(p, zero, 0)
    for component in (1, 2):
        total = build.compute("add", total, build.load(p, zero, component))
    build.store(p, zero, total, 1)
    build.store(out, zero, build.load(p, zero, 1))
    with build.when(build.compute("lt", total, hand.const(0.0, FLOAT32))):
        build.store(p, zero, total, 2)
    build.store(out, (hand.const(1),), build.load(p, zero, 2))
    text = driver.source(hand.kernel, Options())
    assert text.count("= b_p[") == 3
    got = run(driver, hand, np.float32([[1, 2, 4, 0]]), one(FLOAT32, 2), grid=(1, 1, 1))
    assert list(got[1]) == [7.0, 4.0]


def test_remainders_keep_nan_and_the_sign_of_zero(driver: Driver) -> None:
    """Drivers made 0 of x % x, and q - x of -(x - q)."""
    for kind in (FLOAT32, FLOAT64):
        hand = Hand(1)
        out, source = hand.array("out", kind, written=True), hand.array("x", kind)
        build, first = hand.build, (hand.const(0),)
        x = build.load(source, first)
        rest = build.compute("mod", x, x)
        build.store(out, first, rest)
        build.store(out, (hand.const(1),), build.compute("neg", rest))
        got = run(driver, hand, one(kind, 2), one(kind), grid=(1, 1, 1), options=_EXACT)[0]
        assert np.isnan(got).all()
        values = np.full(1, 3, kind.numpy)
        got = run(driver, hand, one(kind, 2), values, grid=(1, 1, 1), options=_EXACT)[0]
        assert list(np.signbit(got)) == [False, True]


def test_the_smallest_integer_has_no_positive_counterpart(driver: Driver) -> None:
    """A driver took abs(x) for positive, and made 0 of min(0, abs(x))."""
    for kind in (INT32, INT64):
        hand = Hand(1)
        out, source = hand.array("out", kind, written=True), hand.array("x", kind)
        build, first = hand.build, (hand.const(0),)
        size = build.compute("abs", build.load(source, first))
        build.store(out, first, build.compute("min", hand.const(0, kind), size))
        smallest = np.array([kind.limits[0]], kind.numpy)
        assert run(driver, hand, one(kind), smallest)[0][0] == kind.limits[0]


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
