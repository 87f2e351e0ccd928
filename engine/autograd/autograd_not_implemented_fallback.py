"""Calls of operators that have no autograd kernel: a backward pass through one of them warns.

Mirrors torch/csrc/autograd/autograd_not_implemented_fallback.cpp.
"""

import functools
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from .. import slots
from ..dispatch.registry import OperatorEntry
from ..tensor_impl import Tensor
from . import variable
from .node import Gradients, Node
from .python_variable import register_hook
from .state import state


class WarnNotImplemented(Node):
    """The backward of an operator that has no autograd kernel: it warns and returns no gradients.

    Args:
        operator: its name.
        inputs: the tensors among its arguments.
    """

    __slots__ = ("operator",)
    namespace = "torch::autograd::"

    def __init__(self, operator: str, inputs: Sequence[Tensor]):
        super().__init__(variable.gradient_edges(inputs))
        self.operator = operator

    def apply(self, grads: Gradients, needs: Sequence[Any]) -> Gradients:
        warn(self.operator)
        return (None,) * len(self.next_edges)


def warn(operator: str, grad: Tensor | None = None) -> None:
    """Warn that a gradient flows through an operator that has no autograd kernel."""
    warnings.warn(
        f"{operator}: an autograd kernel was not registered to the Autograd key(s) but we are trying to backprop "
        "through it. This may lead to silently incorrect behavior. This behavior is deprecated and will be removed in "
        "a future version of PyTorch. If your operator is differentiable, please ensure you have registered an "
        "autograd kernel to the correct Autograd key (e.g. DispatchKey::Autograd, "
        "DispatchKey::CompositeImplicitAutograd). If your operator is not differentiable, or to squash this warning "
        "and use the previous behavior, please register torch::CppFunction::makeFallthrough() to "
        "DispatchKey::Autograd.",
        stacklevel=2,
    )


def fallback(entry: OperatorEntry, key_set: int, arguments: tuple[Any, ...]) -> Any:
    """Redispatch a call below autograd, and make its results warn if a gradient reaches them."""
    inputs = [tensor for _, tensor in tensors(arguments)] if state.grad_mode else []
    if not any(map(variable.requires_grad, inputs)):
        return entry.redispatch(key_set, *arguments)
    node = WarnNotImplemented(entry.name, inputs)
    result = entry.redispatch(key_set, *arguments)
    returned = entry.schema.returns if entry.schema else ()
    hook = functools.partial(warn, entry.name)
    for number, tensor in tensors(result if len(returned) > 1 else (result,)):
        annotation = returned[number].annotation
        is_written = annotation is not None and annotation.is_write
        if not tensor._dtype.is_floating_point:
            continue
        if variable.requires_grad(tensor):
            register_hook(tensor, hook)
            base = tensor._base if is_written else None
            if base is not None and variable.requires_grad(base):
                register_hook(base, hook)
        elif not is_written:
            variable.set_history(tensor, node)
    return result


def tensors(values: Sequence[Any]) -> Iterator[tuple[int, Tensor]]:
    """Yield each tensor among `values`, and in lists among them, together with the index of its value."""
    for number, value in enumerate(values):
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, Tensor):
                yield number, one


slots.autograd_fallback.fill(fallback)
