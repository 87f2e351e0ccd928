"""Checks of long sums: cascade_dot, and softmax's largest and sum in one pass (probe.py)."""

import functools
import itertools
import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check
from autograder.labs.cpu.operands import COUNTED, RESULT, judged, text_of
from autograder.labs.cpu.runs import COMPILED, LOOPS, RAISED, compiled, says, traced
from autograder.labs.cpu.sums import probe as probes
from engine import memory_trace
from engine.memory_trace import Cache, Trace
from engine.memory_trace.provenance import cells_of

UNIT = {"float32": 2.0**-24, "float64": 2.0**-53, "int64": 0.0}
ROUNDINGS = 400  # of the size of all products together: a run of 256 and the levels above it
RUN = 256
LONG = 1 << 20  # products from which none is negative, or has more digits than its dtype; a float64 adds these exactly
WAITING = 24  # elements of x that may have been read and are in no sum yet: a block, or two rows if these are longer
CACHE = Cache(1, 24, 64)  # 24 lines: room for some rows of x, but not for a line of each row

# ---- cascade_dot


@functools.lru_cache(maxsize=64)  # the same for all who are asked
def _sum_of(args: tuple) -> tuple[float, float]:
    """Compute the exact result, and how far a cascade may be from it."""
    arrays = probes.operands(*args)
    if args[1] >= LONG:
        exact = float((arrays["x"] * arrays["y"]).sum(dtype=np.float64))
        return exact, ROUNDINGS * UNIT[args[2]] * exact
    products = arrays["x"].astype(np.float64) * arrays["y"].astype(np.float64)
    return math.fsum(products), ROUNDINGS * UNIT[args[2]] * math.fsum(np.abs(products))


def _dot_judged(args: tuple, observed: object) -> tuple[Trace, str]:
    """Return the trace, and the finding on the result, which `call` of the probe stores to `out`."""
    trace, said = _dot_stored(args, observed)
    return trace, said.replace("out[0]", "the sum", 1) if said.startswith("out[0]") else said


def _dot_stored(args: tuple, observed: object) -> tuple[Trace, str]:
    arrays, (right, bound) = probes.operands(*args), _sum_of(args)
    trace = counting.read(observed, arrays)
    inputs = {name: arrays[name] for name in ("x", "y")}
    everything = [(i,) for i in range(args[1])]
    needed = {"out": lambda index: {"x": everything, "y": everything}} if args[1] < RUN else None
    said = judged(trace, inputs, {"out": np.array([right])}, bound, needed)
    for means, value in _dot_mistakes(arrays) if said.startswith("out[0] is ") else ():
        if counting.judged_result(trace, inputs, {"out": np.array([value])}) == "right":
            return trace, f"{said}: {means}"
    most = bound * args[1] / ROUNDINGS  # of additions one by one
    if most and counting.judged_result(trace, inputs, {"out": np.array([right])}, most).startswith("out[0] is "):
        said = f"{said}: {NO_ROUNDING}"
    return trace, said


def _dot_mistakes(arrays: dict) -> Iterator[tuple[str, Any]]:
    """Yield the results that mistakes lead to, each with a description of the mistake."""
    products = arrays["x"] * arrays["y"]
    with np.errstate(all="ignore"):
        yield "this is what adding one by one gives", np.cumsum(products)[-1] if products.size else 0
        whole = products.size // RUN
        if whole:
            yield "the last, shorter run is missing", products[: whole * RUN].sum()
        yield LEFT_OUT, products[RUN << (-(-products.size // RUN)).bit_length() - 1 :].sum() if products.size else 0
        yield "these are x[i], not multiplied", arrays["x"].sum()
        yield from ((LOST, value) for value in _of_some_levels(_runs(products), products.dtype))
        for is_counted in (True, False):
            yield TWICE, _with_stale_levels(_runs(products), products.dtype, is_counted)
        yield TWICE, _with_stale_total(products)


ONE_TOTAL = "this is what sums of runs give that are added to one total, one after the other"
TWICE = "some runs are counted more than once"
LEFT_OUT, LOST = "the first runs are missing", "some runs are missing"
NO_ROUNDING = "this is not what roundings lose"
NOTHING = "the sum does not come back: is a `return` missing?"


def _runs(products: np.ndarray) -> np.ndarray:
    """Compute the sums of runs, each made one by one."""
    runs = [np.cumsum(products[first : first + RUN])[-1] for first in range(0, products.size, RUN)]
    return np.array(runs, products.dtype)


def _of_some_levels(runs: np.ndarray, dtype: np.dtype) -> Iterator[Any]:
    """Yield the sums of some of the levels that wait at the end of a cascade of runs."""
    sums: dict[int, Any] = {}
    for total in runs:
        level = 0
        while level in sums:
            total, level = total + sums.pop(level), level + 1
        sums[level] = total
    for count in range(1, len(sums)):
        yield from (np.sum(some, dtype=dtype) for some in itertools.combinations(sums.values(), count))


def _with_stale_levels(runs: np.ndarray, dtype: np.dtype, is_counted: bool) -> Any:
    """Compute the cascade of runs in which a level keeps its sum after it has gone up.

    Args:
        is_counted: the number of a run says which levels wait; else a level waits if its sum is not 0.
    """
    sums = np.zeros(48, dtype)
    for number, total in enumerate(runs):
        level = 0
        while number >> level & 1 if is_counted else sums[level] != 0:
            total, level = total + sums[level], level + 1
        sums[level] = total
    return np.cumsum(sums)[-1]


def _with_stale_total(products: np.ndarray) -> Any:
    """Compute the cascade of runs in which each run goes on from what went up before."""
    sums, total = np.zeros(48, products.dtype), products.dtype.type(0)
    for first in range(0, products.size, RUN):
        total, level = np.cumsum(np.append(total, products[first : first + RUN]))[-1], 0
        while sums[level] != 0:
            total, sums[level], level = total + sums[level], 0, level + 1
        sums[level] = total
    return np.cumsum(sums)[-1]


def _dot_result(args: tuple, observed: object) -> object:
    return {"result": _dot_judged(args, observed)[1]}


def _dot_loads(args: tuple, observed: object) -> object:
    trace, said = _dot_judged(args, observed)
    return {RESULT: said} | {f"loads of {name}": counting.loads(trace, name, args[1], args[1]) for name in ("x", "y")}


def _dot_accurate(args: tuple, observed: Any) -> object:
    """Return the finding on the result of a trace, or on a long array that is summed without one."""
    if args[0] == "traced":
        return {"accurate result" if UNIT[args[3]] else "result": _dot_judged(args[1:], observed)[1]}
    right, bound = _sum_of(args[1:])
    found = observed if observed is None else float(observed)
    if found is not None and abs(found - right) <= bound:
        return {"long sum": "right"}
    arrays = probes.operands(*args[1:])
    if found == np.cumsum(_runs(arrays["x"] * arrays["y"]))[-1]:
        return {"long sum": f"{found}, and not {right}: {ONE_TOTAL}"}
    return {"long sum": _said(found, right, bound, args[2])}


def _said(found: float | None, right: float, bound: float, n: int) -> str:
    """Return the finding on a wrong sum of n products."""
    is_far = found is None or not abs(found - right) <= bound * n / ROUNDINGS
    return f"{found}, and not {right}" + f": {NO_ROUNDING}" * is_far


def _dot_compiled(args: tuple, observed: Any) -> dict[str, str]:
    right, bound = _sum_of(args)
    found = observed["sum"]
    is_right = type(found) is float and abs(found - right) <= bound
    return {
        "sum": "right" if is_right else _said(found, right, bound, args[1]),
        "dtype": observed["dtype"],
        "added in": "float64, of float32" if observed["sums in float64"] else "the dtype of x",
    }


def _dot_call(args: tuple) -> str:
    """Write Python text that runs a case."""
    how, kind, n, dtype, seed = args
    function = "cascade_dot"
    if how == "compiled":
        function = "numba.njit(fastmath={'contract', 'reassoc', 'nsz'}, error_model='numpy')(cascade_dot)"
    return f"n, dtype, seed = {n}, '{dtype}', {seed}; {probes.NUMBERS[kind]}; {function}(x, y)"


def _numbers(rng: random.Random) -> tuple[str, str]:
    """Draw a kind of numbers and a dtype."""
    dtype = rng.choice(tuple(UNIT))
    return ("any" if dtype == "int64" else "eighths"), dtype


def _dot_ordinary(rng: random.Random) -> Iterator[Case]:
    for n in (0, 1, 2, 3, 5, 31):
        kind, dtype = _numbers(rng)
        yield Case((kind, n, dtype, rng.randrange(999)), "short")
    for n in (RUN - 1, RUN + 1, 2 * RUN, 3 * RUN + 7):
        kind, dtype = _numbers(rng)
        yield Case((kind, n, dtype, rng.randrange(999)), "ragged")
    yield Case(("nan", rng.randint(3, 9), rng.choice(("float32", "float64")), 0), "NaN")


def _dot_accuracy(rng: random.Random) -> Iterator[Case]:
    yield Case(("tall", 4 * RUN, "float32", 0), "lost")
    yield Case(("mirrored", rng.randint(1100, 1200), "float64", 0), "lost")
    yield Case(("tall", rng.randint(3500, 3600), "float32", 0), "lost")
    for n in (4, rng.randint(10, 30), 2 * RUN + 9):
        yield Case(("cancelling", n, "int64", rng.randrange(999)), "in ints")
    yield Case(("growing", rng.randint(520, 600), "float32", 0), "lost")


def _dot_accuracy_cases(rng: random.Random) -> list[Case]:
    """Make traced cases, and one without a trace: an array so long that sums of runs need a cascade, too."""
    short = [Case(("traced", *case.args), case.about) for case in _dot_accuracy(rng)]
    return [*short, Case(("plain", "towering", rng.randint(220_000, 240_000), "float32", 0), "long sum")]


def _dot_counted(rng: random.Random) -> Iterator[Case]:
    for n in (1, 2, 7, 31, RUN, RUN + rng.randint(50, 99)):
        yield Case(("eighths", n, "float32", rng.randrange(999)), "loads")


def _dot_compiled_cases(rng: random.Random) -> Iterator[Case]:
    yield Case(("tall", rng.randint(100_000, 200_000), "float32", 0), "compiled")
    # A run is too small to change the first number: lost are the runs that a total takes which begins with it, and of
    # 48 totals that take turns each takes more than 400 runs.
    yield Case(("deep", rng.randint(6_200_000, 6_400_000), "float32", 0), "compiled")
    # Of three levels, the total of 128 runs loses 127 runs, and the total of all about 300 sums of 128 runs.
    yield Case(("deeper", rng.randint(9_700_000, 9_900_000), "float32", 0), "compiled")


# ---- largest_and_sum


def _softmax_of(args: tuple) -> tuple[dict, np.ndarray, np.ndarray]:
    """Compute the arrays, and the right `largest` and `sums`; NaN as the largest where it may be any number."""
    _, n, width, first, gap, _, _ = args
    arrays = probes.columns(*args)
    table = arrays["x"][first:].reshape(n, width + gap)[:, :width].astype(np.float64)
    largest = table.max(axis=0, initial=-np.inf)
    with np.errstate(all="ignore"):
        powers = np.where(table == -np.inf, 0.0, np.exp(table - largest))
    return arrays, np.where(largest == -np.inf, np.nan, largest), powers.sum(axis=0)


def _softmax_result(args: tuple, observed: object) -> dict[str, str]:
    arrays, largest, sums = _softmax_of(args)
    trace = counting.read(observed, arrays)
    _, n, width, first, gap, dtype, _ = args
    table = arrays["x"][first:].reshape(n, width + gap)[:, :width]
    counts, has_inf = _counting(table, UNIT[dtype]), (table == np.inf).any(axis=0)
    inputs = {"x": arrays["x"]} | _before(arrays)
    left = _left(trace, inputs)
    # of a column without a finite number the largest is any number, of one with inf the sum
    largest = np.where(np.isnan(largest), left["largest"], largest)
    sums = np.where(has_inf, left["sums"], sums)

    def column(j: int) -> dict:
        return {"x": [] if has_inf[j] else [first + i * (width + gap) + j for i in range(n) if counts[i, j]]}

    bounds = {"sums": 1e-5 * np.where(np.isfinite(sums), sums, 0) + 1e-30}
    only_inf = (np.maximum.accumulate(table, axis=0) == -np.inf).any(axis=0)
    instead = {
        INF_MINUS_INF: lambda: {"sums": np.where(only_inf, np.nan, sums)},
        "the sum is not multiplied when a larger element comes": lambda: {"sums": _unscaled(table)},
    }
    of_sums = judged(trace, inputs, {"sums": sums}, bounds, {"sums": column}, instead, ("largest",))
    if "is nan" in of_sums and n and (np.isnan(left["sums"]) & np.isfinite(table).all(axis=0)).any():
        of_sums = f"{of_sums}: {POSITIVE}"
    return {
        "largest": counting.judged_result(trace, inputs, {"largest": largest}, also=("sums",)),
        "sums": of_sums,
        "beside an array": counting.out_of_bounds(trace),
    }


INF_MINUS_INF = "this is what -inf minus -inf gives"
POSITIVE = "`exp` was given a positive number"


def _unscaled(table: np.ndarray) -> np.ndarray:
    """Compute the sums of powers relative to the largest so far."""
    with np.errstate(all="ignore"):
        return np.exp(table - np.maximum.accumulate(table, axis=0)).astype(np.float64).sum(axis=0)


def _left(trace: Trace, inputs: dict) -> dict[str, np.ndarray]:
    """Return the numbers that `largest` and `sums` hold at the end."""
    memory, _ = memory_trace.replay(trace, inputs)
    return {
        argument.name: np.array([memory[cell] for _, cell in cells_of(argument)], np.float64)
        for argument in trace.arguments
        if argument.name != "x"
    }


def _counting(table: np.ndarray, unit: float) -> np.ndarray:
    """Mark the elements that change the sum of their column: a NaN does, or all numbers that are not lost beside 1."""
    with np.errstate(all="ignore"):
        powers = np.exp(table.astype(np.float64) - table.max(axis=0, initial=-np.inf))
    is_nan = np.isnan(table)
    return np.where(is_nan.any(axis=0), is_nan, powers >= unit)


def _before(arrays: dict) -> dict:
    return {name: arrays[name] for name in ("largest", "sums")}


def _softmax_loads(args: tuple, observed: object) -> object:
    """Judge whether x is read once and by lines, exp is called for its elements, and none waits long before."""
    arrays = probes.columns(*args)
    trace = counting.read(observed, arrays)
    _, n, width, first, gap, _, _ = args
    bytes_of_x = arrays["x"].itemsize
    lines = {(first + i * (width + gap) + j) * bytes_of_x // CACHE.line_bytes for i in range(n) for j in range(width)}
    of_x = counting.loads(trace, "x", n * width, n * width)
    if "allowed" in of_x and _is_read_again_at_once(trace, n * width, first + width):
        of_x = f"{of_x}: {AGAIN}"
    calls, waiting, longest = 0, 0, 0
    for access in memory_trace.accesses(trace, "", "load"):
        if trace.instructions[access.instruction].function == "exp" and access.space == "constant":
            calls, waiting = calls + 1, 0
        elif trace.arrays[access.array].name == "x":
            waiting += 1
            longest = max(longest, waiting)
    found = _softmax_result(args, observed)
    return {
        RESULT: next((said for said in found.values() if said not in ("right", "none")), "right"),
        "loads of x": of_x,
        "misses of x": counting.within(memory_trace.misses(trace, CACHE)["x"], len(lines), 3 * len(lines)),
        "calls of exp": counting.within(calls, (n - 1) * width, 2 * n * width),
        "read and waiting": counting.within(longest, 0, max(WAITING, 2 * width)),
    }


AGAIN = "an element is read several times in a row"


def _is_read_again_at_once(trace: Trace, count: int, second: int) -> bool:
    """Return True if x is read in one pass, and an element behind the first row several times with no other in between.

    Args:
        count: of all elements.
        second: a cell behind the first row.
    """
    cells = [access.index for access in memory_trace.accesses(trace, "", "load", "x")]
    passed = [cell for cell, _ in itertools.groupby(cells)]
    return len(passed) == count and any(one == other >= second for one, other in itertools.pairwise(cells))


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
    yield Case(("rising", 5, 2, 3, 1, "float32", rng.randrange(999)), "ordinary")  # ends at 3 + 15
    for kind in ("rising", "falling", "any", "ties", "ties"):
        yield Case((kind, rng.randint(5, 15), rng.randint(2, 4), 1, 2, "float64", rng.randrange(999)), kind)


def _softmax_edge(rng: random.Random) -> Iterator[Case]:
    for kind in ("large", "masked", "low"):
        for n in (1, 2, 5, rng.randint(6, 12)):
            yield Case((kind, n, 3, 0, 1, rng.choice(("float32", "float64")), rng.randrange(999)), kind)
    yield Case(("low", 4, 2, 0, 1, "float64", rng.randrange(999)), "low")
    yield Case(("nan", rng.randint(3, 6), 2, 0, 0, "float32", rng.randrange(999)), "nan")
    yield Case(("inf", rng.randint(3, 6), 2, 1, 0, "float64", rng.randrange(999)), "inf")
    yield Case(("masked", 1, 1, 0, 0, "float32", rng.randrange(999)), "masked")
    yield Case(("any", 0, 3, 0, 0, "float32", 1), "none")


def _softmax_counted(rng: random.Random) -> Iterator[Case]:
    for n, width in ((3, 1), (2, 1), (3, 2), (8, 3), (15, 2), (WAITING + rng.randint(9, 20), 2)):
        yield Case(("any", n, width, rng.randint(0, 3), rng.randint(0, 3), "float32", rng.randrange(999)), "loads")
    for width, gap in ((rng.randint(11, 14), 0), (rng.randint(18, WAITING), rng.randint(1, 9))):
        yield Case(("any", 27, width, rng.randint(0, 15), gap, "float32", rng.randrange(999)), "lines")


def _softmax_call(args: tuple) -> str:
    """Write Python text that runs a case, compiled: only there is `larger`."""
    _, *rest = args
    _, n, width, first, gap, dtype, _ = rest
    x = text_of(probes.columns(*rest)["x"])
    given = f"{n}, {width + gap}, {first}, largest, sums"
    made = f"x = {x}; largest, sums = np.full((2, {width}), 7, '{dtype}')"
    function = "numba.njit(error_model='numpy')(largest_and_sum)"
    return f"{made}; {function}(numba.njit(lambda x: np.exp(x)), x, {given}); print(largest, sums)"


CHECKS = (
    Check(
        "cpu.gemv.cascade_dot", ("observed", "numbers", "n", "dtype", "seed"),
        (
            traced("ordinary", 3, _dot_ordinary, _dot_result),
            Aspect("accuracy", 5, _dot_accuracy_cases, "ordinary", _dot_accurate),
            traced("loads", 2, _dot_counted, _dot_loads, "ordinary"),
            compiled(1, _dot_compiled_cases, _dot_compiled),
        ),
        {
            "short": "a few products: their sum, in the dtype of x; of none it is 0",
            "ragged": "the last run may be a shorter one, and the number of runs no power of two",
            "NaN": "NaN is added like other numbers, and the sum is NaN",
            **dict.fromkeys(("lost", "accurate result"), "it is off by more than 400 roundings: sum short runs, then "
                            "add the sums to each other"),
            "long sum": "it is off by more than 400 roundings: add the sums of runs in pairs, the sums of pairs in "
                        "pairs, and so on",
            "in ints": "ints are added as ints: a float64 has 53 digits, and an int64 has 63",
            "sum": "get `accuracy` right first; if it is, a number is added in a long array to a sum that is too large "
                   "for it: more levels are needed. The engine lets LLVM add in another order, so a correction such as "
                   "Kahan's is lost",
            "dtype": "the result has the dtype of x, in which all is added: begin a sum with x.dtype.type(0), since "
                     "0.0 is a float64 to numba",
            "added in": "all is added in the dtype of x: begin every sum with x.dtype.type(0); 0 is an int to numba, "
                        "0.0 a float64, and a float32 added to either of them becomes a float64",
            "loads of x": "each element of x is read once",
            "loads of y": "each element of y is read once",
            "loads": "each element of x and of y is read once",
            "compiled": COMPILED,
            "raised": RAISED,
            **COUNTED,
        },
        "cpu.sums.dot",
        mistakes=(
            says(ONE_TOTAL, "the runs are short enough, but their sums are added to one total, which is too large "
                 "for them: add the sums of runs in pairs, the sums of pairs in pairs, and so on"),
            says("what adding one by one gives", "too many small numbers were added to a large sum, one by one: their "
                 "digits were lost. Sum short runs, then add the sums to each other"),
            *(says(words, "a run may have fewer than 256 products and counts as well, and so do the sums of all "
                   "levels at the end") for words in ("shorter run is missing", LEFT_OUT, LOST)),
            says(TWICE, "some runs are counted more than once: the sum of a run begins with 0, and when a sum goes up "
                 "a level, its level is set to 0"),
            says(NO_ROUNDING, "roundings lose less than this: each product counts, and only once"),
            says("not multiplied", "it is the sum of the products x[i] * y[i]"),
            says("the sum was never stored", NOTHING),
            says("None, and not", NOTHING),
            says("nothing flows into it", "each element of x and of y is read and goes into the sum, also where the "
                 "other factor is 0: 0 * nan is nan"),
            *LOOPS,
        ),
        words={
            "tall": "a large number, and then ones that are lost if they are added to it one by one",
            "towering": "a large number, and then small ones: a sum of 256 of them is lost too",
            "deep": "a large number, and then small ones: a sum of 256 of them is lost too",
            "deeper": "a large number, and then small ones: most sums of 256 * 128 of them are lost too",
            "plain": "the loop runs in plain Python, and no trace is recorded",
            "mirrored": "as tall, with the other sign",
            "growing": "from 0.1 to 1.9",
            "cancelling": "ints beyond the digits of a float64, which leave small ones when all is added",
        },
        call=_dot_call,
    ),
    Check(
        "cpu.soft_max.largest_and_sum",
        ("observed", "numbers", "n", "columns", "first", "unused behind a row", "dtype", "seed"),
        (
            traced("ordinary", 4, _softmax_ordinary, _softmax_result),
            traced("edge", 4, _softmax_edge, _softmax_result, "ordinary"),
            traced("loads", 2, _softmax_counted, _softmax_loads, "ordinary"),
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
            "inf": "the largest of a column with inf in it is inf; its sum may be any number",
            "ties": "an element may be equal to the largest so far: it adds 1",
            "low": "no number of the dtype is below np.finfo(largest.dtype).min, and many are below -1e9",
            "none": "of no elements the sum is 0",
            "lines": "more rows than the cache holds lines, and each row has one or two",
            **dict.fromkeys(("loads", "loads of x"), "each element of x is read once, into a variable, and from that "
                            "the largest and the sum are both kept up to date"),
            "misses of x": "the elements of a row are neighbors: the loop inside goes along the row, and each line of "
                           "x is fetched once",
            "calls of exp": "the powers come from `exp`, which was given: one for each element, or two",
            "read and waiting": "each element goes into its sum when it is read, or a few of them later: there is no "
                                "second pass, over a copy either",
            "compiled": COMPILED,
            "raised": RAISED,
            **COUNTED,
        },
        "cpu.sums.online",
        mistakes=(
            says(INF_MINUS_INF, "the column has had -inf alone so far, and -inf minus -inf is NaN: keep a finite "
                 "number as the largest: then -inf minus the largest is -inf, and its power 0"),
            says(" is 9999, and", "9999 is no element of the table: element i of column j is x[first + i * inner + j]"),
            says(POSITIVE, "`exp` is made for numbers that are not positive, and gives NaN for others"),
            says(AGAIN, "the loop reads an element each time that it names it: read it into a variable once, and use "
                 "that"),
            says("not multiplied when a larger", "when a larger element comes, the sum so far is multiplied by "
                 "exp(old largest - new largest)"),
            *LOOPS,
        ),
        words={
            "rising": "each column goes up",
            "falling": "each column goes down",
            "ties": "many elements are equal",
            "large": "numbers near 3000 or -3000",
            "low": "near the lowest number of the dtype",
            "masked": "some elements are -inf: the first row, the last column, others",
            "nan": "one element is NaN",
            "inf": "one element is inf",
        },
        call=_softmax_call,
    ),
)  # fmt: skip
