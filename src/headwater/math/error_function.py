"""The error function and its complement.

Method: erf(x) = x + x * P(x**2) for abs(x) < 1; else erfc(x) = exp(-x**2) * Q(u) / (x + K) with u = (x - K) / (x + K),
which maps [0, inf) to [-1, 1) (M. M. Shepherd, J. G. Laframboise, Math. Comp. 36 (1981)), and the square as a sum of
two numbers. Minimax polynomials: `python -m validation.mathematics.fits`, fits `erf` and `erfc`.
"""

from __future__ import annotations

import headwater as hw
from headwater.math.exponential import (
    clamped,
    reduced_float32,
    reduced_float64,
    scaled_float32,
    scaled_float64,
)
from headwater.math.pieces import (
    added,
    horner4,
    signed_float32,
    signed_float64,
    two_product,
    two_sum,
)


@hw.function
def erf_near_0_float32(x):
    """erf(x) for abs(x) <= 1."""
    z = x * x
    p1 = horner4(z, 7.806904e-05, -0.0007997853, 0.005187162, -0.026853347)
    p = horner4(z, p1, 0.11283579, -0.37612626, 0.12837917)
    return p * x + x


@hw.function
def erf_near_0_float64(x):
    """erf(x) for abs(x) <= 1."""
    z = x * x
    p3 = horner4(
        z,
        1.4321689253510132e-10,
        -1.6452583032120718e-09,
        1.6010298978503153e-08,
        -1.6556729036612937e-07,
    )
    p2 = horner4(z, p3, 1.6481024671865811e-06, -1.4926879573724475e-05, 0.00012055386125529437)
    p1 = horner4(z, p2, -0.0008548328534256303, 0.005223977652671639, -0.026866170648029646)
    p = horner4(z, p1, 0.11283791670971094, -0.376126389031841, 0.1283791670955126)
    return p * x + x


@hw.function
def centered(x, center):
    """Gives t = 1 / (x + K), u = (x - K) / (x + K), and what t lacks, as a part of it."""
    d, d_low = two_sum(x, center)
    t = 1.0 / d
    error = hw.fma(-t, d, 1.0) - t * d_low
    return t, hw.fma(-2.0 * center, t, 1.0) - 2.0 * center * t * error, error


@hw.function
def erfc_far_float32(x):
    """erfc(x) for 0.63 <= x <= 10.1."""
    square, square_low = two_product(x, x)
    r, e, exponent = reduced_float32(-square)
    t, u, error = centered(x, 2.3125)
    p2 = horner4(u, 0.00021317703, 0.00027125116, -0.0014883126, -0.0019263495)
    p1 = horner4(u, p2, 0.01172542, 0.0032031718, -0.118441224)
    p = horner4(u, p1, 0.39304167, -0.7661567, 1.0437663)
    growth = (e * r + 1.0) * r
    lacking = error - square_low
    falling = added(1.0, added(growth, lacking + lacking * growth))
    return scaled_float32(falling * (p * t), exponent)


@hw.function
def erfc_far_float64(x):
    """erfc(x) for 0.63 <= x <= 27.3."""
    square, square_low = two_product(x, x)
    r, e, exponent = reduced_float64(-square)
    t, u, error = centered(x, 3.078125)
    p7 = horner4(
        u,
        3.0026571882233076e-09,
        -6.417871473083503e-09,
        -1.7869017439607335e-08,
        3.391502317586466e-08,
    )
    p6 = horner4(u, p7, 1.0155958546460336e-07, -1.1087033912565706e-07, -5.902887876494327e-07)
    p5 = horner4(u, p6, 2.921328282520283e-07, 3.456126203433217e-06, -9.168317696964801e-07)
    p4 = horner4(u, p5, -2.1383700133717507e-05, 9.80306867251257e-06, 0.00014193372448726116)
    p3 = horner4(u, p4, -0.00017987605175781782, -0.0008967248485963587, 0.0029929454138100642)
    p2 = horner4(u, p3, 0.0014559214275097433, -0.0354182693038955, 0.13566612346262244)
    p1 = horner4(u, p2, -0.331145341934111, 0.6083993762186729, -0.8932262614540846)
    p = p1 * u + 1.0764090930655679
    growth = (e * r + 1.0) * r
    lacking = error - square_low
    falling = added(1.0, added(growth, lacking + lacking * growth))
    return scaled_float64(falling * (p * t), exponent)


@hw.function
def erf_float32(x):
    """The error function."""
    a = abs(x)
    far = 1.0 - erfc_far_float32(clamped(a, 1.0, 4.0))
    # Below, a part of `erf_near_0_float32` would be subnormal, which devices may take for 0.
    near = hw.select(a < 2.0**-100, 1.1283792 * a, erf_near_0_float32(a))
    return signed_float32(hw.select(a < 1.0, near, far), x)


@hw.function
def erf_float64(x):
    """The error function."""
    a = abs(x)
    far = 1.0 - erfc_far_float64(clamped(a, 1.0, 6.0))
    return signed_float64(hw.select(a < 1.0, erf_near_0_float64(a), far), x)


@hw.function
def erfc_float32(x):
    """1 - erf(x)."""
    a = abs(x)
    far = erfc_far_float32(clamped(a, 0.63, 10.1))
    beyond = hw.select(x < 0.0, 2.0 - far, far)
    return hw.select(a < 0.65, 1.0 - erf_near_0_float32(clamped(x, -1.0, 1.0)), beyond)


@hw.function
def erfc_float64(x):
    """1 - erf(x)."""
    a = abs(x)
    far = erfc_far_float64(clamped(a, 0.63, 27.3))
    beyond = hw.select(x < 0.0, 2.0 - far, far)
    return hw.select(a < 0.65, 1.0 - erf_near_0_float64(clamped(x, -1.0, 1.0)), beyond)
