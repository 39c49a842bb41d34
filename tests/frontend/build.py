"""Short ways to lower a function, without a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater import ir
from headwater.frontend.dialect import HW, Dialect, Guard
from headwater.frontend.lower import lower
from headwater.types import (
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    UINT32,
    ArgumentType,
    ArrayType,
    GridType,
    ScalarType,
    StructType,
    VectorType,
)

VEC3F = VectorType(FLOAT32, 3)
VEC3D = VectorType(FLOAT64, 3)
SCALARS = {s.name: s for s in (INT32, UINT32, INT64, FLOAT32, FLOAT64)}


def array(element: ScalarType | VectorType = FLOAT32, ndim: int = 1, alias: int = 0) -> ArrayType:
    return ArrayType(element, ndim, alias=alias)


def grid_type(periodic: tuple[bool, bool, bool] = (False, False, False)) -> GridType:
    fields: tuple[tuple[str, ArgumentType], ...] = (
        ("positions", array(VEC3F)),
        ("cell_start", array(INT32)),
        ("low", VEC3F),
        ("inverse", VEC3F),
        ("box", VEC3F),
        ("size", VectorType(INT32, 3)),
        ("cutoff2", FLOAT32),
    )
    return GridType("CellGrid", fields, periodic, 1)


def struct(name: str, **fields: ArgumentType) -> StructType:
    return StructType(name, tuple(fields.items()))


def build(
    function: Callable[..., Any],
    *types: ArgumentType,
    block: tuple[int, int, int] = (32, 1, 1),
    axes: int | None = None,
    guard: Guard | None = None,
    dialect: Dialect = HW,
) -> ir.Kernel:
    """Lower a plain function, arguments in order; the result is verified."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    arguments = list(zip(names, types, strict=True))
    kernel = lower(function, arguments, block, axes=axes, guard=guard, dialect=dialect)
    ir.verify(kernel)
    return kernel


def variables(kernel: ir.Kernel) -> dict[str, str]:
    """The type of each variable by name."""
    return {variable.name: variable.type.name for variable in kernel.variables}


def stored(kernel: ir.Kernel) -> str:
    """How the value of the last store was made: '=', operation and type."""
    store = [node for node in ir.walk(kernel.body) if isinstance(node, ir.Store)][-1]
    return source(kernel, store.value)


def source(kernel: ir.Kernel, value: ir.Value) -> str:
    """The node that makes the value, as 'name(type, type) -> type'."""
    for node in ir.walk(kernel.body):
        if getattr(node, "result", None) is not value:
            continue
        if isinstance(node, ir.Compute):
            kinds = ", ".join(argument.type.name for argument in node.arguments)
            return f"{node.operation}({kinds}) -> {value.type}"
        return f"{type(node).__name__.lower()} -> {value.type}"
    return f"parameter -> {value.type}"
