"""Bodies of neighbour loops with control flow of their own, against all pairs in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import headwater as hw
from headwater.particles import CellGrid, Domain, ParticleSet

CUTOFF = 0.3
F = np.float32


@hw.function
def root(value):
    """Newton's iteration to a fixed accuracy, so that pairs take different numbers of steps."""
    guess = 1.0
    steps = 0
    while abs(guess * guess - value) > 1e-3 * value:
        guess = 0.5 * (guess + value / guess)
        steps += 1
        if steps == 60:
            return guess
    return guess


@hw.function
def step(value):
    if value > 0.02:
        if value > 0.05:
            return 1
    elif value > 0.01:
        return 2
    return 3


@hw.kernel
def function_with_nested_returns(out, grid):
    i = hw.grid(1)
    count = 0
    for _j, _x, r2 in grid.neighbors(i):
        count += step(r2)
    out[i] = count


@hw.kernel
def while_loop(out, grid):
    i = hw.grid(1)
    count = 0
    for _j, _x, r2 in grid.neighbors(i):
        m = 0
        while m * 0.01 < r2:
            m += 1
        count += m
    out[i] = count


@hw.kernel
def endless_loop_with_break(out, grid):
    i = hw.grid(1)
    count = 0
    for _j, _x, r2 in grid.neighbors(i):
        m = 0
        while True:
            if m * 0.01 >= r2:
                break
            m += 1
        count += m
    out[i] = count


@hw.kernel
def divergent_break(out, grid):
    i = hw.grid(1)
    count = 0
    for _j, _x, r2 in grid.neighbors(i):
        for q in range(10):
            if q * 0.01 > r2:
                break
            count += 1
    out[i] = count


@hw.kernel
def divergent_continue(out, grid):
    i = hw.grid(1)
    count = 0
    for j, _x, r2 in grid.neighbors(i):
        for q in range(10):
            if q * 0.01 > r2:
                continue
            for s in range(q):
                if s == j % 3:
                    continue
                count += 1
    out[i] = count


@hw.kernel
def uniform_break(out, grid):
    i = hw.grid(1)
    count = 0
    for _j, _x, _r2 in grid.neighbors(i):
        for q in range(10):
            if q == 3:
                break
            count += 1
    out[i] = count


@hw.kernel
def trips_by_particle(out, grid):
    i = hw.grid(1)
    count = 0
    for j, _x, r2 in grid.neighbors(i):
        if r2 > 0.02:
            continue
        for q in range(j % 5):
            count += q + 1
    out[i] = count


@hw.kernel
def newton(out, grid):
    i = hw.grid(1)
    count = 0
    for _j, _x, r2 in grid.neighbors(i):
        if abs(root(r2) - hw.sqrt(r2)) < 1e-2 * hw.sqrt(r2):
            count += 1
    out[i] = count


@hw.kernel
def sum_of_an_earlier_loop(out, grid):
    i = hw.grid(1)
    count = 0
    total = 0
    for _j, _x, _r2 in grid.neighbors(i):
        count += 1
    for _j, _x, _r2 in grid.neighbors(i):
        total += count * count
    out[i] = total


@hw.kernel
def index_of_the_thread(out, grid):
    total = 0
    for _j, _x, _r2 in grid.neighbors(hw.grid(1)):
        total += hw.threadIdx.x + hw.blockDim.x * hw.blockIdx.x
    out[hw.grid(1)] = total


def steps_of(r2: float) -> int:
    m = 0
    while np.float32(m * np.float32(0.01)) < r2:
        m += 1
    return m


def tenths(r2: float) -> list[int]:
    return [q for q in range(10) if not np.float32(q * np.float32(0.01)) > r2]


CASES: dict[str, tuple[Any, Callable[[int, float], int]]] = {
    "while": (while_loop, lambda j, r2: steps_of(r2)),
    "endless loop with break": (endless_loop_with_break, lambda j, r2: steps_of(r2)),
    "divergent break": (divergent_break, lambda j, r2: len(tenths(r2))),
    "divergent continue": (
        divergent_continue,
        lambda j, r2: sum(q - (j % 3 < q) for q in tenths(r2)),
    ),
    "uniform break": (uniform_break, lambda j, r2: 3),
    "trips by particle": (
        trips_by_particle,
        lambda j, r2: 0 if r2 > np.float32(0.02) else sum(range(1, j % 5 + 1)),
    ),
    "function with nested returns": (
        function_with_nested_returns,
        lambda j, r2: 1 if r2 > F(0.05) else 3 if r2 > F(0.02) else 2 if r2 > F(0.01) else 3,
    ),
    "newton": (newton, lambda j, r2: 1),
}


@pytest.mark.parametrize("case", CASES)
def test_body(device: hw.Device, case: str) -> None:
    kernel, share = CASES[case]
    found, near = run(device, kernel)
    np.testing.assert_array_equal(found, [sum(share(*pair) for pair in pairs) for pairs in near])


def test_the_sum_of_an_earlier_loop_is_read_in_a_later_one(device: hw.Device) -> None:
    found, near = run(device, sum_of_an_earlier_loop)
    np.testing.assert_array_equal(found, [len(pairs) ** 3 for pairs in near])


def test_the_index_of_the_thread_is_read_inside(device: hw.Device) -> None:
    found, near = run(device, index_of_the_thread)
    np.testing.assert_array_equal(found, [i * len(pairs) for i, pairs in enumerate(near)])


def run(device: hw.Device, kernel: Any) -> tuple[Any, list[list[tuple[int, float]]]]:
    """What the kernel writes for each particle, and each particle's neighbours with their r2."""
    points = np.random.default_rng(3).random((45, 3)).astype(np.float32)
    p = ParticleSet(device, Domain((0, 0, 0), (1, 1, 1)), len(points))
    p.add(points)
    grid = CellGrid(p, CUTOFF)
    grid.update()
    out = device.zeros(len(points), hw.int32)
    kernel.over(len(points))(out, grid)
    x = p.host("position")
    near = []
    for i, here in enumerate(x):
        d = here - x
        r2 = d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1] + d[:, 2] * d[:, 2]
        inside = r2 < np.float32(CUTOFF * CUTOFF)
        near.append([(j, r2[j]) for j in range(len(x)) if j != i and inside[j]])
    return out.numpy(), near


@hw.kernel(contract=False)
def uniform_here_varying_there(out, flags, grid, w):
    i, t = hw.grid(1), hw.threadIdx.x
    total = 0
    for j, _, _ in grid.neighbors(hw.blockIdx.x):
        value = w[j]
        total += value
        value = t + j
        total += value
    flags[i] = hw.all_sync(0xFFFFFFFF, w[i] > 0)
    out[i] = total


def test_lanes_that_share_neighbors_keep_their_own_values(device: hw.Device) -> None:
    """A variable that all threads agree on was taken from one lane, where lanes stood for neighbours."""
    count = 17
    p = ParticleSet(device, Domain((0, 0, 0), (1, 1, 1), (True, True, True)), count)
    p.add(np.random.default_rng(0).random((count, 3)))
    grid = CellGrid(p, cutoff=0.45)
    grid.update()
    w = np.arange(count, dtype=np.int32)
    out, flags = device.zeros(count, hw.int32), device.zeros(count, hw.boolean)
    uniform_here_varying_there[1, count](out, flags, grid, device.array(w))
    x = p.host("position").astype(np.float64)
    d = x - x[0]
    near = [j for j in range(1, count) if ((d[j] - np.round(d[j])) ** 2).sum() < 0.45**2]
    expected = [sum(int(w[j]) + t + j for j in near) for t in range(count)]
    assert out.numpy().tolist() == expected
    assert not flags.numpy().any()


@hw.kernel(contract=False)
def reduced_for_the_block(out, grid, w, start):
    i = hw.grid(1)
    least = start[0]
    for j, _, _ in grid.neighbors(hw.blockIdx.x):
        least = min(least, w[j])
    least ^= least % 7
    hw.syncthreads()
    out[i] = least


@pytest.mark.parametrize("threads", [7, 17, 70])
def test_what_a_block_finds_in_its_neighbors_reaches_all_threads(
    device: hw.Device, threads: int
) -> None:
    """Beyond a barrier all threads had it from the last lanes of the block, of which some were no threads."""
    p = ParticleSet(device, Domain((0, 0, 0), (1, 1, 1), (True, True, True)), 17)
    p.add(np.random.default_rng(0).random((17, 3)))
    grid = CellGrid(p, cutoff=0.45)
    grid.update()
    w = np.random.default_rng(1).integers(100, 1000, 17).astype(np.int32)
    out = device.zeros(2 * threads, hw.int32)
    start = device.array(np.array([999], np.int32))
    reduced_for_the_block[2, threads](out, grid, device.array(w), start)
    x = p.host("position").astype(np.float64)
    d = x[:2, None] - x
    d -= np.round(d)
    near = ((d**2).sum(2) < 0.45**2) & ~np.eye(2, 17, dtype=bool)
    least = np.where(near, w, 999).min(1)
    assert out.numpy().tolist() == np.repeat(least ^ least % 7, threads).tolist()


@hw.kernel(contract=False)
def returned_before(out, seen, grid, n):
    i, t = hw.grid(1), hw.threadIdx.x
    tile = hw.shared.array(32, hw.int32)
    tile[t] = t
    if i >= n:
        return
    near = 0
    for j, _, _ in grid.neighbors(hw.blockIdx.x):
        near += 1
        seen[i, j] += 1
    if near > 0:
        hw.syncthreads()
        out[i] = near + tile[min(t + 1, 31)] * 100


@pytest.mark.parametrize("count", [0, 5, 33, 64])
def test_returned_threads_write_nothing_in_a_loop_that_decides_on_a_barrier(
    device: hw.Device, count: int
) -> None:
    """They went through it unmasked, and around a point of their own."""
    p = ParticleSet(device, Domain((0, 0, 0), (1, 1, 1), (True, True, True)), 17)
    p.add(np.random.default_rng(0).random((17, 3)))
    grid = CellGrid(p, cutoff=0.45)
    grid.update()
    out, seen = device.zeros(64, hw.int32), device.zeros((64, 17), hw.int32)
    returned_before[2, 32](out, seen, grid, count)
    x = p.host("position").astype(np.float64)
    d = x[:2, None] - x
    d -= np.round(d)
    near = ((d**2).sum(2) < 0.45**2) & ~np.eye(2, 17, dtype=bool)
    lives = np.arange(64) < count
    t = np.arange(64) % 32
    found = np.repeat(near.sum(1), 32) + np.minimum(t + 1, 31) * 100
    assert seen.numpy().tolist() == (np.repeat(near, 32, axis=0) & lives[:, None]).tolist()
    assert out.numpy().tolist() == np.where(lives, found, 0).tolist()
