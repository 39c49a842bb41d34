"""The C library's functions of `long double`: 64 bits of precision on x86-64, where they are the oracle for float64."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable
from typing import Any

import cffi
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
PI = np.longdouble("3.14159265358979323846264338327950288")
# Bits of the mantissa; the oracle needs clearly more than float64's 53.
PRECISION = np.finfo(np.longdouble).nmant + 1


def from_c(name: str) -> Callable[[Array], Array]:
    """The function `name` of the C library for arrays of long double, one element after the other."""

    def of_array(x: Array) -> Array:
        function = _loop(name)
        out = np.empty(x.shape, np.longdouble)
        function(x, out)
        return out

    return of_array


def _loop(name: str) -> Callable[[Array, Array], None]:
    ffi = cffi.FFI()
    ffi.cdef(f"long double {name}(long double);")
    library = ffi.dlopen(ctypes.util.find_library("m"))
    function: Any = getattr(library, name)

    def run(x: Array, out: Array) -> None:
        source = ffi.cast("long double *", ffi.from_buffer(x))
        target = ffi.cast("long double *", ffi.from_buffer(out))
        for k in range(len(x)):
            target[k] = function(source[k])

    return run
