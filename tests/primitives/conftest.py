"""Both forms of each primitive on each device."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import headwater as hw


@pytest.fixture(params=[False, True], ids=["blocks", "runs"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Make every device say that one thread a run is best, or that it is not."""
    own: Any = hw.Device.capabilities

    def capabilities(device: hw.Device) -> object:
        return replace(own.fget(device), serial_threads=request.param)

    monkeypatch.setattr(hw.Device, "capabilities", property(capabilities))
    return bool(request.param)
