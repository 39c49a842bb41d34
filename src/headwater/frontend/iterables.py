"""What a `for` loop goes over: ranges, arrays, tuples, neighbours; functions of what holds several values."""

from __future__ import annotations

import ast

from headwater.frontend import arithmetic, members, places, views
from headwater.frontend.frame import Frame
from headwater.frontend.operators import combine
from headwater.frontend.rows import Handler, Row, scalars, several
from headwater.frontend.values import (
    ARRAYS,
    SCALAR_CLASSES,
    Literal,
    Neighbors,
    Operand,
    Range,
    Scalar,
    Tuple,
    Vector,
    Walk,
    describe,
)
from headwater.types import BOOL, WEAK_INT

_ZERO, _ONE = Literal(0, WEAK_INT), Literal(1, WEAK_INT)
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
    if len(values) == 1:
        return Range(_ZERO, values[0], _ONE)
    step = values[2] if len(values) == 3 else _ONE
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


# --- what is made of other iterables --------------------------------------------------------------


def walked(frame: Frame, node: ast.expr, value: Operand) -> Tuple | Walk | None:
    """What a loop over the value goes through: items that are known by number, or a walk; None where it is neither."""
    if isinstance(value, Walk):
        return value
    items = members.items(frame, value)
    if items is not None:
        return items
    frame.at(node)
    if isinstance(value, ARRAYS):
        length = views.length(frame.program, value, 0)
        return Walk(length, lambda index: places.nth(frame, node, value, index))
    if isinstance(value, Range):
        return _walked_range(frame, node, value)
    return None


def _walked_range(frame: Frame, node: ast.expr, bounds: Range) -> Walk:
    step = bounds.step.value if isinstance(bounds.step, Literal) else None
    if step is None:
        raise frame.fail(node, "the step of this range must be known when compiling")
    program = frame.program
    low, high = (bounds.start, bounds.stop) if step > 0 else (bounds.stop, bounds.start)
    distance = arithmetic.binary(program, arithmetic.SUB, high, low)
    length = arithmetic.extremum(program, "max", (distance, _ZERO))
    if abs(step) > 1:
        size = Literal(abs(step), WEAK_INT)
        short = arithmetic.binary(program, arithmetic.ADD, length, Literal(abs(step) - 1, WEAK_INT))
        length = arithmetic.binary(program, arithmetic.FLOORDIV, short, size)

    def item(index: Scalar) -> Operand:
        turned = arithmetic.binary(program, arithmetic.MUL, index, bounds.step)
        return arithmetic.binary(program, arithmetic.ADD, bounds.start, turned)

    return Walk(length, item)


def _iterable(frame: Frame, node: ast.expr) -> Tuple | Walk:
    value = frame.expression(node)
    found = walked(frame, node, value)
    if found is None:
        raise frame.fail(node, f"a range, an array or a tuple was expected, not {describe(value)}")
    return found


def _enumerate(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    sequence, start = _iterable(frame, arguments[0]), frame.scalar(arguments[1])
    if not start.kind.is_integer:
        raise frame.fail(arguments[1], f"an integer was expected, not {describe(start)}")

    def numbered(index: Scalar, item: Operand) -> Operand:
        return Tuple((arithmetic.binary(frame.program, arithmetic.ADD, start, index), item))

    if isinstance(sequence, Walk):
        return Walk(sequence.length, lambda index: numbered(index, sequence.item(index)))
    items = enumerate(sequence.items)
    return Tuple(tuple(numbered(Literal(k, WEAK_INT), item) for k, item in items))


def _zip(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    """As in Python, it ends with the shortest."""
    sequences = [_iterable(frame, argument) for argument in arguments]
    frame.at(node)
    walks = [s for s in sequences if isinstance(s, Walk)]
    if not walks:
        columns = (s.items for s in sequences if isinstance(s, Tuple))
        return Tuple(tuple(Tuple(items) for items in zip(*columns, strict=False)))
    if len(walks) < len(sequences):
        raise frame.fail(
            node,
            "'zip' joins what is known by number, such as tuples, or arrays and ranges, not both",
            "loop over the indices: 'for k in range(len(x))'",
        )
    length = arithmetic.extremum(frame.program, "min", [walk.length for walk in walks])
    return Walk(length, lambda index: Tuple(tuple(walk.item(index) for walk in walks)))


def _reversed(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    sequence, program = _iterable(frame, arguments[0]), frame.program
    if isinstance(sequence, Tuple):
        return Tuple(sequence.items[::-1])
    frame.at(node)
    last = arithmetic.binary(program, arithmetic.SUB, sequence.length, _ONE)

    def item(index: Scalar) -> Operand:
        return sequence.item(arithmetic.binary(program, arithmetic.SUB, last, index))

    return Walk(sequence.length, item)


# --- one value of several -------------------------------------------------------------------------


def _sum(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    """From the left, as Python adds."""
    total = frame.expression(arguments[1])
    for item in several(frame, node, arguments[0], "add up in a loop"):
        total = combine(frame, node, ast.Add(), total, item)
    return total


def _joined(row: arithmetic.Binary, neutral: bool) -> Handler:
    """`all` and `any`."""

    def handler(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
        program = frame.program
        result: Scalar = Literal(neutral, BOOL)
        for item in several(frame, node, arguments[0], "set a flag in a loop"):
            if not isinstance(item, SCALAR_CLASSES):
                raise frame.fail(node, f"a scalar was expected, not {describe(item)}")
            result = arithmetic.binary(program, row, result, arithmetic.truth(program, item))
        return result

    return handler


ROWS: dict[str, Row] = {
    "range": Row("start stop step", _range, few=1),
    "static_range": Row("start stop step", _static_range, few=1),
    "enumerate": Row("iterable start", _enumerate, (0,)),
    "zip": Row("iterables", _zip, many=True),
    "reversed": Row("sequence", _reversed),
    "sum": Row("iterable start", _sum, (0,)),
    "all": Row("iterable", _joined(arithmetic.AND, True)),
    "any": Row("iterable", _joined(arithmetic.OR, False)),
}
