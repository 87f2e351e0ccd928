"""A layer's bias and activation after a product, in one kernel, while an element is in a register.

The plain loop that it replaces; apart, the two lines would be two kernels, and `out` would travel twice:

    for i in range(m):
        for j in range(n):
            out[i, j] = out[i, j] + beta * bias[i, j]
            out[i, j] = activate(out[i, j])

Mirrors what PyTorch hands to cuBLASLt as an epilogue (aten/src/ATen/native/cuda/Blas.cpp, addmm_out_cuda_impl).
"""

from collections.abc import Callable
from typing import Any

from ..aten.native import addmm_activation
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..compiled import memo
from ..cpu.activation import clamp_min, gelu_tanh
from ..cpu.elementwise import FLOATS, NUMBERS
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .driver import cuda
from .elementwise import flat_and_offset
from .gemm import named
from .launch import grid_of, launch
from .libdevice import device_function, like

Number = bool | int | float


def relu(x):
    """Return max(x, 0); nan stays nan."""
    return clamp_min(x, like(x, 0))


def bias_activation_kernel(activate: Callable[[Any], Any]) -> Any:
    """Make the kernel that adds a bias to a matrix and applies an activation, in place, reading each element once.

    The kernel is `bias_activation(sizes, beta, bias, p, bias_steps, out, o, out_steps)` under `@cuda.jit`. For all
    i < m and j < n:

        out[at] = activate(out[at] + beta * bias[of_bias])
            at      = o + i * out_steps[0] + j * out_steps[1]
            of_bias = p + i * bias_steps[0] + j * bias_steps[1]

    Args:
        activate: a device function of one number, which the kernel calls.
    The kernel's arguments:
        sizes: (m, n), neither is 0.
        beta: a number of the arrays' dtype. If it is 0 the bias is not loaded: it may hold anything, nan too.
        bias, out: flat arrays; p, o: positions of their first elements; bias_steps, out_steps: the strides of rows and
            columns, in elements. Any strides do: a bias that is the same for all rows has (0, 1).

    The grid has one dimension. It may have more threads than there are elements, or fewer: the threads share the
    elements evenly, in steps of the whole grid, and neighboring threads take neighbors of a row. Each element of `out`
    is loaded once and stored once, and one element of the bias is loaded for it.

    Source: addmm_activation_out_cuda (aten/src/ATen/native/cuda/Blas.cpp), where cuBLASLt does it as an epilogue.
    """

    def bias_activation(sizes, beta, bias, p, bias_steps, out, o, out_steps):
        m, n = sizes
        element = cuda.grid(1)
        while element < m * n:
            i, j = element // n, element % n
            at = o + i * out_steps[0] + j * out_steps[1]
            x = out[at]
            if beta != 0:
                x += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
            out[at] = activate(x)
            element += cuda.gridsize(1)

    return cuda.jit(named(bias_activation, "bias_activation"))


ACTIVATIONS = {False: relu, True: gelu_tanh}  # use_gelu -> what PyTorch's GPUs compute


@memo
def kernel_of(use_gelu: bool) -> Any:
    """Build the kernel for gelu if `use_gelu`, else for relu."""
    return bias_activation_kernel(device_function(ACTIVATIONS[use_gelu]))


def add_and_activate(out: Tensor, bias: Tensor, beta: Number, use_gelu: bool) -> None:
    """Compute out = activate(out + beta * bias) for a non-empty matrix `out`; `bias` has the sizes of `out`.

    Raises:
        NotImplementedError: gelu of a dtype that is not floating-point; bools.
    """
    kind: dtype = out._dtype
    if kind not in (FLOATS if use_gelu else NUMBERS):
        raise NotImplementedError(f"\"addmm_activation_cuda\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
    (m, n), (cells, first) = out._sizes, flat_and_offset(bias)
    launch(kernel_of(use_gelu), *grid_of("elementwise", m * n), (m, n), kind.numpy.type(beta),
           cells, first, bias._strides, out._flat(), out._storage_offset, out._strides)  # fmt: skip


addmm_activation.bias_activation_stub.register("cuda", add_and_activate)
