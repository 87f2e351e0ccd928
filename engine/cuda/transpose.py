"""Copies that turn rows into columns: elements adjacent in the source are far apart in the target.

The plain loop that the kernels replace, for each matrix of a batch, of which the target has the elements of a row as
adjacent elements, and reads elements of a column:

    for i in range(rows):
        for j in range(columns):
            out[o + i * out_step + j] = x[p + i + j * x_step]

Whichever index neighboring threads differ in, a warp reads or writes 32 separate places, each of which moves 32 bytes
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


def place_in_batch(which, batch_sizes, out_steps, x_steps):
    """Return the offsets (in the target, in the source) of matrix `which` of a batch."""
    to, of = 0, 0
    for d in range(len(batch_sizes) - 1, -1, -1):
        to += which % batch_sizes[d] * out_steps[d]
        of += which % batch_sizes[d] * x_steps[d]
        which //= batch_sizes[d]
    return to, of


def tiles_along(count, side):
    """Return the number of tiles that cover `count` elements; the last one may be partial."""
    return (count + side - 1) // side


begin_of, tiles_of = device_function(place_in_batch), device_function(tiles_along)


def transpose_naive_kernel(side: int = SIDE, threads_y: int = THREADS_Y) -> Any:
    """Build the kernel without shared memory: adjacent threads write adjacent elements, but read with a stride.

    A matrix is cut into tiles of `side` x `side` elements, which may stick out at the right and lower edges: a side of
    `count` elements has `tiles_of(count, side)` tiles. A block has `side` x `threads_y` threads and does one tile.
    Thread (x, y) does column x of the tile, rows y, y + threads_y, ...
    Tiles are counted matrix after matrix, in each matrix row by row. Block b takes tile b, then goes on in steps of the
    grid. Each element is loaded once and stored once, and nothing else is touched.

    Args:
        side: side of a tile, a multiple of `threads_y`.
    Returns:
        A kernel (under `@cuda.jit`) with the arguments
        sizes: (batch, rows, columns): the number of matrices, and the sizes of each in the target.
        out, o, x, p: flat arrays of target and source, each with the cell of its first element.
        steps: (out_step, x_step). Element (i, j) of a matrix is at cell i * out_step + j of the target, and at cell
            i + j * x_step of the source, counted from the matrix's first element.
        batch_sizes, out_steps, x_steps: `begin_of(which, batch_sizes, out_steps, x_steps)` gives the first element of
            matrix `which`, as (cells from o, cells from p). It divides, so calling it once a tile is better than once
            an element, but any number of calls is right.

    Source: copyKernel of NVIDIA's "An Efficient Matrix Transpose in CUDA C/C++" (2013).
    """

    def transpose_naive(sizes, out, o, x, p, steps, batch_sizes, out_steps, x_steps):
        batch, rows, columns = sizes
        down, across = tiles_of(rows, side), tiles_of(columns, side)
        for tile in range(cuda.blockIdx.x, batch * down * across, cuda.gridDim.x):
            to, of = begin_of(tile // (down * across), batch_sizes, out_steps, x_steps)
            top, left = tile // across % down * side, tile % across * side
            j = left + cuda.threadIdx.x
            for y in range(cuda.threadIdx.y, side, threads_y):
                i = top + y
                if i < rows and j < columns:
                    out[o + to + i * steps[0] + j] = x[p + of + i + j * steps[1]]

    return cuda.jit(named(transpose_naive, "transpose_naive"))


def transpose_tiled_kernel(kind: Kind, side: int = SIDE, threads_y: int = THREADS_Y) -> Any:
    """Build the kernel with tiles in shared memory: a warp reads and writes adjacent elements of global memory.

    It does the same as the kernel of `transpose_naive_kernel`, in the same grid, but a thread may write what another
    has read. The block reads its tile along the columns of the matrix, which are neighbors in the source, into shared
    memory, and writes it along the rows, which are neighbors in the target. There are at most two barriers a tile, and
    all threads of the block reach both: one when the tile is complete, one when it has been read. The block has at most
    2 * side * (side + 1) cells of shared memory of the dtype `kind`.
    Shared memory is in 32 banks of 4 bytes. If a row has 32 elements of 4 bytes, all elements of a column are in one
    bank, and 32 threads get them one after the other. In this kernel, no two threads of a warp need different words of
    one bank if elements have 4 bytes and `side` is 32 or 4.

    Args:
        kind: NumPy's type of the elements, such as np.float32.

    Source: transposeNoBankConflicts of the same text.
    """

    pitch = side + 1  # here, because numba takes no sum for a size that it knows

    def transpose_tiled(sizes, out, o, x, p, steps, batch_sizes, out_steps, x_steps):
        tile = cuda.shared.array((side, pitch), kind)
        batch, rows, columns = sizes
        down, across = tiles_of(rows, side), tiles_of(columns, side)
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

    return cuda.jit(named(transpose_tiled, f"transpose_tiled_{side}"))


@memo
def tiled_of(kind: dtype) -> Any:
    """Return the tiled kernel that copies use."""
    return transpose_tiled_kernel(kind.numpy.type)


@functools.lru_cache(maxsize=1024)
def matrices_of(sizes: Ints, out: Ints, x: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints] | None:
    """Interpret a copy as transposed matrices, and return the kernels' arguments after `p`; None if that is impossible.

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
    """Copy `self` from `src` of the same dtype if that is a copy of transposed matrices; return True if so."""
    matrices = matrices_of(plan.loop_sizes, *plan.loop_strides)
    if matrices is None:
        return False
    sizes, *rest = matrices
    tiles = sizes[0] * -(-sizes[1] // SIDE) * -(-sizes[2] // SIDE)
    launch(tiled_of(self._dtype), blocks_of("tile", tiles)[0], (SIDE, THREADS_Y), sizes, self._flat(),
           self._storage_offset, src._flat(), src._storage_offset, *rest)  # fmt: skip
    return True
