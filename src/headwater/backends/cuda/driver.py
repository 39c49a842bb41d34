"""A CUDA device: compiles kernels for its architecture and launches them in order, without waiting."""

from __future__ import annotations

import ctypes
import hashlib
import struct
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from headwater import ir
from headwater.backends.contract import (
    ArrayArgument,
    Capabilities,
    DeviceInfo,
    LaunchArgument,
    Memory,
    Options,
    VectorLayout,
)
from headwater.backends.cuda import compiler
from headwater.backends.cuda.connection import Connection
from headwater.backends.cuda.language import lanes
from headwater.backends.cuda.memory import DeviceMemory
from headwater.backends.cuda.own_arrays import STATIC_SHARED_BYTES
from headwater.backends.cuda.program import Program, packer
from headwater.errors import DeviceError, LaunchError

# Blocks that a grid may have along each axis.
_MAX_GRID = ((1 << 31) - 1, 65535, 65535)
_DEFAULT_BLOCK = 256


class CudaDriver:
    """One GPU with one stream: launches, copies and frees happen in the order of their calls."""

    def __init__(self, info: DeviceInfo, api: Any = None) -> None:
        """`api` stands in for the module `cuda.bindings.driver`, which is the default."""
        self.info = info
        self.connection = Connection(_bindings() if api is None else api, _name(info), info.index)
        self.api = self.connection.api
        self.architecture = _architecture(self.connection)
        self.capabilities = _capabilities(self.connection)
        flags = self.api.CUstream_flags.CU_STREAM_NON_BLOCKING
        (self.stream,) = self.connection.call(self.api.cuStreamCreate, flags)
        self.memory = DeviceMemory(self.connection, self.stream)

    @property
    def settings(self) -> Mapping[str, int]:
        """CUDA devices have no options."""
        return {}

    def fingerprint(self, options: Options) -> str:
        """Architecture, versions, what NVRTC is told, and the sources that make the text."""
        (version,) = self.connection.call(self.api.cuDriverGetVersion)
        major, minor = compiler.compiler_version()
        parts = (
            f"nvrtc {major}.{minor}",
            f"driver {version}",
            *compiler.flags(options, self.architecture),
            f"sources {_sources_digest()}",
        )
        return "; ".join(("cuda", *parts))

    def vector_layout(self, components: int, count: int) -> VectorLayout:
        """One element behind the other, padded so that a thread reads it with one wide load."""
        del count
        return VectorLayout(element_stride=lanes(components), component_stride=1)

    def allocate(self, nbytes: int) -> Memory:
        """Memory of the GPU, not initialised; DeviceError where there is none left."""
        return self.memory.allocate(nbytes)

    def free(self, memory: Memory) -> None:
        """Take it back after the work launched so far; MemoryUseError where it was freed before."""
        self.memory.free(memory)

    def write(self, memory: Memory, offset: int, data: memoryview) -> None:
        """Copy host bytes in; MemoryUseError outside of the memory."""
        self.memory.write(memory, offset, data)

    def read(self, memory: Memory, offset: int, out: memoryview) -> None:
        """Copy bytes out, after all work; MemoryUseError outside of the memory."""
        self.memory.read(memory, offset, out)

    def copy(
        self, source: Memory, source_offset: int, target: Memory, target_offset: int, nbytes: int
    ) -> None:
        """Copy between two pieces of memory; MemoryUseError outside of either."""
        self.memory.copy(source, source_offset, target, target_offset, nbytes)

    def compile(self, kernel: ir.Kernel, options: Options) -> bytes:
        """Machine code for this GPU's architecture, and how a launch passes the arguments."""
        return compiler.compile_kernel(kernel, options, self.architecture).to_bytes()

    def load(self, payload: bytes) -> CudaExecutable:
        """Give the machine code to the driver. It stays there: programs are kept as long as the process."""
        return CudaExecutable(Program.from_bytes(payload), self)

    def source(self, kernel: ir.Kernel, options: Options) -> str:
        """The CUDA C++ text."""
        return compiler.write(kernel, options).text

    def decisions(self, kernel: ir.Kernel, options: Options) -> Mapping[str, str]:
        """The GPU's architecture, and what the text settles."""
        return {"code for": self.architecture, **compiler.decisions(kernel, options)}

    def synchronize(self) -> None:
        """Wait until all work is done; DeviceError where a launch failed meanwhile."""
        self.connection.call(self.api.cuStreamSynchronize, self.stream)


class _Frame(threading.local):
    """A thread's own buffer for the parameters of a launch, in the form that the driver takes."""

    def __init__(self, size: int) -> None:
        self.buffer = ctypes.create_string_buffer(max(size, 1))
        self.size = ctypes.c_size_t(size)
        # CU_LAUNCH_PARAM_BUFFER_POINTER, ..._BUFFER_SIZE, ..._END
        self.extra = (ctypes.c_void_p * 5)(
            1, ctypes.addressof(self.buffer), 2, ctypes.addressof(self.size), 0
        )
        self.address = ctypes.addressof(self.extra)


class CudaExecutable:
    """A loaded program: packs its parameters and launches."""

    def __init__(self, program: Program, driver: CudaDriver) -> None:
        self.name = program.name
        self._parameters = program.parameters
        self._values = packer(program.slots, driver.memory.live)
        self._address = driver.memory.address
        self._layout = program.layout
        self._frame = _Frame(self._layout.size)
        self._call = driver.connection.call
        self._launch = driver.api.cuLaunchKernel
        self._function = _function(program, driver)
        self._tail = (*program.block_shape, program.dynamic_shared, driver.stream, 0)

    def launch(self, grid: tuple[int, int, int], arguments: Sequence[LaunchArgument]) -> None:
        """Append the launch to the device's stream; LaunchError where grid or arguments do not fit."""
        x, y, z = grid
        if not (0 < x <= _MAX_GRID[0] and 0 < y <= _MAX_GRID[1] and 0 < z <= _MAX_GRID[2]):
            if min(grid) == 0:
                return
            raise LaunchError(
                f"kernel '{self.name}': a grid of {grid} blocks; CUDA devices take up to {_MAX_GRID}",
                hint="put the longest axis first, or give each thread more work",
            )
        frame = self._frame
        self._pack(frame.buffer, arguments)
        self._call(self._launch, self._function, x, y, z, *self._tail, frame.address)

    def _pack(self, buffer: Any, arguments: Sequence[LaunchArgument]) -> None:
        try:
            self._layout.pack_into(buffer, 0, *self._values(arguments))
        except KeyError:
            for argument in arguments:
                if isinstance(argument, ArrayArgument):
                    self._address(argument.memory)  # says what is wrong with it
            raise
        except (struct.error, OverflowError, IndexError) as error:
            raise LaunchError(
                f"the {len(arguments)} arguments do not fit the {self._parameters} parameters of "
                f"'{self.name}': {error}"
            ) from None


def _function(program: Program, driver: CudaDriver) -> Any:
    """The kernel in the machine code, with as much shared memory as it needs."""
    call, api = driver.connection.call, driver.api
    (module,) = call(api.cuModuleLoadData, program.code)
    (function,) = call(api.cuModuleGetFunction, module, program.symbol.encode())
    if program.dynamic_shared:
        attribute = api.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        call(api.cuFuncSetAttribute, function, attribute, program.dynamic_shared)
    return function


def _bindings() -> Any:
    from cuda.bindings import driver

    (status,) = driver.cuInit(0)
    if status:
        raise DeviceError(f"the NVIDIA driver does not start ({status.name})")
    return driver


def _name(info: DeviceInfo) -> str:
    return info.name if info.index == 0 else f"{info.name}:{info.index}"


def _architecture(connection: Connection) -> str:
    """What to compile for: the device's own capability, or the nearest below whose code it runs."""
    major = connection.attribute("COMPUTE_CAPABILITY_MAJOR")
    minor = connection.attribute("COMPUTE_CAPABILITY_MINOR")
    own = 10 * major + minor
    known = [number for number in compiler.architectures() if 10 * major <= number <= own]
    if known:
        return f"sm_{max(known)}"
    version = ".".join(map(str, compiler.compiler_version()))
    raise DeviceError(
        f"the device '{connection.name}' has the compute capability {major}.{minor}, which NVRTC {version} does "
        "not compile for",
        hint="install an older or a newer 'nvidia-cuda-nvrtc'",
    )


def _capabilities(connection: Connection) -> Capabilities:
    attribute = connection.attribute
    shared = max(attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"), STATIC_SHARED_BYTES)
    (total,) = connection.call(connection.api.cuDeviceTotalMem, connection.device)
    return Capabilities(
        float64=True,
        int64=True,
        float_atomics=True,
        int64_atomics=True,
        float64_atomics=True,
        device_fences=True,
        exits_leave_barriers=True,
        native_warps=True,
        max_block_threads=attribute("MAX_THREADS_PER_BLOCK"),
        max_shared_bytes=shared,
        max_array_bytes=int(total),
        default_block=_DEFAULT_BLOCK,
        serial_threads=False,
    )


@cache
def _sources_digest() -> str:
    """A digest of every source file that takes part in making code from IR."""
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for folder in ("types", "ir", "passes", "emit", "backends/cuda"):
        for path in sorted((root / folder).glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
