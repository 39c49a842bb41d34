from __future__ import annotations

import pytest
from tests.backends.cuda.cuda_stub import Stub, open_stub

from headwater.backends.cuda import compiler
from headwater.backends.cuda.driver import CudaDriver
from headwater.errors import DeviceError


@pytest.fixture(scope="session")
def nvrtc() -> None:
    """Skips where CUDA's compiler is not installed."""
    pytest.importorskip("cuda.bindings", reason="the package 'cuda-bindings' is not installed")
    try:
        compiler.compiler_version()
    except DeviceError as error:
        pytest.skip(error.message)


@pytest.fixture
def opened(nvrtc: None) -> tuple[CudaDriver, Stub]:
    """A driver whose GPU is a stub."""
    return open_stub()
