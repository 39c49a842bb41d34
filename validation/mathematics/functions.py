"""What each function of `headwater.math` is measured against, where, and which error it may have.

The oracles know nothing of our code: NumPy and SciPy in float64 for float32; for float64 the C library's `long double`,
which has 11 bits more on x86-64, through NumPy or as it is. mpmath checks both at the worst points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import mpmath as mp
import numpy as np
import scipy.special as special
from validation.mathematics.long_double import PI, from_c

Array = np.ndarray[Any, np.dtype[Any]]
Oracle = Callable[..., Array]
# (low, high) or (low, high, 'log'): the bits are evenly spread, with both signs where low < 0.
Interval = tuple[float, float] | tuple[float, float, str]

NORMAL32, NORMAL64 = 3.4e38, 1.79e308


@dataclass(frozen=True)
class Function:
    """One row of the table.

    `bound` is the largest error in ulp that we state for float32 and float64. Below the size `absolute_below` an
    error counts as one of a result of that size. `where` restricts the row to some arguments; `seconds` are the
    intervals of a second argument, where they differ from the first's; `hard` names more points.
    """

    name: str
    float32: Oracle
    float64: Oracle
    exact: Callable[..., Any]
    bound: float
    intervals32: tuple[Interval, ...]
    intervals64: tuple[Interval, ...]
    arguments: int = 1
    hard: str = ""
    absolute_below: float = 0.0
    where: Callable[[Array], Array] | None = None
    label: str = ""
    seconds: tuple[Interval, ...] = field(default=())


def _split_turns(x: Array) -> tuple[Array, Array]:
    """Gives n and t with x = n / 2 + t, abs(t) <= 1/4, exactly; n as 0 ... 3."""
    n = np.rint(2 * x)
    return np.mod(n, 4), x - n / 2


def sinpi(x: Array) -> Array:
    """sin(pi x); zeros take the sign of x."""
    n, t = _split_turns(x)
    pi = PI if x.dtype == np.longdouble else np.pi
    s, c = np.sin(pi * t), np.cos(pi * t)
    y = np.select([n == 0, n == 1, n == 2, n == 3], [s, c, -s, -c], np.nan)
    return np.where(y == 0, np.copysign(0.0, x), y)


def cospi(x: Array) -> Array:
    """cos(pi x); zeros are positive."""
    n, t = _split_turns(x)
    pi = PI if x.dtype == np.longdouble else np.pi
    s, c = np.sin(pi * t), np.cos(pi * t)
    y = np.select([n == 0, n == 1, n == 2, n == 3], [c, -s, -c, s], np.nan)
    return np.where(y == 0, 0.0, y)


def _gamma32(x: Array) -> Array:
    """As C: NaN at the negative integers, infinite at both zeros."""
    pole = (x < 0) & (np.trunc(x) == x)
    return np.where(pole, np.nan, np.where(x == 0, np.copysign(np.inf, x), special.gamma(x)))


def _lgamma32(x: Array) -> Array:
    """As C: infinite at the poles and at minus infinity."""
    pole = (x <= 0) & (np.trunc(x) == x)
    return np.where(pole, np.inf, special.gammaln(x))


def _exp10(x: Array) -> Array:
    return np.power(x.dtype.type(10), x)


def _row(
    name: str,
    oracle: Oracle | tuple[Oracle, Oracle],
    exact: Callable[..., Any],
    bound: float,
    *intervals: Interval | tuple[Interval, Interval],
    **more: Any,
) -> Function:
    """A row; an interval that differs between the types is a pair of intervals."""
    both = [i if isinstance(i[0], tuple) else (i, i) for i in intervals]
    oracles = oracle if isinstance(oracle, tuple) else (oracle, oracle)
    firsts, seconds = (tuple(pair[k] for pair in both) for k in (0, 1))
    return Function(name, *oracles, exact, bound, firsts, seconds, **more)  # type: ignore[arg-type]


_EVERY = ((-NORMAL32, NORMAL32, "log"), (-NORMAL64, NORMAL64, "log"))
_POSITIVE = ((1e-45, NORMAL32, "log"), (5e-324, NORMAL64, "log"))
_SMALL = (-1.0, 1.0, "log")

FUNCTIONS: tuple[Function, ...] = (
    _row("exp", np.exp, mp.exp, 1.25, ((-104, 89), (-746, 710)), _SMALL),
    _row(
        "exp2",
        np.exp2,
        lambda x: mp.mpf(2) ** x,
        1.25,
        ((-150, 128), (-1075, 1024)),
        _SMALL,
    ),
    _row(
        "exp10",
        (special.exp10, _exp10),
        lambda x: mp.mpf(10) ** x,
        1.25,
        ((-46, 39), (-324, 309)),
        _SMALL,
    ),
    _row("expm1", np.expm1, mp.expm1, 2, ((-18, 89), (-38, 710)), (-1, 1), _SMALL),
    _row("log", np.log, mp.log, 1.25, _POSITIVE, (0.5, 2)),
    _row("log2", np.log2, lambda x: mp.log(x, 2), 1.25, _POSITIVE, (0.5, 2)),
    _row("log10", np.log10, mp.log10, 1.25, _POSITIVE, (0.5, 2)),
    _row("log1p", np.log1p, mp.log1p, 1.6, _POSITIVE, (-1, 3), _SMALL),
    _row("sin", np.sin, mp.sin, 1.6, _EVERY, (-100, 100), hard="quarters"),
    _row("cos", np.cos, mp.cos, 1.6, _EVERY, (-100, 100), hard="quarters"),
    _row("tan", np.tan, mp.tan, 3.25, _EVERY, (-100, 100), hard="quarters"),
    _row("sinpi", sinpi, mp.sinpi, 1.25, _EVERY, (-3, 3), _SMALL),
    _row("cospi", cospi, mp.cospi, 1.25, _EVERY, (-3, 3), _SMALL),
    _row("asin", np.arcsin, mp.asin, 1.5, (-1, 1), _SMALL),
    _row("acos", np.arccos, mp.acos, 1.5, (-1, 1), _SMALL, (0.99, 1)),
    _row("atan", np.arctan, mp.atan, 1.75, _EVERY, (-3, 3)),
    _row("sinh", np.sinh, mp.sinh, 2, ((-90, 90), (-711, 711)), (-2, 2), _SMALL),
    _row("cosh", np.cosh, mp.cosh, 1.5, ((-90, 90), (-711, 711)), (-2, 2), _SMALL),
    _row("tanh", np.tanh, mp.tanh, 1.6, ((-10, 10), (-20, 20)), (-2, 2), _SMALL),
    _row("asinh", np.arcsinh, mp.asinh, 2, _EVERY, (-3, 3)),
    _row(
        "acosh",
        np.arccosh,
        mp.acosh,
        2,
        ((1, NORMAL32, "log"), (1, NORMAL64, "log")),
        (1, 3),
        (1, 1.01),
    ),
    _row("atanh", np.arctanh, mp.atanh, 2, (-1, 1), _SMALL, (0.99, 1)),
    _row("cbrt", np.cbrt, lambda x: mp.sign(x) * mp.cbrt(abs(x)), 1, _EVERY, (-3, 3)),
    _row("erf", (special.erf, from_c("erfl")), mp.erf, 1.5, ((-5, 5), (-7, 7)), _SMALL),
    _row(
        "erfc",
        (special.erfc, from_c("erfcl")),
        mp.erfc,
        4,
        ((-5, 10.5), (-7, 27.5)),
        (-2, 2),
        _SMALL,
    ),
    _row(
        "gamma",
        (_gamma32, from_c("tgammal")),
        mp.gamma,
        2.5,
        ((-44, 36), (-185, 172)),
        (-3, 9),
        _SMALL,
    ),
    _row(
        "lgamma",
        (_lgamma32, from_c("lgammal")),
        mp.loggamma,
        2.75,
        _POSITIVE,
        (0, 9),
        (0.8, 2.2),
        where=lambda x: ~(x < 0),
        label="lgamma, x > 0",
    ),
    _row(
        "lgamma",
        (_lgamma32, from_c("lgammal")),
        lambda x: mp.log(abs(mp.gamma(x))),
        1.5,
        (-60, 0),
        (-4, 0),
        where=lambda x: x < 0,
        label="lgamma, x < 0, as of results >= 1",
        absolute_below=1.0,
    ),
    _row(
        "pow",
        np.power,
        mp.power,
        1.25,
        ((1e-30, 1e30, "log"), (1e-30, 1e30, "log")),
        (0.5, 2),
        arguments=2,
        seconds=((-20, 20), (-150, 150)),
    ),
    _row("atan2", np.arctan2, mp.atan2, 2, _EVERY, (-1, 1), arguments=2),
    _row("hypot", np.hypot, mp.hypot, 1.25, _EVERY, (-1, 1), arguments=2),
    _row(
        "fmod",
        np.fmod,
        lambda x, y: mp.sign(x) * mp.fmod(abs(x), abs(y)),
        0,
        _EVERY,
        (-100, 100),
        arguments=2,
        seconds=(_EVERY[0], (-3, 3)),
    ),
)
