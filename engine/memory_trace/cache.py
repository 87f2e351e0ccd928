"""A small model of a processor's cache: which accesses of a trace find their cache line there, and which do not.

A cache holds lines of neighboring bytes. A line may be only in one set, chosen by its number modulo the number of
sets; a set holds `ways` lines, and a new one takes the place of the one that was used longest ago. A store brings its
line in as a load does (write-allocate). Real caches guess what will be read next; this one doesn't, so its counts are
exact and the same on every machine.
Source: Hennessy and Patterson, Computer Architecture, appendix B.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .trace import Trace, accesses

PAGE = 4096  # bytes: where each array begins anew


class Cache(NamedTuple):
    """The geometry of a cache: `sets` x `ways` lines of `line_bytes` bytes each."""

    sets: int
    ways: int
    line_bytes: int

    @property
    def nbytes(self) -> int:
        """The capacity in bytes."""
        return self.sets * self.ways * self.line_bytes


def addresses(trace: Trace) -> Iterator[tuple[str, int]]:
    """Yield (array, address of the first byte) of each access to global memory, in time order.

    Arrays are placed one behind the other, each from a boundary of 4,096 bytes.
    """
    first, begins = 0, []
    for array in trace.arrays:
        begins.append(first)
        first += -(-max(array.size * array.itemsize + array.offset, 1) // PAGE) * PAGE
    for access in accesses(trace, "global"):
        array = trace.arrays[access.array]
        yield array.name, begins[access.array] + array.offset + access.index * array.itemsize


def missed(addresses: Iterable[int], cache: Cache) -> list[bool]:
    """Return for each access whether it misses in the cache, which is empty at first.

    Raises:
        ValueError: a size of the cache is not positive.

    >>> missed([0, 4, 64, 0, 128, 64], Cache(sets=1, ways=2, line_bytes=64))
    [True, False, True, False, True, True]
    """
    if min(cache) < 1:
        raise ValueError(f"expected positive sizes of a cache, got {cache}")
    sets: list[dict[int, None]] = [{} for _ in range(cache.sets)]  # lines of each, the one used longest ago first
    found = []
    for address in addresses:
        line = address // cache.line_bytes
        held = sets[line % cache.sets]
        found.append(line not in held)
        if line in held:
            del held[line]
        elif len(held) == cache.ways:
            del held[next(iter(held))]
        held[line] = None
    return found


def missed_in(trace: Trace, cache: Cache, array: str) -> list[bool]:
    """Return for each access to one array, in time order, whether it misses; all arrays share the cache."""
    asked = list(addresses(trace))
    found = missed((address for _, address in asked), cache)
    return [is_miss for (name, _), is_miss in zip(asked, found, strict=True) if name == array]


def misses(trace: Trace, cache: Cache) -> dict[str, int]:
    """Return the number of misses by array name, for every array in global memory."""
    counts = {array.name: 0 for array in trace.arrays if array.space == "global"}
    asked = list(addresses(trace))
    for (name, _), is_miss in zip(asked, missed([address for _, address in asked], cache), strict=True):
        counts[name] += is_miss
    return counts


def total_misses(trace: Trace, cache: Cache) -> int:
    """Return the number of cache misses over all arrays."""
    return sum(misses(trace, cache).values())
