"""Statements of the Python AST, by node type. Each handler says whether control reaches what follows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from headwater import ir
from headwater.frontend import arithmetic, memory
from headwater.frontend.expressions import combine, raise_to
from headwater.frontend.frame import Environment, Frame, Loop, merged
from headwater.frontend.inline import return_from
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Array,
    Literal,
    Neighbors,
    Operand,
    Range,
    Runtime,
    Scalar,
    Shape,
    Tuple,
    Vector,
    describe,
)
from headwater.types import BOOL, INT32, ScalarType, join


def execute(frame: Frame, statements: Sequence[ast.stmt]) -> bool:
    """Lower statements in order; False where control does not reach the end. What is unreachable is left out."""
    for statement in statements:
        handler = _HANDLERS.get(type(statement))
        if handler is None:
            raise _unsupported(frame, statement)
        try:
            falls = handler(frame, statement)
        except RecursionError:
            raise frame.fail(
                _first_line(statement),
                "this statement is nested too deeply",
                "split it into several",
            ) from None
        if not falls:
            return False
    return True


def _unsupported(frame: Frame, node: ast.stmt) -> Exception:
    word = _WORDS.get(type(node), type(node).__name__.lower())
    hint = "define it outside, with @hw.function" if isinstance(node, ast.FunctionDef) else None
    return frame.fail(
        _first_line(node), f"the statement '{word}' is not supported in a kernel", hint
    )


def _first_line(node: ast.stmt) -> ast.AST:
    """Only the first line of a compound statement, so that the caret stays there."""
    body = getattr(node, "body", None)
    if not body:
        return node
    head = ast.Pass(lineno=node.lineno, col_offset=node.col_offset)
    head.end_lineno, head.end_col_offset = node.lineno, node.col_offset + 1
    return head


_WORDS: dict[type[ast.stmt], str] = {
    ast.FunctionDef: "def",
    ast.ClassDef: "class",
    ast.AsyncFunctionDef: "async def",
    ast.AsyncFor: "async for",
    ast.AsyncWith: "async with",
    ast.Delete: "del",
    ast.ImportFrom: "import",
}


# --- assignment -----------------------------------------------------------------------------------


def _assign(frame: Frame, node: ast.Assign) -> bool:
    value = frame.expression(node.value)
    if isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
        value = _named(frame, node.targets[0].id, value)
    for target in node.targets:
        _assign_to(frame, target, value)
    return True


def _named(frame: Frame, name: str, value: Operand) -> Operand:
    """A new shared array takes the name that it is assigned to."""
    if not isinstance(value, Array) or value.shared is None or value.name != memory.UNNAMED:
        return value
    value.shared.name = frame.program.unique(name)
    return replace(value, name=name)


def _annotated(frame: Frame, node: ast.AnnAssign) -> bool:
    """`acc: hw.float64 = 0.0` gives the value that type; other annotations are for people."""
    if node.value is None:
        return True
    value = frame.expression(node.value)
    kind = _annotation(frame, node.annotation)
    if isinstance(kind, ScalarType) and isinstance(value, SCALAR_CLASSES):
        frame.at(node)
        value = arithmetic.cast(frame.program, value, kind)
    _assign_to(frame, node.target, value)
    return True


def _annotation(frame: Frame, node: ast.expr) -> Operand | None:
    if isinstance(node, ast.Name | ast.Attribute):
        return frame.expression(node)
    return None


def _assign_to(frame: Frame, target: ast.expr, value: Operand) -> None:
    if isinstance(target, ast.Name):
        frame.assign(target, target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(frame, target, value)
    elif isinstance(target, ast.Subscript | ast.Attribute):
        where = _target(frame, target)
        frame.at(target)
        where.store(value)
    else:
        raise frame.fail(target, "'*' in an assignment is not supported", "name each value")


def _unpack(frame: Frame, target: ast.Tuple | ast.List, value: Operand) -> None:
    frame.at(target)
    if isinstance(value, Shape):
        axes = range(value.array.type.ndim)
        value = Tuple(tuple(memory.extent(frame, value.array, axis) for axis in axes))
    if isinstance(value, Vector):
        value = Tuple(value.components)
    if not isinstance(value, Tuple):
        raise frame.fail(target, f"{describe(value)} cannot be unpacked")
    starred = next((element for element in target.elts if isinstance(element, ast.Starred)), None)
    if starred is not None:
        raise frame.fail(starred, "'*' in an assignment is not supported", "name each value")
    if len(value.items) != len(target.elts):
        raise frame.fail(target, f"{len(target.elts)} names take {len(value.items)} values")
    for element, item in zip(target.elts, value.items, strict=True):
        _assign_to(frame, element, item)


class _Target:
    """A place that is not a name: an element of an array, or a component of an element or of a variable."""

    def __init__(self, load: Callable[[], Operand], store: Callable[[Operand], None]) -> None:
        self.load = load
        self.store = store


def _target(frame: Frame, node: ast.Subscript | ast.Attribute) -> _Target:
    if isinstance(node.value, ast.Subscript):
        where, base = memory.element_or_value(frame, node.value)
        if where is not None:
            component = memory.component_in(frame, node, where)
            return _Target(
                lambda: memory.load_component(frame, node, where, component),
                lambda value: memory.store_component(frame, node, where, component, value),
            )
    else:
        base = frame.expression(node.value)
    if isinstance(node, ast.Subscript) and isinstance(base, Array):
        place = memory.place(frame, node, base)
        return _Target(
            lambda: memory.load(frame, node, place),
            lambda value: memory.store(frame, node, place, value),
        )
    if isinstance(base, Vector) and isinstance(node.value, ast.Name):
        return _component_target(frame, node, node.value, base)
    raise frame.fail(
        node,
        f"{describe(base)} cannot be changed",
        "arguments are passed by value: keep what changes in an array or in a variable",
    )


def _component_target(
    frame: Frame, node: ast.Subscript | ast.Attribute, name: ast.Name, base: Vector
) -> _Target:
    component = memory.component_of(frame, node, len(base.components))
    if not frame.is_slot(name.id):
        raise frame.program.table.demote(frame.variable(name.id))
    key = frame.variable(name.id)

    def store(value: Operand) -> None:
        if not isinstance(value, SCALAR_CLASSES):
            raise frame.fail(node, f"a component is a scalar, not {describe(value)}")
        frame.program.assign_component(key, component, value)

    return _Target(lambda: base.components[component], store)


def _augmented(frame: Frame, node: ast.AugAssign) -> bool:
    if isinstance(node.target, ast.Name):
        result = _combined(frame, node, frame.read(node.target))
        frame.assign(node, node.target.id, result)
        return True
    where = _target(frame, node.target)
    result = _combined(frame, node, where.load())
    frame.at(node)
    where.store(result)
    return True


def _combined(frame: Frame, node: ast.AugAssign, before: Operand) -> Operand:
    if not isinstance(node.op, ast.Pow):
        return combine(frame, node, node.op, before, frame.expression(node.value))
    if isinstance(before, SCALAR_CLASSES):
        return raise_to(frame, node, before, node.value)
    raise frame.fail(node, f"'**' is not defined for {describe(before)}")


# --- control --------------------------------------------------------------------------------------


def _if(frame: Frame, node: ast.If) -> bool:
    condition = frame.condition(node.test)
    if isinstance(condition, Literal):
        return execute(frame, node.body if condition.value else node.orelse)
    program = frame.program
    emitted = program.emit(condition, BOOL)
    before = frame.names
    then, names_then, falls_then = _branch(frame, node.body, before)
    orelse, names_orelse, falls_orelse = _branch(frame, node.orelse, before)
    if falls_then and falls_orelse:
        frame.names = merged(names_then, names_orelse)
    else:
        frame.names = names_then if falls_then else names_orelse
    program.builder.append(ir.If(emitted, then, orelse, frame.source.at(node.test)))
    return falls_then or falls_orelse


def _branch(
    frame: Frame, statements: Sequence[ast.stmt], before: Environment
) -> tuple[ir.Block, Environment, bool]:
    frame.names = dict(before)
    block = ir.Block()
    with frame.program.inside(block):
        falls = execute(frame, statements)
    return block, frame.names, falls


def _while(frame: Frame, node: ast.While) -> bool:
    _refuse_else(frame, node, "while")
    program, before = frame.program, frame.names
    test, body, loop = ir.Block(), ir.Block(), Loop()
    span = frame.source.at(node.test)
    with program.inside(test):
        condition = frame.condition(node.test)
        frame.at(node.test)
        emitted = program.emit(condition, BOOL)
        if isinstance(condition, Literal) and not condition.value:
            return True
        with program.inside(body):
            _body(frame, node.body, loop)
    program.builder.append(ir.While(test, emitted, body, span))
    frame.names = before
    if not isinstance(condition, Literal):
        return True
    if not loop.breaks:
        return False
    frame.names = loop.breaks[0]
    for names in loop.breaks[1:]:
        frame.names = merged(frame.names, names)
    return True


def _body(frame: Frame, statements: Sequence[ast.stmt], loop: Loop) -> None:
    frame.names = dict(frame.names)
    frame.loops.append(loop)
    execute(frame, statements)
    frame.loops.pop()


def _refuse_else(frame: Frame, node: ast.For | ast.While, word: str) -> None:
    if node.orelse:
        raise frame.fail(
            _first_line(node.orelse[0]),
            f"'else' after '{word}' is not supported in a kernel",
            "set a flag before the break and test it",
        )


def _for(frame: Frame, node: ast.For) -> bool:
    _refuse_else(frame, node, "for")
    iterable = frame.expression(node.iter)
    if isinstance(iterable, Range):
        return _for_range(frame, node, iterable)
    if isinstance(iterable, Neighbors) and iterable.center is not None:
        return _for_neighbors(frame, node, iterable, iterable.center)
    raise frame.fail(
        node.iter,
        f"a 'for' loop goes over 'range(...)' or 'grid.neighbors(...)', not {describe(iterable)}",
        "loop over the indices: 'for k in range(len(x))'",
    )


def _for_range(frame: Frame, node: ast.For, bounds: Range) -> bool:
    if not isinstance(node.target, ast.Name):
        raise frame.fail(node.target, "the target of a loop over 'range' must be one name")
    program, before = frame.program, frame.names
    kind = join(join(bounds.start.kind, bounds.stop.kind), bounds.step.kind)
    kind = program.default(kind)
    frame.at(node.iter)
    start, stop, step = (program.emit(b, kind) for b in (bounds.start, bounds.stop, bounds.step))
    index = ir.Value(kind, node.target.id)
    body = ir.Block()
    with program.inside(body):
        frame.names = dict(before)
        frame.assign(node.target, node.target.id, Runtime(index))
        _body(frame, node.body, Loop())
    program.builder.append(ir.For(index, start, stop, step, body, span=frame.source.at(node.iter)))
    frame.names = before
    return True


def _for_neighbors(frame: Frame, node: ast.For, loop: Neighbors, around: Scalar | Vector) -> bool:
    targets = node.target.elts if isinstance(node.target, ast.Tuple) else []
    if len(targets) != 3 or not all(isinstance(target, ast.Name) for target in targets):
        raise frame.fail(
            node.target,
            "a neighbour loop gives an index, an offset and a squared distance",
            "write 'for j, x_ij, r2 in grid.neighbors(i):'",
        )
    program, before = frame.program, frame.names
    frame.at(node.iter)
    grid = _grid_of(frame, node.iter, loop)
    center, center_index = _center_of(frame, grid, around)
    kind = grid.positions.type.scalar
    index = ir.Value(INT32, "j")
    offset = (ir.Value(kind, "dx"), ir.Value(kind, "dy"), ir.Value(kind, "dz"))
    distance2 = ir.Value(kind, "r2")
    seen: tuple[Operand, ...] = (
        Runtime(index),
        Vector(tuple(Runtime(part) for part in offset)),
        Runtime(distance2),
    )
    body = ir.Block()
    with program.inside(body):
        frame.names = dict(before)
        for target, value in zip(targets, seen, strict=True):
            _assign_to(frame, target, value)
        _body(frame, node.body, Loop())
    program.builder.append(
        ir.Neighbors(
            grid,
            center,
            center_index,
            index,
            offset,
            distance2,
            body,
            span=frame.source.at(node.iter),
        )
    )
    frame.names = before
    return True


def _grid_of(frame: Frame, node: ast.expr, loop: Neighbors) -> ir.GridRef:
    """The parameters of the grid, from the fields of the argument."""
    program, grid = frame.program, loop.grid

    def field(name: str) -> Operand:
        kind = grid.type.field(name)
        if kind is None:
            raise frame.fail(node, f"'{grid.type.name}' has no field '{name}', which a grid needs")
        return program.argument((*grid.path, name), kind)

    def misfit(name: str, wanted: str, value: Operand) -> Exception:
        return frame.fail(
            node,
            f"'{grid.type.name}' is no grid: its field '{name}' must be {wanted}, not {describe(value)}",
        )

    def array(name: str, components: int) -> ir.ArrayParameter:
        value = field(name)
        found = program.array(value) if isinstance(value, Array) else None
        if not isinstance(found, ir.ArrayParameter) or found.type.components != components:
            raise misfit(name, f"an array of {components} components", value)
        return found

    positions = array("positions", 3)
    scalar = positions.type.scalar

    def vector(name: str, kind: ScalarType) -> tuple[ir.Value, ir.Value, ir.Value]:
        value = field(name)
        if not isinstance(value, Vector):
            raise misfit(name, "a vec3", value)
        x, y, z = value.components
        return program.emit(x, kind), program.emit(y, kind), program.emit(z, kind)

    cutoff2 = field("cutoff2")
    if not isinstance(cutoff2, SCALAR_CLASSES):
        raise misfit("cutoff2", "a scalar", cutoff2)
    return ir.GridRef(
        "_".join(grid.path),
        positions,
        array("cell_start", 1),
        vector("low", scalar),
        vector("inverse", scalar),
        vector("box", scalar),
        vector("size", INT32),
        program.emit(cutoff2, scalar),
        grid.type.periodic,  # type: ignore[attr-defined]
        grid.type.reach,  # type: ignore[attr-defined]
    )


def _center_of(
    frame: Frame, grid: ir.GridRef, center: Scalar | Vector
) -> tuple[tuple[ir.Value, ir.Value, ir.Value], ir.Value | None]:
    program, scalar = frame.program, grid.positions.type.scalar
    if isinstance(center, Vector):
        x, y, z = (program.emit(part, scalar) for part in center.components)
        return (x, y, z), None
    index = program.emit(center, INT32)
    load = program.builder.load
    x, y, z = (load(grid.positions, (index,), component) for component in range(3))
    return (x, y, z), index


def _break(frame: Frame, node: ast.Break) -> bool:
    frame.loops[-1].breaks.append(frame.names)
    frame.program.builder.append(ir.Break(frame.source.at(node)))
    return False


def _continue(frame: Frame, node: ast.Continue) -> bool:
    frame.program.builder.append(ir.Continue(frame.source.at(node)))
    return False


def _return(frame: Frame, node: ast.Return) -> bool:
    if frame.inlined:
        return_from(frame, node)
        return False
    if node.value is not None and not (
        isinstance(node.value, ast.Constant) and node.value.value is None
    ):
        raise frame.fail(node, "a kernel returns nothing", "store the result in an array")
    frame.program.builder.append(ir.Return(frame.source.at(node)))
    return False


def _pass(frame: Frame, node: ast.Pass) -> bool:
    return True


def _expression(frame: Frame, node: ast.Expr) -> bool:
    if not isinstance(node.value, ast.Constant):
        frame.expression(node.value)
    return True


_HANDLERS: dict[type[ast.stmt], Callable[[Frame, Any], bool]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Return: _return,
    ast.Pass: _pass,
    ast.Expr: _expression,
}
