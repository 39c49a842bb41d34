"""Calls: the language's own functions by a table, device functions by inlining."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from headwater import ir
from headwater.frontend import arithmetic, memory
from headwater.frontend.frame import Frame
from headwater.frontend.inline import inline
from headwater.frontend.language import Intrinsic
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Array,
    Device,
    Literal,
    Neighbors,
    Nothing,
    Operand,
    Range,
    Runtime,
    Scalar,
    Shape,
    Tuple,
    Vector,
    WeakOperation,
    describe,
)
from headwater.types import INT32, WEAK_FLOAT, WEAK_INT, ScalarType, VectorType


def call(frame: Frame, node: ast.Call) -> Operand:
    """The value of a call."""
    target = frame.expression(node.func)
    if isinstance(target, Device):
        return inline(frame, node, target)
    if isinstance(target, Intrinsic):
        return _intrinsic(frame, node, target.name)
    _no_keywords(frame, node, "a cast")
    if isinstance(target, ScalarType):
        return _cast(frame, node, target)
    if isinstance(target, VectorType):
        return _vector_of(frame, node, target)
    if isinstance(target, Neighbors):
        return _neighbors(frame, node, target)
    raise frame.fail(node, f"{describe(target)} cannot be called")


def _intrinsic(frame: Frame, node: ast.Call, name: str) -> Operand:
    row = _ROWS.get(name)
    if row is None:
        raise frame.fail(node, f"'{name}' is not supported in a kernel")
    if name == "shared.array":
        return memory.shared_array(frame, node, *_named(frame, node, ("shape", "dtype")))
    _no_keywords(frame, node, f"'{name}'")
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            raise frame.fail(
                argument, "'*' in a call is not supported", "write the arguments one by one"
            )
    _check_count(frame, node, f"'{name}'", row.least, row.most)
    return row.handler(frame, node)


def _check_count(frame: Frame, node: ast.Call, name: str, least: int, most: int) -> None:
    count = len(node.args)
    if least <= count <= most:
        return
    wanted = (
        str(least)
        if least == most
        else f"{least} or more"
        if most == _MANY
        else f"{least} to {most}"
    )
    word = "argument" if wanted == "1" else "arguments"
    raise frame.fail(node, f"{name} takes {wanted} {word}, not {count}")


def _no_keywords(frame: Frame, node: ast.Call, name: str) -> None:
    if node.keywords:
        given = node.keywords[0].arg or "**"
        raise frame.fail(node.keywords[0], f"{name} takes no keyword argument '{given}'")


def _named(frame: Frame, node: ast.Call, names: tuple[str, ...]) -> list[ast.expr]:
    given = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg not in names or keyword.arg in given:
            raise frame.fail(keyword, f"unexpected keyword argument '{keyword.arg or '**'}'")
        given[keyword.arg] = keyword.value
    if len(given) != len(names) or len(node.args) > len(names):
        raise frame.fail(node, f"the arguments {' and '.join(names)} are needed")
    return [given[name] for name in names]


# --- arguments ------------------------------------------------------------------------------------


def _scalars(frame: Frame, node: ast.Call) -> list[Scalar]:
    values = [frame.scalar(argument) for argument in node.args]
    frame.at(node)
    return values


def _vector(frame: Frame, node: ast.expr) -> Vector:
    value = frame.expression(node)
    if isinstance(value, Vector):
        return value
    raise frame.fail(node, f"a vector was expected, not {describe(value)}")


def _vectors(frame: Frame, node: ast.Call) -> list[Vector]:
    values = [_vector(frame, argument) for argument in node.args]
    frame.at(node)
    return values


# --- indices --------------------------------------------------------------------------------------


def _axes(frame: Frame, node: ast.Call, name: str) -> range:
    count = frame.constant_integer(node.args[0], f"the argument of '{name}'")
    if not 1 <= count <= 3:
        raise frame.fail(node.args[0], f"'{name}' takes 1, 2 or 3 axes, not {count}")
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


def _grid(frame: Frame, node: ast.Call) -> Operand:
    values = [global_index(frame, axis) for axis in _axes(frame, node, "grid")]
    return values[0] if len(values) == 1 else Tuple(tuple(values))


def global_index(frame: Frame, axis: int) -> Runtime:
    """The thread's position in the whole launch: block * block size + thread."""
    builder = frame.program.builder
    size = builder.constant(frame.program.kernel.block_shape[axis], INT32)
    first = builder.compute("mul", builder.index("block", axis), size)
    return Runtime(builder.compute("add", first, builder.index("thread", axis)))


def _gridsize(frame: Frame, node: ast.Call) -> Operand:
    builder = frame.program.builder
    values = []
    for axis in _axes(frame, node, "gridsize"):
        size = builder.constant(frame.program.kernel.block_shape[axis], INT32)
        values.append(Runtime(builder.compute("mul", builder.index("grid_size", axis), size)))
    return values[0] if len(values) == 1 else Tuple(tuple(values))


def _syncthreads(frame: Frame, node: ast.Call) -> Operand:
    frame.at(node)
    frame.program.builder.append(ir.Barrier(frame.source.at(node)))
    return Nothing()


def _uniform(frame: Frame, node: ast.Call) -> Operand:
    value = frame.expression(node.args[0])
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
    return WeakOperation("uniform", (value,), value.kind)


# --- arithmetic -----------------------------------------------------------------------------------


def _select(frame: Frame, node: ast.Call) -> Operand:
    condition = frame.condition(node.args[0])
    a, b = frame.expression(node.args[1]), frame.expression(node.args[2])
    frame.at(node)
    return choose(frame, node, condition, a, b)


def choose(frame: Frame, node: ast.AST, condition: Scalar, a: Operand, b: Operand) -> Operand:
    """`a` where the condition holds, else `b`: two scalars or two vectors."""
    program = frame.program
    if isinstance(a, SCALAR_CLASSES) and isinstance(b, SCALAR_CLASSES):
        return arithmetic.choose(program, condition, a, b)
    if isinstance(a, Vector) and isinstance(b, Vector) and len(a.components) == len(b.components):
        pairs = zip(a.components, b.components, strict=True)
        return arithmetic.unify(
            program, [arithmetic.choose(program, condition, x, y) for x, y in pairs]
        )
    raise frame.fail(
        node, f"the two sides have types that do not join: {describe(a)} and {describe(b)}"
    )


def _float_function(operation: str) -> Handler:
    def handler(frame: Frame, node: ast.Call) -> Operand:
        (value,) = _scalars(frame, node)
        return arithmetic.float_function(frame.program, operation, value)

    return handler


def _to_integer_function(operation: str) -> Handler:
    """math.floor and math.ceil, which give integers in Python."""

    def handler(frame: Frame, node: ast.Call) -> Operand:
        (value,) = _scalars(frame, node)
        result = arithmetic.float_function(frame.program, operation, value)
        return _to_int(frame, result)

    return handler


def _extremum(operation: str) -> Handler:
    def handler(frame: Frame, node: ast.Call) -> Operand:
        return arithmetic.extremum(frame.program, operation, _scalars(frame, node))

    return handler


def _abs(frame: Frame, node: ast.Call) -> Operand:
    (value,) = _scalars(frame, node)
    return arithmetic.absolute(frame.program, value)


def _dot(frame: Frame, node: ast.Call) -> Operand:
    a, b = _same_size(frame, node)
    return arithmetic.dot(frame.program, a, b)


def _cross(frame: Frame, node: ast.Call) -> Operand:
    a, b = _same_size(frame, node)
    return arithmetic.cross(frame.program, a, b)


def _same_size(frame: Frame, node: ast.Call) -> list[Vector]:
    vectors = _vectors(frame, node)
    sizes = [len(vector.components) for vector in vectors]
    if sizes[0] != sizes[1]:
        raise frame.fail(node, f"a vec{sizes[0]} and a vec{sizes[1]} do not combine")
    return vectors


def _length(frame: Frame, node: ast.Call) -> Operand:
    (vector,) = _vectors(frame, node)
    square = arithmetic.dot(frame.program, vector, vector)
    return arithmetic.float_function(frame.program, "sqrt", square)


def _vec3(frame: Frame, node: ast.Call) -> Operand:
    return arithmetic.unify(frame.program, _scalars(frame, node))


# --- casts ----------------------------------------------------------------------------------------


def _cast(frame: Frame, node: ast.Call, kind: ScalarType) -> Operand:
    _check_count(frame, node, f"the cast '{kind}'", 1, 1)
    (value,) = _scalars(frame, node)
    return arithmetic.cast(frame.program, value, kind)


def _vector_of(frame: Frame, node: ast.Call, kind: VectorType) -> Operand:
    if len(node.args) == 1:
        parts: tuple[Scalar, ...] = _vector(frame, node.args[0]).components
    else:
        _check_count(frame, node, f"'{kind}'", kind.size, kind.size)
        parts = tuple(_scalars(frame, node))
    frame.at(node)
    if len(parts) != kind.size:
        raise frame.fail(node, f"a vec{len(parts)} is not a vec{kind.size}")
    return Vector(tuple(arithmetic.cast(frame.program, part, kind.scalar) for part in parts))


def _int(frame: Frame, node: ast.Call) -> Operand:
    (value,) = _scalars(frame, node)
    return _to_int(frame, value)


def _to_int(frame: Frame, value: Scalar) -> Scalar:
    """Python's int(): an integer stays as it is, a float is truncated to the default integer."""
    if isinstance(value, Literal) and (value.kind.weak or value.kind.is_bool):
        return Literal(int(arithmetic.python_result(frame.program, int, value.value)), WEAK_INT)
    if value.kind.is_integer:
        return value
    return arithmetic.cast(frame.program, value, frame.program.dialect.integer)


def _float(frame: Frame, node: ast.Call) -> Operand:
    (value,) = _scalars(frame, node)
    if isinstance(value, Literal) and (value.kind.weak or value.kind.is_bool):
        return Literal(float(value.value), WEAK_FLOAT)
    if value.kind.is_float:
        return value
    return WeakOperation("same", (value,), WEAK_FLOAT)


def _bool(frame: Frame, node: ast.Call) -> Operand:
    return frame.condition(node.args[0])


# --- arrays and loops -----------------------------------------------------------------------------


def _len(frame: Frame, node: ast.Call) -> Operand:
    value = frame.expression(node.args[0])
    frame.at(node)
    if isinstance(value, Array):
        return memory.extent(frame, value, 0)
    if isinstance(value, Tuple | Vector | Shape):
        count = {Tuple: "items", Vector: "components"}.get(type(value))
        size = (
            value.array.type.ndim if isinstance(value, Shape) else len(getattr(value, count or ""))
        )
        return Literal(size, WEAK_INT)
    raise frame.fail(node, f"{describe(value)} has no length")


def _range(frame: Frame, node: ast.Call) -> Operand:
    values = _scalars(frame, node)
    for argument, value in zip(node.args, values, strict=True):
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
        raise frame.fail(node.args[2], "the step of 'range' must not be zero")
    return Range(values[0], values[1], step)


def _neighbors(frame: Frame, node: ast.Call, target: Neighbors) -> Operand:
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


def _atomic(operation: str) -> Handler:
    def handler(frame: Frame, node: ast.Call) -> Operand:
        return memory.atomic(frame, node, operation)

    return handler


Handler = Callable[[Frame, ast.Call], Operand]
_MANY = 64


@dataclass(frozen=True, slots=True)
class Row:
    """One function of the language: how many arguments, and what it does."""

    least: int
    most: int
    handler: Handler


_ROWS: dict[str, Row] = {
    "grid": Row(1, 1, _grid),
    "gridsize": Row(1, 1, _gridsize),
    "syncthreads": Row(0, 0, _syncthreads),
    "uniform": Row(1, 1, _uniform),
    "select": Row(3, 3, _select),
    "sqrt": Row(1, 1, _float_function("sqrt")),
    "floor": Row(1, 1, _float_function("floor")),
    "ceil": Row(1, 1, _float_function("ceil")),
    "math.floor": Row(1, 1, _to_integer_function("floor")),
    "math.ceil": Row(1, 1, _to_integer_function("ceil")),
    "min": Row(2, _MANY, _extremum("min")),
    "max": Row(2, _MANY, _extremum("max")),
    "abs": Row(1, 1, _abs),
    "dot": Row(2, 2, _dot),
    "cross": Row(2, 2, _cross),
    "length": Row(1, 1, _length),
    "vec3": Row(3, 3, _vec3),
    "int": Row(1, 1, _int),
    "float": Row(1, 1, _float),
    "bool": Row(1, 1, _bool),
    "len": Row(1, 1, _len),
    "range": Row(1, 3, _range),
    "shared.array": Row(2, 2, lambda frame, node: Nothing()),
    "atomic.add": Row(3, 3, _atomic("add")),
    "atomic.min": Row(3, 3, _atomic("min")),
    "atomic.max": Row(3, 3, _atomic("max")),
}
