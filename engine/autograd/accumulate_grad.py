"""AccumulateGrad: the end of a gradient's way, `leaf.grad += gradient`.

Mirrors torch/csrc/autograd/functions/accumulate_grad.{h,cpp}.
"""

import functools
import sys
import threading
from collections.abc import Sequence
from typing import Any

from .. import slots
from .. import strides as geometry
from ..aten.at import at
from ..dispatch.local import is_subclass_like
from ..dtypes import contiguous_format, strided
from ..strides import Ints
from ..tensor_impl import Tensor
from . import variable
from .anomaly_mode import anomaly, remember
from .node import FIRST, Gradients, Node
from .python_hook import call_hooks
from .state import state

_new_lock = threading.Lock
SOLE = 3
"""`sys.getrefcount` of a gradient that only the caller of `apply` holds: in `grads`, in `new`, and for the count."""


class AccumulateGrad(Node):
    """The node that accumulates incoming gradients into the `.grad` of a leaf.

    It holds the leaf, and the leaf knows it by a weak reference. It runs before all other nodes that are ready, because
    that frees the gradient.

    Args:
        tensor: the leaf.
    """

    __slots__ = ("variable", "lock")
    namespace = "torch::autograd::"
    is_accumulator = True

    def __init__(self, tensor: Tensor):
        self.next_edges, self.sequence_nr = (), FIRST  # takes no number: operators' nodes have all of them
        self.input_metadata = ((tensor._sizes, tensor._dtype, tensor._storage.device),)
        self.hooks = self.user_metadata = None
        self.variable, self.lock = tensor, _new_lock()
        if anomaly.enabled:
            remember(self)

    def apply(self, grads: Gradients, needs: Sequence[Any] = ()) -> Gradients:
        new = grads[0]
        if new is None:
            return ()
        meta = self.variable._autograd_meta or variable.get_or_create_meta(self.variable)
        if meta.grad_fn is not None or (meta.is_view and variable.grad_fn(self.variable) is not None):
            raise RuntimeError("leaf variable has been moved into the graph interior")
        if not meta.requires_grad and not variable.requires_grad(self.variable):
            return ()
        with self.lock:
            may_steal = sys.getrefcount(new) <= SOLE
            meta.grad = accumulate_grad(self.variable, meta.grad, new, may_steal)
        leaf = meta.leaf
        if leaf is not None and leaf.post_accumulate_hooks:
            call_hooks(leaf.post_accumulate_hooks, self.variable)
        return ()


def accumulate_grad(leaf: Tensor, grad: Tensor | None, new_grad: Tensor, may_steal: bool) -> Tensor:
    """Return the new `leaf.grad` after another gradient has arrived.

    The backward pass is recorded (`create_graph=True`) if `state.grad_mode` is True. Then nothing is written to in
    place, and what comes back keeps the history of all that was added.

    Args:
        leaf: the tensor whose gradient it is.
        grad: its `.grad` so far; None: there is none yet.
        new_grad: what has arrived, with the sizes of the leaf. It stays as it is.
        may_steal: nobody else holds `new_grad`, so it may become the `.grad` without a copy.
    Returns:
        With a `grad`: that same tensor, after `new_grad` was added to it in place, also if it has a history from a
        recorded pass before; if this pass is recorded, a new tensor, the sum of the two in either order.
        Without: `undifferentiated(new_grad)`, which copies nothing, if it may be stolen, the pass is not recorded
        and `obeys_layout_contract(new_grad, leaf)` holds (its strides are those that `.grad` should have); in all
        other cases a copy, `clone_obey_contract(new_grad, leaf)`.

    Source: AccumulateGrad::accumulateGrad (torch/csrc/autograd/functions/accumulate_grad.h).
    """
    if grad is None:
        if may_steal and not state.grad_mode and obeys_layout_contract(new_grad, leaf):
            return undifferentiated(new_grad)
        return clone_obey_contract(new_grad, leaf)
    if state.grad_mode:
        return at.add_Tensor(grad, new_grad)
    return at.add__Tensor(grad, new_grad)


def undifferentiated(grad: Tensor) -> Tensor:
    """Return a gradient as a tensor of its own, without history and not a view."""
    if grad._autograd_meta is None and not is_subclass_like(grad):
        return grad
    return variable.shallow_copy_and_detach(grad)


def obeys_layout_contract(grad: Tensor, leaf: Tensor) -> bool:
    """Return True if a gradient has the strides that `.grad` should have: a dense leaf's, else contiguous ones.

    Source: obeys_layout_contract (torch/csrc/autograd/utils/grad_layout_contract.h).
    """
    return _obeys(grad._sizes, grad._strides, leaf._sizes, leaf._strides)


@functools.lru_cache(maxsize=4096)
def _obeys(sizes: Ints, strides: Ints, leaf_sizes: Ints, leaf_strides: Ints) -> bool:
    if not geometry.is_non_overlapping_and_dense(leaf_sizes, leaf_strides):
        return geometry.is_contiguous(sizes, strides)
    return all(
        mine == leafs if size != 1 else mine != 0  # one element with a stride of 0 is a view, as `expand` makes it
        for size, mine, leafs in zip(sizes, strides, leaf_strides, strict=False)
    )


def clone_obey_contract(grad: Tensor, leaf: Tensor) -> Tensor:
    """Return a copy of a gradient with the strides that `.grad` should have.

    Source: clone_obey_contract (torch/csrc/autograd/utils/grad_layout_contract.h).
    """
    if geometry.is_non_overlapping_and_dense(leaf._sizes, leaf._strides):
        options = grad._dtype, strided, grad._storage.device
        copy = at.new_empty_strided(grad, leaf._sizes, leaf._strides, *options)
        return at.copy_(copy, grad)
    return at.clone(grad, contiguous_format)


slots.make_accumulator.fill(AccumulateGrad)
