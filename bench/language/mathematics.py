"""The mathematics library over 256k numbers, beside the vector library that gcc calls from a loop with -ffast-math."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import headwater as hw
from bench.language.contest import Work, best_seconds, c_library, pointer

_COUNT = 1 << 18
# Goes when the program ends.
_FOLDER = tempfile.TemporaryDirectory()
FUNCTIONS = ("exp", "log", "sin", "cos")
_LONG = ("exp2", "log2", "tan", "atan", "tanh", "cbrt", "erf")
_KERNEL = """
import headwater as hw

@hw.kernel
def {name}(out, x):
    i = hw.grid(1)
    if i < len(out):
        out[i] = hw.{name}(x[i])
"""


def kernels(names: tuple[str, ...]) -> dict[str, Any]:
    """A kernel for each function; their text lies in a file, where the compiler finds it."""
    path = Path(_FOLDER.name) / "functions.py"
    path.write_text("".join(_KERNEL.format(name=name) for name in names), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("functions", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["functions"] = module
    spec.loader.exec_module(module)
    return {name: getattr(module, name) for name in names}


def c_text(names: tuple[str, ...]) -> str:
    """A loop for each function and each type."""
    loop = "void {n}{s}({t} *out, const {t} *x, long n) {{ for (long i = 0; i < n; i++) out[i] = {f}(x[i]); }}\n"
    lines = ["#include <math.h>\n"]
    for name in names:
        lines.append(loop.format(n=name, s="_float32", t="float", f=name + "f"))
        lines.append(loop.format(n=name, s="_float64", t="double", f=name))
    return "".join(lines)


def measure(rounds: int, names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Elements a second of each function in each type, on one thread, results compared with NumPy's or C's."""
    device, library = hw.device("cpu", threads=1), c_library(c_text(names))
    found: dict[str, dict[str, float]] = {}
    made = kernels(names)
    for kind in (np.float32, np.float64):
        numbers = (np.random.default_rng(1).random(_COUNT) * 20 + 0.01).astype(kind)
        x, out = device.array(numbers), device.array(numbers)
        plain = np.empty_like(numbers)
        contenders: dict[str, Work] = {}
        for name, kernel in made.items():
            contenders[name] = _bound(kernel.forall(_COUNT), out, x)
            contenders[name]()
            if library is not None:
                contenders[f"C {name}"] = _called(
                    getattr(library, f"{name}_{numbers.dtype.name}"), plain, numbers
                )
                contenders[f"C {name}"]()
                _check(name, out.numpy(), plain)
        seconds = best_seconds(contenders, rounds)
        for name in names:
            rate = _COUNT / seconds[name]
            theirs = _COUNT / seconds.get(f"C {name}", float("nan"))
            found[f"{name} {numbers.dtype.name}"] = {"rate": rate, "plain": theirs}
    return found


def _bound(launch: Any, *arguments: Any) -> Work:
    return lambda: launch(*arguments)


def _called(function: Callable[..., Any], out: np.ndarray, x: np.ndarray) -> Work:
    arguments = (pointer(out), pointer(x), ctypes.c_long(_COUNT))
    return lambda: function(*arguments)


def _check(name: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    """Four ulp of the larger: gcc's library is less exact than ours; near a zero only the size counts."""
    eps = float(np.finfo(ours.dtype).eps)
    np.testing.assert_allclose(ours, theirs, rtol=16 * eps, atol=16 * eps, err_msg=name)


def report(rounds: int, *, long: bool) -> dict[str, Any]:
    """Measure and print."""
    found = measure(rounds, (*FUNCTIONS, *_LONG) if long else FUNCTIONS)
    print(f"mathematics over {_COUNT} numbers, million a second on one core (aim 0.8 in float32)")
    for name, row in found.items():
        ratio = row["rate"] / row["plain"]
        print(
            f"  {name:<22}{row['rate'] / 1e6:8.0f}   gcc        {row['plain'] / 1e6:8.0f}   {ratio:5.2f}"
        )
    return found
