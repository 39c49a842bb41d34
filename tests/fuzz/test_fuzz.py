"""Random kernels: the interpreter against every other device, bit for bit.

HEADWATER_FUZZ_COUNT changes their number; `python -m tests.fuzz.run` is for long runs.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.conftest import ORACLE, forms
from tests.fuzz.coverage import coverage, required
from tests.fuzz.generator import generate
from tests.fuzz.harness import check, report, shrink
from tests.fuzz.program import smaller

import headwater as hw

COUNT = int(os.environ.get("HEADWATER_FUZZ_COUNT", "300"))
BATCH = 10
LANES = (1, 4, 8)  # beside the device's own


def opened(seed: int) -> list[tuple[str, hw.Device]]:
    """The interpreter, and each device there is; the cpu with its own lanes and with fewer."""
    names = dict.fromkeys(name for name, _ in forms() if name != ORACLE)
    found = [(name, hw.device(name)) for name in (ORACLE, *names)]
    lanes = LANES[seed % len(LANES)]
    return [*found, (f"cpu, lanes={lanes}", hw.device("cpu", lanes=lanes))]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, COUNT, BATCH))
def test_devices_agree(first: int, tmp_path: Path) -> None:
    for seed in range(first, min(first + BATCH, COUNT)):
        devices, program = opened(seed), generate(seed)
        failure = check(program, devices, tmp_path)
        if failure is not None:
            pair = failure.pair(devices)
            program, failure = shrink(program, failure, lambda p, d=pair: check(p, d, tmp_path), 60)  # type: ignore[misc]
            pytest.fail(report(program, failure))


@pytest.mark.parametrize("first", range(0, 20, 10))
def test_kernels_have_no_races(first: int, oracle: hw.Device, tmp_path: Path) -> None:
    """The interpreter in the opposite order of threads leaves the same."""
    pair = [
        ("forwards", hw.device("reference")),
        ("backwards", hw.device("reference", backwards=1)),
    ]
    for seed in range(first, first + 10):
        program = generate(seed)
        failure = check(program, pair, tmp_path)
        assert failure is None, report(program, failure)


def test_the_kernels_hold_everything() -> None:
    assert required() - set(coverage(range(300))) == set()


def test_a_seed_gives_one_kernel() -> None:
    assert generate(5).text() == generate(5).text()
    assert generate(5).text() != generate(6).text()


def test_smaller_programs_are_shorter_texts() -> None:
    program = generate(3)
    length = len(program.text())
    texts = [candidate.text() for candidate in smaller(program)]
    assert texts
    assert all(len(text) <= length + 8 for text in texts)  # `pass` may take a line's place
    for text in texts:
        compile(text, "smaller", "exec")
