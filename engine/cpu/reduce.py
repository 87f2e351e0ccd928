"""Reduction kernels: sum by cascade, the largest and the smallest, over any dimensions of any geometry.

The plain loop that they replace, `self` being read in the order of the iterator's plan:

    for every output: out = start
    for to, of in zip(offsets of out, repeated along what is reduced, offsets of self):
        out[to] = f(out[to], self[of])

A sum of n floats made one by one is off by up to n roundings. Here it is made of chunks, chunks of chunks and so on,
so that no number is added to a much longer sum. Memory is read in rows of neighbours, each of which has an accumulator
of its own: they are neighbouring outputs, or neighbours of one output that are added up at the end.
Mirrors aten/src/ATen/native/cpu/{SumKernel,ReduceOpsKernel}.cpp.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import register_jitable

from ..aten.iterator_plan import IteratorPlan
from ..aten.native import reduce_ops
from ..dtypes import DTYPES, bool_, dtype
from ..strides import Ints
from .loops import GEOMETRY, INDEX, NUMBA, Compiled, advance, named, rows_of

LANES = 32  # accumulators of one output
BLOCK = 512  # neighbouring outputs at a time: their accumulators stay in the first cache
CHUNK, LEVELS = 16, 4  # rows of a chunk, chunks of a chunk of chunks; how often

# ---- functions of single numbers


def sum(total, a):
    """total + a"""
    return total + a


def amax(largest, a):
    """The larger of two; nan stays, and replaces all else."""
    return largest if largest >= a or largest != largest else a


def amin(smallest, a):
    """The smaller of two; nan stays, and replaces all else."""
    return smallest if smallest <= a or smallest != smallest else a


# ---- the walk: which rows, and what their neighbours are


class Walk(NamedTuple):
    """How a reduction reads memory. Geometries are int64 arrays of sizes, then strides in elements, innermost last.

    Attributes:
        kept: (3, n) the dimensions of the output: sizes, strides of the output, of the input; the last is a dummy.
        rows: (2, n) the rows of one output: sizes, strides of the input.
        tail: (2, n) the elements of one output that fill no row.
        tail_start: the first of them, in elements from the output's first.
        width: elements of a row.
        step: of the output from one element of a row to the next; 0: they are of one output.
    """

    kept: np.ndarray
    rows: np.ndarray
    tail: np.ndarray
    tail_start: int
    width: int
    step: int


@functools.lru_cache(maxsize=2048)
def walk_of(plan: IteratorPlan) -> Walk:
    """The walk of a reduction's plan: rows lie along the dimension in which the input's elements are neighbours."""
    out_strides, strides = plan.loop_strides
    dims = range(len(plan.loop_sizes))
    rows = [(plan.loop_sizes[d], strides[d]) for d in dims if plan.reduced[d]]
    kept = [(plan.loop_sizes[d], out_strides[d], strides[d]) for d in dims if not plan.reduced[d]]
    tail, tail_start, width, step = [(0, 0)], 0, 1, 0
    long_row = next((row for row in rows if row[1] == 1 and row[0] >= 2 * LANES), None)
    outputs = next((row for row in kept if row[2] == 1 and row[0] > 1 and row[1]), None)
    if long_row:
        rows.remove(long_row)
        count, left = divmod(long_row[0], LANES)
        tail, tail_start, width = [*rows, (left, 1)], count * LANES, LANES
        rows.append((count, LANES))
    elif outputs and not any(row[1] == 1 for row in rows):
        kept.remove(outputs)
        width, step = outputs[:2]
    return Walk(columns([*kept, (1, 0, 0)]), columns(rows or [(1, 0)]), columns(tail), tail_start, width, step)


def columns(dimensions: Sequence[Ints]) -> np.ndarray:
    """The geometry of dimensions given as (size, stride, ...) each."""
    return np.array(dimensions, np.int64).T.copy()


# ---- the kernel


@register_jitable
def merge(f, start, accumulators, width, merges):
    """Move level 0 up to level 1, and each level that has taken CHUNK moves then up to the next."""
    for level in range(1, LEVELS):
        for j in range(width):
            accumulators[level, j] = f(accumulators[level, j], accumulators[level - 1, j])
            accumulators[level - 1, j] = start
        if merges % CHUNK:
            return
        merges //= CHUNK


@register_jitable
def add_rows(f, cast, sums, x, q, step, n, width):
    """sums[j] = f(sums[j], element j), of each of n rows that lie `step` apart."""
    for r in range(np.uintp(n)):
        row = np.uintp(q) + r * np.uintp(step)
        for j in range(np.uintp(width)):
            sums[j] = f(sums[j], cast(x[row + j]))


@register_jitable
def accumulate(f, cast, start, accumulators, x, p, rows, width, index, cells):
    """accumulators[0, j] = the reduction of element j of every row, j < width.

    Args:
        x, p: flat array, and the cell of the first row's first element.
        index, cells: room for the odometer.
    """
    last = rows.shape[1] - 1
    n, step = rows[0, last], rows[1, last]
    stops = rows_of(rows)
    levels = LEVELS if stops * n > CHUNK else 1
    for level in range(levels):
        for j in range(width):
            accumulators[level, j] = start
    index[:] = 0
    cells[0] = p
    sums = accumulators[0]
    pending = merges = 0
    for _ in range(stops):
        for first in range(0, n, CHUNK):
            end = min(first + CHUNK, n)
            q, left = cells[0] + first * step, end - first
            if width == 1:
                total = sums[0]
                for r in range(np.uintp(left)):
                    total = f(total, cast(x[np.uintp(q) + r * np.uintp(step)]))
                sums[0] = total
            elif width == LANES:  # known to the compiler
                add_rows(f, cast, sums, x, q, step, left, LANES)
            else:
                add_rows(f, cast, sums, x, q, step, left, width)
            pending += left
            if pending >= CHUNK and levels > 1:
                pending = 0
                merges += 1
                merge(f, start, accumulators, width, merges)
        advance(index, cells, rows)
    for level in range(1, levels):
        for j in range(width):
            accumulators[0, j] = f(accumulators[0, j], accumulators[level, j])


def reduction(f: Callable, cast: Callable) -> Callable:
    """The kernel of a function of (what is accumulated, an element converted by `cast`)."""

    def reduce(out, o, x, p, kept, rows, tail, tail_start, width, step, start):
        accumulators = np.empty((LEVELS, min(width, BLOCK)), out.dtype)
        stop, cells = np.zeros(kept.shape[1] - 1, np.int64), np.array((o, p))
        index, cell = np.zeros(rows.shape[1] - 1, np.int64), np.zeros(1, np.int64)
        for _ in range(rows_of(kept)):
            o, p = cells
            if step:
                for first in range(0, width, BLOCK):
                    block = min(BLOCK, width - first)
                    accumulate(f, cast, start, accumulators, x, p + first, rows, block, index, cell)
                    for j in range(block):
                        out[o + (first + j) * step] = accumulators[0, j]
            else:
                if rows.shape[1] == 1 and rows[0, 0] * width <= CHUNK:
                    total = start
                    for r in range(np.uintp(rows[0, 0])):
                        total = f(total, cast(x[np.uintp(p) + r * np.uintp(rows[1, 0])]))
                    out[o] = total
                    advance(stop, cells, kept)
                    continue
                accumulate(f, cast, start, accumulators, x, p, rows, width, index, cell)
                half = width // 2
                while half:
                    for j in range(half):
                        accumulators[0, j] = f(accumulators[0, j], accumulators[0, half + j])
                    half //= 2
                total = accumulators[0, 0]
                if tail[0, -1]:
                    accumulate(f, cast, start, accumulators, x, p + tail_start, tail, 1, index, cell)
                    total = f(total, accumulators[0, 0])
                out[o] = total
            advance(stop, cells, kept)

    return reduce


def reduction_kernel(name: str, f: Callable, start_of: Callable[[dtype], Any]) -> Callable[[Any], None]:
    """kernel(iter): the reduction over the plan and operands of `make_reduction`; elements become the output's dtype.

    Args:
        start_of: dtype -> the number from which the reduction starts.
    """

    def compiled(result: dtype) -> Compiled:
        def loop(kind: dtype) -> Callable:
            return named(reduction(register_jitable(f), result.numpy.type), f)

        def signature(kind: dtype) -> tuple:
            arrays = (NUMBA[result][::1], INDEX, NUMBA[kind][::1], INDEX)
            return (*arrays, GEOMETRY, types.int64[:, ::1], types.int64[:, ::1], INDEX, INDEX, INDEX, NUMBA[result])

        return Compiled(name, tuple(DTYPES.values()), loop, signature)

    loops = {kind: compiled(kind) for kind in DTYPES.values()}
    starts = {kind: start_of(kind) for kind in DTYPES.values()}

    def kernel(iter: Any) -> None:
        out, x = iter.operands
        loop = loops[out._dtype][x._dtype]
        first = out._storage_offset, x._flat(), x._storage_offset
        loop(out._flat(), *first, *walk_of(iter.plan), starts[out._dtype])

    return kernel


def lowest(kind: dtype) -> Any:
    """The number that no other of the dtype is below."""
    if kind is bool_:
        return False
    return -np.inf if kind.is_floating_point else int(np.iinfo(kind.numpy).min)


def highest(kind: dtype) -> Any:
    """The number that no other of the dtype is above."""
    if kind is bool_:
        return True
    return np.inf if kind.is_floating_point else int(np.iinfo(kind.numpy).max)


reduce_ops.sum_stub.register("cpu", reduction_kernel("sum_cpu", sum, lambda kind: 0))
reduce_ops.amax_stub.register("cpu", reduction_kernel("amax_cpu", amax, lowest))
reduce_ops.amin_stub.register("cpu", reduction_kernel("amin_cpu", amin, highest))
