"""Functions of vectors."""

from __future__ import annotations

import ast

from headwater.frontend import arithmetic
from headwater.frontend.frame import Frame
from headwater.frontend.rows import Row, scalars, vector
from headwater.frontend.values import Operand, Vector


def _vector(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    return arithmetic.unify(frame.program, scalars(frame, node, arguments))


def _two(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> tuple[Vector, Vector]:
    a, b = vector(frame, arguments[0]), vector(frame, arguments[1])
    frame.at(node)
    if len(a.components) != len(b.components):
        raise frame.fail(
            node, f"a vec{len(a.components)} and a vec{len(b.components)} do not combine"
        )
    return a, b


def _dot(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    a, b = _two(frame, node, arguments)
    return arithmetic.dot(frame.program, a, b)


def _cross(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    a, b = _two(frame, node, arguments)
    if len(a.components) != 3:
        raise frame.fail(node, f"'cross' takes vectors of three, not a vec{len(a.components)}")
    return arithmetic.cross(frame.program, a, b)


def _length(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    a = vector(frame, arguments[0])
    frame.at(node)
    square = arithmetic.dot(frame.program, a, a)
    return arithmetic.float_function(frame.program, "sqrt", square)


ROWS: dict[str, Row] = {
    "vec2": Row("x y", _vector),
    "vec3": Row("x y z", _vector),
    "vec4": Row("x y z w", _vector),
    "dot": Row("a b", _dot),
    "cross": Row("a b", _cross),
    "length": Row("a", _length),
}
