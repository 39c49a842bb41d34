"""`headwater show`: what it prints, how arguments are written, and what it refuses."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from tests.cli import shown_kernels
from tests.cli.test_commands import call

import headwater as hw
from headwater.cli.kernel_arguments import parse
from headwater.errors import HeadwaterError
from headwater.runtime import Kernel
from headwater.runtime.paper import paper_device

FILE = str(Path(shown_kernels.__file__))


def show(capsys: pytest.CaptureFixture[str], what: str, name: str, *rest: str) -> str:
    assert call("show", what, f"{FILE}:{name}", *rest) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The message for bad input: it ends with exit code 2 and names no file of ours."""
    assert call("show", *arguments) == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said
    return said


# --- texts ----------------------------------------------------------------------------------------


def test_ir(capsys: pytest.CaptureFixture[str]) -> None:
    text = show(capsys, "ir", "saxpy", "--args", "2.0, f32[1024], f32[1024]")
    assert text.startswith("kernel saxpy block=(256, 1, 1) {\n  param a: float32\n")
    assert "store y" in text
    text = show(capsys, "ir", "plane", "--args", "f64[8,8]", "--block", "32x4")
    assert text.startswith("kernel plane block=(32, 4, 1)")
    text = show(capsys, "ir", "plane", "--args", "f64[8,8]", "--over", "8,8", "--block", "16,2")
    assert "extent_x" in text


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("cpu", "define void @kernel("),
        ("cuda", "__global__ void"),
        ("vulkan", "@compute @workgroup_size(64, 1, 1)"),
        ("metal", "@compute @workgroup_size(64, 1, 1)"),
        ("dx12", "var<storage, read_write>"),
        ("reference", "kernel saxpy block="),
    ],
)
def test_code_of_devices_here_or_not(
    capsys: pytest.CaptureFixture[str], name: str, part: str
) -> None:
    arguments = ("--args", "f32(2), vec3f[100], vec3f[100]", "--device", name, "--block", "64")
    assert part in show(capsys, "code", "saxpy", *arguments)


def test_plan(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--args", "f32[1024], f32[1], n=2", "--block", "64")
    text = show(capsys, "plan", "block_sum", *arguments, "--device", "cpu")
    for part in (
        "kernel            block_sum(x, out, n)",
        "block             64 threads (64, 1, 1)",
        "parameters        x: float32, 1D, contiguous, read only\n"
        "                  out: float32, 1D, contiguous, written, atomic\n",
        "shared memory     tile: float32 [64], 256 bytes",
        "threads together  1 barrier",
        "1 atomic add on float32 of 'out'",
        "lanes  ",
        "regions           2, cut by 1 barrier",
        "compile time  ",
        "bytes of code",
    ):
        assert part in text
    text = show(capsys, "plan", "plane", "--args", "f64[8,8]", "--device", "cuda")
    assert "needs             float64" in text or "needs         float64" in text


def test_plan_of_a_device_that_is_not_here(capsys: pytest.CaptureFixture[str]) -> None:
    there = {listing.name for listing in hw.devices() if not listing.missing}
    absent = [name for name in ("cuda", "metal", "dx12") if name not in there]
    for name in absent:
        text = show(capsys, "plan", "saxpy", "--args", "2.0,f32[8],f32[8]", "--device", name)
        assert "a typical" in text
        assert f"no device '{name}' is here to compile for" in text


def test_plan_of_a_neighbour_loop(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--args", "particles(1000, 'xy', density=f32), grid(0.1), 0.1", "--device", "cpu")
    text = show(capsys, "plan", "density", *arguments, "--over", "1000")
    assert re.search(r"neighbour loop +line \d+: add to total, 1 cell to a side\n", text)
    assert "grid.positions: vec3<float32>, 1D, contiguous, in planes, read only" in text
    assert "for (" in show(capsys, "code", "density", *arguments[:2], "--device", "vulkan")


def test_debug_and_shared_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--args", "2.0,f32[8],f32[8]", "--device", "cpu")
    assert "debug mode" in show(capsys, "plan", "saxpy", *arguments, "--debug")
    plain = show(capsys, "ir", "saxpy", *arguments, "--shared-bytes", "64")
    assert "dynamic shared memory: 64 bytes" in plain


def test_a_kernel_without_arrays_is_shown_for_the_device(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "define void" in show(capsys, "code", "silent", "--device", "cpu")
    assert "kernel silent" in show(capsys, "code", "silent", "--device", "reference")


def test_nothing_is_allocated(capsys: pytest.CaptureFixture[str]) -> None:
    before = hw.memory_report().of("cpu")
    show(capsys, "code", "saxpy", "--args", "1.0, f32[2000000000], f32[2000000000]")
    assert hw.memory_report().of("cpu") == before


def test_modules_are_found_by_name_and_by_path(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert call("show", "ir", "tests.cli.shown_kernels:silent") == 0
    (tmp_path / "pack_of_a_test").mkdir()
    text = "import headwater as hw\n\n\nclass Inside:\n    @hw.kernel\n    def run(x):\n        x[0] = 1\n"
    (tmp_path / "pack_of_a_test" / "__init__.py").write_text("")
    (tmp_path / "pack_of_a_test" / "work.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert call("show", "ir", "pack_of_a_test.work:Inside.run", "--args", "f32[1]") == 0
    assert call("show", "ir", "pack_of_a_test/work.py:Inside.run", "--args", "f32[1]") == 0
    assert capsys.readouterr().out.count("kernel run") == 2


# --- arguments ------------------------------------------------------------------------------------


def parsed(text: str) -> tuple[list[object], dict[str, object]]:
    return parse(text, paper_device("reference"), vars(shown_kernels))


def test_arguments_are_values() -> None:
    values, named = parsed(
        "1, -2.5, True, f32(3), u8(7), 'text', f32, twice, LIMIT, n=4, v=vec2i(1, 2)"
    )
    assert values[:3] == [1, -2.5, True]
    assert [type(value).__name__ for value in values[3:5]] == ["float32", "uint8"]
    assert values[5:] == ["text", hw.float32, shown_kernels.twice, 3]
    assert named == {"n": 4, "v": hw.vec2i(1, 2)}
    assert parsed("") == ([], {})


def test_arguments_are_arrays() -> None:
    values, _ = parsed("f32[4], int8[2, 3], vec3d[5], Particle[6], (f32[1], 2), bool[2,2,2,2]")
    line, plane, vectors, records, pair, cube = values
    assert isinstance(line, hw.Array)
    assert (line.shape, line.dtype) == ((4,), hw.float32)
    assert (plane.shape, plane.dtype) == ((2, 3), hw.int8)  # type: ignore[attr-defined]
    assert (vectors.shape, vectors.dtype) == ((5,), hw.vec3d)  # type: ignore[attr-defined]
    assert isinstance(records, hw.RecordArray)
    assert records.shape == (6,)
    assert isinstance(pair, tuple)
    assert cube.shape == (2, 2, 2, 2)  # type: ignore[attr-defined]


def test_every_form_lowers(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = "(f32[8], 3), vec3(1, 2, 3), mode='fast', kind=i32, apply=twice"
    assert "store t_0" in show(capsys, "ir", "everything", "--args", arguments)
    arguments = "Particle[8], Settings(dt=0.1, weights=f32[8])"
    assert "settings_dt" in show(capsys, "ir", "drift", "--args", arguments)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f32[4", "a bracket is missing"),
        ("1 2", "they are not separated by commas"),
        ("1) + (2", "a bracket is closed that was not opened"),
        ("**x", "'**' is not possible"),
        ("q32[4]", "'q32' is not known: no type, and no name of the kernel's module"),
        ("x", "'x' is not known"),
        ("f32[1.5]", "a shape is an int"),
        ("f32[-1]", "has a negative length"),
        ("f32[1,1,1,1,1]", "1 to 4 dimensions"),
        ("3[4]", "'3' is no argument"),
        ("LIMIT[4]", "'LIMIT[4]' is no array"),
        ("None", "'None' is no number"),
        ("1 + 1", "'1 + 1' is no argument"),
        ("-f32", "'-f32' is no number"),
        ("open('x')", "'open' is not known"),
        ("twice(1)", "'twice(1)' is no call of a type or of a dataclass"),
        ("f32()", "'f32()' takes one number"),
        ("f32('a')", "no float32 can be made of 'a'"),
        ("i8(300)", "no int8 can be made of 300"),
        ("vec3f(1, 2)", "a vector of 3 components was expected"),
        ("Settings(1)", "is not possible"),
        ("hw.nothing", "'hw.nothing' is no argument"),
        ("lambda: 1", "is no argument"),
        ("particles()", "takes a number, perhaps the periodic axes"),
        ("grid(0.1)", "stands behind particles(...)"),
        ("particles(0)", "a capacity of 1 to"),
        ("particles(10), grid(-1)", "the cutoff must be positive"),
        ("particles(10, position=f32)", "positions are vec3f or vec3d"),
    ],
)
def test_bad_arguments(text: str, message: str) -> None:
    with pytest.raises(HeadwaterError) as caught:
        parsed(text)
    assert message in str(caught.value)


# --- refusals -------------------------------------------------------------------------------------


def test_bad_targets(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import headwater as hw\nraise RuntimeError('on purpose')\n")
    syntax = tmp_path / "syntax.py"
    syntax.write_text("def f(:\n")
    cases = {
        "saxpy": "'saxpy' names no kernel",
        f"{FILE}:": "names no kernel",
        f"{FILE}:nothing": "has no kernel 'nothing'\n  hint: its kernels: saxpy, block_sum, drift",
        f"{FILE}:twice": "has something else of the name 'twice'",
        f"{tmp_path}/none.py:f": "there is no file",
        "no_such_module_of_mine:f": "there is no module 'no_such_module_of_mine'",
        "tests.no_such_module:f": "there is no module 'tests.no_such_module'",
        f"{broken}:f": "cannot be imported: RuntimeError: on purpose",
        f"{syntax}:f": "cannot be imported: SyntaxError",
    }
    for target, message in cases.items():
        assert message in refused(capsys, "ir", target)


def test_bad_use(capsys: pytest.CaptureFixture[str]) -> None:
    saxpy = f"{FILE}:saxpy"
    three = ("--args", "2.0,f32[8],f32[8]")
    assert "'x' is not one of" in refused(capsys, "x", saxpy)
    assert "takes (a, x, y), and 1 were given" in refused(capsys, "ir", saxpy, "--args", "1")
    assert "takes (a, x, y), and no 'b'" in refused(
        capsys, "ir", saxpy, "--args", "1,f32[1],f32[1],b=1"
    )
    assert "there is no device 'abacus'" in refused(capsys, "ir", saxpy, "--device", "abacus")
    assert "sizes such as 256" in refused(capsys, "ir", saxpy, "--block", "many")
    assert "block of (0, 1, 1) has no" in refused(capsys, "ir", saxpy, *three, "--block", "0")
    assert "takes up to 1024" in refused(capsys, "ir", saxpy, *three, "--block", "2048")
    assert "'unknown' is not known" in refused(capsys, "code", f"{FILE}:wrong", "--args", "f32[1]")
    assert "has no float64" in refused(
        capsys, "code", f"{FILE}:plane", "--args", "f64[8,8]", "--device", "metal"
    )


def test_help_explains_the_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", "--help") == 0
    said = capsys.readouterr().out
    for part in ("f32[1024]", "Particle[100]", "mode='fast'", "MODULE:KERNEL", "typical one"):
        assert part in said


def test_the_plan_of_a_launch(oracle: hw.Device) -> None:
    kernel = shown_kernels.saxpy
    assert isinstance(kernel, Kernel)
    text = kernel[1, 32].plan(2.0, oracle.zeros(4), oracle.zeros(8)[::2])
    assert "y: float32, 1D, with strides, written\n" in text
    assert "x: float32, 1D, contiguous, read only\n" in text
    x = oracle.zeros(4)
    text = kernel[1, 32].plan(2.0, x, x)
    assert "x: float32, 1D, contiguous, written, shares memory 1" in text
