"""Derivatives of poolings. Mirrors torch/csrc/autograd/FunctionsManual.cpp."""

from ...aten.at import at
from ...tensor_impl import Tensor


def max_pool_double_backward(grad: Tensor, indices: Tensor, dim: int) -> Tensor:
    """Gather from each plane of `grad` the values at the indices of the maxima: the double backward of max pooling.

    Args:
        grad: of the sizes of the images.
        indices: counting through the last `dim` dimensions.
    """
    if not indices.numel():
        return at.empty_like(indices, grad.dtype)
    flat = (*indices.shape[: len(indices.shape) - dim], -1)
    return grad.reshape(flat).gather(-1, indices.reshape(flat)).view(indices.shape)
