"""From the leaves of a launch's arguments to what the backend takes: one generated function for each program.

A launch spends much of its time here, so the text of the function holds the common cases and calls out for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from headwater.backends.contract import LaunchArgument
from headwater.errors import InternalError, LaunchError
from headwater.runtime.compile import Parameter
from headwater.runtime.elements import shown
from headwater.types import FLOAT32, WEAK_FLOAT, WEAK_INT, ArgumentType, ScalarType

Converter: TypeAlias = Callable[[Any], LaunchArgument]
Packer: TypeAlias = Callable[[Sequence[Any]], list[LaunchArgument]]

_MAX_FLOAT32 = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True)
class Source:
    """Where one parameter of a program comes from: the leaf at `position`, of type `kind` (None: Headwater's own)."""

    parameter: Parameter
    kind: ArgumentType | None
    position: int


def packer(kernel: str, sources: Sequence[Source]) -> Packer:
    """The function from leaves to the arguments of `Executable.launch`.

    It raises MemoryUseError for a freed array, and LaunchError for a weak number that does not fit its type.
    """
    converters: dict[str, Converter] = {}
    texts = [_text(kernel, source, converters) for source in sources]
    made: Packer = eval(f"lambda leaf: [{', '.join(texts)}]", dict(converters))
    return made


def distinct(positions: Sequence[int]) -> Callable[[Sequence[Any]], bool]:
    """The function that says of leaves whether the arrays at these positions lie in different memory."""
    memories = ", ".join(f"leaf[{position}]._allocation" for position in positions)
    text = f"len({{{memories}}}) == {len(positions)}" if len(positions) > 1 else "True"
    made: Callable[[Sequence[Any]], bool] = eval(f"lambda leaf: {text}")
    return made


def _text(kernel: str, source: Source, converters: dict[str, Converter]) -> str:
    parameter, kind, leaf = source.parameter, source.kind, f"leaf[{source.position}]"
    if parameter.array:
        return f"({leaf}._usable() if {leaf}._allocation.freed else {leaf}._argument)"
    scalar = parameter.scalar
    name = f"convert_{len(converters)}"
    converters[name] = _converter(kernel, parameter, kind)
    if kind is WEAK_INT and scalar.is_integer:
        low, high = scalar.limits
        return f"({leaf} if {low} <= {leaf} <= {high} else {name}({leaf}))"
    if kind is WEAK_FLOAT and scalar is FLOAT32:
        return f"({leaf} if -{_MAX_FLOAT32!r} <= {leaf} <= {_MAX_FLOAT32!r} else {name}({leaf}))"
    return f"{name}({leaf})"


def _converter(kernel: str, parameter: Parameter, kind: ArgumentType | None) -> Converter:
    scalar = parameter.scalar
    if kind is WEAK_INT and scalar.is_integer:
        return lambda value: _misfit(kernel, parameter, value)
    if kind in (WEAK_INT, WEAK_FLOAT) and scalar.is_float:
        return _floating(kernel, parameter)
    if kind not in (None, scalar, WEAK_INT):
        raise InternalError(
            f"kernel '{kernel}': '{'.'.join(parameter.path)}' is {kind} and cannot be passed as {scalar}"
        )
    return _plain(scalar)


def _plain(scalar: ScalarType) -> Converter:
    if scalar.is_bool:
        return bool
    return float if scalar.is_float else int


def _misfit(kernel: str, parameter: Parameter, value: int | float) -> LaunchArgument:
    name, scalar = ".".join(parameter.path), parameter.scalar
    wider = scalar.bits < 32 and -(2**31) <= value < 2**31
    hint = "no integer type holds it; pass a float"
    if isinstance(value, float) or -(2**63) <= value < 2**64:
        kind = "int32" if wider else "int64" if value < 2**63 else "uint64"
        hint = f"pass a NumPy scalar of the type you need, such as np.{kind}({name})"
    raise LaunchError(
        f"kernel '{kernel}': the argument '{name}' is {shown(value)}, which does not fit {scalar}",
        hint=hint,
    )


def _floating(kernel: str, parameter: Parameter) -> Converter:
    limit = _MAX_FLOAT32 if parameter.scalar is FLOAT32 else math.inf

    def convert(value: float) -> LaunchArgument:
        try:
            result = float(value)
        except OverflowError:
            return _misfit(kernel, parameter, value)
        if -limit <= result <= limit or math.isnan(result):
            return result
        with np.errstate(over="ignore"):
            return float(np.float32(result))  # infinite, or just rounds down to the largest

    return convert
