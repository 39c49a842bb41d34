"""The sum of an array: every block reduces its part in shared memory, then one block reduces the blocks' sums.

Run it with `python examples/reduction.py`; HEADWATER_DEVICE names another device.
"""

import numpy as np

import headwater as hw

THREADS = 128  # a power of two, known when the kernel is compiled


@hw.kernel
def sum_blocks(sums, values):
    """sums[block] = the values that the block's threads walk over, in steps of the whole launch."""
    tile = hw.shared.array(THREADS, values.dtype)
    t = hw.threadIdx.x
    mine = 0.0
    for i in range(hw.grid(1), len(values), hw.gridsize(1)):
        mine += values[i]
    tile[t] = mine
    hw.syncthreads()
    step = THREADS // 2
    while step > 0:  # the same for all threads, so barriers are allowed inside
        if t < step:
            tile[t] += tile[t + step]
        hw.syncthreads()
        step //= 2
    if t == 0:
        sums[hw.blockIdx.x] = tile[0]


def total(values: hw.Array, blocks: int = 32) -> float:
    """The sum of a float array; the order of additions is the same each time."""
    sums = values.device.empty(blocks, values.dtype)
    result = values.device.empty(1, values.dtype)
    sum_blocks[blocks, THREADS](sums, values)
    sum_blocks[1, THREADS](result, sums)
    return float(result.numpy()[0])


def main(device: hw.Device, n: int = 1_000_000) -> None:
    """Compare with NumPy."""
    values = np.random.default_rng(1).random(n).astype(np.float32)
    found, expected = total(device.array(values)), values.sum(dtype=np.float64)
    print(
        f"{device.name}: the sum of {n} numbers is {found:.3f}; in double precision {expected:.3f}"
    )
    assert abs(found - expected) < 1e-5 * expected
    assert found == total(device.array(values))


if __name__ == "__main__":
    main(hw.device())
