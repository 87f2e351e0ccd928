"""Derivatives of reductions and scans: what one result owes to each of the elements that it was made of.

A reduced gradient first gets back the dimensions that the reduction took, of size 1, and then broadcasts.
Mirrors torch/csrc/autograd/FunctionsManual.cpp.
"""

import math
from collections.abc import Sequence

from ...aten.at import at
from ...dispatch.local import is_subclass_like
from ...strides import Ints, wrap_dim
from ...tensor_impl import Tensor

Dims = Sequence[int] | None
Number = bool | int | float

# ---- the dimensions that a reduction took


def restore_reduced_dims(output: Tensor, dims: Dims, keepdim: bool) -> Tensor:
    """Return `output` with the reduced dimensions restored as size 1, unless all dimensions were reduced."""
    return output if keepdim or not dims else unsqueeze_multiple(output, dims, len(output.shape) + len(dims))


def unsqueeze_multiple(tensor: Tensor, dims: Dims, ndim: int) -> Tensor:
    """Unsqueeze `tensor` at the dimensions `dims`, so that it has `ndim` dimensions.

    Args:
        dims: their positions in the result; none named means all.
    """
    if dims is not None and len(dims) == 1:
        return at.unsqueeze(tensor, dims[0])
    for dim in sorted({wrap_dim(dim, ndim) for dim in dims or range(ndim)}):
        tensor = at.unsqueeze(tensor, dim)
    return tensor


def size_along(sizes: Ints, dims: Dims) -> int:
    """Return the number of elements along `dims`, or of all elements if `dims` is empty."""
    return math.prod(sizes[dim] for dim in dims) if dims and sizes else math.prod(sizes)


# ---- sums and means


def sum_backward(grad: Tensor, sizes: Ints, dims: Dims, keepdim: bool) -> Tensor:
    """Expand the gradient of a sum to the sizes of the input."""
    if not keepdim and sizes:
        grad = unsqueeze_multiple(grad, dims, len(sizes))
    return at.expand(grad, sizes)


def nansum_backward(grad: Tensor, self: Tensor, dims: Dims, keepdim: bool) -> Tensor:
    """Compute `sum_backward`, with 0 for elements that are NaN."""
    return sum_backward(grad, self.shape, dims, keepdim) * self.isnan().logical_not()


def mean_backward(grad: Tensor, sizes: Ints, dims: Dims, keepdim: bool) -> Tensor:
    """Compute `sum_backward` divided by the number of elements."""
    return at.div_Scalar(sum_backward(grad, sizes, dims, keepdim), size_along(sizes, dims))


# ---- variance


def var_backward(grad: Tensor, self: Tensor, dims: Dims, correction: Number | None, keepdim: bool) -> Tensor:
    """Multiply `grad` by 2 * (self - mean) / (n - correction); if that divides by 0, elements at the mean get NaN."""
    freedom = size_along(self.shape, dims) - (1 if correction is None else correction)
    everything = dims is None or not self.shape
    if everything and freedom <= 0:
        return grad * at.where_Scalar(self == self.mean(), math.nan, math.inf)
    if not everything and not keepdim and len(self.shape) > 1:
        grad = unsqueeze_multiple(grad, dims, len(self.shape))
    centered = self - (self.mean() if everything else self.mean(dims, True))
    return at.mul_Scalar(grad, 2 / freedom if freedom else math.inf) * centered


def std_backward(
    result: Tensor, grad: Tensor, self: Tensor, dims: Dims, correction: Number | None, keepdim: bool
) -> Tensor:
    """Compute `var_backward` of grad / (2 * result), or of 0 where the result is 0."""
    of_var = (grad / at.mul_Scalar(result, 2)).masked_fill(result == 0, 0)
    return var_backward(of_var, self, dims, correction, keepdim)


def var_mean_backward(
    of_var: Tensor | None, of_mean: Tensor | None, self: Tensor, dims: Dims, correction: Number | None, keepdim: bool
) -> Tensor | None:
    """Compute the sum of `var_backward` and `mean_backward`, skipping a result that has no gradient."""
    parts = []
    if of_var is not None:
        parts.append(var_backward(of_var, self, dims, correction, keepdim))
    if of_mean is not None:
        parts.append(mean_backward(of_mean, self.shape, dims, keepdim))
    return sum(parts[1:], parts[0]) if parts else None


def std_mean_backward(
    of_std: Tensor | None, of_mean: Tensor | None, self: Tensor, std: Tensor, dims: Dims, correction: Number | None,
    keepdim: bool,
) -> Tensor | None:  # fmt: skip
    """Compute the sum of `std_backward` and `mean_backward`, skipping a result that has no gradient."""
    of_var = None if of_std is None else (of_std / at.mul_Scalar(std, 2)).masked_fill(std == 0, 0)
    return var_mean_backward(of_var, of_mean, self, dims, correction, keepdim)


# ---- products


def prod_backward(grad: Tensor, input: Tensor, result: Tensor) -> Tensor:
    """Multiply `grad` by result / input, or, if an element is 0, by the product of all other elements."""
    if not input.shape:
        return grad.clone()
    if not is_subclass_like(input) and not (input == 0).any().item():
        return grad * (result / input)
    return product_of_others(grad, input.reshape((-1,)), 0).view(input.shape)


def prod_dim_backward(grad: Tensor, input: Tensor, result: Tensor, dim: int, keepdim: bool) -> Tensor:
    """Compute `prod_backward` along a dimension."""
    if not input.shape:
        return grad.clone()
    if not keepdim:
        grad, result = grad.unsqueeze(dim), result.unsqueeze(dim)
    if not is_subclass_like(input) and not (input == 0).any().item():
        return grad * (result / input)
    return product_of_others(grad, input, wrap_dim(dim, len(input.shape)))


def product_of_others(grad: Tensor, input: Tensor, dim: int) -> Tensor:
    """Compute `grad` times the product of all other elements along `dim`, from the products before and after each."""
    size = input.shape[dim]
    if size < 2:
        return grad if size else at.zeros_like(input)
    ones = at.ones((*input.shape[:dim], 1, *input.shape[dim + 1 :]), dtype=grad.dtype, device=grad.device)
    before = at.cat((ones, input.narrow(dim, 0, size - 1)), dim).cumprod(dim)
    after = at.cat((ones, input.narrow(dim, 1, size - 1).flip((dim,))), dim).cumprod(dim).flip((dim,))
    return grad * (before * after)


# ---- extremes


def evenly_distribute_backward(grad: Tensor, input: Tensor, value: Tensor) -> Tensor:
    """Divide the gradient equally among all elements equal to `value`, which may be NaN."""
    if is_subclass_like(grad, input, value):
        both_nan = at.logical_and(input.isnan(), value.isnan())
        mask = at.logical_or_(input == value, both_nan)
        return at.mul_Tensor(mask, grad / mask.sum())
    mask = input.isnan() if value.isnan().item() else input == value
    return at.new_zeros(grad, input.shape).masked_fill_(mask, grad / mask.sum())


def scale_grad_by_count(grad: Tensor, mask: Tensor, dims: Dims) -> Tensor:
    """Divide the gradient equally among the elements along `dims` at which `mask` is True."""
    return (grad * mask) / mask.sum(dims, True)


def amaxmin_backward(grad: Tensor, self: Tensor, result: Tensor, dims: Dims, keepdim: bool) -> Tensor:
    """Divide the gradient equally among all elements along `dims` that are equal to the result."""
    grad, result = (restore_reduced_dims(tensor, dims, keepdim) for tensor in (grad, result))
    return scale_grad_by_count(grad, result == self, dims)


def aminmax_backward(
    self: Tensor, dim: int | None, keepdim: bool, of_min: Tensor | None, of_max: Tensor | None, min: Tensor, max: Tensor
) -> Tensor | None:
    """Compute the sum of `amaxmin_backward` for the results that have a gradient."""
    dims = () if dim is None else (dim,)
    pairs = ((of_min, min), (of_max, max))
    parts = [amaxmin_backward(grad, self, value, dims, keepdim) for grad, value in pairs if grad is not None]
    return sum(parts[1:], parts[0]) if parts else None


# ---- logarithms of sums


def logsumexp_backward(grad: Tensor, self: Tensor, result: Tensor, dims: Dims, keepdim: bool) -> Tensor:
    """Multiply `grad` by the softmax of `self`: e ** (self - result)."""
    if not keepdim and self.shape:
        grad, result = (unsqueeze_multiple(tensor, dims, len(self.shape)) for tensor in (grad, result))
    return grad * (self - result).exp()


def logcumsumexp_backward(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    """Sum grad[j] * e ** (self - result[j]) over all j not before each element, in log space to avoid overflow.

    Gradients above and below 0 are summed apart: a logarithm has no sign.
    """
    if not grad.shape or not grad.numel():
        return grad
    lowest = -1.7976931348623157e308 if grad.dtype.itemsize == 8 else -3.4028234663852886e38
    logarithm = grad.abs().log()

    def of(mask: Tensor) -> Tensor:
        logarithms = at.where_ScalarOther(mask, logarithm, lowest)
        return ((logarithms - result).flip((dim,)).logcumsumexp(dim).flip((dim,)) + self).exp()

    return of(grad > 0) - of(grad < 0)


# ---- norms


def norm_backward(
    grad: Tensor, self: Tensor, p: Number | None, norm: Tensor, dims: Dims = (), keepdim: bool = False
) -> Tensor | None:
    """Compute the gradient of a norm of order `p`, by default 2: 0 where the norm is 0, and None for order 0.

    Of order inf the elements that are the largest have equal parts, NaN with them.
    """
    order = 2.0 if p is None else float(p)
    if not keepdim and self.shape:
        grad, norm = (unsqueeze_multiple(tensor, dims, len(self.shape)) for tensor in (grad, norm))
    if order == 0:
        return None
    if order == 1:
        return self.sgn() * grad
    if order == 2:
        return grad * (self / norm).masked_fill(norm == 0, 0)
    if math.isinf(order):
        sizes = self.abs()
        mask = (sizes == norm).logical_or(sizes.isnan())
        return self.sgn() * scale_grad_by_count(grad, mask, dims)
    if order < 1:
        return self.sgn() * self.abs().pow(order - 1).masked_fill(self == 0, 0) * grad * norm.pow(1 - order)
    slopes = self.sgn() * self.abs().pow(order - 1) if order < 2 else self * self.abs().pow(order - 2)
    return slopes * (grad / norm.pow(order - 1)).masked_fill(norm == 0, 0)


# ---- scans and softmax


def cumsum_backward(grad: Tensor, dim: int) -> Tensor:
    """Compute the reverse cumulative sum of `grad`: each element is the sum from its own index to the end."""
    if grad.numel() <= 1 or grad.shape[dim] == 1:
        return grad
    return grad.flip((dim,)).cumsum(dim).flip((dim,))


def softmax_double_backward(grad: Tensor, grad_output: Tensor, dim: int, output: Tensor) -> Tensor:
    """Compute the gradient of `_softmax_backward_data` with respect to `output`, given its result's gradient."""
    one = (output * grad_output).sum((dim,), True) * grad
    return grad_output * grad - one - grad_output * (output * grad).sum((dim,), True)


def log_softmax_double_backward(grad: Tensor, grad_output: Tensor, dim: int, output: Tensor) -> Tensor:
    """Compute the gradient of `_log_softmax_backward_data` with respect to `output`, given its result's gradient."""
    return -grad_output.sum((dim,), True) * output.exp() * grad
