"""Copies that turn rows into columns: what are neighbours in the source lie far apart in the target.

The plain loop that the kernels replace, for each matrix of a batch, of which the target has the elements of a row as
neighbours, and the source those of a column:

    for i in range(rows):
        for j in range(columns):
            out[o + i * out_step + j] = x[p + i + j * x_step]

Whichever index neighbouring threads differ in, a warp reads or writes 32 separate places, each of which moves 32 bytes
for one element. A tile in shared memory lets them differ in j when they write and in i when they read.
Mirrors what cuBLAS's geam does for aten/src/ATen/native/cuda/Copy.cu; see NVIDIA's "An Efficient Matrix Transpose in
CUDA C/C++" (2013).
"""

import functools
import math
from typing import Any

from ..compiled import memo
from ..dtypes import dtype
from ..strides import Ints
from ..tensor_impl import Tensor
from .driver import cuda, is_simulated
from .gemm import Kind, device_function, named
from .launch import blocks_of, launch

SIDE, THREADS_Y = (4, 2) if is_simulated() else (32, 8)
"""Of a tile, and of a block of SIDE x THREADS_Y threads, each of which moves SIDE / THREADS_Y elements."""


def place_in_batch(which, sizes, out_steps, x_steps):
    """(cell of the target, cell of the source) where a matrix of the batch begins, from the first one's."""
    to, of = 0, 0
    for d in range(len(sizes) - 1, -1, -1):
        to += which % sizes[d] * out_steps[d]
        of += which % sizes[d] * x_steps[d]
        which //= sizes[d]
    return to, of


begin_of = device_function(place_in_batch)


def naive_kernel(side: int = SIDE, threads_y: int = THREADS_Y) -> Any:
    """A warp writes neighbours, and reads 32 places.

    Arguments of both kernels: `sizes` is (batch, rows, columns), `steps` is (out_step, x_step), the last three are the
    sizes and strides of the dimensions of the batch, which are one or more.
    """

    def transpose_naive(sizes, out, o, x, p, steps, batch_sizes, out_steps, x_steps):
        batch, rows, columns = sizes
        down, across = (rows + side - 1) // side, (columns + side - 1) // side
        for tile in range(cuda.blockIdx.x, batch * down * across, cuda.gridDim.x):
            to, of = begin_of(tile // (down * across), batch_sizes, out_steps, x_steps)
            top, left = tile // across % down * side, tile % across * side
            j = left + cuda.threadIdx.x
            for y in range(cuda.threadIdx.y, side, threads_y):
                i = top + y
                if i < rows and j < columns:
                    out[o + to + i * steps[0] + j] = x[p + of + i + j * steps[1]]

    return cuda.jit(named(transpose_naive, "transpose_naive"))


def tiled_kernel(kind: Kind, pitch: int, side: int = SIDE, threads_y: int = THREADS_Y) -> Any:
    """A warp reads neighbours into a row of a tile, and writes neighbours out of a column.

    Args:
        pitch: of the tile's rows. With `side`, all elements of a column are in one bank, and 32 threads read them one
            after the other; with one more each is in another bank.
    """

    def transpose_tiled(sizes, out, o, x, p, steps, batch_sizes, out_steps, x_steps):
        tile = cuda.shared.array((side, pitch), kind)
        batch, rows, columns = sizes
        down, across = (rows + side - 1) // side, (columns + side - 1) // side
        thread = cuda.threadIdx.x
        for index in range(cuda.blockIdx.x, batch * down * across, cuda.gridDim.x):
            to, of = begin_of(index // (down * across), batch_sizes, out_steps, x_steps)
            top, left = index // across % down * side, index % across * side
            for y in range(cuda.threadIdx.y, side, threads_y):
                if top + thread < rows and left + y < columns:
                    tile[y, thread] = x[p + of + top + thread + (left + y) * steps[1]]
            cuda.syncthreads()  # the tile is whole
            for y in range(cuda.threadIdx.y, side, threads_y):
                if top + y < rows and left + thread < columns:
                    out[o + to + (top + y) * steps[0] + left + thread] = tile[thread, y]
            cuda.syncthreads()  # nobody reads it any more

    return cuda.jit(named(transpose_tiled, f"transpose_tiled_{side}x{pitch}"))


@memo
def tiled_of(kind: dtype) -> Any:
    """The kernel that copies take."""
    return tiled_kernel(kind.numpy.type, SIDE + 1)


@functools.lru_cache(maxsize=1024)
def matrices_of(sizes: Ints, out: Ints, x: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints] | None:
    """A copy as one of transposed matrices: what follows `p` of the kernels' arguments, after `sizes`; None if not.

    Args:
        sizes, out, x: of the loop over the elements, and strides of target and source, innermost last.
    """
    last = len(sizes) - 1
    rows = next((d for d in range(last) if x[d] == 1 and sizes[d] >= SIDE), None)
    if rows is None or out[last] != 1 or sizes[last] < SIDE:
        return None
    rest = [d for d in range(last) if d != rows]
    batch = math.prod(sizes[d] for d in rest)
    batch_sizes, out_steps, x_steps = ((1, *(numbers[d] for d in rest)) for numbers in (sizes, out, x))
    return (batch, sizes[rows], sizes[last]), (out[rows], x[last]), batch_sizes, out_steps, x_steps


def transpose(plan: Any, self: Tensor, src: Tensor) -> bool:
    """Copy `src` to `self`, of one dtype, if it is a copy of transposed matrices; whether it is."""
    matrices = matrices_of(plan.loop_sizes, *plan.loop_strides)
    if matrices is None:
        return False
    sizes, *rest = matrices
    tiles = sizes[0] * -(-sizes[1] // SIDE) * -(-sizes[2] // SIDE)
    launch(tiled_of(self._dtype), blocks_of("tile", tiles)[0], (SIDE, THREADS_Y), sizes, self._flat(),
           self._storage_offset, src._flat(), src._storage_offset, *rest)  # fmt: skip
    return True
