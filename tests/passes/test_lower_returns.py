"""Early returns of device functions against Python itself, and of kernels with barriers against the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.frontend.build import array, build

import headwater as hw
from headwater import ir, passes
from headwater.errors import CompileError
from headwater.types import INT32


@hw.function
def in_a_chain(n):
    if n < 3:
        return 10
    elif n < 5:
        return 20
    if n == 7:
        return 30
    return n


@hw.function
def in_both_branches(n):
    if n % 2 == 0:
        if n > 4:
            return 1
        n += 1
    else:
        if n > 6:
            return 2
        n += 2
    if n == 3:
        return 3
    return n


@hw.function
def in_a_loop(n):
    for k in range(5):
        if k * k > n:
            return k
        if k == 3 and n == 20:
            break
    return -n


@hw.function
def in_nested_loops(n):
    total = 0
    for a in range(4):
        total += 1
        b = 0
        while b < 4:
            if a * b == n:
                return 100 * a + b
            b += 1
            if b == n:
                continue
            total += b
        total += 10
    return total


@hw.function
def in_an_endless_loop(n):
    k = 0
    while True:
        k += 1
        if k > n:
            return k


@hw.function
def in_a_called_function(n):
    for k in range(3):
        if in_nested_loops(n + k) > 100:
            return k + in_a_chain(n)
        if in_a_loop(k) == 2:
            n += 1
    return in_both_branches(n)


@hw.function
def of_several_values(n):
    if n < 4:
        return n, 1
    return 2 * n, 0


@hw.function
def from_the_middle(n):
    result = 0
    if n > 2:
        if n > 5:
            return 5
        result = n
    result += 1
    if result == 4:
        return 40
    return result


FUNCTIONS: list[Any] = [
    in_a_chain,
    in_both_branches,
    in_a_loop,
    in_nested_loops,
    in_an_endless_loop,
    in_a_called_function,
    of_several_values,
    from_the_middle,
]


def python(function: Any, n: int) -> list[int]:
    """What Python itself computes; device functions that are called are swapped for plain ones."""
    names = function.python.__globals__
    swapped = {f.__name__: f.python for f in FUNCTIONS}
    saved = {name: names[name] for name in swapped}
    names.update(swapped)
    try:
        result = function.python(n)
    finally:
        names.update(saved)
    return list(result) if isinstance(result, tuple) else [result, result]


def kernel_of(function: Any) -> Callable[..., None]:
    if function is of_several_values:

        def pair(y, z):
            i = hw.grid(1)
            y[i], z[i] = function(i)

        return pair

    def single(y, z):
        i = hw.grid(1)
        y[i] = function(i)
        z[i] = y[i]

    return single


@pytest.mark.parametrize("function", FUNCTIONS, ids=[f.__name__ for f in FUNCTIONS])
def test_functions_return_as_in_python(function: Any, device: hw.Device) -> None:
    y, z = device.zeros(24, hw.int32), device.zeros(24, hw.int32)
    hw.kernel(kernel_of(function))[3, 8](y, z)
    expected = np.array([python(function, n) for n in range(24)])
    assert (y.numpy() == expected[:, 0]).all()
    assert (z.numpy() == expected[:, 1]).all()


@pytest.mark.parametrize("function", FUNCTIONS, ids=[f.__name__ for f in FUNCTIONS])
def test_no_inlined_is_left(function: Any) -> None:
    kernel = lowered(kernel_of(function), array(INT32), array(INT32))
    assert not nodes(kernel, ir.Inlined)
    assert not nodes(kernel, ir.Return)


def test_a_chain_needs_no_variable() -> None:
    kernel = lowered(kernel_of(in_a_chain), array(INT32), array(INT32))
    assert [v.name for v in kernel.variables] == ["in_a_chain_0"]


def test_kernels_without_barriers_keep_their_returns() -> None:
    def kernel(y):
        i = hw.grid(1)
        if i >= len(y):
            return
        y[i] = 1

    assert len(nodes(lowered(kernel, array(INT32)), ir.Return)) == 1


def lowered(function: Callable[..., None], *types: Any) -> ir.Kernel:
    kernel = build(function, *types, block=(8, 1, 1))
    passes.lower_returns(kernel)
    ir.verify(kernel)
    passes.check_barriers(kernel)
    return kernel


def nodes(kernel: ir.Kernel, kind: type) -> list[ir.Node]:
    return [node for node in ir.walk(kernel.body) if isinstance(node, kind)]


# --- kernels with barriers ------------------------------------------------------------------------
# Each takes (y, counts, n): y and counts are int32, blocks have 8 threads, threads from n on exit.


def loads_across_barriers(y, counts, n):
    tile = hw.shared.array(8, hw.int32)
    t = hw.threadIdx.x
    i = hw.grid(1)
    if i >= n:
        return
    mine = y[i]
    tile[t] = mine
    hw.syncthreads()
    y[i] = tile[0] + mine


def trips_from_memory(y, counts, n):
    """The trip count is loaded after the return: exited threads load it too."""
    tile = hw.shared.array(8, hw.int32)
    t = hw.threadIdx.x
    i = hw.grid(1)
    if i >= n:
        return
    trips = counts[hw.blockIdx.x]
    tile[t] = 0
    for k in range(trips):
        hw.syncthreads()
        tile[t] += k + trips
    y[i] = tile[t]


def variable_after_return(y, counts, n):
    tile = hw.shared.array(8, hw.int32)
    t = hw.threadIdx.x
    i = hw.grid(1)
    tile[t] = 1
    if i >= n:
        return
    half = 0
    for _ in range(4):
        half += 1
        if half == 4:
            break
    while half > 0:
        hw.syncthreads()
        if t < half and t + half < 8:
            tile[t] += tile[t + half]
        hw.syncthreads()
        half //= 2
    y[i] = tile[t]


def return_inside_the_loop(y, counts, n):
    tile = hw.shared.array(8, hw.int32)
    t = hw.threadIdx.x
    i = hw.grid(1)
    tile[t] = t
    for k in range(4):
        hw.syncthreads()
        value = tile[(t + 1) % 8]
        hw.syncthreads()
        if t == k or i >= n:
            return
        tile[t] = value
        y[i] += value


def uniform_return_in_an_endless_loop(y, counts, n):
    i = hw.grid(1)
    k = 0
    if i >= n:
        return
    while True:
        hw.syncthreads()
        y[i] = k
        k += 1
        if k > counts[hw.blockIdx.x]:
            return


def return_in_a_plain_loop(y, counts, n):
    tile = hw.shared.array(8, hw.int32)
    t = hw.threadIdx.x
    i = hw.grid(1)
    tile[t] = 0
    for a in range(3):
        for b in range(3):
            if i >= n and a * b == 2:
                return
            tile[t] += 1
    hw.syncthreads()
    y[i] = tile[(t + 1) % 8]


MASKED = [
    loads_across_barriers,
    trips_from_memory,
    variable_after_return,
    return_inside_the_loop,
    uniform_return_in_an_endless_loop,
    return_in_a_plain_loop,
]
COUNTS = np.array([3, 0, 5], np.int32)


def by_hand(function: Any, n: int, threads: int) -> np.ndarray:
    y = np.arange(threads, dtype=np.int32)
    for block in range(threads // 8):
        _HANDS[function.__name__](y[8 * block : 8 * block + 8], block, n - 8 * block)
    return y


def _loads(y: np.ndarray, block: int, n: int) -> None:
    if n > 0:
        y[:n] += y[0]


def _trips(y: np.ndarray, block: int, n: int) -> None:
    trips = int(COUNTS[block])
    y[: max(n, 0)] = sum(k + trips for k in range(trips))


def _variable(y: np.ndarray, block: int, n: int) -> None:
    tile = np.ones(8, np.int32)
    half = 4
    while half:
        old = tile.copy()
        for t in range(min(max(n, 0), half)):
            if t + half < 8:
                tile[t] += old[t + half]
        half //= 2
    y[: max(n, 0)] = tile[: max(n, 0)]


def _inside(y: np.ndarray, block: int, n: int) -> None:
    tile = np.arange(8)
    alive = np.ones(8, bool)
    for k in range(4):
        value = np.roll(tile, -1)
        alive &= (np.arange(8) != k) & (np.arange(8) < n)
        tile = np.where(alive, value, tile)
        y += np.where(alive, value, 0).astype(np.int32)


def _endless(y: np.ndarray, block: int, n: int) -> None:
    y[: max(n, 0)] = COUNTS[block]


def _plain(y: np.ndarray, block: int, n: int) -> None:
    alive = np.arange(8) < n
    tile = np.where(alive, 9, 5)
    y[alive] = np.roll(tile, -1)[alive]


_HANDS: dict[str, Callable[[np.ndarray, int, int], None]] = {
    "loads_across_barriers": _loads,
    "trips_from_memory": _trips,
    "variable_after_return": _variable,
    "return_inside_the_loop": _inside,
    "uniform_return_in_an_endless_loop": _endless,
    "return_in_a_plain_loop": _plain,
}


@pytest.mark.parametrize("n", [0, 5, 8, 13, 24])
@pytest.mark.parametrize("function", MASKED, ids=[f.__name__ for f in MASKED])
def test_exited_threads_go_along(function: Any, n: int, device: hw.Device) -> None:
    y = device.array(np.arange(24, dtype=np.int32))
    hw.kernel(function)[3, 8](y, device.array(COUNTS), n)
    assert y.numpy().tolist() == by_hand(function, n, 24).tolist()


@pytest.mark.parametrize("function", MASKED, ids=[f.__name__ for f in MASKED])
def test_no_return_is_left_beside_barriers(function: Any) -> None:
    kernel = lowered(function, array(INT32), array(INT32), INT32)
    assert not nodes(kernel, ir.Return)
    assert "alive" in [v.name for v in kernel.variables]


def test_exited_blocks_load_nothing_out_of_bounds(oracle: hw.Device) -> None:
    """No thread of the last blocks lives, and their trip counts do not exist."""
    y = oracle.array(np.arange(24, dtype=np.int32))
    hw.kernel(trips_from_memory)[3, 8](y, oracle.array(COUNTS[:1]), 6)
    assert y.numpy().tolist() == [12] * 6 + list(range(6, 24))


def test_a_return_at_the_end_needs_no_mask() -> None:
    def kernel(y):
        hw.syncthreads()
        if hw.threadIdx.x == 0:
            y[0] = 1
            return

    assert lowered(kernel, array(INT32)).variables == []


def test_an_endless_loop_must_end_together() -> None:
    def kernel(y):
        while True:
            hw.syncthreads()
            if y[hw.threadIdx.x] > 0:
                return

    with pytest.raises(CompileError, match="must be left by all threads of a block together"):
        lowered(kernel, array(INT32))


def test_an_assertion_is_about_threads_that_live(device: hw.Device) -> None:
    """Threads that returned have no value of it; one of them was asked for it."""

    @hw.kernel
    def kernel(y, x):
        t = hw.threadIdx.x
        if t == 0:
            return
        value = x[t]
        hw.syncthreads()
        same = hw.uniform(value)
        y[t] = same

    x = device.array(np.array([5] + [7] * 15, np.int32))
    y = device.zeros(16, hw.int32)
    kernel[1, 16](y, x)
    assert y.numpy().tolist() == [0] + [7] * 15


def test_returns_may_be_kept() -> None:
    def kernel(y):
        i = hw.grid(1)
        if i >= len(y):
            return
        hw.syncthreads()
        y[i] = in_a_loop(i)

    kept = build(kernel, array(INT32))
    passes.lower_returns(kept, keep=True)
    ir.verify(kept)
    assert len(nodes(kept, ir.Return)) == 1
    assert not nodes(kept, ir.Inlined)
    passes.check_barriers(kept)


def test_who_has_returned_takes_no_part(device: hw.Device) -> None:
    """In votes of the block and of warps, before and after a barrier."""

    @hw.kernel
    def kernel(y, x):
        t = hw.threadIdx.x
        if x[t] == 0:
            return
        count = hw.syncthreads_count(True)
        every = hw.syncthreads_and(x[t] > 0)
        some = hw.syncthreads_or(x[t] == 0)
        lanes = hw.popc(hw.ballot_sync(0xFFFFFFFF, True))
        all_lanes = hw.all_sync(0xFFFFFFFF, x[t] > 0)
        y[t, 0] = count
        y[t, 1] = hw.int32(every) + 2 * hw.int32(some) + 4 * hw.int32(all_lanes)
        y[t, 2] = hw.int32(lanes)

    x = np.arange(40, dtype=np.int32) % 3
    y = device.zeros((40, 3), hw.int32)
    kernel[1, 40](y, device.array(x))
    for t in range(40):
        lanes = (x[t // 32 * 32 : t // 32 * 32 + 32] > 0).sum()
        assert y.numpy()[t].tolist() == ([(x > 0).sum(), 5, lanes] if x[t] else [0, 0, 0])
