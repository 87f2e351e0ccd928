"""Derivatives of elementwise operators: arithmetic, powers, choices, angles.

Gradients are not yet reduced to the sizes of an input that was broadcast; the engine does that. Where a function has a
jump or a kink, these return what PyTorch does. Mirrors torch/csrc/autograd/FunctionsManual.cpp.
"""

import math

from ...aten.at import at
from ...tensor_impl import Tensor

Number = bool | int | float
Mask = tuple[bool, ...]
Pair = tuple[Tensor | None, Tensor | None]


def not_implemented(name: str) -> Tensor:
    """Raise NotImplementedError: an operator has no derivative.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


def where_else_zero(condition: Tensor, grad: Tensor) -> Tensor:
    """Return `grad` where the condition holds, and 0 elsewhere, even where `grad` is NaN or infinite."""
    return at.where_ScalarOther(condition, grad, 0)


# ---- arithmetic


def maybe_multiply(grad: Tensor, factor: Number) -> Tensor:
    """Compute grad * factor, skipping the multiplication if the factor is 1."""
    return grad if factor == 1 else at.mul_Scalar(grad, factor)


def div_tensor_self_backward(grad: Tensor, other: Tensor | Number, rounding_mode: str | None = None) -> Tensor:
    """Compute the gradient of a quotient with respect to the dividend: grad / other; 0 if the quotient was rounded."""
    if rounding_mode is not None:
        return at.zeros_like(grad)
    return grad / other if isinstance(other, Tensor) else at.div_Scalar(grad, other)


def div_tensor_other_backward(grad: Tensor, self: Tensor, other: Tensor, rounding_mode: str | None = None) -> Tensor:
    """Compute the gradient with respect to the divisor: -grad * self / other**2; 0 if the quotient was rounded."""
    if rounding_mode is not None:
        return at.zeros_like(grad)
    slope = (self / other) / other
    return -grad * slope


def copysign_tensor_self_backward(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    """Multiply `grad` by 1 where the sign was kept, by -1 where it was flipped, and by 0 where `self` is 0."""
    return grad * (result / self).masked_fill(self == 0, 0)


def atan2_backward(grad: Tensor, self: Tensor, other: Tensor, grad_input_mask: Mask) -> Pair:
    """Multiply `grad` by other / r**2 and by -self / r**2, where r**2 = self**2 + other**2; by 0 where r is 0."""
    squares = self * self + other * other
    inverse = squares.reciprocal().masked_fill(squares == 0, 0)
    return (
        grad * other * inverse if grad_input_mask[0] else None,
        grad * -self * inverse if grad_input_mask[1] else None,
    )


# ---- powers and logarithms


def pow_backward(grad: Tensor, self: Tensor, exponent: Number) -> Tensor:
    """Multiply `grad` by exponent * self**(exponent - 1); return zeros if the exponent is 0."""
    if exponent == 0:
        return at.zeros_like(self)
    return grad * at.mul_Scalar(self.pow(exponent - 1), exponent)


def pow_backward_self(grad: Tensor, self: Tensor, exponent: Tensor) -> Tensor:
    """Compute `pow_backward` for an exponent that is a tensor."""
    return where_else_zero(exponent != 0, grad * (exponent * self.pow(at.sub_Scalar(exponent, 1))))


def pow_backward_exponent(grad: Tensor, self: Tensor | Number, exponent: Tensor, result: Tensor) -> Tensor:
    """Multiply `grad` by result * log(self), and by 0 where `self` is 0 and the exponent is not negative."""
    if isinstance(self, Tensor):
        base = self.to(result.dtype)
        return grad * where_else_zero(((base == 0) & (exponent >= 0)).logical_not(), result * base.log())
    if self == 0:
        return grad * where_else_zero(exponent < 0, at.mul_Scalar(result, -math.inf))
    return grad * at.mul_Scalar(result, math.log(self) if self > 0 else math.nan)


def log1p_backward(grad: Tensor, self: Tensor) -> Tensor:
    """Multiply `grad` by 1 / (1 + self)."""
    return grad / at.add_Scalar(self, 1)


def xlogy_self_backward(grad: Tensor, self: Tensor, other: Tensor | Number) -> Tensor:
    """Multiply `grad` by log(other), and by 0 where `self` is 0 and `other` <= 0."""
    slope = at.xlogy_Tensor(grad, other) if isinstance(other, Tensor) else at.xlogy_Scalar_Other(grad, other)
    if isinstance(other, Tensor):
        return slope.masked_fill((self == 0) & (other <= 0), 0)
    return slope if other > 0 else slope.masked_fill(self == 0, 0)


# ---- one operand


def sinc_backward(grad: Tensor, self: Tensor) -> Tensor:
    """Multiply `grad` by (x * cos(x) - sin(x)) / (x * self), where x = pi * self; by 0 where `self` is 0."""
    x = at.mul_Scalar(self, math.pi)
    divisor = at.mul_Scalar(self * self, math.pi)
    return where_else_zero(divisor != 0, grad * ((x * x.cos() - x.sin()) / divisor))


def erf_backward(grad: Tensor, self: Tensor, factor: float) -> Tensor:
    """Multiply `grad` by factor * 2 / sqrt(pi) * e**-self**2; factor is 1 for erf and -1 for erfc."""
    return at.mul_Scalar((-self.pow(2)).exp(), factor * 2 / math.sqrt(math.pi)) * grad


def infinitely_differentiable_logit_backward(grad: Tensor, self: Tensor, eps: float | None) -> Tensor:
    """Multiply `grad` by 1 / (self * (1 - self)); outside the domain return 0 if `eps` clamped the input, else NaN."""
    slope = grad / (self * (1.0 - self))
    if eps is not None:
        return where_else_zero((self >= eps) & (self <= 1.0 - eps), slope)
    return at.where_ScalarOther((self >= 0) & (self <= 1), slope, math.nan)


# ---- choices


def clamp_backward(grad: Tensor, self: Tensor, min: Tensor | Number | None, max: Tensor | Number | None) -> Tensor:
    """Return `grad` where `self` lies within the bounds, inclusive, and 0 elsewhere."""
    if min is None:
        return grad if max is None else where_else_zero(self <= max, grad)
    if max is None:
        return where_else_zero(self >= min, grad)
    return where_else_zero((self >= min) & (self <= max), grad)


def clamp_backward_min_max(
    grad: Tensor, self: Tensor, min: Tensor | None, max: Tensor | None, grad_input_mask: Mask
) -> Pair:
    """Return for each bound `grad` where it replaced `self`, and 0 elsewhere; if they cross, the upper bound wins."""
    of_min = of_max = None
    if min is not None and grad_input_mask[0]:
        taken = self < min
        of_min = where_else_zero(taken if max is None else taken & (min < max), grad)
    if max is not None and grad_input_mask[1]:
        taken = self > max
        of_max = where_else_zero(taken if min is None else taken | (max < min), grad)
    return of_min, of_max


def grad_of_chosen(grad: Tensor, self: Tensor, other: Tensor, is_not_chosen: Tensor) -> Tensor:
    """Return `grad` where `self` is the maximum or minimum, half of it at ties, and 0 elsewhere."""
    return at.where_self(self == other, at.div_Scalar(grad, 2), grad).masked_fill_(is_not_chosen, 0)
