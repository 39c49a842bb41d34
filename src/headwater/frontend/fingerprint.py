"""What a kernel's text depends on outside of its arguments, found without parsing it.

A warm start takes this and nothing else of the frontend, so it imports little.
"""

from __future__ import annotations

import dataclasses
import hashlib
import linecache
import re
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType

import numpy as np

from headwater.frontend import language
from headwater.frontend.function import DeviceFunction
from headwater.types import ScalarType, VectorType

MARKERS = (language.Intrinsic, language.Axes, language.Namespace, ScalarType, VectorType)
MISSING = object()

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
        closure = closure_of(function)
        for name in sorted(free):
            value = closure.get(name, function.__globals__.get(name, MISSING))
            if value is not MISSING:
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
            yield repr(plain(value))
        elif isinstance(value, MARKERS):
            yield str(getattr(value, "name", value))
        elif is_frozen(value):
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
