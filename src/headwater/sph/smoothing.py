"""Smoothing kernels W(r) of smoothing length h, support radius 2h, in three dimensions.

Each has two device functions of q = r / h. The value is given as a shape without dimension, so that
W = normal · shape(q); the gradient as the factor F of ∇W = F · x_ij with x_ij = x_i − x_j.
Both are meant for q < 2 only: the neighbour loop yields no other pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import headwater as hw


@dataclass(frozen=True, slots=True)
class SmoothingKernel:
    """The coefficients that a kernel's device functions use; Python floats, so of any precision.

    Attributes:
        inverse_h: 1 / h, in 1/m.
        normal: W = normal · shape(q), in 1/m³.
        gradient: F = gradient · slope(q), in 1/m⁵.
    """

    inverse_h: float
    normal: float
    gradient: float


def cubic_spline(smoothing_length: float) -> SmoothingKernel:
    """The cubic B-spline of Monaghan & Lattanzio (1985), Astron. Astrophys. 149, 135."""
    normal = 1.0 / (math.pi * smoothing_length**3)
    return SmoothingKernel(1.0 / smoothing_length, normal, normal / smoothing_length**2)


@hw.function
def cubic_spline_shape(q):
    """W / normal: 1 − 1.5 q² + 0.75 q³ inside q = 1, 0.25 (2 − q)³ outside."""
    far = 2.0 - q
    return hw.select(q < 1.0, 1.0 + q * q * (0.75 * q - 1.5), 0.25 * far * far * far)


@hw.function
def cubic_spline_slope(q, inverse_q):
    """F / gradient: 2.25 q − 3 inside q = 1, −0.75 (2 − q)² / q outside. Finite at q = 0."""
    far = 2.0 - q
    return hw.select(q < 1.0, 2.25 * q - 3.0, -0.75 * far * far * inverse_q)


def wendland_c2(smoothing_length: float) -> SmoothingKernel:
    """The C2 function of Wendland (1995), Adv. Comput. Math. 4, 389, with support radius 2h."""
    normal = 21.0 / (16.0 * math.pi * smoothing_length**3)
    return SmoothingKernel(1.0 / smoothing_length, normal, normal / smoothing_length**2)


@hw.function
def wendland_c2_shape(q):
    """W / normal: (1 − q/2)⁴ (1 + 2q)."""
    half = 1.0 - 0.5 * q
    square = half * half
    return square * square * (1.0 + 2.0 * q)


@hw.function
def wendland_c2_slope(q):
    """F / gradient: −5 (1 − q/2)³."""
    half = 1.0 - 0.5 * q
    return -5.0 * half * half * half
