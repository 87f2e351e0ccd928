"""Reduction kernels: sum, the largest and the smallest, over any dimensions of any geometry.

The plain loop that they replace, `self` being read in the order of the iterator's plan:

    for every output: out = start
    for to, of in zip(offsets of out, repeated along what is reduced, offsets of self):
        out[to] = f(out[to], self[of])

A sum of n floats made one by one is off by up to n roundings. Here it is made of sums of few elements, of pairs of
those, of pairs of pairs and so on, so that no number is added to a much longer sum. Memory is read as it lies: a run of
neighbours of one output by a loop that compiles to vectors, neighbouring outputs side by side.
Mirrors aten/src/ATen/native/cpu/{SumKernel,ReduceOpsKernel}.cpp.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable

from ..aten.iterator_plan import IteratorPlan
from ..aten.native import reduce_ops
from ..dtypes import DTYPES, bool_, dtype
from ..strides import Ints
from .loops import GEOMETRY, INDEX, NUMBA, Compiled, advance, named, rows_of

RUN, CHUNK = 2048, 16  # elements that are reduced one after the other: neighbours in vectors, others
BLOCK = 512  # neighbouring outputs at a time: their accumulators stay in the first cache
LEVELS = 48  # of pairs of pairs: enough for 2**48 runs

# ---- functions of single numbers


def of_two(name: str, of_floats: Callable, of_integers: Callable, of_bools: Callable) -> Callable:
    """An intrinsic of two numbers of one type; each builder makes an instruction of LLVM."""

    def typed(typingctx, a, b):
        build = of_floats if isinstance(a, types.Float) else of_bools if a is types.boolean else of_integers
        return a(a, a), lambda context, builder, signature, args: build(builder, *args)

    typed.__name__ = name
    return intrinsic(typed)


def instruction(name: str) -> Callable:
    """The builder that calls one of LLVM's own functions of two numbers."""

    def build(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
        kind = ir.FunctionType(a.type, (a.type, a.type))
        return builder.call(builder.module.declare_intrinsic(name, (a.type,), kind), (a, b))

    return build


# The order of these sums is the compiler's to choose: else there could be no vectors. As PyTorch's, maximum and minimum
# are NaN where one of the two is.
BUILDER = ir.IRBuilder
plus = of_two("plus", lambda builder, a, b: builder.fadd(a, b, flags=("reassoc", "nsz")), BUILDER.add, BUILDER.or_)
maximum = of_two("maximum", instruction("llvm.maximum"), instruction("llvm.smax"), BUILDER.or_)
minimum = of_two("minimum", instruction("llvm.minimum"), instruction("llvm.smin"), BUILDER.and_)


def sum(total, a):
    """The sum so far and one more."""
    return plus(total, a)


def amax(largest, a):
    """The largest so far, or this one."""
    return maximum(largest, a)


def amin(smallest, a):
    """The smallest so far, or this one."""
    return minimum(smallest, a)


# ---- the walk: which rows, and what their neighbours are


class Walk(NamedTuple):
    """How a reduction reads memory. Geometries are int64 arrays of sizes, then strides in elements, innermost last.

    Attributes:
        kept: (3, n) the dimensions of the output: sizes, strides of the output, of the input.
        rows: (2, n) the dimensions that are reduced: sizes, strides of the input.
        width: neighbouring outputs that are made side by side; 1: each by itself.
        step: of the output from one of these to the next.
    """

    kept: np.ndarray
    rows: np.ndarray
    width: int
    step: int


@functools.lru_cache(maxsize=2048)
def walk_of(plan: IteratorPlan) -> Walk:
    """The walk of a reduction's plan: along neighbours of one output if there are any, else across outputs."""
    out_strides, strides = plan.loop_strides
    dims = range(len(plan.loop_sizes))
    rows = [(plan.loop_sizes[d], strides[d]) for d in dims if plan.reduced[d]]
    kept = [(plan.loop_sizes[d], out_strides[d], strides[d]) for d in dims if not plan.reduced[d]]
    width, step = 1, 0
    run = next((row for row in rows if row[1] == 1), None)
    outputs = next((row for row in kept if row[2] == 1 and row[0] > 1 and row[1]), None)
    if run:
        rows.remove(run)
        rows.append(run)
    elif outputs:
        kept.remove(outputs)
        width, step = outputs[:2]
    return Walk(columns(kept or [(1, 0, 0)]), columns(rows or [(1, 0)]), width, step)


def columns(dimensions: Sequence[Ints]) -> np.ndarray:
    """The geometry of dimensions given as (size, stride, ...) each."""
    return np.array(dimensions, np.int64).T.copy()


# ---- one output


@register_jitable
def reduce_part(f, cast, start, x, p, n, step):
    """The reduction of n elements that lie `step` apart, one after the other; neighbours in vectors."""
    total = start
    if step == 1:
        cells = x[p : p + n]
        for r in range(cells.size):
            total = f(total, cast(cells[r]))
    else:
        for r in range(np.uintp(n)):
            total = f(total, cast(x[np.uintp(p) + r * np.uintp(step)]))
    return total


@register_jitable
def reduce_pairwise(f, cast, start, x, p, rows):
    """The reduction of all rows of one output: parts[k] is that of 2**k parts, if bit k of their count is set."""
    last = rows.shape[1] - 1
    n, step = rows[0, last], rows[1, last]
    size = RUN if step == 1 else CHUNK
    parts, index, cell = np.empty(LEVELS, np.dtype(cast)), np.zeros(last, np.int64), np.array((p,))
    count = 0
    for _ in range(rows_of(rows)):
        for first in range(0, n, size):
            part = reduce_part(f, cast, start, x, cell[0] + first * step, min(size, n - first), step)
            level = 0
            while count >> level & 1:
                part = f(parts[level], part)
                level += 1
            parts[level] = part
            count += 1
        advance(index, cell, rows)
    total = start
    for level in range(LEVELS):
        if count >> level & 1:
            total = f(parts[level], total)
    return total


# ---- neighbouring outputs


@register_jitable
def add_rows(f, cast, sums, x, q, step, n, width):
    """sums[j] = f(sums[j], element j), of each of n rows that lie `step` apart."""
    for r in range(np.uintp(n)):
        row = np.uintp(q) + r * np.uintp(step)
        for j in range(np.uintp(width)):
            sums[j] = f(sums[j], cast(x[row + j]))


@register_jitable
def reduce_across(f, cast, start, sums, x, p, rows, width):
    """sums[0, j] = the reduction of element j of every row, j < width; pairwise as above, on all j at once.

    Args:
        sums: (LEVELS, at least width)
        x, p: flat array, and the cell of the first row's first element.
    """
    last = rows.shape[1] - 1
    n, step = rows[0, last], rows[1, last]
    index, cell = np.zeros(last, np.int64), np.array((p,))
    count = 0
    for _ in range(rows_of(rows)):
        for first in range(0, n, CHUNK):
            level = 0
            while count >> level & 1:
                level += 1
            part = sums[level]
            part[:width] = start
            add_rows(f, cast, part, x, cell[0] + first * step, step, min(CHUNK, n - first), width)
            for lower in range(level):
                for j in range(width):
                    part[j] = f(sums[lower, j], part[j])
            count += 1
        advance(index, cell, rows)
    collect(f, start, sums, count, width)


@register_jitable
def collect(f, start, sums, count, width):
    """sums[0] = the reduction of all levels that are in use."""
    if not count & 1:
        sums[0, :width] = start
    for level in range(1, LEVELS):
        if count >> level & 1:
            for j in range(width):
                sums[0, j] = f(sums[level, j], sums[0, j])


# ---- the kernel


def reduction(f: Callable, cast: Callable) -> Callable:
    """The kernel of a function of (what is accumulated, an element converted by `cast`)."""

    def reduce(out, o, x, p, kept, rows, width, step, start):
        last = kept.shape[1] - 1
        n, out_step, x_step = kept[0, last], kept[1, last], kept[2, last]
        count, row_step = rows[0, rows.shape[1] - 1], rows[1, rows.shape[1] - 1]
        is_part = rows.shape[1] == 1 and count <= (RUN if row_step == 1 else CHUNK)
        sums = np.empty((LEVELS if width > 1 else 0, min(width, BLOCK)), out.dtype)
        index, cells = np.zeros(last, np.int64), np.array((o, p))
        for _ in range(rows_of(kept)):
            for i in range(n):
                o, p = cells[0] + i * out_step, cells[1] + i * x_step
                if width > 1:
                    for first in range(0, width, BLOCK):
                        block = min(BLOCK, width - first)
                        reduce_across(f, cast, start, sums, x, p + first, rows, block)
                        for j in range(block):
                            out[o + (first + j) * step] = sums[0, j]
                elif is_part:
                    out[o] = reduce_part(f, cast, start, x, p, count, row_step)
                else:
                    out[o] = reduce_pairwise(f, cast, start, x, p, rows)
            advance(index, cells, kept)

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
            return (*arrays, GEOMETRY, GEOMETRY, INDEX, INDEX, NUMBA[result])

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
