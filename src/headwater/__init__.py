"""Write a kernel once in CUDA-style Python, run it on every device.

    import headwater as hw

    @hw.kernel
    def saxpy(a, x, y):
        i = hw.grid(1)
        if i < len(x):
            y[i] = a * x[i] + y[i]

    device = hw.device("cpu")
    x, y = device.full(1000, 1.0), device.zeros(1000)
    saxpy.forall(1000)(2.0, x, y)
    y.numpy()

Names under DATA below are those of the kernel language; `help(hw.shared)` explains one. `hw.min`, `hw.max` and `hw.abs`
are the builtins of the same names, and `from headwater import *` leaves them out. `hw.particles` and `hw.primitives`
are imported at their first use.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from headwater import errors
from headwater.frontend.function import function
from headwater.frontend.language import abs as abs
from headwater.frontend.language import (
    atomic,
    blockDim,
    blockIdx,
    boolean,
    ceil,
    constexpr,
    cross,
    dot,
    float16,
    float32,
    float64,
    floor,
    grid,
    gridDim,
    gridsize,
    int8,
    int16,
    int32,
    int64,
    length,
    select,
    shared,
    sqrt,
    syncthreads,
    threadIdx,
    uint8,
    uint16,
    uint32,
    uint64,
    uniform,
    vec2,
    vec2d,
    vec2f,
    vec2i,
    vec2u,
    vec3,
    vec3d,
    vec3f,
    vec3i,
    vec3u,
    vec4,
    vec4d,
    vec4f,
    vec4i,
    vec4u,
)
from headwater.frontend.language import max as max
from headwater.frontend.language import min as min
from headwater.runtime import (
    Array,
    Device,
    Kernel,
    MemoryReport,
    compile_seconds,
    device,
    devices,
    kernel,
    memory_report,
)
from headwater.types import Vec2, Vec3, Vec4

if TYPE_CHECKING:
    from headwater import particles as particles
    from headwater import primitives as primitives
else:

    def __getattr__(name):
        """Packages above this one, imported when they are first asked for: `import headwater` stays light."""
        if name in ("particles", "primitives"):
            return _import_module(f"headwater.{name}")
        raise AttributeError(f"module 'headwater' has no attribute '{name}'")

    def __dir__():
        """With the packages that are not imported yet."""
        return sorted({*globals(), "particles", "primitives"})


__all__ = [
    "Array",
    "Device",
    "Kernel",
    "MemoryReport",
    "Vec2",
    "Vec3",
    "Vec4",
    "atomic",
    "blockDim",
    "blockIdx",
    "boolean",
    "ceil",
    "compile_seconds",
    "constexpr",
    "cross",
    "device",
    "devices",
    "dot",
    "errors",
    "float16",
    "float32",
    "float64",
    "floor",
    "function",
    "grid",
    "gridDim",
    "gridsize",
    "int8",
    "int16",
    "int32",
    "int64",
    "kernel",
    "length",
    "memory_report",
    "select",
    "shared",
    "sqrt",
    "syncthreads",
    "threadIdx",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uniform",
    "vec2",
    "vec2d",
    "vec2f",
    "vec2i",
    "vec2u",
    "vec3",
    "vec3d",
    "vec3f",
    "vec3i",
    "vec3u",
    "vec4",
    "vec4d",
    "vec4f",
    "vec4i",
    "vec4u",
]

__version__ = "0.1.0"
