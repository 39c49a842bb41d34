"""The dam break's equations in plain NumPy over all pairs: slow, obvious, independent of `headwater.sph`.

Written from the equations of `validation/dambreak/README.md`; shares no code with the product. Double precision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
GRAVITY = 9.81
REST_DENSITY = 1000.0
ALPHA = 0.1


@dataclass
class Oracle:
    """The state after `steps` steps; `low` and `high` bound the region that keeps fluid."""

    x: Floats
    rho: Floats
    fluid: npt.NDArray[np.bool_]
    dp: float
    height: float
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    delta: float = 0.0
    t: float = 0.0
    steps: int = 0
    v: Floats = field(init=False)
    v_prev: Floats = field(init=False)
    rho_prev: Floats = field(init=False)
    ids: npt.NDArray[np.int64] = field(init=False)
    history: list[dict[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.v = np.zeros_like(self.x)
        self.v_prev = self.v.copy()
        self.rho_prev = self.rho.copy()
        self.ids = np.arange(len(self.x))
        self.h = math.sqrt(3.0) * self.dp
        self.mass = REST_DENSITY * self.dp**3
        self.c = 20.0 * math.sqrt(GRAVITY * self.height)
        self.b = self.c**2 * REST_DENSITY / 7.0

    def pressure(self) -> Floats:
        return self.b * ((self.rho / REST_DENSITY) ** 7 - 1.0)

    def w(self, r: Floats | float) -> Floats:
        q = np.asarray(r) / self.h
        a2 = 1.0 / (math.pi * self.h**3)
        near = a2 * (1.0 - 1.5 * q**2 + 0.75 * q**3)
        return np.where(q < 1.0, near, np.where(q < 2.0, 0.25 * a2 * (2.0 - q) ** 3, 0.0))

    def f(self, r: Floats) -> Floats:
        q = r / self.h
        h4 = math.pi * self.h**4
        near = (-3.0 / h4 * q + 2.25 / h4 * q**2) / r
        return np.where(q < 1.0, near, np.where(q < 2.0, -0.75 / h4 * (2.0 - q) ** 2 / r, 0.0))

    def wendland_f(self, r: Floats) -> Floats:
        """−5 α q (1 − q/2)³ / (h r) with α = 21 / (16 π h³)."""
        q = r / self.h
        alpha = 21.0 / (16.0 * math.pi * self.h**3)
        return np.where(q < 2.0, -5.0 * alpha * q * (1.0 - q / 2.0) ** 3 / (self.h * r), 0.0)

    def rates(self) -> tuple[Floats, Floats, float]:
        """Acceleration (n, 3), density's rate (n,), and the largest μ of all pairs (at least 0)."""
        n = len(self.x)
        acceleration = np.tile([0.0, 0.0, -GRAVITY], (n, 1))
        density_rate = np.zeros(n)
        mu_max = 0.0
        p = self.pressure()
        k = np.where(p > 0.0, 0.01, -0.2)
        near = float(self.w(self.h / 1.5))
        for a in range(n):
            d = self.x[a] - self.x
            r2 = np.sum(d * d, axis=1)
            b = np.flatnonzero((r2 < (2.0 * self.h) ** 2) & (r2 >= 1e-16))
            d, r2, r = d[b], r2[b], np.sqrt(r2[b])
            f = self.wendland_f(r) if self.delta else self.f(r)
            xv = np.sum(d * (self.v[a] - self.v[b]), axis=1)
            mu = xv / (r2 + 0.01 * self.h**2)
            mu_max = max(mu_max, float(mu.max(initial=0.0)))
            if not self.fluid[a]:
                b_fluid = self.fluid[b]
                density_rate[a] = np.sum((self.mass * xv * f)[b_fluid])
                continue
            density_rate[a] = np.sum(self.mass * xv * f)
            if self.delta:
                psi = 2.0 * (self.rho[a] - self.rho[b]) / (r2 + 0.01 * self.h**2)
                diffusion = np.sum(self.mass / self.rho[b] * psi * r2 * f)
                density_rate[a] += self.delta * self.h * self.c * diffusion
            mean = 0.5 * (self.rho[a] + self.rho[b])
            pi = np.where(xv < 0.0, -ALPHA * self.c * self.h * mu / mean, 0.0)
            tension = (self.w(r) / near) ** 4 * (
                k[a] * p[a] / self.rho[a] ** 2 + k[b] * p[b] / self.rho[b] ** 2
            )
            if self.delta:
                tension = np.zeros_like(r)
            total = (p[a] + p[b]) / (self.rho[a] * self.rho[b]) + tension + pi
            acceleration[a] -= np.sum((self.mass * total * f)[:, None] * d, axis=0)
        return acceleration, density_rate, mu_max

    def step(self) -> None:
        a, drho, mu_max = self.rates()
        a_max = float(np.sqrt((a * a).sum(axis=1)).max())
        v_max = float(np.sqrt((self.v * self.v).sum(axis=1)).max())
        speed = max(self.c, 10.0 * v_max) + self.h * mu_max
        dt = max(0.2 * min(math.sqrt(self.h / a_max), self.h / speed), 1e-5)
        self.history.append(
            {
                "step": self.steps,
                "t": self.t,
                "dt": dt,
                "a_max": a_max,
                "v_max": v_max,
                "visc_max": mu_max,
                "drho_max": float(np.abs(drho).max()),
            }
        )
        self.steps += 1
        self.t += dt
        self.advance(a, drho, dt, euler=self.steps % 40 == 0)
        self.remove()

    def advance(self, a: Floats, drho: Floats, dt: float, *, euler: bool) -> None:
        v_old, rho_old = self.v, self.rho
        if euler:
            v, rho = v_old + dt * a, rho_old + dt * drho
        else:
            v, rho = self.v_prev + 2.0 * dt * a, self.rho_prev + 2.0 * dt * drho
        self.x = np.where(self.fluid[:, None], self.x + v_old * dt + 0.5 * dt * dt * a, self.x)
        self.v = np.where(self.fluid[:, None], v, 0.0)
        self.rho = np.where(self.fluid, rho, np.maximum(rho, REST_DENSITY))
        self.v_prev, self.rho_prev = v_old, rho_old

    def remove(self) -> None:
        inside = ((self.x >= self.low) & (self.x <= self.high)).all(axis=1)
        keep = ~self.fluid | (inside & (self.rho >= 700.0) & (self.rho <= 1300.0))
        for name in ("x", "v", "v_prev", "rho", "rho_prev", "fluid", "ids"):
            setattr(self, name, getattr(self, name)[keep])

    def energies(self) -> tuple[float, float, float]:
        """Kinetic and potential energy of the fluid in J, and its greatest x in m."""
        v, x = self.v[self.fluid], self.x[self.fluid]
        kinetic = 0.5 * self.mass * float(np.sum(v * v))
        return kinetic, self.mass * GRAVITY * float(np.sum(x[:, 2])), float(x[:, 0].max())

    def probe(self, point: tuple[float, float, float]) -> float:
        """Σ W P m/ρ₀ / Σ W m/ρ₀ over the fluid around the point; 0 where there is none."""
        r = np.sqrt(np.sum((self.x - point) ** 2, axis=1))
        weight = np.where(self.fluid & (r < 2.0 * self.h), self.w(r), 0.0)
        return float(np.sum(weight * self.pressure()) / np.sum(weight)) if weight.any() else 0.0
