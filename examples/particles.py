"""Soft spheres in a periodic box: velocity Verlet steps, forces from the neighbour loop, the energy printed.

Run it with `python examples/particles.py`; HEADWATER_DEVICE names another device.
"""

import numpy as np

import headwater as hw
from headwater.particles import CellGrid, Domain, ParticleSet

BOX, DIAMETER, STIFFNESS, DT = 8.0, 1.0, 100.0, 0.004  # the mass is 1


@hw.kernel
def move(p):
    """Half a kick, then the whole drift."""
    i = hw.grid(1)
    p.velocity[i] += 0.5 * DT * p.force[i]
    p.position[i] += DT * p.velocity[i]


@hw.kernel
def find_forces(p, grid):
    """Springs between spheres that overlap; a pair's energy is shared by the two."""
    i = hw.grid(1)
    force, energy = hw.vec3(0.0, 0.0, 0.0), 0.0
    for _j, x_ij, r2 in grid.neighbors(i):
        r = hw.sqrt(r2)
        overlap = DIAMETER - r
        force += (STIFFNESS * overlap / max(r, 1e-6)) * x_ij
        energy += 0.25 * STIFFNESS * overlap**2
    p.force[i] = force
    p.energy[i] = energy


@hw.kernel
def kick(p):
    """The other half of the kick; the energy gets its kinetic part."""
    i = hw.grid(1)
    p.velocity[i] += 0.5 * DT * p.force[i]
    p.energy[i] += 0.5 * hw.dot(p.velocity[i], p.velocity[i])


def potential(x: np.ndarray) -> float:
    """The potential energy by all pairs, in double precision."""
    d = x[:, None].astype(np.float64) - x[None]
    r = np.sqrt(((d - BOX * np.round(d / BOX)) ** 2).sum(axis=2))
    return float(0.25 * STIFFNESS * ((DIAMETER - r[(r < DIAMETER) & (r > 0)]) ** 2).sum())


def main(device: hw.Device, n: int = 600, steps: int = 500) -> None:
    """Compare the first forces with NumPy, then see that energy and momentum stay."""
    random = np.random.default_rng(3)
    domain = Domain((0, 0, 0), (BOX, BOX, BOX), periodic=(True, True, True))
    fields = {"velocity": hw.vec3f, "force": hw.vec3f, "energy": hw.float32}
    p = ParticleSet(device, domain, n, fields)
    velocity = random.standard_normal((n, 3), np.float32)
    p.add(random.random((n, 3), np.float32) * BOX, velocity=velocity)
    grid = CellGrid(p, DIAMETER)

    grid.update()
    find_forces.over(p.count, capacity=n)(p, grid)
    expected = potential(p.host("position"))
    assert abs(p.host("energy").sum() - expected) < 1e-4 * expected
    energies = []
    for step in range(1, steps + 1):
        move.over(p.count, capacity=n)(p)
        grid.update()  # particles moved: sort them again
        find_forces.over(p.count, capacity=n)(p, grid)
        kick.over(p.count, capacity=n)(p)
        if step in (1, steps):
            energies.append(hw.primitives.reduce("sum", p.energy, count=p.count).numpy()[0])
            print(f"{device.name}: step {step}, energy {energies[-1]:.4f}")
    assert abs(energies[-1] - energies[0]) < 0.01 * energies[0]
    assert np.allclose(p.host("velocity").sum(axis=0), velocity.sum(axis=0), atol=0.05)


if __name__ == "__main__":
    main(hw.device())
