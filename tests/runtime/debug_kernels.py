"""Kernels that go wrong, one way each. A comment names the line that must be reported."""

from __future__ import annotations

import numpy as np

import headwater as hw


@hw.kernel(debug=True)
def past_the_end(out, x, n):
    i = hw.grid(1)
    out[i] = x[i + n]  # here


@hw.kernel(debug=True)
def before_the_start(out, n):
    i = hw.grid(1)
    out[i - n] = 1.0  # here


@hw.kernel(debug=True)
def in_two_axes(out, n):
    y, x = hw.threadIdx.x // 4, hw.threadIdx.x % 4
    out[y, x + n] = 1.0  # here


@hw.kernel(debug=True)
def of_a_vector(out, p, n):
    i = hw.grid(1)
    v = p[i + n]  # here
    out[i] = v.x + v.y + v.z


@hw.kernel(debug=True)
def atomic_outside(out, n):
    hw.atomic.add(out, hw.grid(1) + n, 1.0)  # here


@hw.kernel(debug=True)
def shared_outside(out, n):
    tile = hw.shared.array(8, hw.float32)
    t = hw.threadIdx.x
    tile[t % 8] = 1.0
    hw.syncthreads()
    out[t] = tile[t % 8 + n]  # here


@hw.kernel(debug=True)
def shared_unwritten(out, n):
    tile = hw.shared.array((4, 8), hw.int32)
    t = hw.threadIdx.x
    if t < n:
        tile[t // 8, t % 8] = t
    hw.syncthreads()
    out[t] = hw.float32(tile[t // 8, t % 8])  # here


@hw.kernel(debug=True)
def local_unwritten(out, n):
    mine = hw.local.array(5, hw.float64)
    for k in range(n):
        mine[k] = 2.0 * k
    out[hw.grid(1)] = hw.float32(mine[4])  # here


@hw.kernel(debug=True)
def asserted(out, n):
    i = hw.grid(1)
    assert i < n, "no thread above the limit"  # here
    out[i] = 1.0


@hw.kernel(debug=True)
def divided(out, n):
    i = hw.grid(1)
    out[i] = hw.float32(100 // (i - n))  # here


@hw.kernel(debug=True)
def rest_of_zero(out, n):
    i = hw.grid(1)
    out[i] = hw.float32((i + 5) % (n - n))  # here


@hw.kernel(debug=True)
def no_number(out, x, n):
    i = hw.grid(1)
    out[i] = hw.sqrt(x[i] - n)  # here


@hw.kernel(debug=True)
def infinite_difference(out, x, n):
    i = hw.grid(1)
    large, other = x[i] + x[i], x[i + n] + x[i + n]
    out[i] = large - other  # here


@hw.function
def looked_up(x, i):
    return x[i]  # here


@hw.kernel(debug=True)
def in_a_function(out, x, n):
    i = hw.grid(1)
    out[i] = looked_up(x, i + n)


@hw.kernel(debug=True)
def in_a_condition(out, x, n):
    i = hw.grid(1)
    k = i + n
    while x[k] > 0.0:  # here
        k += 1
    out[i] = 1.0


@hw.kernel(debug=True)
def behind_a_return(out, x, n):
    i = hw.grid(1)
    tile = hw.shared.array(64, hw.float32)
    if i >= n:
        return
    tile[i] = x[i]
    hw.syncthreads()
    out[i] = tile[i] + x[i + n - 1]  # here


@hw.kernel(debug=True)
def past_a_view(out, x, n):
    part, k = x[12:2:-1], hw.grid(1) % 8
    out[k] = part[k + n]  # here


@hw.kernel(debug=True)
def past_a_row(out, x, n):
    i = hw.grid(1)
    row = x[i // 4]
    row[i % 4 + n] = 1.0  # here
    out[i] = row[0]


@hw.kernel(debug=True)
def chosen(out, x, n):
    i = hw.grid(1)
    y = x[i + 1]
    ratio = (x[i] - x[i]) / y  # here
    part = hw.int32(100 // (i + 1 - n))
    safe = hw.select(y != 0.0, ratio, -1.0)
    whole = hw.select(i + 1 != n, hw.float32(part), 0.0)
    root = hw.select(y >= 0.0, hw.sqrt(y), hw.select(y < -100.0, hw.log(y), 0.0))
    out[i] = safe + whole + root + hw.select(n == 3, ratio, 0.0)


TABLE = np.arange(9, dtype=np.int16)


@hw.kernel(debug=True)
def past_a_table(out, n):
    known = hw.const.array_like(TABLE)
    out[hw.grid(1)] = known[hw.grid(1) % 8 + n]  # here


@hw.kernel(debug=True)
def dynamic_unwritten(out, n):
    bytes_of = hw.shared.array(0, hw.uint8)
    words = hw.shared.array(0, hw.uint32)
    t = hw.grid(1)
    if t < 15:
        for k in range(n):
            bytes_of[4 * t + k] = k
    hw.syncthreads()
    out[t] = hw.float32(words[t])  # here


@hw.kernel(debug=True)
def logarithm(out, x, n):
    i = hw.grid(1)
    out[i] = hw.log(x[i] + n)  # here


@hw.kernel(debug=True)
def not_the_same(out, n):
    i = hw.grid(1)
    hw.uniform(i < n)  # here
    out[i] = 1.0


FLOATS = np.arange(20, dtype=np.float32)
LARGE = (FLOATS > 0) * np.float32(3e38)
ROWS = FLOATS.reshape(4, 5)
VECTORS = np.ones((20, 3), np.float32)


def line_of(kernel: hw.Kernel) -> int:
    """The line of the comment 'here' in the kernel's file, at or below the kernel's first line."""
    import inspect

    function = looked_up.python if kernel is in_a_function else kernel.function
    lines, first = inspect.getsourcelines(function)
    return first + next(n for n, line in enumerate(lines) if "# here" in line)


@hw.kernel(debug=True)
def computed_and_chosen(out, x, n):
    i = hw.grid(1)
    k = hw.int32(x[i])
    turns = 7 // (k - n) + 1  # here
    out[i] = hw.float32(turns * 2) if k != 3 else 0.0
    if k != 3 and 5 % (k - 3) + 1 > 2:
        out[i] += 1.0
    if k == 3 or 5 // (k - 3) > 1:
        out[i] += 2.0
