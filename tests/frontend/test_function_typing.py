"""Functions of numbers and bits: what folds, which types they compute in, and the hook of the mathematics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.frontend.build import array, build, source, stored

import headwater as hw
from headwater import ir
from headwater.frontend import library, mathematics
from headwater.frontend.function import DeviceFunction
from headwater.frontend.known import KNOWN
from headwater.types import FLOAT32, FLOAT64, INT32, UINT32, WEAK_FLOAT, WEAK_INT, ScalarType


def constants(kernel: ir.Kernel) -> list[Any]:
    """The constants that are stored, in order."""
    made = {n.result: n.value for n in ir.walk(kernel.body) if isinstance(n, ir.Constant)}
    stores = [node for node in ir.walk(kernel.body) if isinstance(node, ir.Store)]
    return [made[store.value] for store in stores]


def operations(kernel: ir.Kernel) -> list[str]:
    return [node.operation for node in ir.walk(kernel.body) if isinstance(node, ir.Compute)]


def test_constants_fold_as_in_python() -> None:
    def kernel(y):
        y[0] = math.exp(0.5)
        y[1] = hw.atan2(1.0, -1)
        y[2] = hw.fma(3.0, 1 / 3, -1.0)
        y[3] = hw.rint(2.5)
        y[4] = math.trunc(-2.5)
        y[5] = hw.bitcast(np.uint32(0x3F800000), hw.float32)
        y[6] = hw.bitcast(1.0, hw.int64)
        y[7] = math.log(8, 2)
        y[8] = hw.clamp(7, 0, 5)

    found = constants(build(kernel, array(FLOAT64)))
    fused = -5.551115123125783e-17
    expected = [
        math.exp(0.5),
        math.atan2(1.0, -1),
        fused,
        2.0,
        -2.0,
        1.0,
        float(0x3FF0000000000000),
        3.0,
        5.0,
    ]
    assert found == expected


def test_what_python_refuses_is_computed_by_the_kernel() -> None:
    def kernel(y):
        y[0] = hw.sqrt(y[1]) + hw.fma(math.inf, 0.0, 1.0)

    assert operations(build(kernel, array())) == ["sqrt", "fma", "add"]


@pytest.mark.parametrize(
    ("x", "y", "wanted"),
    [
        (FLOAT32, FLOAT32, "fma(float32, float32, float32) -> float32"),
        (FLOAT32, WEAK_FLOAT, "fma(float32, float32, float32) -> float32"),
        (FLOAT32, INT32, "fma(float32, float32, float32) -> float32"),
        (FLOAT64, FLOAT32, "fma(float64, float64, float64) -> float64"),
        (WEAK_INT, INT32, "fma(float64, float64, float64) -> float64"),
    ],
)
def test_fma_takes_the_joined_float_type(x: ScalarType, y: ScalarType, wanted: str) -> None:
    def kernel(out, x, y):
        out[0] = hw.fma(x, y, 1)

    assert stored(build(kernel, array(FLOAT64), x, y)) in (wanted, f"cast({x}) -> float64")


def test_classification_reads_bits() -> None:
    def kernel(out, x):
        out[0] = math.isnan(x[0])
        out[1] = np.isfinite(x[0])
        out[2] = hw.isinf(3)

    kernel_ir = build(kernel, array(INT32), array())
    assert operations(kernel_ir) == ["bitcast", "and", "gt", "cast", "bitcast", "and", "lt", "cast"]


def test_every_name_in_math_and_numpy_is_known_or_absent() -> None:
    for name, marker in mathematics.NAMES.items():
        found = getattr(math, name, None)
        if callable(found) and name not in ("floor", "ceil", "trunc", "log"):
            assert KNOWN[found] is marker
    for function, name in ((np.arcsin, "asin"), (np.power, "**"), (np.abs, "abs"), (max, "max")):
        assert KNOWN[function].name == name  # type: ignore[union-attr]


# --- powers ---------------------------------------------------------------------------------------


def test_powers() -> None:
    def kernel(y, x, n):
        y[0] = x[0] ** 2.0
        y[1] = x[0] ** 0.5
        y[2] = n**3

    found = operations(build(kernel, array(), array(), INT32))
    assert found == ["mul", "sqrt", "mul", "mul", "cast"]


def test_powers_of_vectors() -> None:
    def kernel(y, x):
        v = hw.vec2(x[0], x[1]) ** 2
        v **= hw.vec2(1, 2)
        y[0] = v.x + pow(v, 0.5).y

    assert operations(build(kernel, array(), array())) == ["mul"] * 3 + ["sqrt", "sqrt", "add"]


def test_a_power_of_integers_is_a_loop() -> None:
    def kernel(y, n, m):
        y[0] = pow(n, m)

    kernel_ir = build(kernel, array(INT32), INT32, UINT32)
    assert any(isinstance(node, ir.While) for node in ir.walk(kernel_ir.body))
    assert {v.type.name for v in kernel_ir.variables} == {"int64"}
    spans = {node.span.file for node in ir.walk(kernel_ir.body) if node.span is not None}
    assert spans == {__file__}


# --- the library ----------------------------------------------------------------------------------


@hw.function
def halved(x):
    return x * 0.5


@hw.function(contract=False)
def scaled(x, n):
    if n < 0:
        return x
    return x * n + 1.0


@hw.function
def parts(x):
    return x + 1, 7


@pytest.fixture
def own_library(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ScalarType]]:
    """A library of a few made-up functions, and what was asked of it."""
    asked: list[tuple[str, ScalarType]] = []
    known = {"sin": halved, "ldexp": scaled, "frexp": parts}

    def find(name: str, kind: ScalarType) -> DeviceFunction | None:
        asked.append((name, kind))
        return known.get(name)

    monkeypatch.setattr(library, "find", find)
    return asked


def test_the_library_is_asked_for_the_type_that_is_met(own_library: Any) -> None:
    def kernel(x32, x64, dt, n):
        x32[0] = math.sin(x32[1])
        x64[0] = np.sin(dt) + x64[1]
        x32[2] = x32[3] * hw.sin(n)

    kernel_ir = build(kernel, array(), array(FLOAT64), WEAK_FLOAT, INT32)
    assert own_library == [("sin", FLOAT32), ("sin", FLOAT64), ("sin", FLOAT32)]
    assert [v.type.name for v in kernel_ir.variables] == []
    assert operations(kernel_ir) == ["mul", "mul", "add", "cast", "mul", "mul"]


def test_integers_and_several_results(own_library: Any) -> None:
    def kernel(y, n, k):
        m, e = math.frexp(y[0])
        y[0] = m + e
        y[1] = hw.ldexp(y[1], k)

    kernel_ir = build(kernel, array(), WEAK_INT, INT32)
    exact = {
        n.operation for n in ir.walk(kernel_ir.body) if isinstance(n, ir.Compute) if not n.contract
    }
    assert {"mul", "add"} <= exact
    places = {n.span.file for n in ir.walk(kernel_ir.body) if n.span is not None}
    assert places == {__file__}
    assert "frexp" not in source(kernel_ir, kernel_ir.parameters[0])  # type: ignore[arg-type]


def test_vectors_go_component_by_component(own_library: Any) -> None:
    def kernel(y):
        v = hw.sin(hw.vec2(y[0], y[1]))
        w = hw.max(v, 0.0)
        y[2] = hw.dot(v, hw.floor(w))

    found = operations(build(kernel, array()))
    assert found == ["mul", "mul", "max", "max", "floor", "floor", "mul", "mul", "add"]


def test_what_no_library_gives_is_an_error(own_library: Any) -> None:
    def kernel(y):
        y[0] = hw.cos(y[0])

    with pytest.raises(hw.errors.CompileError, match="'cos' is not there for float32"):
        build(kernel, array())


# --- rounding as written --------------------------------------------------------------------------


@hw.function(contract=False)
def two_sum(a, b):
    s = a + b
    return s, b - (s - a)


@hw.function
def outer(a, b):
    return two_sum(a, b)[0] * a + b


def test_a_function_without_contraction() -> None:
    def kernel(y, a):
        y[0] = outer(y[1], a) * 2.0

    nodes = [
        n for n in ir.walk(build(kernel, array(), WEAK_FLOAT).body) if isinstance(n, ir.Compute)
    ]
    assert [(n.operation, n.contract) for n in nodes] == [
        ("add", False),
        ("sub", False),
        ("sub", False),
        ("mul", True),
        ("add", True),
        ("mul", True),
    ]


def test_a_weak_operation_keeps_where_it_was_written() -> None:
    def kernel(y, a, b):
        y[0] = two_sum(a, b)[0] * y[1]

    nodes = [
        n
        for n in ir.walk(build(kernel, array(), WEAK_FLOAT, WEAK_FLOAT).body)
        if isinstance(n, ir.Compute)
    ]
    assert [(n.operation, n.contract) for n in nodes] == [("add", False), ("mul", True)]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: hw.function(fuse=True), "hw.function has no option 'fuse'"),  # type: ignore[call-overload]
        (lambda: hw.function(contract=1), "the option 'contract' is True or False"),
        (lambda: hw.function(3), "takes a Python function, not a 'int'"),  # type: ignore[call-overload]
    ],
)
def test_wrong_options(make: Any, text: str) -> None:
    with pytest.raises(hw.errors.HeadwaterError, match=text):
        make()
