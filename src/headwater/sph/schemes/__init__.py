"""Physical schemes, a folder each."""
