"""The names of functions of numbers; where an argument is a vector, they work component by component.

A function of floats computes in the type of its arguments, integers among them in the float type that they meet.
"""

from __future__ import annotations

from headwater.frontend.markers import Intrinsic

# --- choices --------------------------------------------------------------------------------------

select = Intrinsic(
    "select",
    "(condition, a, b) -> a or b",
    "`a` where the condition holds, else `b`; both are evaluated. Two scalars or two vectors, in their joined type.",
)
min = Intrinsic(
    "min",
    "(a, b, ...) -> number",
    "The smallest of two or more, in their joined type; a NaN loses to a number. The builtin means the same.",
)
max = Intrinsic(
    "max",
    "(a, b, ...) -> number",
    "The largest of two or more, in their joined type; a NaN loses to a number. The builtin means the same.",
)
clamp = Intrinsic(
    "clamp",
    "(x, low, high) -> number",
    "min(max(x, low), high): x, kept between two bounds; of a NaN, low.",
)
abs = Intrinsic(
    "abs",
    "(x) -> number",
    "The absolute value, in the type of x. The builtin means the same.",
)

# --- roots and rounding ---------------------------------------------------------------------------

sqrt = Intrinsic(
    "sqrt",
    "(x) -> float",
    "The square root, NaN below zero; in the type of a float x, else in the float type it meets. Also `math.sqrt`.",
)
rsqrt = Intrinsic("rsqrt", "(x) -> float", "1 / sqrt(x).")
cbrt = Intrinsic("cbrt", "(x) -> float", "The cube root, of negative numbers too.")
hypot = Intrinsic("hypot", "(x, y) -> float", "sqrt(x * x + y * y), without overflow on the way.")
fma = Intrinsic(
    "fma",
    "(a, b, c) -> float",
    "a * b + c, rounded once on every device; a device without such an instruction takes long.",
)
floor = Intrinsic(
    "floor",
    "(x) -> float",
    "The largest integral value not above x, as a float. (`math.floor` gives an int32.)",
)
ceil = Intrinsic(
    "ceil",
    "(x) -> float",
    "The smallest integral value not below x, as a float. (`math.ceil` gives an int32.)",
)
trunc = Intrinsic(
    "trunc",
    "(x) -> float",
    "x without its fraction, as a float. (`math.trunc` and `int` give an int32.)",
)
rint = Intrinsic(
    "rint",
    "(x) -> float",
    "The nearest integral value, ties to even, as a float; also `np.round`. (The builtin `round` gives an int32.)",
)
fmod = Intrinsic(
    "fmod", "(x, y) -> float", "The exact remainder of x / y cut off: it has the sign of x."
)
remainder = Intrinsic(
    "remainder",
    "(x, y) -> float",
    "The exact x - n * y, n the integer nearest to x / y (ties to even), as `math.remainder`.",
)

# --- exponentials and logarithms ------------------------------------------------------------------

exp = Intrinsic("exp", "(x) -> float", "e ** x.")
exp2 = Intrinsic("exp2", "(x) -> float", "2 ** x.")
exp10 = Intrinsic("exp10", "(x) -> float", "10 ** x.")
expm1 = Intrinsic("expm1", "(x) -> float", "exp(x) - 1, exact for small x too.")
log = Intrinsic("log", "(x) -> float", "The natural logarithm: -inf at zero, NaN below.")
log2 = Intrinsic("log2", "(x) -> float", "The logarithm to base 2.")
log10 = Intrinsic("log10", "(x) -> float", "The logarithm to base 10.")
log1p = Intrinsic("log1p", "(x) -> float", "log(1 + x), exact for small x too.")
pow = Intrinsic(
    "pow",
    "(x, y) -> float",
    "x ** y as a float, the special cases as in C; the operator ** takes integers too, see Statements.",
)

# --- angles ---------------------------------------------------------------------------------------

sin = Intrinsic("sin", "(x) -> float", "The sine of x in radians.")
cos = Intrinsic("cos", "(x) -> float", "The cosine of x in radians.")
tan = Intrinsic("tan", "(x) -> float", "The tangent of x in radians.")
sincos = Intrinsic("sincos", "(x) -> (float, float)", "sin(x) and cos(x), at the price of one.")
sinpi = Intrinsic("sinpi", "(x) -> float", "sin(pi * x).")
cospi = Intrinsic("cospi", "(x) -> float", "cos(pi * x).")
asin = Intrinsic("asin", "(x) -> float", "The angle from -pi/2 to pi/2 whose sine is x.")
acos = Intrinsic("acos", "(x) -> float", "The angle from 0 to pi whose cosine is x.")
atan = Intrinsic("atan", "(x) -> float", "The angle from -pi/2 to pi/2 whose tangent is x.")
atan2 = Intrinsic("atan2", "(y, x) -> float", "The angle from -pi to pi of the point (x, y).")
sinh = Intrinsic("sinh", "(x) -> float", "The hyperbolic sine.")
cosh = Intrinsic("cosh", "(x) -> float", "The hyperbolic cosine.")
tanh = Intrinsic("tanh", "(x) -> float", "The hyperbolic tangent.")
asinh = Intrinsic("asinh", "(x) -> float", "The inverse of sinh.")
acosh = Intrinsic("acosh", "(x) -> float", "The inverse of cosh; NaN below one.")
atanh = Intrinsic("atanh", "(x) -> float", "The inverse of tanh.")
degrees = Intrinsic("degrees", "(x) -> float", "x * (180 / pi).")
radians = Intrinsic("radians", "(x) -> float", "x * (pi / 180).")

# --- special functions ----------------------------------------------------------------------------

erf = Intrinsic("erf", "(x) -> float", "The error function.")
erfc = Intrinsic("erfc", "(x) -> float", "1 - erf(x), exact for large x too.")
gamma = Intrinsic("gamma", "(x) -> float", "The gamma function.")
lgamma = Intrinsic("lgamma", "(x) -> float", "log(abs(gamma(x))).")

# --- parts of a float -----------------------------------------------------------------------------

isnan = Intrinsic("isnan", "(x) -> bool", "Whether x is no number.")
isinf = Intrinsic("isinf", "(x) -> bool", "Whether x is infinite.")
isfinite = Intrinsic("isfinite", "(x) -> bool", "Whether x is a number and finite.")
copysign = Intrinsic("copysign", "(x, y) -> float", "abs(x) with the sign of y.")
nextafter = Intrinsic("nextafter", "(x, y) -> float", "The next float after x towards y.")
ldexp = Intrinsic("ldexp", "(x, n) -> float", "x * 2 ** n, for an integer n.")
frexp = Intrinsic(
    "frexp",
    "(x) -> (float, int32)",
    "(m, n) with x = m * 2 ** n and 0.5 <= abs(m) < 1; of zero, infinity and NaN (x, 0).",
)
modf = Intrinsic(
    "modf", "(x) -> (float, float)", "The fraction and the integral part, with x's sign."
)

# --- bits -----------------------------------------------------------------------------------------

bitcast = Intrinsic(
    "bitcast",
    "(x, dtype) -> dtype",
    "The bits of x, read as a number of another type of the same width: hw.bitcast(f, hw.uint32).",
)
popc = Intrinsic("popc", "(x) -> int32", "How many bits of an integer are 1.")
clz = Intrinsic("clz", "(x) -> int32", "How many leading bits are 0; the width for 0.")
ffs = Intrinsic(
    "ffs", "(x) -> int32", "The position of the lowest bit that is 1, counted from 1; 0 for 0."
)
brev = Intrinsic("brev", "(x) -> integer", "The bits in reverse order, in the type of x.")
mulhi = Intrinsic(
    "mulhi",
    "(a, b) -> integer",
    "The upper half of the product of two integers of 32 or 64 bits in twice the width.",
)


NAMES: dict[str, Intrinsic] = {
    name: value for name, value in list(globals().items()) if isinstance(value, Intrinsic)
}
