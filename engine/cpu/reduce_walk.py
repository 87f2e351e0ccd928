"""The order in which a reduction reads memory: in passes, each of which reduces short rows, or columns of few rows.

The plain loop that a pass replaces:

    for (o, p) in cells of kept:                   # o: of the output, p: the first cell of its input
        for s in range(parts):                     # a long row is cut in parts
            for r in range(s * size, min(s * size + size, n)):
                out[o + s] = f(out[o + s], x[p + r * step])

Elements of one output are cut in parts of at most `size`, whose results are neighbors in memory that the next pass
reduces, until one is left. No number is added to a much longer sum, and how parts are cut follows from the geometry
alone, so threads change no digit. Geometries are int64 arrays of sizes, then strides in elements, innermost last.
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
from .argument_structs import Int64Table

STEPS = types.int64[::1]

BLOCK = 512  # columns at a time: their accumulators stay in the first cache
NEIGHBOURS, APART, CHUNK = 4096, 1024, 128  # the elements of a part: of a row in vectors, of another, of a column
NARROW = 4  # columns, at least, that are worth being made side by side


class Parts(NamedTuple):
    """The parts into which a pass divides rows or columns, as kernels read them.

    Attributes:
        n, step: elements of a row or column, and from one to the next.
        size, parts: elements of a part, and how many parts there are.
        width: columns side by side; 1 for rows.
    """

    n: int
    step: int
    size: int
    parts: int
    width: int


class Pass(NamedTuple):
    """One pass of a reduction.

    Attributes:
        shape: "rows", of neighbors; "apart", rows of elements that are `step` apart; "columns", side by side.
        kept: (3, m) the dimensions of the results: sizes, strides of the output, of the input.
        cut: the parts of what is reduced.
        items: how many indices the kernel has.
        cost: elements of an item.
        outputs: how many results are left for the next pass; 0 if this is the last one.
    """

    shape: str
    kept: np.ndarray
    cut: Parts
    items: int
    cost: int
    outputs: int


class Collection(NamedTuple):
    """The geometry for combining the results of one pass into outputs, by a function that is not a reduction.

    Attributes:
        kept: (2 + outputs, m) sizes, strides of each output, of the results.
        units, step: how many results an output has, and from one to the next.
        items: how many outputs there are.
    """

    kept: Int64Table
    units: int
    step: int
    items: int


Dimension = tuple[int, ...]
"""Size, strides of the outputs, stride of the input."""


@functools.lru_cache(maxsize=2048)
def passes_of(plan: IteratorPlan) -> tuple[Pass, ...]:
    """Return the passes that compute a reduction."""
    kept, rows, outputs = geometry_of(plan)
    passes = [first_pass(kept, rows, outputs)]
    while passes[-1].outputs:
        kept, rows = what_is_left(kept, passes[-1], is_columns(kept, rows))
        passes.append(first_pass(kept, rows, outputs))
    return tuple(passes)


@functools.lru_cache(maxsize=2048)
def pass_and_collection_of(plan: IteratorPlan) -> tuple[Pass, Collection]:
    """Return a first pass that leaves contiguous results, and the `Collection` that combines them into outputs."""
    kept, rows, outputs = geometry_of(plan)
    first = first_pass(kept, rows, outputs, is_partial=True)
    left, [(units, step)] = what_is_left(kept, first, is_columns(kept, rows))
    items = math.prod(k[0] for k in left)
    return first, Collection(columns(left or [(1, *(0,) * outputs, 0)]), units, step, items)


def geometry_of(plan: IteratorPlan) -> tuple[list[Dimension], list[Ints], int]:
    """Return the kept dimensions, the reduced ones as (size, stride) pairs, and the number of outputs."""
    *outs, strides = plan.loop_strides
    dims = range(len(plan.loop_sizes))
    rows: list[Ints] = [(plan.loop_sizes[d], strides[d]) for d in dims if plan.reduced[d]]
    kept = [(plan.loop_sizes[d], *(of[d] for of in outs), strides[d]) for d in dims if not plan.reduced[d]]
    if any(row[0] == 0 for row in rows):
        rows = [(0, 1)]
    return kept, rows or [(1, 0)], len(outs)


def is_columns(kept: Sequence[Dimension], rows: Sequence[Ints]) -> bool:
    """Return True if adjacent elements in memory belong to adjacent outputs."""
    return not any(row[1] == 1 for row in rows) and any(at_column(k) for k in kept)


def at_column(dimension: Dimension) -> bool:
    """Return True if the input is contiguous along a kept dimension that has at least NARROW indices."""
    return dimension[-1] == 1 and dimension[0] >= NARROW


def first_pass(kept: list[Dimension], rows: list[Ints], outputs: int, is_partial: bool = False) -> Pass:
    """Return the first pass of a reduction of `rows`."""
    across = next(k for k in kept if at_column(k)) if is_columns(kept, rows) else None
    shape, size, inner = "rows", NEIGHBOURS, next((row for row in rows if row[1] == 1), rows[-1])
    if across:
        shape, size, inner = "columns", CHUNK, max(rows)
    elif inner[1] != 1:
        shape, size = "apart", APART
    outer = list(rows)
    outer.remove(inner)
    n, parts, width = inner[0], max(1, -(-inner[0] // size)), across[0] if across else 1
    units = parts * math.prod(row[0] for row in outer)
    is_partial = is_partial or units > 1 or (across is not None and set(across[1:-1]) != {1})
    dims = [k for k in kept if k is not across] + [(row[0], *(0,) * outputs, row[1]) for row in outer]
    if is_partial:
        dims = contiguous(dims, parts * width)
    count = math.prod(d[0] for d in dims) * parts
    return Pass(
        shape, columns([(d[0], d[1], d[-1]) for d in dims] or [(1, 0, 0)]),
        Parts(n, inner[1], size, parts, width),
        count * -(-width // BLOCK), min(n, size) * min(width, BLOCK), count * width * is_partial,
    )  # fmt: skip


def what_is_left(kept: list[Dimension], done: Pass, was_columns: bool) -> tuple[list[Dimension], list[Ints]]:
    """Return the geometry of a pass's results: the dimensions that the next pass keeps and those that it reduces."""
    across = next(k for k in kept if at_column(k)) if was_columns else None
    others = list(kept)
    if across:
        others.remove(across)
    each = done.outputs // max(1, math.prod(k[0] for k in others))
    left = [(k[0], *k[1:-1], c[-2]) for k, c in zip(others, contiguous(others, each), strict=True)]
    if across:
        units = each // across[0]
        return [*left, (*across[:-1], 1)], [(units, across[0] if units > 1 else 1)]
    return left, [(each, 1)]


def contiguous(dims: Sequence[Dimension], stride: int) -> list[Dimension]:
    """Return the dimensions with contiguous strides of the outputs, where the innermost stride is `stride`."""
    result: list[Dimension] = []
    for size, *strides in reversed(dims):
        result.insert(0, (size, *(stride,) * (len(strides) - 1), strides[-1]))
        stride *= size
    return result


def columns(dimensions: Sequence[Ints]) -> np.ndarray:
    """Return the geometry array of dimensions that are given as (size, stride, ...) tuples."""
    return np.array(dimensions, np.int64).T.copy()


@register_jitable
def seek(cells, index, geometry, number):
    """Move the odometer of `geometry` from place 0 to place `number`.

    Args:
        cells: (operands,) each operand's first cell at place 0; moved there.
        index: (ndim,) set to the place.
    """
    for d in range(index.size - 1, -1, -1):
        index[d] = number % geometry[0, d]
        number //= geometry[0, d]
        for k in range(cells.size):
            cells[k] += index[d] * geometry[k + 1, d]
