"""The types of variables: a table that only grows, filled by lowering again until it is stable.

A variable's type joins all its assignments. One that has only weak assignments takes the join of the strong
types it is used with (integers for a weak int, floats for a weak float), or else the dialect's default.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from headwater.frontend.dialect import Dialect
from headwater.frontend.values import (
    Key,
    Operand,
    Record,
    Scalar,
    Tuple,
    Vector,
    WeakOperation,
    WeakVariable,
)
from headwater.types import WEAK_FLOAT, ScalarType, VectorType, join


@dataclass(frozen=True, slots=True)
class Composite:
    """A tuple, or a struct of the dataclass `record`: each of its parts is a variable of its own, see `part_key`."""

    record: str | None
    fields: tuple[str, ...]
    # Of a named tuple.
    names: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"a tuple of {len(self.fields)}" if self.record is None else self.record


SimpleType: TypeAlias = ScalarType | VectorType
VariableType: TypeAlias = SimpleType | Composite


class Demoted(Exception):
    """A name that stood for a value needs a variable after all: lower again."""


def kind_of(value: Scalar | Vector | Record | Tuple) -> VariableType:
    """The type that a variable needs to hold the value."""
    if isinstance(value, Record | Tuple):
        fields = tuple(name for name, _ in parts_of(value))
        if isinstance(value, Record):
            return Composite(value.kind, fields)
        return Composite(None, fields, value.names)
    if isinstance(value, Vector):
        return VectorType(value.kind, len(value.components))
    return value.kind


def parts_of(value: Record | Tuple) -> tuple[tuple[str, Operand], ...]:
    """The fields of a struct by name, the items of a tuple by number."""
    if isinstance(value, Record):
        return value.fields
    return tuple((str(position), item) for position, item in enumerate(value.items))


def part_key(key: Key, name: str) -> Key:
    """The key of a part of a composite variable."""
    return key[0], f"{key[1]}/{name}"


def scalar_of(kind: SimpleType) -> ScalarType:
    """The type of one component."""
    return kind.scalar if isinstance(kind, VectorType) else kind


def join_kinds(a: VariableType, b: VariableType) -> VariableType | None:
    """The type that holds both, or None where there is none: a vector and a scalar, structs of two kinds."""
    if isinstance(a, Composite) or isinstance(b, Composite):
        return a if a == b else None
    if isinstance(a, ScalarType) and isinstance(b, ScalarType):
        return join(a, b)
    if isinstance(a, VectorType) and isinstance(b, VectorType) and a.size == b.size:
        return VectorType(join(a.scalar, b.scalar), a.size)
    return None


class TypeTable:
    """What all passes over one kernel have learned so far."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.types: dict[Key, VariableType] = {}
        self.demoted: set[Key] = set()
        self.changed = False
        self._uses: dict[Key, ScalarType] = {}
        self._links: dict[Key, set[Key]] = {}

    def demote(self, key: Key) -> Demoted:
        """From the next pass on, `key` is a variable. The caller raises what this returns."""
        self.demoted.add(key)
        return Demoted()

    def assign(self, key: Key, kind: VariableType) -> VariableType | None:
        """Note an assignment; the variable's type now, or None where the types do not join."""
        known = self.types.get(key)
        joined = kind if known is None else join_kinds(known, kind)
        if joined is None or joined == known:
            return joined
        self.types[key] = joined
        self.changed = True
        return joined

    def use(self, key: Key, kind: ScalarType) -> None:
        """Note that a weak variable is used with a strong type."""
        held = self.types[key]
        if isinstance(held, Composite):
            return
        weak = scalar_of(held)
        if weak.is_float != kind.is_float or kind.is_bool:
            return
        known = self._uses.get(key)
        self._uses[key] = kind if known is None else join(known, kind)

    def link(self, key: Key, value: Scalar | Vector) -> None:
        """Note that the variable is assigned a value made of weak variables: uses pass on to these."""
        parts = value.components if isinstance(value, Vector) else (value,)
        for part in parts:
            self._links.setdefault(key, set()).update(_weak_variables(part))

    def settle(self) -> bool:
        """Give each variable that is still weak its type. False where none was."""
        weak = [
            (key, kind)
            for key, kind in self.types.items()
            if not isinstance(kind, Composite) and scalar_of(kind).weak
        ]
        self._spread()
        for key, kind in weak:
            strong = self._uses.get(key) or self._default(scalar_of(kind))
            self.types[key] = (
                VectorType(strong, kind.size) if isinstance(kind, VectorType) else strong
            )
        return bool(weak)

    def _default(self, kind: ScalarType) -> ScalarType:
        return self.dialect.floating if kind is WEAK_FLOAT else self.dialect.integer

    def _spread(self) -> None:
        growing = True
        while growing:
            before = dict(self._uses)
            for key, sources in self._links.items():
                for source in sources if key in self._uses else ():
                    self.use(source, self._uses[key])
            growing = before != self._uses


def _weak_variables(value: Scalar) -> set[Key]:
    found: set[Key] = set()
    seen: set[WeakOperation] = set()
    rest = [value]
    while rest:
        part = rest.pop()
        if isinstance(part, WeakVariable):
            found.add(part.key)
        elif isinstance(part, WeakOperation) and part not in seen:
            seen.add(part)
            rest += part.arguments
    return found
