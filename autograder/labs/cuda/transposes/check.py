"""Checks of the copies of transposed matrices: guards at the edges, transactions, barriers, banks."""

import math
import random
from collections.abc import Iterator

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check
from autograder.labs.cuda.sharing import (
    BESIDE_SHARED,
    NOT_STORED,
    RACE_FOR_OUTPUT,
    RESULT,
    UNLESS_RIGHT,
    first_misplaced,
    gives,
    guessed,
    most_of_a_thread,
    reason_of_an_element,
    reasons,
    shared_cells,
)
from autograder.labs.cuda.transposes.probe import operands
from engine.memory_trace import accesses, segments

ARGUMENTS = ("grid", "side", "threads_y", "rows", "columns", "batch_sizes", "out", "x", "kind", "seed")
ONE = (1,), (0,)  # one matrix: sizes and steps of the batch


def matrix(rng: random.Random, grid: int, side: int, threads_y: int, rows: int, columns: int, kind: str) -> tuple:
    """Draw the arguments of a case with a single matrix, with unused cells before it and after its rows and columns."""
    out = rng.randrange(3), columns + rng.randrange(3), ONE[1]
    x = rng.randrange(3), rows + rng.randrange(3), ONE[1]
    return grid, side, threads_y, rows, columns, ONE[0], out, x, kind, rng.randrange(900)


def ordinary(rng: random.Random) -> Iterator[Case]:
    whole, ragged = ((4, 4), (4, 8), (8, 4)), ((1, 1), (5, 4), (4, 6), (3, 2), (7, 9), (17, 3), (2, 18))
    for number, (rows, columns) in enumerate(whole + ragged):
        about = "whole" if (rows, columns) in whole else "edge"
        yield Case(matrix(rng, (1, 2, 3)[number % 3], 4, (2, 1, 4, 2)[number % 4], rows, columns, "float32"), about)
    yield Case(matrix(rng, 2, 6, 3, 8, 13, "float64"), "edge")
    yield Case(matrix(rng, 3, 3, 1, 10, 5, "int64"), "edge")
    yield Case((2, 4, 2, 5, 6, (3,), (1, 6, (30,)), (0, 5, (31,)), "float32", rng.randrange(900)), "batch")
    yield Case((5, 4, 2, 4, 5, (2, 2), (0, 5, (40, 20)), (2, 17, (4, 85)), "float32", rng.randrange(900)), "batch")


def wide(rng: random.Random) -> Iterator[Case]:
    """Yield cases with tiles as wide as a warp and at least two blocks, each of which gets at most one tile."""
    shapes = (32, 2), (2, 32), (37, 4), (4, 37), (33, 34), (rng.randrange(9, 20), 8)
    for rows, columns in shapes:
        out, x = (0, 64, ONE[1]), (0, 64, ONE[1])
        threads_y = 2 if columns == 2 else 1
        grid = 4 if columns == 34 else 2
        yield Case((grid, 32, threads_y, rows, columns, ONE[0], out, x, "float32", rng.randrange(900)), "edge")


def shared(rng: random.Random) -> Iterator[Case]:
    """Yield the cases of `wide` except for the largest matrix, and two cases with fewer cells, one of small tiles."""
    yield from (case for case in wide(rng) if case.args[3:5] != (33, 34))
    yield Case(matrix(rng, 2, 32, 1, 33, 6, "float32"), "edge")
    yield Case(matrix(rng, 2, 4, 2, 4, 8, "float32"), "edge")


def read(args: tuple, observed: object) -> tuple[counting.Trace, dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Return the trace of a case, its arrays, and the indices of target and source: (batch..., rows, columns)."""
    grid, side, threads_y, rows, columns, batch_sizes, out, x, kind, seed = args
    target, source = operands(rows, columns, batch_sizes, out, x, seed, kind)
    trace = counting.read(observed, {"out": target, "x": source}, (grid,), (side, threads_y))
    places = np.indices((*batch_sizes, rows, columns))
    to, of = (
        first + sum(k * step for k, step in zip(places, steps, strict=True))
        for first, steps in ((out[0], (*out[2], out[1], 1)), (x[0], (*x[2], 1, x[1])))
    )
    return trace, {"out": target, "x": source}, to, of


AS_IT_IS = "copied without exchanging rows and columns"
STEP_OF_X = "the step of `out` taken for the step of `x`, or the other way round"
FIRST = "every matrix of the batch taken from where the first one begins"
AT_0 = "without the first cells, o and p"


def judged(args: tuple, observed: object) -> tuple[counting.Trace, str, np.ndarray, np.ndarray]:
    """Return the trace of a case, the finding on its result, and the indices of target and source."""
    trace, arrays, to, of = read(args, observed)
    *_, rows, columns, batch_sizes, out, x, _, _ = args
    i, j = np.indices(to.shape)[-2:]
    zero = (0,) * len(batch_sizes)
    source_of = dict(zip(to.ravel().tolist(), of.ravel().tolist(), strict=True))

    def needed(cell: int) -> dict[str, list[int]]:
        return {"x": [source_of[cell]] if cell in source_of else []}

    def made(to: np.ndarray, of: np.ndarray) -> np.ndarray:
        result = arrays["out"].copy()
        result[to] = arrays["x"][of]
        return result

    right = made(to, of)
    result = counting.judged_result(trace, arrays, {"out": right}, needed={"out": needed})
    said = guessed(trace, arrays, "out", result, right, {
        AS_IT_IS: lambda: made(to, of - i - j * x[1] + i * x[1] + j),
        STEP_OF_X: lambda: made(to, of - j * x[1] + j * out[1]),
        FIRST: lambda: made(to, x[0] + i + j * x[1] + np.zeros_like(to)) if batch_sizes != zero else made(to, of),
        AT_0: lambda: made(to - out[0], of - x[0]),
    })  # fmt: skip
    return trace, reason_of_an_element(trace, "out", said, is_output_alone=False), to, of


def copied(args: tuple, observed: object) -> dict[str, str]:
    """Return the findings on a copy without shared memory, which needs no barrier."""
    trace, result, to, _ = judged(args, observed)
    return {
        **counting.faults(trace),
        "elements stored": counting.stores(trace, "out", to.size, None),
        "result": result,
    }


def copied_by_tiles(args: tuple, observed: object) -> dict[str, str]:
    trace, result, _, _ = judged(args, observed)
    return {**reasons(trace, result), "result": result}


def ordered(args: tuple, observed: object) -> dict[str, str]:
    trace, result, to, _ = judged(args, observed)
    n, side, tiles = to.size, args[1], tiles_of(args)
    return {
        "barriers": counting.barriers(trace),
        "races": counting.races(trace),
        RESULT: result,
        "loads of shared memory": counting.of_space(trace, "shared", "load", n, tiles * side * side),
        # One does where a block fills two tiles of shared memory in turn.
        "arrivals of thread 0": counting.within(counting.arrivals(trace), tiles, 2 * tiles),
    }


def tiles_of(args: tuple) -> int:
    """Return the total number of tiles in all matrices of a case."""
    _, side, _, rows, columns, batch_sizes, *_ = args
    return math.prod(batch_sizes) * -(-rows // side) * -(-columns // side)


def pieces(places: np.ndarray, side: int) -> int:
    """Count the memory transactions for a matrix of indices if warps access `side` neighbors of a row at a time."""
    return sum(
        segments([4 * int(cell) for cell in row[left : left + side]], 4)
        for row in places.reshape(-1, places.shape[-1])
        for left in range(0, len(row), side)
    )


def owners(args: tuple, to: np.ndarray) -> dict[int, tuple[int, int]]:
    """Map each cell of the target to the (block, thread) that should handle it, from its tile and place in the tile."""
    grid, side, threads_y, rows, columns, batch_sizes, *_ = args
    *_, i, j = np.indices(to.shape)
    down, across = -(-rows // side), -(-columns // side)
    which = np.arange(math.prod(batch_sizes)).reshape(*batch_sizes, 1, 1)
    block = (which * down * across + i // side * across + j // side) % grid
    thread = j % side + side * (i % side % threads_y)
    return {int(cell): (int(b), int(t)) for cell, b, t in zip(*map(np.ravel, (to, block, thread)), strict=True)}


def stores_of_warps(args: tuple, observed: object) -> dict[str, str]:
    trace, result, to, _ = judged(args, observed)
    return _stores_of_warps(args, trace, result, to)


def _stores_of_warps(args: tuple, trace: counting.Trace, result: str, to: np.ndarray) -> dict[str, str]:
    grid, side, threads_y, rows, *_ = args
    share = -(-tiles_of(args) // grid) * -(-min(side, rows) // threads_y)
    stores = accesses(trace, "global", "store", "out")
    return {
        RESULT: result,
        "loads of x": counting.loads(trace, "x", to.size, to.size),
        "stores of out": counting.stores(trace, "out", to.size, to.size),
        "stores of one thread": most_of_a_thread(trace, "out", share, kind="store"),
        "transactions of out": counting.transactions(trace, "out", "store", 1, pieces(to, args[1])),
        "work of a thread": first_misplaced(
            stores, owners(args, to), "block b: tiles b, b + gridDim.x, ...; thread (x, y): column x, rows y, ..."
        ),
    }


def both_of_warps(args: tuple, observed: object) -> dict[str, str]:
    trace, result, to, of = judged(args, observed)
    blocks = {cell: (block,) for cell, (block, _) in owners(args, to).items()}
    stores = accesses(trace, "global", "store", "out")
    return {
        **_stores_of_warps(args, trace, result, to),
        "transactions of x": counting.transactions(trace, "x", "load", 1, pieces(of.swapaxes(-1, -2), args[1])),
        "work of a thread": first_misplaced(stores, blocks, "block b: tiles b, b + gridDim.x, ..."),
    }


def banks(args: tuple, observed: object) -> dict[str, str]:
    trace, result, to, _ = judged(args, observed)
    n, side, kind = to.size, args[1], args[8]
    most = tiles_of(args) * side**2  # an answer may fill a tile that hangs over the edge, with zeros
    return {
        RESULT: result,
        "loads of shared memory": counting.of_space(trace, "shared", "load", n, most),
        "stores to shared memory": counting.of_space(trace, "shared", "store", n, most),
        "cells of shared memory": shared_cells(trace, kind, 0, 2 * side * (side + 1)),
        "bank conflicts": counting.bank_conflicts(trace),
    }


OF_BOTH = {
    "out of bounds": "is a row compared with `rows`, and a column with `columns`, before anything is read or written?",
    "loads of x": "each element of the matrices is loaded once, and nothing beyond the edges",
    "stores of out": "each element of the matrices is stored once, and nothing beyond the edges",
    "result": "out[o + to + i * steps[0] + j] is x[p + of + i + j * steps[1]]; `begin_of` of each matrix gives to, of",
    "whole": "out[o + to + i * steps[0] + j] is x[p + of + i + j * steps[1]]; `begin_of` of each matrix gives to, of",
    "edge": "a tile at the right or lower edge hangs over: compare both indices",
    "batch": "each matrix of the batch begins elsewhere: ask begin_of for it, with the number of the matrix",
    "stores of one thread": "block b has tiles b, b + gridDim.x, ..., thread (x, y) of each rows y, y + threads_y, ...",
    "transactions of out": "threads of a warp differ in threadIdx.x: these should write neighbors of a row",
    RESULT: UNLESS_RIGHT,
    "raised": "no kernel came, or it stops: the message says at which thread and line",
    "returned None": "the maker ends without `return`",
}
HINTS = {
    **OF_BOTH,
    "elements stored": "some element is never stored: a block takes all tiles b, b + gridDim.x, ..., a thread all rows",
    "races": "two threads write one element: a tile is one block's, a column and every threads_y-th row one thread's",
    "barriers": "nothing is shared here, so there is nothing to wait for",
    "work of a thread": "block b takes tiles b, b + gridDim.x, ..., thread (x, y) column x, rows y, y + threads_y, ...",
}
TILE_HINTS = {
    **OF_BOTH,
    "races": "a barrier when the tile is whole, before it is read, and one when it is read, before the next one comes",
    "barriers": "all threads of a block must reach each barrier, also those without an element: put it in no guard",
    "reads before a store": "no thread has filled what is read there: compare the indices and guards of both loops",
    "cells of shared memory": "a tile has side * side cells of the dtype `kind`, and a few more: made of what came",
    "loads of shared memory": "what is written to `out` comes from the tile in shared memory, each element once",
    "stores to shared memory": "each element of the tile is brought to shared memory once",
    "arrivals of thread 0": "at most two barriers a tile: one when it is whole, one when it has been read, in no loop",
    "transactions of x": "threads of a warp differ in threadIdx.x: these should read neighbors of a column",
    "bank conflicts": "32 threads read a column of the tile: with rows of 32 cells, in which banks are its elements?",
    "work of a thread": "block b takes tiles b, b + gridDim.x, ...: of all matrices, each row of tiles by row",
}
MISTAKES = (
    gives(AS_IT_IS, "this is a copy as it is: element (i, j) of the target is at i + j * steps[1] of the source"),
    gives(STEP_OF_X, "steps[0] belongs to the rows of the target, steps[1] to the columns of the source"),
    gives(FIRST, "each matrix of the batch begins elsewhere: ask begin_of for it, with the number of the matrix"),
    gives(AT_0, "the first elements are at cells o and p, not at 0"),
    gives(
        NOT_STORED,
        "no thread stores this element: element (i, j), i < rows and j < columns, is stored in "
        "out[o + to + i * steps[0] + j], with `to` of `begin_of`",
    ),
)

NAIVE_KERNEL = Check(
    exercise="cuda.transpose.transpose_naive_kernel",
    arguments=ARGUMENTS,
    aspects=(
        Aspect("ordinary", 4, ordinary, findings=copied),
        Aspect("neighbors", 3, wide, findings=stores_of_warps),
    ),
    mistakes=MISTAKES,
    hints=HINTS,
    probe="cuda.transposes.naive",
)

TILED_KERNEL = Check(
    exercise="cuda.transpose.transpose_tiled_kernel",
    arguments=ARGUMENTS,
    aspects=(
        Aspect("ordinary", 3, ordinary, findings=copied_by_tiles),
        Aspect("barriers", 3, ordinary, findings=ordered),
        Aspect("neighbors", 2, wide, findings=both_of_warps),
        Aspect("banks", 2, shared, findings=banks),
    ),
    mistakes=(BESIDE_SHARED, *MISTAKES, RACE_FOR_OUTPUT),
    hints=TILE_HINTS,
    probe="cuda.transposes.tiled",
    program="cuda.program.reductions",
)

CHECKS = (NAIVE_KERNEL, TILED_KERNEL)
