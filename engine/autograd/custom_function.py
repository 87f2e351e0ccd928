"""The results of a Function's `forward` get their history: which are new, which are inputs, written to or not.

Mirrors torch/csrc/autograd/custom_function.cpp.
"""

import warnings
from collections.abc import Sequence
from typing import Any

from .. import slots
from ..aten.at import at
from ..tensor_impl import Tensor
from . import variable
from .grad_mode import no_grad
from .variable import CreationMeta

RETURNED_AND_SAVED = (
    "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
    "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or setup "
    "ctx inside the forward function itself."
)
LEAF_WRITTEN = "a leaf Variable that requires grad has been used in an in-place operation."
DIRTY_NO_INPUT = (
    "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, there is no need to pass it "
    "to mark_dirty()."
)
DIRTY_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
    "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
    "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
    "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)
DIRTY_NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
    "inplace must all be outputs of the Function."
)


class Outputs:
    """The post-processing that gives the results of `forward` their history.

    Args:
        ctx: the node.
        is_executable: something is recorded.
        saved_by_setup: what `setup_context` saves, which must not be inputs that are returned.

    Source: _process_backward_mode_ad (torch/csrc/autograd/custom_function.cpp).
    """

    def __init__(
        self,
        ctx: Any,
        inputs: Sequence[Any],
        is_executable: bool,
        saved_by_setup: Sequence[Tensor | None],
    ):
        self.ctx, self.is_executable = ctx, is_executable
        self.inputs = {id(value) for value in inputs if isinstance(value, Tensor)}
        self.saved_by_setup = {id(tensor) for tensor in saved_by_setup}
        self.non_differentiable = {id(tensor) for tensor in ctx.non_differentiable}
        self.dirty = {id(tensor) for tensor in ctx.dirty_tensors}
        for tensor in ctx.dirty_tensors:
            tensor._bump_version()
        ctx.dirty_tensors = ctx.non_differentiable = ()

    def wrap(self, outputs: Sequence[Any]) -> list[Any]:
        """Return the results of `forward` as the caller gets them, with history."""
        ctx, wrapped, differentiable = self.ctx, [], 0
        for number, output in enumerate(outputs):
            if not isinstance(output, Tensor):
                ctx.input_metadata += (None,)
                ctx.output_info.append(None)
                wrapped.append(output)
                continue
            info = output._sizes, output._dtype, output._storage.device
            is_differentiable = (
                self.is_executable and id(output) not in self.non_differentiable and output._dtype.is_floating_point
            )
            ctx.input_metadata += (info if is_differentiable else None,)
            ctx.output_info.append(info)
            differentiable += is_differentiable
            wrapped.append(self._with_history(output, number, is_differentiable, len(outputs)))
        if not self.dirty <= {id(output) for output in outputs}:
            raise RuntimeError(DIRTY_NOT_RETURNED)
        if differentiable > 1:
            for output in wrapped:
                _forbid_writes(output, CreationMeta.MULTI_OUTPUT_NODE)
        return wrapped

    def _with_history(self, output: Tensor, number: int, is_differentiable: bool, outputs: int) -> Tensor:
        is_input, is_dirty = id(output) in self.inputs, id(output) in self.dirty
        if is_differentiable and is_dirty:
            self._write(output, number, is_input, outputs)
        else:
            if is_input and not is_dirty and not (variable.requires_grad(output) and not is_differentiable):
                if id(output) in self.saved_by_setup:
                    raise RuntimeError(RETURNED_AND_SAVED)
                output = _view_of_itself(output)
            elif not is_differentiable and variable.requires_grad(output):
                output = _detached(output, is_input)
            if is_differentiable:
                variable.set_gradient_edge(output, self.ctx, number)
        if not (is_input and is_dirty):
            _forbid_writes(output, CreationMeta.IN_CUSTOM_FUNCTION)
        return output

    def _write(self, output: Tensor, number: int, is_input: bool, outputs: int) -> None:
        """Record that `forward` has written to an input: from now on this node made it."""
        meta = variable.get_or_create_meta(output)
        if meta.grad_fn is None and variable.requires_grad(output):
            raise RuntimeError(LEAF_WRITTEN)
        if not is_input:
            warnings.warn(DIRTY_NO_INPUT, UserWarning, stacklevel=5)
        if meta.is_view and outputs > 1:
            raise RuntimeError(DIRTY_VIEW)
        meta.grad = None
        if meta.leaf is not None:
            meta.leaf.hooks.clear()
        if meta.is_view:
            variable.check_inplace(output)
            slots.rebase_view(output, meta, self.ctx)
        else:
            variable.set_gradient_edge(output, self.ctx, number)


def _view_of_itself(tensor: Tensor) -> Tensor:
    with no_grad():
        return at.view(tensor, tensor._sizes)


def _detached(tensor: Tensor, is_input: bool) -> Tensor:
    """Return a result without gradient. A view made in `forward` stays a view, as in a `no_grad` block."""
    if is_input:
        return at.detach(tensor)
    meta = tensor._autograd_meta
    return tensor if meta.is_view else at.detach_(tensor)


def _forbid_writes(output: Any, creation_meta: CreationMeta) -> None:
    meta = output._autograd_meta if isinstance(output, Tensor) else None
    if meta is not None and meta.is_view:
        meta.creation_meta = creation_meta
