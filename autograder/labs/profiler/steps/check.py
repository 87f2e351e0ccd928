"""The check of the schedule: what is done in which step."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.profiler.findings import without


def _numbers(wait: int, warmup: int, active: int, **more: int) -> dict[str, int]:
    return {"wait": wait, "warmup": warmup, "active": active, **more}


def _drawn(rng: random.Random) -> dict[str, int]:
    return _numbers(rng.randint(0, 3), rng.randint(1, 3), rng.randint(1, 3))


def _schedule_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case((range_of(6), _numbers(1, 1, 2)), "cycle")
    yield Case((range_of(4), _numbers(0, 1, 1)), "last")
    yield Case((range_of(6), _numbers(2, 1, 1)), "last")
    yield Case(([7, 0, 3, 3], _numbers(1, 2, 2)), "any step")
    yield Case(([4, 0, 4, 4], _numbers(1, 2, 2)), "any step")
    yield Case(([1_000_003], _numbers(1, 1, 3)), "any step")
    yield Case((range_of(5), _numbers(1, 0, 2)), "cycle")
    for _ in range(30):
        numbers = {**_drawn(rng), "warmup": rng.randint(0, 3)}
        steps = range_of(12) if rng.random() < 0.5 else [rng.randint(0, 200) for _ in range(6)]
        yield Case((steps, numbers), "cycle")


def range_of(count: int) -> list[int]:
    """The first steps."""
    return list(range(count))


def _schedule_counted(rng: random.Random) -> Iterator[Case]:
    yield Case((range_of(8), _numbers(0, 1, 1, repeat=2)), "repeat")
    yield Case((range_of(5), _numbers(1, 1, 1, repeat=1)), "repeat")
    yield Case((range_of(6), _numbers(0, 1, 2, skip_first=2)), "skip")
    yield Case((range_of(9), _numbers(1, 1, 1, skip_first=2, repeat=2)), "skip")
    yield Case((range_of(8), _numbers(2, 1, 1, skip_first_wait=1)), "skip wait")
    yield Case((range_of(8), _numbers(2, 1, 1, skip_first_wait=-1)), "skip wait")
    yield Case((range_of(9), _numbers(2, 1, 1, skip_first=1, skip_first_wait=1)), "skip wait")
    yield Case((range_of(9), _numbers(2, 1, 1, skip_first=1, skip_first_wait=1, repeat=1)), "skip wait")
    for _ in range(34):
        more = {
            "repeat": rng.randint(0, 3),
            "skip_first": rng.randint(0, 4),
            "skip_first_wait": rng.choice((0, 0, 1, 7)),
        }
        about = "skip wait" if more["skip_first_wait"] else "skip" if more["skip_first"] else "repeat"
        yield Case((range_of(20), {**_drawn(rng), **more}), about)


def _schedule_refusals(rng: random.Random) -> Iterator[Case]:
    good = _numbers(1, 1, 1, repeat=1, skip_first=1)
    for name in good:
        yield Case(([0], {**good, name: -1}), "negative")
        yield Case(([0, 1], {**good, name: 0}), "zero")
    yield Case((range_of(5), _numbers(1, 0, 2)), "warning")
    yield Case(([3, 0, 3], _numbers(0, 0, 1, repeat=2)), "warning")
    yield Case(([-1], good), "negative step")
    yield Case(([0, -3, 2], _numbers(0, 1, 1)), "negative step")
    yield Case(([-1], _numbers(0, 1, 1, skip_first=3)), "negative step")
    for _ in range(28):
        numbers = {**_drawn(rng), "repeat": rng.randint(0, 2), "skip_first": rng.randint(0, 2)}
        if rng.random() < 0.6:
            yield Case(([2, 3], {**numbers, rng.choice(list(numbers)): -rng.randint(1, 4)}), "negative")
        else:
            yield Case(([2, -rng.randint(1, 30), 3], {**numbers, "repeat": 0}), "negative step")


WARNING = "without a warm-up `schedule` itself warns, once, with `warnings.warn`, and it warns of nothing else"

SCHEDULE = Check(
    "profiler.actions.schedule",
    ("steps", "numbers"),
    (
        Aspect("ordinary", 2, _schedule_ordinary, findings=without("warnings")),
        Aspect("counted", 1, _schedule_counted, needs="ordinary", findings=without("warnings")),
        Aspect("refusals", 1, _schedule_refusals, needs="ordinary"),
    ),
    {
        "cycle": "a cycle has wait + warmup + active steps, and then the next one begins",
        "last": "the last step of each cycle is RECORD_AND_SAVE, also when it is the only active one",
        "any step": "the answer depends on the number alone: the function may be asked for any step, in any order",
        "warning": WARNING,
        "warnings": WARNING,
        "repeat": "with `repeat`, after so many cycles nothing is done; 0 means for ever",
        "skip": "the first `skip_first` steps are not counted: the cycles begin behind them",
        "skip wait": "with a `skip_first_wait` that is not 0, negative or not, the first cycle has no waiting steps, "
        "the others have them; all cycles then come `wait` steps earlier",
        "negative": "`schedule` itself refuses negative numbers, with an AssertionError",
        "zero": "only `active` must not be 0",
        "negative step": "the function refuses a negative step, with an AssertionError",
        "raised": "an AssertionError is what the docstring promises, and nothing else",
    },
    probe="profiler.steps.actions",
)

CHECKS = (SCHEDULE,)
