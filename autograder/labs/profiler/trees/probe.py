"""Streams of events as plain tuples, for the functions of `event_tree`."""

import operator

from autograder.labs.profiler.modules import module


def parents(engine, events):
    """Return the result of `parents_of`. An event is (start, end) or (start, end, thread)."""
    return module(engine, "event_tree").parents_of(_events(engine, events))


def own_times(engine, events, parents):
    """Return the result of `self_times` for (start, end)s and their parents."""
    return module(engine, "event_tree").self_times(_events(engine, events), parents)


def memory(engine, events, allocations, device="CPU"):
    """Return the result of `memory_of`. An allocation is (time, bytes[, thread[, device]]).

    Returns:
        "bytes" of each event, "in no event": [time, bytes] of these, and whether the list is as before.
    """
    kinds = module(engine, "events")
    made = [_allocation(kinds, *one) for one in allocations]
    memory_of = module(engine, "event_tree").memory_of
    given = list(made)
    used, outside = memory_of(_events(engine, events), given, kinds.DeviceType[device])
    is_same = len(given) == len(made) and all(map(operator.is_, given, made))
    return {
        "bytes": used,
        "in no event": [[one.time, one.nbytes] if any(one is each for each in made) else "another" for one in outside],
        "the list that was given": "as it was" if is_same else "no longer as it was",
    }


def _events(engine, events):
    kind = module(engine, "events").Event
    return [kind("one of many", *event) for event in events]  # of one name, so that two may be equal


def _allocation(kinds, time, nbytes, thread=1, device="CPU"):
    return kinds.Allocation(time, nbytes, thread, kinds.DeviceType[device])
