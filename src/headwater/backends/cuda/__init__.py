"""The CUDA backend: CUDA C++ through NVRTC, launched by NVIDIA's driver. Nothing of a toolkit is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.backends.contract import Absence, Backend, DeviceInfo, Writer
from headwater.backends.cuda.presence import find_devices
from headwater.errors import DeviceError

if TYPE_CHECKING:
    from headwater.backends.cuda.driver import CudaDriver


class CudaBackend:
    """One device for each NVIDIA GPU that the driver shows; there are no options."""

    name = "cuda"

    def devices(self) -> Sequence[DeviceInfo] | Absence:
        """The GPUs, or what is missing: the driver, a GPU or a package."""
        return find_devices()

    def open(self, index: int, **options: int) -> CudaDriver:
        """Open a GPU; DeviceError where there is none at this position, or its kind is too old or too new."""
        if options:
            raise DeviceError(f"a CUDA device has no option '{min(options)}'", hint="it has none")
        found = self.devices()
        if isinstance(found, Absence):
            raise DeviceError(f"there is no CUDA device: {found.reason}", hint=found.hint)
        if not 0 <= index < len(found):
            raise DeviceError(
                f"there is no CUDA device at position {index}; {len(found)} are there"
            )
        # The driver needs NVIDIA's bindings, which take a while to load.
        from headwater.backends.cuda.driver import CudaDriver

        return CudaDriver(found[index])

    def sketch(self, name: str) -> Writer | None:
        """The text is written without a GPU, and without NVIDIA's packages."""
        if name != self.name:
            return None
        from headwater.backends.cuda.sketch import CudaSketch

        return CudaSketch()


def backend() -> Backend:
    """The entry that the registry calls."""
    return CudaBackend()
