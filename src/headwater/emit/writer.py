"""Writes the body of a kernel in a C-like language.

Assumes that `lower_returns` and `lower_neighbors` (not cooperative) have run. Each value becomes a constant local,
except that literals stand where they are used, and each variable a mutable local at the top. What an operation means is
kept by the target's rows; the writer keeps the order of effects, the scopes and the meaning of loops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import singledispatchmethod

from headwater import ir
from headwater.emit.names import Names
from headwater.emit.target import Operand, Target
from headwater.errors import CapabilityError, InternalError
from headwater.ir.nodes import Array
from headwater.types import ScalarType

_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Body:
    """The statements of a kernel, indented by one level, and the helpers that they call."""

    lines: tuple[str, ...]
    helpers: frozenset[str]


def write_body(kernel: ir.Kernel, target: Target, names: Names) -> Body:
    """All statements of a kernel. `names` may hold what the target's frame has taken already."""
    writer = _Writer(kernel, target, names)
    writer.declarations()
    writer.block(kernel.body)
    return Body(tuple(writer.lines), frozenset(writer.helpers))


class _Writer:
    def __init__(self, kernel: ir.Kernel, target: Target, names: Names) -> None:
        self.kernel = kernel
        self.target = target
        self.names = names
        self.lines: list[str] = []
        self.helpers: set[str] = set()
        self.depth = 1
        self.source_line = 0
        self.texts: dict[ir.Value, str] = {}
        self.literals: dict[ir.Value, bool | int | float] = {}
        self.variable_names: dict[ir.Variable, str] = {}
        # Locals that hold elements of vector arrays, since the last statement that may have changed one.
        self.elements: dict[tuple[Array, tuple[ir.Value, ...]], str] = {}
        self.numbered = 0

    # --- text ------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append(_INDENT * self.depth + text)

    def extend(self, lines: Iterable[str]) -> None:
        for text in lines:
            self.line(text)

    def fresh(self) -> str:
        self.numbered += 1
        return self.names.unique("v", str(self.numbered))

    def text(self, value: ir.Value) -> str:
        known = self.texts.get(value)
        if known is None and isinstance(value, ir.ScalarParameter):
            known = self.texts[value] = self.target.scalar_parameter(value)
        if known is None:
            raise InternalError(
                f"kernel '{self.kernel.name}': a value is used before it is defined"
            )
        return known

    def operand(self, value: ir.Value) -> Operand:
        return Operand(self.text(value), value.type, self.literals.get(value))

    def operands(self, values: Iterable[ir.Value]) -> tuple[Operand, ...]:
        return tuple(map(self.operand, values))

    def define(self, value: ir.Value, expression: str) -> None:
        name = self.texts[value] = self.fresh()
        self.line(self.target.constant_local(value.type, name, expression))

    def apply(self, operation: str, kind: ScalarType, *texts: str) -> str:
        """The text of a row that the writer itself asks for."""
        row = self.target.table.row(operation, kind)
        self.helpers.update(row.helpers)
        return row.text.format(*texts)

    # --- blocks ----------------------------------------------------------------------------------

    def declarations(self) -> None:
        for variable in self.kernel.variables:
            name = self.variable_names[variable] = self.names.unique("u", variable.name)
            self.line(self.target.variable(variable.type, name))
        for array in self.kernel.locals:
            self.extend(self.target.local_array(array))

    def block(self, block: ir.Block) -> None:
        self.elements.clear()
        for node in block.nodes:
            self.mark(node)
            self.node(node)

    def mark(self, node: ir.Node) -> None:
        """A comment where the user's line changes, for people who read the text."""
        if node.span is None or node.span.line == self.source_line:
            return
        self.source_line = node.span.line
        self.line(f"// line {self.source_line}")

    def nested(self, block: ir.Block, span_of: ir.Node) -> None:
        self.depth += 1
        if self.depth > self.target.max_nesting:
            raise CapabilityError(
                f"the kernel '{self.kernel.name}' nests more than {self.target.max_nesting} blocks, "
                "which this device's language does not take",
                span=span_of.span,
                hint="turn a long chain of 'elif' into a loop or into a function with early returns",
            )
        self.block(block)
        self.elements.clear()
        self.depth -= 1

    # --- nodes -----------------------------------------------------------------------------------

    @singledispatchmethod
    def node(self, node: object) -> None:
        raise InternalError(f"the writer does not know the node {type(node).__name__}")

    @node.register
    def _(self, node: ir.Constant) -> None:
        self.literal(node.result, node.value)

    def literal(self, value: ir.Value, what: bool | int | float) -> None:
        self.literals[value] = what
        text = self.target.literal(value.type, what)
        if self.target.inlines(value.type):
            self.texts[value] = text
        else:
            self.define(value, text)

    @node.register
    def _(self, node: ir.Compute) -> None:
        row = self.target.operation(node)
        self.helpers.update(row.helpers)
        self.define(node.result, row.text.format(*self.argument_texts(node.arguments)))

    def argument_texts(self, values: tuple[ir.Value, ...]) -> list[str]:
        """The operands' texts, not all of them literals: a compiler would fold those, and refuse an overflow."""
        texts = list(map(self.text, values))
        if all(value in self.literals for value in values) and self.target.inlines(values[0].type):
            name = self.fresh()
            self.line(self.target.constant_local(values[0].type, name, texts[0]))
            texts[0] = name
        return texts

    @node.register
    def _(self, node: ir.Index) -> None:
        self.define(node.result, self.target.index(node.kind, node.axis))

    @node.register
    def _(self, node: ir.Extent) -> None:
        if not isinstance(node.array, ir.ArrayParameter):
            self.literal(node.result, node.array.shape[node.axis])
            return
        self.define(node.result, self.target.extent(node.array, node.axis))

    @node.register
    def _(self, node: ir.Read) -> None:
        self.define(node.result, self.variable_names[node.variable])

    @node.register
    def _(self, node: ir.Assign) -> None:
        self.line(f"{self.variable_names[node.variable]} = {self.text(node.value)};")

    @node.register
    def _(self, node: ir.Load) -> None:
        element = self.element(node)
        if element is None:
            text = self.target.load(node.array, self.operands(node.indices), node.component)
        else:
            text = self.target.part(element, node.component)
        self.define(node.result, text)

    def element(self, node: ir.Load) -> str | None:
        """The local of the whole element that a component is loaded from, where the target wants one."""
        if not isinstance(node.array, ir.ArrayParameter) or node.array.type.components == 1:
            return None
        key = (node.array, node.indices)
        known = self.elements.get(key)
        if known is not None:
            return known
        name = self.names.unique("e", str(len(self.lines)))
        line = self.target.element_local(node.array, self.operands(node.indices), name)
        if line is None:
            return None
        self.line(line)
        self.elements[key] = name
        return name

    @node.register
    def _(self, node: ir.Store) -> None:
        self.elements.clear()
        indices, value = self.operands(node.indices), self.operand(node.value)
        self.extend(self.target.store(node.array, indices, node.component, value))

    @node.register
    def _(self, node: ir.Atomic) -> None:
        self.elements.clear()
        indices, value = self.operands(node.indices), self.operand(node.value)
        result = self.texts[node.result] = self.fresh()
        if node.compare is None:
            self.extend(self.target.atomic(node, indices, value, result))
            return
        compare = self.operand(node.compare)
        self.extend(self.target.compare_and_swap(node, indices, compare, value, result))

    @node.register
    def _(self, node: ir.If) -> None:
        self.line(f"if ({self.text(node.condition)}) {{")
        self.nested(node.then, node)
        if node.orelse.nodes:
            self.line("} else {")
            self.nested(node.orelse, node)
        self.line("}")

    @node.register
    def _(self, node: ir.For) -> None:
        step = self.literals.get(node.step)
        if step in (1, -1):
            self.unit_for(node, up=step == 1)
        else:
            self.trip_for(node)

    def unit_for(self, node: ir.For, up: bool) -> None:
        """Steps of one never pass the bound, so that the loop's own comparison is enough."""
        name = self.texts[node.index] = self.fresh()
        start, stop = self.text(node.start), self.text(node.stop)
        self.line(self.target.unit_loop(node.index.type, name, start, stop, up))
        self.nested(node.body, node)
        self.line("}")

    def trip_for(self, node: ir.For) -> None:
        """Count the trips at entry, as the index itself could wrap at the end of its type."""
        kind = node.index.type
        start, stop, step = self.argument_texts((node.start, node.stop, node.step))
        trips, trip = self.fresh(), self.fresh()
        self.line(self.target.trip_count(kind, trips, self.apply("trips", kind, start, stop, step)))
        self.line(self.target.trip_loop(kind, trip, trips))
        self.depth += 1
        self.define(node.index, self.apply("advance", kind, start, trip, step))
        self.depth -= 1
        self.nested(node.body, node)
        self.line("}")

    @node.register
    def _(self, node: ir.While) -> None:
        self.line(self.target.endless_loop())
        self.nested(node.test, node)
        self.depth += 1
        self.line(f"if (!({self.text(node.condition)})) {{ break; }}")
        self.depth -= 1
        self.nested(node.body, node)
        self.line("}")

    @node.register
    def _(self, node: ir.Break) -> None:
        self.line("break;")

    @node.register
    def _(self, node: ir.Continue) -> None:
        self.line("continue;")

    @node.register
    def _(self, node: ir.Return) -> None:
        self.line("return;")

    @node.register
    def _(self, node: ir.Barrier) -> None:
        self.elements.clear()
        self.extend(self.target.barrier(node))

    @node.register
    def _(self, node: ir.BarrierVote) -> None:
        self.elements.clear()
        predicate = self.operand(node.predicate)
        result = self.texts[node.result] = self.fresh()
        self.extend(self.target.barrier_vote(node, predicate, result))

    @node.register
    def _(self, node: ir.Warp) -> None:
        self.elements.clear()
        arguments = self.operands(node.arguments)
        result = None if node.result is None else self.fresh()
        if node.result is not None and result is not None:
            self.texts[node.result] = result
        self.extend(self.target.warp(node, arguments, result))

    @node.register
    def _(self, node: ir.Fence) -> None:
        self.elements.clear()
        self.extend(self.target.fence(node))

    @node.register
    def _(self, node: ir.Cooperative) -> None:
        self.line("{")
        self.nested(node.body, node)
        self.line("}")
