"""Stands in for `cuda.bindings.driver`: host memory, no execution; says what was asked of it."""

from __future__ import annotations

import ctypes
from typing import Any

from headwater.backends.contract import DeviceInfo
from headwater.backends.cuda.driver import CudaDriver

ATTRIBUTES = {
    "COMPUTE_CAPABILITY_MAJOR": 9,
    "COMPUTE_CAPABILITY_MINOR": 0,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 232448,
    "MAX_THREADS_PER_BLOCK": 1024,
    "MEMORY_POOLS_SUPPORTED": 1,
}
_NAMES = {
    0: "CUDA_SUCCESS",
    2: "CUDA_ERROR_OUT_OF_MEMORY",
    100: "CUDA_ERROR_NO_DEVICE",
    700: "CUDA_ERROR_ILLEGAL_ADDRESS",
    701: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
    803: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
}


class Status(int):
    """A result code with a name."""

    @property
    def name(self) -> str:
        return _NAMES[int(self)]


SUCCESS = Status(0)


class Enumeration:
    """Any member is its own name."""

    def __getattr__(self, name: str) -> str:
        return name


class Stub:
    """The functions that the backend calls. `fails[function]` is the code that a function answers with."""

    CUdevice_attribute = Enumeration()
    CUmemPool_attribute = Enumeration()
    CUstream_flags = Enumeration()
    CUfunction_attribute = Enumeration()

    def __init__(self, devices: int = 1, memory: int = 1 << 30) -> None:
        self.devices = devices
        self.total = self.free = memory
        self.blocks: dict[int, Any] = {}
        self.calls: list[tuple[Any, ...]] = []
        self.parameters = b""
        self.fails: dict[str, int] = {}

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cu"):
            raise AttributeError(name)

        def function(*arguments: Any) -> tuple[Any, ...]:
            self.calls.append((name, *arguments))
            if name in self.fails:
                return (Status(self.fails[name]),)
            return (SUCCESS, *self._answer(name, arguments))

        function.__name__ = name
        return function

    def _answer(self, name: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        answers = {
            "cuDeviceGetCount": (self.devices,),
            "cuDeviceGet": arguments[:1],
            "cuDeviceGetName": (b"Stub\0\0",),
            "cuDeviceTotalMem": (self.total,),
            "cuDriverGetVersion": (13000,),
            "cuDevicePrimaryCtxRetain": ("context",),
            "cuStreamCreate": ("stream",),
            "cuDeviceGetDefaultMemPool": ("pool",),
            "cuMemGetInfo": (self.free, self.total),
            "cuGetErrorString": (b"in words",),
            "cuModuleLoadData": ("module",),
            "cuModuleGetFunction": ("function",),
        }
        return answers.get(name, ())

    # Not functions of the driver with an answer of its own kind.

    def cuuint64_t(self, value: int) -> int:
        return value

    def cuDeviceGetAttribute(self, key: str, device: int) -> tuple[Any, ...]:
        return SUCCESS, ATTRIBUTES[key.removeprefix("CU_DEVICE_ATTRIBUTE_")]

    def cuMemAllocAsync(self, nbytes: int, stream: object) -> tuple[Any, ...]:
        if nbytes > self.free:
            return Status(2), None
        block = ctypes.create_string_buffer(nbytes)
        self.free -= nbytes
        self.blocks[ctypes.addressof(block)] = block
        return SUCCESS, ctypes.addressof(block)

    def cuMemFreeAsync(self, address: int, stream: object) -> tuple[Any, ...]:
        self.free += len(self.blocks.pop(address))
        return (SUCCESS,)

    def cuMemcpyHtoDAsync(self, target: int, source: int, nbytes: int, stream: object) -> Any:
        ctypes.memmove(target, source, nbytes)
        return (SUCCESS,)

    cuMemcpyDtoHAsync = cuMemcpyDtoDAsync = cuMemcpyHtoDAsync

    def cuLaunchKernel(self, function: object, *rest: Any) -> tuple[Any, ...]:
        if "cuLaunchKernel" in self.fails:
            return (Status(self.fails["cuLaunchKernel"]),)
        *shape, stream, plain, extra = rest
        assert (stream, plain) == ("stream", 0)
        words = (ctypes.c_void_p * 5).from_address(extra)
        assert (words[0], words[2], words[4]) == (1, 2, None)
        assert words[1] is not None
        assert words[3] is not None
        size = ctypes.c_size_t.from_address(words[3]).value
        self.parameters = ctypes.string_at(words[1], size)
        self.calls.append(("cuLaunchKernel", *shape))
        return (SUCCESS,)


def open_stub(stub: Stub | None = None, index: int = 0) -> tuple[CudaDriver, Stub]:
    """A driver over a stub; it needs NVRTC, which says what it compiles for."""
    api = Stub() if stub is None else stub
    return CudaDriver(DeviceInfo("cuda", index, "a stub"), api), api
