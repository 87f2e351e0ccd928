"""Memory transactions of a warp: the accesses of 32 threads at one instruction go to memory together.

A transaction is a line of 128 bytes that they touch. A GPU moves sectors, four to a line: Nsight Compute counts these.
Source: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .trace import WARP, Access, Trace, accesses, address_of

SEGMENT = 128  # bytes of a transaction: a cache line
SECTOR = 32  # bytes of the smallest part of a line that is moved


class WarpAccess(NamedTuple):
    """One access by the threads of a warp together: one instruction, in its k-th execution, to one array.

    Attributes:
        block, warp: linear numbers; a warp is 32 threads that follow each other in linear order.
        instruction, k, kind, array: as of an `Access`.
        lanes: how many threads of the warp take part.
        cost: what is counted of it: see the function that made it.
    """

    block: int
    warp: int
    instruction: int
    k: int
    kind: str
    array: int
    lanes: int
    cost: int


def segments(addresses: Sequence[int], itemsize: int, size: int = SEGMENT) -> int:
    """Return the number of aligned segments, of 128 bytes or of `size`, that the elements at `addresses` touch.

    Args:
        addresses: of the first byte of each element, bytes; the same one may be there twice.
        itemsize: bytes of an element.

    >>> segments([4 * lane for lane in range(32)], 4), segments([4 * lane + 4 for lane in range(32)], 4)
    (1, 2)
    """
    touched: set[int] = set()
    for address in addresses:
        touched.update(range(address // size, (address + itemsize - 1) // size + 1))
    return len(touched)


def sectors(addresses: Sequence[int], itemsize: int) -> int:
    """Return the number of aligned 32-byte sectors that the elements at `addresses` touch.

    >>> sectors([4 * lane for lane in range(32)], 4), sectors([128 * lane for lane in range(32)], 4)
    (4, 32)
    """
    return segments(addresses, itemsize, SECTOR)


def warp_accesses(trace: Trace, space: str) -> Iterator[list[Access]]:
    """Yield the accesses to a space in groups, one per warp, instruction, execution k and array, in the order of each
    group's first access."""
    groups: dict[tuple[int, ...], list[Access]] = {}
    for access in accesses(trace, space):
        key = (access.block, access.thread // WARP, access.instruction, access.k, access.array)
        groups.setdefault(key, []).append(access)
    yield from groups.values()


def transactions(trace: Trace, size: int = SEGMENT) -> list[WarpAccess]:
    """Return each warp-wide access to global memory; its `cost` is the number of its 128-byte transactions.

    With another `size` it is the number of aligned pieces of that many bytes.

    Each access counts by itself: what an earlier one brought into a cache is not considered. An argument begins at a
    multiple of 256 bytes, as an allocation does; a view of one begins where it does within that.
    """
    found = []
    for group in warp_accesses(trace, "global"):
        first = group[0]
        itemsize = trace.arrays[first.array].itemsize
        cost = segments([address_of(trace, access) for access in group], itemsize, size)
        found.append(
            WarpAccess(first.block, first.thread // WARP, first.instruction, first.k, first.kind, first.array,
                       len(group), cost)
        )  # fmt: skip
    return found


def total_transactions(trace: Trace, kind: str = "", array: str = "") -> int:
    """Count 128-byte transactions of the whole kernel, or only by one `kind` of access or on one array (by name)."""
    return _total(trace, kind, array, SEGMENT)


def total_sectors(trace: Trace, kind: str = "", array: str = "") -> int:
    """Count 32-byte sectors of the whole kernel, or only by one `kind` of access or on one array (by name)."""
    return _total(trace, kind, array, SECTOR)


def _total(trace: Trace, kind: str, array: str, size: int) -> int:
    names = [described.name for described in trace.arrays]
    return sum(
        found.cost
        for found in transactions(trace, size)
        if kind in ("", found.kind) and array in ("", names[found.array])
    )
