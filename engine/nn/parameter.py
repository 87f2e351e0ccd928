"""Parameter: a tensor that a module takes for its own and that learns. Mirrors torch/nn/parameter.py."""

from typing import Any

from .. import dtypes, printing, slots
from ..api import PUBLIC
from ..tensor_impl import Tensor, _disabled_torch_function_impl

empty = PUBLIC["empty"]
NO_CLASS = (
    "Creating a Parameter from an instance of type {kind} requires that detach() returns an instance of the same type, "
    "but return type {made} was found instead. To use the type as a Parameter, please correct the detach() semantics "
    "defined by its __torch_dispatch__() implementation."
)


class ParameterKind(type):
    """The class of Parameter and Buffer, to which also belongs a tensor of a class of its own that is `_is_param`."""

    mark: str

    def __instancecheck__(cls, instance: Any) -> bool:
        return type.__instancecheck__(cls, instance) or getattr(instance, cls.mark, False) is True


class Parameter(Tensor, metaclass=ParameterKind):
    """A leaf tensor that shares the memory of `data`.

    What operators make of it are plain tensors. It is also a tensor for the fast paths of the binding, which check
    `isinstance(x, Tensor)`.

    Args:
        data: any sizes; None for no elements.
        requires_grad: whether a gradient is computed for it.
    Raises:
        RuntimeError: a gradient for a dtype that has none; or `data` is of a class of its own, and its `detach` is not.
    """

    mark = "_is_param"
    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> "Parameter":
        return made_of(cls, data, requires_grad)

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


class Buffer(Tensor, metaclass=ParameterKind):
    """A tensor that becomes an untrained buffer when it is assigned to an attribute of a module.

    Args:
        persistent: whether it is part of the module's state dict.
    """

    mark = "_is_buffer"
    persistent: bool
    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> "Buffer":
        made = made_of(cls, data, False)
        made.persistent = persistent
        return made

    def __init__(self, data: Tensor | None = None, *, persistent: bool = True):
        pass  # made by __new__


def is_parameter(tensor: Tensor) -> bool:
    """Return True for a Parameter, and for a tensor of a class of its own that is marked as one."""
    return isinstance(tensor, Parameter)


slots.is_parameter.fill(is_parameter)
printing.PLAIN.update((Parameter, Buffer))


def made_of(cls: Any, data: Tensor | None, requires_grad: bool) -> Any:
    """Return a Parameter or Buffer with the memory of `data`; data of a class of its own keeps it, and is marked.

    Source: Parameter.__new__.
    """
    if data is None or type(data) in printing.PLAIN:
        return share(cls, empty(0) if data is None else data, requires_grad)
    made = data.detach().requires_grad_(requires_grad)
    if type(made) is not type(data):
        raise RuntimeError(NO_CLASS.format(kind=type(data).__name__, made=type(made).__name__))
    setattr(made, cls.mark, True)
    return made


def share(cls: Any, data: Tensor, requires_grad: bool) -> Any:
    """Return a leaf tensor of class `cls` that shares the memory and the version counter of `data`.

    Source: THPVariable_make_subclass (torch/csrc/autograd/python_variable.cpp).
    """
    if requires_grad and not data.is_floating_point():
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    view, made = data.detach(), object.__new__(cls)
    geometry = view._sizes, view._strides, view._storage_offset
    made._set_fields(view._storage, *geometry, view._dtype, view._key_set, view._elements, view._shared_version())
    made.requires_grad = requires_grad  # type: ignore[attr-defined]  # `requires_grad_` refuses inside transforms
    return made


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
