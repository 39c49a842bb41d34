"""The pure operations in LLVM, on scalars or on vectors alike.

Each row takes an `Operations` (types of the operands at hand) and operand texts, and gives the text of the
result. The meaning of each is the operation table of the IR.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from headwater.backends.cpu.casts import bitcast, cast
from headwater.backends.cpu.text import FunctionWriter, literal, scalar_text
from headwater.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, UINT16, UINT32, UINT64, ScalarType


@dataclass(frozen=True, slots=True)
class Operations:
    """Emits operations of one shape: `lanes` is 0 for scalars."""

    writer: FunctionWriter
    lanes: int
    contract: bool

    def type(self, kind: ScalarType) -> str:
        scalar = scalar_text(kind)
        return f"<{self.lanes} x {scalar}>" if self.lanes else scalar

    def constant(self, value: bool | int | float, kind: ScalarType) -> str:
        text = literal(value, kind)
        return f"splat ({scalar_text(kind)} {text})" if self.lanes else text

    def suffix(self, kind: ScalarType) -> str:
        """The overload suffix of an intrinsic, such as v16f32."""
        scalar = f"{'f' if kind.is_float else 'i'}{1 if kind is BOOL else kind.bits}"
        return f"v{self.lanes}{scalar}" if self.lanes else scalar

    def intrinsic(self, name: str, kind: ScalarType, *operands: str, flag: bool = False) -> str:
        """Call the overload for `kind`; some intrinsics take a last bit, which is 0 with `flag`."""
        text = self.type(kind)
        arguments = tuple((text, operand) for operand in operands)
        if flag:
            arguments = (*arguments, ("i1", "false"))
        return self.writer.call(text, f"llvm.{name}.{self.suffix(kind)}", *arguments)

    def convert(self, instruction: str, a: str, source: ScalarType, target: ScalarType) -> str:
        """A conversion instruction such as zext."""
        return self.writer.value(f"{instruction} {self.type(source)} {a} to {self.type(target)}")

    def binary(self, instruction: str, kind: ScalarType, a: str, b: str) -> str:
        return self.writer.value(f"{instruction} {self.type(kind)} {a}, {b}")

    def compare(self, predicate: str, kind: ScalarType, a: str, b: str) -> str:
        instruction = "fcmp" if kind.is_float else "icmp"
        return self.writer.value(f"{instruction} {predicate} {self.type(kind)} {a}, {b}")

    def select(self, kind: ScalarType, condition: str, a: str, b: str) -> str:
        text = self.type(kind)
        return self.writer.value(f"select {self.type(BOOL)} {condition}, {text} {a}, {text} {b}")

    def apply(
        self,
        name: str,
        kind: ScalarType,
        result: ScalarType,
        operands: tuple[str, ...],
        contract: bool = True,
    ) -> str:
        """Emit the operation `name`; `kind` is the operands' type, `result` the result's."""
        if self.contract and not contract:
            return replace(self, contract=False).apply(name, kind, result, operands)
        if name == "cast":
            return cast(self, operands[0], kind, result)
        if name == "bitcast":
            return bitcast(self, operands[0], kind, result)
        return ROWS[name](self, kind, *operands)


Row = Callable[..., str]

# Unsigned types of twice the width.
_TWICE = {8: UINT16, 16: UINT32, 32: UINT64}


def _float_or(instruction: str) -> Row:
    """add, sub, mul: the float form may be contracted, the integer form wraps."""

    def row(o: Operations, kind: ScalarType, a: str, b: str) -> str:
        if not kind.is_float:
            return o.binary(instruction, kind, a, b)
        flag = " contract" if o.contract else ""
        return o.binary(f"f{instruction}{flag}", kind, a, b)

    return row


def _compare(signed: str, unsigned: str, floating: str) -> Row:
    def row(o: Operations, kind: ScalarType, a: str, b: str) -> str:
        if kind.is_float:
            return o.compare(floating, kind, a, b)
        return o.compare(signed if kind.kind == "int" else unsigned, kind, a, b)

    return row


def _extremum(name: str, predicate: str) -> Row:
    """Min or max; of floats the number where one side is NaN."""

    def row(o: Operations, kind: ScalarType, a: str, b: str) -> str:
        if not kind.is_float:
            return o.intrinsic(("s" if kind.kind == "int" else "u") + name, kind, a, b)
        # The first select is one minps or maxps, which gives b where a side is NaN.
        picked = o.select(kind, o.compare(predicate, kind, a, b), a, b)
        return o.select(kind, o.compare("uno", kind, b, b), a, picked)

    return row


def _bitwise(instruction: str) -> Row:
    return lambda o, kind, a, b: o.binary(instruction, kind, a, b)


def _shift(left: bool) -> Row:
    def row(o: Operations, kind: ScalarType, a: str, b: str) -> str:
        amount = o.binary("and", kind, b, o.constant(kind.bits - 1, kind))
        instruction = "shl" if left else "ashr" if kind.kind == "int" else "lshr"
        return o.binary(instruction, kind, a, amount)

    return row


def _neg(o: Operations, kind: ScalarType, a: str) -> str:
    if kind.is_float:
        return o.writer.value(f"fneg {o.type(kind)} {a}")
    return o.binary("sub", kind, o.constant(0, kind), a)


def _abs(o: Operations, kind: ScalarType, a: str) -> str:
    if kind.is_float:
        return o.intrinsic("fabs", kind, a)
    if kind.kind == "uint":
        return a
    return o.intrinsic("abs", kind, a, flag=True)


def _not(o: Operations, kind: ScalarType, a: str) -> str:
    ones = o.constant(True, kind) if kind is BOOL else o.constant(-1, kind)
    return o.binary("xor", kind, a, ones)


def _div(o: Operations, kind: ScalarType, a: str, b: str) -> str:
    return o.binary("fdiv", kind, a, b)


def _floordiv(o: Operations, kind: ScalarType, a: str, b: str) -> str:
    zero = o.constant(0, kind)
    by_zero = o.compare("eq", kind, b, zero)
    if o.lanes and kind.bits <= 32 and not b.startswith("splat"):
        return o.select(kind, by_zero, zero, _quotient_by_float(o, kind, a, b))
    if kind.kind == "uint":
        safe = o.select(kind, by_zero, o.constant(1, kind), b)
        return o.select(kind, by_zero, zero, o.binary("udiv", kind, a, safe))
    # Neither 0 nor -1 may reach the machine's divide: both can trap.
    negates = o.compare("eq", kind, b, o.constant(-1, kind))
    unsafe = o.binary("or", BOOL, by_zero, negates)
    safe = o.select(kind, unsafe, o.constant(1, kind), b)
    quotient = o.binary("sdiv", kind, a, safe)
    rest = o.binary("sub", kind, a, o.binary("mul", kind, quotient, safe))
    inexact = o.compare("ne", kind, rest, zero)
    opposite = o.compare("slt", kind, o.binary("xor", kind, rest, safe), zero)
    lower = o.binary("sub", kind, quotient, o.constant(1, kind))
    floored = o.select(kind, o.binary("and", BOOL, inexact, opposite), lower, quotient)
    negated = o.binary("sub", kind, zero, a)
    return o.select(kind, by_zero, zero, o.select(kind, negates, negated, floored))


def _quotient_by_float(o: Operations, kind: ScalarType, a: str, b: str) -> str:
    """Vectors have no divide instruction for integers; a float holds the quotient well enough for its floor.

    The exact quotient p / q is at least 1 / |q| away from an integer that it does not equal, while the rounded
    one errs by at most |p / q| * 2**-53 <= 2**-21 / |q| for 32 bits in float64, |p / q| * 2**-24 <= 2**-8 / |q|
    for 16 bits in float32, so its floor is right. What a quotient by zero gives is open.
    """
    form = FLOAT64 if kind.bits == 32 else FLOAT32
    x, y = cast(o, a, kind, form), cast(o, b, kind, form)
    floor = o.intrinsic("floor", form, o.binary("fdiv", form, x, y))
    # Through 64 bits, so that the smallest over -1 wraps; the saturation is dead but keeps x / 0 defined.
    wide = cast(o, floor, form, INT64) if kind.bits == 32 else cast(o, floor, form, INT32)
    return cast(o, wide, INT64 if kind.bits == 32 else INT32, kind)


def _mod(o: Operations, kind: ScalarType, a: str, b: str) -> str:
    quotient = _floordiv(o, kind, a, b)
    return o.binary("sub", kind, a, o.binary("mul", kind, b, quotient))


def _mulhi(o: Operations, kind: ScalarType, a: str, b: str) -> str:
    if kind.bits == 64:
        return _mulhi_64(o, kind, a, b)
    double = o.type(_TWICE[kind.bits])
    extend = "sext" if kind.kind == "int" else "zext"
    x, y = (o.writer.value(f"{extend} {o.type(kind)} {side} to {double}") for side in (a, b))
    product = o.writer.value(f"mul {double} {x}, {y}")
    high = o.binary("lshr", _TWICE[kind.bits], product, o.constant(kind.bits, _TWICE[kind.bits]))
    return o.writer.value(f"trunc {double} {high} to {o.type(kind)}")


def _mulhi_64(o: Operations, kind: ScalarType, a: str, b: str) -> str:
    """Schoolbook multiplication of halves: vectors have no product of 128 bits."""
    half, low = o.constant(32, kind), o.constant(0xFFFFFFFF, kind)
    a0, b0 = o.binary("and", kind, a, low), o.binary("and", kind, b, low)
    a1, b1 = o.binary("lshr", kind, a, half), o.binary("lshr", kind, b, half)
    carry = o.binary("lshr", kind, o.binary("mul", kind, a0, b0), half)
    middle = o.binary("add", kind, o.binary("mul", kind, a1, b0), carry)
    upper = o.binary("lshr", kind, middle, half)
    middle = o.binary(
        "add", kind, o.binary("mul", kind, a0, b1), o.binary("and", kind, middle, low)
    )
    upper = o.binary("add", kind, upper, o.binary("lshr", kind, middle, half))
    high = o.binary("add", kind, o.binary("mul", kind, a1, b1), upper)
    if kind.kind == "uint":
        return high
    # A negative factor stands for itself plus 2**64.
    for factor, other in ((a, b), (b, a)):
        sign = o.binary("ashr", kind, factor, o.constant(63, kind))
        high = o.binary("sub", kind, high, o.binary("and", kind, sign, other))
    return high


def _intrinsic(name: str, flag: bool = False) -> Row:
    return lambda o, kind, *operands: o.intrinsic(name, kind, *operands, flag=flag)


ROWS: dict[str, Row] = {
    "neg": _neg,
    "abs": _abs,
    "sqrt": _intrinsic("sqrt"),
    "floor": _intrinsic("floor"),
    "ceil": _intrinsic("ceil"),
    "rint": _intrinsic("rint"),
    "trunc": _intrinsic("trunc"),
    "fma": _intrinsic("fma"),
    "add": _float_or("add"),
    "sub": _float_or("sub"),
    "mul": _float_or("mul"),
    "div": _div,
    "floordiv": _floordiv,
    "mod": _mod,
    "min": _extremum("min", "olt"),
    "max": _extremum("max", "ogt"),
    "and": _bitwise("and"),
    "or": _bitwise("or"),
    "xor": _bitwise("xor"),
    "not": _not,
    "shl": _shift(left=True),
    "shr": _shift(left=False),
    "popc": _intrinsic("ctpop"),
    "clz": _intrinsic("ctlz", flag=True),
    "ctz": _intrinsic("cttz", flag=True),
    "brev": _intrinsic("bitreverse"),
    "mulhi": _mulhi,
    "lt": _compare("slt", "ult", "olt"),
    "le": _compare("sle", "ule", "ole"),
    "gt": _compare("sgt", "ugt", "ogt"),
    "ge": _compare("sge", "uge", "oge"),
    "eq": _compare("eq", "eq", "oeq"),
    "ne": _compare("ne", "ne", "une"),
}


def identity(operation: str, kind: ScalarType) -> bool | int | float:
    """What a reduction starts from so that combining it changes nothing.

    For floats a NaN is the neutral element of min and max, because it loses to any number.
    """
    if operation == "add":
        return -0.0 if kind.is_float else 0
    if kind.is_float:
        return float("nan")
    low, high = kind.limits
    return high if operation == "min" else low
