"""Derivatives of losses, and of the operators that compute them, for gradients of gradients.

Mirrors torch/csrc/autograd/FunctionsManual.cpp.
"""

from ...aten.at import at
from ...aten.native.loss import MEAN, NONE
from ...tensor_impl import Tensor

EPSILON = 1e-12
"""Lower bound that keeps a divisor from being 0."""


def _weighted(slopes: Tensor, weight: Tensor | None, reduction: int, numel: int) -> Tensor:
    """Multiply slopes of single losses by their weights; for the mean, divide by the number of elements."""
    if weight is not None:
        slopes = slopes * weight
    return at.div_Scalar(slopes, numel) if reduction == MEAN else slopes


# ---- of a difference


def mse_loss_double_backward(grad: Tensor, numel: int, reduction: int) -> Tensor:
    """Compute 2 * grad, divided by the number of elements if the reduction is the mean."""
    return grad * (2.0 / numel if reduction == MEAN and numel else 2.0)


def smooth_l1_loss_double_backward(grad: Tensor, self: Tensor, target: Tensor, reduction: int, beta: float) -> Tensor:
    """Compute grad / beta where |self - target| < beta, and 0 elsewhere."""
    if beta == 0:
        return at.zeros_like(grad)
    is_near = (self - target).abs() < beta
    return _weighted(grad * is_near / beta, None, reduction, self.numel())


def huber_loss_double_backward(grad: Tensor, self: Tensor, target: Tensor, reduction: int, delta: float) -> Tensor:
    """Return grad where |self - target| < delta, and 0 elsewhere."""
    is_near = (self - target).abs() < delta
    return _weighted(grad * is_near, None, reduction, self.numel())


def huber_loss_double_backward_grad_output(
    grad: Tensor, grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, delta: float
) -> Tensor:
    """Compute the gradient with respect to grad_output: grad times the slopes of the loss, summed if it was reduced."""
    if reduction == NONE:
        return at.huber_loss_backward(grad, self, target, reduction, delta)
    slopes = at.huber_loss_backward(at.ones_like(grad_output), self, target, reduction, delta)
    return (slopes * grad).sum()


# ---- binary cross entropy


def binary_cross_entropy_target_backward(
    grad: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int
) -> Tensor:
    """Compute grad * (log(1 - self) - log(self))."""
    slopes = ((1.0 - self).log() - self.log()) * grad
    return _weighted(slopes, weight, reduction, target.numel())


def binary_cross_entropy_double_backward(
    grad_output: Tensor, grad: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int
) -> Tensor:
    """Compute grad * grad_output * (self**2 - 2 * self * target + target) / (self * (1 - self))**2."""
    divisor = (self + EPSILON).pow(2) * (1 - self + EPSILON).pow(2)
    slopes = (self * self - 2 * self * target + target) / divisor * (grad * grad_output)
    return _weighted(slopes, weight, reduction, self.numel())


def binary_cross_entropy_double_backward_target(
    grad: Tensor, grad_output: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int
) -> Tensor:
    """Compute -grad * grad_output / (self * (1 - self))."""
    slopes = -grad * grad_output
    if weight is not None:
        slopes = slopes * weight
    slopes = slopes / (1 - self) / self
    return _weighted(slopes, None, reduction, target.numel())


def binary_cross_entropy_double_backward_grad_output(
    grad: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int
) -> Tensor:
    """Compute grad * (self - target) / (self * (1 - self)), summed if the loss was reduced."""
    slopes = (self - target) / ((self + EPSILON) * (1 - self + EPSILON)) * grad
    slopes = _weighted(slopes, weight, NONE, self.numel())
    if reduction == NONE:
        return slopes
    return slopes.sum() / self.numel() if reduction == MEAN else slopes.sum()


def binary_cross_entropy_with_logits_backward(
    grad: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None, reduction: int
) -> Tensor:
    """Compute grad * (sigmoid(self) - target), with the positive term weighted by `pos_weight`."""
    if pos_weight is None:
        slopes = self.sigmoid() - target
    else:
        positive = pos_weight * target
        slopes = (positive + 1 - target) * self.sigmoid() - positive
    return _weighted(slopes * grad, weight, reduction, self.numel())


def binary_cross_entropy_with_logits_target_backward(
    grad: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None, reduction: int
) -> Tensor:
    """Compute -grad * self; with `pos_weight` grad * (log(1 - sigmoid(self)) - pos_weight * log(sigmoid(self)))."""
    slopes = -self if pos_weight is None else at.log_sigmoid(-self) - at.log_sigmoid(self) * pos_weight
    return _weighted(slopes * grad, weight, reduction, target.numel())
