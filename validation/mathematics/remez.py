"""Minimax polynomials by Remez's exchange algorithm, with coefficients that fit float32 or float64.

E. Y. Remez, "Sur la détermination des polynômes d'approximation de degré donnée", Comm. Soc. Math. Kharkov 10 (1934).
All arithmetic is mpmath's with 60 digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import numpy as np

mp.mp.dps = 60
# Points at which the error is looked at, for each coefficient.
DENSITY = 40
# Points whose weight is this small beside the largest say nothing.
NEGLIGIBLE = mp.mpf(10) ** -6
Function = Callable[[mp.mpf], mp.mpf]


@dataclass(frozen=True)
class Fit:
    """The sum of c_k * x**powers[k] nearest to `function` on [low, high].

    The largest |weight * (function - sum)| is made smallest. Each c_k has the precision of `kind`, or that of
    `bits` where this gives one; coefficients of lower powers are rounded first, and the others take up the difference.
    """

    function: Function
    weight: Function
    low: float
    high: float
    powers: tuple[int, ...]
    kind: str = "float32"
    bits: tuple[int, ...] = ()


def rounded(value: mp.mpf, bits: int) -> mp.mpf:
    """The value with `bits` significant bits."""
    if value == 0:
        return value
    _, exponent = mp.frexp(value)
    return mp.ldexp(mp.nint(mp.ldexp(value, bits - exponent)), exponent - bits)


def _grid(fit: Fit) -> list[mp.mpf]:
    count = DENSITY * (len(fit.powers) + 1)
    middle, half = (mp.mpf(fit.high) + fit.low) / 2, (mp.mpf(fit.high) - fit.low) / 2
    return [middle - half * mp.cos(mp.pi * k / count) for k in range(count + 1)]


def _value(powers: tuple[int, ...], coefficients: list[mp.mpf], x: mp.mpf) -> mp.mpf:
    return mp.fsum(c * x**p for c, p in zip(coefficients, powers, strict=True))


def _solve(
    points: list[int], basis: list[list[mp.mpf]], target: list[mp.mpf]
) -> tuple[list[mp.mpf], mp.mpf]:
    """Coefficients whose weighted error has one size and alternating signs at the points, and this size."""
    size = len(points)
    matrix, right = mp.matrix(size, size), mp.matrix(size, 1)
    for row, point in enumerate(points):
        for column, values in enumerate(basis):
            matrix[row, column] = values[point]
        matrix[row, size - 1] = (-1) ** row
        right[row] = target[point]
    solution = mp.lu_solve(matrix, right)
    return [solution[k] for k in range(size - 1)], abs(solution[size - 1])


def _extrema(error: list[mp.mpf], wanted: int) -> list[int]:
    """Where the error is largest between its changes of sign; where there are too many, the small ones give way."""
    best: list[int] = []
    for k, value in enumerate(error):
        if best and (error[best[-1]] > 0) == (value > 0):
            if abs(value) > abs(error[best[-1]]):
                best[-1] = k
        else:
            best.append(k)
    while len(best) > wanted:
        size = [abs(error[k]) for k in best]
        small = size.index(min(size))
        if len(best) == wanted + 1:
            best.pop(0 if size[0] < size[-1] else -1)
        elif small in (0, len(best) - 1):
            best.pop(small)
        else:  # with a neighbour, so that signs go on alternating
            first = small - 1 if size[small - 1] < size[small + 1] else small
            del best[first : first + 2]
    if len(best) < wanted:
        raise ValueError(f"the error has {len(best)} extrema, not {wanted}: change the fit")
    return best


def _remez(basis: list[list[mp.mpf]], target: list[mp.mpf]) -> tuple[list[mp.mpf], mp.mpf]:
    """The best coefficients on the grid, and their largest error. `basis` and `target` are weighted.

    The error alternates where all functions of the basis have one sign, so that of the first is divided out.
    """
    signs = [-1 if value < 0 else 1 for value in basis[0]]
    target = [sign * t for sign, t in zip(signs, target, strict=True)]
    basis = [[sign * b for sign, b in zip(signs, values, strict=True)] for values in basis]
    size, last = len(basis) + 1, len(target) - 1
    points = sorted({round(last * k / (size - 1)) for k in range(size)})
    for _ in range(60):
        coefficients, level = _solve(points, basis, target)
        error = [
            target[k]
            - mp.fsum(c * values[k] for c, values in zip(coefficients, basis, strict=True))
            for k in range(last + 1)
        ]
        largest = max(map(abs, error))
        if largest <= level * (1 + mp.mpf(10) ** -6) or largest < mp.mpf(10) ** -45:
            return coefficients, largest
        points = _extrema(error, size)
    return coefficients, largest


def fit(task: Fit) -> tuple[list[mp.mpf], mp.mpf]:
    """The rounded coefficients, and the largest weighted error that they leave."""
    bits = task.bits or ((24 if task.kind == "float32" else 53),) * len(task.powers)
    weighted = [(x, task.weight(x)) for x in _grid(task)]
    negligible = max(abs(w) for _, w in weighted) * NEGLIGIBLE
    grid, weights = zip(*((x, w) for x, w in weighted if abs(w) > negligible), strict=True)
    target = [w * task.function(x) for w, x in zip(weights, grid, strict=True)]
    basis = [[w * x**p for w, x in zip(weights, grid, strict=True)] for p in task.powers]
    found: list[mp.mpf] = []
    for position, count in enumerate(bits):
        coefficients, _ = _remez(basis[position:], target)
        found.append(rounded(coefficients[0], count))
        target = [t - found[-1] * b for t, b in zip(target, basis[position], strict=True)]
    return found, max(map(abs, target))


def text(value: mp.mpf, kind: str) -> str:
    """The shortest decimal that reads as this value."""
    return repr(float(value)) if kind == "float64" else str(np.float32(float(value)))
