"""Which CUDA devices there are, and if none: what is missing. Cheap where there is no driver."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from headwater.backends.contract import Absence, DeviceInfo

INSTALL = 'pip install "headwater[cuda]"'
_LIBRARIES = {"win32": "nvcuda.dll", "linux": "libcuda.so.1"}
_NO_DEVICE = 100  # CUDA_ERROR_NO_DEVICE
# Those of CUDA 13.0 to 13.3 lose the sign in max(max(a, -b), c) on compute capability 9.0 (`VIMNMX3`).
_OLDEST_COMPILER = (13, 4)
_UPDATE = 'pip install --upgrade "nvidia-cuda-nvrtc>=13.4,<14"'


@cache
def find_devices() -> Sequence[DeviceInfo] | Absence:
    """Every GPU of the driver, or the first thing that is missing. Asked once a process."""
    absence = _missing_driver() or _missing_bindings()
    if absence is not None:
        return absence
    from cuda.bindings import driver  # only now: it takes a while to load

    return list_devices(driver) if not (absence := _missing_compiler(driver)) else absence


def _missing_driver() -> Absence | None:
    library = _LIBRARIES.get(sys.platform)
    if library is None:
        return Absence(f"there is no CUDA on '{sys.platform}'", "use another device")
    try:
        ctypes.CDLL(library)
    except OSError:
        return Absence(
            f"there is no NVIDIA driver ('{library}' cannot be loaded)",
            "on a machine with an NVIDIA GPU, install NVIDIA's display driver",
        )
    return None


def _missing_bindings() -> Absence | None:
    try:
        found = find_spec("cuda.bindings")
    except ModuleNotFoundError:
        found = None
    return None if found else Absence("the package 'cuda-bindings' is not installed", INSTALL)


def _missing_compiler(driver: Any) -> Absence | None:
    """NVRTC must be there, compile right, and not be newer than what the driver takes machine code from."""
    from cuda.bindings import nvrtc

    try:
        _, major, minor = nvrtc.nvrtcVersion()
    except RuntimeError:  # how the bindings say that they find no library
        return Absence("NVRTC, CUDA's compiler, is not installed", INSTALL)
    if (major, minor) < _OLDEST_COMPILER:
        return Absence(f"NVRTC {major}.{minor} compiles integer maxima wrong", _UPDATE)
    _, version = driver.cuDriverGetVersion()
    if version // 1000 >= major:
        return None
    return Absence(
        f"the NVIDIA driver is for CUDA {version // 1000}.{version % 1000 // 10}, NVRTC for {major}.{minor}",
        f"update the driver, or install the packages of CUDA {version // 1000}",
    )


def list_devices(driver: Any) -> Sequence[DeviceInfo] | Absence:
    """The GPUs by the driver's own numbers, given the module `cuda.bindings.driver`."""
    (status,) = driver.cuInit(0)
    count = 0
    if not status:
        status, count = driver.cuDeviceGetCount()
    if status and status != _NO_DEVICE:
        return Absence(
            f"the NVIDIA driver does not start ({status.name})",
            "see whether 'nvidia-smi' lists the GPU; a driver that was updated may need a restart",
        )
    if count == 0:
        return Absence(
            "the NVIDIA driver shows no GPU",
            "see 'nvidia-smi', and whether CUDA_VISIBLE_DEVICES hides it",
        )
    return [DeviceInfo("cuda", number, _description(driver, number)) for number in range(count)]


def _description(driver: Any, number: int) -> str:
    _, device = driver.cuDeviceGet(number)
    _, name = driver.cuDeviceGetName(128, device)
    _, nbytes = driver.cuDeviceTotalMem(device)
    words = name.split(b"\0")[0].decode(errors="replace")
    return f"{words}, {nbytes / 2**30:.0f} GiB"
