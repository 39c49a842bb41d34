"""What threads do together: phases between barriers, votes, warps; uniform control, and free code between."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from tests.fuzz.expressions import LENGTH
from tests.fuzz.palette import FLOATS, VECTORS
from tests.fuzz.program import Compound, Function, Line, Program, Statement

if TYPE_CHECKING:
    from tests.fuzz.statements import Body

_ALL = "0xffffffff"
_THREAD = "hw.threadIdx.x + hw.blockDim.x * (hw.threadIdx.y + hw.blockDim.y * hw.threadIdx.z)"


class Phases:
    """Fills a kernel. With `shared` it has barriers and shared memory, without only warps."""

    def __init__(self, body: Body, program: Program, function: Function, shared: bool) -> None:
        self.body = body
        self.chance = body.chance
        self.notes = body.notes
        self.program = program
        self.threads = math.prod(program.block)
        self.palette = program.palette
        self.kind = self.chance.choice((*self.palette.numbers, *self.palette.vectors))
        self.function = function
        self.shared = shared
        self.dynamic: list[tuple[str, str]] = []

    # --- the frame --------------------------------------------------------------------------------

    def set_up(self) -> None:
        """The thread's number, shared arrays with their first values, and perhaps an early return."""
        self.function.frame.append(f"t = {_THREAD}")
        self.body.scope.names.append(("t", "int32"))
        self.body.locked.add("t")
        if self.shared:
            self.share()
        if self.chance.random() < 0.5:
            self.notes["construct return before a barrier"] += 1
            self.function.frame += ["if i >= n:", "    return"]
        if self.chance.random() < 0.3:
            self.body.returns = lambda: "return"
        if self.body.neighbors is not None and self.shared:
            # Only its own thread writes there.
            own = (("tile[t]", self.kind), ("plane[t, 0]", "int32"), ("plane[t, 1]", "int32"))
            self.body.scope.loads += own

    def share(self) -> None:
        express = self.body.express
        vector = self.kind in VECTORS
        first = express.vector_leaf(self.kind) if vector else express.literal(self.kind)
        lines = [
            f"tile = hw.shared.array({self.threads}, hw.{self.kind})",
            f"plane = hw.shared.array(({self.threads}, 2), hw.int32)",
            "bins = hw.shared.array(3, hw.int32)",
            f"tile[t] = {first}",
            "plane[t, 0] = t",
            "plane[t, 1] = -i",
            f"for k in range(t, 3, {self.threads}):",
            "    bins[k] = k",
        ]
        if self.chance.random() < 0.4:
            lines += self.share_dynamic()
        self.function.frame += [*lines, "hw.syncthreads()"]

    def share_dynamic(self) -> list[str]:
        """Two arrays of different types behind each other in the dynamic shared memory."""
        self.notes["construct dynamic shared memory"] += 1
        lines, used = [], 0
        for name in ("first", "second"):
            kind = self.chance.choice(self.palette.numbers)
            width = np.dtype(kind).itemsize
            start = -(-used // width)
            used = (start + self.threads) * width
            lines.append(f"{name} = hw.shared.array(0, hw.{kind})[{start}:{start + self.threads}]")
            lines.append(f"{name}[t] = {self.body.express.literal(kind)}")
            self.dynamic.append((name, kind))
        self.program.shared_bytes = used
        return lines

    # --- statements that all threads reach ----------------------------------------------------------

    def uniform_body(self, count: int, depth: int) -> list[Statement]:
        found: list[Statement] = []
        for _ in range(count):
            found.append(self.uniform_statement(depth))
        return found

    def uniform_statement(self, depth: int) -> Statement:
        pick = self.chance.random()
        if pick < 0.35:
            return self.body.statement(2)
        if pick < 0.45:
            return self.declare_uniform()
        if pick < 0.75 or depth <= 0:
            return self.chance.choice(self.together())()
        loop = self.uniform_loop
        return self.chance.choice((loop, loop, self.uniform_if))(depth - 1)

    def together(self) -> list[Callable[[], Statement]]:
        warps: list[Callable[[], Statement]]
        warps = [self.shuffle, self.warp_vote, self.divergent_vote, self.warp_loop]
        if not self.shared:
            return warps
        found = [self.exchange, self.exchange, self.exchange_plane, self.count_bins, self.vote]
        found += [self.chance.choice(warps), self.warp_exchange]
        return found + ([self.exchange_dynamic] * 2 if self.dynamic else [])

    def declare_uniform(self) -> Line:
        name = next(self.body.names)
        text = f"{name} = {self.body.express.uniform()}"
        if self.chance.random() < 0.3:
            self.notes["op uniform"] += 1
            text = f"{name} = hw.uniform(in_int32[{self.chance.randrange(LENGTH)}])"
        self.body.scope.uniform.append(name)
        return Line(text)

    def group(self, lines: list[Statement], name: str, kind: str) -> Compound:
        """Lines that give `name`, kept whole by shrinking, and what makes its value visible."""
        self.body.touched = [(name, kind)]
        self.body.scope.names.append((name, kind))
        return Compound([("", [*lines, *self.body.traces()])])

    def value(self, kind: str) -> str:
        express = self.body.express
        return express.vector(kind, 1) if kind in VECTORS else express.scalar(kind, 2)

    # --- through shared memory ----------------------------------------------------------------------

    def phase(self, before: list[Statement], after: str, kind: str) -> Compound:
        """Writes, a barrier, a read into a new name, a barrier."""
        self.notes["construct phase"] += 1
        name = next(self.body.names)
        barrier = Line("hw.syncthreads()")
        return self.group([*before, barrier, Line(f"{name} = {after}"), barrier], name, kind)

    def other(self) -> str:
        return self.body.express.place(self.threads)

    def exchange(self) -> Compound:
        write = Line(f"tile[t] = {self.value(self.kind)}")
        return self.phase(self.perhaps(write), f"tile[{self.other()}]", self.kind)

    def exchange_plane(self) -> Compound:
        column = self.chance.randrange(2)
        write = Line(f"plane[t, {column}] = {self.value('int32')}")
        return self.phase(self.perhaps(write), f"plane[{self.other()}, {column}]", "int32")

    def exchange_dynamic(self) -> Compound:
        name, kind = self.chance.choice(self.dynamic)
        write = Line(f"{name}[t] = {self.value(kind)}")
        return self.phase(self.perhaps(write), f"{name}[{self.other()}]", kind)

    def count_bins(self) -> Compound:
        self.notes["atomic shared"] += 1
        name = self.chance.choice(("add", "min", "max", "and_", "or_", "xor", "sub"))
        place, value = self.body.express.place(3), self.value("int32")
        update = Line(f"hw.atomic.{name}(bins, {place}, {value})")
        return self.phase(self.perhaps(update), f"bins[{self.body.express.place(3)}]", "int32")

    def perhaps(self, write: Line) -> list[Statement]:
        if self.chance.random() < 0.6:
            return [write]
        return [Compound([(f"if {self.body.express.truth(1)}:", [write])])]

    def vote(self) -> Compound:
        """A barrier that counts or joins conditions."""
        name, form = next(self.body.names), self.chance.choice(("count", "and", "or"))
        self.notes[f"vote {form}"] += 1
        if form == "count":
            self.body.scope.uniform.append(name)
            self.body.locked.add(name)
        line = Line(f"{name} = hw.syncthreads_{form}({self.body.express.truth(2)})")
        return self.group([line], name, "int32" if form == "count" else "bool")

    # --- warps --------------------------------------------------------------------------------------

    def warp_exchange(self) -> Compound:
        """Through shared memory, within a warp."""
        self.notes["warp sync"] += 1
        name = next(self.body.names)
        other = f"min(t // 32 * 32 + {self.body.express.place(32)}, {self.threads - 1})"
        lines: list[Statement] = [
            Line("hw.syncwarp()"),
            *self.perhaps(Line(f"tile[t] = {self.value(self.kind)}")),
            Line("hw.syncwarp()"),
            Line(f"{name} = tile[{other}]"),
            Line("hw.syncthreads()"),
        ]
        return self.group(lines, name, self.kind)

    def shuffle(self) -> Compound:
        """Where the source takes no part, the thread keeps its own value."""
        form = self.chance.choice(("", "_up", "_down", "_xor"))
        kind = self.chance.choice(self.palette.numbers)
        width = self.chance.choice((32, 32, 16, 8, 4))
        self.notes[f"warp shfl{form}"] += 1
        self.notes[f"warp shuffle {kind}"] += 1
        own, source, alive, got, name = (next(self.body.names) for _ in range(5))
        delta = self.chance.randrange(width)
        source_lane = {
            "_up": f"hw.laneid - {delta}",
            "_down": f"hw.laneid + {delta}",
            "_xor": f"hw.laneid ^ {delta}",
        }
        lane = f"{source} % {width} + hw.laneid // {width} * {width}"
        amount = str(delta) if form else source
        wide = "" if width == 32 else f", {width}"
        lines: list[Statement] = [
            Line(f"{own} = {self.value(kind)}"),
            Line(
                f"{source} = 0" if form else f"{source} = hw.int32({self.body.express.place(64)})"
            ),
            Line(f"{alive} = hw.ballot_sync({_ALL}, True)"),
            Line(f"{got} = hw.shfl{form}_sync({_ALL}, {own}, {amount}{wide})"),
            Line(
                f"{name} = {got} if ({alive} >> hw.uint32(({source_lane.get(form, lane)}) & 31)) & 1 == 1 "
                f"else {own}"
            ),
        ]
        return self.group(lines, name, kind)

    def vote_text(self, mask: str) -> tuple[str, str]:
        """A function of the lanes in `mask`, and its type."""
        express = self.body.express
        form = self.chance.choice(("all", "any", "eq", "ballot", "match_any", "match_all"))
        self.notes[f"warp {form}"] += 1
        kind = self.chance.choice([k for k in self.palette.numbers if k not in FLOATS])
        if form == "match_all":
            index, result = self.chance.choice(((0, "uint32"), (1, "bool")))
            return f"hw.match_all_sync({mask}, {express.scalar(kind, 1)} % 2)[{index}]", result
        if form == "match_any":
            return f"hw.match_any_sync({mask}, {express.scalar(kind, 1)} % 4)", "uint32"
        result = "uint32" if form == "ballot" else "bool"
        return f"hw.{form}_sync({mask}, {express.truth(1)})", result

    def warp_vote(self) -> Compound:
        name = next(self.body.names)
        text, kind = self.vote_text(_ALL)
        return self.group([Line(f"{name} = {text}")], name, kind)

    def divergent_vote(self) -> Compound:
        """Some lanes of each warp vote, those that the mask names."""
        self.notes["warp divergent"] += 1
        condition, mask, name = (next(self.body.names) for _ in range(3))
        text, kind = self.vote_text(mask)
        default = "False" if kind == "bool" else "hw.uint32(7)"
        lines: list[Statement] = [
            Line(f"{condition} = {self.body.express.truth(2)}"),
            Line(f"{mask} = hw.ballot_sync({_ALL}, {condition})"),
            Line(f"{name} = {default}"),
            Compound([(f"if {condition}:", [Line(f"{name} = {text}")])]),
        ]
        return self.group(lines, name, kind)

    def warp_loop(self) -> Compound:
        """Each warp makes other trips."""
        self.notes["warp loop"] += 1
        name, k = next(self.body.names), next(self.body.names)
        step = f"{name} = {name} * 3 + hw.ballot_sync({_ALL}, {self.body.express.truth(1)})"
        jump: list[Statement] = []
        if self.chance.random() < 0.4:
            jump = [Compound([(f"if {k} + t // 32 == 2:", [Line("break")])])]
        loop = Compound([(f"for {k} in range(t // 32 % 3 + 1):", [*jump, Line(step)])])
        return self.group([Line(f"{name} = hw.uint32(1)"), loop], name, "uint32")

    # --- control that all threads share -------------------------------------------------------------

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
