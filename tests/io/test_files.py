"""Files: atomic writes, folders that can be written, and particles for ParaView."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np
import pytest

from headwater.errors import DomainError
from headwater.io import Snapshot, collection, polydata, writable_folder, write_atomically


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    write_atomically(path, [b"one", b"two"])
    write_atomically(path, [b"three"])
    assert path.read_bytes() == b"three"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.bin"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    write_atomically(path, [b"old"])

    def chunks():
        yield b"new"
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError):
        write_atomically(path, chunks())
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.bin"]


def test_folders_are_made_or_refused(tmp_path: Path) -> None:
    assert writable_folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(
        DomainError, match=r"the folder '.*file/below' cannot be written: Not a dir"
    ):
        writable_folder(tmp_path / "file" / "below")


def read(content: bytes) -> dict[str, tuple[int, np.ndarray]]:
    """The appended arrays of a .vtp file by name, with their numbers of components."""
    head, data = content.split(b'<AppendedData encoding="raw">_', 1)
    kinds = {"Float32": "f4", "Float64": "f8", "Int32": "i4", "Int64": "i8", "UInt8": "u1"}
    pattern = (
        rb'<DataArray type="(\w+)" Name="(\w+)" NumberOfComponents="(\d)" '
        rb'format="appended" offset="(\d+)"/>'
    )
    arrays = {}
    for kind, name, components, offset in re.findall(pattern, head):
        start = int(offset)
        (size,) = struct.unpack("=Q", data[start : start + 8])
        values = np.frombuffer(data[start + 8 : start + 8 + size], kinds[kind.decode()])
        arrays[name.decode()] = (int(components), values)
    return arrays


@pytest.mark.parametrize("count", [0, 1, 5])
def test_polydata_holds_the_arrays(count: int) -> None:
    random = np.random.default_rng(1)
    positions = random.random((count, 3), dtype=np.float32)
    fields = {
        "velocity": random.random((count, 3)),
        "density": random.random(count, dtype=np.float32)[::1],
        "id": np.arange(count, dtype=np.int32),
    }
    content = b"".join(polydata(positions, fields, 0.25))
    arrays = read(content)
    assert f'NumberOfPoints="{count}" NumberOfVerts="{count}"'.encode() in content
    assert b">0.25</DataArray>" in content
    np.testing.assert_array_equal(arrays["Points"][1], positions.ravel())
    for name, values in fields.items():
        components, found = arrays[name]
        assert components == (3 if values.ndim == 2 else 1)
        np.testing.assert_array_equal(found, values.ravel())
    assert arrays["connectivity"][1].tolist() == list(range(count))
    assert arrays["offsets"][1].tolist() == list(range(1, count + 1))


def test_a_collection_names_files_and_times() -> None:
    text = b"".join(collection([Snapshot("a.vtp", 0.0), Snapshot('b"&.vtp', 0.5)])).decode()
    assert 'timestep="0.0" part="0" file="a.vtp"' in text
    assert """timestep="0.5" part="0" file='b"&amp;.vtp'""" in text
