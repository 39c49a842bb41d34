"""The entry of the command line. Heavy libraries are imported by the commands that need them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

import headwater
from headwater.cli.devices import devices, variables
from headwater.cli.job import FAILED, reason_of
from headwater.cli.run import run
from headwater.cli.show import show
from headwater.cli.signals import INTERRUPTED
from headwater.errors import HeadwaterError

_BAD_INPUT = 2


class _Group(click.Group):
    """Ends its help with the environment variables."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(f"\n{variables()}\n")


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(headwater.__version__, prog_name="headwater")
def commands() -> None:
    """Particle simulations whose kernels are written once and run on every device."""


commands.add_command(run)
commands.add_command(devices)
commands.add_command(show)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code.

    0: done; 1: the run failed; 2: bad input, with one clear sentence on stderr; 130: interrupted; 143: ended by
    SIGTERM.
    """
    try:
        given = sys.argv[1:] if arguments is None else list(arguments)
        command = ("headwater", *given)
        code = commands.main(given, prog_name="headwater", standalone_mode=False, obj=command)
        sys.exit(code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except HeadwaterError as error:
        click.echo(f"headwater: {error}", err=True)
        sys.exit(_BAD_INPUT)
    except OSError as error:
        click.echo(f"headwater: {reason_of(error)}", err=True)
        sys.exit(FAILED)
