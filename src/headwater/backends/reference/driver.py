"""The interpreter as a device. Memory is NumPy byte buffers; everything is done when a call returns."""

from __future__ import annotations

import pickle
import platform
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from headwater import ir
from headwater.backends.contract import (
    Capabilities,
    DeviceInfo,
    Executable,
    LaunchArgument,
    Memory,
    Options,
    VectorLayout,
)
from headwater.backends.reference import interpreter
from headwater.errors import DeviceError

_ALIGNMENT = 64


@dataclass(slots=True)
class ReferenceDriver:
    """Fulfils `Driver`. One lock orders everything that touches memory."""

    info: DeviceInfo
    capabilities: Capabilities = field(
        default_factory=lambda: Capabilities(
            default_block=32, exits_leave_barriers=True, native_warps=True, checks_itself=True
        )
    )
    backwards: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)
    serials: count[int] = field(default_factory=lambda: count(1))

    @property
    def settings(self) -> Mapping[str, int]:
        return {"backwards": int(self.backwards)}

    def fingerprint(self, options: Options) -> str:
        return f"reference, python {platform.python_version()}, numpy {np.__version__}"

    def vector_layout(self, components: int, count: int) -> VectorLayout:
        """Packed, unlike the planes of other devices, so that tests see both."""
        return VectorLayout(components, 1)

    def allocate(self, nbytes: int) -> Memory:
        try:
            raw = np.zeros(nbytes + _ALIGNMENT, np.uint8)
        except MemoryError:
            raise DeviceError(f"the host has no {nbytes} bytes of memory left") from None
        start = -raw.ctypes.data % _ALIGNMENT
        return Memory(nbytes, raw[start : start + nbytes], next(self.serials))

    def free(self, memory: Memory) -> None:
        """Nothing to do: the buffer goes with its last reference."""

    def write(self, memory: Memory, offset: int, data: memoryview) -> None:
        with self.lock:
            source = np.frombuffer(data, np.uint8)
            _bytes(memory)[offset : offset + source.nbytes] = source

    def read(self, memory: Memory, offset: int, out: memoryview) -> None:
        with self.lock:
            target = np.frombuffer(out, np.uint8)
            target[:] = _bytes(memory)[offset : offset + target.nbytes]

    def copy(
        self,
        source: Memory,
        source_offset: int,
        target: Memory,
        target_offset: int,
        nbytes: int,
    ) -> None:
        with self.lock:
            taken = _bytes(source)[source_offset : source_offset + nbytes].copy()
            _bytes(target)[target_offset : target_offset + nbytes] = taken

    def compile(self, kernel: ir.Kernel, options: Options) -> bytes:
        """The kernel itself. It is verified, because what runs here judges the other devices."""
        ir.verify(kernel)
        return pickle.dumps((kernel, options.debug))

    def load(self, payload: bytes) -> Executable:
        kernel, debug = pickle.loads(payload)
        assert isinstance(kernel, ir.Kernel)
        return Program(kernel, debug, self)

    def source(self, kernel: ir.Kernel, options: Options) -> str:
        return ir.format_kernel(kernel)

    def decisions(self, kernel: ir.Kernel, options: Options) -> Mapping[str, str]:
        """Nothing is chosen: the interpreter follows the IR."""
        return {}

    def synchronize(self) -> None:
        """Nothing to wait for."""


def _bytes(memory: Memory) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    buffer = memory.handle
    assert isinstance(buffer, np.ndarray)
    return buffer


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel that is ready to run."""

    kernel: ir.Kernel
    debug: bool
    driver: ReferenceDriver

    def launch(self, grid: tuple[int, int, int], arguments: Sequence[LaunchArgument]) -> None:
        with self.driver.lock:
            interpreter.launch(
                self.kernel, grid, arguments, backwards=self.driver.backwards, debug=self.debug
            )
