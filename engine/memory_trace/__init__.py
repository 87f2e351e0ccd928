"""The access recorder: the raw trace of what a kernel does to memory, and functions that count and judge it.

`record` runs a kernel for CUDA, `record_call` a loop for the CPU in plain Python; the rest are pure functions of the
trace, exact and independent of the machine.
"""

from .banks import bank_conflicts, bank_passes, total_bank_conflicts
from .cache import Cache, missed, missed_in, misses, total_misses
from .coalescing import (
    WarpAccess,
    sectors,
    segments,
    total_sectors,
    total_transactions,
    transactions,
    warp_accesses,
)
from .columns import from_columns, to_columns
from .counts import by_array, by_thread, count, global_loads, global_stores
from .faults import out_of_bounds, uninitialised_reads
from .ordering import Divergence, Race, divergent_barriers, epochs, races
from .provenance import Finding, cell_flows, flows, follows, replay
from .recording import record, record_call
from .trace import (
    Access,
    Argument,
    Array,
    Barrier,
    Instruction,
    Trace,
    accesses,
    address_of,
    cell_of,
    from_plain,
    place_of,
)

__all__ = [
    "Access", "Argument", "Array", "Barrier", "Cache", "Divergence", "Finding", "Instruction", "Race", "Trace",
    "WarpAccess", "accesses", "address_of", "bank_conflicts", "bank_passes", "by_array", "by_thread", "cell_flows",
    "cell_of", "count", "divergent_barriers", "epochs", "flows", "follows", "from_columns", "from_plain",
    "global_loads", "global_stores", "missed", "missed_in", "misses", "out_of_bounds", "place_of", "races", "record",
    "record_call", "replay", "sectors", "segments", "to_columns", "total_bank_conflicts", "total_misses",
    "total_sectors", "total_transactions", "transactions", "uninitialised_reads", "warp_accesses",
]  # fmt: skip
