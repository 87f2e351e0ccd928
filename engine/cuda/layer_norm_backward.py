"""The gradient of layer_norm of contiguous tensors. Mirrors aten/src/ATen/native/cuda/layer_norm_kernel.cu.

The plain loop that it replaces, for each row x of n elements and the gradient g of its output:

    normalized = [(a - mean) * rstd for a in x]
    slopes = [a * b for a, b in zip(g, gamma)]
    of_mean = sum(slopes) / n
    of_rstd = sum(a * b for a, b in zip(slopes, normalized)) / n
    dx = [(slope - of_mean - a * of_rstd) * rstd for slope, a in zip(slopes, normalized)]
    dgamma = [total + a * b for total, a, b in zip(dgamma, g, normalized)]
    dbeta = [total + a for total, a in zip(dbeta, g)]

For dx a block takes a row. For dgamma and dbeta a square block takes as many columns as it is wide, of one chunk of the
rows: neighboring threads read neighboring elements of a row.
"""

from ..aten.native import layer_norm
from ..tensor_impl import Tensor
from .driver import cuda
from .launch import SHAPES, blocks_of, launch
from .row_sums import FLOATS, THREADS, block_sum, require, vector

SIDE = SHAPES["tile"].threads


@cuda.jit
def input_rows(rows, n, dx, g, x, means, rstds, gamma):
    """Compute the gradient of the input; an empty gamma means ones."""
    cells = cuda.shared.array(THREADS, x.dtype)
    thread = cuda.threadIdx.x
    count = x.dtype.type(n)
    for row in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
        mean, rstd = means[row], rstds[row]
        total, product = x.dtype.type(0), x.dtype.type(0)
        for i in range(thread, n, THREADS):
            slope = g[row * n + i] * gamma[i] if gamma.size else g[row * n + i]
            total += slope
            product += slope * (x[row * n + i] - mean)
        of_mean = block_sum(cells, thread, total) / count * rstd
        of_rstd = block_sum(cells, thread, product) / count * rstd * rstd * rstd
        for i in range(thread, n, THREADS):
            slope = g[row * n + i] * gamma[i] if gamma.size else g[row * n + i]
            dx[row * n + i] = slope * rstd - (x[row * n + i] - mean) * of_rstd - of_mean


@cuda.jit
def parameter_columns(rows, per, n, tiles, chunks, dgammas, dbetas, g, x, means, rstds):
    """Compute partial gradients of gamma and beta, one for each chunk of `per` rows; skip each whose array is empty.

    Args:
        dgammas, dbetas: (chunks * n,)
        tiles: how many times SIDE columns there are.
    """
    products = cuda.shared.array((SIDE, SIDE), x.dtype)
    totals = cuda.shared.array((SIDE, SIDE), x.dtype)
    across, down = cuda.threadIdx.x, cuda.threadIdx.y
    for piece in range(cuda.blockIdx.x, tiles * chunks, cuda.gridDim.x):
        chunk, column = piece // tiles, piece % tiles * SIDE + across
        product, total = x.dtype.type(0), x.dtype.type(0)
        if column < n:
            for row in range(chunk * per + down, min(rows, chunk * per + per), SIDE):
                slope = g[row * n + column]
                product += slope * ((x[row * n + column] - means[row]) * rstds[row])
                total += slope
        products[down, across] = product
        totals[down, across] = total
        cuda.syncthreads()
        half = SIDE // 2
        while half > 0:
            if down < half:
                products[down, across] += products[down + half, across]
                totals[down, across] += totals[down + half, across]
            cuda.syncthreads()
            half //= 2
        if down == 0 and column < n:
            if dgammas.size:
                dgammas[chunk * n + column] = products[0, across]
            if dbetas.size:
                dbetas[chunk * n + column] = totals[0, across]
        cuda.syncthreads()


def layer_norm_backward_kernel(
    dx: Tensor | None, dgammas: Tensor | None, dbetas: Tensor | None, g: Tensor, x: Tensor, mean: Tensor,
    rstd: Tensor, gamma: Tensor | None, rows: int, per: int, n: int,
) -> None:  # fmt: skip
    """Compute the gradients of layer_norm: the CUDA kernel of `layer_norm_backward_stub`.

    Raises:
        NotImplementedError: not floating-point.
    """
    require("LayerNormBackwardKernelImpl", FLOATS, x._dtype)
    arrays = [vector(tensor, x) for tensor in (g, x, mean, rstd)]
    if dx is not None:
        launch(input_rows, *blocks_of("row", rows), rows, n, vector(dx, x), *arrays, vector(gamma, x))
    if dgammas is not None or dbetas is not None:
        tiles, chunks = -(-n // SIDE), -(-rows // per)
        blocks, _ = blocks_of("tile", tiles * chunks)
        made = (vector(dgammas, x), vector(dbetas, x))
        launch(parameter_columns, blocks, (SIDE, SIDE), rows, per, n, tiles, chunks, *made, *arrays)


layer_norm.layer_norm_backward_stub.register("cuda", layer_norm_backward_kernel)
