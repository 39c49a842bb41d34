"""Headwater: write a kernel once in CUDA-style Python, run it on every device."""

from headwater import errors as errors
from headwater.frontend.function import function as function
from headwater.frontend.language import abs as abs
from headwater.frontend.language import atomic as atomic
from headwater.frontend.language import blockDim as blockDim
from headwater.frontend.language import blockIdx as blockIdx
from headwater.frontend.language import boolean as boolean
from headwater.frontend.language import ceil as ceil
from headwater.frontend.language import cross as cross
from headwater.frontend.language import dot as dot
from headwater.frontend.language import float32 as float32
from headwater.frontend.language import float64 as float64
from headwater.frontend.language import floor as floor
from headwater.frontend.language import grid as grid
from headwater.frontend.language import gridDim as gridDim
from headwater.frontend.language import gridsize as gridsize
from headwater.frontend.language import int32 as int32
from headwater.frontend.language import int64 as int64
from headwater.frontend.language import length as length
from headwater.frontend.language import max as max
from headwater.frontend.language import min as min
from headwater.frontend.language import select as select
from headwater.frontend.language import shared as shared
from headwater.frontend.language import sqrt as sqrt
from headwater.frontend.language import syncthreads as syncthreads
from headwater.frontend.language import threadIdx as threadIdx
from headwater.frontend.language import uint32 as uint32
from headwater.frontend.language import uniform as uniform
from headwater.frontend.language import vec3 as vec3
from headwater.frontend.language import vec3d as vec3d
from headwater.frontend.language import vec3f as vec3f
from headwater.frontend.language import vec3i as vec3i
from headwater.runtime import Array as Array
from headwater.runtime import Device as Device
from headwater.runtime import Kernel as Kernel
from headwater.runtime import MemoryReport as MemoryReport
from headwater.runtime import compile_seconds as compile_seconds
from headwater.runtime import device as device
from headwater.runtime import devices as devices
from headwater.runtime import kernel as kernel
from headwater.runtime import memory_report as memory_report
from headwater.types import Vec3 as Vec3

__version__ = "0.1.0"
