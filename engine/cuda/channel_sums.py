"""Mean, spread and sums of gradients of channels or of groups of them: what batch_norm and group_norm share.

The plain loops that the kernels replace, x being the n elements of a channel and g the gradient of its output:

    mean, variance = sum(x) / n, sum((a - mean) ** 2 for a in x) / n     # by the kernel of var_mean
    total, product = sum(g), sum(a * (b - mean) for a, b in zip(g, x))

Blocks share the work as in any reduction (`reduce_walk`): neighboring threads read neighboring elements, be they of
one channel or of neighboring ones, and a channel with many elements is the work of several blocks.
Mirrors batch_norm_backward_reduce of aten/src/ATen/native/cuda/Normalization.cuh.
"""

from typing import Any

from ..aten.empty_tensor import new_tensor
from ..aten.native.fill import fill_stub
from ..aten.reduction import make_reductions
from ..compiled import memo
from ..dtypes import float64
from ..strides import Ints
from ..tensor_impl import Tensor
from .driver import cuda
from .launch import blocks_of, grid_of, launch
from .libdevice import sqrt
from .loops import device_function
from .reduce_walk import THREADS, walks_of
from .row_sums import number, vector
from .variance import FLOAT, offset, std_var

# ---- mean and spread


@cuda.jit
def spread(channels, rstds, running_mean, running_var, means, variances, unbiased, of_the_rest, momentum, eps, of_zero):
    """Compute 1 / sqrt(variance + eps) of each channel, and update the running statistics that are not empty.

    Args:
        unbiased: n / (n - 1).
        momentum, of_the_rest: the weights of the new and the old running statistics.
        of_zero: the value for 1 / sqrt(0).
    """
    for c in range(cuda.grid(1), channels, cuda.gridsize(1)):
        total = variances[c] + eps
        rstds[c] = means.dtype.type(1) / sqrt(total) if total != 0 else of_zero
        if running_mean.size:
            running_mean[c] = momentum * means[c] + of_the_rest * running_mean[c]
        if running_var.size:
            running_var[c] = momentum * unbiased * variances[c] + of_the_rest * running_var[c]


def statistics(
    mean: Tensor, rstd: Tensor, self: Tensor, dims: Ints, eps: float, of_zero: float,
    running_mean: Tensor | None = None, running_var: Tensor | None = None, momentum: float = 0.0,
) -> None:  # fmt: skip
    """Compute the mean and 1 / sqrt(variance + eps) over the dimensions `dims`.

    Args:
        mean, rstd: vectors, one element for each index of the other dimensions.
        of_zero, running_mean, running_var, momentum: as of `spread`.
    """
    channels = mean.numel()
    n = self.numel() // channels
    if not n:
        fill_stub.kernels["cuda"](mean, 0)
        fill_stub.kernels["cuda"](rstd, float("nan"))
        return
    variance = new_tensor((channels,), (1,), self._dtype, self._storage.device)
    std_var(make_reductions(variance, mean, self, dims, False), 0.0, False)
    arrays = (vector(tensor, self) for tensor in (rstd, running_mean, running_var, mean, variance))
    unbiased = n / (n - 1) if n > 1 else float("nan")
    numbers = (number(value, self) for value in (unbiased, 1 - momentum, momentum, eps, of_zero))
    launch(spread, *grid_of("elementwise", channels), channels, *arrays, *numbers)


# ---- sums of gradients


def of_gradient(g, x, mean, first, r, end, height, rows, steps):
    """Return (sum of g, sum of g * (x - mean)) of the elements r, r + height, ... below `end` of a row."""
    total, product = 0.0, 0.0
    while r < end:
        cell = first + offset(r, rows, steps)
        total += g[cell]
        product += g[cell] * (x[cell] - mean)
        r += height
    return total, product


def of_parts(totals, products, mean, first, r, end, height, rows, steps):
    """Return (sum of totals, sum of products) of the elements r, r + height, ... below `end` of a row."""
    total, product = 0.0, 0.0
    while r < end:
        cell = first + offset(r, rows, steps)
        total += totals[cell]
        product += products[cell]
        r += height
    return total, product


@memo
def sums_of_rows(is_first: bool) -> Any:
    """Build the kernel that computes the two sums of each row for `sums_of_gradient`.

    Args:
        is_first: whether it is given a gradient and `x`, or sums of parts of rows.
    """
    sums_of = device_function(of_gradient if is_first else of_parts)

    def sums_of_gradient(totals, products, g, x, means, per_mean, walk):
        held = cuda.shared.array((2, THREADS), FLOAT)
        outputs, parts, size = walk.outputs, walk.parts, walk.size
        height, width, down, across = walk.shares
        thread, blocks = cuda.threadIdx.x, (outputs + width - 1) // width
        row, column = thread // down % height, thread // across % width
        for block in range(cuda.blockIdx.x, blocks * parts, cuda.gridDim.x):
            part, output = block // blocks, block % blocks * width + column
            total, product, cell = 0.0, 0.0, 0
            if output < outputs:
                cell, first = offset(output, walk.sizes, walk.out_strides[0]), offset(output, walk.sizes, walk.strides)
                r, end, mean = part * size + row, min(part * size + size, walk.n), means[cell // per_mean]
                total, product = sums_of(g, x, mean, first, r, end, height, walk.rows, walk.steps)
            held[0, thread], held[1, thread] = total, product
            cuda.syncthreads()
            half = height >> 1
            while half > 0:
                if row < half:
                    held[0, thread] += held[0, thread + half * down]
                    held[1, thread] += held[1, thread + half * down]
                cuda.syncthreads()
                half >>= 1
            if row == 0 and output < outputs:
                to_cell = part * outputs + output if parts > 1 else cell
                totals[to_cell], products[to_cell] = held[0, thread], held[1, thread]
            cuda.syncthreads()

    sums_of_gradient.__qualname__ = "sums_of_gradient" if is_first else "sums_of_parts"
    return cuda.jit(sums_of_gradient)


def sums_of_gradient(
    totals: Tensor, products: Tensor, g: Tensor, x: Tensor, means: Tensor, dims: Ints, per_mean: int = 1
) -> None:
    """Compute sum(g) and sum(g * (x - mean)) over the dimensions `dims`.

    Args:
        totals, products: vectors, one element for each index of the other dimensions.
        g, x: dense, in one memory format.
        means: one for `per_mean` elements of `totals`.
    """
    if not x.numel():
        fill_stub.kernels["cuda"](totals, 0)
        fill_stub.kernels["cuda"](products, 0)
        return
    inputs, of_means = (vector(g, x), vector(x, x)), vector(means, x)
    for turn, walk in enumerate(walks_of(make_reductions(totals, products, x, dims, False).plan)):
        outputs = [vector(tensor, x) for tensor in (totals, products)]
        if walk.parts > 1:
            held = [new_tensor((walk.outputs * walk.parts,), (1,), float64, x._storage.device) for _ in range(2)]
            outputs = [vector(tensor, x) for tensor in held]
        grid, block = blocks_of("reduction", walk.blocks)
        launch(sums_of_rows(turn == 0), grid, block, *outputs, *inputs, of_means, per_mean, walk)
        inputs = (outputs[0], outputs[1])
