"""The gradients of reductions and scans that are operators of their own, made of others.

Mirrors parts of aten/src/ATen/native/{ReduceOps,TensorConversions,LinearAlgebra}.cpp.
"""

from ...dispatch.local import is_subclass_like
from ...strides import Ints, wrap_dim
from ...tensor_impl import Tensor
from ..at import at


def value_selecting_reduction_backward_symint(
    grad: Tensor, dim: int, indices: Tensor, sizes: Ints, keepdim: bool
) -> Tensor:
    """Return the gradient of values selected along `dim`, such as a maximum: scatter `grad` to the selected positions.

    Args:
        grad, indices: of the sizes that the choice left, with `dim` if `keepdim`.
        sizes: of what was chosen from.
    """
    if not keepdim and sizes:
        grad, indices = at.unsqueeze(grad, dim), at.unsqueeze(indices, dim)
    scatter = at.scatter_src if is_subclass_like(grad, indices) else at.scatter__src
    return scatter(_zeros(grad, sizes), dim, indices, grad)


def cummaxmin_backward(grad: Tensor, input: Tensor, indices: Tensor, dim: int) -> Tensor:
    """Return the gradient of cummax and cummin: add each entry of `grad` at the index of its running extreme."""
    if input.numel() == 0:
        return input
    add = at.scatter_add if is_subclass_like(grad, indices) else at.scatter_add_
    return add(_zeros(input, input._sizes), dim, indices, grad)


def trace_backward_symint(grad: Tensor, sizes: Ints) -> Tensor:
    """Return the gradient of trace: `grad` on the diagonal, zeros elsewhere.

    Raises:
        RuntimeError: `sizes` are not a matrix's.
    """
    if len(sizes) != 2:
        raise RuntimeError("expected matrix input")
    step, device = sizes[1] + 1, grad._storage.device
    diagonal = at.arange_start_step(0, min(sizes) * step, step, device=device)
    return at.view(at.index_fill__int_Tensor(_zeros(grad, (sizes[0] * sizes[1],)), 0, diagonal, grad), sizes)


def cumprod_backward(grad: Tensor, input: Tensor, dim: int, output: Tensor) -> Tensor:
    """Return the gradient of cumprod: grad_input[k] = sum(grad[j] * output[j] / input[k] for j >= k) along `dim`.

    Where an element is 0 the quotient is computed as the product of the others: in time that grows with the square of
    the size.
    """
    dim = wrap_dim(dim, len(input._sizes))
    size = input._sizes[dim] if input._sizes else 1
    if input.numel() <= 1 or size == 1:
        return grad
    if not is_subclass_like(input, grad, output) and not at.item(at.any(at.eq_Scalar(input, 0))):
        sums = at.flip(at.cumsum(at.flip(at.mul_Tensor(output, grad), (dim,)), dim), (dim,))
        return at.div_Tensor(sums, input)
    slices = []
    for k in range(size):
        before = at.prod_dim_int(at.slice_Tensor(input, dim, 0, k), dim, True)
        after = at.cumprod(at.slice_Tensor(input, dim, k + 1), dim)
        others = at.cat((before, at.mul_Tensor(before, after)), dim)
        slices.append(at.sum_dim_IntList(at.mul_Tensor(at.slice_Tensor(grad, dim, k), others), (dim,)))
    return at.stack(tuple(slices), dim)


def _zeros(like: Tensor, sizes: Ints) -> Tensor:
    return at.new_zeros(like, sizes)
