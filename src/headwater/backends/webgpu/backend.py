"""Finds and opens devices. Cheap until a device is asked for: the library is imported then."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.backends.contract import Absence, DeviceInfo, Driver, Writer
from headwater.backends.webgpu import native
from headwater.errors import DeviceError


class WebGpuBackend:
    """Devices 'vulkan', 'metal', 'dx12' and 'opengl', as the library finds them."""

    name = "webgpu"

    def devices(self) -> Sequence[DeviceInfo] | Absence:
        version = native.installed_version()
        if version is None:
            return Absence("the package 'wgpu' is not installed", native.INSTALL)
        if not version.startswith(f"{native.VERSION}."):
            return Absence(f"the package 'wgpu' is of version {version}", native.INSTALL)
        return _found()

    def open(self, index: int, **options: int) -> Driver:
        """The one option: `checked=1` keeps bounds checks in the kernels."""
        unknown = sorted(options.keys() - {"checked"})
        if unknown:
            raise DeviceError(
                f"the devices of WebGPU have no option '{unknown[0]}'",
                hint="they have 'checked' only: 0 or 1",
            )
        from headwater.backends.webgpu.adapters import adapters
        from headwater.backends.webgpu.driver import WebGpuDriver
        from headwater.backends.webgpu.probe import measured
        from headwater.backends.webgpu.software import check_software

        adapter = adapters()[index]
        driver = WebGpuDriver(adapter, checked=options.get("checked", 0) == 1)
        if adapter.is_software:
            check_software(driver)
        driver.features = measured(driver)
        return driver

    def sketch(self, name: str) -> Writer | None:
        """The text is written without a device, and without the library."""
        from headwater.backends.webgpu.sketch import WebGpuSketch, typical

        features = typical(name)
        return None if features is None else WebGpuSketch(features)


def _found() -> Sequence[DeviceInfo] | Absence:
    # Imports the library: 50 ms.
    from headwater.backends.webgpu.adapters import adapters

    try:
        found = [adapter.info for adapter in adapters()]
    except (OSError, RuntimeError) as error:
        return Absence(f"the library of 'wgpu' does not load: {error}", native.INSTALL)
    if not found:
        return Absence(
            "no graphics driver was found",
            "install the graphics card's driver; without a card, Mesa's software driver "
            "(Debian, Ubuntu: mesa-vulkan-drivers)",
        )
    return found
