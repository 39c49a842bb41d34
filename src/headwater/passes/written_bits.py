"""Whether elements of shared and local arrays were written: a bit for each scalar, kept for debug mode.

The bits of shared arrays lie in one shared array, those of local arrays in one local array, both zeroed at the start.
Dynamic shared arrays overlap, so for them there is a bit for each byte, which all of them share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from headwater import ir
from headwater.passes.rewriting import new_shared, unique_name
from headwater.types import INT32, UINT32

Own = ir.SharedArray | ir.LocalArray
_WORD_BITS = 32


class WrittenBits:
    """The bits of one kernel's arrays."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel = kernel
        read = {
            node.array for node in ir.walk(kernel.body) if isinstance(node, ir.Load | ir.Atomic)
        }
        # Where each array's bits begin. An array that nobody reads has none, but a dynamic one shares them.
        self._first: dict[Own, int] = {}
        shared = _place(self._first, (a for a in kernel.shared if a in read and not a.dynamic), 0)
        dynamic = [array for array in kernel.shared if array.dynamic]
        if not read.isdisjoint(dynamic):
            self._first |= dict.fromkeys(dynamic, shared)
            shared += -(-kernel.dynamic_shared // _WORD_BITS)
        local = _place(self._first, (a for a in kernel.locals if a in read), 0)
        self._shared = new_shared(kernel, "written", UINT32, shared) if shared else None
        self._local = self._new_local(local) if local else None

    def _new_local(self, words: int) -> ir.LocalArray:
        made = ir.LocalArray(unique_name(self.kernel, "written"), UINT32, (words,))
        self.kernel.locals.append(made)
        return made

    def start(self, build: ir.Builder, thread: ir.Value) -> bool:
        """Zero the bits; whether a barrier must follow."""
        zero, one = build.constant(0, INT32), build.constant(1, INT32)
        nothing = build.constant(0, UINT32)
        if self._local is not None:
            with build.loop(zero, build.extent(self._local, 0), one) as loop:
                build.store(self._local, (loop.index,), nothing)
        if self._shared is None:
            return False
        step = build.constant(self.kernel.threads, INT32)
        with build.loop(thread, build.extent(self._shared, 0), step) as loop:
            build.store(self._shared, (loop.index,), nothing)
        return True

    def missing(self, build: ir.Builder, node: ir.Load | ir.Atomic) -> ir.Value | None:
        """Whether the element has no value yet; None for arrays that always have."""
        place = self._find(build, node)
        if place is None:
            return None
        bits, word, mask = place
        found = build.compute("and", build.load(bits, (word,)), mask)
        return build.compute("ne", found, mask)

    def note(self, build: ir.Builder, node: ir.Store | ir.Atomic) -> None:
        """The element has a value from here on."""
        place = self._find(build, node)
        if place is None:
            return
        bits, word, mask = place
        if isinstance(bits, ir.SharedArray):
            build.atomic("or", bits, (word,), mask)
            return
        build.store(bits, (word,), build.compute("or", build.load(bits, (word,)), mask))

    def _find(
        self, build: ir.Builder, node: ir.Load | ir.Store | ir.Atomic
    ) -> tuple[Own, ir.Value, ir.Value] | None:
        """The array of bits, the word there, and the element's bits in it."""
        array = node.array
        if not isinstance(array, ir.SharedArray | ir.LocalArray) or array not in self._first:
            return None
        bits = self._shared if isinstance(array, ir.SharedArray) else self._local
        assert bits is not None
        unit = array.scalar.size if isinstance(array, ir.SharedArray) and array.dynamic else 1
        bit = _flat(build, node, array)
        if unit > 1:
            bit = build.compute("mul", bit, build.constant(unit, INT32))
        word = build.compute("shr", bit, build.constant(5, INT32))
        if self._first[array]:
            word = build.compute("add", word, build.constant(self._first[array], INT32))
        ones = build.constant((1 << unit) - 1, UINT32)
        return bits, word, build.compute("shl", ones, build.cast(bit, UINT32))


def _place(first: dict[Own, int], arrays: Iterable[Own], start: int) -> int:
    """Give each array words of its own; the end of all."""
    for array in arrays:
        first[array] = start
        start += -(-math.prod(array.shape) * array.components // _WORD_BITS)
    return start


def _flat(build: ir.Builder, node: ir.Load | ir.Store | ir.Atomic, array: Own) -> ir.Value:
    """The number of the scalar, row-major."""
    flat: ir.Value | None = None
    for index, extent in zip(node.indices, array.shape, strict=True):
        step = build.cast(index, INT32)
        if flat is not None:
            step = build.compute(
                "add", build.compute("mul", flat, build.constant(extent, INT32)), step
            )
        flat = step
    assert flat is not None
    if array.components == 1:
        return flat
    scaled = build.compute("mul", flat, build.constant(array.components, INT32))
    return build.compute("add", scaled, build.constant(node.component, INT32))
