"""Memory of one GPU, from the driver's pool. Everything is in order with the launches of the device's stream."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

from headwater.backends.contract import Memory
from headwater.backends.cuda.connection import Connection, OutOfMemoryError
from headwater.errors import DeviceError, MemoryUseError

# The driver copies this much out of the caller's memory before it returns.
_STAGED_BYTES = 64 * 1024
# The part of the GPU's memory that the pool keeps for the next allocation when all work is done. More would starve
# other processes; nothing kept would have each array ask the driver's slow path anew.
_KEPT_PART = 4

# Serial numbers are unique in the process, so that another device's memory is never mistaken for ours.
_serials = itertools.count(1)


class DeviceMemory:
    """Allocates, frees and copies. Holds no lock, so a finalizer may free at any moment."""

    def __init__(self, connection: Connection, stream: Any) -> None:
        self._connection = connection
        self._api = connection.api
        self._stream = stream
        self.live: dict[int, int] = {}  # addresses by serial number
        self._pool: Any = None
        if connection.attribute("MEMORY_POOLS_SUPPORTED"):
            self._pool = self._keeping_pool()

    def _keeping_pool(self) -> Any:
        """The device's pool, told to keep some of what is freed for the next allocation."""
        api, call = self._api, self._connection.call
        (total,) = call(api.cuDeviceTotalMem, self._connection.device)
        (pool,) = call(api.cuDeviceGetDefaultMemPool, self._connection.device)
        attribute = api.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
        call(api.cuMemPoolSetAttribute, pool, attribute, api.cuuint64_t(total // _KEPT_PART))
        return pool

    def allocate(self, nbytes: int) -> Memory:
        """Memory for `nbytes` bytes, not initialised; DeviceError where there is none left."""
        if nbytes < 0:
            raise DeviceError(f"memory of {nbytes} bytes was asked for")
        try:
            pointer = self._take(max(nbytes, 1))
        except OutOfMemoryError:
            pointer = self._take_after_trimming(max(nbytes, 1))
        serial = next(_serials)
        self.live[serial] = int(pointer)
        return Memory(nbytes, int(pointer), serial)

    def _take(self, nbytes: int) -> Any:
        if self._pool is None:
            return self._connection.call(self._api.cuMemAlloc, nbytes)[0]
        return self._connection.call(self._api.cuMemAllocAsync, nbytes, self._stream)[0]

    def _take_after_trimming(self, nbytes: int) -> Any:
        """Once more, when all work is done and the pool holds nothing in vain."""
        call = self._connection.call
        call(self._api.cuStreamSynchronize, self._stream)
        if self._pool is not None:
            call(self._api.cuMemPoolTrimTo, self._pool, 0)
        try:
            return self._take(nbytes)
        except OutOfMemoryError:
            free, total = call(self._api.cuMemGetInfo)
            raise DeviceError(
                f"the device '{self._connection.name}' has no memory for {nbytes:,} bytes: "
                f"{free:,} of {total:,} are free",
                hint="free arrays, or use smaller ones; headwater.memory_report() lists them",
            ) from None

    def free(self, memory: Memory) -> None:
        """Take memory back, after the work launched so far; MemoryUseError where it was freed before."""
        address = self.live.pop(memory.serial, None)
        if address is None:
            raise MemoryUseError(
                f"a piece of memory of {memory.nbytes} bytes was freed twice, or on a foreign device"
            )
        if self._pool is None:
            self._connection.quietly(self._api.cuMemFree, address)  # waits for the work itself
        else:
            self._connection.quietly(self._api.cuMemFreeAsync, address, self._stream)

    def address(self, memory: Memory) -> int:
        """Where memory starts; MemoryUseError where it was freed or belongs to another device."""
        address = self.live.get(memory.serial)
        if address is None:
            raise MemoryUseError(
                f"a piece of memory of {memory.nbytes} bytes was used after it was freed, "
                "or on a foreign device"
            )
        return address

    def write(self, memory: Memory, offset: int, data: memoryview) -> None:
        """Copy host bytes in; MemoryUseError where they would reach outside."""
        target = self._range(memory, offset, data.nbytes)
        if data.nbytes == 0:
            return
        source, kept = _host_address(data)
        call = self._connection.call
        call(self._api.cuMemcpyHtoDAsync, target, source, data.nbytes, self._stream)
        if data.nbytes > _STAGED_BYTES:
            call(self._api.cuStreamSynchronize, self._stream)
        del kept

    def read(self, memory: Memory, offset: int, out: memoryview) -> None:
        """Copy bytes out to the host, after all work; MemoryUseError where they would come from outside."""
        source = self._range(memory, offset, out.nbytes)
        if out.readonly:
            raise MemoryUseError("memory was to be read into a buffer that cannot be written")
        if out.nbytes == 0:
            return
        target, kept = _host_address(out)
        call = self._connection.call
        call(self._api.cuMemcpyDtoHAsync, target, source, out.nbytes, self._stream)
        call(self._api.cuStreamSynchronize, self._stream)
        del kept

    def copy(
        self, source: Memory, source_offset: int, target: Memory, target_offset: int, nbytes: int
    ) -> None:
        """Copy between two pieces of memory; MemoryUseError outside of either."""
        origin = self._range(source, source_offset, nbytes)
        goal = self._range(target, target_offset, nbytes)
        if nbytes:
            self._connection.call(self._api.cuMemcpyDtoDAsync, goal, origin, nbytes, self._stream)

    def _range(self, memory: Memory, offset: int, nbytes: int) -> int:
        address = self.address(memory)
        if offset < 0 or nbytes < 0 or offset + nbytes > memory.nbytes:
            raise MemoryUseError(
                f"bytes {offset} to {offset + nbytes} were used of a piece of {memory.nbytes} bytes"
            )
        return address + offset


def _host_address(view: memoryview) -> tuple[int, object]:
    """Where a contiguous buffer starts, and what must live as long as the address is used."""
    if not view.readonly:
        buffer = (ctypes.c_char * view.nbytes).from_buffer(view.cast("B"))
        return ctypes.addressof(buffer), buffer
    import numpy as np

    array = np.frombuffer(view, np.uint8)
    return array.ctypes.data, array
