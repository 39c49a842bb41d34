"""Block sizes of the barrier corpus, and what a device can take of them."""

from __future__ import annotations

from typing import Any

import pytest

import headwater as hw

THREADS = (1, 25, 32, 33, 64, 256, 1024)
# Blocks of two and three axes.
SHAPES = ((8, 4, 1), (5, 5, 1), (4, 3, 2), (3, 1, 11), (16, 16, 1), (8, 8, 16))


def fits(device: hw.Device, threads: int) -> None:
    """Skip the test where blocks are larger than the device takes, or the interpreter should."""
    most = device.capabilities.max_block_threads
    if device.name == "reference":
        most = min(most, 33)
    if threads > most:
        pytest.skip(f"blocks of {threads} threads on '{device.name}'")


@hw.function
def number() -> Any:
    """The linear index of the thread in its block, x fastest."""
    return hw.threadIdx.x + hw.blockDim.x * (hw.threadIdx.y + hw.blockDim.y * hw.threadIdx.z)


def next_power(n: int) -> int:
    """The smallest power of two that is not below n."""
    return 1 << (n - 1).bit_length()
