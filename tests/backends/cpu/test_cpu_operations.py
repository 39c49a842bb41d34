"""Every pure operation on every type, in scalars and in vectors of each width, against Python integers and NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from tests.backends.cpu.building import LANES, Body, compute, cpu, elementwise, run
from tests.language.bench import assert_same

from headwater import ir
from headwater.ir.operations import OPERATIONS
from headwater.types import BOOL, FLOAT16, FLOAT32, SCALARS, ScalarType

INTEGERS = [kind for kind in SCALARS if kind.is_integer]
FLOATS = [kind for kind in SCALARS if kind.is_float and kind is not FLOAT16]


def edges(kind: ScalarType) -> np.ndarray:
    if kind is BOOL:
        return np.array([False, True])
    if kind.is_float:
        info = np.finfo(kind.numpy)
        near = [65504.0, 65519.9, 65520.0, 2047.5, 2048.5, 1e-8, 6e-8, 1.0009765625, 1.00048828126]
        values = [0.0, 0.5, 1.0, 1.5, 2.5, 3.7, 127.6, 255.5, 2.0**31, 2.0**32, 2.0**63, 2.0**64]
        values += [*near, float(info.max), float(info.tiny), float(info.smallest_subnormal)]
        with np.errstate(over="ignore"):
            both = np.array([s * v for v in values for s in (1.0, -1.0)]).astype(kind.numpy)
        return np.concatenate([both, np.array([np.inf, -np.inf, np.nan], kind.numpy)])
    low, high = kind.limits
    small = [-128, -77, -7, -2, -1, 0, 1, 2, 3, 5, 7, 8, 31, 33, 100]
    powers = [1 << b for b in range(0, kind.bits, 7)]
    wanted = [*small, *powers, low, low + 1, high - 1, high, high // 3, high // 5 * 3]
    return np.array(sorted({v for v in wanted if low <= v <= high}), kind.numpy)


def wrap(kind: ScalarType, value: int) -> int:
    low, _ = kind.limits
    return ((value - low) & ((1 << kind.bits) - 1)) + low


def bits_of(kind: ScalarType, value: int) -> str:
    return format(value & ((1 << kind.bits) - 1), f"0{kind.bits}b")


def _shift_right(kind: ScalarType, a: int, b: int) -> int:
    return a >> (b % kind.bits)


INTEGER: dict[str, Callable[..., int]] = {
    "neg": lambda kind, a: -a,
    "abs": lambda kind, a: abs(a),
    "add": lambda kind, a, b: a + b,
    "sub": lambda kind, a, b: a - b,
    "mul": lambda kind, a, b: a * b,
    "floordiv": lambda kind, a, b: a // b if b else 0,
    "mod": lambda kind, a, b: a % b if b else a,
    "min": lambda kind, a, b: min(a, b),
    "max": lambda kind, a, b: max(a, b),
    "and": lambda kind, a, b: a & b,
    "or": lambda kind, a, b: a | b,
    "xor": lambda kind, a, b: a ^ b,
    "not": lambda kind, a: ~a,
    "shl": lambda kind, a, b: a << (b % kind.bits),
    "shr": _shift_right,
    "popc": lambda kind, a: bits_of(kind, a).count("1"),
    "clz": lambda kind, a: len(bits_of(kind, a)) - len(bits_of(kind, a).lstrip("0")),
    "ctz": lambda kind, a: len(bits_of(kind, a)) - len(bits_of(kind, a).rstrip("0")),
    "brev": lambda kind, a: int(bits_of(kind, a)[::-1], 2),
    "mulhi": lambda kind, a, b: a * b >> kind.bits,
}
FLOAT: dict[str, Callable[..., Any]] = {
    "neg": np.negative,
    "abs": np.abs,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "rint": np.rint,
    "trunc": np.trunc,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.fmin,
    "max": np.fmax,
}
COMPARE: dict[str, Callable[..., Any]] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
APART = {"select", "cast", "bitcast", "fma", "uniform"}


def test_every_operation_is_here() -> None:
    assert set(OPERATIONS) == INTEGER.keys() | FLOAT.keys() | COMPARE.keys() | APART


Case = tuple[str, ScalarType]


def apply(
    lanes: int, cases: Sequence[Case], *inputs: tuple[ScalarType, np.ndarray]
) -> Iterator[tuple[Case, np.ndarray]]:
    """Operations over arrays, in one kernel: a block of one thread is scalar code, and one of 64 is vectors."""
    found = []
    for threads in (1, 64):
        bodies = [(result, _body(operation, result)) for operation, result in cases]
        kernel = elementwise(bodies, [kind for kind, _ in inputs], threads)
        arrays = [array for _, array in inputs]
        outputs = [np.zeros(arrays[0].shape, result.numpy) for _, result in cases]
        grid = (-(-arrays[0].size // threads), 1, 1)
        found.append(run(cpu(lanes), kernel, grid, *outputs, *arrays))
    for case, scalar, vector in zip(cases, *found, strict=False):
        same(vector, scalar, case)
        yield case, vector


def _body(operation: str, result: ScalarType) -> Body:
    return lambda build, values: compute(build, operation, result, *values[: _arity(operation)])


def _arity(operation: str) -> int:
    return OPERATIONS[operation].arity


def same(found: np.ndarray, expected: np.ndarray, case: Case) -> None:
    try:
        assert_same(found, expected)
    except AssertionError as error:
        raise AssertionError(f"{case[0]} giving {case[1]}: {error}") from None


def combined(kind: ScalarType, arity: int) -> list[np.ndarray]:
    columns = zip(*itertools.product(edges(kind), repeat=arity), strict=True)
    return [np.array(column, kind.numpy) for column in columns]


def with_arity(operations: Iterable[str], arity: int) -> list[str]:
    return [operation for operation in operations if _arity(operation) == arity]


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("kind", INTEGERS, ids=str)
@pytest.mark.parametrize("arity", [1, 2])
def test_integers(arity: int, kind: ScalarType, lanes: int) -> None:
    inputs = combined(kind, arity)
    cases = [(operation, kind) for operation in with_arity(INTEGER, arity)]
    rows = list(zip(*(column.tolist() for column in inputs), strict=True))
    for case, found in apply(lanes, cases, *((kind, column) for column in inputs)):
        expected = [wrap(kind, INTEGER[case[0]](kind, *row)) for row in rows]
        same(found, np.array(expected, kind.numpy), case)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("kind", FLOATS, ids=str)
@pytest.mark.parametrize("arity", [1, 2])
def test_floats(arity: int, kind: ScalarType, lanes: int) -> None:
    inputs = combined(kind, arity)
    cases = [(operation, kind) for operation in with_arity(FLOAT, arity)]
    for case, result in apply(lanes, cases, *((kind, column) for column in inputs)):
        with np.errstate(all="ignore"):
            expected = FLOAT[case[0]](*inputs).astype(kind.numpy)
        found = result
        if case[0] in ("min", "max"):
            found, expected = found + 0, expected + 0  # the sign of a zero is open
        same(found, expected, case)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("kind", [*INTEGERS, *FLOATS], ids=str)
def test_comparisons(kind: ScalarType, lanes: int) -> None:
    a, b = combined(kind, 2)
    cases = [(operation, BOOL) for operation in COMPARE]
    for case, found in apply(lanes, cases, (kind, a), (kind, b)):
        same(found, COMPARE[case[0]](a, b), case)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("arity", [1, 2])
def test_bools(arity: int, lanes: int) -> None:
    inputs = combined(BOOL, arity)
    rules: dict[str, Callable[..., Any]] = {
        "and": np.logical_and,
        "or": np.logical_or,
        "xor": np.logical_xor,
        "eq": np.equal,
        "ne": np.not_equal,
        "not": np.logical_not,
    }
    cases = [(operation, BOOL) for operation in with_arity(rules, arity)]
    for case, found in apply(lanes, cases, *((BOOL, column) for column in inputs)):
        same(found, rules[case[0]](*inputs), case)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("kind", SCALARS, ids=str)
def test_select(kind: ScalarType, lanes: int) -> None:
    a = np.resize(edges(kind), 67)
    b = a[::-1].copy()
    condition = np.arange(a.size) % 3 == 0
    ((_, found),) = apply(lanes, [("select", kind)], (BOOL, condition), (kind, a), (kind, b))
    assert_same(found, np.where(condition, a, b))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("kind", FLOATS, ids=str)
def test_fma_rounds_once(kind: ScalarType, lanes: int) -> None:
    small = float(np.finfo(kind.numpy).eps)
    a = np.array([1 + small, 1 - small, 3.0, -2.0, np.inf, np.nan, 1e30], kind.numpy)
    c = np.array([-1.0, -1.0, 0.5, 4.0, -np.inf, 1.0, -np.inf], kind.numpy)
    with np.errstate(invalid="ignore"):
        exact = a.astype(np.longdouble) ** 2 + c
    exact[:2] = [2 * small + small**2, -2 * small + small**2]
    ((_, found),) = apply(lanes, [("fma", kind)], (kind, a), (kind, a), (kind, c))
    assert_same(found, exact.astype(kind.numpy))


def saturated(value: float, target: ScalarType) -> int:
    low, high = target.limits
    if np.isnan(value):
        return 0
    if np.isinf(value):
        return high if value > 0 else low
    return min(max(int(value), low), high)


def converted(values: np.ndarray, source: ScalarType, target: ScalarType) -> np.ndarray:
    """The cast as the operation table has it; NumPy rounds right between floats and from integers."""
    if target.is_float or target is BOOL:
        with np.errstate(all="ignore"):
            return values.astype(target.numpy)
    if source.is_float:
        numbers = [saturated(float(value), target) for value in values]
    else:
        numbers = [wrap(target, int(value)) for value in values]
    return np.array(numbers, target.numpy)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("source", SCALARS, ids=str)
def test_casts(source: ScalarType, lanes: int) -> None:
    values = edges(source)
    for case, found in apply(lanes, [("cast", target) for target in SCALARS], (source, values)):
        same(found, converted(values, source, case[1]), case)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("kind", FLOATS, ids=str)
def test_rounding_to_half(kind: ScalarType, lanes: int) -> None:
    """Around every midpoint of two halves, where rounding twice goes wrong."""
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    middle = (halves[:-1] + halves[1:]) / 2
    step = middle * 2.0**-40 + 1e-30
    values = np.concatenate([middle - step, middle, middle + step, [1e-40, 1e-300]])
    values = np.concatenate([values, -values]).astype(kind.numpy)
    ((_, found),) = apply(lanes, [("cast", FLOAT16)], (kind, values))
    with np.errstate(all="ignore"):
        assert_same(found, values.astype(np.float16))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("source", [kind for kind in SCALARS if kind is not BOOL], ids=str)
def test_bitcasts(source: ScalarType, lanes: int) -> None:
    values = edges(source)
    targets = [kind for kind in SCALARS if kind.bits == source.bits and kind is not BOOL]
    for _, found in apply(lanes, [("bitcast", kind) for kind in targets], (source, values)):
        assert found.tobytes() == values.tobytes()


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("exact", ["mul", "add"])
def test_a_node_that_is_rounded_as_written(exact: str, lanes: int) -> None:
    """One node of a * b + c that takes part in no contraction is enough to keep the product's rounding."""

    def body(build: ir.Builder, values: tuple[ir.Value, ...]) -> ir.Value:
        a, b, c = values
        build.contract = exact != "mul"
        product = build.compute("mul", a, b)
        build.contract = exact != "add"
        return build.compute("add", product, c)

    a = np.full(40, 1 + 2.0**-23, np.float32)
    c = np.full(40, -1.0, np.float32)
    for threads in (1, 64):
        kernel = elementwise([(FLOAT32, body)], [FLOAT32] * 3, threads)
        grid = (-(-40 // threads), 1, 1)
        found = run(cpu(lanes), kernel, grid, np.zeros_like(a), a, a, c)[0]
        assert_same(found, a * a + c)
