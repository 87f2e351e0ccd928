"""var, std and the mean, of one pass over memory.

The plain loop that they replace:

    mean = sum(x) / n
    var = sum((a - mean) ** 2 for a in x) / (n - correction)

That reads memory twice. Here a few elements at a time, which stay in the first cache, give their mean and their sum of
squared distances from it; two such results are combined by Chan's formulas, as Welford's method does with single
elements. All is computed in float64. Mirrors aten/src/ATen/native/cpu/ReduceOpsKernel.cpp and SharedReduceOps.h.
"""

from typing import Any

import numpy as np
from numba.extending import register_jitable

from ..aten.native import reduce_moments
from ..dtypes import dtype, float32, float64
from .loops import GEOMETRY, INDEX, NUMBA, Compiled, advance, rows_of
from .ranges import Ranged
from .reduce import plus
from .reduce_walk import BLOCK, STEPS, find, seek, walk_of

RUN, CHUNK = 2048, 16  # elements whose mean is found at a time: neighbours, others


@register_jitable
def combine(count, mean, squares, more, mean_of_more, squares_of_more):
    """Mean and sum of squared distances of `count` and `more` elements together."""
    share = more / (count + more)
    delta = mean_of_more - mean
    return mean + delta * share, squares + squares_of_more + delta * delta * share * count


@register_jitable
def moments_of_run(x, p, n, step):
    """Mean and sum of squared distances of n elements that lie `step` apart."""
    p, step, total, squares = np.uintp(p), np.uintp(step), 0.0, 0.0
    if step == 1:
        for r in range(np.uintp(n)):
            total = plus(total, np.float64(x[p + r]))
        mean = total / n
        for r in range(np.uintp(n)):
            d = np.float64(x[p + r]) - mean
            squares = plus(squares, d * d)
        return mean, squares
    for r in range(np.uintp(n)):
        total = plus(total, np.float64(x[p + r * step]))
    mean = total / n
    for r in range(np.uintp(n)):
        d = np.float64(x[p + r * step]) - mean
        squares = plus(squares, d * d)
    return mean, squares


@register_jitable
def moments_of_one(x, p, rows):
    """Mean and sum of squared distances of one output."""
    last = rows.shape[1] - 1
    n, step = rows[0, last], rows[1, last]
    if last == 0 and n <= RUN:
        return moments_of_run(x, p, n, step)
    index, cell = np.zeros(last, np.int64), np.array((p,))
    count, mean, squares = 0, 0.0, 0.0
    for _ in range(rows_of(rows)):
        for first in range(0, n, RUN):
            more = min(RUN, n - first)
            found = moments_of_run(x, cell[0] + first * step, more, step)
            mean, squares = combine(count, mean, squares, more, *found)
            count += more
        advance(index, cell, rows)
    return mean, squares


@register_jitable
def moments_of_many(means, squares, sums, x, p, rows, width):
    """means[j], squares[j] of `width` neighbouring outputs.

    Args:
        sums: (2, at least width) to work with.
    """
    last, width = rows.shape[1] - 1, np.uintp(width)
    n, step = rows[0, last], np.uintp(rows[1, last])
    index, cell = np.zeros(last, np.int64), np.array((p,))
    count = 0
    more, distances = sums[0], sums[1]
    means[:] = 0
    squares[:] = 0
    for _ in range(rows_of(rows)):
        for first in range(0, n, CHUNK):
            m, q = min(CHUNK, n - first), np.uintp(cell[0]) + np.uintp(first) * step
            more[:] = 0
            distances[:] = 0
            for r in range(np.uintp(m)):
                for j in range(width):
                    more[j] += x[q + r * step + j]
            for j in range(width):
                more[j] /= m
            for r in range(np.uintp(m)):
                for j in range(width):
                    d = x[q + r * step + j] - more[j]
                    distances[j] += d * d
            for j in range(width):
                means[j], squares[j] = combine(count, means[j], squares[j], m, more[j], distances[j])
            count += m
        advance(index, cell, rows)


@register_jitable
def result_of(squares, count, correction, take_sqrt):
    """The variance; NaN or infinite if there is no degree of freedom."""
    variance = squares / max(count - correction, 0.0)
    return np.sqrt(variance) if take_sqrt else variance


def moments(begin, end, partials, out, o, of_means, m, x, p, kept, rows, width, steps, piece, correction, take_sqrt):
    """The kernel; items begin..end of a `Walk`. Pieces leave mean and squares in partials[0] and [1].

    `of_means` and its cell m are looked at only if the walk has a second output.
    """
    index, pieces, has_means = np.zeros(kept.shape[1], np.int64), max(partials.shape[1], 1), steps.size > 1
    cells = np.array((o, m, p)) if has_means else np.array((o, p))
    origins, mine, count = cells.copy(), rows.copy(), rows_of(rows) * rows[0, rows.shape[1] - 1]
    means, squares = np.empty(min(width, BLOCK)), np.empty(min(width, BLOCK))
    sums = np.empty((2, min(width, BLOCK)))
    for item in range(begin, end):
        which, number, n = find(cells, origins, index, kept, rows, mine, steps, width, item, pieces, piece)
        if width > 1:
            moments_of_many(means, squares, sums, x, cells[steps.size], mine, n)
        else:
            means[0], squares[0] = moments_of_one(x, cells[steps.size], mine)
        for j in range(n):
            if pieces > 1:
                partials[0, which, number + j], partials[1, which, number + j] = means[j], squares[j]
                continue
            out[cells[0] + j * steps[0]] = result_of(squares[j], count, correction, take_sqrt)
            if has_means:
                of_means[cells[1] + j * steps[1]] = means[j]


def gather(partials, out, o, of_means, m, kept, rows, width, steps, piece, correction, take_sqrt):
    """The kernel that makes outputs of what the pieces found."""
    index, has_means, last = np.zeros(kept.shape[1], np.int64), steps.size > 1, rows.shape[1] - 1
    cells = np.array((o, m, 0)) if has_means else np.array((o, 0))
    origins, all_rows = cells.copy(), rows_of(rows) * rows[0, last]
    per_index = all_rows // rows[0, 0]
    for number in range(partials.shape[2]):
        count, mean, squares = 0, 0.0, 0.0
        for s in range(partials.shape[1]):
            more = min(piece, rows[0, 0] - s * piece) * per_index
            mean, squares = combine(count, mean, squares, more, partials[0, s, number], partials[1, s, number])
            count += more
        cells[:] = origins
        seek(cells, index, kept, number // width)
        j = number % width
        out[cells[0] + j * steps[0]] = result_of(squares, count, correction, take_sqrt)
        if has_means:
            of_means[cells[1] + j * steps[1]] = mean


FLAG = NUMBA[float64]


def arguments(kind: dtype) -> tuple:
    """numba's types of the arguments of `moments` after the range."""
    arrays = (FLAG[:, :, ::1], *(NUMBA[kind][::1], INDEX) * 3)
    return (*arrays, GEOMETRY, GEOMETRY, INDEX, STEPS, INDEX, FLAG, INDEX)


def gather_signature(kind: dtype) -> tuple:
    """numba's types of the arguments of `gather`."""
    return (
        FLAG[:, :, ::1], *(NUMBA[kind][::1], INDEX) * 2, GEOMETRY, GEOMETRY, INDEX, STEPS, INDEX, FLAG, INDEX,
    )  # fmt: skip


LOOPS = Ranged("std_var_cpu", (float32, float64), lambda kind: moments, arguments)
GATHERS = Compiled("std_var_cpu", (float32, float64), lambda kind: gather, gather_signature)


def std_var(iter: Any, correction: float, take_sqrt: bool) -> None:
    """Over the plan and operands of `make_reduction` or, with means, of `make_reductions`."""
    out, *others, x = iter.operands
    means = others[0] if others else out
    kept, rows, width, steps, items, pieces, piece, cost = walk_of(iter.plan)
    partials = np.empty((2, pieces, max(1, out.numel())) if pieces > 1 else (2, 0, 0))
    outputs = out._flat(), out._storage_offset, means._flat(), means._storage_offset
    last = piece, correction, take_sqrt
    LOOPS(x._dtype, items, 2 * cost, partials, *outputs, x._flat(), x._storage_offset, kept, rows, width, steps, *last)
    if pieces > 1:
        GATHERS[x._dtype](partials, *outputs, kept, rows, width, steps, *last)


reduce_moments.std_var_stub.register("cpu", std_var)
reduce_moments.std_var_mean_stub.register("cpu", std_var)
