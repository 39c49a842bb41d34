"""The outer function of a program: it finds the memory of all arrays, and hands it to the inner one.

As parameters of a function, pointers can be said to have no other name for what they point to.
"""

from __future__ import annotations

from headwater.backends.cpu import memory
from headwater.backends.cpu.text import FunctionWriter
from headwater.backends.cpu.waiting import OWN, Waiting, around

_SIGNATURE = "ptr noalias %arguments, i32 %grid_x, i32 %grid_y, i32 %grid_z, i64 %first, i64 %last"
_PASSED = _SIGNATURE.replace(" noalias", "")

# What a block's arrays may take of the stack; a bigger one lies in scratch memory of the launch.
STACK_BYTES = 256 << 10
ALIGNMENT = 64
# Vectors may reach past either end of an array with lanes that are off, as in the device's own memory.
SLACK = memory.SLACK


class Frame:
    """Makes pointers for the inner function, and writes the outer one."""

    def __init__(self, inner: FunctionWriter) -> None:
        self.inner = inner
        self.outer = FunctionWriter()
        # Bytes of scratch memory that a call of the kernel needs.
        self.scratch = 0
        self._stack = 0
        # What stands around the call of the inner function.
        self._before: list[str] = []
        self._behind: list[str] = []
        self._parameters: list[str] = []
        self._passed: list[str] = []

    def argument(self, position: int, name: str, *, alone: bool) -> str:
        """The pointer that the launch passes in a slot; `alone` if it shares its memory with no other array."""
        slot = self.outer.value(f"getelementptr i64, ptr %arguments, i64 {position}", "slot")
        found = self.outer.value(f"load ptr, ptr {slot}, align 8", name)
        return self._hand_over(name, "noalias" if alone else "", found)

    def memory(self, size: int, name: str) -> str:
        """Memory of one block at a time, with slack on both sides."""
        size = _with_slack(size)
        if self._take_stack(size):
            start, offset = self.outer.slot(f"[{size} x i8]", ALIGNMENT, name), SLACK
        else:
            start, offset = "%scratch", self.scratch + SLACK
            self.scratch += size
        found = self.outer.value(f"getelementptr i8, ptr {start}, i64 {offset}")
        passed = self._hand_over(name, f"noalias align {ALIGNMENT}", found)
        # As if it were allocated here: then what nobody reads need not be stored.
        pointer, result = self.inner.fresh(name), f"noalias align {ALIGNMENT} ptr"
        self.inner.entry.append(
            f'  {pointer} = call {result} asm sideeffect "", "=r,0"(ptr {passed}) #1'
        )
        return pointer

    def private(self, size: int, name: str) -> str:
        """Memory of threads, which may become registers."""
        padded = _with_slack(size)
        if not self._take_stack(padded):
            return self.memory(size, name)
        start, pointer = (
            self.inner.slot(f"[{padded} x i8]", ALIGNMENT, name),
            self.inner.fresh(name),
        )
        self.inner.entry.append(f"  {pointer} = getelementptr i8, ptr {start}, i64 {SLACK}")
        return pointer

    def waiting(self, slot: int) -> Waiting:
        """What watches the loops that wait; `slot` is the number of the slot of the launch's state."""
        place = self.outer.value(f"getelementptr i64, ptr %arguments, i64 {slot}", "slot")
        state = self.outer.value(f"load ptr, ptr {place}, align 8", "state")
        own = self.outer.slot(OWN, 8, "own")
        self._before, self._behind = around(state, own)
        return Waiting(
            self._hand_over("state", "", state),
            self._hand_over("own", "", own),
        )

    def text(self, scratch_slot: int) -> list[str]:
        """Both functions; `scratch_slot` is the number of the slots that say where scratch memory is."""
        return [
            f"define void @kernel({_SIGNATURE}) #0 {{",
            *(self._find_scratch(scratch_slot) if self.scratch else []),
            *self.outer.entry,
            *self.outer.lines,
            *self._before,
            f"  call void @blocks({', '.join((_PASSED, *self._passed))})",
            *self._behind,
            "  ret void",
            "}",
            "",
            f"define internal void @blocks({', '.join((_SIGNATURE, *self._parameters))}) noinline #0 {{",
            "entry:",
            *self.inner.entry,
            "  br label %start",
            "start:",
            *self.inner.lines,
            "}",
        ]

    def _take_stack(self, size: int) -> bool:
        fits = self._stack + size <= STACK_BYTES
        if fits:
            self._stack += size
        return fits

    def _hand_over(self, name: str, attributes: str, found: str) -> str:
        pointer = self.inner.fresh(name)
        self._parameters.append(f"ptr {attributes} {pointer}")
        self._passed.append(f"ptr {found}")
        return pointer

    def _find_scratch(self, slot: int) -> list[str]:
        return [
            f"  %scratch.slot = getelementptr i64, ptr %arguments, i64 {slot}",
            "  %scratch.start = load ptr, ptr %scratch.slot, align 8",
            f"  %chunk.slot = getelementptr i64, ptr %arguments, i64 {slot + 1}",
            "  %chunk = load i64, ptr %chunk.slot, align 8",
            "  %piece = udiv i64 %first, %chunk",
            f"  %scratch.offset = mul i64 %piece, {self.scratch}",
            "  %scratch = getelementptr i8, ptr %scratch.start, i64 %scratch.offset",
        ]


def _with_slack(size: int) -> int:
    return -(-(size + 2 * SLACK) // ALIGNMENT) * ALIGNMENT
