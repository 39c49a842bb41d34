"""The examples check themselves; here they run on every device, at small sizes."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

import headwater as hw

FOLDER = Path(__file__).resolve().parent.parent / "examples"
SMALL: dict[str, dict[str, int]] = {
    "heat": {"nx": 15, "ny": 9, "steps": 3},
    "particles": {"n": 60, "steps": 3},
    "reduction": {"n": 5_000},
}


def load(name: str) -> Any:
    """The module of an example, as a program would import it."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_has_a_small_size() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == set(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_example(device: hw.Device, name: str) -> None:
    load(name).main(device, **SMALL[name])


@pytest.mark.parametrize("name", SMALL)
def test_example_is_short(name: str) -> None:
    assert len((FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines()) < 80
