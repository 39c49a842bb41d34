"""From a Python function and argument types to the IR."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from types import FunctionType

from headwater import ir
from headwater.errors import CompileError, InternalError
from headwater.frontend import expressions, inline, statements, threads
from headwater.frontend.dialect import HW, Dialect, Guard
from headwater.frontend.frame import Argument, Frame
from headwater.frontend.program import Program
from headwater.frontend.source import Source, source_of
from headwater.frontend.variables import Demoted, TypeTable
from headwater.types import INT32, ArgumentType, ArrayType

_MAXIMUM_PASSES = 50


@dataclass(frozen=True, slots=True)
class Space:
    """The threads of a launch: how many axes they have, None for any, and the guard of an index space."""

    axes: int | None
    guard: Guard | None


def lower(
    function: FunctionType,
    arguments: Sequence[tuple[str, ArgumentType]],
    block_shape: tuple[int, int, int],
    *,
    axes: int | None = None,
    guard: Guard | None = None,
    dialect: Dialect = HW,
    dynamic_shared: int = 0,
) -> ir.Kernel:
    """The kernel for these argument types (by name) and this block shape (x, y, z).

    A parameter is made only for what the kernel uses. With `guard`, threads outside of the index space return at once;
    the launch has that many axes, else `axes`, and any where that is None. Raises CompileError at the user's line.
    """
    source = source_of(function)
    table = TypeTable(dialect)
    for _ in range(_MAXIMUM_PASSES):
        table.changed = False
        kernel = ir.Kernel(
            source.name, [], block_shape, dynamic_shared=dynamic_shared, span=source.span
        )
        try:
            _lower_once(kernel, source, table, arguments, Space(axes, guard))
        except Demoted:
            continue
        except RecursionError:
            raise CompileError(
                f"an expression or statement of kernel '{source.name}' is nested too deeply",
                span=source.span,
                hint="split it into several statements",
            ) from None
        if not table.changed and not table.settle():
            return kernel
    raise InternalError(f"the types of kernel '{source.name}' do not settle", span=source.span)


def _lower_once(
    kernel: ir.Kernel,
    source: Source,
    table: TypeTable,
    arguments: Sequence[tuple[str, ArgumentType]],
    space: Space,
) -> None:
    program = Program(kernel, table, table.dialect)
    program.evaluate = expressions.evaluate
    program.execute = statements.execute
    program.function = inline.library_function
    program.inlined = inline.own_function
    frame = Frame(program, source)
    program.axes, program.space = space.axes, "the n of forall(n)"
    if space.guard is not None:
        _guard(frame, space.guard)
        program.axes, program.space = space.guard.axes, "the shape of over(...)"
    nodes = {node.arg: node for node in ast.walk(source.tree.args) if isinstance(node, ast.arg)}
    for name, kind in arguments:
        frame.bind_parameter(nodes.get(name, source.tree), name, Argument((name,), kind))
    program.execute(frame, source.tree.body)
    program.finish({name: position for position, (name, _) in enumerate(arguments)})


def _guard(frame: Frame, guard: Guard) -> None:
    """`if index >= extent: return`, over the axes of the index space."""
    program = frame.program
    builder = program.builder
    outside: ir.Value | None = None
    for axis in range(guard.axes):
        extent = _extent(program, axis)
        if guard.count:
            extent = builder.compute("min", extent, _count(program))
        beyond = builder.compute("ge", threads.global_index(frame, axis).value, extent)
        outside = beyond if outside is None else builder.compute("or", outside, beyond)
    if outside is not None:
        with builder.when(outside):
            builder.append(ir.Return(frame.source.span))


def _extent(program: Program, axis: int) -> ir.Value:
    return program.scalar_parameter(("%extent", "xyz"[axis]), INT32)


def _count(program: Program) -> ir.Value:
    count = program.argument(("%count",), ArrayType(INT32, 1))
    array = program.array(count)  # type: ignore[arg-type]
    return program.builder.load(array, (program.builder.constant(0, INT32),))
