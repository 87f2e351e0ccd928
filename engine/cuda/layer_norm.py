"""layer_norm of a contiguous tensor, a block a row. Mirrors aten/src/ATen/native/cuda/layer_norm_kernel.cu.

The plain loop that it replaces, for each row x of n elements:

    mean, variance = sum(x) / n, sum((a - mean) ** 2 for a in x) / n
    rstd = 1 / sqrt(variance + eps)
    out = [(a - mean) * rstd * g + b for a, g, b in zip(x, gamma, beta)]

A row is read three times, the second and third time out of a cache.
"""

from ..aten.native import layer_norm
from ..tensor_impl import Tensor
from .driver import cuda
from .launch import blocks_of, launch
from .libdevice import sqrt
from .row_sums import FLOATS, THREADS, block_sum, number, require, vector


@cuda.jit
def layer_norm_rows(rows, n, out, means, rstds, x, gamma, beta, eps):
    """Normalize rows of n elements; an empty gamma means ones, an empty beta zeros."""
    cells = cuda.shared.array(THREADS, x.dtype)
    thread = cuda.threadIdx.x
    zero, one, count = x.dtype.type(0), x.dtype.type(1), x.dtype.type(max(n, 1))
    for row in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
        part = zero
        for i in range(row * n + thread, row * n + n, THREADS):
            part += x[i]
        mean = block_sum(cells, thread, part) / count
        part = zero
        for i in range(row * n + thread, row * n + n, THREADS):
            deviation = x[i] - mean
            part += deviation * deviation
        rstd = one / sqrt(block_sum(cells, thread, part) / x.dtype.type(n) + eps)
        if thread == 0:
            means[row] = mean
            rstds[row] = rstd
        for i in range(thread, n, THREADS):
            value = (x[row * n + i] - mean) * rstd
            if gamma.size:
                value *= gamma[i]
            if beta.size:
                value += beta[i]
            out[row * n + i] = value


def layer_norm_kernel(
    out: Tensor, mean: Tensor, rstd: Tensor, self: Tensor, weight: Tensor | None, bias: Tensor | None,
    count: int, n: int, eps: float,
) -> None:  # fmt: skip
    """Normalize `count` rows of n elements; all tensors are contiguous, the first three newly allocated.

    Raises:
        NotImplementedError: not floating-point.
    """
    require("LayerNormKernelImpl", FLOATS, self._dtype)
    if count:
        arrays = (vector(tensor, self) for tensor in (out, mean, rstd, self, weight, bias))
        launch(layer_norm_rows, *blocks_of("row", count), count, n, *arrays, number(eps, self))


layer_norm.layer_norm_stub.register("cuda", layer_norm_kernel)
