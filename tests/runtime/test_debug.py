"""Debug mode finds the same on every device: kinds, lines, threads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.runtime import debug_kernels as kernels

import headwater as hw
from headwater.errors import DebugError
from headwater.particles import CellGrid, Domain, ParticleSet
from headwater.runtime import debug

FLOATS, VECTORS = kernels.FLOATS, ("vec", kernels.VECTORS)


def launch(kernel: Any, device: hw.Device, *arguments: Any, grid: Any = 1, block: Any = 16) -> Any:
    """The array that the kernel leaves as its first argument; it begins as 20 times 7."""
    out = device.full((4, 5) if kernel is kernels.in_two_axes else 20, 7.0)
    sent = [_upload(device, argument) for argument in arguments]
    kernel[grid, block](out, *sent)
    return out.numpy()


def _upload(device: hw.Device, value: Any) -> Any:
    if isinstance(value, tuple):
        return device.array(value[1], hw.vec3f)
    return device.array(value) if isinstance(value, np.ndarray) else value


# --- what is found ------------------------------------------------------------------------------------

# The kernel, its arguments where it goes wrong and where it does not, the kind, the first thread, and the words.
CASES: dict[str, tuple[Any, tuple[Any, ...], tuple[Any, ...], str, int, str]] = {
    "past_the_end": (
        kernels.past_the_end,
        (FLOATS, 7),
        (FLOATS, 4),
        "bounds",
        13,
        "the subscript 20 of 'x' is out of bounds: it has 20",
    ),
    "before_the_start": (
        kernels.before_the_start,
        (3,),
        (0,),
        "bounds",
        0,
        "the subscript -3 of 'out' is out of bounds: it has 20",
    ),
    "in_two_axes": (
        kernels.in_two_axes,
        (2,),
        (1,),
        "bounds",
        3,
        "the subscript 5 of 'out' is out of bounds along axis 1: it has 5",
    ),
    "of_a_vector": (
        kernels.of_a_vector,
        (VECTORS, 5),
        (VECTORS, 4),
        "bounds",
        15,
        "the subscript 20 of 'p' is out of bounds: it has 20",
    ),
    "atomic_outside": (
        kernels.atomic_outside,
        (10,),
        (4,),
        "bounds",
        10,
        "the subscript 20 of 'out' is out of bounds: it has 20",
    ),
    "shared_outside": (
        kernels.shared_outside,
        (1,),
        (0,),
        "bounds",
        7,
        "the subscript 8 of 'tile' is out of bounds: it has 8",
    ),
    "shared_unwritten": (
        kernels.shared_unwritten,
        (13,),
        (16,),
        "unwritten",
        13,
        "'tile[1, 5]' is read before any thread has written it",
    ),
    "local_unwritten": (
        kernels.local_unwritten,
        (4,),
        (5,),
        "unwritten",
        0,
        "'mine[4]' is read before the thread has written it",
    ),
    "asserted": (
        kernels.asserted,
        (9,),
        (16,),
        "assert",
        9,
        "the assertion 'no thread above the limit' does not hold",
    ),
    "divided": (
        kernels.divided,
        (6,),
        (-1,),
        "division by zero",
        6,
        "100 // 0 divides by zero",
    ),
    "no_number": (
        kernels.no_number,
        (FLOATS - 5.0, np.float32(-2.0)),
        (FLOATS, np.float32(-2.0)),
        "nan",
        0,
        "sqrt(-3.0) is not a number",
    ),
    "infinite_difference": (
        kernels.infinite_difference,
        (kernels.LARGE, 0),
        (kernels.LARGE * 0, 0),
        "nan",
        1,
        "inf - inf is not a number",
    ),
    "in_a_function": (
        kernels.in_a_function,
        (FLOATS, 7),
        (FLOATS, 4),
        "bounds",
        13,
        "the subscript 20 of 'x' is out of bounds: it has 20",
    ),
    "past_a_view": (
        kernels.past_a_view,
        (FLOATS, 5),
        (FLOATS, 2),
        "bounds",
        5,
        "the subscript 10 of 'x' is out of bounds: it has 10",
    ),
    "past_a_row": (
        kernels.past_a_row,
        (kernels.ROWS, 2),
        (kernels.ROWS, 1),
        "bounds",
        3,
        "the subscript 5 of 'x' is out of bounds along axis 1: it has 5",
    ),
    "past_a_table": (
        kernels.past_a_table,
        (4,),
        (1,),
        "bounds",
        5,
        "the subscript 9 of 'known' is out of bounds: it has 9",
    ),
    "logarithm": (
        kernels.logarithm,
        (FLOATS, np.float32(-2.0)),
        (FLOATS, np.float32(0.0)),
        "nan",
        0,
        "'log' gives no number, though its arguments are numbers",
    ),
    "chosen": (
        kernels.chosen,
        (FLOATS - 5.0, 3),
        (FLOATS - 5.0, 4),
        "nan",
        4,
        "0.0 / 0.0 is not a number",
    ),
    "computed_and_chosen": (
        kernels.computed_and_chosen,
        (FLOATS, 5),
        (FLOATS, 3),
        "division by zero",
        5,
        "7 // 0 divides by zero",
    ),
    "in_a_condition": (
        kernels.in_a_condition,
        (FLOATS, 1),
        (-FLOATS, 1),
        "bounds",
        0,
        "the subscript 20 of 'x' is out of bounds: it has 20",
    ),
    "behind_a_return": (
        kernels.behind_a_return,
        (FLOATS, 13),
        (FLOATS, 10),
        "bounds",
        8,
        "the subscript 20 of 'x' is out of bounds: it has 20",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_goes_wrong_is_raised(device: hw.Device, name: str) -> None:
    kernel, wrong, right, kind, thread, text = CASES[name]
    launch(kernel, device, *right)
    with pytest.raises(DebugError) as caught:
        launch(kernel, device, *wrong)
    error = caught.value
    assert text in error.message
    assert f"kernel '{kernel.name}'" in error.message
    assert f"in thread ({thread}, 0, 0) of block (0, 0, 0)" in error.message
    assert (error.kind, error.thread, error.block) == (kind, (thread, 0, 0), (0, 0, 0))
    assert error.span is not None
    assert error.span.line == kernels.line_of(kernel)
    assert "^" in str(error)


def test_views_of_dynamic_memory_know_what_others_wrote(device: hw.Device) -> None:
    out = device.zeros(16)
    with pytest.raises(DebugError, match=r"'words\[15\]' is read before any thread") as caught:
        kernels.dynamic_unwritten[1, 16, None, 64](out, 4)
    assert caught.value.thread == (15, 0, 0)
    with pytest.raises(DebugError, match=r"'words\[0\]' is read before any thread"):
        kernels.dynamic_unwritten[1, 16, None, 64](out, 3)


def test_the_rest_of_a_division_by_zero(device: hw.Device) -> None:
    with pytest.raises(DebugError, match=r"5 % 0 divides by zero, in thread \(0, 0, 0\)"):
        launch(kernels.rest_of_zero, device, 3)


def test_a_value_that_is_not_uniform(device: hw.Device) -> None:
    launch(kernels.not_the_same, device, 0)
    with pytest.raises(
        DebugError, match=r"a value asserted uniform is (True|False) here"
    ) as caught:
        launch(kernels.not_the_same, device, 5)
    assert caught.value.kind == "uniform"
    assert caught.value.span is not None
    assert caught.value.span.line == kernels.line_of(kernels.not_the_same)


@hw.kernel(debug=True)
def turn_by_turn(out, n):
    total = 0
    for k in range(n):
        total += hw.uniform(k * 3 - 1)
        total += hw.int32(hw.uniform(hw.float64(k) * 0.5 - 1.0))
    out[hw.grid(1)] = total


def test_a_uniform_value_may_change_from_turn_to_turn(device: hw.Device) -> None:
    out = device.zeros(64, hw.int32)
    turn_by_turn[2, 32](out, 40)
    assert len(set(out.numpy().tolist())) == 1


# --- where, and how much ------------------------------------------------------------------------------


@pytest.mark.compiled
def test_the_first_by_block_and_thread(device: hw.Device) -> None:
    with pytest.raises(DebugError, match=r"\(and 87 more reports\)") as caught:
        launch(kernels.past_the_end, device, FLOATS, 0, grid=4, block=16)
    # Threads 20 to 63 read and write outside.
    assert caught.value.block == (1, 0, 0)
    assert caught.value.thread == (4, 0, 0)
    assert caught.value.more == 2 * 44 - 1


@hw.kernel(debug=True)
def in_three_axes(out, n):
    x, y, z = hw.grid(3)
    assert x + 10 * y + 100 * z != n
    out[0] = 1.0


def test_threads_and_blocks_of_three_axes(device: hw.Device) -> None:
    with pytest.raises(DebugError) as caught:
        launch(in_three_axes, device, 5 + 10 * 4 + 100 * 3, grid=(3, 2, 2), block=(2, 3, 2))
    assert caught.value.block == (2, 1, 1)
    assert caught.value.thread == (1, 1, 1)
    assert "the assertion 'x + 10 * y + 100 * z != n' does not hold" in caught.value.message


@pytest.mark.compiled
def test_an_access_outside_is_not_made(device: hw.Device) -> None:
    whole = device.full(40, 7.0)
    out = whole[10:30]
    with pytest.raises(DebugError):
        kernels.before_the_start[1, 16](out, 8)
    expected = np.full(40, 7.0, np.float32)
    expected[10:18] = 1.0
    np.testing.assert_array_equal(whole.numpy(), expected)


@pytest.mark.compiled
def test_a_load_outside_gives_zero(device: hw.Device) -> None:
    out = device.full(20, 7.0)
    with pytest.raises(DebugError):
        kernels.past_the_end[1, 16](out, device.array(FLOATS), 10)
    expected = [*range(10, 20), *[0] * 6, *[7] * 4]
    assert out.numpy().tolist() == expected


@pytest.mark.compiled
def test_more_reports_than_fit(device: hw.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debug, "BUFFER_WORDS", 200)
    monkeypatch.setattr(debug, "_channels", {})
    with pytest.raises(DebugError) as caught:
        launch(kernels.before_the_start, device, 1000, grid=10, block=64)
    assert caught.value.more == 639


@pytest.mark.compiled
def test_a_device_goes_on_after_a_report(device: hw.Device) -> None:
    for _ in range(3):
        with pytest.raises(DebugError):
            launch(kernels.past_the_end, device, FLOATS, 7)
        found = launch(kernels.past_the_end, device, FLOATS, 4)
        assert found[:16].tolist() == list(range(4, 20))


# --- printing -----------------------------------------------------------------------------------------


@hw.kernel(debug=True)
def talkative(out, x, n):
    i = hw.grid(1)
    if i % 8 == n:
        print("thread", i, x[i], hw.float64(x[i]) / 3.0, i > 8)
        print(hw.int64(i) << 33, hw.uint8(i + 250), hw.int16(-i), sep="|")
    out[i] = 1.0


def test_print(device: hw.Device, capsys: pytest.CaptureFixture[str]) -> None:
    x = (np.arange(20) / 10).astype(np.float32)
    launch(talkative, device, x, 1)
    lines = []
    for i in (1, 9):
        lines.append(f"thread {i} {x[i]!s} {np.float64(x[i]) / 3.0!s} {i > 8}")
        lines.append(f"{i << 33}|{(i + 250) % 256}|{-i}")
    assert capsys.readouterr().out.splitlines() == lines


@hw.kernel(debug=True)
def counts_down(out, n):
    i = hw.grid(1)
    for k in range(3):
        if i >= n:
            print(i, k)
        hw.syncthreads()
    assert i != n


def test_lines_come_by_thread_and_before_errors(
    device: hw.Device, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DebugError):
        launch(counts_down, device, 29, grid=2, block=16)
    lines = capsys.readouterr().out.splitlines()
    expected = [f"{i} {k}" for i in (29, 30, 31) for k in range(3)]
    assert sorted(lines) == expected
    if not device.capabilities.checks_itself:  # it prints at once
        assert lines == expected


@pytest.mark.compiled
def test_lines_that_do_not_fit_are_counted(
    device: hw.Device, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(debug, "BUFFER_WORDS", 100)
    monkeypatch.setattr(debug, "_channels", {})
    with pytest.raises(DebugError):
        launch(counts_down, device, 0, grid=1, block=16)
    assert "41 more lines did not fit" in capsys.readouterr().out


# --- when -------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_nothing_is_checked_otherwise(
    device: hw.Device, capsys: pytest.CaptureFixture[str]
) -> None:
    @hw.kernel
    def quiet(out, n):
        i = hw.grid(1)
        assert i + 1 < n, "never seen"
        print(i, n)
        out[i] = 1.0 // n

    out = device.zeros(16)
    quiet[1, 16](out, 0)
    assert capsys.readouterr().out == ""
    text = quiet.forall(16).ir(out, 0)
    assert "assert" not in text
    assert "print" not in text


def test_the_environment_asks_for_it(device: hw.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    @hw.kernel
    def quotient(out, n):
        out[hw.grid(1)] = hw.float32(7 // n)

    out = device.zeros(4)
    quotient[1, 4](out, 0)
    monkeypatch.setenv("HEADWATER_DEBUG", "1")

    @hw.kernel
    def checked(out, n):
        out[hw.grid(1)] = hw.float32(7 // n)

    with pytest.raises(DebugError, match="7 // 0 divides by zero"):
        checked[1, 4](out, 0)


SCRIPT = """
import sys
import headwater as hw

{blank}
@hw.kernel(debug=True)
def fails(out, n):
    assert hw.grid(1) < n

device = hw.device(sys.argv[1])
try:
    fails[1, 4](device.zeros(4), 2)
except hw.errors.DebugError as error:
    print(error.thread, error.span.line)
"""


def test_a_program_from_disk_knows_its_lines(
    device: hw.Device, tmp_path: Path, cache_folder: Path
) -> None:
    """Also where the same kernel stood elsewhere when it was compiled."""
    name = device.name.partition(",")[0]
    for blank, line in (("", 8), ("", 8), ("\n\n", 10)):
        path = tmp_path / "program.py"
        path.write_text(SCRIPT.format(blank=blank))
        done = subprocess.run(
            [sys.executable, path, name], capture_output=True, text=True, check=True, timeout=120
        )
        assert done.stdout == f"(2, 0, 0) {line}\n", done.stderr


# --- together with everything else --------------------------------------------------------------------


@hw.kernel(debug=True)
def near_ones(out, grid, n):
    i = hw.grid(1)
    total = 0.0
    for j, _, r2 in grid.neighbors(i):
        assert j != n, "the one that nobody may see"
        total += 1.0 / hw.sqrt(r2)
    out[i] = total


def test_a_neighbour_loop(device: hw.Device) -> None:
    points = np.zeros((12, 3), np.float32) + 0.5
    points[:, 0] += np.arange(12)
    particles = ParticleSet(
        device, Domain((0.0, 0.0, 0.0), (12.0, 1.0, 1.0)), 12, {"position": hw.vec3f}
    )
    particles.add(points)
    grid = CellGrid(particles, 1.5)
    grid.update()
    out = device.zeros(12)
    near_ones.over(12)(out, grid, 99)
    assert out.numpy().tolist() == [1.0, *[2.0] * 10, 1.0]
    with pytest.raises(DebugError, match="the one that nobody may see") as caught:
        near_ones.over(12)(out, grid, 5)
    assert caught.value.thread[0] + 32 * caught.value.block[0] in (4, 6)
