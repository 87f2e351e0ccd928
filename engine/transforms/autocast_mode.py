"""`torch.autocast`, and the functions that read and set a thread's autocast.

Mirrors torch/amp/autocast_mode.py and the functions in torch/csrc/autograd/init.cpp.
"""

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np

from .. import cuda, dtypes
from ..aten.python_arg_parser import PythonArgParser
from ..dispatch.keys import bits
from ..dispatch.local import local, state_of
from ..dtypes import bfloat16, dtype, float16, float64
from ..tensor_impl import Tensor
from .autocast import KEYS, cached_casts, state

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
Function = Callable[..., Any]
ABSENT = "CUDA is not available or torch_xla is imported. Disabling autocast."
OTHER_DTYPE = (
    "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
    "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
)


# ---- the state


def parsed(*signatures: str) -> Callable[[Function], Function]:
    """Return a decorator that gives a function the arguments of the first signature that fits.

    Raises:
        TypeError: none fits, when the function is called.
    """
    parser = PythonArgParser(*signatures)

    def decorator(function: Function) -> Function:
        @functools.wraps(function)
        def public(*args: Any, **kwargs: Any) -> Any:
            return function(*parser.parse(args, kwargs)[1])

        return public

    return decorator


def device_type_of(name: str) -> str:
    """Return the type in a device's name: "cuda" for "cuda:0".

    Raises:
        RuntimeError: there is no such device.
    """
    return dtypes.device(name).type


def key_bits(device_type: str) -> int:
    """Return the bits of a device's autocast key.

    Raises:
        RuntimeError: it has none.
    """
    key = KEYS.get(device_type_of(device_type))
    if key is None:
        raise RuntimeError("unknown device type for autocast in get_autocast_dispatch_key_from_device_type")
    return bits(key)


@parsed("is_autocast_available(str device_type)")
def is_autocast_available(device_type: str) -> bool:
    """Return True if a device has autocast."""
    return device_type_of(device_type) in KEYS


@parsed("is_autocast_enabled(str device_type)", "is_autocast_enabled()")
def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Return True if the thread has autocast on for a device."""
    return not local.state.excluded & key_bits(device_type)


@parsed("set_autocast_enabled(str device_type, bool enabled)", "set_autocast_enabled(bool enabled)")
def set_autocast_enabled(*arguments: Any) -> None:
    """Turn the thread's autocast on or off for a device, which is "cuda" if none is given."""
    device_type, enabled = ("cuda", *arguments)[-2:]
    key, now = key_bits(device_type), local.state
    local.state = state_of(now.included, now.excluded & ~key if enabled else now.excluded | key)


@parsed("get_autocast_dtype(str device_type)")
def get_autocast_dtype(device_type: str) -> dtype:
    """Return the thread's lower-precision dtype of a device.

    Raises:
        RuntimeError: it has none.
    """
    found = state.dtypes.get(device_type_of(device_type))
    if found is None:
        raise RuntimeError("unsupported scalarType")
    return found


@parsed("set_autocast_dtype(str device_type, ScalarType dtype)")
def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    """Set the thread's lower-precision dtype of a device."""
    state.dtypes[device_type_of(device_type)] = dtype


def is_autocast_cache_enabled() -> bool:
    """Return True if casts of parameters are kept to the end of the outermost block."""
    return state.cache_enabled


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Set whether casts of parameters are kept.

    Raises:
        TypeError: `enabled` is not a bool.
    """
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool (got {type(enabled).__name__})")
    state.cache_enabled = enabled


def clear_autocast_cache() -> None:
    """Drop the casts that are kept."""
    cached_casts.clear()


def autocast_increment_nesting() -> int:
    """Note the beginning of a block; return how many the thread is in."""
    state.nesting += 1
    return state.nesting


def autocast_decrement_nesting() -> int:
    """Note the end of a block; return how many the thread is still in."""
    state.nesting -= 1
    return state.nesting


# ---- blocks


def amp_definitely_not_available() -> bool:
    """Return True if there is no GPU, and no tensor was made on the simulator of one."""
    return not (cuda.is_available() or cuda.is_initialized())


def check_device_type(device_type: Any) -> None:
    """Raise the error for a device type that is not a string."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


class autocast:
    """A block, or a decorator for a function, in which operators choose the dtype that they compute in.

    Products compute in a lower-precision dtype, functions that need the digits in float32, all others in the dtypes
    that they get; `autocast_policies.py` has the lists. Only the thread that enters it is concerned. Whatever ends the
    block, the thread's autocast is then as it was, and with the outermost block the kept casts are dropped.

    Args:
        device_type: "cpu" or "cuda": the device whose operators it is about.
        dtype: the lower-precision dtype; by default bfloat16 for "cpu", float16 for "cuda".
        enabled: False for a block without autocast inside of one with it.
        cache_enabled: whether casts of parameters are kept; by default as outside of the block.
    Raises:
        ValueError: `device_type` is not a string.
        RuntimeError: the device has no autocast.
    """

    def __init__(
        self, device_type: str, dtype: dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ):
        check_device_type(device_type)
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = state.cache_enabled if cache_enabled is None else cache_enabled
        problem = self._unsupported() if enabled else ""
        if problem:
            warnings.warn(problem, stacklevel=2)
        self._enabled = enabled and not problem

    def _unsupported(self) -> str:
        """Return the reason why there is no autocast for the device and the dtype; "" if there is."""
        if self.device == "cuda":
            return ABSENT if amp_definitely_not_available() else ""
        return "" if self.fast_dtype in (bfloat16, float16) else OTHER_DTYPE

    def __enter__(self) -> "autocast":
        self.prev = is_autocast_enabled(self.device)
        self.prev_fastdtype, self.prev_cache_enabled = get_autocast_dtype(self.device), state.cache_enabled
        set_autocast_enabled(self.device, self._enabled)
        state.dtypes[self.device], state.cache_enabled = self.fast_dtype, self._cache_enabled
        autocast_increment_nesting()
        return self

    def __exit__(self, *_: Any) -> Literal[False]:
        if autocast_decrement_nesting() == 0:
            clear_autocast_cache()
        set_autocast_enabled(self.device, self.prev)
        state.dtypes[self.device], state.cache_enabled = self.prev_fastdtype, self.prev_cache_enabled
        return False

    def __call__(self, func: Function) -> Function:
        """Return a function that runs in the block."""
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. "
                "Did you mean to use autocast as a context manager? For example:\n"
                "    with torch.autocast(device_type=...):\n"
                "        output = model(input)"
            )

        @functools.wraps(func)
        def decorate_autocast(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return decorate_autocast


# ---- functions with a backward of their own


def _cast(value: Any, device_type: str, dtype: dtype) -> Any:
    """Return a value in which the floating-point tensors of a device are cast to a dtype, but for float64."""
    if isinstance(value, Tensor):
        is_eligible = value.is_floating_point() and value.device.type == device_type and value.dtype is not float64
        return value.to(dtype) if is_eligible else value
    if isinstance(value, (str, bytes, np.ndarray)) or not isinstance(value, Iterable):
        return value
    if isinstance(value, Mapping):
        return {_cast(key, device_type, dtype): _cast(one, device_type, dtype) for key, one in value.items()}
    found = (_cast(one, device_type, dtype) for one in value)
    return type(value)(found) if isinstance(value, (list, tuple)) else found


def custom_fwd(fwd: Function | None = None, *, device_type: str, cast_inputs: dtype | None = None) -> Function:
    """Decorate the `forward` of an autograd.Function, which notes for `custom_bwd` whether it ran with autocast.

    Args:
        cast_inputs: a dtype for floating-point inputs. With autocast on they are cast, and `forward` runs without it.
    Raises:
        ValueError: `device_type` is not a string.
    """
    check_device_type(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorate_fwd(*args: Any, **kwargs: Any) -> Any:
        ctx, is_enabled = args[0], is_autocast_enabled(device_type)
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = is_enabled and cast_inputs is None
        if cast_inputs is None or not is_enabled:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorate_fwd


def custom_bwd(bwd: Function | None = None, *, device_type: str) -> Function:
    """Decorate the `backward` of an autograd.Function, which then runs with autocast if `forward` did.

    Raises:
        ValueError: `device_type` is not a string.
    """
    check_device_type(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorate_bwd(*args: Any, **kwargs: Any) -> Any:
        ctx = args[0]
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(*args, **kwargs)

    return decorate_bwd
