"""The nesting of events, and each event's own time and memory.

Mirrors EventList._populate_cpu_children and _remove_dup_nodes (torch/autograd/profiler_util.py).
"""

import bisect
import itertools
from collections.abc import Sequence

from .events import Allocation, DeviceType, Event


def parents_of(events: Sequence[Event]) -> list[int | None]:
    """Return, for each event, the index of the innermost event that contains it, or None.

    Args:
        events: in any order; the list is not changed.
    Returns:
        for each event the index of its parent in `events`, or None if it has no parent.

    Events contain only events of their own thread. Order events by when they begin; among events that begin together,
    the one that ends later comes first; among events that also end together, the one that is given first.
    An event contains a later one that ends no later than itself and begins before its end: an event that begins when
    another ends comes after it, not inside. The parent of an event is the last one before it that contains it. Two
    events that overlap without one containing the other are not parents of each other.

    A recording has 20,000 events or more, and all of them may be nested. Comparing all pairs takes too long, and a
    function that calls itself once per level fails. Sorting them and walking through them once is fast enough.

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
    """Return the self time of each event in ns: its duration minus the durations of its direct children.

    These lengths count in full, even if the events overlap or are longer than it, so a self time may be negative.

    Args:
        parents: for each event the index of the event that it is in, or None; from `parents_of`, or others. Neither
            list is changed.

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
    """Return the net bytes allocated in each event, nested events included, and the allocations outside all events.

    Args:
        allocations: each has `time`, `nbytes`, `thread` and `device`. An event contains an allocation if they have the
            same thread and start <= time <= end. They come in any order, and the list is not changed.
        device: allocations with another `device` are left out of both results.
    Returns:
        for each event the sum of the `nbytes` of the allocations it contains; and the list of allocations that no
        event contains, in the order of time, whatever their thread; allocations of the same time stay in their order.

    Two loops, over events and over allocations, are a right answer.
    PyTorch does not check the thread, so it counts an allocation for the events of all threads at that time.
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
