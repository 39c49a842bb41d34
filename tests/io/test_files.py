"""Files: atomic writes, folders that can be written, and particles for ParaView."""

from __future__ import annotations

import os
import re
import stat
import struct
import threading
from pathlib import Path

import numpy as np
import pytest

from headwater.errors import DomainError
from headwater.io import (
    LOCK,
    Snapshot,
    collection,
    locked_folder,
    polydata,
    replaces,
    writable_file,
    writable_folder,
    write_atomically,
)


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


# --- what is there already --------------------------------------------------------------------------


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "deep" / "target"
    target.parent.mkdir()
    link.symlink_to(target)
    for text in (b"one", b"two"):  # a link to nothing, then to a file
        write_atomically(writable_file(link), [text])
        assert link.is_symlink()
        assert target.read_bytes() == text
    assert [entry.name for entry in target.parent.iterdir()] == ["target"]


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert not replaces(writable_file(pipe))
    write_atomically(pipe, [b"one", b"two"])
    reader.join(10.0)
    assert read == [b"onetwo"]
    assert pipe.is_fifo()


def test_a_device_stays(tmp_path: Path) -> None:
    null = tmp_path / "null"
    try:
        os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except OSError:
        pytest.skip("only the administrator makes devices")
    write_atomically(writable_file(null), [b"nothing"])
    assert null.is_char_device()
    assert list(tmp_path.iterdir()) == [null]


def test_standard_output_is_the_process_s_own(capfd: pytest.CaptureFixture[str]) -> None:
    write_atomically(writable_file(Path("/dev/stdout")), [b"said"])
    assert capfd.readouterr().out == "said"


def test_permissions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o640)
    write_atomically(path, [b"new"])
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o640)


def test_a_read_only_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(DomainError, match=r"'.*x' cannot be written: it is read-only"):
        writable_file(path)
    with pytest.raises(PermissionError, match="read-only"):
        write_atomically(path, [b"new"])
    assert path.read_text() == "old"


@pytest.mark.parametrize("name", [".", "loop", "taken/below", "n" * 300])
def test_places_where_no_file_can_be_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "taken").write_text("")
    with pytest.raises(DomainError, match=r"cannot be written|is a folder"):
        writable_file(tmp_path / name)


def test_an_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "x"
    with pytest.raises(FileNotFoundError) as error:
        write_atomically(path, [b""])
    assert error.value.filename == str(path)


# --- locks ------------------------------------------------------------------------------------------


def test_a_folder_is_locked_once(tmp_path: Path) -> None:
    with locked_folder(tmp_path):
        assert (tmp_path / LOCK).read_text() == f"{os.getpid()}\n"
        with (
            pytest.raises(DomainError, match=rf"another run \(process {os.getpid()}\)"),
            locked_folder(tmp_path),
        ):
            pass
        assert (tmp_path / LOCK).exists()
    assert not (tmp_path / LOCK).exists()
    with locked_folder(tmp_path):
        pass


def test_a_lock_that_a_dead_process_left_is_ignored(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text("1\n")
    with locked_folder(tmp_path):
        assert (tmp_path / LOCK).read_text() == f"{os.getpid()}\n"
