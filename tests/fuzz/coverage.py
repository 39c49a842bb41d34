"""What the generated kernels must hold together: every operation and statement of the language's first part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tests.fuzz.expressions import FLOATS, INTEGERS, JOINS, NUMBERS, VECTORS
from tests.fuzz.generator import generate
from tests.fuzz.statements import SCALARS


def coverage(seeds: Iterable[int]) -> Counter[str]:
    """How often each construct stands in the kernels of these seeds."""
    notes: Counter[str] = Counter()
    for seed in seeds:
        generate(seed, notes)
    return notes


def required() -> set[str]:
    """The constructs that no run may miss."""
    found = {f"op {o} {k}" for o in ("+", "-", "*", "//", "%", "**", "min", "max") for k in NUMBERS}
    found |= {f"op {o} {k}" for o in ("<", "<=", ">", ">=", "==", "!=") for k in NUMBERS}
    found |= {f"op {o} {k}" for o in ("&", "|", "^", "<<", ">>", "unary~") for k in INTEGERS}
    found |= {f"op unary{o} {k}" for o in ("-", "abs") for k in NUMBERS}
    found |= {f"op {o} {k}" for o in ("/", "sqrt", "floor", "ceil") for k in FLOATS}
    found |= {f"op {o} bool" for o in ("and", "or", "not", "&", "|", "^", "==", "!=")}
    found |= {
        f"op {o} {k}" for o in ("dot", "cross", "length", "component", "item") for k in VECTORS
    }
    found |= {f"cast {a} {b}" for a in SCALARS for b in SCALARS if (a, b) != ("bool", "bool")}
    found |= {f"join {a} {b}" for pairs in JOINS.values() for a, b in pairs}
    found |= {f"{o} {k}" for o in ("load", "store") for k in (*SCALARS, *VECTORS)}
    found |= {f"type {k}" for k in (*SCALARS, *VECTORS)}
    found |= {f"atomic {o} {k}" for o in ("add", "min", "max") for k in INTEGERS}
    found |= {f"atomic add {k}" for k in FLOATS}
    found |= {"atomic shared", "op uniform"}
    statements = "assign reassign augmented unpack if elif else for while break continue return"
    found |= {f"statement {name}" for name in statements.split()}
    found |= {f"statement range {form}" for form in range(4)}
    found |= {"statement augmented store"}
    constructs = (
        "array 2d",
        "struct",
        "weak argument",
        "weak literal",
        "conditional",
        "select",
        "call",
        "function",
        "function returns tuple",
        "return in a loop",
        "guard none",
        "guard return",
        "guard if",
        "barriers",
        "phase",
        "barrier in a loop",
        "barrier in an if",
        "uniform break",
        "uniform value",
        "return before a barrier",
        "block 1d",
        "block 2d",
        "block 3d",
    )
    return found | {f"construct {name}" for name in constructs} | neighbor_loops()


def neighbor_loops() -> set[str]:
    """What neighbour loops must hold."""
    sums = (*NUMBERS, *VECTORS)
    found = {f"reduce add {kind}" for kind in sums}
    found |= {f"reduce {operation} {kind}" for operation in ("min", "max") for kind in NUMBERS}
    constructs = ["search", "of a particle", "of a point", "in neighbors", "private outside"]
    constructs += ["store", "break", "return", "search with for"]
    for kind in ("reducing", "sequential"):
        constructs += [kind, f"{kind}, periodic", f"{kind}, open"]
        inside = ("for", "while", "continue", "inner break", "inner continue", "divergent jump")
        constructs += [f"{kind} with {name}" for name in inside]
    return found | {f"neighbors {name}" for name in constructs}
