"""Random typed expressions of the kernel language.

Each method gives text whose type is known under the promotion table, so the generator needs no inference
of its own. Results that the language leaves open are closed: `min` and `max` of floats add 0.0, because
the sign of a zero is open.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from headwater.types import SCALARS, ScalarType, join

INTEGERS = ("int32", "uint32", "int64")
FLOATS = ("float32", "float64")
NUMBERS = (*INTEGERS, *FLOATS)
VECTORS = {"vec3f": "float32", "vec3d": "float64"}
LENGTH = 23  # elements of each input array
ROWS, COLUMNS = 5, 7  # of the two-dimensional input

_TYPES = {scalar.name: scalar for scalar in SCALARS}
_EDGES = {
    "int32": ("hw.int32(-2147483648)", "hw.int32(2147483647)", "hw.int32(-1)", "hw.int32(0)"),
    "uint32": ("hw.uint32(4294967295)", "hw.uint32(2147483648)", "hw.uint32(0)"),
    "int64": (
        "hw.int64(-9223372036854775808)",
        "hw.int64(9223372036854775807)",
        "hw.int64(4294967296)",
        "hw.int64(0)",
    ),
    "float32": ("hw.float32(0.1)", "hw.float32(-0.0)", "hw.float32(1e-40)", "hw.float32(3e38)"),
    "float64": ("hw.float64(0.1)", "hw.float64(-0.0)", "hw.float64(5e-324)", "hw.float64(1e308)"),
}
_INTEGER_OPERATORS = ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
_FLOAT_OPERATORS = ("+", "-", "*", "/", "//", "%")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def _joins(kind: str) -> list[tuple[str, str]]:
    """Pairs of different number types whose join is `kind`."""
    target = _TYPES[kind]
    numbers: list[ScalarType] = [_TYPES[name] for name in NUMBERS]
    return [
        (a.name, b.name) for a in numbers for b in numbers if a is not b and join(a, b) is target
    ]


JOINS = {kind: _joins(kind) for kind in NUMBERS}


@dataclass
class Signature:
    """A generated device function: its parameters' types and what it returns."""

    name: str
    parameters: tuple[str, ...]
    result: str


@dataclass
class Scope:
    """What an expression may use. Names are in reach from their assignment to the end of their block."""

    names: list[tuple[str, str]] = field(default_factory=list)
    uniform: list[str] = field(default_factory=list)
    functions: list[Signature] = field(default_factory=list)
    arrays: bool = False  # the kernel's arguments are in reach
    # Further texts that may be read where a scalar or vector of the type is asked for.
    loads: list[tuple[str, str]] = field(default_factory=list)

    def of(self, kind: str) -> list[str]:
        return [name for name, its_kind in self.names if its_kind == kind]


class Expressions:
    """Writes expressions. `notes` counts what was written."""

    def __init__(self, chance: random.Random, scope: Scope, notes: Counter[str]) -> None:
        self.chance = chance
        self.scope = scope
        self.notes = notes

    def scalar(self, kind: str, depth: int) -> str:
        if kind == "bool":
            return self.truth(depth)
        if depth <= 0:
            return self.leaf(kind)
        writers = [self.binary, self.binary, self.binary, self.unary, self.mixed, self.weak]
        writers += [self.cast, self.choice, self.extreme, self.leaf_of, self.call]
        writers.append(self.float_only if kind in FLOATS else self.power)
        return self.chance.choice(writers)(kind, depth - 1)

    def leaf_of(self, kind: str, depth: int) -> str:
        return self.leaf(kind)

    # --- leaves ---

    def leaf(self, kind: str) -> str:
        names = self.scope.of(kind)
        if names and self.chance.random() < (0.5 if self.scope.arrays else 0.85):
            return self.chance.choice(names)
        if not self.scope.arrays or self.chance.random() < 0.25:
            return self.literal(kind)
        self.notes[f"load {kind}"] += 1
        return self.chance.choice(self.loads(kind))

    def loads(self, kind: str) -> list[str]:
        place = self.place(LENGTH)
        found = [f"in_{kind}[{place}]", f"in_{kind}[{place}]", f"out_{kind}[i]"]
        if kind == "float32":
            self.notes["construct array 2d"] += 1
            self.notes["construct struct"] += 1
            found.append(f"in_2d[{self.place(ROWS)}, {self.place(COLUMNS)}]")
            found.append(f"bundle.values[{place}]")
        if kind != "bool":
            found.append(f"strong_{kind}")
        found += [text for text, its_kind in self.scope.loads if its_kind == kind]
        if kind == "int32":
            found += ["hw.threadIdx.x", "hw.blockIdx.x", "hw.blockDim.x", "hw.gridDim.x"]
            found += ["in_int32.shape[0]", "len(in_bool)"]
        return found

    def place(self, extent: int) -> str:
        """A subscript inside 0 ... extent - 1: Python's % of a positive number is never negative."""
        kind = self.chance.choice(("int32", "int32", "int32", "int64", "uint32"))
        names = self.scope.of(kind)
        if not names or self.chance.random() < 0.2:
            return str(self.chance.randrange(extent))
        shift = self.chance.randrange(4)
        return f"({self.chance.choice(names)} + {shift}) % {extent}"

    def literal(self, kind: str) -> str:
        if self.chance.random() < 0.2:
            return self.chance.choice(_EDGES[kind])
        if kind in FLOATS:
            return f"hw.{kind}({self.chance.randrange(-40, 41) / 8})"
        low = 0 if kind == "uint32" else -9
        return f"hw.{kind}({self.chance.randrange(low, 40)})"

    def weak_value(self, kind: str) -> str:
        """A literal or Python scalar argument: takes the type that it meets."""
        if self.scope.arrays and self.chance.random() < 0.4:
            self.notes["construct weak argument"] += 1
            names = ["weak_int", "bundle.scale_int"]
            if kind in FLOATS:
                names += ["weak_float", "bundle.scale"]
            return self.chance.choice(names)
        self.notes["construct weak literal"] += 1
        if kind in FLOATS and self.chance.random() < 0.6:
            return repr(self.chance.randrange(1, 40) / 8)
        return str(self.chance.randrange(0, 35))

    # --- operators ---

    def operator(self, kind: str) -> str:
        found = self.chance.choice(_FLOAT_OPERATORS if kind in FLOATS else _INTEGER_OPERATORS)
        self.notes[f"op {found} {kind}"] += 1
        return found

    def binary(self, kind: str, depth: int) -> str:
        a, b = self.scalar(kind, depth), self.scalar(kind, depth)
        return f"({a} {self.operator(kind)} {b})"

    def mixed(self, kind: str, depth: int) -> str:
        if not JOINS[kind]:
            return self.binary(kind, depth)
        a, b = self.chance.choice(JOINS[kind])
        self.notes[f"join {a} {b}"] += 1
        operator = self.chance.choice(("+", "-", "*"))
        self.notes[f"op {operator} {kind}"] += 1
        return f"({self.scalar(a, depth)} {operator} {self.scalar(b, depth)})"

    def weak(self, kind: str, depth: int) -> str:
        sides = [self.scalar(kind, depth), self.weak_value(kind)]
        operator = self.operator(kind)
        if self.chance.random() < 0.4:
            sides.reverse()
        return f"({sides[0]} {operator} {sides[1]})"

    def unary(self, kind: str, depth: int) -> str:
        names = ["-", "abs"] if kind in FLOATS else ["-", "abs", "~"]
        name = self.chance.choice(names)
        self.notes[f"op unary{name} {kind}"] += 1
        inner = self.scalar(kind, depth)
        return f"abs({inner})" if name == "abs" else f"({name}{inner})"

    def extreme(self, kind: str, depth: int) -> str:
        name = self.chance.choice(("min", "max"))
        self.notes[f"op {name} {kind}"] += 1
        face = self.chance.choice(("", "hw."))
        text = f"{face}{name}({self.scalar(kind, depth)}, {self.scalar(kind, depth)})"
        return f"({text} + 0.0)" if kind in FLOATS else text

    def power(self, kind: str, depth: int) -> str:
        self.notes[f"op ** {kind}"] += 1
        return f"({self.scalar(kind, depth)} ** {self.chance.randrange(1, 5)})"

    def float_only(self, kind: str, depth: int) -> str:
        if self.chance.random() < 0.2:
            return self.power(kind, depth)
        if self.chance.random() < 0.3:
            return self.from_vector(kind, depth)
        name = self.chance.choice(("hw.sqrt", "math.sqrt", "hw.floor", "math.floor", "hw.ceil"))
        self.notes[f"op {name.split('.')[1]} {kind}"] += 1
        return f"hw.{kind}({name}({self.scalar(kind, depth)}))"

    def cast(self, kind: str, depth: int) -> str:
        source = self.chance.choice((*NUMBERS, "bool"))
        self.notes[f"cast {source} {kind}"] += 1
        return f"hw.{kind}({self.scalar(source, depth)})"

    def choice(self, kind: str, depth: int) -> str:
        condition = self.truth(depth)
        a, b = self.scalar(kind, depth), self.scalar(kind, depth)
        if self.chance.random() < 0.5:
            self.notes["construct select"] += 1
            return f"hw.select({condition}, {a}, {b})"
        self.notes["construct conditional"] += 1
        return f"({a} if {condition} else {b})"

    def call(self, kind: str, depth: int) -> str:
        fitting = [f for f in self.scope.functions if f.result == kind]
        if not fitting:
            return self.binary(kind, depth)
        return self.call_of(self.chance.choice(fitting), min(depth, 1))

    def call_of(self, function: Signature, depth: int) -> str:
        self.notes["construct call"] += 1
        arguments = [
            self.vector(kind, depth) if kind in VECTORS else self.scalar(kind, depth)
            for kind in function.parameters
        ]
        return f"{function.name}({', '.join(arguments)})"

    # --- bools ---

    def truth(self, depth: int) -> str:
        if depth <= 0:
            return self.truth_leaf()
        writers: list[Callable[[int], str]] = [self.comparison, self.comparison, self.comparison]
        writers += [self.connective, self.connective, self.truth_cast, self.bit_logic]
        return self.chance.choice(writers)(depth - 1)

    def truth_leaf(self) -> str:
        names = self.scope.of("bool")
        if names and self.chance.random() < 0.5:
            return self.chance.choice(names)
        if self.scope.arrays and self.chance.random() < 0.6:
            self.notes["load bool"] += 1
            return self.chance.choice(self.loads("bool"))
        return self.comparison(0)

    def comparison(self, depth: int) -> str:
        kind = self.chance.choice(NUMBERS)
        other = self.chance.choice((kind, kind, kind, self.chance.choice(NUMBERS), "weak"))
        operator = self.chance.choice(_COMPARISONS)
        self.notes[f"op {operator} {kind}"] += 1
        right = self.weak_value(kind) if other == "weak" else self.scalar(other, depth)
        return f"({self.scalar(kind, depth)} {operator} {right})"

    def connective(self, depth: int) -> str:
        name = self.chance.choice(("and", "or", "not"))
        self.notes[f"op {name} bool"] += 1
        if name == "not":
            return f"(not {self.truth(depth)})"
        return f"({self.truth(depth)} {name} {self.truth(depth)})"

    def bit_logic(self, depth: int) -> str:
        operator = self.chance.choice(("&", "|", "^", "==", "!="))
        self.notes[f"op {operator} bool"] += 1
        return f"({self.truth(depth)} {operator} {self.truth(depth)})"

    def truth_cast(self, depth: int) -> str:
        source = self.chance.choice(NUMBERS)
        self.notes[f"cast {source} bool"] += 1
        return f"bool({self.scalar(source, depth)})"

    # --- vectors ---

    def vector(self, kind: str, depth: int) -> str:
        if depth <= 0:
            return self.vector_leaf(kind)
        self.notes[f"vector {kind}"] += 1
        scalar = VECTORS[kind]
        a = self.vector(kind, depth - 1)
        form = self.chance.randrange(6)
        if form == 0:
            return f"(-{a})"
        if form == 1:
            return f"({a} {self.chance.choice('*/')} {self.scalar(scalar, depth - 1)})"
        if form == 2:
            return f"({self.scalar(scalar, depth - 1)} * {a})"
        b = self.vector(kind, depth - 1)
        if form == 3:
            self.notes[f"op cross {kind}"] += 1
            return f"hw.cross({a}, {b})"
        return f"({a} {self.chance.choice('+-*/')} {b})"

    def vector_leaf(self, kind: str) -> str:
        names = self.scope.of(kind)
        if names and self.chance.random() < 0.5:
            return self.chance.choice(names)
        if self.scope.arrays and self.chance.random() < 0.6:
            self.notes[f"load {kind}"] += 1
            found = [f"in_{kind}[{self.place(LENGTH)}]", f"out_{kind}[i]"]
            found += [text for text, its_kind in self.scope.loads if its_kind == kind]
            return self.chance.choice(found)
        parts = [self.leaf(VECTORS[kind]) for _ in range(3)]
        return f"hw.vec3({', '.join(parts)})"

    def from_vector(self, kind: str, depth: int) -> str:
        vector = "vec3f" if kind == "float32" else "vec3d"
        a = self.vector(vector, depth - 1)
        form = self.chance.choice(("dot", "length", "component", "item"))
        self.notes[f"op {form} {vector}"] += 1
        if form == "dot":
            return f"hw.dot({a}, {self.vector(vector, depth - 1)})"
        if form == "length":
            return f"hw.length({a})"
        return (
            f"{a}.{self.chance.choice('xyz')}"
            if form == "component"
            else f"{a}[{self.chance.randrange(3)}]"
        )

    # --- what all threads of a block agree on ---

    def uniform(self, depth: int = 2) -> str:
        """An int32 that is the same for all threads of a block."""
        if depth > 0 and self.chance.random() < 0.6:
            operator = self.chance.choice(("+", "-", "*", "%", "&"))
            return f"({self.uniform(depth - 1)} {operator} {self.uniform(depth - 1)})"
        leaves = ["strong_int32", "hw.blockIdx.x", "hw.gridDim.x", "hw.blockDim.x"]
        leaves += [f"hw.int32({self.chance.randrange(1, 20)})", *self.scope.uniform]
        leaves += [f"in_int32[{self.chance.randrange(LENGTH)}]"]
        leaves += [f"in_int32[hw.blockIdx.x % {LENGTH}]"]
        self.notes["construct uniform value"] += 1
        return self.chance.choice(leaves)

    def uniform_truth(self) -> str:
        operator = self.chance.choice(_COMPARISONS)
        return f"{self.uniform(1)} {operator} {self.uniform(1)}"

    def uniform_truth_of(self, name: str) -> str:
        """A uniform condition that does not depend on what the block of `name` assigned on the way."""
        return f"{name} {self.chance.choice(_COMPARISONS)} {self.chance.randrange(4)}"
