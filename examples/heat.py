"""Heat spreads in a plate whose edges are kept cold: explicit steps on two arrays that change places.

Run it with `python examples/heat.py`; HEADWATER_DEVICE names another device.
"""

import numpy as np
import numpy.typing as npt

import headwater as hw


@hw.kernel
def spread(new, old, c):
    """One step; c = diffusivity * dt / dx**2, at most 0.25. Arrays are [y, x], threads (x, y)."""
    x, y = hw.grid(2)
    ny, nx = old.shape
    here = old[y, x]
    if 0 < x < nx - 1 and 0 < y < ny - 1:
        around = old[y, x - 1] + old[y, x + 1] + old[y - 1, x] + old[y + 1, x]
        here += c * (around - 4.0 * here)
    new[y, x] = here


def simulate(
    device: hw.Device, start: npt.NDArray[np.float32], c: float, steps: int
) -> npt.NDArray[np.float32]:
    """The temperature after some steps, on a device."""
    ny, nx = start.shape
    old, new = device.array(start), device.empty((ny, nx))
    for _ in range(steps):
        spread.over((nx, ny))(new, old, c)  # x first; nothing waits between the steps
        old, new = new, old
    return old.numpy()


def simulate_numpy(start: npt.NDArray[np.float32], c: float, steps: int) -> npt.NDArray[np.float64]:
    """The same in NumPy and double precision."""
    t = start.astype(np.float64)
    for _ in range(steps):
        around = t[1:-1, :-2] + t[1:-1, 2:] + t[:-2, 1:-1] + t[2:, 1:-1]
        t[1:-1, 1:-1] += c * (around - 4.0 * t[1:-1, 1:-1])
    return t


def main(device: hw.Device, nx: int = 300, ny: int = 200, steps: int = 500) -> None:
    """Compare with NumPy."""
    start = np.zeros((ny, nx), np.float32)
    start[ny // 4 : ny // 2, nx // 4 : nx // 2] = 100.0
    found = simulate(device, start, 0.2, steps)
    difference = np.abs(found - simulate_numpy(start, 0.2, steps)).max()
    print(f"{device.name}: {nx} x {ny} points, {steps} steps; off by at most {difference:.1e}")
    assert difference < 1e-3


if __name__ == "__main__":
    main(hw.device())
