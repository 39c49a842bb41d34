"""What is decided when compiling: arms that are taken, loops that are written out, matches, strings and None."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest
from tests.frontend.build import array, build, struct, variables

import headwater as hw
from headwater import ir
from headwater.types import (
    FLOAT32,
    FLOAT64,
    INT32,
    WEAK_FLOAT,
    WEAK_INT,
    ArgumentType,
    ConstantType,
    TupleType,
)


def stores(kernel: ir.Kernel) -> list[Any]:
    """What is stored, constants as they are."""
    made = {n.result: n.value for n in ir.walk(kernel.body) if isinstance(n, ir.Constant)}
    nodes = [node for node in ir.walk(kernel.body) if isinstance(node, ir.Store)]
    return [made.get(node.value, "computed") for node in nodes]


def kinds(kernel: ir.Kernel) -> set[type]:
    return {type(node) for node in ir.walk(kernel.body)}


@hw.function
def chosen(x, mask=None, mode: hw.constexpr = "plain"):
    if mask is None:
        return x
    if mode == "vector":
        return hw.vec2(x, x)
    return x, mask


def test_only_the_arm_that_is_taken_is_compiled() -> None:
    def kernel(y, a, mode):
        if mode == "fast" and a.ndim == 1:
            y[0] = 1
        elif mode in ("slow", "slower"):
            y[0] = 2
        else:
            y[0] = a.nothing
        y[1] = 3 if a.dtype == hw.float64 else 4
        y[2] = 5 if y.dtype is not hw.float32 else 6

    for mode, expected in (("fast", 1.0), ("slow", 2.0)):
        found = build(kernel, array(), array(FLOAT64), ConstantType(mode))
        assert stores(found) == [expected, 3.0, 6.0]
        assert ir.If not in kinds(found)
    with pytest.raises(hw.errors.CompileError, match="has no 'nothing'"):
        build(kernel, array(), array(FLOAT64), ConstantType("other"))


def test_a_function_returns_what_its_arguments_decide() -> None:
    def kernel(y, w):
        y[0] = chosen(y[1])
        y[2] = chosen(w, 3, mode="vector").y
        _, m = chosen(y[3], 4)
        y[4] = m * chosen(w) * y[5]

    found = build(kernel, array(), WEAK_FLOAT)
    assert not kinds(found) & {ir.Inlined, ir.If}
    assert [p.type for p in found.parameters][1] is FLOAT32  # a weak value has stayed weak
    assert variables(found) == {}


def test_functions_and_types_are_arguments() -> None:
    @hw.function
    def double(x):
        return 2 * x

    def kernel(y, f: hw.constexpr, kind: hw.constexpr):
        t = hw.shared.array(4, kind)
        t[0] = 1
        y[0] = f(t[0])
        y[1] = 5 if f == double else 6

    found = build(kernel, array(INT32), ConstantType(double), ConstantType(INT32))
    assert found.shared[0].scalar is INT32
    assert stores(found) == [1, "computed", 5]


def test_a_parameter_that_must_be_known() -> None:
    def kernel(y, n):
        y[0] = chosen(y[1], 3, mode=n)

    with pytest.raises(hw.errors.CompileError, match="'mode' of 'chosen' must be known when comp"):
        build(kernel, array(), WEAK_INT)


# --- loops that are written out -------------------------------------------------------------------


def test_each_trip_is_a_copy() -> None:
    def kernel(y):
        for k in hw.static_range(5, -1, -2):
            t = k * k
            if k == 3:
                continue
            y[k] = t
        for k in hw.static_range(10):
            if k == 2:
                break
            y[k] = k
        else:
            y[9] = 9

    found = build(kernel, array(INT32))
    assert stores(found) == [25, 1, 0, 1]
    assert kinds(found) == {ir.Constant, ir.Store}
    assert variables(found) == {}


def test_a_name_of_one_trip_is_known_in_the_next() -> None:
    def kernel(y, x, n):
        for i in range(n):
            for k in hw.static_range(3):
                if k > 0:
                    y[i + k] = t  # noqa: F821 - assigned in the trip before
                t = x[i + k]
            y[i] = t

    found = build(kernel, array(), array(), INT32)
    assert variables(found) == {}
    assert stores(found) == ["computed"] * 3


def test_loops_in_loops_with_one_target() -> None:
    def kernel(y):
        for k in hw.static_range(2):
            for k in hw.static_range(3):
                y[k] = 1
            y[k] = 2

    assert variables(build(kernel, array())) == {"k": "int32"}


def test_items_keep_their_types() -> None:
    def kernel(y, items):
        for item in items:
            y[0] += item.x if item.kind == "struct" else 0.0
        for array_, scale in ((y, 2), (y, 3)):
            array_[1] *= scale
        for c in hw.vec2(y[0], y[1]):
            y[2] += c
        for n in y.shape:
            y[3] = n

    pair = struct("Pair", x=FLOAT64, kind=ConstantType("struct"))
    other = struct("Other", x=FLOAT32, kind=ConstantType("other"))
    found = build(kernel, array(FLOAT64), TupleType((pair, other)))
    assert ir.For not in kinds(found)
    assert variables(found) == {}


def test_functions_in_trips_have_variables_of_their_own() -> None:
    @hw.function
    def early(x):
        if x > 0:
            return x
        return -x

    def kernel(y, items):
        for item in items:
            y[0] += early(item)

    found = build(kernel, array(FLOAT64), TupleType((FLOAT32, INT32)))
    assert sorted(variables(found).values()) == ["float32", "int32"]


def test_stars() -> None:
    def kernel(y, t):
        a, *b, c = t
        y[0] = hw.max(*b)
        y[1] = chosen(*(c, 4))[1]
        y[2] = hw.dot(hw.vec3(a, *b), hw.vec3(*t[1:]))
        y[3] = len((*t, *b, a))

    found = build(kernel, array(INT32), TupleType((INT32,) * 4))
    assert variables(found) == {}
    assert stores(found)[3] == 7


def test_loops_over_arrays() -> None:
    def kernel(y, m):
        for value in y:
            y[0] += value
        for row in m:
            for value in row[1:]:
                y[1] += value

    found = build(kernel, array(INT32), array(INT32, 2))
    loops = [node for node in ir.walk(found.body) if isinstance(node, ir.For)]
    assert len(loops) == 3
    loads = [n for n in ir.walk(found.body) if isinstance(n, ir.Load) and len(n.indices) == 2]
    assert len(loads) == 1


# --- match, :=, in --------------------------------------------------------------------------------


def test_match_is_a_chain_of_conditions() -> None:
    def kernel(y, n, mode: hw.constexpr):
        match n:
            case 0:
                y[0] = 1
            case 1 | -2 if y[1] > 0:
                y[0] = 2
            case other:
                y[0] = other
        match mode, 3:
            case "a" | "b", _:
                y[2] = 4
            case "c", 4:
                y[2] = 5
            case _, 3:
                y[2] = 6

    found = build(kernel, array(), INT32, ConstantType("c"))
    assert stores(found) == [1.0, 2.0, "computed", 6.0]
    assert [v.type.name for v in found.variables] == ["bool"]  # the guard reads memory


def test_a_match_without_a_case_that_holds_does_nothing() -> None:
    def kernel(y):
        match 3:
            case 1:
                y[0] = 1
            case None | True:
                y[0] = 2

    assert stores(build(kernel, array())) == []


def test_a_name_in_an_expression() -> None:
    def kernel(y, n):
        while (k := y[0]) > 0:
            y[0] = k - 1
        if (m := n + 1) > 3:
            y[1] = m + k
        y[2] = (t := 2) * t

    found = build(kernel, array(INT32), WEAK_INT)
    assert variables(found) == {"k": "int32"}


def test_a_name_that_only_one_side_gives_is_known_where_both_hold() -> None:
    def kernel(y, n):
        if n > 0 and (t := y[n]) > 1 and (u := y[t]) > t:
            y[1] = t + u
        while (n > 1 and (v := y[n]) > 1) and v > n:
            y[v] = 0
        y[2] = w if n > 3 and (w := y[3]) > 0 else 5

    found = build(kernel, array(INT32), INT32)
    assert {"t", "u", "v", "w"} <= set(variables(found))


def test_a_name_that_only_one_side_gives_is_unknown_elsewhere() -> None:
    def after(y, n):
        if n > 0 and (t := y[n]) > 1:
            y[1] = t
        y[0] = t

    def otherwise(y, n):
        if n > 0 and (t := y[n]) > 1:
            y[1] = 0
        else:
            y[1] = t

    def either(y, n):
        if n > 0 or (t := y[n]) > 1:
            y[1] = t

    def denied(y, n):
        if not (n > 0 and (t := y[n]) > 1):
            y[1] = t

    for kernel in (after, otherwise, either, denied):
        with pytest.raises(hw.errors.CompileError, match="'t' may be read before it is assigned"):
            build(kernel, array(INT32), INT32)


def test_in_and_is() -> None:
    def kernel(y, n, none: hw.constexpr):
        y[0] = n in (1, 2)
        y[1] = n not in ()  # noqa: RUF060
        y[2] = none is None
        y[3] = "b" in "abc"
        y[4] = (1, n) == (2, 3)
        y[5] = y is None
        y[6] = bool("") or not none

    assert stores(build(kernel, array(INT32), INT32, ConstantType(None))) == [
        "computed", 1, 1, 1, 0, 0, 1
    ]  # fmt: skip


def test_a_loop_has_an_else() -> None:
    def kernel(y, n):
        for k in range(n):
            if y[k] > 0:
                found = k
                break
        else:
            found = -1
        y[0] = found
        while n > y[1]:
            y[1] += 1
        else:
            y[2] = 1

    found = build(kernel, array(INT32), INT32)
    assert variables(found) == {"left": "bool", "found": "int32", "left_2": "bool"}


def test_two_files_with_one_bytecode() -> None:
    """What annotates a variable is not in the bytecode, nor is the file."""
    kernels = []
    for kind in ("float32", "float64"):
        text = f"def kernel(y):\n    t: hw.{kind} = y[0] * 2\n    y[0] = hw.int32(t)\n"
        file = f"<annotated {kind}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        space: dict[str, Any] = {"hw": hw}
        exec(compile(text, file, "exec"), space)
        kernels.append(build(space["kernel"], array(INT32)))
    casts = [
        {n.result.type.name for n in ir.walk(k.body) if isinstance(n, ir.Compute)} for k in kernels
    ]
    assert casts == [{"int32", "float32"}, {"int32", "float64"}]


def test_a_loop_that_never_runs_keeps_its_test_and_its_else() -> None:
    """Found by comparing random control with Python's: the `else` was lost with the test."""

    def kernel(y, n):
        while hw.atomic.add(y, 0, 1) > n and 1 in (2, 3):
            y[1] = 1
        else:
            y[2] = 2

    found = build(kernel, array(INT32), INT32)
    assert stores(found) == [2]
    assert ir.Atomic in kinds(found)


# --- print and assert -----------------------------------------------------------------------------


def test_print_and_assert() -> None:
    def kernel(y, n, name: hw.constexpr):
        assert n > 0
        assert True, "never"
        assert y[0] < n, f"{name}: too {'large'}"
        print("y =", y[0], f"{n=} {name!s}", (1, n), sep=", ")
        print(hw.vec2(y[1], 0.5), None, hw.float32, np.float32(0.1))
        print()

    found = build(kernel, array(), INT32, ConstantType("mass"))
    asserts = [node.message for node in ir.walk(found.body) if isinstance(node, ir.Assert)]
    assert asserts == ["n > 0", "mass: too large"]
    prints = [node.parts for node in ir.walk(found.body) if isinstance(node, ir.Print)]
    shown = [[p if isinstance(p, str) else str(p.type) for p in parts] for parts in prints]
    assert shown == [
        ["y =, ", "float32", ", n=", "int32", " mass, (1, ", "int32", ")"],
        ["(", "float32", ", ", "float32", ") None float32 ", "float32"],
        [],
    ]


CONSTANTS: list[ArgumentType] = [ConstantType(v) for v in (3, 2.5, True, "text", (1, "a"))]


@pytest.mark.parametrize("constant", CONSTANTS, ids=repr)
def test_constants_are_no_parameters(constant: ArgumentType) -> None:
    def kernel(y, c):
        y[0] = 1 if c == c else 2

    found = build(kernel, array(), constant)
    assert [p.name for p in found.parameters] == ["y"]
    assert stores(found) == [1.0]
