"""Every operation on every type against the reference's arithmetic, on values at the edges."""

from __future__ import annotations

import itertools
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from webgpu_hand import Hand, operation, run

from headwater.backends.contract import Options
from headwater.backends.reference.arithmetic import OPERATORS, float_of
from headwater.backends.webgpu.driver import WebGpuDriver
from headwater.ir import OPERATIONS
from headwater.types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    SCALARS,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    ScalarType,
)

Column: TypeAlias = npt.NDArray[Any]

_FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    -2.5,
    0.1,
    3.0,
    -7.0,
    7.25,
    1e-3,
    1e10,
    -3e9,
    2147483648.0,
]
_FLOATS += [
    4294967296.0,
    9.3e18,
    -9.3e18,
    1e30,
    float("inf"),
    float("-inf"),
    float("nan"),
    16777217.0,
]
# Subnormal, or outside of where WGSL bounds the error of a division: 2**-126 to 2**126.
_EXTREMES = [2**-149, -(2**-149), 1e-40, -1e-40, 2**-126 - 2**-149, 2**-126, 1.5 * 2**-126, 3e38]
_SMALL = [0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 65, 100]
_INTEGERS = [*_SMALL, 65535, 16777217, 2147483647]
_WIDE = [*_INTEGERS, 2**31, 2**33 + 5, 2**53 + 1, 0x123456789ABCDEF, 2**63 - 1]
_HALVES = [2.0**-24, -(2.0**-24), 2.0**-14 - 2.0**-24, 2.0**-14, 65504.0, 2049.0]
_VALUES: dict[ScalarType, list[Any]] = {
    BOOL: [False, True],
    INT32: [*_INTEGERS, -1, -2, -3, -7, -64, -2147483648, -2147483647],
    UINT32: [*_INTEGERS, 2147483648, 4294967289, 4294967295],
    INT64: [*_WIDE, -1, -2, -7, -(2**31), -(2**40) - 3, -(2**63), -(2**63) + 1],
    UINT64: [*_WIDE, 2**63, 2**63 + 1025, 2**64 - 1025, 2**64 - 2, 2**64 - 1],
    INT8: [*_SMALL, 127, 126, -1, -2, -7, -64, -128, -127],
    UINT8: [*_SMALL, 127, 128, 129, 254, 255],
    INT16: [*_SMALL, 255, 256, 32767, -1, -2, -7, -256, -32768, -32767],
    UINT16: [*_SMALL, 255, 256, 32767, 32768, 65534, 65535],
    FLOAT16: [*_FLOATS, *_HALVES],
    FLOAT32: [*_FLOATS, *_EXTREMES],
    FLOAT64: [*_FLOATS, 1e300, 5e-324, 0.1 + 2**-40],
}
_EXACT = Options(contract=False)
# Bits of a NaN and the sign of a zero from min and max are open.
_OPEN_ZERO = ("min", "max")
# What a device that rounds nearly may miss by 2.5 units in the last place.
_NEARLY = ("div", "sqrt")


def _cases() -> list[Any]:
    cases = []
    for row in OPERATIONS.values():
        for kind in SCALARS:
            operands = (BOOL, kind, kind) if row.name == "select" else (kind,) * row.arity
            results = SCALARS if row.name in ("cast", "bitcast") else {kind, BOOL}
            cases += [
                (row.name, operands, result)
                for result in results
                if row.rule(operands, result) is None
                and not (row.name == "mulhi" and kind.bits < 32)
            ]
    return [
        pytest.param(*case, id="-".join(map(str, (case[0], case[1][-1], case[2]))))
        for case in cases
    ]


def _with_options() -> list[Any]:
    """Each case once, those of floats also without contraction."""
    made = []
    for case in _cases():
        kinds = (*case.values[1], case.values[2])
        floats = any(kind.is_float for kind in kinds)
        for name, options in (("contract", Options()), ("exact", _EXACT)):
            if floats or options.contract:
                made.append(pytest.param(*case.values, options, id=f"{case.id}-{name}"))
    return made


def _scalar(kind: ScalarType, value: Any) -> Any:
    if kind.is_float:
        with np.errstate(over="ignore"):
            return float_of(kind, float(value))
    return bool(value) if kind is BOOL else int(value)


def _expected(name: str, result: ScalarType, rows: list[tuple[Any, ...]]) -> Column:
    with np.errstate(all="ignore"):
        values = [OPERATORS[name](result, *row) for row in rows]
        return np.array(values, result.numpy)


def _rows(
    driver: WebGpuDriver, operands: tuple[ScalarType, ...], options: Options
) -> list[tuple[Any, ...]]:
    """All combinations of values, without those for which the device declares a gap."""
    kinds = []
    for kind in operands:
        values = _VALUES[kind]
        if kind is FLOAT32 and options.contract and not driver.features.exact:
            values = [value for value in values if value not in _EXTREMES]
        if len(operands) == 3 and kind.is_float:
            values = values[::3] if kind is operands[0] else values[1::2]
        kinds.append([_scalar(kind, value) for value in values])
    return list(itertools.product(*kinds))


def _near(name: str, got: Column, *columns: Column) -> Column:
    """Which float32 results come from a quotient or root within 2.5 units of the true one."""
    with np.errstate(all="ignore"):
        exact = np.sqrt(columns[0]) if name == "sqrt" else columns[0] / columns[1]
        room = 2.5 * np.spacing(np.abs(exact)).astype(np.float64)
        low, high = (exact.astype(np.float64) + side * room for side in (-1, 1))
        return (got >= low) & (got <= high)


@pytest.mark.parametrize(("name", "operands", "result", "options"), _with_options())
def test_operation(
    driver: WebGpuDriver,
    name: str,
    operands: tuple[ScalarType, ...],
    result: ScalarType,
    options: Options,
) -> None:
    compare(driver, name, operands, result, options)


@pytest.mark.parametrize(
    ("name", "operands", "result"),
    [case for case in _cases() if FLOAT32 in (*case.values[1], case.values[2])],
)
def test_emulated_operation(
    emulating: WebGpuDriver, name: str, operands: tuple[ScalarType, ...], result: ScalarType
) -> None:
    """What `contract=False` writes for devices that flush or round nearly is right on any device."""
    compare(emulating, name, operands, result, _EXACT)


def random_float32(random: np.random.Generator, count: int) -> Column:
    """Any bits, bits near zero, and ordinary numbers."""
    bits = random.integers(0, 1 << 32, count, dtype=np.uint32)
    near = bits & np.uint32(0x80FFFFFF)
    third = random.integers(0, 3, count)
    return np.choose(third, [bits, near, near | np.uint32(0x3F000000)]).view(np.float32)


def test_emulated_arithmetic_of_random_numbers(emulating: WebGpuDriver) -> None:
    random = np.random.default_rng(3)
    a, b = random_float32(random, 1 << 15), random_float32(random, 1 << 15)
    with np.errstate(all="ignore"):
        expected = {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b, "sqrt": np.sqrt(a)}
        wide = a.astype(np.float64) * random.random(len(a))
        expected["cast"] = wide.astype(np.float32)
    for name, values in expected.items():
        columns = {"sqrt": (a,), "cast": (wide,)}.get(name, (a, b))
        kinds = (FLOAT64,) if name == "cast" else (FLOAT32,) * len(columns)
        hand, out = operation(name, kinds, FLOAT32), np.zeros_like(a)
        got = run(emulating, hand, out, *columns, options=_EXACT)[0]
        assert np.array_equal(got, values, equal_nan=True), name


def test_a_narrowed_number_is_rounded_before_it_is_widened(
    driver: WebGpuDriver, emulating: WebGpuDriver
) -> None:
    values = np.random.default_rng(4).uniform(1.0, 2.0, 64)
    hand = Hand(64)
    out, source = hand.array("out", FLOAT64, written=True), hand.array("x", FLOAT64)
    i, build = hand.thread(), hand.build
    build.store(out, (i,), build.cast(build.cast(build.load(source, (i,)), FLOAT32), FLOAT64))
    for chosen, options in ((driver, Options()), (driver, _EXACT), (emulating, _EXACT)):
        got = run(chosen, hand, np.zeros(64), values, options=options)[0]
        assert np.array_equal(got, values.astype(np.float32))


def compare(
    driver: WebGpuDriver,
    name: str,
    operands: tuple[ScalarType, ...],
    result: ScalarType,
    options: Options,
) -> None:
    """Run one operation on all combinations of values."""
    rows = _rows(driver, operands, options)
    columns = [np.array([row[n] for row in rows], kind.numpy) for n, kind in enumerate(operands)]
    out = np.zeros(len(rows), result.numpy)
    got = run(driver, operation(name, operands, result), out, *columns, options=options)[0]
    expected = _expected(name, result, rows)
    if result.is_float:
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        if name not in _OPEN_ZERO:
            same &= np.isnan(got) | (np.signbit(got) == np.signbit(expected))
    else:
        same = got == expected
    if result is FLOAT32 and name in _NEARLY and options.contract and not driver.features.rounded:
        same |= _near(name, got, *columns)
    wrong = [(rows[n], got[n], expected[n]) for n in np.flatnonzero(~same)[:5]]
    assert not wrong
