"""Arguments that are known when compiling: those of parameters annotated `hw.constexpr`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from headwater.errors import LaunchError
from headwater.frontend import DeviceFunction
from headwater.frontend.fingerprint import MISSING, closure_of, plain
from headwater.frontend.language import constexpr
from headwater.types import MAXIMUM_BITS, ConstantType, ScalarType, VectorType

_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_HINT = "a number, a bool, a text, a dtype, a function decorated with @hw.function, or a tuple of these was expected"


def constant_parameters(function: FunctionType) -> tuple[bool, ...]:
    """Which parameters are annotated `hw.constexpr`, by position; () where none is."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    found = tuple(_is_constant(function, function.__annotations__.get(name)) for name in names)
    return found if any(found) else ()


def _is_constant(function: FunctionType, annotation: object) -> bool:
    """Annotations are texts under `from __future__ import annotations`, which keeps no local names."""
    if not isinstance(annotation, str):
        return annotation is constexpr
    if not _DOTTED.fullmatch(annotation):
        return False
    first, *rest = annotation.split(".")
    value = closure_of(function).get(first, function.__globals__.get(first, MISSING))
    if value is MISSING:
        return annotation.split(".")[-1] == constexpr.name
    for name in rest:
        value = getattr(value, name, None)
    return value is constexpr


def constant_key(value: Any, name: str) -> object:
    """What tells two values of such an argument apart; LaunchError for a value that cannot be one."""
    if isinstance(value, int) and value.bit_length() > MAXIMUM_BITS:
        found = f"{value.bit_length():,} bits"
        raise LaunchError(
            f"the argument '{name}' is an integer of {found}; {MAXIMUM_BITS:,} is the most"
        )
    if isinstance(value, bool | int | str) or value is None:
        return type(value), value
    if isinstance(value, np.generic):
        if value.dtype.kind not in "biuf":
            raise _refused(value, name)
        return value.dtype, value.tobytes()
    if isinstance(value, float):
        return float, value.hex()  # 0.0 is not -0.0, and a NaN is itself
    if isinstance(value, ScalarType | VectorType | DeviceFunction):
        return value
    if isinstance(value, tuple):
        items = enumerate(value)
        return tuple, *(constant_key(item, f"{name}[{place}]") for place, item in items)
    raise _refused(value, name)


def constant_type(value: Any, name: str) -> ConstantType:
    """The type of such an argument; LaunchError for a value that cannot be one."""
    constant_key(value, name)
    return ConstantType(_plain(value))


def functions_of(value: Any) -> Iterator[DeviceFunction]:
    """The device functions in such a value."""
    if isinstance(value, DeviceFunction):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from functions_of(item)


def _plain(value: Any) -> Any:
    """Without subclasses, such as those of enumerations and named tuples."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int | float) and not isinstance(value, np.generic):
        return plain(value)
    return value


def _refused(value: Any, name: str) -> LaunchError:
    kind = type(value).__name__
    what = "a plain Python function" if isinstance(value, FunctionType) else f"a '{kind}'"
    hint = "decorate it with @hw.function" if isinstance(value, FunctionType) else _HINT
    if isinstance(value, type) and issubclass(value, np.generic):
        what, hint = f"the NumPy type '{value.__name__}'", f"pass hw.{value.__name__}"
    return LaunchError(
        f"the argument '{name}' is {what}, which is no value that is known when compiling",
        hint=hint,
    )
