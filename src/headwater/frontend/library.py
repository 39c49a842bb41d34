"""Mathematics that no operation of the IR gives: functions in the kernel language, which a layer above provides.

The front door names the module that has them. Its `device_function(name, kind)` gives the device function that works in
the float type `kind`. It is inlined where a kernel calls it: parameters of `Signature.parameters` that are 'float' come
as values of `kind`, those that are 'int' as int32; it returns what `results` says, a tuple where these are several.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from headwater.frontend.function import DeviceFunction
from headwater.types import ScalarType


@dataclass(frozen=True, slots=True)
class Signature:
    """The types of a function of the library; `fold` is what Python computes for constants, None for nothing."""

    parameters: tuple[str, ...] = ("float",)
    results: tuple[str, ...] = ("float",)
    fold: Callable[..., Any] | None = None


def _one(fold: Callable[..., Any] | None) -> Signature:
    return Signature(fold=fold)


def _two(fold: Callable[..., Any] | None) -> Signature:
    return Signature(("float", "float"), fold=fold)


FUNCTIONS: dict[str, Signature] = {
    "exp": _one(math.exp),
    "exp2": _one(math.exp2),
    "exp10": _one(lambda x: math.pow(10.0, x)),
    "expm1": _one(math.expm1),
    "log": _one(math.log),
    "log2": _one(math.log2),
    "log10": _one(math.log10),
    "log1p": _one(math.log1p),
    "sin": _one(math.sin),
    "cos": _one(math.cos),
    "tan": _one(math.tan),
    "sinpi": _one(None),
    "cospi": _one(None),
    "asin": _one(math.asin),
    "acos": _one(math.acos),
    "atan": _one(math.atan),
    "atan2": _two(math.atan2),
    "sinh": _one(math.sinh),
    "cosh": _one(math.cosh),
    "tanh": _one(math.tanh),
    "asinh": _one(math.asinh),
    "acosh": _one(math.acosh),
    "atanh": _one(math.atanh),
    "pow": _two(math.pow),
    "cbrt": _one(math.cbrt),
    "hypot": _two(math.hypot),
    "erf": _one(math.erf),
    "erfc": _one(math.erfc),
    "gamma": _one(math.gamma),
    "lgamma": _one(math.lgamma),
    "fmod": _two(math.fmod),
    "remainder": _two(math.remainder),
    "modulo": _two(None),  # the operators % and // of floats
    "floor_divide": _two(None),
    "copysign": _two(math.copysign),
    "nextafter": _two(None),
    "ldexp": Signature(("float", "int"), fold=math.ldexp),
    "frexp": Signature(results=("float", "int"), fold=math.frexp),
    "modf": Signature(results=("float", "float"), fold=math.modf),
    "sincos": Signature(results=("float", "float"), fold=lambda x: (math.sin(x), math.cos(x))),
}

_module: list[str] = []


def register(module: str) -> None:
    """Name the module that gives the functions; it is imported when a kernel first needs one."""
    _module[:] = [module]


def find(name: str, kind: ScalarType) -> DeviceFunction | None:
    """The device function for the float type `kind`; None where no module gives it."""
    for module in _module:
        found = import_module(module).device_function(name, kind)
        if isinstance(found, DeviceFunction):
            return found
    return None
