"""Check of the histogram: atomics, in shared memory first, and threads that share the work."""

import random
from collections.abc import Iterator

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check
from autograder.labs.cuda.blocks.probe import bins_of, named
from autograder.labs.cuda.sharing import (
    BESIDE_SHARED,
    RESULT,
    STARTS,
    UNLESS_RIGHT,
    gives,
    guessed,
    most_of_a_thread,
    reasons,
    shared_cells,
)
from engine import memory_trace


def counts(rng: random.Random) -> Iterator[Case]:
    for grid, block, n, p, step, size in (
        (1, 1, 1, 0, 1, 1), (1, 4, 3, 0, 1, 2), (1, 4, 9, 1, 1, 5), (2, 4, 8, 0, 1, 3), (2, 4, 21, 0, 2, 4),
        (3, 8, 10, 2, 1, 11), (2, 8, 40, 0, 3, 6), (2, 3, 17, 1, 1, 7), (4, 4, 50, 0, 1, 9), (1, 16, 33, 0, 1, 20),
    ):  # fmt: skip
        yield Case((grid, block, n, p, step, size, n % 4 < 2, rng.randrange(900)), "result")


def read_counts(args: tuple, observed: object) -> tuple[counting.Trace, dict[str, np.ndarray]]:
    grid, block, n, p, step, size, is_skewed, seed = args
    arrays = {"out": np.arange(size), "x": named(n, p, step, size, seed, is_skewed)}
    return counting.read(observed, arrays, (grid,), (block,)), arrays


WRITTEN = "with what was counted here instead of added to what `out` held"
IN_A_ROW = "of x[0], x[1], ... instead of x[p], x[p + step], ..."
IN_STEPS_OF_1 = "of x[p], x[p + 1], ... instead of x[p], x[p + step], ..."


def judged_counts(args: tuple, observed: object) -> tuple[counting.Trace, str]:
    """Return the trace of a case, and the finding on its result."""
    trace, arrays = read_counts(args, observed)
    _, _, n, p, step, size, _, _ = args
    taken = p + step * np.arange(n)
    right = arrays["out"] + np.bincount(arrays["x"][taken], minlength=size)
    places: dict[int, list[int]] = {b: [] for b in range(size)}
    for place in taken.tolist():
        places[int(arrays["x"][place])].append(place)

    def needed(b: int) -> dict[str, list[int]]:
        return {"x": places[b], "out": [b] if places[b] else []}

    def added(taken: np.ndarray) -> np.ndarray:
        return arrays["out"] + np.bincount(arrays["x"][taken], minlength=size)

    result = counting.judged_result(trace, arrays, {"out": right}, needed={"out": needed})
    return trace, guessed(trace, arrays, "out", result, right, {
        WRITTEN: lambda: right - arrays["out"],
        IN_A_ROW: lambda: added(np.arange(n)),
        IN_STEPS_OF_1: lambda: added(p + np.arange(n)),
    })  # fmt: skip


def counted(args: tuple, observed: object) -> dict[str, str]:
    trace, result = judged_counts(args, observed)
    return {**reasons(trace, result), "numbers counted": counting.loads(trace, "x", args[2], None), "result": result}


CLEARED, READ, ADDED, HANDED_ON = (
    "between clearing and counting", "between counting and handing on", "in counting", "in adding to out",
)  # fmt: skip


def ordered_counts(args: tuple, observed: object) -> dict[str, str]:
    trace, result = judged_counts(args, observed)
    return {
        "barriers": counting.barriers(trace),
        STARTS: counting.uninitialised_reads(trace),
        **races_by_step(trace),
        RESULT: result,
    }


def races_by_step(trace: counting.Trace) -> dict[str, str]:
    """Find the races of the kernel's three steps and the races on `out`, each under a key "races ...".

    In shared memory the accesses of a race tell which step lacks what: a store is of the clearing or of a count that
    is not atomic, a load of the handing on.
    """
    found = {f"races {step}": "none" for step in (CLEARED, READ, ADDED, HANDED_ON)}
    for race in memory_trace.races(trace):
        kinds = {race.first.kind, race.second.kind}
        counts_by_atomics = any(memory_trace.accesses(trace, "shared", "atomic"))
        step = (
            HANDED_ON if race.first.space == "global" else
            CLEARED if kinds == {"store", "atomic"} else READ if kinds == {"load", "atomic"} else
            CLEARED if counts_by_atomics else ADDED
        )  # fmt: skip
        if found[f"races {step}"] == "none":
            found[f"races {step}"] = counting.race_of(trace, race)
    return found


def kept_apart(args: tuple, observed: object) -> dict[str, str]:
    """Judge the traffic to `out`, at most one addition per block and number, and how the threads share the work."""
    trace, result = judged_counts(args, observed)
    arrays = read_counts(args, observed)[1]
    grid, block, n, _, _, size, *_ = args
    bins = bins_of(size)
    return {
        RESULT: result,
        "atomic additions in shared memory": counting.of_space(trace, "shared", "atomic", 1, n),
        "loads of x": counting.loads(trace, "x", n, n),
        "loads of one thread": most_of_a_thread(trace, "x", -(-n // (grid * block))),
        "additions to out": additions(trace, arrays["x"]),
        "cells of one thread": most_of_a_thread(trace, "", -(-bins // block), "shared", "store"),
        "additions to out of one thread": most_of_a_thread(trace, "out", -(-size // block), "global", "atomic"),
        "cells of shared memory": shared_cells(trace, "int64", bins, 2 * bins),
    }


def additions(trace: counting.Trace, x: np.ndarray) -> str:
    """Check that `out` receives at most one addition for each distinct number that a block has read."""
    read = memory_trace.accesses(trace, "global", "load", "x")
    met = {(access.block, int(x[access.index])) for access in read if access.inside}
    found = memory_trace.count(trace, "", "atomic", "out") + memory_trace.count(trace, "", "store", "out")
    within = counting.within(found, 0, len(met))
    return "one a number that a block has met" if found <= len(met) else within


BLOCK_HISTOGRAM = Check(
    exercise="cuda.summary_ops.block_histogram",
    arguments=("grid", "block", "n", "p", "step", "size", "is_skewed", "seed"),
    aspects=(
        Aspect("ordinary", 2, counts, findings=counted),
        Aspect("races", 2, counts, findings=ordered_counts),
        Aspect("blocks", 2, counts, findings=kept_apart),
    ),
    mistakes=(
        BESIDE_SHARED,
        gives(WRITTEN, "`out` has counts in it already: add to it what the block has counted"),
        gives(IN_A_ROW, "the numbers are x[p], x[p + step], x[p + 2 * step], ..."),
        gives(IN_STEPS_OF_1, "the numbers are x[p], x[p + step], x[p + 2 * step], ..."),
    ),
    hints={
        "out of bounds": "there may be more threads than numbers, and more than cells: those beyond do nothing",
        "races": "two threads change one cell, or one reads it while another changes it: atomics, and barriers",
        f"races {CLEARED}": "one thread counts in a cell that another has not cleared yet: a barrier between the two",
        f"races {READ}": "one thread hands on a count that others still add to: a barrier between the two",
        f"races {ADDED}": "two threads may meet one number: to read, add and write must be one step, cuda.atomic.add",
        f"races {HANDED_ON}": "blocks run side by side, and no barrier orders them: add to `out` by cuda.atomic.add",
        "barriers": "all threads reach both barriers, also those without a number: no barrier in a loop or an `if`",
        STARTS: "every cell is cleared, then comes a barrier, then it counts; there may be more cells than threads",
        "numbers counted": "each of the n numbers is read, in steps of the whole grid: x[p + i * step]",
        "loads of x": "each number is read once, in steps of the whole grid: x[p + i * step]",
        "result": "clear all `size` cells, count x[p + i * step], add every count to what `out` holds already",
        RESULT: UNLESS_RIGHT,
        "atomic additions in shared memory": "a block counts for itself first, by atomics in shared memory",
        "loads of one thread": "the threads of the grid share the numbers evenly, as in t, t + T, t + 2T, ... of T",
        "additions to out": "a block adds to a cell of `out` once, and only if it has met that number",
        "cells of one thread": "the threads of a block share the cells evenly, in steps of cuda.blockDim.x",
        "additions to out of one thread": "the threads of a block share the cells evenly, in steps of cuda.blockDim.x",
        "cells of shared memory": "`bins` cells of types.int64",
        "raised": "no kernel came, or it stops: the message says at which thread and line",
        "returned None": "the maker ends without `return`",
    },
    probe="cuda.blocks.histogram",
    program="cuda.program.reductions",
)

CHECKS = (BLOCK_HISTOGRAM,)
