"""A tensor that a node keeps for its backward, and the check that nobody has written to it since.

Mirrors torch/csrc/autograd/saved_variable.{h,cpp}.
"""

import weakref
from collections.abc import Callable
from typing import Any

from ..aten.python_methods import TYPE_STRINGS
from ..tensor_impl import UNTRACKED, Tensor
from . import variable
from .anomaly_mode import anomaly
from .node import Edge, Node
from .state import state

TYPE_NAMES = {dtype: name for name, dtype in TYPE_STRINGS.items()}
MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[{type} {sizes}]{output} is at version {version}; expected version {expected} instead. Hint: {hint}"
)
HINT = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
HINT_WHILE_ON = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!"
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
"""The result of the pack hook, the unpack hook, and the edge for the gradient of an input."""


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
    """The tensor that the unpack hook makes, with the history of the tensor that was packed."""
    value, hook, edge = packed
    tensor = hook(value)
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(tensor).__name__}"
        )
    return variable.with_edge(tensor, output or edge)


def alias(tensor: Tensor) -> Tensor:
    """A tensor over the same memory and with the same version counter, without history."""
    return tensor._alias(tensor._sizes, tensor._strides, tensor._storage_offset)


class SavedVariable:
    """A tensor as it was when a node was made.

    An input is kept as it is. An output must not be: it holds the node, and the two would keep each other alive. So
    its data are kept without its history, which `load` gives it again.

    Args:
        tensor: None means an optional argument that was not given.
        is_output: the node that saves is the one that made the tensor.
    Raises:
        RuntimeError: it is an inference tensor, of which nobody counts versions.

    Attributes:
        data: the tensor, or one over the same data without history; None if a hook has packed it.
        version: how often the tensor had been written to when it was saved.
        output_nr: which output of its node the tensor is; None if its history was kept with it.
        weak_grad_fn: of an output a weak reference to its node, else None.
        packed: what a hook of `saved_tensors_hooks` has made of it, else None.
    """

    __slots__ = ("data", "version", "output_nr", "weak_grad_fn", "packed")

    def __init__(self, tensor: Tensor | None, is_output: bool = False):
        self.data: Any = None
        self.packed: Packed | None = None
        self.output_nr: int | None = None
        self.weak_grad_fn: Any = None
        self.version = 0
        if tensor is None:
            return
        if tensor._version_counter is UNTRACKED:
            raise RuntimeError(INFERENCE)
        self.save(tensor, is_output)
        if state.saved_tensor_hooks and not tensor._wrapped_number:
            self.packed = pack(tensor, self.output_nr is not None)
            self.data = None

    def save(self, tensor: Tensor, is_output: bool) -> None:
        """Keep a tensor for `load`: an output without its history, in which the node is that saves it.

        Sets `self.data`, and `self.version` to the tensor's `_version`. The data are the tensor itself, of an input as
        of an output that nothing was recorded for (`variable.is_leaf`). Of any other output they are `alias(tensor)`, a
        tensor over the same memory that shares its versions, without history. Its history is kept in `self.output_nr`
        and `self.weak_grad_fn` (by `weakref.ref`): the `output_nr` and the `grad_fn` of the tensor's `_autograd_meta`.
        (Python's `tensor.grad_fn` may be another node: of a view it is made anew after a write.) Else they stay None.

        Source: SavedVariable::SavedVariable (torch/csrc/autograd/saved_variable.cpp).
        """
        self.version = tensor._version
        if is_output and not variable.is_leaf(tensor):
            self.output_nr = tensor._autograd_meta.output_nr
            self.weak_grad_fn = weakref.ref(tensor._autograd_meta.grad_fn)
            self.data = alias(tensor)
        else:
            self.data = tensor

    def load(self, node: Node) -> Tensor:
        """The tensor that was saved, with the history that it had.

        What was kept as it is comes back as it is: the very same object. Of an alias a new tensor comes back each time,
        which `variable.with_edge(data, edge)` makes. Its edge leads to the output of the node that made it, as `save`
        has kept them. If that node is gone, `weak_grad_fn()` returns None, and the edge leads to `node`.

        Args:
            node: the one that saved it.
        Returns:
            Tensor.
        Raises:
            RuntimeError: it was written to since: its version is another now. The message is `self.modified(node)`,
                word for word: question R1 of lab 4 reads it.

        Source: SavedVariable::unpack (torch/csrc/autograd/saved_variable.cpp).
        """
        if self.data._version != self.version:
            raise RuntimeError(self.modified(node))
        if self.output_nr is None:
            return self.data
        return variable.with_edge(self.data, (self.weak_grad_fn() or node, self.output_nr))

    def unpack(self, node: Node) -> Tensor | None:
        """The tensor for `node`, which saved it; None if there was none.

        Raises:
            RuntimeError: it was written to since.
            TypeError: an unpack hook did not return a tensor.
        """
        if self.packed is not None:
            return unpack(self.packed, None if self.output_nr is None else (self._maker(node), self.output_nr))
        return None if self.data is None else self.load(node)

    def _maker(self, node: Node) -> Node:
        """The node that made an output: the one that saved it; of a view that was written to, the view's since then."""
        return (self.weak_grad_fn and self.weak_grad_fn()) or node

    def modified(self, node: Node) -> str:
        """The text of the error for a tensor that was written to."""
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
            hint=HINT_WHILE_ON if anomaly.enabled else HINT,
        )


class Freed:
    """Placeholder for all saved values once a node has run."""

    __slots__ = ()

    def unpack(self, node: Node) -> Tensor:
        """Refuse.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(FREED)


FREED_VARIABLE = Freed()
