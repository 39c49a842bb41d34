"""The gaps of the table, as strict expected failures on the devices that have them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from webgpu_hand import Hand, operation, run

from headwater import ir
from headwater.backends.contract import Gap, Options
from headwater.backends.webgpu.driver import WebGpuDriver
from headwater.backends.webgpu.gaps import GAPS
from headwater.errors import CapabilityError
from headwater.types import FLOAT32, INT64

NVIDIA = 0x10DE
Numbers: TypeAlias = npt.NDArray[np.float32]


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


def subnormal_numbers(driver: WebGpuDriver, contract: bool) -> bool:
    tiny = np.float32([2**-149, 1e-40, 3e-39, 2**-126])
    product, total = (
        arithmetic(driver, name, contract, tiny, tiny[::-1]) for name in ("mul", "add")
    )
    half = arithmetic(driver, "mul", contract, tiny, np.full(4, 0.5, np.float32))
    return bool(
        np.array_equal(half, tiny * np.float32(0.5))
        and np.array_equal(total, tiny + tiny[::-1])
        and not product.any()
    )


def rounded_divisions(driver: WebGpuDriver, contract: bool) -> bool:
    a, b = np.random.default_rng(2).uniform(1, 2, (2, 256)).astype(np.float32)
    quotient = arithmetic(driver, "div", contract, a, b)
    root = arithmetic(driver, "sqrt", contract, a)
    return bool(np.array_equal(quotient, a / b) and np.array_equal(root, np.sqrt(a)))


def arithmetic(driver: WebGpuDriver, name: str, contract: bool, *columns: Numbers) -> Numbers:
    hand = operation(name, (FLOAT32,) * len(columns), FLOAT32)
    out = np.zeros(len(columns[0]), np.float32)
    return run(driver, hand, out, *columns, options=Options(contract=contract))[0]


def wide_atomics_in_mixed_memory(driver: WebGpuDriver, contract: bool) -> bool:
    hand = Hand()
    hand.kernel.dynamic_shared = 64
    for kind in (INT64, FLOAT32):
        hand.kernel.shared.append(ir.SharedArray(str(kind), kind, (64 // kind.size,), dynamic=True))
    wide = hand.kernel.shared[0]
    hand.build.atomic("add", wide, (hand.const(0),), hand.const(1, INT64))
    return compiles(driver, hand)


def compiles(driver: WebGpuDriver, hand: Hand) -> bool:
    try:
        driver.compile(hand.kernel, Options())
    except CapabilityError:
        return False
    return True


SHOWN: dict[str, Callable[[WebGpuDriver, bool], bool]] = {
    "arithmetic with NaN and infinity": nan_arithmetic,
    "sums in the order in which they are written": order_of_sums,
    "the sign of zero": sign_of_zero,
    "subnormal float32 numbers": subnormal_numbers,
    "float32 division and square root rounded to the nearest": rounded_divisions,
    "64-bit atomics in dynamic shared memory that arrays of other types share": wide_atomics_in_mixed_memory,
}


def test_every_gap_is_shown() -> None:
    assert {gap.feature for gap in GAPS} == SHOWN.keys()


def has_gap(driver: WebGpuDriver, gap: Gap) -> bool:
    """Whether a device is known to have a gap; skips the test where nobody has looked."""
    if gap.measured:
        kept = {
            "subnormal float32 numbers": driver.features.subnormals,
            "float32 division and square root rounded to the nearest": driver.features.rounded,
        }
        return not kept[gap.feature]
    if not driver.adapter.is_software and driver.adapter.native.info["vendor_id"] != NVIDIA:
        pytest.skip("seen on Mesa's software driver and on NVIDIA's")
    return True


@pytest.mark.parametrize("gap", GAPS, ids=lambda gap: gap.feature)
def test_gap(driver: WebGpuDriver, gap: Gap, request: pytest.FixtureRequest) -> None:
    if has_gap(driver, gap):
        request.applymarker(pytest.mark.xfail(strict=True, reason=gap.reason))
    assert SHOWN[gap.feature](driver, True)


@pytest.mark.parametrize(
    "gap", [gap for gap in GAPS if "contract=False" in gap.remedy], ids=lambda gap: gap.feature
)
def test_remedy(driver: WebGpuDriver, gap: Gap) -> None:
    assert SHOWN[gap.feature](driver, False)
