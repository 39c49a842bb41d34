"""`assert` and `print`: checked and printed where a program is compiled for debugging."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from headwater import ir
from headwater.frontend.frame import Frame
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Literal,
    Nothing,
    Operand,
    Text,
    Tuple,
    Vector,
    describe,
)
from headwater.types import BOOL, ScalarType, VectorType

Part = str | ir.Value

# Conversions of f-strings that change nothing about numbers: none, !s, !r.
_CONVERSIONS = (-1, ord("s"), ord("r"))


def assertion(frame: Frame, node: ast.Assert) -> bool:
    """`assert condition, message`."""
    condition = frame.condition(node.test)
    message = _message(frame, node)
    if isinstance(condition, Literal) and condition.value:
        return True
    frame.at(node)
    emitted = frame.program.emit(condition, BOOL)
    frame.program.builder.append(ir.Assert(emitted, message, frame.span(node.test)))
    return True


def _message(frame: Frame, node: ast.Assert) -> str:
    """The text of an assert; without one, what it asserts."""
    if node.msg is None:
        return ast.unparse(node.test)
    parts = _merged(_parts(frame, node.msg))
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) == len(parts):
        return "".join(texts)
    raise frame.fail(
        node.msg,
        "the message of an assert is a text that is known when compiling",
        "print values with print(...) before it",
    )


def print_line(frame: Frame, node: ast.Call) -> Operand:
    """`print(value, ..., sep=" ")`."""
    separator = " "
    for keyword in node.keywords:
        if keyword.arg != "sep":
            raise frame.fail(
                keyword, f"'print' takes no '{keyword.arg or '**'}' in a kernel", "it takes sep"
            )
        separator = _text(frame, keyword.value)
    parts: list[Part] = []
    for position, argument in enumerate(node.args):
        parts += [separator] * (position > 0)
        parts += _parts(frame, argument)
    frame.at(node)
    frame.program.builder.append(ir.Print(_merged(parts), frame.span(node)))
    return Nothing()


def _text(frame: Frame, node: ast.expr) -> str:
    value = frame.expression(node)
    if isinstance(value, Text):
        return value.value
    raise frame.fail(
        node, f"a string that is known when compiling was expected, not {describe(value)}"
    )


def _parts(frame: Frame, node: ast.expr) -> Iterator[Part]:
    """What a value or an f-string prints."""
    if isinstance(node, ast.Starred):
        raise frame.fail(node, "'*' in a call is not supported", "write the arguments one by one")
    if not isinstance(node, ast.JoinedStr):
        yield from _shown(frame, node, frame.expression(node))
        return
    for piece in node.values:
        if isinstance(piece, ast.FormattedValue):
            if piece.format_spec is not None or piece.conversion not in _CONVERSIONS:
                # Before Python 3.12 the piece stands where the whole string does.
                raise frame.fail(
                    node,
                    "a format in an f-string is not supported in a kernel",
                    "write {value}: it prints as Python prints it",
                )
            yield from _parts(frame, piece.value)
        elif isinstance(piece, ast.Constant):
            yield str(piece.value)


def _shown(frame: Frame, node: ast.expr, value: Operand) -> Iterator[Part]:
    frame.at(node)
    if isinstance(value, Text):
        yield value.value
    elif isinstance(value, Literal) and (value.kind.weak or value.kind.is_bool):
        yield str(value.value)
    elif isinstance(value, SCALAR_CLASSES):
        yield frame.program.emit_default(value)
    elif isinstance(value, Vector | Tuple):
        items = value.components if isinstance(value, Vector) else value.items
        yield "("
        for position, item in enumerate(items):
            yield ", " if position else ""
            yield from _shown(frame, node, item)
        yield ",)" if isinstance(value, Tuple) and len(items) == 1 else ")"
    elif isinstance(value, Nothing | ScalarType | VectorType):
        yield "None" if isinstance(value, Nothing) else str(value)
    else:
        raise frame.fail(node, f"{describe(value)} cannot be printed in a kernel")


def _merged(parts: Sequence[Part] | Iterator[Part]) -> tuple[Part, ...]:
    """Texts that stand side by side as one; values as they are."""
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return tuple(merged)
