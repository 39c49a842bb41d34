"""The neighbour loop: `for j, x_ij, r2 in grid.neighbors(i)`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from headwater import ir
from headwater.frontend.assignment import assign_to
from headwater.frontend.frame import Frame
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Array,
    Neighbors,
    Operand,
    Runtime,
    Scalar,
    Vector,
    describe,
)
from headwater.types import INT32, ScalarType


def lower(
    frame: Frame, node: ast.For, loop: Neighbors, around: Scalar | Vector, body: Callable[[], None]
) -> None:
    """The loop over the neighbours of `around`; `body` lowers what stands in it."""
    targets = node.target.elts if isinstance(node.target, ast.Tuple) else []
    if len(targets) != 3 or not all(isinstance(target, ast.Name) for target in targets):
        raise frame.fail(
            node.target,
            "a neighbour loop gives an index, an offset and a squared distance",
            "write 'for j, x_ij, r2 in grid.neighbors(i):'",
        )
    program = frame.program
    frame.at(node.iter)
    grid = _grid_of(frame, node.iter, loop)
    center, center_index = _center_of(frame, grid, around)
    kind = grid.positions.type.scalar
    index = ir.Value(INT32, "j")
    offset = (ir.Value(kind, "dx"), ir.Value(kind, "dy"), ir.Value(kind, "dz"))
    distance2 = ir.Value(kind, "r2")
    seen: tuple[Operand, ...] = (
        Runtime(index),
        Vector(tuple(Runtime(part) for part in offset)),
        Runtime(distance2),
    )
    block = ir.Block()
    with program.inside(block):
        for target, value in zip(targets, seen, strict=True):
            assign_to(frame, target, value)
        body()
    program.builder.append(
        ir.Neighbors(
            grid,
            center,
            center_index,
            index,
            offset,
            distance2,
            block,
            span=frame.span(node.iter),
        )
    )


def _grid_of(frame: Frame, node: ast.expr, loop: Neighbors) -> ir.GridRef:
    """The parameters of the grid, from the fields of the argument."""
    program, grid = frame.program, loop.grid

    def field(name: str) -> Operand:
        kind = grid.type.field(name)
        if kind is None:
            raise frame.fail(node, f"'{grid.type.name}' has no field '{name}', which a grid needs")
        return program.argument((*grid.path, name), kind)

    def misfit(name: str, wanted: str, value: Operand) -> Exception:
        return frame.fail(
            node,
            f"'{grid.type.name}' is no grid: its field '{name}' must be {wanted}, not {describe(value)}",
        )

    def array(name: str, components: int) -> ir.ArrayParameter:
        value = field(name)
        found = program.array(value) if isinstance(value, Array) else None
        if not isinstance(found, ir.ArrayParameter) or found.type.components != components:
            raise misfit(name, f"an array of {components} components", value)
        return found

    positions = array("positions", 3)
    scalar = positions.type.scalar

    def vector(name: str, kind: ScalarType) -> tuple[ir.Value, ir.Value, ir.Value]:
        value = field(name)
        if not isinstance(value, Vector):
            raise misfit(name, "a vec3", value)
        x, y, z = value.components
        return program.emit(x, kind), program.emit(y, kind), program.emit(z, kind)

    cutoff2 = field("cutoff2")
    if not isinstance(cutoff2, SCALAR_CLASSES):
        raise misfit("cutoff2", "a scalar", cutoff2)
    return ir.GridRef(
        "_".join(grid.path),
        positions,
        array("cell_start", 1),
        vector("low", scalar),
        vector("inverse", scalar),
        vector("box", scalar),
        vector("size", INT32),
        program.emit(cutoff2, scalar),
        grid.type.periodic,  # type: ignore[attr-defined]
        grid.type.reach,  # type: ignore[attr-defined]
    )


def _center_of(
    frame: Frame, grid: ir.GridRef, center: Scalar | Vector
) -> tuple[tuple[ir.Value, ir.Value, ir.Value], ir.Value | None]:
    program, scalar = frame.program, grid.positions.type.scalar
    if isinstance(center, Vector):
        x, y, z = (program.emit(part, scalar) for part in center.components)
        return (x, y, z), None
    index = program.emit(center, INT32)
    load = program.builder.load
    x, y, z = (load(grid.positions, (index,), component) for component in range(3))
    return (x, y, z), index
