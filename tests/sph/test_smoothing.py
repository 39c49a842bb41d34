"""Smoothing kernels: normalised, continuous, and with the gradient that belongs to them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import headwater as hw
from headwater.sph.smoothing import (
    cubic_spline,
    cubic_spline_shape,
    cubic_spline_slope,
    wendland_c2,
    wendland_c2_shape,
    wendland_c2_slope,
)

H = 0.0147


@hw.kernel
def evaluate_cubic_spline(shape, slope, q):
    i = hw.grid(1)
    shape[i] = cubic_spline_shape(q[i])
    slope[i] = cubic_spline_slope(q[i], 1.0 / q[i])


@hw.kernel
def evaluate_wendland_c2(shape, slope, q):
    i = hw.grid(1)
    shape[i] = wendland_c2_shape(q[i])
    slope[i] = wendland_c2_slope(q[i])


KERNELS = pytest.mark.parametrize(
    ("evaluate", "coefficients"),
    [(evaluate_cubic_spline, cubic_spline(H)), (evaluate_wendland_c2, wendland_c2(H))],
    ids=("cubic spline", "Wendland C2"),
)


def values(device, evaluate, coefficients, q):
    """W and F of ∇W = F x_ij at q."""
    arrays = [device.zeros(len(q), hw.float64) for _ in range(2)]
    evaluate.over(len(q))(*arrays, device.array(q))
    shape, slope = (array.numpy() for array in arrays)
    return coefficients.normal * shape, coefficients.gradient * slope


@KERNELS
def test_the_integral_is_one(device, evaluate, coefficients) -> None:
    q = np.linspace(1e-9, 2.0, 2001)
    w, _ = values(device, evaluate, coefficients, q)
    r = q * H
    assert np.trapezoid(4.0 * math.pi * r**2 * w, r) == pytest.approx(1.0, rel=1e-5)
    assert coefficients.inverse_h == pytest.approx(1.0 / H)


@KERNELS
def test_the_gradient_is_the_difference_quotient(device, evaluate, coefficients) -> None:
    step = 1e-6
    q = np.linspace(0.05, 1.95, 77)
    below, _ = values(device, evaluate, coefficients, q - step)
    above, _ = values(device, evaluate, coefficients, q + step)
    _, f = values(device, evaluate, coefficients, q)
    np.testing.assert_allclose(f * q * H, (above - below) / (2.0 * step * H), rtol=1e-6)


@KERNELS
def test_it_vanishes_at_the_support_and_is_smooth_at_one(device, evaluate, coefficients) -> None:
    w, f = values(device, evaluate, coefficients, np.array([2.0, 1.0 - 1e-12, 1.0]))
    assert w[0] == f[0] == 0.0
    assert w[1] == pytest.approx(w[2], rel=1e-9)
    assert f[1] == pytest.approx(f[2], rel=1e-9)
