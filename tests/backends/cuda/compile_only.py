"""A plugin of pytest: a CUDA device on which the suite compiles its kernels, and that runs none of them.

What tests find wrong in results is no failure here; that NVRTC refuses a text is. Of a test with many cases a few are
taken:

    python -m pytest -p tests.backends.cuda.compile_only -k cuda tests/language
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from tests.backends.cuda.cuda_stub import open_stub

from headwater.backends import cuda
from headwater.backends.contract import DeviceInfo
from headwater.backends.cuda.driver import CudaDriver

_CASES = 2


class StubBackend:
    """One device."""

    name = "cuda"

    def devices(self) -> tuple[DeviceInfo, ...]:
        return (DeviceInfo("cuda", 0, "compiles, and runs nothing"),)

    def open(self, index: int, **options: int) -> CudaDriver:
        return open_stub()[0]


def pytest_configure() -> None:
    cuda.backend = StubBackend  # type: ignore[assignment]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    seen: Counter[str] = Counter()
    kept = []
    for item in items:
        name = item.nodeid.partition("[")[0]
        seen[name] += "[cuda" in item.nodeid
        if "[cuda" in item.nodeid and seen[name] <= _CASES:
            kept.append(item)
    items[:] = kept


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call() -> Iterator[None]:
    try:
        return (yield)
    except (AssertionError, pytest.fail.Exception):
        return None  # of results
