"""One lowering pass: the kernel that grows, and how values become IR."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import TYPE_CHECKING

import numpy as np

from headwater import ir
from headwater.errors import CompileError, InternalError, Span
from headwater.frontend import capture, library
from headwater.frontend.dialect import Dialect
from headwater.frontend.function import DeviceFunction
from headwater.frontend.unread import Unread
from headwater.frontend.values import (
    SCALAR_CLASSES,
    Array,
    Captured,
    Key,
    Literal,
    Operand,
    Record,
    Records,
    Runtime,
    Scalar,
    Struct,
    Tuple,
    Vector,
    WeakOperation,
    WeakParameter,
    WeakVariable,
    describe,
)
from headwater.frontend.variables import (
    Composite,
    SimpleType,
    TypeTable,
    kind_of,
    part_key,
    parts_of,
    scalar_of,
)
from headwater.types import (
    FLOAT16,
    FLOAT32,
    FLOAT64,
    MAXIMUM_BITS,
    WEAK_FLOAT,
    WEAK_INT,
    ArgumentType,
    ArrayType,
    ConstantType,
    GridType,
    RecordArrayType,
    ScalarType,
    StructType,
    TupleType,
    VectorType,
)

if TYPE_CHECKING:
    import ast

    from headwater.frontend.frame import Frame

AXES = "xyzw"
_PACKED = {FLOAT16: "<e", FLOAT32: "<f", FLOAT64: "<d"}

# These keep their meaning only on integers, so a weak int computes them as one also where a float is wanted.
_INTEGER_ONLY = frozenset(("floordiv", "mod", "and", "or", "xor", "not", "shl", "shr"))


class Program:
    """The state of one pass. `evaluate` and `execute` walk the AST; `lower` sets them and what is declared beside."""

    evaluate: Callable[[Frame, ast.expr], Operand]
    execute: Callable[[Frame, list[ast.stmt]], bool]
    # The results of a function of the library, whose operands are emitted for this float type.
    function: Callable[[Program, WeakOperation, ScalarType], list[ir.Value]]
    # The result of a device function of the compiler's own.
    inlined: Callable[[Program, DeviceFunction, Sequence[Scalar]], Scalar]

    def __init__(self, kernel: ir.Kernel, table: TypeTable, dialect: Dialect) -> None:
        self.kernel = kernel
        self.table = table
        self.dialect = dialect
        # How many axes the index space has, None where the kernel is launched by blocks; and what gives it.
        self.axes: int | None = None
        self.space = ""
        self.builder = ir.Builder(kernel.body, kernel.span)
        self.open: list[ir.Block] = [kernel.body]
        self.calls: list[tuple[str, Span]] = []
        self._names: set[str] = set()
        self._scalars: dict[tuple[tuple[str, ...], ScalarType], ir.ScalarParameter] = {}
        self._arrays: dict[tuple[str, ...], ir.ArrayParameter] = {}
        self._variables: dict[tuple[Key, SimpleType], tuple[ir.Variable, ...]] = {}
        self._emitted: dict[tuple[WeakOperation, ScalarType], tuple[ir.Value, ir.Block]] = {}
        self.unread = Unread()
        # How many trips of loops have been written out.
        self.trips = 0
        self._library_calls: dict[int, int] = {}
        self._recording = True

    # --- errors and blocks ------------------------------------------------------------------------

    def fail(self, text: str, hint: str | None = None, span: Span | None = None) -> CompileError:
        """The error to raise, at `span` or where the builder stands, with the calls that led here."""
        parts = [hint] if hint else []
        parts += [f"in '{name}', called at {_place(at)}" for name, at in reversed(self.calls)]
        return CompileError(text, span=span or self.builder.span, hint="; ".join(parts) or None)

    def broken(self, text: str) -> InternalError:
        """The error to raise where this compiler contradicts itself."""
        return InternalError(text, span=self.builder.span)

    @contextmanager
    def inside(self, block: ir.Block) -> Iterator[None]:
        """Append to `block`; values of it may be used until the end."""
        self.open.append(block)
        outer, self.builder.block = self.builder.block, block
        try:
            yield
        finally:
            self.open.pop()
            self.builder.block = outer

    def is_open(self, block: ir.Block) -> bool:
        """Whether values of the block can be used here."""
        return block in self.open

    def unique(self, name: str) -> str:
        """A name that no parameter, variable or shared array has yet."""
        chosen, count = name, 1
        while chosen in self._names:
            count += 1
            chosen = f"{name}_{count}"
        self._names.add(chosen)
        return chosen

    # --- parameters -------------------------------------------------------------------------------

    def argument(self, path: tuple[str, ...], kind: ArgumentType) -> Operand:
        """The value of an argument or of a field of one."""
        if isinstance(kind, ArrayType):
            return Array(".".join(path), kind, path)
        if isinstance(kind, RecordArrayType):
            return self._records(path, kind)
        if isinstance(kind, StructType):
            return Struct(kind, path)
        if isinstance(kind, TupleType):
            items = (self.argument((*path, str(k)), item) for k, item in enumerate(kind.items))
            return Tuple(tuple(items), kind.names)
        if isinstance(kind, ConstantType):
            return self._frozen(path, kind)
        if isinstance(kind, VectorType):
            return Vector(
                tuple(self._leaf((*path, axis), kind.scalar) for axis in AXES[: kind.size])
            )
        return self._leaf(path, kind)

    def _records(self, path: tuple[str, ...], kind: RecordArrayType) -> Records:
        fields = tuple((name, self.argument((*path, name), part)) for name, part in kind.fields)
        return Records(".".join(path), kind.name, kind.ndim, fields)  # type: ignore[arg-type]

    def _frozen(self, path: tuple[str, ...], kind: ConstantType) -> Operand:
        name = ".".join(path)
        try:
            return capture.freeze(name, kind.value)
        except capture.Unusable as problem:
            raise self.fail(problem.text, problem.hint) from None

    def _leaf(self, path: tuple[str, ...], kind: ScalarType) -> Scalar:
        if kind.weak:
            return WeakParameter(path, kind)
        return Runtime(self.scalar_parameter(path, FLOAT32 if kind is FLOAT16 else kind))

    def scalar_parameter(self, path: tuple[str, ...], kind: ScalarType) -> ir.ScalarParameter:
        """The parameter that passes `path` in this type; made at its first use."""
        found = self._scalars.get((path, kind))
        if found is None:
            name = _joined(path)
            name = name if name not in self._names else f"{name}_{kind}"
            found = ir.ScalarParameter(kind, self.unique(name), path)
            self._scalars[path, kind] = found
            self.kernel.parameters.append(found)
        return found

    def array(self, array: Array) -> ir.Array:
        """The IR's array, of a view the one that it shows; a parameter is made at its first use."""
        if array.own is not None:
            return array.own
        found = self._arrays.get(array.path)
        if found is None:
            base = array
            while base.view is not None:
                base = base.view.parent
            found = ir.ArrayParameter(self.unique(_joined(array.path)), base.type, array.path)
            self._arrays[array.path] = found
            self.kernel.parameters.append(found)
        return found

    # --- values -----------------------------------------------------------------------------------

    def default(self, kind: ScalarType) -> ScalarType:
        """What a weak type becomes where nothing decides."""
        if kind is WEAK_FLOAT:
            return self.dialect.floating
        return self.dialect.integer if kind is WEAK_INT else kind

    def emit_default(self, value: Scalar) -> ir.Value:
        """The value in its own type, or in the default of a weak one."""
        return self.emit_open(value, self.default(value.kind))

    def emit_open(self, value: Scalar, kind: ScalarType) -> ir.Value:
        """As `emit`, where `kind` is only a default that must not decide the type of a weak variable."""
        before, self._recording = self._recording, False
        try:
            return self.emit(value, kind)
        finally:
            self._recording = before

    def emit(self, value: Scalar, kind: ScalarType) -> ir.Value:
        """The value in the strong type `kind`."""
        if kind is FLOAT16:
            return self._half(value)
        if isinstance(value, Runtime):
            return self.builder.cast(value.value, kind)
        if isinstance(value, Literal):
            return self._constant(value, kind)
        if value.kind is WEAK_FLOAT and not kind.is_float:
            return self.builder.cast(self.emit_default(value), kind)
        if value.kind is WEAK_INT and kind.is_bool:
            return self.builder.cast(self.emit_default(value), kind)
        if isinstance(value, WeakParameter):
            return self.scalar_parameter(value.path, kind)
        if isinstance(value, WeakVariable):
            if self._recording:
                self.table.use(value.key, kind)
            return self.builder.constant(0.0 if kind.is_float else 0, kind)
        return self._operation(value, kind)

    def _half(self, value: Scalar) -> ir.Value:
        """To be stored as a float16: rounded once, as far as the value has a type of its own."""
        if isinstance(value, Literal):
            exact = (
                self.rounded(value.value, FLOAT16, value.span)
                if value.kind.weak
                else self.converted(value.value, FLOAT16)
            )
            return self.builder.cast(self.builder.constant(exact, FLOAT32), FLOAT16)
        wide = self.emit_open(value, FLOAT32 if value.kind.weak else value.kind)
        return self.builder.cast(wide, FLOAT16)

    def _operation(self, value: WeakOperation, kind: ScalarType) -> ir.Value:
        known = self._emitted.get((value, kind))
        if known is not None and self.is_open(known[1]):
            return known[0]
        for below in reversed(
            _spine(value, kind)
        ):  # the deepest first: a long sum is no deep recursion
            self._operation(below, kind)
        result = self._compute(value, kind)
        self._emitted[value, kind] = (result, self.builder.block)
        return result

    def weak(
        self, operation: str, arguments: tuple[Scalar, ...], kind: ScalarType
    ) -> WeakOperation:
        """An operation that waits for the type of its use; rounded as what stands here."""
        return WeakOperation(operation, arguments, kind, self.builder.contract)

    def _compute(self, value: WeakOperation, kind: ScalarType) -> ir.Value:
        with self.builder.contracting(value.contract):
            return self._computed(value, kind)

    def _computed(self, value: WeakOperation, kind: ScalarType) -> ir.Value:
        if value.operation == "same":
            return self.emit(value.arguments[0], kind)
        if value.operation in _INTEGER_ONLY and value.kind is WEAK_INT and kind.is_float:
            return self.builder.cast(self.emit_default(value), kind)
        if value.operation == "select":
            condition, a, b = value.arguments
            chosen = (self.emit(condition, condition.kind), self.emit(a, kind), self.emit(b, kind))
            return self.builder.compute("select", *chosen)
        if value.operation in library.FUNCTIONS:
            return self.function(self, value, kind)[0]
        return self.builder.compute(value.operation, *(self.emit(a, kind) for a in value.arguments))

    def _constant(self, literal: Literal, kind: ScalarType) -> ir.Value:
        value = literal.value
        if kind.is_bool:
            return self.builder.constant(bool(value), kind)
        if kind.is_float and not literal.kind.weak and isinstance(value, float):
            return self.builder.constant(self.converted(value, kind), kind)
        if kind.is_float:
            return self.builder.constant(self.rounded(value, kind, literal.span), kind)
        if isinstance(value, float):
            return self.builder.cast(self._constant(literal, self.default(literal.kind)), kind)
        low, high = kind.limits
        if not literal.kind.weak:
            # A cast: the low bits are kept.
            value = (int(value) - low) % (high - low + 1) + low
        if low <= value <= high:
            return self.builder.constant(int(value), kind)
        raise self.fail(
            f"the value {_short(value)} does not fit the type '{kind}' that it is used with",
            f"{kind} holds {low} to {high}; cast the other side to a wider type, such as hw.int64(...)",
            literal.span,
        )

    def converted(self, value: int | float, kind: ScalarType) -> float:
        """The number as a cast makes it: what is too large is infinite."""
        with np.errstate(over="ignore"):
            return float(np.float64(value).astype(kind.numpy))

    def rounded(self, value: int | float, kind: ScalarType, span: Span | None = None) -> float:
        """The nearest number of a float type, as a Python float."""
        if isinstance(value, int) and 1 << 53 < abs(value) < 1 << 63 and kind is FLOAT32:
            return float(np.int64(value).astype(kind.numpy))  # not by way of a double: it rounds
        try:
            code = _PACKED[kind]
            return float(struct.unpack(code, struct.pack(code, float(value)))[0])
        except OverflowError:
            raise self.fail(
                f"the value {_short(value)} does not fit the type '{kind}' that it is used with",
                "use hw.float64" if kind is FLOAT32 else "use a wider type",
                span,
            ) from None

    def library_key(self, function: FunctionType) -> tuple[int, ...]:
        """A place in the table of types for one more call of a function of the library."""
        code = id(function.__code__)
        self._library_calls[code] = self._library_calls.get(code, 0) + 1
        return code, self._library_calls[code]

    # --- variables --------------------------------------------------------------------------------

    def as_value(self, value: Operand) -> Operand:
        """A struct argument or a captured dataclass as a record, in tuples too; anything else as it is."""
        if isinstance(value, SCALAR_CLASSES):
            return value
        if isinstance(value, Struct) and not isinstance(value.type, GridType):
            fields = (
                (name, self.as_value(self.argument((*value.path, name), kind)))
                for name, kind in value.type.fields
            )
            return Record(value.type.name, tuple(fields))
        if isinstance(value, Captured):
            found = capture.fields_of(value)
            if found is None:
                return value
            kind, parts = found
            return Record(kind, tuple((name, self.as_value(part)) for name, part in parts))
        if isinstance(value, Tuple):
            return Tuple(tuple(map(self.as_value, value.items)), value.names)
        if isinstance(value, Record):
            return Record(value.kind, tuple((n, self.as_value(v)) for n, v in value.fields))
        return value

    def read(self, key: Key) -> Scalar | Vector | Record | Tuple:
        """The value of a variable here."""
        kind = self.table.types[key]
        if isinstance(kind, Composite):
            parts = tuple(self.read(part_key(key, name)) for name in kind.fields)
            if kind.record is None:
                return Tuple(parts, kind.names)
            return Record(kind.record, tuple(zip(kind.fields, parts, strict=True)))
        if isinstance(kind, VectorType):
            return Vector(tuple(self.read_component(key, k) for k in range(kind.size)))
        return self.read_component(key, 0)

    def read_component(self, key: Key, component: int) -> Scalar:
        """One component of a vector variable, or a scalar one."""
        kind = self.simple_type(key)
        if scalar_of(kind).weak:
            return WeakVariable(key, scalar_of(kind))
        return Runtime(self.builder.read(self._storage(key, kind)[component]))

    def read_scalar(self, key: Key) -> Scalar:
        """The value of a variable that the compiler made for a scalar."""
        if isinstance(self.simple_type(key), VectorType):
            raise self.broken(f"'{key[1]}' has become a vector")
        return self.read_component(key, 0)

    def simple_type(self, key: Key) -> SimpleType:
        """The type of a variable that is a scalar or a vector."""
        kind = self.table.types[key]
        if isinstance(kind, Composite):
            raise self.broken(f"'{key[1]}' is {kind}")
        return kind

    def assign(self, key: Key, value: Operand, name: str) -> None:
        """Give a variable a value, which may widen its type for the next pass."""
        if not isinstance(value, (*SCALAR_CLASSES, Vector, Record, Tuple)):
            raise self.broken(f"'{name}' cannot hold {describe(value)}")
        known = self.table.types.get(key)
        kind = self.table.assign(key, kind_of(value))
        if kind is None:
            raise self.fail(
                f"'{name}' is assigned types that do not join: '{known}' before, {describe(value)} here",
                "a variable has one type; use another name",
            )
        if isinstance(value, Record | Tuple):
            for part, inner in parts_of(value):
                self.assign(part_key(key, part), inner, f"{name}.{part}")
        elif not isinstance(kind, Composite):
            self._assign_simple(key, kind, value)

    def _assign_simple(self, key: Key, kind: SimpleType, value: Scalar | Vector) -> None:
        if scalar_of(kind).weak:
            self.table.link(key, value)
            return
        parts = value.components if isinstance(value, Vector) else (value,)
        for variable, part in zip(self._storage(key, kind), parts, strict=True):
            self.builder.assign(variable, self.emit(part, variable.type))

    def assign_component(self, key: Key, component: int, value: Scalar) -> None:
        """Give one component of a vector variable a value."""
        known = self.simple_type(key)
        size = known.size if isinstance(known, VectorType) else 0
        kind = self.table.assign(key, VectorType(value.kind, size))
        if not isinstance(kind, VectorType):
            raise self.broken(f"'{key[1]}' has components but is no vector")
        if kind.scalar.weak:
            self.table.link(key, value)
            return
        self.builder.assign(self._storage(key, kind)[component], self.emit(value, kind.scalar))

    def _storage(self, key: Key, kind: SimpleType) -> tuple[ir.Variable, ...]:
        found = self._variables.get((key, kind))
        if found is None:
            head, *parts = key[1].lstrip("%").split("/")
            name = "_".join((head.partition(".")[0], *parts))
            vector = isinstance(kind, VectorType)
            names = [f"{name}_{axis}" for axis in AXES[: kind.size]] if vector else [name]
            found = tuple(ir.Variable(self.unique(text), scalar_of(kind)) for text in names)
            self._variables[key, kind] = found
            self.kernel.variables.extend(found)
        return found

    def finish(self, order: dict[str, int]) -> None:
        """Put parameters in the order of the arguments; spread 'written' over arrays that share memory."""
        self.unread.drop(self.kernel)
        self.kernel.parameters.sort(key=lambda parameter: order.get(parameter.path[0], -1))
        for mark in ("written", "atomic"):
            marked = [a for a in self._arrays.values() if getattr(a, mark)]
            groups = {array.type.alias for array in marked} - {0}  # 0 is alone
            for array in self._arrays.values():
                if array.type.alias in groups:
                    setattr(array, mark, True)


def _spine(value: WeakOperation, kind: ScalarType) -> list[WeakOperation]:
    """What computing the value in `kind` emits first, in the same type, each the first argument of the one before."""
    found: list[WeakOperation] = []
    while value.operation != "select" and not (
        value.operation in _INTEGER_ONLY and value.kind is WEAK_INT and kind.is_float
    ):
        first = value.arguments[0]
        if not isinstance(first, WeakOperation) or (first.kind is WEAK_FLOAT and not kind.is_float):
            break
        found.append(first)
        value = first
    return found


def _short(value: int | float) -> str:
    """A number for a message; of a long one, how it begins."""
    if isinstance(value, int) and value.bit_length() > MAXIMUM_BITS:
        return f"of {value.bit_length():,} bits"  # Python writes no such number
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:20]}... of {len(text)} digits"


def _joined(path: tuple[str, ...]) -> str:
    return "_".join(path).replace("%", "")


def _place(span: Span) -> str:
    return f"{span.file}:{span.line}"
