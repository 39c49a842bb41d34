"""Random functions mean in a kernel what they mean in Python."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.frontend.random_control import Writer

import headwater as hw

SEEDS = range(40)


class Language:
    """What the functions name of the language, in Python."""

    static_range = range


def defined(text: str, file: str, **names: Any) -> dict[str, Any]:
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)
    return names


def in_python(text: str, seed: int, **names: Any) -> Callable[..., Any]:
    """The function `main` on NumPy's int32, which wrap as kernels do."""
    space = defined(text, f"<python {seed}>", hw=Language, **names)
    return lambda *values: space["main"](*map(np.int32, values))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_control_as_in_python(seed: int, oracle: hw.Device) -> None:
    text = Writer(seed).text()
    captured = {"MODE": "ab"[seed % 2], "COUNT": seed % 3 + 1}
    space = defined(text, f"<kernel {seed}>", hw=hw, **captured)
    for name in [name for name in space if name[0] == "f" or name == "main"]:
        space[name] = hw.function(space[name])
    kernel = defined(
        "def kernel(out, x, y, z):\n    i = hw.grid(1)\n    out[i] = main(x[i], y[i], z[i])\n",
        f"<launched {seed}>",
        hw=hw,
        main=space["main"],
    )["kernel"]
    columns = np.random.default_rng(seed).integers(-4, 6, (3, 16)).astype(np.int32)
    out = oracle.zeros(16, hw.int32)
    hw.kernel(kernel)[1, 16](out, *map(oracle.array, columns))
    python = in_python(text, seed, **captured)
    expected = [int(np.int32(python(*column))) for column in columns.T]
    assert out.numpy().tolist() == expected, text
