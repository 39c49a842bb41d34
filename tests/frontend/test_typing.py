"""Which type an expression and a variable get."""

from __future__ import annotations

import linecache
import math
from typing import Any

import numpy as np
import pytest
from tests.frontend.build import SCALARS, VEC3F, array, build, stored, variables

import headwater as hw
from headwater import ir
from headwater.frontend import Dialect
from headwater.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, WEAK_FLOAT, WEAK_INT, VectorType

# Operands of the table below: one array element of each type, weak parameters, a captured NumPy scalar.
NAMES = {
    "i": "int32",
    "u": "uint32",
    "l": "int64",
    "f": "float32",
    "d": "float64",
}
STRONG = np.float32(0.5)


def kernel_of(body: str) -> ir.Kernel:
    """A kernel with this body; out_* and in_* are arrays of each type, wi and wf weak parameters."""
    lines = [f"    {name} = in_{kind}[0]" for name, kind in NAMES.items() if name in _words(body)]
    outs = [f"out_{kind}" for kind in SCALARS]
    ins = [f"in_{kind}" for kind in SCALARS]
    head = f"def typed({', '.join([*outs, *ins, 'b', 'wi', 'wf'])}):"
    text = "\n".join([head, *lines, *(f"    {line}" for line in body.split("\n"))]) + "\n"
    file = f"<typing {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space: dict[str, Any] = {"hw": hw, "math": math, "np": np, "STRONG": STRONG}
    exec(compile(text, file, "exec"), space)
    arrays = [array(kind) for kind in SCALARS.values()]
    return build(space["typed"], *arrays, *arrays, BOOL, WEAK_INT, WEAK_FLOAT)


def _words(text: str) -> set[str]:
    return set(hw.frontend.fingerprint._IDENTIFIER.findall(text))


# What `out_TYPE[0] = expression` computes before the store converts, with TYPE float64 or int64.
EXPRESSIONS = [
    ("f + 1", "add(float32, float32) -> float32"),
    ("f * wi", "mul(float32, float32) -> float32"),
    ("f * wf", "mul(float32, float32) -> float32"),
    ("f + i", "add(float32, float32) -> float32"),
    ("f + l", "add(float32, float32) -> float32"),
    ("f + d", "add(float64, float64) -> float64"),
    ("STRONG * i", "mul(float32, float32) -> float32"),
    ("STRONG * d", "mul(float64, float64) -> float64"),
    ("i * 0.5", "mul(float64, float64) -> float64"),
    ("i * 0.5 * f", "mul(float32, float32) -> float32"),
    ("i / 2", "div(float64, float64) -> float64"),
    ("i / i * f", "mul(float32, float32) -> float32"),
    ("wi / 2", "div(float64, float64) -> float64"),
    ("2 ** 0.5 * f", "mul(float32, float32) -> float32"),
    ("hw.sqrt(i)", "sqrt(float64) -> float64"),
    ("hw.sqrt(f)", "sqrt(float32) -> float32"),
    ("hw.floor(f)", "floor(float32) -> float32"),
    ("hw.float32(d)", "cast(float64) -> float32"),
    ("float(f)", "load -> float32"),
    ("float(i)", "cast(int32) -> float64"),
    ("f if b else 0.0", "select(bool, float32, float32) -> float32"),
    ("1.0 if b else wf", "select(bool, float64, float64) -> float64"),
    ("hw.select(f > 0.0, f, d)", "select(bool, float64, float64) -> float64"),
    ("min(f, 0.0)", "min(float32, float32) -> float32"),
    ("min(wf, 0.5)", "min(float64, float64) -> float64"),
    ("abs(f)", "abs(float32) -> float32"),
    ("-f", "neg(float32) -> float32"),
    ("f ** 2", "mul(float32, float32) -> float32"),
    ("f ** -1", "div(float32, float32) -> float32"),
    ("f ** 0", "constant -> float64"),
]

INTEGERS = [
    ("i + 1", "add(int32, int32) -> int32"),
    ("i + wi", "add(int32, int32) -> int32"),
    ("i + u", "add(int64, int64) -> int64"),
    ("i + l", "add(int64, int64) -> int64"),
    ("u + 1", "add(uint32, uint32) -> uint32"),
    ("u + u", "add(uint32, uint32) -> uint32"),
    ("wi + 1", "add(int64, int64) -> int64"),
    ("b + b", "add(int32, int32) -> int32"),
    ("b + 1", "add(int64, int64) -> int64"),
    ("-b", "neg(int32) -> int32"),
    ("i // 2", "floordiv(int32, int32) -> int32"),
    ("i % u", "mod(int64, int64) -> int64"),
    ("u << i", "shl(uint32, uint32) -> uint32"),
    ("1 << u", "shl(uint32, uint32) -> uint32"),
    ("i >> 3", "shr(int32, int32) -> int32"),
    ("i & 7", "and(int32, int32) -> int32"),
    ("~u", "not(uint32) -> uint32"),
    ("int(f)", "cast(float32) -> int32"),
    ("int(l)", "load -> int64"),
    ("math.floor(f)", "cast(float32) -> int32"),
    ("hw.uint32(-1)", "constant -> int64"),
    ("hw.int64(i)", "cast(int32) -> int64"),
    ("max(i, 3, u)", "max(int64, int64) -> int64"),
    ("i ** 3", "mul(int32, int32) -> int32"),
    ("len(in_int32)", "extent -> int32"),
    ("hw.blockDim.x", "constant -> int64"),
    ("hw.uniform(i)", "uniform(int32) -> int32"),
    ("(b and i > 0) + 0", "add(int64, int64) -> int64"),
]


def _before_cast(kernel: ir.Kernel, wanted: str) -> str:
    """What was stored, or what was cast to be stored, whichever is asked for."""
    found = stored(kernel)
    if found == wanted or not found.startswith("cast"):
        return found
    store = [node for node in ir.walk(kernel.body) if isinstance(node, ir.Store)][-1]
    cast = next(n for n in ir.walk(kernel.body) if getattr(n, "result", None) is store.value)
    assert isinstance(cast, ir.Compute)
    from tests.frontend.build import source

    return source(kernel, cast.arguments[0])


@pytest.mark.parametrize(("expression", "wanted"), EXPRESSIONS, ids=[e for e, _ in EXPRESSIONS])
def test_float_expressions(expression: str, wanted: str) -> None:
    assert _before_cast(kernel_of(f"out_float64[0] = {expression}"), wanted) == wanted


@pytest.mark.parametrize(("expression", "wanted"), INTEGERS, ids=[e for e, _ in INTEGERS])
def test_integer_expressions(expression: str, wanted: str) -> None:
    assert _before_cast(kernel_of(f"out_int64[0] = {expression}"), wanted) == wanted


VARIABLES = [
    # all assignments join
    ("a = 0.0\na += f", {"a": "float32"}),
    ("a = 0\na += f", {"a": "float32"}),
    ("a = 0\na += l", {"a": "int64"}),
    ("a = i\na = u", {"a": "int64"}),
    ("a = f\na = d\nout_float32[0] = a", {"a": "float64"}),
    ("a = False\na = i", {"a": "int32"}),
    # only weak assignments: the strong types of the uses, else the default
    ("a = 0\na += 1", {"a": "int32"}),
    ("a = 0.5\na *= 2", {"a": "float32"}),
    ("a = 0.1\na *= 2\nout_float64[0] = a * d", {"a": "float64"}),
    ("a = 0.1\na *= 2\nout_float64[0] = a", {"a": "float64"}),
    ("a = 0.1\na *= 2\nout_float64[0] = a * f", {"a": "float32"}),
    ("a = 0.1\na *= 2\nout_float64[0] = a * f + a * d", {"a": "float64"}),
    ("a = 0\na += 1\nout_int64[0] = l + a", {"a": "int64"}),
    ("a = 0\na += 1\nout_float64[0] = d * a", {"a": "int32"}),
    ("a = 0\nwhile a < l:\n    a += 1", {"a": "int64"}),
    ("a = 0\nwhile a < 10:\n    a += 1", {"a": "int32"}),
    ("a = wf\na = a * 0.5\nout_float64[0] = a", {"a": "float64"}),
    ("a = 1\na = a / 2", {"a": "float32"}),
    # one weak variable made of another
    (
        "a = 0.1\na *= 2\nc = a * 3\nc += a\nout_float64[0] = c * d",
        {"a": "float64", "c": "float64"},
    ),
    # a name that is assigned once is no variable
    ("a = 0.1\nout_float64[0] = a * d\nout_float32[0] = a * f", {}),
    ("for k in range(3):\n    out_int32[k] = k\nfor k in range(4):\n    out_int64[k] = k", {}),
    # but it is where its block has ended
    ("if b:\n    return\nelse:\n    a = f\nout_float32[0] = a", {"a": "float32"}),
    ("a = hw.vec3(0, 0, 0)\na += f", {"a_x": "float32", "a_y": "float32", "a_z": "float32"}),
    ("a = hw.vec3(0, 0, 0)\na.x = d", {"a_x": "float64", "a_y": "float64", "a_z": "float64"}),
    ("a: hw.float64 = 0.0\na += 1", {"a": "float64"}),
    ("wi += 1", {"wi": "int32"}),
]


@pytest.mark.parametrize(("body", "wanted"), VARIABLES, ids=[b for b, _ in VARIABLES])
def test_variables(body: str, wanted: dict[str, str]) -> None:
    assert variables(kernel_of(body)) == wanted


LOOPS = [
    ("range(3)", "int32"),
    ("range(wi)", "int32"),
    ("range(l)", "int64"),
    ("range(0, u)", "uint32"),
    ("range(i, u)", "int64"),
    ("range(10, i, -1)", "int32"),
]


@pytest.mark.parametrize(("bounds", "wanted"), LOOPS, ids=[b for b, _ in LOOPS])
def test_loop_indices(bounds: str, wanted: str) -> None:
    kernel = kernel_of(f"for k in {bounds}:\n    out_int64[0] = k")
    (loop,) = [node for node in ir.walk(kernel.body) if isinstance(node, ir.For)]
    assert loop.index.type.name == wanted


FOLDED = [
    ("2 ** 10 + 7 // 2 - 5 % 3", 1025.0),
    ("1 / 3", 1 / 3),
    ("math.pi * 2", math.pi * 2),
    ("-7 // 2", -4.0),
    ("0.1 + 0.2", 0.1 + 0.2),
    ("10 ** 20 % 7", float(10**20 % 7)),
    ("int(2.7) + float(1)", 3.0),
    ("hw.sqrt(2)", math.sqrt(2)),
    ("min(3, 2.5, 7)", 2.5),
    ("abs(-3)", 3.0),
    ("True + True", 2.0),
    ("1.0 if 3 > 2 > 1 else 0.0", 1.0),
    ("5.0 if not (True and False or False) else 6.0", 5.0),
    ("math.floor(2.5) + math.ceil(2.5)", 5.0),
]


@pytest.mark.parametrize(("expression", "wanted"), FOLDED, ids=[e for e, _ in FOLDED])
def test_constants_fold_as_in_python(expression: str, wanted: float) -> None:
    kernel = kernel_of(f"out_float64[0] = {expression}")
    values = [n.value for n in ir.walk(kernel.body) if isinstance(n, ir.Constant)]
    assert values == [0, wanted]


def test_a_literal_keeps_its_precision_in_each_use() -> None:
    kernel = kernel_of("a = 0.1\nout_float64[0] = a * d\nout_float32[0] = a * f")
    values = {n.result.type: n.value for n in ir.walk(kernel.body) if isinstance(n, ir.Constant)}
    assert values[FLOAT64] == 0.1
    assert values[FLOAT32] == float(np.float32(0.1))


def test_a_weak_parameter_is_passed_once_for_each_type() -> None:
    kernel = kernel_of("out_float64[0] = d * wf + f * wf + wf")
    found = [(p.name, p.type) for p in kernel.parameters if p.path == ("wf",)]
    assert found == [("wf", FLOAT64), ("wf_float32", FLOAT32)]


def test_only_what_is_used_becomes_a_parameter() -> None:
    assert [p.name for p in kernel_of("out_int32[0] = 1").parameters] == ["out_int32"]


def test_shared_memory_is_written_through_any_alias() -> None:
    def kernel(a, b, c):
        a[0] = b[0] + c[0]

    built = build(kernel, array(alias=1), array(alias=1), array())
    assert [p.written for p in built.parameters] == [True, True, False]


def test_vector_parameters_may_be_weak() -> None:
    def kernel(v, d):
        v[0] = d * 2.0

    built = build(kernel, array(VEC3F), VectorType(WEAK_FLOAT, 3))
    assert [(p.path, p.type) for p in built.parameters[1:]] == [(("d", a), FLOAT32) for a in "xyz"]


def test_powers_square_from_the_lowest_bit() -> None:
    def kernel(y, x):
        y[0] = x[0] ** 5

    built = build(kernel, array(), array())
    products = [n for n in ir.walk(built.body) if isinstance(n, ir.Compute)]
    b, b2 = products[0].arguments[0], products[0].result
    assert products[1].arguments == (b2, b2)
    assert products[2].arguments == (b, products[1].result)
    assert len(products) == 3


def test_block_sizes_are_known_when_compiling() -> None:
    def kernel(y):
        if hw.blockDim.x > 16:
            y[0] = hw.shared.array(hw.blockDim.x * 2, hw.int32)[0]

    built = build(kernel, array(INT32), block=(32, 1, 1))
    assert built.shared[0].shape == (64,)
    assert not build(kernel, array(INT32), block=(8, 1, 1)).body.nodes


def test_a_dialect_chooses_defaults_and_subscripts() -> None:
    def kernel(y, n, i):
        k = 1
        k += 1
        t = 0.5
        t *= 2
        y[i - 1] = n

    wide = Dialect("wide", INT64, FLOAT64, wrap_subscripts=True)
    built = build(kernel, array(INT64), WEAK_INT, INT32, dialect=wide)
    assert variables(built) == {"k": "int64", "t": "float64"}
    operations = [n.operation for n in ir.walk(built.body) if isinstance(n, ir.Compute)]
    assert operations[-3:] == ["add", "lt", "select"]
    plain = build(kernel, array(INT64), WEAK_INT, INT32)
    assert "select" not in [n.operation for n in ir.walk(plain.body) if isinstance(n, ir.Compute)]
