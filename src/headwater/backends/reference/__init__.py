"""The interpreter: runs the IR thread by thread in plain Python. The oracle of every test."""

from headwater.backends.contract import Backend
from headwater.backends.reference.driver import ReferenceBackend


def backend() -> Backend:
    """The entry that the registry looks for."""
    return ReferenceBackend()
