"""Reduction kernels: each output is made by the threads of a block, of a part of their elements each, then by a tree.

The plain loop that a launch replaces, `Walk` (reduce_walk) telling the places:

    for to, row in zip(offsets of out, offsets of rows in x):
        total = start
        for far in offsets of elements in a row: total = f(total, element(x[row + far]))
        out[to] = finish(total)

No number is added to a sum of more than 256 others, but to sums of as many; the order follows from the geometry alone.
Mirrors aten/src/ATen/native/cuda/{Reduce.cuh,ReduceOps.cpp}.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..aten.empty_tensor import new_tensor
from ..aten.native import reduce_extremes, reduce_norms, reduce_ops, reduce_truth
from ..aten.stubs import DispatchStub
from ..compiled import memo
from ..cpu.loops import NUMBA
from ..cpu.reduce_functions import (
    any_root,
    highest,
    is_nonzero,
    itself,
    lowest,
    one,
    power,
    quotient,
    size_of,
    square,
    unchanged,
    unless_nan,
    zero,
)
from ..dtypes import dtype
from . import reduce_functions
from .driver import cuda
from .launch import blocks_of, launch
from .loops import device_function
from .reduce_functions import amax, amin, prod, root, sum
from .reduce_walk import THREADS, walks_of

offset = device_function(reduce_functions.offset)


def of_line(f: Callable, element: Callable, cast: Callable) -> Callable:
    """Return a device function that reduces the elements r, r + height, ... below `end` of a row along one dimension.

    Four loads are on their way at a time. Places are unsigned: below 0 numba would count from the end of the array.
    """

    def take_in(x, first, r, end, height, rows, steps, start, parameter):
        total = one = two = three = start
        cell, far = np.uint64(first + r * steps[0]), np.uint64(height * steps[0])
        after = far + far
        while r + 3 * height < end:
            a, b, c, d = x[cell], x[cell + far], x[cell + after], x[cell + after + far]
            total, one = f(total, element(cast, a, parameter)), f(one, element(cast, b, parameter))
            two, three = f(two, element(cast, c, parameter)), f(three, element(cast, d, parameter))
            cell += after + after
            r += 4 * height
        while r < end:
            total = f(total, element(cast, x[cell], parameter))
            cell += far
            r += height
        return f(f(total, one), f(two, three))

    return take_in


def of_rows(f: Callable, element: Callable, cast: Callable) -> Callable:
    """Return a device function that reduces a row along several dimensions."""

    def take_in(x, first, r, end, height, rows, steps, start, parameter):
        total = one = start
        while r + height < end:
            a, b = x[first + offset(r, rows, steps)], x[first + offset(r + height, rows, steps)]
            total, one = f(total, element(cast, a, parameter)), f(one, element(cast, b, parameter))
            r += 2 * height
        if r < end:
            total = f(total, element(cast, x[first + offset(r, rows, steps)], parameter))
        return f(total, one)

    return take_in


def block_reduce(f: Callable) -> Callable:
    """Return a device function that combines the values of a block's threads as a tree, in log2(height) steps.

    A block of `height * width` threads makes `width` results at a time. Each result has `height` threads, numbered by
    `row`. The thread with the next higher row has a number that is `down` higher. In each step the lower half of the
    threads that are left take in the values of the upper half: row r takes in row r + half.

    All threads of the block reach log2(height) + 1 barriers, and at most one more. A thread stores its cell once at
    first, and at most once in each step that it takes part in. In such a step it loads the other thread's cell once. It
    may load its own cell each time, or keep its value in a register.

    Args:
        f: a device function of two numbers, which it takes in either order.
    Returns:
        A plain function, of which the engine makes a device function. All threads of a block call it, also threads
        that have nothing to add, with the arguments
        partial: array in shared memory, with a cell for each thread of the block.
        value: this thread's value.
        thread: this thread's number, and the only cell of `partial` that it writes.
        row, height, down: as above; `height` is a power of two, and may be 1.
        Afterwards all threads of the block find the result in `partial[thread]` of the thread with row 0.

    Source: block_x_reduce, block_y_reduce (aten/src/ATen/native/cuda/Reduce.cuh).
    """

    def tree(partial, value, thread, row, height, down):
        partial[thread] = value
        cuda.syncthreads()
        half = height >> 1
        while half > 0:
            if row < half:
                partial[thread] = f(partial[thread], partial[thread + half * down])
            cuda.syncthreads()
            half >>= 1

    return tree


@memo
def reduction(f: Callable, element: Callable, finish: Callable, result: dtype, is_line: bool) -> Any:
    """Build the reduction kernel, in which each block reduces its outputs' rows, or parts of these rows.

    Args:
        f: of what there is so far, and one more.
        element: what becomes of an element before, of (cast, element, parameter).
        finish: what becomes of the result, of (result, parameter).
        result: the dtype of accumulation.
        is_line: whether one dimension is reduced.
    """
    name, cells = f"{f.__name__}_reduce", NUMBA[result]
    f, finish = device_function(f), device_function(finish)
    tree = device_function(block_reduce(f))
    take_in = device_function((of_line if is_line else of_rows)(f, device_function(element), result.numpy.type))

    def reduce(out, o, x, p, walk, start, parameter):
        partial = cuda.shared.array(THREADS, cells)
        parts, size = walk.parts, walk.size
        height, width, down, across = walk.shares
        thread, blocks, block = cuda.threadIdx.x, (walk.outputs + width - 1) // width, cuda.blockIdx.x
        row, column = thread // down % height, thread // across % width
        while block < blocks * parts:
            part, number = block // blocks, block % blocks * width + column
            total = start
            if number < walk.outputs:
                first, end = p + offset(number, walk.sizes, walk.strides), min(part * size + size, walk.n)
                total = take_in(x, first, part * size + row, end, height, walk.rows, walk.steps, start, parameter)
            tree(partial, total, thread, row, height, down)
            if row == 0 and number < walk.outputs:
                far = part * walk.outputs + number if parts > 1 else offset(number, walk.sizes, walk.out_strides[0])
                out[o + far] = finish(partial[thread], parameter)
            cuda.syncthreads()
            block += cuda.gridDim.x

    reduce.__name__ = reduce.__qualname__ = name
    return cuda.jit(reduce)


def reduction_kernel(
    f: Callable, start_of: Callable[[dtype], Any], element: Callable = itself, finish: Callable = unchanged
) -> Callable[..., None]:
    """Build kernel(iter, parameter): a reduction over the plan and operands of `make_reduction`, in the output's dtype.

    Args:
        start_of: dtype -> the number from which the reduction starts.
    """

    def kernel(iter: Any, parameter: float = 0) -> None:
        out, x = iter.operands
        kind = out._dtype
        start, parameter = (kind.numpy.type(number) for number in (start_of(kind), parameter))
        inputs, before = (x._flat(), x._storage_offset), element
        for walk in walks_of(iter.plan):
            is_last = walk.parts == 1
            held = out if is_last else new_tensor((walk.outputs * walk.parts,), (1,), kind, out._storage.device)
            outputs = held._flat(), held._storage_offset
            made = reduction(f, before, finish if is_last else unchanged, kind, len(walk.rows) == 1)
            launch(made, *blocks_of("reduction", walk.blocks), *outputs, *inputs, walk, start, parameter)
            inputs, before = outputs, itself

    return kernel


KERNELS: tuple[tuple[DispatchStub, Callable[..., None]], ...] = (
    (reduce_ops.sum_stub, reduction_kernel(sum, zero)),
    (reduce_ops.nansum_stub, reduction_kernel(sum, zero, unless_nan)),
    (reduce_ops.mean_stub, reduction_kernel(sum, zero, finish=quotient)),
    (reduce_ops.prod_stub, reduction_kernel(prod, one)),
    (reduce_ops.count_nonzero_stub, reduction_kernel(sum, zero, is_nonzero)),
    (reduce_extremes.amax_stub, reduction_kernel(amax, lowest)),
    (reduce_extremes.amin_stub, reduction_kernel(amin, highest)),
    (reduce_truth.and_stub, reduction_kernel(amin, highest)),
    (reduce_truth.or_stub, reduction_kernel(amax, lowest)),
)
NORMS: dict[float | None, Callable[..., None]] = {
    0.0: reduction_kernel(sum, zero, is_nonzero),
    1.0: reduction_kernel(sum, zero, size_of),
    2.0: reduction_kernel(sum, zero, square, root),
    np.inf: reduction_kernel(amax, zero, size_of),
    -np.inf: reduction_kernel(amin, highest, size_of),
    None: reduction_kernel(sum, zero, power, any_root),
}


def norm(iter: Any, ord: float) -> None:
    """Compute the norm of order `ord`; orders that `NORMS` lacks use the kernel under None."""
    NORMS[ord if ord in NORMS else None](iter, ord)


def register() -> None:
    """Register the reduction kernels for CUDA at their stubs."""
    for stub, kernel in KERNELS:
        stub.register("cuda", kernel)
    reduce_norms.norm_stub.register("cuda", norm)


register()
