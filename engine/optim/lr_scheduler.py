"""Learning rates that change as a network learns. Mirrors torch/optim/lr_scheduler.py.

for epoch in range(100):
    ...
    optimizer.step()
    scheduler.step()
"""

import functools
import math
import types
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ..tensor_impl import Tensor
from .optimizer import Optimizer

Rate = float | Tensor

BEFORE_OPTIMIZER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)

EPOCH_DEPRECATED = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)


class LRScheduler:
    """Base class of all schedulers: a subclass defines `get_lr`, the learning rates of epoch `last_epoch`.

    One whose `get_lr` goes on from the last rates may define `_get_closed_form_lr`, which starts from `base_lrs`.

    Args:
        optimizer: whose rates change.
        last_epoch: to go on after it; -1 begins.
    Raises:
        TypeError: `optimizer` is none.
        KeyError: to go on, and a group has no "initial_lr".

    Attributes:
        base_lrs: the rates that the groups began with.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for "
                    "a fresh training run (not recommended)"
                )
        self.base_lrs: list[Rate] = self._rates("initial_lr")
        self.last_epoch = last_epoch
        self._step_count = 1
        self._get_lr_called_within_step = False
        note_steps(optimizer)
        self._is_initial = True
        self._update_lr()
        self._is_initial = False

    def step(self, epoch: int | None = None) -> None:
        """Set the learning rates of the next epoch, or of `epoch`, which is deprecated."""
        if self._step_count == 1 and not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(BEFORE_OPTIMIZER, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATED, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def get_lr(self) -> list[Rate]:
        """Return the learning rates of epoch `last_epoch`, one for each group."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Rate]:
        """Return the current learning rates, one for each group."""
        return self._last_lr

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the attributes that `state_dict` returned."""
        self.__dict__.update(state_dict)

    def _update_lr(self, epoch: int | None = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        compute = self.get_lr if epoch is None else getattr(self, "_get_closed_form_lr", self.get_lr)
        self._get_lr_called_within_step = True
        try:
            rates = compute()
        finally:
            self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        self._last_lr: list[Rate] = self._rates("lr")

    def _rates(self, name: str) -> list[Rate]:
        return [_copied(group[name]) for group in self.optimizer.param_groups]

    def _warn_if_called_outside(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )


def _copied(rate: Rate) -> Rate:
    return rate.clone() if isinstance(rate, Tensor) else rate


def note_steps(optimizer: Any) -> None:
    """Wrap the optimizer's `step` so that it records that it was called."""
    if "step" in vars(optimizer):
        return
    reference = weakref.ref(optimizer)

    @functools.wraps(type(optimizer).step)
    def step(*args: Any, **kwargs: Any) -> Any:
        held: Any = reference()
        held._opt_called = True
        return type(held).step(held, *args, **kwargs)

    optimizer.step = step


class LambdaLR(LRScheduler):
    """The initial learning rate times the value of a function of the epoch.

    Args:
        lr_lambda: the function, or one for each group.
    Raises:
        ValueError: there are more or fewer.
    """

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ):  # fmt: skip
        groups = len(optimizer.param_groups)
        given: Any = lr_lambda if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        self.lr_lambdas: list[Callable[[int], float]] = list(given)
        if len(self.lr_lambdas) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_if_called_outside()
        return [rate * f(self.last_epoch) for f, rate in zip(self.lr_lambdas, self.base_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimizer, with the attributes of callable objects, None for functions."""
        state = super().state_dict()
        is_object = [not isinstance(f, types.FunctionType) for f in self.lr_lambdas]
        state["lr_lambdas"] = [
            vars(f).copy() if has_state else None for f, has_state in zip(self.lr_lambdas, is_object, strict=True)
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the attributes that `state_dict` returned."""
        self.__dict__.update({name: value for name, value in state_dict.items() if name != "lr_lambdas"})
        for function, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if attributes is not None:
                vars(function).update(attributes)


class StepLR(LRScheduler):
    """The learning rate multiplied by `gamma` every `step_size` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_if_called_outside()
        rates = self._rates("lr")
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return rates
        return [rate * self.gamma for rate in rates]

    def _get_closed_form_lr(self) -> list[Rate]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """A learning rate that follows half a cosine from its initial value to `eta_min` in `T_max` epochs, and back.

    The rate is computed from the last one, so that a change from elsewhere stays. Source: Loshchilov & Hutter 2017.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_if_called_outside()
        epoch, half, low = self.last_epoch, self.T_max, self.eta_min
        rates = self._rates("lr")
        if self._is_initial:
            return rates
        if (epoch - 1 - half) % (2 * half) == 0:  # the last rate is `eta_min`, of which no factor leads up again
            rise = (1 - math.cos(math.pi / half)) / 2
            return [rate + (base - low) * rise for rate, base in zip(rates, self.base_lrs, strict=True)]
        factor = (1 + math.cos(math.pi * epoch / half)) / (1 + math.cos(math.pi * (epoch - 1) / half))
        return [factor * (rate - low) + low for rate in rates]

    def _get_closed_form_lr(self) -> list[Rate]:
        low, angle = self.eta_min, math.pi * self.last_epoch / self.T_max
        return [low + (base - low) * (1 + math.cos(angle)) / 2 for base in self.base_lrs]
