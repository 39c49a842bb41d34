"""The functions of float32 on a device as graphics cards are: emulated, as the one in CI keeps more of IEEE 754.

It takes subnormal numbers for 0, in operands and results, joins no product with a sum, and divides by way of 1 / b.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.conftest import required
from tests.math.test_accuracy import ROWS, check, parts
from validation.mathematics import measure
from validation.mathematics.functions import Function

import headwater as hw
from headwater.backends.webgpu import language
from headwater.backends.webgpu.features import Features
from headwater.emit import Helper, Row, Table
from headwater.errors import DeviceError

OPERANDS = {"add": 2, "sub": 2, "mul": 2, "div": 2, "sqrt": 1, "fma": 3}
FLUSHED = Helper(
    "fn hw_flushed(x: f32) -> f32 {\n"
    "    let bits = bitcast<u32>(x);\n"
    "    return select(x, bitcast<f32>(bits & 0x80000000u), (bits & 0x7f800000u) == 0u);\n}"
)


def flushing_table(features: Features) -> Table:
    """The table of a device, with rows of float32 as those of a card."""
    plain = TABLE(features)
    rows = {name: dict(by_type) for name, by_type in plain.rows.items()}
    for name, count in OPERANDS.items():
        row = plain.find(name, "float32", "float", "*")
        assert row is not None
        text = "{0} * hw_flushed(1.0f / {1})" if name == "div" else row.text
        for operand in range(count):
            text = text.replace(f"{{{operand}}}", f"hw_flushed({{{operand}}})")
        rows[name]["float32"] = Row(f"hw_flushed({text})", (*row.helpers, "flushed"))
    return Table(rows, {**plain.helpers, "flushed": FLUSHED})


TABLE = language.table


@pytest.fixture
def flushing(monkeypatch: pytest.MonkeyPatch) -> hw.Device:
    """A device that no other test uses: kernels keep their programs for it. And no kernel of `measure` of another."""
    try:
        device = hw.device("vulkan", checked=1)
    except DeviceError as error:
        if "vulkan" in required():
            raise
        pytest.skip(str(error))
    features = replace(device.driver.features, subnormals=False, rounded=False)
    monkeypatch.setattr(device.driver, "features", features)
    monkeypatch.setattr(language, "table", flushing_table)
    monkeypatch.setattr(measure, "_KERNELS", {})
    return device


def test_it_is_such_a_device(flushing: hw.Device) -> None:
    found = measure.arithmetic(flushing, contract=True)
    assert not found.subnormals
    assert not found.division


@pytest.mark.parametrize("function", ROWS)
def test_the_error_is_below_its_bound_there(flushing: hw.Device, function: Function) -> None:
    check(flushing, function, "float32", parts(function, "float32", 20_000), contract=True)
