"""Exclusive scan: the sum of all elements before each.

Three steps: the sum of each run of elements, the scan of those sums by one block, the scan of each run from
there. A short array takes the last step alone. There are two forms of the kernels with one signature: a block
of many threads with shared memory, and one thread that walks the run, for devices whose threads are cores.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import headwater as hw
from headwater.primitives.reduce import threads_of
from headwater.primitives.workspace import (
    Workspace,
    check_single,
    check_vector,
    runs,
    workspace_for,
)
from headwater.runtime.array import Array
from headwater.types import INT32, INT64, UINT32, ScalarType

_TYPES = (INT32, UINT32, INT64)
_RUN, _SERIAL_RUN = 2048, 4096


# --- one thread a run -----------------------------------------------------------------------------


@hw.kernel
def _sum_runs_serial(sums, source, run, count):
    block = hw.blockIdx.x
    stop = min(min(count[0], source.shape[0]), (block + 1) * run)
    total = 0
    for i in range(block * run, stop):
        total += source[i]
    sums[block] = total


@hw.kernel
def _scan_runs_serial(result, source, offsets, total, run, count):
    block = hw.blockIdx.x
    stop = min(min(count[0], source.shape[0]), (block + 1) * run)
    running = offsets[block]
    for i in range(block * run, stop):
        value = source[i]
        result[i] = running
        running += value
    if block == hw.gridDim.x - 1:
        total[0] = running


# --- many threads a run ---------------------------------------------------------------------------


@cache
def _cooperative(dtype: ScalarType, threads: int) -> tuple[Any, Any]:
    zero = dtype(0)

    @hw.kernel
    def sum_runs(sums, source, run, count):
        tile = hw.shared.array(threads, dtype)
        block, thread = hw.blockIdx.x, hw.threadIdx.x
        stop = min(min(count[0], source.shape[0]), (block + 1) * run)
        total = zero
        for i in range(block * run + thread, stop, threads):
            total += source[i]
        tile[thread] = total
        hw.syncthreads()
        step = threads // 2
        while step > 0:
            if thread < step:
                tile[thread] += tile[thread + step]
            hw.syncthreads()
            step = step // 2
        if thread == 0:
            sums[block] = tile[0]

    @hw.kernel
    def scan_runs(result, source, offsets, total, run, count):
        tile = hw.shared.array(threads, dtype)
        block, thread = hw.blockIdx.x, hw.threadIdx.x
        stop = hw.uniform(min(min(count[0], source.shape[0]), (block + 1) * run))
        running = offsets[block]
        for start in range(block * run, stop, threads):
            i = start + thread
            value = zero
            if i < stop:
                value = source[i]
            tile[thread] = value
            hw.syncthreads()
            step = 1
            while step < threads:
                before = zero
                if thread >= step:
                    before = tile[thread - step]
                hw.syncthreads()
                tile[thread] += before
                hw.syncthreads()
                step = step * 2
            if i < stop:
                result[i] = running + tile[thread] - value
            running += tile[threads - 1]
            hw.syncthreads()
        if thread == 0 and block == hw.gridDim.x - 1:
            total[0] = running

    return sum_runs, scan_runs


# --- the primitive --------------------------------------------------------------------------------


def exclusive_scan(
    source: Array,
    result: Array,
    *,
    total: Array | None = None,
    count: Array | None = None,
    workspace: Workspace | None = None,
) -> None:
    """result[i] = source[0] + ... + source[i - 1], and the whole sum in `total` (one element) if given.

    `source` and `result` are int32, uint32 or int64, one-dimensional, and may be the same array; sums wrap.
    `count` limits the scan to the first elements; what lies behind in `result` stays. LaunchError for others.
    """
    check_vector("source", source, *_TYPES)
    dtype = source.dtype
    assert isinstance(dtype, ScalarType)
    check_vector("result", result, dtype, least=len(source))
    space = workspace_for(source, workspace)
    if total is None:
        total = space.array("scan.total", 1, dtype)
    else:
        check_single("total", total, dtype)
    if len(source) == 0:
        total.copy_from(space.constant(0, dtype))
        return
    limit = space.count(len(source), count)
    serial = space.device.capabilities.serial_threads
    threads = 1 if serial else threads_of(space.device)
    kernels = (_sum_runs_serial, _scan_runs_serial) if serial else _cooperative(dtype, threads)
    sum_runs, scan_runs = kernels
    run = _SERIAL_RUN if serial else _RUN
    blocks, nothing = runs(len(source), run), space.constant(0, dtype)
    if blocks == 1:
        scan_runs[1, threads](result, source, nothing, total, run, limit)
        return
    sums, every = space.array("scan.sums", blocks, dtype), space.constant(blocks)
    ignored = space.array("scan.ignored", 1, dtype)
    sum_runs[blocks, threads](sums, source, run, limit)
    scan_runs[1, threads](sums, sums, nothing, ignored, blocks, every)
    scan_runs[blocks, threads](result, source, sums, total, run, limit)
