"""Gradients of operators that name elements by positions or masks."""

from collections.abc import Sequence

from ...aten.at import at
from ...dispatch.local import is_subclass_like
from ...dtypes import bool_
from ...tensor_impl import Tensor


def index_backward(zeros: Tensor, indices: Sequence[Tensor | None], grad: Tensor) -> Tensor:
    """Accumulate `grad` into the elements of `zeros` selected by `indices`, in place, and return `zeros`."""
    if is_subclass_like(zeros, grad):
        return at.index_put(zeros, indices, grad, True)
    return at._index_put_impl_(zeros, indices, grad, True, True)


def index_fill_value_backward(grad: Tensor, dim: int, index: Tensor) -> Tensor:
    """Sum `grad` over the rows that `index` selects, counting each row once."""
    rows = at.new_zeros(index, (grad.shape[dim],) if grad.dim() else (1,), bool_).index_fill_(0, index, True)
    return grad.index_select(dim, rows.nonzero().squeeze(1)).sum()


def masked_fill_backward(grad: Tensor, mask: Tensor) -> Tensor:
    """Sum the elements of `grad` at which the mask is True."""
    return grad.masked_select(mask).sum()


def take_backward(grad: Tensor, self: Tensor, index: Tensor) -> Tensor:
    """Return zeros with the sizes of `self`, with `grad` accumulated at the flat positions in `index`."""
    put = at.put if is_subclass_like(grad, index) else at.put_
    return put(at.zeros_like(self), index, grad, True)


def embedding_dense_double_backward(grad: Tensor, indices: Tensor, padding_idx: int) -> Tensor:
    """Return the rows of `grad` selected by `indices`, with zeros for padding."""
    rows = grad.index_select(0, indices.reshape(-1))
    if padding_idx >= 0:
        rows = rows.masked_fill(at.eq_Scalar(indices, padding_idx).reshape(-1, 1), 0)
    return rows.view((*indices.shape, rows.shape[-1]))


# ---- scatter_reduce


def scatter_reduce_backward(
    grad: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> tuple[Tensor, Tensor]:
    """Compute the gradients of `scatter_reduce` with respect to `self` and `src`.

    Source: scatter_reduce_backward (torch/csrc/autograd/FunctionsManual.cpp).
    """
    grad_self, grad_src = _OF_REDUCTION[reduce](grad, self, dim, index, src, reduce, include_self, result)
    return grad_self if include_self else grad_self.scatter(dim, index, 0), grad_src


def _of_sum(
    grad: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> tuple[Tensor, Tensor]:
    return grad, grad.gather(dim, index)


def _of_mean(
    grad: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> tuple[Tensor, Tensor]:
    counts = at.ones_like(grad) if include_self else at.zeros_like(grad)
    counts = counts.scatter_add(dim, index, at.ones_like(src))
    counts = counts.masked_fill(at.eq_Scalar(counts, 0), 1)
    return grad / counts, grad.gather(dim, index) / counts.gather(dim, index)


def _of_prod(
    grad: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> tuple[Tensor, Tensor]:
    """Multiply `grad` by the product of the other factors: by division if there is no zero, else computed anew."""
    nonzero_self = self.masked_fill(at.eq_Scalar(self, 0), 1)
    others = nonzero_self.scatter_reduce(dim, index, src, reduce, include_self=include_self)
    grad_self = at.mul_Tensor(grad, others) / nonzero_self
    is_zero = at.eq_Scalar(src, 0)
    zeros = at.zeros_like(self).scatter_add(dim, index, is_zero.to(self.dtype)).gather(dim, index)
    is_only_zero = is_zero.logical_and(at.eq_Scalar(zeros, 1))
    without = self.scatter_reduce(dim, index, src.masked_fill(is_only_zero, 1), reduce, include_self=include_self)
    divided = at.mul_Tensor(grad, result).gather(dim, index) / src.masked_fill(is_zero, 1)
    return grad_self, at.where_self(is_only_zero, at.mul_Tensor(grad, without).gather(dim, index), divided)


def _of_extreme(
    grad: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> tuple[Tensor, Tensor]:
    """Divide the gradient equally among elements that are equally extreme."""
    is_self, is_src = at.eq_Tensor(self, result), at.eq_Tensor(src, result.gather(dim, index))
    share = grad / is_self.to(self.dtype).scatter_add(dim, index, is_src.to(self.dtype))
    return is_self * share, is_src * share.gather(dim, index)


_OF_REDUCTION = {"sum": _of_sum, "mean": _of_mean, "prod": _of_prod, "amax": _of_extreme, "amin": _of_extreme}
