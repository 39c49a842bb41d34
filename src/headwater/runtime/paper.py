"""Devices on paper: kernels are lowered and written for them, nothing is allocated and nothing runs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from headwater import config
from headwater.backends import registry
from headwater.backends.contract import Driver, Memory, Options, VectorLayout, Writer
from headwater.errors import DeviceError
from headwater.runtime.device import Device, device

if TYPE_CHECKING:
    from headwater import ir

_serials = itertools.count(1)


def paper_device(name: str | None = None) -> Device:
    """The device of that name, or a typical one where it is not there, for `Launch.ir`, `source` and `plan` only.

    Arrays made on it take no memory. DeviceError for a name that no backend knows.
    """
    wanted = config.DEVICE.read() if name is None else name
    try:
        real = device(wanted).driver
        return Device(wanted, PaperDriver(real, real))
    except DeviceError:
        for backend in registry.backends().values():
            writer = backend.sketch(wanted)
            if writer is not None:
                return Device(wanted, PaperDriver(writer, None))
        raise


class PaperDriver:
    """Fulfils `Driver`: writes as `writer` does; `real` is the open device, if there is one."""

    def __init__(self, writer: Writer, real: Driver | None) -> None:
        self.info = writer.info
        self.capabilities = writer.capabilities
        self._writer = writer
        self._real = real

    @property
    def settings(self) -> Mapping[str, int]:
        """Those of the device."""
        return self._writer.settings

    def vector_layout(self, components: int, count: int) -> VectorLayout:
        """That of the device."""
        return self._writer.vector_layout(components, count)

    def source(self, kernel: ir.Kernel, options: Options) -> str:
        """The device's text."""
        return self._writer.source(kernel, options)

    def decisions(self, kernel: ir.Kernel, options: Options) -> Mapping[str, str]:
        """The device's choices."""
        return self._writer.decisions(kernel, options)

    def compile(self, kernel: ir.Kernel, options: Options) -> bytes:
        """The device's code; DeviceError where the device is not there."""
        if self._real is None:
            raise DeviceError(f"no device '{self.info.name}' is here to compile for")
        return self._real.compile(kernel, options)

    def fingerprint(self, options: Options) -> str:
        """Nothing is cached."""
        return "paper"

    def allocate(self, nbytes: int) -> Memory:
        """No memory at all."""
        return Memory(nbytes, None, next(_serials))

    def free(self, memory: Memory) -> None:
        """Nothing to give back."""

    def write(self, memory: Memory, offset: int, data: memoryview) -> None:
        """The values go nowhere."""

    def read(self, memory: Memory, offset: int, out: memoryview) -> NoReturn:
        """Always a DeviceError."""
        raise self._nothing()

    def copy(
        self, source: Memory, source_offset: int, target: Memory, target_offset: int, nbytes: int
    ) -> NoReturn:
        """Always a DeviceError."""
        raise self._nothing()

    def load(self, payload: bytes) -> NoReturn:
        """Always a DeviceError."""
        raise self._nothing()

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def _nothing(self) -> DeviceError:
        return DeviceError(f"'{self.info.name}' is a device on paper: nothing runs there")
