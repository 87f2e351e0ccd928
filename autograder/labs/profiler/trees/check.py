"""Checks of events as a tree: parents, own times, memory. Times are whole nanoseconds, so all answers are exact."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.profiler.findings import without

Span = tuple


def _nested(rng: random.Random, start: int, end: int, depth: int) -> list[Span]:
    """An event and those in it: all begin and end at different times."""
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


PARENTS_OF = Check(
    "profiler.event_tree.parents_of",
    ("events",),
    (
        Aspect("ordinary", 3, _parents_ordinary),
        Aspect("ties", 2, _parents_ties, needs="ordinary"),
        Aspect("threads", 2, _parents_threads, needs="ordinary"),
    ),
    {
        "none": "a list with an entry for each event: None for those that lie in none",
        "inside": "an entry is the number of the parent: its place in `events`",
        "smallest": "of all that hold an event, its parent is the one that began last",
        "siblings": "an event that has ended holds nothing that begins later",
        "any order": "the events come in any order; sort their numbers, and answer in the order of `events`",
        "touching": "what begins when another ends lies behind it, not in it",
        "begin together": "of two that begin together, the one that ends later may hold the other",
        "end together": "an event holds another that ends together with it",
        "equal": "of events with the same times, each lies in the one given before it",
        "instant": "an event without length lies in one that goes on when it happens, and holds nothing itself",
        "overlap": "an event that ends later than another does not lie in it, wherever it begins; what comes next may "
        "lie in either",
        "threads": "what runs at the same time on another thread lies in nothing of this one",
        "type": "the numbers are ints, in a list",
        "returned None": "the function ends without `return`",
        "raised": "nothing is refused here",
    },
    probe="profiler.trees.parents",
)


# ---- self_times


def _tree(rng: random.Random, length: int) -> tuple[list[Span], list[int | None]]:
    """Events whose children take at most what they take, in a random order, with their parents."""
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


SELF_TIMES = Check(
    "profiler.event_tree.self_times",
    ("events", "parents"),
    (
        Aspect("ordinary", 2, _own_ordinary),
        Aspect("edge", 1, _own_edge, needs="ordinary"),
    ),
    {
        "alone": "the length of an event is its end less its start",
        "child": "from the time of an event goes that of its child; the child keeps its own",
        "children": "the times of all children go, not only that of one",
        "grandchild": "what a grandchild takes is in the time of the child already: it goes once, one level up",
        "none": "of no events there are no times: an empty list",
        "instant": "an event without length takes no time, from nobody",
        "all of it": "children may take all of the time: 0 is left",
        "below 0": "children that overlap, or end later, count in full: what is left may be below 0",
        "given parents": "who lies in whom is told by `parents`, not by the times: an event of another thread takes "
        "nothing from one that runs meanwhile",
        "type": "the times are ints, in a list",
        "returned None": "the function ends without `return`",
        "raised": "nothing is refused here",
    },
    probe="profiler.trees.own_times",
)


# ---- memory_of


def _taken(rng: random.Random, times: list[int]) -> list[tuple]:
    return [(time, rng.choice((4, 8, 64, 100, -4, -64))) for time in times]


def _memory_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([(0, 9)], []), "none")
    yield Case(([], [(3, 64)]), "outside")
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


MEMORY_OF = Check(
    "profiler.event_tree.memory_of",
    ("events", "allocations", "device"),
    (
        Aspect("ordinary", 3, _memory_ordinary, findings=without("the list that was given")),
        Aspect("edge", 2, _memory_edge, needs="ordinary"),
    ),
    {
        "none": "a number for each event, 0 if nothing was taken in it; and a list, here an empty one",
        "inside": "an event took what was allocated between its start and its end",
        "given back": "what is given back is negative, and added like the rest",
        "outside": "an allocation that lies in no event is returned itself",
        "nested": "every event that contains an allocation counts it once: the inner one, and each one around it",
        "any order": "allocations come in any order; those outside are returned in the order of time",
        "bounds": "start <= time <= end: both ends belong to the event",
        "same time": "of several at one time, or with the same times, each counts; outside, allocations of one time "
        "stay in the order in which they were given",
        "in no event": "what no event of its thread contains is returned itself: of this device, in the order of time, "
        "those of one time as they were given",
        "the list that was given": "the list belongs to the recording: sort a copy of it, `sorted(allocations, "
        "key=...)`",
        "threads": "an event contains only allocations of its own thread",
        "device": "those of the other device are left out of both results",
        "type": "a list of ints, and a list of the allocations that were given",
        "returned None": "the function ends without `return`",
        "raised": "nothing is refused here",
    },
    probe="profiler.trees.memory",
)

CHECKS = (PARENTS_OF, SELF_TIMES, MEMORY_OF)
