"""The scheme's kernels against plain NumPy over all pairs, on every device."""

from __future__ import annotations

import numpy as np
import pytest
from tests.sph.oracle import Oracle
from tests.sph.reference_data import heap, oracle_of

import headwater as hw
from headwater.sph import DELTA, MONAGHAN, Scene, WeaklyCompressible, simulate
from headwater.sph.schemes.weakly_compressible import RightHandSide

HEIGHT = 3 * 0.02


def compare(simulation: WeaklyCompressible, oracle: Oracle, tolerance: float) -> None:
    state = simulation.snapshot()
    order = np.argsort(state.ids)
    assert state.ids[order].tolist() == oracle.ids.tolist()
    scale = np.abs(oracle.v).max()
    np.testing.assert_allclose(state.velocities[order], oracle.v, atol=tolerance * scale)
    np.testing.assert_allclose(state.positions[order], oracle.x, atol=tolerance)
    np.testing.assert_allclose(state.densities[order], oracle.rho, rtol=tolerance)


def run(
    device: hw.Device, scene: Scene, steps: int, precision: str, equations: RightHandSide
) -> WeaklyCompressible:
    simulation = simulate(scene, device, precision, equations)
    for _ in range(steps):
        simulation.step()
    return simulation


@pytest.mark.parametrize(
    ("precision", "tolerance"), [("float64", 1e-10), ("float32", 2e-4)], ids=("double", "single")
)
@pytest.mark.parametrize("equations", [MONAGHAN, DELTA], ids=lambda e: e.name)
def test_steps_follow_the_equations(
    device: hw.Device, precision: str, tolerance: float, equations: RightHandSide
) -> None:
    scene = heap()
    delta = scene.parameters.diffusion if equations is DELTA else 0.0
    oracle = oracle_of(scene, HEIGHT, delta)
    simulation = run(device, scene, 3, precision, equations)
    for _ in range(3):
        oracle.step()
    compare(simulation, oracle, tolerance)
    for row, expected in zip(simulation.history(0, 3), oracle.history, strict=True):
        for name, value in expected.items():
            assert getattr(row, name) == pytest.approx(value, rel=max(tolerance, 1e-9), abs=1e-12)


@pytest.mark.compiled
def test_every_fortieth_step_is_an_euler_step(device: hw.Device) -> None:
    scene = heap()
    oracle = oracle_of(scene, HEIGHT)
    simulation = run(device, scene, 43, "float64", MONAGHAN)
    for _ in range(43):
        oracle.step()
    compare(simulation, oracle, 1e-8)


def test_measures(device: hw.Device) -> None:
    scene = heap()
    oracle = oracle_of(scene, HEIGHT)
    simulation = run(device, scene, 2, "float64", MONAGHAN)
    for _ in range(2):
        oracle.step()
    sample = simulation.measure()
    kinetic, potential, front = oracle.energies()
    assert (sample.step, sample.fluid) == (2, scene.fluid_count)
    assert sample.t == pytest.approx(oracle.t, rel=1e-12)
    assert sample.kinetic == pytest.approx(kinetic, rel=1e-9)
    assert sample.potential == pytest.approx(potential, rel=1e-9)
    assert sample.front == pytest.approx(front, rel=1e-9)
    assert sample.v_max == pytest.approx(np.linalg.norm(oracle.v, axis=1).max(), rel=1e-9)
    assert sample.probes == pytest.approx([oracle.probe(p) for p in scene.probes], rel=1e-9)
    assert sample.probes[0] != 0.0
    assert sample.probes[1] == 0.0


@pytest.mark.compiled
def test_fluid_outside_of_its_region_is_removed(device: hw.Device) -> None:
    scene = heap(low=-0.002)
    oracle = oracle_of(scene, HEIGHT)
    simulation = run(device, scene, 60, "float64", MONAGHAN)
    for _ in range(60):
        oracle.step()
    assert 0 < np.count_nonzero(oracle.fluid) < scene.fluid_count
    compare(simulation, oracle, 1e-7)
    assert simulation.measure().fluid == np.count_nonzero(oracle.fluid)


def test_measuring_does_not_change_the_run(device: hw.Device) -> None:
    plain = run(device, heap(), 3, "float32", MONAGHAN)
    watched = simulate(heap(), device)
    for _ in range(3):
        watched.measure()
        watched.snapshot()
        watched.step()
    left, right = plain.snapshot(), watched.snapshot()
    assert left.ids.tolist() == right.ids.tolist()
    assert left.positions.tobytes() == right.positions.tobytes()
    assert left.densities.tobytes() == right.densities.tobytes()
    assert plain.history(0, 3) == watched.history(0, 3)


def test_single_precision_keeps_time(device: hw.Device) -> None:
    """The two-float sum of the time steps is far better than single precision alone."""
    simulation = run(device, heap(), 5, "float32", MONAGHAN)
    rows = simulation.history(0, 5)
    exact = np.cumsum([0.0, *(row.dt for row in rows)])
    times = [*(row.t for row in rows), simulation.clock().time]
    np.testing.assert_allclose(times, exact, rtol=1e-12)


def test_nothing_of_a_step_is_computed_by_numpy(
    device: hw.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    if device.name == "reference":
        pytest.skip("the interpreter itself computes with NumPy")
    simulation = run(device, heap(), 1, "float32", MONAGHAN)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("NumPy was used inside a step")

    for name, value in list(vars(np).items()):
        if callable(value) and not isinstance(value, type) and not name.startswith("_"):
            monkeypatch.setattr(np, name, refuse)
    simulation.step()
    monkeypatch.undo()
    assert simulation.clock().step == 2


@pytest.mark.parametrize("value", [float("nan"), 1e30])
def test_a_blow_up_names_particle_and_step(device: hw.Device, value: float) -> None:
    scene = heap()
    simulation = simulate(scene, device, "float64")
    simulation.step()
    velocities = simulation.particles.velocity.numpy()
    place = simulation.particles.host("id").tolist().index(13)
    velocities[place] = value
    simulation.particles.velocity.write(velocities)
    simulation.step()
    simulation.step()
    fault = simulation.clock().fault
    assert fault is not None
    assert (fault.step, "finite" in fault.what) == (2, True)
    neighbours = np.linalg.norm(scene.positions - scene.positions[13], axis=1) < 4.0 * 0.02
    assert neighbours[fault.particle]


def test_unknown_precision_is_refused(device: hw.Device) -> None:
    with pytest.raises(hw.errors.HeadwaterError, match="no precision 'float16'"):
        simulate(heap(), device, "float16")
