"""Functions of the language as rows of a table: their parameters, and what a call of them means."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from headwater.frontend import members
from headwater.frontend.frame import Frame
from headwater.frontend.values import SCALAR_CLASSES, Operand, Scalar, Vector, describe

# Takes the call and its arguments, one for each parameter.
Handler = Callable[[Frame, ast.Call, list[ast.expr]], Operand]


class Held(ast.expr):
    """An argument that has been evaluated: one item of `*items`."""

    operand: Operand


@dataclass(frozen=True, slots=True)
class Row:
    """One function: its parameters by name, its meaning, the values of parameters that may be left out (the last ones).

    With `many`, the last parameter may be given more than once. With `few`, that many arguments are enough, the
    handler takes as many as there are, and none goes by name.
    """

    parameters: str
    handler: Handler
    defaults: tuple[int | None, ...] = ()
    many: bool = False
    few: int = 0
    # What messages call it, where that is not its name.
    shown: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters."""
        return tuple(self.parameters.split())


def apply(frame: Frame, node: ast.Call, name: str, row: Row) -> Operand:
    """The value of calling the function `name`."""
    return row.handler(frame, node, _bound(frame, node, row.shown or name, row))


def _bound(frame: Frame, node: ast.Call, name: str, row: Row) -> list[ast.expr]:
    """One expression for each parameter."""
    names, arguments = row.names, node.args
    if any(isinstance(argument, ast.Starred) for argument in arguments):
        arguments = [held(at, value) for at, value in expanded(frame, arguments)]
    count = len(arguments)
    if not node.keywords and count == len(names):
        return arguments
    if (row.many and count > len(names)) or row.few <= count <= len(names) > row.few > 0:
        if node.keywords:
            raise _no_keyword(frame, node.keywords[0], name)
        return arguments
    given: dict[str, ast.expr] = dict(zip(names, arguments, strict=False))
    for keyword in node.keywords:
        if keyword.arg not in names:
            raise _no_keyword(frame, keyword, name)
        if keyword.arg in given:
            raise frame.fail(keyword, f"'{name}' is given '{keyword.arg}' twice")
        given[keyword.arg] = keyword.value
    needed = names[: len(names) - len(row.defaults)]
    if count > len(names) or any(needs not in given for needs in needed):
        raise wrong_count(frame, node, f"'{name}'", row, count)
    left_out = frame.source.defaults(node, row.defaults)
    for parameter, value in zip(names[len(needed) :], left_out, strict=True):
        given.setdefault(parameter, value)
    return [given[parameter] for parameter in names]


def expanded(frame: Frame, nodes: list[ast.expr]) -> Iterator[tuple[ast.expr, Operand]]:
    """Expressions and their values; `*` before a tuple stands for its items."""
    for node in nodes:
        if not isinstance(node, ast.Starred):
            yield node, frame.expression(node)
            continue
        value = frame.expression(node.value)
        items = members.items(frame, value)
        if items is None:
            raise frame.fail(node, f"'*' takes a tuple, not {describe(value)}")
        yield from ((node, item) for item in items.items)


def held(node: ast.expr, value: Operand) -> ast.expr:
    """A value as an argument."""
    held = ast.copy_location(Held(), node)
    held.operand = value
    return held


def _no_keyword(frame: Frame, keyword: ast.keyword, name: str) -> Exception:
    return frame.fail(keyword, f"'{name}' takes no keyword argument '{keyword.arg or '**'}'")


def wrong_count(frame: Frame, node: ast.Call, name: str, row: Row, count: int) -> Exception:
    """The error of a call with too few arguments or too many; `count` are given by position."""
    most = len(row.names)
    least = row.few or most - len(row.defaults)
    wanted = (
        f"{least} or more" if row.many else str(most) if least == most else f"{least} to {most}"
    )
    word = "argument" if wanted == "1" else "arguments"
    return frame.fail(node, f"{name} takes {wanted} {word}, not {count + len(node.keywords)}")


# --- arguments ------------------------------------------------------------------------------------


def scalars(frame: Frame, node: ast.AST, arguments: list[ast.expr]) -> list[Scalar]:
    """The values of arguments that must be scalars."""
    values = [frame.scalar(argument) for argument in arguments]
    frame.at(node)
    return values


def vector(frame: Frame, node: ast.expr) -> Vector:
    """The value of an argument that must be a vector."""
    value = frame.expression(node)
    if isinstance(value, Vector):
        return value
    raise frame.fail(node, f"a vector was expected, not {describe(value)}")


def several(frame: Frame, node: ast.AST, argument: ast.expr, otherwise: str) -> tuple[Operand, ...]:
    """The values that one argument holds, a tuple or a vector; `otherwise` is what to write for another one."""
    value = frame.expression(argument)
    items = members.items(frame, value)
    if items is None:
        raise frame.fail(
            argument, f"a tuple or a vector was expected, not {describe(value)}", otherwise
        )
    frame.at(node)
    return items.items


def numbers(
    frame: Frame, node: ast.AST, arguments: list[ast.expr]
) -> tuple[list[Scalar | Vector], int]:
    """The values of arguments that are scalars or vectors of one size, and this size; 0 where all are scalars."""
    values: list[Scalar | Vector] = []
    size = 0
    for argument in arguments:
        value = frame.expression(argument)
        if isinstance(value, Vector):
            if size and len(value.components) != size:
                raise frame.fail(
                    argument, f"a vec{size} and a vec{len(value.components)} do not combine"
                )
            size = len(value.components)
        elif not isinstance(value, SCALAR_CLASSES):
            raise frame.fail(argument, f"a scalar or a vector was expected, not {describe(value)}")
        values.append(value)
    frame.at(node)
    return values, size
