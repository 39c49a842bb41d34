"""Gathers dispatches and copies in one command encoder and submits them together.

A submit costs as much as ten dispatches. So work is submitted when somebody waits for it, when the host writes
(which happens on the queue's own time line), or after some steps: a few at first, so that an idle device begins early,
then twice as many each time up to `BATCH`. A command buffer is used once.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from headwater.backends import forks
from headwater.backends.webgpu.native import Gpu, Handle, Layout, reported
from headwater.errors import MemoryUseError

BATCH = 64
_FIRST = 16
_GROUPS = 1024
_UNIFORM_BYTES = 1 << 16
_UNIFORM_STEP = 256


class Buffer:
    """One allocation. `native` is None after it was given back."""

    __slots__ = ("native", "nbytes", "serial")

    def __init__(self, native: Any, nbytes: int, serial: int) -> None:
        self.native = native
        self.nbytes = nbytes
        self.serial = serial


@dataclass(frozen=True, slots=True)
class Bound:
    """A pipeline and the buffers that a launch binds to it; `uniform` says that its argument block is one of them."""

    pipeline: Any
    handle: Handle
    group: Handle
    uniform: bool


Key: TypeAlias = tuple[int, ...]


class Queue:
    """The work of one device. Callers hold `lock` for every method but `retire` and `wait`."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu
        self.lock: threading.Lock | forks.NoLock = threading.Lock()
        forks.register(self)
        self.last = 0
        self.submitted = False
        self._encoder: Any = None
        self._pass: Any = None
        self._steps = 0
        self._limit = _FIRST
        self._pipeline: Handle = None
        self._group: Handle = None
        # What was bound before, by the number of a program's layout and the serials of the buffers.
        self.bound: dict[Key, Bound] = {}
        self._keys: dict[int, set[Key]] = {}
        # Finalizers append here in any thread, at any moment, so it is emptied elsewhere.
        self._retired: deque[Buffer] = deque()
        self._uniforms: Any = None
        self._uniform_end = 0
        lib, ffi = gpu.library.lib, gpu.library.ffi
        # Found once: each look-up in the library costs as much as a short call.
        self._set_pipeline = lib.wgpuComputePassEncoderSetPipeline
        self._set_group = lib.wgpuComputePassEncoderSetBindGroup
        self._set_immediates = lib.wgpuComputePassEncoderSetImmediates
        self._dispatch = lib.wgpuComputePassEncoderDispatchWorkgroups
        self._place = ffi.new("uint32_t[1]")
        self._null = ffi.NULL

    def renew_after_fork(self) -> None:
        """The library's threads are not in the child, which would wait for them."""
        self.lock = forks.NoLock(self.gpu.label)

    # --- recording --------------------------------------------------------------------------------

    def dispatch(self, bound: Bound, groups: tuple[int, int, int], arguments: bytes) -> None:
        """Append one dispatch. `arguments` become immediates, or go to the uniform buffer."""
        if bound.uniform:
            self._place[0] = self.place_uniform(arguments)  # may submit, so it comes first
        if self._pass is None:
            self._begin_pass()
        encoder, group = self._pass, bound.group
        if bound.handle is not self._pipeline:
            self._pipeline = bound.handle
            self._set_pipeline(encoder, bound.handle)
        if bound.uniform:
            self._group = None
            self._set_group(encoder, 0, group, 1, self._place)
        elif group is not self._group:
            self._group = group
            self._set_group(encoder, 0, group, 0, self._null)
        if arguments and not bound.uniform:
            self._set_immediates(encoder, 0, arguments, len(arguments))
        self._dispatch(encoder, *groups)
        self._count_step()

    def copy(self, source: Any, start: int, target: Any, at: int, nbytes: int) -> None:
        """Append a copy between two different buffers; all three numbers are multiples of 4."""
        self._end_pass()
        lib = self.gpu.library.lib
        lib.wgpuCommandEncoderCopyBufferToBuffer(
            self._open(), source._internal, start, target._internal, at, nbytes
        )
        self._count_step()

    def _open(self) -> Any:
        if self._encoder is None:
            lib, ffi = self.gpu.library.lib, self.gpu.library.ffi
            descriptor = ffi.new("WGPUCommandEncoderDescriptor *")
            self._encoder = lib.wgpuDeviceCreateCommandEncoder(self.gpu.handle, descriptor)
        return self._encoder

    def _begin_pass(self) -> None:
        lib, ffi = self.gpu.library.lib, self.gpu.library.ffi
        descriptor = ffi.new("WGPUComputePassDescriptor *")
        self._pass = lib.wgpuCommandEncoderBeginComputePass(self._open(), descriptor)
        self._pipeline = self._group = None

    def _end_pass(self) -> None:
        if self._pass is None:
            return
        lib, ended = self.gpu.library.lib, self._pass
        self._pass = None
        lib.wgpuComputePassEncoderEnd(ended)
        lib.wgpuComputePassEncoderRelease(ended)

    def _count_step(self) -> None:
        self._steps += 1
        if self._steps >= self._limit:
            larger = min(2 * self._limit, BATCH)
            self.flush()
            self._limit = larger

    # --- submitting -------------------------------------------------------------------------------

    def flush(self) -> None:
        """Submit what was recorded, then give back what was retired. DeviceError where the device refuses."""
        self._limit = _FIRST
        if self._encoder is not None:
            self._submit()
        self.reclaim()

    def _submit(self) -> None:
        library = self.gpu.library
        lib, ffi = library.lib, library.ffi
        self._end_pass()
        encoder, self._encoder, self._steps = self._encoder, None, 0
        self._uniform_end = 0
        try:
            with reported(f"work for the device '{self.gpu.label}' was refused"):
                descriptor = ffi.new("WGPUCommandBufferDescriptor *")
                commands = library.safe.wgpuCommandEncoderFinish(encoder, descriptor)
        finally:
            lib.wgpuCommandEncoderRelease(encoder)
        array = ffi.new("WGPUCommandBuffer[]", [commands])
        self.last = lib.wgpuQueueSubmitForIndex(self.gpu.queue, 1, array)
        self.submitted = True
        lib.wgpuCommandBufferRelease(commands)

    @property
    def pending(self) -> bool:
        """Whether something is recorded that was not submitted."""
        return self._encoder is not None

    # --- memory that work uses ----------------------------------------------------------------------

    def retire(self, buffer: Buffer) -> None:
        """Give memory back once recorded work no longer needs it. Takes no lock that could be held here."""
        self._retired.append(buffer)
        if not self.pending and self.lock.acquire(blocking=False):
            try:
                self.reclaim()
            finally:
                self.lock.release()

    def reclaim(self) -> None:
        """Destroy retired buffers. The library itself keeps those that submitted work still uses."""
        if self.pending:
            return
        while self._retired:
            buffer = self._retired.popleft()
            native, buffer.native = buffer.native, None
            for key in self._keys.pop(buffer.serial, ()):
                bound = self.bound.pop(key, None)
                if bound is not None:
                    self.gpu.release_group(bound.group)
            native.destroy()

    def bind(
        self, key: Key, pipeline: Any, layout: Layout, buffers: Sequence[Buffer], uniform: int
    ) -> Bound:
        """Bind buffers to a pipeline, and keep that under `key` for later launches.

        `uniform` is the size of an argument block in the uniform buffer, or 0.
        """
        known = self.bound.get(key)
        if known is not None:  # another thread was faster
            return known
        if any(buffer.native is None for buffer in buffers):
            raise MemoryUseError(
                "memory was freed by another thread while it was being launched with"
            )
        parts = [(buffer.native, buffer.nbytes) for buffer in buffers]
        if uniform:
            parts.append((self.uniform_buffer(), uniform))
        group = self.gpu.bind_group(layout, parts)
        made = self.bound[key] = Bound(pipeline, pipeline._internal, group, uniform > 0)
        for serial in key[1:]:
            self._keys.setdefault(serial, set()).add(key)
        if len(self.bound) > _GROUPS:
            self._forget_oldest()
        return made

    def _forget_oldest(self) -> None:
        key = next(iter(self.bound))
        for serial in key[1:]:
            self._keys.get(serial, set()).discard(key)
        self.gpu.release_group(self.bound.pop(key).group)

    # --- argument blocks that are too large for immediates --------------------------------------------

    def uniform_buffer(self) -> Any:
        """The ring of argument blocks; one batch uses each place once."""
        if self._uniforms is None:
            self._uniforms = self.gpu.buffer(_UNIFORM_BYTES, "UNIFORM", "COPY_DST")
        return self._uniforms

    def place_uniform(self, block: bytes) -> int:
        """Write an argument block where no dispatch of this batch reads, and give the place."""
        step = -(-len(block) // _UNIFORM_STEP) * _UNIFORM_STEP
        if self._uniform_end + step > _UNIFORM_BYTES:
            self.flush()
        at, self._uniform_end = self._uniform_end, self._uniform_end + step
        self.gpu.write(self.uniform_buffer(), at, memoryview(block))
        return at
