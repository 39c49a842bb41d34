"""Wrong devices that the random kernels must tell from the right one.

Each mutation changes one operation or one node of the interpreter, as a backend's author might get it wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fuzz.generator import generate
from tests.fuzz.harness import differences, run

import headwater as hw
from headwater import ir
from headwater.backends.reference import interpreter
from headwater.backends.reference.arithmetic import OPERATORS, cast, wrap
from headwater.backends.reference.interpreter import HANDLERS, Signal, Steps, Thread
from headwater.errors import HeadwaterError
from headwater.types import FLOAT32, ScalarType

SEEDS = 60


def truncating_division(kind: ScalarType, a: Any, b: Any) -> Any:
    if kind.is_float or b == 0:
        return OPERATORS_BEFORE["floordiv"](kind, a, b)
    return wrap(kind, abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


def remainder_with_the_sign_of_a(kind: ScalarType, a: Any, b: Any) -> Any:
    if kind.is_float or b == 0:
        return OPERATORS_BEFORE["mod"](kind, a, b)
    return abs(a) % abs(b) * (-1 if a < 0 else 1)


def wrapping_cast(kind: ScalarType, value: Any) -> Any:
    if kind.is_integer and not isinstance(value, int) and math.isfinite(value):
        return wrap(kind, math.trunc(float(value)))
    return cast(kind, value)


def cast_to_float_by_way_of_float32(kind: ScalarType, value: Any) -> Any:
    if kind.is_float and isinstance(value, int):
        return cast(kind, np.float32(value))
    return cast(kind, value)


def propagating_min(kind: ScalarType, a: Any, b: Any) -> Any:
    return a if a != a else OPERATORS_BEFORE["min"](kind, a, b)


def less_or_equal(kind: ScalarType, a: Any, b: Any) -> bool:
    return bool(a <= b)


def unmasked_shift(kind: ScalarType, a: int, b: int) -> int:
    return wrap(kind, a << b) if 0 <= b < kind.bits else 0


def logical_shift(kind: ScalarType, a: int, b: int) -> int:
    return wrap(kind, (a & ((1 << kind.bits) - 1)) >> (b % kind.bits))


def flushing_product(kind: ScalarType, a: Any, b: Any) -> Any:
    result = OPERATORS_BEFORE["mul"](kind, a, b)
    tiny = kind is FLOAT32 and abs(result) < np.finfo(np.float32).tiny
    return np.float32(0) if tiny else result


OPERATORS_BEFORE = dict(OPERATORS)
OPERATIONS: dict[str, tuple[str, Callable[..., Any]]] = {
    "integer division truncates": ("floordiv", truncating_division),
    "the remainder has the sign of the dividend": ("mod", remainder_with_the_sign_of_a),
    "float to integer wraps": ("cast", wrapping_cast),
    "integer to float rounds twice": ("cast", cast_to_float_by_way_of_float32),
    "min lets a NaN through": ("min", propagating_min),
    "less than is less or equal": ("lt", less_or_equal),
    "shifts are not masked": ("shl", unmasked_shift),
    "a signed shift to the right is logical": ("shr", logical_shift),
    "denormals are flushed": ("mul", flushing_product),
}


def continue_leaves_the_loop(thread: Thread, node: ir.Continue) -> Steps:
    yield from ()
    return Signal.BREAK


def barrier_does_not_wait(thread: Thread, node: ir.Barrier) -> Steps:
    yield from ()
    return Signal.NEXT


def branch_without_else(thread: Thread, node: ir.If) -> Steps:
    taken = node.then if thread.values[node.condition] else ir.Block()
    return (yield from interpreter._run(thread, taken))


def atomic_that_forgets_the_old(thread: Thread, node: ir.Atomic) -> None:
    HANDLERS_BEFORE[ir.Store](
        thread, ir.Store(node.array, node.indices, node.value, node.component, node.span)
    )
    thread.values[node.result] = thread.values[node.value]


def loop_with_one_trip_more(thread: Thread, node: ir.For) -> Steps:
    step = thread.values[node.step]
    thread.values[node.stop] += step
    try:
        return (yield from HANDLERS_BEFORE[ir.For](thread, node))
    finally:
        thread.values[node.stop] -= step


HANDLERS_BEFORE = dict(HANDLERS)
NODES: dict[str, tuple[type, Callable[..., Any]]] = {
    "continue leaves the loop": (ir.Continue, continue_leaves_the_loop),
    "barriers do not wait": (ir.Barrier, barrier_does_not_wait),
    "an else is forgotten": (ir.If, branch_without_else),
    "an atomic is a plain store": (ir.Atomic, atomic_that_forgets_the_old),
    "a loop makes one trip more": (ir.For, loop_with_one_trip_more),
}


def noticed(oracle: hw.Device, folder: Path, mutate: Callable[[pytest.MonkeyPatch], None]) -> bool:
    for seed in range(SEEDS):
        program = generate(seed)
        expected = run(program, oracle, folder)
        with pytest.MonkeyPatch.context() as patch:
            mutate(patch)
            try:
                found = run(program, oracle, folder)
            except HeadwaterError:
                return True
        if differences(expected, found):
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_wrong_operation_is_noticed(oracle: hw.Device, tmp_path: Path, name: str) -> None:
    operation, wrong = OPERATIONS[name]
    assert noticed(oracle, tmp_path, lambda patch: patch.setitem(OPERATORS, operation, wrong))


@pytest.mark.slow
@pytest.mark.parametrize("name", NODES)
def test_a_wrong_node_is_noticed(oracle: hw.Device, tmp_path: Path, name: str) -> None:
    node, wrong = NODES[name]
    assert noticed(oracle, tmp_path, lambda patch: patch.setitem(HANDLERS, node, wrong))
