"""Products with a vector: y = alpha * A @ x + beta * y, of a matrix with any strides, and the dot product.

The plain loop that both kernels replace, for each matrix of the batch:

    for i in range(m):
        total = sum(a[p + i * a_m + t * a_k] * x[q + t * x_k] for t in range(k))
        y[o + i * y_m] = alpha * total + beta * y[o + i * y_m]  # not read if beta is 0

Each element of A is read once, so neighboring threads should read neighbors: along a row, whose products the threads
of a block add up, or, where the elements of a column are neighbors, a thread for each row.
Mirrors what PyTorch has cuBLAS for (aten/src/ATen/cuda/CUDABlas.cpp).
"""

from typing import Any

from .driver import cuda
from .gemm import Kind, named, write
from .launch import SHAPES

THREADS = SHAPES["reduction"].threads


def by_rows_kernel(kind: Kind) -> Any:
    """Build the kernel with a block per row; sizes (batch, m, k), strides of (batch, m, k), (batch, k), (batch, m)."""

    def gemv_by_rows(sizes, alpha, a, p, a_steps, x, q, x_steps, beta, y, o, y_steps):
        parts = cuda.shared.array(THREADS, kind)
        batch, m, k = sizes
        thread = cuda.threadIdx.x
        for row in range(cuda.blockIdx.x, batch * m, cuda.gridDim.x):
            which, i = row // m, row % m
            of_a, of_x = p + which * a_steps[0] + i * a_steps[1], q + which * x_steps[0]
            total = kind(0)
            for t in range(thread, k, THREADS):
                total += a[of_a + t * a_steps[2]] * x[of_x + t * x_steps[1]]
            parts[thread] = total
            cuda.syncthreads()
            half = THREADS // 2
            while half > 0:  # a tree: the upper half is added to the lower one, and so on
                if thread < half:
                    parts[thread] += parts[thread + half]
                cuda.syncthreads()
                half //= 2
            if thread == 0:
                write(parts[0], alpha, beta, y, o + which * y_steps[0] + i * y_steps[1])
            cuda.syncthreads()  # the sum is read before the next row's parts come

    return cuda.jit(named(gemv_by_rows, "gemv_by_rows"))


def by_columns_kernel(kind: Kind) -> Any:
    """Build the kernel with one thread per row."""

    def gemv_by_columns(sizes, alpha, a, p, a_steps, x, q, x_steps, beta, y, o, y_steps):
        batch, m, k = sizes
        row = cuda.grid(1)
        while row < batch * m:
            which, i = row // m, row % m
            of_a, of_x = p + which * a_steps[0] + i * a_steps[1], q + which * x_steps[0]
            total = kind(0)
            for _ in range(k):
                total += a[of_a] * x[of_x]
                of_a += a_steps[2]
                of_x += x_steps[1]
            write(total, alpha, beta, y, o + which * y_steps[0] + i * y_steps[1])
            row += cuda.gridsize(1)

    return cuda.jit(named(gemv_by_columns, "gemv_by_columns"))
