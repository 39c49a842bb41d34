"""Structs that a kernel makes: a frozen dataclass is called with the values of its fields."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any, get_type_hints

from headwater.errors import HeadwaterError
from headwater.frontend import arithmetic, capture
from headwater.frontend.frame import Frame
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Operand,
    Record,
    Scalar,
    Tuple,
    Vector,
    article,
    describe,
)
from headwater.types import RecordType, ScalarType, VectorType, is_record_class, record_type


def construct(frame: Frame, node: ast.Call, kind: type) -> Record:
    """`Particle(x=..., m=...)`: each field in its annotated type, if that is one of kernels."""
    _check_class(frame, node, kind)
    fields = dataclasses.fields(kind)
    given = _given(frame, node, kind, fields)
    types = _field_types(frame, node, kind)
    parts = []
    for field in fields:
        at, value = given.get(field.name) or (node, _default(frame, node, kind, field))
        parts.append((field.name, _converted(frame, at, kind, field.name, value, types)))
    return Record(kind.__qualname__, tuple(parts))


def named_tuple(frame: Frame, node: ast.Call, kind: Any) -> Tuple:
    """`Pair(a, b=...)` of a class of named tuples."""
    name, names = kind.__qualname__, kind._fields
    if len(node.args) > len(names):
        raise frame.fail(
            node, f"'{name}' takes {len(names)} values, and {len(node.args)} were given"
        )
    given: dict[str, Operand] = {}
    for part, argument in zip(names, node.args, strict=False):
        given[part] = frame.expression(argument)
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in names or keyword.arg in given:
            raise frame.fail(keyword, f"'{name}' takes no other value '{keyword.arg or '**'}'")
        given[keyword.arg] = frame.expression(keyword.value)
    for part in names:
        if part not in given and part not in kind._field_defaults:
            raise frame.fail(node, f"'{name}' needs the value '{part}'")
        if part not in given:
            given[part] = _frozen(frame, node, f"{name}.{part}", kind._field_defaults[part])
    return Tuple(tuple(given[part] for part in names), names)


def _frozen(frame: Frame, node: ast.AST, name: str, value: object) -> Operand:
    try:
        return capture.freeze(name, value)
    except capture.Unusable as problem:
        raise frame.fail(node, problem.text, problem.hint) from None


def _check_class(frame: Frame, node: ast.AST, kind: type) -> None:
    parameters = kind.__dataclass_params__  # type: ignore[attr-defined]
    if not parameters.init or hasattr(kind, "__post_init__"):
        raise frame.fail(
            node,
            f"'{kind.__qualname__}' has a constructor of its own, which a kernel does not run",
            "leave out '__post_init__', or give the kernel a plain dataclass",
        )


_Given = dict[str, tuple[ast.AST, Operand]]
_Fields = tuple["dataclasses.Field[Any]", ...]


def _given(frame: Frame, node: ast.Call, kind: type, fields: _Fields) -> _Given:
    """The fields that the call names, each with its place in the text."""
    name = kind.__qualname__
    known = [field.name for field in fields if field.init]
    positional = [field.name for field in fields if field.init and not field.kw_only]
    if len(node.args) > len(positional):
        count = f"{len(positional)} field{'s' if len(positional) != 1 else ''}"
        by = " by position" if len(positional) < len(known) else ""
        raise frame.fail(node, f"'{name}' takes {count}{by}, and {len(node.args)} were given")
    given: _Given = {}
    for part, argument in zip(positional, node.args, strict=False):
        if isinstance(argument, ast.Starred):
            raise frame.fail(
                argument, "'*' in a call is not supported", "write the arguments one by one"
            )
        given[part] = argument, frame.expression(argument)
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in known:
            hint = f"it has {', '.join(known)}"
            raise frame.fail(keyword, f"'{name}' has no field '{keyword.arg or '**'}'", hint)
        if keyword.arg in given:
            raise frame.fail(keyword, f"the field '{keyword.arg}' is given twice")
        given[keyword.arg] = keyword.value, frame.expression(keyword.value)
    return given


def _default(frame: Frame, node: ast.AST, kind: type, field: dataclasses.Field[Any]) -> Operand:
    if field.default_factory is not dataclasses.MISSING:
        raise frame.fail(
            node,
            f"the default of the field '{field.name}' of '{kind.__qualname__}' is made by a function, which a kernel "
            "does not call",
            "give the field a value",
        )
    if field.default is dataclasses.MISSING:
        raise frame.fail(node, f"'{kind.__qualname__}' needs the field '{field.name}'")
    return _frozen(frame, node, f"{kind.__qualname__}.{field.name}", field.default)


def _field_types(frame: Frame, node: ast.AST, kind: type) -> dict[str, object]:
    """What the fields are annotated with."""
    try:
        return dict(record_type(kind).fields)
    except HeadwaterError:
        pass  # not one whose arrays there are; what is annotated with a type of kernels counts
    try:
        return get_type_hints(kind)
    except NameError as problem:
        raise frame.fail(
            node,
            f"the annotations of '{kind.__qualname__}' cannot be read: {problem}",
            "define or import what they name in the module, outside of functions",
        ) from None


def _converted(
    frame: Frame, node: ast.AST, kind: type, name: str, value: Operand, types: dict[str, object]
) -> Operand:
    """The value in the type of the field: a scalar or vector is converted, but no float to an integer."""
    wanted = types.get(name)
    value = frame.program.as_value(value)
    if isinstance(wanted, RecordType) or is_record_class(wanted):
        wanted = wanted.name if isinstance(wanted, RecordType) else wanted.__qualname__  # type: ignore[attr-defined]
        if isinstance(value, Record) and value.kind == wanted:
            return value
    elif isinstance(wanted, VectorType):
        if isinstance(value, Vector) and len(value.components) == wanted.size:
            parts = [_cast(frame, node, name, part, wanted.scalar) for part in value.components]
            return Vector(tuple(parts))
    elif isinstance(wanted, ScalarType):
        if isinstance(value, SCALAR_CLASSES):
            return _cast(frame, node, name, value, wanted)
    else:
        return value
    raise frame.fail(
        node,
        f"the field '{name}' of '{kind.__qualname__}' is {article(str(wanted))}, and {describe(value)} was given",
    )


def _cast(frame: Frame, node: ast.AST, name: str, value: Scalar, wanted: ScalarType) -> Scalar:
    if value.kind.is_float and not wanted.is_float:
        raise frame.fail(
            node,
            f"the field '{name}' is {article(str(wanted))}, and {describe(value)} was given",
            f"cast it with hw.{wanted}(...)"
            if wanted.is_integer
            else "compare it, such as 'value != 0'",
        )
    frame.at(node)
    return arithmetic.cast(frame.program, value, wanted)
