"""Which device function stands for which name and float type."""

from __future__ import annotations

from headwater.frontend.function import DeviceFunction
from headwater.math import (
    error_function,
    exponential,
    gamma,
    hyperbolic,
    inverse_trigonometric,
    logarithm,
    power,
    remainders,
    representation,
    trigonometric,
)
from headwater.types import ScalarType

_FAMILIES = {
    exponential: "exp exp2 exp10 expm1",
    logarithm: "log log2 log10 log1p",
    trigonometric: "sin cos tan sincos sinpi cospi",
    inverse_trigonometric: "asin acos atan atan2",
    hyperbolic: "sinh cosh tanh asinh acosh atanh",
    power: "pow cbrt hypot",
    error_function: "erf erfc",
    gamma: "gamma lgamma",
    remainders: "fmod remainder modulo floor_divide",
    representation: "copysign frexp ldexp modf nextafter",
}

NAMES: tuple[str, ...] = tuple(name for names in _FAMILIES.values() for name in names.split())
_FUNCTIONS: dict[tuple[str, str], DeviceFunction] = {
    (name, kind): getattr(module, f"{name}_{kind}")
    for module, names in _FAMILIES.items()
    for name in names.split()
    for kind in ("float32", "float64")
}


def device_function(name: str, kind: ScalarType) -> DeviceFunction:
    """The device function that computes `name` in the float type `kind`; KeyError where there is none."""
    return _FUNCTIONS[name, kind.name]
