"""Memory traffic that a kernel requests: loads and stores, in total, by thread and by array.

An access that misses its array counts too: the kernel asked for it. What caches save is not considered.
"""

import itertools
import math

from .trace import Trace, accesses


def count(trace: Trace, space: str = "", kind: str = "", array: str = "") -> int:
    """Count all accesses, or only those to one space, of one kind, or to one array (by name)."""
    return sum(1 for _ in accesses(trace, space, kind, array))


def global_loads(trace: Trace, array: str = "") -> int:
    """Return the number of elements that all threads load from global memory; atomics are not counted.

    Args:
        array: the name of one, to count only its loads.
    """
    return count(trace, "global", "load", array)


def global_stores(trace: Trace, array: str = "") -> int:
    """Return the number of elements that all threads store to global memory; atomics are not counted."""
    return count(trace, "global", "store", array)


def by_thread(trace: Trace, space: str = "global", kind: str = "load", array: str = "") -> dict[tuple[int, int], int]:
    """Count the accesses of each (block, thread) of the grid, including threads without any."""
    threads = itertools.product(range(math.prod(trace.grid)), range(math.prod(trace.block)))
    counts = dict.fromkeys(threads, 0)
    for access in accesses(trace, space, kind, array):
        counts[access.block, access.thread] += 1
    return counts


def by_array(trace: Trace, space: str = "global", kind: str = "load") -> dict[str, int]:
    """Count the accesses of all threads to each array, by name, for every array of the space."""
    counts = {array.name: 0 for array in trace.arrays if array.space == space}
    for access in accesses(trace, space, kind):
        counts[trace.arrays[access.array].name] += 1
    return counts
