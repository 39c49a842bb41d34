"""The command line: `headwater`."""

from headwater.cli.main import main as main
