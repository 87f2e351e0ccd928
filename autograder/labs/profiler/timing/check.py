"""Checks of measuring: the size of a block, the blocks, quantiles, and what takes more than a share."""

import math
import random
import statistics
from collections.abc import Callable, Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.profiler.findings import told_apart, without

DEFAULT = "self_cpu_time_total"
NAMES = ("op a", "op b", "op c", "op d", "op e", "op f", "op g", "op h")
OTHERS = ("cpu_time_total", "self_cpu_memory_usage", "count")


# ---- estimate_block_size


def _block_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([1e-6], 1e-4, 0.2), "reading")
    yield Case(([1e-6], 1e-5, 0.5), "reading")
    yield Case(([1e-9], 1e-6, 0.2), "thousandth")
    for _ in range(36):
        reading = [rng.choice((1e-8, 5e-8, 2e-7)) * rng.randint(1, 9)]
        run, least = rng.choice((3e-8, 2e-7, 7e-6, 4e-4)) * rng.randint(1, 7), rng.choice((0.02, 0.2, 1.0))
        yield Case((reading, run, least), "reading" if reading[0] / run > 1e-3 else "thousandth")


LITTLE = 2.0**-20  # seconds; sums with it are exact


def _block_limits(rng: random.Random) -> Iterator[Case]:
    yield Case(([1.0], 9999.0, 20000.0), "at most")  # a block of one takes exactly 10,000 readings
    yield Case(([1.0], 9998.0, 20000.0), "at most")
    yield Case(([LITTLE], 1.0 - LITTLE, 1000.0), "at most")  # and exactly a thousandth
    yield Case(([LITTLE], 1.0 - LITTLE, 1001.0), "at most")
    yield Case(([1.0], 1.0, 2.0), "longer")
    yield Case(([1.0], 2.0, 2.0), "longer")
    yield Case(([1.0], 0.9, 11.0), "longer")
    yield Case(([1e-6], 1e-3, 0.0), "longer")
    yield Case(([1.0], 9.0, 10.0), "longer")
    yield Case(([0.5], 0.0, 5.0), "most runs")
    yield Case(([1e-6], 1e-12, 50.0), "most runs")
    yield Case(([1e-8, 1e-8, 1e-6, 1e-8, 1e-8, 1e-8], 1e-6, 0.001), "middle")
    yield Case(([1e-6, 1e-6, 1e-8, 1e-6, 1e-8, 1e-8], 1e-6, 0.001), "middle")
    yield Case(([1e-9, 5e-9, 2e-9, 9e-9, 3e-9, 1e-9], 1e-6, 0.02), "middle")
    for _ in range(24):
        noise = [rng.randint(1, 40) * 1e-8 for _ in range(5)]
        yield Case(([*noise, 1e-8], rng.randint(1, 9) * 1e-7, 0.001), "middle")


def _modeled_block(
    args: tuple,
    of_clock: Callable = statistics.median_low,
    is_large: Callable = lambda clock, time, least: clock / time <= 1e-4 and time >= least / 1000,
    is_last: Callable = lambda time, total, least: time > least,
) -> dict[str, Any]:
    """Compute the timed numbers of runs and the chosen one by the rule, of which a part may be changed."""
    reading, run, least = args
    asked: list[int] = []

    def timed(number: int) -> float:
        asked.append(number)
        return reading[min(len(asked), len(reading)) - 1] + run * number

    clock, number, total = of_clock([timed(0) for _ in range(5)]), 1, 0.0
    while len(asked) < 60:
        time = timed(number)
        total += time
        if is_large(clock, time, least) or is_last(time, total, least) or number >= 10**9:
            break
        number *= 10
    return {"asked": asked, "chosen": number}


def _chooses(**changed: Any) -> Callable:
    return lambda args, wanted, got: got.value == _modeled_block(args, **changed) != wanted.value


LARGE_ENOUGH = (
    "a block is large enough if reading the clock takes 1/10,000 of its time or less, and it takes a thousandth of "
    "`min_run_time` or more"
)
CLOCK_MISTAKES = (
    ("reading the clock costs the middle one of the five times, not their mean", {"of_clock": statistics.fmean}),
    ("reading the clock costs the middle one of the five times, not the least", {"of_clock": min}),
    ("reading the clock costs the middle one of the five times, not the greatest", {"of_clock": max}),
    ("reading the clock costs the middle one of the five times in their order of size", {"of_clock": lambda t: t[2]}),
    ("reading the clock costs the middle one of the five times, not the first", {"of_clock": lambda t: t[0]}),
    ("reading the clock costs the middle one of the five times, not the last", {"of_clock": lambda t: t[-1]}),
)  # fmt: skip
BLOCK_MISTAKES = (
    ("only a block that takes *longer* than `min_run_time` is the last one for that reason",
     {"is_last": lambda time, total, least: time >= least}),
    ("a block is large enough if both conditions hold: the clock is at most 1/10,000 of it, and it takes at least a "
     "thousandth of `min_run_time`", {"is_large": lambda c, time, least: c / time <= 1e-4 or time >= least / 1000}),
    ("a block must also take at least a thousandth of `min_run_time`",
     {"is_large": lambda clock, time, least: clock / time <= 1e-4}),
    ("reading the clock must be at most 1/10,000 of the block's time, too",
     {"is_large": lambda clock, time, least: time >= least / 1000}),
    (LARGE_ENOUGH, {"is_large": lambda clock, time, least: clock / time <= 1e-4 and time >= least}),
    (LARGE_ENOUGH, {"is_large": lambda clock, time, least: clock / time < 1e-4 and time >= least / 1000}),
    (LARGE_ENOUGH, {"is_large": lambda clock, time, least: clock / time <= 1e-4 and time > least / 1000}),
    ("a block that takes longer than `min_run_time` is the last one, even if the clock is dear",
     {"is_last": lambda time, total, least: False}),
    ("each block counts for itself: the last one is that which alone takes longer than `min_run_time`",
     {"is_last": lambda time, total, least: total > least}),
)  # fmt: skip

ESTIMATE_BLOCK_SIZE = Check(
    "profiler.timer.estimate_block_size",
    ("reading", "run", "min_run_time"),
    (
        Aspect("ordinary", 4, _block_ordinary),
        Aspect("limits", 3, _block_limits),
    ),
    {
        "reading": "use `timed` and no other clock: 0 runs five times, then 1, 10, 100, ... once each, until reading "
        "the clock is at most 1/10,000 of a block",
        "thousandth": "a block must also take at least a thousandth of `min_run_time`",
        "at most": "exactly 1/10,000 is little enough, and exactly a thousandth is long enough",
        "longer": "a block that takes longer than `min_run_time`, it alone, is the last one, however slow the clock is",
        "most runs": "a block of LARGEST_BLOCK runs is the last one, whatever it took",
        "middle": "reading the clock costs the middle one of five times: neither the smallest nor the mean",
        "asked": "use `timed` and no other clock: 0 runs five times, of which the middle time counts, then 1, 10, 100, "
        "... once each, as ints: the last block is large enough, takes longer than `min_run_time`, or has "
        "LARGEST_BLOCK runs",
        "chosen": "the answer is the number of runs of the last block that was timed, an int",
        "type": "`timed` gets ints, and the answer is one",
        "raised": "nothing is refused here, and the blocks must come to an end",
    },
    probe="profiler.timing.block_size",
    program="profiler.program.run",
    mistakes=(
        *told_apart(*(Mistake(says, _chooses(**changed)) for says, changed in CLOCK_MISTAKES)),
        *(Mistake(says, _chooses(**changed)) for says, changed in BLOCK_MISTAKES),
    ),
)


# ---- measured


def _times(rng: random.Random, count: int) -> list[float]:
    """Draw seconds whose sums are exact."""
    return [rng.randint(4, 32) / 16 for _ in range(count)]


def _measured_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([1.0], 10, 3.0, 0, None, False), "long enough")
    yield Case(([1.0, 0.5], 10, 3.25, 0, None, True), "long enough")
    yield Case(([1.0], 10, 0.0, 0, None, False), "none")
    yield Case(([1.0], 10, 0.0, 4, None, True), "enough")
    for _ in range(32):
        enough = rng.choice((0, 0, 4, 7))
        case = (_times(rng, 5), 10 ** rng.randrange(5), rng.randint(1, 12) / 2, enough, None, rng.random() < 0.5)
        yield Case(case, "enough" if enough else "long enough")


def _measured_limit(rng: random.Random) -> Iterator[Case]:
    yield Case(([1.0], 10, 0.0, 9, 3.0, True), "limit")
    yield Case(([1.0], 10, 0.0, 9, 2.5, False), "limit")
    yield Case(([4.0], 10, 8.0, 1, 2.0, True), "limit")
    yield Case(([1.0], 10, 2.0, 3, 0.0, False), "limit")
    yield Case(([1.0], 10, 0.0, 1, 0.5, True), "limit")
    yield Case(([0.5, 4.0, 0.5], 10, 0.0, 9, 4.5, True), "limit")
    for _ in range(30):
        limit = rng.randint(2, 16) / 2
        yield Case(
            (_times(rng, 4), 100, rng.randint(0, 6) / 2, rng.choice((5, 40)), limit, rng.random() < 0.5), "limit"
        )


def _modeled_times(
    args: tuple,
    is_done: Callable = lambda seconds, least, count, enough: seconds >= least and count >= enough,
    is_over: Callable = lambda seconds, last, limit: limit is not None and seconds > limit,
    is_asked_first: bool = True,
) -> list[float]:
    """Compute the times of the blocks by the rule, of which a part may be changed."""
    times, _, least, enough, limit, _ = args
    found: list[float] = []
    while len(found) < 60 and not ((is_asked_first or found) and is_done(sum(found), least, len(found), enough)):
        found.append(times[len(found) % len(times)])
        if is_over(sum(found), found[-1], limit):
            break
    return found


def _measures(**changed: Any) -> Callable:
    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        times = got.value["times"]
        return times != wanted.value["times"] and times == _modeled_times(args, **changed)

    return shows


MEASURED_MISTAKES = (
    ("two things are needed to stop: the blocks take `min_run_time` together, and they are enough",
     {"is_done": lambda seconds, least, count, enough: seconds >= least or count >= enough}),
    ("the blocks go on until `is_enough(times)` is true, too",
     {"is_done": lambda seconds, least, count, enough: seconds >= least}),
    ("all blocks together must take `min_run_time`, too",
     {"is_done": lambda seconds, least, count, enough: count >= enough}),
    ("exactly `min_run_time` is long enough",
     {"is_done": lambda seconds, least, count, enough: seconds > least and count >= enough}),
    ("if `min_run_time` is 0 and no times are enough, no block is measured", {"is_asked_first": False}),
    ("the limit is for all blocks together, not for each",
     {"is_over": lambda total, last, limit: limit is not None and last > limit}),
    ("exactly `max_run_time` is not more than it",
     {"is_over": lambda total, last, limit: limit is not None and total >= limit}),
    ("0.0 is a limit too: test `max_run_time is not None`",
     {"is_over": lambda total, last, limit: limit and total > limit}),
    ("when all blocks together have taken more than `max_run_time`, no more is measured",
     {"is_over": lambda total, last, limit: False}),
)  # fmt: skip

MEASURED = Check(
    "profiler.timer.measured",
    ("times", "number", "min_run_time", "enough", "max_run_time", "is_told"),
    (
        Aspect("ordinary", 2, _measured_ordinary),
        Aspect("limit", 1, _measured_limit),
    ),
    {
        "timed": "call `timed(number)` once for each block, and for nothing else",
        "long enough": "all blocks together take at least `min_run_time`; every block's time is in the list",
        "none": "0 seconds are enough: call `is_enough` before the first block too",
        "enough": "go on until `is_enough(times)` is true: the time alone does not decide",
        "limit": "0.0 is a limit, only None is none: when all blocks together have taken more than `max_run_time`, "
        "that is the end; the last one counts",
        "told": "`callback`, if there is one, gets `number` and the block's time after each block, including the last",
        "is_enough": "`is_enough` gets the list of the times so far, and is called only once they take `min_run_time` "
        "together",
        "order": "the callback is called before the next block is measured",
        "times": "the list has the seconds of every block, in the order in which they were measured",
        "raised": "nothing is refused here, and the blocks must come to an end",
    },
    probe="profiler.timing.blocks",
    program="profiler.program.run",
    mistakes=(
        Mistake(
            "the list leaves out a block that was measured, or has more than were: every block's time is in it",
            lambda args, wanted, got: len(got.value["times"]) != len(got.value["timed"]),
        ),
        *(Mistake(says, _measures(**changed)) for says, changed in MEASURED_MISTAKES),
    ),
)


# ---- quantile


def _nine(args: tuple, observed: Any) -> Any:
    """Round the quantile to nine decimals, so that any way to interpolate is accepted."""
    value = observed["quantile"]
    return {
        "quantile": round(value, 9) if type(value) is float else value,
        "the list that was given": "as it was" if observed["times"] == args[0] else "no longer as it was",
    }


def _nine_only(args: tuple, observed: Any) -> Any:
    """Judge as `_nine` does, without the list: "edge" asks for that."""
    return without("the list that was given")(args, _nine(args, observed))


def _line(times: list[float], place: float) -> float:
    """Return the value at a place of the line through some times; it is level before the first and after the last."""
    place = min(max(place, 0.0), len(times) - 1.0)
    below = min(int(place), len(times) - 1)
    above = min(below + 1, len(times) - 1)
    return times[below] + (place - below) * (times[above] - times[below])


QUANTILE_MISTAKES = (
    ("put the times in order first: `sorted(times)`", lambda t, q: _line(t, q * (len(t) - 1))),
    ("the last time is at n - 1, so the place is q * (n - 1), not q * n", lambda t, q: _line(sorted(t), q * len(t))),
    ("between two times is a straight line: this is the nearest time", lambda t, q: sorted(t)[round(q * (len(t) - 1))]),
    ("between two times is a straight line: this is the time below", lambda t, q: sorted(t)[int(q * (len(t) - 1))]),
    ("between two times is a straight line: this is the time above",
     lambda t, q: sorted(t)[math.ceil(q * (len(t) - 1))]),
    ("between two times is a straight line: this is the middle between them",
     lambda t, q: (sorted(t)[int(q * (len(t) - 1))] + sorted(t)[math.ceil(q * (len(t) - 1))]) / 2),
    ("between two times is a straight line: the nearer one counts more",
     lambda t, q: _line(sorted(t), math.floor(at := q * (len(t) - 1)) + (1 - at % 1))),
    ("a time that occurs three times has three positions", lambda t, q: _line(sorted(set(t)), q * (len(set(t)) - 1))),
    ("this is the mean", lambda t, q: statistics.fmean(t)),
    ("0 is the least of the times and 1 the greatest", lambda t, q: _line(sorted(t), (1 - q) * (len(t) - 1))),
    ("the first time is at place 0: the place is q * (n - 1)", lambda t, q: _line(sorted(t), q * (len(t) + 1) - 1)),
)  # fmt: skip


def _is_quantile(rule: Callable) -> Callable:
    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        value = got.value["quantile"]
        return value != wanted.value["quantile"] and value == round(float(rule(*args)), 9)

    return shows


def _quantile_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([4.0, 1.0, 2.0, 3.0], 0.5), "middle")
    yield Case(([4, 1, 2, 3], 0.5), "middle")
    yield Case(([0.1, 0.3, 0.2, 0.7, 0.7], 0.375), "doubles")
    yield Case(([-1.0, -3.0, 2.0, 0.0], 0.5), "line")
    yield Case(([1.0, 2.0, 3.0, 5.0], 0.75), "line")
    yield Case(([9.0, 1.0, 2.0], 0.5), "middle")
    yield Case(([2.0, 1.0, 9.0, 1.0, 1.0], 0.5), "doubles")
    for count in (2, 3, 4, 5, 6, 9) * 6:
        times = [rng.randint(1, 400) / 8 for _ in range(count)]
        yield Case((times, rng.choice((0.5, 0.25, 0.75, 0.1, 0.9))), "line")


def _quantile_edge(rng: random.Random) -> Iterator[Case]:
    for q in (0.0, 0.25, 0.5, 1.0):
        yield Case(([5.0], q), "one")
        yield Case(([3.0, 3.0, 3.0], q), "one")
    yield Case(([7], 0.5), "one")  # ints, of which the answer is a float
    yield Case(([4, 9], 0.0), "ends")
    yield Case(([4, 9, 2], 1.0), "ends")
    for q in (0.0, 1.0) * 15:
        yield Case(([rng.randint(1, 400) / 8 for _ in range(rng.randint(2, 6))], q), "ends")


QUANTILE = Check(
    "profiler.measurement.quantile",
    ("times", "q"),
    (
        Aspect("ordinary", 2, _quantile_ordinary, findings=_nine_only),
        Aspect("edge", 1, _quantile_edge, findings=_nine),
    ),
    {
        **dict.fromkeys(
            ("quantile", "middle", "line", "doubles", "one", "ends"),
            "the sorted times are at positions 0, 1, ..., n - 1, with straight lines between them: the quantile is the "
            "value at q * (n - 1)",
        ),
        "the list that was given": "the times belong to the caller: sort a copy of them, `sorted(times)`",
        "type": "return a float",
        "raised": "there is always a time at or below the position",
    },
    probe="profiler.timing.quantile",
    program="profiler.program.run",
    mistakes=told_apart(*(Mistake(says, _is_quantile(rule)) for says, rule in QUANTILE_MISTAKES)),
)


# ---- above


def _rows(rng: random.Random, count: int, metric: str | None) -> list[tuple[str, dict[str, Any]]]:
    metrics = (DEFAULT, *OTHERS)
    rows = []
    for number, name in enumerate(rng.sample(NAMES, count)):
        values: dict[str, Any] = {name: rng.randint(0, 90) for name in metrics}
        values[metric or DEFAULT] = 16 * rng.choice((0, 1, 2, 5, 40, 90, 200)) + number  # no two are equal
        rows.append((name, values))
    return rows


def _above_ordinary(rng: random.Random) -> Iterator[Case]:
    for count in (1, 2, 3, 5, 8) * 7:
        metric, share = rng.choice((None, None, *OTHERS)), rng.choice((0.05, 0.1, 0.3))
        rows = _rows(rng, count, metric)
        while any(_is_close(value, share, rows, metric) for _, values in rows for value in [values[metric or DEFAULT]]):
            rows = _rows(rng, count, metric)
        yield Case((rows, share, metric), "metric" if metric else "total")
    others = {"cpu_time_total": None, "count": None}
    yield Case(([("op a", {DEFAULT: 9, **others}), ("op b", {DEFAULT: 1, **others})], 0.3, None), "total")


def _is_close(value: int, share: float, rows: list, metric: str | None) -> bool:
    """Return True if a value is so close to the share that rounding decides."""
    whole = sum(values[metric or DEFAULT] for _, values in rows)
    return abs(value - share * whole) < 1e-6


def _above_edge(rng: random.Random) -> Iterator[Case]:
    def case(values: list[Any], share: float, about: str) -> Case:
        names = ["op a"] * 3 if about == "names" else rng.sample(NAMES, len(values))
        rows = [(name, {DEFAULT: value, "cpu_time_total": 7}) for name, value in zip(names, values, strict=True)]
        return Case((rows, share, None), about)

    yield case([], 0.05, "nothing")
    yield case([0, 0], 0.05, "nothing")
    yield case([4, 5, 4], 0.5, "nothing")
    yield case([946, 54], 0.05, "exactly")
    yield case([0.5, 0.75, 13.75], 0.05, "exactly")
    yield case([4, 8, 4], 0.25, "exactly")
    yield case([1, 3], 0.25, "exactly")
    yield case([0, 5, 0], 0.0, "exactly")
    yield case([5, 7, 5, 7], 0.0, "order")
    yield case([4, 9, 2], 0.2, "names")
    yield case([40, -20, 6], 0.2, "given back")
    yield case([9, -1, -2], 0.5, "given back")
    for values in ([4, -4], [2, -6, 3], [-5, -1, -9], [8, -8, 0], [-64, 32], [7, -7, 7, -7]):
        for share in (0.25, 0.5):
            yield case(values, share, "below 0")
    for values in ([5], [9, -4], [8, -2, -2], [3, 4], [12, -8, 2]):
        for share in (1.0, 1.5):
            yield case(values, share, "more than all")
    big = 2**60
    yield case([big, big + 1, big - 1], 0.25, "large")
    yield case([big + 1, big, big + 2, big], 0.125, "large")
    yield case([2**53, 2**53 + 1, 2**54], 0.0, "large")
    yield case([0.5, 1, 2.5, 1], 0.125, "order")
    for _ in range(30):
        yield case([rng.choice((3, 6, 9)) for _ in range(rng.randint(2, 6))], rng.choice((0.0, 0.125, 0.25)), "order")


def _above_unknown(rng: random.Random) -> Iterator[Case]:
    for count in (1, 2, 3, 4) * 8:
        rows = _rows(rng, count, None)
        values = rows[rng.randrange(count)][1]
        metric = rng.choice((DEFAULT, *OTHERS))
        values[metric] = None
        yield Case((rows, rng.choice((0.0, 0.05, 1.0)), metric), "unknown")
    for known in ([None], [None, None], [0, None], [None, 0], [5, None], [None, 5], [1, 2, None], [-5, None, 5]):
        for share in (0.0, 0.25, 2.0):
            yield Case(([("op a", {DEFAULT: value}) for value in known], share, None), "unknown")


def _found(
    args: tuple,
    whole: Callable = sum,
    is_more: Callable = lambda value, share, whole: value > share * whole,
    order: Callable = lambda values, found: sorted(found, key=lambda at: values[at], reverse=True),
    known: Callable = lambda value: value,
) -> list[int]:
    """Find the places by the rule, of which a part may be changed."""
    rows, share, metric = args
    values = [known(metrics[metric or DEFAULT]) for _, metrics in rows]
    least = whole(values)
    return order(values, [at for at, value in enumerate(values) if is_more(value, share, least)])


def _finds(**changed: Any) -> Callable:
    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        found = got.value["found"]
        is_wrong = wanted.raised or found != wanted.value["found"]
        return is_wrong and [place for place, _ in found] == _found(args, **changed)

    return shows


ABOVE_MISTAKES = (
    ("a value that is None is not 0: `known(value)` raises what is to be raised", {"known": lambda value: value or 0}),
    ("the greatest comes first", {"order": lambda values, found: sorted(found, key=lambda at: values[at])}),
    ("the greatest comes first: these are in the order in which they came", {"order": lambda values, found: found}),
    ("equal ones stay in their order: `sorted(..., reverse=True)` keeps it, reversing afterwards does not",
     {"order": lambda values, found: sorted(found, key=lambda at: values[at])[::-1]}),
    ("numbers are compared as they are: `float` rounds large ints",
     {"order": lambda values, found: sorted(found, key=lambda at: float(values[at]), reverse=True)}),
    ("what takes exactly the share is left out", {"is_more": lambda value, share, whole: value >= share * whole}),
    ("what was given back counts as it is, below 0: no `abs`", {"whole": lambda values: sum(map(abs, values))}),
    ("what was given back counts as it is, below 0: it is part of the sum",
     {"whole": lambda values: sum(max(value, 0) for value in values)}),
    ("it is a share of the sum of all, not of the largest", {"whole": lambda values: max(values, default=0)}),
    ("the whole may be 0 or below: compare a value with `share * whole`, whatever that is",
     {"is_more": lambda value, share, whole: whole > 0 and value > share * whole}),
    ("the whole may be 0 or below: compare a value with `share * whole`, and divide nothing",
     {"is_more": lambda value, share, whole: whole != 0 and value / whole > share}),
    ("`share` may be 1 or more", {"is_more": lambda value, share, whole: share < 1 and value > share * whole}),
)  # fmt: skip

ABOVE = Check(
    "profiler.averages.above",
    ("rows", "share", "metric"),
    (
        Aspect("ordinary", 2, _above_ordinary, findings=without("the list that was given")),
        Aspect("edge", 1, _above_edge),
        Aspect("unknown", 1, _above_unknown, needs="ordinary"),
    ),
    {
        "total": "the whole is the sum of `metric` over all of them; largest first",
        "metric": "`metric` is the name of the attribute that is summed, compared and sorted by",
        "nothing": "the list may be empty: where the whole is 0, and where even the largest does not take that much",
        "exactly": "exactly the share is not more than the share; a little more is: don't round",
        "below 0": "the whole may be 0 or below: a value above `share * whole` still counts",
        "more than all": "a share of 1 is the whole; where others are below 0, one may take more than it",
        "large": "ints are compared and sorted as they are: a float does not tell 2**60 from 2**60 + 1",
        "found": "return the ones whose value is more than `share` times the sum of all values, those below 0 too; "
        "largest first",
        "given back": "memory that was given back counts as it is, below 0",
        "order": "equal ones stay in the order in which they came",
        "names": "rows of other shapes have the same name: each counts for itself",
        "the list that was given": "the list belongs to the caller: sort a copy of it",
        "unknown": "don't skip a value that is None: `known(value)` raises the right error",
        "type": "return a list of the objects themselves",
    },
    probe="profiler.timing.above",
    program="profiler.program.run",
    mistakes=told_apart(*(Mistake(says, _finds(**changed)) for says, changed in ABOVE_MISTAKES)),
)

CHECKS = (ESTIMATE_BLOCK_SIZE, MEASURED, QUANTILE, ABOVE)
