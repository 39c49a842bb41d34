"""Passes from IR to IR, one file each. A pass says what it assumes and what it leaves true."""

from headwater.passes.check_barriers import check_barriers as check_barriers
from headwater.passes.classify_reductions import classify_reductions as classify_reductions
from headwater.passes.lower_neighbors import lower_neighbors as lower_neighbors
from headwater.passes.lower_returns import lower_returns as lower_returns
from headwater.passes.uniformity import Varying as Varying
from headwater.passes.uniformity import varying as varying
