"""Stable sort of keys with values: a radix sort, digit by digit from the lowest.

Each pass counts the digits of every run of keys, scans the counts (all runs of digit 0, then all of digit
1 ...) and moves each run's pairs to the places found. A stable order is unique, so the result does not depend
on how the keys are divided. There are two forms: blocks of many threads, which keep a counter for each digit
and thread in shared memory, and one thread a run, for devices whose threads are cores.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import headwater as hw
from headwater.errors import LaunchError
from headwater.primitives.reduce import threads_of
from headwater.primitives.scan import exclusive_scan
from headwater.primitives.workspace import Workspace, check_vector, runs, workspace_for
from headwater.runtime.array import Array
from headwater.types import INT32, UINT32

# Elements of a run: of a serial one at least, with at most so many runs; of each cooperating thread.
_SERIAL_RUN, _SERIAL_RUNS, _ITEMS = 4096, 64, 4
_SERIAL_BITS, _BITS = 10, 4


@hw.function
def _digit(key, flip, shift, mask):
    """The digit of a key; `flip` puts negative keys first."""
    return hw.int32(((hw.uint32(key) ^ flip) >> shift) & mask)


# --- one thread a run -----------------------------------------------------------------------------


@hw.kernel
def _count_serial(counts, keys, flip, shift, mask, digits, run, count):
    """counts[run][digit]."""
    block = hw.blockIdx.x
    stop = min(min(count[0], keys.shape[0]), (block + 1) * run)
    base = block * digits
    for k in range(base, base + digits):
        counts[k] = 0
    for i in range(block * run, stop):
        counts[base + _digit(keys[i], flip, shift, mask)] += 1


@hw.kernel
def _scan_serial(counts, digits, blocks):
    """The scan over digits first, then runs, in place."""
    running = 0
    for digit in range(digits):
        for block in range(blocks):
            k = block * digits + digit
            value = counts[k]
            counts[k] = running
            running += value


@hw.kernel
def _move_serial(new_keys, new_values, keys, values, places, flip, shift, mask, digits, run, count):
    block = hw.blockIdx.x
    stop = min(min(count[0], keys.shape[0]), (block + 1) * run)
    base = block * digits
    for i in range(block * run, stop):
        key = keys[i]
        k = base + _digit(key, flip, shift, mask)
        place = places[k]
        places[k] = place + 1
        new_keys[place] = key
        new_values[place] = values[i]


# --- many threads a run ---------------------------------------------------------------------------


@cache
def _cooperative(threads: int) -> tuple[Any, Any]:
    most = 1 << _BITS
    items = _ITEMS
    counters = most * threads

    @hw.kernel
    def count_digits(counts, keys, flip, shift, mask, digits, run, count):
        """counts[digit][run]."""
        tile = hw.shared.array(most, hw.int32)
        block, thread = hw.blockIdx.x, hw.threadIdx.x
        stop = min(min(count[0], keys.shape[0]), (block + 1) * run)
        for digit in range(thread, most, threads):
            tile[digit] = 0
        hw.syncthreads()
        for i in range(block * run + thread, stop, threads):
            hw.atomic.add(tile, _digit(keys[i], flip, shift, mask), 1)
        hw.syncthreads()
        for digit in range(thread, digits, threads):
            counts[digit * hw.gridDim.x + block] = tile[digit]

    @hw.kernel
    def move(new_keys, new_values, keys, values, places, flip, shift, mask, digits, run, count):
        """A thread's counter of a digit becomes the rank of its first such key in the run."""
        tile = hw.shared.array(counters, hw.int32)
        sums = hw.shared.array(threads, hw.int32)
        firsts = hw.shared.array(most, hw.int32)
        block, thread = hw.blockIdx.x, hw.threadIdx.x
        start = block * run + thread * items
        stop = min(min(count[0], keys.shape[0]), start + items)
        for digit in range(most):
            tile[digit * threads + thread] = 0
        for i in range(start, stop):
            tile[_digit(keys[i], flip, shift, mask) * threads + thread] += 1
        hw.syncthreads()
        total = 0
        for k in range(thread * most, (thread + 1) * most):
            total += tile[k]
        sums[thread] = total
        hw.syncthreads()
        step = 1
        while step < threads:
            before = 0
            if thread >= step:
                before = sums[thread - step]
            hw.syncthreads()
            sums[thread] += before
            hw.syncthreads()
            step = step * 2
        running = sums[thread] - total
        for k in range(thread * most, (thread + 1) * most):
            value = tile[k]
            tile[k] = running
            running += value
        hw.syncthreads()
        for digit in range(thread, most, threads):
            firsts[digit] = tile[digit * threads]
        hw.syncthreads()
        for i in range(start, stop):
            key = keys[i]
            digit = _digit(key, flip, shift, mask)
            k = digit * threads + thread
            place = places[digit * hw.gridDim.x + block] + tile[k] - firsts[digit]
            tile[k] += 1
            new_keys[place] = key
            new_values[place] = values[i]

    return count_digits, move


@hw.kernel
def _copy(new_keys, new_values, keys, values):
    i = hw.grid(1)
    new_keys[i] = keys[i]
    new_values[i] = values[i]


# --- the primitive --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Plan:
    """How one call divides its work."""

    threads: int
    run: int
    blocks: int
    passes: int
    bits: int

    @property
    def digits(self) -> int:
        return 1 << self.bits


def sort(
    keys: Array,
    values: Array,
    *,
    bits: int = 32,
    count: Array | None = None,
    workspace: Workspace | None = None,
) -> None:
    """Sort `keys` in place, stably and in ascending order, and carry `values` along.

    `keys` is int32 or uint32, `values` int32, both one-dimensional and of one length. With `bits` below 32 all
    keys must lie in 0 ... 2^bits - 1, and fewer passes are made. `count` limits the sort to the first
    elements; those behind stay. LaunchError for other arguments.
    """
    check_vector("keys", keys, INT32, UINT32)
    check_vector("values", values, INT32)
    if len(values) != len(keys):
        raise LaunchError(f"{len(keys)} keys were given with {len(values)} values")
    if values is keys:
        raise LaunchError(
            "'keys' and 'values' are one array", hint="sort a copy along: values = keys.copy()"
        )
    if not isinstance(bits, int) or isinstance(bits, bool) or not 0 <= bits <= 32:
        raise LaunchError(f"keys have 0 to 32 bits, not {bits!r}")
    if len(keys) == 0 or bits == 0:
        return
    space = workspace_for(keys, workspace)
    plan = _plan(space, len(keys), bits)
    flip = np.uint32(0x80000000 if bits == 32 and keys.dtype is INT32 else 0)
    limit = space.count(len(keys), count)
    dtype = INT32 if keys.dtype is INT32 else UINT32
    source = (keys, values)
    target = (
        space.array("sort.keys", len(keys), dtype),
        space.array("sort.values", len(keys), INT32),
    )
    for number in range(plan.passes):
        shift = np.uint32(number * plan.bits)
        _pass(space, plan, source, target, flip, shift, limit)
        source, target = target, source
    if source[0] is not keys:
        _copy.over(limit, capacity=len(keys))(*target, *source)


def _plan(space: Workspace, count: int, bits: int) -> _Plan:
    serial = space.device.capabilities.serial_threads
    threads = 1 if serial else threads_of(space.device)
    run = max(_SERIAL_RUN, -(-count // _SERIAL_RUNS)) if serial else _ITEMS * threads
    passes = -(-bits // (_SERIAL_BITS if serial else _BITS))
    return _Plan(threads, run, runs(count, run), passes, -(-bits // passes))


def _pass(
    space: Workspace,
    plan: _Plan,
    source: tuple[Array, Array],
    target: tuple[Array, Array],
    flip: np.uint32,
    shift: np.uint32,
    limit: Array,
) -> None:
    """Move all pairs into the order of one digit."""
    size = plan.digits * plan.blocks
    counts = space.array("sort.counts", size, INT32)
    place, mask = (plan.blocks, plan.threads), np.uint32(plan.digits - 1)
    digit = (flip, shift, mask, plan.digits, plan.run, limit)
    if plan.threads == 1:
        _count_serial[place](counts, source[0], *digit)
        _scan_serial[1, 1](counts, plan.digits, plan.blocks)
        _move_serial[place](*target, *source, counts, *digit)
        return
    count_digits, move = _cooperative(plan.threads)
    count_digits[place](counts, source[0], *digit)
    exclusive_scan(counts, counts, count=space.constant(size), workspace=space)
    move[place](*target, *source, counts, *digit)
