"""What all tests share: one `device` fixture over every device there is, and a program cache of their own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import headwater as hw
from headwater.errors import CapabilityError, DeviceError

# The interpreter: the oracle, and too slow for heavy tests.
ORACLE = "reference"
# Devices that are worth testing in several forms, by name: the options of each form.
FORMS: dict[str, tuple[dict[str, int], ...]] = {"cpu": ({}, {"lanes": 1})}
# Set to 1, the suite also takes devices that are the same hardware through another interface.
EVERY_DEVICE = "HEADWATER_TEST_EVERY_DEVICE"
# Names of devices, with commas between, without which the suite fails; others that do not open are skipped.
REQUIRED = "HEADWATER_TEST_REQUIRE"

Form = tuple[str, dict[str, int]]


@cache
def forms() -> list[Form]:
    """Every device that can be opened here, in each of its forms; one device of each hardware."""
    every = os.environ.get(EVERY_DEVICE) == "1"
    there = [listing for listing in hw.devices() if not listing.missing]
    names = [listing.name for listing in there if every or not listing.same_as]
    names += [name for name in required() if name not in names]
    return [(name, options) for name in names for options in FORMS.get(name, ({},))]


def required() -> list[str]:
    """The devices that must be there."""
    return [name for name in os.environ.get(REQUIRED, "").split(",") if name]


def form_id(form: Form) -> str:
    name, options = form
    return "-".join([name, *(f"{option}{value}" for option, value in options.items())])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden texts anew")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "compiled: too heavy for the interpreter; runs on compiled devices"
    )
    if not hasattr(config, "workerinput"):
        config.stash[_FOLDER] = tempfile.mkdtemp(prefix="headwater-tests-")
        os.environ["HEADWATER_CACHE_DIR"] = config.stash[_FOLDER]


def pytest_unconfigure(config: pytest.Config) -> None:
    folder = config.stash.get(_FOLDER, None)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


_FOLDER = pytest.StashKey[str]()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "device" not in metafunc.fixturenames:
        return
    compiled = metafunc.definition.get_closest_marker("compiled") is not None
    wanted = [form for form in forms() if not (compiled and form[0] == ORACLE)]
    metafunc.parametrize("device", wanted, ids=map(form_id, wanted), indirect=True, scope="session")


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> hw.Device:
    """Each available device in turn. Mark a test `compiled` to leave the interpreter out."""
    name, options = request.param
    try:
        return hw.device(name, **options)
    except DeviceError as error:
        if name in required():
            raise
        pytest.skip(str(error))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """What a device declares not to have is an expected failure there."""
    chosen = getattr(item, "funcargs", {}).get("device")
    try:
        return (yield)
    except CapabilityError as error:
        if chosen is None or (chosen.capabilities.float64 and chosen.capabilities.int64):
            raise
        pytest.xfail(error.message)


@pytest.fixture(scope="session")
def oracle() -> hw.Device:
    """The interpreter, which defines what is right."""
    return hw.device(ORACLE)


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty program cache on disk for one test."""
    folder = tmp_path / "programs"
    monkeypatch.setenv("HEADWATER_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` compares with the file golden/NAME beside the test, or writes it anew."""
    folder = request.path.parent / "golden"

    def check(name: str, text: str) -> None:
        path = folder / name
        if request.config.getoption("--update-golden"):
            folder.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        expected: Any = path.read_text(encoding="utf-8") if path.exists() else None
        assert text == expected, f"'{path}' differs; `make golden` writes it anew"

    return check
