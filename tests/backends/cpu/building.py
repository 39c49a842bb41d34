"""Kernels built node by node, run on the driver alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from headwater import ir
from headwater.backends import registry
from headwater.backends.contract import ArrayArgument, Options
from headwater.backends.cpu.driver import CpuDriver
from headwater.types import ArrayType, ScalarType

LANES = (1, 4, 8, 16)


def open_cpu(**options: int) -> CpuDriver:
    driver = registry.backends()["cpu"].open(0, **options)
    assert isinstance(driver, CpuDriver)
    return driver


def elementwise(
    result: ScalarType,
    types: Sequence[ScalarType],
    body: Callable[[ir.Builder, tuple[ir.Value, ...]], ir.Value],
    threads: int,
) -> ir.Kernel:
    """out[i] = body(in0[i], in1[i], ...) for every i of the grid."""
    out = ir.ArrayParameter("out", ArrayType(result, 1), ("out",), written=True)
    inputs = [
        ir.ArrayParameter(f"in{k}", ArrayType(kind, 1), (f"in{k}",)) for k, kind in enumerate(types)
    ]
    kernel = ir.Kernel("elementwise", [out, *inputs], (threads, 1, 1))
    build = ir.Builder(kernel.body)
    i = position(build)
    with build.when(build.compute("lt", i, build.extent(out, 0))):
        values = tuple(build.load(array, (i,)) for array in inputs)
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


def run(
    cpu: CpuDriver,
    kernel: ir.Kernel,
    grid: tuple[int, int, int],
    *arguments: np.ndarray | bool | int | float,
    options: Options | None = None,
) -> list[np.ndarray]:
    """Compile and launch; gives all arrays as the kernel left them. Strides of the host are kept."""
    executable = cpu.load(cpu.compile(kernel, options or Options()))
    memories, passed = [], []
    for value in arguments:
        if not isinstance(value, np.ndarray):
            passed.append(value)
            continue
        flat = np.ascontiguousarray(value)
        memory = cpu.allocate(flat.nbytes)
        cpu.write(memory, 0, memoryview(flat.reshape(-1).view(np.uint8)))
        strides = tuple(stride // flat.itemsize for stride in flat.strides)
        passed.append(ArrayArgument(memory, 0, flat.shape, strides))
        memories.append((memory, flat))
    executable.launch(grid, passed)
    cpu.synchronize()
    results = []
    for memory, flat in memories:
        out = np.empty_like(flat)
        cpu.read(memory, 0, memoryview(out.reshape(-1).view(np.uint8)))
        results.append(out)
    return results
