"""Operations on a whole network at once: train, to, zero_grad, apply. Methods of `Module`.

Mirrors Module.train, Module._apply and their kin.
"""

from collections.abc import Callable
from typing import Any

from ... import dtypes
from ...aten.python_methods import to_parser
from ...autograd.grad_mode import no_grad
from ...tensor_impl import Tensor
from ..parameter import zero_gradient

Module = Any  # the class in module.py; these functions are its methods


def train(self: Module, mode: bool = True) -> Module:
    """Set the training mode of this module and all its descendants, which affects dropout and batch norm.

    Raises:
        ValueError: `mode` is not a bool.
    """
    if not isinstance(mode, bool):
        raise ValueError("training mode is expected to be boolean")
    self.training = mode
    for module in self.children():
        module.train(mode)
    return self


def eval(self: Module) -> Module:
    """Switch to evaluation mode: `train(False)`."""
    return self.train(False)


def requires_grad_(self: Module, requires_grad: bool = True) -> Module:
    """Set `requires_grad` of all parameters."""
    for parameter in self.parameters():
        parameter.requires_grad_(requires_grad)
    return self


def zero_grad(self: Module, set_to_none: bool = True) -> None:
    """Set the gradients of all parameters to None, or to zero."""
    for parameter in self.parameters():
        zero_gradient(parameter, set_to_none)


def apply(self: Module, fn: Callable[[Module], Any]) -> Module:
    """Call a function on this module and all its descendants, descendants first."""
    for module in self.children():
        module.apply(fn)
    fn(self)
    return self


def _apply(self: Module, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Module:
    """Put `fn(tensor)` in the place of the data of all parameters and gradients, and of all buffers.

    A wrapper that can be taken apart gets the tensors inside the new one, too, as by torch.utils.swap_tensors.
    """
    for module in self.children() if recurse else ():
        module._apply(fn)
    for parameter in self._parameters.values():
        for tensor in () if parameter is None else (parameter, parameter.grad):
            if tensor is not None:
                with no_grad():
                    tensor.data = made = fn(tensor)
                if hasattr(made, "__tensor_flatten__"):
                    vars(tensor).update(vars(made))
    for name, buffer in self._buffers.items():
        if buffer is not None:
            self._buffers[name] = fn(buffer)
    return self


def to(self: Module, *args: Any, **kwargs: Any) -> Module:
    """Convert floating-point parameters and buffers, and move all, in place: `to(dtype)`, `to(device)`, `to(tensor)`.

    Raises:
        TypeError: a dtype that is not floating-point.
        RuntimeError: `copy`, which `Tensor.to` has, is given.
    """
    form, values = to_parser.parse(args, kwargs)
    if "copy" in kwargs or len(args) > (3 if form == 0 else 2):
        raise RuntimeError(".to() does not accept copy argument")
    device, dtype = values[:2] if form == 0 else (None, values[0])
    if form == 2:
        device, dtype = values[0].device, values[0].dtype
    if dtype is not None and not dtype.is_floating_point:
        raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")
    return self._apply(lambda tensor: tensor.to(device, dtype if tensor.is_floating_point() else None))


def type(self: Module, dst_type: Any) -> Module:
    """Convert all parameters and buffers to a type."""
    return self._apply(lambda tensor: tensor.type(dst_type))


def float(self: Module) -> Module:
    """Convert floating-point parameters and buffers to float32."""
    return self.to(dtypes.float32)


def double(self: Module) -> Module:
    """Convert floating-point parameters and buffers to float64."""
    return self.to(dtypes.float64)


def cpu(self: Module) -> Module:
    """Move all parameters and buffers to CPU memory."""
    return self._apply(lambda tensor: tensor.cpu())


def cuda(self: Module, device: Any = None) -> Module:
    """Move all parameters and buffers to GPU memory."""
    return self._apply(lambda tensor: tensor.cuda(device))
