"""cumsum, cumprod, logcumsumexp, cummax, cummin: along one dimension of any geometry.

The plain loop that they replace, for every line of n elements along the dimension:

    total = start
    for r in range(n):
        total = f(total, x[r])
        out[r] = total

Threads share lines as rows of reductions, tile after tile. In a tile, element r takes in element r - 1, then what r - 2
has by then, r - 4, ... (Hillis and Steele); then what came before the tile. Where there are too few lines to keep the
device busy they are cut in parts, whose totals a launch before finds. Floats are accumulated in float64, as on the CPU.
Of cummax and cummin a total is a place. Mirrors aten/src/ATen/native/cuda/{ScanUtils.cuh,ScanKernels.cpp}.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..aten.empty_tensor import new_tensor
from ..aten.iterator_geometry import loop_over, reorder_dimensions
from ..aten.native import scan_ops
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..compiled import memo
from ..cpu.loops import NUMBA
from ..cpu.scan import NUMBERS, cummax, cummin, cumprod, cumsum, logcumsumexp
from ..dtypes import DTYPES, dtype, float32, float64, int64
from ..strides import Ints
from . import reduce_functions
from .driver import cuda
from .launch import blocks_of, launch
from .loops import device_function
from .reduce_walk import ENOUGH, LEAST, THREADS, shares_of

offset = device_function(reduce_functions.offset)
PARTS = 256  # of a line, at most: each block goes through the totals of those before it

# ---- totals: f joins two, `element` makes the total of one element, `write` stores one; x[p + r * step] is element r


class Totals(NamedTuple):
    """The device functions for the running totals of a scan, which are numbers or indices of numbers."""

    f: Any
    element: Any
    write: Any


def numbers(function: Callable, cast: Callable) -> Totals:
    """Return the `Totals` of a scan by a function of two numbers, such as a running sum."""
    of_two = device_function(function)

    def f(total, a, x, p, step):
        return of_two(total, a)

    def element(x, p, step, r):
        return cast(x[p + r * step])

    def write(out, to, indices, at, total, x, p, step):
        out[to] = total

    return Totals(device_function(f), device_function(element), device_function(write))


def places(beats: Callable) -> Totals:
    """Return the `Totals` of a scan that tracks the index of the best number so far; -1 means none."""
    is_better = device_function(beats)

    def f(place, other, x, p, step):
        if place < 0 or other < 0:
            return max(place, other)
        return other if is_better(x[p + other * step], x[p + place * step]) else place

    def element(x, p, step, r):
        return r

    def write(out, to, indices, at, place, x, p, step):
        out[to], indices[at] = x[p + place * step], place

    return Totals(device_function(f), device_function(element), device_function(write))


# ---- the kernel


def scan(name: str, totals: Totals, kind: dtype, is_last: bool) -> Any:
    """Build the kernel that scans each part of the lines separately.

    Args:
        kind: the dtype of totals.
        is_last: whether it writes outputs, or the totals of parts into `carries`, part by part.
    """
    cells, (f, element, write) = NUMBA[kind], totals

    def along(out, o, indices, i, x, p, carries, lines, start):
        held = cuda.shared.array((2, THREADS), cells)
        count, n, parts, size = lines.counts
        sizes, strides, steps, step = lines.sizes, lines.strides, lines.steps, lines.steps[-1]
        height, width, down, across = lines.shares
        thread, blocks, block = cuda.threadIdx.x, (count + width - 1) // width, cuda.blockIdx.x
        row, column = thread // down % height, thread // across % width
        while block < blocks * parts:
            part, number = block // blocks, block % blocks * width + column
            first, stop, k = p + offset(number, sizes, strides[-1]), min(part * size + size, n), number
            end, before, carry = stop if number < count else 0, part * size, start
            while is_last and number < count and k < part * count:
                carry = f(carry, carries[k], x, first, step)
                k += count
            while before < stop:
                r, now, ahead = before + row, 0, 1
                held[0, thread] = element(x, first, step, r) if r < end else start
                cuda.syncthreads()
                while ahead < height:
                    total = held[now, thread]
                    if row >= ahead:
                        total = f(held[now, thread - ahead * down], total, x, first, step)
                    held[1 - now, thread] = total
                    now, ahead = 1 - now, 2 * ahead
                    cuda.syncthreads()
                if is_last and r < end:
                    total, far = f(carry, held[now, thread], x, first, step), o + offset(number, sizes, strides[0])
                    place = i + offset(number, sizes, strides[-2]) + r * steps[-2]
                    write(out, far + r * steps[0], indices, place, total, x, first, step)
                carry = f(carry, held[now, (height - 1) * down + column * across], x, first, step)
                cuda.syncthreads()
                before += height
            if not is_last and row == 0 and number < count:
                carries[part * count + number] = carry
            block += cuda.gridDim.x

    along.__name__ = along.__qualname__ = name if is_last else f"{name}_of_parts"
    return cuda.jit(along)


# ---- the walk


class Lines(NamedTuple):
    """The order in which a scan reads memory; its kernel takes the whole record.

    Attributes:
        sizes, strides: of the other dimensions; strides of each output, then of the input.
        steps: of each output, and of the input, from one element of a line to the next.
        counts: lines, elements of each, parts of each, elements of a part.
        shares: of `shares_of`.
    """

    sizes: Ints
    strides: tuple[Ints, ...]
    steps: Ints
    counts: Ints
    shares: Ints


@functools.lru_cache(maxsize=2048)
def lines_along(sizes: Ints, dim: int, *strides: Ints) -> Lines:
    """Return the walk over lines along `dim`; strides of outputs, then the input. A scalar counts as a line of one."""
    if not sizes:
        sizes, strides = (1,), ((1,),) * len(strides)
    shape, steps, n = sizes[:dim] + sizes[dim + 1 :], tuple(of[dim] for of in strides), sizes[dim]
    others = tuple(of[:dim] + of[dim + 1 :] for of in strides)
    kept, of_kept = loop_over(shape, others, reorder_dimensions(shape, others))
    lines = math.prod(kept)
    shares = shares_of(lines, n, lines > 1 and of_kept[-1][-1] < steps[-1])
    height, width, _, _ = shares
    parts = max(1, min(PARTS, -(-ENOUGH * width // lines), n // (height * LEAST)))
    size = -(-n // parts)
    return Lines(kept, of_kept, steps, (lines, n, -(-n // size), size), shares)


# ---- from a table to kernels


def scan_kernel(
    name: str, function: Callable, start: float, kinds: tuple[dtype, ...], of_places: bool = False
) -> Callable[..., None]:
    """Build kernel(out, self, dim) or kernel(values, indices, self, dim), for non-empty tensors of one shape and dtype.

    Args:
        function: of two numbers; of places, whether the first takes the place of the second.
        start: the total of no elements.
    """

    @memo
    def kernel_of(kind: dtype, is_last: bool) -> Any:
        totals = places(function) if of_places else numbers(function, kind.numpy.type)
        return scan(function.__name__, totals, kind, is_last)

    def kernel(*tensors: Any) -> None:
        *operands, dim = tensors
        out, x = operands[0], operands[-1]
        if x._dtype not in kinds:
            raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[x._dtype]}'")
        kind = int64 if of_places else float64 if x._dtype.is_floating_point else x._dtype
        lines = lines_along(x._sizes, dim, *(tensor._strides for tensor in operands))
        count, _, parts, _ = lines.counts
        carries = new_tensor((count * parts,), (1,), kind, x._storage.device)._flat()
        places = operands[-2]
        cells = [part for tensor in (out, places, x) for part in (tensor._flat(), tensor._storage_offset)]
        grid, block = blocks_of("reduction", -(-count // lines.shares[1]) * parts)
        for is_last in (False, True) if parts > 1 else (True,):
            launch(kernel_of(kind, is_last), grid, block, *cells, carries, lines, kind.numpy.type(start))

    return kernel


FLOATS, ALL = (float32, float64), tuple(DTYPES.values())
scan_ops.cumsum_stub.register("cuda", scan_kernel("cumsum_cuda", cumsum, 0, NUMBERS))
scan_ops.cumprod_stub.register("cuda", scan_kernel("cumprod_cuda", cumprod, 1, NUMBERS))
scan_ops.logcumsumexp_stub.register("cuda", scan_kernel("logcumsumexp_cuda", logcumsumexp, -np.inf, FLOATS))
scan_ops.cummax_helper_stub.register("cuda", scan_kernel("cummax_cuda", cummax, -1, ALL, of_places=True))
scan_ops.cummin_helper_stub.register("cuda", scan_kernel("cummin_cuda", cummin, -1, ALL, of_places=True))
