"""What the generated kernels must hold together: every operation, type and statement of the language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tests.fuzz.expressions import BIT_FUNCTIONS, FUNCTIONS, PAIR_FUNCTIONS, ROUNDINGS, TESTS
from tests.fuzz.generator import generate
from tests.fuzz.palette import FLOATS, INTEGERS, JOINS, NUMBERS, VECTORS, bits, size
from tests.fuzz.statements import WORDS

SCALARS = (*NUMBERS, "bool")
_FLOAT_VECTORS = tuple(kind for kind, scalar in VECTORS.items() if scalar in FLOATS)


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
    found |= {f"op {o} {k}" for o in ("/", "fma", *ROUNDINGS, *TESTS) for k in FLOATS}
    found |= {f"op {o} {k}" for o in BIT_FUNCTIONS for k in INTEGERS}
    found |= {f"op mulhi {k}" for k in WORDS} | {f"op clamp {k}" for k in NUMBERS}
    found |= {
        f"op bitcast {a} {b}" for a in NUMBERS for b in NUMBERS if a != b and bits(a) == bits(b)
    }
    found |= {f"function {name}" for name in (*FUNCTIONS, *PAIR_FUNCTIONS)}
    found |= {f"op {o} bool" for o in ("and", "or", "not", "&", "|", "^", "==", "!=")}
    found |= {f"op {o} {k}" for o in ("dot", "length", "component", "item") for k in _FLOAT_VECTORS}
    found |= {f"op cross {k}" for k in VECTORS if size(k) == 3}
    found |= {f"cast {a} {b}" for a in SCALARS for b in SCALARS if (a, b) != ("bool", "bool")}
    found |= {"cast float32 float16", "load float16", "store float16"}
    found |= {f"join {a} {b}" for pairs in JOINS.values() for a, b in pairs}
    found |= {f"{o} {k}" for o in ("load", "store") for k in (*SCALARS, *VECTORS)}
    found |= {f"type {k}" for k in (*SCALARS, *VECTORS)}
    commuting = ("add", "sub", "min", "max", "and", "or", "xor")
    found |= {f"atomic {o} {k}" for o in commuting for k in WORDS}
    found |= {f"atomic {o} {k}" for o in ("inc", "dec") for k in WORDS if k[0] == "u"}
    found |= {f"atomic add {k}" for k in FLOATS}
    found |= {f"atomic own {o} {k}" for o in ("exch", "cas") for k in (*WORDS, *FLOATS)}
    found |= {"atomic shared", "op uniform", "fence", "random"}
    statements = "assign reassign augmented unpack if elif else for while break continue return assert tuple match"
    found |= {f"statement {name}" for name in statements.split()}
    found |= {"statement static range", "statement compile-time if"}
    found |= {f"struct {name}" for name in ("made", "from a function", "loaded", "stored")}
    found |= {"struct field stored", "local array", "store local"}
    found |= {f"table {name}" for name in ("consts", "part", "back", "row", "column", "localv")}
    found |= {f"vote {name}" for name in ("count", "and", "or")}
    warps = (
        "shfl shfl_up shfl_down shfl_xor all any eq ballot match_any match_all divergent loop sync"
    )
    found |= {f"warp {name}" for name in warps.split()}
    found |= {f"warp shuffle {kind}" for kind in NUMBERS}
    found |= {f"statement range {form}" for form in range(4)}
    found |= {"statement augmented store"}
    constructs = (
        "array 2d",
        "array 4d",
        "strided argument",
        "dynamic shared memory",
        "warps alone",
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
