"""Errors in units of the last place, of whole arrays, and the worst of them."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

import headwater as hw
from headwater.math import device_function
from headwater.types import from_numpy

Array = np.ndarray[Any, np.dtype[Any]]
# Parts that wait at one time.
BATCH = 32
WIDE = {"float32": np.float64, "float64": np.longdouble}


@dataclass
class Worst:
    """The largest error so far, in ulp, and its arguments. `count` points were compared, `wrong` in kind.

    Wrong in kind is a NaN where there is none or the other way round, an infinity of a result in range, and a zero
    with the wrong sign.
    """

    error: float = 0.0
    at: tuple[Any, ...] = ()
    found: Any = None
    count: int = 0
    wrong: int = 0
    first_wrong: tuple[Any, ...] = ()

    def merge(self, other: Worst) -> None:
        """Take in another part's result."""
        if other.error > self.error:
            self.error, self.at, self.found = other.error, other.at, other.found
        if other.wrong and not self.wrong:
            self.first_wrong = other.first_wrong
        self.count += other.count
        self.wrong += other.wrong


def compare(found: Array, exact: Array, arguments: tuple[Array, ...], floor: float) -> Worst:
    """Compare results with those of an oracle in a wider type.

    The unit is that of the exact result, rounded towards zero, or of `floor` where the result is smaller.
    """
    if exact.dtype == np.float64 and found.all():
        error = _finite_errors(found, exact, floor)
        worst = int(np.argmax(error))
        if np.isfinite(error[worst]):
            return Worst(float(error[worst]), _pick(arguments, worst), found[worst], len(found))
    return _compare_all(found, exact, arguments, floor)


def _finite_errors(found: Array, exact: Array, floor: float) -> Array:
    """The errors of float32 in ulp; not finite where a result is not."""
    limits = np.finfo(found.dtype)
    least = max(float(limits.tiny), 2.0 ** (np.frexp(floor)[1] - 1) if floor else 0.0)
    with np.errstate(all="ignore"):
        error = found - exact
        np.abs(error, out=error)
        unit = (exact.view(np.uint64) & np.uint64(0x7FF0000000000000)).view(np.float64)
        np.maximum(unit, least, out=unit)
        error /= unit
        error *= 2.0**limits.nmant
    return error


def _compare_all(found: Array, exact: Array, arguments: tuple[Array, ...], floor: float) -> Worst:
    """As `compare`, whatever the results are."""
    limits = np.finfo(found.dtype)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(exact)
        exponent = np.maximum(exponent - 1, limits.minexp)
        if floor:
            exponent = np.maximum(exponent, np.frexp(floor)[1] - 1)
        difference = np.abs(found.astype(exact.dtype) - exact)
        error = np.ldexp(difference, limits.nmant - exponent)
    error[found == exact] = 0
    not_a_number = np.isnan(exact)
    wrong = np.isnan(found) != not_a_number
    too_large = np.abs(exact) >= np.ldexp(exact.dtype.type(1), limits.maxexp)
    infinite = np.isinf(found)
    error[infinite & (np.abs(exact) > limits.max) & (np.sign(found) == np.sign(exact))] = 0
    wrong |= infinite & (np.abs(exact) <= limits.max)
    wrong |= too_large & ~infinite
    wrong |= (found == 0) & (np.signbit(found) != np.signbit(exact)) & ~not_a_number
    error[not_a_number | wrong] = 0
    worst = int(np.argmax(error))
    result = Worst(float(error[worst]), _pick(arguments, worst), found[worst], len(found))
    if wrong.any():
        first = int(np.argmax(wrong))
        result.wrong = int(np.count_nonzero(wrong))
        result.first_wrong = (*_pick(arguments, first), found[first], exact[first])
    return result


def _pick(arrays: tuple[Array, ...], index: int) -> tuple[Any, ...]:
    return tuple(array[index] for array in arrays)


@dataclass(frozen=True)
class Arithmetic:
    """What a device's float32 arithmetic keeps of IEEE 754; WGSL asks for neither."""

    subnormals: bool
    division: bool

    @property
    def slack(self) -> float:
        """What a function's error may grow by: one quotient or root of 2.5 ulp."""
        return 0.0 if self.division else 3.0


@hw.kernel
def _probe(out, x, y):  # type: ignore[no-untyped-def]
    i = hw.grid(1)
    out[i] = x[i] / y[i]


def arithmetic(device: hw.Device, contract: bool) -> Arithmetic:
    """Measured, as a program without contraction may compute another way."""
    if not contract:
        return Arithmetic(True, True)
    random = np.random.default_rng(1)
    x, y = random.uniform(1, 2, (2, 1000)).astype(np.float32)
    x[0], y[0] = np.finfo(np.float32).tiny, 2
    out = device.zeros(len(x))
    _probe.over(len(x))(out, device.array(x), device.array(y))
    right = out.numpy() == x / y
    return Arithmetic(bool(right[0]), bool(right[1:].all()))


_KERNELS: dict[tuple[Any, ...], Any] = {}
_LOCK = threading.Lock()


def _kernel(name: str, dtype: np.dtype[Any], arguments: int, contract: bool) -> Any:
    key = (name, dtype.name, contract)
    with _LOCK:
        if key not in _KERNELS:
            function = device_function(name, from_numpy(dtype))
            _KERNELS[key] = _one(function, contract) if arguments == 1 else _two(function, contract)
    return _KERNELS[key]


def _one(function: Any, contract: bool) -> Any:
    @hw.kernel(contract=contract)
    def apply(out, x):  # type: ignore[no-untyped-def]
        i = hw.grid(1)
        out[i] = function(x[i])

    return apply


def _two(function: Any, contract: bool) -> Any:
    @hw.kernel(contract=contract)
    def apply(out, x, y):  # type: ignore[no-untyped-def]
        i = hw.grid(1)
        out[i] = function(x[i], y[i])

    return apply


def _normal(arrays: tuple[Array, ...], tested: tuple[Array, ...]) -> tuple[Array, ...]:
    """The elements where no array of `tested` is subnormal."""
    kept = np.ones(len(tested[0]), bool)
    for array in tested:
        kept &= (array == 0) | ~(np.abs(array) < np.finfo(array.dtype).tiny)
    return tuple(array[kept] for array in arrays)


class Measurement:
    """Runs one function on a device, and compares with the oracle."""

    def __init__(
        self,
        device: hw.Device,
        name: str,
        oracle: Callable[..., Array],
        *,
        floor: float,
        contract: bool,
    ) -> None:
        self.device, self.name, self.oracle = device, name, oracle
        self.floor, self.contract = floor, contract
        self.kept = threading.local()
        self.arithmetic = arithmetic(device, contract)

    def part(self, arguments: tuple[Array, ...]) -> Worst:
        """Compare one set of arguments."""
        dtype = arguments[0].dtype
        flushes = dtype == np.float32 and not self.arithmetic.subnormals
        if flushes:
            arguments = _normal(arguments, arguments)
        if not len(arguments[0]):
            return Worst()
        found = self.results(arguments)
        with np.errstate(all="ignore"):
            wide = [x.astype(WIDE[dtype.name]) for x in arguments]
            exact = np.asarray(self.oracle(*wide))
            rounded = exact.astype(dtype)
        if flushes:
            found, exact, *kept = _normal((found, exact, *arguments), (rounded,))
            arguments = tuple(kept)
        return compare(found, exact, arguments, self.floor)

    def results(self, arguments: tuple[Array, ...]) -> Array:
        """What the device gives; its arrays are kept for the next part of this thread."""
        size, dtype = len(arguments[0]), arguments[0].dtype
        kept = getattr(self.kept, "arrays", None)
        if kept is None or len(kept[0]) != size:
            count = len(arguments) + 1
            kept = [self.device.zeros(size, from_numpy(dtype)) for _ in range(count)]
            self.kept.arrays = kept
        for array, values in zip(kept[1:], arguments, strict=True):
            array.write(values)
        _kernel(self.name, dtype, len(arguments), self.contract).over(size)(*kept)
        return np.asarray(kept[0].numpy())

    def all(self, parts: Iterable[tuple[Array, ...]], workers: int) -> Worst:
        """Compare all parts, `workers` at a time."""
        worst, waiting = Worst(), iter(parts)
        with ThreadPoolExecutor(workers) as pool:
            while batch := list(itertools.islice(waiting, BATCH)):
                for result in pool.map(self.part, batch):
                    worst.merge(result)
        return worst
