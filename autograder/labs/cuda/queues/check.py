"""Checks of the model of queues: streams, events, and what the host's clock sees of them."""

import random
from collections.abc import Callable, Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation

Calls = list[tuple]


def _launches(rng: random.Random, streams: tuple, count: int) -> Calls:
    return [("launch", rng.choice(streams), rng.choice((0, 1, 10, 20, 50))) for _ in range(count)]


def _one_stream(rng: random.Random) -> Iterator[Case]:
    yield Case(([], 0), "launch")
    yield Case(([("launch", 0, 10)], 0), "launch")
    yield Case(([("launch", 0, 10), ("launch", 0, 20)], 0), "launch")
    yield Case(([("launch", 0, 10), ("launch", 0, 20)], 3), "launch")
    yield Case(([("launch", 0, 2), ("launch", 0, 20)], 5), "idle")
    yield Case(([("host", 30)], 5), "host")
    yield Case(([("launch", 0, 10), ("host", 30), ("launch", 0, 10)], 5), "idle")
    yield Case(([("synchronize", 0)], 5), "synchronize")
    yield Case(([("launch", 0, 50), ("synchronize", 0)], 0), "synchronize")
    yield Case(([("launch", 0, 50), ("synchronize", 0), ("launch", 0, 10)], 5), "synchronize")
    yield Case(([("launch", 0, 50), ("synchronize", None), ("synchronize", None)], 5), "synchronize")
    yield Case(([("record", 0, "a")], 5), "record")
    yield Case(([("record", 0, "a"), ("launch", 0, 50), ("record", 0, "b")], 0), "record")
    yield Case(([("record", 0, "a"), ("launch", 0, 50), ("record", 0, "b"), ("synchronize", 0)], 5), "record")
    yield Case(
        ([("launch", 2, 50), ("record", 2, "a"), ("launch", 2, 0), ("host", 0), ("synchronize", 2)], 5), "launch"
    )
    yield Case(([("launch", 0, 50), ("synchronize", 0), ("host", 7), ("synchronize", None)], 3), "synchronize")
    for _ in range(30):
        calls = _launches(rng, (rng.randrange(3),), rng.randint(1, 4))
        stream = calls[0][1]
        for call in (
            ("host", rng.choice((5, 40))),
            ("record", stream, "a"),
            ("synchronize", stream),
            ("record", stream, "b"),
        ):
            if rng.random() < 0.6:
                calls.insert(rng.randint(0, len(calls)), call)
        yield Case((calls, rng.choice((0, 1, 5))), "launch")


CYCLE = [("launch", 0, 7), ("record", 0, "a"), ("wait", 1, "a"), ("launch", 1, 3), ("host", 2), ("launch", 2, 9)]


def _streams(rng: random.Random) -> Iterator[Case]:
    yield Case(([("launch", 0, 50), ("launch", 1, 20)], 0), "side by side")
    yield Case(([("launch", 0, 50), ("launch", 1, 20), ("launch", 0, 10), ("launch", 1, 30)], 5), "side by side")
    yield Case(([("launch", 0, 50), ("launch", 1, 20), ("synchronize", 1)], 0), "one of them")
    yield Case(([("launch", 0, 50), ("launch", 1, 20), ("synchronize", None)], 0), "all of them")
    yield Case(([("launch", 0, 10), ("launch", 1, 50), ("synchronize", None)], 0), "all of them")
    yield Case(([("launch", 0, 50), ("synchronize", 1)], 5), "one of them")
    yield Case(([("launch", 0, 20), ("launch", 1, 90), ("synchronize", 0)], 5), "one of them")
    yield Case(([("launch", 1, 90), ("launch", 0, 20), ("synchronize", 0), ("synchronize", None)], 0), "one of them")
    yield Case(
        ([("launch", 1, 90), ("launch", 0, 20), ("record", 0, "a"), ("wait", 2, "a"), ("launch", 2, 5)], 5), "wait"
    )
    yield Case(([("launch", 1, 90), ("record", 0, "a"), ("wait", 2, "a"), ("launch", 2, 5)], 0), "wait")
    twice = [("wait", 1, "a"), ("launch", 1, 5), ("wait", 2, "a"), ("launch", 2, 5)]  # an event is there for all
    yield Case(([("launch", 0, 50), ("record", 0, "a"), *twice], 0), "wait")
    yield Case(
        ([("launch", 1, 60), ("launch", 0, 20), ("record", 0, "a"), ("wait", 1, "a"), ("launch", 1, 5)], 5), "wait"
    )
    yield Case(
        (
            [
                ("launch", 0, 50),
                ("record", 0, "a"),
                ("wait", 1, "a"),
                ("record", 1, "b"),
                ("wait", 2, "b"),
                ("launch", 2, 5),
            ],
            0,
        ),
        "wait",
    )
    yield Case(
        (
            [
                ("launch", 0, 50),
                ("record", 0, "a"),
                ("launch", 1, 20),
                ("record", 1, "a"),
                ("wait", 2, "a"),
                ("launch", 2, 5),
            ],
            0,
        ),
        "recorded again",
    )
    yield Case(([("launch", 0, 50), ("record", 0, ""), ("wait", 1, ""), ("launch", 1, 20)], 0), "names")
    recorded = [("launch", 0, 50), ("record", 0, "a")]
    yield Case(([*recorded, ("wait", 1, "a"), ("launch", 1, 20)], 0), "wait")
    yield Case(([*recorded, ("launch", 1, 20), ("wait", 1, "a"), ("launch", 1, 20)], 5), "wait")
    yield Case(([*recorded, ("launch", 0, 30), ("wait", 1, "a"), ("launch", 1, 20)], 0), "wait")
    yield Case(([("launch", 1, 80), *recorded, ("wait", 1, "a"), ("launch", 1, 20)], 0), "wait")
    yield Case(([*recorded, ("host", 90), ("wait", 1, "a"), ("launch", 1, 20)], 0), "wait")
    yield Case(([*recorded, ("wait", 1, "a"), ("synchronize", 1)], 5), "wait")
    yield Case(([("wait", 1, "a"), ("launch", 1, 20)], 5), "never recorded")
    yield Case(([("wait", 1, "a"), *recorded, ("launch", 1, 20)], 0), "never recorded")
    yield Case(([*recorded, ("wait", 1, "b"), ("launch", 1, 20)], 0), "never recorded")
    twice = [*recorded, ("wait", 1, "a"), ("launch", 0, 30), ("record", 0, "a")]
    yield Case(([*twice, ("launch", 1, 20)], 0), "recorded again")
    yield Case(([*twice, ("wait", 2, "a"), ("launch", 2, 20), ("launch", 1, 20)], 5), "recorded again")
    numbered = [("launch", 0, 50), ("record", 0, 1)]  # events have any names, also names of streams
    yield Case(([*numbered, ("launch", 1, 20)], 0), "names")
    yield Case(([*numbered, ("wait", 1, 0), ("launch", 1, 20)], 5), "names")
    yield Case(([("launch", 1, 50), ("record", 1, 0), ("launch", 1, 30), ("wait", 2, 0), ("wait", 0, 1)], 0), "names")
    yield Case((CYCLE, 1, 500), "long", "cuda.queues.long")
    for _ in range(40):
        calls = _launches(rng, (0, 1, 2), rng.randint(2, 4))
        for _ in range(rng.randint(1, 4)):
            event = rng.choice(("a", 1, 2))
            call = rng.choice((
                ("record", rng.randrange(3), event), ("record", rng.randrange(3), event),
                ("wait", rng.randrange(3), event), ("wait", rng.randrange(3), event),
                ("synchronize", rng.choice((None, 0, 1))), ("host", 25),
            ))  # fmt: skip
            calls.insert(rng.randint(0, len(calls)), call)
        yield Case((calls, rng.choice((0, 1, 5))), "wait")


def first_apart(args: tuple, wanted: object, got: object) -> list[str]:
    """Return the field of the first call that differs, as "launch: returned" or "launch: begin and end"."""
    if not (isinstance(wanted, list) and isinstance(got, list)):
        return ["type"]
    if len(wanted) != len(got):
        return ["how many"]
    for (call, *_), one, other in zip(args[0], wanted, got, strict=True):
        for field, this, that in zip(("returned", "begin", "end"), one, other, strict=True):
            if this != that:
                return [f"{call}: {'returned' if field == 'returned' else 'begin and end'}"]
    return []


def _times(calls: Calls, overhead: int, mistake: str) -> list[tuple[int, int, int]]:
    """Compute the times of a program with one mistake."""
    free: dict = {}
    happens: dict = {}
    now, times = 0, []
    for call, *what in calls:
        now += what[0] if call == "host" else overhead
        begin = end = now
        if call in ("launch", "record", "wait"):
            stream, last = what
            begin = end = max(now, free.get(stream, 0))
            if call == "launch":
                end = begin + last
            elif call == "record":
                begin = end = max([begin, *free.values()]) if mistake == "all streams" else begin
                happens[last] = max(end, happens.get(last, 0)) if mistake == "latest" else end
            else:
                begin = end = max(now if mistake == "forgets" else begin, happens.get(last, 0))
            free[stream] = end
        elif call == "synchronize":
            is_of_all = not what[0] if mistake == "stream 0" else what[0] is None
            begin = end = now = max([now, *(free.values() if is_of_all else [free.get(what[0], 0)])])
        times.append((now, begin, end))
    return times


def _of(mistake: str) -> Callable[[tuple, Observation, Observation], bool]:
    return lambda args, wanted, got: len(args) == 2 and got.value == _times(*args, mistake)


SCHEDULE = Check(
    "cuda.queue.schedule",
    ("calls", "overhead", "times over"),
    (Aspect("ordinary", 2, _one_stream), Aspect("streams", 3, _streams)),
    {
        "launch: returned": "a launch costs the host the overhead, and no more: it does not wait for the kernel",
        "launch: begin and end": "a kernel begins when its call has come and its own stream's earlier work is done",
        "record: returned": "a record costs the host the overhead, and no more",
        "record: begin and end": "an event happens when its call has come and its own stream's earlier work is done",
        "wait: returned": "a wait costs the host the overhead, and no more: only the device waits",
        "wait: begin and end": "the latest of three: the call has come, the stream's earlier work is done, the event",
        "synchronize: returned": "the overhead is over, and what the named stream, or with None all, had to do is done",
        "synchronize: begin and end": "a synchronize gives the device nothing: both are when it returns",
        "host: returned": "what the host does by itself moves its clock by its duration, without overhead",
        "host: begin and end": "a host's work gives the device nothing: both are when it returns",
        "how many": "one `Times` for each call, in their order",
        "launch": "a launch returns at once; the kernel begins when its stream is free, and not before the call came",
        "idle": "a stream that has been idle for a while does not begin in the past",
        "host": "what the host does by itself moves its clock, without overhead, and gives the device nothing",
        "synchronize": "the host goes on when the stream is free, or at once if it has been for long",
        "record": "an event happens when what its stream was given before is done; the host does not wait for it",
        "side by side": "each stream has its own end: keep one number for each",
        "one of them": "the host waits for the stream that the call names, and for no other",
        "all of them": "without a stream, the host waits for all of them",
        "wait": "a wait holds up what its stream is given later, and neither the host nor what the stream has already",
        "never recorded": "an event that nobody has recorded by then is nothing to wait for",
        "recorded again": "a wait is for the event as it was recorded last before the wait",
        "names": "an event may have the name of a stream, and is another thing: keep the two apart",
        "long": "a program may have thousands of calls: go through them once, in a loop",
        "type": "return a list of `Times`, one for each call; all times are ints",
        "returned None": "the function ends without `return`",
        "raised": "every program here is sound: nothing to refuse",
    },
    mistakes=(
        Mistake("an event happens when its own stream is done: others may be busy longer", _of("all streams")),
        Mistake("an event recorded again is the new one, even if the one before happens later", _of("latest")),
        Mistake("a wait comes after all that its own stream was given before", _of("forgets")),
        Mistake("stream 0 is a stream like others: only None means all of them", _of("stream 0")),
    ),
    differs=first_apart,
    probe="cuda.queues.scheduled",
)
CHECKS = (SCHEDULE,)
