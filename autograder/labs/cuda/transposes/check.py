"""Checks of the copies of transposed matrices: guards at the edges, transactions, barriers, banks."""

import math
import random
from collections.abc import Iterator

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check
from autograder.labs.cuda.sharing import most_of_a_thread, reasons, shared_cells
from autograder.labs.cuda.transposes.probe import operands
from engine.memory_trace import segments

ARGUMENTS = ("grid", "side", "threads_y", "rows", "columns", "batch_sizes", "out", "x", "kind", "seed")
ONE = (1,), (0,)  # one matrix: sizes and steps of the batch


def matrix(rng: random.Random, grid: int, side: int, threads_y: int, rows: int, columns: int, kind: str) -> tuple:
    """A case of a single matrix, with gaps behind its rows and columns and cells before them."""
    out = rng.randrange(3), columns + rng.randrange(3), ONE[1]
    x = rng.randrange(3), rows + rng.randrange(3), ONE[1]
    return grid, side, threads_y, rows, columns, ONE[0], out, x, kind, rng.randrange(900)


def ordinary(rng: random.Random) -> Iterator[Case]:
    whole, ragged = ((4, 4), (4, 8), (8, 4)), ((1, 1), (5, 4), (4, 6), (3, 2), (7, 9), (17, 3), (2, 18))
    for rows, columns in whole + ragged:
        about = "whole" if (rows, columns) in whole else "edge"
        grid, threads_y = rng.choice((1, 2, 3)), rng.choice((1, 2, 4))
        yield Case(matrix(rng, grid, 4, threads_y, rows, columns, "float32"), about)
    yield Case(matrix(rng, 2, 6, 3, 8, 13, "float64"), "edge")
    yield Case(matrix(rng, 3, 3, 1, 10, 5, "float32"), "edge")
    yield Case((2, 4, 2, 5, 6, (3,), (1, 6, (30,)), (0, 5, (31,)), "float32", rng.randrange(900)), "batch")
    yield Case((5, 4, 2, 4, 5, (2, 2), (0, 5, (40, 20)), (2, 17, (4, 85)), "float32", rng.randrange(900)), "batch")


def wide(rng: random.Random) -> Iterator[Case]:
    shapes = (32, 2), (2, 32), (37, 4), (4, 37), (33, 6), (rng.randrange(9, 20), 8)
    for number, (rows, columns) in enumerate(shapes):
        out, x = (0, 64, ONE[1]), (0, 64, ONE[1])
        grid, threads_y = 1 + number % 2, 2 if columns == 2 else 1
        yield Case((grid, 32, threads_y, rows, columns, ONE[0], out, x, "float32", rng.randrange(900)), "edge")


def read(args: tuple, observed: object) -> tuple[counting.Trace, dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """The trace of a case, its arrays, and where the elements of target and source lie, (batch..., rows, columns)."""
    grid, side, threads_y, rows, columns, batch_sizes, out, x, kind, seed = args
    target, source = operands(rows, columns, batch_sizes, out, x, seed, kind)
    trace = counting.read(observed, {"out": target, "x": source}, (grid,), (side, threads_y))
    places = np.indices((*batch_sizes, rows, columns))
    to, of = (
        first + sum(k * step for k, step in zip(places, steps, strict=True))
        for first, steps in ((out[0], (*out[2], out[1], 1)), (x[0], (*x[2], 1, x[1])))
    )
    return trace, {"out": target, "x": source}, to, of


def copied(args: tuple, observed: object) -> dict[str, str]:
    trace, arrays, to, of = read(args, observed)
    right = arrays["out"].copy()
    right[to] = arrays["x"][of]
    source_of = dict(zip(to.ravel().tolist(), of.ravel().tolist(), strict=True))

    def needed(cell: int) -> dict[str, list[int]]:
        return {"x": [source_of[cell]] if cell in source_of else []}

    n, result = to.size, counting.judged_result(trace, arrays, {"out": right}, needed={"out": needed})
    return {
        **reasons(trace, result),
        "loads of x": counting.loads(trace, "x", n, n),
        "stores of out": counting.stores(trace, "out", n, n),
        "result": result,
    }


def copied_by_tiles(args: tuple, observed: object) -> dict[str, str]:
    side, kind = args[1], args[8]
    cells = shared_cells(read(args, observed)[0], kind, 0, 2 * side * (side + 1))
    return {**copied(args, observed), "cells of shared memory": cells}


def ordered(args: tuple, observed: object) -> dict[str, str]:
    trace, _, to, _ = read(args, observed)
    side, tiles = args[1], tiles_of(args)
    return {
        "loads of shared memory": counting.of_space(trace, "shared", "load", to.size, tiles * side * side),
        "barriers": counting.barriers(trace),
        "races": counting.races(trace),
        # One does where a block fills two tiles of shared memory in turn.
        "arrivals of thread 0": counting.within(counting.arrivals(trace), tiles, 2 * tiles),
    }


def tiles_of(args: tuple) -> int:
    """Return the number of tiles of all matrices of a case."""
    _, side, _, rows, columns, batch_sizes, *_ = args
    return math.prod(batch_sizes) * -(-rows // side) * -(-columns // side)


def pieces(places: np.ndarray, side: int) -> int:
    """Transactions of a matrix of places, if a warp takes 32 neighbors of a row within a tile."""
    return sum(
        segments([4 * int(cell) for cell in row[left : left + side]], 4)
        for row in places.reshape(-1, places.shape[-1])
        for left in range(0, len(row), side)
    )


def stores_of_warps(args: tuple, observed: object) -> dict[str, str]:
    trace, _, to, _ = read(args, observed)
    grid, side, threads_y, rows, *_ = args
    share = -(-tiles_of(args) // grid) * -(-min(side, rows) // threads_y)
    return {
        "loads of x": counting.loads(trace, "x", to.size, to.size),
        "stores of one thread": most_of_a_thread(trace, "out", share, kind="store"),
        "transactions of out": counting.transactions(trace, "out", "store", 1, pieces(to, args[1])),
    }


def both_of_warps(args: tuple, observed: object) -> dict[str, str]:
    trace, _, to, of = read(args, observed)
    return {
        **stores_of_warps(args, observed),
        "transactions of x": counting.transactions(trace, "x", "load", 1, pieces(of.swapaxes(-1, -2), args[1])),
    }


def banks(args: tuple, observed: object) -> dict[str, str]:
    trace, _, to, _ = read(args, observed)
    most = tiles_of(args) * args[1] ** 2  # an answer may fill a tile that hangs over the edge, with zeros
    return {
        "out of bounds": counting.out_of_bounds(trace),
        "loads of shared memory": counting.of_space(trace, "shared", "load", to.size, most),
        "stores to shared memory": counting.of_space(trace, "shared", "store", to.size, most),
        "bank conflicts": counting.bank_conflicts(trace),
    }


HINTS = {
    "out of bounds": "is a row compared with `rows`, and a column with `columns`, before anything is read or written?",
    "races": "all threads must wait before they read what others wrote, and before they overwrite what others read",
    "barriers": "all threads of a block must reach each barrier, also those without an element: it stands in no guard",
    "reads before a store": "what is read there nobody has written yet: is the tile whole when it is read?",
    "loads of x": "each element of the matrices once: all tiles, all rows of a tile, and nothing beyond the edges",
    "stores of out": "each element of the matrices once: all tiles, all rows of a tile, and nothing beyond the edges",
    "whole": "element (i, j) of a matrix is at i * steps[0] + j in the target, and at i + j * steps[1] in the source",
    "edge": "is element (i, j) at i * steps[0] + j of the target, i + j * steps[1] of the source, from o and p on?",
    "batch": "each matrix of the batch begins elsewhere: ask begin_of for it, with the number of the matrix",
    "stores of one thread": "block b has tiles b, b + gridDim.x, ..., thread (x, y) of each rows y, y + threads_y, ...",
    "transactions of out": "threads of a warp differ in threadIdx.x: these should write neighbours of a row",
    "raised": "no kernel came, or it stops: the message says at which thread and line",
    "returned None": "the maker ends without `return`",
}
TILE_HINTS = {
    **HINTS,
    "cells of shared memory": "a tile has side * side elements of the dtype `kind`, and a few cells more",
    "loads of shared memory": "what is written to `out` comes from the tile in shared memory, each element once",
    "stores to shared memory": "each element of the tile is brought to shared memory once",
    "arrivals of thread 0": "at most two barriers a tile: one when it is whole, one when it has been read",
    "transactions of x": "threads of a warp differ in threadIdx.x: these should read neighbours of a column",
    "bank conflicts": "32 threads read a column of the tile: with rows of 32 cells, in which banks are its elements?",
}

NAIVE_KERNEL = Check(
    exercise="cuda.transpose.naive_kernel",
    arguments=ARGUMENTS,
    aspects=(
        Aspect("ordinary", 4, ordinary, findings=copied),
        Aspect("neighbours", 2, wide, findings=stores_of_warps),
    ),
    hints=HINTS,
    probe="cuda.transposes.naive",
)

TILED_KERNEL = Check(
    exercise="cuda.transpose.tiled_kernel",
    arguments=ARGUMENTS,
    aspects=(
        Aspect("ordinary", 2, ordinary, findings=copied_by_tiles),
        Aspect("barriers", 2, ordinary, findings=ordered),
        Aspect("neighbours", 2, wide, findings=both_of_warps),
        Aspect("banks", 2, wide, findings=banks),
    ),
    hints=TILE_HINTS,
    probe="cuda.transposes.tiled",
)

CHECKS = (NAIVE_KERNEL, TILED_KERNEL)
