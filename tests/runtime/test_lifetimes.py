"""Memory goes back when the last reference is gone, on `free`, and when the interpreter ends."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading

import pytest

import headwater as hw
from headwater.errors import MemoryUseError


def live(device: hw.Device, owner: str) -> int:
    return hw.memory_report().of(device.name, owner)


def test_the_last_reference_frees(device: hw.Device) -> None:
    array = device.zeros(1000, hw.float64, owner="lifetime")
    second = array
    assert live(device, "lifetime") == 8000
    del array
    assert live(device, "lifetime") == 8000
    del second
    assert live(device, "lifetime") == 0


def test_cycles_are_freed_by_the_collector(device: hw.Device) -> None:
    class Holder:
        def __init__(self) -> None:
            self.me = self
            self.array = device.zeros(1000, owner="cycle")

    Holder()
    gc.collect()
    assert live(device, "cycle") == 0


def test_free_counts_at_once(device: hw.Device) -> None:
    array = device.zeros(1000, owner="explicit")
    array.free()
    assert live(device, "explicit") == 0
    del array
    gc.collect()
    assert live(device, "explicit") == 0


def test_report(oracle: hw.Device) -> None:
    first = oracle.zeros(100, hw.int32, owner="report a")
    second = [oracle.zeros(50, hw.int32, owner="report b") for _ in range(4)]
    report = hw.memory_report()
    entries = {usage.owner: usage for usage in report.usages if usage.owner.startswith("report ")}
    assert (entries["report a"].nbytes, entries["report a"].allocations) == (400, 1)
    assert (entries["report b"].nbytes, entries["report b"].allocations) == (800, 4)
    assert report.nbytes >= report.of("reference") >= 1200
    assert "report b" in str(report)
    assert first.owner == "report a"
    assert second[0].copy().owner == "report b"


def test_one_thread_wins_a_race_to_free(device: hw.Device) -> None:
    outcomes: list[str] = []
    for _ in range(20):
        array = device.zeros(10, owner="race")
        start = threading.Barrier(4)

        def free(array: hw.Array = array, start: threading.Barrier = start) -> None:
            start.wait()
            try:
                array.free()
                outcomes.append("freed")
            except MemoryUseError:
                outcomes.append("refused")

        threads = [threading.Thread(target=free) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert outcomes.count("freed") == 20
    assert outcomes.count("refused") == 60
    assert live(device, "race") == 0


def test_arrays_made_and_dropped_by_many_threads(device: hw.Device) -> None:
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            for n in range(1, 60):
                array = device.full(n, seed, hw.int32, owner="threads")
                assert array.numpy().tolist() == [seed] * n
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert live(device, "threads") == 0


@pytest.mark.parametrize("ending", ["pass", "raise SystemExit(0)", "del device"])
def test_interpreter_exit_is_clean(device: hw.Device, ending: str) -> None:
    name, *options = device.name.split(", ")
    text = "\n".join(
        (
            "import headwater as hw",
            f"device = hw.device({', '.join([repr(name), *options])})",
            "kept = [device.zeros(1000, hw.vec3f) for _ in range(10)]",
            "class Cycle: pass",
            "cycle = Cycle(); cycle.me = cycle; cycle.array = device.zeros(10)",
            ending,
        )
    )
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", text], capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_import_is_light() -> None:
    heavy = ("llvmlite", "matplotlib", "wgpu", "click", "rich")
    text = f"import sys, headwater; print([m for m in {heavy} if m in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert ended.stdout.strip() == "[]", ended.stderr


FORKED = """
import multiprocessing, sys
import headwater as hw
device = hw.device(sys.argv[1])
array = device.full(8, 3, hw.int32)
def child():
    try:
        print((array.numpy() + device.full(8, 4, hw.int32).numpy()).sum(), flush=True)
    except hw.errors.DeviceError as error:
        print(error.message, flush=True)
process = multiprocessing.get_context("fork").Process(target=child)
process.start(); process.join()
print(array.numpy().sum())
"""


def test_a_forked_child_goes_on_or_is_told(device: hw.Device) -> None:
    """On `vulkan` it waited for ever, for threads of the driver that it does not have."""
    name = device.name.partition(",")[0]
    ended = subprocess.run(
        [sys.executable, "-c", FORKED, name], capture_output=True, text=True, timeout=60
    )
    told = (
        f"the device '{name}' was opened before this process was forked, and a child cannot use it"
    )
    in_child = "56" if name in ("cpu", "reference") else told
    assert ended.stdout.splitlines() == [in_child, "24"], ended.stderr
