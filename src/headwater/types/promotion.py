"""The one table of how two scalar types join.

Rules, in the order of the table: a weak value takes the other's type where the kinds allow it; an
integer with a float is that float; two integers of different sign are int64, which holds both (as
NumPy and Numba do); a bool counts as an integer.
"""

from __future__ import annotations

from headwater.types.scalars import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    UINT32,
    WEAK_FLOAT,
    WEAK_INT,
    ScalarType,
)

_ORDER = (BOOL, WEAK_INT, INT32, UINT32, INT64, WEAK_FLOAT, FLOAT32, FLOAT64)

# Row joins column, both in the order above; the table is symmetric, so only one half is written.
# WEAK_FLOAT with an integer stays weak: the dialect's default float is chosen where it is stored.
_HALF: tuple[tuple[ScalarType, ...], ...] = (
    (BOOL,),
    (WEAK_INT, WEAK_INT),
    (INT32, INT32, INT32),
    (UINT32, UINT32, INT64, UINT32),
    (INT64, INT64, INT64, INT64, INT64),
    (WEAK_FLOAT, WEAK_FLOAT, WEAK_FLOAT, WEAK_FLOAT, WEAK_FLOAT, WEAK_FLOAT),
    (FLOAT32, FLOAT32, FLOAT32, FLOAT32, FLOAT32, FLOAT32, FLOAT32),
    (FLOAT64, FLOAT64, FLOAT64, FLOAT64, FLOAT64, FLOAT64, FLOAT64, FLOAT64),
)

_TABLE: dict[tuple[ScalarType, ScalarType], ScalarType] = {}
for _row, _a in enumerate(_ORDER):
    for _column in range(_row + 1):
        _TABLE[_a, _ORDER[_column]] = _TABLE[_ORDER[_column], _a] = _HALF[_row][_column]


def join(a: ScalarType, b: ScalarType) -> ScalarType:
    """The type that holds a value of `a` combined with a value of `b`."""
    return _TABLE[a, b]
