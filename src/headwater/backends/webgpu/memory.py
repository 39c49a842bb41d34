"""Allocations and copies between the host and the device.

The library copies in multiples of four bytes. Buffers are rounded up, and a copy that ends inside a word takes the rest
of the word from the device first.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headwater.backends.contract import Memory
from headwater.backends.webgpu.features import Features
from headwater.backends.webgpu.native import Gpu, reported
from headwater.backends.webgpu.queue import Buffer, Queue
from headwater.errors import DeviceError, MemoryUseError

_CHUNK = 64 << 20
SMALLEST = 64


class Transfers:
    """The memory of one device. Safe to call from any thread."""

    def __init__(self, gpu: Gpu, queue: Queue, features: Features) -> None:
        self.gpu = gpu
        self.queue = queue
        self.features = features
        self.serials = itertools.count(1)
        self.staging = Staging(gpu)

    def allocate(self, nbytes: int) -> Memory:
        """Memory of at least `nbytes`; DeviceError where the device has none left or takes no such size."""
        size = max(SMALLEST, round_up(nbytes))
        if size > self.features.max_buffer:
            raise DeviceError(
                f"{nbytes:,} bytes are more than one buffer of the device '{self.gpu.label}' can have",
                hint=f"at most {self.features.max_buffer:,} bytes; split the array",
            )
        native = self._create(size)
        serial = next(self.serials)
        return Memory(nbytes, Buffer(native, size, serial), serial)

    def _create(self, size: int) -> Any:
        usages = ("STORAGE", "COPY_SRC", "COPY_DST")
        try:
            return self.gpu.buffer(size, *usages)
        except self.gpu.library.wgpu.GPUError:
            with self.queue.lock:
                self.queue.flush()  # freed memory may still wait there
            what = f"the device '{self.gpu.label}' has no memory left for {size:,} bytes"
            with reported(what):
                return self.gpu.buffer(size, *usages)

    def write(self, memory: Memory, offset: int, data: memoryview) -> None:
        """Copy host bytes, after everything recorded before."""
        buffer = live(memory)
        for start in range(0, data.nbytes, _CHUNK):
            self._write(memory, buffer, offset + start, data[start : start + _CHUNK])

    def _write(self, memory: Memory, buffer: Buffer, offset: int, data: memoryview) -> None:
        first, last = offset // 4 * 4, round_up(offset + data.nbytes)
        if (first, last) != (offset, offset + data.nbytes):
            data, offset = self._whole_words(memory, buffer, offset, data), first
        with self.queue.lock, reported(f"a write to the device '{self.gpu.label}' failed"):
            self.queue.flush()
            self.gpu.write(buffer.native, offset, data)

    def _whole_words(
        self, memory: Memory, buffer: Buffer, offset: int, data: memoryview
    ) -> memoryview:
        """`data` with the bytes around it that fill its first and last words."""
        first, last = offset // 4 * 4, round_up(offset + data.nbytes)
        words = bytearray(last - first)
        ends_memory = offset + data.nbytes == memory.nbytes
        if offset != first or not ends_memory:
            self._read(buffer, first, memoryview(words))
        words[offset - first : offset - first + data.nbytes] = data
        return memoryview(words)

    def read(self, memory: Memory, offset: int, out: memoryview) -> None:
        """Copy device bytes to the host, after everything recorded before."""
        buffer = live(memory)
        for start in range(0, out.nbytes, _CHUNK):
            self._read(buffer, offset + start, out[start : start + _CHUNK])

    def _read(self, buffer: Buffer, offset: int, out: memoryview) -> None:
        first, last = offset // 4 * 4, round_up(offset + out.nbytes)
        with self.staging.borrow(last - first) as stage:
            with self.queue.lock:
                self.queue.copy(buffer.native, first, stage, 0, last - first)
                self.queue.flush()
                submission = self.queue.last
            self.staging.fetch(stage, submission, offset - first, out)

    def copy(self, source: Memory, start: int, target: Memory, at: int, nbytes: int) -> None:
        """Copy inside the device."""
        origin, goal = live(source), live(target)
        if nbytes == 0:
            return
        aligned = start % 4 == 0 and at % 4 == 0
        # The last word may be copied whole where both memories end there.
        whole = nbytes % 4 == 0 or (
            start + nbytes == source.nbytes and at + nbytes == target.nbytes
        )
        if origin is not goal and aligned and whole:
            with self.queue.lock:
                self.queue.copy(origin.native, start, goal.native, at, round_up(nbytes))
            return
        host = bytearray(nbytes)
        self.read(source, start, memoryview(host))
        self.write(target, at, memoryview(host))


def live(memory: Memory) -> Buffer:
    """The buffer of a memory; MemoryUseError where it was given back."""
    buffer = memory.handle
    if not isinstance(buffer, Buffer) or buffer.native is None:
        raise MemoryUseError("memory is used after it was freed, or on another backend's device")
    return buffer


def round_up(nbytes: int) -> int:
    """The next multiple of four."""
    return (nbytes + 3) & ~3


class Staging:
    """Buffers that the host can map, kept for reuse.

    wgpu-py's own path copies three times and byte by byte; this one copies once out of the mapped memory.
    """

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu
        self.free: list[Any] = []
        ffi = gpu.library.ffi

        @ffi.callback("void(WGPUMapAsyncStatus, WGPUStringView, void *, void *)")  # type: ignore[untyped-decorator]
        def mapped(status: int, message: Any, cell: Any, _: Any) -> None:
            ffi.cast("int *", cell)[0] = status

        self._mapped = mapped

    @contextmanager
    def borrow(self, nbytes: int) -> Iterator[Any]:
        """A buffer of at least `nbytes`, for one reader."""
        fitting = next((b for b in self.free.copy() if b.size >= nbytes), None)
        try:
            self.free.remove(fitting)
        except ValueError:  # there is none, or another thread was faster
            size = max(1 << 16, 1 << (nbytes - 1).bit_length())
            with reported(f"the device '{self.gpu.label}' has no memory left for a download"):
                fitting = self.gpu.buffer(size, "MAP_READ", "COPY_DST")
        yield fitting
        self.free.append(fitting)  # not after an error: it may still be mapped

    def fetch(self, stage: Any, submission: int, start: int, out: memoryview) -> None:
        """Wait for a submission, then copy bytes from `start` on out of the buffer."""
        library = self.gpu.library
        lib, ffi = library.lib, library.ffi
        size = round_up(start + out.nbytes)
        cell = ffi.new("int *", 0)
        info = ffi.new("WGPUBufferMapCallbackInfo *")
        info.mode = lib.WGPUCallbackMode_AllowSpontaneous
        info.callback = self._mapped
        info.userdata1 = cell
        with reported(f"a read from the device '{self.gpu.label}' failed"):
            library.safe.wgpuBufferMapAsync(stage._internal, lib.WGPUMapMode_Read, 0, size, info[0])
        while cell[0] == 0:
            self.gpu.wait(submission)
        if cell[0] != lib.WGPUMapAsyncStatus_Success:
            raise DeviceError(f"a read from the device '{self.gpu.label}' failed: it is lost")
        pointer = lib.wgpuBufferGetConstMappedRange(stage._internal, 0, size)
        with ffi.from_buffer(out, require_writable=True) as target:
            ctypes.memmove(address(ffi, target), address(ffi, pointer) + start, out.nbytes)
        lib.wgpuBufferUnmap(stage._internal)


def address(ffi: Any, pointer: Any) -> int:
    """A C pointer as a number."""
    return int(ffi.cast("uintptr_t", pointer))
