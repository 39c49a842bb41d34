"""Memory of the CPU device: aligned, with slack on both sides, and used again after it is freed.

The slack is part of the contract with the emitter: its loops read whole vectors, past the end of an
array or before its start, and drop the lanes that lie outside.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from headwater.backends import forks
from headwater.backends.contract import Memory
from headwater.errors import DeviceError, MemoryUseError

ALIGNMENT = 64
SLACK = 256

# What freed blocks may hold together before the oldest go back to the system.
POOL_BYTES = 256 << 20

# Big blocks start at staggered places of a page: equal fields of a particle set would else compete
# for the same few lines of the first cache level.
_STAGGER_FROM = 64 << 10
_STAGGER_STEPS = 32
_STAGGER_BYTES = 128

# Serial numbers are unique in the process, so that another device's memory is never mistaken for ours.
_serials = itertools.count(1)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A piece of host memory: `capacity` bytes from `address` on, between two stretches of slack."""

    address: int
    capacity: int
    owner: np.ndarray[Any, Any]


def bucket_size(nbytes: int) -> int:
    """The capacity of the block that serves a request: four sizes an octave, at least 256 bytes."""
    if nbytes <= 256:
        return 256
    step = 1 << max((nbytes - 1).bit_length() - 3, 6)
    return -(-nbytes // step) * step


class HostMemory:
    """Allocates, frees and copies. Safe from any thread, and from finalisers that interrupt one."""

    def __init__(self, pool_bytes: int = POOL_BYTES) -> None:
        self._pool_bytes = pool_bytes
        self.live: dict[int, Block] = {}  # by serial number
        # A finaliser may free while this very thread allocates. So freeing only uses single steps
        # that nothing can interrupt, and sorting the freed blocks never waits for the lock.
        self._freed: deque[Block] = deque()
        self._lock = threading.Lock()
        self._idle: dict[int, list[Block]] = {}
        self._idle_by_age: dict[int, Block] = {}  # by address, the oldest first
        self._idle_bytes = 0
        self._colours = itertools.cycle(range(_STAGGER_STEPS))
        forks.register(self)

    def allocate(self, nbytes: int) -> Memory:
        """Memory for `nbytes` bytes, not initialised; DeviceError where there is none left."""
        if nbytes < 0:
            raise DeviceError(f"memory of {nbytes} bytes was asked for")
        capacity = bucket_size(nbytes)
        with self._lock:
            self._sort_freed()
            block = self._take_idle(capacity)
        if block is None:
            block = self._fresh(capacity, nbytes)
        serial = next(_serials)
        self.live[serial] = block
        return Memory(nbytes, block, serial)

    def free(self, memory: Memory) -> None:
        """Take memory back; MemoryUseError where it is not ours or was freed before."""
        block = self.live.pop(memory.serial, None)
        if block is None:
            raise MemoryUseError(
                f"a piece of memory of {memory.nbytes} bytes was freed twice, or on a foreign device"
            )
        self._freed.append(block)
        if self._lock.acquire(blocking=False):
            try:
                self._sort_freed()
            finally:
                self._lock.release()

    def address(self, memory: Memory) -> int:
        """Where memory starts; MemoryUseError where it was freed or belongs to another device."""
        block = self.live.get(memory.serial)
        if block is None:
            raise MemoryUseError(
                f"a piece of memory of {memory.nbytes} bytes was used after it was freed, "
                "or on a foreign device"
            )
        return block.address

    def write(self, memory: Memory, offset: int, data: memoryview) -> None:
        """Copy host bytes in; MemoryUseError where they would reach outside."""
        target = self._range(memory, offset, data.nbytes)
        if data.nbytes:
            ctypes.memmove(target, _address_of(data), data.nbytes)

    def read(self, memory: Memory, offset: int, out: memoryview) -> None:
        """Copy bytes out to the host; MemoryUseError where they would come from outside."""
        source = self._range(memory, offset, out.nbytes)
        if out.readonly:
            raise MemoryUseError("memory was to be read into a buffer that cannot be written")
        if out.nbytes:
            ctypes.memmove(_address_of(out), source, out.nbytes)

    def copy(
        self, source: Memory, source_offset: int, target: Memory, target_offset: int, nbytes: int
    ) -> None:
        """Copy inside the device, overlapping ranges too; MemoryUseError outside of either."""
        from_address = self._range(source, source_offset, nbytes)
        to_address = self._range(target, target_offset, nbytes)
        ctypes.memmove(to_address, from_address, nbytes)

    def renew_after_fork(self) -> None:
        """The child may have inherited a lock that nobody will release."""
        self._lock = threading.Lock()

    @property
    def live_bytes(self) -> int:
        """Capacity of the blocks in use, in bytes."""
        return sum(block.capacity for block in list(self.live.values()))

    @property
    def idle_bytes(self) -> int:
        """Capacity of the freed blocks that wait for their next use, in bytes."""
        return self._idle_bytes

    def _range(self, memory: Memory, offset: int, nbytes: int) -> int:
        address = self.address(memory)
        if offset < 0 or nbytes < 0 or offset + nbytes > memory.nbytes:
            raise MemoryUseError(
                f"bytes {offset} to {offset + nbytes} were used of a piece of memory "
                f"of {memory.nbytes} bytes"
            )
        return address + offset

    def _fresh(self, capacity: int, nbytes: int) -> Block:
        colour = next(self._colours) if capacity >= _STAGGER_FROM else 0
        margin = SLACK + ALIGNMENT + _STAGGER_STEPS * _STAGGER_BYTES * (colour > 0)
        try:
            # NumPy asks for huge pages where the system has them, and touches nothing.
            owner = np.empty(margin + capacity + SLACK, np.uint8)
        except (MemoryError, ValueError):
            raise DeviceError(
                f"there is no memory left for an array of {nbytes} bytes on the CPU device"
            ) from None
        start = owner.ctypes.data + SLACK + colour * _STAGGER_BYTES
        return Block(-(-start // ALIGNMENT) * ALIGNMENT, capacity, owner)

    def _take_idle(self, capacity: int) -> Block | None:
        waiting = self._idle.get(capacity)
        if not waiting:
            return None
        block = waiting.pop()
        del self._idle_by_age[block.address]
        self._idle_bytes -= capacity
        return block

    def _sort_freed(self) -> None:
        """Move freed blocks to the idle ones; the caller holds the lock."""
        while self._freed:
            block = self._freed.popleft()
            self._idle.setdefault(block.capacity, []).append(block)
            self._idle_by_age[block.address] = block
            self._idle_bytes += block.capacity
        while self._idle_bytes > self._pool_bytes:
            block = self._idle_by_age.pop(next(iter(self._idle_by_age)))
            self._idle[block.capacity].remove(block)
            self._idle_bytes -= block.capacity


def _address_of(buffer: memoryview) -> int:
    if not buffer.c_contiguous:
        raise MemoryUseError("a buffer of the host must be contiguous")
    return int(np.frombuffer(buffer, np.uint8).ctypes.data)
