"""Stores under a mask."""

from __future__ import annotations

from headwater.backends.cpu.target import Target
from headwater.backends.cpu.text import FunctionWriter, memory_text
from headwater.types import ScalarType


def masked_store(
    w: FunctionWriter,
    target: Target,
    kind: ScalarType,
    vector: tuple[int, str],
    pointer: str,
    mask: str,
) -> None:
    """Store consecutive elements where the mask is on; `vector` is how many, and their text."""
    count, stored = vector
    if target.masks(8) and (kind.size < 4 or stored in w.narrowed):
        mask = _opaque(w, count, mask)
    w.call(
        "void",
        f"llvm.masked.store.{suffix(count, kind)}.p0",
        (f"<{count} x {memory_text(kind)}>", stored),
        (f"ptr align {kind.size}", pointer),
        (f"<{count} x i1>", mask),
    )


def scatter(
    w: FunctionWriter, kind: ScalarType, lanes: int, stored: str, pointers: str, mask: str
) -> None:
    """Store each lane at a place of its own where the mask is on; the highest lane wins."""
    w.call(
        "void",
        f"llvm.masked.scatter.{suffix(lanes, kind)}.v{lanes}p0",
        (f"<{lanes} x {memory_text(kind)}>", stored),
        (f"<{lanes} x ptr> align {kind.size}", pointers),
        (f"<{lanes} x i1>", mask),
    )


def suffix(lanes: int, kind: ScalarType) -> str:
    """How an intrinsic's name ends for vectors as memory holds them."""
    text = memory_text(kind)
    return f"v{lanes}{text if text.startswith('i') else f'f{kind.bits}'}"


def _opaque(w: FunctionWriter, count: int, mask: str) -> str:
    """The mask, in a form that is no constant to the compiler; takes no instruction.

    LLVM 22 stores a whole wide lane where a vector is narrowed and then stored under a constant mask of one lane
    (X86ISelLowering, `reduceMaskedStoreToScalarStore`).
    """
    bits = max(8, 1 << (count - 1).bit_length())
    word, whole, part = f"i{bits}", f"<{bits} x i1>", f"<{count} x i1>"
    if count < bits:
        picks = ", ".join(f"i32 {min(lane, count)}" for lane in range(bits))
        zeros = f"{part} zeroinitializer"
        mask = w.value(f"shufflevector {part} {mask}, {zeros}, <{bits} x i32> <{picks}>")
    packed = w.value(f"bitcast {whole} {mask} to {word}")
    hidden = w.value(f'call {word} asm "", "=^Yk,0"({word} {packed})')
    result = w.value(f"bitcast {word} {hidden} to {whole}")
    if count == bits:
        return result
    picks = ", ".join(f"i32 {lane}" for lane in range(count))
    return w.value(f"shufflevector {whole} {result}, {whole} poison, <{count} x i32> <{picks}>")
