"""`python -m headwater.cli` is `headwater`."""

from headwater.cli.main import main

main()
