"""Reduce: the sum, the minimum or the maximum of an array.

Each block reduces a run of elements: its threads stride through the run, then combine in a tree. One more
block does the same with the blocks' results. The order depends on the number of elements alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

import headwater as hw
from headwater.errors import LaunchError
from headwater.primitives.workspace import Workspace, check_vector, runs, workspace_for
from headwater.runtime.array import Array
from headwater.runtime.device import Device
from headwater.types import FLOAT32, FLOAT64, INT32, INT64, UINT32, ScalarType

_TYPES = (INT32, UINT32, INT64, FLOAT32, FLOAT64)
# Elements of one block, where many blocks are wanted and where few suffice to fill the cores.
_RUN, _SERIAL_RUN = 2048, 8192


@hw.function
def _sum(a, b):
    return a + b


@hw.function
def _min(a, b):
    return min(a, b)


@hw.function
def _max(a, b):
    return max(a, b)


_COMBINE = {"sum": _sum, "min": _min, "max": _max}


def _neutral(operation: str, dtype: ScalarType) -> Any:
    if operation == "sum":
        return dtype(0)
    if dtype.is_float:
        return dtype(np.inf if operation == "min" else -np.inf)
    low, high = dtype.limits
    return dtype(high if operation == "min" else low)


@cache
def _kernel(operation: str, dtype: ScalarType, threads: int) -> Any:
    combine, neutral, half = _COMBINE[operation], _neutral(operation, dtype), threads // 2

    @hw.kernel
    def reduce_runs(results, first, source, run, count):
        """Write results[first + block]."""
        tile = hw.shared.array(threads, dtype)
        block, thread = hw.blockIdx.x, hw.threadIdx.x
        stop = min(min(count[0], source.shape[0]), (block + 1) * run)
        value = neutral
        for i in range(block * run + thread, stop, threads):
            value = combine(value, source[i])
        tile[thread] = value
        hw.syncthreads()
        step = half
        while step > 0:
            if thread < step:
                tile[thread] = combine(tile[thread], tile[thread + step])
            hw.syncthreads()
            step = step // 2
        if thread == 0:
            results[first + block] = tile[0]

    return reduce_runs


def reduce(
    operation: str,
    sources: Array | Sequence[Array],
    result: Array | None = None,
    *,
    count: Array | None = None,
    workspace: Workspace | None = None,
) -> Array:
    """The 'sum', 'min' or 'max' of each source array, as an array with one element for each.

    Sources are one-dimensional, of one type: int32, uint32, int64, float32 or float64; so is `result`,
    which is made where it is not given. `count` limits all sources to their first elements. Of no elements
    the result is 0, or the largest or smallest value of the type (infinite for floats). Integer sums wrap; min
    and max skip NaN. LaunchError for other arguments.
    """
    arrays = list(sources) if isinstance(sources, Sequence) else [sources]
    if not isinstance(operation, str) or operation not in _COMBINE or not arrays:
        known = ", ".join(map(repr, _COMBINE))
        raise LaunchError(
            f"there is no reduction {operation!r} of {len(arrays)} arrays; use {known}"
        )
    dtype = _common_type(arrays)
    space = workspace_for(arrays[0], workspace)
    if result is None:
        result = space.device.empty(len(arrays), dtype)
    check_vector("result", result, dtype, least=len(arrays))
    longest = max(map(len, arrays))
    run = _SERIAL_RUN if space.device.capabilities.serial_threads else _RUN
    blocks, threads = runs(longest, run), threads_of(space.device)
    kernel = _kernel(operation, dtype, threads)
    limit = space.count(longest, count)
    partials = result if blocks == 1 else space.array("reduce", len(arrays) * blocks, dtype)
    for position, array in enumerate(arrays):
        source = array if len(array) else space.constant(0, dtype)
        held = limit if len(array) else space.constant(0)
        kernel[blocks, threads](partials, position * blocks, source, run, held)
    if blocks > 1:
        every = space.constant(len(arrays) * blocks)
        kernel[len(arrays), threads](result, 0, partials, blocks, every)
    return result


def threads_of(device: Device) -> int:
    """Threads of a cooperating block: a power of two, at most 256."""
    wanted = min(256, device.capabilities.default_block, device.capabilities.max_block_threads)
    return 1 << (wanted.bit_length() - 1)


def _common_type(arrays: Sequence[Array]) -> ScalarType:
    for array in arrays:
        check_vector("source", array, *_TYPES)
        if array.dtype != arrays[0].dtype:
            raise LaunchError(
                f"the sources hold {arrays[0].dtype} and {array.dtype}; one type is needed"
            )
    dtype = arrays[0].dtype
    assert isinstance(dtype, ScalarType)
    return dtype
