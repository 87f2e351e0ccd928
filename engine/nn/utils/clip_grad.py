"""Gradients that are too long, made shorter. Mirrors torch/nn/utils/clip_grad.py."""

import types
import warnings
from collections.abc import Iterable
from typing import Any

from ... import linalg
from ...api import PUBLIC
from ...autograd.grad_mode import no_grad
from ...tensor_impl import Tensor

clamp, stack, tensor = PUBLIC["clamp"], PUBLIC["stack"], PUBLIC["tensor"]
Tensors = Tensor | Iterable[Tensor]


@no_grad()
def clip_grad_norm_(
    parameters: Tensors, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scale all gradients in place so that their total norm is at most `max_norm`.

    Args:
        parameters: one or several tensors; those without a gradient count nothing.
        norm_type: p of the norm that says how long they are; it may be infinite.
        error_if_nonfinite: whether to refuse a length that is infinite or no number.
        foreach: PyTorch's choice of kernels; there is one way here.
    Returns:
        How long they were: a tensor without dimensions.
    Raises:
        RuntimeError: as `error_if_nonfinite` says.
    """
    if isinstance(parameters, types.GeneratorType):
        parameters = list(parameters)
        if not parameters:
            text = "`parameters` is an empty generator, no gradient clipping will occur."
            warnings.warn(text, stacklevel=3)
    grads = gradients(parameters)
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    if grads:
        scale = clamp(float(max_norm) / (total + 1e-6), max=1.0)
        for grad in grads:
            grad.mul_(scale)
    return total


@no_grad()
def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Clamp every element of the gradients in place to [-clip_value, clip_value]."""
    bound = float(clip_value)
    for grad in gradients(parameters):
        grad.clamp_(min=-bound, max=bound)


@no_grad()
def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """Return the norm of all tensors as one vector; same arguments and errors as `clip_grad_norm_`."""
    given: list[Any] = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not given:
        return tensor(0.0)
    total = linalg.vector_norm(stack([linalg.vector_norm(entry, norm_type) for entry in given]), norm_type)
    if error_if_nonfinite and (total.isnan() or total.isinf()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def gradients(parameters: Tensors) -> list[Tensor]:
    """Return the gradients of one or several tensors, without those that are None."""
    given: Iterable[Any] = (parameters,) if isinstance(parameters, Tensor) else parameters
    return [parameter.grad for parameter in given if parameter.grad is not None]
