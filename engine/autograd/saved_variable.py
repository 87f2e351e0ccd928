"""A tensor that a node keeps for its backward, and the check that nobody has written to it since.

Mirrors torch/csrc/autograd/saved_variable.{h,cpp}.
"""

import weakref
from collections.abc import Callable
from typing import Any

from ..aten.python_methods import TYPE_STRINGS
from ..tensor_impl import UNTRACKED, Tensor
from . import variable
from .node import Edge, Node
from .state import state

TYPE_NAMES = {dtype: name for name, dtype in TYPE_STRINGS.items()}
MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[{type} {sizes}]{output} is at version {version}; expected version {expected} instead. Hint: enable anomaly "
    "detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
INFERENCE = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


Packed = tuple[Any, Callable[[Any], Tensor], Edge | None]
"""What the pack hook returned, the unpack hook, and where the gradient of an input goes."""


def pack(tensor: Tensor, is_output: bool) -> Packed:
    """Give a tensor to the innermost pack hook, which runs unrecorded."""
    hook, unpack_hook = state.saved_tensor_hooks[-1]
    edge = None if is_output else variable.gradient_edge(tensor)
    before, state.grad_mode = state.grad_mode, False
    try:
        return hook(tensor), unpack_hook, edge
    finally:
        state.grad_mode = before


def unpack(packed: Packed, output: Edge | None) -> Tensor:
    """What the unpack hook makes of it, with the history of the tensor that was packed."""
    value, hook, edge = packed
    tensor = hook(value)
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(tensor).__name__}"
        )
    return variable.with_edge(tensor, output or edge)


class SavedVariable:
    """A tensor as it was when a node was made.

    An input is kept as it is. An output must not be: it holds the node, and the two would keep each other alive. So
    its data are kept without its history, which `unpack` gives it again.

    Args:
        tensor: None stands for an optional argument that was not given.
        is_output: the node that saves is the one that made the tensor.
    Raises:
        RuntimeError: it is an inference tensor.
    """

    __slots__ = ("data", "version", "output_nr", "weak_grad_fn", "packed")

    def __init__(self, tensor: Tensor | None, is_output: bool = False):
        self.packed: Packed | None = None
        self.output_nr: int | None = None
        self.data = tensor
        if tensor is None:
            self.version = 0
            return
        counter = tensor._version_counter
        if counter is UNTRACKED:
            raise RuntimeError(INFERENCE)
        self.version = counter.value if counter else 0
        if is_output and tensor._autograd_meta is not None and not variable.is_leaf(tensor):
            meta = tensor._autograd_meta
            self.output_nr = meta.output_nr
            self.weak_grad_fn = weakref.ref(meta.grad_fn) if meta.is_view else None
            self.data = tensor._alias(tensor._sizes, tensor._strides, tensor._storage_offset)
        if state.saved_tensor_hooks and not tensor._wrapped_number:
            self.packed = pack(tensor, self.output_nr is not None)
            self.data = None

    def unpack(self, node: Node) -> Tensor | None:
        """The tensor; while recording, an output comes with its history.

        Args:
            node: the one that saved it.
        Raises:
            RuntimeError: it was written to since.
            TypeError: an unpack hook did not return a tensor.
        """
        tensor = self.data
        if self.packed is not None:
            return unpack(self.packed, None if self.output_nr is None else (self._maker(node), self.output_nr))
        if tensor is None:
            return None
        counter = tensor._version_counter
        if counter is not None and counter.value != self.version:
            raise RuntimeError(self._modified(node))
        if self.output_nr is not None:
            tensor = variable.with_edge(tensor, (self._maker(node), self.output_nr))
        return tensor

    def _maker(self, node: Node) -> Node:
        """The node that made an output: the one that saved it; of a view that was written to, the view's since then."""
        return node if self.weak_grad_fn is None else self.weak_grad_fn() or node

    def _modified(self, node: Node) -> str:
        tensor = self.data
        assert tensor is not None
        number = self.output_nr
        maker = variable.grad_fn(tensor) if number is None else self._maker(node)
        if number is None:
            number = tensor._autograd_meta.output_nr if maker else 0
        return MODIFIED.format(
            type=TYPE_NAMES[tensor._dtype],
            sizes=list(tensor._sizes),
            output=f", which is output {number} of {maker.forward_name()}," if maker else "",
            version=tensor._version,
            expected=self.version,
        )


class Freed:
    """What stands for everything saved once a node has run."""

    __slots__ = ()

    def unpack(self, node: Node) -> Tensor:
        """Refuse.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(FREED)


FREED_VARIABLE = Freed()
