"""How two scalar types join: one table, made of the rules below.

A weak value takes the other's type where the kinds allow it; an integer with a float is that float; of two floats
the wider. Two integers join as in NumPy: the narrowest type that holds the values of both. Where none does (uint64
with a signed type) it is uint64, as in C: the bits are kept (decision 0008). A bool counts as an integer.
"""

from __future__ import annotations

from headwater.types.scalars import (
    BOOL,
    INT8,
    INT16,
    INT32,
    INT64,
    SCALARS,
    UINT64,
    WEAK_FLOAT,
    WEAK_INT,
    ScalarType,
)

_SIGNED = (INT8, INT16, INT32, INT64)


def _integers(a: ScalarType, b: ScalarType) -> ScalarType:
    wider = a if a.bits >= b.bits else b
    if a.kind == b.kind:
        return wider
    unsigned = a if a.kind == "uint" else b
    needed = max(wider.bits, unsigned.bits * 2)
    return next((kind for kind in _SIGNED if kind.bits == needed), UINT64)


def _join(a: ScalarType, b: ScalarType) -> ScalarType:
    if a is b or b is BOOL:
        return a
    if a is BOOL:
        return b
    if a.is_float or b.is_float:
        # A weak float with an integer stays weak: where it is stored decides.
        floats = [kind for kind in (a, b) if kind.is_float]
        return max(floats, key=lambda kind: kind.bits)
    if WEAK_INT in (a, b):
        return b if a is WEAK_INT else a
    return _integers(a, b)


_ALL = (*SCALARS, WEAK_INT, WEAK_FLOAT)
_TABLE = {(a, b): _join(a, b) for a in _ALL for b in _ALL}


def join(a: ScalarType, b: ScalarType) -> ScalarType:
    """The type that holds a value of `a` combined with a value of `b`."""
    return _TABLE[a, b]
