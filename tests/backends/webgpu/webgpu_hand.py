"""Launches hand-built kernels on a driver, with NumPy arrays in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater import ir
from headwater.backends.contract import ArrayArgument, Driver, Options
from headwater.types import INT32, ArrayType, ScalarType, VectorType, from_numpy

Arrays = npt.NDArray[Any]


class Hand:
    """A kernel under construction: one thread for each element of its arrays unless said otherwise."""

    def __init__(self, block: int | tuple[int, int, int] = 64) -> None:
        shape = (block, 1, 1) if isinstance(block, int) else block
        self.kernel = ir.Kernel("hand", [], shape)
        self.build = ir.Builder(self.kernel.body)

    def array(
        self,
        name: str,
        element: ScalarType | VectorType,
        *,
        ndim: int = 1,
        written: bool = False,
        alias: int = 0,
        **marks: bool,
    ) -> ir.ArrayParameter:
        kind = ArrayType(element, ndim, marks.pop("contiguous", True), alias)
        parameter = ir.ArrayParameter(name, kind, (name,), written, **marks)
        self.kernel.parameters.append(parameter)
        return parameter

    def scalar(self, name: str, kind: ScalarType) -> ir.ScalarParameter:
        parameter = ir.ScalarParameter(kind, name, (name,))
        self.kernel.parameters.append(parameter)
        return parameter

    def variable(self, name: str, kind: ScalarType) -> ir.Variable:
        variable = ir.Variable(name, kind)
        self.kernel.variables.append(variable)
        return variable

    def shared(
        self, name: str, kind: ScalarType, *shape: int, components: int = 1
    ) -> ir.SharedArray:
        array = ir.SharedArray(name, kind, shape, components)
        self.kernel.shared.append(array)
        return array

    def const(self, value: bool | int | float, kind: ScalarType = INT32) -> ir.Value:
        return self.build.constant(value, kind)

    def thread(self) -> ir.Value:
        """The number of this thread along x."""
        build = self.build
        start = build.compute("mul", build.index("block", 0), build.index("block_size", 0))
        return build.compute("add", start, build.index("thread", 0))


def upload(driver: Driver, values: Arrays) -> ArrayArgument:
    memory = driver.allocate(values.nbytes)
    if values.nbytes:
        driver.write(memory, 0, memoryview(np.ascontiguousarray(values)).cast("B"))
    strides = tuple(stride // values.itemsize for stride in values.strides)
    return ArrayArgument(memory, 0, values.shape, strides)


def download(driver: Driver, argument: ArrayArgument, like: Arrays) -> Arrays:
    out = np.empty_like(like)
    driver.read(argument.memory, 0, memoryview(out.reshape(-1)).cast("B"))
    return out


def run(
    driver: Driver,
    hand: Hand,
    *arguments: Arrays | bool | int | float,
    grid: tuple[int, int, int] | None = None,
    options: Options | None = None,
) -> list[Arrays]:
    """Launch once; gives all arrays back, in the order of the arguments."""
    ir.verify(hand.kernel)
    executable = driver.load(driver.compile(hand.kernel, options or Options()))
    passed: list[Any] = [
        upload(driver, value) if isinstance(value, np.ndarray) else value for value in arguments
    ]
    arrays = [value for value in arguments if isinstance(value, np.ndarray)]
    threads = hand.kernel.threads
    executable.launch(grid or (-(-max(a.size for a in arrays) // threads), 1, 1), passed)
    return [
        download(driver, argument, value)
        for argument, value in zip(passed, arguments, strict=True)
        if isinstance(value, np.ndarray)
    ]


def operation(
    name: str, operands: Sequence[ScalarType], result: ScalarType, block: int = 64
) -> Hand:
    """`out[i] = name(a[i], b[i], ...)` for whole blocks."""
    hand = Hand(block)
    out = hand.array("out", result, written=True)
    arrays = [hand.array(f"in{n}", kind) for n, kind in enumerate(operands)]
    i = hand.thread()
    with hand.build.when(hand.build.compute("lt", i, hand.build.extent(out, 0))):
        values = tuple(hand.build.load(array, (i,)) for array in arrays)
        value = ir.Value(result)
        hand.build.append(ir.Compute(value, name, values))
        hand.build.store(out, (i,), value)
    return hand


def scalar_type(array: Arrays) -> ScalarType:
    return from_numpy(array.dtype)
