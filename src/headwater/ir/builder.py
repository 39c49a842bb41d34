"""A small helper that appends nodes to a block and returns their values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headwater.errors import Span
from headwater.ir.nodes import (
    Array,
    Assign,
    Atomic,
    Block,
    Compute,
    Constant,
    Extent,
    For,
    If,
    Index,
    Load,
    Node,
    Read,
    Store,
    Value,
    Variable,
)
from headwater.types import BOOL, INT32, ScalarType

_COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))


class Builder:
    """Appends to `block`; `span` is attached to each new node."""

    def __init__(self, block: Block, span: Span | None = None) -> None:
        self.block = block
        self.span = span
        # Whether the operations to come may take part in a fused a * b + c.
        self.contract = True

    def append(self, node: Node) -> None:
        self.block.nodes.append(node)

    @contextmanager
    def inside(self, block: Block) -> Iterator[Block]:
        """Append to another block for a while."""
        outer, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = outer

    @contextmanager
    def contracting(self, contract: bool) -> Iterator[None]:
        """Append operations with this `contract` for a while."""
        outer, self.contract = self.contract, contract
        try:
            yield
        finally:
            self.contract = outer

    def constant(self, value: bool | int | float, kind: ScalarType) -> Value:
        result = Value(kind)
        self.append(Constant(result, value, self.span))
        return result

    def compute(self, operation: str, *arguments: Value) -> Value:
        """A pure operation; the result's type follows from the operands (but `cast` and `bitcast` have a method)."""
        kind = arguments[-1].type
        if operation in _COMPARISONS:
            kind = BOOL
        result = Value(kind)
        self.append(Compute(result, operation, arguments, self.span, self.contract))
        return result

    def cast(self, value: Value, kind: ScalarType) -> Value:
        """The value itself where it has that type already."""
        if value.type is kind:
            return value
        result = Value(kind)
        self.append(Compute(result, "cast", (value,), self.span))
        return result

    def bitcast(self, value: Value, kind: ScalarType) -> Value:
        """The bits of a value, as a type of the same width."""
        result = Value(kind)
        self.append(Compute(result, "bitcast", (value,), self.span))
        return result

    def index(self, kind: str, axis: int) -> Value:
        result = Value(INT32)
        self.append(Index(result, kind, axis, self.span))
        return result

    def extent(self, array: Array, axis: int) -> Value:
        result = Value(INT32)
        self.append(Extent(result, array, axis, self.span))
        return result

    def read(self, variable: Variable) -> Value:
        result = Value(variable.type, variable.name)
        self.append(Read(result, variable, self.span))
        return result

    def assign(self, variable: Variable, value: Value) -> None:
        self.append(Assign(variable, value, self.span))

    def load(self, array: Array, indices: tuple[Value, ...], component: int = 0) -> Value:
        result = Value(scalar_of(array))
        self.append(Load(result, array, indices, component, self.span))
        return result

    def store(
        self, array: Array, indices: tuple[Value, ...], value: Value, component: int = 0
    ) -> None:
        self.append(Store(array, indices, value, component, self.span))

    def atomic(
        self,
        operation: str,
        array: Array,
        indices: tuple[Value, ...],
        value: Value,
        component: int = 0,
        compare: Value | None = None,
    ) -> Value:
        result = Value(scalar_of(array))
        node = Atomic(result, operation, array, indices, value, component, self.span, compare)
        self.append(node)
        return result

    @contextmanager
    def when(self, condition: Value) -> Iterator[If]:
        """An `If` without an else part, whose body is appended inside."""
        node = If(condition, Block(), Block(), self.span)
        self.append(node)
        with self.inside(node.then):
            yield node

    @contextmanager
    def loop(self, start: Value, stop: Value, step: Value) -> Iterator[For]:
        """A `For` whose body is appended inside; its `index` is the loop's value."""
        node = For(Value(start.type), start, stop, step, Block(), span=self.span)
        self.append(node)
        with self.inside(node.body):
            yield node


def scalar_of(array: Array) -> ScalarType:
    """The scalar type that one component of the array holds."""
    return array.type.scalar if hasattr(array, "type") else array.scalar
