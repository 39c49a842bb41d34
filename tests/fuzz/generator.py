"""Random kernels, the same for the same seed.

They avoid true races and results that depend on order, and nothing else: a thread writes only its own
element of the outputs, shared arrays are read between two barriers, integer atomics go to one array for
each operation and their old values are not used, float atomics add small integers. Kernels of odd seeds
hold neighbour loops, whose order does not show either.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from tests.fuzz import points
from tests.fuzz.expressions import FLOATS, LENGTH, NUMBERS, VECTORS, Scope, Signature
from tests.fuzz.neighbors import NEAR, PAIRS, NeighborLoops
from tests.fuzz.program import Compound, Function, Line, Program, Statement
from tests.fuzz.statements import ATOMIC_ARRAYS, SCALARS, Body

BLOCKS: tuple[tuple[int, int, int], ...]
BLOCKS = ((1, 1, 1), (5, 1, 1), (16, 1, 1), (17, 1, 1), (25, 1, 1), (32, 1, 1), (33, 1, 1))
BLOCKS += ((5, 3, 1), (8, 4, 1), (3, 2, 3), (4, 4, 2))
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
# What kernels with neighbour loops take as well.
GRID_PARAMETERS = (
    *(f"near_{kind}" for kind in NEAR),
    *(f"pair_{kind}" for kind in PAIRS),
    "probes_vec3f",
    "members",
    "grid",
)


def parameters(program: Program) -> tuple[str, ...]:
    """The names of a kernel's parameters, in order."""
    return PARAMETERS + (GRID_PARAMETERS if program.points is not None else ())


def generate(seed: int, notes: Counter[str] | None = None) -> Program:
    """The kernel of a seed; `notes` counts what it holds."""
    return _Generator(seed, Counter() if notes is None else notes).program()


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
        if self.seed % 2:
            program.points = points.choose(self.chance)
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
        body = Body(self.chance, scope, self.notes, self.names)
        body.returns = lambda: self.result(body, result)
        self.notes["construct function"] += 1
        self.notes[f"construct function returns {'tuple' if ',' in result else result}"] += 1
        function = Function(f"@hw.function\ndef {name}({', '.join(names)}):")
        function.body = body.statements(self.chance.randrange(1, 5), 3)
        function.ending = [self.result(body, result)]
        # What is declared inside the body may be dropped by shrinking: the failure is then another one.
        self.functions.append(Signature(name, parameters, result))
        return function

    def result(self, body: Body, kinds: str) -> str:
        parts = [
            body.express.vector(kind, 1) if kind in VECTORS else body.express.scalar(kind, 2)
            for kind in kinds.split(",")
        ]
        return f"return {', '.join(parts)}"

    def kernel(self, program: Program, barriers: bool) -> Function:
        scope = Scope([("i", "int32")], [], self.functions, arrays=True)
        body = Body(self.chance, scope, self.notes, self.names)
        body.locked.add("i")
        names = ", ".join(parameters(program))
        header = f"@hw.kernel(contract=False)\ndef fuzz(\n    {names},\n):"
        function = Function(header, _indices(program.block, self.chance))
        size = self.chance.randrange(5, 14)
        loops = NeighborLoops(program.points, self.notes) if program.points else None
        body.neighbors = None if loops is None else loops.choices
        if barriers:
            self.notes["construct barriers"] += 1
            _Barriers(body, program, function).fill(size)
        else:
            self.guarded(body, function, size)
        if loops is not None and loops.none_yet:
            function.body.append(loops.loop(body, 1))
        function.ending = [
            f"out_{kind}[i] = {body.scope.of(kind)[-1]}" for kind in SCALARS if body.scope.of(kind)
        ]
        return function

    def guarded(self, body: Body, function: Function, size: int) -> None:
        guard = self.chance.choice(("none", "return", "if"))
        self.notes[f"construct guard {guard}"] += 1
        body.returns = lambda: "return"
        if guard == "return":
            function.frame += ["if i >= n:", "    return"]
        if guard != "if":
            function.body = [*_early(body), *body.statements(size, 3)]
            return
        with body.nested():
            lines = [*_early(body), *body.statements(size, 3)]
            function.body = [Compound([("if i < n:", lines)])]


def _early(body: Body) -> list[Statement]:
    """Often a neighbour loop before any thread has returned, behind names that it may read."""
    if body.neighbors is None or body.chance.random() < 0.3:
        return []
    return [*body.statements(2, 0), body.neighbors(body)[0](2)]


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

    def __init__(self, body: Body, program: Program, function: Function) -> None:
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
        if self.body.neighbors is not None:
            # Only its own thread writes there.
            own = (("tile[t]", self.kind), ("plane[t, 0]", "int32"), ("plane[t, 1]", "int32"))
            self.body.scope.loads += own
        self.function.body = [*_early(self.body), *self.uniform_body(size, 2)]

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
