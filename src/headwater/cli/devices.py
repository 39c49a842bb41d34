"""`headwater devices`: what is here with its limits, what is not and why, and the settings that choose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import click

import headwater
from headwater import config
from headwater.errors import HeadwaterError

_INDENT = " " * 13
# More than any machine has: the device states no limit of its own.
_NO_LIMIT = 1 << 50
_UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


@click.command(short_help="List the devices, their limits, and the settings.")
def devices() -> None:
    """List the devices of this machine with their limits, why others are missing, and the settings."""
    listings = headwater.devices()
    for listing in listings:
        if listing.missing:
            continue
        click.echo(f"{listing.name:<12} {listing.description}")
        if listing.same_as:
            click.echo(
                f"{_INDENT}the same hardware as '{listing.same_as}', which is to be preferred"
            )
        for line in _details(listing.name):
            click.echo(f"{_INDENT}{line}")
    missing = [listing for listing in listings if listing.missing]
    if missing:
        click.echo("\nNot here:")
    for listing in missing:
        click.echo(f"{listing.name:<12} {listing.description}")
    click.echo(f"\n{variables()}")


def _details(name: str) -> Iterator[str]:
    """What the device can do; it has to be opened for that."""
    try:
        device = headwater.device(name)
    except HeadwaterError as error:
        yield f"cannot be opened: {error.message}"
        return
    able = device.capabilities
    options = [f"{option} {value}" for option, value in device.settings.items()]
    flags = (
        ("float64", able.float64),
        ("int64", able.int64),
        ("atomics on floats", able.float_atomics),
    )
    yield ", ".join([*options, *(f"{what} {'yes' if there else 'no'}" for what, there in flags)])
    yield (
        f"a block: up to {able.max_block_threads:,} threads, {_size(able.max_shared_bytes)} of shared memory; "
        f"an array: {_limit(able.max_array_bytes)}"
    )


def _limit(nbytes: int) -> str:
    return "as the memory allows" if nbytes >= _NO_LIMIT else f"up to {_size(nbytes)}"


def _size(nbytes: int) -> str:
    for unit, size in _UNITS:
        if nbytes >= size:
            return f"{nbytes / size:.4g} {unit}"
    return f"{nbytes} bytes"


def variables() -> str:
    """The table of environment variables, with their values where they are set."""
    width = max(len(variable.name) for variable in config.TABLE)
    lines = ["Environment variables:"]
    for variable in config.TABLE:
        default = now = _text(variable.default())
        with suppress(HeadwaterError):  # a bad value; the command that uses it says so
            now = _text(variable.read())
        value = f"default {default}" if now == default else f"default {default}, now {now}"
        lines.append(f"  {variable.name:<{width}}  {variable.meaning} ({value})")
    return "\n".join(lines)


def _text(value: object) -> str:
    """A flag is 0 or 1 there."""
    return str(int(value)) if isinstance(value, bool) else str(value)
