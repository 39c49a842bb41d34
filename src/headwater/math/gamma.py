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
    difference,
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
# What 1 / pi lacks.
ONE_BY_PI_LOW_FLOAT32, ONE_BY_PI_LOW_FLOAT64 = 1.28412765e-08, -1.9678676675182486e-17
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
    """abs(sin(pi a)) / pi for a >= 0 as a sum of two numbers, and whether the sine is negative."""
    k, r = quarters(a)
    z = r * r
    p = horner3(z, -0.1876082, 0.8116275, -1.6449329)
    q = horner4(z, 0.22875471, -1.3347362, 4.0586963, -4.934802)
    rest = p * (z * r)
    s = r + rest
    c = 1.0 + q * z
    c_low = difference(1.0, c) + q * z
    t, error = two_product(c, ONE_BY_PI)
    t_low = error + (c * ONE_BY_PI_LOW_FLOAT32 + c_low * ONE_BY_PI)
    odd = k == 1.0 or k == 3.0
    y = hw.select(odd, t, s)
    low = hw.select(odd, t_low, difference(r, s) + rest)
    negative = (k == 2.0 or k == 3.0) != (y < 0.0)
    return abs(y), hw.select(y < 0.0, -low, low), negative


@hw.function
def sinpi_by_pi_float64(a):
    """abs(sin(pi a)) / pi for a >= 0 as a sum of two numbers, and whether the sine is negative."""
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
    rest = p * (z * r)
    s = r + rest
    c = 1.0 + q * z
    c_low = difference(1.0, c) + q * z
    t, error = two_product(c, ONE_BY_PI)
    t_low = error + (c * ONE_BY_PI_LOW_FLOAT64 + c_low * ONE_BY_PI)
    odd = k == 1.0 or k == 3.0
    y = hw.select(odd, t, s)
    low = hw.select(odd, t_low, difference(r, s) + rest)
    negative = (k == 2.0 or k == 3.0) != (y < 0.0)
    return abs(y), hw.select(y < 0.0, -low, low), negative


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
    s, s_low, negative = sinpi_by_pi_float32(a)
    d, error = two_product(a, s)
    factor, lacking = quotient(
        hw.select(left, w, 1.0),
        hw.select(left, w_low, 0.0),
        hw.select(left, d, w),
        hw.select(left, error + a * s_low, w_low),
    )
    rest = hw.select(left, -low, low) + lacking * LOG2_E
    power, exponent = exp2_parts_float32(hw.select(left, -h, h), rest)
    y = scaled_float32(power * hw.select(left and not negative, -factor, factor), exponent)
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
    s, s_low, negative = sinpi_by_pi_float64(a)
    d, error = two_product(a, s)
    factor, lacking = quotient(
        hw.select(left, w, 1.0),
        hw.select(left, w_low, 0.0),
        hw.select(left, d, w),
        hw.select(left, error + a * s_low, w_low),
    )
    rest = hw.select(left, -low, low) + lacking * LOG2_E
    power, exponent = exp2_parts_float64(hw.select(left, -h, h), rest)
    y = scaled_float64(power * hw.select(left and not negative, -factor, factor), exponent)
    inside = hw.select(a < TINY_FLOAT64, 1.0 / x, hw.select(x > 172.0, INFINITY, y))
    pole = left and hw.trunc(x) == x
    return hw.select(pole or hw.isnan(x), NAN, inside)


@hw.function
def log_of_parts(y, low, ln2_low):
    """(y + low) log 2."""
    return y * LN_2 + (y * ln2_low + low * LN_2)


@hw.function
def lgamma_near_zeros_float32(a, y):
    """log(gamma(a)) next to its zeros 1 and 2, elsewhere y."""
    t = a - 1.0
    p1 = horner4(t, 0.17335552, -0.21169406, 0.27057138, -0.40067098)
    p = horner3(t, p1, 0.822467, -0.5772157)
    u = a - 2.0
    q1 = horner4(u, -0.01082754, 0.020591268, -0.06733879, 0.32246703)
    q = q1 * u + 0.42278433
    at_1 = hw.select(t == 0.0, 0.0, p * t)
    return hw.select(abs(t) < 0.0625, at_1, hw.select(abs(u) < 0.0625, q * u, y))


@hw.function
def lgamma_float32(x):
    """The logarithm of abs(gamma(x)); infinite at 0 and the negative integers."""
    a = abs(x)
    z, z_low, w, w_low = raised_argument(a)
    y, y_low, h, low = log2_gamma_float32(z, z_low)
    g, g_low = log2_parts_float32(w)
    b, b_error = two_sum(y, -g)
    b_low = b_error + ((y_low - g_low) - w_low / w * LOG2_E)
    right = lgamma_near_zeros_float32(a, log_of_parts(b, b_low, LN_2_LOW_FLOAT32))
    huge = a * (((h - LOG2_E) + low) * LN_2)
    s, s_low, _ = sinpi_by_pi_float32(a)
    d, d_error = two_product(a, s)
    m, m_low = log2_parts_float32(d)
    c, c_error = two_sum(b, m)
    c_low = (c_error + (b_low + m_low)) + (d_error + a * s_low) / d * LOG2_E
    left = -log_of_parts(c, c_low, LN_2_LOW_FLOAT32)
    tiny = hw.select(a < TINY_FLOAT32, -log_float32(a), hw.select(x < 0.0, left, right))
    pole = a == INFINITY or (x <= 0.0 and hw.trunc(x) == x)
    inside = hw.select(x > 1.0e20, huge, tiny)
    return hw.select(hw.isnan(x), x, hw.select(pole, INFINITY, inside))


@hw.function
def lgamma_near_zeros_float64(a, y):
    """log(gamma(a)) next to its zeros 1 and 2, elsewhere y."""
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
    at_1 = hw.select(t == 0.0, 0.0, p * t)
    return hw.select(abs(t) < 0.0625, at_1, hw.select(abs(u) < 0.0625, q * u, y))


@hw.function
def lgamma_float64(x):
    """The logarithm of abs(gamma(x)); infinite at 0 and the negative integers."""
    a = abs(x)
    z, z_low, w, w_low = raised_argument(a)
    y, y_low, h, low = log2_gamma_float64(z, z_low)
    g, g_low = log2_parts_float64(w)
    b, b_error = two_sum(y, -g)
    b_low = b_error + ((y_low - g_low) - w_low / w * LOG2_E)
    right = lgamma_near_zeros_float64(a, log_of_parts(b, b_low, LN_2_LOW_FLOAT64))
    huge = a * (((h - LOG2_E) + low) * LN_2)
    s, s_low, _ = sinpi_by_pi_float64(a)
    d, d_error = two_product(a, s)
    m, m_low = log2_parts_float64(d)
    c, c_error = two_sum(b, m)
    c_low = (c_error + (b_low + m_low)) + (d_error + a * s_low) / d * LOG2_E
    left = -log_of_parts(c, c_low, LN_2_LOW_FLOAT64)
    tiny = hw.select(a < TINY_FLOAT64, -log_float64(a), hw.select(x < 0.0, left, right))
    pole = a == INFINITY or (x <= 0.0 and hw.trunc(x) == x)
    inside = hw.select(x > 1.0e20, huge, tiny)
    return hw.select(hw.isnan(x), x, hw.select(pole, INFINITY, inside))
