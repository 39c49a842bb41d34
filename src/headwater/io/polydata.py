"""Particles as VTK XML PolyData (.vtp), which ParaView, VisIt and PyVista open.

The arrays stand behind the XML as raw bytes ("appended"), each after its length; see the VTK file formats
guide, "XML file formats". A collection (.pvd) names the files of a run with their times.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
import numpy.typing as npt

_TYPES = {
    "float32": "Float32",
    "float64": "Float64",
    "int32": "Int32",
    "int64": "Int64",
    "uint8": "UInt8",
}
_ORDER = "LittleEndian" if sys.byteorder == "little" else "BigEndian"
_HEAD = f'type="{{}}" version="1.0" byte_order="{_ORDER}" header_type="UInt64"'


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One file of a collection: its name beside the collection's own file, and its time in s."""

    file: str
    time: float


class _Appended:
    """Collects arrays and writes the elements that point at them."""

    def __init__(self) -> None:
        self.arrays: list[npt.NDArray[Any]] = []
        self.offset = 0

    def element(self, name: str, values: npt.NDArray[Any]) -> str:
        self.arrays.append(np.ascontiguousarray(values))
        components = values.shape[1] if values.ndim == 2 else 1
        text = (
            f'<DataArray type="{_TYPES[values.dtype.name]}" Name={quoteattr(name)} '
            f'NumberOfComponents="{components}" format="appended" offset="{self.offset}"/>'
        )
        self.offset += 8 + values.nbytes
        return text

    def chunks(self) -> Iterator[bytes]:
        for values in self.arrays:
            yield np.uint64(values.nbytes).tobytes()
            yield values.tobytes()


def polydata(
    positions: npt.NDArray[Any], fields: Mapping[str, npt.NDArray[Any]], time: float
) -> Iterator[bytes]:
    """The bytes of a .vtp file, in chunks.

    Args:
        positions: (n, 3), float32 or float64.
        fields: values of each point, (n,) or (n, 3); float32, float64, int32, int64 or uint8.
        time: in s; ParaView shows it.
    """
    count, data = len(positions), _Appended()
    points = data.element("Points", positions)
    values = [data.element(name, array) for name, array in fields.items()]
    # One vertex cell a particle: points without cells are not drawn, and thresholds work on cells.
    connectivity = data.element("connectivity", np.arange(count, dtype=np.int32))
    offsets = data.element("offsets", np.arange(1, count + 1, dtype=np.int32))
    lines = (
        '<?xml version="1.0"?>',
        f"<VTKFile {_HEAD.format('PolyData')}><PolyData>",
        '<FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">'
        f"{time!r}</DataArray></FieldData>",
        f'<Piece NumberOfPoints="{count}" NumberOfVerts="{count}" NumberOfLines="0" '
        'NumberOfStrips="0" NumberOfPolys="0">',
        "<PointData>",
        *values,
        "</PointData>",
        f"<Points>{points}</Points>",
        f"<Verts>{connectivity}{offsets}</Verts>",
        '</Piece></PolyData><AppendedData encoding="raw">_',
    )
    yield "\n".join(lines).encode()
    yield from data.chunks()
    yield b"</AppendedData></VTKFile>\n"


def collection(snapshots: Iterable[Snapshot]) -> Iterator[bytes]:
    """The bytes of a .pvd file, which opens a run's files as one animation."""
    yield f'<?xml version="1.0"?>\n<VTKFile {_HEAD.format("Collection")}><Collection>\n'.encode()
    for snapshot in snapshots:
        yield (
            f'<DataSet timestep="{snapshot.time!r}" part="0" file={quoteattr(snapshot.file)}/>\n'
        ).encode()
    yield b"</Collection></VTKFile>\n"
