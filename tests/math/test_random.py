"""Random numbers: the published vectors of Philox, the same bits everywhere, and their distributions."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import headwater as hw
from headwater.math import random

# `kat_vectors` of Random123 1.09, "philox4x32 10": counter, key, result.
KNOWN = (
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
)  # fmt: skip


def words(text: str) -> np.ndarray[Any, Any]:
    return np.array([int(word, 16) for word in text.split()], np.uint32)


@hw.kernel
def philox(out, c, k):
    row = hw.grid(1)
    block = hw.random.philox((c[row, 0], c[row, 1], c[row, 2], c[row, 3]), (k[row, 0], k[row, 1]))
    out[row, 0], out[row, 1], out[row, 2], out[row, 3] = block


def test_the_known_answers(device: hw.Device) -> None:
    counters, keys, results = (np.array([words(row[k]) for row in KNOWN]) for k in range(3))
    out = device.zeros(results.shape, hw.uint32)
    philox.over(len(KNOWN))(out, device.array(counters), device.array(keys))
    assert (out.numpy() == results).all()


@hw.kernel
def draw(uniform, normal, integer, block, seed):
    i = hw.grid(1)
    uniform[i] = hw.random.uniform(seed, i)
    normal[i] = hw.random.normal(seed, i, draw=1)
    integer[i] = hw.random.randint(seed, i, -3, 4, draw=2)
    block[i, 0], block[i, 1], block[i, 2], block[i, 3] = hw.random.bits(seed, i, 3)


def drawn(device: hw.Device, count: int, seed: int) -> list[np.ndarray[Any, Any]]:
    out = [device.zeros(count, kind) for kind in (hw.float32, hw.float32, hw.int32)]
    out.append(device.zeros((count, 4), hw.uint32))
    draw.over(count)(*out, seed)
    return [array.numpy() for array in out]


def test_the_bits_are_the_same_on_every_device(device: hw.Device, oracle: hw.Device) -> None:
    for found, expected in zip(drawn(device, 100, 7), drawn(oracle, 100, 7), strict=True):
        assert (found == expected).all()


@hw.kernel
def draw_wide(uniform, normal, seed):
    i = hw.grid(1)
    uniform[i] = hw.random.uniform64(seed, i)
    normal[i] = hw.random.normal64(seed, i, draw=1)


def drawn_wide(device: hw.Device, count: int, seed: int) -> list[np.ndarray[Any, Any]]:
    out = [device.zeros(count, hw.float64) for _ in range(2)]
    draw_wide.over(count)(*out, seed)
    return [array.numpy() for array in out]


def test_the_bits_of_float64_are_the_same_on_every_device(
    device: hw.Device, oracle: hw.Device
) -> None:
    for found, expected in zip(drawn_wide(device, 50, 7), drawn_wide(oracle, 50, 7), strict=True):
        assert (found == expected).all()


@pytest.mark.compiled
def test_the_distributions(device: hw.Device) -> None:
    """Of fixed seeds, so a failure is no chance."""
    count = 200_000
    uniform, normal, integer, block = drawn(device, count, 11)
    assert (uniform >= 0).all() and (uniform < 1).all()  # noqa: PT018
    assert stats.kstest(uniform, "uniform").pvalue > 1e-3
    assert stats.kstest(normal, "norm").pvalue > 1e-3
    values, frequencies = np.unique(integer, return_counts=True)
    assert values.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert stats.chisquare(frequencies).pvalue > 1e-3
    ones = np.unpackbits(block.view(np.uint8)).sum()
    assert stats.binomtest(int(ones), block.size * 32).pvalue > 1e-3
    assert abs(np.corrcoef(uniform[:-1], uniform[1:])[0, 1]) < 4 / np.sqrt(count)


@pytest.mark.compiled
def test_the_distributions_of_float64(device: hw.Device) -> None:
    uniform, normal = drawn_wide(device, 100_000, 12)
    assert stats.kstest(uniform, "uniform").pvalue > 1e-3
    assert stats.kstest(normal, "norm").pvalue > 1e-3


@pytest.mark.compiled
def test_seeds_draws_and_indices_are_independent(device: hw.Device) -> None:
    first, again, other = (drawn(device, 1000, seed)[0] for seed in (1, 1, 2))
    assert (first == again).all()
    assert not (first == other).any()
    assert len(np.unique(np.concatenate([first, other]))) > 1990


def test_every_function_is_documented() -> None:
    page = Path(__file__).parents[2] / "docs" / "language.md"
    written = set(re.findall(r"\| `hw\.random\.(\w+)\(", page.read_text(encoding="utf-8")))
    device_functions = {n for n, f in vars(random).items() if type(f).__name__ == "DeviceFunction"}
    assert written == device_functions - {"philox_round"}
    for name in written:
        assert inspect.getdoc(getattr(random, name).python)
