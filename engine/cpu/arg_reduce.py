"""max, min along a dimension with indices; argmax, argmin.

The plain loop that they replace:

    for every output:
        best, place = x[0], 0
        for r in range(n):
            if x[r] > best or x[r] is NaN and best is not: best, place = x[r], r

Of one output the largest of a run is found first, by vectors, and its place after that, only where the run has a new
largest. Mirrors aten/src/ATen/native/cpu/{TensorCompareKernel,ReduceOpsKernel}.cpp.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from ..aten.native import reduce_extremes
from ..dtypes import DTYPES, dtype
from .loops import GEOMETRY, INDEX, NUMBA, Compiled, named
from .ranges import Ranged
from .reduce import RUN, maximum, minimum
from .reduce_walk import BLOCK, STEPS, find, seek, walk_of


def exceeds(a, best):
    """Whether an element takes the place of the largest so far."""
    return (a > best) | ((a != a) & (best == best))


def falls_below(a, best):
    """Whether an element takes the place of the smallest so far."""
    return (a < best) | ((a != a) & (best == best))


def larger(a, b):
    """The larger of two; NaN if one is."""
    return maximum(a, b)


def smaller(a, b):
    """The smaller of two; NaN if one is."""
    return minimum(a, b)


@register_jitable
def best_of_run(f, x, p, n, step):
    """The best of n elements that lie `step` apart."""
    p, step = np.uintp(p), np.uintp(step)
    best = x[p]
    if step == 1:
        for r in range(np.uintp(n)):
            best = f(best, x[p + r])
    else:
        for r in range(np.uintp(n)):
            best = f(best, x[p + r * step])
    return best


@register_jitable
def best_of_one(f, beats, x, p, n, step):
    """The best of one output, and the first place where it is."""
    best, place = x[p], 0
    for first in range(0, n, RUN):
        m, q = min(RUN, n - first), p + first * step
        found = best_of_run(f, x, q, m, step)
        if beats(found, best):
            best, place = found, first
            if best != best:
                while x[p + place * step] == x[p + place * step]:
                    place += 1
                return best, place
            while x[p + place * step] != best:
                place += 1
    return best, place


@register_jitable
def best_of_many(beats, best, places, x, p, n, step, width):
    """best[j], places[j] of `width` neighbouring outputs."""
    p, step, width = np.uintp(p), np.uintp(step), np.uintp(width)
    for j in range(width):
        best[j], places[j] = x[p + j], 0
    for r in range(np.uintp(n)):
        row = p + r * step
        for j in range(width):
            a = x[row + j]
            is_better = beats(a, best[j])
            best[j] = a if is_better else best[j]
            places[j] = r if is_better else places[j]


def arg_reduction(f: Callable, beats: Callable) -> Callable:
    """The kernel of values and indices; items begin..end of a `Walk`. Pieces leave theirs in `bests` and `wheres`."""

    def reduce(begin, end, bests, wheres, values, v, indices, i, x, p, kept, rows, width, steps, piece):
        index, cells, pieces = np.zeros(kept.shape[1], np.int64), np.array((v, i, p)), max(bests.shape[0], 1)
        origins, mine, n, step = cells.copy(), rows.copy(), rows[0, 0], rows[1, 0]
        best, places = np.empty(min(width, BLOCK), x.dtype), np.empty(min(width, BLOCK), np.int64)
        for item in range(begin, end):
            which, number, block = find(cells, origins, index, kept, rows, mine, steps, width, item, pieces, piece)
            n = mine[0, 0]
            if width > 1:
                best_of_many(beats, best, places, x, cells[2], n, step, block)
            else:
                best[0], places[0] = best_of_one(f, beats, x, cells[2], n, step)
            for j in range(block):
                if pieces > 1:
                    bests[which, number + j], wheres[which, number + j] = best[j], places[j] + which * piece
                else:
                    values[cells[0] + j * steps[0]], indices[cells[1] + j * steps[1]] = best[j], places[j]

    return reduce


def arg_gathering(beats: Callable) -> Callable:
    """The kernel that makes outputs of what the pieces found."""

    def gather(bests, wheres, values, v, indices, i, kept, width, steps):
        index, cells = np.zeros(kept.shape[1], np.int64), np.array((v, i, 0))
        for number in range(bests.shape[1]):
            best, place = bests[0, number], wheres[0, number]
            for s in range(1, bests.shape[0]):
                if beats(bests[s, number], best):
                    best, place = bests[s, number], wheres[s, number]
            cells[0], cells[1] = v, i
            seek(cells, index, kept, number // width)
            j = number % width
            values[cells[0] + j * steps[0]], indices[cells[1] + j * steps[1]] = best, place

    return gather


def arg_kernel(name: str, f: Callable, beats: Callable) -> Callable[[Any], None]:
    """kernel(iter): over the plan and operands (values, indices, self) of `make_reductions`."""
    one, better = register_jitable(f), register_jitable(beats)

    def arrays(kind: dtype) -> tuple:
        return (NUMBA[kind][:, ::1], GEOMETRY, NUMBA[kind][::1], INDEX, STEPS, INDEX)

    def arguments(kind: dtype) -> tuple:
        return (*arrays(kind), NUMBA[kind][::1], INDEX, GEOMETRY, GEOMETRY, INDEX, STEPS, INDEX)

    def gather_signature(kind: dtype) -> tuple:
        return (*arrays(kind), GEOMETRY, INDEX, STEPS)

    loops = Ranged(name, tuple(DTYPES.values()), lambda kind: named(arg_reduction(one, better), f), arguments)
    gathers = Compiled(name, tuple(DTYPES.values()), lambda kind: named(arg_gathering(better), f), gather_signature)

    def kernel(iter: Any) -> None:
        values, indices, x = iter.operands
        kept, rows, width, steps, items, pieces, piece, cost = walk_of(iter.plan)
        shape = (pieces, max(1, values.numel())) if pieces > 1 else (0, 0)
        found = np.empty(shape, x._dtype.numpy), np.empty(shape, np.int64)
        outputs = values._flat(), values._storage_offset, indices._flat(), indices._storage_offset
        first = x._flat(), x._storage_offset
        loops(x._dtype, items, cost, *found, *outputs, *first, kept, rows, width, steps, piece)
        if pieces > 1:
            gathers[x._dtype](*found, *outputs, kept, width, steps)

    return kernel


reduce_extremes.max_stub.register("cpu", arg_kernel("max_cpu", larger, exceeds))
reduce_extremes.min_stub.register("cpu", arg_kernel("min_cpu", smaller, falls_below))
