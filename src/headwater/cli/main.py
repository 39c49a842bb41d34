"""The entry of the command line. Heavy libraries are imported by the commands that need them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

import headwater
from headwater.cli.run import FAILED, INTERRUPTED, run
from headwater.errors import HeadwaterError

_BAD_INPUT = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(headwater.__version__, prog_name="headwater")
def commands() -> None:
    """Particle simulations whose kernels are written once and run on every device."""


commands.add_command(run)


@commands.command()
def devices() -> None:
    """List the devices of this machine, and why others are missing."""
    for listing in headwater.devices():
        state = "not here: " if listing.missing else ""
        click.echo(f"{listing.name:<12} {state}{listing.description}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code.

    0: done; 1: the run failed; 2: bad input, with one clear sentence on stderr; 130: interrupted.
    """
    try:
        code = commands.main(args=arguments, prog_name="headwater", standalone_mode=False)
        sys.exit(code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(INTERRUPTED)
    except HeadwaterError as error:
        click.echo(f"headwater: {error}", err=True)
        sys.exit(_BAD_INPUT)
    except OSError as error:
        click.echo(f"headwater: {error}", err=True)
        sys.exit(FAILED)
