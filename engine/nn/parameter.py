"""Parameter: a tensor that a module takes for its own and that learns. Mirrors torch/nn/parameter.py."""

from typing import Any

from .. import dtypes
from ..api import PUBLIC
from ..tensor_impl import Tensor

empty = PUBLIC["empty"]


class Parameter(Tensor):
    """A leaf tensor that shares the memory of `data`.

    What operators make of it are plain tensors. It is also a tensor for the fast paths of the binding, which check
    `isinstance(x, Tensor)`.

    Args:
        data: any sizes; None for no elements.
        requires_grad: whether a gradient is computed for it.
    Raises:
        RuntimeError: a gradient for a dtype that has none.
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> "Parameter":
        return share(cls, empty(0) if data is None else data, requires_grad)

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True):
        pass  # made by __new__

    def __deepcopy__(self, memo: dict) -> "Parameter":
        if id(self) not in memo:
            copied = self.detach().clone(memory_format=dtypes.preserve_format)
            memo[id(self)] = type(self)(copied, self.requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return type(self), (self.detach(), self.requires_grad)


class Buffer(Tensor):
    """A tensor that becomes an untrained buffer when it is assigned to an attribute of a module.

    Args:
        persistent: whether it is part of the module's state dict.
    """

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> "Buffer":
        made = share(cls, empty(0) if data is None else data, False)
        made.persistent = persistent
        return made

    def __init__(self, data: Tensor | None = None, *, persistent: bool = True):
        pass  # made by __new__


def share(cls: Any, data: Tensor, requires_grad: bool) -> Any:
    """Return a leaf tensor of class `cls` that shares the memory and the version counter of `data`.

    Source: THPVariable_make_subclass (torch/csrc/autograd/python_variable.cpp).
    """
    if requires_grad and not data.is_floating_point():
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    view = data.detach()
    made = Tensor.__new__(cls)
    geometry = view._sizes, view._strides, view._storage_offset
    made._set_fields(view._storage, *geometry, view._dtype, view._key_set, view._elements, view._shared_version())
    return made.requires_grad_() if requires_grad else made


def zero_gradient(parameter: Any, set_to_none: bool) -> None:
    """Set the gradient of a parameter to None, or detach it and fill it with zeros."""
    grad = parameter.grad
    if grad is None:
        return
    if set_to_none:
        parameter.grad = None
        return
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()
