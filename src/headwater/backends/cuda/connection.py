"""One GPU's context: calls to NVIDIA's driver, checked, with the context current in the calling thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.backends import forks
from headwater.errors import DeviceError

# After these a context answers every call with the same error: only a new process helps.
_FATAL = frozenset(
    """
    ECC_UNCORRECTABLE NVLINK_UNCORRECTABLE CONTEXT_IS_DESTROYED ILLEGAL_ADDRESS LAUNCH_TIMEOUT ASSERT
    HARDWARE_STACK_ERROR ILLEGAL_INSTRUCTION MISALIGNED_ADDRESS INVALID_ADDRESS_SPACE INVALID_PC LAUNCH_FAILED
    TENSOR_MEMORY_LEAK CONTAINED EXTERNAL_DEVICE UNKNOWN
    """.split()
)
_OUT_OF_MEMORY = "CUDA_ERROR_OUT_OF_MEMORY"


class OutOfMemoryError(DeviceError):
    """The driver has no memory left for what was asked."""


class Connection:
    """`api` is the module `cuda.bindings.driver`; `name` is what errors call the device."""

    def __init__(self, api: Any, name: str, number: int) -> None:
        self.api = api
        self.name = name
        self.lost = ""
        self.context: Any = None
        (self.device,) = self._checked("cuDeviceGet", api.cuDeviceGet(number))
        # The primary context is the one that other libraries of the process use too.
        (context,) = self._checked("open", api.cuDevicePrimaryCtxRetain(self.device))
        self.context = context
        self._make_current = api.cuCtxSetCurrent
        self._forked = False
        forks.register(self)

    def renew_after_fork(self) -> None:
        """A context belongs to the process that made it."""
        self.lost, self._forked = "it is the parent's", True

    def call(self, function: Callable[..., tuple[Any, ...]], *arguments: Any) -> tuple[Any, ...]:
        """The results of a driver function; DeviceError where it fails or the device was lost before."""
        if self.lost:
            raise self.loss()
        self._make_current(self.context)
        result = function(*arguments)
        if result[0]:
            raise self.failure(function.__name__, result[0])
        return result[1:]

    def attribute(self, name: str) -> int:
        """A number that the driver knows of the device, by CUDA's name without its prefix."""
        key = getattr(self.api.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        (value,) = self._checked(name, self.api.cuDeviceGetAttribute(key, self.device))
        return int(value)

    def quietly(self, function: Callable[..., tuple[Any, ...]], *arguments: Any) -> None:
        """Call for a finalizer, which may interrupt any other call of its thread: nothing is raised.

        The context that was current stays so.
        """
        if self.lost or self.api.cuCtxPushCurrent(self.context)[0]:
            return
        try:
            status = function(*arguments)[0]
            if status:
                self._note(status)
        finally:
            self.api.cuCtxPopCurrent()

    def failure(self, doing: str, status: Any) -> DeviceError:
        """The error for a status that is not success; a fatal one marks the device as lost."""
        self._note(status)
        if self.lost:
            return self.loss()
        text = f"the device '{self.name}' failed in {doing}: {self._words(status)}"
        return (OutOfMemoryError if status.name == _OUT_OF_MEMORY else DeviceError)(text)

    def loss(self) -> DeviceError:
        """What every use of a lost device raises."""
        if self._forked:
            return forks.elsewhere(self.name)
        return DeviceError(
            f"the device '{self.name}' is lost: {self.lost}",
            hint="a kernel that ran before is at fault, often by an index out of bounds, which a new process with "
            "HEADWATER_DEBUG=1 finds; this one cannot use the device again",
        )

    def _note(self, status: Any) -> None:
        if status.name.removeprefix("CUDA_ERROR_") in _FATAL:
            self.lost = self._words(status)

    def _words(self, status: Any) -> str:
        unknown, text = self.api.cuGetErrorString(status)
        return status.name if unknown or not text else f"{text.decode()} ({status.name})"

    def _checked(self, doing: str, result: tuple[Any, ...]) -> tuple[Any, ...]:
        if result[0]:
            raise self.failure(doing, result[0])
        return result[1:]
