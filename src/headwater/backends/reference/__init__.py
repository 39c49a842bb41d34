"""The interpreter: runs the IR thread by thread in plain Python. The oracle of every test."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.backends.contract import Backend, DeviceInfo, Driver
from headwater.errors import DeviceError

_INFO = DeviceInfo("reference", 0, "the interpreter, in plain Python: slow, exact, checked")


class ReferenceBackend:
    """There is always one device."""

    name = "reference"

    def devices(self) -> Sequence[DeviceInfo]:
        """The interpreter."""
        return (_INFO,)

    def open(self, index: int, **options: int) -> Driver:
        """The one option: `backwards=1` runs threads in the opposite order, which shows races."""
        unknown = sorted(set(options) - {"backwards"})
        if unknown:
            raise DeviceError(
                f"the device 'reference' has no option '{unknown[0]}'",
                hint="it has 'backwards' only: 0 or 1",
            )
        # The interpreter needs the whole IR, which other devices' warm starts do without.
        from headwater.backends.reference.driver import ReferenceDriver

        return ReferenceDriver(_INFO, backwards=options.get("backwards", 0) == 1)

    def sketch(self, name: str) -> None:
        """The device is always there."""


def backend() -> Backend:
    """The entry that the registry looks for."""
    return ReferenceBackend()
