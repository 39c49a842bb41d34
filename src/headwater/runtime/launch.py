"""A kernel with its launch configuration: finds the program for the arguments, packs them, launches.

A launch of known types costs one walk over the arguments, one look-up of their keys, and one call for each
parameter. Whatever is checked once for all arguments of the same types is checked when an `Entry` is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from headwater.backends.contract import Executable, LaunchArgument
from headwater.errors import (
    CompileError,
    DomainError,
    InternalError,
    KernelError,
    LaunchError,
    MemoryUseError,
)
from headwater.frontend.fingerprint import captures
from headwater.runtime.arguments import (
    DESCRIBERS,
    Path,
    alias_groups,
    describe,
    leaf_paths,
    with_aliases,
)
from headwater.runtime.array import Array
from headwater.runtime.compile import (
    Parameter,
    Specialization,
    generated_source,
    ir_text,
    program,
)
from headwater.runtime.device import ArrayKey, Device, device
from headwater.types import FLOAT32, WEAK_FLOAT, WEAK_INT, ArgumentType, ArrayType, ScalarType

if TYPE_CHECKING:
    from headwater.frontend import Guard
    from headwater.runtime.kernel import Kernel

Triple = tuple[int, int, int]
Converter = Callable[[Any], LaunchArgument]

_MAX_FLOAT32 = float(np.finfo(np.float32).max)
_AXES = ("x", "y", "z")
# Causes that the user's line and arguments explain: how Headwater found them is left out of the traceback.
_USERS_ERRORS = (CompileError, DomainError, KernelError, LaunchError, MemoryUseError)


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

    def __str__(self) -> str:
        if self.grid is not None:
            return f"[{self.grid}, {self.block}]"
        size = f"a count of up to {self.extents[0]}" if self.count is not None else self.extents
        block = "" if self.block is None else f", block {self.block}"
        return f"{'forall' if self.guard is None else 'over'} {size}{block}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A program for one alias pattern, and how each of its parameters is made from the leaves."""

    executable: Executable
    converters: tuple[tuple[Converter, int], ...]
    written: tuple[int, ...]


@dataclass(slots=True)
class Entry:
    """What is known of arguments of the same types: where their arrays are, and the plans made so far."""

    device: Device
    block: Triple
    arrays: tuple[int, ...]
    follows_default: bool
    plans: dict[tuple[int, ...], Plan] = field(default_factory=dict)


class Launch:
    """A configured kernel: call it with the arguments to launch, or ask for its texts.

    `kernel` is the kernel, and `configuration` how it is launched.
    """

    __slots__ = ("_axes", "_entries", "configuration", "kernel")

    def __init__(self, kernel: Kernel, configuration: Configuration) -> None:
        self.kernel = kernel
        self.configuration = configuration
        self._axes = len(configuration.extents)
        self._entries = kernel._entries_of((configuration.block, self._axes, configuration.guard))

    def __call__(self, *arguments: Any, **named: Any) -> None:
        """Launch. Returns before the work is done; downloads and `Device.synchronize` wait for it.

        Raises LaunchError for arguments, sizes or devices that do not fit, MemoryUseError for freed arrays, and
        at the first launch with new types CompileError where the kernel's text is wrong for them.
        """
        try:
            arguments, leaves, keys = self._walk(arguments, named)
            entry = self._entry(arguments, keys)
            grid = self.configuration.grid or _blocks(self.configuration.extents, entry.block)
            if 0 in grid:
                for position in entry.arrays:
                    leaves[position]._usable()
                return
            plan = self._plan(entry, arguments, leaves)
            plan.executable.launch(grid, [convert(leaves[at]) for convert, at in plan.converters])
        except _USERS_ERRORS as error:
            raise error.with_traceback(None) from None

    def compile(self, *arguments: Any, **named: Any) -> None:
        """Make the program for such arguments ready without launching it."""
        try:
            arguments, leaves, keys = self._walk(arguments, named)
            self._plan(self._entry(arguments, keys), arguments, leaves)
        except _USERS_ERRORS as error:
            raise error.with_traceback(None) from None

    def ir(self, *arguments: Any, **named: Any) -> str:
        """The text of the IR for such arguments."""
        try:
            return ir_text(self._specialization(arguments, named))
        except _USERS_ERRORS as error:
            raise error.with_traceback(None) from None

    def source(self, *arguments: Any, **named: Any) -> str:
        """The text that the device's backend generates for such arguments."""
        try:
            return generated_source(self._specialization(arguments, named))
        except _USERS_ERRORS as error:
            raise error.with_traceback(None) from None

    def __repr__(self) -> str:
        return f"<{self.kernel.name} {self.configuration}>"

    # --- on every launch --------------------------------------------------------------------------

    def _walk(
        self, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], list[Any], list[object]]:
        """The arguments in order, their leaves followed by those of the configuration, and their keys."""
        if named or len(arguments) != self.kernel.arity:
            arguments = self.kernel._bind(arguments, named)
        leaves: list[Any] = []
        keys: list[object] = []
        try:
            for argument in arguments:
                DESCRIBERS[type(argument)].flatten(argument, leaves, keys)
        except LaunchError as error:
            self._explain(arguments, error)
        count = self.configuration.count
        if count is not None:
            leaves.append(count)
            keys.append(count._key)
        leaves += self.configuration.extents
        return arguments, leaves, keys

    def _entry(self, arguments: tuple[Any, ...], keys: list[object]) -> Entry:
        key = tuple(keys)
        entry = self._entries.get(key)
        if entry is None or (entry.follows_default and entry.device is not device()):
            entry = self._entries[key] = self._new_entry(arguments, keys)
        return entry

    def _plan(self, entry: Entry, arguments: tuple[Any, ...], leaves: list[Any]) -> Plan:
        groups = alias_groups([leaves[at]._allocation for at in entry.arrays])
        plan = entry.plans.get(groups)
        if plan is None:
            plan = entry.plans[groups] = self._new_plan(entry, arguments, groups)
        count = self.configuration.count
        if count is None:
            return plan
        for at in plan.written:
            if leaves[at] is count:
                raise LaunchError(
                    f"kernel '{self.kernel.name}' writes the array that counts its threads",
                    hint="write the new count to another array",
                )
        return plan

    # --- once for each set of types ---------------------------------------------------------------

    def _explain(self, arguments: tuple[Any, ...], error: LaunchError) -> NoReturn:
        """Say which argument it was: the fast walk does not know the names."""
        try:
            for name, argument in zip(self.kernel.names, arguments, strict=True):
                describe(argument, (name,))
        except LaunchError as better:
            error = better
        raise LaunchError(
            f"kernel '{self.kernel.name}': {error.message}", hint=error.hint
        ) from None

    def _types(self, arguments: tuple[Any, ...]) -> tuple[ArgumentType, ...]:
        try:
            pairs = zip(self.kernel.names, arguments, strict=True)
            return tuple(describe(argument, (name,)) for name, argument in pairs)
        except LaunchError as error:
            self._explain(arguments, error)

    def _leaves(self, arguments: tuple[Any, ...]) -> list[tuple[Path, ArgumentType]]:
        kinds = zip(self.kernel.names, self._types(arguments), strict=True)
        return [leaf for name, kind in kinds for leaf in leaf_paths(kind, (name,))]

    def _new_entry(self, arguments: tuple[Any, ...], keys: list[object]) -> Entry:
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
        chosen = devices[0] if devices else device()
        block = self.configuration.block or _default_block(chosen, self._axes)
        limit = chosen.capabilities.max_block_threads
        if math.prod(block) > limit:
            raise LaunchError(
                f"kernel '{self.kernel.name}': a block of {block} has {math.prod(block)} threads; the device "
                f"'{chosen.name}' takes up to {limit}"
            )
        return Entry(chosen, block, arrays, follows_default=not devices)

    def _specialize(
        self, entry: Entry, arguments: tuple[Any, ...], groups: tuple[int, ...]
    ) -> Specialization:
        types = self._types(arguments)
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
            self.kernel.options,
            entry.device,
        )

    def _specialization(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Specialization:
        arguments, leaves, keys = self._walk(arguments, named)
        entry = self._entry(arguments, keys)
        groups = alias_groups([leaves[at]._allocation for at in entry.arrays])
        return self._specialize(entry, arguments, groups)

    def _new_plan(self, entry: Entry, arguments: tuple[Any, ...], groups: tuple[int, ...]) -> Plan:
        wanted = self._specialize(entry, arguments, groups)
        made = program(wanted)
        self.kernel._freeze(wanted.captured)
        leaves = self._leaves(arguments)
        positions = {path: at for at, (path, _) in enumerate(leaves)}
        kinds = dict(leaves)
        positions["%count",] = len(leaves)
        first = len(leaves) + (self.configuration.count is not None)
        for axis, name in enumerate(_AXES[: self._axes]):
            positions["%extent", name] = first + axis
        converters = tuple(
            (self._converter(parameter, kinds.get(parameter.path)), positions[parameter.path])
            for parameter in made.parameters
        )
        written = tuple(positions[p.path] for p in made.parameters if p.written)
        return Plan(made.executable, converters, written)

    def _converter(self, parameter: Parameter, kind: ArgumentType | None) -> Converter:
        if parameter.array:
            return Array._usable
        scalar = parameter.scalar
        if kind is WEAK_INT and scalar.is_integer:
            return _integer(self.kernel.name, parameter)
        if kind in (WEAK_INT, WEAK_FLOAT) and scalar.is_float:
            return _floating(self.kernel.name, parameter)
        if kind not in (None, scalar, WEAK_INT):
            raise InternalError(
                f"kernel '{self.kernel.name}': '{'.'.join(parameter.path)}' is {kind} and cannot be passed as {scalar}"
            )
        return _plain(scalar)


# --- scalars --------------------------------------------------------------------------------------


def _plain(scalar: ScalarType) -> Converter:
    if scalar.is_bool:
        return bool
    return float if scalar.is_float else int


def _misfit(kernel: str, parameter: Parameter, value: int | float) -> LaunchError:
    name = ".".join(parameter.path)
    hint = "no integer type holds it; pass a float"
    if isinstance(value, float) or -(2**63) <= value < 2**63:
        hint = f"pass a NumPy scalar of the type you need, such as np.int64({name})"
    return LaunchError(
        f"kernel '{kernel}': the argument '{name}' is {value}, which does not fit {parameter.scalar}",
        hint=hint,
    )


def _integer(kernel: str, parameter: Parameter) -> Converter:
    low, high = parameter.scalar.limits

    def convert(value: int) -> int:
        if low <= value <= high:
            return value
        raise _misfit(kernel, parameter, value)

    return convert


def _floating(kernel: str, parameter: Parameter) -> Converter:
    limit = _MAX_FLOAT32 if parameter.scalar is FLOAT32 else math.inf

    def convert(value: float) -> float:
        try:
            result = float(value)
        except OverflowError:
            raise _misfit(kernel, parameter, value) from None
        if -limit <= result <= limit or math.isnan(result):
            return result
        with np.errstate(over="ignore"):
            return float(np.float32(result))  # infinite, or just rounds down to the largest

    return convert


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
