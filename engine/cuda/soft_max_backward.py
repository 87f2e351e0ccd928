"""The gradients of softmax and log_softmax along any dimension of contiguous tensors.

The plain loops that they replace, for each row y of the output and its gradient g, of n elements `inner` apart:

    total = sum(a * b for a, b in zip(g, y))               # softmax
    out = [(a - total) * b for a, b in zip(g, y)]

    total = sum(g)                                         # log_softmax
    out = [a - exp(b) * total for a, b in zip(g, y)]

Mirrors aten/src/ATen/native/cuda/SoftMax.cu.
"""

from collections.abc import Callable
from typing import Any

from ..aten.native import soft_max as operators
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..compiled import memo
from ..cpu.loops import NUMBA
from ..cpu.soft_max import loop_of
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .driver import cuda
from .launch import blocks_of, launch
from .libdevice import exp
from .loops import device_function
from .reduce_walk import THREADS, shares_of


def product(g, y):
    """Return an element's term in the sum for the gradient of softmax."""
    return g * y


def gradient(g, y):
    """Return an element's term in the sum for the gradient of log_softmax."""
    return g


def softmax(g, y, total):
    """Return the gradient of an element of softmax."""
    return (g - total) * y


def log_softmax(g, y, total):
    """Return the gradient of an element of log_softmax."""
    return g - exp(y) * total


def kernel_of(element: Callable, share: Callable, kind: dtype) -> Any:
    """Build the kernel that sums `element` over each row, then writes `share` of each element and its row's sum."""
    cells, name = NUMBA[kind], f"{share.__name__}_backward"
    element, share = device_function(element), device_function(share)

    def backward(out, o, g, p, y, q, rows, n, inner, shares, zero):
        totals = cuda.shared.array(THREADS, cells)
        height, width, down, across = shares
        thread, block = cuda.threadIdx.x, cuda.blockIdx.x
        row, column = thread // down % height, thread // across % width
        while block * width < rows:
            number = block * width + column
            first, end = number // inner * n * inner + number % inner, n if number < rows else 0
            total, r = zero, row
            while r < end:
                total += element(g[p + first + r * inner], y[q + first + r * inner])
                r += height
            totals[thread] = total
            cuda.syncthreads()
            half = height >> 1
            while half > 0:
                if row < half:
                    totals[thread] += totals[thread + half * down]
                cuda.syncthreads()
                half >>= 1
            total, r = totals[column * across], row
            cuda.syncthreads()
            while r < end:
                far = first + r * inner
                out[o + far] = share(g[p + far], y[q + far], total)
                r += height
            block += cuda.gridDim.x

    backward.__name__ = backward.__qualname__ = name
    return cuda.jit(backward)


def backward_kernel(name: str, element: Callable, share: Callable) -> Callable[[Tensor, Tensor, Tensor, int], None]:
    """Build kernel(out, grad, output, dim) for non-empty contiguous tensors of equal sizes and dtype."""
    made = memo(lambda kind: kernel_of(element, share, kind))

    def kernel(out: Tensor, grad: Tensor, output: Tensor, dim: int) -> None:
        kind = output._dtype
        if not kind.is_floating_point:
            raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        outer, n, inner = loop_of(output._sizes, dim)
        operands = [part for tensor in (out, grad, output) for part in (tensor._flat(), tensor._storage_offset)]
        shares = shares_of(outer * inner, n, inner > 1)
        grid, block = blocks_of("reduction", -(-outer * inner // shares[1]))
        launch(made(kind), grid, block, *operands, outer * inner, n, inner, shares, kind.numpy.type(0))

    return kernel


operators.softmax_backward_stub.register("cuda", backward_kernel("softmax_backward_cuda", product, softmax))
operators.log_softmax_backward_stub.register(
    "cuda", backward_kernel("log_softmax_backward_cuda", gradient, log_softmax)
)
