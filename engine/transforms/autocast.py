"""Autocast: kernels above autograd that choose the dtype in which an operator computes.

Every tensor has the key of its device, AutocastCPU or AutocastCUDA, and every thread excludes both until a block is
entered: so autocast that is off costs nothing. A kernel at such a key casts the arguments as the policy of its operator
says, and calls the operator again without the keys; the casts are operators, which autograd records.
Mirrors aten/src/ATen/autocast_mode.{h,cpp}.
"""

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ..aten.at import at
from ..autograd.grad_mode import enable_grad
from ..autograd.inference import is_inference_mode
from ..dispatch import registry
from ..dispatch.keys import AUTOCAST, DispatchKey
from ..dispatch.local import local, state_of
from ..dispatch.registry import OperatorEntry
from ..dispatch.table import Kernel
from ..dtypes import bfloat16, dtype, float16, float32, float64
from ..tensor_impl import Tensor
from .autocast_policies import APPENDED, POLICIES

KEYS = {"cpu": DispatchKey.AutocastCPU, "cuda": DispatchKey.AutocastCUDA}
BANNED = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast."
)


class State(threading.local):
    """The thread's autocast, besides the excluded keys.

    Attributes:
        dtypes: device type -> the lower-precision dtype.
        cache_enabled: whether casts of parameters are kept.
        nesting: number of blocks that the thread is in.
    """

    def __init__(self) -> None:
        self.dtypes = {"cpu": bfloat16, "cuda": float16}
        self.cache_enabled = True
        self.nesting = 0


state = State()
cached_casts: dict[int, tuple["weakref.ref[Tensor]", Tensor]] = {}
"""id of a parameter -> (the parameter, its cast). The end of an outermost block empties it."""


# ---- casts


def is_eligible(value: Any, device: str) -> bool:
    """Return True for a floating-point tensor on the device, except float64, which autocast leaves alone."""
    return (
        isinstance(value, Tensor)
        and value._dtype.is_floating_point
        and value._dtype is not float64
        and value._storage.device.type == device
    )


def cached_cast(to: dtype, value: Any, device: str) -> Any:
    """Return an argument with its eligible tensors cast to a dtype; it may be a list of tensors, or no tensor.

    A float32 leaf that requires grad, as a parameter does, is cast to the lower-precision dtype once per outermost
    block, unless the cache is off. All its uses then share one cast, and the gradient is cast back once. So the cast is
    recorded even if its first use is not.

    Source: cached_cast (aten/src/ATen/autocast_mode.cpp).
    """
    if isinstance(value, (list, tuple)):
        return type(value)([cached_cast(to, one, device) for one in value])
    if not is_eligible(value, device) or value._dtype is to:
        return value
    is_parameter = value.requires_grad and value.is_leaf and not value._is_view() and value._dtype is float32
    if not (is_parameter and to is state.dtypes[device] and state.cache_enabled) or is_inference_mode():
        return at.to_dtype(value, to)
    source, cast = cached_casts.get(id(value), (None, None))
    if source is None or source() is not value:  # an id is used again once its object is gone
        with enable_grad():
            cast = at.to_dtype(value, to)
        cached_casts[id(value)] = weakref.ref(value), cast
    return cast


def promote_type(current: dtype, arguments: Sequence[Any], device: str) -> dtype:
    """Return float32 if one of the tensors is float32, else the lower-precision dtype.

    Args:
        current: the result if there are no eligible tensors: the lower-precision dtype.
        arguments: with tensors among them, and lists of tensors.
    Raises:
        RuntimeError: a tensor has a third dtype.

    Source: promote_type (aten/src/ATen/autocast_mode.h).
    """
    for value in arguments:
        if isinstance(value, (list, tuple)):
            current = promote_type(current, value, device)
        elif isinstance(value, Tensor) and current is float64:
            raise RuntimeError("promote type is double in at::autocast::prioritize")
        elif is_eligible(value, device):
            if float32 in (current, value._dtype):
                current = float32
            elif value._dtype is not current:
                raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return current


# ---- policies: each calls the operator, below autocast


def lower_precision_fp(entry: OperatorEntry, device: str, arguments: Sequence[Any]) -> Any:
    """Call an operator with its inputs cast to the lower-precision dtype."""
    return entry.call(*[cached_cast(state.dtypes[device], value, device) for value in arguments])


def fp32(entry: OperatorEntry, device: str, arguments: Sequence[Any]) -> Any:
    """Call an operator with its inputs cast to float32."""
    return entry.call(*[cached_cast(float32, value, device) for value in arguments])


def fp32_set_opt_dtype(entry: OperatorEntry, device: str, arguments: Sequence[Any]) -> Any:
    """Call an operator with float32 for the argument `dtype`, unless one is given or the first tensor not eligible."""
    assert entry.schema is not None
    is_set = is_eligible(arguments[0], device)
    named = zip(entry.schema.arguments, arguments, strict=True)
    return entry.call(*[float32 if is_set and one.name == "dtype" and value is None else value for one, value in named])


def fp32_append_dtype(entry: OperatorEntry, device: str, arguments: Sequence[Any]) -> Any:
    """Call the overload that takes a dtype, with float32, or with the dtype of a first tensor that is not eligible."""
    appended = registry.find(f"aten::{APPENDED[entry.name.removeprefix('aten::')]}")
    return appended.call(*arguments, float32 if is_eligible(arguments[0], device) else arguments[0]._dtype)


def promote(entry: OperatorEntry, device: str, arguments: Sequence[Any]) -> Any:
    """Call an operator with its inputs cast to the widest dtype among them."""
    to = promote_type(state.dtypes[device], arguments, device)
    return entry.call(*[cached_cast(to, value, device) for value in arguments])


def banned(entry: OperatorEntry, device: str, arguments: Sequence[Any]) -> Any:
    """Raise the error of an operator that is not safe in few bits.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(BANNED)


def kernel_of(policy: Callable[..., Any], device: str) -> Kernel:
    """Return a policy as the kernel of all its operators at a device's key."""

    def autocast_kernel(entry: OperatorEntry, *arguments: Any) -> Any:
        now = local.state
        local.state = state_of(now.included, now.excluded | AUTOCAST)  # of both devices: a cast must not come back
        try:
            return policy(entry, device, arguments)
        finally:
            local.state = now

    place = f"registered at {__file__}:{policy.__code__.co_firstlineno}"
    return Kernel(autocast_kernel, policy, wants_operator=True, debug=place)


def register_all() -> None:
    """Register the kernels of POLICIES."""
    for policy, names in POLICIES.items():
        for device, listed in names.items():
            kernel = kernel_of(globals()[policy], device)
            for name in listed.split():
                registry.register(f"aten::{name}", KEYS[device], kernel)


register_all()
