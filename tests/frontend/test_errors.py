"""Bad kernels: the sentence, and the exact place that it points at.

In each text, « and » stand around what the caret must underline.
"""

# Functions that forget to return are what is tested.
# ruff: noqa: RET503

from __future__ import annotations

import inspect
import linecache
import math
import re
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.frontend.build import VEC3F, array, build, grid_type, struct

import headwater as hw
from headwater import ir
from headwater.errors import CompileError
from headwater.frontend import Guard
from headwater.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT16,
    INT32,
    UINT32,
    WEAK_FLOAT,
    WEAK_INT,
    ArrayType,
    GridType,
)

ARGUMENTS = {
    "y": array(),
    "x": array(),
    "m": array(FLOAT32, 2),
    "v": array(VEC3F),
    "k": array(INT32),
    "u": array(UINT32),
    "flags": array(BOOL),
    "small": array(INT16),
    "i": INT32,
    "f": FLOAT32,
    "d": FLOAT64,
    "b": BOOL,
    "n": WEAK_INT,
    "a": WEAK_FLOAT,
    "s": struct("State", rho=array(), dt=WEAK_FLOAT, id=ArrayType(INT32, 1, read_only=True)),
    "grid": grid_type(),
    "flat": GridType("Flat", (("positions", INT32),)),
    "bare": GridType("Bare", ()),
}


def plain(value):
    return value


@hw.function
def recursive(value):
    return other(value)


@hw.function
def other(value):
    return recursive(value) + 1


@hw.function
def maybe(value):
    if value > 0:
        return value


@hw.function
def uneven(value):
    if value > 0:
        return value
    return value, value


@hw.function
def whole_array(values):
    if len(values) > 3:
        return values[1:]
    return values


@hw.function
def wants_array(values):
    return values[0]


@hw.function
def starred(*values):
    return 0


@dataclass
class Loose:
    h: float = 0.5


@dataclass(frozen=True)
class Fixed:
    h: float = 0.5


class Doubler:
    def __call__(self, value: float) -> float:
        return 2 * value


@dataclass(frozen=True)
class Recursive:
    inner: Recursive


@dataclass(frozen=True)
class Made:
    items: list[int] = field(default_factory=list)


class Mode(IntEnum):
    fast = 1


class Named(NamedTuple):
    first: int
    second: int


OUTSIDE: dict[str, Any] = {
    "Recursive": Recursive,
    "Made": Made,
    "Mode": Mode,
    "Named": Named,
    "hw": hw,
    "np": np,
    "math": math,
    "sine": math.sin,
    "plain": plain,
    "recursive": recursive,
    "maybe": maybe,
    "uneven": uneven,
    "whole_array": whole_array,
    "wants_array": wants_array,
    "starred": starred,
    "TABLE": [1, 2, 3],
    "ARRAY": np.zeros(3),
    "COMPLEX": np.complex64(0.5),
    "LOOSE": Loose(),
    "FIXED": Fixed(),
    "TEXT": "text",
    "BIG": 2**40,
    "Fixed": Fixed,
    "DOUBLER": Doubler(),
}

CASES = [
    # names
    ("y[0] = «unknown»", "the name 'unknown' is not known"),
    ("y[0] = «plain»(f)", "'plain' is a plain Python function"),
    ("y[0] = «TABLE»[0]", "'TABLE' is a 'list' from outside"),
    ("y[0] = «ARRAY[0]»", "'ARRAY' is a NumPy array from outside the kernel, which cannot be read"),
    ("y[0] = «ARRAY.T»[0]", "'ARRAY' is a NumPy array from outside the kernel, which has no 'T'"),
    ("y[0] = «COMPLEX»", "the dtype 'complex64' is not one"),
    ("y[0] = «LOOSE».h", "is a dataclass that is not frozen"),
    ("y[0] = «Fixed.h»", "the class 'Fixed' has no attribute 'h'"),
    ("t = «Fixed(1, 2)»", "'Fixed' takes 1 field, and 2 were given"),
    ("t = Fixed(«g=1»)", "'Fixed' has no field 'g'"),
    ("«y[0]» = ARRAY", "'y' holds float32, and the NumPy array 'ARRAY' from outside the kernel"),
    ("y[0] = «1.5 & 1»", "'&' takes integers"),
    ("t = 1, 2\n«t[0]» = 3", "a tuple cannot be changed"),
    (
        "t = Recursive(«1»)",
        "the field 'inner' of 'Recursive' is a Recursive, and a weak int was given",
    ),
    ("t = «Made()»", "the default of the field 'items' of 'Made' is made by a function"),
    ("t = «np.complex64»(f)", "'np.complex64': the dtype 'complex64' is not one that kernels know"),
    ("y[0] = «Mode.other»", "'Mode' has no attribute 'other'"),
    ("t = «Named(1)»", "'Named' needs the value 'second'"),
    ("t = Named(1, «third=2»)", "'Named' takes no other value 'third'"),
    ("«y[0]» = Fixed(1)", "'y' holds float32, and a struct ('Fixed') cannot be stored in it"),
    ("y[0] = «FIXED.g»", "'FIXED' has no attribute 'g'"),
    ("y[0] = «hw.nothing»(f)", "'hw' has no attribute 'nothing'"),
    # known elsewhere
    ("y[0] = «math.gcd»(i, i)", "'math.gcd' is a function that kernels do not have"),
    ("y[0] = «math.comb»(i, i)", "'math.comb' is a function that kernels do not have"),
    ("y[0] = «np.maximum»(f, f)", "'np.maximum' is a function that kernels do not have"),
    ("y[0] = «np.sum»(x)", "'np.sum' is a function that kernels do not have"),
    ("y[0] = «np.random(x)»", "the module 'np.random' cannot be called"),
    ("y[0] = «np.random.rand»()", "'np.random.rand' is a function that kernels do not have"),
    ("y[0] = «np.zeros»(3)[0]", "'np.zeros' is a function that kernels do not have"),
    ("y[0] = sum(«x»)", "a tuple or a vector was expected, not an array"),
    ("for j, t in «filter»(x):\n    pass", "'filter' is a function that kernels do not have"),
    ("y[0] = «sorted»(f)", "'sorted' is a function that kernels do not have"),
    ("y[0] = «hw.selp»(b, f, f)", "'hw.selp' is a name that kernels do not have"),
    ("«hw.atomic.nanmax»(y, 0, f)", "'atomic.nanmax' is a name that kernels do not have"),
    ("t = hw.local.array(«n», hw.float32)", "the shape of a local array must be an integer"),
    ("t = hw.local.array(«0», hw.float32)", "a local array has 1 to 4 positive lengths, not [0]"),
    ("t = «hw.local.array((200, 200), hw.float64)»", "at most 65,536 bytes, not 320,000"),
    ("t = «hw.shared.array(0, hw.float32)»", "dynamic, and the launch gives no bytes for it"),
    ("«y[0]» = TEXT", "'y' holds float32, and a string cannot be stored in it"),
    ("«y[0]» = 'a'", "'y' holds float32, and a string cannot be stored in it"),
    ("«y[0]» = None", "'y' holds float32, and None cannot be stored in it"),
    ("y[0] = «b'a'»", "a 'bytes' is not a value that kernels know"),
    ("y[0] = «f'{f}'»", "an f-string outside of print and assert is not supported"),
    ("y[0] = «s.mass»", "'State' has no field 'mass'"),
    ("y[0] = «v[0].w»", "a vector has no 'w'"),
    ("y[0] = «x.strides»[0]", "an array has no 'strides'"),
    ("y[0] = «f.real»", "a float32 has no attribute 'real'"),
    ("y[0] = «hw.threadIdx.w»", "'threadIdx' has no 'w'"),
    ("«hw.atomic.nothing»(y, 0, 1)", "'atomic' has no 'nothing'"),
    # reading before assigning
    ("if b:\n    t = f\ny[0] = «t»", "'t' may be read before it is assigned"),
    ("for j in range(n):\n    t = f\ny[0] = «t»", "'t' may be read before it is assigned"),
    ("for j in range(n):\n    y[j] = 1\ny[0] = «j»", "'j' may be read before it is assigned"),
    ("while b:\n    y[0] = «t»\n    t = f", "'t' may be read before it is assigned"),
    ("while True:\n    if b:\n        break\n    t = f\ny[0] = «t»", "'t' may be read before"),
    ("«t» += 1", "'t' may be read before it is assigned"),
    # statements
    ("«t»ry:\n    y[0] = 1\nexcept ValueError:\n    pass", "the statement 'try' is not supported"),
    ("«w»ith b:\n    pass", "the statement 'with' is not supported"),
    ("assert b, «f'{f}'»", "the message of an assert is a text that is known when compiling"),
    ("print(«f'{f:.3f}'»)", "a format in an f-string is not supported"),
    ("print(f, «end=''»)", "'print' takes no 'end' in a kernel"),
    ("print(«y»)", "an array (array<float32, 1>) cannot be printed"),
    ("«raise ValueError»", "the statement 'raise' is not supported"),
    ("«import math»", "the statement 'import' is not supported"),
    ("«d»ef g():\n    pass", "the statement 'def' is not supported"),
    ("«del y»", "the statement 'del' is not supported"),
    ("for t in «f»:\n    pass", "'grid.neighbors(...)', an array or a tuple, not a float32"),
    ("t = hw.vec2(«*x»)", "'*' takes a tuple, not an array"),
    ("t = «hw.vec2(*(1, 2, 3))»", "'vec2' takes 2 arguments, not 3"),
    ("«global t»", "the statement 'global' is not supported"),
    ("t = «(x[j] for j in range(3))»", "a generator is not supported"),
    ("t = «1j»", "a 'complex' is not a value that kernels know"),
    ("y[0] = «10**400»", "the value 10000000000000000000... of 401 digits does not fit"),
    ("«f: hw.vec3f = 3»", "a weak int is not a value of the type 'vec3<float32>'"),
    ("y[0] = «pow(f, 2, 3)»", "'pow' takes 2 arguments, not 3"),
    ("for «p, q» in range(3):\n    pass", "must be one name"),
    ("«return 1»", "a kernel returns nothing"),
    ("for «j» in grid.neighbors(i):\n    pass", "gives an index, an offset and a squared distance"),
    ("for j, d, r in grid.neighbors(«f»):\n    pass", "takes a particle's index or a point"),
    ("for j in range(«f»):\n    pass", "'range' takes integers, not a float32"),
    ("for j in range(0, 3, «0»):\n    pass", "the step of 'range' must not be zero"),
    # expressions
    ("y[0] = «[f]»", "a list is not supported"),
    ("y[0] = («lambda: 1»)()", "'lambda' is not supported"),
    ("y[0] = «f is f»", "'is' does not compare a float32 with a float32"),
    ("y[0] = «i in x»", "'in' looks into a tuple, not into an array"),
    ("y[0] = «hw.int32 < hw.int64»", "the type 'int32' has no order"),
    ("y[0] = «f» and b", "'and' and 'or' take bools, not a float32"),
    ("y[0] = «f & 1»", "'&' takes integers"),
    ("y[0] = «~f»", "'~' takes an integer"),
    ("y[0] = «1 / 0»", "a constant expression fails: division by zero"),
    ("y[0] = «x + 1»", "'+' is not defined for an array"),
    ("y[0] = «v[0] & 1»", "'&' takes integers, not 'float32'"),
    ("y[0] = «v[0] > 2»", "a vec3 of float32 has no order"),
    ("y[0] = «v[0] @ v[0]»", "the operator '@' is not supported"),
    ("y[0] = «v[0] if b else 1.0»", "types that do not join"),
    ("if «v[0]»:\n    pass", "a condition is a scalar, not a vec3 of float32"),
    ("y[0] = u[0] + «5000000000»", "the value 5000000000 does not fit the type 'uint32'"),
    ("t = 5000000000\ny[0] = u[0] + «t»", "the value 5000000000 does not fit"),
    ("y[0] = u[0] + («10**5 * 10**5»)", "the value 10000000000 does not fit"),
    ("y[0] = u[0] + 1 + «BIG» + 1", "the value 1099511627776 does not fit"),
    ("y[0] = f * «1e39»", "does not fit the type 'float32'"),
    # indices and stores
    ("«y[0]» = m[0]", "'y' holds float32, and an array (array<float32, 1>) cannot be stored"),
    ("«hw.atomic.add(m, 0, 1)»", "'m' has 2 dimensions, but 1 index was given"),
    ("y[0] = «x[i, i]»", "'x' has 1 dimension, but 2 indices were given"),
    ("y[0] = x[«f»]", "an index must be an integer, not a float32"),
    ("«y[0]» = x[1:2]", "'y' holds float32, and an array"),
    ("t = x[1:«f»]", "the bound of a slice must be an integer, not a float32"),
    ("t = x[::«n»]", "the step of a slice must be an integer that is known when compiling"),
    ("t = m[..., «...»]", "'...' stands in a subscript only once"),
    ("t = x[«::0»]", "the step of a slice must not be zero"),
    ("«x[:]» = x[::-1]", "'x' and 'x' may share memory"),
    ("«x[:]» = m", "an array of 2 dimensions cannot be copied to one of 1"),
    ("«hw.local.array(3, hw.float32)[:]» = hw.local.array(2, hw.float32)", "2 elements cannot be"),
    ("«k[:]» = x", "a float32 cannot be stored in 'k', which holds int32"),
    ("«k[0]» = f", "a float32 cannot be stored in 'k', which holds int32"),
    ("«y[0]» = v[0]", "'y' holds float32, and a vec3 of float32"),
    ("«v[0]» = f", "'v' holds vec3<float32>, and a float32"),
    ("«s.dt» = 1.0", "cannot be changed"),
    ("«s.id[0]» = 1", "'s.id' can be read in a kernel, but not written"),
    ("«s.id[0]» += 1", "'s.id' can be read in a kernel, but not written"),
    ("t = s.id\n«t[0]» = 1", "'s.id' can be read in a kernel, but not written"),
    ("hw.atomic.add(«s.id», 0, 1)", "'s.id' can be read in a kernel, but not written"),
    (
        "for j, d, r in «flat.neighbors(i)»:\n    pass",
        "its field 'positions' must be an array of 3",
    ),
    ("for j, d, r in «bare.neighbors(i)»:\n    pass", "has no field 'positions'"),
    ("y[0] = v[0][«3»]", "the index 3 is outside of a vector"),
    ("y[0] = v[0][«i»]", "must be an integer that is known when compiling"),
    ("t = hw.shared.array(«n», hw.float32)", "the shape of a shared array must be an integer"),
    (
        "t = hw.shared.array(«(4, 0)», hw.float32)",
        "a shared array has 1 to 4 positive lengths, not [4, 0]",
    ),
    ("t = hw.shared.array(4, «f»)", "a dtype was expected, not a float32"),
    ("t = hw.shared.array(4, hw.float32)\ny[0] = t[«4»]", "the index 4 is outside of 't'"),
    ("hw.atomic.add(«v», 0, f)", "works on scalars, and 'v' holds vec3<float32>"),
    ("hw.atomic.add(k, 0, «f»)", "a float32 cannot be stored in 'k'"),
    # variables
    ("t = f\n«t» = v[0]", "'t' is assigned types that do not join: 'float32' before"),
    (
        "t = x\nfor j in range(3):\n    «t» = y",
        "'t' would stand for another array in the next trip",
    ),
    (
        "while True:\n    t = x\n    break\ny[0] = «t»[0]",
        "'t' stands for an array (array<float32, 1>) only in",
    ),
    (
        "if b:\n    t = x\nelse:\n    t = k\ny[0] = «t»[0]",
        "'t' stands for an array (array<float32, 1>) only on",
    ),
    ("for j in range(3):\n    «x» = f", "'x' is assigned types that do not join: an array"),
    (
        "t = f\nfor j in range(3):\n    «t» = x",
        "'t' is assigned types that do not join: a variable",
    ),
    ("if b:\n    x = f\ny[0] = «x»", "'x' may be read before it is assigned"),
    ("«p, q» = x", "an array (array<float32, 1>) cannot be unpacked"),
    ("«p, q» = hw.grid(3)", "2 names take 3 values"),
    ("«p, q, r, *s» = 1, 2", "4 names take 2 values"),
    # functions of numbers
    ("y[0] = «hw.popc(f)»", "'popc' takes an integer, not a float32"),
    ("y[0] = «hw.bitcast(f, hw.uint64)»", "'bitcast' keeps the width: a float32 has no 64 bits"),
    ("y[0] = hw.bitcast(f, «hw.float16»)", "'bitcast' gives a number, not the type 'float16'"),
    ("y[0] = hw.bitcast(f, «1»)", "'bitcast' gives a number, not a weak int"),
    ("y[0] = «hw.mulhi(f, 1)»", "'mulhi' takes integers of 32 or 64 bits"),
    ("y[0] = «hw.ldexp(f, f)»", "an integer was expected, not a float32"),
    ("y[0] = round(f, «2»)", "'round' to decimals is not supported"),
    ("y[0] = hw.fma(f, «x», f)", "a scalar or a vector was expected, not an array"),
    ("y[0] = hw.fma(v[0], «hw.vec2(f, f)», f).x", "a vec3 and a vec2 do not combine"),
    ("y[0] = «hw.clamp(f, f)»", "'clamp' takes 3 arguments, not 2"),
    ("y[0] = hw.clamp(f, «lowest=f», high=f)", "'clamp' takes no keyword argument 'lowest'"),
    ("y[0] = hw.clamp(f, f, f, «x=f»)", "'clamp' is given 'x' twice"),
    ("y[0] = hw.clamp(f, f, «low=f»)", "'clamp' is given 'low' twice"),
    # atomics
    ("«hw.atomic.cas(k, 0, 1)»", "'atomic.cas' takes 4 arguments, not 3"),
    ("hw.atomic.inc(«k», 0, 1)", "'hw.atomic.inc' works on unsigned integers, and 'k' holds int32"),
    ("hw.atomic.and_(«y», 0, 1)", "'hw.atomic.and_' works on integers, and 'y' holds float32"),
    ("hw.atomic.add(«flags», 0, 1)", "'hw.atomic.add' works on numbers, and 'flags' holds bool"),
    (
        "hw.atomic.exch(«small», 0, 1)",
        "works on elements of 32 and 64 bits, and 'small' holds int16",
    ),
    ("hw.atomic.compare_and_swap(«m», 0, 1)", "works on the first element of an array of 1 dim"),
    # warps
    ("y[0] = hw.shfl_sync(«f», f, 0)", "a mask is an integer, not a float32"),
    ("y[0] = hw.shfl_sync(1, f, «f»)", "'lane' is an integer, not a float32"),
    ("y[0] = hw.shfl_sync(1, f, 0, «12»)", "the width of a shuffle is one of 1, 2, 4, 8, 16, 32"),
    (
        "y[0] = hw.shfl_sync(1, f, 0, width=«n»)",
        "the width of a shuffle must be an integer that is",
    ),
    ("y[0] = hw.shfl_sync(1, «x», 0)", "lanes exchange scalars and vectors, not an array"),
    ("y[0] = hw.any_sync(1, «x»)", "a condition is a scalar, not an array"),
    # what is known when compiling
    (
        "for j in hw.static_range(«n»):\n    pass",
        "an argument of 'static_range' must be an integer",
    ),
    ("for j in «hw.static_range(5000)»:\n    pass", "'static_range' of 5,000 trips: at most 1024"),
    (
        "for j in hw.static_range(200):\n    for t in «hw.static_range(200)»:\n        pass",
        "more than 16,384 trips of loops would be written out",
    ),
    (
        "for j in hw.static_range(3):\n    if b:\n        «break»",
        "'break' in a loop that is written out needs a condition",
    ),
    (
        "for j in hw.static_range(3):\n    if b:\n        «continue»\n    y[j] = 1",
        "'continue' in a loop that is written out needs a condition",
    ),
    (
        "match i, i:\n    case (1, «t») | (2, t):\n        pass",
        "a name beside '|' is not supported",
    ),
    ("match i:\n    case «[1, *_]»:\n        pass", "an int32 has no items"),
    ("match i:\n    case «{}»:\n        pass", "this pattern is not supported in a kernel"),
    # names of Python that are the user's own here
    ("range = 3\nfor j in «range(2)»:\n    pass", "a weak int cannot be called"),
    ("y[0] = «min»(1, 2)\nmin = 3", "'min' may be read before it is assigned"),
    ("y[0] = («x if b else k»)[0]", "types that do not join: an array (array<float32, 1>) and"),
    # calls
    ("y[0] = «hw.sqrt(f, f)»", "'sqrt' takes 1 argument, not 2"),
    ("y[0] = hw.min(«f»)", "a tuple or a vector was expected, not a float32"),
    ("t = hw.grid(«4»)", "'grid' takes 1, 2 or 3 axes, not 4"),
    ("t = hw.grid(«n»)", "the argument of 'grid' must be an integer that is known"),
    ("y[0] = «f(1)»", "a float32 cannot be called"),
    ("y[0] = hw.dot(v[0], «f»)", "a vector was expected, not a float32"),
    ("y[0] = hw.float32(f, «dtype=1»)", "a cast takes no keyword argument 'dtype'"),
    ("y[0] = «wants_array()»", "'wants_array' needs the argument 'values'"),
    ("y[0] = «wants_array(x, x)»", "'wants_array' takes 1 argument, not 2"),
    ("y[0] = wants_array(x, «size=1»)", "was given the unexpected argument 'size'"),
    ("y[0] = «starred(f)»", "takes '*' or '**' arguments"),
    ("y[0] = «len(f)»", "a float32 has no length"),
]


@dataclass
class Text:
    """A kernel's text without its marks, and where they stood."""

    code: str
    line: int
    column: int
    end_column: int


def marked(body: str) -> Text:
    text = f"def bad({', '.join(ARGUMENTS)}):\n" + "".join(
        f"    {line}\n" for line in body.split("\n")
    )
    before = text[: text.index("«")]
    inner = re.search("«(.*)»", text)
    assert inner is not None
    column = len(before) - before.rfind("\n") - 1
    code = text.replace("«", "").replace("»", "")
    return Text(code, before.count("\n") + 1, column, column + len(inner.group(1)))


def compiled(code: str, file: str) -> Any:
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    space = dict(OUTSIDE)
    exec(compile(code, file, "exec"), space)
    return space["bad"]


def failure(body: str) -> tuple[Text, CompileError]:
    text = marked(body)
    file = f"<bad {hash(body)}>"
    with pytest.raises(CompileError) as caught:
        build(compiled(text.code, file), *ARGUMENTS.values())
    return text, caught.value


@pytest.mark.parametrize(("body", "sentence"), CASES, ids=[body for body, _ in CASES])
def test_error_points_at_the_line(body: str, sentence: str) -> None:
    text, error = failure(body)
    assert sentence in error.message
    span = error.span
    assert span is not None
    assert (span.line, span.column) == (text.line, text.column)
    assert span.end_column == text.end_column
    carets = "^" * (text.end_column - text.column)
    lines = str(error).split("\n")
    shown = lines.index(f" {span.line} | {text.code.split(chr(10))[span.line - 1]}")
    assert lines[shown + 1].endswith(" " * span.column + carets)


# --- errors in device functions name the calls that led there -------------------------------------


def failing(function: Any, *types: Any) -> CompileError:
    with pytest.raises(CompileError) as caught:
        build(function, *types)
    return caught.value


def line_of(function: Any, text: str) -> int:
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if text in line)


def test_recursion_names_the_chain() -> None:
    def kernel(y):
        y[0] = recursive(y[0])

    error = failing(kernel, array())
    assert "'recursive' calls itself: recursive -> other -> recursive" in error.message
    assert error.span is not None
    assert error.span.line == line_of(other.python, "recursive(value)")
    assert f"in 'other', called at {__file__}:{line_of(recursive.python, 'other(value)')}" in str(
        error
    )


def test_an_error_in_a_function_names_the_call() -> None:
    def kernel(v, y):
        y[0] = wants_array(y[0])

    error = failing(kernel, array(VEC3F), array())
    assert error.message == "a float32 cannot be subscripted"
    assert error.span is not None
    assert error.span.line == line_of(wants_array.python, "values[0]")
    assert f"in 'wants_array', called at {__file__}:{line_of(kernel, 'wants_array')}" in str(error)


@pytest.mark.parametrize(
    ("function", "sentence", "where"),
    [
        (maybe, "'maybe' may end without returning a value", "def maybe"),
        (uneven, "'uneven' returns different numbers of values", "return value, value"),
        (whole_array, "'whole_array' returns an array", "return values[1:]"),
    ],
)
def test_results(function: Any, sentence: str, where: str) -> None:
    def kernel_of_array(y):
        y[0] = function(y)

    def kernel_of_number(y):
        y[0] = function(y[0])

    error = failing(kernel_of_array if function is whole_array else kernel_of_number, array())
    assert sentence in error.message
    assert error.span is not None
    assert error.span.line == line_of(function.python, where)


def test_source_must_be_at_hand() -> None:
    space: dict[str, Any] = {}
    exec("def typed_at_a_prompt(y):\n    y[0] = 1", space)
    error = failing(space["typed_at_a_prompt"], array())
    assert "the source of 'typed_at_a_prompt' is not at hand" in error.message
    assert "write the function to a file" in str(error)


def test_a_lambda_is_no_kernel() -> None:
    error = failing(lambda y: y, array())
    assert "is not a plain function" in error.message


def test_columns_count_characters() -> None:
    def kernel(y):
        ρ = y[0]
        y[0] = ρ + unknown  # noqa: F821

    error = failing(kernel, array())
    assert error.span is not None
    line = linecache.getline(error.span.file, error.span.line)
    assert line[error.span.column : error.span.end_column] == "unknown"


def test_nothing_works_outside_a_kernel() -> None:
    for use in (
        lambda: hw.grid(1),
        lambda: hw.threadIdx.x,
        lambda: hw.atomic.add(None, 0, 1),
        lambda: wants_array([1]),
        lambda: hw.sqrt(2.0),
    ):
        with pytest.raises(hw.errors.HeadwaterError, match="inside a kernel"):
            use()


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("i = «hw.gird»(1)", "did you mean 'grid'?"),
        ("i = «hw.thredIdx».x", "did you mean 'threadIdx'?"),
        ("t = hw.shared.array(4, «hw.flot32»)", "did you mean 'float32'?"),
        ("y[0] = «hw.round»(f)", "write hw.rint(x) for a float"),
        ("y[0] = «sum»(x)", "add up in a loop"),
        ("y[0] = «DOUBLER»(f)", "those decorated with @hw.function"),
    ],
)
def test_hints(body: str, hint: str) -> None:
    _, error = failure(body)
    assert error.hint is not None
    assert hint in error.hint


# --- the axes of an index space -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "axes", "sentence"),
    [
        ("p, q = «hw.grid(2)»", 1, r"'grid\(2\)' does not fit .* has 1 axis"),
        ("p = «hw.grid(1)»", 2, r"'grid\(1\)' does not fit .* has 2 axes"),
        ("p, q = «hw.grid(2)»", 3, "'grid.*3 axes"),
        ("p, q = «hw.gridsize(2)»", 1, "'gridsize.*1 axis"),
        ("k[0] = «hw.threadIdx.y»", 1, "'threadIdx.y' is always 0: .* has 1 axis"),
        ("k[0] = «hw.blockIdx.z»", 2, "'blockIdx.z' is always 0: .* has 2 axes"),
    ],
)
def test_axes_that_an_index_space_lacks(body: str, axes: int, sentence: str) -> None:
    text = marked(body)
    function = compiled(text.code, f"<axes {hash((body, axes))}>")
    with pytest.raises(CompileError, match=sentence) as caught:
        build(function, *ARGUMENTS.values(), guard=Guard(axes))
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (text.line, text.column)
    build(function, *ARGUMENTS.values())  # launched by blocks, any axis will do


@pytest.mark.parametrize(
    ("body", "launch"), [("p, q = «hw.grid(2)»", "grid"), ("k[0] = «hw.threadIdx.y»", "thread")]
)
def test_axes_that_forall_lacks(body: str, launch: str) -> None:
    text = marked(body)
    function = compiled(text.code, f"<forall {launch}>")
    with pytest.raises(CompileError, match=r"the n of forall\(n\), has 1 axis") as caught:
        build(function, *ARGUMENTS.values(), axes=1)
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (text.line, text.column)


def test_a_long_sum_is_not_deep() -> None:
    terms = {"elements": "y[0]", "weak": "a"}
    for name, term in terms.items():
        code = "def bad(y, a):\n    y[0] = " + " + ".join([term] * 1000) + "\n"
        kernel = build(compiled(code, f"<long {name}>"), array(), WEAK_FLOAT)
        sums = [n for n in ir.walk(kernel.body) if getattr(n, "operation", "") == "add"]
        assert len(sums) == 999


def test_too_deep_an_expression() -> None:
    code = "def bad(y):\n    if y[0] > 0:\n        y[1] = 1\n        y[0] = " + "-" * 900 + "y[0]\n"
    error = failing(compiled(code, "<deep>"), array())
    assert "nested too deeply" in error.message
    assert error.span is not None
    assert (error.span.line, error.span.column) == (4, 8)
