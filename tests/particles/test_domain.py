"""Domains and their division into cells."""

from __future__ import annotations

import math

import numpy as np
import pytest

from headwater.errors import DomainError
from headwater.particles import Domain
from headwater.particles.domain import divide
from headwater.types import FLOAT32, FLOAT64


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        ((0, 0, 0), (1, 0, 1), "empty along y"),
        ((0, 0, 2), (1, 1, 1), "empty along z"),
        ((0, math.nan, 0), (1, 1, 1), "'low' of a domain must be finite"),
        ((0, 0, 0), (1, math.inf, 1), "'high' of a domain must be finite"),
        ((0, 0), (1, 1, 1), "three numbers"),
        ("abc", (1, 1, 1), "three numbers"),
    ],
)
def test_bad_domains(low: object, high: object, message: str) -> None:
    with pytest.raises(DomainError, match=message):
        Domain(low, high)  # type: ignore[arg-type]


def test_bad_periodic() -> None:
    for periodic in ((True, False), True, None):
        with pytest.raises(DomainError, match="three flags"):
            Domain((0, 0, 0), (1, 1, 1), periodic)  # type: ignore[arg-type]


@pytest.mark.parametrize("scalar", [FLOAT32, FLOAT64])
@pytest.mark.parametrize("reach", [1, 2])
def test_cells_are_wider_than_the_cutoff(scalar: object, reach: int) -> None:
    domain = Domain((-1, 0, 5), (9, 7.3, 9.5), (True, False, True))
    cells = divide(domain, 1.0, reach, scalar, 10**6)  # type: ignore[arg-type]
    width = 1.0 / np.array([cells.inverse.x, cells.inverse.y, cells.inverse.z], np.float64)
    assert (width * reach > 1.0 + 2.0**-13).all()
    assert (width * reach < 1.2).all()
    np.testing.assert_allclose(width[[0, 2]] * np.array(cells.size)[[0, 2]], [10, 4.5], rtol=1e-6)
    assert cells.size[1] == math.ceil(7.3 / (1.0 + 2.0**-12) * reach)


def test_one_cell_where_the_box_is_smaller_than_the_cutoff() -> None:
    cells = divide(Domain((0, 0, 0), (1, 1, 1), (True, False, True)), 3.0, 1, FLOAT32, 100)
    assert cells.size == (1, 1, 1)


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("cutoff", [1e-3, 1e-9, 1e-30])
def test_cells_grow_where_there_would_be_too_many(periodic: bool, cutoff: float) -> None:
    domain = Domain((0, 0, 0), (1, 2, 3), (periodic,) * 3)
    cells = divide(domain, cutoff, 1, FLOAT64, 1000)
    assert 500 < cells.count <= 1000


def test_domain_beyond_single_precision() -> None:
    domain = Domain((0, 0, 0), (1e300, 1, 1))
    with pytest.raises(DomainError, match="does not fit float32"):
        divide(domain, 0.1, 1, FLOAT32, 10**6)


def test_domain_that_vanishes_in_single_precision() -> None:
    domain = Domain((1e9, 0, 0), (1e9 + 1, 1, 1))
    divide(domain, 0.1, 1, FLOAT64, 10**6)
    with pytest.raises(DomainError, match="in float32 the domain"):
        divide(domain, 0.1, 1, FLOAT32, 10**6)
