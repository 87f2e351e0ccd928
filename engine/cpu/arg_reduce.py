"""max, min along a dimension with indices; argmax, argmin.

The plain loop that they replace:

    for every output:
        best, place = x[0], 0
        for r in range(n):
            if x[r] > best or x[r] is NaN and best is not: best, place = x[r], r

Along rows, amax or amin finds the best of each part, by vectors; where it is, is looked for afterwards, in one part.
Columns keep value and place side by side. Mirrors aten/src/ATen/native/cpu/{TensorCompareKernel,ReduceOpsKernel}.cpp.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from ..aten.iterator_plan import IteratorPlan
from ..aten.native import reduce_extremes
from ..dtypes import DTYPES, dtype, int64
from .argument_structs import type_of
from .loops import GEOMETRY, INDEX, NUMBA, named
from .ranges import Ranged
from .reduce import loop_of, run_pass
from .reduce_functions import amax, amin, highest, itself, lowest, unchanged
from .reduce_walk import BLOCK, STEPS, Parts, pass_and_collection_of


def exceeds(a, best):
    """Return True if `a` replaces `best`, the largest element so far: it is larger, or the first NaN."""
    return (a > best) | ((a != a) & (best == best))


def falls_below(a, best):
    """Return True if `a` replaces `best`, the smallest element so far: it is smaller, or the first NaN."""
    return (a < best) | ((a != a) & (best == best))


def locating(beats: Callable) -> Callable:
    """Build the kernel that writes the best element of outputs begin..end and its first index, given each part's best.

    `kept` has the strides of values, indices, bests and x; `cut` is a `Parts`.
    """

    def locate(begin, end, values, v, indices, i, x, p, bests, kept, cut, units):
        step, size = cut.step, cut.size
        for item in range(begin, end):
            to, at, of, b, number = v, i, p, 0, item
            for d in range(kept.shape[1] - 1, -1, -1):
                index, number = number % kept[0, d], number // kept[0, d]
                to += index * kept[1, d]
                at += index * kept[2, d]
                b += index * kept[3, d]
                of += index * kept[4, d]
            best, place = bests[b], 0
            for s in range(1, units):
                if beats(bests[b + s], best):
                    best, place = bests[b + s], s
            place *= size
            of += place * step
            while x[of] != best and (best == best or x[of] == x[of]):
                of += step
                place += 1
            values[to], indices[at] = x[of], place

    return locate


def best_of_columns(beats: Callable) -> Callable:
    """Build the kernel that finds each column's best element and its row, in parts begin..end, BLOCK columns at once.

    `cut` is a `Parts`.
    """

    def reduce_columns(begin, end, bests, places, x, p, kept, cut):
        n, step, size, parts, width = cut.n, cut.step, cut.size, cut.parts, cut.width
        blocks = -(-width // BLOCK)
        for item in range(begin, end):
            block, number = item % blocks, item // blocks
            part, number = number % parts, number // parts
            to, of = item // blocks * width + block * BLOCK, p + block * BLOCK + part * size * step
            for d in range(kept.shape[1] - 1, -1, -1):
                of += number % kept[0, d] * kept[2, d]
                number //= kept[0, d]
            at, m = np.uintp(to), np.uintp(min(BLOCK, width - block * BLOCK))
            for j in range(m):
                bests[at + j], places[at + j] = x[np.uintp(of) + j], part * size
            for r in range(part * size + 1, min(part * size + size, n)):
                of += step
                for j in range(m):
                    a, best = x[np.uintp(of) + j], bests[at + j]
                    is_better = beats(a, best)
                    bests[at + j] = a if is_better else best
                    places[at + j] = r if is_better else places[at + j]

    return reduce_columns


def choosing(beats: Callable) -> Callable:
    """Build the kernel that chooses outputs begin..end among the best elements of parts, which are `step` apart."""

    def choose(begin, end, values, v, indices, i, bests, places, kept, units, step):
        for item in range(begin, end):
            to, at, b, number = v, i, 0, item
            for d in range(kept.shape[1] - 1, -1, -1):
                index, number = number % kept[0, d], number // kept[0, d]
                to += index * kept[1, d]
                at += index * kept[2, d]
                b += index * kept[3, d]
            first = b
            for s in range(1, units):
                if beats(bests[first + s * step], bests[b]):
                    b = first + s * step
            values[to], indices[at] = bests[b], places[b]

    return choose


@functools.lru_cache(maxsize=2048)
def geometry_to_locate(plan: IteratorPlan) -> np.ndarray:
    """Return the sizes, and the strides of the outputs, of the parts' results and of the input, for `locating`."""
    first, collection = pass_and_collection_of(plan)
    return np.concatenate((collection.kept, first.kept[-1:]))


def arg_kernel(name: str, f: Callable, beats: Callable, start_of: Callable[[dtype], Any]) -> Callable[[Any], None]:
    """Build kernel(iter), which finds the best elements and their indices; its operands are values, indices, self.

    Args:
        f: the better of two.
        beats: whether the first is better than the second.
        start_of: dtype -> what none is worse than.
    """
    better = register_jitable(beats)
    outputs, cut = (INDEX, STEPS, INDEX), type_of(Parts, int64)

    def ranged(maker: Callable, arguments: Callable[[Any], tuple]) -> Ranged:
        kinds = tuple(DTYPES.values())
        return Ranged(name, kinds, lambda kind: named(maker(better), beats), lambda kind: arguments(NUMBA[kind][::1]))

    places_of_rows = ranged(locating, lambda x: (x, *outputs, x, INDEX, x, GEOMETRY, cut, INDEX))
    columns = ranged(best_of_columns, lambda x: (x, STEPS, x, INDEX, GEOMETRY, cut))
    choices = ranged(choosing, lambda x: (x, *outputs, x, STEPS, GEOMETRY, INDEX, INDEX))

    def kernel(iter: Any) -> None:
        values, indices, x = iter.operands
        kind, inputs = x._dtype, (x._flat(), x._storage_offset)
        outputs = values._flat(), values._storage_offset, indices._flat(), indices._storage_offset
        first, (kept, units, step, items) = pass_and_collection_of(iter.plan)
        bests = np.empty(first.outputs, kind.numpy)
        if first.shape == "columns":
            places = np.empty(first.outputs, np.int64)
            columns(kind, first.items, 2 * first.cost, bests, places, *inputs, first.kept, first.cut)
            choices(kind, items, units, *outputs, bests, places, kept, units, step)
        else:
            best = loop_of(name, first.shape, kind, f, itself, unchanged)
            run_pass(best, kind, first, (bests, 0), inputs, start_of(kind), 0)
            geometry = geometry_to_locate(iter.plan)
            cost = units + first.cut.size // 2
            places_of_rows(kind, items, cost, *outputs, *inputs, bests, geometry, first.cut, units)

    return kernel


reduce_extremes.max_stub.register("cpu", arg_kernel("max_cpu", amax, exceeds, lowest))
reduce_extremes.min_stub.register("cpu", arg_kernel("min_cpu", amin, falls_below, highest))
