"""The tensors and levels of active transforms, as programs that debug them see them.

Mirrors torch._C._functorch (torch/csrc/functorch/init.cpp).
"""

from typing import Any

from ..tensor_impl import Tensor
from .batched import BatchedTensor
from .grad_wrapper import GradWrapper, WrapperTensor
from .interpreters import layers

__all__ = ["debug_unwrap"]


def is_functorch_wrapped_tensor(tensor: Any) -> bool:
    """Return True for a tensor that stands for another one inside a transform."""
    return isinstance(tensor, WrapperTensor)


def is_batchedtensor(tensor: Any) -> bool:
    """Return True for a tensor of vmap."""
    return type(tensor) is BatchedTensor


def is_gradtrackingtensor(tensor: Any) -> bool:
    """Return True for a tensor of grad, vjp or jvp."""
    return type(tensor) is GradWrapper


def is_dead_tensor_wrapper(tensor: Any) -> bool:
    """Return True for a tensor of grad whose transform has ended."""
    return type(tensor) is GradWrapper and not tensor._layer.is_alive


def maybe_get_level(tensor: Tensor) -> int:
    """Return the level of a tensor: 1 for the outermost transform, -1 for a plain tensor, -2 if its transform ended."""
    if not isinstance(tensor, WrapperTensor):
        return -1
    return -2 if is_dead_tensor_wrapper(tensor) else tensor._level


def maybe_get_bdim(tensor: Tensor) -> int:
    """Return the dimension that vmap hides; -1 if there is none."""
    return tensor._bdim if type(tensor) is BatchedTensor else -1


def get_unwrapped(tensor: Tensor) -> Tensor:
    """Return the tensor that one of a transform stands for; a RuntimeError for a plain tensor."""
    if not isinstance(tensor, WrapperTensor):
        raise RuntimeError("No wrappers present!")
    return tensor._value


def maybe_current_level() -> int | None:
    """Return the number of active transforms; None outside of all."""
    return layers.stack[-1].level if layers.stack else None


def current_level() -> int:
    """Return the number of active transforms; a RuntimeError outside of all."""
    level = maybe_current_level()
    if level is None:
        raise RuntimeError("expected an active transform, such as vmap or grad; there is none")
    return level


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """Return the plain tensor inside one of a transform; without `recurse`, the tensor of the next outer level.

    For debugging only: inside the function that is transformed, do not compute with it.

    Source: debug_unwrap (torch/_functorch/eager_transforms.py).
    """
    if not isinstance(tensor, WrapperTensor):
        return tensor
    return debug_unwrap(tensor._value) if recurse else tensor._value
