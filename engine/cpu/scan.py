"""cumsum, cumprod, logcumsumexp, cummax, cummin: along one dimension of any geometry.

The plain loop that they replace, for every line of n elements along the dimension:

    total = start
    for r in range(n):
        total = f(total, x[r])
        out[r] = total

Floats are accumulated in float64, as PyTorch does. Lines whose elements are adjacent are made together, row by row.
Mirrors aten/src/ATen/native/cpu/ReduceOpsKernel.cpp, and cummax_helper of aten/src/ATen/native/ReduceOps.cpp.
"""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ..aten.iterator_geometry import loop_over, reorder_dimensions
from ..aten.native import scan_ops
from ..dtypes import DTYPES, dtype, float32, float64, int8, int16, int32, int64, uint8
from ..strides import Ints
from ..tensor_impl import Tensor
from .loops import GEOMETRY, INDEX, NUMBA, named
from .ranges import Ranged
from .reduce_walk import BLOCK, STEPS, columns, seek

# ---- functions of single numbers: what there is so far, and one more


def cumsum(total, a):
    """Return the sum so far plus one more number."""
    return total + a


def cumprod(total, a):
    """Return the product so far times one more number."""
    return total * a


def logcumsumexp(total, a):
    """Return log(e ** total + e ** a), even if the powers are too large for a float."""
    if total != total or a != a:
        return total + a
    least, most = min(total, a), max(total, a)
    if least != most or abs(least) < np.inf:
        return most + math.log1p(math.exp(least - most))
    return a


def cummax(a, best):
    """Return True if `a` replaces `best`, the largest element so far; of equal elements, the last one does."""
    return (a != a) | ((best == best) & (a >= best))


def cummin(a, best):
    """Return True if `a` replaces `best`, the smallest element so far; of equal elements, the last one does."""
    return (a != a) | ((best == best) & (a <= best))


# ---- the walk


class Lines(NamedTuple):
    """The order in which a scan reads memory.

    Attributes:
        kept: (2 + outputs, m) the other dimensions: sizes, strides of each output, of the input.
        length: elements of a line.
        steps: of each output, and of the input, from one element of a line to the next.
        width: neighboring lines that are made side by side.
        items: how many blocks of lines there are.
    """

    kept: np.ndarray
    length: int
    steps: np.ndarray
    width: int
    items: int


@functools.lru_cache(maxsize=2048)
def lines_of(sizes: Ints, dim: int, *strides: Ints) -> Lines:
    """Return the `Lines` along `dim`, given strides of the outputs, then of the input; sizes () are one line."""
    if not sizes:
        sizes, strides = (1,), ((1,),) * len(strides)
    shape = sizes[:dim] + sizes[dim + 1 :]
    steps = tuple(of[dim] for of in strides)
    others = tuple(of[:dim] + of[dim + 1 :] for of in strides)
    loop_sizes, loop_strides = loop_over(shape, others, reorder_dimensions(shape, others))
    kept, width = list(zip(loop_sizes, *loop_strides, strict=True)), 1
    if kept[-1][0] > 1 and set(kept[-1][1:]) == {1} and steps[-1] != 1:
        width = kept.pop()[0]
    kept = kept or [(1, *(0,) * len(strides))]
    items = math.prod(row[0] for row in kept) * -(-width // BLOCK)
    return Lines(columns(kept), sizes[dim], np.array(steps, np.int64), width, items)


# ---- kernels


def scan(f: Callable, start: float, sum_type: Callable) -> Callable:
    """Build the kernel that scans items `begin` to `end` of `Lines` with `f`, a function of single numbers."""

    def along(begin, end, out, o, x, p, kept, count, steps, width):
        blocks, totals = -(-width // BLOCK), np.empty(min(width, BLOCK), np.dtype(sum_type))
        index, cells = np.zeros(kept.shape[1], np.int64), np.array((o, p))
        to_step, step = np.uintp(steps[0]), np.uintp(steps[1])
        for item in range(begin, end):
            cells[0], cells[1] = o, p
            seek(cells, index, kept, item // blocks)
            first = item % blocks * BLOCK
            to, of, n = np.uintp(cells[0] + first), np.uintp(cells[1] + first), np.uintp(min(BLOCK, width - first))
            if width == 1:
                total = sum_type(start)
                for r in range(np.uintp(count)):
                    total = f(total, sum_type(x[of + r * step]))
                    out[to + r * to_step] = total
                continue
            totals[:] = start
            for r in range(np.uintp(count)):
                for j in range(n):
                    totals[j] = f(totals[j], sum_type(x[of + r * step + j]))
                    out[to + r * to_step + j] = totals[j]

    return along


def scan_places(beats: Callable) -> Callable:
    """Build the kernel that scans items `begin` to `end` of `Lines` for values and their indices."""

    def along(begin, end, values, v, indices, i, x, p, kept, count, steps, width):
        blocks, bests, places = -(-width // BLOCK), np.empty(min(width, BLOCK), x.dtype), np.empty(BLOCK, np.int64)
        index, cells = np.zeros(kept.shape[1], np.int64), np.array((v, i, p))
        for item in range(begin, end):
            cells[0], cells[1], cells[2] = v, i, p
            seek(cells, index, kept, item // blocks)
            first = item % blocks * BLOCK
            n = min(BLOCK, width - first)
            for r in range(count):
                to, at, of = cells[0] + first + r * steps[0], cells[1] + first + r * steps[1], cells[2] + first
                of += r * steps[2]
                for j in range(n):
                    a = x[of + j]
                    if r == 0 or beats(a, bests[j]):
                        bests[j], places[j] = a, r
                    values[to + j], indices[at + j] = bests[j], places[j]

    return along


# ---- from a table to kernels

NUMBERS = (float32, float64, uint8, int8, int16, int32, int64)


def scan_kernel(name: str, f: Callable, start: float, kinds: tuple[dtype, ...]) -> Callable[..., None]:
    """Build kernel(out, self, dim); both have the same sizes and dtype, and are not empty."""
    single = register_jitable(f)

    def loop(kind: dtype) -> Callable:
        sum_type = np.float64 if kind.is_floating_point else kind.numpy.type
        return named(scan(single, start, sum_type), f)

    def arguments(kind: dtype) -> tuple:
        return (*(NUMBA[kind][::1], INDEX) * 2, GEOMETRY, INDEX, STEPS, INDEX)

    loops = Ranged(name, kinds, loop, arguments)

    def kernel(out: Tensor, x: Tensor, dim: int) -> None:
        kept, count, steps, width, items = lines_of(x._sizes, dim, out._strides, x._strides)
        outputs = out._flat(), out._storage_offset
        loops(
            x._dtype,
            items,
            2 * count * min(width, BLOCK),
            *outputs,
            x._flat(),
            x._storage_offset,
            kept,
            count,
            steps,
            width,
        )

    return kernel


def scan_places_kernel(name: str, beats: Callable) -> Callable[..., None]:
    """Build kernel(values, indices, self, dim); all have the same sizes, and are not empty."""
    single = register_jitable(beats)

    def arguments(kind: dtype) -> tuple:
        arrays = (NUMBA[kind][::1], INDEX, STEPS, INDEX, NUMBA[kind][::1], INDEX)
        return (*arrays, GEOMETRY, INDEX, STEPS, INDEX)

    loops = Ranged(name, tuple(DTYPES.values()), lambda kind: named(scan_places(single), beats), arguments)

    def kernel(values: Tensor, indices: Tensor, x: Tensor, dim: int) -> None:
        kept, count, steps, width, items = lines_of(x._sizes, dim, values._strides, indices._strides, x._strides)
        outputs = values._flat(), values._storage_offset, indices._flat(), indices._storage_offset
        loops(
            x._dtype,
            items,
            2 * count * min(width, BLOCK),
            *outputs,
            x._flat(),
            x._storage_offset,
            kept,
            count,
            steps,
            width,
        )

    return kernel


scan_ops.cumsum_stub.register("cpu", scan_kernel("cumsum_out_cpu", cumsum, 0, NUMBERS))
scan_ops.cumprod_stub.register("cpu", scan_kernel("cumprod_out_cpu", cumprod, 1, NUMBERS))
scan_ops.logcumsumexp_stub.register(
    "cpu", scan_kernel("logcumsumexp_out_cpu", logcumsumexp, -np.inf, (float32, float64))
)
scan_ops.cummax_helper_stub.register("cpu", scan_places_kernel("cummax_cpu", cummax))
scan_ops.cummin_helper_stub.register("cpu", scan_places_kernel("cummin_cpu", cummin))
