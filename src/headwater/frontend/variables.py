"""The types of variables: a table that only grows, filled by lowering again until it is stable.

A variable's type joins all its assignments. One that has only weak assignments takes the join of the strong
types it is used with (integers for a weak int, floats for a weak float), or else the dialect's default.
"""

from __future__ import annotations

from typing import TypeAlias

from headwater.frontend.dialect import Dialect
from headwater.frontend.values import (
    Key,
    Scalar,
    Vector,
    WeakOperation,
    WeakVariable,
)
from headwater.types import WEAK_FLOAT, ScalarType, VectorType, join

VariableType: TypeAlias = ScalarType | VectorType


class Demoted(Exception):
    """A name that stood for a value needs a variable after all: lower again."""


def kind_of(value: Scalar | Vector) -> VariableType:
    """The type that a variable needs to hold the value."""
    if isinstance(value, Vector):
        return VectorType(value.kind, len(value.components))
    return value.kind


def scalar_of(kind: VariableType) -> ScalarType:
    """The type of one component."""
    return kind.scalar if isinstance(kind, VectorType) else kind


def join_kinds(a: VariableType, b: VariableType) -> VariableType | None:
    """The type that holds both, or None where a vector meets a scalar."""
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
        weak = scalar_of(self.types[key])
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
        weak = [key for key, kind in self.types.items() if scalar_of(kind).weak]
        self._spread()
        for key in weak:
            kind = self.types[key]
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
