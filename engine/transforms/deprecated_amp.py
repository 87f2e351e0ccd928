"""Names for one device that PyTorch has deprecated: each warns, and calls the one for all devices.

Mirrors torch/cuda/amp, torch/cpu/amp and the functions in torch/csrc/autograd/init.cpp.
"""

import functools
import warnings
from collections.abc import Callable
from typing import Any

from ..dtypes import dtype
from . import autocast_mode, grad_scaler


def function_for(name: str, function: Callable[..., Any], device: str, argument: str = "") -> Callable[..., Any]:
    """Return a function of `torch` for one device."""
    values = f"'{device}', {argument}" if argument else f"'{device}'"
    text = f"torch.{name}({argument}) is deprecated. Please use torch.{function.__name__}({values}) instead."

    def deprecated(*arguments: Any) -> Any:
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return function(device, *arguments)

    deprecated.__name__ = deprecated.__qualname__ = name
    deprecated.__doc__ = f"Call `{function.__name__}({values})`."
    return deprecated


is_autocast_cpu_enabled = function_for("is_autocast_cpu_enabled", autocast_mode.is_autocast_enabled, "cpu")
set_autocast_cpu_enabled = function_for(
    "set_autocast_cpu_enabled", autocast_mode.set_autocast_enabled, "cpu", "enabled"
)
get_autocast_cpu_dtype = function_for("get_autocast_cpu_dtype", autocast_mode.get_autocast_dtype, "cpu")
get_autocast_gpu_dtype = function_for("get_autocast_gpu_dtype", autocast_mode.get_autocast_dtype, "cuda")
set_autocast_cpu_dtype = function_for("set_autocast_cpu_dtype", autocast_mode.set_autocast_dtype, "cpu", "dtype")
set_autocast_gpu_dtype = function_for("set_autocast_gpu_dtype", autocast_mode.set_autocast_dtype, "cuda", "dtype")


# ---- torch.cuda.amp and torch.cpu.amp


def warn(device: str, name: str, instead: str) -> None:
    """Warn that the caller's caller should use another name."""
    text = f"`torch.{device}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{instead}` instead."
    warnings.warn(text, FutureWarning, stacklevel=3)


def classes_for(device: str, lower_precision: dtype) -> tuple[type[autocast_mode.autocast], type]:
    """Return the classes `autocast` and `GradScaler` of a device."""

    class autocast(autocast_mode.autocast):
        """See `torch.autocast`."""

        def __init__(self, enabled: bool = True, dtype: dtype = lower_precision, cache_enabled: bool = True):
            warn(device, "autocast", f"autocast('{device}', args...)")
            super().__init__(device, dtype, enabled, cache_enabled)

    class GradScaler(grad_scaler.GradScaler):
        """See `torch.amp.GradScaler`."""

        def __init__(self, *args: Any, **kwargs: Any):
            warn(device, "GradScaler", f"GradScaler('{device}', args...)")
            super().__init__(device, *args, **kwargs)

    return autocast, GradScaler


def decorator_for(device: str, decorator: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of `autocast_mode` for one device."""
    name = decorator.__name__

    @functools.wraps(decorator)
    def deprecated(*args: Any, **kwargs: Any) -> Any:
        warn(device, name, f"{name}(args..., device_type='{device}')")
        return decorator(*args, **kwargs, device_type=device)

    return deprecated
