"""Kernels built node by node, run on the driver alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from headwater import ir
from headwater.backends import registry
from headwater.backends.contract import ArrayArgument, Driver, LaunchArgument, Memory, Options
from headwater.backends.cpu.driver import CpuDriver
from headwater.types import BOOL, INT32, ArrayType, ScalarType

LANES = (1, 4, 8, 16)


def open_cpu(**options: int) -> CpuDriver:
    driver = registry.backends()["cpu"].open(0, **options)
    assert isinstance(driver, CpuDriver)
    return driver


@cache
def cpu(lanes: int) -> CpuDriver:
    """A device of one thread."""
    return open_cpu(threads=1, lanes=lanes)


Body = Callable[[ir.Builder, tuple[ir.Value, ...]], ir.Value]


def elementwise(
    bodies: Sequence[tuple[ScalarType, Body]], types: Sequence[ScalarType], threads: int
) -> ir.Kernel:
    """out0[i] = body0(in0[i], in1[i], ...) and so on, for every i of the grid; each result has an array."""
    outputs = [
        ir.ArrayParameter(f"out{k}", ArrayType(kind, 1), (f"out{k}",), written=True)
        for k, (kind, _) in enumerate(bodies)
    ]
    inputs = [
        ir.ArrayParameter(f"in{k}", ArrayType(kind, 1), (f"in{k}",)) for k, kind in enumerate(types)
    ]
    kernel = ir.Kernel("elementwise", [*outputs, *inputs], (threads, 1, 1))
    build = ir.Builder(kernel.body)
    i = position(build)
    with build.when(build.compute("lt", i, build.extent(outputs[0], 0))):
        values = tuple(build.load(array, (i,)) for array in inputs)
        for out, (_, body) in zip(outputs, bodies, strict=True):
            build.store(out, (i,), body(build, values))
    ir.verify(kernel)
    return kernel


def position(build: ir.Builder) -> ir.Value:
    """The thread's place in a grid of one dimension."""
    width = build.compute("mul", build.index("block", 0), build.index("block_size", 0))
    return build.compute("add", width, build.index("thread", 0))


def compute(
    build: ir.Builder, operation: str, result: ScalarType, *arguments: ir.Value
) -> ir.Value:
    """Any operation, with its result's type."""
    value = ir.Value(result)
    build.append(ir.Compute(value, operation, arguments))
    return value


@dataclass(frozen=True)
class View:
    """A strided window on an array, passed as one argument."""

    base: np.ndarray
    window: np.ndarray

    @property
    def offset(self) -> int:
        return int(self.window.ctypes.data - self.base.ctypes.data)


Given = np.ndarray | View | bool | int | float


def run(
    device: Driver,
    kernel: ir.Kernel,
    grid: tuple[int, int, int],
    *arguments: Given,
    options: Options | None = None,
) -> list[np.ndarray]:
    """Compile and launch; gives all arrays (of views the bases) as the kernel left them."""
    executable = device.load(device.compile(kernel, options or Options()))
    memories: list[tuple[Memory, np.ndarray]] = []
    passed: list[LaunchArgument] = []
    for value in arguments:
        if not isinstance(value, np.ndarray | View):
            passed.append(value)
            continue
        base, window, offset = (
            (value.base, value.window, value.offset)
            if isinstance(value, View)
            else (value, value, 0)
        )
        assert base.flags.c_contiguous
        memory = device.allocate(base.nbytes)
        device.write(memory, 0, memoryview(base.reshape(-1).view(np.uint8)))
        strides = tuple(stride // base.itemsize for stride in window.strides)
        passed.append(ArrayArgument(memory, offset, window.shape, strides))
        memories.append((memory, base))
    executable.launch(grid, passed)
    device.synchronize()
    results = []
    for memory, base in memories:
        out = np.empty_like(base)
        device.read(memory, 0, memoryview(out.reshape(-1).view(np.uint8)))
        results.append(out)
    return results


def agree(build: Callable[[], ir.Kernel], grid: tuple[int, int, int], *arguments: Given) -> None:
    """The interpreter and every width of vectors leave the same bits."""
    kernel = build()
    ir.verify(kernel)
    expected = run(registry.backends()["reference"].open(0), kernel, grid, *arguments)
    for lanes in LANES:
        found = run(cpu(lanes), build(), grid, *arguments)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(
                ours.reshape(-1).view(np.uint8),
                theirs.reshape(-1).view(np.uint8),
                err_msg=f"{lanes} lanes",
            )


# --- arrays and what threads name of them ----------------------------------------------------------


def values_of(kind: ScalarType, count: int) -> np.ndarray:
    if kind is BOOL:
        return np.arange(count) % 3 == 0
    if kind.is_float:
        return (np.arange(count) * 0.5 - 7).astype(kind.numpy)
    return (np.arange(count) * 7 - 9).astype(np.int64).astype(kind.numpy)


def parameter(
    name: str, kind: ScalarType, ndim: int = 1, written: bool = False, contiguous: bool = True
) -> ir.ArrayParameter:
    return ir.ArrayParameter(
        name, ArrayType(kind, ndim, contiguous), (name,), written=written, atomic=written
    )


def linear(build: ir.Builder, i: ir.Value) -> ir.Value:
    return i


def shuffled(build: ir.Builder, i: ir.Value) -> ir.Value:
    """A place that no two of 37 threads share, far from their order."""
    seven, size = build.constant(7, INT32), build.constant(37, INT32)
    return build.compute("mod", build.compute("mul", i, seven), size)


def fixed(build: ir.Builder, i: ir.Value) -> ir.Value:
    return build.constant(5, INT32)


SUBSCRIPTS = {"linear": linear, "shuffled": shuffled, "fixed": fixed}
