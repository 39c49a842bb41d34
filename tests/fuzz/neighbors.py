"""Random neighbour loops.

Devices visit neighbours in different orders, so what a loop leaves must not depend on the order. Its body
changes its own names only, and what leaves it is

- a sum, minimum or maximum that is exact in any order: integers wrap, floats are small multiples of 1/8;
- in a loop whose trips have effects, a store to a place of the pair, or an atomic whose old value is not used;
- in a loop that searches, the one thing that every exit does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.fuzz.palette import FLOATS, INTEGERS, VECTORS, Palette, size
from tests.fuzz.points import PROBES, Points
from tests.fuzz.program import Compound, Line, Statement
from tests.fuzz.statements import Body

_REDUCTIONS = ("add", "add", "add", "min", "max")
_OTHERS = ("^", "|", "&", "*")  # exact in any order too, but no reductions that the compiler knows
_KINDS = ("reducing", "reducing", "reducing", "sequential", "sequential", "search")


def near(types: Palette) -> tuple[str, ...]:
    """Types of the arrays with one element for each particle."""
    return (*types.scalars, "vec3f")


def pairs(types: Palette) -> tuple[str, ...]:
    """Types of the arrays with a row for each thread."""
    return tuple(kind for kind in ("int32", "int64", "float32") if kind in types.numbers)


@dataclass(frozen=True)
class Accumulator:
    """A variable that each trip updates by one operation."""

    name: str
    kind: str
    operation: str


class NeighborLoops:
    """Writes the neighbour loops of one kernel: two, and perhaps one inside of another."""

    def __init__(self, points: Points, notes: Counter[str]) -> None:
        self.points = points
        self.notes = notes
        self.left = 2
        self.nested_left = 1

    @property
    def none_yet(self) -> bool:
        return self.left == 2

    def choices(self, body: Body) -> list[Callable[[int], Compound]]:
        """The loops that may stand in a body."""
        inner = isinstance(body, PairBody)
        if inner and (self.points.count > 20 or self.points.cutoff > 0.6):
            return []
        if (self.nested_left if inner else self.left) == 0:
            return []
        return [lambda depth: self.loop(body, depth)] * (1 if inner else 3)

    def loop(self, outer: Body, depth: int) -> Compound:
        """Accumulators, the loop behind its guard, and what shows their values."""
        inner = isinstance(outer, PairBody)
        if inner:
            self.nested_left -= 1
            self.notes["neighbors in neighbors"] += 1
        else:
            self.left -= 1
        body = PairBody(outer, self, self.chosen_kind(outer))
        self.notes[f"neighbors {body.kind}"] += 1
        edges = "periodic" if any(self.points.periodic) else "open"
        self.notes[f"neighbors {body.kind}, {edges}"] += 1
        before, guard, center = body.before(), *self.center(outer)
        index, offset, distance2 = body.enter()
        header = f"for {index}, {offset}, {distance2} in grid.neighbors({center}):"
        trips = [*body.opening(), *body.statements(outer.chance.randrange(2, 5), max(depth, 2))]
        trips += body.closing()
        loop = Compound([(header, trips)])
        return Compound([("", [*before, Compound([(guard, [loop])]), *body.after()])])

    def chosen_kind(self, outer: Body) -> str:
        kind = outer.chance.choice(_KINDS)
        pure = isinstance(outer, PairBody) and outer.kind != "sequential"
        return "reducing" if pure and kind == "sequential" else kind

    def center(self, outer: Body) -> tuple[str, str]:
        """A condition under which the loop is allowed, and what it goes around."""
        chance, express = outer.chance, outer.express
        if chance.random() < 0.35:
            self.notes["neighbors of a point"] += 1
            return f"if {chance.choice(('members >= 0', express.truth(1)))}:", self.point(outer)
        self.notes["neighbors of a particle"] += 1
        if isinstance(outer, PairBody) and chance.random() < 0.7:
            return "if members > 0:", outer.index
        if chance.random() < 0.5:
            return "if i < members:", "i"
        shift = chance.choice(("i", f"i + {chance.randrange(40)}", express.scalar("int32", 1)))
        return "if members > 0:", f"({shift}) % members"

    def point(self, outer: Body) -> str:
        express = outer.express
        if outer.chance.random() < 0.5:
            return f"probes_vec3f[{express.place(PROBES)}]"
        parts = [f"hw.float32({express.scalar('int32', 1)} % 25) * 0.125 - 0.5" for _ in range(3)]
        return f"hw.vec3({', '.join(parts)})"


class PairBody(Body):
    """The body of a neighbour loop. Names from outside are locked, but for those made for it."""

    def __init__(self, outer: Body, loops: NeighborLoops, kind: str) -> None:
        scope = outer.scope
        inside = replace(
            scope,
            names=list(scope.names),
            uniform=list(scope.uniform),
            loads=list(scope.loads),
            tables=list(scope.tables),
        )
        super().__init__(outer.chance, inside, outer.notes, outer.names)
        self.outer = outer
        self.record = outer.record
        self.local_arrays = kind == "sequential"
        self.loops = loops
        self.kind = kind
        self.nested_in_pairs = isinstance(outer, PairBody)
        self.neighbors = loops.choices
        self.locked = {name for name, _ in scope.names}
        self.accumulators: list[Accumulator] = []
        self.shared: list[Accumulator] = []  # those of the neighbour loop around
        self.flag: tuple[str, str] | None = None
        self.exit: list[str] = []
        self.private: tuple[str, str] | None = None

    # --- around the loop ---

    def before(self) -> list[Statement]:
        """Lines that declare what the loop leaves, and names that its trips use anew."""
        found: list[Statement] = []
        if self.chance.random() < 0.3:
            self.notes["neighbors private outside"] += 1
            self.private = (next(self.names), self.chance.choice(self.palette.scalars))
            found.append(Line(f"{self.private[0]} = {self.literal(self.private[1])}"))
        if self.kind == "search":
            return [*found, *self.prepare_search()]
        least = 1 if self.kind == "reducing" or self.nested_in_pairs else 0
        for _ in range(self.chance.randrange(least, 4)):
            found.append(self.declare_accumulator())
        if isinstance(self.outer, PairBody) and self.chance.random() < 0.5:
            around = (*self.outer.accumulators, *self.outer.shared)
            self.shared = [a for a in around if a.operation not in _OTHERS]
        return found

    def literal(self, kind: str) -> str:
        return "False" if kind == "bool" else self.outer.express.literal(kind)

    def declare_accumulator(self) -> Line:
        name = next(self.names)
        if self.kind == "sequential" and self.chance.random() < 0.4:
            kind, operation = self.chance.choice(self.palette.integers), self.chance.choice(_OTHERS)
        else:
            operation = self.chance.choice(_REDUCTIONS)
            numbers, p = self.palette.numbers, self.palette
            kinds = (
                (*numbers, *p.integers, *p.vectors, *p.vectors) if operation == "add" else numbers
            )
            kind = self.chance.choice(kinds)
            self.notes[f"reduce {operation} {kind}"] += 1
        self.accumulators.append(Accumulator(name, kind, operation))
        return Line(f"{name} = {self.start(kind, operation)}")

    def start(self, kind: str, operation: str) -> str:
        express = self.outer.express
        if kind in VECTORS:
            parts = ", ".join(self.start(VECTORS[kind], operation) for _ in range(size(kind)))
            return f"hw.{kind}({parts})"
        if kind in INTEGERS:
            return express.scalar(kind, 1)
        if operation != "add":
            return f"({express.leaf(kind)} + 0.0)"
        return f"hw.{kind}({self.chance.choice(('-0.0', self.chance.randrange(-40, 41) / 8))})"

    def prepare_search(self) -> list[Statement]:
        """Choose the one thing that happens on each exit."""
        returns = self.outer.returns
        if returns is not None and not self.nested_in_pairs and self.chance.random() < 0.4:
            self.notes["neighbors return"] += 1
            kind = self.chance.choice(self.palette.scalars)
            value = "True" if kind == "bool" else self.outer.express.literal(kind)
            self.exit = [f"out_{kind}[i] = {value}", returns()]
            return []
        self.notes["neighbors break"] += 1
        kind = self.chance.choice(self.palette.scalars)
        self.flag = (next(self.names), kind)
        found = "True" if kind == "bool" else self.outer.express.literal(kind)
        self.exit = [f"{self.flag[0]} = {found}", "break"]
        return [Line(f"{self.flag[0]} = {self.literal(kind)}")]

    def after(self) -> list[Statement]:
        """What the loop left comes into reach, and is shown."""
        left = [(a.name, a.kind) for a in self.accumulators]
        left += [self.flag] if self.flag is not None else []
        self.outer.scope.names += left
        return [line for names in left for line in self.outer.observe(*names)]

    def enter(self) -> tuple[str, str, str]:
        """The names of index, offset and squared distance, in reach from now on."""
        self.index, self.offset, self.distance2 = (next(self.names) for _ in range(3))
        named = [(self.index, "int32"), (self.offset, "vec3f"), (self.distance2, "float32")]
        self.scope.names += named
        self.locked.add(self.index)
        if self.loops.points.exact:
            self.locked |= {self.offset, self.distance2}
        for kind in near(self.palette):
            for shift in ("", " + 1"):
                self.scope.loads.append((f"near_{kind}[{self.index}{shift}]", kind))
        return self.index, self.offset, self.distance2

    def opening(self) -> list[Statement]:
        """The name from outside that each trip sets anew."""
        if self.private is None:
            return []
        name, kind = self.private
        line = Line(f"{name} = {self.express.scalar(kind, 2)}", kept=True)
        self.scope.names.append((name, kind))
        return [line]

    def closing(self) -> list[Statement]:
        """At least one effect of each sort that the loop is for."""
        if self.kind == "search":
            return [self.found(1)]
        found: list[Statement] = [self.accumulate_into(a) for a in self.accumulators]
        if self.kind == "sequential":
            found.append(self.effect())
        return found

    # --- statements inside ---

    def simple(self) -> list[Callable[[], Line]]:
        found = [self.declare, self.declare, self.assign, self.augment, self.declare_vector]
        found += [self.unpack]
        if self.accumulators:
            found += [self.accumulate] * 4
        if self.kind == "sequential":
            found += [self.effect] * 3
        return found

    def compound(self) -> list[Callable[[int], Compound]]:
        found = [*super().compound(), self.jump if self.loop else self.next_trip]
        found += [self.jump] if self.loop else [self.for_loop, self.while_loop]
        if self.kind == "search" and (not self.loop or self.exit[-1] != "break"):
            found += [self.found, self.found]
        return found

    def effect(self) -> Line:
        """Something that makes the loop sequential."""
        if self.nested_in_pairs or self.chance.random() < 0.3:
            return self.atomic()
        return self.store_pair()

    def store_pair(self) -> Line:
        kind = self.chance.choice(pairs(self.palette))
        self.notes["neighbors store"] += 1
        place = f"pair_{kind}[i, {self.index}]"
        value = self.express.scalar(kind, 2)
        return Line(self.chance.choice((f"{place} = {value}", f"{place} = {place} * 3 + {value}")))

    def observe(self, name: str, kind: str) -> list[Statement]:
        sums = [a for a in self.accumulators if a.kind in INTEGERS and a.operation in ("add", "^")]
        shown = f"{name}.{self.chance.choice('xy')}" if kind in VECTORS else name
        if self.kind == "sequential" and not self.nested_in_pairs and self.chance.random() < 0.6:
            place = f"pair_int32[i, {self.index}]"
            return [Line(f"{place} = {place} * 3 + hw.int32({shown})")]
        if not sums:
            return []
        chosen = self.chance.choice(sums)
        sign = "^" if chosen.operation == "^" else "+"
        return [Line(f"{chosen.name} {sign}= hw.{chosen.kind}({shown})")]

    def loop_body(self, depth: int) -> list[Statement]:
        """Often with a jump, and with something that shows the trips."""
        found: list[Statement] = []
        pick = self.chance.random()
        if pick < 0.2:
            found.append(self.jump(depth))
        found += self.body(depth)
        if pick > 0.8:
            found.append(self.jump(depth))
        if self.accumulators:
            found.append(self.accumulate())
        return found

    def for_loop(self, depth: int) -> Compound:
        self.notes[f"neighbors {self.kind} with for"] += 1
        return super().for_loop(depth)

    def while_loop(self, depth: int) -> Compound:
        self.notes[f"neighbors {self.kind} with while"] += 1
        return super().while_loop(depth)

    def jump(self, depth: int) -> Compound:
        """Out of an inner loop, or to its next trip, at times for each neighbour differently."""
        found = super().jump(depth)
        _, arm = found.arms[0]
        last = arm[-1]
        assert isinstance(last, Line)
        self.notes[f"neighbors {self.kind} with inner {last.text}"] += 1
        if self.chance.random() < 0.3:
            return found
        self.notes[f"neighbors {self.kind} with divergent jump"] += 1
        return Compound([(f"if {self.of_pair()}:", arm)])

    def next_trip(self, depth: int) -> Compound:
        self.notes[f"neighbors {self.kind} with continue"] += 1
        condition = self.chance.choice((self.of_pair(), self.express.truth(2)))
        with self.nested():
            return Compound([(f"if {condition}:", [*self.maybe(), Line("continue")])])

    def found(self, depth: int) -> Compound:
        """An exit of a loop that searches."""
        condition = self.chance.choice((self.of_pair(), self.express.truth(2)))
        lines: list[Statement] = [Line(text, kept=True) for text in self.exit]
        return Compound([(f"if {condition}:", lines)])

    def of_pair(self) -> str:
        """A condition that differs between neighbours."""
        operator = self.chance.choice(("<", ">=", "==", "!="))
        divisor = self.chance.randrange(2, 5)
        forms = [f"{self.index} % {divisor} {operator} {self.chance.randrange(divisor)}"]
        forms.append(f"{self.distance2} {operator} {self.chance.randrange(1, 20) / 32}")
        forms.append(f"{self.offset}.{self.chance.choice('xyz')} {operator} 0.0")
        counters = [n for n, k in self.scope.names if k == "int32" and n in self.locked]
        forms.append(f"{self.chance.choice(counters)} {operator} {self.index} % {divisor}")
        return self.chance.choice(forms)

    # --- accumulating ---

    def accumulate(self) -> Line:
        return self.accumulate_into(self.chance.choice([*self.accumulators, *self.shared]))

    def accumulate_into(self, a: Accumulator) -> Line:
        if a.operation in _OTHERS:
            return Line(f"{a.name} {a.operation}= {self.express.scalar(a.kind, 2)}")
        if a.operation == "add":
            return self.add_to(a)
        value, other = self.extreme_of(a), self.extreme_of(a)
        name = f"{self.chance.choice(('', 'hw.'))}{a.operation}"
        forms = [f"{name}({a.name}, {value})", f"{name}({value}, {a.name})"]
        forms.append(f"{name}({name}({a.name}, {value}), {other})")
        if self.kind == "sequential":
            forms.append(f"({name}({a.name}, {value}) if {self.express.truth(1)} else {a.name})")
        return Line(f"{a.name} = {self.chance.choice(forms)}")

    def extreme_of(self, a: Accumulator) -> str:
        text = self.varied(a.kind)
        return f"({text} + 0.0)" if a.kind in FLOATS else text

    def add_to(self, a: Accumulator) -> Line:
        name, value, other = a.name, self.term(a.kind), self.term(a.kind)
        sign = self.chance.choice("++-")
        forms = [f"{name} {sign}= {value}", f"{name} {sign}= {value}"]
        forms += [f"{name} = {name} {sign} {value}", f"{name} = {value} + {name}"]
        forms += [f"{name} = {name} {sign} {value} - {other}"]
        if self.kind == "sequential" and a.kind not in VECTORS:
            truth = self.express.truth(1)
            forms.append(f"{name} = hw.select({truth}, {name} + {value}, {name})")
        return Line(self.chance.choice(forms))

    def varied(self, kind: str) -> str:
        """Half of the time a value that surely is another one for each neighbour."""
        text = self.express.scalar(kind, 2)
        if self.chance.random() < 0.5:
            return text
        own = f"near_{kind}[{self.index}]"
        return self.chance.choice((own, f"({own} - {text})"))

    def term(self, kind: str) -> str:
        """A value whose sums are exact in any order."""
        if kind in INTEGERS:
            return self.varied(kind)
        if kind in VECTORS:
            if kind == "vec3f" and self.loops.points.exact and self.chance.random() < 0.5:
                return self.offset
            scalar = VECTORS[kind]
            return f"hw.{kind}({', '.join(self.term(scalar) for _ in range(size(kind)))})"
        if kind == "float32" and self.loops.points.exact and self.chance.random() < 0.3:
            return self.distance2
        source = self.varied(self.chance.choice(self.palette.integers))
        return f"(hw.{kind}({source} % 64) * 0.125 - {self.chance.randrange(8)})"
