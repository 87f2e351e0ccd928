"""The gradients of operators that name elements by positions or masks: zeros with the gradient written into them.

Most are composite, so that their own derivatives follow. Mirrors the backward operators of
aten/src/ATen/native/TensorAdvancedIndexing.cpp and TensorShape.cpp.
"""

from ...dispatch.local import is_subclass_like
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from .masked import broadcast_shape


def index_select_backward(grad: Tensor, self_sizes: Ints, dim: int, index: Tensor) -> Tensor:
    """Return zeros of sizes `self_sizes` with the slices of `grad` added at the positions in `index`."""
    return at.index_add_(at.new_zeros(grad, self_sizes), dim, index, grad)


def gather_backward(grad: Tensor, self: Tensor, dim: int, index: Tensor, sparse_grad: bool) -> Tensor:
    """Return zeros of the shape of `self` with the elements of `grad` scattered to `index` and added up.

    Raises:
        RuntimeError: a sparse gradient is requested, which is out of scope.
    """
    if sparse_grad:
        raise RuntimeError("gather: sparse gradients are out of scope: expected sparse_grad=False")
    return at.scatter_add_(at.new_zeros(grad, self._sizes), dim, index, grad)


def masked_select_backward(grad: Tensor, input: Tensor, mask: Tensor) -> Tensor:
    """Return zeros of the broadcast sizes of `input` and `mask`, with the elements of `grad` where the mask is True."""
    whole = at.expand(input, broadcast_shape(input._sizes, mask._sizes))
    scatter = at.masked_scatter if is_subclass_like(grad, mask) else at.masked_scatter_
    return scatter(at.zeros_like(whole), mask, grad)


def masked_scatter_backward(grad_output: Tensor, mask: Tensor, sizes: Ints) -> Tensor:
    """Return the gradient of the source: the elements of `grad_output` where the mask is True, padded with zeros."""
    whole = at.zeros(sizes, grad_output._dtype, None, grad_output._storage.device, None)
    chosen = at.masked_select(grad_output, mask)
    at.copy_(at.slice_Tensor(at.view(whole, (-1,)), 0, 0, chosen._sizes[0], 1), chosen)
    return whole
