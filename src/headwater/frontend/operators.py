"""Binary operators, of scalars and of vectors."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from headwater.frontend import arithmetic
from headwater.frontend.frame import Frame
from headwater.frontend.powers import power
from headwater.frontend.values import SCALAR_CLASSES, Operand, Scalar, Tuple, Vector, describe

_ROWS: dict[type[ast.operator], arithmetic.Binary] = {
    ast.Add: arithmetic.ADD,
    ast.Sub: arithmetic.SUB,
    ast.Mult: arithmetic.MUL,
    ast.Div: arithmetic.DIV,
    ast.FloorDiv: arithmetic.FLOORDIV,
    ast.Mod: arithmetic.MOD,
    ast.BitAnd: arithmetic.AND,
    ast.BitOr: arithmetic.OR,
    ast.BitXor: arithmetic.XOR,
    ast.LShift: arithmetic.SHL,
    ast.RShift: arithmetic.SHR,
}


def combine(frame: Frame, node: ast.AST, operator: ast.operator, a: Operand, b: Operand) -> Operand:
    """`a operator b`, for scalars and vectors."""
    frame.at(node)
    if isinstance(operator, ast.MatMult):
        raise frame.fail(node, "the operator '@' is not supported", "use hw.dot or hw.cross")
    row = _ROWS.get(type(operator))
    compute: Callable[..., Scalar] = power if row is None else partial(arithmetic.binary, row=row)
    if isinstance(a, SCALAR_CLASSES) and isinstance(b, SCALAR_CLASSES):
        return compute(frame.program, a=a, b=b)
    if isinstance(a, (*SCALAR_CLASSES, Vector)) and isinstance(b, (*SCALAR_CLASSES, Vector)):
        return arithmetic.component_by_component(frame.program, compute, a, b)
    if row is arithmetic.ADD and isinstance(a, Tuple) and isinstance(b, Tuple):
        return Tuple((*a.items, *b.items))
    sign = "**" if row is None else row.sign
    raise frame.fail(node, f"'{sign}' is not defined for {describe(a)} and {describe(b)}")
