"""How a reduction reads memory: the dimensions that stay, those that are reduced, and what lies side by side.

The plain loop that a walk stands for:

    for (o, p) in cells of kept:              # o: of the output, p: the first cell of its input
        for r in cells of rows:
            for j in range(width):            # neighbouring outputs
                out[o + j * step] = f(out[o + j * step], x[p + r + j])

Geometries are int64 arrays of sizes, then strides in elements, innermost last.
"""

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import register_jitable

from ..aten.iterator_plan import IteratorPlan
from ..strides import Ints

STEPS = types.int64[::1]

BLOCK = 512  # neighbouring outputs at a time: their accumulators stay in the first cache
PIECE = 65536  # elements of one output, at least, that are worth a partial result of their own
FEW = 64  # outputs, at most, that are made of partial results: more keep all threads busy without
MOST_PIECES = 256  # of one output


class Walk(NamedTuple):
    """How a reduction reads memory.

    Attributes:
        kept: (2 + outputs, n) the dimensions of the output: sizes, strides of each output, of the input.
        rows: (2, n) the dimensions that are reduced: sizes, strides of the input.
        width: neighbouring outputs that are made side by side; 1: each by itself.
        steps: of each output from one of these to the next.
        items: how many blocks of outputs there are, each in `pieces`.
        pieces: each output is made of so many partial results.
        piece: so many indices of the outermost of `rows` make one.
        cost: elements of an item.
    """

    kept: np.ndarray
    rows: np.ndarray
    width: int
    steps: np.ndarray
    items: int
    pieces: int
    piece: int
    cost: int


@functools.lru_cache(maxsize=2048)
def walk_of(plan: IteratorPlan) -> Walk:
    """The walk of a reduction's plan: along neighbours of one output if there are any, else across outputs.

    How an output is cut in pieces follows from the geometry alone, so that results do not depend on threads.
    """
    *out_strides, strides = plan.loop_strides
    dims = range(len(plan.loop_sizes))
    rows = [(plan.loop_sizes[d], strides[d]) for d in dims if plan.reduced[d]]
    kept = [(plan.loop_sizes[d], *(of[d] for of in out_strides), strides[d]) for d in dims if not plan.reduced[d]]
    width, steps = 1, (0,) * len(out_strides)
    run = next((row for row in rows if row[1] == 1), None)
    outputs = next((row for row in kept if row[-1] == 1 and row[0] > 1 and row[1]), None)
    if run:
        rows.remove(run)
        rows.append(run)
    elif outputs:
        kept.remove(outputs)
        width, *steps = outputs[:-1]
    rows = rows or [(1, 0)]
    kept = kept or [(1, *(0,) * len(out_strides), 0)]
    blocks = math.prod(row[0] for row in kept) * -(-width // BLOCK)
    per_index = math.prod(row[0] for row in rows[1:]) * min(width, BLOCK)
    pieces, piece = pieces_of(rows[0][0], per_index) if blocks < FEW else (1, rows[0][0])
    per_item = piece * per_index
    return Walk(
        columns(kept), columns(rows), width, np.array(steps, np.int64), blocks * pieces, pieces, piece,
        per_item,
    )  # fmt: skip


def pieces_of(count: int, per_index: int) -> tuple[int, int]:
    """How many pieces `count` indices of `per_index` elements make, and how many indices one has.

    >>> pieces_of(100, 1), pieces_of(2**22, 1), pieces_of(10, 2**20)
    ((1, 100), (64, 65536), (10, 1))
    """
    piece = max(-(-PIECE // per_index), -(-count // MOST_PIECES))
    if 2 * piece > count > 1 and per_index < PIECE:
        return 1, count
    return -(-count // piece), piece


def columns(dimensions: Sequence[Ints]) -> np.ndarray:
    """The geometry of dimensions given as (size, stride, ...) each."""
    return np.array(dimensions, np.int64).T.copy()


@register_jitable
def seek(cells, index, geometry, number):
    """The odometer of `geometry` at place `number`.

    Args:
        cells: (operands,) each operand's first cell at place 0; moved there.
        index: (ndim,) set to the place.
    """
    for d in range(index.size - 1, -1, -1):
        index[d] = number % geometry[0, d]
        number //= geometry[0, d]
        for k in range(cells.size):
            cells[k] += index[d] * geometry[k + 1, d]


@register_jitable
def find(cells, origins, index, kept, rows, mine, steps, width, item, pieces, piece):
    """What an item is.

    Args:
        cells, origins: (operands,) the cells of the item's first output and input are left in `cells`; those of the
            walk's beginning.
        mine: as `rows`; the rows of this piece are left there.
    Returns:
        which piece, the number of the first output in contiguous order, how many neighbouring outputs.
    """
    blocks = -(-width // BLOCK)
    which, number = item % pieces, item // pieces
    first, number = number % blocks * BLOCK, number // blocks
    cells[:] = origins
    seek(cells, index, kept, number)
    for k in range(steps.size):
        cells[k] += first * steps[k]
    cells[steps.size] += first + which * piece * rows[1, 0]
    mine[:] = rows
    mine[0, 0] = min(piece, rows[0, 0] - which * piece)
    return which, number * width + first, min(BLOCK, width - first)
