"""Measures, when a device is opened, what WGSL leaves to it.

That is: subnormal float32 numbers, how float32 divides, and whether `fma` rounds once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from headwater import ir
from headwater.backends.contract import ArrayArgument, Options
from headwater.backends.webgpu.features import FLOAT64 as HAS_FLOAT64
from headwater.backends.webgpu.features import Features
from headwater.types import FLOAT32, FLOAT64, ArrayType, ScalarType

if TYPE_CHECKING:
    from headwater.backends.webgpu.driver import WebGpuDriver

Numbers: TypeAlias = npt.NDArray[Any]

_COUNT = 256


def measured(driver: WebGpuDriver) -> Features:
    """The features of a device with what it does to floats."""
    random = np.random.default_rng(1)
    a, b = random.uniform(1.0, 2.0, (2, _COUNT)).astype(np.float32)
    small = np.float32(1e-38) * random.uniform(0.01, 0.5, _COUNT).astype(np.float32)
    # WGSL's own fma, so that it can be seen.
    driver.features = replace(driver.features, fused=True, fused64=True)
    product, quotient, root, rest = _computed(driver, _arithmetic(), 4, a, b, small, -(a * b))
    fused64 = False
    if driver.features.has(HAS_FLOAT64):
        fused64 = _is_fused64(driver, random)
    return replace(
        driver.features,
        subnormals=bool(np.array_equal(product, a * small)),
        rounded=bool(np.array_equal(quotient, a / b) and np.array_equal(root, np.sqrt(a))),
        fused=bool(np.array_equal(rest, a.astype(np.float64) * b - (a * b))),
        fused64=fused64,
    )


def _is_fused64(driver: WebGpuDriver, random: np.random.Generator) -> bool:
    """(1 + x)(1 - x) - 1 is -x * x, of which nothing is left where the product is rounded first."""
    x = 2.0**-30 * random.integers(1, 1 << 10, _COUNT)
    (rest,) = _computed(driver, _fma64(), 1, 1.0 + x, 1.0 - x, np.full(_COUNT, -1.0))
    return bool(np.array_equal(rest, -x * x))


def _computed(
    driver: WebGpuDriver, kernel: ir.Kernel, count: int, *given: Numbers
) -> list[Numbers]:
    """The `count` results of a kernel, one thread for each number of the columns `given`."""
    executable = driver.load(driver.compile(kernel, Options()))
    results = [np.zeros_like(given[0]) for _ in range(count)]
    columns = [*results, *given]
    memories = [driver.allocate(column.nbytes) for column in columns]
    for memory, column in zip(memories, columns, strict=True):
        driver.write(memory, 0, _bytes(column))
    executable.launch((1, 1, 1), [ArrayArgument(m, 0, (_COUNT,), (1,)) for m in memories])
    for memory, result in zip(memories, results, strict=False):
        driver.read(memory, 0, _bytes(result))
    for memory in memories:
        driver.free(memory)
    return results


def _bytes(array: Any) -> memoryview:
    return memoryview(array).cast("B")


def _arithmetic() -> ir.Kernel:
    """Products a * small, quotients a / b, roots of a, and a * b + c."""
    kernel, arrays, build, i = _columns(FLOAT32, 4, 4)
    a, b, small, c = (build.load(array, i) for array in arrays[4:])
    build.store(arrays[0], i, build.compute("mul", a, small))
    build.store(arrays[1], i, build.compute("div", a, b))
    build.store(arrays[2], i, build.compute("sqrt", a))
    build.store(arrays[3], i, build.compute("fma", a, b, c))
    return kernel


def _fma64() -> ir.Kernel:
    kernel, arrays, build, i = _columns(FLOAT64, 1, 3)
    build.store(arrays[0], i, build.compute("fma", *(build.load(a, i) for a in arrays[1:])))
    return kernel


def _columns(
    scalar: ScalarType, results: int, given: int
) -> tuple[ir.Kernel, list[ir.ArrayParameter], ir.Builder, tuple[ir.Value]]:
    """A kernel of one block over arrays of which it writes the first ones; its thread's index."""
    kind = ArrayType(scalar, 1)
    arrays = [
        ir.ArrayParameter(f"x{n}", kind, (f"x{n}",), written=n < results)
        for n in range(results + given)
    ]
    kernel = ir.Kernel("probe", [*arrays], (_COUNT, 1, 1))
    build = ir.Builder(kernel.body)
    return kernel, arrays, build, (build.index("thread", 0),)
