"""Autograd's kernels that are written by hand: of operators that change what a tensor is, and not what it holds; and of
`mul`, to show what the generated ones do. The engine runs the generated one, unless
`registration.use_handwritten` says otherwise.

`below` is the operator's kernel below autograd. Mirrors torch/csrc/autograd/VariableTypeManual.cpp.
"""

from collections.abc import Callable, Sequence
from typing import Any

from .. import dtypes
from ..dispatch import registry
from ..dispatch.keys import AFTER_AUTOGRAD
from ..dispatch.local import AutoDispatchBelowADInplaceOrView
from ..strides import Ints
from ..tensor_impl import Tensor
from .functions_manual.elementary import Derivatives
from .node import Edge, Gradients, Node
from .saved_variable import FREED_VARIABLE, SavedVariable
from .state import state
from .variable import gradient_edge, requires_grad, set_history

MemoryFormat = dtypes.memory_format | None


class MulBackward0(Node):
    """Backward of mul.Tensor(Tensor self, Tensor other) -> Tensor

    Attributes:
        saved_self, saved_other: the factors, each needed for the gradient of the other; None: not needed.
    """

    __slots__ = ("saved_other", "saved_self")
    saved_fields = ("other", "self")

    def __init__(self, next_edges: tuple[Edge | None, ...] = ()):
        Node.__init__(self, next_edges)
        self.saved_self: Any = None
        self.saved_other: Any = None

    def apply(self, grads: Gradients, needs: Sequence[Any]) -> Gradients:
        grad = grads[0]
        if grad is None:
            return None, None
        other = self.saved_other and self.saved_other.unpack(self)
        factor = self.saved_self and self.saved_self.unpack(self)
        return (
            Derivatives.mul(grad, other) if needs[0] else None,
            Derivatives.mul(grad, factor) if needs[1] else None,
        )

    def release_variables(self) -> None:
        self.saved_self = self.saved_other = FREED_VARIABLE


def mul(self: Tensor, other: Tensor, below: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """Compute the product as the autograd kernel of mul.Tensor, and record its node if an input requires grad.

    Args:
        self, other: the factors; they may be the same tensor.
        below: `below(self, other)` computes the product; it is the kernel of the next key of the call.
    Returns:
        What `below` returned. Nothing is recorded unless `state.grad_mode` is True and a factor requires grad,
        `requires_grad(tensor)`. If it is recorded, the result has a history, `set_history(result, node)`: a
        `MulBackward0(edges)`, where `edges` is the pair of the `gradient_edge` of `self` and of `other`. It saves each
        factor that the gradient of the other one needs, as a `SavedVariable(factor)`: `other` in `node.saved_other` if
        `self` has an edge, `self` in `node.saved_self` if `other` has one. (A view that was made unrecorded may require
        grad and have no edge.) They are saved before `below` runs, which may write to them.

    While a call is recorded, `below` runs in a `with AutoDispatchBelowADInplaceOrView():`, so that operators which it
    calls are not recorded as well. An error that it raises goes on, and leaves the state of the thread as it was.

    Source: VariableType::mul_Tensor (torch/csrc/autograd/generated/VariableType_0.cpp, made by
    tools/autograd/gen_variable_type.py).
    """
    if not (state.grad_mode and (requires_grad(self) or requires_grad(other))):
        return below(self, other)
    edges = (gradient_edge(self), gradient_edge(other))
    node = MulBackward0(edges)
    if edges[0] is not None:
        node.saved_other = SavedVariable(other)
    if edges[1] is not None:
        node.saved_self = SavedVariable(self)
    with AutoDispatchBelowADInplaceOrView():
        result = below(self, other)
    set_history(result, node)
    return result


def mul_fast_path(self: Tensor, other: Tensor, below: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """Call `mul`, or directly `below` if neither factor has autograd metadata."""
    if self._autograd_meta is None and other._autograd_meta is None:
        return below(self, other)
    return mul(self, other, below)


def detach(key_set: int, self: Tensor) -> Tensor:
    """Return an alias of a tensor without its history, which autograd does not treat as a view of `self`."""
    return registry.find("aten::detach").redispatches[key_set & AFTER_AUTOGRAD](self)


def detach_(key_set: int, self: Tensor) -> Tensor:
    """Make `self` a leaf that does not require grad.

    Raises:
        RuntimeError: it is a view.
    """
    meta = self._autograd_meta
    if meta is not None and meta.is_view:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
            "detach_() cannot be called on these gradients. To fix this error, please refer to the "
            "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
        )
    if meta is not None:
        meta.requires_grad, meta.grad_fn, meta.output_nr = False, None, 0
    return self


def resize_(key_set: int, self: Tensor, size: Ints, memory_format: MemoryFormat) -> Tensor:
    """Resize `self`, unless it requires grad.

    Raises:
        RuntimeError: it requires grad; and as the operator does.
    """
    _refuse_to_resize(self)
    return registry.find("aten::resize_").redispatches[key_set & AFTER_AUTOGRAD](self, size, memory_format)


def resize_as_(key_set: int, self: Tensor, the_template: Tensor, memory_format: MemoryFormat) -> Tensor:
    """Resize `self` to the sizes of another tensor; see `resize_` for the errors."""
    _refuse_to_resize(self)
    redispatches = registry.find("aten::resize_as_").redispatches
    return redispatches[key_set & AFTER_AUTOGRAD](self, the_template, memory_format)


def _refuse_to_resize(self: Tensor) -> None:
    if requires_grad(self):
        raise RuntimeError("cannot resize variables that require grad")


KERNELS: dict[str, Callable[..., Tensor]] = {
    "detach": detach, "detach_": detach_, "resize_": resize_, "resize_as_": resize_as_,
}  # fmt: skip
"""Operator -> its kernel at the Autograd keys, which takes the key set of the call before the arguments."""

HANDWRITTEN: dict[str, tuple[str, Callable[..., Tensor]]] = {"mul": ("mul.Tensor", mul_fast_path)}
"""Function of this file -> its operator, and the kernel that runs it, which takes `below` after the arguments."""

IN_USE: tuple[str, ...] = ()
"""The functions of HANDWRITTEN that run from the start, instead of the generated kernels of their operators."""
