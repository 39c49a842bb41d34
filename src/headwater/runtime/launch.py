"""A kernel with its launch configuration: finds the program for the arguments, packs them, launches.

A launch of known types costs one walk over the arguments, one look-up of their keys, and one call for each
parameter. Whatever is checked once for all arguments of the same types is checked when an `Entry` is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headwater.backends.contract import Executable
from headwater.errors import (
    CompileError,
    DomainError,
    HeadwaterError,
    KernelError,
    LaunchError,
    MemoryUseError,
)
from headwater.frontend.fingerprint import captures
from headwater.runtime.arguments import (
    DESCRIBERS,
    Path,
    alias_groups,
    alias_pattern,
    leaf_paths,
    with_aliases,
)
from headwater.runtime.array import Array
from headwater.runtime.callers import located
from headwater.runtime.compile import (
    Specialization,
    generated_source,
    ir_text,
    options_now,
    program,
)
from headwater.runtime.device import ArrayKey, Device, device
from headwater.runtime.packing import Packer, Source, distinct, packer
from headwater.types import ArgumentType, ArrayType

if TYPE_CHECKING:
    from headwater.frontend import Guard
    from headwater.runtime.kernel import Kernel

Triple = tuple[int, int, int]

_AXES = ("x", "y", "z")
# Causes that the user's line and arguments explain: how Headwater found them is left out of the traceback.
_USERS_ERRORS: tuple[type[HeadwaterError], ...] = (
    CompileError,
    DomainError,
    KernelError,
    LaunchError,
    MemoryUseError,
)


@dataclass(frozen=True, slots=True)
class Configuration:
    """What stands between the brackets of a launch, or in `forall` and `over`.

    Either `grid` and `block` are given, or `extents` (threads along each axis), for which the grid is made of
    blocks of `block`, or of the device's choice where that is None.
    """

    grid: Triple | None = None
    block: Triple | None = None
    extents: tuple[int, ...] = ()
    guard: Guard | None = None
    count: Array | None = None
    shared_bytes: int = 0

    def __str__(self) -> str:
        if self.grid is not None:
            shared = f", {self.shared_bytes} shared bytes" if self.shared_bytes else ""
            return f"[{self.grid}, {self.block}{shared}]"
        size = f"a count of up to {self.extents[0]}" if self.count is not None else self.extents
        block = "" if self.block is None else f", block {self.block}"
        return f"{'forall' if self.guard is None else 'over'} {size}{block}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A program for one alias pattern, and how its arguments are made of the leaves."""

    executable: Executable
    pack: Packer
    written: tuple[int, ...]


@dataclass(slots=True)
class Entry:
    """What is known of arguments of the same types: where their arrays are, and the plans made so far.

    `plain` is the plan of arrays that share no memory, and `distinct` says whether that is so.
    """

    device: Device
    block: Triple
    arrays: tuple[int, ...]
    follows_default: bool
    distinct: Callable[[Sequence[Any]], bool]
    plain: Plan | None = None
    plans: dict[tuple[int, ...], Plan] = field(default_factory=dict)


class Launch:
    """A configured kernel: call it with the arguments to launch, or ask for its texts.

    `kernel` is the kernel, and `configuration` how it is launched.
    """

    __slots__ = ("_arity", "_axes", "_count", "_entries", "_grids", "configuration", "kernel")

    def __init__(self, kernel: Kernel, configuration: Configuration) -> None:
        self.kernel = kernel
        self.configuration = configuration
        self._arity = kernel.arity
        self._axes = len(configuration.extents)
        self._count = configuration.count
        self._grids: dict[Triple, Triple] = {}
        mode = (configuration.block, self._axes, configuration.guard, configuration.shared_bytes)
        self._entries = kernel._entries_of(mode)

    def __call__(self, *arguments: Any, **named: Any) -> None:
        """Launch. Returns before the work is done; downloads and `Device.synchronize` wait for it.

        Raises LaunchError for arguments, sizes or devices that do not fit, MemoryUseError for freed arrays, and
        at the first launch with new types CompileError where the kernel's text is wrong for them.
        """
        try:
            arguments, leaves, keys = self._walk(arguments, named)
            key = tuple(keys)
            entry = self._entries.get(key)
            if entry is None or entry.follows_default:
                entry = self._entry(arguments, key)
            grid = self._grids.get(entry.block) or self._grid(entry.block)
            if 0 in grid:
                for position in entry.arrays:
                    leaves[position]._usable()
                return
            plan = entry.plain
            if plan is None or self._count is not None or not entry.distinct(leaves):
                plan = self._plan(entry, arguments, leaves)
            plan.executable.launch(grid, plan.pack(leaves))
        except _USERS_ERRORS as error:
            raise located(error).with_traceback(None) from None

    def compile(self, *arguments: Any, **named: Any) -> None:
        """Make the program for such arguments ready without launching it."""
        try:
            arguments, leaves, keys = self._walk(arguments, named)
            self._plan(self._entry(arguments, tuple(keys)), arguments, leaves)
        except _USERS_ERRORS as error:
            raise located(error).with_traceback(None) from None

    def ir(self, *arguments: Any, **named: Any) -> str:
        """The text of the IR for such arguments."""
        try:
            return ir_text(self._specialization(arguments, named))
        except _USERS_ERRORS as error:
            raise located(error).with_traceback(None) from None

    def source(self, *arguments: Any, **named: Any) -> str:
        """The text that the device's backend generates for such arguments."""
        try:
            return generated_source(self._specialization(arguments, named))
        except _USERS_ERRORS as error:
            raise located(error).with_traceback(None) from None

    def plan(self, *arguments: Any, **named: Any) -> str:
        """What the compiler decides for such arguments, in words: lanes, barriers, memory, compile time."""
        from headwater.runtime.inspection import plan_text  # noqa: PLC0415 - a launch needs none of it

        try:
            return plan_text(self._specialization(arguments, named))
        except _USERS_ERRORS as error:
            raise located(error).with_traceback(None) from None

    def __repr__(self) -> str:
        return f"<{self.kernel.name} {self.configuration}>"

    # --- on every launch --------------------------------------------------------------------------

    def _walk(
        self, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], list[Any], list[object]]:
        """The arguments in order, their leaves followed by those of the configuration, and their keys."""
        if named or len(arguments) != self._arity:
            arguments = self.kernel._bind(arguments, named)
        leaves: list[Any] = []
        keys: list[object] = []
        if self.kernel.constants:
            self.kernel._flatten(arguments, leaves, keys)
        else:
            try:
                for argument in arguments:
                    kind = type(argument)
                    if kind is Array:  # most are, or numbers
                        leaves.append(argument)
                        keys.append(argument._key)
                    elif kind is float or kind is int:
                        leaves.append(argument)
                        keys.append(kind)
                    else:
                        DESCRIBERS[kind].flatten(argument, leaves, keys)
            except LaunchError as error:
                self.kernel._explain(arguments, error)
        if self._count is not None:
            leaves.append(self._count)
            keys.append(self._count._key)
        if self._axes:
            leaves += self.configuration.extents
        return arguments, leaves, keys

    def _entry(self, arguments: tuple[Any, ...], key: tuple[object, ...]) -> Entry:
        entry = self._entries.get(key)
        if entry is None or (entry.follows_default and entry.device is not device()):
            entry = self._entries[key] = self._new_entry(arguments, key)
        return entry

    def _grid(self, block: Triple) -> Triple:
        grid = self.configuration.grid or _blocks(self.configuration.extents, block)
        self._grids[block] = grid
        return grid

    def _plan(self, entry: Entry, arguments: tuple[Any, ...], leaves: list[Any]) -> Plan:
        pattern = alias_pattern([leaves[at]._allocation for at in entry.arrays])
        plan = entry.plans.get(pattern)
        if plan is None:
            groups = alias_groups(pattern)
            plan = entry.plans[pattern] = self._new_plan(entry, arguments, groups)
            if not groups:
                entry.plain = plan
        if self._count is None:
            return plan
        for at in plan.written:
            if leaves[at]._allocation is self._count._allocation:
                raise LaunchError(
                    f"kernel '{self.kernel.name}' writes the array that counts its threads",
                    hint="write the new count to another array",
                )
        return plan

    # --- once for each set of types ---------------------------------------------------------------

    def _leaves(self, arguments: tuple[Any, ...]) -> list[tuple[Path, ArgumentType]]:
        kinds = zip(self.kernel.names, self.kernel._types(arguments), strict=True)
        return [leaf for name, kind in kinds for leaf in leaf_paths(kind, (name,))]

    def _new_entry(
        self, arguments: tuple[Any, ...], keys: tuple[object, ...], default: Device | None = None
    ) -> Entry:
        leaves = self._leaves(arguments)
        arrays = tuple(at for at, (_, kind) in enumerate(leaves) if isinstance(kind, ArrayType))
        names = [".".join(leaves[at][0]) for at in arrays]
        devices = [key.device for key in keys if isinstance(key, ArrayKey)]
        if self.configuration.count is not None:
            names.append("count")
        for name, other in zip(names, devices, strict=True):
            if other is not devices[0]:
                raise LaunchError(
                    f"kernel '{self.kernel.name}': '{names[0]}' is on the device '{devices[0].name}', but "
                    f"'{name}' is on '{other.name}'",
                    hint="move one with .copy_to(device)",
                )
        chosen = devices[0] if devices else default or device()
        block = self.configuration.block or _default_block(chosen, self._axes)
        limit = chosen.capabilities.max_block_threads
        if math.prod(block) > limit:
            raise LaunchError(
                f"kernel '{self.kernel.name}': a block of {block} has {math.prod(block)} threads; the device "
                f"'{chosen.name}' takes up to {limit}"
            )
        self._check_shared(chosen)
        return Entry(chosen, block, arrays, not devices, distinct(arrays))

    def _check_shared(self, chosen: Device) -> None:
        asked, limit = self.configuration.shared_bytes, chosen.capabilities.max_shared_bytes
        if asked > limit:
            raise LaunchError(
                f"kernel '{self.kernel.name}': {asked:,} bytes of shared memory a block were asked for; the device "
                f"'{chosen.name}' has {limit:,}"
            )

    def _specialize(
        self, entry: Entry, arguments: tuple[Any, ...], groups: tuple[int, ...]
    ) -> Specialization:
        types = self.kernel._types(arguments)
        if groups:
            numbers = iter(groups)
            types = tuple(with_aliases(kind, numbers) for kind in types)
        captured = captures(self.kernel.function)
        self.kernel._check_captured(captured)
        return Specialization(
            self.kernel.function,
            captured,
            tuple(zip(self.kernel.names, types, strict=True)),
            entry.block,
            self._axes or None,
            self.configuration.guard,
            options_now(self.kernel.options),
            entry.device,
            self.configuration.shared_bytes,
            self.kernel._function_captures(types),
        )

    def _specialization(
        self, arguments: tuple[Any, ...], named: dict[str, Any], chosen: Device | None = None
    ) -> Specialization:
        """What a launch would compile; `chosen` is the device where no argument says it."""
        arguments, leaves, keys = self._walk(arguments, named)
        key = tuple(keys)
        if chosen is None:
            entry = self._entry(arguments, key)
        else:
            entry = self._new_entry(arguments, key, chosen)
        groups = alias_groups(alias_pattern([leaves[at]._allocation for at in entry.arrays]))
        return self._specialize(entry, arguments, groups)

    def _new_plan(self, entry: Entry, arguments: tuple[Any, ...], groups: tuple[int, ...]) -> Plan:
        wanted = self._specialize(entry, arguments, groups)
        made = program(wanted)
        self.kernel._freeze(wanted)
        leaves = self._leaves(arguments)
        positions = {path: at for at, (path, _) in enumerate(leaves)}
        kinds = dict(leaves)
        positions["%count",] = len(leaves)
        first = len(leaves) + (self.configuration.count is not None)
        for axis, name in enumerate(_AXES[: self._axes]):
            positions["%extent", name] = first + axis
        sources = [Source(p, kinds.get(p.path), positions[p.path]) for p in made.parameters]
        written = tuple(positions[p.path] for p in made.parameters if p.written)
        return Plan(made.executable, packer(self.kernel.name, sources), written)


# --- sizes ----------------------------------------------------------------------------------------


def _blocks(extents: Sequence[int], block: Triple) -> Triple:
    if len(extents) == 1:
        return (-(-extents[0] // block[0]), 1, 1)
    x, y, z = (-(-n // size) for n, size in zip((*extents, 1)[:3], block, strict=True))
    return (x, y, z)


def _default_block(chosen: Device, axes: int) -> Triple:
    threads = chosen.capabilities.default_block
    if axes <= 1:
        return (threads, 1, 1)
    width = min(32, threads)
    return (width, threads // width, 1)
