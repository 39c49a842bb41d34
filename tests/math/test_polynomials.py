"""The coefficients in the source are those that the fits give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from validation.mathematics.fits import FITS
from validation.mathematics.remez import fit, rounded, text

import headwater.math

SOURCES = Path(headwater.math.__file__).parent.glob("*.py")
NUMBERS = {
    float(number)
    for source in SOURCES
    for number in re.findall(r"\d+\.\d+(?:e[-+]?\d+)?", source.read_text(encoding="utf-8"))
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FITS if name.endswith("float32")])
def test_each_coefficient_stands_in_the_source(name: str) -> None:
    coefficients, error = fit(FITS[name])
    missing = [c for c in coefficients if abs(float(text(c, "float32"))) not in NUMBERS]
    assert not missing
    assert error < 2.0**-24


def test_rounding_to_some_bits() -> None:
    assert rounded(3.14159, 4) == 3.25
    assert rounded(0, 4) == 0
