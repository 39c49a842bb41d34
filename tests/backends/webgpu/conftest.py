from __future__ import annotations

from dataclasses import replace

import pytest

from headwater.backends.contract import Absence, Driver
from headwater.backends.webgpu.backend import WebGpuBackend
from headwater.backends.webgpu.driver import WebGpuDriver


@pytest.fixture(scope="session")
def driver() -> Driver:
    """The Vulkan device; the tests here are about the generated WGSL, and no other kind has float64."""
    return opened()


@pytest.fixture(scope="session")
def emulating() -> WebGpuDriver:
    """The same, taken for a device whose float32 has to be emulated."""
    driver = opened()
    driver.features = replace(driver.features, subnormals=False, rounded=False)
    return driver


def opened() -> WebGpuDriver:
    backend = WebGpuBackend()
    found = backend.devices()
    if isinstance(found, Absence):
        pytest.skip(f"{found.reason}; {found.hint}")
    names = [info.name for info in found]
    if "vulkan" not in names:
        pytest.skip("no Vulkan device")
    driver = backend.open(names.index("vulkan"))
    assert isinstance(driver, WebGpuDriver)
    return driver
