"""Checks of measuring: the size of a block, the blocks, quantiles, and what takes more than a share."""

import random
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.profiler.findings import without

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
    yield Case(([0.5], 0.0, 5.0), "most runs")
    yield Case(([1e-6], 1e-12, 50.0), "most runs")
    yield Case(([1e-8, 1e-8, 1e-6, 1e-8, 1e-8, 1e-8], 1e-6, 0.001), "middle")
    yield Case(([1e-6, 1e-6, 1e-8, 1e-6, 1e-8, 1e-8], 1e-6, 0.001), "middle")
    yield Case(([1e-9, 5e-9, 2e-9, 9e-9, 3e-9, 1e-9], 1e-6, 0.02), "middle")
    for _ in range(24):
        noise = [rng.randint(1, 40) * 1e-8 for _ in range(5)]
        yield Case(([*noise, 1e-8], rng.randint(1, 9) * 1e-7, 0.001), "middle")


ESTIMATE_BLOCK_SIZE = Check(
    "profiler.timer.estimate_block_size",
    ("reading", "run", "min_run_time"),
    (
        Aspect("ordinary", 3, _block_ordinary),
        Aspect("limits", 2, _block_limits),
    ),
    {
        "reading": "ask `timed` and no other clock: 0 runs five times, then 1, 10, 100, ... once each, until reading "
        "the clock is at most 1/10,000 of a block",
        "thousandth": "a block must also take at least a thousandth of `min_run_time`",
        "at most": "exactly 1/10,000 is little enough, and exactly a thousandth is long enough",
        "longer": "a block that takes longer than `min_run_time`, it alone, is the last one, however dear the clock is",
        "most runs": "a block of LARGEST_BLOCK runs is the last one, whatever it took",
        "middle": "reading the clock costs the middle one of five times: neither the least nor the mean",
        "chosen": "the answer is the number of runs of the last block that was timed",
        "raised": "nothing is to be refused here, and the blocks must come to an end",
    },
    probe="profiler.timing.block_size",
)


# ---- measured


def _times(rng: random.Random, count: int) -> list[float]:
    """Seconds whose sums are exact."""
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
    for _ in range(30):
        limit = rng.randint(2, 16) / 2
        yield Case(
            (_times(rng, 4), 100, rng.randint(0, 6) / 2, rng.choice((5, 40)), limit, rng.random() < 0.5), "limit"
        )


MEASURED = Check(
    "profiler.timer.measured",
    ("times", "number", "min_run_time", "enough", "max_run_time", "is_told"),
    (
        Aspect("ordinary", 2, _measured_ordinary),
        Aspect("limit", 1, _measured_limit),
    ),
    {
        "long enough": "all blocks together take at least `min_run_time`; every block's time is in the list",
        "none": "0 seconds are enough: `is_enough` is asked before the first block, too",
        "enough": "go on until `is_enough(times)` is true: the time alone does not decide",
        "limit": "0.0 is a limit, only None is none: when all blocks together have taken more than `max_run_time`, "
        "that is the end; the last one counts",
        "told": "`callback`, if there is one, gets `number` and the block's time after each block, also after the last",
        "is_enough": "`is_enough` gets the times so far, and is asked only once they take `min_run_time` together",
        "order": "the callback is told of a block before the next one is measured",
        "times": "the list has the seconds of every block, in the order in which they were measured",
        "raised": "nothing is to be refused here, and the blocks must come to an end",
    },
    probe="profiler.timing.blocks",
)


# ---- quantile


def _nine(args: tuple, observed: Any) -> Any:
    """The quantile to nine decimals: how one walks along the line is nobody's business."""
    value = observed["quantile"]
    return {
        "quantile": round(value, 9) if type(value) is float else value,
        "the list that was given": "as it was" if observed["times"] == args[0] else "no longer as it was",
    }


def _quantile_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([4.0, 1.0, 2.0, 3.0], 0.5), "middle")
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
    for q in (0.0, 1.0) * 15:
        yield Case(([rng.randint(1, 400) / 8 for _ in range(rng.randint(2, 6))], q), "ends")


QUANTILE = Check(
    "profiler.measurement.quantile",
    ("times", "q"),
    (
        Aspect("ordinary", 2, _quantile_ordinary, findings=_nine),
        Aspect("edge", 1, _quantile_edge, findings=_nine),
    ),
    {
        "middle": "in order, the times stand at 0, 1, ..., n - 1; the middle lies at (n - 1) / 2",
        "line": "between two times is a straight line: at place 2.25 a quarter of the way from the third to the fourth",
        "doubles": "a time that came three times has three places",
        "one": "of a single time every quantile is that time",
        "the list that was given": "the times belong to the caller: sort a copy of them, `sorted(times)`",
        "ends": "0 is the least of the times and 1 the greatest: behind the last one there is none",
        "type": "return a float",
        "raised": "there is always a time at or below the place",
    },
    probe="profiler.timing.quantile",
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
        metric = rng.choice((None, None, *OTHERS))
        yield Case((_rows(rng, count, metric), rng.choice((0.05, 0.1, 0.3)), metric), "metric" if metric else "total")


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
    for _ in range(30):
        yield case([rng.choice((3, 6, 9)) for _ in range(rng.randint(2, 6))], rng.choice((0.0, 0.125, 0.25)), "order")


def _above_unknown(rng: random.Random) -> Iterator[Case]:
    for count in (1, 2, 3, 4) * 8:
        rows = _rows(rng, count, None)
        values = rows[rng.randrange(count)][1]
        metric = rng.choice((DEFAULT, *OTHERS))
        values[metric] = None
        yield Case((rows, 0.05, metric), "unknown")


ABOVE = Check(
    "profiler.averages.above",
    ("rows", "share", "metric"),
    (
        Aspect("ordinary", 2, _above_ordinary, findings=without("the list that was given")),
        Aspect("edge", 1, _above_edge),
        Aspect("unknown", 1, _above_unknown, needs="ordinary"),
    ),
    {
        "total": "the whole is the sum of `metric` over all of them; the greatest stands first",
        "metric": "`metric` is the name of the attribute that is summed, compared and sorted by",
        "nothing": "the list may be empty: where the whole is 0, and where even the greatest does not take so much",
        "exactly": "exactly the share is not more than it; a little more is: nothing is to be rounded",
        "given back": "memory that was given back counts as it is, below 0",
        "order": "equal ones stay in the order in which they came",
        "names": "rows of other shapes have the same name: each counts for itself",
        "the list that was given": "the list belongs to the caller: sort a copy of it",
        "unknown": "a value that is None must not be passed over: `known(value)` raises what is to be raised",
        "type": "return a list of the objects themselves",
    },
    probe="profiler.timing.above",
)

CHECKS = (ESTIMATE_BLOCK_SIZE, MEASURED, QUANTILE, ABOVE)
