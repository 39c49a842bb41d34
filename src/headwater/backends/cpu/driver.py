"""The CPU device: compiles kernels to machine code and runs them before a launch returns."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater import config
from headwater.backends.contract import (
    ENDLESS,
    ENDLESS_HINT,
    Capabilities,
    DeviceInfo,
    LaunchArgument,
    Memory,
    Options,
    VectorLayout,
)
from headwater.backends.cpu import jit
from headwater.backends.cpu.memory import HostMemory
from headwater.backends.cpu.packing import Packer, parameter_format
from headwater.backends.cpu.pool import HAS_THREADS, ThreadPool, chunk_size
from headwater.backends.cpu.target import Target
from headwater.backends.cpu.waiting import STOPPED
from headwater.errors import InternalError, KernelError, LaunchError, Span

if TYPE_CHECKING:
    from headwater import ir
    from headwater.backends.cpu.emitter import Module

CAPABILITIES = Capabilities(
    float64=True,
    int64=True,
    float_atomics=True,
    max_block_threads=1024,
    max_shared_bytes=1 << 20,
    default_block=256,
    serial_threads=True,
)

# A plane of a vector array ends with room for one read of the widest vector.
_PLANE_UNIT = 16

# A payload is this header, a JSON text of what `load` needs, and the object file.
_MAGIC = b"HWCPU\x02"
_HEADER = struct.Struct("<6sI")

_SYMBOL = "kernel"

# The slots of a kernel that needs scratch memory: where it starts, and how many blocks a call is for.
_SCRATCH_SLOTS = "Qq"
# That of a kernel with loops that wait: where the state of the launch lies.
_STATE_SLOT = "Q"
# Calls per thread of such a kernel; a few, so that uneven blocks balance.
_SCRATCH_CALLS = 4
_MAX_GRID = (1 << 31) - 1


class CpuDriver:
    """The processor as a device. All work is done when a call returns."""

    def __init__(
        self, info: DeviceInfo, *, threads: int | None = None, lanes: int | None = None
    ) -> None:
        """Without `threads` or `lanes` the environment says how many; DeviceError for bad ones."""
        self.info = info
        self.capabilities = CAPABILITIES
        self.memory = HostMemory()
        self._lanes = config.LANES.read() if lanes is None else lanes
        self._target: Target | None = None
        self.pool = ThreadPool(_default_threads() if threads is None else threads)
        self.target(Options())

    @property
    def settings(self) -> Mapping[str, int]:
        """Threads that run blocks, and the SIMD width in 32-bit lanes."""
        return {"threads": self.pool.threads, "lanes": self.target(Options()).lanes}

    def target(self, options: Options) -> Target:
        """The machine and the lanes that a compile with `options` is for."""
        return jit.host().with_lanes(self._lanes).with_lanes(options.lanes)

    def fingerprint(self, options: Options) -> str:
        """Versions, processor, lanes, options, and the sources that make the code."""
        target = self.target(options)
        parts = (
            jit.versions(),
            target.triple,
            target.cpu,
            target.features,
            f"lanes {target.lanes}",
            f"contract {options.contract}",
            f"sources {_sources_digest()}",
        )
        return "; ".join(("cpu", *parts))

    def vector_layout(self, components: int, count: int) -> VectorLayout:
        """One plane a component: vectors of lanes then load neighbours side by side."""
        del components
        plane = -(-count // _PLANE_UNIT) * _PLANE_UNIT + _PLANE_UNIT
        return VectorLayout(element_stride=1, component_stride=plane)

    def allocate(self, nbytes: int) -> Memory:
        """Aligned memory, not initialised; DeviceError where there is none left."""
        return self.memory.allocate(nbytes)

    def free(self, memory: Memory) -> None:
        """Take it back; MemoryUseError where it was freed before."""
        self.memory.free(memory)

    def write(self, memory: Memory, offset: int, data: memoryview) -> None:
        """Copy host bytes in; MemoryUseError outside of the memory."""
        self.memory.write(memory, offset, data)

    def read(self, memory: Memory, offset: int, out: memoryview) -> None:
        """Copy bytes out; MemoryUseError outside of the memory."""
        self.memory.read(memory, offset, out)

    def copy(
        self, source: Memory, source_offset: int, target: Memory, target_offset: int, nbytes: int
    ) -> None:
        """Copy between two pieces of memory; MemoryUseError outside of either."""
        self.memory.copy(source, source_offset, target, target_offset, nbytes)

    def compile(self, kernel: ir.Kernel, options: Options) -> bytes:
        """An object file, and how to pack the kernel's arguments."""
        layout = [parameter_format(parameter) for parameter in kernel.parameters]
        module = self.module(kernel, options)
        image = jit.compile_text(module.text, self.target(options))
        spans = None
        if module.waiting is not None:
            spans = [None if loop.span is None else asdict(loop.span) for loop in module.waiting]
        return pack_payload(Facts(kernel.name, layout, module.scratch, spans), image)

    def load(self, payload: bytes) -> CpuExecutable:
        """Link the object file; no text is parsed."""
        facts, image = unpack_payload(payload)
        return CpuExecutable(facts, jit.Code(image, (_SYMBOL,)), self)

    def source(self, kernel: ir.Kernel, options: Options) -> str:
        """The LLVM IR text."""
        return self.module(kernel, options).text

    def module(self, kernel: ir.Kernel, options: Options) -> Module:
        """The LLVM IR text, and what it needs."""
        # A start with cached programs compiles nothing, so it does not load the emitter.
        from headwater import passes
        from headwater.backends.cpu.emitter import emit
        from headwater.backends.cpu.simplify import simplify

        target = self.target(options)
        passes.lower_neighbors(kernel, cooperative=target.lanes > 1)
        passes.lower_warps(kernel)
        passes.lower_votes(kernel)
        simplify(kernel)
        return emit(kernel, target, options)

    def decisions(self, kernel: ir.Kernel, options: Options) -> Mapping[str, str]:
        """The width and the number of the groups of lanes, and into how many regions barriers cut the kernel."""
        from headwater.backends.cpu.decisions import decisions

        return decisions(kernel, self.target(options), self.module(kernel, options))

    def synchronize(self) -> None:
        """Nothing to wait for: a launch returns when its work is done."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a payload says beside its object file: the kernel's name, its slots, and its scratch memory."""

    name: str
    layout: Sequence[str]
    # Bytes for each call of the kernel's function.
    scratch: int = 0
    # The places of the loops that are watched, field by field; None where launches have no state for them.
    waiting: Sequence[Mapping[str, Any] | None] | None = None


class CpuExecutable:
    """A loaded program: packs its arguments and runs its blocks on the device's threads."""

    def __init__(self, facts: Facts, code: jit.Code, driver: CpuDriver) -> None:
        self.name = facts.name
        self._scratch = facts.scratch
        self._code = code  # keeps the machine code loaded
        self._waiting = facts.waiting
        state = "" if facts.waiting is None else _STATE_SLOT
        extra = state + (_SCRATCH_SLOTS if facts.scratch else "")
        function = code.addresses[_SYMBOL]
        self.pack = Packer(facts.name, facts.layout, extra, function, driver.memory)
        self._memory = driver.memory
        self._pool = driver.pool

    def launch(self, grid: tuple[int, int, int], arguments: Sequence[LaunchArgument]) -> None:
        """Run every block and wait; LaunchError where the arguments are not those of the kernel."""
        x, y, z = grid
        if not (0 <= x <= _MAX_GRID and 0 <= y <= _MAX_GRID and 0 <= z <= _MAX_GRID):
            raise LaunchError(f"the grid of '{self.name}' has bad sizes: {grid}")
        blocks = x * y * z
        if self._scratch or self._waiting is not None:
            self._launch_with_more(grid, blocks, arguments)
            return
        pool = self._pool
        chunk = 1 if blocks == 1 else chunk_size(blocks, pool.threads)
        job = self.pack((x, y, z, blocks, chunk), arguments)
        if blocks:
            pool.run(job, alone=blocks <= chunk)

    def _launch_with_more(
        self, grid: tuple[int, int, int], blocks: int, arguments: Sequence[LaunchArgument]
    ) -> None:
        """With scratch memory, a piece for each of a few calls, or a state for loops that wait, or both.

        DeviceError where there is no memory; KernelError where a loop waits for ever.
        """
        threads = self._pool.threads
        calls = max(1, min(blocks, _SCRATCH_CALLS * threads))
        chunk = max(1, -(-blocks // calls)) if self._scratch else chunk_size(blocks, threads)
        alone = blocks <= chunk
        memory = self._memory.allocate(self._scratch * calls)
        extra: list[int] = []
        state = np.array([blocks, 1 if alone else threads, 0, 0, 0, 0], np.int64)
        if self._waiting is not None:
            extra.append(state.ctypes.data)
        if self._scratch:
            extra += (self._memory.address(memory), chunk)
        try:
            job = self.pack((*grid, blocks, chunk), arguments, extra)
            if blocks:
                self._pool.run(job, alone=alone)
        finally:
            self._memory.free(memory)
        if self._waiting is not None and state[STOPPED]:
            where = self._waiting[int(state[STOPPED]) - 1]
            span = None if where is None else Span(**where)
            raise KernelError(f"kernel '{self.name}': {ENDLESS}", span=span, hint=ENDLESS_HINT)


def pack_payload(facts: Facts, image: bytes) -> bytes:
    """Header, JSON and object file as one string of bytes."""
    text = json.dumps(asdict(facts)).encode()
    return _HEADER.pack(_MAGIC, len(text)) + text + image


def unpack_payload(payload: bytes) -> tuple[Facts, bytes]:
    """What stands beside the object file, and it; InternalError where the bytes are no payload of this version."""
    try:
        magic, length = _HEADER.unpack_from(payload)
        start = _HEADER.size
        facts = Facts(**json.loads(payload[start : start + length]))
    except (struct.error, ValueError, TypeError):
        magic = b""
    if magic != _MAGIC:
        raise InternalError("a payload of the CPU device is damaged or of another version")
    return facts, payload[start + length :]


def _default_threads() -> int:
    return config.THREADS.read() if HAS_THREADS else 1


@cache
def _sources_digest() -> str:
    """A digest of every source file that takes part in making code from IR."""
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for folder in ("types", "ir", "passes", "backends/cpu"):
        for path in sorted((root / folder).glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
