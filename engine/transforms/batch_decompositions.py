"""Operators as others, for those whose batches have no rule of their own: written for one sample, without a loop.

They are kernels at FuncTorchBatched, and what they call goes through the rules of what they call.
Mirrors the decompositions of aten/src/ATen/functorch/BatchRules*.cpp and, for losses, torch/_decomp/decompositions.py.
"""

from collections.abc import Callable
from typing import Any

from ..aten.at import at
from ..dtypes import int64
from ..tensor_impl import Tensor

NONE, MEAN, SUM = 0, 1, 2  # values of `reduction`


def rot90(x: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """Rotate by a quarter turn, `k` times."""
    first, second = dims
    if k % 4 == 0:
        return at.clone(x)
    if k % 4 == 2:
        return at.flip(x, dims)
    return at.transpose_int(at.flip(x, (second if k % 4 == 1 else first,)), first, second)


def one_hot(x: Tensor, num_classes: int = -1) -> Tensor:
    """Compare with each class."""
    if x._dtype is not int64:
        raise RuntimeError("one_hot is only applicable to index tensor.")
    if num_classes <= 0:
        raise RuntimeError(
            "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument."
        )
    classes = at.arange(num_classes, dtype=x._dtype, device=x._storage.device)
    return at.to_dtype(at.eq_Tensor(at.unsqueeze(x, -1), classes), int64)


def linspace(start: Any, end: Any, steps: int, dtype: Any = None, layout: Any = None, *placement: Any) -> Tensor:
    """Return numbers from `start` to `end` in equal steps."""
    return start + (end - start) * at.linspace(0, 1, steps, dtype, layout, *placement)


def added(product: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return `beta * x + alpha * product(a, b)` as a function."""

    def decomposed(x: Tensor, a: Tensor, b: Tensor, beta: Any = 1, alpha: Any = 1) -> Tensor:
        made = product(a, b)
        made = made if alpha == 1 else at.mul_Scalar(made, alpha)
        return made if beta == 0 else at.add_Tensor(x if beta == 1 else at.mul_Scalar(x, beta), made)

    return decomposed


# ---- backward, and losses of classes


def embedding_dense_backward(
    grad: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    """Return the gradient of a table of embeddings: each row's is the sum over its places in `indices`."""
    if scale_grad_by_freq:
        ones = at.ones_like(indices, dtype=grad._dtype)
        counts = at.index_put(at.new_zeros(grad, (num_weights,)), (indices,), ones, True)
        grad = grad / at.unsqueeze(at.index_Tensor(counts, (indices,)), -1)
    is_counted = at.unsqueeze(at.ne_Scalar(indices, padding_idx), -1)
    rows = at.new_zeros(grad, (num_weights, grad._sizes[-1]))
    return at.index_put(rows, (indices,), at.where_ScalarOther(is_counted, grad, 0), True)


def scaled(grad: Tensor, x: Tensor, reduction: int) -> Tensor:
    """Return the gradient of a loss as the gradient of each element's part of it."""
    return at.div_Scalar(grad, x.numel()) if reduction == MEAN else grad


def mse_loss_backward(grad: Tensor, x: Tensor, target: Tensor, reduction: int) -> Tensor:
    """Return the gradient of (x - target) ** 2."""
    return at.mul_Scalar(x - target, 2.0) * scaled(grad, x, reduction)


def smooth_l1_loss_backward(grad: Tensor, x: Tensor, target: Tensor, reduction: int, beta: float) -> Tensor:
    """Return the gradient of a parabola within `beta` of the target, and of the distance beyond."""
    error, grad = x - target, scaled(grad, x, reduction)
    return at.where_self(at.lt_Scalar(at.abs(error), beta), grad * error / beta, grad * at.sign(error))


def huber_loss_backward(grad: Tensor, x: Tensor, target: Tensor, reduction: int, delta: float) -> Tensor:
    """Return the gradient of a parabola within `delta` of the target, and of `delta` times the distance beyond."""
    return scaled(grad, x, reduction) * at.clamp(x - target, -delta, delta)


def binary_cross_entropy_backward(
    grad: Tensor, x: Tensor, target: Tensor, weight: Any = None, reduction: int = 1
) -> Tensor:
    """Return the gradient of -(target * log(x) + (1 - target) * log(1 - x))."""
    made = scaled(grad, x, reduction) * (x - target) / at.clamp_min((1 - x) * x, 1e-12)
    return made if weight is None else made * weight


def nll_loss_forward(
    x: Tensor, target: Tensor, weight: Any, reduction: int, ignore_index: int
) -> tuple[Tensor, Tensor]:
    """Return the loss of log-probabilities [C], [N, C] or [N, C, H, W], and the sum of the weights of its elements."""
    dim = min(len(x._sizes) - 1, 1)
    is_counted = at.ne_Scalar(target, ignore_index)
    places = at.unsqueeze(at.where_ScalarOther(is_counted, target, 0), dim)

    def of_target(values: Tensor) -> Tensor:
        return at.where_ScalarOther(is_counted, at.squeeze_dim(at.gather(values, dim, places), dim), 0)

    weights = None if weight is None else at.expand(per_class(weight, x, dim), x._sizes)
    losses = at.neg(of_target(x if weights is None else x * weights))
    if reduction == NONE and len(x._sizes) > 1:
        return losses, at.new_full(x, (), 0.0)
    total = at.sum(at.to_dtype(is_counted, x._dtype) if weights is None else of_target(weights))
    if reduction == NONE:
        return losses, total
    return (at.sum(losses) / total if reduction == MEAN else at.sum(losses)), total


def nll_loss_backward(
    grad: Tensor, x: Tensor, target: Tensor, weight: Any, reduction: int, ignore_index: int, total_weight: Tensor
) -> Tensor:
    """Return the gradient of the loss of log-probabilities: minus the weight at the target, 0 elsewhere."""
    dim = min(len(x._sizes) - 1, 1)
    grad = grad / total_weight if reduction == MEAN else grad
    target = at.unsqueeze(target, dim)
    is_counted = at.ne_Scalar(target, ignore_index)
    at_target = at.scatter_value(at.zeros_like(x), dim, at.where_ScalarOther(is_counted, target, 0), -1.0)
    if len(x._sizes) > len(grad._sizes) > 0:
        grad = at.unsqueeze(grad, dim)
    if weight is not None:
        grad = grad * per_class(weight, x, dim)
    return at_target * at.where_ScalarOther(is_counted, grad, 0)


def per_class(weight: Tensor, x: Tensor, dim: int) -> Tensor:
    """Return the weights of the classes in a shape that broadcasts with log-probabilities."""
    return at.reshape(weight, tuple([weight._sizes[0] if place == dim else 1 for place in range(len(x._sizes))]))
