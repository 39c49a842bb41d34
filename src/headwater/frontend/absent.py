"""Names that people know from Python, NumPy and other kernel languages, and that this language does not have yet."""

from __future__ import annotations

import difflib
from types import BuiltinFunctionType, ModuleType

import numpy as np

from headwater.frontend import language

_PACKAGE = __name__.partition(".")[0]

_TRANSCENDENTAL = frozenset(
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sinpi cospi exp exp2 exp10 expm1 log log2 "
    "log10 log1p pow cbrt hypot erf erfc gamma lgamma arcsin arccos arctan arctan2 arcsinh arccosh arctanh power "
    "float_power".split()
)
_OF_A_WARP = frozenset(
    "syncwarp shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync all_sync any_sync eq_sync ballot_sync "
    "match_any_sync match_all_sync activemask lanemask_lt laneid warpsize vote_sync_intrinsic".split()
)
_OTHERS: dict[str, str | None] = {
    "print": "store the value in an array and print that after the launch",
    "round": "for the nearest integer write hw.floor(x + 0.5)",
    "isnan": "write x != x",
    "isinf": "compare with a large number",
    "isfinite": "write x - x == 0",
    "rsqrt": "write 1 / hw.sqrt(x)",
    "fma": "write a * b + c: it is rounded once, unless the kernel says contract=False",
    "sum": "add in a loop",
    "pow": "with an integer that is known when compiling, write x ** n",
    "power": "with an integer that is known when compiling, write x ** n",
} | dict.fromkeys(
    "threadfence threadfence_block threadfence_system syncthreads_count syncthreads_and syncthreads_or popc "
    "brev clz ffs selp nanosleep cg random fmod modf frexp ldexp copysign trunc rint fp16".split()
)
_ATOMICS = frozenset("and_ or_ xor inc dec exch cas compare_and_swap nanmax nanmin".split())

Explanation = tuple[str, str | None]


def explain(shown: str, name: str) -> Explanation | None:
    """What to say and to hint where a kernel asks for `name`, written as `shown`; None for other names."""
    if name in _TRANSCENDENTAL:
        return f"'{shown}': transcendental functions are not there yet", _OTHERS.get(name)
    if name in _OF_A_WARP:
        return f"'{shown}': shuffles, votes and other functions of a warp are not there yet", None
    if name in _OTHERS:
        return f"'{shown}' is not there yet", _OTHERS[name]
    return None


def explain_object(shown: str, value: object) -> Explanation | None:
    """The same for an object from outside the kernel, such as `math.sin` or `print`."""
    name = str(getattr(value, "__name__", ""))
    known = (
        isinstance(value, BuiltinFunctionType | np.ufunc) or value is np.round or value is np.sum
    )
    return explain(shown, name) if known else None


def explain_member(module: ModuleType, shown: str, name: str) -> Explanation | None:
    """The same for a name that a module lacks; for names of the language also what was perhaps meant."""
    if module.__name__ != _PACKAGE:
        return None
    found = explain(shown, name)
    if found is not None:
        return found
    close = difflib.get_close_matches(name, language.names(), 1)
    text = f"'{shown.rpartition('.')[0]}' has no attribute '{name}'"
    return text, f"did you mean '{close[0]}'?" if close else None


def explain_atomic(name: str) -> Explanation | None:
    """The same for `atomic.name`."""
    if name == "sub":
        return "'atomic.sub' is not there yet", "add the negative value"
    return (f"'atomic.{name}' is not there yet", None) if name in _ATOMICS else None
