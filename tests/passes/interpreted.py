"""Run a kernel function on the interpreter, in any form that passes give it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hand_built import ORACLE
from tests.frontend.build import array, build

from headwater import ir
from headwater.backends.contract import ArrayArgument, LaunchArgument, Options
from headwater.backends.reference import interpreter
from headwater.types import from_numpy

Form = Callable[[ir.Kernel], None]


def lowered(
    function: Callable[..., Any],
    block: tuple[int, int, int],
    arrays: Sequence[np.ndarray],
    *forms: Form,
) -> ir.Kernel:
    """The kernel's IR after the passes, verified after each."""
    types = [array(from_numpy(values.dtype), values.ndim) for values in arrays]
    kernel = build(function, *types, block=block)
    for form in forms:
        form(kernel)
        ir.verify(kernel)
    return kernel


def run(
    kernel: ir.Kernel,
    grid: tuple[int, int, int],
    arrays: Sequence[np.ndarray],
    backwards: bool = False,
) -> list[np.ndarray]:
    """The arrays as the kernel leaves them. Parameters are arrays in the order of `arrays`, or not used."""
    arguments: list[LaunchArgument] = []
    found = {}
    for parameter in kernel.parameters:
        position = int(parameter.path[0].removeprefix("a"))
        values = arrays[position]
        memory = ORACLE.allocate(max(values.nbytes, 1))
        if values.size:
            ORACLE.write(memory, 0, memoryview(np.ascontiguousarray(values)).cast("B"))
        strides = tuple(s // values.itemsize for s in np.ascontiguousarray(values).strides)
        arguments.append(ArrayArgument(memory, 0, values.shape, strides))
        found[position] = memory
    interpreter.launch(kernel, grid, arguments, backwards=backwards)
    result = []
    for position, values in enumerate(arrays):
        out = np.ascontiguousarray(values).copy()
        if position in found and out.size:
            ORACLE.read(found[position], 0, memoryview(out).cast("B"))
        result.append(out)
    return result


__all__ = ["Options", "lowered", "run"]
