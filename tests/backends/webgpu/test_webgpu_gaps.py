"""The gaps of the table, as strict expected failures on the driver where they were seen."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from webgpu_hand import Hand, run

from headwater.backends.contract import Options
from headwater.backends.webgpu.driver import WebGpuDriver
from headwater.backends.webgpu.gaps import GAPS, Gap
from headwater.types import FLOAT32


def computed(driver: WebGpuDriver, x: float, contract: bool, *steps: str) -> np.float32:
    """A chain of operations on x: 'zero' multiplies by 0.0, 'self' subtracts x, 'ten' adds 10."""
    hand = Hand(1)
    out, source = hand.array("out", FLOAT32, written=True), hand.array("x", FLOAT32)
    build, first = hand.build, hand.const(0)
    start = value = build.load(source, (first,))
    for step in steps:
        if step == "zero":
            value = build.compute("mul", value, hand.const(0.0, FLOAT32))
        elif step == "ten":
            value = build.compute("add", value, hand.const(10.0, FLOAT32))
        else:
            value = build.compute("sub", value, start)
    build.store(out, (first,), value)
    options = Options(contract=contract)
    return run(driver, hand, np.zeros(1, np.float32), np.float32([x]), options=options)[0][0]


def nan_arithmetic(driver: WebGpuDriver, contract: bool) -> bool:
    return all(
        math.isnan(computed(driver, x, contract, step))
        for x in (math.nan, math.inf)
        for step in ("self", "zero")
    )


def order_of_sums(driver: WebGpuDriver, contract: bool) -> bool:
    return computed(driver, 1e9, contract, "ten", "self") == np.float32(1e9 + 10) - np.float32(1e9)


def sign_of_zero(driver: WebGpuDriver, contract: bool) -> bool:
    return bool(np.signbit(computed(driver, -3.0, contract, "zero")))


SHOWN: dict[str, Callable[[WebGpuDriver, bool], bool]] = {
    "arithmetic with NaN and infinity": nan_arithmetic,
    "sums in the order in which they are written": order_of_sums,
    "the sign of zero": sign_of_zero,
}


def test_every_gap_is_shown() -> None:
    assert {gap.feature for gap in GAPS} == SHOWN.keys()


@pytest.mark.parametrize("gap", GAPS, ids=lambda gap: gap.feature)
def test_gap(driver: WebGpuDriver, gap: Gap, request: pytest.FixtureRequest) -> None:
    if not driver.adapter.is_software:
        pytest.skip("seen on Mesa's software driver")
    request.applymarker(pytest.mark.xfail(strict=True, reason=gap.reason))
    assert SHOWN[gap.feature](driver, True)


@pytest.mark.parametrize("gap", GAPS, ids=lambda gap: gap.feature)
def test_remedy(driver: WebGpuDriver, gap: Gap) -> None:
    assert SHOWN[gap.feature](driver, False)
