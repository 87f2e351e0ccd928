"""Streams of events as plain tuples, for the functions of `event_tree`."""

import operator

from autograder.labs.profiler.modules import module


def parents(engine, events):
    """Return the result of `parents_of`. An event is (start, end) or (start, end, thread)."""
    given = _events(engine, events)
    before = list(given)
    found = module(engine, "event_tree").parents_of(given)
    return found if _is_same(given, before) else CHANGED


def many(engine, shape, count):
    """Summarize the result of `parents_of` for many events, and report whether it compares their times too often.

    Of more than FEW events nothing is asked if of FEW it compares too often: this would take minutes.

    Args:
        shape: "chain": each is in the one before it; "row": they follow each other; "pairs": each of a row holds one.
            They are given in the order of their starts, or backwards: "chain backwards".
    """
    parents_of = module(engine, "event_tree").parents_of
    time = _counted()
    found = parents_of(_many(engine, shape, min(count, FEW), time))
    is_often = count >= LEAST and time.compared > MOST_COMPARISONS * min(count, FEW)
    if count > FEW and not is_often:
        found = parents_of(_many(engine, shape, count, int))
    if type(found) is not list:
        return found
    apart = {parent - at for at, parent in enumerate(found) if type(parent) is int}
    return {
        "comparisons": f"more than {MOST_COMPARISONS} for each event" if is_often else "few enough",
        "number of entries": len(found),
        "first": found[:3],
        "last": found[-3:],
        "distances to the parents": sorted(apart)[:5],
        "entries that are None": found.count(None),
    }


def _many(engine, shape, count, time):
    spans = _spans(shape.removesuffix(" backwards"), count)
    spans = spans[::-1] if shape.endswith(" backwards") else spans
    kind = module(engine, "events").Event
    return [kind("one of many", time(start), time(end)) for start, end in spans]


LEAST, FEW = 200, 250  # events whose times count how often they are compared
MOST_COMPARISONS = 60  # of times, for each event; sorting takes some 20
CHANGED = "the list of events was changed"


def _spans(shape, count):
    if shape == "chain":
        return [(at, 3 * count - at) for at in range(count)]
    if shape == "row":
        return [(10 * at, 10 * at + 7) for at in range(count)]
    return [(10 * (at // 2) + at % 2, 10 * (at // 2) + 7 - at % 2) for at in range(count)]


def _counted():
    """Make a kind of int that counts in `compared` how often two of them are compared."""

    class Time(int):
        compared = 0
        __hash__ = int.__hash__

        def _count(name):
            compare = getattr(int, name)

            def counted(self, other):
                Time.compared += 1
                return compare(self, other)

            return counted

        __lt__, __le__, __gt__, __ge__, __eq__, __ne__ = map(
            _count, ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")
        )

        def __neg__(self):
            return Time(-int(self))

        def __sub__(self, other):
            return Time(int(self) - int(other))

        def __add__(self, other):
            return Time(int(self) + int(other))

    return Time


def _is_same(given, before):
    return len(given) == len(before) and all(map(operator.is_, given, before))


def own_times(engine, events, parents):
    """Return the result of `self_times` for events (start, end) and their parents."""
    made, above = _events(engine, events), list(parents)
    given = list(made)
    found = module(engine, "event_tree").self_times(given, above)
    return found if _is_same(given, made) and above == parents else CHANGED


def memory(engine, events, allocations, device="CPU"):
    """Return the result of `memory_of`. An allocation is (time, bytes[, thread[, device]]).

    Returns:
        "bytes" of each event, "in no event": [time, bytes] of these, "their places" in the list that was given, and
        whether that is as before.
    """
    kinds = module(engine, "events")
    made = [_allocation(kinds, *one) for one in allocations]
    memory_of = module(engine, "event_tree").memory_of
    given = list(made)
    found = memory_of(_events(engine, events), given, kinds.DeviceType[device])
    if type(found) is not tuple or len(found) != 2 or type(found[1]) is not list:
        inside = ", ".join(type(one).__name__ for one in found) if type(found) is tuple else ""
        return f"{type(found).__name__} ({inside})" if inside else found if found is None else type(found).__name__
    used, outside = found
    places = {id(one): place for place, one in enumerate(made)}
    return {
        "bytes": used,
        "in no event": [[*allocations[places[id(one)]][:2]] if id(one) in places else "another" for one in outside],
        "their places": [places.get(id(one)) for one in outside],
        "the list that was given": "as it was" if _is_same(given, made) else "no longer as it was",
    }


def _events(engine, events):
    kind = module(engine, "events").Event
    return [kind("one of many", *event) for event in events]  # of one name, so that two may be equal


def _allocation(kinds, time, nbytes, thread=1, device="CPU"):
    return kinds.Allocation(time, nbytes, thread, kinds.DeviceType[device])
