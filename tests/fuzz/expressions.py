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

import numpy as np
from tests.fuzz.palette import FLOATS, INTEGERS, VECTORS, Palette, bits, size

LENGTH = 23  # elements of each input array
ROWS, COLUMNS = 5, 7  # of the two-dimensional input

FOUR = (2, 3, 2, 2)  # the shape of the four-dimensional input


def _edges(kind: str) -> tuple[str, ...]:
    limits = np.iinfo(kind)
    values = {limits.min, limits.max, 0, 1, limits.max // 2 + 1}
    return tuple(f"hw.{kind}({value})" for value in sorted(values))


_EDGES = {kind: _edges(kind) for kind in INTEGERS} | {
    "float32": ("hw.float32(0.1)", "hw.float32(-0.0)", "hw.float32(1e-40)", "hw.float32(3e38)"),
    "float64": ("hw.float64(0.1)", "hw.float64(-0.0)", "hw.float64(5e-324)", "hw.float64(1e308)"),
}
_INTEGER_OPERATORS = ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
_FLOAT_OPERATORS = ("+", "-", "*", "/", "//", "%")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


BIT_FUNCTIONS = ("popc", "clz", "ffs", "brev")
ROUNDINGS = ("sqrt", "floor", "ceil", "trunc", "rint")
# Functions of the library. Their results are the same in each bit where every operation is.
FUNCTIONS = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh cbrt erf erfc gamma lgamma"
).split()
PAIR_FUNCTIONS = "pow atan2 hypot fmod remainder copysign nextafter".split()
TESTS = ("isnan", "isinf", "isfinite")


@dataclass
class Signature:
    """A generated device function: its parameters' types and what it returns."""

    name: str
    parameters: tuple[str, ...]
    result: str


@dataclass
class Scope:
    """What an expression may use. Names are in reach from their assignment to the end of their block."""

    palette: Palette

    names: list[tuple[str, str]] = field(default_factory=list)
    uniform: list[str] = field(default_factory=list)
    functions: list[Signature] = field(default_factory=list)
    arrays: bool = False  # the kernel's arguments are in reach
    # Further texts that may be read where a scalar or vector of the type is asked for.
    loads: list[tuple[str, str]] = field(default_factory=list)
    # Arrays of one dimension beside the arguments: their name, type and length.
    tables: list[tuple[str, str, int]] = field(default_factory=list)

    def of(self, kind: str) -> list[str]:
        return [name for name, its_kind in self.names if its_kind == kind]


class Expressions:
    """Writes expressions. `notes` counts what was written."""

    def __init__(self, chance: random.Random, scope: Scope, notes: Counter[str]) -> None:
        self.chance = chance
        self.scope = scope
        self.palette = scope.palette
        self.notes = notes

    def scalar(self, kind: str, depth: int) -> str:
        if kind == "bool":
            return self.truth(depth)
        if depth <= 0:
            return self.leaf(kind)
        writers = [self.binary, self.binary, self.binary, self.unary, self.mixed, self.weak]
        writers += [self.cast, self.choice, self.extreme, self.leaf_of, self.call]
        if kind in FLOATS:
            writers += [self.float_only, self.float_only]
        else:
            writers += [self.power, self.bit_function]
        writers += [self.clamped, self.bitcast]
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
            self.notes["construct array 4d"] += 1
            found.append(f"in_4d[{', '.join(self.place(extent) for extent in FOUR)}]")
        if kind != "bool":
            found.append(f"strong_{kind}")
        found += self.own(kind)
        if kind == "float32" and self.palette.half:
            self.notes["load float16"] += 1
            found += [f"in_float16[{place}]", "out_float16[i]"]
        if kind == "int32":
            found += ["hw.threadIdx.x", "hw.blockIdx.x", "hw.blockDim.x", "hw.gridDim.x"]
            found += ["in_int32.shape[0]", "len(in_bool)", "in_2d.shape[1]", "in_4d.shape[2]"]
            found += ["len(part)", "len(back)"] if self.scope.tables else []
            self.notes["construct extent"] += 1
        return found

    def own(self, kind: str) -> list[str]:
        """What the kernel itself has made of this type."""
        found = [text for text, its_kind in self.scope.loads if its_kind == kind]
        for name, its_kind, extent in self.scope.tables:
            if its_kind == kind:
                self.notes[f"table {name.rstrip('0123456789')}"] += 1
                found += [f"{name}[{self.place(extent)}]"] * 2
        return found

    def place(self, extent: int) -> str:
        """A subscript inside 0 ... extent - 1: Python's % of a positive number is never negative."""
        kind = self.chance.choice(("int32", "int32", *self.palette.integers))
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
        low = 0 if kind[0] == "u" else -9
        return f"hw.{kind}({self.chance.randrange(low, 40)})"

    def weak_value(self, kind: str) -> str:
        """A literal or Python scalar argument: takes the type that it meets."""
        if self.scope.arrays and self.chance.random() < 0.4:
            self.notes["construct weak argument"] += 1
            names = ["weak_int", "bundle.scale_int", "fixed", "pair[1]"]
            if kind in FLOATS:
                names += ["weak_float", "bundle.scale", "pair[0]"]
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
        joins = self.palette.joins(kind)
        if not joins:
            return self.binary(kind, depth)
        a, b = self.chance.choice(joins)
        self.notes[f"join {a} {b}"] += 1
        operator = self.chance.choice(("+", "-", "*"))
        self.notes[f"op {operator} {kind}"] += 1
        return f"({self.any_scalar(a, depth)} {operator} {self.any_scalar(b, depth)})"

    def any_scalar(self, kind: str, depth: int) -> str:
        """Of a type that the palette may lack."""
        if kind in self.palette.numbers:
            return self.scalar(kind, depth)
        return f"hw.{kind}({self.scalar('int32', depth)})"

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
        pick = self.chance.random()
        if pick < 0.15:
            return self.power(kind, depth)
        if pick < 0.4:
            return self.from_vector(kind, depth)
        if pick < 0.5:
            self.notes[f"op fma {kind}"] += 1
            parts = ", ".join(self.scalar(kind, depth) for _ in range(3))
            return f"hw.fma({parts})"
        if pick < 0.64:
            return self.mathematics(kind, depth)
        name = self.chance.choice(ROUNDINGS)
        face = "math" if name in ("sqrt", "floor", "ceil") and self.chance.random() < 0.4 else "hw"
        self.notes[f"op {name} {kind}"] += 1
        return f"hw.{kind}({face}.{name}({self.scalar(kind, depth)}))"

    def mathematics(self, kind: str, depth: int) -> str:
        """A function of the library."""
        if self.chance.random() < 0.3:
            name = self.chance.choice(PAIR_FUNCTIONS)
            self.notes[f"function {name}"] += 1
            return f"hw.{name}({self.scalar(kind, min(depth, 1))}, {self.scalar(kind, 0)})"
        name = self.chance.choice(FUNCTIONS)
        self.notes[f"function {name}"] += 1
        return f"hw.{name}({self.scalar(kind, min(depth, 1))})"

    def bit_function(self, kind: str, depth: int) -> str:
        if bits(kind) >= 32 and self.chance.random() < 0.25:
            self.notes[f"op mulhi {kind}"] += 1
            return f"hw.mulhi({self.scalar(kind, depth)}, {self.scalar(kind, depth)})"
        name = self.chance.choice(BIT_FUNCTIONS)
        self.notes[f"op {name} {kind}"] += 1
        return f"hw.{kind}(hw.{name}({self.scalar(kind, depth)}))"

    def clamped(self, kind: str, depth: int) -> str:
        self.notes[f"op clamp {kind}"] += 1
        parts = [self.scalar(kind, depth), self.scalar(kind, 0), self.scalar(kind, 0)]
        text = f"hw.clamp({', '.join(parts)})"
        return f"({text} + 0.0)" if kind in FLOATS else text

    def bitcast(self, kind: str, depth: int) -> str:
        """The bits of a value of the same width; those of a NaN are open, so there is none."""
        others = [k for k in self.palette.numbers if bits(k) == bits(kind) and k != kind]
        if not others:
            return self.binary(kind, depth)
        source = self.chance.choice(others)
        self.notes[f"op bitcast {source} {kind}"] += 1
        text = self.scalar(source, depth)
        if source in FLOATS:
            text = f"hw.clamp({text}, -1e30, 1e30) + 0.0"
        return f"hw.bitcast({text}, hw.{kind})"

    def cast(self, kind: str, depth: int) -> str:
        source = self.chance.choice(self.palette.scalars)
        if self.palette.half and kind == "float32" and self.chance.random() < 0.3:
            self.notes["cast float32 float16"] += 1
            return f"hw.float16({self.scalar('float32', depth)})"
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
        writers.append(self.float_test)
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
        numbers = self.palette.numbers
        kind = self.chance.choice(numbers)
        other = self.chance.choice((kind, kind, kind, self.chance.choice(numbers), "weak"))
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

    def float_test(self, depth: int) -> str:
        name, kind = self.chance.choice(TESTS), self.chance.choice(self.palette.floats)
        self.notes[f"op {name} {kind}"] += 1
        return f"{self.chance.choice(('hw', 'math'))}.{name}({self.scalar(kind, depth)})"

    def truth_cast(self, depth: int) -> str:
        source = self.chance.choice(self.palette.numbers)
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
        signs = "+-*/" if scalar in FLOATS else "+-*"
        if form == 0:
            return f"(-{a})"
        if form == 1:
            return f"({a} {self.chance.choice(signs[2:])} {self.scalar(scalar, depth - 1)})"
        if form == 2:
            return f"({self.scalar(scalar, depth - 1)} * {a})"
        b = self.vector(kind, depth - 1)
        if form == 3 and size(kind) == 3:
            self.notes[f"op cross {kind}"] += 1
            return f"hw.cross({a}, {b})"
        if form == 4:
            self.notes[f"op select {kind}"] += 1
            return f"hw.select({self.truth(1)}, {a}, {b})"
        return f"({a} {self.chance.choice(signs)} {b})"

    def vector_leaf(self, kind: str) -> str:
        names = self.scope.of(kind)
        if names and self.chance.random() < 0.5:
            return self.chance.choice(names)
        if self.scope.arrays and self.chance.random() < 0.6:
            self.notes[f"load {kind}"] += 1
            found = [f"in_{kind}[{self.place(LENGTH)}]", f"out_{kind}[i]"]
            found += self.own(kind)
            return self.chance.choice(found)
        parts = [self.leaf(VECTORS[kind]) for _ in range(size(kind))]
        face = self.chance.choice((f"vec{size(kind)}", kind))
        return f"hw.{face}({', '.join(parts)})"

    def from_vector(self, kind: str, depth: int) -> str:
        fitting = [v for v in self.palette.vectors if VECTORS[v] == kind]
        if not fitting:
            return self.binary(kind, depth)
        vector = self.chance.choice(fitting)
        a = self.vector(vector, depth - 1)
        form = self.chance.choice(("dot", "length", "component", "item"))
        self.notes[f"op {form} {vector}"] += 1
        if form == "dot":
            return f"hw.dot({a}, {self.vector(vector, depth - 1)})"
        if form == "length":
            return f"hw.length({a})"
        place = self.chance.randrange(size(vector))
        return f"{a}.{'xyzw'[place]}" if form == "component" else f"{a}[{place}]"

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
