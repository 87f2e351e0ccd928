"""GradScaler: a loss made larger, so that its gradients do not vanish in float16. Mirrors torch/amp/grad_scaler.py.

A gradient below about 6e-8 is 0 in float16. The loss is multiplied by a scale, and so are the gradients, from which the
scale is taken again before the optimizer uses them. If one is infinite or NaN then, the scale was too large: the step
is skipped and the scale reduced. After a number of steps without that, it grows.
"""

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from ..aten.at import at
from ..dtypes import device as Device
from ..dtypes import float32, float64, int32
from ..optim import Optimizer
from ..tensor_impl import Tensor
from .autocast_mode import amp_definitely_not_available
from .unscaling import on_devices, step_with_scale, unscale_gradients

__all__ = ["GradScaler", "OptState"]

ABSENT = "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."
WHERE = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
ONE_ELEMENT = (
    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with requires_grad=False."
)
State = dict[str, Any]


class OptState(Enum):
    """The stages of an optimizer between two calls of `update`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state() -> State:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


def _require(holds: Any, message: str) -> None:
    """Raise AssertionError unless `holds`; also where Python leaves out assert statements."""
    if not holds:
        raise AssertionError(message)


class GradScaler:
    """The scale of a loss, and what happens when gradients overflow.

    In each iteration: `scale(loss).backward()`, `step(optimizer)`, `update()`; before `step`, `unscale_(optimizer)` if
    the gradients are to be clipped or read. The scale and the count of good steps are tensors, made by the first
    `scale`, on the device of the loss.

    Args:
        device: "cuda" or "cpu".
        init_scale: the scale at first.
        growth_factor: the scale is multiplied by it after `growth_interval` steps in a row that were not skipped.
        backoff_factor: the scale is multiplied by it after a step that was skipped.
        enabled: False to scale nothing; `step` then just calls the optimizer.
    Raises:
        AssertionError: a factor that is not a growth, or not a reduction.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ):
        self._device, self._enabled = device, enabled
        if enabled and device == "cuda" and amp_definitely_not_available():
            warnings.warn(ABSENT, stacklevel=2)
            self._enabled = False
        if self._enabled:
            _require(growth_factor > 1.0, "The growth factor must be > 1.0.")
            _require(backoff_factor < 1.0, "The backoff factor must be < 1.0.")
            self._init_scale, self._init_growth_tracker = init_scale, 0
            self._scale: Tensor | None = None
            self._growth_tracker: Tensor | None = None
            self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
            self._growth_interval = growth_interval
            self._per_optimizer_states: defaultdict[int, State] = defaultdict(_refresh_per_optimizer_state)

    # ---- an iteration

    def scale(self, outputs: Any) -> Any:
        """Return a tensor, or the tensors in nested iterables, multiplied by the scale.

        Raises:
            ValueError: something else.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale_on(outputs.device).to(device=outputs.device)
        copies: list[Callable[[Device], Tensor]] = []  # made when the device of a first tensor is known

        def apply_scale(value: Any) -> Any:
            if isinstance(value, Tensor):
                copies[:] = copies or [on_devices(self._scale_on(value.device))]
                return value * copies[0](value.device)
            if not isinstance(value, Iterable):
                raise ValueError("outputs must be a Tensor or an iterable of Tensors")
            return type(value)(map(apply_scale, value)) if isinstance(value, (list, tuple)) else map(apply_scale, value)

        return apply_scale(outputs)

    def _scale_on(self, device: Device) -> Tensor:
        """Return the scale, which is made on this device if there is none yet."""
        if self._scale is None:
            self._scale = at.full((), self._init_scale, float32, None, device, False)
            self._growth_tracker = at.full((), self._init_growth_tracker, int32, None, device, False)
        return self._scale

    def _check_scale_growth_tracker(self, funcname: str) -> tuple[Tensor, Tensor]:
        """Return the scale and the count of good steps; an AssertionError if nothing was scaled."""
        if self._scale is None or self._growth_tracker is None:
            name = "_scale" if self._scale is None else "_growth_tracker"
            raise AssertionError(f"Attempted {funcname} but {name} is None.  {WHERE}")
        return self._scale, self._growth_tracker

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the gradients of an optimizer's parameters by the scale, in place.

        Raises:
            AssertionError: nothing was scaled.
            RuntimeError: it was called for this optimizer since the last `update`, or `step` was.
            ValueError: a gradient is float16, which would lose what scaling saved.
        """
        if not self._enabled:
            return
        scale, _ = self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = scale.to(float64).reciprocal().to(float32)
        found_inf = at.full((), 0.0, float32, None, scale.device, False)
        state["found_inf_per_device"] = unscale_gradients(optimizer, inverse, found_inf)
        state["stage"] = OptState.UNSCALED

    def _check_inf_per_device(self, optimizer: Optimizer) -> dict[Device, Tensor]:
        """Note on which devices an optimizer has a gradient that is not finite, and leave the gradients as they are."""
        scale, _ = self._check_scale_growth_tracker("_check_inf_per_device")
        one, zero = (at.full((), value, float32, None, scale.device, False) for value in (1.0, 0.0))
        found = unscale_gradients(optimizer, one, zero, allow_fp16=True)
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = found
        return found

    def _found_inf_per_device(self, optimizer: Optimizer) -> dict[Device, Tensor]:
        found: dict[Device, Tensor] = self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]
        return found

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
        """Unscale the gradients, unless `unscale_` did, and call `optimizer.step` if all of them are finite.

        Returns:
            what `optimizer.step` returns; None for a step that is skipped.
        Raises:
            AssertionError: nothing was scaled, or no parameter has a gradient.
            RuntimeError: it was called for this optimizer since the last `update`; or there is a closure.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            result = step_with_scale(self, optimizer, state["stage"] is OptState.READY, args, kwargs)
        else:
            if state["stage"] is OptState.READY:
                self.unscale_(optimizer)
            found = state["found_inf_per_device"].values()
            _require(found, "No inf checks were recorded for this optimizer.")
            result = None if sum(one.item() for one in found) else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale: Any = None) -> None:
        """Reduce the scale if a step was skipped; let it grow if `growth_interval` steps in a row were not.

        Args:
            new_scale: the scale instead, as a float or a tensor of one element.
        Raises:
            AssertionError: nothing was scaled, or no gradients were checked; or another tensor is given.
        """
        if not self._enabled:
            return
        scale, tracker = self._check_scale_growth_tracker("update")
        if isinstance(new_scale, float):
            scale.fill_(new_scale)
        elif new_scale is not None:
            is_on_device = new_scale.device.type == self._device
            _require(is_on_device and new_scale.numel() == 1 and not new_scale.requires_grad, ONE_ELEMENT)
            scale.copy_(new_scale)
        else:
            states = self._per_optimizer_states.values()
            found = [one.to(device=scale.device) for each in states for one in each["found_inf_per_device"].values()]
            _require(found, "No inf checks were recorded prior to update.")
            for other in found[1:]:
                found[0] += other
            factors = self._growth_factor, self._backoff_factor
            at._amp_update_scale_(scale, tracker, found[0], *factors, self._growth_interval)
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    # ---- its options and its state

    def get_scale(self) -> float:
        """Return the scale; 1.0 if it is not enabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        """Return the factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return the factor by which the scale is reduced."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale is reduced."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return the number of steps in a row after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set the number of steps in a row after which the scale grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def is_enabled(self) -> bool:
        """Return True if it scales."""
        return self._enabled

    def state_dict(self) -> State:
        """Return the scale, its options and the number of good steps in a row; an empty dict if it is not enabled."""
        if not self._enabled:
            return {}
        options = {name: getattr(self, f"_{name}") for name in ("growth_factor", "backoff_factor", "growth_interval")}
        return {"scale": self.get_scale(), **options, "_growth_tracker": self._get_growth_tracker()}

    def load_state_dict(self, state_dict: State) -> None:
        """Set what `state_dict` returned, unless it is not enabled.

        Raises:
            RuntimeError: the dict is empty.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval, self._init_growth_tracker = state_dict["growth_interval"], state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> State:
        state = self.__dict__.copy()
        if self._enabled:
            _require(
                not self._per_optimizer_states,
                "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                "scaler.update().",
            )
            state |= {"_init_scale": self.get_scale(), "_init_growth_tracker": self._get_growth_tracker()}
            state |= {"_scale": None, "_growth_tracker": None}
        return state
