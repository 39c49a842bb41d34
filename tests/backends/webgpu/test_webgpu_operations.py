"""Every operation on every type against the reference's arithmetic, on values at the edges."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from webgpu_hand import operation, run

from headwater.backends.contract import Driver, Options
from headwater.backends.reference.arithmetic import OPERATORS, float_of
from headwater.ir import OPERATIONS
from headwater.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, SCALARS, UINT32, ScalarType

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
_INTEGERS = [0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 65, 100, 65535, 16777217, 2147483647]
_VALUES: dict[ScalarType, list[Any]] = {
    BOOL: [False, True],
    INT32: [*_INTEGERS, -1, -2, -3, -7, -64, -2147483648, -2147483647],
    UINT32: [*_INTEGERS, 2147483648, 4294967289, 4294967295],
    INT64: [*_INTEGERS, -1, -2, -7, -(2**31), 2**31, 2**33 + 5, -(2**40) - 3, 2**63 - 1, -(2**63)],
    FLOAT32: _FLOATS,
    FLOAT64: [*_FLOATS, 1e300, 5e-324, 0.1 + 2**-40],
}
_EXACT = Options(contract=False)
# Bits of a NaN and the sign of a zero from min and max are open.
_OPEN_ZERO = ("min", "max")


def _cases() -> list[Any]:
    cases = []
    for row in OPERATIONS.values():
        for kind in SCALARS:
            if row.name == "select":
                cases.append((row.name, (BOOL, kind, kind), kind))
            elif row.name == "cast":
                cases += [(row.name, (kind,), target) for target in SCALARS]
            else:
                operands = (kind,) * row.arity
                cases += [
                    (row.name, operands, result)
                    for result in ({kind, BOOL} if kind is not BOOL else {BOOL})
                    if row.rule(operands, result) is None
                ]
    return [
        pytest.param(*case, id="-".join(map(str, (case[0], case[1][-1], case[2]))))
        for case in cases
    ]


def _scalar(kind: ScalarType, value: Any) -> Any:
    if kind.is_float:
        return float_of(kind, float(value))
    return bool(value) if kind is BOOL else int(value)


def _expected(name: str, result: ScalarType, rows: list[tuple[Any, ...]]) -> np.ndarray[Any, Any]:
    with np.errstate(all="ignore"):
        values = [OPERATORS[name](result, *row) for row in rows]
        return np.array(values, result.numpy)


@pytest.mark.parametrize(("name", "operands", "result"), _cases())
@pytest.mark.parametrize("options", [_EXACT, Options()], ids=["exact", "contract"])
def test_operation(
    driver: Driver,
    name: str,
    operands: tuple[ScalarType, ...],
    result: ScalarType,
    options: Options,
) -> None:
    kinds = [[_scalar(kind, value) for value in _VALUES[kind]] for kind in operands]
    rows = list(itertools.product(*kinds))
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
    wrong = [(rows[n], got[n], expected[n]) for n in np.flatnonzero(~same)[:5]]
    assert not wrong
