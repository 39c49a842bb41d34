"""Time from the start of the process to the first finished step, with all programs in the cache on disk."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from statistics import median

COMMAND = (
    *(sys.executable, "-m", "headwater.cli", "run", "dambreak", "--variant", "cubic"),
    *("--dp", "0.017", "--steps", "1", "--no-frames"),
)


def warm_start(repeats: int) -> float:
    """The median wall time, in s, of a whole process that does one step and writes its report."""
    with tempfile.TemporaryDirectory() as folder:
        run(folder)
        return median(run(folder) for _ in range(repeats))


def run(folder: str) -> float:
    """Wall seconds of one process."""
    start = time.perf_counter()
    done = subprocess.run([*COMMAND, "--out", folder], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(COMMAND)}\nfailed:\n{done.stderr}")
    return time.perf_counter() - start
