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

Names under DATA below are those of the kernel language; `help(hw.shared)` explains one. `hw.min`, `hw.max`, `hw.abs`
and `hw.pow` have the names of builtins, so `from headwater import *` leaves them out. `hw.particles` and
`hw.primitives` are imported at their first use.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from headwater import errors
from headwater.frontend import library as _library
from headwater.frontend.function import function
from headwater.frontend.language import (
    atomic,
    blockDim,
    blockIdx,
    boolean,
    constexpr,
    cross,
    dot,
    float16,
    float32,
    float64,
    grid,
    gridDim,
    gridsize,
    int8,
    int16,
    int32,
    int64,
    length,
    shared,
    static_range,
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
from headwater.frontend.mathematics import abs as abs
from headwater.frontend.mathematics import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitcast,
    brev,
    cbrt,
    ceil,
    clamp,
    clz,
    copysign,
    cos,
    cosh,
    cospi,
    degrees,
    erf,
    erfc,
    exp,
    exp2,
    exp10,
    expm1,
    ffs,
    floor,
    fma,
    fmod,
    frexp,
    gamma,
    hypot,
    isfinite,
    isinf,
    isnan,
    ldexp,
    lgamma,
    log,
    log1p,
    log2,
    log10,
    modf,
    mulhi,
    nextafter,
    popc,
    radians,
    remainder,
    rint,
    rsqrt,
    select,
    sin,
    sincos,
    sinh,
    sinpi,
    sqrt,
    tan,
    tanh,
    trunc,
)
from headwater.frontend.mathematics import max as max
from headwater.frontend.mathematics import min as min
from headwater.frontend.mathematics import pow as pow
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

_library.register("headwater.math")

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
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "atomic",
    "bitcast",
    "blockDim",
    "blockIdx",
    "boolean",
    "brev",
    "cbrt",
    "ceil",
    "clamp",
    "clz",
    "compile_seconds",
    "constexpr",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "cross",
    "degrees",
    "device",
    "devices",
    "dot",
    "erf",
    "erfc",
    "errors",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "ffs",
    "float16",
    "float32",
    "float64",
    "floor",
    "fma",
    "fmod",
    "frexp",
    "function",
    "gamma",
    "grid",
    "gridDim",
    "gridsize",
    "hypot",
    "int8",
    "int16",
    "int32",
    "int64",
    "isfinite",
    "isinf",
    "isnan",
    "kernel",
    "ldexp",
    "length",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "memory_report",
    "modf",
    "mulhi",
    "nextafter",
    "popc",
    "radians",
    "remainder",
    "rint",
    "rsqrt",
    "select",
    "shared",
    "sin",
    "sincos",
    "sinh",
    "sinpi",
    "sqrt",
    "static_range",
    "syncthreads",
    "tan",
    "tanh",
    "threadIdx",
    "trunc",
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
