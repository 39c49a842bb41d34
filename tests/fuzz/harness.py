"""Runs generated kernels on devices and compares what they leave, bit for bit."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from tests.fuzz import points
from tests.fuzz.expressions import COLUMNS, LENGTH, NUMBERS, ROWS, VECTORS
from tests.fuzz.generator import parameters
from tests.fuzz.neighbors import PAIRS
from tests.fuzz.program import Program, smaller
from tests.fuzz.statements import ATOMIC_ARRAYS, BINS, SCALARS, SLOTS

import headwater as hw
from headwater.errors import HeadwaterError

Results = dict[str, np.ndarray]
_serial = itertools.count()

_FLOAT_EDGES = (
    np.nan,
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1e-40,
    3e38,
    -3e38,
    np.inf,
    -np.inf,
    np.nan,
    1e9,
    -3e9,
    1e19,
)


@dataclass(frozen=True)
class Bundle:
    """The struct argument."""

    values: Any
    scale: float
    scale_int: int


def data(program: Program) -> dict[str, Any]:
    """The host values of all arguments but the bundle; outputs hold values too, as kernels read them."""
    rng = np.random.default_rng(program.seed)
    threads = program.threads
    found: dict[str, Any] = {}
    for kind in SCALARS:
        found[f"out_{kind}"] = numbers(rng, kind, threads)
        found[f"trace_{kind}"] = np.zeros((threads, SLOTS), kind)
        found[f"in_{kind}"] = numbers(rng, kind, LENGTH)
    for kind, scalar in VECTORS.items():
        found[f"out_{kind}"] = numbers(rng, scalar, threads * 3).reshape(threads, 3)
        found[f"in_{kind}"] = numbers(rng, scalar, LENGTH * 3).reshape(LENGTH, 3)
    found["in_2d"] = numbers(rng, "float32", ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    for name in ATOMIC_ARRAYS:
        found[name] = numbers(rng, name.split("_")[1], BINS)
    for kind in ("float32", "float64"):
        found[f"add_{kind}"] = np.zeros(BINS, kind)
    for kind in NUMBERS:
        found[f"strong_{kind}"] = numbers(rng, kind, 1)[0]
    found |= {"weak_int": int(rng.integers(0, 40)), "weak_float": float(rng.integers(-40, 40) / 8)}
    found |= {"bundle_values": numbers(rng, "float32", LENGTH), "n": program.count}
    if program.points is not None:
        found |= grid_data(program.points, threads, rng)
    return found


def grid_data(given: points.Points, threads: int, rng: np.random.Generator) -> dict[str, Any]:
    """The host values of what goes with a grid."""
    found, grid = points.arguments(given, rng)
    found["grid"] = grid
    size = max(given.count, 1) + 1
    for kind in SCALARS:
        found[f"near_{kind}"] = numbers(rng, kind, size)
    found["near_vec3f"] = numbers(rng, "float32", size * 3).reshape(size, 3)
    for kind in PAIRS:
        found[f"pair_{kind}"] = np.zeros((threads, size), kind)
    return found


def numbers(rng: np.random.Generator, kind: str, count: int) -> np.ndarray:
    """Mostly small values, some anywhere, some at the edges of the type."""
    if kind == "bool":
        return rng.random(count) < 0.5
    pick = rng.random(count)
    if kind.startswith("float"):
        with np.errstate(over="ignore"):
            small = rng.normal(0.0, 4.0, count).astype(kind)
            edge = rng.choice(np.array(_FLOAT_EDGES), count).astype(kind)
        return np.where(pick < 0.65, small, edge)
    limits = np.iinfo(kind)
    small = rng.integers(0 if limits.min == 0 else -20, 40, count).astype(kind)
    wide = rng.integers(limits.min, limits.max, count, dtype=kind, endpoint=True)
    edge = rng.choice(np.array([limits.min, limits.max, 0, 1], kind), count)
    return np.where(pick < 0.7, small, np.where(pick < 0.85, wide, edge))


def load(program: Program, folder: Path) -> ModuleType:
    """The program's text as an imported module: the frontend reads kernels from their files."""
    name = f"fuzz_{program.seed}_{next(_serial)}"
    path = folder / f"{name}.py"
    path.write_text(program.text())
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(program: Program, device: hw.Device, folder: Path) -> Results:
    """What the kernel leaves in the arrays that it may write."""
    kernel = load(program, folder).fuzz
    host = data(program)
    sent = {name: upload(device, name, value) for name, value in host.items()}
    scales = (host["weak_float"], host["weak_int"])
    sent["bundle"] = Bundle(sent.pop("bundle_values"), *scales)
    kernel[program.grid, program.block](*(sent[name] for name in parameters(program)))
    written = ("out_", "trace_", "add_", "min_", "max_", "pair_")
    return {n: sent[n].numpy() for n in host if n.startswith(written)}


def upload(device: hw.Device, name: str, value: Any) -> Any:
    if isinstance(value, points.GridSource):
        return value.upload(device)
    if not isinstance(value, np.ndarray):
        return value
    if name.endswith(tuple(VECTORS)):
        return device.array(value, getattr(hw, name.split("_")[1]))
    return device.array(value)


def differences(expected: Results, found: Results) -> list[str]:
    """Where two results differ in any bit; every NaN equals every other."""
    lines = []
    for name, a in expected.items():
        b = found[name]
        same = a == b
        if a.dtype.kind == "f":
            same = (same & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))
        for place in np.argwhere(~same)[:3].tolist():
            lines.append(f"{name}{place}: {a[tuple(place)]!r} expected, {b[tuple(place)]!r} found")
    return lines


@dataclass(frozen=True)
class Failure:
    """`kind` says whether a smaller program fails in the same way."""

    kind: str
    text: str


def check(program: Program, devices: list[tuple[str, hw.Device]], folder: Path) -> Failure | None:
    """None where all devices agree with the first one, which is the oracle."""
    oracle: Results = {}
    for name, device in devices:
        try:
            results = run(program, device, folder)
        except HeadwaterError as error:
            kind = f"{name} {type(error).__name__} {error.message[:40]}"
            return Failure(kind, f"on '{name}': {type(error).__name__}: {error}")
        except Exception as error:  # noqa: BLE001 (a defect of a device is what we look for)
            return Failure(f"{name} {type(error).__name__}", f"on '{name}': {error!r}")
        oracle = oracle or results
        found = differences(oracle, results)
        if found:
            text = "\n".join(found[:8])
            return Failure(f"{name} differs", f"'{name}' differs from '{devices[0][0]}':\n{text}")
    return None


def shrink(
    program: Program, failure: Failure, again: Callable[[Program], Failure | None], tries: int = 400
) -> tuple[Program, Failure]:
    """Drop statements as long as the program fails in the same way."""
    progress = True
    while progress and tries > 0:
        progress = False
        for candidate in smaller(program):
            tries -= 1
            found = again(candidate)
            if found is not None and found.kind == failure.kind:
                program, failure, progress = candidate, found, True
                break
            if tries <= 0:
                break
    return program, failure


def report(program: Program, failure: Failure) -> str:
    """What a failing test prints."""
    return f"seed {program.seed}: {failure.text}\n\n{program.text()}"
