"""var, std and the mean, of one pass over memory.

The plain loop that they replace:

    mean = sum(x) / n
    var = sum((a - mean) ** 2 for a in x) / (n - correction)

That reads memory twice. Here a thread measures its few elements from the first of them, and such results are combined
by Chan's formulas. All is computed in float64, as on the CPU: memory is slower than a GPU made for that.
Mirrors WelfordOps of aten/src/ATen/native/SharedReduceOps.h and aten/src/ATen/native/cuda/ReduceMomentKernel.cu.
"""

import math
from typing import Any

import numpy as np

from ..aten.empty_tensor import new_tensor
from ..aten.native import reduce_moments
from ..compiled import memo
from ..cpu.loops import NUMBA
from ..dtypes import float64
from . import reduce_functions
from .driver import cuda
from .launch import blocks_of, launch
from .loops import device_function
from .reduce_walk import THREADS, walks_of

offset = device_function(reduce_functions.offset)
FLOAT = NUMBA[float64]


def combined(count, mean, squares, of_count, of_mean, of_squares):
    """Combine the count, mean, and sum of squared deviations of two sets of numbers."""
    both = count + of_count
    if of_count == 0.0:
        return count, mean, squares
    share, delta = of_count / both, of_mean - mean
    return both, mean + delta * share, squares + of_squares + delta * delta * share * count


def of_elements(x, first, r, end, height, rows, steps):
    """Return count, mean and sum of squared deviations of the elements r, r + height, ... below `end` of a row."""
    if r >= end:
        return 0.0, 0.0, 0.0
    origin, total, squares, count = np.float64(x[first + offset(r, rows, steps)]), 0.0, 0.0, 0.0
    while r < end:
        distance = np.float64(x[first + offset(r, rows, steps)]) - origin
        total += distance
        squares += distance * distance
        count += 1.0
        r += height
    squares -= total * total / count
    return count, origin + total / count, 0.0 if squares < 0.0 else squares


combine, moments_of = device_function(combined), device_function(of_elements)


@memo
def moments_of_rows(is_first: bool) -> Any:
    """Build the kernel that computes the moments of each row, and last its variance or standard deviation, and mean.

    Args:
        is_first: whether `x` holds elements, or three numbers of each part of a row, one after the other.
    """

    def moments(out, o, means, m, x, p, walk, correction, take_sqrt, with_mean):
        held = cuda.shared.array((3, THREADS), FLOAT)
        outputs, parts, size = walk.outputs, walk.parts, walk.size
        sizes, rows, steps = walk.sizes, walk.rows, walk.steps
        height, width, down, across = walk.shares
        thread, blocks, block = cuda.threadIdx.x, (outputs + width - 1) // width, cuda.blockIdx.x
        row, column = thread // down % height, thread // across % width
        while block < blocks * parts:
            part, number = block // blocks, block % blocks * width + column
            count, mean, squares = 0.0, 0.0, 0.0
            if number < outputs:
                first, r = p + offset(number, sizes, walk.strides), part * size + row
                end = min(part * size + size, walk.n)
                if is_first:
                    count, mean, squares = moments_of(x, first, r, end, height, rows, steps)
                else:
                    while r < end:
                        k = 3 * (first + offset(r, rows, steps))
                        count, mean, squares = combine(count, mean, squares, x[k], x[k + 1], x[k + 2])
                        r += height
            held[0, thread], held[1, thread], held[2, thread] = count, mean, squares
            cuda.syncthreads()
            half = height >> 1
            while half > 0:
                if row < half:
                    k = thread + half * down
                    count, mean, squares = combine(count, mean, squares, held[0, k], held[1, k], held[2, k])
                    held[0, thread], held[1, thread], held[2, thread] = count, mean, squares
                cuda.syncthreads()
                half >>= 1
            if row == 0 and number < outputs:
                if parts > 1:
                    cell = 3 * (part * outputs + number)
                    out[o + cell], out[o + cell + 1], out[o + cell + 2] = count, mean, squares
                else:
                    variance = np.float64(squares) / max(count - correction, 0.0)
                    out[o + offset(number, sizes, walk.out_strides[0])] = math.sqrt(variance) if take_sqrt else variance
                    if with_mean:
                        means[m + offset(number, sizes, walk.out_strides[-1])] = mean
            cuda.syncthreads()
            block += cuda.gridDim.x

    return cuda.jit(moments)


def std_var(iter: Any, correction: float, take_sqrt: bool) -> None:
    """Compute var or std over the plan and operands of `make_reduction`, or with means of `make_reductions`."""
    out, *others, x = iter.operands
    inputs, with_mean = (x._flat(), x._storage_offset), bool(others)
    for turn, walk in enumerate(walks_of(iter.plan)):
        held = [out, *others]
        if walk.parts > 1:
            held = [new_tensor((3 * walk.outputs * walk.parts,), (1,), float64, x._storage.device)]
        first, second = held[0], held[-1]
        outputs = first._flat(), first._storage_offset, second._flat(), second._storage_offset
        grid, block = blocks_of("reduction", walk.blocks)
        walk = walk._replace(out_strides=(walk.out_strides[0], walk.out_strides[-1]))  # one type: one kernel for all
        last = float(correction), take_sqrt, with_mean
        launch(moments_of_rows(turn == 0), grid, block, *outputs, *inputs, walk, *last)
        inputs = outputs[:2]


reduce_moments.std_var_stub.register("cuda", std_var)
reduce_moments.std_var_mean_stub.register("cuda", std_var)
