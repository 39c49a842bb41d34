"""Every function of the mathematics in both types: NVRTC takes it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.backends.cuda.cuda_stub import Stub

import headwater as hw
from headwater.backends.cuda.driver import CudaDriver
from headwater.frontend.library import FUNCTIONS
from headwater.math import NAMES, device_function
from headwater.runtime.device import Device
from headwater.types import FLOAT32, FLOAT64


def kernel_of(name: str, kind: Any) -> hw.Kernel:
    function, signature = device_function(name, kind), FUNCTIONS[name]

    @hw.kernel
    def one(out, x):  # type: ignore[no-untyped-def]
        i = hw.grid(1)
        out[i] = function(x[i])

    @hw.kernel
    def two(out, x):  # type: ignore[no-untyped-def]
        i = hw.grid(1)
        out[i] = function(x[i], x[i])

    @hw.kernel
    def scaled(out, x):  # type: ignore[no-untyped-def]
        i = hw.grid(1)
        out[i] = function(x[i], i)

    @hw.kernel
    def pair(out, x):  # type: ignore[no-untyped-def]
        i = hw.grid(1)
        first, second = function(x[i])
        out[i] = first + second

    if len(signature.results) == 2:
        return pair
    if signature.parameters == ("float", "int"):
        return scaled
    return one if len(signature.parameters) == 1 else two


@pytest.mark.slow
@pytest.mark.parametrize("kind", [FLOAT32, FLOAT64], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_a_function_compiles(opened: tuple[CudaDriver, Stub], name: str, kind: Any) -> None:
    device = Device("stub", opened[0])
    out, x = device.zeros(8, kind), device.zeros(8, kind)
    kernel_of(name, kind).over(8)(out, x)
