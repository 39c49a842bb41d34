"""The devices that the library finds, under the names that people use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from headwater.backends.contract import DeviceInfo
from headwater.backends.webgpu.native import library

_NAMES = {
    "Vulkan": "vulkan",
    "Metal": "metal",
    "D3D12": "dx12",
    "OpenGL": "opengl",
    "OpenGLES": "opengl",
}
# Of several devices of one name the fastest kind comes first.
_KINDS = ("DiscreteGPU", "IntegratedGPU", "Unknown", "CPU")
_SOFTWARE = "CPU"


@dataclass(frozen=True, slots=True)
class Adapter:
    """A device that may be opened."""

    info: DeviceInfo
    native: Any

    @property
    def label(self) -> str:
        """The name that `headwater.device` takes."""
        number = f":{self.info.index}" if self.info.index else ""
        return f"{self.info.name}{number}"

    @property
    def is_software(self) -> bool:
        """Whether a processor does the work."""
        return bool(self.native.info["adapter_type"] == _SOFTWARE)


@cache
def adapters() -> Sequence[Adapter]:
    """All devices; the list is made once a process."""
    found = library().wgpu.gpu.enumerate_adapters_sync()
    counts: dict[str, int] = {}
    result: list[Adapter] = []
    for native in sorted(found, key=_rank):
        name = _NAMES.get(native.info["backend_type"])
        if name is None:
            continue
        index = counts[name] = counts.get(name, -1) + 1
        info = DeviceInfo(name, index, _description(native), _preferred(native, result))
        result.append(Adapter(info, native))
    return result


def _rank(native: Any) -> tuple[bool, int]:
    kind = native.info["adapter_type"]
    place = _KINDS.index(kind) if kind in _KINDS else _KINDS.index("Unknown")
    return (_is_opengl(native), place)


def _is_opengl(native: Any) -> bool:
    return _NAMES.get(native.info["backend_type"]) == "opengl"


def _preferred(native: Any, before: Sequence[Adapter]) -> str:
    """The device that has the hardware of an OpenGL adapter, which tells no more of it than the vendor."""
    if not _is_opengl(native):
        return ""
    vendor = native.info["vendor_id"]
    return next((a.label for a in before if a.native.info["vendor_id"] == vendor), "")


def _description(native: Any) -> str:
    parts = [native.info["device"], native.info["description"]]
    if native.info["adapter_type"] == _SOFTWARE:
        parts.append("in software, for tests")
    return ", ".join(part for part in parts if part)
