"""Check of the histogram: atomics, in shared memory first, and threads that share the work."""

import random
from collections.abc import Iterator

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check
from autograder.labs.cuda.blocks.probe import bins_of, named
from autograder.labs.cuda.sharing import most_of_a_thread, reasons, shared_cells
from engine import memory_trace


def counts(rng: random.Random) -> Iterator[Case]:
    for grid, block, n, p, step, size in (
        (1, 1, 1, 0, 1, 1), (1, 4, 3, 0, 1, 2), (1, 4, 9, 1, 1, 5), (2, 4, 8, 0, 1, 3), (2, 4, 21, 0, 2, 4),
        (3, 8, 10, 2, 1, 11), (2, 8, 40, 0, 3, 6), (2, 3, 17, 1, 1, 7), (4, 4, 50, 0, 1, 9), (1, 16, 33, 0, 1, 20),
    ):  # fmt: skip
        yield Case((grid, block, n, p, step, size, rng.random() < 0.5, rng.randrange(900)), "counts")


def read_counts(args: tuple, observed: object) -> tuple[counting.Trace, dict[str, np.ndarray]]:
    grid, block, n, p, step, size, is_skewed, seed = args
    arrays = {"out": np.arange(size), "x": named(n, p, step, size, seed, is_skewed)}
    return counting.read(observed, arrays, (grid,), (block,)), arrays


def counted(args: tuple, observed: object) -> dict[str, str]:
    trace, arrays = read_counts(args, observed)
    _, _, n, p, step, size, _, _ = args
    taken = p + step * np.arange(n)
    right = arrays["out"] + np.bincount(arrays["x"][taken], minlength=size)
    places: dict[int, list[int]] = {b: [] for b in range(size)}
    for place in taken.tolist():
        places[int(arrays["x"][place])].append(place)

    def needed(b: int) -> dict[str, list[int]]:
        return {"x": places[b], "out": [b] if places[b] else []}

    result = counting.judged_result(trace, arrays, {"out": right}, needed={"out": needed})
    return {**reasons(trace, result), "loads of x": counting.loads(trace, "x", n, n), "result": result}


def ordered_counts(args: tuple, observed: object) -> dict[str, str]:
    trace, arrays = read_counts(args, observed)
    return {
        "loads of x": counting.loads(trace, "x", args[2], None),
        "barriers": counting.barriers(trace),
        "reads before a store": counting.uninitialised_reads(trace),
        "races": counting.races(trace),
    }


def kept_apart(args: tuple, observed: object) -> dict[str, str]:
    """Count the traffic to `out`, one addition for each block and number that it has met, and the threads that work."""
    trace, arrays = read_counts(args, observed)
    grid, block, n, _, _, size, *_ = args
    bins = bins_of(size)
    return {
        "atomic additions in shared memory": counting.of_space(trace, "shared", "atomic", 1, n),
        "loads of one thread": most_of_a_thread(trace, "x", -(-n // (grid * block))),
        "atomic additions to out": additions(trace, arrays["x"]),
        "cells of one thread": most_of_a_thread(trace, "", -(-bins // block), "shared", "store"),
        "additions to out of one thread": most_of_a_thread(trace, "out", -(-size // block), "global", "atomic"),
        "cells of shared memory": shared_cells(trace, "int64", bins, 2 * bins),
    }


def additions(trace: counting.Trace, x: np.ndarray) -> str:
    """Find whether `out` is added to at most once for each number that a block has read, whichever they are."""
    read = memory_trace.accesses(trace, "global", "load", "x")
    met = {(access.block, int(x[access.index])) for access in read if access.inside}
    found = counting.atomics(trace, "out", 0, len(met))
    return "one a number that a block has met" if found == counting.within(0, 0, len(met)) else found


BLOCK_HISTOGRAM = Check(
    exercise="cuda.summary_ops.block_histogram",
    arguments=("grid", "block", "n", "p", "step", "size", "is_skewed", "seed"),
    aspects=(
        Aspect("ordinary", 2, counts, findings=counted),
        Aspect("races", 2, counts, findings=ordered_counts),
        Aspect("blocks", 2, counts, findings=kept_apart),
    ),
    hints={
        "out of bounds": "there may be more threads than numbers, and more than cells: those beyond do nothing",
        "races": "two threads may meet one number: reading, adding and writing must be one step, and counts be whole",
        "barriers": "all threads reach both barriers, also those without a number: no barrier in a loop or an `if`",
        "reads before a store": "every cell is cleared before it counts: there may be more cells than threads",
        "loads of x": "each number is read once, in steps of the whole grid: x[p + i * step]",
        "counts": "clear all `size` cells, count x[p + i * step], add every count to what `out` holds already",
        "atomic additions in shared memory": "a block counts for itself first, by atomics in shared memory",
        "loads of one thread": "the threads of the grid share the numbers evenly, as in t, t + T, t + 2T, ... of T",
        "atomic additions to out": "a block adds to a cell of `out` once, and only if it has met that number",
        "cells of one thread": "the threads of a block share the cells evenly, in steps of cuda.blockDim.x",
        "additions to out of one thread": "the threads of a block share the cells evenly, in steps of cuda.blockDim.x",
        "cells of shared memory": "`bins` cells of types.int64",
        "raised": "no kernel came, or it stops: the message says at which thread and line",
        "returned None": "the maker ends without `return`",
    },
    probe="cuda.blocks.histogram",
)

CHECKS = (BLOCK_HISTOGRAM,)
