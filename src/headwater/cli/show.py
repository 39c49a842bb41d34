"""`headwater show`: the IR, the generated code, or the decisions of the compiler for one kernel."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from headwater.cli.kernel_arguments import HELP, parse
from headwater.errors import HeadwaterError
from headwater.runtime import Kernel
from headwater.runtime.inspection import shown
from headwater.runtime.paper import paper_device

_EPILOG = f"""\
\b
Examples:
  headwater show ir examples/heat.py:spread --args 'f32[64, 64], f32[64, 64], 0.1'
  headwater show code my_package.forces:push --args 'vec3f[1000], f32(0.1)' --device vulkan
  headwater show plan blur.py:blur --args 'f32[512, 512], f32[512, 512]' --block 32,8

{HELP}
No memory is taken and nothing runs. The text of a device that is not here is that for a typical one.
"""


def _sizes(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    """Parse '256', '32,8' or '32x8'."""
    if text is None:
        return None
    try:
        sizes = tuple(int(part) for part in text.replace("x", ",").split(","))
    except ValueError:
        raise click.BadParameter(f"sizes such as 256 or 32,8 were expected, not '{text}'") from None
    return sizes


@click.command(short_help="Print the IR, the code or the plan of a kernel.", epilog=_EPILOG)
@click.argument("what", type=click.Choice(["ir", "code", "plan"]))
@click.argument("target", metavar="MODULE:KERNEL")
@click.option("--args", "arguments", default="", help="The arguments, as types and numbers; below.")
@click.option("--device", "name", default=None, help="The device; by default HEADWATER_DEVICE.")
@click.option("--block", callback=_sizes, help="Threads of a block, x first, such as 256 or 32,8.")
@click.option("--over", callback=_sizes, help="An index space as of k.over(shape), x first.")
@click.option("--shared-bytes", default=0, help="Bytes of dynamic shared memory.")
@click.option("--debug", is_flag=True, help="In debug mode.")
def show(
    what: str,
    target: str,
    arguments: str,
    name: str | None,
    block: tuple[int, ...] | None,
    over: tuple[int, ...] | None,
    shared_bytes: int,
    debug: bool,
) -> None:
    """Print what the compiler makes of a kernel.

    MODULE is an importable module or the path of a Python file, KERNEL the name of a kernel there. `ir` is the
    intermediate representation after the passes that all devices share, `code` the text that the device's backend
    generates, and `plan` what the compiler decided.
    """
    module, kernel = find_kernel(target)
    if debug:
        kernel = Kernel(kernel.function, dataclasses.replace(kernel.options, debug=True))
    device = paper_device(name)
    given, named = parse(arguments, device, vars(module))
    if over is not None:
        launch = kernel.over(over, block=block)
    else:
        launch = kernel[1, block or device.capabilities.default_block, None, shared_bytes]
    click.echo(shown(what, launch, device, given, named).rstrip("\n"))


# --- finding it -----------------------------------------------------------------------------------


def find_kernel(target: str) -> tuple[ModuleType, Kernel]:
    """The module and the kernel that 'MODULE:KERNEL' names; HeadwaterError where there is none."""
    place, _, name = target.rpartition(":")
    if not place or not name:
        raise HeadwaterError(
            f"'{target}' names no kernel",
            hint="write MODULE:KERNEL, such as my_package.forces:push or examples/heat.py:spread",
        )
    module = _from_file(Path(place)) if place.endswith(".py") else _from_name(place)
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if isinstance(found, Kernel):
        return module, found
    known = ", ".join(_kernels(vars(module))) or "none"
    reason = "has no kernel" if found is None else "has something else of the name"
    raise HeadwaterError(f"'{place}' {reason} '{name}'", hint=f"its kernels: {known}")


def _kernels(names: Mapping[str, object]) -> list[str]:
    return [name for name, value in names.items() if isinstance(value, Kernel)]


def _from_name(name: str) -> ModuleType:
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise HeadwaterError(
                f"there is no module '{name}'", hint="or write the path of a file, ending in .py"
            ) from None
        raise _broken(name, error) from None
    except Exception as error:  # noqa: BLE001 - the user's module may raise anything
        raise _broken(name, error) from None


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise HeadwaterError(f"there is no file '{path}'")
    sys.path.insert(0, str(path.parent.resolve()))
    specification = importlib.util.spec_from_file_location(path.stem, path)
    if specification is None or specification.loader is None:
        raise HeadwaterError(f"'{path}' is no Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules.setdefault(path.stem, module)  # annotations of dataclasses are looked up there
    try:
        specification.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001 - as above
        raise _broken(str(path), error) from None
    return module


def _broken(name: str, error: Exception) -> HeadwaterError:
    text = error.message if isinstance(error, HeadwaterError) else str(error)
    return HeadwaterError(f"'{name}' cannot be imported: {type(error).__name__}: {text}")
