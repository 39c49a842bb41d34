"""Conversions between scalar types, on scalars or on vectors alike; the meaning of each is the operation table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.backends.cpu.text import scalar_text
from headwater.types import BOOL, FLOAT16, FLOAT32, FLOAT64, UINT32, ScalarType

if TYPE_CHECKING:
    from headwater.backends.cpu.operations import Operations


def cast(o: Operations, a: str, source: ScalarType, target: ScalarType) -> str:
    """Convert between scalar types, saturating from float to integer."""
    if source is target:
        return a
    if source is FLOAT16:
        return cast(o, _from_half(o, a), FLOAT32, target)
    if target is FLOAT16:
        return _to_half(o, a, source)
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
    return o.convert(instruction, a, source, target) if instruction else a


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


def bitcast(o: Operations, a: str, source: ScalarType, target: ScalarType) -> str:
    """The bits of a value as another type of its width."""
    if scalar_text(source) == scalar_text(target):
        return a
    return o.convert("bitcast", a, source, target)


# --- float16, which is held as its bits -----------------------------------------------------------


def _half(o: Operations) -> str:
    return f"<{o.lanes} x half>" if o.lanes else "half"


def _from_half(o: Operations, a: str) -> str:
    half = o.writer.value(f"bitcast {o.type(FLOAT16)} {a} to {_half(o)}")
    return o.writer.value(f"fpext {_half(o)} {half} to {o.type(FLOAT32)}")


def _to_half(o: Operations, a: str, source: ScalarType) -> str:
    """Through float32, which is exact for every integer that has no infinite float16."""
    single = _to_odd(o, a) if source is FLOAT64 else cast(o, a, source, FLOAT32)
    half = o.writer.value(f"fptrunc {o.type(FLOAT32)} {single} to {_half(o)}")
    return o.writer.value(f"bitcast {_half(o)} {half} to {o.type(FLOAT16)}")


def _to_odd(o: Operations, a: str) -> str:
    """A float64 as the float32 on whose last bit a later rounding to float16 is right.

    Rounded to odd (Boldo and Melquiond 2008): toward zero, and the last bit set where anything was lost. The bits
    that float32 drops are 29; those of a small number count too, but float16 has no such numbers.
    """
    single = o.convert("fptrunc", a, FLOAT64, FLOAT32)
    back = o.convert("fpext", single, FLOAT32, FLOAT64)
    bits = o.convert("bitcast", single, FLOAT32, UINT32)
    # Away from zero by one step where the rounding went up.
    size, exact = o.intrinsic("fabs", FLOAT64, back), o.intrinsic("fabs", FLOAT64, a)
    above = o.compare("ogt", FLOAT64, size, exact)
    lower = o.binary("sub", UINT32, bits, o.constant(1, UINT32))
    bits = o.select(UINT32, above, lower, bits)
    inexact = o.compare("one", FLOAT64, size, exact)
    odd = o.binary("or", UINT32, bits, o.constant(1, UINT32))
    return o.convert("bitcast", o.select(UINT32, inexact, odd, bits), UINT32, FLOAT32)
