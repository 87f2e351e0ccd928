"""Adam whose weight decay does not go through the means. Mirrors torch/optim/adamw.py."""

from collections.abc import Iterable
from typing import Any

from ..tensor_impl import Tensor
from .adam import Adam
from .optimizer import StateDict


class AdamW(Adam):
    """`Adam` with `decoupled_weight_decay=True` and a default `weight_decay` of 1e-2; otherwise the same."""

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, **options: Any,
    ):  # fmt: skip
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, decoupled_weight_decay=True, **options)

    def __setstate__(self, state: StateDict) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
