"""The polynomials of `headwater.math`: what each is fitted to, and with which precision.

    python -m validation.mathematics.fits [NAME ...]

prints the coefficients, lowest power first, and the largest relative error of the function that they leave.
"""

from __future__ import annotations

import sys

import mpmath as mp
from validation.mathematics.remez import Fit, Function, fit, text

TINY = mp.mpf(10) ** -25
LN2, LN10, PI = mp.log(2), mp.log(10), mp.pi
# Half the width of a reduced argument, and a little for quotients that are rounded the other way.
HALF_LN2, HALF_LOG10_2, QUARTER_PI = 0.3467, 0.15054, 0.7904
MANTISSA = (-0.29290, 0.41422)


def _odd(function: Function, third: float) -> tuple[Function, Function]:
    """For an odd f with f'(0) = 1: P with f(x) = x + x**3 * P(x**2), and the weight of a relative error."""

    def rest(z: mp.mpf) -> mp.mpf:
        x = mp.sqrt(z)
        return (function(x) - x) / (x * z) if z > TINY else mp.mpf(third)

    def weight(z: mp.mpf) -> mp.mpf:
        x = mp.sqrt(z)
        return x * z / function(x) if z > 0 else mp.mpf(0)

    return rest, weight


def _exponential(base: mp.mpf) -> tuple[Function, Function]:
    """P with base**r = 1 + r * P(r)."""
    slope = mp.log(base)

    def rest(r: mp.mpf) -> mp.mpf:
        return mp.expm1(r * slope) / r if abs(r) > TINY else slope

    return rest, lambda r: r / mp.exp(r * slope)


def _exp_second(r: mp.mpf) -> mp.mpf:
    return (mp.expm1(r) - r) / r**2 if abs(r) > TINY else mp.mpf(0.5)


def _log_third(f: mp.mpf) -> mp.mpf:
    return (mp.log1p(f) - f + f * f / 2) / f**3 if abs(f) > TINY else mp.mpf(1) / 3


def _log_third_weight(f: mp.mpf) -> mp.mpf:
    return f**3 / mp.log1p(f) if abs(f) > TINY else mp.mpf(0)


def _atanh_series(z: mp.mpf) -> mp.mpf:
    """2 * atanh(s) / s = 2 + z * R(z), z = s * s."""
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) / s - 2) / z if z > TINY else mp.mpf(2) / 3


def _log2_series(z: mp.mpf) -> mp.mpf:
    """log2((1 + s) / (1 - s)) / s = 2 / ln 2 + z * R(z)."""
    return _atanh_series(z) / LN2


def _cos_fourth(z: mp.mpf) -> mp.mpf:
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2 if z > TINY else mp.mpf(1) / 24


def _sinpi() -> tuple[Function, Function]:
    """P with sin(pi x) = pi x + x**3 * P(x**2), and the weight of a relative error."""

    def rest(z: mp.mpf) -> mp.mpf:
        x = mp.sqrt(z)
        return (mp.sin(PI * x) - PI * x) / (x * z) if z > TINY else -(PI**3) / 6

    def weight(z: mp.mpf) -> mp.mpf:
        x = mp.sqrt(z)
        return x * z / mp.sin(PI * x) if z > 0 else mp.mpf(0)

    return rest, weight


def _cospi_second(z: mp.mpf) -> mp.mpf:
    return (mp.cos(PI * mp.sqrt(z)) - 1) / z if z > TINY else -(PI**2) / 2


def _erf_first(z: mp.mpf) -> mp.mpf:
    """erf(x) = x + x * P(x * x)."""
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1 if z > TINY else 2 / mp.sqrt(PI) - 1


def _erf_weight(z: mp.mpf) -> mp.mpf:
    x = mp.sqrt(z)
    return x / mp.erf(x) if z > TINY else mp.sqrt(PI) / 2


def _erfc(center: float, high: float, count: int, kind: str) -> Fit:
    """(x + K) * exp(x * x) * erfc(x), with u = (x - K) / (x + K)."""

    def scaled(u: mp.mpf) -> mp.mpf:
        x = center * (1 + u) / (1 - u)
        return (x + center) * mp.exp(x * x) * mp.erfc(x)

    low, high = ((x - center) / (x + center) for x in (0.63, high))
    return Fit(scaled, lambda u: 1 / scaled(u), low, high, tuple(range(count)), kind)


def _stirling(v: mp.mpf) -> mp.mpf:
    """Gives z * (lgamma(z) - ((z - 1/2) ln z - z + ln(2 pi) / 2)) / ln 2, where v = 1 / z**2."""
    if v < TINY:
        return 1 / (12 * LN2)
    z = 1 / mp.sqrt(v)
    main = (z - 0.5) * mp.log(z) - z + mp.log(2 * PI) / 2
    return z * (mp.loggamma(z) - main) / LN2


def _lgamma_near(zero: int) -> tuple[Function, Function]:
    """P with lgamma(zero + t) = t * P(t)."""

    def rest(t: mp.mpf) -> mp.mpf:
        return mp.loggamma(zero + t) / t if abs(t) > TINY else mp.digamma(zero)

    return rest, lambda t: 1 / rest(t)


def _one(x: mp.mpf) -> mp.mpf:
    return mp.mpf(1)


def _make(
    name: str,
    pair: tuple[Function, Function],
    interval: tuple[float, float],
    single: int,
    double: int,
) -> dict[str, Fit]:
    low, high = interval
    return {
        f"{name}_float32": Fit(*pair, low, high, tuple(range(single)), "float32"),
        f"{name}_float64": Fit(*pair, low, high, tuple(range(double)), "float64"),
    }


FITS: dict[str, Fit] = {
    **_make("exp", (_exp_second, lambda r: r**2 / mp.exp(r)), (-HALF_LN2, HALF_LN2), 5, 11),
    **_make("exp2", _exponential(mp.mpf(2)), (-0.5001, 0.5001), 6, 12),
    **_make("exp10", _exponential(mp.mpf(10)), (-HALF_LOG10_2, HALF_LOG10_2), 6, 12),
    "log_float32": Fit(_log_third, _log_third_weight, *MANTISSA, tuple(range(8))),
    "log_ratio_float64": Fit(
        _atanh_series, lambda z: z / 2, 0.0, 0.02945, tuple(range(7)), "float64"
    ),
    **_make("log2_ratio", (_log2_series, lambda z: z / 2 * LN2), (0.0, 0.02945), 5, 9),
    **_make("sin", _odd(mp.sin, -1 / 6), (0.0, QUARTER_PI**2), 3, 6),
    **_make("cos", (_cos_fourth, lambda z: z**2), (0.0, QUARTER_PI**2), 3, 6),
    **_make("tan", _odd(mp.tan, 1 / 3), (0.0, QUARTER_PI**2), 7, 15),
    **_make("sinpi", _sinpi(), (0.0, 0.0625), 3, 6),
    **_make(
        "sinpi_by_pi", _odd(lambda x: mp.sin(PI * x) / PI, float(-(PI**2) / 6)), (0.0, 0.0625), 3, 6
    ),
    **_make("cospi", (_cospi_second, lambda z: z), (0.0, 0.0625), 4, 7),
    **_make("asin", _odd(mp.asin, 1 / 6), (0.0, 0.25), 5, 13),
    **_make("atan", _odd(mp.atan, -1 / 3), (0.0, 1.0), 9, 20),
    **_make("sinh", _odd(mp.sinh, 1 / 6), (0.0, 1.0), 4, 7),
    **_make("tanh", _odd(mp.tanh, -1 / 3), (0.0, 0.32), 5, 11),
    **_make("atanh", _odd(mp.atanh, 1 / 3), (0.0, 0.25), 6, 14),
    **_make("erf", (_erf_first, _erf_weight), (0.0, 1.0), 7, 13),
    "erfc_float32": _erfc(2.3125, 10.1, 10, "float32"),
    "erfc_float64": _erfc(3.078125, 27.3, 23, "float64"),
    **_make("stirling", (_stirling, _one), (0.0, 1 / 64), 3, 8),
    **_make("lgamma_near_1", _lgamma_near(1), (-0.0626, 0.0626), 6, 11),
    **_make("lgamma_near_2", _lgamma_near(2), (-0.0626, 0.0626), 5, 10),
}


def main(names: list[str]) -> None:
    """Fit and print."""
    for name in names or FITS:
        task = FITS[name]
        coefficients, error = fit(task)
        print(f"{name}: error 2**{float(mp.log(error, 2)):.2f}")
        for value in coefficients:
            print(f"    {text(value, task.kind)}")


if __name__ == "__main__":
    main(sys.argv[1:])
