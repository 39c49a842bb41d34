"""What is missing is said in words, and costs nothing to find out."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest
from tests.backends.cuda.cuda_stub import Stub

from headwater.backends.contract import Absence, DeviceInfo
from headwater.backends.cuda import CudaBackend, presence
from headwater.errors import DeviceError


def no_library(name: str) -> None:
    raise OSError(name)


def test_without_a_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", no_library)
    found = presence.find_devices.__wrapped__()
    assert isinstance(found, Absence)
    assert "no NVIDIA driver" in found.reason
    assert "install NVIDIA's display driver" in found.hint


def test_on_a_system_without_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    found = presence.find_devices.__wrapped__()
    assert found == Absence("there is no CUDA on 'darwin'", "use another device")


def test_without_the_bindings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: None)
    monkeypatch.setattr(presence, "find_spec", lambda name: None)
    found = presence.find_devices.__wrapped__()
    assert isinstance(found, Absence)
    assert found.hint == 'pip install "headwater[cuda]"'


def test_a_driver_older_than_the_compiler(nvrtc: None) -> None:
    stub = Stub()
    assert presence._missing_compiler(stub) is None
    stub._answer = lambda name, arguments: (12040,)  # type: ignore[method-assign]
    found = presence._missing_compiler(stub)
    assert found is not None
    assert "the NVIDIA driver is for CUDA 12.4, NVRTC for 13." in found.reason


@pytest.mark.parametrize("version", [(12, 9), (13, 0), (13, 3)])
def test_a_compiler_that_makes_wrong_code(
    monkeypatch: pytest.MonkeyPatch, nvrtc: None, version: tuple[int, int]
) -> None:
    from cuda.bindings import nvrtc as compiler

    monkeypatch.setattr(compiler, "nvrtcVersion", lambda: (0, *version))
    found = presence._missing_compiler(Stub())
    assert found is not None
    assert "compiles integer maxima wrong" in found.reason
    assert found.hint == 'pip install --upgrade "nvidia-cuda-nvrtc>=13.4,<14"'


def test_devices_are_listed() -> None:
    found = presence.list_devices(Stub(devices=2, memory=80 << 30))
    assert found == [DeviceInfo("cuda", n, "Stub, 80 GiB") for n in range(2)]


@pytest.mark.parametrize(
    ("failing", "status", "words"),
    [("cuInit", 100, "shows no GPU"), ("cuInit", 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH")],
)
def test_a_driver_without_a_gpu(failing: str, status: int, words: str) -> None:
    stub = Stub()
    stub.fails[failing] = status
    found = presence.list_devices(stub)
    assert isinstance(found, Absence)
    assert words in found.reason


def test_opening_says_why_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.backends.cuda.find_devices", lambda: Absence("broken", "mend"))
    with pytest.raises(DeviceError, match="no CUDA device: broken\n  hint: mend"):
        CudaBackend().open(0)
    with pytest.raises(DeviceError, match="has no option 'threads'"):
        CudaBackend().open(0, threads=2)


def test_looking_imports_nothing_heavy() -> None:
    text = (
        "import ctypes, sys\n"
        "def missing(name): raise OSError(name)\n"
        "ctypes.CDLL = missing\n"
        "from headwater.backends.cuda import backend\n"
        "backend().devices()\n"
        "heavy = [name for name in sys.modules if name.partition('.')[0] in ('cuda', 'numpy')]\n"
        "assert not [name for name in heavy if name.startswith('cuda')], heavy\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True, timeout=120)
