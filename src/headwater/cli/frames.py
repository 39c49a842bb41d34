"""The frames of a run as files for ParaView."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headwater.io import Snapshot, collection, polydata, writable_folder, write_atomically
from headwater.sph import FLUID, ParticleState

WALLS = "walls.vtp"
FLUID_COLLECTION = "fluid.pvd"
_FLUID = re.compile(r"fluid_\d{4,}\.vtp")


def is_frame(name: str) -> bool:
    """Whether a FrameWriter gives a file this name."""
    return name in (WALLS, FLUID_COLLECTION) or _FLUID.fullmatch(name) is not None


class FrameWriter:
    """Writes `fluid_0000.vtp`, … and the collection `fluid.pvd`; the walls, which rest, once."""

    def __init__(self, folder: Path) -> None:
        self.folder = writable_folder(folder)
        self.snapshots: list[Snapshot] = []

    @property
    def collection_file(self) -> Path:
        """The file that opens all frames at once."""
        return self.folder / FLUID_COLLECTION

    def write(self, state: ParticleState, time: float) -> None:
        """Add a frame of the fluid at `time`, in s."""
        fluid = state.kinds == FLUID
        if not self.snapshots:
            self._write(WALLS, state, ~fluid, time)
        name = f"fluid_{len(self.snapshots):04}.vtp"
        self._write(name, state, fluid, time)
        known = [*self.snapshots, Snapshot(name, time)]
        write_atomically(self.collection_file, collection(known))
        self.snapshots = known

    def _write(
        self,
        name: str,
        state: ParticleState,
        chosen: npt.NDArray[np.bool_],
        time: float,
    ) -> None:
        fields = {
            "velocity": state.velocities[chosen],
            "density": state.densities[chosen],
            "pressure": state.pressures[chosen],
            "id": state.ids[chosen],
        }
        write_atomically(self.folder / name, polydata(state.positions[chosen], fields, time))
