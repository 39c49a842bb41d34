"""The random neighbour loops: their grids, what the compiler makes of them, and wrong folds they must notice."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fuzz import points
from tests.fuzz.generator import generate
from tests.fuzz.harness import check, run
from tests.fuzz.program import Program

import headwater as hw
from headwater import ir, passes
from headwater.backends.cpu import variance
from headwater.backends.cpu.lanes import LaneEmitter
from headwater.backends.cpu.operations import identity
from headwater.backends.cpu.text import literal, scalar_text
from headwater.particles import CellGrid, Domain, ParticleSet

# Programs stay in memory, so each test here has seeds of its own.
LOWERED = range(20001, 20081, 2)


class _Lowered(Exception):
    """Ends a launch where its kernel is classified."""


def classified(seed: int, device: hw.Device, folder: Path) -> tuple[int, int]:
    """How many neighbour loops of a kernel are free in their order, and how many should be."""
    kernels: list[ir.Kernel] = []

    def stop(kernel: ir.Kernel) -> None:
        classify(kernel)
        kernels.append(kernel)
        raise _Lowered

    classify, notes = passes.classify_reductions, Counter[str]()
    program = generate(seed, notes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "classify_reductions", stop)
        with pytest.raises(_Lowered):
            run(program, device, folder)
    loops = [node for node in ir.walk(kernels[0].body) if isinstance(node, ir.Neighbors)]
    written = sum(notes[f"neighbors {kind}"] for kind in ("reducing", "sequential", "search"))
    if len(loops) != written:
        return 0, 0  # one stands where a condition is known to be false
    return sum(not loop.sequential for loop in loops), notes["neighbors reducing"]


def test_only_loops_that_accumulate_are_free_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER_CACHE", "0")
    device = hw.device("cpu")  # the interpreter keeps its checks, which are effects
    found = {seed: classified(seed, device, tmp_path) for seed in LOWERED}
    assert {seed: pair for seed, pair in found.items() if pair[0] != pair[1]} == {}
    assert sum(number for number, _ in found.values()) > len(LOWERED) / 2


@pytest.mark.parametrize("seed", range(20))
def test_grids_are_those_of_the_library(seed: int) -> None:
    chosen = points.choose(random.Random(seed))
    given = replace(chosen, count=max(chosen.count, 1))  # a set has a place at least
    _, source = points.arguments(given, np.random.default_rng(seed))
    device = hw.device("cpu")
    p = ParticleSet(device, Domain((0, 0, 0), given.edges, given.periodic), given.count)
    p.add(source.positions[: given.count][::-1])
    grid = CellGrid(p, given.cutoff, reach=given.reach)
    grid.update()
    assert grid.cells == source.cells
    np.testing.assert_array_equal(grid.cell_start.numpy(), source.starts)
    for cell, start in enumerate(source.starts[:-1]):
        place = slice(start, source.starts[cell + 1])
        expected, found = source.positions[place], p.host("position")[place]
        np.testing.assert_array_equal(found[::-1], expected)  # the order within a cell is kept


# --- wrong folds ----------------------------------------------------------------------------------

_FOLD = LaneEmitter.fold_lanes


def without_the_last_lane(self: LaneEmitter, vector: str, kind: Any, operation: str) -> str:
    neutral = literal(identity(operation, kind), kind)
    place = f"{scalar_text(kind)} {neutral}, i64 {self.lanes - 1}"
    rest = self.w.value(f"insertelement {self.type(kind)} {vector}, {place}")
    return _FOLD(self, rest, kind, operation)


def minimum_as_maximum(self: LaneEmitter, vector: str, kind: Any, operation: str) -> str:
    return _FOLD(self, vector, kind, "max" if operation == "min" else operation)


def first_lane_only(self: LaneEmitter, vector: str, kind: Any, operation: str) -> str:
    return self.w.value(f"extractelement {self.type(kind)} {vector}, i64 0")


FOLDS: dict[str, Callable[..., str]] = {
    "the last lane is dropped": without_the_last_lane,
    "a minimum is folded as a maximum": minimum_as_maximum,
    "lanes are not folded": first_lane_only,
}


def programs(first: int, construct: str) -> Iterator[Program]:
    """A few kernels that hold a construct whose name begins so."""
    left = 20
    for seed in count(first, 2):
        notes = Counter[str]()
        program = generate(seed, notes)
        if any(name.startswith(construct) for name in notes):
            yield program
            left -= 1
        if left == 0:
            return


def noticed(kernels: Iterator[Program], oracle: hw.Device, folder: Path) -> bool:
    """Whether one differs on the cpu, or fails to compile there."""
    pair = [("reference", oracle), ("cpu", hw.device("cpu", lanes=8))]
    failures = (check(program, pair, folder) for program in kernels)
    return any(failure.kind.startswith("cpu") for failure in failures if failure is not None)


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDS)
def test_a_wrong_fold_is_noticed(
    oracle: hw.Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HEADWATER_CACHE", "0")
    monkeypatch.setattr(LaneEmitter, "fold_lanes", FOLDS[name])
    first = 30001 + 1000 * list(FOLDS).index(name)
    construct = "reduce min" if name == "a minimum is folded as a maximum" else "reduce add"
    assert noticed(programs(first, construct), oracle, tmp_path)


@pytest.mark.slow
def test_inner_loops_whose_exits_are_taken_for_uniform_are_noticed(
    oracle: hw.Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def outside_only(self: variance._Analysis, block: ir.Block, split: bool) -> bool:
        return not self.inside and judged(self, block, split)

    judged = variance._Analysis.varying_exit
    monkeypatch.setenv("HEADWATER_CACHE", "0")
    monkeypatch.setattr(variance._Analysis, "varying_exit", outside_only)
    kernels = programs(40001, "neighbors reducing with divergent jump")
    assert noticed(kernels, oracle, tmp_path)
