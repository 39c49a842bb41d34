"""Reductions and scans of blocks of 256 threads in shared memory, as in CUDA's samples, beside plain loops.

The plain loop of a reduction adds the numbers of a block one after another (a compiler vectorises that), that of a
scan writes the running sum. Blelloch's scan does its sweeps as loops in C as well: the same work, plainly written.
Blocks go round over the same numbers, few enough for a core's cache: what counts is the engine, not the memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

import headwater as hw
from bench.language.contest import Work, best_seconds, c_library, pointer

THREADS = 256
# Numbers that there are, and those that a launch goes through.
_COUNT, _WORK = 1 << 16, 1 << 20
BLOCKS = _COUNT // THREADS

_PLAIN = """
void sums(float *out, const float *x, long blocks) {
  for (long b = 0; b < blocks; b++) {
    const float *from = x + b % 256 * 256;
    float total = 0;
    for (int k = 0; k < 256; k++) total += from[k];
    out[b % 256] = total;
  }
}
void running(float *out, const float *x, long blocks) {
  for (long b = 0; b < blocks; b++) {
    const float *from = x + b % 256 * 256;
    float total = 0, *to = out + b % 256 * 256;
    for (int k = 0; k < 256; k++) { total += from[k]; to[k] = total; }
  }
}
void sweeps(float *out, const float *x, long blocks) {
  float s[512];
  for (long block = 0; block < blocks; block++) {
    const float *from = x + block % 128 * 512;
    for (int t = 0; t < 512; t++) s[t] = from[t];
    int offset = 1;
    for (int d = 256; d > 0; d /= 2) {
      for (int t = 0; t < d; t++) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
      offset *= 2;
    }
    s[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
      offset /= 2;
      for (int t = 0; t < d; t++) {
        int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
        float left = s[a];
        s[a] = s[b];
        s[b] += left;
      }
    }
    float *to = out + block % 128 * 512;
    for (int t = 0; t < 512; t++) to[t] = s[t];
  }
}
"""


@hw.kernel
def tree(out, x):
    """The tree with halving steps."""
    s = hw.shared.array(THREADS, hw.float32)
    t = hw.threadIdx.x
    block = hw.blockIdx.x % BLOCKS
    s[t] = x[block * THREADS + t]
    hw.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        hw.syncthreads()
        step //= 2
    if t == 0:
        out[block] = s[0]


@hw.kernel
def hillis_steele(out, x):
    """The inclusive scan of Hillis and Steele 1986, with two barriers a step."""
    s = hw.shared.array(THREADS, hw.float32)
    t = hw.threadIdx.x
    i = hw.blockIdx.x % BLOCKS * THREADS + t
    s[t] = x[i]
    hw.syncthreads()
    step = 1
    while step < THREADS:
        value = s[t]
        if t >= step:
            value += s[t - step]
        hw.syncthreads()
        s[t] = value
        hw.syncthreads()
        step *= 2
    out[i] = s[t]


@hw.kernel
def blelloch(out, x):
    """The exclusive scan of Blelloch 1990: two elements a thread, sweeps up and down a tree."""
    s = hw.shared.array(2 * THREADS, hw.float32)
    t = hw.threadIdx.x
    start = hw.blockIdx.x % (BLOCKS // 2) * 2 * THREADS
    s[2 * t] = x[start + 2 * t]
    s[2 * t + 1] = x[start + 2 * t + 1]
    offset = 1
    d = THREADS
    while d > 0:
        hw.syncthreads()
        if t < d:
            s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1]
        offset *= 2
        d //= 2
    if t == 0:
        s[2 * THREADS - 1] = 0.0
    d = 1
    while d < 2 * THREADS:
        offset //= 2
        hw.syncthreads()
        if t < d:
            a = offset * (2 * t + 1) - 1
            b = offset * (2 * t + 2) - 1
            left = s[a]
            s[a] = s[b]
            s[b] += left
        d *= 2
    hw.syncthreads()
    out[start + 2 * t] = s[2 * t]
    out[start + 2 * t + 1] = s[2 * t + 1]


@hw.kernel
def shuffles(out, x):
    """Sums of warps by shuffles, then of the warps' sums by the first warp."""
    s = hw.shared.array(THREADS // 32, hw.float32)
    t = hw.threadIdx.x
    block = hw.blockIdx.x % BLOCKS
    value = x[block * THREADS + t]
    for k in hw.static_range(5):
        value += hw.shfl_down_sync(0xFFFFFFFF, value, 16 >> k)
    if t % 32 == 0:
        s[t // 32] = value
    hw.syncthreads()
    if t < 32:
        value = s[t] if t < THREADS // 32 else hw.float32(0)
        for k in hw.static_range(3):
            value += hw.shfl_down_sync(0xFFFFFFFF, value, 4 >> k)
        if t == 0:
            out[block] = value


@hw.kernel
def votes(out, x):
    """How many numbers of a block are above a half."""
    block = hw.blockIdx.x % BLOCKS
    count = hw.syncthreads_count(x[block * THREADS + hw.threadIdx.x] > 0.5)
    if hw.threadIdx.x == 0:
        out[block] = hw.float32(count)


# Kernel, threads' elements, the plain loop it is measured by, and that loop's aim.
_CASES: dict[str, tuple[Any, int, str]] = {
    "reduction: tree": (tree, 1, "sums"),
    "reduction: shuffles": (shuffles, 1, "sums"),
    "votes": (votes, 1, "sums"),
    "scan: Hillis-Steele": (hillis_steele, 1, "running"),
    "scan: Blelloch": (blelloch, 2, "sweeps"),
}


def measure(rounds: int) -> dict[str, dict[str, float]]:
    """Elements a second of each case and of its plain loop, on one thread, results checked."""
    device = hw.device("cpu", threads=1)
    numbers = np.random.default_rng(1).random(_COUNT, dtype=np.float32)
    x, out = device.array(numbers), device.zeros(_COUNT)
    contenders: dict[str, Work] = {}
    for name, (kernel, elements, _) in _CASES.items():
        launch = kernel[_WORK // (THREADS * elements), THREADS]
        contenders[name] = _bound(launch, out, x)
        contenders[name]()
        _check(name, out.numpy(), numbers)
    library, plain = c_library(_PLAIN), np.empty_like(numbers)
    if library is not None:
        for name, block in (("sums", 256), ("running", 256), ("sweeps", 512)):
            contenders[name] = _called(getattr(library, name), plain, numbers, _WORK // block)
    seconds = best_seconds(contenders, rounds)
    rates = {name: _WORK / seconds[name] for name in seconds}
    return {
        name: {"rate": rates[name], "plain": rates.get(plain_name, float("nan"))}
        for name, (_, _, plain_name) in _CASES.items()
    }


def _bound(launch: Any, *arguments: Any) -> Work:
    return lambda: launch(*arguments)


def _called(function: Callable[..., Any], out: np.ndarray, x: np.ndarray, blocks: int) -> Work:
    arguments = (pointer(out), pointer(x), ctypes.c_long(blocks))
    return lambda: function(*arguments)


def _check(name: str, found: np.ndarray, numbers: np.ndarray) -> None:
    """Against sums in double precision."""
    exact = numbers.astype(np.float64)
    rows, pairs = exact.reshape(-1, 256), exact.reshape(-1, 512)
    expected = {
        "reduction": rows.sum(1),
        "votes": (rows > 0.5).sum(1),
        "scan: Hillis-Steele": np.cumsum(rows, 1),
        "scan: Blelloch": np.cumsum(pairs, 1) - pairs,
    }[name if name in ("votes",) or name.startswith("scan") else "reduction"]
    flat = expected.reshape(-1)
    np.testing.assert_allclose(found[: flat.size], flat, rtol=1e-5, atol=1e-4)


def report(rounds: int) -> dict[str, Any]:
    """Measure and print."""
    found = measure(rounds)
    print(f"blocks of {THREADS} threads, float32, million elements a second on one core (aim 0.8)")
    for name, row in found.items():
        ratio = row["rate"] / row["plain"]
        print(
            f"  {name:<22}{row['rate'] / 1e6:8.0f}   plain loop {row['plain'] / 1e6:8.0f}   {ratio:5.2f}"
        )
    return found
