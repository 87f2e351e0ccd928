"""The graph seen from Python: nodes, and hooks of what they save. Mirrors torch/autograd/graph.py."""

import contextlib
import functools
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..tensor_impl import Tensor
from ..utils.hooks import RemovableHandle
from . import variable
from .engine import runs
from .node import Node
from .python_variable import register_hook
from .state import state

__all__ = [
    "Node", "saved_tensors_hooks", "save_on_cpu", "disable_saved_tensors_hooks", "increment_version",
    "register_multi_grad_hook",
]  # fmt: skip


class saved_tensors_hooks:
    """Context manager that packs the tensors saved by nodes with `pack_hook` and unpacks them with `unpack_hook`.

    Of several such blocks, one in another, the innermost counts. What is unpacked is not checked for writes.

    Args:
        pack_hook: called at once; its result is kept instead of the tensor.
        unpack_hook: called when the node runs; returns a tensor.
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if state.saved_tensor_hooks_disabled is not None:
            raise RuntimeError(state.saved_tensor_hooks_disabled)
        state.saved_tensor_hooks += ((self.pack_hook, self.unpack_hook),)

    def __exit__(self, *error: object) -> None:
        state.saved_tensor_hooks = state.saved_tensor_hooks[:-1]


class save_on_cpu(saved_tensors_hooks):
    """Context manager that keeps saved tensors on the CPU, and moves them back to their device when the node runs."""

    def __init__(self) -> None:
        super().__init__(lambda tensor: (tensor.device, tensor.cpu()), lambda packed: packed[1].to(packed[0]))


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Context manager that disables `saved_tensors_hooks` inside its block.

    Args:
        error_message: of the RuntimeError that it raises then, or at once if hooks are there already.
    """
    before = state.saved_tensor_hooks_disabled
    state.saved_tensor_hooks_disabled = error_message
    try:
        if state.saved_tensor_hooks:
            raise RuntimeError(error_message)
        yield
    finally:
        state.saved_tensor_hooks_disabled = before


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Bump the version of a tensor after a write that the engine cannot see, so that saved tensors detect it."""
    tensors: Iterable[Any] = (tensor,) if isinstance(tensor, Tensor) else tensor
    for one in tensors:
        one._bump_version()


class MultiHandle(RemovableHandle):
    """A handle that removes several hooks."""

    def __init__(self, handles: Sequence[RemovableHandle]):
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[[Any], None], *, mode: str = "all"
) -> RemovableHandle:
    """Register one hook for several tensors, which is called once in each backward pass that reaches them.

    Args:
        fn: takes the list of their gradients when the last of them is there, None for a tensor that the pass does not
            need; in mode "any" the first gradient that is there.
        mode: "all" or "any".
    Raises:
        ValueError: another mode.
        AssertionError: a tensor does not require grad.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if not all(map(variable.requires_grad, tensors)):
        raise AssertionError("Expected gradient function to be set")
    nodes = [variable.grad_fn(tensor) or variable.grad_accumulator(tensor) for tensor in tensors]
    arrived: weakref.WeakKeyDictionary[Any, dict[int, Tensor]] = weakref.WeakKeyDictionary()  # of each backward pass

    def arrive(number: int, grad: Tensor) -> None:
        task = state.graph_task
        grads = arrived.setdefault(task, {})
        grads[number] = grad
        if mode == "any":
            if len(grads) == 1:
                fn(grad)
        elif len(grads) == sum(node in task.dependencies and runs(task, node) for node in nodes):
            fn([grads.get(place) for place in range(len(nodes))])

    hooks = (functools.partial(arrive, number) for number in range(len(tensors)))
    return MultiHandle([register_hook(tensor, hook) for tensor, hook in zip(tensors, hooks, strict=True)])
