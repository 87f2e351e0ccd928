"""max, min along a dimension with indices; argmax, argmin.

The plain loop that they replace:

    for every output:
        best, place = x[0], 0
        for r in range(n):
            if x[r] > best or x[r] is NaN and best is not: best, place = x[r], r

Threads keep value and place side by side; of equal values the one with the first place is better, so that it does not
matter in which order they meet. Mirrors aten/src/ATen/native/cuda/{TensorCompare.cu,ReduceArgMaxKernel.cu}.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..aten.empty_tensor import new_tensor
from ..aten.native import reduce_extremes
from ..compiled import memo
from ..cpu.arg_reduce import exceeds, falls_below
from ..cpu.loops import NUMBA
from ..cpu.reduce_functions import highest, lowest
from ..dtypes import dtype, int64
from . import reduce_functions
from .driver import cuda
from .launch import blocks_of, launch
from .loops import device_function
from .reduce_walk import THREADS, walks_of

offset = device_function(reduce_functions.offset)
PLACES = NUMBA[int64]
NOWHERE = 2**62  # behind every place


def before(beats: Callable) -> Callable:
    """Return a function that tells whether `a` at index `i` beats `best` at index `j`."""

    def is_better(a, i, best, j):
        return beats(a, best) or (i < j and not beats(best, a))

    return is_better


@memo
def best_of_rows(beats: Callable, kind: dtype, is_first: bool) -> Any:
    """Build the kernel that finds the best element of each row and its index, if one dimension is reduced.

    Args:
        beats: whether the first of two takes the place of the second.
        is_first: True if elements are counted; False if `places`, which has the same layout, has their places.
    """
    cells, name = NUMBA[kind], f"{beats.__name__}_arg_reduce"
    is_better = device_function(before(device_function(beats)))

    def reduce(values, v, indices, i, x, p, places, walk, start):
        bests = cuda.shared.array(THREADS, cells)
        found = cuda.shared.array(THREADS, PLACES)
        outputs, parts, size = walk.outputs, walk.parts, walk.size
        sizes, steps, (to, at) = walk.sizes, walk.steps, walk.out_strides
        height, width, down, across = walk.shares
        thread, blocks, block = cuda.threadIdx.x, (outputs + width - 1) // width, cuda.blockIdx.x
        row, column = thread // down % height, thread // across % width
        while block < blocks * parts:
            part, number = block // blocks, block % blocks * width + column
            best, place = start, NOWHERE
            if number < outputs:
                first, r = p + offset(number, sizes, walk.strides), part * size + row
                end = min(part * size + size, walk.n)
                cell, far = np.uint64(first + r * steps[0]), np.uint64(height * steps[0])
                while r < end:
                    a, which = x[cell], r if is_first else places[cell]
                    if is_better(a, which, best, place):
                        best, place = a, which
                    cell += far
                    r += height
            bests[thread], found[thread] = best, place
            cuda.syncthreads()
            half = height >> 1
            while half > 0:
                other = thread + half * down
                if row < half and is_better(bests[other], found[other], bests[thread], found[thread]):
                    bests[thread], found[thread] = bests[other], found[other]
                cuda.syncthreads()
                half >>= 1
            if row == 0 and number < outputs:
                far = part * outputs + number
                values[v + (far if parts > 1 else offset(number, sizes, to))] = bests[thread]
                indices[i + (far if parts > 1 else offset(number, sizes, at))] = found[thread]
            cuda.syncthreads()
            block += cuda.gridDim.x

    reduce.__name__ = reduce.__qualname__ = name
    return cuda.jit(reduce)


def arg_kernel(beats: Callable, start_of: Callable[[dtype], Any]) -> Callable[[Any], None]:
    """Build kernel(iter), an arg-reduction over the plan and operands (values, indices, self) of `make_reductions`.

    Args:
        beats: whether the first is better than the second.
        start_of: dtype -> what none is worse than.
    """

    def kernel(iter: Any) -> None:
        values, indices, x = iter.operands
        kind = x._dtype
        start, inputs, places = kind.numpy.type(start_of(kind)), (x._flat(), x._storage_offset), indices._flat()
        for turn, walk in enumerate(walks_of(iter.plan)):
            held = (values, indices)
            if walk.parts > 1:
                count, device = (walk.outputs * walk.parts,), x._storage.device
                held = new_tensor(count, (1,), kind, device), new_tensor(count, (1,), int64, device)
            outputs = [part for tensor in held for part in (tensor._flat(), tensor._storage_offset)]
            made = best_of_rows(beats, kind, turn == 0)
            launch(made, *blocks_of("reduction", walk.blocks), *outputs, *inputs, places, walk, start)
            inputs, places = (held[0]._flat(), 0), held[1]._flat()

    return kernel


reduce_extremes.max_stub.register("cuda", arg_kernel(exceeds, lowest))
reduce_extremes.min_stub.register("cuda", arg_kernel(falls_below, highest))
