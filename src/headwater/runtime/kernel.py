"""`@kernel`: a Python function that is launched on a device."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NoReturn, overload

from headwater.backends.contract import Options
from headwater.errors import HeadwaterError, LaunchError
from headwater.frontend import Guard
from headwater.frontend.fingerprint import Captures, captures
from headwater.runtime.arguments import DESCRIBERS, describe
from headwater.runtime.array import Array
from headwater.runtime.callers import located
from headwater.runtime.compile import Specialization
from headwater.runtime.constants import (
    constant_key,
    constant_parameters,
    constant_type,
    functions_of,
)
from headwater.runtime.launch import Configuration, Entry, Launch, Triple
from headwater.runtime.layout import is_integer
from headwater.types import INT32, ArgumentType, ConstantType

# Threads along an axis. Blocks round it up, and the last index must still fit int32.
MAX_THREADS = 2**31 - 2**16
_MAX_LAUNCHES = 256
# What a size is called where it is negative.
_NAMES = {"over": "the shape of over(...)", "forall": "the number of threads of forall(...)"}
_HINT = "write kernel[blocks, threads](...), kernel.forall(n)(...) or kernel.over(shape)(...)"

Mode = tuple[Triple | None, int, Guard | None, int]


class Kernel:
    """A function in the kernel language; made by `headwater.kernel`.

    Types come from the arguments: each new set of types is compiled at its first launch. Values that the
    function captures are frozen at the first of all: with another value, a new set of types is a LaunchError.
    """

    def __init__(self, function: FunctionType, options: Options) -> None:
        functools.update_wrapper(self, function)
        code = function.__code__
        self.function = function
        self.options = options
        self.name = function.__name__
        self.names = code.co_varnames[: code.co_argcount]
        self.arity = code.co_argcount
        self.constants = constant_parameters(function)
        self._entries: dict[Mode, dict[tuple[object, ...], Entry]] = {}
        self._launches: dict[object, Launch] = {}
        self._captured: Captures | None = None
        self._captured_by: dict[FunctionType, Captures] = {}

    def __repr__(self) -> str:
        return f"<kernel '{self.name}({', '.join(self.names)})'>"

    def __call__(self, *_: Any, **__: Any) -> None:
        """Always a LaunchError: a kernel needs a launch configuration."""
        error = LaunchError(
            f"kernel '{self.name}' is called without a launch configuration", hint=_HINT
        )
        raise located(error)

    def __getitem__(self, configuration: Any) -> Launch:
        """`kernel[blocks, threads, stream, shared_bytes]`: sizes are an int or a tuple of up to three, x first.

        `stream` is None or 0, and `shared_bytes` what `shared.array(0, dtype)` has a block; both may be left out.
        """
        try:
            return self._launches[configuration]
        except (KeyError, TypeError):
            pass
        try:
            return self._kept(configuration, self._configuration(configuration))
        except LaunchError as error:
            raise located(error).with_traceback(None) from None

    def forall(self, n: int, *, block: int | None = None) -> Launch:
        """At least `n` threads in one dimension; the kernel itself guards against the surplus.

        `block` is the number of threads of a block, the device's choice by default.
        """
        key = ("forall", n, block)
        try:
            return self._launches[key]
        except (KeyError, TypeError):
            pass
        try:
            return self._kept(key, self._forall(n, block))
        except LaunchError as error:
            raise located(error).with_traceback(None) from None

    def _forall(self, n: int, block: int | None) -> Configuration:
        extents = self._extents(n, "forall")
        if len(extents) != 1:
            raise LaunchError(
                f"kernel '{self.name}': forall takes one number", hint="use over for a shape"
            )
        return Configuration(block=self._block(block, 1), extents=extents)

    def over(
        self,
        shape: int | tuple[int, ...] | Array,
        *,
        capacity: int | None = None,
        block: int | tuple[int, ...] | None = None,
    ) -> Launch:
        """Exactly the threads of the index space `shape` (x first): the compiler adds the guard.

        The kernel asks for its indices with `grid(n)`, where n is the number of axes of `shape`; another n, or
        `threadIdx` and `blockIdx` of an axis that is not there, is a CompileError.

        A device array of one int32 instead of a shape runs as many threads as it holds when the kernel starts,
        at most `capacity`, and the host does not wait for the value. `block` is the shape of a block, with no
        more axes than the index space; the device chooses it by default.
        """
        # A launch over a count is not kept: it would keep the array's memory.
        key = None if isinstance(shape, Array) else ("over", shape, capacity, block)
        try:
            return self._launches[key]
        except (KeyError, TypeError):
            pass
        try:
            return self._kept(key, self._over(shape, capacity, block))
        except LaunchError as error:
            raise located(error).with_traceback(None) from None

    def _over(
        self,
        shape: int | tuple[int, ...] | Array,
        capacity: int | None,
        block: int | tuple[int, ...] | None,
    ) -> Configuration:
        if isinstance(shape, Array):
            extents = self._extents(self._capacity(shape, capacity), "capacity")
            return Configuration(None, self._block(block, 1), extents, Guard(1, count=True), shape)
        if capacity is not None:
            raise LaunchError(f"kernel '{self.name}': a capacity belongs to a count on the device")
        extents = self._extents(shape, "over")
        axes = len(extents)
        return Configuration(None, self._block(block, axes), extents, Guard(axes))

    # --- for tools and tests ----------------------------------------------------------------------

    def ir(self, *arguments: Any, block: int | tuple[int, ...] | None = None) -> str:
        """The text of the IR for such arguments; a configured kernel has `ir` too."""
        return self._unguarded(block).ir(*arguments)

    def source(self, *arguments: Any, block: int | tuple[int, ...] | None = None) -> str:
        """The text that the device's backend generates for such arguments; so has a configured kernel."""
        return self._unguarded(block).source(*arguments)

    def specialize(self, *arguments: Any, block: int | tuple[int, ...] | None = None) -> None:
        """Compile for such arguments without launching: as `forall` would, or by blocks of several axes."""
        self._unguarded(block).compile(*arguments)

    def _unguarded(self, block: int | tuple[int, ...] | None) -> Launch:
        shape = self._block(block)
        if shape is not None and math.prod(shape[1:]) > 1:
            return Launch(self, Configuration((1, 1, 1), shape))
        return Launch(self, Configuration(block=shape, extents=(1,)))

    # --- for Launch -------------------------------------------------------------------------------

    def _entries_of(self, mode: Mode) -> dict[tuple[object, ...], Entry]:
        """What launches of one block shape and guard share."""
        found = self._entries.get(mode)
        return found if found is not None else self._entries.setdefault(mode, {})

    def _check_captured(self, now: Captures) -> None:
        """LaunchError where captured values are not those of the first compile."""
        _check(self.function, self._captured, now)

    def _function_captures(self, types: Sequence[ArgumentType]) -> tuple[Captures, ...]:
        """What device functions that are arguments depend on; LaunchError where that has changed."""
        if not self.constants:
            return ()
        values = (kind.value for kind in types if isinstance(kind, ConstantType))
        functions = [given.python for value in values for given in functions_of(value)]
        found = tuple(map(captures, functions))
        for function, now in zip(functions, found, strict=True):
            _check(function, self._captured_by.get(function), now)
        return found

    def _freeze(self, compiled: Specialization) -> None:
        """Note what the kernel was compiled with, the first time."""
        if self._captured is None:
            self._captured = compiled.captured
        for captured in compiled.functions:
            self._captured_by.setdefault(captured.parts[0].function, captured)

    def _flatten(self, arguments: tuple[Any, ...], leaves: list[Any], keys: list[object]) -> None:
        """The leaves and keys of arguments some of which are known when compiling."""
        pairs = zip(self.names, arguments, self.constants, strict=True)
        try:
            for name, argument, constant in pairs:
                if constant:
                    keys.append(constant_key(argument, name))
                else:
                    DESCRIBERS[type(argument)].flatten(argument, leaves, keys)
        except LaunchError as error:
            self._explain(arguments, error)

    def _types(self, arguments: tuple[Any, ...]) -> tuple[ArgumentType, ...]:
        """The type of each argument; LaunchError that names the argument that has none."""
        constants = self.constants or (False,) * len(arguments)
        triples = zip(self.names, arguments, constants, strict=True)
        try:
            return tuple(
                constant_type(argument, name) if constant else describe(argument, (name,))
                for name, argument, constant in triples
            )
        except LaunchError as error:
            raise LaunchError(f"kernel '{self.name}': {error.message}", hint=error.hint) from None

    def _explain(self, arguments: tuple[Any, ...], error: LaunchError) -> NoReturn:
        """Say which argument it was: the fast walk does not know the names."""
        self._types(arguments)
        raise LaunchError(f"kernel '{self.name}': {error.message}", hint=error.hint) from None

    def _bind(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in the order of the parameters; LaunchError where they do not match."""
        signature = inspect.signature(self.function)
        try:
            bound = signature.bind(*arguments, **named)
        except TypeError as error:
            takes = ", ".join(self.names) or "no arguments"
            unknown = sorted(set(named).difference(self.names))
            if unknown:
                raise LaunchError(
                    f"kernel '{self.name}' takes ({takes}), and no '{unknown[0]}'"
                ) from None
            given = len(arguments) + len(named)
            raise LaunchError(
                f"kernel '{self.name}' takes ({takes}), and {given} were given: {error}"
            ) from None
        bound.apply_defaults()
        return bound.args

    # --- sizes ------------------------------------------------------------------------------------

    def _configuration(self, given: Any) -> Configuration:
        if not isinstance(given, tuple) or not 2 <= len(given) <= 4:
            raise LaunchError(f"kernel '{self.name}': [blocks, threads] was expected", hint=_HINT)
        stream = given[2] if len(given) > 2 else None
        shared_bytes = given[3] if len(given) > 3 else 0
        if not (stream is None or (is_integer(stream) and stream == 0)):
            raise LaunchError(
                f"kernel '{self.name}': streams are not there yet: {stream!r} was given as the stream",
                hint="write None or 0 in its place, such as kernel[blocks, threads, None, shared_bytes]",
            )
        if not is_integer(shared_bytes) or not 0 <= shared_bytes < 2**31:
            raise LaunchError(
                f"kernel '{self.name}': shared_bytes is a number of bytes, not {shared_bytes!r}"
            )
        grid, block = self._triple(given[0], "blocks"), self._triple(given[1], "threads")
        if 0 in block:
            raise LaunchError(f"kernel '{self.name}': a block of {block} has no threads")
        for axis, (blocks, threads) in enumerate(zip(grid, block, strict=True)):
            if blocks * threads > MAX_THREADS:
                raise LaunchError(
                    f"kernel '{self.name}': {blocks:,} blocks of {threads} threads along {'xyz'[axis]} are too "
                    f"many: at most {MAX_THREADS:,} threads are possible"
                )
        return Configuration(grid, block, shared_bytes=int(shared_bytes))

    def _kept(self, key: object, configuration: Configuration) -> Launch:
        """A launch that is found again by the same key, unless that is None."""
        launch = Launch(self, configuration)
        if key is None:
            return launch
        if len(self._launches) >= _MAX_LAUNCHES:
            self._launches.clear()
        with contextlib.suppress(TypeError):  # lists are accepted as sizes, but not kept
            self._launches[key] = launch
        return launch

    def _block(self, block: int | tuple[int, ...] | None, axes: int = 3) -> Triple | None:
        if block is None:
            return None
        triple = self._triple(block, "block")
        if 0 in triple:
            raise LaunchError(f"kernel '{self.name}': a block of {triple} has no threads")
        if any(threads > 1 for threads in triple[axes:]):
            raise LaunchError(
                f"kernel '{self.name}': a block of {triple} does not fit an index space of {axes} "
                f"{'axis' if axes == 1 else 'axes'}: indices would come more than once"
            )
        return triple

    def _extents(self, given: object, what: str) -> tuple[int, ...]:
        extents = self._sizes(given, what)
        if max(extents) > MAX_THREADS:
            raise LaunchError(
                f"kernel '{self.name}': {what} of {max(extents):,} threads is too many: at most {MAX_THREADS:,} "
                "are possible along an axis"
            )
        return extents

    def _capacity(self, count: Array, capacity: int | None) -> int:
        if count.dtype is not INT32 or count.shape != (1,):
            raise LaunchError(
                f"kernel '{self.name}': a count is an int32 array of shape (1,), not {count!r}"
            )
        if capacity is None:
            raise LaunchError(
                f"kernel '{self.name}': a count on the device needs a capacity",
                hint="write over(count, capacity=n)",
            )
        return capacity

    def _triple(self, given: object, what: str) -> Triple:
        x, y, z = (*self._sizes(given, what), 1, 1)[:3]
        return (x, y, z)

    def _sizes(self, given: object, what: str) -> tuple[int, ...]:
        sizes = tuple(given) if isinstance(given, tuple | list) else (given,)
        if not all(map(is_integer, sizes)) or not 1 <= len(sizes) <= 3:
            raise LaunchError(
                f"kernel '{self.name}': {what} takes an int or a tuple of up to three, not {given!r}"
            )
        result = tuple(map(int, sizes))
        if min(result) < 0:
            name = _NAMES.get(what, what)
            raise LaunchError(f"kernel '{self.name}': {name} is negative: {given!r}")
        return result


def _check(function: FunctionType, first: Captures | None, now: Captures) -> None:
    if first is None or first.digest == now.digest:
        return
    from headwater.frontend.frozen import check_frozen  # noqa: PLC0415 - seldom needed

    check_frozen(function, first, now)


@overload
def kernel(function: Callable[..., None], /) -> Kernel: ...


@overload
def kernel(
    *, contract: bool = True, debug: bool = False
) -> Callable[[Callable[..., None]], Kernel]: ...


def kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    contract: bool = True,
    debug: bool = False,
    **unknown: object,
) -> Kernel | Callable[[Callable[..., None]], Kernel]:
    """Make a function a kernel: `@kernel` or `@kernel(contract=False)`.

    `contract` allows a * b + c to be rounded once. `debug` compiles the kernel in debug mode, as HEADWATER_DEBUG=1 does
    all of them. Nothing is compiled before the first launch.
    """
    if unknown:
        raise HeadwaterError(
            f"hw.kernel has no option '{min(unknown)}'",
            hint="it has 'contract' and 'debug', True or False",
        )
    for name, given in (("contract", contract), ("debug", debug)):
        if not isinstance(given, bool):
            raise HeadwaterError(f"the option '{name}' is True or False, not {given!r}")
    options = Options(contract=contract, debug=debug)
    if function is None:
        return lambda decorated: _make(decorated, options)
    return _make(function, options)


def _make(function: object, options: Options) -> Kernel:
    if not isinstance(function, FunctionType):
        raise HeadwaterError(
            f"'{getattr(function, '__name__', function)}' is a '{type(function).__name__}', not a plain function",
            hint="put @kernel right above 'def'",
        )
    code = function.__code__
    if code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        raise HeadwaterError(
            f"kernel '{function.__name__}' takes '*' arguments",
            hint="name each argument: their number and order are part of a launch",
        )
    return Kernel(function, options)
