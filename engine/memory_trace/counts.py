"""Memory traffic that a kernel requests: loads and stores, in total, by thread and by array.

An access that misses its array counts too: the kernel asked for it. What caches save is not considered.
"""

import itertools
import math

from .trace import Trace, accesses


def count(trace: Trace, space: str = "", kind: str = "", array: str = "") -> int:
    """Count accesses, of one space, kind or array (by name) if one is given."""
    return sum(1 for _ in accesses(trace, space, kind, array))


def global_loads(trace: Trace, array: str = "") -> int:
    """Return the number of elements that all threads read from global memory; atomics are counted apart.

    Args:
        array: the name of one, to count only its loads.
    """
    return count(trace, "global", "load", array)


def global_stores(trace: Trace, array: str = "") -> int:
    """Return the number of elements that all threads write to global memory; atomics are counted apart."""
    return count(trace, "global", "store", array)


def by_thread(trace: Trace, space: str = "global", kind: str = "load", array: str = "") -> dict[tuple[int, int], int]:
    """Count the accesses of each (block, thread); every thread of the grid is there, also one that makes none."""
    threads = itertools.product(range(math.prod(trace.grid)), range(math.prod(trace.block)))
    counts = dict.fromkeys(threads, 0)
    for access in accesses(trace, space, kind, array):
        counts[access.block, access.thread] += 1
    return counts


def by_array(trace: Trace, space: str = "global", kind: str = "load") -> dict[str, int]:
    """Count the accesses that all threads make to each array, by its name; every array of the space is there."""
    counts = {array.name: 0 for array in trace.arrays if array.space == space}
    for access in accesses(trace, space, kind):
        counts[trace.arrays[access.array].name] += 1
    return counts
