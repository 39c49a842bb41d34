"""Device functions are copied into their caller.

A function whose only return is its last statement needs nothing more: its value is used as it stands, and a weak one
stays weak. With earlier returns the body becomes an `ir.Inlined`, and results go through variables.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from types import FunctionType

from headwater import ir
from headwater.errors import CompileError, Span
from headwater.frontend import capture, language, library, static
from headwater.frontend.frame import Frame, Results
from headwater.frontend.function import DeviceFunction
from headwater.frontend.program import Program
from headwater.frontend.rows import expanded
from headwater.frontend.source import source_of
from headwater.frontend.values import (
    ARRAYS,
    SCALAR_CLASSES,
    Device,
    Key,
    Nothing,
    Operand,
    Record,
    Runtime,
    Scalar,
    Tuple,
    WeakOperation,
    can_vary,
    describe,
)
from headwater.types import INT32, ScalarType

_PACKAGE = __name__.partition(".")[0]


def inline(frame: Frame, node: ast.Call, device: Device) -> Operand:
    """The value of calling a device function."""
    function = device.function
    _refuse_recursion(frame, node, function)
    values = _arguments(frame, node, function)
    program = frame.program
    depth = len(program.calls)
    program.calls.append((function.__name__, frame.source.at(node)))
    child = Frame(program, source_of(function), (*frame.key, *frame.trips, id(node)))
    child.chain = (*frame.chain, function)
    child.inlined = True
    child.place = frame.place
    for argument, value in values:
        _check_constant(frame, node, child, argument, value)
        child.bind_parameter(argument, argument.arg, value)
    try:
        with program.builder.contracting(program.builder.contract and device.contract):
            result = _body(child, frame.span(node))
    except CompileError as error:
        if not _is_ours(function) or _is_ours(frame.source.function):
            raise
        del program.calls[depth:]
        raise frame.fail(node, f"'{function.__name__}': {error.message}") from None
    program.calls.pop()
    frame.at(node)
    return result


def _is_ours(function: FunctionType) -> bool:
    """Whether the text is not the user's, who is told of the call instead of a line in it."""
    return function.__module__.partition(".")[0] == _PACKAGE


def _check_constant(
    frame: Frame, node: ast.Call, child: Frame, parameter: ast.arg, value: Operand
) -> None:
    """A parameter annotated `hw.constexpr` takes what is known when compiling."""
    if not isinstance(parameter.annotation, ast.Name | ast.Attribute) or static.is_known(value):
        return
    try:
        annotation = child.expression(parameter.annotation)
    except CompileError:  # other annotations are for people
        return
    if annotation == language.constexpr:
        raise frame.fail(
            node,
            f"'{parameter.arg}' of '{child.source.name}' must be known when compiling, and {describe(value)} is not",
            "a kernel's parameter is known where it is annotated hw.constexpr",
        )


def _refuse_recursion(frame: Frame, node: ast.Call, function: FunctionType) -> None:
    codes = [link.__code__ for link in frame.chain]
    if function.__code__ not in codes:
        return
    chain = [link.__name__ for link in frame.chain[codes.index(function.__code__) :]]
    raise frame.fail(
        node,
        f"the device function '{function.__name__}' calls itself: {' -> '.join([*chain, function.__name__])}",
        "write it as a loop: kernels have no call stack",
    )


def library_function(
    program: Program, operation: WeakOperation, kind: ScalarType
) -> list[ir.Value]:
    """The results of a function of the library in the float type `kind`, at the place of the builder.

    Its nodes carry that place, not one in the library.
    """
    name = operation.operation
    signature, device = library.FUNCTIONS[name], library.find(name, kind)
    if device is None:
        raise program.fail(f"'{name}' is not there for {kind}")
    types = {"float": kind, "int": INT32}
    values = [
        Runtime(program.emit(value, types[wanted]))
        for wanted, value in zip(signature.parameters, operation.arguments, strict=True)
    ]
    result = _hidden(program, name, device, values)
    parts = result.items if isinstance(result, Tuple) else (result,)
    return [
        program.emit(part, types[wanted])
        for wanted, part in zip(signature.results, parts, strict=True)
        if isinstance(part, SCALAR_CLASSES)
    ]


def own_function(program: Program, device: DeviceFunction, values: Sequence[Scalar]) -> Scalar:
    """The scalar that a device function of the compiler's own gives."""
    result = _hidden(program, device.__name__, device, values)
    if isinstance(result, SCALAR_CLASSES):
        return result
    raise program.broken(f"'{device.__name__}' gives {describe(result)}")


def _hidden(
    program: Program, name: str, device: DeviceFunction, values: Sequence[Scalar]
) -> Operand:
    """The result of a function whose nodes carry the place of the builder, not one in its own file."""
    builder, source, place = program.builder, source_of(device.python), program.builder.span
    child = Frame(program, source, program.library_key(device.python))
    child.inlined, child.place = True, place
    if place is not None and not place.inside:
        child.place = replace(place, inside=name)
    for parameter, value in zip(source.tree.args.args, values, strict=True):
        child.bind_parameter(parameter, parameter.arg, value)
    with builder.contracting(builder.contract and device.contract):
        result = _body(child, child.place)
    builder.span = place
    return result


# --- arguments ------------------------------------------------------------------------------------


def _arguments(
    frame: Frame, node: ast.Call, function: FunctionType
) -> list[tuple[ast.arg, Operand]]:
    names = source_of(function).tree.args
    if names.vararg or names.kwarg:
        raise frame.fail(
            node, f"'{function.__name__}' takes '*' or '**' arguments, which kernels do not have"
        )
    positional = [*names.posonlyargs, *names.args]
    values = [value for _, value in expanded(frame, node.args)]
    if len(values) > len(positional):
        raise _wrong_count(frame, node, function, len(positional), len(values))
    given = {p.arg: value for p, value in zip(positional, values, strict=False)}
    by_name = {parameter.arg for parameter in (*names.args, *names.kwonlyargs)}
    for keyword in node.keywords:
        if keyword.arg not in by_name or keyword.arg in given:
            word = "unexpected" if keyword.arg not in by_name else "repeated"
            raise frame.fail(
                keyword,
                f"'{function.__name__}' was given the {word} argument '{keyword.arg or '**'}'",
            )
        given[keyword.arg] = frame.expression(keyword.value)
    parameters = [*positional, *names.kwonlyargs]
    defaults = _defaults(frame, node, function, [p.arg for p in positional])
    complete = defaults | given
    missing = [p.arg for p in parameters if p.arg not in complete]
    if missing:
        raise frame.fail(node, f"'{function.__name__}' needs the argument '{missing[0]}'")
    return [(parameter, complete[parameter.arg]) for parameter in parameters]


def _wrong_count(
    frame: Frame, node: ast.Call, function: FunctionType, count: int, given: int
) -> Exception:
    word = "argument" if count == 1 else "arguments"
    return frame.fail(node, f"'{function.__name__}' takes {count} {word}, not {given}")


def _defaults(
    frame: Frame, node: ast.Call, function: FunctionType, positional: list[str]
) -> dict[str, Operand]:
    values = function.__defaults__ or ()
    present: dict[str, object] = dict(
        zip(positional[len(positional) - len(values) :], values, strict=True)
    )
    present |= function.__kwdefaults__ or {}
    try:
        return {name: capture.freeze(name, value) for name, value in present.items()}
    except capture.Unusable as problem:
        raise frame.fail(node, problem.text, problem.hint) from None


# --- bodies and results ---------------------------------------------------------------------------


def _body(child: Frame, span: Span | None) -> Operand:
    statements, returns = child.source.tree.body, child.source.returns
    last = statements[-1]
    if not returns:
        child.program.execute(child, statements)
        return Nothing()
    if len(returns) == 1 and returns[0] is last:
        if not child.program.execute(child, statements[:-1]):
            return Nothing()
        return _value(child, returns[0], only=True)
    return _with_returns(child, span)


def _value(child: Frame, node: ast.Return, only: bool) -> Operand:
    if node.value is None:
        return Nothing()
    value = child.program.as_value(child.expression(node.value))
    if can_vary(value) or isinstance(value, Nothing):
        return value
    if only and _is_data(value):
        return value
    raise child.fail(
        node,
        f"'{child.source.name}' returns {describe(value)}",
        "a device function returns a scalar, a vector, a struct, or a tuple of these; an array only where no other "
        "return can be reached",
    )


def _is_data(value: Operand) -> bool:
    """Whether it is an array, or a tuple or struct of such and of values."""
    if isinstance(value, Tuple):
        return all(map(_is_data, value.items))
    if isinstance(value, Record):
        return all(_is_data(part) for _, part in value.fields)
    return can_vary(value) or isinstance(value, (*ARRAYS, Nothing))


def _with_returns(child: Frame, span: Span | None) -> Operand:
    program = child.program
    body = ir.Block()
    child.results = results = Results(body)
    with program.inside(body):
        falls = program.execute(child, child.source.tree.body)
    program.builder.span = span
    if results.only is not None:
        program.builder.block.nodes.extend(body.nodes)
        return results.only
    program.builder.append(ir.Inlined(child.source.name, body, span))
    count = results.count
    if falls and count:
        raise program.fail(
            f"'{child.source.name}' may end without returning a value",
            "return a value on every path",
            child.source.span,
        )
    if not count:
        return Nothing()
    return program.read(_result(child, count))


def _result(child: Frame, count: int) -> Key:
    """The variable that holds the result; `count` as in `Results`."""
    return child.key, f"%{child.source.name}" + ("/0" if count < 0 else "")


def return_from(child: Frame, node: ast.Return) -> None:
    """`return value` inside an inlined body."""
    results = child.results
    if results is None:
        raise child.program.broken(f"'{child.source.name}' returns where no return was found")
    if results.count is None and child.program.builder.block is results.body:
        results.only = _value(child, node, only=True)
        return
    value = _value(child, node, only=False)
    count = len(value.items) if isinstance(value, Tuple) else -1
    count = 0 if isinstance(value, Nothing) else count
    if results.count is None:
        results.count = count
    if results.count != count:
        raise child.fail(node, f"'{child.source.name}' returns different numbers of values")
    child.at(node)
    if count:
        child.program.assign(_result(child, count), value, f"the result of '{child.source.name}'")
    child.at(node)
    child.program.builder.append(ir.Return(child.span(node)))
