"""Random statements of the kernel language."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.fuzz.expressions import Expressions, Scope
from tests.fuzz.palette import FLOATS, INTEGERS, VECTORS, bits, size
from tests.fuzz.program import Compound, Line, Statement

BINS = 5  # elements of each array of atomics
SLOTS = 16  # columns of the traces, which make the values of locals visible
WORDS = tuple(kind for kind in INTEGERS if bits(kind) >= 32)
_COMMUTING = ("add", "min", "max", "and", "or", "xor")
_COUNTING = ("inc", "dec")  # all threads count up to one limit, so their order does not show
ATOMIC_ARRAYS = tuple(f"{name}_{kind}" for kind in WORDS for name in _COMMUTING)
ATOMIC_ARRAYS += tuple(f"{name}_{kind}" for kind in WORDS if kind[0] == "u" for name in _COUNTING)
_LIMIT = 5


class Body:
    """Writes statements. `loop` says what break and continue would leave: nothing, or a free loop."""

    def __init__(
        self, chance: random.Random, scope: Scope, notes: Counter[str], names: Iterator[str]
    ):
        self.chance = chance
        self.scope = scope
        self.palette = scope.palette
        self.notes = notes
        self.names = names
        self.express = Expressions(chance, scope, notes)
        self.loop = False
        self.returns: Callable[[], str] | None = None
        # What gives the neighbour loops that may stand in this body.
        self.neighbors: Callable[[Body], list[Callable[[int], Compound]]] | None = None
        self.locked: set[str] = set()  # counters of while loops, which nothing else may change
        self.touched: list[tuple[str, str]] = []  # what the last statement assigned
        # Whether it may make arrays of the thread, whose stores make a neighbour loop sequential.
        self.local_arrays = True
        # The fields of the struct that the kernel knows: name and type.
        self.record: tuple[tuple[str, str], ...] = ()

    @contextmanager
    def nested(self, *, loop: bool | None = None) -> Iterator[None]:
        """Names assigned inside are not in reach afterwards."""
        lists = (self.scope.names, self.scope.loads, self.scope.tables)
        before, was = [len(names) for names in lists], self.loop
        self.loop = was if loop is None else loop
        yield
        for names, length in zip(lists, before, strict=True):
            del names[length:]  # type: ignore[attr-defined]
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
        part = f".{self.chance.choice('xyzw'[: size(kind)])}" if kind in VECTORS else ""
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
        found += [self.unpack, self.pair, self.certain]
        if self.record:
            found += [self.make_record]
        if self.scope.tables:
            found += [self.store_table]
        if self.scope.arrays:
            found += [self.store, self.store, self.augmented_store, self.store_vector, self.atomic]
            found += [self.own_atomic, self.fence, self.draw]
            found += [self.take_record, self.store_record, self.store_field] if self.record else []
            found += [self.store_half] if self.palette.half else []
        return found

    def compound(self) -> list[Callable[[int], Compound]]:
        """The compound statements to choose from."""
        found: list[Callable[[int], Compound]]
        found = [self.branch, self.branch, self.for_loop, self.while_loop]
        found += [self.unrolled, self.match, self.chosen_when_compiling]
        found += [self.local_array] if self.local_arrays else []
        if self.loop:
            found += [self.jump, self.jump]
        if self.returns is not None:
            found.append(self.leave)
        if self.neighbors is not None:
            found += self.neighbors(self)
        return found

    # --- simple statements ---

    def declare(self) -> Line:
        kind = self.chance.choice(self.palette.scalars)
        text = self.express.scalar(kind, 3)
        name = self.add(kind)
        self.notes["statement assign"] += 1
        self.notes[f"type {kind}"] += 1
        return Line(f"{name} = {text}")

    def declare_vector(self) -> Line:
        kind = self.chance.choice(self.palette.vectors)
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
        target = self.target((*self.palette.scalars, *self.palette.vectors))
        if target is None:
            return self.declare()
        name, kind = target
        self.notes["statement reassign"] += 1
        text = self.express.vector(kind, 2) if kind in VECTORS else self.express.scalar(kind, 3)
        return Line(f"{name} = {text}")

    def augment(self) -> Line:
        target = self.target((*self.palette.numbers, *self.palette.vectors))
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
        kind = self.chance.choice(self.palette.scalars)
        self.notes[f"store {kind}"] += 1
        return Line(f"out_{kind}[i] = {self.express.scalar(kind, 3)}")

    def augmented_store(self) -> Line:
        kind = self.chance.choice(self.palette.numbers)
        operator = self.express.operator(kind)
        self.notes["statement augmented store"] += 1
        return Line(f"out_{kind}[i] {operator}= {self.express.scalar(kind, 2)}")

    def store_vector(self) -> Line:
        kind = self.chance.choice(self.palette.vectors)
        self.notes[f"store {kind}"] += 1
        return Line(f"out_{kind}[i] = {self.express.vector(kind, 2)}")

    def store_half(self) -> Line:
        self.notes["store float16"] += 1
        return Line(f"out_float16[i] = {self.express.scalar('float32', 2)}")

    def atomic(self) -> Line:
        place = self.express.place(BINS)
        if self.chance.random() < 0.2:
            kind = self.chance.choice(self.palette.floats)
            self.notes[f"atomic add {kind}"] += 1
            value = f"hw.{kind}({self.express.scalar('int32', 2)} % 8)"
            return Line(f"hw.atomic.add(add_{kind}, {place}, {value})")
        kind = self.chance.choice((*self.palette.words, *self.palette.words[2:]))
        if kind[0] == "u" and self.chance.random() < 0.3:
            name = self.chance.choice(_COUNTING)
            self.notes[f"atomic {name} {kind}"] += 1
            return Line(f"hw.atomic.{name}({name}_{kind}, {place}, {_LIMIT})")
        name = array = self.chance.choice(_COMMUTING)
        if name == "add" and self.chance.random() < 0.5:
            name = "sub"
        self.notes[f"atomic {name} {kind}"] += 1
        face = f"{name}_" if name in ("and", "or") else name
        value = self.express.scalar(kind, 2)
        return Line(f"hw.atomic.{face}({array}_{kind}, {place}, {value})")

    def own_atomic(self) -> Line:
        """On the thread's own element, so that the old value is known too."""
        kind = self.chance.choice((*self.palette.words, *self.palette.floats))
        names = ["exch", "cas"] if kind in FLOATS else ["exch", "cas", "add", "xor", "max"]
        name = self.chance.choice(names)
        self.notes[f"atomic own {name} {kind}"] += 1
        values = [self.express.scalar(kind, 2)]
        if name == "cas":
            expected = self.chance.choice((f"out_{kind}[i]", self.express.scalar(kind, 0)))
            values.insert(0, expected)
        text = f"hw.atomic.{name}(out_{kind}, i, {', '.join(values)})"
        return Line(f"{self.add(kind)} = {text}")

    def fence(self) -> Line:
        self.notes["fence"] += 1
        return Line("hw.threadfence_block()")

    def draw(self) -> Line:
        self.notes["random"] += 1
        text = f"hw.random.uniform({self.chance.randrange(9)}, i, {self.chance.randrange(4)})"
        return Line(f"{self.add('float32')} = {text}")

    def certain(self) -> Line:
        """A condition that holds."""
        self.notes["statement assert"] += 1
        kind = self.chance.choice(self.palette.integers)
        text = self.express.scalar(kind, 1)
        return Line(f"assert {text} & 1 <= 1, 'a bit'")

    # --- tuples and structs ---

    def pair(self) -> Line:
        """A tuple, whose items are used by constant subscripts."""
        kinds = [self.chance.choice(self.palette.scalars) for _ in range(2)]
        values = [self.express.scalar(kind, 1) for kind in kinds]
        name = next(self.names)
        self.scope.loads += [(f"{name}[{place}]", kind) for place, kind in enumerate(kinds)]
        self.notes["statement tuple"] += 1
        return Line(f"{name} = ({', '.join(values)})")

    def record_value(self) -> str:
        parts = [
            f"{name}={self.express.vector(kind, 1) if kind in VECTORS else self.express.scalar(kind, 1)}"
            for name, kind in self.record
        ]
        return f"Record({', '.join(parts)})"

    def know_record(self, text: str) -> Line:
        name = next(self.names)
        self.scope.loads += [(f"{name}.{part}", kind) for part, kind in self.record]
        return Line(f"{name} = {text}")

    def make_record(self) -> Line:
        self.notes["struct made"] += 1
        if self.chance.random() < 0.4:
            self.notes["struct from a function"] += 1
            return self.know_record(f"make_record({self.express.scalar('int32', 1)})")
        return self.know_record(self.record_value())

    def take_record(self) -> Line:
        self.notes["struct loaded"] += 1
        place = self.express.place(BINS)
        return self.know_record(self.chance.choice((f"in_record[{place}]", "out_record[i]")))

    def store_record(self) -> Line:
        self.notes["struct stored"] += 1
        value = self.record_value()
        return Line(f"out_record[i] = {value}")

    def store_field(self) -> Line:
        self.notes["struct field stored"] += 1
        name, kind = self.chance.choice(self.record)
        value = self.express.vector(kind, 1) if kind in VECTORS else self.express.scalar(kind, 1)
        return Line(f"out_record[i].{name} = {value}")

    # --- arrays of the thread ---

    def local_array(self, depth: int) -> Compound:
        """Filled at once, since its values are not set."""
        kind = self.chance.choice((*self.palette.scalars, *self.palette.vectors))
        name, length = f"local{next(self.names)}", self.chance.randrange(1, 7)
        k = next(self.names)
        first = self.express.vector(kind, 1) if kind in VECTORS else self.express.scalar(kind, 1)
        face = "boolean" if kind == "bool" else kind
        self.scope.tables.append((name, kind, length))
        self.notes["local array"] += 1
        fill = Compound([(f"for {k} in range({length}):", [Line(f"{name}[{k}] = {first}", True)])])
        return Compound([("", [Line(f"{name} = hw.local.array({length}, hw.{face})"), fill])])

    def store_table(self) -> Line:
        name, kind, extent = self.chance.choice(self.scope.tables)
        if not name.startswith("local"):
            return self.declare()
        self.notes["store local"] += 1
        value = self.express.vector(kind, 1) if kind in VECTORS else self.express.scalar(kind, 2)
        return Line(f"{name}[{self.express.place(extent)}] = {value}")

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
        kind = self.chance.choice(("int32", "int32", *self.palette.integers))
        form = self.chance.randrange(4)
        small = f"{self.express.scalar(kind, 1)} % {self.chance.randrange(1, 6)}"
        self.notes[f"statement range {form}"] += 1
        if form == 0:
            return small, kind
        if form == 1:
            return f"{self.express.scalar(kind, 1)} % 3, {small}", kind
        if form == 2 and kind[0] != "u":
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
            # Loops over small integers count in int32.
            self.scope.names.append((name, kind if bits(kind) >= 32 else "int32"))
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

    def unrolled(self, depth: int) -> Compound:
        """A loop that the compiler unrolls; no jump belongs to it."""
        name = next(self.names)
        self.notes["statement static range"] += 1
        with self.nested(loop=False):
            self.scope.names.append((name, "weak"))
            body = [self.statement(0)]
            if self.scope.arrays:
                body += self.observe(name, "int32")
        return Compound([(f"for {name} in hw.static_range({self.chance.randrange(1, 4)}):", body)])

    def match(self, depth: int) -> Compound:
        self.notes["statement match"] += 1
        cases: list[Statement] = []
        for pattern in ("0", "1 | 2", "_"):
            with self.nested():
                cases.append(Compound([(f"case {pattern}:", self.body(depth))]))
        return Compound([(f"match {self.express.scalar('int32', 1)} % 4:", cases)])

    def chosen_when_compiling(self, depth: int) -> Compound:
        """Only one arm is compiled."""
        self.notes["statement compile-time if"] += 1
        limit = self.chance.randrange(6)
        arms: list[tuple[str, list[Statement]]] = []
        condition = f"fixed > {limit}" if self.scope.arrays else f"{limit} > 2"
        for head in (f"if {condition}:", "else:"):
            with self.nested():
                arms.append((head, self.body(0)))
        return Compound(arms)

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
