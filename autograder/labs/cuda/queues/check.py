"""Checks of the model of queues: streams, events, and what the host's clock sees of them."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check

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


def _streams(rng: random.Random) -> Iterator[Case]:
    yield Case(([("launch", 0, 50), ("launch", 1, 20)], 0), "side by side")
    yield Case(([("launch", 0, 50), ("launch", 1, 20), ("launch", 0, 10), ("launch", 1, 30)], 5), "side by side")
    yield Case(([("launch", 0, 50), ("launch", 1, 20), ("synchronize", 1)], 0), "one of them")
    yield Case(([("launch", 0, 50), ("launch", 1, 20), ("synchronize", None)], 0), "all of them")
    yield Case(([("launch", 0, 10), ("launch", 1, 50), ("synchronize", None)], 0), "all of them")
    yield Case(([("launch", 0, 50), ("synchronize", 1)], 5), "one of them")
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


SCHEDULE = Check(
    "cuda.queue.schedule",
    ("calls", "overhead"),
    (Aspect("ordinary", 2, _one_stream), Aspect("streams", 2, _streams)),
    {
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
        "type": "return a list of `Times`, one for each call; all times are ints",
        "returned None": "the function ends without `return`",
        "raised": "every program here is sound: nothing to refuse",
    },
    probe="cuda.queues.scheduled",
)
CHECKS = (SCHEDULE,)
