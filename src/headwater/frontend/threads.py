"""Where a thread is, and what the threads of a block do together."""

from __future__ import annotations

import ast

from headwater import ir
from headwater.frontend import warps
from headwater.frontend.dialect import WARP_SIZE
from headwater.frontend.frame import Frame
from headwater.frontend.rows import Handler, Row
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Literal,
    Nothing,
    Operand,
    Runtime,
    Scalar,
    Tuple,
    Vector,
    describe,
)
from headwater.types import BOOL, INT32

# --- indices --------------------------------------------------------------------------------------


def _axes(frame: Frame, node: ast.Call, argument: ast.expr, name: str) -> range:
    count = frame.constant_integer(argument, f"the argument of '{name}'")
    if not 1 <= count <= 3:
        raise frame.fail(argument, f"'{name}' takes 1, 2 or 3 axes, not {count}")
    axes = frame.program.axes
    if axes is not None and count != axes:
        raise frame.fail(
            node,
            f"'{name}({count})' does not fit the launch: its index space, {frame.program.space}, "
            f"has {axes} {'axis' if axes == 1 else 'axes'}",
            f"write '{name}({axes})', or launch over a shape of {count}",
        )
    frame.at(node)
    return range(count)


def _grid(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    values = [global_index(frame, axis) for axis in _axes(frame, node, arguments[0], "grid")]
    return values[0] if len(values) == 1 else Tuple(tuple(values))


def global_index(frame: Frame, axis: int) -> Runtime:
    """The thread's position in the whole launch: block * block size + thread."""
    builder = frame.program.builder
    size = builder.constant(frame.program.kernel.block_shape[axis], INT32)
    first = builder.compute("mul", builder.index("block", axis), size)
    return Runtime(builder.compute("add", first, builder.index("thread", axis)))


def _gridsize(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    builder = frame.program.builder
    values = []
    for axis in _axes(frame, node, arguments[0], "gridsize"):
        size = builder.constant(frame.program.kernel.block_shape[axis], INT32)
        values.append(Runtime(builder.compute("mul", builder.index("grid_size", axis), size)))
    return values[0] if len(values) == 1 else Tuple(tuple(values))


def value_of(frame: Frame, node: ast.AST, name: str) -> Scalar:
    """`hw.laneid` and its kin."""
    frame.at(node)
    if name == "warpsize":
        return Literal(WARP_SIZE, frame.program.dialect.integer)
    return Runtime(warps.lane(frame))


# --- barriers -------------------------------------------------------------------------------------


def _syncthreads(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    frame.at(node)
    frame.program.builder.append(ir.Barrier(frame.span(node)))
    return Nothing()


def _barrier_vote(operation: str) -> Handler:
    def handler(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
        condition = frame.condition(arguments[0])
        frame.at(node)
        program = frame.program
        predicate = program.emit(condition, BOOL)
        result = ir.Value(INT32 if operation == "count" else BOOL)
        program.builder.append(ir.BarrierVote(result, operation, predicate, frame.span(node)))
        return Runtime(result)

    return handler


def _fence(scope: str) -> Handler:
    def handler(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
        frame.program.builder.append(ir.Fence(scope, frame.span(node)))
        return Nothing()

    return handler


def _uniform(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    value = frame.expression(arguments[0])
    frame.at(node)
    if isinstance(value, Vector):
        return Vector(tuple(_assert_uniform(frame, part) for part in value.components))
    if isinstance(value, SCALAR_CLASSES):
        return _assert_uniform(frame, value)
    raise frame.fail(node, f"'uniform' takes a scalar or a vector, not {describe(value)}")


def _assert_uniform(frame: Frame, value: Scalar) -> Scalar:
    if isinstance(value, Literal):
        return value
    program = frame.program
    if isinstance(value, Runtime):
        return Runtime(program.builder.compute("uniform", value.value))
    return program.weak("uniform", (value,), value.kind)


ROWS: dict[str, Row] = {
    "grid": Row("ndim", _grid),
    "gridsize": Row("ndim", _gridsize),
    "syncthreads": Row("", _syncthreads),
    "syncthreads_count": Row("predicate", _barrier_vote("count")),
    "syncthreads_and": Row("predicate", _barrier_vote("and")),
    "syncthreads_or": Row("predicate", _barrier_vote("or")),
    "threadfence_block": Row("", _fence("block")),
    "threadfence": Row("", _fence("device")),
    "threadfence_system": Row("", _fence("system")),
    "uniform": Row("value", _uniform),
}
