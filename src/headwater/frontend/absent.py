"""Names that people know from Python, NumPy and other kernel languages, and that this language does not have."""

from __future__ import annotations

import difflib
from types import ModuleType

from headwater.frontend import language

_PACKAGE = __name__.partition(".")[0]

_LOOP = "write a loop"
_GLOBAL = "a function of a grid of blocks does not exist: end the kernel and launch the next one"
# What to write instead, by the name that people ask for.
_HINTS: dict[str, str | None] = {
    # Python
    "sorted": "hw.primitives.sort sorts arrays",
    "map": _LOOP,
    "filter": _LOOP,
    "complex": "keep the two parts in a vec2",
    "isinstance": "compare dtypes: x.dtype == hw.float32",
    "type": "compare dtypes: x.dtype == hw.float32",
    "str": "print takes numbers as they are",
    "format": "print takes numbers as they are",
    "list": "a list of fixed length is hw.local.array(n, dtype)",
    "dict": None,
    "set": None,
    "tuple": "write (a, b)",
    "input": "pass values as arguments",
    "open": "pass values as arguments",
    # math
    "comb": None,
    "dist": "write hw.length(a - b)",
    "factorial": "write hw.gamma(n + 1), or a loop",
    "fsum": "add up in a loop",
    "gcd": _LOOP,
    "isclose": "compare abs(a - b) with a bound",
    "isqrt": "write int(hw.sqrt(n))",
    "lcm": _LOOP,
    "perm": None,
    "prod": "multiply in a loop",
    "sumprod": "add up in a loop",
    "ulp": "write hw.nextafter(x, math.inf) - x",
    # NumPy
    "array": "make it outside and pass it; an array of one thread is hw.local.array(n, dtype)",
    "clip": "write hw.clamp(x, low, high): of a NaN it gives low",
    "dot": "write hw.dot for vectors, a loop for arrays",
    "matmul": _LOOP,
    "maximum": "write hw.max or np.fmax: a NaN loses to a number",
    "minimum": "write hw.min or np.fmin: a NaN loses to a number",
    "mod": "write a % b",
    "remainder": "write a % b",
    "floor_divide": "write a // b",
    "mean": "hw.primitives.reduce sums arrays",
    "sign": "write hw.select(x > 0, 1, hw.select(x < 0, -1, 0))",
    "square": "write x * x",
    "zeros": "an array of one thread is hw.local.array(n, dtype), one of a block hw.shared.array(n, dtype)",
    "empty": "an array of one thread is hw.local.array(n, dtype), one of a block hw.shared.array(n, dtype)",
    "random": "hw.random has random numbers that are the same on every device",
    "rand": "hw.random has random numbers that are the same on every device",
    "uniform": "hw.random has random numbers that are the same on every device",
    # other kernel languages
    "round": "write hw.rint(x) for a float, round(x) for an int32",
    "selp": "write hw.select(condition, a, b)",
    "nanosleep": None,
    "clock": None,
    "cg": _GLOBAL,
    "this_grid": _GLOBAL,
    "vote_sync_intrinsic": "write hw.all_sync, hw.any_sync or hw.ballot_sync",
    "fp16": "float16 is a dtype of arrays; kernels compute in float32",
    "nanmax": "hw.atomic.max does not keep a NaN either",
    "nanmin": "hw.atomic.min does not keep a NaN either",
}
# Modules whose functions are not those of the user.
_FOREIGN = ("builtins", "math", "cmath", "random", "time", "itertools", "functools", "numpy")

Explanation = tuple[str, str | None]


def explain_object(shown: str, value: object) -> Explanation | None:
    """What to say and to hint of an object from outside the kernel, such as `math.gcd` or `sum`; None for others."""
    module = str(getattr(value, "__module__", None) or getattr(type(value), "__module__", ""))
    bound = getattr(value, "__self__", None)
    if bound is not None and not isinstance(bound, ModuleType):
        module = type(bound).__module__
    if not callable(value) or module.partition(".")[0] not in _FOREIGN:
        return None
    name = str(getattr(value, "__name__", ""))
    return f"'{shown}' is a function that kernels do not have", _HINTS.get(name)


def explain_member(module: ModuleType, shown: str, name: str) -> Explanation | None:
    """The same for a name that a module lacks; of the language, what was perhaps meant."""
    if module.__name__ != _PACKAGE:
        return None
    if name in _HINTS:
        return f"'{shown}' is a name that kernels do not have", _HINTS[name]
    return f"'{shown.rpartition('.')[0]}' has no attribute '{name}'", _close(name)


def explain_atomic(name: str) -> Explanation | None:
    """The same for `atomic.name`."""
    if name not in _HINTS:
        return None
    return f"'atomic.{name}' is a name that kernels do not have", _HINTS[name]


def _close(name: str) -> str | None:
    close = difflib.get_close_matches(name, language.names(), 1)
    return f"did you mean '{close[0]}'?" if close else None
