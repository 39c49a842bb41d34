"""The gamma function and its logarithm.

Method: Stirling's formula log2 gamma(z) = (z - 1/2) log2 z - z log2 e + log2 sqrt(2 pi) + S(1 / z**2) / z for z >= 8,
as a sum of two numbers (P. Henrici, Applied and Computational Complex Analysis, vol. 2, section 11.11); below, z = x
+ 8 and the product x (x + 1) ... (x + 7) = w (w + 6) (w + 10) (w + 12) with w = x (x + 7); for x < 0 the reflection
gamma(-a) gamma(a) = -pi / (a sin(pi a)). Next to its zeros 1 and 2 the logarithm is a polynomial. Minimax
polynomials: `python -m validation.mathematics.fits`, fits `stirling`, `sinpi_by_pi`, `lgamma_near_1` and
`lgamma_near_2`.
"""

from __future__ import annotations

import math

import headwater as hw
from headwater.math.exponential import scaled_float32, scaled_float64
from headwater.math.logarithm import log_float32, log_float64
from headwater.math.pieces import (
    horner3,
    horner4,
    quick_two_sum,
    two_product,
    two_sum,
)
from headwater.math.power import (
    exp2_parts_float32,
    exp2_parts_float64,
    log2_parts_float32,
    log2_parts_float64,
)
from headwater.math.trigonometric import quarters

NAN, INFINITY = math.nan, math.inf
ONE_BY_PI, LN_2, LOG2_E = 1 / math.pi, math.log(2.0), 1.4426950408889634
# What log(2), rounded to the type, lacks.
LN_2_LOW_FLOAT32, LN_2_LOW_FLOAT64 = -1.9046542e-09, 2.3190468138462996e-17
# Below it, gamma(x) is 1 / x.
TINY_FLOAT32, TINY_FLOAT64 = 2.9802322e-08, 5.5511151231257827e-17


@hw.function
def product_of_parts(a, a_low, b, b_low):
    """(a + a_low) * (b + b_low) as a sum of two numbers."""
    y, error = two_product(a, b)
    return quick_two_sum(y, error + (a * b_low + a_low * b))


@hw.function
def raised(w, w_low, step):
    """Gives w + w_low + step as a sum of two numbers."""
    y, error = two_sum(w, step)
    return y, error + w_low


@hw.function
def rising_product(x):
    """Gives x (x + 1) ... (x + 7) for x >= 0, as a sum of two numbers."""
    b, b_low = two_sum(x, 7.0)
    w, w_low = product_of_parts(x, 0.0, b, b_low)
    c, c_low = raised(w, w_low, 6.0)
    p, p_low = product_of_parts(w, w_low, c, c_low)
    d, d_low = raised(w, w_low, 10.0)
    e, e_low = raised(w, w_low, 12.0)
    q, q_low = product_of_parts(d, d_low, e, e_low)
    return product_of_parts(p, p_low, q, q_low)


@hw.function
def stirling_sum(z, h, low, log2_e, log2_e_low, constant, rest):
    """(z - 1/2) log2 z - z log2 e + constant + rest as a sum of two numbers, where log2 z = h + low."""
    m, m_low = quick_two_sum(z, -0.5)
    a, a_error = two_product(m, h)
    b, b_error = two_product(z, -log2_e)
    total, error = quick_two_sum(a, b)
    a_low = a_error + (m * low + m_low * h)
    y, y_error = two_sum(total, constant)
    return quick_two_sum(y, (y_error + error) + ((a_low + (b_error - z * log2_e_low)) + rest))


@hw.function
def log2_gamma_float32(z, z_low):
    """log2 gamma(z + z_low) for z >= 8, as a sum of two numbers, and log2(z) as another."""
    h, low = log2_parts_float32(z)
    inverse = 1.0 / z
    v = inverse * inverse
    p = horner3(v, 0.0011537857, -0.004007829, 0.12022459)
    # The slope of log2 gamma is log2 z - log2 e / (2 z) and a little.
    rest = p * inverse + (z_low * (h - 0.72134752 * inverse) - 2.1239488e-08)
    y, y_low = stirling_sum(z, h, low, 1.442695, 1.925963e-08, 1.3257481, rest)
    return y, y_low, h, low


@hw.function
def log2_gamma_float64(z, z_low):
    """As `log2_gamma_float32`."""
    h, low = log2_parts_float64(z)
    inverse = 1.0 / z
    v = inverse * inverse
    p2 = horner4(
        v, 0.19770647238808642, -0.003498680299421693, -0.0024951827267187866, 0.001211514035523691
    )
    p1 = horner4(v, p2, -0.0008587313677105659, 0.0011449960234496477, -0.004007486224651842)
    p = p1 * v + 0.12022458674074694
    rest = p * inverse + (z_low * (h - 0.7213475204444817 * inverse) - 7.153413670427599e-17)
    y, y_low = stirling_sum(
        z, h, low, 1.4426950408889634, 2.0355273740931033e-17, 1.3257480647361595, rest
    )
    return y, y_low, h, low


@hw.function
def raised_argument(a):
    """z, its rest, the product w and its rest that lead from a >= 0 to z >= 8: gamma(a) = gamma(z) / w."""
    small = a < 8.0
    z, z_low = two_sum(a, 8.0)
    w, w_low = rising_product(hw.select(small, a, 1.0))
    near, near_low = hw.select(small, z, a), hw.select(small, z_low, 0.0)
    return near, near_low, hw.select(small, w, 1.0), hw.select(small, w_low, 0.0)


@hw.function
def sinpi_by_pi_float32(a):
    """sin(pi a) / pi for a >= 0."""
    k, r = quarters(a)
    z = r * r
    p = horner3(z, -0.1876082, 0.8116275, -1.6449329)
    q = horner4(z, 0.22875471, -1.3347362, 4.0586963, -4.934802)
    y = hw.select(k == 1.0 or k == 3.0, (q * z + 1.0) * ONE_BY_PI, p * (z * r) + r)
    return hw.select(k == 2.0 or k == 3.0, -y, y)


@hw.function
def sinpi_by_pi_float64(a):
    """sin(pi a) / pi for a >= 0."""
    k, r = quarters(a)
    z = r * r
    p1 = horner4(
        z, 0.00014692145311291053, -0.0023459531884754297, 0.02614784247470051, -0.19075182400902949
    )
    p = horner3(z, p1, 0.8117424252822519, -1.6449340668482229)
    q1 = horner4(
        z, -0.00010298034423306627, 0.001929340175514922, -0.025806875174877536, 0.2353306297621061
    )
    q = horner4(z, q1, -1.3352627688430896, 4.058712126416665, -4.934802200544679)
    y = hw.select(k == 1.0 or k == 3.0, (q * z + 1.0) * ONE_BY_PI, p * (z * r) + r)
    return hw.select(k == 2.0 or k == 3.0, -y, y)


@hw.function
def quotient(a, a_low, b, b_low):
    """(a + a_low) / (b + b_low), rounded, and what this lacks as a part of it."""
    y = a / b
    return y, (hw.fma(-y, b, a) + (a_low - y * b_low)) / a


@hw.function
def gamma_float32(x):
    """The gamma function; NaN at the negative integers, infinite at 0."""
    a = abs(x)
    z, z_low, w, w_low = raised_argument(a)
    h, low, _, _ = log2_gamma_float32(z, z_low)
    left = x < 0.0
    d, d_low = two_product(a, sinpi_by_pi_float32(a))
    factor, missing = quotient(
        hw.select(left, -w, 1.0),
        hw.select(left, -w_low, 0.0),
        hw.select(left, d, w),
        hw.select(left, d_low, w_low),
    )
    power, exponent = exp2_parts_float32(hw.select(left, -h, h), hw.select(left, -low, low))
    product = power * factor
    y = scaled_float32(product + product * missing, exponent)
    inside = hw.select(a < TINY_FLOAT32, 1.0 / x, hw.select(x > 172.0, INFINITY, y))
    pole = left and hw.trunc(x) == x
    return hw.select(pole or hw.isnan(x), NAN, inside)


@hw.function
def gamma_float64(x):
    """The gamma function; NaN at the negative integers, infinite at 0."""
    a = abs(x)
    z, z_low, w, w_low = raised_argument(a)
    h, low, _, _ = log2_gamma_float64(z, z_low)
    left = x < 0.0
    d, d_low = two_product(a, sinpi_by_pi_float64(a))
    factor, missing = quotient(
        hw.select(left, -w, 1.0),
        hw.select(left, -w_low, 0.0),
        hw.select(left, d, w),
        hw.select(left, d_low, w_low),
    )
    power, exponent = exp2_parts_float64(hw.select(left, -h, h), hw.select(left, -low, low))
    product = power * factor
    y = scaled_float64(product + product * missing, exponent)
    inside = hw.select(a < TINY_FLOAT64, 1.0 / x, hw.select(x > 172.0, INFINITY, y))
    pole = left and hw.trunc(x) == x
    return hw.select(pole or hw.isnan(x), NAN, inside)


@hw.function
def lgamma_positive_float32(a):
    """log(gamma(a)) for a > 0."""
    z, z_low, w, w_low = raised_argument(a)
    y, y_low, h, low = log2_gamma_float32(z, z_low)
    g, g_low = log2_parts_float32(w)
    d, error = two_sum(y, -g)
    rest = error + ((y_low - g_low) - w_low / w * LOG2_E)
    middle = d * LN_2 + (d * LN_2_LOW_FLOAT32 + rest * LN_2)
    huge = a * (((h - LOG2_E) + low) * LN_2)
    t = a - 1.0
    p1 = horner4(t, 0.17335552, -0.21169406, 0.27057138, -0.40067098)
    p = horner3(t, p1, 0.822467, -0.5772157)
    u = a - 2.0
    q1 = horner4(u, -0.01082754, 0.020591268, -0.06733879, 0.32246703)
    q = q1 * u + 0.42278433
    near = hw.select(abs(t) < 0.0625, p * t, hw.select(abs(u) < 0.0625, q * u, middle))
    return hw.select(a > 1.0e20, huge, near)


@hw.function
def lgamma_positive_float64(a):
    """log(gamma(a)) for a > 0."""
    z, z_low, w, w_low = raised_argument(a)
    y, y_low, h, low = log2_gamma_float64(z, z_low)
    g, g_low = log2_parts_float64(w)
    d, error = two_sum(y, -g)
    rest = error + ((y_low - g_low) - w_low / w * LOG2_E)
    middle = d * LN_2 + (d * LN_2_LOW_FLOAT64 + rest * LN_2)
    huge = a * (((h - LOG2_E) + low) * LN_2)
    t = a - 1.0
    p3 = horner4(
        t, -0.09152759378447715, 0.10097174780480206, -0.11133389076611447, 0.12550642098610362
    )
    p2 = horner4(t, p3, -0.14404989041700167, 0.16955718209924145, -0.20738555104714745)
    p1 = horner4(t, p2, 0.2705808084248035, -0.40068563438651383, 0.8224670334241135)
    p = p1 * t - 0.5772156649015329
    u = a - 2.0
    q2 = horner4(
        u,
        9.681727857795623e-05,
        -0.00022627717106159226,
        0.0005096926546380332,
        -0.0011927314247749097,
    )
    q1 = horner4(u, q2, 0.0028905102665775593, -0.0073855510820172035, 0.020580808427847437)
    q = horner4(u, q1, -0.06735230105315708, 0.3224670334241132, 0.42278433509846713)
    near = hw.select(abs(t) < 0.0625, p * t, hw.select(abs(u) < 0.0625, q * u, middle))
    return hw.select(a > 1.0e20, huge, near)


@hw.function
def lgamma_float32(x):
    """The logarithm of abs(gamma(x)); infinite at 0 and the negative integers."""
    a = abs(x)
    y = lgamma_positive_float32(a)
    mirrored = -log_float32(abs(a * sinpi_by_pi_float32(a))) - y
    inside = hw.select(a < TINY_FLOAT32, -log_float32(a), hw.select(x < 0.0, mirrored, y))
    pole = a == INFINITY or (x <= 0.0 and hw.trunc(x) == x)
    return hw.select(hw.isnan(x), x, hw.select(pole, INFINITY, inside))


@hw.function
def lgamma_float64(x):
    """The logarithm of abs(gamma(x)); infinite at 0 and the negative integers."""
    a = abs(x)
    y = lgamma_positive_float64(a)
    mirrored = -log_float64(abs(a * sinpi_by_pi_float64(a))) - y
    inside = hw.select(a < TINY_FLOAT64, -log_float64(a), hw.select(x < 0.0, mirrored, y))
    pole = a == INFINITY or (x <= 0.0 and hw.trunc(x) == x)
    return hw.select(hw.isnan(x), x, hw.select(pole, INFINITY, inside))
