"""fma with one rounding, in all forms that devices get, on numbers where a second rounding shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from webgpu_hand import operation, run

from headwater.backends.contract import Options
from headwater.backends.reference.arithmetic import OPERATORS
from headwater.backends.webgpu.driver import WebGpuDriver
from headwater.types import FLOAT32, FLOAT64, ScalarType

Column: TypeAlias = npt.NDArray[Any]

_COUNT = 1 << 12


def any_numbers(random: np.random.Generator, kind: ScalarType) -> Column:
    """Any bits, and numbers around 1, some of few bits."""
    word, fraction, bias = (np.uint32, 23, 127) if kind is FLOAT32 else (np.uint64, 52, 1023)
    bits = random.integers(0, 1 << kind.bits, _COUNT, dtype=word)
    exponent = (bias + random.integers(-30, 30, _COUNT)).astype(word)
    kept = bits & word((1 << fraction) - 1 | 1 << (kind.bits - 1))
    near = kept | (exponent << word(fraction))
    few = near & ~word((1 << (fraction - 4)) - 1)
    third = random.integers(0, 3, _COUNT)
    return np.choose(third, [bits, near, few]).view(kind.numpy)


def hard_cases(kind: ScalarType) -> tuple[Column, Column, Column]:
    """Sums that cancel, that lie half way between two numbers or nearly so, and that are subnormal."""
    random = np.random.default_rng(1)
    a, b, c = (any_numbers(random, kind) for _ in range(3))
    scalar, digits = kind.numpy.type, np.finfo(kind.numpy).nmant + 1
    with np.errstate(all="ignore"):
        product, part = a * b, random.random(_COUNT)
        c = np.where(part < 0.3, -product, c)
        c = np.where(part < 0.1, -np.nextafter(product, scalar(0)), c)
        c = np.where(part > 0.8, -product * scalar(2.0 ** (digits + 1)), c)
        c = np.where(part > 0.9, product * scalar(2.0**-digits), c)
    few, size = _COUNT // 4, scalar(2.0 ** (-74 if kind is FLOAT32 else -537))
    a[:few] = random.uniform(1, 2, few).astype(kind.numpy) * size
    b[:few] = random.uniform(-2, 2, few).astype(kind.numpy) * size
    c[:few] = random.integers(-1000, 1000, few) * np.finfo(kind.numpy).smallest_subnormal
    return a, b, c


@pytest.mark.parametrize("contract", [True, False], ids=["contract", "exact"])
@pytest.mark.parametrize(
    ("kind", "wide"),
    [(FLOAT32, True), (FLOAT32, False), (FLOAT64, True)],
    ids=["float32 by float64", "float32 by integers", "float64 by integers"],
)
def test_one_rounding(
    driver: WebGpuDriver,
    monkeypatch: pytest.MonkeyPatch,
    kind: ScalarType,
    wide: bool,
    contract: bool,
) -> None:
    features = replace(driver.features, fused=False, fused64=False)
    monkeypatch.setattr(driver, "features", features if wide else replace(features, names=()))
    compare(driver, kind, Options(contract=contract))


def test_one_rounding_where_subnormals_are_flushed(emulating: WebGpuDriver) -> None:
    compare(emulating, FLOAT32, Options(contract=False))


def compare(driver: WebGpuDriver, kind: ScalarType, options: Options) -> None:
    columns = hard_cases(kind)
    hand, out = operation("fma", (kind,) * 3, kind), np.zeros(_COUNT, kind.numpy)
    got = run(driver, hand, out, *columns, options=options)[0]
    with np.errstate(all="ignore"):
        rows = zip(*columns, strict=True)
        expected = np.array([OPERATORS["fma"](kind, *row) for row in rows], kind.numpy)
    same = (got == expected) & (np.signbit(got) == np.signbit(expected))
    same |= np.isnan(got) & np.isnan(expected)
    # A gap that is declared.
    if kind is FLOAT32 and options.contract and not driver.features.subnormals:
        near = np.abs((expected, *columns)) < np.finfo(np.float32).tiny
        same |= near.any(axis=0)
    wrong = np.flatnonzero(~same)[:5]
    assert not [(got[n], expected[n], *(column[n] for column in columns)) for n in wrong]
