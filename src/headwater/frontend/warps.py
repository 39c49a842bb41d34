"""What the lanes of a warp do together."""

from __future__ import annotations

import ast

from headwater import ir
from headwater.frontend import arithmetic
from headwater.frontend.dialect import WARP_SIZE
from headwater.frontend.frame import Frame
from headwater.frontend.rows import Handler, Row
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Nothing,
    Operand,
    Runtime,
    Scalar,
    Tuple,
    Vector,
    describe,
)
from headwater.types import BOOL, INT32, UINT32, ScalarType

_ALL_LANES = 0xFFFF_FFFF
_WIDTHS = (1, 2, 4, 8, 16, 32)


def lane(frame: Frame) -> ir.Value:
    """The thread's position in its warp, from its linear index in the block."""
    builder = frame.program.builder
    x, y, z = frame.program.kernel.block_shape
    linear = builder.index("thread", 0)
    for axis, size, below in ((1, y, x), (2, z, x * y)):
        if size > 1:
            step = builder.compute("mul", builder.index("thread", axis), _integer(frame, below))
            linear = builder.compute("add", linear, step)
    if x * y * z <= WARP_SIZE:
        return linear
    return builder.compute("and", linear, _integer(frame, WARP_SIZE - 1))


def _integer(frame: Frame, value: int) -> ir.Value:
    return frame.program.builder.constant(value, INT32)


# --- arguments ------------------------------------------------------------------------------------


def _mask(frame: Frame, node: ast.expr) -> ir.Value:
    """Which lanes take part, as uint32; -1 is all of them."""
    value = frame.scalar(node)
    if not value.kind.is_integer:
        raise frame.fail(
            node, f"a mask is an integer, not {describe(value)}", "all lanes are 0xffffffff"
        )
    frame.at(node)
    return frame.program.emit(arithmetic.cast(frame.program, value, UINT32), UINT32)


def _whole(frame: Frame, node: ast.expr, name: str) -> ir.Value:
    value = frame.scalar(node)
    if not value.kind.is_integer:
        raise frame.fail(
            node, f"'{name}' is an integer, not {describe(value)}", "cast it with hw.int32(...)"
        )
    frame.at(node)
    return frame.program.emit(arithmetic.cast(frame.program, value, INT32), INT32)


def _predicate(frame: Frame, node: ast.expr) -> ir.Value:
    condition = frame.condition(node)
    frame.at(node)
    return frame.program.emit(condition, BOOL)


def _width(frame: Frame, node: ast.expr) -> int:
    width = frame.constant_integer(node, "the width of a shuffle")
    if width not in _WIDTHS:
        known = ", ".join(map(str, _WIDTHS))
        raise frame.fail(node, f"the width of a shuffle is one of {known}, not {width}")
    return width


def _scalar(frame: Frame, node: ast.expr) -> Scalar:
    value = frame.scalar(node)
    frame.at(node)
    return value


def _wide(frame: Frame, value: Scalar) -> ir.Value:
    """The value in a type of 32 or 64 bits, which is what lanes exchange."""
    emitted = frame.program.emit_default(value)
    narrow = emitted.type.bits < 32
    return frame.program.builder.cast(emitted, INT32) if narrow else emitted


def _exchange(
    frame: Frame,
    node: ast.AST,
    operation: str,
    arguments: tuple[ir.Value, ...],
    kind: ScalarType,
    width: int = WARP_SIZE,
) -> ir.Value:
    result = ir.Value(kind)
    frame.program.builder.append(ir.Warp(result, operation, arguments, width, frame.span(node)))
    return result


# --- functions ------------------------------------------------------------------------------------


def _syncwarp(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    mask = _mask(frame, arguments[0])
    frame.program.builder.append(ir.Warp(None, "sync", (mask,), span=frame.span(node)))
    return Nothing()


def _shuffle(operation: str, lane_name: str) -> Handler:
    def handler(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
        mask, value = _mask(frame, arguments[0]), frame.expression(arguments[1])
        source = _whole(frame, arguments[2], lane_name)
        width = _width(frame, arguments[3])
        frame.at(node)

        def one(part: Scalar) -> Scalar:
            wide = _wide(frame, part)
            found = _exchange(frame, node, operation, (wide, source, mask), wide.type, width)
            return Runtime(frame.program.builder.cast(found, frame.program.default(part.kind)))

        if isinstance(value, Vector):
            return Vector(tuple(map(one, value.components)))
        if isinstance(value, SCALAR_CLASSES):
            return one(value)
        raise frame.fail(arguments[1], f"lanes exchange scalars and vectors, not {describe(value)}")

    return handler


def _vote(operation: str, kind: ScalarType) -> Handler:
    def handler(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
        mask, predicate = _mask(frame, arguments[0]), _predicate(frame, arguments[1])
        frame.at(node)
        return Runtime(_exchange(frame, node, operation, (predicate, mask), kind))

    return handler


def _equal(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    """Whether it holds in all lanes or in none."""
    mask, predicate = _mask(frame, arguments[0]), _predicate(frame, arguments[1])
    frame.at(node)
    builder = frame.program.builder
    everywhere = _exchange(frame, node, "all", (predicate, mask), BOOL)
    somewhere = _exchange(frame, node, "any", (predicate, mask), BOOL)
    return Runtime(builder.compute("or", everywhere, builder.compute("not", somewhere)))


def _match(operation: str) -> Handler:
    def handler(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
        mask, value = _mask(frame, arguments[0]), _wide(frame, _scalar(frame, arguments[1]))
        frame.at(node)
        return Runtime(_exchange(frame, node, operation, (value, mask), UINT32))

    return handler


def _match_all(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    lanes = _match("match_all")(frame, node, arguments)
    if not isinstance(lanes, Runtime):
        raise frame.program.broken("a match gives no lanes")
    builder = frame.program.builder
    matched = builder.compute("ne", lanes.value, builder.constant(0, UINT32))
    return Tuple((lanes, Runtime(matched)))


def _active(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    frame.at(node)
    return Runtime(_exchange(frame, node, "active", (), UINT32))


def _lanes_below(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    """(1 << lane) - 1."""
    frame.at(node)
    builder = frame.program.builder
    one = builder.constant(1, UINT32)
    bit = builder.compute("shl", one, builder.cast(lane(frame), UINT32))
    return Runtime(builder.compute("sub", bit, one))


ROWS: dict[str, Row] = {
    "syncwarp": Row("mask", _syncwarp, (_ALL_LANES,)),
    "shfl_sync": Row("mask value lane width", _shuffle("shuffle", "lane"), (WARP_SIZE,)),
    "shfl_up_sync": Row("mask value delta width", _shuffle("shuffle_up", "delta"), (WARP_SIZE,)),
    "shfl_down_sync": Row(
        "mask value delta width", _shuffle("shuffle_down", "delta"), (WARP_SIZE,)
    ),
    "shfl_xor_sync": Row(
        "mask value lane_mask width", _shuffle("shuffle_xor", "lane_mask"), (WARP_SIZE,)
    ),
    "all_sync": Row("mask predicate", _vote("all", BOOL)),
    "any_sync": Row("mask predicate", _vote("any", BOOL)),
    "eq_sync": Row("mask predicate", _equal),
    "ballot_sync": Row("mask predicate", _vote("ballot", UINT32)),
    "match_any_sync": Row("mask value", _match("match_any")),
    "match_all_sync": Row("mask value", _match_all),
    "activemask": Row("", _active),
    "lanemask_lt": Row("", _lanes_below),
}
