"""Passes from IR to IR, one file each. A pass says what it assumes and what it leaves true."""

from headwater.passes.classify_reductions import classify_reductions as classify_reductions
from headwater.passes.lower_neighbors import lower_neighbors as lower_neighbors
