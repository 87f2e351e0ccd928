"""The check of the schedule: what is done in which step."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake
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
    """Return the numbers of the first `count` steps."""
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
    for step in (2**53, 2**53 + 1, 2**60 + 3, 10**18 + 1):  # no float is that exact
        yield Case(([step, step + 1, step + 2], _numbers(1, 1, 1)), "far")
        yield Case(([step, step + 1, step + 2], _numbers(0, 2, 1, skip_first=1, skip_first_wait=1)), "far")
    yield Case(([10**18, 3 * 2**60 - 1, 3 * 2**60], _numbers(1, 1, 1, repeat=2**60)), "far")
    yield Case((range_of(5), _numbers(0, 1, 1, repeat=1, skip_first_wait=3)), "skip wait")
    yield Case(([2, 0, 4, 3, 1, 4], _numbers(0, 1, 1, skip_first=2, repeat=1)), "skip")
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
    yield Case(([-1, 9, -1], _numbers(0, 1, 1, repeat=1)), "negative step")
    yield Case(([-1], _numbers(2, 1, 1, skip_first_wait=1)), "negative step")
    yield Case(([0, 1], _numbers(0, 1, 1, skip_first_wait=-2)), "not looked at")
    for _ in range(28):
        numbers = {**_drawn(rng), "repeat": rng.randint(0, 2), "skip_first": rng.randint(0, 2)}
        if rng.random() < 0.6:
            yield Case(([2, 3], {**numbers, rng.choice(list(numbers)): -rng.randint(1, 4)}), "negative")
        else:
            yield Case(([2, -rng.randint(1, 30), 3], {**numbers, "repeat": 0}), "negative step")


WARNING = "without a warm-up `schedule` itself warns, once, with `warnings.warn`, and it warns of nothing else"


def _modeled(
    numbers: dict[str, int],
    step: int,
    skips_from: str = "skip_first",
    skip_wait: Callable = lambda wait, value: wait if value else 0,
    is_over: Callable = lambda step, skipped, repeat, length: skipped >= repeat * length,
    saves_single: bool = True,
) -> str:
    """Compute the action of a step by the rule, of which a part may be changed."""
    wait, warmup, active = (numbers[name] for name in ("wait", "warmup", "active"))
    repeat, skip_first = numbers.get("repeat", 0), numbers.get(skips_from, 0)
    if step < skip_first:
        return "NONE"
    skipped = step - skip_first + skip_wait(wait, numbers.get("skip_first_wait", 0))
    length = wait + warmup + active
    if repeat and is_over(step, skipped, repeat, length):
        return "NONE"
    place = skipped % length
    if place < wait + warmup:
        return "NONE" if place < wait else "WARMUP"
    return "RECORD_AND_SAVE" if place == length - 1 and (saves_single or active > 1) else "RECORD"


def _gives(**changed: Any) -> Callable:
    """Build a `Mistake.shows`: the answer is what a changed rule gives, where nothing is to be refused."""

    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        steps, numbers = args
        actions = got.value["actions"]
        modeled = [_modeled(numbers, step, **changed) for step in steps]
        return not _is_refused(wanted) and actions != wanted.value["actions"] and actions == modeled

    return shows


def _first(value: Any) -> str:
    return value["actions"][0] if value["actions"] else ""


def _is_refused(observation: Any) -> bool:
    return _first(observation.value) == "schedule raised"


def _has_action_before_skip_first(args: tuple, wanted: Any, got: Any) -> bool:
    steps, numbers = args
    return not _is_refused(wanted) and any(
        0 <= step < numbers.get("skip_first", 0) and action != "NONE"
        for step, action in zip(steps, got.value["actions"], strict=True)
    )


MISTAKES = (
    Mistake("the function refuses a negative step, with an AssertionError, whatever else holds",
            lambda args, wanted, got: any(right == "raised AssertionError" != mine for right, mine in
                                          zip(wanted.value["actions"], got.value["actions"], strict=True))),
    Mistake("the last step of each cycle is RECORD_AND_SAVE, even if it is the only active one",
            _gives(saves_single=False)),
    Mistake("the first `skip_first` steps are not counted, and nothing is done in them", _gives(skips_from="")),
    Mistake("the action of the first `skip_first` steps is NONE", _has_action_before_skip_first),
    Mistake("`skip_first_wait`, if it is not 0, takes the waiting steps from the first cycle",
            _gives(skip_wait=lambda wait, value: 0)),
    Mistake("only whether `skip_first_wait` is 0 counts, not its value: the first cycle has no `wait` at all",
            _gives(skip_wait=lambda wait, value: value)),
    Mistake("`skip_first_wait` may be negative, too: only 0 means that the first cycle waits",
            _gives(skip_wait=lambda wait, value: wait if value > 0 else 0)),
    Mistake("with `repeat`, cycles are counted after the skipped steps",
            _gives(is_over=lambda step, skipped, repeat, length: step >= repeat * length)),
    Mistake("nothing is done after `repeat` cycles", _gives(is_over=lambda *given: False)),
    Mistake("the refusal comes too late: `schedule` itself checks its numbers, before its function is called",
            lambda args, wanted, got: _is_refused(wanted) and _first(got.value).startswith("raised ")),
    Mistake("this should be accepted: 0 is refused for `active` only, and `skip_first_wait` is not checked",
            lambda args, wanted, got: _is_refused(got) and not _is_refused(wanted)),
    Mistake("these numbers should be refused by `schedule` itself: one is negative, or `active` is 0",
            lambda args, wanted, got: _is_refused(wanted) and not _is_refused(got)),
    Mistake("it is right to refuse this, but the error should be an AssertionError",
            lambda args, wanted, got: "ValueError" in str(got.value["actions"])),
)  # fmt: skip

SCHEDULE = Check(
    "profiler.actions.schedule",
    ("steps", "numbers"),
    (
        Aspect("ordinary", 3, _schedule_ordinary, findings=without("warnings")),
        Aspect("counted", 2, _schedule_counted, needs="ordinary", findings=without("warnings")),
        Aspect("refusals", 1, _schedule_refusals, needs="ordinary"),
    ),
    {
        "cycle": "a cycle has wait + warmup + active steps, and then the next one begins",
        "last": "the last step of each cycle is RECORD_AND_SAVE, even if it is the only active one",
        "any step": "the answer depends on the number alone: the function may be called with any step, in any order",
        "far": "a step may be any int: count with `%` and `//`, not with `/`, which gives floats",
        "warning": WARNING,
        "warnings": WARNING,
        "repeat": "after `repeat` cycles the action is NONE; 0 means forever",
        "skip": "the first `skip_first` steps are not counted: the cycles begin after them",
        "skip wait": "with a `skip_first_wait` that is not 0, negative or not, the first cycle has no waiting steps, "
        "the others have them; all cycles then come `wait` steps earlier",
        "negative": "`schedule` itself refuses negative numbers, with an AssertionError",
        "zero": "all numbers may be 0 except `active`",
        "negative step": "the function refuses a negative step, with an AssertionError",
        "not looked at": "`skip_first_wait` may be any number: it is not refused",
        "type": "`schedule` returns a function, which returns members of ProfilerAction",
        "raised": "an AssertionError is what the docstring promises, and nothing else",
    },
    probe="profiler.steps.actions",
    program="profiler.program.run",
    mistakes=MISTAKES,
)

CHECKS = (SCHEDULE,)
