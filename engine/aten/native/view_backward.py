"""The gradients of view operators: zeros in the sizes of the base, with the gradient of the view in its place.

Mirrors the backward operators of aten/src/ATen/native/TensorShape.cpp, and UnfoldBackward.cpp.
"""

from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..stubs import DispatchStub
from .copy import copied
from .tensor_factories import new_zeros
from .tensor_shape import diagonal, select, slice, unfold

unfold_backward_stub = DispatchStub("unfold_backward_stub")
"""kernel(windows, grad, dim): windows += grad, of the same sizes, though the windows, which `unfold` made along `dim`,
share cells."""


def _with_part(whole: Tensor, part: Tensor, grad: Tensor) -> Tensor:
    """Write `grad`, which may broadcast, into `part`, a view of `whole`; return `whole`."""
    if part._sizes == grad._sizes:
        copied(part, grad, False)
    else:
        at.copy_(part, grad)
    return whole


def slice_backward(grad_output: Tensor, input_sizes: Ints, dim: int, start: int, end: int, step: int) -> Tensor:
    """Return zeros of sizes `input_sizes` with `grad_output` written to `[..., start:end:step, ...]`.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: `grad_output` does not fit the slice; and as `slice`.
    """
    whole = new_zeros(grad_output, input_sizes)
    return _with_part(whole, slice(whole, dim, start, end, step), grad_output)


def select_backward(grad_output: Tensor, input_sizes: Ints, dim: int, index: int) -> Tensor:
    """Return zeros of sizes `input_sizes` with `grad_output` written to `[..., index, ...]`.

    Raises:
        IndexError: `dim` or `index` is out of range.
        RuntimeError: `grad_output` does not fit there.
    """
    whole = new_zeros(grad_output, input_sizes)
    return _with_part(whole, select(whole, dim, index), grad_output)


def diagonal_backward(grad_output: Tensor, input_sizes: Ints, offset: int, dim1: int, dim2: int) -> Tensor:
    """Return zeros of sizes `input_sizes` with `grad_output` written to a diagonal.

    Raises:
        IndexError: a dimension is out of range.
        RuntimeError: the two dimensions are the same, or `grad_output` does not fit.
    """
    whole = new_zeros(grad_output, input_sizes)
    return _with_part(whole, diagonal(whole, offset, dim1, dim2), grad_output)


def unfold_backward(grad_in: Tensor, input_sizes: Ints, dim: int, size: int, step: int) -> Tensor:
    """Return zeros of sizes `input_sizes` with `grad_in` added at the elements that each window along `dim` covers.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: `grad_in` has not the sizes of the windows; and as `unfold`.
    """
    whole = new_zeros(grad_in, input_sizes)
    windows = unfold(whole, dim, size, step)
    if step >= size or windows._sizes != grad_in._sizes:
        return _with_part(whole, windows, grad_in)
    if grad_in.numel():
        unfold_backward_stub.kernels[whole._storage.device.type](windows, grad_in, dim % len(input_sizes))
    return whole
