"""The box that particles live in, and how it is divided into cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headwater.errors import DomainError
from headwater.types import ScalarType, Vec3, VectorType

Triple = tuple[float, float, float]
_MOST_CELLS = 2**31 - 2


@dataclass(frozen=True, slots=True, init=False)
class Domain:
    """A box `low` ... `high` in length units of the user's choice; `periodic` says which axes wrap.

    Particles may leave the box where it does not wrap: they count as in its border cells. DomainError where the
    box is empty or not finite.
    """

    low: Triple
    high: Triple
    periodic: tuple[bool, bool, bool]

    def __init__(
        self,
        low: Sequence[float],
        high: Sequence[float],
        periodic: Sequence[bool] = (False, False, False),
    ) -> None:
        object.__setattr__(self, "low", _triple("low", low))
        object.__setattr__(self, "high", _triple("high", high))
        object.__setattr__(self, "periodic", _flags(periodic))
        for axis, start, stop in zip("xyz", self.low, self.high, strict=True):
            if not start < stop:
                raise DomainError(
                    f"the domain is empty along {axis}: it goes from {start} to {stop}"
                )

    @property
    def lengths(self) -> Triple:
        """The box's edges."""
        x, y, z = (stop - start for start, stop in zip(self.low, self.high, strict=True))
        return x, y, z


def _flags(periodic: Sequence[bool]) -> tuple[bool, bool, bool]:
    try:
        x, y, z = map(bool, periodic)
    except (TypeError, ValueError):
        raise DomainError(
            f"'periodic' has three flags, one for each axis, not {periodic!r}"
        ) from None
    return x, y, z


def _triple(name: str, values: Sequence[float]) -> Triple:
    try:
        x, y, z = map(float, values)
    except (TypeError, ValueError):
        raise DomainError(f"'{name}' of a domain is three numbers, not {values!r}") from None
    if not all(map(math.isfinite, (x, y, z))):
        raise DomainError(f"'{name}' of a domain must be finite, not {(x, y, z)}")
    return x, y, z


@dataclass(frozen=True, slots=True)
class Cells:
    """A division into equal cells, in the scalar type of the positions; see `headwater.ir.GridRef`."""

    low: Vec3
    inverse: Vec3
    box: Vec3
    size: tuple[int, int, int]

    @property
    def count(self) -> int:
        """How many cells there are."""
        return math.prod(self.size)


def choose_reach(domain: Domain, cutoff: float, limit: int) -> int:
    """2, or 1 where so small cells would be more than `limit`.

    Cells of half the cutoff leave 125 / 216 of the candidates that cells of the whole cutoff do. In the dam break that
    made the force a quarter faster (`make bench`); thirds shorten the rows too much for vectors.
    """
    lengths = np.array(domain.high, np.float64) - domain.low
    return 2 if math.prod(_sizes(lengths, cutoff / 2, domain.periodic)) <= limit else 1


def divide(domain: Domain, cutoff: float, reach: int, scalar: ScalarType, limit: int) -> Cells:
    """Cells of at least cutoff / reach, at most `limit` of them: larger cells where there would be more.

    A cell is larger than cutoff / reach by a margin, so that rounding never hides a neighbour. With ε the spacing
    of floats at 1 and n cells along an axis, a computed cell coordinate is off by at most ε n, that of both
    particles by 2 ε n, the minimal image and the period by 4 ε n more, and the test r² < cutoff² lets pass what is
    farther by 4 ε. The margin of max(2⁻¹², 16 ε n) exceeds their sum. It leaves 2⁻¹² n cells of error for
    a free point that lies outside of a periodic box, enough for one about 2⁻¹² / ε cells away.
    """
    with np.errstate(over="ignore", under="ignore"):
        low = np.array(domain.low, scalar.numpy).astype(np.float64)
        high = np.array(domain.high, scalar.numpy).astype(np.float64)
    if not np.all(np.isfinite(high) & np.isfinite(low)):
        raise DomainError(f"the domain {domain.low} to {domain.high} does not fit {scalar}")
    lengths = high - low
    if not np.all(lengths > 0):
        raise DomainError(f"in {scalar} the domain {domain.low} to {domain.high} is empty")
    epsilon = float(np.finfo(scalar.numpy).eps)
    width = cutoff / reach
    width *= 1.0 + max(2.0**-12, 16.0 * epsilon * float(lengths.max()) / width)
    most = min(limit, _MOST_CELLS)
    while math.prod(size := _sizes(lengths, width, domain.periodic)) > most:
        excess = math.prod(size) / most
        width *= max(1.01, excess ** (1 / 3) if math.isfinite(excess) else 2.0)
    wide = [
        length / n if wraps else width
        for length, n, wraps in zip(lengths, size, domain.periodic, strict=True)
    ]
    vector = VectorType(scalar, 3)
    return Cells(vector(*low), vector(*(1.0 / np.array(wide))), vector(*lengths), size)


def _sizes(lengths: Any, width: float, periodic: Sequence[bool]) -> tuple[int, int, int]:
    """Cells along each axis. The last may stick out where the axis does not wrap."""
    with np.errstate(over="ignore"):
        ratios = np.minimum(lengths / width, 2.0**62)
    x, y, z = (
        max(1, math.floor(ratio) if wraps else math.ceil(ratio))
        for ratio, wraps in zip(ratios.tolist(), periodic, strict=True)
    )
    return x, y, z
