"""Every kernel that the library launches, in the form for GPUs, and random ones: NVRTC takes them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fuzz.generator import generate
from tests.fuzz.harness import run as run_program
from tests.sph.reference_data import heap

import headwater as hw
from headwater.backends import registry
from headwater.backends.contract import Driver
from headwater.backends.cuda import compiler
from headwater.runtime import launch
from headwater.runtime.compile import Program, Specialization, lower, program
from headwater.runtime.device import Device
from headwater.sph import DELTA, simulate

ROOT = Path(__file__).parents[3]
ARCHITECTURES = ("sm_80", "sm_90")


class Recorder:
    """Notes what is compiled for a device of its own."""

    def __init__(self, driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
        self.device = Device("recorded", driver)
        self.found: dict[str, Specialization] = {}
        monkeypatch.setattr(launch, "program", self.program)

    def program(self, wanted: Specialization) -> Program:
        if wanted.device is self.device:
            self.found[wanted.digest()] = wanted
        return program(wanted)


@pytest.fixture
def recorder(nvrtc: None, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """Runs on the processor what is made for devices with many threads."""
    backend, position = registry.find("cpu")
    driver = backend.open(position)
    driver.capabilities = replace(driver.capabilities, serial_threads=False)
    return Recorder(driver, monkeypatch)


def compile_all(recorder: Recorder) -> set[str]:
    for wanted in recorder.found.values():
        for architecture in ARCHITECTURES:
            compiler.compile_kernel(lower(wanted), wanted.options, architecture)
    return {wanted.function.__name__ for wanted in recorder.found.values()}


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_kernels_of_a_simulation(recorder: Recorder, precision: str) -> None:
    simulation = simulate(heap(), recorder.device, precision, DELTA)
    for _ in range(2):
        simulation.step()
    simulation.history(0, 2)
    simulation.snapshot()
    assert len(compile_all(recorder)) > 10


@pytest.mark.slow
def test_random_kernels(recorder: Recorder, tmp_path: Path) -> None:
    for seed in range(8):
        run_program(generate(seed), recorder.device, tmp_path)
    assert len(recorder.found) == 8
    compile_all(recorder)


@pytest.mark.slow
@pytest.mark.parametrize(("debug", "chosen"), [("0", ""), ("1", "barrier or view or local")])
def test_kernels_of_the_language(nvrtc: None, debug: str, chosen: str) -> None:
    """Only compiled: in a process of its own the suite finds a device that runs nothing."""
    plugin = ("-p", "tests.backends.cuda.compile_only", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugin, "-k", chosen, "tests/language"],
        env=os.environ | {"HEADWATER_DEBUG": debug},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]


def test_the_recorder_sees_a_kernel(recorder: Recorder) -> None:
    @hw.kernel
    def seen(y):
        y[hw.grid(1)] = 1.0

    seen[1, 4](recorder.device.zeros(4))
    assert compile_all(recorder) == {"seen"}
