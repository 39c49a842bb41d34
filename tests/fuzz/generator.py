"""Random kernels, the same for the same seed.

They avoid true races and results that depend on order, and nothing else: a thread writes only its own
element of the outputs, shared arrays are read between two barriers, integer atomics go to one array for
each operation and their old values are used only where no other thread comes, float atomics add small integers.
Lanes of a warp take values only of lanes that take part. Kernels of odd seeds hold neighbour loops, whose order does
not show either.
"""

from __future__ import annotations

import random
from collections import Counter

from tests.fuzz import palette, points
from tests.fuzz.expressions import COLUMNS, LENGTH, ROWS, Scope, Signature
from tests.fuzz.neighbors import NeighborLoops, near, pairs
from tests.fuzz.palette import VECTORS
from tests.fuzz.phases import Phases
from tests.fuzz.program import Compound, Function, Program, Statement
from tests.fuzz.statements import ATOMIC_ARRAYS, Body

BLOCKS: tuple[tuple[int, int, int], ...]
BLOCKS = ((1, 1, 1), (5, 1, 1), (16, 1, 1), (17, 1, 1), (25, 1, 1), (32, 1, 1), (33, 1, 1))
BLOCKS += ((64, 1, 1), (70, 1, 1), (5, 3, 1), (8, 4, 1), (3, 2, 3), (4, 4, 2), (4, 3, 5))


def parameters(program: Program) -> list[str]:
    """The names of a kernel's parameters, in order."""
    types = program.palette
    found = [
        f"{word}_{kind}" for word in ("out", "in") for kind in (*types.scalars, *types.vectors)
    ]
    found += [f"trace_{kind}" for kind in types.scalars]
    found += ["in_2d", "in_4d"]
    found += ["in_float16", "out_float16"] if types.half else []
    found += ["in_record", "out_record"] if program.record else []
    found += [name for name in ATOMIC_ARRAYS if name.split("_")[1] in types.words]
    found += [f"add_{kind}" for kind in types.floats]
    found += [f"strong_{kind}" for kind in types.numbers]
    found += ["weak_int", "weak_float", "bundle", "pair", "n", "fixed"]
    if program.points is None:
        return found
    found += [f"near_{kind}" for kind in near(types)]
    found += [f"pair_{kind}" for kind in pairs(types)]
    return [*found, "probes_vec3f", "members", "grid"]


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
        program = Program(self.seed, grid, block, 0, palette=palette.choose(self.chance))
        self.palette = program.palette
        self.set_up(program)
        program.count = max(0, program.threads - self.chance.randrange(0, block[0] + 1))
        for number in range(self.chance.randrange(0, 3)):
            program.functions.append(self.function(program, f"function_{number}"))
        if self.seed % 2:
            program.points = points.choose(self.chance)
        pick = self.chance.random()
        barriers, warps = pick < 0.4, 0.4 <= pick < 0.5
        program.functions.append(self.kernel(program, barriers, warps))
        self.notes[f"construct block {sum(extent > 1 for extent in block)}d"] += 1
        return program

    def set_up(self, program: Program) -> None:
        """The struct, the tables and the arguments that kernels of this seed know."""
        kinds = (*self.palette.scalars, *self.palette.vectors)
        if self.chance.random() < 0.5:
            chosen = self.chance.sample(kinds, self.chance.randrange(1, 4))
            program.record = tuple(zip("abc", chosen, strict=False))
            program.prologue += ["", "@dataclass(frozen=True)", "class Record:"]
            for name, kind in program.record:
                program.prologue.append(f"    {name}: hw.{'boolean' if kind == 'bool' else kind}")
        kind = self.chance.choice(self.palette.numbers)
        values = [self.chance.randrange(0, 100) for _ in range(5)]
        self.table = ("consts", kind, len(values))
        program.prologue += ["", f"TABLE = np.array({values}, np.{kind})", ""]
        program.fixed = self.chance.randrange(1, 6)
        arrays = [f"in_{kind}" for kind in (*self.palette.scalars, *self.palette.vectors)]
        program.strided = tuple(name for name in (*arrays, "in_2d") if self.chance.random() < 0.2)
        self.notes["construct strided argument"] += len(program.strided)
        if program.record:
            program.functions.append(self.record_function(program))

    def record_function(self, program: Program) -> Function:
        """What makes a struct."""
        scope = Scope(self.palette, [("p0", "int32")])
        body = Body(self.chance, scope, self.notes, self.names)
        body.record = program.record
        function = Function("@hw.function\ndef make_record(p0):")
        function.ending = [f"return {body.record_value()}"]
        return function

    def function(self, program: Program, name: str) -> Function:
        """A device function; it may call those before it and return anywhere."""
        kinds = (*self.palette.scalars, *self.palette.vectors)
        parameters = tuple(self.chance.choice(kinds) for _ in range(self.chance.randrange(1, 4)))
        pair = ",".join((self.chance.choice(kinds),) * 2)
        result = self.chance.choice((*kinds, pair))
        names = [f"p{number}" for number in range(len(parameters))]
        known = list(zip(names, parameters, strict=True))
        scope = Scope(self.palette, known, [], list(self.functions))
        body = Body(self.chance, scope, self.notes, self.names)
        body.record = program.record
        body.local_arrays = self.seed % 2 == 0  # neighbour loops call it
        body.returns = lambda: self.result(body, result)
        self.notes["construct function"] += 1
        self.notes[f"construct function returns {'tuple' if ',' in result else result}"] += 1
        exact = "(contract=False)" if self.chance.random() < 0.3 else ""
        function = Function(f"@hw.function{exact}\ndef {name}({', '.join(names)}):")
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

    def kernel(self, program: Program, barriers: bool, warps: bool) -> Function:
        scope = Scope(self.palette, [("i", "int32")], [], self.functions, arrays=True)
        body = Body(self.chance, scope, self.notes, self.names)
        body.record = program.record
        body.locked.add("i")
        names = ", ".join(parameters(program)).replace("fixed", "fixed: hw.constexpr")
        header = f"@hw.kernel(contract=False)\ndef fuzz(\n    {names},\n):"
        function = Function(header, _indices(program.block, self.chance))
        function.frame += self.views(scope)
        size = self.chance.randrange(5, 14)
        loops = NeighborLoops(program.points, self.notes) if program.points else None
        body.neighbors = None if loops is None else loops.choices
        if barriers or warps:
            self.notes["construct barriers" if barriers else "construct warps alone"] += 1
            phases = Phases(body, program, function, shared=barriers)
            phases.set_up()
            function.body = [*_early(body), *phases.uniform_body(size, 2)]
        else:
            self.guarded(body, function, size)
        if loops is not None and loops.none_yet:
            function.body.append(loops.loop(body, 1))
        function.ending = [
            f"out_{kind}[i] = {body.scope.of(kind)[-1]}"
            for kind in self.palette.scalars
            if body.scope.of(kind)
        ]
        return function

    def views(self, scope: Scope) -> list[str]:
        """Parts of arrays, and a table, by names of their own."""
        lines = ["consts = hw.const.array_like(TABLE)"]
        scope.tables.append(self.table)
        kind = self.chance.choice((*self.palette.scalars, *self.palette.vectors))
        first, last = self.chance.randrange(4), self.chance.randrange(8, LENGTH)
        step = self.chance.choice((1, 1, 2, 3))
        lines.append(f"part = in_{kind}[{first}:{last}:{step}]")
        scope.tables.append(("part", kind, -(-(last - first) // step)))
        back = self.chance.choice(self.palette.numbers)
        lines.append(f"back = in_{back}[{last}:{first}:-{step}]")
        scope.tables.append(("back", back, -(-(last - first) // step)))
        lines.append(f"row = in_2d[{self.chance.choice(('i % ' + str(ROWS), '1'))}]")
        scope.tables.append(("row", "float32", COLUMNS))
        lines.append(f"column = in_2d[:, {self.chance.randrange(COLUMNS)}]")
        scope.tables.append(("column", "float32", ROWS))
        return lines

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
