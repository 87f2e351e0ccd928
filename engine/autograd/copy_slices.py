"""Writes to views: the backward of the base after someone has written to a part of it.

Mirrors torch/csrc/autograd/functions/tensor.{h,cpp} and rebase_history (torch/csrc/autograd/variable.cpp).
"""

from collections.abc import Sequence

from .. import slots
from ..aten.at import at
from ..strides import Ints
from ..tensor_impl import Tensor
from . import variable
from .functions_manual.views import as_strided_backward
from .node import Gradients, Node
from .saved_variable import FREED
from .variable import DifferentiableViewMeta

Geometry = tuple[Ints, Ints, int]  # sizes, strides, storage offset


def geometry_of(tensor: Tensor) -> Geometry:
    """Return the sizes, strides and storage offset of a tensor, in elements."""
    return tensor._sizes, tensor._strides, tensor._storage_offset


class CopySlices(Node):
    """The backward of a base after an in-place operator has written to a view of it.

    Where the view is, the gradient belongs to what was written: it goes through the operator's own node. Elsewhere it
    goes on to what the base was before.

    Args:
        base: the tensor, as it was made before the write.
        view: geometry of the part that was written.
        written: the node of the operator that wrote.
    """

    __slots__ = ("base", "view", "written")
    namespace = "torch::autograd::"

    def __init__(self, base: Tensor, view: Geometry, written: Node):
        Node.__init__(self)
        self.base, self.view = geometry_of(base), view
        self.written: Node | None = written
        self.add_input_metadata(base)
        written.input_metadata = ((view[0], base._dtype, base._storage.device),)
        self.next_edges = (variable.gradient_edge(base), *written.next_edges[1:])

    def apply(self, grads: Gradients, needs: Sequence[object]) -> Gradients:
        """Return the gradients of the base before the write, and of the other inputs of the in-place operator.

        The first is `grads[0]`, but at the cells of the view it is what `self.written` makes of that part; zeros, if
        that is None. `written.apply(grads, needs)` returns a gradient for the view as it was, then the others.
        Neither `grads[0]` nor what `written` was given may be changed afterwards.

        Args:
            grads: [gradient of the base as it is now], or [None]: nothing has come, and nothing is refused then.
            needs: true where a gradient is requested: [0] the base before, then the other inputs.
        Returns:
            tuple, one for each of `self.next_edges`; None for gradients not requested, or missing. For [None] all
            are None.
        Raises:
            RuntimeError: a gradient has come, and `self.written` is None, because the graph has been freed. `FREED` is
                the engine's message.

        With `create_graph=True` the pass is recorded, and what is returned is differentiated again: nothing may be
        detached.

        A copy of a tensor with given sizes and strides: `at.new_empty_strided(tensor, sizes, strides)`, then
        `at.copy_(to, from)`. A view of it: `at.as_strided(tensor, sizes, strides, offset)`. `self.base` and `self.view`
        are triples (sizes, strides, storage offset); both offsets count from the beginning of the storage that base
        and view share, and the copy begins at 0. `at.clone(tensor)` and `at.zero_(tensor)` do what they say.

        Source: CopySlices::apply_impl (torch/csrc/autograd/functions/tensor.cpp).
        """
        grad = grads[0]
        if grad is None:
            return (None,) * len(self.next_edges)
        if self.written is None:
            raise RuntimeError(FREED)
        sizes, strides, offset = self.base
        view_sizes, view_strides, view_offset = self.view
        result = at.new_empty_strided(grad, sizes, strides)
        at.copy_(result, grad)
        part = at.as_strided(result, view_sizes, view_strides, view_offset - offset)
        through = self.written.apply([at.clone(part)], needs)
        if not needs[0]:
            result = None
        elif through[0] is None:
            at.zero_(part)
        else:
            at.copy_(part, through[0])
        return (result, *through[1:])

    def release_variables(self) -> None:
        self.written = None


class AsStridedBackward0(Node):
    """The backward of a view whose base was written to: the view is now `base.as_strided(...)` of the modified base."""

    __slots__ = ("base", "view")
    saved_fields = ("size", "stride", "storage_offset")

    def __init__(self, base: Tensor, view: Tensor):
        super().__init__((variable.gradient_edge(base),))
        self.base, self.view = geometry_of(base), geometry_of(view)
        self.add_input_metadata(view)

    size = property(lambda self: self.view[0])
    stride = property(lambda self: self.view[1])
    storage_offset = property(lambda self: self.view[2])

    def apply(self, grads: Gradients, needs: Sequence[object]) -> Gradients:
        grad = grads[0]
        return (as_strided_backward(grad, *self.base, *self.view) if grad is not None and needs[0] else None,)


def make_view_node(tensor: Tensor, meta: DifferentiableViewMeta) -> Node:
    """Return a new node for a view whose base was written to."""
    return AsStridedBackward0(meta.base, tensor)


def rebase_view(tensor: Tensor, meta: DifferentiableViewMeta, node: Node) -> None:
    """Give a new history first to the base of a view that an operator has written to, and then to the view.

    The base, `meta.base`, was made by a `CopySlices(base, geometry of the view, node)` from now on. The view is a view
    of the base as it is now: `make_view_node(tensor, meta)` returns the node that says so. `geometry_of(tensor)` and
    `variable.set_gradient_edge(tensor, node)` are at hand; the latter replaces the `grad_fn` of a tensor.

    Args:
        tensor: the view.
        meta: its `_autograd_meta`.
        node: the backward of the operator that wrote.
    Raises:
        RuntimeError: the view may not be written to: `variable.check_view_is_writable(tensor, meta)` refuses, before
            anything is changed.

    Source: impl::rebase_history (torch/csrc/autograd/variable.cpp).
    """
    variable.check_view_is_writable(tensor, meta)
    variable.set_gradient_edge(meta.base, CopySlices(meta.base, geometry_of(tensor), node))
    variable.set_gradient_edge(tensor, make_view_node(tensor, meta))


slots.make_view_node.fill(make_view_node)
slots.rebase_view.fill(rebase_view)
