"""Python's and NumPy's own functions and types that mean something in a kernel, by identity."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from headwater.frontend import language, mathematics
from headwater.frontend.markers import Intrinsic
from headwater.types import SCALARS, ScalarType, VectorType

Meaning = Intrinsic | ScalarType | VectorType

PRINT = Intrinsic("print")
BREAKPOINT = Intrinsic("breakpoint")

_BUILTINS: dict[object, Meaning] = {
    min: mathematics.min,
    max: mathematics.max,
    abs: mathematics.abs,
    pow: Intrinsic("**"),
    print: PRINT,
    breakpoint: BREAKPOINT,
    **{
        function: Intrinsic(function.__name__)
        for function in (
            *(bool, divmod, float, int, len, range, round),
            *(all, any, enumerate, reversed, sum, zip),
        )
    },
    np.power: Intrinsic("**"),
    math.log: Intrinsic("math.log"),
}
# Functions of `math` that give an integer, where the function of the same name in `hw` gives a float.
_INTEGRAL: dict[object, Meaning] = {
    function: Intrinsic(f"math.{function.__name__}")
    for function in (math.floor, math.ceil, math.trunc)
}
# What NumPy calls otherwise.
_NUMPY_NAMES = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "fabs": "abs",
    "fmax": "max",
    "fmin": "min",
    "float_power": "pow",
    "rad2deg": "degrees",
    "deg2rad": "radians",
    "where": "select",
    "round": "rint",
    "around": "rint",
}
# NumPy's functions of the same name that mean something else.
_NUMPY_OTHERS = frozenset(("select", "remainder"))


def _functions() -> Iterator[tuple[object, Meaning]]:
    names = mathematics.NAMES
    for name, meaning in names.items():
        for module, skipped in ((math, _INTEGRAL), (np, {})):
            found = getattr(module, name, None)
            other = module is np and name in _NUMPY_OTHERS
            if callable(found) and found not in skipped and not other:
                yield found, meaning
    yield math.fabs, mathematics.abs
    for numpy_name, name in _NUMPY_NAMES.items():
        yield getattr(np, numpy_name), names[name]


_TYPES: dict[object, Meaning] = {
    **{scalar.numpy.type: scalar for scalar in SCALARS},
    np.bool_: language.boolean,
}

KNOWN: dict[object, Meaning] = {**dict(_functions()), **_BUILTINS, **_INTEGRAL, **_TYPES}
