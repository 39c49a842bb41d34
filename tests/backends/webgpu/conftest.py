from __future__ import annotations

import pytest

from headwater.backends.contract import Absence, Driver
from headwater.backends.webgpu.backend import WebGpuBackend


@pytest.fixture(scope="session")
def driver() -> Driver:
    """The Vulkan device; the tests here are about the generated WGSL, and no other kind has float64."""
    backend = WebGpuBackend()
    found = backend.devices()
    if isinstance(found, Absence):
        pytest.skip(f"{found.reason}; {found.hint}")
    names = [info.name for info in found]
    if "vulkan" not in names:
        pytest.skip("no Vulkan device")
    return backend.open(names.index("vulkan"))
