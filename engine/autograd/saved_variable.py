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
from .variable import shallow_copy_and_detach as alias

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
DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please "
    "use out-of-place `.detach()` instead"
)
WRITING_HOOK = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
    "perform in-place operations on the input to a pack hook."
)


Packed = tuple[Any, Callable[[Any], Tensor], Edge | None]
"""The result of the pack hook, the unpack hook, and the edge for the gradient of an input."""


def pack(tensor: Tensor, is_output: bool) -> Packed:
    """Pass a tensor to the innermost pack hook, which runs without recording.

    Raises:
        RuntimeError: the hook has written to the tensor.
    """
    hook, unpack_hook = state.saved_tensor_hooks[-1]
    edge = None if is_output else variable.gradient_edge(tensor)
    version = tensor._version
    before, state.grad_mode = state.grad_mode, False
    try:
        packed = hook(tensor)
    finally:
        state.grad_mode = before
    if tensor._version != version:
        raise RuntimeError(WRITING_HOOK)
    return packed, unpack_hook, edge


def unpack(packed: Packed, output: Edge | None) -> Tensor:
    """Return the tensor that the unpack hook returns, with the history of the packed tensor."""
    value, hook, edge = packed
    tensor = hook(value)
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(tensor).__name__}"
        )
    return variable.with_edge(tensor, output or edge)


class SavedVariable:
    """A tensor saved by a node, with the version it had when it was saved.

    An input is kept as it is. An output must not be: it holds the node, and the two would keep each other alive. So
    its data are kept without its history, which `load` gives it again.

    Args:
        tensor: None means an optional argument that was not given.
        is_output: the node that saves is the one that made the tensor.
    Raises:
        RuntimeError: it is an inference tensor, of which nobody counts versions.

    Attributes:
        data: the tensor, or one over the same data without history; None if a hook has packed it.
        was_made: the tensor is an input, and had a node when it was saved.
        version: how often the tensor had been written to when it was saved.
        output_nr: which output of its node the tensor is; None if its history was kept with it.
        weak_grad_fn: of an output a weak reference to its node, else None.
        packed: what a hook of `saved_tensors_hooks` has made of it, else None.
    """

    __slots__ = ("data", "was_made", "version", "output_nr", "weak_grad_fn", "packed")

    def __init__(self, tensor: Tensor | None, is_output: bool = False):
        self.data: Any = None
        self.was_made = False
        self.packed: Packed | None = None
        self.output_nr: int | None = None
        self.weak_grad_fn: Any = None
        self.version = 0
        if tensor is None:
            return
        if tensor._version_counter is UNTRACKED:
            raise RuntimeError(INFERENCE)
        meta = tensor._autograd_meta
        self.was_made = meta is not None and meta.grad_fn is not None and not is_output
        self.save(tensor, is_output)
        if state.saved_tensor_hooks and not tensor._wrapped_number:
            self.packed = pack(tensor, self.output_nr is not None)
            self.data = None

    def save(self, tensor: Tensor, is_output: bool) -> None:
        """Save a tensor for `load`: an input as it is, an output without its history, which contains the saving node.

        Sets `self.data`, and `self.version` to the tensor's `_version`. The data are the tensor itself if it is an
        input, or an output with `variable.is_leaf(tensor)`: nothing was recorded for it. For any other output they are
        a tensor like `alias(tensor)`: the same memory and versions, no history. Its history is kept in
        `self.output_nr` and `self.weak_grad_fn` (by `weakref.ref`): `output_nr` and `grad_fn` of its `_autograd_meta`.
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
        """Return the saved tensor with its original history.

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

    def unpack(self, node: Node, may_be_detached: bool = False) -> Tensor | None:
        """Return the saved tensor for `node`, which saved it, or None if no tensor was saved.

        Args:
            may_be_detached: the tensor is for Python to look at, whatever became of its history.
        Raises:
            RuntimeError: it was written to or detached in place since.
            TypeError: an unpack hook did not return a tensor.
        """
        data = self.data
        if data is None:
            return None if self.packed is None else self._unpack_by_hook(node)
        if self.was_made and data._autograd_meta.grad_fn is None and not may_be_detached:
            raise RuntimeError(DETACHED)
        return self.load(node)

    def _unpack_by_hook(self, node: Node) -> Tensor:
        assert self.packed is not None
        return unpack(self.packed, None if self.output_nr is None else (self._maker(node), self.output_nr))

    def _maker(self, node: Node) -> Node:
        """Return the node that made an output: the one that saved it; of a view written to, the view's since then."""
        return (self.weak_grad_fn and self.weak_grad_fn()) or node

    def modified(self, node: Node) -> str:
        """Return the error message for a saved tensor that was modified in place."""
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
    """Placeholder for every saved value of a node whose saved values were released."""

    __slots__ = ()

    def unpack(self, node: Node, may_be_detached: bool = False) -> Tensor:
        """Raise the error for a second backward pass through a released graph.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(FREED)


FREED_VARIABLE = Freed()
