"""Measures, when a device is opened, what WGSL leaves to it: subnormal float32 numbers, and how float32 divides."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from headwater import ir
from headwater.backends.contract import ArrayArgument, Options
from headwater.backends.webgpu.features import Features
from headwater.types import FLOAT32, ArrayType

if TYPE_CHECKING:
    from headwater.backends.webgpu.driver import WebGpuDriver

Numbers: TypeAlias = npt.NDArray[np.float32]

_COUNT = 256


def measured(driver: WebGpuDriver) -> Features:
    """The features of a device with what it does to float32."""
    random = np.random.default_rng(1)
    a, b = random.uniform(1.0, 2.0, (2, _COUNT)).astype(np.float32)
    small = np.float32(1e-38) * random.uniform(0.01, 0.5, _COUNT).astype(np.float32)
    product, quotient, root = _computed(driver, a, b, small)
    return replace(
        driver.features,
        subnormals=bool(np.array_equal(product, a * small)),
        rounded=bool(np.array_equal(quotient, a / b) and np.array_equal(root, np.sqrt(a))),
    )


def _computed(driver: WebGpuDriver, a: Numbers, b: Numbers, small: Numbers) -> list[Numbers]:
    """Products a * small, quotients a / b and roots of a, as the device computes them."""
    executable = driver.load(driver.compile(_kernel(), Options()))
    results = [np.zeros(_COUNT, np.float32) for _ in range(3)]
    columns = [*results, a, b, small]
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


def _kernel() -> ir.Kernel:
    names = ("product", "quotient", "root", "a", "b", "small")
    kind = ArrayType(FLOAT32, 1)
    arrays: dict[str, Any] = {
        name: ir.ArrayParameter(name, kind, (name,), written=number < 3)
        for number, name in enumerate(names)
    }
    kernel = ir.Kernel("probe", list(arrays.values()), (_COUNT, 1, 1))
    build = ir.Builder(kernel.body)
    i = (build.index("thread", 0),)
    a, b, small = (build.load(arrays[name], i) for name in ("a", "b", "small"))
    build.store(arrays["product"], i, build.compute("mul", a, small))
    build.store(arrays["quotient"], i, build.compute("div", a, b))
    build.store(arrays["root"], i, build.compute("sqrt", a))
    return kernel
