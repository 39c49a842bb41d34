"""Random kernels, the same for the same seed.

They avoid true races and results that depend on order, and nothing else: a thread writes only its own
element of the outputs, shared arrays are read between two barriers, integer atomics go to one array for
each operation and their old values are not used, float atomics add small integers.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.fuzz.expressions import (
    FLOATS,
    INTEGERS,
    LENGTH,
    NUMBERS,
    VECTORS,
    Expressions,
    Scope,
    Signature,
)
from tests.fuzz.program import Compound, Function, Line, Program, Statement

SCALARS = (*NUMBERS, "bool")
BINS = 5  # elements of each array of atomics
SLOTS = 16  # columns of the traces, which make the values of locals visible
BLOCKS = ((1, 1, 1), (5, 1, 1), (16, 1, 1), (17, 1, 1), (25, 1, 1), (32, 1, 1), (33, 1, 1))
BLOCKS += ((5, 3, 1), (8, 4, 1), (3, 2, 3), (4, 4, 2))
ATOMIC_ARRAYS = tuple(f"{name}_{kind}" for kind in INTEGERS for name in ("add", "min", "max"))

PARAMETERS = (
    *(f"out_{kind}" for kind in (*SCALARS, *VECTORS)),
    *(f"trace_{kind}" for kind in SCALARS),
    *(f"in_{kind}" for kind in (*SCALARS, *VECTORS)),
    "in_2d",
    *ATOMIC_ARRAYS,
    *(f"add_{kind}" for kind in FLOATS),
    *(f"strong_{kind}" for kind in NUMBERS),
    "weak_int",
    "weak_float",
    "bundle",
    "n",
)


def generate(seed: int, notes: Counter[str] | None = None) -> Program:
    """The kernel of a seed; `notes` counts what it holds."""
    return _Generator(seed, Counter() if notes is None else notes).program()


class _Body:
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
        return [self.trace(*names) for names in self.touched if self.chance.random() < 0.7]

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
        simple = [self.declare, self.declare, self.assign, self.augment, self.declare_vector]
        simple += [self.unpack]
        if self.scope.arrays:
            simple += [self.store, self.store, self.augmented_store, self.store_vector, self.atomic]
        if depth <= 0 or self.chance.random() < 0.6:
            return self.chance.choice(simple)()
        compound = [self.branch, self.branch, self.for_loop, self.while_loop]
        if self.loop:
            compound += [self.jump, self.jump]
        if self.returns is not None:
            compound.append(self.leave)
        return self.chance.choice(compound)(depth - 1)

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


class _Generator:
    def __init__(self, seed: int, notes: Counter[str]) -> None:
        self.seed = seed
        self.chance = random.Random(seed)
        self.notes = notes
        self.names = (f"v{number}" for number in range(10**6))
        self.functions: list[Signature] = []

    def program(self) -> Program:
        block = self.chance.choice(BLOCKS)
        grid = (self.chance.randrange(1, 4), self.chance.choice((1, 2)) if block[1] > 1 else 1, 1)
        program = Program(self.seed, grid, block, 0)
        program.count = max(0, program.threads - self.chance.randrange(0, block[0] + 1))
        for number in range(self.chance.randrange(0, 3)):
            program.functions.append(self.function(f"function_{number}"))
        barriers = self.chance.random() < 0.4
        program.functions.append(self.kernel(program, barriers))
        self.notes[f"construct block {sum(extent > 1 for extent in block)}d"] += 1
        return program

    def function(self, name: str) -> Function:
        """A device function; it may call those before it and return anywhere."""
        kinds = (*SCALARS, *VECTORS)
        parameters = tuple(self.chance.choice(kinds) for _ in range(self.chance.randrange(1, 4)))
        results = (
            *SCALARS,
            *VECTORS,
            *(f"{kind},{other}" for kind, other in ((self.chance.choice(kinds),) * 2,)),
        )
        result = self.chance.choice(results)
        names = [f"p{number}" for number in range(len(parameters))]
        scope = Scope(list(zip(names, parameters, strict=True)), [], list(self.functions))
        body = _Body(self.chance, scope, self.notes, self.names)
        body.returns = lambda: self.result(body, result)
        self.notes["construct function"] += 1
        self.notes[f"construct function returns {'tuple' if ',' in result else result}"] += 1
        function = Function(f"@hw.function\ndef {name}({', '.join(names)}):")
        function.body = body.statements(self.chance.randrange(1, 5), 3)
        function.ending = [self.result(body, result)]
        # What is declared inside the body may be dropped by shrinking: the failure is then another one.
        self.functions.append(Signature(name, parameters, result))
        return function

    def result(self, body: _Body, kinds: str) -> str:
        parts = [
            body.express.vector(kind, 1) if kind in VECTORS else body.express.scalar(kind, 2)
            for kind in kinds.split(",")
        ]
        return f"return {', '.join(parts)}"

    def kernel(self, program: Program, barriers: bool) -> Function:
        scope = Scope([("i", "int32")], [], self.functions, arrays=True)
        body = _Body(self.chance, scope, self.notes, self.names)
        body.locked.add("i")
        header = f"@hw.kernel(contract=False)\ndef fuzz(\n    {', '.join(PARAMETERS)},\n):"
        function = Function(header, _indices(program.block, self.chance))
        size = self.chance.randrange(5, 14)
        if barriers:
            self.notes["construct barriers"] += 1
            _Barriers(body, program, function).fill(size)
        else:
            self.guarded(body, function, size)
        function.ending = [
            f"out_{kind}[i] = {body.scope.of(kind)[-1]}" for kind in SCALARS if body.scope.of(kind)
        ]
        return function

    def guarded(self, body: _Body, function: Function, size: int) -> None:
        guard = self.chance.choice(("none", "return", "if"))
        self.notes[f"construct guard {guard}"] += 1
        body.returns = lambda: "return"
        if guard == "return":
            function.frame += ["if i >= n:", "    return"]
        if guard != "if":
            function.body = body.statements(size, 3)
            return
        with body.nested():
            function.body = [Compound([("if i < n:", body.statements(size, 3))])]


def _indices(block: tuple[int, int, int], chance: random.Random) -> list[str]:
    """The linear index of the thread in the launch, as i."""
    if block[2] > 1:
        return [
            "x, y, z = hw.grid(3)",
            "w, h, d = hw.gridsize(3)",
            "i = x + w * (y + h * z)",
        ]
    if block[1] > 1:
        return ["x, y = hw.grid(2)", "i = x + hw.gridDim.x * hw.blockDim.x * y"]
    by_hand = "i = hw.blockIdx.x * hw.blockDim.x + hw.threadIdx.x"
    return [chance.choice(("i = hw.grid(1)", by_hand))]


class _Barriers:
    """Fills a kernel with phases between barriers, in uniform control, and free code between them."""

    def __init__(self, body: _Body, program: Program, function: Function) -> None:
        self.body = body
        self.chance = body.chance
        self.notes = body.notes
        self.threads = program.block[0] * program.block[1] * program.block[2]
        self.kind = self.chance.choice(NUMBERS)
        self.function = function

    def fill(self, size: int) -> None:
        first = self.body.express.literal(self.kind)
        self.function.frame += [
            "t = hw.threadIdx.x + hw.blockDim.x * (hw.threadIdx.y + hw.blockDim.y * hw.threadIdx.z)",
            f"tile = hw.shared.array({self.threads}, hw.{self.kind})",
            f"plane = hw.shared.array(({self.threads}, 2), hw.int32)",
            "bins = hw.shared.array(3, hw.int32)",
            f"tile[t] = {first}",
            "plane[t, 0] = t",
            "plane[t, 1] = -i",
            f"for k in range(t, 3, {self.threads}):",
            "    bins[k] = k",
            "hw.syncthreads()",
        ]
        self.body.scope.names.append(("t", "int32"))
        self.body.locked.add("t")
        if self.chance.random() < 0.5:
            self.notes["construct return before a barrier"] += 1
            self.function.frame += ["if i >= n:", "    return"]
        if self.chance.random() < 0.3:
            self.body.returns = lambda: "return"
        self.function.body = self.uniform_body(size, 2)

    def uniform_body(self, count: int, depth: int) -> list[Statement]:
        found: list[Statement] = []
        for _ in range(count):
            found += self.uniform_statement(depth)
        return found

    def uniform_statement(self, depth: int) -> list[Statement]:
        pick = self.chance.random()
        if pick < 0.35:
            return [self.body.statement(2)]
        if pick < 0.45:
            return [self.declare_uniform()]
        if pick < 0.75 or depth <= 0:
            return [self.chance.choice((self.exchange, self.exchange_plane, self.count_bins))()]
        return [
            self.chance.choice((self.uniform_loop, self.uniform_loop, self.uniform_if))(depth - 1)
        ]

    def declare_uniform(self) -> Line:
        name = next(self.body.names)
        text = f"{name} = {self.body.express.uniform()}"
        if self.chance.random() < 0.3:
            self.notes["op uniform"] += 1
            text = f"{name} = hw.uniform(in_int32[{self.chance.randrange(LENGTH)}])"
        self.body.scope.uniform.append(name)
        return Line(text)

    def phase(self, before: list[Statement], after: str, kind: str) -> Compound:
        """Writes, a barrier, a read into a new name, a barrier; kept whole by shrinking."""
        self.notes["construct phase"] += 1
        self.body.touched = []
        name = self.body.add(kind)
        lines = [
            *before,
            Line("hw.syncthreads()"),
            Line(f"{name} = {after}"),
            Line("hw.syncthreads()"),
            *self.body.traces(),
        ]
        return Compound([("", lines)])

    def other(self) -> str:
        return self.body.express.place(self.threads)

    def exchange(self) -> Compound:
        write = Line(f"tile[t] = {self.body.express.scalar(self.kind, 2)}")
        return self.phase(self.perhaps(write), f"tile[{self.other()}]", self.kind)

    def exchange_plane(self) -> Compound:
        column = self.chance.randrange(2)
        write = Line(f"plane[t, {column}] = {self.body.express.scalar('int32', 2)}")
        return self.phase(self.perhaps(write), f"plane[{self.other()}, {column}]", "int32")

    def count_bins(self) -> Compound:
        self.notes["atomic shared"] += 1
        name = self.chance.choice(("add", "min", "max"))
        place, value = self.body.express.place(3), self.body.express.scalar("int32", 2)
        update = Line(f"hw.atomic.{name}(bins, {place}, {value})")
        return self.phase(self.perhaps(update), f"bins[{self.body.express.place(3)}]", "int32")

    def perhaps(self, write: Line) -> list[Statement]:
        if self.chance.random() < 0.6:
            return [write]
        return [Compound([(f"if {self.body.express.truth(1)}:", [write])])]

    @contextmanager
    def uniform_nested(self) -> Iterator[None]:
        before = len(self.body.scope.uniform)
        with self.body.nested(loop=False):
            yield
        del self.body.scope.uniform[before:]

    def uniform_loop(self, depth: int) -> Compound:
        self.notes["construct barrier in a loop"] += 1
        trips = f"{self.body.express.uniform(1)} % 4"
        name = next(self.body.names)
        with self.uniform_nested():
            self.body.scope.uniform.append(name)
            self.body.scope.names.append((name, "int32"))
            self.body.locked.add(name)
            body = self.uniform_body(self.chance.randrange(1, 4), depth)
            if self.chance.random() < 0.3:
                self.notes["construct uniform break"] += 1
                jump = Line(self.chance.choice(("break", "continue")))
                place = self.chance.randrange(len(body) + 1)
                body.insert(
                    place, Compound([(f"if {self.body.express.uniform_truth_of(name)}:", [jump])])
                )
        return Compound([(f"for {name} in range({trips}):", body)])

    def uniform_if(self, depth: int) -> Compound:
        self.notes["construct barrier in an if"] += 1
        arms: list[tuple[str, list[Statement]]] = []
        for head in (f"if {self.body.express.uniform_truth()}:", "else:"):
            with self.uniform_nested():
                arms.append((head, self.uniform_body(self.chance.randrange(1, 3), depth)))
        return Compound(arms)
