"""Checks of what the threads of a block do together: the tree of a reduction, the softmax of rows."""

import math
import random
from collections.abc import Callable, Iterator

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation
from autograder.labs.cuda.arrays import numbers
from autograder.labs.cuda.blocks.probe import geometry, rows
from autograder.labs.cuda.sharing import (
    BESIDE_SHARED,
    NOT_STORED,
    RACE_FOR_OUTPUT,
    RESULT,
    UNLESS_RIGHT,
    first_misplaced,
    first_wrong,
    gives,
    guessed,
    most_of_a_thread,
    reason_of_an_element,
    reasons,
    shared_cells,
)
from engine.memory_trace import accesses

# ---- the tree


def trees(rng: random.Random) -> Iterator[Case]:
    sizes = (1, 1), (2, 1), (1, 3), (4, 1), (2, 2), (8, 1), (4, 2), (4, 3), (16, 1), (8, 2), (2, 8), (2, 2), (4, 3)
    for number, (height, width) in enumerate(sizes):
        function = "larger" if (height, width) in ((4, 1), (2, 8)) else "add"
        yield Case((1 + number % 3 // 2, height, width, number % 2 == 0, function, rng.randrange(900)), "result")


def large_trees(rng: random.Random) -> Iterator[Case]:
    for number, (height, width) in enumerate(((1, 4), (4, 4), (32, 1), (32, 2), (64, 1), (16, 4))):
        yield Case((1, height, width, number % 2 == 1, "add", rng.randrange(900)), "result")


def read_tree(args: tuple, observed: object) -> tuple[counting.Trace, np.ndarray]:
    grid, height, width, _, _, seed = args
    x = numbers(grid * height * width, seed)
    trace = counting.read(observed, {"out": np.zeros_like(x), "x": x}, (grid,), (height * width,))
    return trace, x


NEXT_ROW = "with the cell `half` further instead of `half * down`"
OF_THREADS = "by the threads below `half` instead of the rows below `half`"
STOPS_EARLY = "as without the last step"
ADDS = "by adding, whatever f is"


def climbed(args: tuple, x: np.ndarray, is_down: bool = True, is_row: bool = True, last: int = 0,
            is_f: bool = True) -> np.ndarray:  # fmt: skip
    """Compute what the threads read after the tree reduction, with the mistakes that the arguments select."""
    grid, height, width, is_columns, function, _ = args
    down, across = geometry(height, width, is_columns)
    threads = np.arange(height * width)
    row, column = threads // down % height, threads // across % width
    cells, half = x.reshape(grid, -1).copy(), height // 2
    while half > last:
        taking = threads[(row if is_row else threads) < half]
        others = cells[:, taking + half * (down if is_down else 1)]
        mine = cells[:, taking]
        cells[:, taking] = np.maximum(mine, others) if function == "larger" and is_f else mine + others
        half //= 2
    return cells[:, column * across].reshape(-1)


def judged_tree(args: tuple, observed: object) -> tuple[counting.Trace, str]:
    """Return the trace of a case, and the finding on its result."""
    trace, x = read_tree(args, observed)
    grid, height, width, is_columns, function, _ = args
    across = geometry(height, width, is_columns)[1]
    threads = np.arange(height * width)
    column = threads // across % width
    of_block = x.reshape(grid, -1)
    combine = np.sum if function == "add" else np.max
    by_column = np.stack([combine(of_block[:, column == k], axis=1) for k in range(width)], axis=1)

    def needed(i: int) -> dict[str, list[int]]:
        first = i - i % len(threads)
        return {"x": [first + t for t in threads[column == column[i % len(threads)]].tolist()]}

    right = by_column[:, column].reshape(-1)
    result = counting.judged_result(trace, {"x": x}, {"out": right}, needed={"out": needed})
    return trace, guessed(trace, {"x": x}, "out", result, right, {
        NEXT_ROW: lambda: climbed(args, x, is_down=False),
        OF_THREADS: lambda: climbed(args, x, is_row=False),
        STOPS_EARLY: lambda: climbed(args, x, last=1),
        ADDS: lambda: climbed(args, x, is_f=False),
    })  # fmt: skip


def reduced(args: tuple, observed: object) -> dict[str, str]:
    trace, result = judged_tree(args, observed)
    return {**reasons(trace, result), "result": result}


def ordered_tree(args: tuple, observed: object) -> dict[str, str]:
    trace, result = judged_tree(args, observed)
    return {"barriers": counting.barriers(trace), "races": counting.races(trace), RESULT: result}


def own_cells(args: tuple, trace: counting.Trace) -> str:
    """Check that a thread writes only its own cell, and reads only its own, the one of row r + half, and row 0's."""
    _, height, width, is_columns, *_ = args
    down, across = geometry(height, width, is_columns)
    halves = [1 << step for step in range(int(math.log2(height)))]
    for access in accesses(trace, "shared"):
        row, column = access.thread // down % height, access.thread // across % width
        others = {access.thread + half * down for half in halves if row < half} | {column * across}
        if access.index != access.thread and (access.kind != "load" or access.index not in others):
            does = "reads" if access.kind == "load" else "writes"
            return f"thread {access.thread}, of row {row} of {height}, {does} cell {access.index}"
    return "a thread writes its own, row r reads that of row r + half"


def steps(args: tuple, observed: object) -> dict[str, str]:
    """Judge barriers and shared memory; a thread may keep its partial result, or reload it in every step."""
    trace, result = judged_tree(args, observed)
    _, height, width, *_ = args
    threads, taken = height * width, (height - 1) * width
    depth = int(math.log2(height))
    return {
        RESULT: result,
        "cells": own_cells(args, trace),
        # That there are enough of them is asked by the aspect `barriers`.
        "arrivals of thread 0": counting.within(counting.arrivals(trace), 0, depth + 2),
        "loads of shared memory": counting.of_space(trace, "shared", "load", threads + taken, threads + 2 * taken),
        "stores to shared memory": counting.of_space(trace, "shared", "store", threads, threads + taken),
        "bank conflicts": counting.bank_conflicts(trace),
    }


BLOCK_REDUCE = Check(
    exercise="cuda.reduce.block_reduce",
    arguments=("grid", "height", "width", "is_columns", "f", "seed"),
    aspects=(
        Aspect("ordinary", 2, trees, findings=reduced),
        Aspect("barriers", 3, trees, findings=ordered_tree),
        Aspect("steps", 3, large_trees, findings=steps),
    ),
    mistakes=(
        gives(NEXT_ROW, "row r + half is `half * down` cells away: rows are next to each other only where down is 1"),
        gives(OF_THREADS, "the lower half is `row < half`: a thread's number is not its row"),
        gives(
            STOPS_EARLY,
            "what the step with half = 1 adds is not in the cells: half goes from height // 2 down to 1, and "
            "each thread stores its number in each step",
        ),
        gives(ADDS, "combine two numbers by f: it is not always a sum"),
    ),
    hints={
        "out of bounds": "row r takes in what row r + half has, and only the rows below `half` do",
        "races": "one thread writes a cell that another reads, with no barrier between the two: is it the right cell, "
        "and is there a barrier after the cells are filled and after each step?",
        "barriers": "all threads reach every barrier, also those that have nothing to add: it stands in no `if`",
        "reads before a store": "first every thread puts its value into its own cell",
        "loads of shared memory": "in each step the lower half of the rows takes in what the upper half has, once",
        "result": "row r takes in row r + half, `half * down` cells away; half goes from height // 2 down to 1",
        RESULT: UNLESS_RIGHT,
        "cells": "a thread writes its own cell only; in each step row r, if below half, takes in row r + half",
        "arrivals of thread 0": "halve the rows that are left: log2(height) steps, each with one barrier",
        "stores to shared memory": "a thread writes its cell at first, and once in each step that it takes part in",
        "bank conflicts": "neighboring threads should meet neighboring cells",
        "raised": "no function came, or it stops: the message says at which thread and line",
        "returned None": "the maker ends without `return`",
    },
    probe="cuda.blocks.tree",
    program="cuda.program.reductions",
)

# ---- softmax

BOUNDS = {"float32": 4e-6, "float64": 1e-13}  # of a share, at most 1: a few roundings, also in exp


def plain_rows(rng: random.Random) -> Iterator[Case]:
    for height, width, is_columns, n_rows, n, inner in (
        (1, 1, False, 1, 1, 1), (4, 1, False, 2, 5, 1), (2, 2, False, 3, 7, 1), (1, 4, True, 6, 3, 3),
        (2, 2, False, 4, 3, 1), (2, 4, False, 3, 4, 1), (4, 2, True, 6, 9, 2), (8, 1, False, 2, 21, 1),
        (4, 3, True, 4, 5, 4),
    ):  # fmt: skip
        o, p = rng.randrange(3), rng.randrange(3)
        grid = 2 if n_rows < width or n > 6 else 1  # where there are few rows, the second block has none
        kind = "float64" if inner == 2 or n == 7 else "float32"
        yield Case((grid, height, width, is_columns, n_rows, n, inner, o, p, (), kind, rng.randrange(900)), "result")


def special_rows(rng: random.Random) -> Iterator[Case]:
    for number, special in enumerate((
        ((0, 1, "-inf"),), ((0, None, "-inf"),), ((1, 0, "inf"),), ((0, 0, "-inf"), (0, 1, "-inf"), (0, 2, "-inf")),
        ((0, 0, "large"), (1, 3, "large")), ((1, None, "small"),), ((1, None, "large"),),
        ((0, None, "-inf"), (1, 3, "inf")),  # of the second thread
    )):  # fmt: skip
        height, width, is_columns, inner = ((4, 1, False, 1), (2, 2, False, 1), (2, 2, True, 2))[number % 3]
        n = rng.randrange(5, 9)
        yield Case((1, height, width, is_columns, 2, n, inner, 1, 0, special, "float32", rng.randrange(900)), "special")


def read_rows(args: tuple, observed: object) -> tuple[counting.Trace, np.ndarray, np.ndarray, np.ndarray]:
    """Return the trace, the target and source, and the elements' offsets from the first, of shape (rows, n)."""
    grid, height, width, _, n_rows, n, inner, o, p, special, kind, seed = args
    out, x = rows(n_rows, n, inner, o, p, special, kind, seed)
    trace = counting.read(observed, {"out": out, "x": x}, (grid,), (height * width,))
    row, k = np.indices((n_rows, n))
    return trace, out, x, row // inner * n * inner + row % inner + k * inner


def judged_rows(args: tuple, observed: object) -> tuple[counting.Trace, str]:
    """Return the trace of a case, and the finding on its result."""
    trace, out, x, places = read_rows(args, observed)
    o, p = args[7:9]
    of_row = x[p + places].astype(np.float64)
    with np.errstate(invalid="ignore"):
        powers = np.exp(of_row - of_row.max(1, keepdims=True))
        shares = powers / powers.sum(1, keepdims=True)
    right, bound = out.astype(np.float64), np.zeros(len(out))
    right[o + places], bound[o + places] = shares, BOUNDS[args[10]]
    row_of = {int(cell): (p + places[row]).tolist() for row, cells in enumerate(o + places) for cell in cells}

    def needed(cell: int) -> dict[str, list[int]]:
        return {"x": row_of.get(cell, [])}

    arrays = {"x": x, "out": out}
    result = counting.judged_result(trace, arrays, {"out": right}, {"out": bound}, {"out": needed})

    def merged(merge: Merge) -> np.ndarray:
        made = out.astype(np.float64)
        made[o + places] = shares_with(of_row, args[1], merge)
        return made

    def with_pair_of(thread_of: Callable[[int], int]) -> np.ndarray:
        made = out.astype(np.float64)
        made[o + places] = shares_by(of_row, args, thread_of).astype(args[10])
        return made

    result = reason_of_an_element(trace, "out", result, is_output_alone=False)
    return trace, guessed(trace, arrays, "out", result, right, {
        UNSCALED: lambda: merged(lambda m, s, largest, total, most: s + total),
        MINE: lambda: merged(lambda m, s, largest, total, most: s + total * np.exp(largest - most)),
        OTHER: lambda: merged(lambda m, s, largest, total, most: s * np.exp(m - most) + total),
        COLUMN_ALONE: lambda: with_pair_of(lambda column: column),
        FIRST_ALONE: lambda: with_pair_of(lambda column: 0),
    })  # fmt: skip


Merge = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
UNSCALED = "with totals of different maxima added as they are"
MINE = "with the own total left as it is, though the largest has grown"
OTHER = "with the other total added as it is"
COLUMN_ALONE = "with the pair of thread `column`"
FIRST_ALONE = "with the pair of thread 0"


@np.errstate(all="ignore")
def shares_with(of_row: np.ndarray, height: int, merge: Merge) -> np.ndarray:
    """Compute the softmax of rows of finite numbers with a tree that combines two partial sums by `merge`."""
    most = np.full((len(of_row), height), -np.inf)
    totals = np.zeros_like(most)
    for r in range(min(height, of_row.shape[1])):
        mine = of_row[:, r::height]
        most[:, r] = mine.max(1)
        totals[:, r] = np.exp(mine - most[:, r, None]).sum(1)
    most[most == -np.inf] = -1e30
    half = height // 2
    while half:
        larger = np.maximum(most[:, :half], most[:, half : 2 * half])
        totals[:, :half] = merge(
            most[:, :half], totals[:, :half], most[:, half : 2 * half], totals[:, half : 2 * half], larger
        )
        most[:, :half] = larger
        half //= 2
    return np.exp(of_row - most[:, :1]) / totals[:, :1]


@np.errstate(all="ignore")
def shares_by(of_row: np.ndarray, args: tuple, thread_of: Callable[[int], int]) -> np.ndarray:
    """Compute the softmax of rows if each row reads its largest and its sum from the cell of `thread_of(row)`.

    Args:
        thread_of: number of the row in the block -> number of the thread.
    """
    _, height, width, is_columns, n_rows, n, *_ = args
    down, across = geometry(height, width, is_columns)
    shares = np.empty_like(of_row)
    for row in range(n_rows):
        thread = thread_of(row % width)
        another = row - row % width + thread // across % width
        if another >= n_rows:
            largest, total = float(np.finfo(args[10]).min), 0.0
        else:
            # In the end a thread has its own part of the row, and the parts that it has taken in.
            first, half = thread // down % height, height // 2
            takes = {r: {r} for r in range(height)}
            while half:
                takes |= {r: takes[r] | takes[r + half] for r in range(half)}
                half //= 2
            mine = of_row[another, [k for k in range(n) if k % height in takes[first]]]
            largest = mine.max() if len(mine) else float(np.finfo(args[10]).min)
            total = np.exp(mine - largest).sum()
        shares[row] = np.exp(of_row[row] - largest) / total
    return shares


def shared_out(args: tuple, observed: object) -> dict[str, str]:
    trace, result = judged_rows(args, observed)
    return {**reasons(trace, result), "result": result}


def of_special_rows(args: tuple, observed: object) -> dict[str, str]:
    trace, result = judged_rows(args, observed)
    return {**reasons(trace, result), "special": result}


def is_nan_instead(args: tuple, wanted: Observation, got: Observation) -> bool:
    return first_wrong(wanted, got) == "special" and " is nan, and should be " in got.value["special"]


def is_number_instead(args: tuple, wanted: Observation, got: Observation) -> bool:
    return first_wrong(wanted, got) == "special" and "should be nan" in got.value["special"]


def ordered_rows(args: tuple, observed: object) -> dict[str, str]:
    trace, result = judged_rows(args, observed)
    places = read_rows(args, observed)[3]
    grid, height, width, _, n_rows, n, _, o, _, _, kind, _ = args
    rounds = -(-n_rows // width)  # of all blocks together
    depth = int(math.log2(height))
    block_of = {int(o + cell): (row // width % grid,) for row, cells in enumerate(places) for cell in cells}
    return {
        "barriers": counting.barriers(trace),
        "races": counting.races(trace),
        RESULT: result,
        "loads of x": counting.loads(trace, "x", places.size, 2 * places.size),
        "loads of one thread": most_of_a_thread(trace, "x", -(-rounds // grid) * 2 * -(-n // height)),
        "rows of a block": first_misplaced(
            accesses(trace, "global", "store", "out"), block_of, "block b: rows b * width, ..., in steps of the grid"
        ),
        # One a step does where all threads of a row take part in each, with two buffers in turn.
        "arrivals of thread 0": counting.within(counting.arrivals(trace), rounds * depth, rounds * (depth + 2)),
        "cells of shared memory": shared_cells(trace, kind, 0, 4 * height * width),
    }


ROW_SOFTMAX = Check(
    exercise="cuda.soft_max.row_softmax",
    arguments=("grid", "height", "width", "is_columns", "rows", "n", "inner", "o", "p", "special", "kind", "seed"),
    aspects=(
        Aspect("ordinary", 4, plain_rows, findings=shared_out),
        Aspect("infinite", 2, special_rows, findings=of_special_rows),
        Aspect("barriers", 3, plain_rows, findings=ordered_rows),
    ),
    mistakes=(
        BESIDE_SHARED,
        gives(NOT_STORED, "no thread writes this element: row r, number block * width + column, begins at "
              "r // inner * n * inner + r % inner, and thread `row` of it has elements `row`, row + height, ..."),
        gives(COLUMN_ALONE, "the pair of a row is in the cell of its first thread, which is column * across; `column` "
              "is the number of the row in the block"),
        gives(FIRST_ALONE, "each of the block's `width` rows has a pair of its own, in cell column * across"),
        gives(UNSCALED, "two totals of two different maxima: scale each by e ** (its largest - the larger) first"),
        gives(MINE, "the thread's own total is to be scaled as well: by its old largest, before that is overwritten"),
        gives(OTHER, "the other thread's total is to be scaled as well, by e ** (its largest - the larger of both)"),
        Mistake("NaN is inf - inf, or inf * 0: subtract the largest first; a pair of no elements is (lowest, 0)",
                is_nan_instead),
        Mistake("a row with an inf, or of -inf alone, becomes NaN by itself, if no pair is passed over",
                is_number_instead),
        RACE_FOR_OUTPUT,
    ),
    hints={
        "out of bounds": "a thread whose row is not there has no elements: let its `end` be 0",
        "races": "take the pair of thread + half * down; a barrier before the tree, in each step, before the next rows",
        "barriers": "all threads of a block reach every barrier, also those whose row is not there: none leaves early",
        "reads before a store": "every thread of the block stores its pair, also one without elements",
        "loads of x": "an element is read once for the sum and once to be written; each row is one block's",
        "result": "`sums` is called for a thread's own elements, from x[p + first] on; `height` pairs make the row's",
        "special": "scale each sum by e ** (its largest - the larger of both); a pair of no elements is (lowest, 0)",
        RESULT: UNLESS_RIGHT,
        "cells of shared memory": "a pair for each of the block's `threads`, of the dtype `cells`",
        "arrivals of thread 0": "log2(height) steps make one pair: a barrier before the tree, one a step, one after",
        "loads of one thread": "all threads of a row share its elements: thread r of the row has r, r + height, ...",
        "rows of a block": "block b takes rows b * width, ..., b * width + width - 1, and goes on in steps of the grid",
        "raised": "no kernel came, or it stops: the message says at which thread and line",
        "returned None": "the maker ends without `return`",
    },
    probe="cuda.blocks.softmax",
    program="cuda.program.reductions",
)  # fmt: skip

CHECKS = (BLOCK_REDUCE, ROW_SOFTMAX)
