"""The CPU backend: explicit SIMD vectors through LLVM, and a pool of threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.backends.contract import Absence, Backend, DeviceInfo
from headwater.backends.cpu.target import description
from headwater.errors import DeviceError

if TYPE_CHECKING:
    from headwater.backends.cpu.driver import CpuDriver


class CpuBackend:
    """There is one CPU device, and it takes the options 'threads' and 'lanes'."""

    name = "cpu"

    def devices(self) -> Sequence[DeviceInfo] | Absence:
        """The machine's processor, as one device."""
        return [DeviceInfo(self.name, 0, description())]

    def open(self, index: int, **options: int) -> CpuDriver:
        """Open it; without options the environment says how many threads and lanes."""
        if index != 0:
            raise DeviceError(f"there is one CPU device, so 'cpu:{index}' is missing; use 'cpu'")
        unknown = sorted(options.keys() - {"threads", "lanes"})
        if unknown:
            raise DeviceError(
                f"the CPU device has no option '{unknown[0]}'", hint="it has 'threads' and 'lanes'"
            )
        for option, value in options.items():
            if not isinstance(value, int) or isinstance(value, bool):
                raise DeviceError(
                    f"the option '{option}' of the CPU device is an int, not {value!r}"
                )
        # The driver needs LLVM, which takes a while to load.
        from headwater.backends.cpu.driver import CpuDriver

        info = DeviceInfo(self.name, 0, description())
        return CpuDriver(info, threads=options.get("threads"), lanes=options.get("lanes"))

    def sketch(self, name: str) -> None:
        """The device is always there."""


def backend() -> Backend:
    """The entry that the registry calls."""
    return CpuBackend()
