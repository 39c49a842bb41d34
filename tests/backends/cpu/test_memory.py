"""Memory of the CPU device."""

from __future__ import annotations

import ctypes
import gc
import threading

import numpy as np
import pytest

from headwater.backends.contract import Memory
from headwater.backends.cpu.memory import SLACK, HostMemory, bucket_size
from headwater.errors import DeviceError, MemoryUseError


def test_alignment_and_slack_on_both_sides() -> None:
    host = HostMemory()
    for nbytes in (0, 1, 63, 64, 65, 255, 257, 4096, 70_000, 1 << 20, 3_000_001):
        memory = host.allocate(nbytes)
        address = host.address(memory)
        assert address % 64 == 0
        owner = memory.handle.owner  # type: ignore[attr-defined]
        assert address - SLACK >= owner.ctypes.data
        assert address + nbytes + SLACK <= owner.ctypes.data + owner.nbytes
        assert SLACK >= 256
        ctypes.memset(address - SLACK, 1, nbytes + 2 * SLACK)


def test_write_read_copy() -> None:
    host = HostMemory()
    a, b = host.allocate(1000), host.allocate(1000)
    values = np.arange(100, dtype=np.float32).reshape(4, 25)
    host.write(a, 8, memoryview(values))
    host.copy(a, 8, b, 100, values.nbytes)
    out = np.empty_like(values)
    host.read(b, 100, memoryview(out))
    np.testing.assert_array_equal(out, values)
    host.write(a, 0, memoryview(b"abcdef"))
    host.copy(a, 0, a, 2, 6)
    text = bytearray(8)
    host.read(a, 0, memoryview(text))
    assert text == b"ababcdef"
    host.write(a, 1000, memoryview(b""))
    host.read(a, 1000, memoryview(bytearray()))


@pytest.mark.parametrize(("offset", "nbytes"), [(-1, 1), (0, 101), (100, 1), (96, 8), (1 << 40, 1)])
def test_bounds(offset: int, nbytes: int) -> None:
    host = HostMemory()
    memory, other = host.allocate(100), host.allocate(1000)
    with pytest.raises(MemoryUseError, match="of a piece of memory of 100 bytes"):
        host.write(memory, offset, memoryview(bytes(nbytes)))
    with pytest.raises(MemoryUseError, match="of 100 bytes"):
        host.read(memory, offset, memoryview(bytearray(nbytes)))
    with pytest.raises(MemoryUseError, match="of 100 bytes"):
        host.copy(memory, offset, other, 0, nbytes)
    with pytest.raises(MemoryUseError, match="of 100 bytes"):
        host.copy(other, 0, memory, offset, nbytes)
    with pytest.raises(MemoryUseError, match="of a piece of memory"):
        host.copy(other, 0, memory, 0, -1)


def test_unfit_host_buffers() -> None:
    host = HostMemory()
    memory = host.allocate(100)
    with pytest.raises(MemoryUseError, match="contiguous"):
        host.write(memory, 0, memoryview(np.zeros(20, np.int32)[::2]))
    with pytest.raises(MemoryUseError, match="cannot be written"):
        host.read(memory, 0, memoryview(bytes(8)))


def test_freed_memory_is_used_again() -> None:
    host = HostMemory()
    memory = host.allocate(100_000)
    address = host.address(memory)
    host.free(memory)
    assert host.live_bytes == 0
    assert host.idle_bytes == bucket_size(100_000)
    again = host.allocate(99_000)
    assert host.address(again) == address
    assert again != memory
    assert host.idle_bytes == 0


def test_double_free_and_use_after_free() -> None:
    host = HostMemory()
    memory = host.allocate(100)
    host.free(memory)
    with pytest.raises(MemoryUseError, match="freed twice"):
        host.free(memory)
    reused = host.allocate(100)
    for use in (
        lambda: host.free(memory),
        lambda: host.address(memory),
        lambda: host.write(memory, 0, memoryview(b"x")),
        lambda: host.read(memory, 0, memoryview(bytearray(1))),
        lambda: host.copy(memory, 0, reused, 0, 1),
        lambda: host.copy(reused, 0, memory, 0, 1),
    ):
        with pytest.raises(MemoryUseError):
            use()


def test_memory_of_another_device() -> None:
    host, other = HostMemory(), HostMemory()
    memory = other.allocate(100)
    host.allocate(100)
    with pytest.raises(MemoryUseError, match="foreign device"):
        host.free(memory)
    with pytest.raises(MemoryUseError, match="foreign device"):
        host.address(Memory(100, object(), memory.serial))
    other.free(memory)


def test_idle_memory_is_bounded_and_the_oldest_goes_first() -> None:
    host = HostMemory(pool_bytes=10 * 4096)
    pieces = [host.allocate(4096) for _ in range(30)]
    addresses = [host.address(piece) for piece in pieces]
    for piece in pieces:
        host.free(piece)
    assert host.idle_bytes == 10 * 4096
    reused = [host.allocate(4096) for _ in range(10)]
    assert {host.address(piece) for piece in reused} == set(addresses[-10:])
    large = host.allocate(100_000)
    host.free(large)
    assert host.idle_bytes == 0


def test_out_of_memory_names_the_size() -> None:
    host = HostMemory()
    for nbytes in (1 << 61, 1 << 80):
        with pytest.raises(DeviceError, match=f"no memory left for an array of {nbytes} bytes"):
            host.allocate(nbytes)
    with pytest.raises(DeviceError, match="-1 bytes"):
        host.allocate(-1)


def test_buckets_waste_little() -> None:
    previous = 0
    for nbytes in (0, 1, 256, 257, 320, 512, 513, 1000, 4097, 100_000, 123_456_789):
        bucket = bucket_size(nbytes)
        assert bucket >= max(nbytes, 256, previous)
        assert bucket <= max(256, 1.25 * nbytes)
        assert bucket_size(bucket) == bucket
        previous = bucket


def test_threads_and_finalizers() -> None:
    """Threads allocate and free at once, and garbage frees in the middle of it; nothing is shared."""
    host = HostMemory(pool_bytes=1 << 16)
    wrong: list[int] = []

    class Holder:
        def __init__(self) -> None:
            self.memory = host.allocate(512)
            self.cycle = self

        def __del__(self) -> None:
            host.free(self.memory)

    def work(number: int) -> None:
        for turn in range(300):
            Holder()
            memory = host.allocate(300 + turn % 5 * 100)
            mark = bytes([number]) * 300
            host.write(memory, 0, memoryview(mark))
            out = bytearray(300)
            host.read(memory, 0, memoryview(out))
            if bytes(out) != mark:
                wrong.append(turn)
            host.free(memory)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert wrong == []
    assert host.live_bytes == 0
    assert host.idle_bytes <= 1 << 16
