"""`breakpoint()`: a device that runs kernels in Python stops there, with the names of the kernel."""

from __future__ import annotations

import ast

from headwater import ir
from headwater.frontend.frame import Alias, Argument, Binding, Frame, Slot
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Array,
    Nothing,
    Operand,
    Record,
    Records,
    Struct,
    Tuple,
    Vector,
    WeakParameter,
)
from headwater.types import FLOAT64, INT64, GridType

_COMPONENTS = "xyzw"


def breakpoint_call(frame: Frame, node: ast.Call) -> Operand:
    """`breakpoint()`, without arguments."""
    if node.args or node.keywords:
        raise frame.fail(node, "'breakpoint' takes no arguments in a kernel")
    frame.at(node)
    seen = _Seen(frame)
    for name, binding in frame.names.items():
        value = _value(frame, name, binding)
        if value is not None:
            seen.add(name, value)
    frame.program.builder.append(
        ir.Breakpoint(
            tuple(seen.names),
            tuple(seen.values),
            tuple(seen.labels),
            tuple(seen.arrays),
            frame.source.name,
            frame.span(node),
        )
    )
    return Nothing()


def _value(frame: Frame, name: str, binding: Binding) -> Operand | None:
    """What a name means here; None where it means nothing."""
    program = frame.program
    if isinstance(binding, Slot):
        return program.read(frame.variable(name))
    if isinstance(binding, Argument):
        return program.argument(binding.path, binding.type)
    if isinstance(binding, Alias) and program.is_open(binding.block):
        return binding.value
    return None


class _Seen:
    """Scalars by name, vectors and structs by their parts: 'p.x'. Arrays by theirs; views are left out."""

    def __init__(self, frame: Frame) -> None:
        self.program = frame.program
        self.names: list[str] = []
        self.values: list[ir.Value] = []
        self.labels: list[str] = []
        self.arrays: list[ir.Array] = []

    def add(self, name: str, value: Operand) -> None:
        if isinstance(value, SCALAR_CLASSES):
            self.names.append(name)
            self.values.append(self._emitted(value))
        elif isinstance(value, Array) and value.view is None:
            self.labels.append(name)
            self.arrays.append(self.program.array(value))
        else:
            for part, inner in self._parts(value):
                self.add(f"{name}.{part}", inner)

    def _emitted(self, value: Operand) -> ir.Value:
        if isinstance(value, WeakParameter):  # in the type that holds what was passed
            return self.program.scalar_parameter(
                value.path, FLOAT64 if value.kind.is_float else INT64
            )
        assert isinstance(value, SCALAR_CLASSES)
        return self.program.emit_default(value)

    def _parts(self, value: Operand) -> list[tuple[str, Operand]]:
        if isinstance(value, Vector):
            return list(zip(_COMPONENTS, value.components, strict=False))
        if isinstance(value, Tuple):
            return [(str(position), item) for position, item in enumerate(value.items)]
        if isinstance(value, Record | Records):
            return list(value.fields)
        if isinstance(value, Struct) and not isinstance(value.type, GridType):
            path = value.path
            return [(n, self.program.argument((*path, n), kind)) for n, kind in value.type.fields]
        return []
