"""What a `for` loop goes over: ranges and neighbours."""

from __future__ import annotations

import ast

from headwater.frontend.frame import Frame
from headwater.frontend.rows import Row, scalars
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Literal,
    Neighbors,
    Operand,
    Range,
    Tuple,
    Vector,
    describe,
)
from headwater.types import WEAK_INT

# How many trips may be written out, so that a program stays of a size that compilers take.
MAXIMUM_TRIPS = 1024


def _range(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    values = scalars(frame, node, arguments)
    for argument, value in zip(arguments, values, strict=True):
        if not value.kind.is_integer:
            raise frame.fail(
                argument,
                f"'range' takes integers, not {describe(value)}",
                "cast it with hw.int32(...)",
            )
    zero, one = Literal(0, WEAK_INT), Literal(1, WEAK_INT)
    if len(values) == 1:
        return Range(zero, values[0], one)
    step = values[2] if len(values) == 3 else one
    if isinstance(step, Literal) and step.value == 0:
        raise frame.fail(arguments[2], "the step of 'range' must not be zero")
    return Range(values[0], values[1], step)


def _static_range(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    """The numbers themselves: a loop over them is written out."""
    bounds = [frame.constant_integer(a, "an argument of 'static_range'") for a in arguments]
    if len(bounds) == 3 and bounds[2] == 0:
        raise frame.fail(arguments[2], "the step of 'static_range' must not be zero")
    trips = range(*bounds)
    if len(trips) > MAXIMUM_TRIPS:
        raise frame.fail(
            node,
            f"'static_range' of {len(trips):,} trips: at most {MAXIMUM_TRIPS} can be written out",
            "use range, which is a loop of the program",
        )
    return Tuple(tuple(Literal(k, WEAK_INT) for k in trips))


def neighbors(frame: Frame, node: ast.Call, target: Neighbors) -> Operand:
    """`grid.neighbors(center)`."""
    if len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
        raise frame.fail(node, f"'neighbors' takes 1 argument, not {len(node.args)}", _CENTER_HINT)
    center = frame.expression(node.args[0])
    if isinstance(center, Vector) or (
        isinstance(center, SCALAR_CLASSES) and center.kind.is_integer
    ):
        return Neighbors(target.grid, center)
    raise frame.fail(
        node.args[0],
        f"'neighbors' takes a particle's index or a point (vec3), not {describe(center)}",
        _CENTER_HINT,
    )


_CENTER_HINT = "write 'for j, x_ij, r2 in grid.neighbors(i):'"

ROWS: dict[str, Row] = {
    "range": Row("start stop step", _range, few=1),
    "static_range": Row("start stop step", _static_range, few=1),
}
