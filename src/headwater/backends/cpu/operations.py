"""The pure operations in LLVM, on scalars or on vectors alike.

Each row takes an `Operations` (types of the operands at hand) and operand texts, and gives the text of the
result. The meaning of each is the operation table of the IR.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headwater.backends.cpu.text import FunctionWriter, literal, scalar_text
from headwater.types import BOOL, FLOAT64, INT32, ScalarType


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

    def intrinsic(self, name: str, kind: ScalarType, *operands: str) -> str:
        text = self.type(kind)
        arguments = tuple((text, operand) for operand in operands)
        return self.writer.call(text, f"llvm.{name}.{self.suffix(kind)}", *arguments)

    def binary(self, instruction: str, kind: ScalarType, a: str, b: str) -> str:
        return self.writer.value(f"{instruction} {self.type(kind)} {a}, {b}")

    def compare(self, predicate: str, kind: ScalarType, a: str, b: str) -> str:
        instruction = "fcmp" if kind.is_float else "icmp"
        return self.writer.value(f"{instruction} {predicate} {self.type(kind)} {a}, {b}")

    def select(self, kind: ScalarType, condition: str, a: str, b: str) -> str:
        text = self.type(kind)
        return self.writer.value(f"select {self.type(BOOL)} {condition}, {text} {a}, {text} {b}")

    def apply(
        self, name: str, kind: ScalarType, result: ScalarType, operands: tuple[str, ...]
    ) -> str:
        """Emit the operation `name`; `kind` is the operands' type, `result` the result's."""
        if name == "cast":
            return cast(self, operands[0], kind, result)
        return ROWS[name](self, kind, *operands)


Row = Callable[..., str]


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
    text = o.type(kind)
    return o.writer.call(text, f"llvm.abs.{o.suffix(kind)}", (text, a), ("i1", "false"))


def _not(o: Operations, kind: ScalarType, a: str) -> str:
    ones = o.constant(True, kind) if kind is BOOL else o.constant(-1, kind)
    return o.binary("xor", kind, a, ones)


def _div(o: Operations, kind: ScalarType, a: str, b: str) -> str:
    return o.binary("fdiv", kind, a, b)


def _floordiv(o: Operations, kind: ScalarType, a: str, b: str) -> str:
    if kind.is_float:
        return o.intrinsic("floor", kind, o.binary("fdiv", kind, a, b))
    zero = o.constant(0, kind)
    by_zero = o.compare("eq", kind, b, zero)
    if kind.kind == "uint":
        safe = o.select(kind, by_zero, o.constant(1, kind), b)
        return o.select(kind, by_zero, zero, o.binary("udiv", kind, a, safe))
    if kind is INT32 and o.lanes and not b.startswith("splat"):
        return _floordiv_by_double(o, a, b, by_zero)
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


def _floordiv_by_double(o: Operations, a: str, b: str, by_zero: str) -> str:
    """Vectors of int32 have no divide instruction; a double holds the quotient well enough for its floor.

    The exact quotient p / q is at least 1 / |q| away from an integer that it does not equal, while the rounded
    one errs by at most |p / q| * 2**-53 <= 2**-22 / |q|, so its floor is right.
    """
    double, whole = o.type(FLOAT64), o.type(INT32)
    x = o.writer.value(f"sitofp {whole} {a} to {double}")
    y = o.writer.value(f"sitofp {whole} {b} to {double}")
    floor = o.intrinsic("floor", FLOAT64, o.binary("fdiv", FLOAT64, x, y))
    # Through 64 bits, so that the smallest over -1 wraps; a quotient by zero is thrown away.
    wide = o.writer.call(
        f"<{o.lanes} x i64>",
        f"llvm.fptosi.sat.v{o.lanes}i64.v{o.lanes}f64",
        (double, floor),
    )
    narrow = o.writer.value(f"trunc <{o.lanes} x i64> {wide} to {whole}")
    return o.select(INT32, by_zero, o.constant(0, INT32), narrow)


def _mod(o: Operations, kind: ScalarType, a: str, b: str) -> str:
    quotient = _floordiv(o, kind, a, b)
    if kind.is_float:
        return o.binary("fsub", kind, a, o.binary("fmul", kind, b, quotient))
    return o.binary("sub", kind, a, o.binary("mul", kind, b, quotient))


def _unary_intrinsic(name: str) -> Row:
    return lambda o, kind, a: o.intrinsic(name, kind, a)


ROWS: dict[str, Row] = {
    "neg": _neg,
    "abs": _abs,
    "sqrt": _unary_intrinsic("sqrt"),
    "floor": _unary_intrinsic("floor"),
    "ceil": _unary_intrinsic("ceil"),
    "rint": _unary_intrinsic("rint"),
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
    "lt": _compare("slt", "ult", "olt"),
    "le": _compare("sle", "ule", "ole"),
    "gt": _compare("sgt", "ugt", "ogt"),
    "ge": _compare("sge", "uge", "oge"),
    "eq": _compare("eq", "eq", "oeq"),
    "ne": _compare("ne", "ne", "une"),
}


def cast(o: Operations, a: str, source: ScalarType, target: ScalarType) -> str:
    """Convert between scalar types, saturating from float to integer."""
    if source is target:
        return a
    if target is BOOL:
        zero = o.constant(0.0 if source.is_float else 0, source)
        return o.compare("une" if source.is_float else "ne", source, a, zero)
    if source.is_float and target.is_integer:
        name = "fptosi" if target.kind == "int" else "fptoui"
        return o.writer.call(
            o.type(target),
            f"llvm.{name}.sat.{o.suffix(target)}.{o.suffix(source)}",
            (o.type(source), a),
        )
    instruction = _instruction(source, target)
    if instruction == "":
        return a
    return o.writer.value(f"{instruction} {o.type(source)} {a} to {o.type(target)}")


def _instruction(source: ScalarType, target: ScalarType) -> str:
    signed = source.kind == "int"
    if target.is_float:
        if source.is_float:
            return "fpext" if target.bits > source.bits else "fptrunc"
        return "sitofp" if signed else "uitofp"
    bits = 1 if source is BOOL else source.bits
    if bits == target.bits:
        return ""
    if bits > target.bits:
        return "trunc"
    return "sext" if signed else "zext"


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
