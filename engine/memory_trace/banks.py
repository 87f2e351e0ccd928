"""Shared memory is in 32 banks, each of which gives one 4-byte word at a time: threads that want different words of
one bank wait for each other.

Source: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later.
"""

from collections import defaultdict
from collections.abc import Sequence

from .coalescing import WarpAccess, warp_accesses
from .trace import WARP, Trace, address_of

BANKS = 32
WORD = 4  # bytes


def bank_passes(addresses: Sequence[int | None], itemsize: int) -> tuple[int, int]:
    """Return (passes of one access by a warp, passes that it would take without conflicts).

    The model: elements of up to 4 bytes are served in one pass if no bank is asked for two different words; the same
    word goes to all lanes that want it. A bank with requests for n different words takes n passes. Elements of 8 bytes
    are served by half warps, 16 lanes each, and elements of 16 bytes by quarter warps: two and four passes are needed
    in any case.

    Args:
        addresses: of the first byte, one for each of the 32 lanes, bytes; None for a lane that takes no part.
        itemsize: bytes of an element: 1, 2, 4, 8 or 16.

    >>> bank_passes([4 * lane for lane in range(32)], 4), bank_passes([128 * lane for lane in range(32)], 4)
    ((1, 1), (32, 1))
    """
    lanes = WARP * WORD // max(itemsize, WORD)  # that are served together
    taken = needed = 0
    for first in range(0, WARP, lanes):
        words = {
            (address + byte) // WORD
            for address in addresses[first : first + lanes] if address is not None
            for byte in range(0, itemsize, WORD)
        }  # fmt: skip
        in_bank: dict[int, int] = defaultdict(int)
        for word in words:
            in_bank[word % BANKS] += 1
        taken += max(in_bank.values(), default=0)
        needed += bool(words)
    return taken, needed


def bank_conflicts(trace: Trace) -> list[WarpAccess]:
    """Return each warp-wide access to shared memory; its `cost` is the number of extra passes, 0 to 31.

    A conflict of 32 ways costs 31. Atomics are left out: they wait for each other by address as well. Each array
    begins in bank 0.
    """
    found = []
    for group in warp_accesses(trace, "shared"):
        first = group[0]
        if first.kind == "atomic":
            continue
        addresses: list[int | None] = [None] * WARP
        for access in group:
            addresses[access.thread % WARP] = address_of(trace, access)
        taken, needed = bank_passes(addresses, trace.arrays[first.array].itemsize)
        found.append(
            WarpAccess(first.block, first.thread // WARP, first.instruction, first.k, first.kind, first.array,
                       len(group), taken - needed)
        )  # fmt: skip
    return found


def total_bank_conflicts(trace: Trace, array: str = "") -> int:
    """Return the number of extra passes in the whole kernel, or in one shared array (by name)."""
    names = [described.name for described in trace.arrays]
    return sum(found.cost for found in bank_conflicts(trace) if array in ("", names[found.array]))
