"""Names from outside a kernel: constants are frozen, functions and types are recognised.

`fingerprint` names everything outside the arguments that a kernel's text depends on, without parsing it.
"""

from __future__ import annotations

import builtins
import dataclasses
import hashlib
import linecache
import math
import re
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType

import numpy as np

from headwater.errors import HeadwaterError
from headwater.frontend import language
from headwater.frontend.arithmetic import literal
from headwater.frontend.function import DeviceFunction
from headwater.frontend.values import Captured, Device, Literal, Nothing, Operand, Tuple, Vector
from headwater.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    UINT32,
    ScalarType,
    Vec3,
    VectorType,
    from_numpy,
)

_FLOOR_INTEGER = language.Intrinsic("math.floor")
_CEIL_INTEGER = language.Intrinsic("math.ceil")

# Python's own functions that mean something in a kernel, by identity.
_KNOWN: dict[object, Operand] = {
    min: language.min,
    max: language.max,
    abs: language.abs,
    range: language.Intrinsic("range"),
    len: language.Intrinsic("len"),
    int: language.Intrinsic("int"),
    float: language.Intrinsic("float"),
    bool: language.Intrinsic("bool"),
    math.sqrt: language.sqrt,
    math.fabs: language.abs,
    math.floor: _FLOOR_INTEGER,
    math.ceil: _CEIL_INTEGER,
    np.bool_: BOOL,
    np.int32: INT32,
    np.uint32: UINT32,
    np.int64: INT64,
    np.float32: FLOAT32,
    np.float64: FLOAT64,
    np.sqrt: language.sqrt,
    np.floor: language.floor,
    np.ceil: language.ceil,
}

_MARKERS = (language.Intrinsic, language.Axes, language.Namespace, ScalarType, VectorType)
_MISSING = object()


class Unusable(Exception):
    """A captured value that a kernel cannot use."""

    def __init__(self, text: str, hint: str | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint


def look_up(function: FunctionType, name: str) -> object:
    """The object that a free name means in the function, as Python would find it."""
    found = _closure(function).get(name, _MISSING)
    if found is _MISSING:
        found = function.__globals__.get(name, _MISSING)
    if found is _MISSING:
        found = getattr(builtins, name, _MISSING)
    if found is _MISSING:
        raise Unusable(
            f"the name '{name}' is not known", "define or import it, or pass it as an argument"
        )
    return found


def _closure(function: FunctionType) -> dict[str, object]:
    cells = function.__closure__ or ()
    found = {}
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not yet assigned
            continue
    return found


def freeze(name: str, value: object) -> Operand:
    """A captured object as a value of the kernel."""
    if isinstance(value, _MARKERS):
        return value
    if isinstance(value, np.generic):
        return _strong(name, value)
    if isinstance(value, bool | int | float):
        return literal(_plain(value))
    if isinstance(value, DeviceFunction):
        return Device(value.python)
    if isinstance(value, Vec3):
        return _vector(name, value)
    if isinstance(value, tuple):
        return Tuple(tuple(freeze(f"{name}[{k}]", item) for k, item in enumerate(value)))
    if value is None:
        return Nothing()
    if isinstance(value, ModuleType) or _is_frozen(value):
        return Captured(name, value)
    known = _KNOWN.get(value) if _hashable(value) else None
    if known is not None:
        return known
    raise _refused(name, value)


def attribute(captured: Captured, name: str) -> Operand:
    """A member of a module, or a field of a frozen dataclass."""
    found = getattr(captured.value, name, _MISSING)
    if found is _MISSING:
        raise Unusable(f"'{captured.name}' has no attribute '{name}'")
    return freeze(f"{captured.name}.{name}", found)


def _plain(value: bool | int | float) -> bool | int | float:
    """Without a subclass, such as that of an enumeration."""
    if isinstance(value, bool):
        return value
    return int(value) if isinstance(value, int) else float(value)


def _strong(name: str, value: np.generic) -> Literal:
    try:
        kind = from_numpy(value.dtype)
    except HeadwaterError as problem:
        raise Unusable(f"'{name}': {problem.message}", problem.hint) from None
    return Literal(value.item(), kind)


def _vector(name: str, value: Vec3) -> Vector:
    parts = [freeze(f"{name}.{axis}", getattr(value, axis)) for axis in "xyz"]
    literals = [part for part in parts if isinstance(part, Literal)]
    if len(literals) != 3 or len({part.kind for part in literals}) != 1:
        raise Unusable(f"the components of '{name}' are not three numbers of one type")
    return Vector(tuple(literals))


def _is_frozen(value: object) -> bool:
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)


def _hashable(value: object) -> bool:
    return type(value).__hash__ is not None


def _refused(name: str, value: object) -> Unusable:
    kind = type(value).__name__
    if isinstance(value, FunctionType):
        return Unusable(
            f"'{name}' is a plain Python function, which a kernel cannot call",
            "decorate it with @hw.function",
        )
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return Unusable(
            f"'{name}' is a dataclass that is not frozen", "use @dataclass(frozen=True)"
        )
    if callable(value):
        return Unusable(f"'{name}' (a '{kind}') cannot be called in a kernel")
    return Unusable(
        f"'{name}' is a '{kind}' from outside the kernel, which cannot be frozen into it",
        "pass it as an argument; numbers, types, tuples and frozen dataclasses can be captured",
    )


# --- the fingerprint ------------------------------------------------------------------------------

_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def fingerprint(function: FunctionType) -> str:
    """A digest of the function's text, of every device function it can reach, and of captured values.

    It may name more than the kernel uses, never less.
    """
    digest = hashlib.sha256()
    for part in _Walk().function(function):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


class _Walk:
    def __init__(self) -> None:
        self.seen: set[int] = set()

    def function(self, function: FunctionType) -> Iterator[str]:
        if id(function) in self.seen:
            return
        self.seen.add(id(function))
        code = function.__code__
        text = _text(code)
        yield function.__name__
        yield text
        yield from _code(code)
        names = {*_IDENTIFIER.findall(text), *code.co_names, *code.co_freevars}
        free = names - set(code.co_varnames)
        closure = _closure(function)
        for name in sorted(free):
            value = closure.get(name, function.__globals__.get(name, _MISSING))
            if value is not _MISSING:
                yield name
                yield from self.value(value, names)
        defaults = (function.__defaults__ or (), *sorted((function.__kwdefaults__ or {}).items()))
        yield from self.value(defaults, names)

    def value(self, value: object, names: set[str]) -> Iterator[str]:
        """`names` are the attributes that may be asked of a module."""
        if isinstance(value, DeviceFunction):
            yield from self.function(value.python)
        elif isinstance(value, ModuleType):
            yield from self.module(value, names)
        elif isinstance(value, tuple):
            yield f"tuple {len(value)}"
            for item in value:
                yield from self.value(item, names)
        elif isinstance(value, np.generic):
            yield f"{value.dtype} {value.item()!r}"
        elif isinstance(value, bool | int | float):
            yield repr(_plain(value))
        elif isinstance(value, _MARKERS):
            yield str(getattr(value, "name", value))
        elif _is_frozen(value):
            yield type(value).__qualname__
            for field in dataclasses.fields(value):  # type: ignore[arg-type]
                yield from self.value(getattr(value, field.name), names)
        else:
            yield type(value).__qualname__
            yield str(getattr(value, "__qualname__", ""))

    def module(self, module: ModuleType, names: set[str]) -> Iterator[str]:
        if id(module) in self.seen:
            return
        self.seen.add(id(module))
        yield f"module {module.__name__}"
        members = vars(module)
        for name in sorted(names & members.keys()):
            yield name
            yield from self.value(members[name], names)
        self.seen.discard(id(module))


def _text(code: CodeType) -> str:
    lines = linecache.getlines(code.co_filename)
    ends = [end or line or 0 for line, end, _, _ in code.co_positions()]
    return "".join(lines[code.co_firstlineno - 1 : max(ends, default=code.co_firstlineno)])


def _code(code: CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        else:
            yield repr(constant)
    yield from (*code.co_names, *code.co_varnames, *code.co_freevars)
