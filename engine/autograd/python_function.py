"""Nodes as Python sees them: the edges behind them, their hooks, the values they saved.

Mirrors torch/csrc/autograd/python_cpp_function.cpp.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..dtypes import device, dtype
from ..tensor_impl import Size, Tensor
from ..utils.hooks import RemovableHandle
from .node import Node
from .saved_variable import FREED_VARIABLE, SavedVariable


class InputMetadata(NamedTuple):
    """The shape, dtype and device that a gradient must have to enter a node."""

    shape: Size
    dtype: dtype
    device: device


def next_functions(self: Node) -> tuple[tuple[Node | None, int], ...]:
    """Return, for each differentiable input of the operator, the next node and the input number of that node."""
    return tuple(edge or (None, 0) for edge in self.next_edges)


def metadata(self: Node) -> dict[Any, Any]:
    """Return a dict in which users can store anything about the node."""
    if self.user_metadata is None:
        self.user_metadata = {}
    return self.user_metadata


def input_metadata(self: Node) -> tuple[InputMetadata | None, ...]:
    """Return, for each output of the operator, the metadata that its gradient must match."""
    return tuple(info and InputMetadata(Size(info[0]), *info[1:]) for info in self.input_metadata)


def register_hook(self: Node, hook: Callable[..., Any]) -> RemovableHandle:
    """Register `hook(grads of the inputs, grads of the outputs)` to run after the node.

    What it returns, if not None, takes the place of the first.
    """
    return _added(self.hooks_made().post_hooks, hook)


def register_prehook(self: Node, hook: Callable[..., Any]) -> RemovableHandle:
    """Register `hook(grads of the outputs)` to run before the node; a result other than None replaces the gradients."""
    return _added(self.hooks_made().pre_hooks, hook)


def _added(hooks: dict[int, Any], hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def call(self: Node, *grads: Tensor | None) -> Any:
    """Call the node directly: map gradients of the outputs to gradients of the inputs."""
    if len(grads) != len(self.input_metadata):
        raise TypeError(f"expected {len(self.input_metadata)} arguments, got {len(grads)} instead")
    for number, grad in enumerate(grads):
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError(f"argument {number} is not a Variable")
    results = tuple(self.apply(list(grads), self.next_edges))
    return results[0] if len(results) == 1 else results


def saved(self: Node, name: str) -> Any:
    """Return `_saved_<name>`, the value that the node saved under this name in the forward pass.

    Raises:
        AttributeError: it does not.
        RuntimeError: it has been let go, or written to.
    """
    field = name.removeprefix("_saved_")
    if field == name or field not in self.saved_fields:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
    value = getattr(self, f"saved_{field}")
    if isinstance(value, SavedVariable) or value is FREED_VARIABLE:
        return value.unpack(self, may_be_detached=True)
    if isinstance(value, tuple) and value and isinstance(value[0], SavedVariable):
        return tuple(one.unpack(self, may_be_detached=True) for one in value)
    return value


def node_repr(self: Node) -> str:
    """Return `<MulBackward0 object at 0x...>`."""
    return f"<{type(self).__name__} object at {id(self):#x}>"


MEMBERS: dict[str, Any] = {
    "next_functions": property(next_functions),
    "metadata": property(metadata),
    "requires_grad": True,
    "register_hook": register_hook,
    "register_prehook": register_prehook,
    "_input_metadata": property(input_metadata),
    "_sequence_nr": lambda self: self.sequence_nr,
    "__call__": call,
    "__getattr__": saved,
    "__repr__": node_repr,
}
"""Name -> method or property of Node."""

for _name, _member in MEMBERS.items():
    setattr(Node, _name, _member)
