"""Derivatives of the normalizations, and of their gradients. Mirrors torch/csrc/autograd/FunctionsManual.cpp.

All of them compute normalized * weight + bias, with normalized = (input - mean) * rstd; they differ in the elements
that share a mean, and in those that share a weight. With slopes = grad * weight, the gradient of the input is

    rstd * centered(slopes),    centered(u) = u - u.mean() - normalized * (u * normalized).mean()

over the elements that share a mean; where that is given, rstd * slopes.
"""

from collections.abc import Sequence

from ...aten.at import at
from ...strides import Ints
from ...tensor_impl import Tensor
from ..state import state

Mask = tuple[bool, ...]
Triple = tuple[Tensor | None, Tensor | None, Tensor | None]

# ---- double backward


def layer_norm_double_backward(
    input: Tensor, weight: Tensor | None, of_dx: Tensor | None, of_dweight: Tensor | None, of_dbias: Tensor | None,
    grad: Tensor, mean: Tensor, rstd: Tensor, normalized_shape: Ints, grad_input_mask: Mask,
) -> Triple:  # fmt: skip
    """Compute the gradients of `native_layer_norm_backward` with respect to input, weight and grad_out.

    Args:
        of_dx, of_dweight, of_dbias: the gradients of its results, None where there is none.
    """
    ndim = len(input.shape)
    axis = ndim - len(normalized_shape)
    return normalization_double_backward(
        input, weight, of_dx, of_dweight, of_dbias, grad, mean, rstd, tuple(range(axis, ndim)), tuple(range(axis)),
        grad_input_mask,
    )  # fmt: skip


def batchnorm_double_backward(
    input: Tensor, weight: Tensor | None, grads: Sequence[Tensor | None], grad: Tensor, running_mean: Tensor | None,
    running_var: Tensor | None, training: bool, eps: float, save_mean: Tensor | None, save_invstd: Tensor | None,
    grad_input_mask: Mask,
) -> Triple:  # fmt: skip
    """Compute the gradients of `native_batch_norm_backward` with respect to input, weight and grad_out.

    Args:
        grads: the gradients of its results, None where there is none.
    """
    shape = (1, -1, *(1 for _ in input.shape[2:]))
    mean, rstd = save_mean, save_invstd
    if not training:
        mean, rstd = running_mean, at.rsqrt(at.add_Scalar(running_var, eps))
    of_dx, of_dweight, of_dbias = grads
    of_dweight, of_dbias = (None if x is None else x.reshape(shape) for x in (of_dweight, of_dbias))
    others = (0, *range(2, len(input.shape)))
    dx, dweight, dgrad = normalization_double_backward(
        input, None if weight is None else weight.reshape(shape), of_dx, of_dweight, of_dbias, grad,
        at.reshape(mean, shape), at.reshape(rstd, shape), others if training else (), others, grad_input_mask,
    )  # fmt: skip
    return dx, None if dweight is None else dweight.reshape((-1,)), dgrad


def normalization_double_backward(
    input: Tensor, weight: Tensor | None, of_dx: Tensor | None, of_dweight: Tensor | None, of_dbias: Tensor | None,
    grad: Tensor, mean: Tensor, rstd: Tensor, dims: Ints, others: Ints, grad_input_mask: Mask,
) -> Triple:  # fmt: skip
    """Compute the double backward of a normalization; weight, mean and rstd broadcast against the input.

    Args:
        dims: along which a mean is taken; none if it is given.
        others: along which elements share a weight.
    """
    normalized = (input - mean) * rstd
    slopes = grad if weight is None else grad * weight

    def average(of: Tensor) -> Tensor:
        return of.mean(dims, True)

    def centered(of: Tensor) -> Tensor:
        return of - average(of) - normalized * average(of * normalized) if dims else of

    through = None if of_dx is None else rstd * centered(of_dx)
    of_normalized = None if of_dweight is None else of_dweight * grad
    dx = dweight = None
    if of_dx is not None and dims:
        of_normalized = plus(
            of_normalized, -rstd * (of_dx * average(slopes * normalized) + slopes * average(of_dx * normalized))
        )
    if of_normalized is not None:
        dx = rstd * centered(of_normalized)
    if of_dx is not None and dims:
        dx = plus(dx, -rstd * rstd * normalized * average(of_dx * centered(slopes)))
    if through is not None and weight is not None:
        dweight = (grad * through).sum(others, True).reshape(weight.shape) if others else grad * through
    dgrad = None if through is None else through if weight is None else through * weight
    dgrad = plus(dgrad, None if of_dweight is None else of_dweight * normalized)
    dgrad = plus(dgrad, None if of_dbias is None else of_dbias.expand(grad.shape))
    results = zip((dx, dweight, dgrad), grad_input_mask, strict=True)
    return tuple(result if wanted else None for result, wanted in results)  # type: ignore[return-value]


def plus(one: Tensor | None, other: Tensor | None) -> Tensor | None:
    """Return the sum of two tensors, either of which may be None."""
    return other if one is None else one if other is None else one + other


# ---- group_norm


def group_norm_backward(
    grads: Sequence[Tensor | None], input: Tensor, mean: Tensor, rstd: Tensor, weight: Tensor | None, N: int, C: int,
    HxW: int, group: int, eps: float, grad_input_mask: Mask,
) -> Triple:  # fmt: skip
    """Compute the gradients of `native_group_norm` with respect to input, weight and bias: by one operator, unless
    the pass is recorded or mean or rstd has a gradient."""
    grad, of_mean, of_rstd = grads
    if state.grad_mode or of_mean is not None or of_rstd is not None:
        return infinitely_differentiable_native_group_norm_backward(
            grads, input, mean, rstd, weight, N, C, HxW, group, eps, grad_input_mask
        )
    return at.native_group_norm_backward(grad, input, mean, rstd, weight, N, C, HxW, group, grad_input_mask)


def infinitely_differentiable_native_group_norm_backward(
    grads: Sequence[Tensor | None], input: Tensor, mean: Tensor, rstd: Tensor, weight: Tensor | None, N: int, C: int,
    HxW: int, group: int, eps: float, grad_input_mask: Mask,
) -> Triple:  # fmt: skip
    """Compute `native_group_norm_backward` with differentiable operators, from the gradients of any of the results."""
    grad, of_mean, of_rstd = grads
    shape, each = (N, group, C // group, HxW), (N, group, 1, 1)
    x, mean, rstd = input.reshape(shape), mean.reshape(each), rstd.reshape(each)
    normalized = (x - mean) * rstd
    dx = dweight = dbias = None
    if grad is not None:
        grad = grad.reshape(shape)
        slopes = grad if weight is None else grad * weight.reshape((1, *shape[1:3], 1))
        if grad_input_mask[0]:
            averages = slopes.mean((2, 3), True), (slopes * normalized).mean((2, 3), True)
            dx = (slopes - averages[0] - normalized * averages[1]) * rstd
        if grad_input_mask[1]:
            dweight = (grad * normalized).sum((0, 3)).reshape((C,))
        if grad_input_mask[2]:
            dbias = grad.sum((0, 3)).reshape((C,))
    if grad_input_mask[0]:
        n = shape[2] * HxW
        dx = plus(dx, None if of_mean is None else (of_mean.reshape(each) / n).expand(shape))
        dx = plus(dx, None if of_rstd is None else of_rstd.reshape(each) * rstd * rstd * normalized * (-1 / n))
    return None if dx is None else dx.reshape(input.shape), dweight, dbias
