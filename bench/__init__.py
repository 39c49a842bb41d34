"""Measurements of speed; `make bench` runs them. No test depends on them."""
