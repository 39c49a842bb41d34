"""Contenders for one piece of work, timed in turns."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Work = Callable[[], None]
_FLAGS = ("-O3", "-march=native", "-ffast-math", "-mprefer-vector-width=512", "-shared", "-fPIC")


def best_seconds(contenders: dict[str, Work], rounds: int) -> dict[str, float]:
    """The best time of each, in turns, so that other work on the machine hits all alike."""
    best = dict.fromkeys(contenders, float("inf"))
    for work in contenders.values():
        work()
    for _ in range(rounds):
        for name, work in contenders.items():
            start = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def c_library(text: str) -> ctypes.CDLL | None:
    """C functions, compiled for this machine; None where there is no compiler."""
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "plain.c", Path(folder) / "plain.so"
        source.write_text(text, encoding="utf-8")
        command = [compiler, *_FLAGS, str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"no comparison with C: {done.stderr.strip().splitlines()[-1]}")
            return None
        return ctypes.CDLL(str(library))


def pointer(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    """What C takes for an array."""
    return ctypes.c_void_p(array.ctypes.data)
