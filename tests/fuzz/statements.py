"""Random statements of the kernel language."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.fuzz.expressions import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    VECTORS,
    Expressions,
    Scope,
)
from tests.fuzz.program import Compound, Line, Statement

SCALARS = (*NUMBERS, "bool")
BINS = 5  # elements of each array of atomics
SLOTS = 16  # columns of the traces, which make the values of locals visible
ATOMIC_ARRAYS = tuple(f"{name}_{kind}" for kind in INTEGERS for name in ("add", "min", "max"))


class Body:
    """Writes statements. `loop` says what break and continue would leave: nothing, or a free loop."""

    def __init__(
        self, chance: random.Random, scope: Scope, notes: Counter[str], names: Iterator[str]
    ):
        self.chance = chance
        self.scope = scope
        self.notes = notes
        self.names = names
        self.express = Expressions(chance, scope, notes)
        self.loop = False
        self.returns: Callable[[], str] | None = None
        # What gives the neighbour loops that may stand in this body.
        self.neighbors: Callable[[Body], list[Callable[[int], Compound]]] | None = None
        self.locked: set[str] = set()  # counters of while loops, which nothing else may change
        self.touched: list[tuple[str, str]] = []  # what the last statement assigned

    @contextmanager
    def nested(self, *, loop: bool | None = None) -> Iterator[None]:
        """Names assigned inside are not in reach afterwards."""
        before, was = len(self.scope.names), self.loop
        self.loop = was if loop is None else loop
        yield
        del self.scope.names[before:]
        self.loop = was

    def statements(self, count: int, depth: int) -> list[Statement]:
        found: list[Statement] = []
        for _ in range(count):
            self.touched = []
            statement = self.statement(depth)
            found.append(statement)
            if isinstance(statement, Line):
                found += self.traces()
        return found

    def traces(self) -> list[Statement]:
        """Stores that show what was just assigned."""
        if not self.scope.arrays:
            return []
        found: list[Statement] = []
        for names in self.touched:
            if self.chance.random() < 0.7:
                found += self.observe(*names)
        return found

    def observe(self, name: str, kind: str) -> list[Statement]:
        """Statements that make a value visible."""
        return [self.trace(name, kind)]

    def trace(self, name: str, kind: str) -> Line:
        self.notes["construct trace"] += 1
        part = f".{self.chance.choice('xyz')}" if kind in VECTORS else ""
        slot = self.chance.randrange(SLOTS)
        return Line(f"trace_{VECTORS.get(kind, kind)}[i, {slot}] = {name}{part}")

    def count_trip(self) -> Line:
        slot = self.chance.randrange(SLOTS)
        return Line(f"trace_int32[i, {slot}] = trace_int32[i, {slot}] * 3 + 1")

    def add(self, kind: str) -> str:
        """A new name, in reach from now on."""
        name = next(self.names)
        self.scope.names.append((name, kind))
        self.touched.append((name, kind))
        return name

    def statement(self, depth: int) -> Statement:
        if depth <= 0 or self.chance.random() < 0.6:
            return self.chance.choice(self.simple())()
        return self.chance.choice(self.compound())(depth - 1)

    def simple(self) -> list[Callable[[], Line]]:
        """The simple statements to choose from."""
        found = [self.declare, self.declare, self.assign, self.augment, self.declare_vector]
        found += [self.unpack]
        if self.scope.arrays:
            found += [self.store, self.store, self.augmented_store, self.store_vector, self.atomic]
        return found

    def compound(self) -> list[Callable[[int], Compound]]:
        """The compound statements to choose from."""
        found: list[Callable[[int], Compound]]
        found = [self.branch, self.branch, self.for_loop, self.while_loop]
        if self.loop:
            found += [self.jump, self.jump]
        if self.returns is not None:
            found.append(self.leave)
        if self.neighbors is not None:
            found += self.neighbors(self)
        return found

    # --- simple statements ---

    def declare(self) -> Line:
        kind = self.chance.choice(SCALARS)
        text = self.express.scalar(kind, 3)
        name = self.add(kind)
        self.notes["statement assign"] += 1
        self.notes[f"type {kind}"] += 1
        return Line(f"{name} = {text}")

    def declare_vector(self) -> Line:
        kind = self.chance.choice(tuple(VECTORS))
        text = self.express.vector(kind, 2)
        name = self.add(kind)
        self.notes[f"type {kind}"] += 1
        return Line(f"{name} = {text}")

    def target(self, kinds: tuple[str, ...]) -> tuple[str, str] | None:
        found = [(n, k) for n, k in self.scope.names if k in kinds and n not in self.locked]
        if not found:
            return None
        chosen = self.chance.choice(found)
        self.touched.append(chosen)
        return chosen

    def assign(self) -> Line:
        target = self.target((*SCALARS, *VECTORS))
        if target is None:
            return self.declare()
        name, kind = target
        self.notes["statement reassign"] += 1
        text = self.express.vector(kind, 2) if kind in VECTORS else self.express.scalar(kind, 3)
        return Line(f"{name} = {text}")

    def augment(self) -> Line:
        target = self.target((*NUMBERS, *VECTORS))
        if target is None:
            return self.declare()
        name, kind = target
        self.notes["statement augmented"] += 1
        if kind in VECTORS:
            return Line(f"{name} {self.chance.choice('+-')}= {self.express.vector(kind, 1)}")
        operator = self.express.operator(kind)
        right = self.chance.choice((self.express.scalar(kind, 2), self.express.weak_value(kind)))
        return Line(f"{name} {operator}= {right}")

    def unpack(self) -> Line:
        pairs = [f for f in self.scope.functions if "," in f.result]
        if not pairs:
            return self.declare()
        function = self.chance.choice(pairs)
        text = self.express.call_of(function, 1)
        names = [self.add(kind) for kind in function.result.split(",")]
        self.notes["statement unpack"] += 1
        return Line(f"{', '.join(names)} = {text}")

    def store(self) -> Line:
        kind = self.chance.choice(SCALARS)
        self.notes[f"store {kind}"] += 1
        return Line(f"out_{kind}[i] = {self.express.scalar(kind, 3)}")

    def augmented_store(self) -> Line:
        kind = self.chance.choice(NUMBERS)
        operator = self.express.operator(kind)
        self.notes["statement augmented store"] += 1
        return Line(f"out_{kind}[i] {operator}= {self.express.scalar(kind, 2)}")

    def store_vector(self) -> Line:
        kind = self.chance.choice(tuple(VECTORS))
        self.notes[f"store {kind}"] += 1
        return Line(f"out_{kind}[i] = {self.express.vector(kind, 2)}")

    def atomic(self) -> Line:
        place = self.express.place(BINS)
        if self.chance.random() < 0.2:
            kind = self.chance.choice(FLOATS)
            self.notes[f"atomic add {kind}"] += 1
            value = f"hw.{kind}({self.express.scalar('int32', 2)} % 8)"
            return Line(f"hw.atomic.add(add_{kind}, {place}, {value})")
        name, kind = self.chance.choice(ATOMIC_ARRAYS).split("_")
        self.notes[f"atomic {name} {kind}"] += 1
        return Line(f"hw.atomic.{name}({name}_{kind}, {place}, {self.express.scalar(kind, 2)})")

    # --- control ---

    def body(self, depth: int) -> list[Statement]:
        return self.statements(self.chance.randrange(1, 4), depth)

    def loop_body(self, depth: int) -> list[Statement]:
        """A body that counts its trips somewhere."""
        body = self.body(depth)
        if self.scope.arrays:
            body.insert(self.chance.randrange(len(body) + 1), self.count_trip())
        return body

    def branch(self, depth: int) -> Compound:
        arms: list[tuple[str, list[Statement]]] = []
        heads = ["if"] + ["elif"] * self.chance.choice((0, 0, 1, 2))
        for head in heads:
            condition = self.express.truth(2)
            self.notes[f"statement {head}"] += 1
            with self.nested():
                arms.append((f"{head} {condition}:", self.body(depth)))
        if self.chance.random() < 0.5:
            self.notes["statement else"] += 1
            with self.nested():
                arms.append(("else:", self.body(depth)))
        return Compound(arms)

    def bounds(self) -> tuple[str, str]:
        """The arguments of a range of at most five trips, and its type."""
        kind = self.chance.choice(("int32", "int32", "int32", "int64", "uint32"))
        form = self.chance.randrange(4)
        small = f"{self.express.scalar(kind, 1)} % {self.chance.randrange(1, 6)}"
        self.notes[f"statement range {form}"] += 1
        if form == 0:
            return small, kind
        if form == 1:
            return f"{self.express.scalar(kind, 1)} % 3, {small}", kind
        if form == 2 and kind != "uint32":
            return (
                f"{small}, {self.express.scalar(kind, 1)} % 3, -{self.chance.randrange(1, 3)}",
                kind,
            )
        return str(self.chance.randrange(5)), "int32"

    def for_loop(self, depth: int) -> Compound:
        bounds, kind = self.bounds()
        name = next(self.names)
        self.notes["statement for"] += 1
        with self.nested(loop=True):
            self.scope.names.append((name, kind))
            self.locked.add(name)
            return Compound([(f"for {name} in range({bounds}):", self.loop_body(depth))])

    def while_loop(self, depth: int) -> Compound:
        """The counter falls first, so that `continue` cannot make the loop endless."""
        name = next(self.names)
        start = f"hw.int32({self.express.scalar('int32', 1)} % {self.chance.randrange(1, 6)})"
        self.notes["statement while"] += 1
        with self.nested(loop=True):
            self.scope.names.append((name, "int32"))
            self.locked.add(name)
            condition = f"{name} > 0"
            if self.chance.random() < 0.4:
                condition += f" and {self.express.truth(1)}"
            body = self.loop_body(depth)
        count = Line(f"{name} -= 1", kept=True)
        loop = Compound([(f"while {condition}:", [count, *body])])
        return Compound([("", [Line(f"{name} = {start}"), loop])])

    def jump(self, depth: int) -> Compound:
        name = self.chance.choice(("break", "continue"))
        self.notes[f"statement {name}"] += 1
        condition = self.express.truth(2)
        with self.nested():
            return Compound([(f"if {condition}:", [*self.maybe(), Line(name)])])

    def leave(self, depth: int) -> Compound:
        assert self.returns is not None
        self.notes["statement return"] += 1
        if self.loop:
            self.notes["construct return in a loop"] += 1
        condition = self.express.truth(2)
        with self.nested():
            return Compound([(f"if {condition}:", [*self.maybe(), Line(self.returns())])])

    def maybe(self) -> list[Statement]:
        return [self.statement(0)] if self.chance.random() < 0.4 else []
