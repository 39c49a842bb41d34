"""Refuses software drivers that give wrong results.

Mesa's llvmpipe of version 22 ends every thread silently after 65,535 loop iterations in total. The test is the fault
itself, not a version, because distributions carry fixes back.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from headwater import ir
from headwater.backends.contract import ArrayArgument, Options
from headwater.errors import DeviceError
from headwater.types import INT32, ArrayType

if TYPE_CHECKING:
    from headwater.backends.webgpu.driver import WebGpuDriver

_TRIPS = 70_000


def check_software(driver: WebGpuDriver) -> None:
    """DeviceError where a loop of 70,000 trips does not run to its end."""
    executable = driver.load(driver.compile(_counting(), Options()))
    memory = driver.allocate(4)
    argument = ArrayArgument(memory, 0, (1,), (1,))
    executable.launch((1, 1, 1), (argument, _TRIPS))
    out = bytearray(4)
    driver.read(memory, 0, memoryview(out))
    driver.free(memory)
    counted = struct.unpack("<i", out)[0]
    if counted != _TRIPS:
        raise DeviceError(
            f"the device '{driver.features.device}' ({driver.info.description}) ended a loop of "
            f"{_TRIPS:,} trips after {counted:,}, so its results cannot be trusted",
            hint="install Mesa 25 or newer (Debian 12: mesa-vulkan-drivers of bookworm-backports)",
        )


def _counting() -> ir.Kernel:
    """Counts the trips of a loop one by one."""
    out = ir.ArrayParameter("out", ArrayType(INT32, 1), ("out",), written=True)
    trips = ir.ScalarParameter(INT32, "trips", ("trips",))
    counted = ir.Variable("counted", INT32)
    kernel = ir.Kernel("count_trips", [out, trips], (1, 1, 1), variables=[counted])
    build = ir.Builder(kernel.body)
    zero, one = build.constant(0, INT32), build.constant(1, INT32)
    build.assign(counted, zero)
    with build.loop(zero, trips, one):
        build.assign(counted, build.compute("add", build.read(counted), one))
    build.store(out, (zero,), build.read(counted))
    return kernel
