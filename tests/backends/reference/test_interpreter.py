"""The interpreter on hand-built IR: order, barriers, and everything that it must refuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from headwater import ir
from headwater.backends.contract import ArrayArgument, LaunchArgument, Memory, Options
from headwater.backends.reference import ReferenceBackend
from headwater.backends.reference.driver import ReferenceDriver
from headwater.errors import DeviceError, InternalError, KernelError, Span
from headwater.types import (
    BOOL,
    FLOAT32,
    INT32,
    ArrayType,
    ScalarType,
    VectorType,
    from_numpy,
)


class Bench:
    """One kernel under construction, with what it takes to run it."""

    def __init__(self, block: tuple[int, int, int] = (4, 1, 1)) -> None:
        self.driver = ReferenceBackend().open(0)
        self.kernel = ir.Kernel("example", [], block)
        self.builder = ir.Builder(self.kernel.body, Span("example.py", 7, 4, 7, 9))
        self.arguments: list[LaunchArgument] = []
        self.memories: list[Memory] = []

    def array(self, values: np.ndarray, vector: int = 0) -> ir.ArrayParameter:
        scalar = from_numpy(values.dtype)
        element = VectorType(scalar, vector) if vector else scalar
        shape = values.shape[:-1] if vector else values.shape
        count = len(self.arguments)
        parameter = ir.ArrayParameter(f"a{count}", ArrayType(element, len(shape)), written=True)
        memory = self.driver.allocate(values.nbytes)
        self.driver.write(memory, 0, memoryview(np.ascontiguousarray(values)).cast("B"))
        layout = self.driver.vector_layout(max(vector, 1), values.size)
        strides = [layout.element_stride]
        for extent in reversed(shape[1:]):
            strides.insert(0, strides[0] * extent)
        part = layout.component_stride if vector else 0
        self.kernel.parameters.append(parameter)
        self.arguments.append(ArrayArgument(memory, 0, shape, tuple(strides), part))
        self.memories.append(memory)
        return parameter

    def scalar(self, kind: ScalarType, value: float, name: str = "") -> ir.ScalarParameter:
        parameter = ir.ScalarParameter(kind, name or f"s{len(self.arguments)}")
        self.kernel.parameters.append(parameter)
        self.arguments.append(value)
        return parameter

    def variable(self, kind: ScalarType) -> ir.Variable:
        variable = ir.Variable(f"v{len(self.kernel.variables)}", kind)
        self.kernel.variables.append(variable)
        return variable

    def shared(self, kind: ScalarType, *shape: int) -> ir.SharedArray:
        array = ir.SharedArray(f"tile{len(self.kernel.shared)}", kind, shape)
        self.kernel.shared.append(array)
        return array

    def barrier(self, line: int = 7) -> None:
        self.builder.append(ir.Barrier(Span("example.py", line, 0, line, 1)))

    def integer(self, value: int) -> ir.Value:
        return self.builder.constant(value, INT32)

    def run(self, *grid: int) -> None:
        payload = self.driver.compile(self.kernel, Options())
        blocks = (*grid, 1, 1, 1)[:3]
        self.driver.load(payload).launch(blocks, self.arguments)

    def result(self, array: ir.ArrayParameter, shape: Sequence[int]) -> np.ndarray:
        position = self.kernel.parameters.index(array)
        argument = self.arguments[position]
        assert isinstance(argument, ArrayArgument)
        out = np.empty(shape, array.type.scalar.numpy)
        self.driver.read(argument.memory, 0, memoryview(out).cast("B"))
        return out


def test_threads_see_their_indices_and_sizes() -> None:
    bench = Bench((2, 3, 1))
    out = bench.array(np.zeros((4, 6, 4), np.int32))
    b = bench.builder
    place = []
    for axis in (1, 0):
        start = b.compute("mul", b.index("block", axis), b.index("block_size", axis))
        place.append(b.compute("add", start, b.index("thread", axis)))
    for column, kind in enumerate(("thread", "block", "block_size", "grid_size")):
        value = b.compute(
            "add", b.compute("mul", b.index(kind, 1), bench.integer(10)), b.index(kind, 0)
        )
        y, x = place
        b.store(out, (x, y, bench.integer(column)), value)
    bench.run(2, 2)
    seen = bench.result(out, (4, 6, 4))
    for x in range(4):
        for y in range(6):
            expected = [y % 3 * 10 + x % 2, y // 3 * 10 + x // 2, 32, 22]
            assert seen[x, y].tolist() == expected


def test_shared_memory_reverses_a_block() -> None:
    bench = Bench((4, 1, 1))
    out = bench.array(np.zeros(8, np.int32))
    tile = bench.shared(INT32, 4)
    b = bench.builder
    t = b.index("thread", 0)
    i = b.compute("add", b.compute("mul", b.index("block", 0), bench.integer(4)), t)
    b.store(tile, (t,), i)
    bench.barrier()
    b.store(out, (i,), b.load(tile, (b.compute("sub", bench.integer(3), t),)))
    bench.run(2)
    assert bench.result(out, (8,)).tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def test_barriers_inside_a_loop() -> None:
    """Each round every thread takes its right neighbour's value."""
    bench = Bench((4, 1, 1))
    out = bench.array(np.zeros(4, np.int32))
    tile = bench.shared(INT32, 4)
    b = bench.builder
    t = b.index("thread", 0)
    b.store(tile, (t,), t)
    right = b.compute("mod", b.compute("add", t, bench.integer(1)), bench.integer(4))
    bench.barrier()
    with b.loop(bench.integer(0), bench.integer(3), bench.integer(1)):
        value = b.load(tile, (right,))
        bench.barrier()
        b.store(tile, (t,), value)
        bench.barrier()
    b.store(out, (t,), b.load(tile, (t,)))
    bench.run(1)
    assert bench.result(out, (4,)).tolist() == [3, 0, 1, 2]


@pytest.mark.parametrize(
    ("bounds", "trips"),
    [
        ((0, 5, 1), 5),
        ((5, 0, -2), 3),
        ((0, 5, 0), 0),
        ((3, 3, 1), 0),
        ((2**31 - 3, 2**31 - 1, 5), 1),
    ],
)
def test_loop_trips(bounds: tuple[int, int, int], trips: int) -> None:
    bench = Bench((1, 1, 1))
    out = bench.array(np.zeros(1, np.int32))
    b = bench.builder
    start, stop, step = map(bench.integer, bounds)
    zero = bench.integer(0)
    with b.loop(start, stop, step):
        b.store(out, (zero,), b.compute("add", b.load(out, (zero,)), bench.integer(1)))
    bench.run(1)
    assert bench.result(out, (1,)).tolist() == [trips]


def test_while_break_continue_and_inlined_return() -> None:
    """Sums 1 + 2 + 4 + 5 (3 skipped, left at 6) in a device function that returns inside its loop."""
    bench = Bench((1, 1, 1))
    out = bench.array(np.zeros(1, np.int32))
    count, total = bench.variable(INT32), bench.variable(INT32)
    b = bench.builder
    b.assign(count, bench.integer(0))
    b.assign(total, bench.integer(0))
    function = ir.Inlined("function", ir.Block())
    b.append(function)
    with b.inside(function.body):
        test, body = ir.Block(), ir.Block()
        with b.inside(test):
            condition = b.constant(True, BOOL)
        b.append(ir.While(test, condition, body))
        with b.inside(body):
            b.assign(count, b.compute("add", b.read(count), bench.integer(1)))
            with b.when(b.compute("eq", b.read(count), bench.integer(3))):
                b.append(ir.Continue())
            with b.when(b.compute("eq", b.read(count), bench.integer(6))):
                b.append(ir.Return())
            b.assign(total, b.compute("add", b.read(total), b.read(count)))
    zero = bench.integer(0)
    b.store(out, (zero,), b.compute("add", b.read(total), bench.integer(100)))
    bench.run(1)
    assert bench.result(out, (1,)).tolist() == [112]


def test_atomics_return_the_old_element() -> None:
    bench = Bench((4, 1, 1))
    counter = bench.array(np.zeros(1, np.int32))
    out = bench.array(np.zeros(8, np.int32))
    b = bench.builder
    old = b.atomic("add", counter, (bench.integer(0),), bench.integer(1))
    b.store(out, (old,), bench.integer(1))
    bench.run(2)
    assert bench.result(counter, (1,)).tolist() == [8]
    assert bench.result(out, (8,)).tolist() == [1] * 8


def test_float32_rounds_after_every_operation() -> None:
    rng = np.random.default_rng(1)
    values = rng.standard_normal((3, 4)).astype(np.float32)
    bench = Bench((4, 1, 1))
    source = bench.array(values)
    out = bench.array(np.zeros(4, np.float32))
    b = bench.builder
    t = b.index("thread", 0)
    x, y, z = (b.load(source, (bench.integer(row), t)) for row in range(3))
    b.store(out, (t,), b.compute("add", b.compute("mul", x, y), z))
    bench.run(1)
    expected = values[0] * values[1] + values[2]
    assert bench.result(out, (4,)).tobytes() == expected.tobytes()


def test_vectors_lie_packed() -> None:
    values = np.arange(12, dtype=np.float32).reshape(4, 3)
    bench = Bench((4, 1, 1))
    vectors = bench.array(values, vector=3)
    out = bench.array(np.zeros(4, np.float32))
    b = bench.builder
    t = b.index("thread", 0)
    b.store(out, (t,), b.load(vectors, (t,), component=2))
    b.store(vectors, (t,), b.constant(-1.0, FLOAT32), component=0)
    bench.run(1)
    assert bench.result(out, (4,)).tolist() == [2, 5, 8, 11]
    assert bench.result(vectors, (4, 3))[:, :2].tolist() == [[-1, 1], [-1, 4], [-1, 7], [-1, 10]]


@pytest.mark.parametrize(("backwards", "last"), [(0, 7), (1, 0)])
def test_the_order_of_threads_can_be_turned_round(backwards: int, last: int) -> None:
    bench = Bench((4, 1, 1))
    driver = ReferenceBackend().open(0, backwards=backwards)
    assert isinstance(driver, ReferenceDriver)
    bench.driver = driver
    out = bench.array(np.zeros(1, np.int32))
    b = bench.builder
    i = b.compute(
        "add", b.compute("mul", b.index("block", 0), bench.integer(4)), b.index("thread", 0)
    )
    b.store(out, (bench.integer(0),), i)
    bench.run(2)
    assert bench.result(out, (1,)).tolist() == [last]


def test_unknown_options_are_refused() -> None:
    with pytest.raises(DeviceError, match="no option 'lanes'"):
        ReferenceBackend().open(0, lanes=4)


# --- refusals -------------------------------------------------------------------------------------


def refused(bench: Bench, *grid: int) -> KernelError:
    with pytest.raises(KernelError) as caught:
        bench.run(*grid)
    assert "kernel 'example'" in caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.file == "example.py"
    return caught.value


@pytest.mark.parametrize("index", [-1, 4])
@pytest.mark.parametrize("access", ["load", "store", "atomic"])
def test_out_of_bounds(index: int, access: str) -> None:
    bench = Bench((1, 1, 1))
    array = bench.array(np.zeros((2, 4), np.int32))
    b = bench.builder
    indices = (bench.integer(1), b.compute("add", b.index("block", 0), bench.integer(index)))
    actions: dict[str, Callable[[], object]] = {
        "load": lambda: b.load(array, indices),
        "store": lambda: b.store(array, indices, bench.integer(1)),
        "atomic": lambda: b.atomic("add", array, indices, bench.integer(1)),
    }
    actions[access]()
    error = refused(bench, 1)
    assert f"the subscript {index} of 'a0' is out of bounds along axis 1: it has 4" in error.message
    assert "in thread (0, 0, 0) of block (0, 0, 0)" in error.message


def test_the_error_names_thread_and_block() -> None:
    bench = Bench((4, 1, 1))
    array = bench.array(np.zeros(10, np.int32))
    b = bench.builder
    i = b.compute(
        "add", b.compute("mul", b.index("block", 0), bench.integer(4)), b.index("thread", 0)
    )
    b.store(array, (i,), i)
    assert "in thread (2, 0, 0) of block (2, 0, 0)" in refused(bench, 3).message


def test_uninitialised_shared_memory() -> None:
    bench = Bench((2, 1, 1))
    out = bench.array(np.zeros(2, np.int32))
    tile = bench.shared(INT32, 2)
    b = bench.builder
    t = b.index("thread", 0)
    b.store(tile, (t,), t)  # no barrier: thread 0 reads what thread 1 has not yet written
    b.store(out, (t,), b.load(tile, (b.compute("sub", bench.integer(1), t),)))
    assert "'tile0[1]' is read before any thread has written it" in refused(bench, 1).message


def test_shared_memory_is_not_kept_between_blocks() -> None:
    bench = Bench((1, 1, 1))
    out = bench.array(np.zeros(2, np.int32))
    tile = bench.shared(INT32, 1)
    b = bench.builder
    zero = bench.integer(0)
    with b.when(b.compute("eq", b.index("block", 0), zero)):
        b.store(tile, (zero,), zero)
    b.store(out, (zero,), b.load(tile, (zero,)))
    assert "block (1, 0, 0)" in refused(bench, 2).message


def test_a_barrier_that_a_thread_never_reaches() -> None:
    bench = Bench((4, 1, 1))
    b = bench.builder
    with b.when(b.compute("lt", b.index("thread", 0), bench.integer(3))):
        bench.barrier()
    error = refused(bench, 1)
    assert "a thread waits at a barrier that thread (3, 0, 0) has ended without" in error.message


def test_different_barriers() -> None:
    bench = Bench((2, 1, 1))
    b = bench.builder
    node = ir.If(b.compute("eq", b.index("thread", 0), bench.integer(0)), ir.Block(), ir.Block())
    b.append(node)
    for line, branch in ((10, node.then), (20, node.orelse)):
        with b.inside(branch):
            bench.barrier(line)
    error = refused(bench, 1)
    assert "a thread waits at one barrier, thread (0, 0, 0) at another in line 10" in error.message
    assert error.span is not None
    assert error.span.line == 20


def test_a_thread_that_returned_is_not_waited_for() -> None:
    bench = Bench((2, 1, 1))
    b = bench.builder
    with b.when(b.compute("eq", b.index("thread", 0), bench.integer(0))):
        b.append(ir.Return())
    bench.barrier()
    bench.run(1)


def test_an_assertion_of_uniformity_that_does_not_hold() -> None:
    bench = Bench((2, 1, 1))
    b = bench.builder
    b.compute("uniform", b.index("block", 0))
    b.compute("uniform", b.index("thread", 0))
    error = refused(bench, 2)
    assert "a value asserted uniform is 1 here and another elsewhere" in error.message


def test_a_variable_read_before_it_is_assigned() -> None:
    bench = Bench((1, 1, 1))
    bench.builder.read(bench.variable(INT32))
    assert "'v0' is read before it is assigned" in refused(bench, 1).message


def test_malformed_kernels_are_refused_when_compiled() -> None:
    bench = Bench()
    bench.builder.append(ir.Break())
    with pytest.raises(InternalError, match="stands outside of a loop"):
        bench.run(1)


def test_copies_inside_the_device() -> None:
    driver = ReferenceBackend().open(0)
    source, target = driver.allocate(8), driver.allocate(8)
    driver.write(source, 0, memoryview(b"abcdefgh"))
    driver.copy(source, 2, target, 1, 4)
    out = bytearray(8)
    driver.read(target, 0, memoryview(out))
    assert bytes(out) == b"\0cdef\0\0\0"
    driver.copy(source, 0, source, 1, 7)
    driver.read(source, 0, memoryview(out))
    assert bytes(out) == b"aabcdefg"


# --- the neighbour loop ---------------------------------------------------------------------------


def neighbor_lists(
    points: np.ndarray, box: float, cutoff: float, periodic: tuple[bool, bool, bool], own: bool
) -> tuple[list[list[int]], np.ndarray]:
    """For each point, the j's in the order of the loop, and the sum of the offsets."""
    count = len(points)
    bench = Bench((1, 1, 1))
    positions = bench.array(points, vector=3)
    starts = bench.array(np.array([0, 0, count], np.int32))  # cells play no part
    seen = bench.array(np.full((count, count), -1, np.int32))
    total = bench.array(np.zeros((count, 3), points.dtype))
    kind = from_numpy(points.dtype)
    low, inverse, period = (
        tuple(bench.scalar(kind, value) for _ in range(3)) for value in (0.0, 1.0, box)
    )
    size = tuple(bench.scalar(INT32, 1) for _ in range(3))
    cutoff2 = bench.scalar(kind, cutoff**2)
    grid = ir.GridRef("grid", positions, starts, low, inverse, period, size, cutoff2, periodic, 1)
    b = bench.builder
    i = b.index("block", 0)
    center = tuple(b.load(positions, (i,), axis) for axis in range(3))
    position = bench.variable(INT32)
    b.assign(position, bench.integer(0))
    index, offset = ir.Value(INT32), tuple(ir.Value(kind) for _ in range(3))
    body = ir.Block()
    b.append(ir.Neighbors(grid, center, i if own else None, index, offset, ir.Value(kind), body))
    with b.inside(body):
        place = b.read(position)
        b.store(seen, (i, place), index)
        b.assign(position, b.compute("add", place, bench.integer(1)))
        for axis, part in enumerate(offset):
            at = (i, bench.integer(axis))
            b.store(total, at, b.compute("add", b.load(total, at), part))
    bench.run(count)
    rows = [[j for j in row if j >= 0] for row in bench.result(seen, (count, count)).tolist()]
    return rows, bench.result(total, (count, 3))


@pytest.mark.parametrize("periodic", [(False, False, False), (True, False, False), (True,) * 3])
def test_neighbors_of_every_particle(periodic: tuple[bool, bool, bool]) -> None:
    points = np.random.default_rng(3).uniform(0.0, 1.0, (30, 3))
    rows, total = neighbor_lists(points, 1.0, 0.3, periodic, own=True)
    for i, row in enumerate(rows):
        expected, offsets = [], np.zeros(3)
        for j in range(len(points)):
            d = points[i] - points[j]
            images = np.stack([d - 1.0, d, d + 1.0])
            choice = np.abs(images).argmin(axis=0)
            nearest = np.where(periodic, images[choice, range(3)], d)
            if j != i and np.linalg.norm(nearest) < 0.3:
                expected.append(j)
                offsets += nearest
        assert row == expected
        assert np.allclose(total[i], offsets)


def test_neighbors_are_strictly_nearer_than_the_cutoff() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [1.5, 0, 0], [0, 0, 0]], np.float32)
    rows, _ = neighbor_lists(points, 4.0, 1.0, (False,) * 3, own=True)
    assert rows == [[3], [2], [1], [0]]


def test_a_free_point_sees_the_particle_that_sits_there() -> None:
    points = np.array([[0, 0, 0], [3, 0, 0]], np.float32)
    rows, _ = neighbor_lists(points, 4.0, 1.0, (False,) * 3, own=False)
    assert rows == [[0], [1]]
