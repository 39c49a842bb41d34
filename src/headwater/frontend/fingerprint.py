"""What a kernel's text depends on outside of its arguments, found without parsing it.

A warm start takes this and nothing else of the frontend, so it imports little.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import linecache
import re
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, get_type_hints

import numpy as np

from headwater.frontend.function import DeviceFunction
from headwater.frontend.markers import Marker, Namespace
from headwater.types import ScalarType, VectorType, is_record_class

MARKERS = (Marker, Namespace, ScalarType, VectorType)
MISSING = object()
# Bytes of a constant table, at most.
MAXIMUM_CONSTANT = 64 * 1024
# The path of a function's defaults.
DEFAULTS = "%defaults"

_IDENTIFIER = re.compile(r"[^\W\d]\w*")


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """A piece of what a kernel depends on: a value that a function captures, or (path '') the function itself."""

    function: FunctionType
    path: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Captures:
    """What a kernel depends on at this moment, and a digest of that.

    It may name more than the kernel uses, never less.
    """

    parts: tuple[Part, ...]
    digest: str


def captures(function: FunctionType) -> Captures:
    """The function's text, that of every device function it can reach, and captured values."""
    parts = tuple(_Walk().function(function))
    digest = hashlib.sha256("\0".join(f"{part.path}\0{part.text}" for part in parts).encode())
    return Captures(parts, digest.hexdigest())


class _Walk:
    def __init__(self) -> None:
        self.seen: set[int] = set()

    def function(self, function: FunctionType) -> Iterator[Part]:
        if id(function) in self.seen:
            return
        self.seen.add(id(function))
        code = function.__code__
        text = _text(code)
        yield Part(function, "", "\0".join((function.__name__, text, *_code(code))))
        names = {*_IDENTIFIER.findall(text), *code.co_names, *code.co_freevars}
        free = names - set(code.co_varnames)
        closure = closure_of(function)
        for name in sorted(free):
            value = closure.get(name, function.__globals__.get(name, MISSING))
            if value is not MISSING:
                yield from self.value(_Place(function, name, names), value)
        defaults = (function.__defaults__ or (), *sorted((function.__kwdefaults__ or {}).items()))
        yield from self.value(_Place(function, DEFAULTS, names), defaults)

    def value(self, place: _Place, value: object) -> Iterator[Part]:
        text = _shown(value)
        yield Part(place.function, place.path, text)
        if isinstance(value, DeviceFunction):
            yield from self.function(value.python)
        elif isinstance(value, ModuleType):
            yield from self.module(place, value)
        elif isinstance(value, tuple):
            for position, item in enumerate(value):
                yield from self.value(place.inner(f"[{position}]"), item)
        elif is_frozen(value) and not isinstance(value, MARKERS):
            for field in dataclasses.fields(value):  # type: ignore[arg-type]
                yield from self.value(place.inner(f".{field.name}"), getattr(value, field.name))

    def module(self, place: _Place, module: ModuleType) -> Iterator[Part]:
        if id(module) in self.seen:
            return
        self.seen.add(id(module))
        members = vars(module)
        for name in sorted(place.names & members.keys()):
            yield from self.value(place.inner(f".{name}"), members[name])
        self.seen.discard(id(module))


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """Where a value is captured; `names` are the attributes that may be asked of a module."""

    function: FunctionType
    path: str
    names: set[str]

    def inner(self, step: str) -> _Place:
        return _Place(self.function, self.path + step, self.names)


def _shown(value: object) -> str:
    """A value as text: all of it where it has no parts."""
    if isinstance(value, DeviceFunction):
        option = "" if value.contract else " (contract=False)"
        return f"the device function '{value.__qualname__}'{option}"
    if isinstance(value, ModuleType):
        return f"the module '{value.__name__}'"
    if isinstance(value, tuple):
        names = ", ".join(getattr(value, "_fields", ()))
        return f"a tuple of {len(value)}" + (f" ({names})" if names else "")
    if isinstance(value, np.generic):
        return f"{value.dtype} {value.item()!r}"
    if isinstance(value, np.ndarray):
        return _table(value)
    if isinstance(value, str | np.dtype):
        return repr(value)
    if isinstance(value, bool | int | float):
        return repr(plain(value))
    if isinstance(value, MARKERS):
        return str(getattr(value, "name", value))
    if is_record_class(value):
        return _class(value)  # type: ignore[arg-type]
    if isinstance(value, enum.EnumMeta):
        named: dict[str, enum.Enum] = dict(value.__members__)
        members = ", ".join(f"{name} = {member.value!r}" for name, member in named.items())
        return f"the class '{value.__qualname__}' ({members})"
    if isinstance(value, enum.Enum):
        return f"{value} ({value.value!r})"
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
        defaults = value._field_defaults  # type: ignore[attr-defined]
        return f"the class '{value.__qualname__}' ({', '.join(value._fields)}; {defaults!r})"
    kind, name = type(value).__qualname__, getattr(value, "__qualname__", None)
    return f"a '{kind}'" if name is None or is_frozen(value) else f"'{name}' (a '{kind}')"


def _class(kind: type, outer: tuple[type, ...] = ()) -> str:
    """A dataclass by its fields, which are what kernels make of it."""
    if kind in outer:
        return kind.__qualname__
    try:
        hints = get_type_hints(kind)
    except NameError:
        hints = {}
    fields = [
        f"{field.name}: {_annotation(hints.get(field.name, field.type), (*outer, kind))} = {field.default!r}"
        for field in dataclasses.fields(kind)
    ]
    made = kind.__dataclass_params__  # type: ignore[attr-defined]
    return f"the class '{kind.__qualname__}' ({', '.join(fields)}; {made!r})"


def _annotation(hint: object, outer: tuple[type, ...]) -> str:
    return _class(hint, outer) if is_record_class(hint) else str(hint)  # type: ignore[arg-type]


def _table(value: np.ndarray[Any, Any]) -> str:
    """An array by its content, so far as it can be a constant table."""
    text = f"an array of {value.dtype} of shape {value.shape}"
    if value.nbytes > MAXIMUM_CONSTANT or value.dtype.hasobject:
        return text
    return f"{text} with the digest {hashlib.sha256(value.tobytes()).hexdigest()[:16]}"


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


def closure_of(function: FunctionType) -> dict[str, object]:
    """The captured variables of a function, by name."""
    cells = function.__closure__ or ()
    found = {}
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not yet assigned
            continue
    return found


def plain(value: bool | int | float) -> bool | int | float:
    """Without a subclass, such as that of an enumeration."""
    if isinstance(value, bool):
        return value
    return int(value) if isinstance(value, int) else float(value)


def is_frozen(value: object) -> bool:
    """Whether a value is an object of a frozen dataclass."""
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)
