"""The arguments of a kernel as text: what `headwater show --args` takes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import headwater
from headwater.errors import HeadwaterError
from headwater.runtime import Device
from headwater.types import SCALARS, ScalarType, VectorType, is_record_class

if TYPE_CHECKING:
    from headwater.particles import CellGrid, ParticleSet

HELP = """\
\b
Arguments are separated by commas:
  f32[1024]  vec3f[100]  i32[64, 64]    arrays of a type and a shape
  1.5  -3  True                         Python numbers, whose type follows from their use
  f32(1.5)  i64(7)  vec3f(1, 2, 3)      numbers and vectors of a type
  (f32[16], 2)                          a tuple
  Settings(dt=0.1, x=f32[16])           a dataclass of the kernel's module
  Particle[100]                         an array of one
  particles(1000, density=f32)          a particle set with these fields; periodic: particles(1000, 'xy')
  grid(0.1)                             a cell grid of that cutoff over the particles named before it
  n=4  mode='fast'  kind=f32            by name; texts, types and functions of the module too
\b
Types: bool, i8 i16 i32 i64, u8 u16 u32 u64, f16 f32 f64, or their long names; vec2f, vec3d, vec4i and so on.
"""

_SHORT = {"int": "i", "uint": "u", "float": "f"}


def parse(text: str, device: Device, scope: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments in order and by name, made on a device; HeadwaterError where the text is not as HELP says.

    `scope` holds the names of the kernel's module.
    """
    try:
        tree = ast.parse(f"f({text})", mode="eval")
    except SyntaxError:
        raise _wrong(text, "they are not separated by commas, or a bracket is missing") from None
    call = tree.body
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != "f":
        raise _wrong(text, "a bracket is closed that was not opened")
    reader = _Reader(text, device, scope)
    named = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise _wrong(text, "'**' is not possible")
        named[keyword.arg] = reader.value(keyword.value)
    return [reader.value(argument) for argument in call.args], named


def _wrong(text: str, problem: str) -> HeadwaterError:
    return HeadwaterError(
        f"the arguments '{text}' cannot be read: {problem}",
        hint="write them like 'f32[1024],f32[1024],1.5'; `headwater show --help` explains",
    )


def _types() -> dict[str, ScalarType | VectorType]:
    found: dict[str, ScalarType | VectorType] = {kind.name: kind for kind in SCALARS}
    found |= {f"{_SHORT[kind.kind]}{kind.bits}": kind for kind in SCALARS if kind.kind in _SHORT}
    vectors = {name: getattr(headwater, name) for name in headwater.__all__}
    return found | {name: kind for name, kind in vectors.items() if isinstance(kind, VectorType)}


class _Reader:
    def __init__(self, text: str, device: Device, scope: Mapping[str, Any]) -> None:
        self.text = text
        self.device = device
        makers = {"vec2": headwater.vec2, "vec3": headwater.vec3, "vec4": headwater.vec4}
        self.names: dict[str, Any] = {**scope, **makers, **_types()}
        self.makers = {"particles": self.particles, "grid": self.grid}
        self.set: ParticleSet | None = None

    def value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant | ast.UnaryOp):
            return self.literal(node)
        if isinstance(node, ast.Tuple):
            return tuple(map(self.value, node.elts))
        if isinstance(node, ast.Subscript):
            return self.array(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        return self.name(node)

    def literal(self, node: ast.expr) -> Any:
        try:
            found = ast.literal_eval(node)
        except ValueError:
            raise self.wrong(node, "is no number") from None
        if not isinstance(found, bool | int | float | str):
            raise self.wrong(node, "is no number and no text")
        return found

    def name(self, node: ast.expr) -> Any:
        """A type, or a number, a dataclass or a function of the module, perhaps inside another one."""
        if isinstance(node, ast.Name):
            if node.id not in self.names:
                raise self.wrong(node, "is not known: no type, and no name of the kernel's module")
            return self.names[node.id]
        if isinstance(node, ast.Attribute):
            found = getattr(self.name(node.value), node.attr, None)
            if found is not None:
                return found
        raise self.wrong(node, "is no argument")

    def array(self, node: ast.Subscript) -> Any:
        """An array, written `type[shape]`."""
        kind = self.name(node.value)
        if not isinstance(kind, ScalarType | VectorType) and not is_record_class(kind):
            raise self.wrong(node, "is no array: a type stands before the bracket, as in f32[1024]")
        shape = self.value(node.slice)
        return self.device.empty(shape, kind)

    def call(self, node: ast.Call) -> Any:
        arguments = list(map(self.value, node.args))
        named = {k.arg: self.value(k.value) for k in node.keywords if k.arg is not None}
        maker = self.makers.get(ast.unparse(node.func))
        if maker is not None:
            return maker(node, arguments, named)
        made = self.name(node.func)
        frozen = is_record_class(made)
        vector = isinstance(made, VectorType) or made in (
            headwater.vec2,
            headwater.vec3,
            headwater.vec4,
        )
        if not (frozen or vector or isinstance(made, ScalarType)):
            raise self.wrong(node, "is no call of a type or of a dataclass")
        if isinstance(made, ScalarType) and (named or len(arguments) != 1):
            raise self.wrong(node, "takes one number")
        try:
            return made(*arguments, **named)
        except (TypeError, ValueError, OverflowError) as error:
            raise self.wrong(node, f"is not possible: {error}") from None

    def particles(self, node: ast.Call, arguments: list[Any], named: dict[str, Any]) -> ParticleSet:
        """A particle set in the unit box, which kernels for others take too."""
        from headwater.particles import Domain, ParticleSet

        if not 1 <= len(arguments) <= 2:
            raise self.wrong(node, "takes a number, perhaps the periodic axes, and fields by name")
        wraps = arguments[1] if len(arguments) == 2 else ""
        x, y, z = (axis in wraps for axis in "xyz")
        box = Domain((0, 0, 0), (1, 1, 1), periodic=(x, y, z))
        self.set = ParticleSet(self.device, box, arguments[0], named)
        return self.set

    def grid(self, node: ast.Call, arguments: list[Any], named: dict[str, Any]) -> _Grid:
        """A cell grid of the last particle set."""
        from headwater.particles import CellGrid

        if len(arguments) != 1 or named or self.set is None:
            raise self.wrong(node, "takes a cutoff, and stands behind particles(...)")
        return _Grid(CellGrid(self.set, arguments[0]))

    def wrong(self, node: ast.expr, problem: str) -> HeadwaterError:
        return _wrong(self.text, f"'{ast.unparse(node)}' {problem}")


class _Grid:
    """A cell grid that was never updated, as an argument: nothing runs with it."""

    def __init__(self, grid: CellGrid) -> None:
        self.grid = grid

    def __kernel_argument__(self) -> Mapping[str, object]:
        return self.grid.parts

    def __kernel_grid__(self) -> tuple[tuple[bool, bool, bool], int]:
        return self.grid.__kernel_grid__()
