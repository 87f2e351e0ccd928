"""var, std and the mean, of one pass over memory.

The plain loop that they replace:

    mean = sum(x) / n
    var = sum((a - mean) ** 2 for a in x) / (n - correction)

That reads memory twice. Here a few elements at a time, which stay in the first cache, give their mean and their sum of
squared distances from it; such results are combined by Chan's formulas, as Welford's method does with single elements.
That method itself says what PyTorch has where the squares overflow. All is computed in float64.
Mirrors aten/src/ATen/native/cpu/ReduceOpsKernel.cpp and SharedReduceOps.h.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from ..aten.native import reduce_moments
from ..dtypes import dtype, float32, float64
from .argument_structs import type_of
from .loops import GEOMETRY, INDEX, NUMBA
from .ranges import Ranged
from .reduce_functions import plus
from .reduce_walk import BLOCK, Collection, Parts, pass_and_collection_of


@register_jitable
def by_single_elements(x, first, count, step):
    """Return the mean of elements `step` apart, and the sum of their squared distances from it, by Welford's method."""
    mean, distances = 0.0, 0.0
    for r in range(count):
        delta = np.float64(x[first + r * step]) - mean
        mean += delta / (r + np.uintp(1))
        distances += delta * (np.float64(x[first + r * step]) - mean)
    return mean, distances


def rows(is_contiguous: bool) -> Callable:
    """Build the kernel that computes the mean of each part of a row, and the sum of squared distances from it."""

    def moments_of_rows(begin, end, means, squares, x, p, kept, cut):
        n, step, size, parts = cut.n, cut.step, cut.size, cut.parts
        stride = np.uintp(1 if is_contiguous else step)
        for item in range(begin, end):
            number, part = item // parts, item % parts
            of, count = p + part * size * step, min(size, n - part * size)
            for d in range(kept.shape[1] - 1, -1, -1):
                of += number % kept[0, d] * kept[2, d]
                number //= kept[0, d]
            q, m, total, distances = np.uintp(of), np.uintp(count), 0.0, 0.0
            for r in range(m):
                total = plus(total, np.float64(x[q + r * stride]))
            mean = total / count
            for r in range(m):
                d = np.float64(x[q + r * stride]) - mean
                distances = plus(distances, d * d)
            if not distances < np.inf:
                mean, distances = by_single_elements(x, q, m, stride)
            means[item], squares[item] = mean, distances

    # Two kernels of one name and signature would be one to the linker.
    moments_of_rows.__qualname__ += ".contiguous" if is_contiguous else ".apart"
    return moments_of_rows


def columns(begin, end, means, squares, x, p, kept, cut):
    """Compute moments of column parts `begin` to `end`, BLOCK columns at once, from distances to a part's first row."""
    n, step, size, parts, width = cut.n, cut.step, cut.size, cut.parts, cut.width
    blocks, stride = -(-width // BLOCK), np.uintp(step)
    for item in range(begin, end):
        block, number = item % blocks, item // blocks
        part, number = number % parts, number // parts
        to, of = item // blocks * width + block * BLOCK, p + block * BLOCK + part * size * step
        for d in range(kept.shape[1] - 1, -1, -1):
            of += number % kept[0, d] * kept[2, d]
            number //= kept[0, d]
        at, origin, m, count = np.uintp(to), np.uintp(of), np.uintp(min(BLOCK, width - block * BLOCK)), n - part * size
        count = min(count, size)
        for j in range(m):
            means[at + j], squares[at + j] = 0, 0
        for r in range(np.uintp(1), np.uintp(count)):
            a = origin + r * stride
            for j in range(m):
                distance = np.float64(x[a + j]) - np.float64(x[origin + j])
                means[at + j] += distance
                squares[at + j] += distance * distance
        for j in range(m):
            mean = means[at + j] / count
            squares[at + j] -= mean * means[at + j]
            means[at + j] = np.float64(x[origin + j]) + mean
            if not squares[at + j] < np.inf:
                means[at + j], squares[at + j] = by_single_elements(x, origin + j, np.uintp(count), stride)


def collect(begin, end, out, o, of_means, m, means, squares, collection, cut, correction, take_sqrt):
    """Combine the moments of parts into outputs `begin` to `end`. `of_means` is written only if `kept` has its strides.

    Args:
        collection, cut: a `Collection` and the `Parts` of the pass before.
    """
    kept, units, step = collection.kept, collection.units, collection.step
    n, size, parts = cut.n, cut.size, cut.parts
    operand = kept.shape[0] - 1
    for item in range(begin, end):
        to, at, of, number = o, m, 0, item
        for d in range(kept.shape[1] - 1, -1, -1):
            index, number = number % kept[0, d], number // kept[0, d]
            to += index * kept[1, d]
            at += index * kept[2, d]
            of += index * kept[operand, d]
        count, mean, distances = 0.0, 0.0, 0.0
        for unit in range(units):
            more = min(size, n - unit % parts * size)
            share = more / max(count + more, 1.0)
            delta = means[of] - mean
            mean += delta * share
            distances += squares[of] + delta * (delta * share * count)  # 0 of the first, not inf * 0
            count += more
            of += step
        variance = distances / max(count - correction, 0.0)
        out[to] = np.sqrt(variance) if take_sqrt else variance
        if operand > 2:
            of_means[at] = mean


FLAG, KINDS, FLOATS = NUMBA[float64], (float32, float64), NUMBA[float64][::1]


def arguments(kind: dtype) -> tuple:
    """Return numba's types of the arguments of `rows` and `columns` after the range."""
    return (FLOATS, FLOATS, NUMBA[kind][::1], INDEX, GEOMETRY, type_of(Parts, kind))


def arguments_of_collect(kind: dtype) -> tuple:
    """Return numba's types of the arguments of `collect` after the range."""
    outputs = (NUMBA[kind][::1], INDEX) * 2
    return (*outputs, FLOATS, FLOATS, type_of(Collection, kind), type_of(Parts, kind), FLAG, INDEX)


LOOPS = {
    "rows": Ranged("std_var_cpu", KINDS, lambda kind: rows(is_contiguous=True), arguments),
    "apart": Ranged("std_var_cpu", KINDS, lambda kind: rows(is_contiguous=False), arguments),
    "columns": Ranged("std_var_cpu", KINDS, lambda kind: columns, arguments),
}
COLLECT = Ranged("std_var_cpu", KINDS, lambda kind: collect, arguments_of_collect)


def std_var(iter: Any, correction: float, take_sqrt: bool) -> None:
    """Compute var or std over operands of `make_reduction`, or var_mean or std_mean over `make_reductions`' ones."""
    out, *others, x = iter.operands
    of_means = others[0] if others else out
    first, collection = pass_and_collection_of(iter.plan)
    means, squares = np.empty(first.outputs), np.empty(first.outputs)
    inputs = x._flat(), x._storage_offset
    LOOPS[first.shape](x._dtype, first.items, 2 * first.cost, means, squares, *inputs, first.kept, first.cut)
    outputs = out._flat(), out._storage_offset, of_means._flat(), of_means._storage_offset
    cost = 8 * collection.units
    COLLECT(x._dtype, collection.items, cost, *outputs, means, squares, collection, first.cut, correction, take_sqrt)


reduce_moments.std_var_stub.register("cpu", std_var)
reduce_moments.std_var_mean_stub.register("cpu", std_var)
