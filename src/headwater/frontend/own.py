"""Arrays of a kernel's own: shared by a block, of one thread, and constant tables."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from headwater import ir
from headwater.errors import HeadwaterError
from headwater.frontend import members
from headwater.frontend.fingerprint import MAXIMUM_CONSTANT
from headwater.frontend.frame import Frame
from headwater.frontend.program import Program
from headwater.frontend.values import (
    Array,
    Captured,
    Literal,
    Operand,
    OwnArray,
    RecordClass,
    Records,
    Shape,
    Tuple,
    Vector,
    describe,
)
from headwater.types import (
    ArrayType,
    FieldType,
    RecordType,
    ScalarType,
    VectorType,
    from_numpy,
    join,
    record_type,
)

MAXIMUM_DIMENSIONS = 4
# Bytes of one array of a thread.
MAXIMUM_LOCAL = 64 * 1024

# Makes the IR's array for a name, an element type and a shape.
_Make = Callable[[str, ScalarType | VectorType, tuple[int, ...]], OwnArray]

# Arrays that have not been assigned to a name.
_UNNAMED = ("shared", "local", "table")


def shared_array(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    """`hw.shared.array(shape, dtype)`; of length 0, the launch's dynamic memory."""
    kind, shape = _dtype(frame, arguments[1]), _shape(frame, arguments[0], "shared")
    frame.at(node)
    if shape == (0,):
        return _dynamic(frame, node, kind)
    _check_lengths(frame, arguments[0], shape, "shared")

    def make(name: str, element: ScalarType | VectorType, shape: tuple[int, ...]) -> OwnArray:
        made = ir.SharedArray(name, _scalar(element), shape, _components(element))
        frame.program.kernel.shared.append(made)
        return made

    return _built(frame.program, _UNNAMED[0], kind, shape, make)


def _dynamic(frame: Frame, node: ast.Call, kind: FieldType) -> Array:
    if isinstance(kind, RecordType):
        raise frame.fail(
            node,
            f"dynamic shared memory holds scalars and vectors, not '{kind}'",
            "give the array a length, or use one array for each field",
        )
    kernel = frame.program.kernel
    if kernel.dynamic_shared == 0:
        raise frame.fail(
            node,
            "a shared array of length 0 is dynamic, and the launch gives no bytes for it",
            "launch with kernel[blocks, threads, None, shared_bytes]",
        )
    scalar, components = _scalar(kind), _components(kind)
    length = kernel.dynamic_shared // (scalar.size * components)
    if length == 0:
        raise frame.fail(
            node,
            f"the {kernel.dynamic_shared} bytes of dynamic shared memory hold no element of {kind}",
        )
    name = frame.program.unique(_UNNAMED[0])
    made = ir.SharedArray(name, scalar, (length,), components, dynamic=True)
    kernel.shared.append(made)
    return Array(_UNNAMED[0], ArrayType(kind, 1), (), made)


def local_array(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    """`hw.local.array(shape, dtype)`."""
    kind, shape = _dtype(frame, arguments[1]), _shape(frame, arguments[0], "local")
    _check_lengths(frame, arguments[0], shape, "local")
    size = math.prod(shape) * _bytes(kind)
    if size > MAXIMUM_LOCAL:
        raise frame.fail(
            node,
            f"an array of one thread has at most {MAXIMUM_LOCAL:,} bytes, not {size:,}",
            "use an array argument with a part for each thread",
        )
    frame.at(node)

    def make(name: str, element: ScalarType | VectorType, shape: tuple[int, ...]) -> OwnArray:
        made = ir.LocalArray(name, _scalar(element), shape, _components(element))
        frame.program.kernel.locals.append(made)
        return made

    return _built(frame.program, _UNNAMED[1], kind, shape, make)


def _built(
    program: Program, name: str, kind: FieldType, shape: tuple[int, ...], make: _Make
) -> Array | Records:
    """The array, or one for each field of a struct."""
    if not isinstance(kind, RecordType):
        own = make(program.unique(name.replace(".", "_")), kind, shape)
        return Array(name, ArrayType(kind, len(shape)), (), own)
    fields = tuple(
        (part, _built(program, f"{name}.{part}", inner, shape, make)) for part, inner in kind.fields
    )
    return Records(name, kind.name, len(shape), fields)


def named(program: Program, name: str, value: Operand) -> Operand:
    """A new array takes the name that it is assigned to."""
    if isinstance(value, Array | Records) and value.name in _UNNAMED:
        return _renamed(program, name, value)
    return value


def _renamed(program: Program, name: str, value: Array | Records) -> Array | Records:
    if isinstance(value, Records):
        fields = ((part, _renamed(program, f"{name}.{part}", a)) for part, a in value.fields)
        return replace(value, name=name, fields=tuple(fields))
    if value.own is None or value.own.name.partition("_")[0] not in _UNNAMED:
        return value
    value.own.name = program.unique(name.replace(".", "_"))
    return replace(value, name=name)


# --- element types and shapes ---------------------------------------------------------------------


def _scalar(kind: ScalarType | VectorType) -> ScalarType:
    return kind.scalar if isinstance(kind, VectorType) else kind


def _components(kind: ScalarType | VectorType) -> int:
    return kind.size if isinstance(kind, VectorType) else 1


def _bytes(kind: FieldType) -> int:
    if isinstance(kind, RecordType):
        return sum(_bytes(part) for _, part in kind.fields)
    return _scalar(kind).size * _components(kind)


def _dtype(frame: Frame, node: ast.expr) -> FieldType:
    kind = frame.expression(node)
    if isinstance(kind, RecordClass):
        try:
            return record_type(kind.python)
        except HeadwaterError as problem:
            raise frame.fail(node, problem.message, problem.hint) from None
    if isinstance(kind, ScalarType | VectorType):
        return kind
    raise frame.fail(node, f"a dtype was expected, not {describe(kind)}", "such as hw.float32")


def _shape(frame: Frame, node: ast.expr, word: str) -> tuple[int, ...]:
    meaning = f"the shape of a {word} array"
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(frame.constant_integer(part, meaning) for part in node.elts)
    value = frame.expression(node)
    if isinstance(value, Tuple | Shape):
        found = members.items(frame, value)
        items = [] if found is None else list(found.items)
        lengths = [i.value for i in items if isinstance(i, Literal) and i.kind.is_integer]
        if len(lengths) == len(items):
            return tuple(map(int, lengths))
    return (frame.constant_integer(node, meaning),)


def _check_lengths(frame: Frame, node: ast.expr, shape: Sequence[int], word: str) -> None:
    if not 1 <= len(shape) <= MAXIMUM_DIMENSIONS or min(shape) < 1:
        raise frame.fail(
            node,
            f"a {word} array has 1 to {MAXIMUM_DIMENSIONS} positive lengths, not {list(shape)}",
        )


# --- constant tables ------------------------------------------------------------------------------


def constant_array(frame: Frame, node: ast.Call, arguments: list[ast.expr]) -> Operand:
    """`hw.const.array_like(table)`."""
    (argument,) = arguments
    table, components = _table(frame, argument)
    if not 1 <= table.ndim - (components > 1) <= MAXIMUM_DIMENSIONS or table.size == 0:
        raise frame.fail(
            argument,
            f"a constant table has 1 to {MAXIMUM_DIMENSIONS} positive lengths, not the shape {table.shape}",
        )
    if table.nbytes > MAXIMUM_CONSTANT:
        raise frame.fail(
            argument,
            f"a constant table has at most {MAXIMUM_CONSTANT:,} bytes, not {table.nbytes:,}",
            "pass it as an array argument",
        )
    try:
        scalar = from_numpy(table.dtype)
    except HeadwaterError as problem:
        raise frame.fail(argument, problem.message, problem.hint) from None
    shape = table.shape[:-1] if components > 1 else table.shape
    kind = VectorType(scalar, components) if components > 1 else scalar
    own = _constant(frame.program, scalar, shape, tuple(table.ravel().tolist()), components)
    return Array(_UNNAMED[2], ArrayType(kind, len(shape)), (), own)


def _constant(
    program: Program, scalar: ScalarType, shape: tuple[int, ...], values: tuple[Any, ...], size: int
) -> ir.ConstantArray:
    """The kernel's table of these values; equal ones are one."""
    for made in program.kernel.constants:
        if (made.scalar, made.shape, made.components) == (scalar, shape, size):
            if repr(made.values) == repr(values):  # zeros differ by sign, and a NaN equals none
                return made
    table = ir.ConstantArray(program.unique(_UNNAMED[2]), scalar, shape, values, size)
    program.kernel.constants.append(table)
    return table


def _table(frame: Frame, node: ast.expr) -> tuple[np.ndarray[Any, Any], int]:
    """The values of a table, and the components of its elements."""
    value = frame.expression(node)
    if isinstance(value, Captured) and isinstance(value.value, np.ndarray):
        return value.value, 1
    if isinstance(value, Tuple):
        return _from_tuple(frame, node, value)
    raise frame.fail(
        node,
        f"'hw.const.array_like' takes a captured NumPy array or a tuple of numbers, not {describe(value)}",
        "an array that is no constant is an argument of the kernel",
    )


def _from_tuple(frame: Frame, node: ast.expr, value: Tuple) -> tuple[np.ndarray[Any, Any], int]:
    leaves: list[Literal] = []
    vectors: set[int] = set()

    def nested(part: Operand) -> Any:
        if isinstance(part, Literal):
            leaves.append(part)
            return part.value
        if isinstance(part, Vector):
            vectors.add(len(part.components))
        elif not isinstance(part, Tuple):
            raise frame.fail(node, f"a constant table holds numbers, not {describe(part)}")
        return [nested(p) for p in (part.items if isinstance(part, Tuple) else part.components)]

    values = nested(value)
    if not leaves:
        raise frame.fail(node, "a constant table holds at least one number")
    kind = leaves[0].kind
    for leaf in leaves[1:]:
        kind = join(kind, leaf.kind)
    kind = frame.program.default(kind)
    try:
        table = np.array([_number(frame.program, leaf, kind) for leaf in leaves], kind.numpy)
        return table.reshape(np.shape(values)), vectors.pop() if vectors else 1
    except ValueError:
        raise frame.fail(node, "the rows of a constant table differ in length") from None
    except OverflowError:
        raise frame.fail(node, f"a value of the constant table does not fit {kind}") from None


def _number(program: Program, leaf: Literal, kind: ScalarType) -> bool | int | float:
    return program.rounded(leaf.value, kind, leaf.span) if kind.is_float else leaf.value
