"""Passes from IR to IR, one file each. A pass says what it assumes and what it leaves true."""

from headwater.passes.check_barriers import check_barriers as check_barriers
from headwater.passes.chosen_values import handed_on as handed_on
from headwater.passes.chosen_values import only_chosen as only_chosen
from headwater.passes.classify_reductions import classify_reductions as classify_reductions
from headwater.passes.find_waits import find_waits as find_waits
from headwater.passes.instrument import instrument as instrument
from headwater.passes.library_calls import LibraryCalls as LibraryCalls
from headwater.passes.lower_narrow import lower_narrow as lower_narrow
from headwater.passes.lower_neighbors import lower_neighbors as lower_neighbors
from headwater.passes.lower_returns import lower_returns as lower_returns
from headwater.passes.lower_votes import lower_votes as lower_votes
from headwater.passes.lower_warps import lower_warps as lower_warps
from headwater.passes.shared_memory import array_bytes as array_bytes
from headwater.passes.shared_memory import lowering_bytes as lowering_bytes
from headwater.passes.strip_debug import strip_debug as strip_debug
from headwater.passes.uniformity import Varying as Varying
from headwater.passes.uniformity import varying as varying
