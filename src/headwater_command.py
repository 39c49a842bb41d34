"""The entry of the command `headwater`.

It stands beside the package because whatever is imported from a package imports the package first, and Ctrl-C
in that half second must end the command without a traceback.
"""

import signal


def main() -> None:
    """Import the command line and run it; until that is done, Ctrl-C ends the process as it ends any other."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from headwater.cli import main as run  # noqa: PLC0415

    signal.signal(signal.SIGINT, usual)
    run()
