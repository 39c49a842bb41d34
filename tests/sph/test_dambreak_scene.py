"""The dam break's particles: counts, places, constants, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.sph.reference_data import REFERENCE, ROOT

from headwater.errors import DomainError
from headwater.sph import FLUID, Scene, build_scene
from headwater.sph.scenes import dambreak, reference_curve


@pytest.mark.parametrize(
    ("dp", "variant", "fluid", "total"),
    [
        (0.0085, "stretched", 128_310, 170_906),
        (0.0085, "cubic", 128_310, 171_496),
        (0.017, "cubic", 16_146, 26_933),
        (0.02, "cubic", 9_600, 17_132),
        (0.00425, "cubic", 1_026_480, 1_198_122),
    ],
)
def test_counts(dp: float, variant: str, fluid: int, total: int) -> None:
    scene = dambreak(dp, variant)
    assert (scene.fluid_count, len(scene.positions)) == (fluid, total)


@pytest.fixture(scope="module")
def stretched() -> Scene:
    return dambreak()


def test_the_default_is_the_published_one(stretched: Scene) -> None:
    assert (stretched.variant, stretched.spacing) == ("stretched", 0.0085)
    assert dambreak(0.017).variant == "cubic"


def test_constants(stretched: Scene) -> None:
    constants = stretched.parameters
    assert constants.smoothing_length == pytest.approx(0.0147224318643, rel=1e-12)
    assert constants.mass == pytest.approx(0.000614125, rel=1e-12)
    assert constants.stiffness == pytest.approx(164497.530, rel=1e-8)
    assert constants.sound_speed == pytest.approx(33.933504, rel=1e-7)
    cubic = dambreak(variant="cubic").parameters
    assert cubic.stiffness == pytest.approx(162005.143, rel=1e-8)
    assert cubic.sound_speed == pytest.approx(33.675451, rel=1e-7)


def test_particles_are_apart_and_fluid_is_in_its_region(stretched: Scene) -> None:
    steps = np.rint((stretched.positions + 0.05) / (0.0085, 0.0085, 0.561 / 65)).astype(np.int64)
    assert len(np.unique(steps, axis=0)) == len(steps)
    fluid = stretched.positions[stretched.kinds == FLUID]
    region = stretched.parameters.region
    assert (fluid > (region.low.x, region.low.y, region.low.z)).all()
    assert (fluid < (region.high.x, region.high.y, region.high.z)).all()


def test_density_is_hydrostatic(stretched: Scene) -> None:
    fluid = stretched.kinds == FLUID
    z, density = stretched.positions[fluid, 2], stretched.densities[fluid]
    pressure = stretched.parameters.stiffness * ((density / 1000.0) ** 7 - 1.0)
    np.testing.assert_allclose(pressure, 1000.0 * 9.81 * (z.max() - z), atol=1e-6)
    assert (stretched.densities[~fluid] == 1000.0).all()


@pytest.mark.parametrize(
    ("dp", "variant", "said"),
    [
        (0.017, "stretched", "'stretched' exists at the spacing 0.0085 only"),
        (0.0085, "round", "has no variant 'round'"),
        (-0.01, None, "above 0 m"),
        (float("nan"), None, "above 0 m"),
        (0.5, None, "does not suit"),
        (1e-9, None, "does not suit"),
    ],
)
def test_refusals(dp: float, variant: str | None, said: str) -> None:
    with pytest.raises(DomainError, match=said):
        dambreak(dp, variant)


def test_unknown_scene() -> None:
    with pytest.raises(DomainError, match="no scene 'dambrake'; 'dambreak' was expected"):
        build_scene("dambrake")


def test_curves_in_the_package_are_the_reference() -> None:
    for name, dp in (("stretched", 0.0085), ("cubic_dp_0.017", 0.017)):
        curve = reference_curve(dambreak(dp))
        assert curve is not None
        rows = [*REFERENCE[name].get("samples", []), *REFERENCE[name]["curve"]]
        rows.sort(key=lambda row: row["t"])
        np.testing.assert_array_equal(curve.times, [row["t"] for row in rows])
        for column, values in curve.values.items():
            np.testing.assert_array_equal(values, [row[column] for row in rows])
    assert reference_curve(dambreak(0.02)) is None
    assert (ROOT / "validation" / "dambreak" / "README.md").exists()
