"""The gradients of an optimizer divided by the scale of the loss, by us or by the optimizer itself.

Mirrors GradScaler._unscale_grads_ and GradScaler.step (torch/amp/grad_scaler.py).
"""

import functools
import inspect
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from ..aten.at import at
from ..autograd.grad_mode import no_grad
from ..dtypes import device as Device
from ..dtypes import dtype, float16
from ..optim import Optimizer
from ..tensor_impl import Tensor

PASSES_ITSELF = (
    "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near future "
    "GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and let the optimizer "
    "use them directly."
)


def on_devices(tensor: Tensor) -> Callable[[Device], Tensor]:
    """Return a function of a device that gives the copy of a tensor there, always the same one."""
    return functools.cache(lambda device: tensor.to(device=device, copy=True))


def unscale_gradients(
    optimizer: Optimizer, inv_scale: Tensor, found_inf: Tensor, allow_fp16: bool = False
) -> dict[Device, Tensor]:
    """Multiply gradients by a number, in place, and check them.

    Args:
        inv_scale, found_inf: the number, and 0; one-element tensors of float32.
        allow_fp16: whether gradients may be float16, which are only checked then.
    Returns:
        a tensor per device that has a gradient: 1 if one of them is not finite, else 0.
    Raises:
        ValueError: a gradient is float16, which would lose what scaling saved.
    """
    grads: defaultdict[Device, defaultdict[dtype, list[Tensor]]] = defaultdict(lambda: defaultdict(list))
    for parameter in (parameter for group in optimizer.param_groups for parameter in group["params"]):
        grad = parameter.grad
        if grad is not None:
            if grad.dtype is float16 and not allow_fp16:
                raise ValueError("Attempting to unscale FP16 gradients.")
            grads[grad.device][grad.dtype].append(grad)
    found, inverse = on_devices(found_inf), on_devices(inv_scale)
    with no_grad():
        for device, by_dtype in grads.items():
            for listed in by_dtype.values():
                at._amp_foreach_non_finite_check_and_unscale_(listed, found(device), inverse(device))
    return {device: found(device) for device in grads}


def step_with_scale(scaler: Any, optimizer: Any, is_scaled: bool, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call the step of an optimizer that unscales gradients itself: it finds the scale and the check as attributes.

    Args:
        is_scaled: whether its gradients still have the scale, and were not checked.
    """
    if "grad_scaler" in inspect.signature(optimizer.step).parameters:
        warnings.warn(PASSES_ITSELF, FutureWarning, stacklevel=3)
        return optimizer.step(*args, **kwargs, grad_scaler=scaler)
    given, scale = getattr(optimizer, "grad_scale", None), scaler._scale
    if is_scaled:
        scaler._check_inf_per_device(optimizer)
        given = scale * (1 if given is None else given)
    optimizer.grad_scale = given
    optimizer.found_inf = sum([one.to(scale.device) for one in scaler._found_inf_per_device(optimizer).values()])
    result = optimizer.step(*args, **kwargs)
    del optimizer.grad_scale, optimizer.found_inf
    return result
