"""The nesting of events, and each event's own time and memory.

Mirrors EventList._populate_cpu_children and _remove_dup_nodes (torch/autograd/profiler_util.py).
"""

import bisect
import itertools
from collections.abc import Sequence

from .events import Allocation, DeviceType, Event


def parents_of(events: Sequence[Event]) -> list[int | None]:
    """The event that directly contains each event.

    Args:
        events: in any order; the list stays as it is.
    Returns:
        for each event the number of its parent, its place in `events`; None: it has none.

    Events hold only events of their own thread. Take them in the order in which they begin; of those that begin
    together, the one that ends later comes first; of those that also end together, the one that is given first.
    An event holds a later one that ends no later than itself and begins before its end: what begins when another
    ends is behind it. The parent of an event is the last one before it that holds it. Two events that overlap
    without one holding the other are no parents of each other.

    A recording has 20,000 events and more, and all may be nested in each other. So comparing all pairs takes too long,
    and so does a function that calls itself once for each level; to sort them and walk through them once does not.

    >>> parents_of([Event("a", 0, 10), Event("b", 1, 4), Event("c", 2, 3), Event("d", 4, 9), Event("e", 2, 3, 2)])
    [None, 0, 1, 0, None]

    Source: EventList._populate_cpu_children (torch/autograd/profiler_util.py).
    """
    parents: list[int | None] = [None] * len(events)
    open_events: dict[int, list[int]] = {}
    for number in sorted(range(len(events)), key=lambda at: (events[at].start, -events[at].end)):
        event = events[number]
        stack = open_events.setdefault(event.thread, [])
        while stack and (event.start >= events[stack[-1]].end or event.end > events[stack[-1]].end):
            stack.pop()
        if stack:
            parents[number] = stack[-1]
        stack.append(number)
    return parents


def self_times(events: Sequence[Event], parents: Sequence[int | None]) -> list[int]:
    """The own time of each event: its length minus the lengths of the events directly inside it, in ns.

    These count in full, also where they overlap or are longer than it: what is left may be below 0.

    Args:
        parents: for each event the number of the one that it is in, or None; as `parents_of` gives them, or others.
            Both lists stay as they are.

    >>> events = [Event("a", 0, 10), Event("b", 1, 4), Event("c", 2, 3)]
    >>> self_times(events, [None, 0, 1])
    [7, 2, 1]
    """
    times = [event.end - event.start for event in events]
    for event, parent in zip(events, parents, strict=True):
        if parent is not None:
            times[parent] -= event.end - event.start
    return times


def memory_of(
    events: Sequence[Event], allocations: Sequence[Allocation], device: DeviceType
) -> tuple[list[int], list[Allocation]]:
    """Net bytes that each event allocated, events inside it included; and the allocations outside all events.

    Args:
        allocations: an event contains one if they have the same thread and start <= time <= end. They come in any
            order, and the list stays as it is.
        device: allocations of the others are left out of both results.
    Returns:
        for each event the sum of the `nbytes` of what it contains; and the allocations that no event contains, in
        the order of time, those of one time as they were given, on whatever thread.

    Two loops, over events and over allocations, are right, too.
    PyTorch does not check the thread, so that it counts an allocation for the events of all threads of that time.
    """
    used = [0] * len(events)
    outside: set[int] = set()
    order = sorted(range(len(allocations)), key=lambda at: allocations[at].time)
    for thread in {allocation.thread for allocation in allocations}:
        own = [at for at in order if allocations[at].thread == thread and allocations[at].device is device]
        times = [allocations[at].time for at in own]
        sums = [0, *itertools.accumulate(allocations[at].nbytes for at in own)]
        changes = [0] * (len(own) + 1)  # how many more events contain an allocation than contain the one before it
        for number, event in enumerate(events):
            if event.thread == thread:
                first, behind = bisect.bisect_left(times, event.start), bisect.bisect_right(times, event.end)
                used[number] = sums[behind] - sums[first]
                changes[first] += 1
                changes[behind] -= 1
        outside.update(at for at, holders in zip(own, itertools.accumulate(changes), strict=False) if not holders)
    return used, [allocations[at] for at in order if at in outside]
