"""Headwater: write a kernel once in CUDA-style Python, run it on every device."""

from headwater import errors as errors

__version__ = "0.1.0"
