"""Stochastic gradient descent. Mirrors torch/optim/sgd.py."""

from collections.abc import Iterable
from typing import Any

from ..tensor_impl import Tensor
from .optimizer import Group, Optimizer


class SGD(Optimizer):
    """SGD: parameter -= lr * gradient, or lr * a decaying sum of gradients if `momentum` is not 0.

    Args:
        lr: the length of a step; it may be a tensor of one element.
        momentum: the part of the last direction in the next one.
        dampening: the part of the gradient that is left out of it.
        weight_decay: the part of the parameter that is added to the gradient.
        nesterov: step where the next direction leads.
        maximize: go up.
        foreach, differentiable, fused: PyTorch's choices of kernels; there is one way here.
    Raises:
        ValueError: a number that is negative; `nesterov` without momentum or with dampening.
    """

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-3, momentum: float = 0, dampening: float = 0,
        weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None,
        differentiable: bool = False, fused: bool | None = None,
    ):  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach, "differentiable": differentiable,
            "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(self, group: Group) -> None:
        lr, weight_decay, momentum, maximize = (group[name] for name in ("lr", "weight_decay", "momentum", "maximize"))
        for parameter in group["params"]:
            grad = parameter.grad
            if grad is None:
                continue
            if maximize:
                grad = -grad
            if weight_decay != 0:
                grad = grad.add(parameter, alpha=weight_decay)
            if momentum != 0:
                grad = self._direction(parameter, grad, group)
            parameter.add_(grad, alpha=-lr)

    def _direction(self, parameter: Tensor, grad: Tensor, group: Group) -> Tensor:
        """Return the moving average including the gradient; with `nesterov`, the gradient plus momentum times it."""
        state, momentum = self.state[parameter], group["momentum"]
        average = state.get("momentum_buffer")
        if average is None:
            average = state["momentum_buffer"] = grad.detach().clone()
        else:
            average.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
        return grad.add(average, alpha=momentum) if group["nesterov"] else average
