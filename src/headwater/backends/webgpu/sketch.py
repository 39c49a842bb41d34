"""Typical devices that are not there: their text can be read, and nothing runs."""

from __future__ import annotations

from collections.abc import Mapping

from headwater import ir
from headwater.backends.contract import DeviceInfo, Options, VectorLayout
from headwater.backends.webgpu.compiler import compile_kernel, decisions
from headwater.backends.webgpu.features import (
    FLOAT32_ATOMIC_ADD,
    FLOAT64,
    IMMEDIATES,
    INT64,
    INT64_ATOMICS,
    Features,
    capabilities_of,
    layout_of,
)

_ALL = (FLOAT64, INT64, INT64_ATOMICS, FLOAT32_ATOMIC_ADD, IMMEDIATES)
# Features and storage buffers of current cards, by the interface to them.
_TYPICAL = {
    "vulkan": (_ALL, 64),
    "metal": ((INT64, FLOAT32_ATOMIC_ADD, IMMEDIATES), 28),
    "dx12": ((INT64, INT64_ATOMICS, IMMEDIATES), 64),
    "opengl": ((), 16),
}


def typical(name: str) -> Features | None:
    """What a device of that name commonly has; None for other names."""
    if name not in _TYPICAL:
        return None
    names, buffers = _TYPICAL[name]
    return Features(
        device=name,
        names=names,
        max_immediate=128 if IMMEDIATES in names else 0,
        max_binding=2 << 30,
        max_buffer=4 << 30,
        max_storage_buffers=buffers,
        max_shared=32 << 10,
        max_threads=1024,
        max_block=(1024, 1024, 64),
        max_groups=65535,
    )


class WebGpuSketch:
    """Fulfils `Writer`."""

    def __init__(self, features: Features) -> None:
        self.features = features
        self.info = DeviceInfo(features.device, 0, "a typical device; none is here")
        self.capabilities = capabilities_of(features)

    @property
    def settings(self) -> Mapping[str, int]:
        return {}

    def vector_layout(self, components: int, count: int) -> VectorLayout:
        return layout_of(components)

    def source(self, kernel: ir.Kernel, options: Options) -> str:
        return compile_kernel(kernel, options, self.features).text()

    def decisions(self, kernel: ir.Kernel, options: Options) -> Mapping[str, str]:
        return decisions(kernel, options, self.features)
