"""Device functions."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, overload

from headwater.errors import HeadwaterError


class DeviceFunction:
    """A function that kernels and other device functions call; its body is copied into the caller.

    All but arrays are passed by value. It may return early, and returns a scalar, a vector, a struct, a tuple of
    these, or nothing. `python` is the plain function. Without `contract`, each operation
    of it is rounded as written, whatever the kernel says.
    """

    def __init__(self, function: FunctionType, contract: bool = True) -> None:
        self.python = function
        self.contract = contract
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__wrapped__ = function

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Outside a kernel: an error."""
        raise HeadwaterError(
            f"the device function '{self.__name__}' can be called only inside a kernel",
            hint=f"'{self.__name__}.python' is the plain Python function",
        )

    def __repr__(self) -> str:
        return f"<device function '{self.__qualname__}'>"


@overload
def function(definition: Callable[..., Any], /) -> DeviceFunction: ...


@overload
def function(*, contract: bool = True) -> Callable[[Callable[..., Any]], DeviceFunction]: ...


def function(
    definition: Callable[..., Any] | None = None, /, *, contract: bool = True, **unknown: object
) -> DeviceFunction | Callable[[Callable[..., Any]], DeviceFunction]:
    """Make a device function of a Python function: `@hw.function` or `@hw.function(contract=False)`.

    Without `contract`, no a * b + c of the function and of those that it calls is rounded only once.
    """
    if unknown:
        raise HeadwaterError(
            f"hw.function has no option '{min(unknown)}'", hint="it has 'contract', True or False"
        )
    if not isinstance(contract, bool):
        raise HeadwaterError(f"the option 'contract' is True or False, not {contract!r}")
    if definition is None:
        return lambda decorated: _make(decorated, contract)
    return _make(definition, contract)


def _make(definition: object, contract: bool) -> DeviceFunction:
    if not isinstance(definition, FunctionType):
        raise HeadwaterError(
            f"'@hw.function' takes a Python function, not a '{type(definition).__name__}'",
            hint="put it directly above a 'def'",
        )
    return DeviceFunction(definition, contract)
