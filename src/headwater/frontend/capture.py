"""Names from outside a kernel: constants are frozen, functions and types are recognised."""

from __future__ import annotations

import builtins
import dataclasses
import enum
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from headwater.errors import HeadwaterError
from headwater.frontend import absent
from headwater.frontend.fingerprint import MARKERS, MISSING, closure_of, is_frozen, plain
from headwater.frontend.function import DeviceFunction
from headwater.frontend.known import KNOWN
from headwater.frontend.values import (
    Captured,
    Device,
    Literal,
    Nothing,
    Operand,
    RecordClass,
    Text,
    Tuple,
    TupleClass,
    Vector,
    literal,
)
from headwater.types import (
    FLOAT16,
    FLOAT32,
    WEAK_FLOAT,
    HostVector,
    ScalarType,
    field_types,
    from_numpy,
    is_record_class,
    typed_field,
)

_CALLS = (
    "kernels call functions of headwater, those decorated with @hw.function, functions of numbers in math and numpy, "
    "and min, max, abs, pow, round, divmod, sum, any, all, range, enumerate, zip, reversed, len, int, float, bool"
)


class Unusable(Exception):
    """A captured value that a kernel cannot use."""

    def __init__(self, text: str, hint: str | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint


def look_up(function: FunctionType, name: str) -> object:
    """The object that a free name means in the function, as Python would find it."""
    found = closure_of(function).get(name, MISSING)
    if found is MISSING:
        found = function.__globals__.get(name, MISSING)
    if found is MISSING:
        found = getattr(builtins, name, MISSING)
    if found is MISSING:
        raise Unusable(
            f"the name '{name}' is not known", "define or import it, or pass it as an argument"
        )
    return found


def freeze(name: str, value: object) -> Operand:
    """A captured object as a value of the kernel."""
    if isinstance(value, MARKERS):
        return value
    if isinstance(value, np.generic):
        return _strong(name, value)
    if isinstance(value, bool | int | float):
        return literal(plain(value))
    if isinstance(value, DeviceFunction):
        return Device(value.python, value.contract)
    if isinstance(value, HostVector):
        return _vector(name, value)
    if isinstance(value, str):
        return Text(value)
    if isinstance(value, tuple):
        items = (freeze(f"{name}[{k}]", item) for k, item in enumerate(value))
        return Tuple(tuple(items), getattr(value, "_fields", ()))
    if value is None:
        return Nothing()
    if isinstance(value, ModuleType | np.ndarray) or is_frozen(value):
        return Captured(name, value)
    if isinstance(value, np.dtype):
        return _dtype(name, value)
    if is_record_class(value) and value.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return RecordClass(value)  # type: ignore[arg-type]
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
        return TupleClass(value)
    if isinstance(value, enum.Enum | enum.EnumMeta):
        return Captured(name, value)
    known = KNOWN.get(value) if _hashable(value) else None
    if known is not None:
        return known
    raise _refused(name, value)


def attribute(captured: Captured, name: str) -> Operand:
    """A member of a module, or a field of a frozen dataclass; of a NumPy array what cannot change."""
    if isinstance(captured.value, np.ndarray) and name not in _OF_AN_ARRAY:
        raise Unusable(
            f"'{captured.name}' is a NumPy array from outside the kernel, which has no '{name}' there",
            f"make a constant table of it with hw.const.array_like({captured.name}), or pass it as an argument",
        )
    found = getattr(captured.value, name, MISSING)
    if found is MISSING:
        raise _missing(captured, name)
    kind: type = type(captured.value)
    wanted = field_types(kind).get(name) if is_frozen(captured.value) else None
    if wanted is not None:
        try:
            found = typed_field(kind, name, found, wanted)
        except HeadwaterError as error:
            raise Unusable(error.message, error.hint) from None
    return freeze(f"{captured.name}.{name}", found)


def fields_of(captured: Captured) -> tuple[str, list[tuple[str, Operand]]] | None:
    """The name of a frozen dataclass and the values of its fields; None of other objects."""
    value = captured.value
    if not is_frozen(value):
        return None
    names = [field.name for field in dataclasses.fields(value)]  # type: ignore[arg-type]
    return type(value).__qualname__, [(name, attribute(captured, name)) for name in names]


_OF_AN_ARRAY = ("shape", "ndim", "size", "dtype")


def _missing(captured: Captured, name: str) -> Unusable:
    module, shown = captured.value, f"{captured.name}.{name}"
    if isinstance(module, ModuleType):
        explained = absent.explain_member(module, shown, name)
        if explained is not None:
            return Unusable(*explained)
    return Unusable(f"'{captured.name}' has no attribute '{name}'")


def _strong(name: str, value: np.generic) -> Literal:
    kind = _dtype(name, value.dtype)
    return Literal(value.item(), FLOAT32 if kind is FLOAT16 else kind)


def _dtype(name: str, dtype: np.dtype[Any]) -> ScalarType:
    try:
        return from_numpy(dtype)
    except HeadwaterError as problem:
        raise Unusable(f"'{name}': {problem.message}", problem.hint) from None


def _vector(name: str, value: HostVector) -> Vector:
    axes = [field.name for field in dataclasses.fields(value)]
    parts = [freeze(f"{name}.{axis}", getattr(value, axis)) for axis in axes]
    literals = [part for part in parts if isinstance(part, Literal)]
    kinds = {part.kind for part in literals}
    if len(literals) == len(axes) and len(kinds) == 1:
        return Vector(tuple(literals))
    if len(literals) == len(axes) and all(kind.weak for kind in kinds):
        return Vector(tuple(Literal(float(part.value), WEAK_FLOAT) for part in literals))
    raise Unusable(f"the components of '{name}' are not {len(axes)} numbers of one type")


def _hashable(value: object) -> bool:
    return type(value).__hash__ is not None


def _refused(name: str, value: object) -> Unusable:
    kind = type(value).__name__
    if isinstance(value, type) and issubclass(value, np.generic):
        return Unusable(f"'{name}': the dtype '{value.__name__}' is not one that kernels know")
    explained = absent.explain_object(name, value)
    if explained is not None:
        return Unusable(*explained)
    if isinstance(value, FunctionType):
        return Unusable(
            f"'{name}' is a plain Python function, which a kernel cannot call",
            "decorate it with @hw.function",
        )
    if dataclasses.is_dataclass(value):
        return Unusable(
            f"'{name}' is a dataclass that is not frozen", "use @dataclass(frozen=True)"
        )
    if isinstance(value, type):
        return Unusable(
            f"'{name}' is a class, which a kernel can neither call nor look into",
            "give what you need of it a name outside of the kernel, such as 'LIMIT = Limits.high'",
        )
    if callable(value):
        return Unusable(f"'{name}' (a '{kind}') cannot be called in a kernel", _CALLS)
    return Unusable(
        f"'{name}' is a '{kind}' from outside the kernel, which cannot be frozen into it",
        "pass it as an argument; numbers, types, tuples and frozen dataclasses can be captured",
    )
