"""Stops a thread in Python's debugger, at the user's line and with the names that the kernel has there.

The stop is a line of Python made for the place, in a frame whose names are the thread's: whatever `breakpoint` calls,
which PYTHONBREAKPOINT says, finds them there. Arrays are seen as they are, and cannot be written.
"""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import numpy as np

from headwater import ir
from headwater.backends.reference.memory import Region
from headwater.backends.reference.thread import Thread
from headwater.errors import Span


def stop(thread: Thread, node: ir.Breakpoint) -> None:
    """Hand over to the debugger; back once it continues."""
    values = (thread.values[value] for value in node.values)
    arrays = (_seen(thread.regions[array], array) for array in node.arrays)
    names = dict(zip(node.names, values, strict=True))
    names |= dict(zip(node.labels, arrays, strict=True))
    seen: dict[str, Any] = {
        "threadIdx": _position(thread.position),
        "blockIdx": _position(thread.block),
        "blockDim": _position(thread.kernel.block_shape),
        "gridDim": _position(thread.grid),
    }
    _run(node.function, node.span or Span("<kernel>", 1, 0, 1, 0), seen | _nested(names))


def _run(function: str, span: Span, names: dict[str, Any]) -> None:
    place = {
        "lineno": span.line,
        "col_offset": span.column,
        "end_lineno": span.end_line,
        "end_col_offset": span.end_column,
    }
    call = ast.parse("breakpoint()")
    for part in ast.walk(call):
        for name, value in place.items():
            if name in part._attributes:
                setattr(part, name, value)
    code = compile(call, span.file, "exec").replace(co_name=function)
    exec(code, names)


def _position(triple: tuple[int, int, int]) -> SimpleNamespace:
    return SimpleNamespace(**dict(zip("xyz", triple, strict=True)))


def _nested(names: dict[str, Any]) -> dict[str, Any]:
    """'p.x' as an attribute of p; where all parts are numbers, p is a tuple."""
    found: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {}
    for name, value in names.items():
        first, dot, rest = name.partition(".")
        if dot:
            parts.setdefault(first, {})[rest] = value
        else:
            found[first] = value
    for first, inner in parts.items():
        items = _nested(inner)
        numbers = all(name.isdigit() for name in items)
        found[first] = tuple(items.values()) if numbers else SimpleNamespace(**items)
    return found


def _seen(region: Region, array: ir.Array) -> np.ndarray[Any, Any]:
    """The array as NumPy shows it; vectors have a last axis of components."""
    size = region.scalar.size
    shape, strides = list(region.shape), [stride * size for stride in region.strides]
    holder = array.type if isinstance(array, ir.ArrayParameter) else array
    components = holder.components
    if components > 1:
        shape.append(components)
        strides.append(region.component_stride * size)
    first = region.data[region.start :]
    return np.lib.stride_tricks.as_strided(first, shape, strides, writeable=False)
