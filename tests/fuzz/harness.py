"""Runs generated kernels on devices and compares what they leave, bit for bit."""

from __future__ import annotations

import importlib.util
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from tests.fuzz import points
from tests.fuzz.expressions import COLUMNS, FOUR, LENGTH, ROWS
from tests.fuzz.generator import parameters
from tests.fuzz.neighbors import near, pairs
from tests.fuzz.palette import VECTORS, size
from tests.fuzz.program import Program, smaller
from tests.fuzz.statements import ATOMIC_ARRAYS, BINS, SLOTS

import headwater as hw
from headwater.errors import CapabilityError, HeadwaterError

Results = dict[str, np.ndarray]
_serial = itertools.count()
# How many kernels each device has refused, as it lacks what they need.
refused: Counter[str] = Counter()

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
    types = program.palette
    found: dict[str, Any] = {}
    for kind in types.scalars:
        found[f"out_{kind}"] = numbers(rng, kind, threads)
        found[f"trace_{kind}"] = np.zeros((threads, SLOTS), kind)
        found[f"in_{kind}"] = numbers(rng, kind, LENGTH)
    for kind in types.vectors:
        found[f"out_{kind}"] = elements(rng, kind, threads)
        found[f"in_{kind}"] = elements(rng, kind, LENGTH)
    found["in_2d"] = numbers(rng, "float32", ROWS * COLUMNS).reshape(ROWS, COLUMNS)
    found["in_4d"] = numbers(rng, "float32", math.prod(FOUR)).reshape(FOUR)
    with np.errstate(over="ignore"):
        found["in_float16"] = numbers(rng, "float32", LENGTH).astype("float16")
        found["out_float16"] = numbers(rng, "float32", threads).astype("float16")
    if program.record:
        found["in_record"] = records(rng, program, BINS)
        found["out_record"] = records(rng, program, threads)
    for name in ATOMIC_ARRAYS:
        if name.split("_")[1] in types.words:
            found[name] = numbers(rng, name.split("_")[1], BINS)
    for kind in types.floats:
        found[f"add_{kind}"] = np.zeros(BINS, kind)
    for kind in types.numbers:
        found[f"strong_{kind}"] = numbers(rng, kind, 1)[0]
    found |= {"weak_int": int(rng.integers(0, 40)), "weak_float": float(rng.integers(-40, 40) / 8)}
    found |= {"bundle_values": numbers(rng, "float32", LENGTH), "n": program.count}
    found |= {"pair": (found["weak_float"], found["weak_int"]), "fixed": program.fixed}
    if program.points is not None:
        found |= grid_data(program, program.points, rng)
    return found


def elements(rng: np.random.Generator, kind: str, count: int) -> np.ndarray:
    """Values of any type, vectors with an axis for their components."""
    if kind not in VECTORS:
        return numbers(rng, kind, count)
    return numbers(rng, VECTORS[kind], count * size(kind)).reshape(count, size(kind))


def records(rng: np.random.Generator, program: Program, count: int) -> np.ndarray:
    """A structured array with the fields of the kernel's struct."""
    values = {name: elements(rng, kind, count) for name, kind in program.record}
    fields = [(name, value.dtype, value.shape[1:]) for name, value in values.items()]
    made = np.zeros(count, np.dtype(fields))
    for name, value in values.items():
        made[name] = value
    return made


def grid_data(program: Program, given: points.Points, rng: np.random.Generator) -> dict[str, Any]:
    """The host values of what goes with a grid."""
    found, grid = points.arguments(given, rng)
    found["grid"] = grid
    places = max(given.count, 1) + 1
    for kind in near(program.palette):
        found[f"near_{kind}"] = elements(rng, kind, places)
    for kind in pairs(program.palette):
        found[f"pair_{kind}"] = np.zeros((program.threads, places), kind)
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
    module = load(program, folder)
    host = data(program)
    sent = {name: upload(device, name, value, program, module) for name, value in host.items()}
    scales = (host["weak_float"], host["weak_int"])
    sent["bundle"] = Bundle(sent.pop("bundle_values"), *scales)
    shared = (None, program.shared_bytes) if program.shared_bytes else ()
    kernel = module.fuzz[program.grid, program.block, *shared]
    kernel(*(sent[name] for name in parameters(program)))
    return {n: sent[n].numpy() for n in host if n.startswith(_WRITTEN)}


_WRITTEN = ("out_", "trace_", "pair_", *(f"{name.split('_')[0]}_" for name in ATOMIC_ARRAYS))


def upload(device: hw.Device, name: str, value: Any, program: Program, module: ModuleType) -> Any:
    """The argument as the kernel takes it; what is `strided` as a view with gaps."""
    if isinstance(value, points.GridSource):
        return value.upload(device)
    if not isinstance(value, np.ndarray):
        return value
    if name.endswith("_record"):
        return device.array(value, module.Record)
    kind = name.partition("_")[2]
    dtype = (getattr(hw, kind),) if kind in VECTORS else ()
    if name not in program.strided:
        return device.array(value, *dtype)
    if name == "in_2d":
        return device.array(np.ascontiguousarray(value.T)).T
    return device.array(np.repeat(value, 2, axis=0), *dtype)[1::2]


def differences(expected: Results, found: Results) -> list[str]:
    """Where two results differ in any bit; every NaN equals every other."""
    lines = []
    for name, a, b in _plain(expected, found):
        same = a == b
        if a.dtype.kind == "f":
            same = (same & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))
        for place in np.argwhere(~same)[:3].tolist():
            lines.append(f"{name}{place}: {a[tuple(place)]!r} expected, {b[tuple(place)]!r} found")
    return lines


def _plain(expected: Results, found: Results) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Pairs of arrays, the fields of structs one by one."""
    for name, a in expected.items():
        b = found[name]
        if a.dtype.names is None:
            yield name, a, b
            continue
        for part in a.dtype.names:
            yield f"{name}.{part}", a[part], b[part]


@dataclass(frozen=True)
class Failure:
    """On the device `name`; `kind` says whether a smaller program fails in the same way."""

    name: str
    kind: str
    text: str

    def pair(self, devices: list[tuple[str, hw.Device]]) -> list[tuple[str, hw.Device]]:
        """The oracle and the device that failed: enough to see it again."""
        return [devices[0], *(entry for entry in devices[1:] if entry[0] == self.name)]


def check(program: Program, devices: list[tuple[str, hw.Device]], folder: Path) -> Failure | None:
    """None where all devices agree with the first one, which is the oracle."""
    oracle: Results = {}
    for name, device in devices:
        try:
            results = run(program, device, folder)
        except CapabilityError:
            # What a device declares not to have is no defect of it.
            refused[name] += 1
            continue
        except HeadwaterError as error:
            kind = f"{name} {type(error).__name__} {error.message[:40]}"
            return Failure(name, kind, f"on '{name}': {type(error).__name__}: {error}")
        except Exception as error:  # noqa: BLE001 (a defect of a device is what we look for)
            return Failure(name, f"{name} {type(error).__name__}", f"on '{name}': {error!r}")
        oracle = oracle or results
        found = differences(oracle, results)
        if found:
            text = "\n".join(found[:8])
            return Failure(
                name, f"{name} differs", f"'{name}' differs from '{devices[0][0]}':\n{text}"
            )
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
