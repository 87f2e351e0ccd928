"""Checks of events as a tree: parents, own times, memory. Times are whole nanoseconds, so all answers are exact."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.profiler.findings import told_apart, without
from autograder.labs.profiler.trees.probe import CHANGED

Span = tuple


def _nested(rng: random.Random, start: int, end: int, depth: int) -> list[Span]:
    """Draw an event and the events in it: all begin and end at different times."""
    events: list[Span] = [(start, end)]
    at = start + rng.randint(1, 3)
    while depth and at + 8 < end:
        length = rng.randint(4, max(5, (end - at) // 2))
        if at + length >= end:
            break
        events += _nested(rng, at, at + length, depth - 1)
        at += length + rng.randint(1, 5)
    return events


def _shuffled(rng: random.Random, events: list[Span]) -> list[Span]:
    return rng.sample(events, len(events))


# ---- parents_of


def _parents_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([],), "none")
    yield Case(([(2, 5)],), "none")
    yield Case(([(0, 10), (2, 5)],), "inside")
    yield Case(([(2, 5), (0, 10)],), "any order")
    yield Case(([(0, 10), (2, 8), (3, 5)],), "smallest")
    yield Case(([(3, 5), (2, 8), (0, 10)],), "any order")
    yield Case(([(0, 10), (1, 3), (4, 6)],), "siblings")
    yield Case(([(0, 10), (1, 4), (2, 3), (5, 9), (6, 8)],), "siblings")
    yield Case(([(0, 3), (4, 9)],), "siblings")
    for number in range(20):
        events = _nested(rng, 0, rng.randint(30, 70), 3)
        yield Case((events[:12],), "siblings") if number < 8 else Case((_shuffled(rng, events[:12]),), "any order")
    for number in range(8):
        spans = [_nested(rng, begin, begin + 25, 2)[:4] for begin in (0, 30, 60)]
        began = number % 2 * 10**15  # what a clock says that counts from when the machine was started
        yield Case(([(began + start, began + end) for start, end in _shuffled(rng, sum(spans, []))],), "any order")


def _parents_ties(rng: random.Random) -> Iterator[Case]:
    yield Case(([(0, 5), (5, 8)],), "touching")
    yield Case(([(5, 8), (0, 5)],), "touching")
    yield Case(([(0, 9), (0, 5), (5, 9)],), "touching")
    yield Case(([(0, 9), (0, 4)],), "begin together")
    yield Case(([(0, 4), (0, 9)],), "begin together")
    yield Case(([(10**15, 10**15 + 4), (10**15, 10**15 + 9)],), "begin together")
    yield Case(([(0, 9), (3, 9)],), "end together")
    yield Case(([(3, 9), (0, 9)],), "end together")
    yield Case(([(0, 9), (2, 9), (5, 9)],), "end together")
    yield Case(([(1, 3), (1, 3)],), "equal")
    yield Case(([(1, 3), (1, 3), (1, 3)],), "equal")
    yield Case(([(1, 3), (0, 4), (1, 3), (2, 3)],), "equal")
    yield Case(([(1, 6), (3, 3)],), "instant")
    yield Case(([(1, 6), (1, 1)],), "instant")
    yield Case(([(1, 6), (6, 6)],), "instant")
    yield Case(([(3, 3), (3, 3)],), "instant")
    yield Case(([(0, 5), (3, 8)],), "overlap")
    yield Case(([(0, 5), (3, 8), (4, 5)],), "overlap")
    yield Case(([(0, 10), (2, 20), (3, 9)],), "overlap")
    yield Case(([(0, 10), (2, 20), (12, 15)],), "overlap")
    for _ in range(40):
        starts = [rng.randint(0, 8) for _ in range(rng.randint(3, 7))]
        yield Case(([(start, start + rng.choice((0, 1, 2, 3, 6, 9))) for start in starts],), "overlap")


def _parents_threads(rng: random.Random) -> Iterator[Case]:
    yield Case(([(0, 9, 1), (2, 5, 2)],), "threads")
    yield Case(([(2, 5, 2), (0, 9, 1)],), "threads")
    yield Case(([(0, 9, 1), (1, 8, 2), (2, 5, 1)],), "threads")
    yield Case(([(0, 9, 1), (1, 8, 2), (2, 5, 1), (3, 4, 2)],), "threads")
    yield Case(([(0, 9, 2), (0, 9, 1), (0, 9, 2)],), "threads")
    yield Case(([(0, 4, 1), (2, 9, 2), (5, 7, 1), (6, 8, 2)],), "threads")
    for _ in range(34):
        mine, other = _nested(rng, 0, 40, 3)[:6], _nested(rng, rng.randint(0, 9), 45, 3)[:6]
        events = [(*span, 1) for span in mine] + [(*span, rng.choice((2, 7))) for span in other]
        yield Case((_shuffled(rng, events),), "threads")


BIG, MANY = 20_000, 5_000  # nested, and one after the other: the notebook allows two seconds


def _parents_large(rng: random.Random) -> Iterator[Case]:
    for shape in ("chain", "row", "pairs"):
        for order in ("", " backwards"):
            for count in (rng.randint(2, 9), *rng.sample(range(10, 40), k=3), rng.randint(240, 250)):
                yield Case((shape + order, count), shape, "profiler.trees.many")
    yield Case(("chain", BIG + rng.randrange(100)), "chain", "profiler.trees.many")
    yield Case(("row backwards", MANY + rng.randrange(100)), "row", "profiler.trees.many")


# What mistakes make of events: the rule with one part of it changed.


def _span(event: Span) -> tuple:
    return (*event, 1) if len(event) == 2 else event


def _ruled(
    events: list[Span],
    key: Callable = lambda one: (one[0], -one[1]),
    leaves: Callable = lambda one, top: one[0] >= top[1] or one[1] > top[1],
    at: int = -1,
    leaving: int = -1,
    has_threads: bool = True,
) -> list[int | None]:
    """Find the parents by a rule: the order of events, when one leaves the stack, which is the parent, which leaves."""
    spans = [_span(event) for event in events]
    parents: list[int | None] = [None] * len(spans)
    stacks: dict[int, list[int]] = {}
    for number in sorted(range(len(spans)), key=lambda place: key(spans[place])):
        stack = stacks.setdefault(spans[number][2] if has_threads else 0, [])
        while stack and leaves(spans[number], spans[stack[-1]]):
            stack.pop(leaving)
        if stack:
            parents[number] = stack[at]
        stack.append(number)
    return parents


def _sorted_numbers(events: list[Span]) -> list[int | None]:
    """Find the right parents, but as if the events had been given in the order of their starts."""
    spans = [_span(event) for event in events]
    return _ruled(sorted(spans, key=lambda one: (one[0], -one[1])))


def _gives(rule: Callable) -> Callable:
    """Build a `Mistake.shows`: a wrong answer is what a rule makes of the arguments."""
    return lambda args, wanted, got: type(got.value) is list and got.value == rule(*args) != wanted.value


def _has_another_entry(args: tuple, wanted: Any, got: Any) -> bool:
    """Return True if an entry is neither None nor the number of an event."""
    return type(got.value) is list and not {*got.value} <= {None, *range(len(args[0]))}


PARENT_MISTAKES = (
    ("of events that begin together, the one that ends later comes first, and may hold the others",
     lambda events: _ruled(events, key=lambda one: one[0])),
    ("of events that begin together, the one that ends later comes first, and may hold the others",
     lambda events: _ruled(events, key=lambda one: one[:2])),
    ("an event may begin, and may end, together with the one that holds it: of those that begin together, the one that "
     "ends later comes first",
     lambda events: _ruled(events, leaves=lambda one, top: one[0] <= top[0] or one[1] >= top[1])),
    ("the events come in any order: sort their numbers first, by start and then by the later end",
     lambda events: _ruled(events, key=lambda one: 0)),
    ("the answer is in the order of the events' starts: entry n belongs to `events[n]`, and numbers are places in "
     "`events`, in any order", _sorted_numbers),
    ("an event holds only events of its own thread, and here it holds one of another: keep a stack for each thread",
     lambda events: _ruled(events, has_threads=False)),
    ("the parent is the *last* one that holds an event, the innermost; this is the outermost",
     lambda events: _ruled(events, at=0)),
    ("the one that leaves the stack is the last that was entered, the innermost, and not the first: `pop()`",
     lambda events: _ruled(events, leaving=0)),
    ("an event that begins when another ends comes after it, not inside it: `>=`, not `>`",
     lambda events: _ruled(events, leaves=lambda one, top: one[0] > top[1] or one[1] > top[1])),
    ("what begins when another ends is behind it, and one that ends later than another is not in it, either",
     lambda events: _ruled(events, leaves=lambda one, top: one[0] > top[1])),
    ("an event holds another that ends together with it: it need not end earlier",
     lambda events: _ruled(events, leaves=lambda one, top: one[0] >= top[1] or one[1] >= top[1])),
    ("an event that ends later than another is not in it, wherever it begins",
     lambda events: _ruled(events, leaves=lambda one, top: one[0] >= top[1])),
    ("events that begin together may hold each other: the one that ends later comes first",
     lambda events: _ruled(events, leaves=lambda one, top: one[0] == top[0] or one[0] >= top[1] or one[1] > top[1])),
)  # fmt: skip

PARENTS_OF = Check(
    "profiler.event_tree.parents_of",
    ("events",),
    (
        Aspect("ordinary", 3, _parents_ordinary),
        Aspect("ties", 3, _parents_ties, needs="ordinary"),
        Aspect("threads", 2, _parents_threads, needs="ordinary"),
        Aspect("large", 2, _parents_large, needs="ordinary"),
    ),
    {
        "none": "a list with an entry for each event: None if nothing contains it",
        "inside": "an entry is the number of the parent: its index in `events`",
        "smallest": "of all that hold an event, its parent is the one that began last",
        "siblings": "an event that has ended holds nothing that begins later",
        "any order": "the events come in any order; sort their numbers, and answer in the order of `events`",
        "touching": "an event that begins when another ends comes after it, not inside it",
        "begin together": "of two that begin together, the one that ends later may hold the other",
        "end together": "an event holds another that ends together with it",
        "equal": "if events have the same times, each is inside the one given before it",
        "instant": "an event without length is inside one that is running when it happens, and holds nothing itself",
        "overlap": "an event that ends later than another is not inside it, wherever it begins; the next one may "
        "be inside either",
        "threads": "an event is never inside an event of another thread: its parent is the innermost that holds it on "
        "its own",
        "chain": "each of a chain is inside the one that began just before it, its parent; 20,000 may be nested",
        "row": "of events that follow each other none is inside another; there may be 20,000",
        "pairs": "every second event is inside the one that began just before it, the others have no parent",
        "comparisons": "the work grows with the square of the number of events: each is compared with most others. Go "
        "through them once, in order, with a stack of those that may still hold something",
        "type": "the numbers are ints, in a list",
        "returned None": "the function ends without `return`",
        "raised": "nothing is refused here",
    },
    probe="profiler.trees.parents",
    program="profiler.program.run",
    mistakes=(
        Mistake("the list belongs to the caller: sort a copy of it", lambda args, wanted, got: got.value == CHANGED),
        Mistake(
            "entry n is the number of the parent of `events[n]`, which is its place in `events`, or None if nothing "
            "contains it",
            _has_another_entry,
        ),
        *(Mistake(says, _gives(rule)) for says, rule in PARENT_MISTAKES),
        Mistake(
            "events may be nested 20,000 deep, and Python allows a function to call itself about 1,000 times",
            lambda args, wanted, got: got.raised == "RecursionError",
        ),
    ),
    words={
        "chain": "as many events as the number says, each in the one before it",
        "row": "as many events, one after the other",
        "pairs": "as many events, one after the other, and every second one in the one before it",
        "chain backwards": "as many events, each in the next one",
        "row backwards": "as many events, one after the other, the last one given first",
        "pairs backwards": "as many events, the last given first, and every second one in the next one",
    },
)


# ---- self_times


def _tree(rng: random.Random, length: int) -> tuple[list[Span], list[int | None]]:
    """Draw events whose children take at most what they take, in a random order, with their parents."""
    spans: list[Span] = [(rng.randint(0, 9), rng.randint(200, 300))]
    parents: list[int | None] = [None]
    room = [spans[0]]
    for number in range(1, length):
        holder = rng.randrange(number)
        start, end = room[holder]
        middle = (start + end) // 2
        room[holder] = (middle, end)
        spans.append((start, rng.randint(start, middle)))
        room.append(spans[-1])
        parents.append(holder)
    order = rng.sample(range(length), length)
    place = {number: at for at, number in enumerate(order)}
    moved = [parents[number] for number in order]
    return [spans[number] for number in order], [None if parent is None else place[parent] for parent in moved]


def _own_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([(0, 10)], [None]), "alone")
    yield Case(([(0, 10), (1, 4)], [None, 0]), "child")
    yield Case(([(1, 4), (0, 10)], [1, None]), "child")
    yield Case(([(0, 10), (1, 4), (5, 6)], [None, 0, 0]), "children")
    yield Case(([(0, 10), (1, 8), (2, 5)], [None, 0, 1]), "grandchild")
    yield Case(([(0, 10), (1, 8), (2, 5), (3, 4)], [None, 0, 1, 2]), "grandchild")
    yield Case(([(5, 25), (30, 70)], [None, None]), "alone")
    for _ in range(34):
        yield Case(_tree(rng, rng.randint(3, 8)), "grandchild")


def _own_edge(rng: random.Random) -> Iterator[Case]:
    yield Case(([], []), "none")
    yield Case(([(4, 4)], [None]), "instant")
    yield Case(([(0, 4), (0, 4)], [None, 0]), "all of it")
    yield Case(([(0, 4), (2, 2)], [None, 0]), "instant")
    yield Case(([(0, 10), (2, 5)], [None, None]), "given parents")
    yield Case(([(0, 10), (2, 8), (3, 5)], [None, 0, None]), "given parents")
    yield Case(([(0, 9), (0, 4), (4, 9)], [None, 0, 0]), "all of it")
    yield Case(([(3, 7), (3, 7)], [None, None]), "alone")
    yield Case(([(0, 10), (0, 6), (4, 10)], [None, 0, 0]), "below 0")
    yield Case(([(0, 4), (2, 9)], [None, 0]), "below 0")
    yield Case(([(0, 9, 1), (2, 5, 2)], [None, 0]), "given parents")
    for _ in range(30):
        spans, parents = _tree(rng, rng.randint(2, 7))
        loose = [None if rng.random() < 0.5 else parent for parent in parents]
        yield Case((spans, loose), "given parents")


def _lengths(events: list[Span]) -> list[int]:
    return [event[1] - event[0] for event in events]


def _own(events: list[Span], parents: list[int | None], takes: Callable) -> list[int]:
    """Return the lengths after `takes(times, lengths, number, parent)` has subtracted something for each event."""
    lengths = _lengths(events)
    times = list(lengths)
    for number, parent in enumerate(parents):
        takes(times, lengths, number, parent)
    return times


def _from_all(parents: list[int | None]) -> Callable:
    def takes(times: list[int], lengths: list[int], number: int, parent: int | None) -> None:
        seen = 0
        while parent is not None and seen < len(parents):
            times[parent] -= lengths[number]
            parent, seen = parents[parent], seen + 1

    return takes


def _from_first_truthy(times: list[int], lengths: list[int], number: int, parent: int | None) -> None:
    if parent:
        times[parent] -= lengths[number]


def _what_is_left(times: list[int], lengths: list[int], number: int, parent: int | None) -> None:
    if parent is not None:
        times[parent] -= times[number]


def _last_child(times: list[int], lengths: list[int], number: int, parent: int | None) -> None:
    if parent is not None:
        times[parent] = lengths[parent] - lengths[number]


def _right_takes(times: list[int], lengths: list[int], number: int, parent: int | None) -> None:
    if parent is not None:
        times[parent] -= lengths[number]


OWN_MISTAKES = (
    ("nothing was subtracted from the time of event 0, but `parents` has it as a parent: subtract the time of each "
     "child from its parent's (`if parent:` is false for 0)",
     lambda e, p: _own(e, p, _from_first_truthy) if 0 in p else None),
    ("these are the whole times: the time of each event's children is to be taken away", lambda e, p: _lengths(e)),
    ("what a grandchild takes is in the time of the child already: take each length from the parent, and from no one "
     "above it", lambda e, p: _own(e, p, _from_all(p))),
    ("take from the parent the whole length of the child, not what is left of it",
     lambda e, p: _own(e, p, _what_is_left)),
    ("the times of *all* children go, not only that of the last one", lambda e, p: _own(e, p, _last_child)),
    ("what is left may be below 0: children count in full", lambda e, p: [max(0, t) for t in _own(e, p, _right_takes)]),
    ("the parents are given: who is in whom is told by `parents`, not by the times",
     lambda e, p: _own(e, _ruled(e), _right_takes)),
)  # fmt: skip

SELF_TIMES = Check(
    "profiler.event_tree.self_times",
    ("events", "parents"),
    (
        Aspect("ordinary", 3, _own_ordinary),
        Aspect("edge", 2, _own_edge, needs="ordinary"),
    ),
    {
        "alone": "the length of an event is its end less its start",
        "child": "subtract the child's time from the event's; the child keeps its own",
        "children": "subtract the times of all children, not only of one",
        "grandchild": "a grandchild's time is part of the child's already: subtract it once, one level up",
        "none": "no events, no times: an empty list",
        "instant": "an event without length takes no time, from nobody",
        "all of it": "children may take all of the time: then 0 is left",
        "below 0": "who is a child is told by `parents`; children that overlap, or end later, count in full: what is "
        "left may be below 0",
        "given parents": "`parents` says which event is inside which, not the times: an event takes its time "
        "from its parent "
        "alone",
        "type": "the times are ints, in a list",
        "returned None": "the function ends without `return`",
        "raised": "nothing is refused here",
    },
    probe="profiler.trees.own_times",
    program="profiler.program.run",
    mistakes=(
        Mistake("the lists belong to the caller: change copies", lambda args, wanted, got: got.value == CHANGED),
        *(Mistake(says, _gives(rule)) for says, rule in OWN_MISTAKES),
        Mistake(
            "the times are whole nanoseconds, ints",
            lambda args, wanted, got: any(type(time) is float for time in got.value),
        ),
    ),
)


# ---- memory_of


def _taken(rng: random.Random, times: list[int]) -> list[tuple]:
    return [(time, rng.choice((4, 8, 64, 100, -4, -64))) for time in times]


def _memory_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([(0, 9)], []), "none")
    yield Case(([], [(3, 64)]), "outside")
    yield Case(([(0, 9)], [(12, 0)]), "outside")
    yield Case(([(0, 9)], [(3, 0)]), "inside")
    yield Case(([(0, 9)], [(3, 64), (5, -64)]), "given back")
    yield Case(([], []), "none")
    yield Case(([(0, 9)], [(3, 64)]), "inside")
    yield Case(([(0, 9)], [(3, 64), (5, -24)]), "given back")
    yield Case(([(0, 9)], [(12, 64)]), "outside")
    yield Case(([(0, 9), (2, 6)], [(4, 64)]), "nested")
    yield Case(([(0, 9), (2, 6), (3, 5)], [(4, 64), (8, 8)]), "nested")
    yield Case(([(0, 4), (5, 9)], [(6, 64), (2, 8)]), "any order")
    yield Case(([(5, 9), (0, 4)], [(12, 4), (7, 64), (11, 8)]), "any order")
    for _ in range(30):
        events = _nested(rng, 0, rng.randint(15, 30), 2)[:5]
        ends = {time for event in events for time in event}
        taken = _taken(rng, [time for time in rng.sample(range(41), rng.randint(2, 5)) if time not in ends])
        yield Case((_shuffled(rng, events), taken), "nested")


def _memory_edge(rng: random.Random) -> Iterator[Case]:
    yield Case(([(2, 9)], [(2, 64)]), "bounds")
    yield Case(([(2, 9)], [(9, 64)]), "bounds")
    yield Case(([(2, 9)], [(1, 4), (10, 64)]), "bounds")
    yield Case(([(0, 5), (5, 9)], [(5, 64)]), "bounds")
    yield Case(([(3, 3)], [(3, 64)]), "bounds")
    yield Case(([(0, 9)], [(3, 64), (3, -64), (3, 8)]), "same time")
    yield Case(([(5, 9)], [(3, 64), (3, -64), (3, 8)]), "same time")
    yield Case(([(0, 9)], [(3, 64), (3, 64)]), "same time")
    yield Case(([(5, 9)], [(3, 64), (3, 64)]), "same time")
    yield Case(([(0, 9), (0, 9)], [(3, 64)]), "same time")
    yield Case(([(0, 9, 1)], [(3, 64, 2)]), "threads")
    yield Case(([(0, 9, 1), (2, 5, 2)], [(3, 64, 2), (4, 8, 1)]), "threads")
    yield Case(([(0, 3, 1)], [(9, 64, 2), (7, 8, 1), (8, 4, 3)]), "threads")
    for threads in ((2, 1, 3), (3, 2, 1), (1, 3, 2)):  # at one time, on several threads
        yield Case(([(0, 3, 1)], [(9, 64, threads[0]), (9, 8, threads[1]), (9, 4, threads[2])]), "same time")
        yield Case(([(0, 3, 1)], [(8, 64, threads[0]), (7, 8, threads[1]), (8, 4, threads[2])]), "same time")
    yield Case(([(5, 9, 1)], [(3, 64, 2), (3, 8, 1), (3, 4, 2), (3, 2, 1)]), "same time")
    yield Case(([(0, 9)], [(3, 64, 1, "CUDA"), (4, 8, 1, "CPU")]), "device")
    yield Case(([(0, 9)], [(3, 64, 1, "CUDA"), (4, 8, 1, "CPU")], "CUDA"), "device")
    yield Case(([(0, 9)], [(13, 64, 1, "CUDA"), (14, 8, 1, "CPU")], "CUDA"), "device")
    for _ in range(30):
        events = [(start, start + rng.randint(0, 8), rng.randint(1, 2)) for start in rng.choices(range(9), k=3)]
        taken = [
            (*one, rng.randint(1, 2), rng.choice(("CPU", "CPU", "CUDA")))
            for one in _taken(rng, rng.choices(range(15), k=4))
        ]
        yield Case((events, taken), "bounds")


Taken = tuple


def _whole(one: Taken) -> Taken:
    """Return an allocation with its thread and its device."""
    return (*one, *(1, "CPU")[len(one) - 2 :])


def _memory(
    events: list[Span],
    allocations: list[Taken],
    device: str = "CPU",
    *,
    contains: Callable = lambda event, one: event[2] == one[2] and event[0] <= one[0] <= event[1],
    order: Callable = lambda one: one[0],
    is_counted: Callable = lambda one: True,
) -> tuple[list[int], list[int]]:
    """Compute the bytes of each event and the places of what is in none, by a rule of which a part may be changed."""
    spans, taken = [_span(event) for event in events], list(map(_whole, allocations))
    places = [at for at in sorted(range(len(taken)), key=lambda at: order(taken[at])) if taken[at][3] == device]
    places = [at for at in places if is_counted(taken[at])]
    used = [sum(taken[at][1] for at in places if contains(event, taken[at])) for event in spans]
    return used, [at for at in places if not any(contains(event, taken[at]) for event in spans)]


def _one_holder(choose: Callable[[Span], int]) -> Callable:
    """Build the rule by which only one of the events that contain an allocation counts it: the least by `choose`."""

    def rule(events: list[Span], allocations: list[Taken], device: str = "CPU") -> tuple[list[int], list[int]]:
        spans, (_, outside) = [_span(event) for event in events], _memory(events, allocations, device)
        used = [0] * len(spans)
        for time, nbytes, thread, kind in map(_whole, allocations):
            holders = [at for at, span in enumerate(spans) if span[2] == thread and span[0] <= time <= span[1]]
            if holders and kind == device:
                used[min(holders, key=lambda at: choose(spans[at]))] += nbytes
        return used, outside

    return rule


def _uses(rule: Callable) -> Callable:
    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        found, right = (
            (observation.value["bytes"], observation.value["their places"]) for observation in (got, wanted)
        )
        return found != right and found == rule(*args)

    return shows


MEMORY_MISTAKES = (
    ("an event contains only allocations of its own thread",
     lambda *args: _memory(*args, contains=lambda event, one: event[0] <= one[0] <= event[1])),
    ("both ends belong to the event, its end, too: start <= time <= end",
     lambda *args: _memory(*args, contains=lambda e, one: e[2] == one[2] and e[0] <= one[0] < e[1])),
    ("both ends belong to the event, its start, too: start <= time <= end",
     lambda *args: _memory(*args, contains=lambda e, one: e[2] == one[2] and e[0] < one[0] <= e[1])),
    ("both ends belong to the event: start <= time <= end",
     lambda *args: _memory(*args, contains=lambda e, one: e[2] == one[2] and e[0] < one[0] < e[1])),
    ("every event that contains an allocation counts it, not only the innermost",
     _one_holder(lambda span: span[1] - span[0])),
    ("every event that contains an allocation counts it, not only the first in the list", _one_holder(lambda span: 0)),
    ("what is given back has a negative number of bytes, and is added like the rest",
     lambda *args: _memory(*args, is_counted=lambda one: one[1] >= 0)),
    ("what no event contains is returned in the order of time", lambda *args: _memory(*args, order=lambda one: 0)),
    ("what no event contains is returned in the order of time, whatever the thread; of one time, as it was given",
     lambda *args: _memory(*args, order=lambda one: (one[2], one[0]))),
    ("allocations of one time stay in the order in which they were given: sort by the time alone",
     lambda *args: _memory(*args, order=lambda one: (one[0], one[1]))),
    ("allocations of one time stay in the order in which they were given: sort by the time alone",
     lambda *args: _memory(*args, order=lambda one: (one[0], one[2]))),
    ("of the other device nothing counts, neither in events nor outside",
     lambda events, taken, device="CPU": _memory(events, [(*_whole(one)[:3], device) for one in taken], device)),
)  # fmt: skip

MEMORY_OF = Check(
    "profiler.event_tree.memory_of",
    ("events", "allocations", "device"),
    (
        Aspect("ordinary", 4, _memory_ordinary, findings=without("the list that was given")),
        Aspect("edge", 3, _memory_edge, needs="ordinary"),
    ),
    {
        "none": "a number for each event, 0 if nothing was allocated in it; and a list, here an empty one",
        "inside": "an event counts everything allocated between its start and its end",
        "given back": "freed memory is negative, and added like the rest",
        "outside": "return an allocation that is in no event, the object itself",
        "nested": "every event that contains an allocation counts it once: the inner one, and each one around it",
        "any order": "allocations come in any order; those outside are returned in the order of time",
        "bounds": "start <= time <= end: both ends belong to the event",
        "same time": "of several at one time, or with the same times, each counts; outside, allocations of one time "
        "stay in the order in which they were given",
        "in no event": "what no event of its thread contains is returned itself: of this device, in the order of time, "
        "those of one time as they were given",
        "bytes": "an event counts all that is taken on its thread and this device, start <= time <= end, less what is "
        "given back",
        "their places": "what no event of its thread contains is returned itself: of this device, in the order of "
        "time, those of one time as they were given",
        "the list that was given": "the list belongs to the recording: sort a copy of it, `sorted(allocations, "
        "key=...)`",
        "threads": "an event contains only allocations of its own thread",
        "device": "leave allocations of the other device out of both results",
        "type": "return a tuple of two lists: ints, and allocations that were given",
        "returned None": "the function ends without `return`",
        "raised": "nothing is refused here",
    },
    probe="profiler.trees.memory",
    mistakes=told_apart(*(Mistake(says, _uses(rule)) for says, rule in MEMORY_MISTAKES)),
)

CHECKS = (PARENTS_OF, SELF_TIMES, MEMORY_OF)
