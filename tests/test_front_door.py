"""What a user meets first: `import headwater`, `help(hw)`, the meanings of names, `python -m headwater`."""

import pydoc
import subprocess
import sys

import pytest

import headwater as hw
from headwater.frontend.language import Marker, Namespace

MARKERS = {name: value for name, value in vars(hw).items() if isinstance(value, Marker | Namespace)}
# Left out of `from headwater import *`, because they would replace builtins.
BUILTINS = {"abs", "max", "min", "pow"}


def text_of(thing: object) -> str:
    return pydoc.render_doc(thing, renderer=pydoc.plaintext)


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout


def test_import_is_light() -> None:
    """Neither what stands above the runtime nor a compiler is loaded."""
    code = "import sys, headwater; print('\\n'.join(sys.modules))"
    loaded = set(run("-c", code).split())
    heavy = {"llvmlite", "wgpu", "cuda", "matplotlib", "rich", "click"}
    heavy |= {f"headwater.{name}" for name in ("particles", "primitives", "sph", "cli", "ir")}
    assert not loaded & heavy


def test_packages_are_imported_when_they_are_asked_for() -> None:
    code = "import headwater as hw; print(hw.particles.ParticleSet, hw.primitives.sort)"
    assert "ParticleSet" in run("-c", code)
    assert {"particles", "primitives"} <= set(dir(hw))
    with pytest.raises(AttributeError, match="no attribute 'particle'"):
        hw.particle  # type: ignore[attr-defined]


def test_all_holds_what_is_public() -> None:
    public = {name for name in vars(hw) if not name.startswith("_")}
    packages = {name for name in public if name not in hw.__all__} - BUILTINS - {"TYPE_CHECKING"}
    assert all(f"headwater.{name}" in sys.modules for name in packages), packages


def test_help_lists_functions_classes_and_the_language() -> None:
    text = text_of(hw)
    for heading in ("CLASSES", "FUNCTIONS", "DATA"):
        assert f"\n{heading}\n" in text
    for line in ("class Array(", "class Device(", "device(name:", "kernel(", "function("):
        assert f"\n    {line}" in text
    for name in MARKERS.keys() - BUILTINS:
        assert f"\n    {name} = hw.{name}" in text


@pytest.mark.parametrize("name", MARKERS)
def test_a_name_of_the_language_explains_itself(name: str) -> None:
    marker = MARKERS[name]
    parts = marker.members.values() if isinstance(marker, Namespace) else (marker,)
    text = text_of(marker)
    for part in parts:
        assert part.signature
        assert f"hw.{part.name}{part.signature}" in text
        assert part.meaning.splitlines()[0] in text


def test_the_package_runs_as_the_command() -> None:
    assert run("-m", "headwater", "--version") == f"headwater, version {hw.__version__}\n"
    assert "reference" in run("-m", "headwater", "devices")
