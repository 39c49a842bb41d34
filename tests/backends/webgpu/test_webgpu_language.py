"""The traps of WGSL, naga and drivers that the emitter must keep clear of, one test each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from webgpu_hand import Hand, run

from headwater import ir
from headwater.backends.contract import Driver, Options
from headwater.backends.webgpu.driver import WebGpuDriver
from headwater.errors import CapabilityError
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
    UINT64: [(0, 5, 1), (5, 0, 2), (2**64 - 6, 2**64 - 1, 2), (0, 2**64 - 1, 1 << 62), (0, 3, 0)],
    INT8: [(0, 5, 1), (120, 127, 3), (-120, -128, -5), (127, -128, -100)],
    UINT16: [(65530, 65535, 2), (7, 3, 1)],
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
    (INT64, -(2**63)), (INT64, 2**63 - 1), (INT64, -5), (INT64, 2**40), (UINT64, 2**64 - 1),
    (INT8, -128), (UINT8, 255), (INT16, -32768), (UINT16, 65535), (FLOAT16, 65504.0), (FLOAT16, -0.0),
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
    ("add", UINT64, (2**64 - 1, 1), 0),
    ("add", INT8, (127, 1), -128),
    ("neg", UINT64, (1,), 2**64 - 1),
    ("mulhi", UINT32, (4294967295, 4294967295), 4294967294),
    ("popc", INT64, (-1,), 64),
    ("clz", INT32, (0,), 32),
    ("fma", FLOAT32, (1e30, 1e30, -math.inf), -math.inf),
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
    kinds = (BOOL, INT64, INT32, FLOAT64, UINT32, FLOAT32, UINT64, INT8, UINT16)
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
    for n, kind in enumerate((INT32, UINT32, INT64, UINT64, INT8, UINT16)):
        index = hand.build.cast(hand.const(n), kind)
        hand.build.store(out, (index,), hand.const(n + 10))
        hand.build.store(out, (hand.const(n + 6, kind),), hand.const(n + 20))
    assert list(run(driver, hand, one(INT32, 12))[0]) == [*range(10, 16), *range(20, 26)]


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
