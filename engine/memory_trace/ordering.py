"""The order that a kernel's barriers impose, and its gaps: divergent barriers and races.

Threads run one after another while they are recorded, so a kernel with a race may well give the right result; that no
barrier is between two accesses is in the trace all the same.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from .trace import Access, Barrier, Cell, Trace, cell_of


class Divergence(NamedTuple):
    """A barrier that not all threads of a block reach, or that some reach at another instruction.

    Attributes:
        number: it is the block's barrier of this number, from 0.
        arrived: instruction -> the threads that wait there.
        missing: the threads that don't come.
    """

    block: int
    number: int
    arrived: dict[int, tuple[int, ...]]
    missing: tuple[int, ...]


class Race(NamedTuple):
    """Two unordered accesses by different threads to one element, at least one of them a write."""

    first: Access
    second: Access


def divergent_barriers(trace: Trace) -> list[Divergence]:
    """Return the barriers that some threads of their block don't reach, or reach at another `syncthreads`.

    The n-th barrier of a block is the n-th of each thread. All threads of the block must reach it, also those that
    have no element to work on; and all at the same instruction, called from the same place. On a GPU anything else is
    undefined (CUDA C++ Programming Guide, "Synchronization Functions").
    """
    reached: dict[int, dict[int, list[int]]] = {}  # block -> thread -> instructions
    for event in trace.events:
        if isinstance(event, Barrier):
            reached.setdefault(event.block, {}).setdefault(event.thread, []).append(event.instruction)
    found = []
    threads = range(math.prod(trace.block))
    for block, by_thread in sorted(reached.items()):
        for number in range(max(map(len, by_thread.values()))):
            arrived: dict[int, tuple[int, ...]] = {}
            for thread in threads:
                for instruction in by_thread.get(thread, [])[number : number + 1]:
                    arrived[instruction] = (*arrived.get(instruction, ()), thread)
            missing = tuple(thread for thread in threads if len(by_thread.get(thread, [])) <= number)
            if missing or len(arrived) > 1:
                found.append(Divergence(block, number, arrived, missing))
    return found


def epochs(trace: Trace) -> Iterator[tuple[Access, int]]:
    """Yield each access with its epoch, the number of barriers that its thread had passed."""
    passed: dict[tuple[int, int], int] = {}
    for event in trace.events:
        thread = event.block, event.thread
        if isinstance(event, Barrier):
            passed[thread] = passed.get(thread, 0) + 1
        else:
            yield event, passed.get(thread, 0)


def races(trace: Trace) -> list[Race]:
    """Return one pair of unordered conflicting accesses for each element of shared or global memory that has one.

    Two accesses of different threads to one element are a race if at least one writes, not both are atomic, and no
    barrier orders them: in one block, both are in the same epoch; of two blocks, always. It does not matter whether
    both write the same, nor whether they are of one warp. A flag set by an atomic with `threadfence` orders nothing
    here: what is handed from block to block that way is reported.
    """
    by_cell: dict[Cell, list[tuple[Access, int]]] = {}
    for access, epoch in epochs(trace):
        if access.space in ("global", "shared") and access.inside:
            by_cell.setdefault(cell_of(access), []).append((access, epoch))
    pairs = (_first_pair(cell) for cell in by_cell.values())
    return [pair for pair in pairs if pair is not None]


def _first_pair(cell: list[tuple[Access, int]]) -> Race | None:
    """Return two accesses of a cell that nothing orders, one a write and not both atomic; in time linear in them."""
    writes = [(at, *found) for at, found in enumerate(cell) if found[0].kind != "load"]
    blocks = {write.block for _, write, _ in writes}
    threads: dict[tuple[int, int], set[int]] = {}  # (block, epoch) -> the threads that write there
    for _, write, epoch in writes:
        threads.setdefault((write.block, epoch), set()).add(write.thread)
    for at, (access, epoch) in enumerate(cell):
        if access.kind == "atomic":
            continue  # with an atomic, the other one of a race is a load or a store
        if blocks <= {access.block} and threads.get((access.block, epoch), set()) <= {access.thread}:
            continue
        for other_at, other, other_epoch in writes:
            ordered = access.block == other.block and (access.thread == other.thread or epoch != other_epoch)
            if not ordered:
                return Race(cell[min(at, other_at)][0], cell[max(at, other_at)][0])
    return None
