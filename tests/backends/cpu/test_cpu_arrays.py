"""Arrays of every kind: strided arguments, and those that a kernel owns; against the interpreter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.backends.cpu.building import (
    LANES,
    SUBSCRIPTS,
    View,
    agree,
    cpu,
    open_cpu,
    parameter,
    position,
    run,
    shuffled,
    values_of,
)

from headwater import ir
from headwater.backends.contract import ArrayArgument, Options
from headwater.types import (
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    SCALARS,
    UINT8,
    UINT16,
    UINT32,
    ArrayType,
    ScalarType,
    VectorType,
)


@pytest.mark.parametrize("subscript", SUBSCRIPTS)
@pytest.mark.parametrize("kind", SCALARS, ids=str)
def test_load_and_store(kind: ScalarType, subscript: str) -> None:
    """out[f(i)] = a[f(i)] under a mask."""

    def build() -> ir.Kernel:
        out, a = parameter("out", kind, written=True), parameter("a", kind)
        kernel = ir.Kernel("copy", [out, a], (32, 1, 1))
        builder = ir.Builder(kernel.body)
        i = position(builder)
        with builder.when(builder.compute("lt", i, builder.extent(out, 0))):
            at = SUBSCRIPTS[subscript](builder, i)
            builder.store(out, (at,), builder.load(a, (at,)))
        return kernel

    agree(build, (2, 1, 1), np.zeros(37, kind.numpy), values_of(kind, 37))


VIEWS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "every other": lambda a: a[:, :, ::2, ::3],
    "backwards": lambda a: a[:, ::-1, :, ::-1],
    "transposed": lambda a: a.transpose(3, 1, 0, 2),
    "window": lambda a: a[1:, :2, 1:4, 2:7],
    "whole": lambda a: a,
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("kind", [UINT8, FLOAT16, FLOAT32, INT64], ids=str)
def test_strided_arrays_of_four_dimensions(kind: ScalarType, view: str) -> None:
    base = values_of(kind, 2 * 3 * 4 * 9).reshape(2, 3, 4, 9)
    window = VIEWS[view](base)
    target = np.zeros_like(base)

    def build() -> ir.Kernel:
        """Threads along the last axis, blocks along the others."""
        contiguous = view == "whole"
        out = parameter("out", kind, 4, written=True, contiguous=contiguous)
        a = parameter("a", kind, 4, contiguous=contiguous)
        kernel = ir.Kernel("copy", [out, a], (16, 1, 1))
        builder = ir.Builder(kernel.body)
        i, j, k = (builder.index("block", axis) for axis in (2, 1, 0))
        x = builder.index("thread", 0)
        with builder.when(builder.compute("lt", x, builder.extent(out, 3))):
            builder.store(out, (i, j, k, x), builder.load(a, (i, j, k, x)))
        return kernel

    grid = (window.shape[2], window.shape[1], window.shape[0])
    agree(build, grid, View(target, VIEWS[view](target)), View(base, window))


@pytest.mark.parametrize("index", [INT8, UINT8, UINT16, UINT32, INT64], ids=str)
def test_indices_of_every_type(index: ScalarType) -> None:
    def build() -> ir.Kernel:
        out, a = parameter("out", FLOAT32, written=True), parameter("a", FLOAT32)
        kernel = ir.Kernel("copy", [out, a], (32, 1, 1))
        builder = ir.Builder(kernel.body)
        i = builder.index("thread", 0)
        with builder.when(builder.compute("lt", i, builder.extent(out, 0))):
            at = builder.cast(shuffled(builder, i), index)
            builder.store(out, (at,), builder.load(a, (at,)))
        return kernel

    agree(build, (1, 1, 1), np.zeros(37, np.float32), values_of(FLOAT32, 37))


# --- local arrays ---------------------------------------------------------------------------------


def local_kernel(kind: ScalarType, threads: int, barrier: bool, divergent: bool) -> ir.Kernel:
    """Fill a local array by a loop, then read it at a fixed and at the thread's own place."""
    out = parameter("out", kind, 2, written=True)
    a = parameter("a", kind)
    local = ir.LocalArray("local", kind, (2, 3))
    kernel = ir.Kernel("own", [out, a], (threads, 1, 1), locals=[local])
    build = ir.Builder(kernel.body)
    zero, one, three = (build.constant(v, INT32) for v in (0, 1, 3))
    six = build.constant(6, INT32)
    i = position(build)
    stop = six if not divergent else build.compute("sub", six, build.compute("mod", i, three))
    with build.loop(zero, six, one) as loop:
        row, column = (build.compute(op, loop.index, three) for op in ("floordiv", "mod"))
        build.store(local, (row, column), build.load(a, (loop.index,)))
    if barrier:
        build.append(ir.Barrier())
    with build.loop(zero, stop, one) as loop:
        row, column = (build.compute(op, loop.index, three) for op in ("floordiv", "mod"))
        at = build.compute("mod", build.compute("add", i, loop.index), six)
        build.store(local, (row, column), build.load(a, (at,)))
    if barrier:
        build.append(ir.Barrier())
    with build.when(build.compute("lt", i, build.extent(out, 0))):
        column = build.compute("mod", i, three)
        build.store(out, (i, zero), build.load(local, (one, column)))
        build.store(out, (i, one), build.load(local, (zero, one)))
        build.store(out, (i, build.constant(2, INT32)), build.load(local, (one, zero)))
    return kernel


@pytest.mark.parametrize("divergent", [False, True])
@pytest.mark.parametrize("barrier", [False, True])
@pytest.mark.parametrize("kind", SCALARS, ids=str)
def test_local_arrays(kind: ScalarType, barrier: bool, divergent: bool) -> None:
    agree(
        lambda: local_kernel(kind, 25, barrier, divergent),
        (2, 1, 1),
        np.zeros((41, 3), kind.numpy),
        values_of(kind, 12),
    )


def test_local_arrays_of_vectors() -> None:
    def build() -> ir.Kernel:
        out = parameter("out", FLOAT64, 2, written=True)
        local = ir.LocalArray("local", FLOAT64, (4,), components=3)
        kernel = ir.Kernel("own", [out], (20, 1, 1), locals=[local])
        builder = ir.Builder(kernel.body)
        i = builder.index("thread", 0)
        at = builder.compute("mod", i, builder.constant(4, INT32))
        for component in range(3):
            value = builder.cast(builder.compute("add", i, at), FLOAT64)
            scale = builder.constant(float(component + 1), FLOAT64)
            builder.store(local, (at,), builder.compute("mul", value, scale), component)
        builder.append(ir.Barrier())
        for component in range(3):
            column = builder.constant(component, INT32)
            builder.store(out, (i, column), builder.load(local, (at,), component))
        return kernel

    agree(build, (1, 1, 1), np.zeros((20, 3)))


def test_a_local_array_outlives_a_barrier_in_a_loop() -> None:
    """Each trip adds to what the trip before left there."""

    def build() -> ir.Kernel:
        out = parameter("out", INT32, written=True)
        local, shared = ir.LocalArray("own", INT32, (2,)), ir.SharedArray("all", INT32, (40,))
        kernel = ir.Kernel("sums", [out], (40, 1, 1), shared=[shared], locals=[local])
        builder = ir.Builder(kernel.body)
        i = builder.index("thread", 0)
        zero, one, five = (builder.constant(v, INT32) for v in (0, 1, 5))
        at = builder.compute("mod", i, builder.constant(2, INT32))
        for place in (zero, one):
            builder.store(local, (place,), i)
        with builder.loop(zero, five, one) as loop:
            builder.store(shared, (i,), builder.load(local, (at,)))
            builder.append(ir.Barrier())
            other = builder.compute(
                "mod", builder.compute("add", i, one), builder.constant(40, INT32)
            )
            total = builder.compute("add", builder.load(shared, (other,)), loop.index)
            builder.append(ir.Barrier())
            before = builder.load(local, (at,))
            builder.store(local, (at,), builder.compute("add", before, total))
        builder.store(out, (i,), builder.load(local, (at,)))
        return kernel

    agree(build, (1, 1, 1), np.zeros(40, np.int32))


@pytest.mark.parametrize("barrier", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_big_arrays_lie_in_scratch_memory(barrier: bool, threads: int) -> None:
    """Several calls of the kernel at a time, each with arrays of its own."""
    size = 5000

    def build() -> ir.Kernel:
        out = parameter("out", INT32, written=True)
        local, shared = (
            ir.LocalArray("own", INT32, (size,)),
            ir.SharedArray("all", INT32, (90_000,)),
        )
        kernel = ir.Kernel("big", [out], (32, 1, 1), shared=[shared], locals=[local])
        builder = ir.Builder(kernel.body)
        i, thread = position(builder), builder.index("thread", 0)
        zero, one, last = (builder.constant(v, INT32) for v in (0, 1, size))
        with builder.loop(zero, last, one) as loop:
            builder.store(local, (loop.index,), builder.compute("mul", i, loop.index))
        if barrier:
            builder.append(ir.Barrier())
        far = builder.compute("add", builder.constant(89_900, INT32), thread)
        builder.store(shared, (far,), builder.load(local, (builder.constant(size - 1, INT32),)))
        builder.store(out, (i,), builder.load(shared, (far,)))
        return kernel

    for lanes in LANES:
        device = open_cpu(threads=threads, lanes=lanes)
        out = run(device, build(), (50, 1, 1), np.zeros(1600, np.int32))[0]
        np.testing.assert_array_equal(out, np.arange(1600) * (size - 1))


# --- constants and shared arrays ------------------------------------------------------------------


@pytest.mark.parametrize("subscript", SUBSCRIPTS)
@pytest.mark.parametrize("kind", SCALARS, ids=str)
def test_constant_arrays(kind: ScalarType, subscript: str) -> None:
    table = values_of(kind, 74)

    def build() -> ir.Kernel:
        out = parameter("out", kind, 2, written=True)
        values = tuple(table.tolist())
        constant = ir.ConstantArray("table", kind, (37,), values, components=2)
        kernel = ir.Kernel("table", [out], (40, 1, 1), constants=[constant])
        builder = ir.Builder(kernel.body)
        i = builder.index("thread", 0)
        with builder.when(builder.compute("lt", i, builder.extent(constant, 0))):
            at = SUBSCRIPTS[subscript](builder, i)
            for component in range(2):
                column = builder.constant(component, INT32)
                builder.store(out, (i, column), builder.load(constant, (at,), component))
        return kernel

    agree(build, (1, 1, 1), np.zeros((37, 2), kind.numpy))


@pytest.mark.parametrize("subscript", ["linear", "shuffled"])
@pytest.mark.parametrize("kind", SCALARS, ids=str)
def test_shared_arrays(kind: ScalarType, subscript: str) -> None:
    def build() -> ir.Kernel:
        out, a = parameter("out", kind, written=True), parameter("a", kind)
        shared = ir.SharedArray("shared", kind, (37,), components=2)
        kernel = ir.Kernel("turn", [out, a], (37, 1, 1), shared=[shared])
        builder = ir.Builder(kernel.body)
        i = builder.index("thread", 0)
        at = SUBSCRIPTS[subscript](builder, i)
        for component in range(2):
            builder.store(shared, (at,), builder.load(a, (i,)), component)
        builder.append(ir.Barrier())
        last = builder.compute("sub", builder.constant(36, INT32), i)
        with builder.when(builder.compute("gt", last, builder.constant(3, INT32))):
            builder.store(out, (i,), builder.load(shared, (last,), 1))
        return kernel

    agree(build, (1, 1, 1), np.zeros(37, kind.numpy), values_of(kind, 37))


def test_dynamic_shared_arrays_overlap() -> None:
    """One thread's words are another array's bytes, also those of vectors."""

    def build() -> ir.Kernel:
        out, vectors = (
            parameter("out", UINT8, written=True),
            parameter("v", FLOAT32, 2, written=True),
        )
        words = ir.SharedArray("words", UINT32, (24,), dynamic=True)
        bytes_ = ir.SharedArray("bytes", UINT8, (96,), dynamic=True)
        triples = ir.SharedArray("triples", FLOAT32, (8,), components=3, dynamic=True)
        kernel = ir.Kernel(
            "overlap",
            [out, vectors],
            (96, 1, 1),
            shared=[words, bytes_, triples],
            dynamic_shared=96,
        )
        builder = ir.Builder(kernel.body)
        i = builder.index("thread", 0)
        factor = builder.constant(0x01234567, UINT32)
        with builder.when(builder.compute("lt", i, builder.extent(words, 0))):
            value = builder.compute("mul", builder.cast(i, UINT32), factor)
            builder.store(words, (i,), value)
        builder.append(ir.Barrier())
        builder.store(out, (i,), builder.load(bytes_, (i,)))
        with builder.when(builder.compute("lt", i, builder.extent(triples, 0))):
            for component in range(3):
                column = builder.constant(component, INT32)
                builder.store(vectors, (i, column), builder.load(triples, (i,), component))
        return kernel

    agree(build, (1, 1, 1), np.zeros(96, np.uint8), np.zeros((8, 3), np.float32))


@pytest.mark.parametrize("scope", ["block", "device", "system"])
def test_fences(scope: str) -> None:
    def build() -> ir.Kernel:
        out = parameter("out", INT32, written=True)
        kernel = ir.Kernel("fence", [out], (33, 1, 1))
        builder = ir.Builder(kernel.body)
        i = builder.index("thread", 0)
        with builder.when(builder.compute("lt", i, builder.constant(20, INT32))):
            builder.store(out, (i,), i)
            builder.append(ir.Fence(scope))
        return kernel

    agree(build, (1, 1, 1), np.zeros(33, np.int32))


def test_vector_parameters_with_strides() -> None:
    """Elements of three components, three apart, as a view of every third vector has them."""
    kind = ArrayType(VectorType(FLOAT32, 3), 1, contiguous=False)

    def build() -> ir.Kernel:
        out = parameter("out", FLOAT32, 2, written=True)
        a = ir.ArrayParameter("a", kind, ("a",))
        kernel = ir.Kernel("copy", [out, a], (16, 1, 1))
        builder = ir.Builder(kernel.body)
        i = builder.index("thread", 0)
        with builder.when(builder.compute("lt", i, builder.extent(a, 0))):
            for component in range(3):
                column = builder.constant(component, INT32)
                builder.store(out, (i, column), builder.load(a, (i,), component))
        return kernel

    planes = np.arange(3 * 32, dtype=np.float32).reshape(3, 32)
    for lanes in LANES:
        device = cpu(lanes)
        program = device.load(device.compile(build(), Options()))
        source, target = device.allocate(planes.nbytes), device.allocate(11 * 3 * 4)
        device.write(source, 0, memoryview(planes.reshape(-1).view(np.uint8)))
        arguments = [
            ArrayArgument(target, 0, (11, 3), (3, 1)),
            ArrayArgument(source, 31 * 4, (11,), (-3,), 32),
        ]
        program.launch((1, 1, 1), arguments)
        out = np.empty((11, 3), np.float32)
        device.read(target, 0, memoryview(out.reshape(-1).view(np.uint8)))
        np.testing.assert_array_equal(out, planes[:, ::-3].T)


@pytest.mark.parametrize("lane", range(0, 40, 3))
@pytest.mark.parametrize(
    ("wide", "kind"), [(INT32, INT8), (INT64, INT32), (INT64, UINT16)], ids=str
)
def test_one_lane_of_a_narrowed_vector(wide: ScalarType, kind: ScalarType, lane: int) -> None:
    """LLVM 22 stored the wide lane, and so overwrote its neighbours."""

    def build() -> ir.Kernel:
        out, a = parameter("out", kind, written=True), parameter("a", wide)
        kernel = ir.Kernel("one", [out, a], (40, 1, 1))
        builder = ir.Builder(kernel.body)
        i = builder.index("thread", 0)
        value = builder.cast(builder.load(a, (i,)), kind)
        builder.append(ir.Barrier())
        with builder.when(builder.compute("eq", i, builder.constant(lane, INT32))):
            builder.store(out, (i,), value)
            builder.store(out, (i,), builder.cast(builder.load(a, (i,)), kind))
        return kernel

    agree(build, (1, 1, 1), np.full(40, 7, kind.numpy), np.arange(100, 140).astype(wide.numpy))


@pytest.mark.parametrize("guard", ["none", "some", "few", "late"])
@pytest.mark.parametrize("kind", [INT8, UINT16, FLOAT32, FLOAT64], ids=str)
def test_elements_a_few_apart(kind: ScalarType, guard: str) -> None:
    """out[s * i + c] = a[s * i + c + 1] for some s, from shared memory too; what lies between stays."""
    operation, bound = {
        "none": ("ge", 0),
        "some": ("lt", 21),
        "few": ("lt", 3),
        "late": ("ge", 29),
    }[guard]
    scales = (-2, 1, 2, 3, 4, 5)

    def build() -> ir.Kernel:
        out, a = parameter("out", kind, 2, written=True), parameter("a", kind)
        shared = ir.SharedArray("shared", kind, (250,))
        kernel = ir.Kernel("apart", [out, a], (40, 1, 1), shared=[shared])
        builder = ir.Builder(kernel.body)
        i, one = builder.index("thread", 0), builder.constant(1, INT32)
        works = builder.compute(operation, i, builder.constant(bound, INT32))
        for row, scale in enumerate(scales):
            start = builder.constant(3 if scale > 0 else 90, INT32)
            scaled = builder.compute("mul", i, builder.constant(scale, INT32))
            at = builder.compute("add", scaled, start)
            after, line = builder.compute("add", at, one), builder.constant(row, INT32)
            _fill(builder, shared, a, i)
            builder.append(ir.Barrier())
            with builder.when(works):
                builder.store(shared, (at,), builder.load(a, (after,)))
            builder.append(ir.Barrier())
            with builder.when(works):
                builder.store(out, (line, at), builder.load(shared, (at,)))
                builder.store(out, (line, at), builder.load(shared, (after,)))
            builder.append(ir.Barrier())
        return kernel

    agree(build, (1, 1, 1), np.zeros((len(scales), 250), kind.numpy), values_of(kind, 250))


def _fill(
    builder: ir.Builder, shared: ir.SharedArray, source: ir.ArrayParameter, i: ir.Value
) -> None:
    """Copy 250 elements by 40 threads."""
    for step in range(7):
        index = builder.compute("add", i, builder.constant(40 * step, INT32))
        with builder.when(builder.compute("lt", index, builder.extent(shared, 0))):
            builder.store(shared, (index,), builder.load(source, (index,)))
