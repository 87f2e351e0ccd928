"""The graph seen from Python: nodes, and hooks of what they save. Mirrors torch/autograd/graph.py."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..tensor_impl import Tensor
from .node import Node
from .state import state

__all__ = ["Node", "saved_tensors_hooks", "save_on_cpu", "disable_saved_tensors_hooks", "increment_version"]


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
