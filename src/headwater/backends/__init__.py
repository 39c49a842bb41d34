"""Backends: one folder each, found by listing this folder. See `contract.py` for what one provides."""
