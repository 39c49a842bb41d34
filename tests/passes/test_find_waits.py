"""Which loops may wait for another thread."""

# The kernels only wait.
# ruff: noqa: B007, SIM103

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.frontend.build import array, build

import headwater as hw
from headwater import ir, passes
from headwater.types import BOOL, FLOAT32, INT32

TYPES = (array(INT32), array(INT32), array(FLOAT32), array(BOOL), INT32)


# --- those that do ------------------------------------------------------------------------------


def takes_a_lock(lock, x, y, flags, n):
    while hw.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    y[0] += 1.0
    hw.atomic.exch(lock, 0, 0)


def swaps(lock, x, y, flags, n):
    while hw.atomic.exch(lock, n, 1) == 1:
        hw.threadfence_block()
    y[0] += 1.0
    lock[n] = 0


def polls(flag, x, y, flags, n):
    if hw.threadIdx.x == 0:
        flag[0] = 1
    while flag[0] == 0:
        pass
    y[hw.threadIdx.x] = 1.0


def polls_within(flag, x, y, flags, n):
    flag[hw.threadIdx.x] = 1
    while True:
        seen = hw.atomic.add(flag, n, 0)
        if seen > 3 and seen < 9:
            break


def polls_bools(flag, x, y, flags, n):
    flags[hw.threadIdx.x] = True
    while not flags[n]:
        pass


def remembers(flag, x, y, flags, n):
    flag[hw.threadIdx.x] = 1
    done = False
    while not done:
        if hw.atomic.add(flag, n, 0) == 7:
            done = True


def backs_off(flag, x, y, flags, n):
    flag[hw.threadIdx.x] = 1
    turns = 1
    while flag[n] == 0:
        for k in range(turns):
            hw.threadfence_block()
        if turns < 64:
            turns *= 2
    y[0] = turns


def counts_its_turns(flag, x, y, flags, n):
    flag[hw.threadIdx.x] = 1
    turns = 0
    while flag[n] == 0:
        turns += 1
    y[0] = turns


@hw.function
def is_ready(flag, k):
    if flag[k] > 0:
        return True
    return False


def calls(flag, x, y, flags, n):
    flag[hw.threadIdx.x] = 1
    while not is_ready(flag, n):
        pass


def looks_back(status, x, y, flags, n):
    status[n] = 1
    total = 0
    j = hw.blockIdx.x - 1
    while j >= 0:
        seen = hw.atomic.add(status, j, 0)
        if seen == 0:
            continue
        total += seen
        if seen > 100:
            break
        j -= 1
    y[n] = total


def looks_then_takes(lock, x, y, flags, n):
    while True:
        while lock[0] != 0:
            pass
        if hw.atomic.cas(lock, 0, 0, 1) == 0:
            break
    lock[0] = 0


def polls_a_view(flag, x, y, flags, n):
    flag[hw.threadIdx.x] = 1
    own = flag[n::2]
    while own[1] == 0:
        assert n > 0


def writes_when_it_leaves(flag, x, y, flags, n):
    flag[hw.threadIdx.x] = 1
    while True:
        if flag[n] != 0:
            y[0] = 1.0
            break


def waits_as_a_block(flag, x, y, flags, n):
    flag[hw.threadIdx.x] = 1
    while not hw.syncthreads_or(flag[n] > 2):
        pass


WAITING = [
    takes_a_lock,
    swaps,
    polls,
    polls_within,
    polls_bools,
    remembers,
    counts_its_turns,
    calls,
    looks_then_takes,
    polls_a_view,
    writes_when_it_leaves,
    waits_as_a_block,
]


@pytest.mark.parametrize("function", WAITING)
def test_waits(function: Callable[..., None]) -> None:
    assert [loop.waits for loop in loops(function)] == [True] * len(loops(function))


def test_plain_reads_of_what_decides_become_atomic() -> None:
    (loop,) = loops(polls)
    nodes = [node for block in ir.children(loop) for node in ir.walk(block)]
    assert not any(isinstance(node, ir.Load) for node in nodes)
    assert [node.operation for node in nodes if isinstance(node, ir.Atomic)] == ["add"]


# --- those that do not --------------------------------------------------------------------------


def gives_the_lock_back(lock, x, y, flags, n):
    done = False
    while not done:
        if hw.atomic.cas(lock, 0, 0, 1) == 0:
            y[0] += 1.0
            hw.atomic.exch(lock, 0, 0)
            done = True


def adds_by_exchange(total, x, y, flags, n):
    old = total[0]
    while True:
        seen = hw.atomic.cas(total, 0, old, old * 3 + 1)
        if seen == old:
            break
        old = seen


def probes(keys, x, y, flags, n):
    slot = hw.threadIdx.x % n
    while True:
        seen = hw.atomic.cas(keys, slot, 0, 5)
        if seen == 0 or seen == 5:
            break
        slot = (slot + 1) % n
    y[slot] = 1.0


def takes_work(queue, x, y, flags, n):
    k = hw.atomic.add(queue, 0, 1)
    while k < n:
        k = hw.atomic.add(queue, 0, 1)


def gives_up(flag, x, y, flags, n):
    flag[hw.threadIdx.x] = 1
    tries = 0
    while flag[n] == 0 and tries < 100:
        tries += 1
    y[0] = tries


def follows_parents(parent, x, y, flags, n):
    i = n
    while parent[i] != i:
        i = parent[i]
    parent[n] = i


def reads_what_nobody_writes(flag, x, y, flags, n):
    while x[n] == 0:
        pass
    flag[0] = 1


def counts(flag, x, y, flags, n):
    k = n
    while k > 0:
        if k % 3 == 0:
            k //= 3
            continue
        k -= 1
    flag[0] = k


def searches(flag, x, y, flags, n):
    flag[hw.threadIdx.x] = 1
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if flag[middle] < 5:
            low = middle + 1
        else:
            high = middle
    y[0] = low


def keeps_it_to_itself(flag, x, y, flags, n):
    own = hw.local.array(4, hw.int32)
    own[0] = n
    while own[0] > 3:
        own[0] -= 1
    flag[0] = own[0]


def finds(key, x, y, flags, n):
    key[hw.threadIdx.x] = n
    found = False
    s = n
    while not found:
        if key[s] == 5:
            found = True
        else:
            s = x[s]
    y[s] = 1.0


def merges(a, x, y, flags, n):
    a[n] = n
    i, j = 0, 0
    while i < n and j < n:
        if a[i] < x[j]:
            i += 1
        if a[i] >= x[j]:
            j += 1
    y[i] = j


def searches_until_equal(a, x, y, flags, n):
    a[n] = n
    i, low, high = n, 0, 100
    while True:
        if a[i] < n:
            low = i
        elif a[i] > n:
            high = i
        elif a[i] == n:
            break
        i = (low + high) // 2
    y[i] = 1.0


def takes_and_gives_by_exchange(lock, x, y, flags, n):
    done = False
    while not done:
        if hw.atomic.cas(lock, 0, 0, 1) == 0:
            hw.atomic.exch(lock, 1, n)
            hw.atomic.exch(lock, 0, 0)
            done = True


def passes_it_on(turn, x, y, flags, n):
    while hw.atomic.cas(turn, 0, n - 1, n) < 5:
        pass


def raises_to(a, x, y, flags, n):
    while hw.atomic.max(a, 0, n) < n:
        pass


def gives_up_by_an_inner_loop(flag, x, y, flags, n):
    flag[hw.threadIdx.x] = 1
    t = 0
    while flag[n] == 0:
        t += 1
        while t > 5000:
            return
    y[0] = t


OTHERS = [
    # These wait, in forms that are not known.
    backs_off,
    looks_back,
    # These do not.
    finds,
    merges,
    searches_until_equal,
    takes_and_gives_by_exchange,
    passes_it_on,
    raises_to,
    gives_up_by_an_inner_loop,
    gives_the_lock_back,
    adds_by_exchange,
    probes,
    takes_work,
    gives_up,
    follows_parents,
    reads_what_nobody_writes,
    counts,
    searches,
    keeps_it_to_itself,
]


@pytest.mark.parametrize("function", OTHERS)
def test_is_not_known_to_wait(function: Callable[..., None]) -> None:
    found = loops(function)
    assert found
    assert not any(loop.waits for loop in found)


def loops(function: Callable[..., None]) -> list[ir.While]:
    kernel = build(function, *TYPES)
    passes.find_waits(kernel)
    return [node for node in ir.walk(kernel.body) if isinstance(node, ir.While)]
