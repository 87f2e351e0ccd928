"""Derivatives of activation functions and of the operators that compute them, for gradients of gradients.

Mirrors torch/csrc/autograd/FunctionsManual.cpp.
"""

import math

from ...aten.at import at
from ...tensor_impl import Tensor
from .pointwise import Number, where_else_zero

Three = tuple[Tensor | None, Tensor | None, Tensor | None]

# ---- what can be differentiated again and again, where a kernel computes it else


def infinitely_differentiable_silu_backward(grad: Tensor, self: Tensor) -> Tensor:
    """Compute `silu_backward` with operators that have derivatives."""
    sigmoid = self.sigmoid()
    return grad * sigmoid * (1 + self * (1 - sigmoid))


def infinitely_differentiable_mish_backward(grad: Tensor, self: Tensor) -> Tensor:
    """Compute `mish_backward` with operators that have derivatives."""
    tanh = at.softplus(self).tanh()
    return grad * (tanh + self * self.sigmoid() * (1 - tanh * tanh))


def native_dropout_scale(p: float, train: bool | None) -> float:
    """Return the factor by which dropout scales an element that it keeps."""
    if not train:
        return 1.0
    return 0.0 if p == 1 else 1.0 / (1.0 - p)


def infinitely_differentiable_native_dropout_backward(grad: Tensor, mask: Tensor, scale: float) -> Tensor:
    """Compute `native_dropout_backward` with operators that have derivatives."""
    return grad * (mask.type_as(grad) * scale)


def native_dropout_double_backward(ggI: Tensor, grad: Tensor, mask: Tensor, scale: float) -> Tensor:
    """Compute the gradient of dropout's backward with respect to its grad, which is dropout with the same mask."""
    return ggI.type_as(grad) * (mask.type_as(grad) * scale)


# ---- second derivatives


def elu_double_backward(
    grad: Tensor, grad_output: Tensor, alpha: Number, scale: Number, input_scale: Number, is_result: bool,
    self_or_result: Tensor,
) -> Tensor:  # fmt: skip
    """Compute grad * grad_output * the second derivative of ELU, which is 0 for nonnegative inputs."""
    is_negative = self_or_result < 0
    if is_result:
        return grad * grad_output * input_scale * is_negative
    curved = (self_or_result * input_scale).exp() * (input_scale * input_scale * alpha * scale)
    return grad * grad_output * curved * is_negative


def gelu_double_backward(ggI: Tensor, gO: Tensor, self: Tensor, approximate: str) -> Tensor:
    """Compute ggI * gO times the second derivative of `gelu`.

    It is p(x) * (2 - x**2), p being the density of a standard normal number; of the formula with t = tanh(u) it is
    (1 - t**2) * (u' + x / 2 * (u'' - 2 * t * u'**2)).
    """
    if approximate == "none":
        density = (self * self * -0.5).exp() / math.sqrt(2 * math.pi)
        return ggI * gO * density * (2 - self * self)
    beta, kappa = math.sqrt(2 / math.pi), 0.044715
    square = self * self
    t = (beta * (self + kappa * square * self)).tanh()
    first = beta * (1 + 3 * kappa * square)
    second = 6 * beta * kappa * self
    return ggI * gO * (1 - t * t) * (first + 0.5 * self * (second - 2 * t * first * first))


def glu_double_backward_grad_output(grad: Tensor, self: Tensor, dim: int) -> Tensor:
    """Compute the gradient of `glu_backward` with respect to grad_output: grad * slopes, summed over both halves."""
    half = self.shape[dim] // 2
    slopes = grad * at.glu_backward(at.ones_like(self.narrow(dim, 0, half)), self, dim)
    return slopes.narrow(dim, 0, half) + slopes.narrow(dim, half, half)


def glu_double_backward(grad: Tensor, grad_output: Tensor, self: Tensor, dim: int) -> Tensor:
    """Compute the gradient of `glu_backward` with respect to its input, by second derivatives of a * sigmoid(b)."""
    half = self.shape[dim] // 2
    first, second = self.narrow(dim, 0, half), self.narrow(dim, half, half)
    of_first, of_second = grad.narrow(dim, 0, half), grad.narrow(dim, half, half)
    sigmoid = second.sigmoid()
    slope = sigmoid * (1 - sigmoid)
    curve = slope * (1 - 2 * sigmoid)
    both = of_second * grad_output
    return at.cat((both * slope, both * first * curve + of_first * grad_output * slope), dim)


def log_sigmoid_double_backward(grad: Tensor, self: Tensor) -> Tensor:
    """Compute -grad * sigmoid(self) * (1 - sigmoid(self))."""
    sigmoid = self.sigmoid()
    return grad * (sigmoid - 1) * sigmoid


def softplus_double_backward(grad: Tensor, self: Tensor, beta: Number, threshold: Number) -> Tensor:
    """Compute grad * beta * s * (1 - s) with s = sigmoid(beta * self); 0 where beta * self >= `threshold`."""
    x = self * beta
    return at.sigmoid_backward(grad, x.sigmoid()) * (x < threshold) * beta


def prelu_double_backward(
    grad_self: Tensor | None, grad_weight: Tensor | None, grad_output: Tensor, self: Tensor, weight: Tensor,
    grad_input_mask: tuple[bool, ...],
) -> Three:  # fmt: skip
    """Compute the gradients of the arguments of `_prelu_kernel_backward`, from its results' gradients, one or both."""
    is_negative = (self >= 0).logical_not()
    of_output = of_self = of_weight = None
    if grad_input_mask[0]:
        if grad_self is None:
            assert grad_weight is not None
            of_output = where_else_zero(is_negative, grad_weight * self)
        else:
            sloped = grad_self * weight
            of_output = at.where_self(
                is_negative, sloped if grad_weight is None else sloped + grad_weight * self, grad_self
            )
    if grad_input_mask[1]:
        of_self = (
            at.zeros_like(self) if grad_weight is None else where_else_zero(is_negative, grad_output * grad_weight)
        )
    if grad_input_mask[2]:
        of_weight = at.zeros_like(self) if grad_self is None else where_else_zero(is_negative, grad_output * grad_self)
    return of_output, of_self, of_weight
