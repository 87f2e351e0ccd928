"""Checks of long sums: cascade_dot, and softmax's largest and sum in one pass (probe.py)."""

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Case, Check
from autograder.labs.cpu.runs import COMPILED, RAISED, compiled, traced
from autograder.labs.cpu.sums import probe as probes
from engine import memory_trace
from engine.memory_trace import Cache

UNIT = {"float32": 2.0**-24, "float64": 2.0**-53, "int64": 0.0}
ROUNDINGS = 400  # of the size of all products together: a run of 256 and the levels above it
RUN = 256
WAITING = 24  # elements of x that may have been read and are in no sum yet: a block, or two rows if these are longer
CACHE = Cache(1, 24, 64)  # 24 lines: room for some rows of x, but not for a line of each row

# ---- cascade_dot


def _dot_of(args: tuple) -> tuple[dict, float, float]:
    """The arrays, the exact result, how far a cascade may be from it."""
    arrays = probes.operands(*args)
    products = arrays["x"].astype(np.float64) * arrays["y"].astype(np.float64)
    return arrays, math.fsum(products), ROUNDINGS * UNIT[args[2]] * math.fsum(np.abs(products))


def _dot_result(args: tuple, observed: object) -> object:
    arrays, right, bound = _dot_of(args)
    trace = counting.read(observed, arrays)
    inputs = {name: arrays[name] for name in ("x", "y")}
    everything = [(i,) for i in range(args[1])]
    needed = {"out": lambda index: {"x": everything, "y": everything}} if args[1] < RUN else None
    return counting.judged_result(trace, inputs, {"out": np.array([right])}, bound, needed)


def _dot_loads(args: tuple, observed: object) -> object:
    trace = counting.read(observed, probes.operands(*args))
    return {f"loads of {name}": counting.loads(trace, name, args[1], args[1]) for name in ("x", "y")}


def _dot_compiled(args: tuple, observed: Any) -> dict[str, str]:
    _, right, bound = _dot_of(args)
    found = observed["sum"]
    is_right = type(found) is float and abs(found - right) <= bound
    return {"sum": "right" if is_right else f"{found}, and not {right}", "dtype": observed["dtype"]}


def _dot_ordinary(rng: random.Random) -> Iterator[Case]:
    for n in (0, 1, 2, 3, 5, 31):
        yield Case(("any", n, rng.choice(tuple(UNIT)), rng.randrange(999)), "short")
    for n in (RUN - 1, RUN + 1, 2 * RUN, 3 * RUN + 7):
        yield Case(("any", n, rng.choice(tuple(UNIT)), rng.randrange(999)), "ragged")


def _dot_accuracy(rng: random.Random) -> Iterator[Case]:
    for kind in ("tall", "mirrored"):
        for dtype in ("float32", "float64"):
            yield Case((kind, rng.randint(1100, 1200), dtype, 0), "lost")
    yield Case(("tall", 4 * RUN, "float32", 0), "lost")
    yield Case(("tall", rng.randint(3500, 3600), "float32", 0), "lost")
    for n in (4, rng.randint(10, 30), 2 * RUN + 9):
        yield Case(("cancelling", n, "int64", rng.randrange(999)), "in ints")
    yield Case(("growing", rng.randint(1300, 1400), "float32", 0), "lost")


def _dot_counted(rng: random.Random) -> Iterator[Case]:
    for n in (1, 2, 7, 31, RUN, RUN + rng.randint(50, 99)):
        yield Case(("any", n, "float32", rng.randrange(999)), "loads")


def _dot_compiled_cases(rng: random.Random) -> Iterator[Case]:
    yield Case(("tall", rng.randint(100_000, 200_000), "float32", 0), "compiled")
    yield Case(("towering", rng.randint(300_000, 400_000), "float32", 0), "compiled")


# ---- largest_and_sum


def _softmax_of(args: tuple) -> tuple[dict, np.ndarray, np.ndarray]:
    """The arrays, and the right `largest` and `sums`; NaN as the largest where it may be any number."""
    _, n, width, first, gap, _, _ = args
    arrays = probes.columns(*args)
    table = arrays["x"][first:].reshape(n, width + gap)[:, :width].astype(np.float64)
    largest = table.max(axis=0, initial=-np.inf)
    with np.errstate(all="ignore"):
        powers = np.where(table == -np.inf, 0.0, np.exp(table - largest))
    return arrays, np.where(np.isfinite(largest), largest, np.nan), powers.sum(axis=0)


def _softmax_result(args: tuple, observed: object) -> object:
    arrays, largest, sums = _softmax_of(args)
    trace = counting.read(observed, arrays)
    known = np.isfinite(largest)
    _, n, width, first, gap, dtype, _ = args
    counts = _counting(arrays["x"][first:].reshape(n, width + gap)[:, :width], UNIT[dtype])

    def column(j: int) -> dict:
        return {"x": [first + i * (width + gap) + j for i in range(n) if counts[i, j]]}

    bounds = {"sums": 1e-5 * np.where(np.isfinite(sums), sums, 0) + 1e-30}
    found = {"sums": counting.judged_result(trace, {"x": arrays["x"]} | _before(arrays), {"sums": sums}, bounds,
                                            {"sums": column})}  # fmt: skip
    if known.all():
        found["largest"] = counting.judged_result(trace, {"x": arrays["x"]} | _before(arrays), {"largest": largest})
    return found


def _counting(table: np.ndarray, unit: float) -> np.ndarray:
    """Which elements change the sum of their column: a NaN does, or all numbers do whose power 1 doesn't swallow."""
    with np.errstate(all="ignore"):
        powers = np.exp(table.astype(np.float64) - table.max(axis=0, initial=-np.inf))
    is_nan = np.isnan(table)
    return np.where(is_nan.any(axis=0), is_nan, powers >= unit)


def _before(arrays: dict) -> dict:
    return {name: arrays[name] for name in ("largest", "sums")}


def _softmax_loads(args: tuple, observed: object) -> object:
    """That x is read once and by lines, that exp is called for its elements, and that none waits long before."""
    arrays = probes.columns(*args)
    trace = counting.read(observed, arrays)
    _, n, width, first, gap, _, _ = args
    bytes_of_x = arrays["x"].itemsize
    lines = {(first + i * (width + gap) + j) * bytes_of_x // CACHE.line_bytes for i in range(n) for j in range(width)}
    of_x = counting.loads(trace, "x", n * width, n * width)
    calls, waiting, longest = 0, 0, 0
    for access in memory_trace.accesses(trace, "", "load"):
        if trace.instructions[access.instruction].function == "exp" and access.space == "constant":
            calls, waiting = calls + 1, 0
        elif trace.arrays[access.array].name == "x":
            waiting += 1
            longest = max(longest, waiting)
    return {
        "loads of x": of_x,
        "misses of x": counting.within(memory_trace.misses(trace, CACHE)["x"], len(lines), 3 * len(lines)),
        "calls of exp": counting.within(calls, (n - 1) * width, 2 * n * width),
        "read and waiting": counting.within(longest, 0, max(WAITING, 2 * width)),
    }


def _softmax_compiled(args: tuple, observed: object) -> object:
    _, largest, sums = _softmax_of(args)
    got_largest, got_sums = (np.asarray(values, np.float64) for values in observed)  # type: ignore[attr-defined]
    near = got_sums.shape == sums.shape and bool(np.all(np.abs(got_sums - sums) <= 1e-5 * sums))
    return "right" if near and np.array_equal(got_largest, largest) else f"{got_largest} and {got_sums}"


def _softmax_ordinary(rng: random.Random) -> Iterator[Case]:
    sizes = [(1, 1), (2, 1), (3, 2), (1, 5), (7, 3), (12, 4), (20, 3)]
    for n, width in sizes:
        where = rng.choice(((0, 0), (3, 0), (2, 5)))
        yield Case((rng.choice(("any", "rising")), n, width, *where, "float32", rng.randrange(999)), "ordinary")
    for kind in ("rising", "falling", "any", "ties", "ties"):
        yield Case((kind, rng.randint(5, 15), rng.randint(2, 4), 1, 2, "float64", rng.randrange(999)), kind)


def _softmax_edge(rng: random.Random) -> Iterator[Case]:
    for kind in ("large", "masked", "low"):
        for n in (1, 2, 5, rng.randint(6, 12)):
            yield Case((kind, n, 3, 0, 1, rng.choice(("float32", "float64")), rng.randrange(999)), kind)
    yield Case(("nan", rng.randint(3, 6), 2, 0, 0, "float32", rng.randrange(999)), "nan")
    yield Case(("any", 0, 3, 0, 0, "float32", 1), "none")


def _softmax_counted(rng: random.Random) -> Iterator[Case]:
    for n, width in ((1, 1), (2, 1), (3, 2), (8, 3), (15, 2), (WAITING + rng.randint(9, 20), 2)):
        yield Case(("any", n, width, rng.randint(0, 3), rng.randint(0, 3), "float32", rng.randrange(999)), "loads")
    for gap in (0, rng.randint(1, 9)):
        yield Case(
            ("any", 30, rng.randint(18, WAITING), rng.randint(0, 15), gap, "float32", rng.randrange(999)), "lines"
        )


CHECKS = (
    Check(
        "cpu.gemv.cascade_dot", ("", "numbers", "n", "dtype", "seed"),
        (
            traced("ordinary", 2, _dot_ordinary, _dot_result),
            traced("accuracy", 3, _dot_accuracy, _dot_result, "ordinary"),
            traced("loads", 1, _dot_counted, _dot_loads, "ordinary"),
            compiled(1, _dot_compiled_cases, _dot_compiled),
        ),
        {
            "short": "a few products: their sum, in the dtype of x; of none it is 0",
            "ragged": "the last run may be a shorter one, and the number of runs no power of two",
            "lost": "too many small numbers were added to a large sum, one by one: their digits were lost. "
                    "Sum short runs, then add the sums to each other",
            "in ints": "ints are added as ints: a float64 has 53 digits, and an int64 has 63",
            "sum": "in a long array a number is added to a sum that is too large for it: more levels are needed",
            "dtype": "the result has the dtype of x, in which all is added: begin a sum with x.dtype.type(0), since "
                     "0.0 is a float64 to numba",
            "loads": "each element of x and of y is read once",
            "compiled": COMPILED + "; it can't call itself, and a function under @njit can",
            "raised": RAISED,
        },
        "cpu.sums.dot",
    ),
    Check(
        "cpu.soft_max.largest_and_sum", ("", "numbers", "n", "columns", "first", "gap", "dtype", "seed"),
        (
            traced("ordinary", 3, _softmax_ordinary, _softmax_result),
            traced("edge", 2, _softmax_edge, _softmax_result, "ordinary"),
            traced("loads", 1, _softmax_counted, _softmax_loads, "ordinary"),
            compiled(1, lambda rng: [Case(("any", rng.randint(30, 50), 19, 3, 2, "float32",
                                           rng.randrange(999)), "compiled")],
                     _softmax_compiled),
        ),
        {
            "ordinary": "the largest of each column, and the sum of exp(x - largest) over it",
            "any": "some elements are larger than all before them, others are not",
            "rising": "each element is larger than all before it: each time the sum must be made smaller",
            "falling": "the first element is the largest: the sum is never made smaller",
            "large": "exp of such a number is inf: only exp(x - largest) is small enough",
            "masked": "-inf adds 0 to the sum, also as the first element: and -inf minus -inf is NaN",
            "nan": "a NaN makes the sum of its column NaN",
            "ties": "an element may be equal to the largest so far: it adds 1",
            "low": "no number of the dtype is below np.finfo(largest.dtype).min, and many are below -1e9",
            "none": "of no elements the sum is 0",
            "loads": "each element of x is read once: the largest and the sum are kept up to date together",
            "lines": "more rows than the cache holds lines, and each row has one or two",
            "misses of x": "the elements of a row are neighbours: the loop inside goes along the row, and each line of "
                           "x is fetched once",
            "calls of exp": "the powers come from `exp`, which was given: one for each element, or two",
            "read and waiting": "each element goes into its sum when it is read, or a few of them later: there is no "
                                "second pass, over a copy either",
            "compiled": COMPILED,
            "raised": RAISED,
        },
        "cpu.sums.online",
    ),
)  # fmt: skip
