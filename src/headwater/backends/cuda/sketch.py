"""A typical GPU that is not there: its text can be read, and nothing runs."""

from __future__ import annotations

from collections.abc import Mapping

from headwater import ir
from headwater.backends.contract import Capabilities, DeviceInfo, Options, VectorLayout
from headwater.backends.cuda import compiler
from headwater.backends.cuda.language import lanes

# What every GPU since 2017 has; its memory is taken for 16 GiB.
CAPABILITIES = Capabilities(
    float64=True,
    int64=True,
    float_atomics=True,
    int64_atomics=True,
    float64_atomics=True,
    device_fences=True,
    exits_leave_barriers=True,
    native_warps=True,
    max_block_threads=1024,
    max_shared_bytes=96 << 10,
    max_array_bytes=16 << 30,
    default_block=256,
)


class CudaSketch:
    """Fulfils `Writer`."""

    info = DeviceInfo("cuda", 0, "a typical NVIDIA GPU; none is here")
    capabilities = CAPABILITIES

    @property
    def settings(self) -> Mapping[str, int]:
        """CUDA devices have no options."""
        return {}

    def vector_layout(self, components: int, count: int) -> VectorLayout:
        """As of every CUDA device."""
        return VectorLayout(element_stride=lanes(components), component_stride=1)

    def source(self, kernel: ir.Kernel, options: Options) -> str:
        """The CUDA C++ text."""
        return compiler.write(kernel, options).text

    def decisions(self, kernel: ir.Kernel, options: Options) -> Mapping[str, str]:
        """What is chosen without knowing the GPU."""
        return compiler.decisions(kernel, options)
