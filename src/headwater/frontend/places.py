"""Places: what a subscript or an attribute names, before it is loaded or stored to.

`a[i].velocity.x` is a component of a field of an element: only that one number is read or written.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from headwater import ir
from headwater.frontend import members, memory, views
from headwater.frontend.frame import Frame
from headwater.frontend.values import (
    ARRAYS,
    SCALAR_CLASSES,
    STRUCTS,
    Array,
    ArrayLike,
    Choice,
    Fixed,
    Key,
    Literal,
    Operand,
    Record,
    Records,
    Runtime,
    Scalar,
    Sliced,
    Struct,
    Tuple,
    Vector,
    can_vary,
    describe,
)
from headwater.frontend.variables import Composite, part_key
from headwater.types import BOOL, INT32, VectorType

_Part: TypeAlias = ast.Attribute | ast.Subscript


@dataclass(frozen=True, slots=True)
class Element(memory.Place):
    """A scalar or vector element of an array."""

    def load(self, frame: Frame) -> Scalar | Vector:
        """The element's value."""
        kind = self.array.type.element
        if isinstance(kind, VectorType):
            return Vector(tuple(memory.load(frame, self, k) for k in range(kind.size)))
        return memory.load(frame, self, 0)

    def store(self, frame: Frame, node: ast.AST, value: Operand) -> None:
        """Give the element a value, converted to its type."""
        kind = self.array.type.element
        if not isinstance(kind, VectorType):
            memory.store(frame, node, self, 0, value)
            return
        if not isinstance(value, Vector) or len(value.components) != kind.size:
            raise memory.wrong_element(frame, node, self.array, value)
        for component, part in enumerate(value.components):
            memory.store(frame, node, self, component, part)

    def part(self, frame: Frame, node: _Part) -> Reference | None:
        """The component that `.x` or `[0]` names; None where an element has no parts."""
        kind = self.array.type.element
        if not isinstance(kind, VectorType):
            return None
        return Component(self, members.component_of(frame, node, kind.size))


@dataclass(frozen=True, slots=True)
class Component:
    """One component of a vector element."""

    element: Element
    component: int

    def load(self, frame: Frame) -> Scalar:
        """Its value."""
        return memory.load(frame, self.element, self.component)

    def store(self, frame: Frame, node: ast.AST, value: Operand) -> None:
        """Give it a value."""
        memory.store(frame, node, self.element, self.component, value)

    def part(self, frame: Frame, node: _Part) -> Reference | None:
        """A scalar has none."""
        return None


@dataclass(frozen=True, slots=True)
class RecordElement:
    """An element of an array of structs."""

    array: Records
    indices: memory.Indices

    def load(self, frame: Frame) -> Record:
        """Its value: all fields are read; those that turn out to be of no use are dropped in the end."""
        nodes, program = frame.program.builder.block.nodes, frame.program
        first = len(nodes)
        parts = [(name, self._field(frame, part).load(frame)) for name, part in self.array.fields]
        program.unread.copies += nodes[first:]
        return Record(self.array.kind, tuple(parts))

    def store(self, frame: Frame, node: ast.AST, value: Operand) -> None:
        """Give all fields a value."""
        value = frame.program.as_value(value)
        names = [name for name, _ in self.array.fields]
        if not isinstance(value, Record) or [name for name, _ in value.fields] != names:
            raise frame.fail(
                node,
                f"'{self.array.name}' holds '{self.array.kind}', and {describe(value)} cannot be stored in it",
                f"make one with {self.array.kind}({', '.join(f'{name}=...' for name in names)})",
            )
        for (_, part), (_, given) in zip(self.array.fields, value.fields, strict=True):
            self._field(frame, part).store(frame, node, given)

    def part(self, frame: Frame, node: _Part) -> Reference | None:
        """The field that `.name` or `['name']` names."""
        wanted = members.field_name(node)
        if wanted is None:
            return None
        for name, part in self.array.fields:
            if name == wanted:
                return self._field(frame, part)
        raise members.no_field(frame, node, self.array.kind, [n for n, _ in self.array.fields])

    def _field(self, frame: Frame, part: Array | Records) -> Element | RecordElement:
        if isinstance(part, Records):
            return RecordElement(part, self.indices)
        return Element(part, frame.program.array(part), self.indices)


@dataclass(frozen=True, slots=True)
class Chosen:
    """An element of one of two arrays, or a part of it; `site` tells the places in the text apart."""

    site: int
    condition: Scalar
    then: Reference
    orelse: Reference

    def load(self, frame: Frame) -> Operand:
        """Its value: only the array that is meant is read."""
        key = frame.temporary(f"%chosen.{self.site}")

        def read(where: Reference) -> None:
            frame.program.assign(key, where.load(frame), "an element")

        self._apart(frame, read)
        return frame.program.read(key)

    def store(self, frame: Frame, node: ast.AST, value: Operand) -> None:
        """Give it a value."""
        self._apart(frame, lambda where: where.store(frame, node, value))

    def part(self, frame: Frame, node: _Part) -> Reference | None:
        """The part of that name."""
        then, orelse = self.then.part(frame, node), self.orelse.part(frame, node)
        if then is None or orelse is None:
            return None
        return Chosen(id(node), self.condition, then, orelse)

    def _apart(self, frame: Frame, act: Callable[[Reference], None]) -> None:
        program, then, orelse = frame.program, ir.Block(), ir.Block()
        for block, where in ((then, self.then), (orelse, self.orelse)):
            with program.inside(block):
                act(where)
        condition = program.emit(self.condition, BOOL)
        program.builder.append(ir.If(condition, then, orelse, program.builder.span))


@dataclass(frozen=True, slots=True)
class Part:
    """A vector, tuple or struct that a variable holds, or a part of one; `component` is that of a vector."""

    key: Key
    name: str
    component: int | None = None

    def load(self, frame: Frame) -> Operand:
        """Its value."""
        if self.component is None:
            return frame.program.read(self.key)
        return frame.program.read_component(self.key, self.component)

    def store(self, frame: Frame, node: ast.AST, value: Operand) -> None:
        """Give it a value."""
        if self.component is None:
            value = frame.program.as_value(value)
            if not can_vary(value):
                raise frame.fail(node, f"'{self.name}' cannot hold {describe(value)}")
            frame.program.assign(self.key, value, self.name)
            return
        if not isinstance(value, SCALAR_CLASSES):
            raise frame.fail(node, f"a component is a scalar, not {describe(value)}")
        frame.program.assign_component(self.key, self.component, value)

    def part(self, frame: Frame, node: _Part) -> Reference | None:
        """The component, field or item that `.x`, `.name` or `[0]` names."""
        kind = frame.program.table.types[self.key]
        if isinstance(kind, VectorType) and self.component is None:
            return Part(self.key, self.name, members.component_of(frame, node, kind.size))
        if not isinstance(kind, Composite):
            return None
        name = self._name_in(frame, node, kind)
        return None if name is None else Part(part_key(self.key, name), f"{self.name}.{name}")

    def _name_in(self, frame: Frame, node: _Part, kind: Composite) -> str | None:
        if kind.record is not None:
            name = members.field_name(node)
            if name is None or name in kind.fields:
                return name
            raise members.no_field(frame, node, kind.record, list(kind.fields))
        if isinstance(node, ast.Attribute):
            return str(kind.names.index(node.attr)) if node.attr in kind.names else None
        if isinstance(node.slice, ast.Slice):
            return None
        return kind.fields[members.constant_index(frame, node, len(kind.fields))]


@dataclass(frozen=True, slots=True)
class Whole:
    """A view of an array: all its elements get one value."""

    array: ArrayLike

    def load(self, frame: Frame) -> Operand:
        """The view."""
        return self.array

    def store(self, frame: Frame, node: ast.AST, value: Operand) -> None:
        """Fill the view."""
        fill(frame, node, self.array, value)

    def part(self, frame: Frame, node: _Part) -> Reference | None:
        """Its parts are reached as those of the array."""
        return None


Reference: TypeAlias = Element | Component | RecordElement | Chosen | Part | Whole
REFERENCES = (Element, Component, RecordElement, Chosen, Part, Whole)


def resolve(frame: Frame, node: ast.expr) -> Reference | Operand:
    """The place that an expression names, not yet loaded; or else its value."""
    if isinstance(node, ast.Name):
        return _named(frame, node)
    if not isinstance(node, ast.Attribute | ast.Subscript):
        return frame.expression(node)
    base = resolve(frame, node.value)
    if isinstance(base, REFERENCES):
        found = base.part(frame, node)
        if found is not None:
            return found
        base = loaded(frame, node.value, base)
    frame.at(node)
    if isinstance(node, ast.Attribute):
        return members.attribute(frame, node, base)
    if isinstance(base, STRUCTS) and members.field_name(node) is not None:
        return members.field(frame, node, base)
    if isinstance(base, ARRAYS):
        return at(frame, node, base, node.slice)
    return members.item(frame, node, base)


def _named(frame: Frame, node: ast.Name) -> Reference | Operand:
    if frame.is_held(node.id):
        key = frame.variable(node.id)
        if isinstance(frame.program.table.types[key], VectorType | Composite):
            return Part(key, node.id)
    return frame.expression(node)


def loaded(frame: Frame, node: ast.AST, found: Reference | Operand) -> Operand:
    """The value of what `resolve` gives."""
    if not isinstance(found, REFERENCES):
        return found
    frame.at(node)
    return found.load(frame)


def at(frame: Frame, node: ast.AST, array: ArrayLike, index: ast.expr) -> Reference | Operand:
    """The element that an index names, or the view that slices or a partial index give."""
    found = memory.subscript(frame, node, array, index)
    if isinstance(found, ARRAYS):
        return found
    return _located(frame, node, array, found)


def nth(frame: Frame, node: ast.AST, array: ArrayLike, index: Scalar) -> Operand:
    """The element at an index, or the view there of an array of several dimensions."""
    frame.at(node)
    rest = range(views.rank(array) - 1)
    if rest:
        return views.select(array, (Fixed(index), *map(Sliced, rest)))
    return _located(frame, node, array, [index]).load(frame)


def _located(
    frame: Frame, node: ast.AST, array: ArrayLike, indices: list[Scalar]
) -> Element | RecordElement | Chosen:
    """The element at its indices."""
    if isinstance(array, Choice):
        then = _located(frame, node, array.then, indices)
        return Chosen(id(node), array.condition, then, _located(frame, node, array.orelse, indices))
    found = memory.reached(frame, array, indices)
    if isinstance(array, Records):
        return RecordElement(array, found)
    return Element(array, frame.program.array(array), found)


def target(frame: Frame, node: ast.Attribute | ast.Subscript) -> Reference:
    """The place that is assigned to."""
    found = resolve(frame, node)
    if isinstance(found, REFERENCES):
        _check_item(frame, node, found)
        return found
    if isinstance(node, ast.Subscript) and isinstance(found, ARRAYS):
        return Whole(found)
    root = _root(node)
    base = None if root is None else frame.expression(root)
    if root is not None and base is not None and frame.is_local(root.id):
        value = frame.program.as_value(base)
        if can_vary(value) and isinstance(value, Vector | Record):
            # From the next pass on it is a variable.
            raise frame.program.table.demote(frame.variable(root.id))
    if isinstance(base, Tuple):
        raise frame.fail(node, "a tuple cannot be changed", "assign a new tuple to the name")
    shown = found if base is None or not isinstance(base, Struct) else base
    raise frame.fail(
        node,
        f"{describe(shown)} cannot be changed",
        "arguments are passed by value: keep what changes in an array or in a variable",
    )


def _check_item(frame: Frame, node: ast.Attribute | ast.Subscript, found: Reference) -> None:
    whole = isinstance(found, Part) and found.component is None
    if isinstance(node, ast.Subscript) and members.field_name(node) is None and whole:
        raise frame.fail(node, "a tuple cannot be changed", "assign a new tuple to the name")


def _root(node: ast.expr) -> ast.Name | None:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def fill(frame: Frame, node: ast.AST, array: ArrayLike, value: Operand) -> None:
    """`array[...] = value` of a view: every element gets the one value, or that of another array in its place."""
    if isinstance(value, ARRAYS):
        _check_copy(frame, node, array, value)
    program = frame.program
    frame.at(node)
    lengths = [
        program.emit(views.length(program, array, axis), INT32) for axis in range(views.rank(array))
    ]
    _fill(frame, node, array, value, lengths, [])


def _fill(
    frame: Frame,
    node: ast.AST,
    array: ArrayLike,
    value: Operand,
    lengths: list[ir.Value],
    indices: list[Scalar],
) -> None:
    """The loops over the axes that are left."""
    program, builder = frame.program, frame.program.builder
    if len(indices) < len(lengths):
        zero, one = builder.constant(0, INT32), builder.constant(1, INT32)
        index, body = ir.Value(INT32), ir.Block()
        with program.inside(body):
            _fill(frame, node, array, value, lengths, [*indices, Runtime(index)])
        loop = ir.For(index, zero, lengths[len(indices)], one, body, span=builder.span)
        builder.append(loop)
        return
    if isinstance(value, ARRAYS):
        value = _located(frame, node, value, indices).load(frame)
    _located(frame, node, array, indices).store(frame, node, value)


def _check_copy(frame: Frame, node: ast.AST, target: ArrayLike, source: ArrayLike) -> None:
    """Elements are copied one by one, in no stated order: of arrays of one shape that share no memory."""
    ranks = views.rank(target), views.rank(source)
    if ranks[0] != ranks[1]:
        raise frame.fail(
            node,
            f"an array of {ranks[1]} dimensions cannot be copied to one of {ranks[0]}",
            "loop over the elements",
        )
    for axis in range(ranks[0]):
        lengths = [views.length(frame.program, array, axis) for array in (target, source)]
        a, b = (value.value if isinstance(value, Literal) else None for value in lengths)
        if a is not None and b is not None and a != b:
            raise frame.fail(node, f"{b} elements cannot be copied to {a}")
    pairs = ((a, b) for a in views.leaves(target) for b in views.leaves(source))
    if any(views.may_overlap(a, b) for a, b in pairs):
        raise frame.fail(
            node,
            f"'{target.name}' and '{source.name}' may share memory, so one cannot be copied to the other at once",
            "loop over the elements, or copy them to an array of the thread first",
        )
