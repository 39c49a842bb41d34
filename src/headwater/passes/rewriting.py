"""Small pieces of IR that passes put in, and the replacement of values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields

from headwater import ir
from headwater.errors import Span
from headwater.types import INT32, ScalarType


def unique_name(kernel: ir.Kernel, name: str) -> str:
    """A name that no parameter, array or variable of the kernel has."""
    named = (kernel.parameters, kernel.shared, kernel.locals, kernel.constants, kernel.variables)
    taken = {item.name for items in named for item in items}
    chosen, count = name, 1
    while chosen in taken:
        count += 1
        chosen = f"{name}_{count}"
    return chosen


def new_variable(kernel: ir.Kernel, name: str, kind: ScalarType) -> ir.Variable:
    """A variable of the kernel."""
    made = ir.Variable(unique_name(kernel, name), kind)
    kernel.variables.append(made)
    return made


def new_shared(kernel: ir.Kernel, name: str, kind: ScalarType, size: int) -> ir.SharedArray:
    """A shared array of the kernel, of one dimension."""
    made = ir.SharedArray(unique_name(kernel, name), kind, (size,))
    kernel.shared.append(made)
    return made


def thread_number(build: ir.Builder, kernel: ir.Kernel) -> ir.Value:
    """The thread's linear index in its block, x fastest: an int32."""
    number: ir.Value | None = None
    for axis in (2, 1, 0):
        size = kernel.block_shape[axis]
        if size == 1:
            continue
        index = build.index("thread", axis)
        if number is not None:
            scaled = build.compute("mul", number, build.constant(size, INT32))
            index = build.compute("add", scaled, index)
        number = index
    return build.constant(0, INT32) if number is None else number


def next_of_three(build: ir.Builder, turn: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The turn after and the turn before one of 0, 1 and 2."""
    zero, one, two = (build.constant(value, INT32) for value in range(3))
    last, first = build.compute("eq", turn, two), build.compute("eq", turn, zero)
    after = build.compute("select", last, zero, build.compute("add", turn, one))
    before = build.compute("select", first, two, build.compute("sub", turn, one))
    return after, before


def assigned(variable: ir.Variable, value: bool | int | float, span: Span | None) -> list[ir.Node]:
    """`variable := constant`: exactly two nodes."""
    constant = ir.Value(variable.type)
    return [ir.Constant(constant, value, span), ir.Assign(variable, constant, span)]


def when(variable: ir.Variable, nodes: list[ir.Node], span: Span | None) -> list[ir.Node]:
    """`if variable: nodes`, the read first."""
    read = ir.Read(ir.Value(variable.type, variable.name), variable, span)
    return [read, ir.If(read.result, ir.Block(nodes), ir.Block(), span)]


def unless(variable: ir.Variable, nodes: list[ir.Node], span: Span | None) -> list[ir.Node]:
    """`if not variable: nodes`."""
    read = ir.Read(ir.Value(variable.type, variable.name), variable, span)
    negated = ir.Compute(ir.Value(variable.type), "not", (read.result,), span)
    return [read, negated, ir.If(negated.result, ir.Block(nodes), ir.Block(), span)]


def zero(kind: ScalarType) -> bool | int | float:
    """The zero of a type, as a `Constant` holds it."""
    return False if kind.is_bool else 0.0 if kind.is_float else 0


# Where all threads of a block wait for each other.
BARRIERS = (ir.Barrier, ir.BarrierVote)


def has_barrier(kernel: ir.Kernel) -> bool:
    """Whether the threads of a block wait for each other anywhere."""
    return any(isinstance(node, BARRIERS) for node in ir.walk(kernel.body))


def holds(node: ir.Node, kinds: type[ir.Node] | tuple[type[ir.Node], ...]) -> bool:
    """Whether a node of these kinds stands inside (not the node itself)."""
    inside = (inner for block in ir.children(node) for inner in ir.walk(block))
    return any(isinstance(inner, kinds) for inner in inside)


def uses(nodes: Iterable[ir.Node]) -> set[ir.Value]:
    """All values that the nodes and what is nested in them use."""
    found: set[ir.Value] = set()
    for node in nodes:
        found.update(ir.operands(node))
        for block in ir.children(node):
            found |= uses(block.nodes)
    return found


def replace(nodes: Iterable[ir.Node], by: Mapping[ir.Value, ir.Value]) -> None:
    """Put other values in the place of operands, also in nested blocks."""
    for node in nodes:
        for entry in fields(node):
            if entry.name in ("result", "index", "offset", "distance2"):
                continue
            before = getattr(node, entry.name)
            if isinstance(before, ir.Value):
                setattr(node, entry.name, by.get(before, before))
            elif isinstance(before, tuple):
                after = tuple(by.get(p, p) if isinstance(p, ir.Value) else p for p in before)
                setattr(node, entry.name, after)
        for block in ir.children(node):
            replace(block.nodes, by)
