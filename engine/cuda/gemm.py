"""Products of matrices, the first two ways: one thread an element, and tiles in shared memory.

The plain loop that all kernels of products replace, for each matrix of the batch:

    for i in range(m):
        for j in range(n):
            total = sum(a[p + i * a_m + t * a_k] * b[q + t * b_k + j * b_n] for t in range(k))
            c[o + i * c_m + j * c_n] = alpha * total + beta * c[o + i * c_m + j * c_n]  # not read if beta is 0

Arguments of a kernel: `sizes` is (batch, m, n, k); each array comes with the cell of its first element and its strides
(of the batch, then as above), in elements. Any strides do: a transposed matrix is read without a copy.
Mirrors what PyTorch has cuBLAS for (aten/src/ATen/cuda/CUDABlas.cpp).
"""

from typing import Any

from .driver import cuda, is_simulated, simulated_device_function
from .launch import SHAPES

T = SHAPES["tile"].threads  # of a side of a block
BANK_BYTES = 128  # that the banks of shared memory give at a time
INLINED: dict[str, Any] = {"device": True, "forceinline": True}

Kind = Any
"""A type of numbers, such as np.float32: what makes a 0 of the dtype, and what shared arrays hold."""


def named(kernel: Any, name: str) -> Any:
    """Give a function the name that traces and profiles show, and return it."""
    function = getattr(kernel, "py_func", kernel)
    function.__name__ = function.__qualname__ = name
    return kernel


def finish(total, alpha, beta, c, cell):
    """Write c[cell] = alpha * total + beta * c[cell]."""
    total = alpha * total
    if beta != 0:
        total += beta * c[cell]
    c[cell] = total


def device_function(function: Any) -> Any:
    """Return a device function that kernels may call."""
    return simulated_device_function(function) if is_simulated() else cuda.jit(**INLINED)(function)


def place_of(first, steps, which, row, column):
    """Return the index of an element in a batch of matrices that begins at `first`: matrix `which`, `row`, `column`."""
    return first + which * steps[0] + row * steps[1] + column * steps[2]


write, cell_of = device_function(finish), device_function(place_of)


def pitch_of(kind: Kind, side: int) -> int:
    """Return the row stride of a side x side tile with which a warp stores columns without bank conflicts.

    This holds for elements of 4 or 8 bytes and a side that is a power of two. The banks of shared memory serve 128
    bytes at a time: `lanes` elements, which `lanes // side` columns of a block of side x side threads store together.
    The gap between rows is as many elements, so that no two of these are in one bank. A tile of at most 128 bytes is
    stored all at once, and needs no gap.

    >>> import numpy as np
    >>> pitch_of(np.float32, 16), pitch_of(np.float64, 16), pitch_of(np.float32, 32), pitch_of(np.float64, 4)
    (18, 17, 33, 4)
    """
    lanes = BANK_BYTES // kind(0).itemsize
    return side if side * side <= lanes else side + max(1, lanes // side)


def gemm_naive_kernel(kind: Kind) -> Any:
    """Make the matrix product kernel in which each thread computes a whole element of the output.

    The kernel is `gemm_naive(sizes, alpha, a, p, a_steps, b, q, b_steps, beta, c, o, c_steps)` under `@cuda.jit`.
    C becomes alpha * A @ B + beta * C, for each matrix of the batch.

    Args:
        kind: the type of the elements, such as np.float32. Sums begin at `kind(0)`.
    The kernel's arguments:
        sizes: (batch, m, n, k): A is m by k, B is k by n, C is m by n. No size is 0.
        a, p, a_steps: a flat array, the cell of A's first element, and A's strides (of the batch, of rows, of columns),
            in elements; `b, q, b_steps` and `c, o, c_steps` are the same for B and C. Any strides do.
        beta: if it is 0, `c` is not loaded: an output may hold anything, nan too.

    The grid has one dimension. It may have more threads than there are elements, or fewer: the threads share the
    elements evenly, in steps of the whole grid, and neighboring threads compute neighbors of a row. For each element a
    thread loads k elements of A and k of B, each once, adds up in a register, and stores once, without atomics. So each
    element of A is loaded n times, and each of B m times.

    Source: none in PyTorch, which calls cuBLAS (aten/src/ATen/cuda/CUDABlas.cpp).
    """

    def gemm_naive(sizes, alpha, a, p, a_steps, b, q, b_steps, beta, c, o, c_steps):
        batch, m, n, k = sizes
        at = cuda.grid(1)
        while at < batch * m * n:
            which, i, j = at // (m * n), at // n % m, at % n
            of_a, of_b = cell_of(p, a_steps, which, i, 0), cell_of(q, b_steps, which, 0, j)
            total = kind(0)
            for _ in range(k):
                total += a[of_a] * b[of_b]
                of_a += a_steps[2]
                of_b += b_steps[1]
            write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))
            at += cuda.gridsize(1)

    return cuda.jit(named(gemm_naive, "gemm_naive"))


def gemm_tiled_kernel(kind: Kind, is_row_a: bool, is_row_b: bool, side: int = T) -> Any:
    """Make the matrix product kernel in which each block computes output tiles from input tiles in shared memory.

    The kernel is `gemm_tiled(sizes, alpha, a, p, a_steps, b, q, b_steps, beta, c, o, c_steps)` under `@cuda.jit`.
    Its arguments and its result are the same as in `gemm_naive_kernel`.

    Args:
        kind: the type of the elements, such as np.float32. Sums begin at `kind(0)`.
        is_row_a, is_row_b: True if an element's neighbors in its row are its neighbors in memory.
        side: of a tile, and of a block.

    A block has side x side threads, a grid one dimension. The output is cut into tiles of side x side. At the right and
    lower edges they hang over: there are m / side tiles down and n / side across, both rounded up. Tiles are numbered
    matrix after matrix, in each row by row. Block b computes tiles b, b + (blocks of the grid), ... Thread (x, y)
    computes the element in row y and column x of the tile, if it is in the matrix, and stores it once; its sum stays in
    a register.

    Each element of A is loaded once for each tile in its row of tiles, each element of B once for each tile in its
    column of tiles, and nothing outside the matrices. Each thread loads at most one element of A and one of B for each
    `side` steps along k. Neighboring threads (x) load neighbors in memory: along the rows of A if `is_row_a`, along its
    columns otherwise; the same for B. All products are computed from shared memory, where tiles have 0 of `kind` if
    there is no element. All threads of a block reach all barriers, and no access is in a race. With elements of 4 or 8
    bytes and a `side` of 4, 8 or 16 no warp meets a bank conflict: see `pitch_of`.

    Source: none in PyTorch, which calls cuBLAS (aten/src/ATen/cuda/CUDABlas.cpp).
    """
    pitch_a, pitch_b = (side if is_row else pitch_of(kind, side) for is_row in (is_row_a, is_row_b))

    def gemm_tiled(sizes, alpha, a, p, a_steps, b, q, b_steps, beta, c, o, c_steps):
        of_a = cuda.shared.array((side, pitch_a), kind)
        of_b = cuda.shared.array((side, pitch_b), kind)
        batch, m, n, k = sizes
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        row_a, step_a = (y, x) if is_row_a else (x, y)
        step_b, column_b = (y, x) if is_row_b else (x, y)
        down, across = -(-m // side), -(-n // side)
        for tile in range(cuda.blockIdx.x, batch * down * across, cuda.gridDim.x):
            which, top, left = tile // (down * across), tile // across % down * side, tile % across * side
            i, j, i_a, j_b = top + y, left + x, top + row_a, left + column_b
            total = kind(0)
            for t in range(0, k, side):
                t_a, t_b = t + step_a, t + step_b
                of_a[row_a, step_a] = a[cell_of(p, a_steps, which, i_a, t_a)] if i_a < m and t_a < k else kind(0)
                of_b[step_b, column_b] = b[cell_of(q, b_steps, which, t_b, j_b)] if j_b < n and t_b < k else kind(0)
                cuda.syncthreads()  # the tiles are whole
                for u in range(side):
                    total += of_a[y, u] * of_b[u, x]
                cuda.syncthreads()  # nobody reads them any more
            if i < m and j < n:
                write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))

    return cuda.jit(named(gemm_tiled, "gemm_tiled"))
