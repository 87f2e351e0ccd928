"""Adam. Mirrors torch/optim/adam.py."""

from collections.abc import Iterable
from typing import Any

from .. import dtypes
from ..api import PUBLIC
from ..tensor_impl import Tensor
from .optimizer import Group, Optimizer

maximum, tensor, zeros_like = PUBLIC["maximum"], PUBLIC["tensor"], PUBLIC["zeros_like"]


class Adam(Optimizer):
    """Adam: parameter -= lr * m / sqrt(v), where m and v are moving averages of the gradients and of their squares.

    Args:
        lr: the length of a step; it may be a tensor of one element.
        betas: fractions of the mean of gradients and of the mean of squares that are kept at each step.
        eps: added to the root.
        weight_decay: the part of the parameter that is added to the gradient.
        amsgrad: divide by the largest mean of squares so far.
        maximize: go up.
        foreach, capturable, differentiable, fused: PyTorch's choices of kernels; there is one way here.
        decoupled_weight_decay: take `lr * weight_decay` of the parameter away, and leave the gradient as it is.
    Raises:
        ValueError: numbers that are out of range.

    Source: Kingma & Ba 2015, Reddi et al. 2018, Loshchilov & Hutter 2019.
    """

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ):  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr >= 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps >= 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for place, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {place}: {beta}")
        if not weight_decay >= 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if not all(isinstance(beta, float) for beta in betas):
            raise ValueError("betas must be either both floats or both Tensors")
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(self, group: Group) -> None:
        moved = [parameter for parameter in group["params"] if parameter.grad is not None]
        for parameter, state in [(parameter, self._state_of(parameter, group)) for parameter in moved]:
            self._update_one(parameter, parameter.grad, state, group)

    def _state_of(self, parameter: Tensor, group: Group) -> dict[str, Tensor]:
        """Return the state of a parameter: number of steps, mean of gradients, mean of their squares."""
        state = self.state[parameter]
        if not state:
            state["step"] = tensor(0.0, dtype=dtypes.float32)
            state["exp_avg"] = zeros_like(parameter, memory_format=dtypes.preserve_format)
            state["exp_avg_sq"] = zeros_like(parameter, memory_format=dtypes.preserve_format)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zeros_like(parameter, memory_format=dtypes.preserve_format)
        return state

    def _update_one(self, parameter: Tensor, grad: Tensor, state: dict[str, Tensor], group: Group) -> None:
        (beta1, beta2), lr, weight_decay = group["betas"], group["lr"], group["weight_decay"]
        mean, mean_square = state["exp_avg"], state["exp_avg_sq"]
        state["step"] += 1
        if group["maximize"]:
            grad = -grad
        if weight_decay != 0:
            if group["decoupled_weight_decay"]:
                parameter.mul_(1 - lr * weight_decay)
            else:
                grad = grad.add(parameter, alpha=weight_decay)
        mean.lerp_(grad, 1 - beta1)
        mean_square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            mean_square = maximum(largest, mean_square, out=largest)
        step = state["step"].item()
        # The means begin at 0, so the first ones are too small.
        step_size = lr / (1 - beta1**step)
        denominator = mean_square.sqrt().div_((1 - beta2**step) ** 0.5).add_(group["eps"])
        parameter.addcdiv_(mean, denominator, value=-step_size)
