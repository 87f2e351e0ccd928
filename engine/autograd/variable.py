"""A tensor's autograd data: requires_grad, the gradient, and the node that made it; for a view, also its base.

A tensor that nothing was recorded for has no AutogradMeta at all. Mirrors torch/csrc/autograd/variable.{h,cpp}.
"""

import enum
import weakref
from collections.abc import Callable
from typing import Any

from .. import slots
from ..aten.at import at
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..dispatch import local as thread
from ..dispatch.keys import PYTHON, SUBCLASS_LIKE
from ..dtypes import contiguous_format
from ..slots import make_accumulator, make_view_node, rebase_view
from ..tensor_impl import UNTRACKED, Tensor
from .node import NOT_ASKED_FOR, Edge, Node
from .state import state

OF_LAYERS = SUBCLASS_LIKE & ~PYTHON


class AutogradMeta:
    """The autograd metadata of a tensor.

    Attributes:
        requires_grad: of a leaf: gradients are requested.
        grad: the gradient that backward passes have accumulated.
        grad_fn, output_nr: the node that made the tensor, and which of the operator's outputs it is.
        leaf: what only tensors that someone looks at have.
    """

    __slots__ = ("requires_grad", "grad", "grad_fn", "output_nr", "leaf")
    is_view = False

    def __init__(self, grad_fn: Node | None = None, output_nr: int = 0):
        self.requires_grad = False
        self.grad: Tensor | None = None
        self.grad_fn = grad_fn
        self.output_nr = output_nr
        self.leaf: LeafMeta | None = None


def _no_accumulator() -> None:
    """Stand in for a weak reference, before there is an accumulator."""


class LeafMeta:
    """The rarely needed metadata of a tensor: the gradient accumulator of a leaf, and hooks.

    Attributes:
        accumulator: weak, because the node holds the tensor.
        hooks: of a leaf; the hooks of other tensors belong to the node that made them.
        post_accumulate_hooks: run when `.grad` has its new value.
        retains_grad: `.grad` of a tensor that is not a leaf is kept.
    """

    __slots__ = ("accumulator", "hooks", "post_accumulate_hooks", "retains_grad")

    def __init__(self) -> None:
        self.accumulator: Callable[[], Any] = _no_accumulator
        self.hooks: dict[int, Callable[[Tensor], Tensor | None]] = {}
        self.post_accumulate_hooks: dict[int, Callable[[Tensor], None]] = {}
        self.retains_grad = False


class CreationMeta(enum.Enum):
    """The kinds of views, by the mode or node that created them; some forbid in-place writes while recording."""

    DEFAULT = enum.auto()
    IN_CUSTOM_FUNCTION = enum.auto()
    MULTI_OUTPUT_NODE = enum.auto()
    NO_GRAD_MODE = enum.auto()
    INFERENCE_MODE = enum.auto()


DEFAULT = CreationMeta.DEFAULT
_new = object.__new__


class DifferentiableViewMeta(AutogradMeta):
    """The autograd metadata of a view, created by `as_view`.

    Attributes:
        base: the tensor that it is a view of, which is not a view itself.
        creation_meta: how it was made.
        attr_version: version that `grad_fn` belongs to; once someone has written to the base, it is made again.
    """

    __slots__ = ("base", "creation_meta", "attr_version")
    is_view = True

    base: Tensor
    creation_meta: CreationMeta
    attr_version: int


def get_or_create_meta(tensor: Tensor) -> AutogradMeta:
    """Return the tensor's AutogradMeta, after creating it if there is none."""
    meta = tensor._autograd_meta
    if meta is None:
        meta = tensor._autograd_meta = AutogradMeta()
    return meta


def get_or_create_leaf_meta(tensor: Tensor) -> LeafMeta:
    """Return the tensor's LeafMeta, after creating it if there is none."""
    meta = get_or_create_meta(tensor)
    if meta.leaf is None:
        meta.leaf = LeafMeta()
    return meta.leaf


def requires_grad(tensor: Tensor) -> bool:
    """Return True if the tensor requires grad or was computed from one that does; for a view, also through its base."""
    meta = tensor._autograd_meta
    if meta is None:
        return False
    return meta.requires_grad or meta.grad_fn is not None or (meta.is_view and requires_grad(meta.base))


def is_leaf(tensor: Tensor) -> bool:
    """Return True if no recorded operator made the tensor; for a view, according to its last known node.

    Python's `is_leaf` asks for the node. Source: VariableHooks::is_leaf (torch/csrc/autograd/variable.cpp).
    """
    meta = tensor._autograd_meta
    return meta is None or meta.grad_fn is None


# ---- edges


def gradient_edge(tensor: Tensor) -> Edge | None:
    """Return the edge that receives the gradient of a tensor.

    Args:
        tensor: any tensor. `tensor._autograd_meta` is None, or has `requires_grad` (of a leaf: somebody asked for its
            gradient) and `output_nr`.
    Returns:
        (node, input number of that node), or None: nowhere.
        Of a tensor that a recorded operator made: the node of the operator, which `grad_fn(tensor)` gives, and the
        number of the output that the tensor is, `output_nr`.
        Of a leaf that requires grad, by `requires_grad` of its meta: its accumulator, which `grad_accumulator(tensor)`
        gives, and 0.
        Of every other tensor: None. A view that was made unrecorded is one of them, though Python's
        `tensor.requires_grad` is True if its base requires grad.

    Source: gradient_edge (torch/csrc/autograd/variable.cpp).
    """
    meta = tensor._autograd_meta
    if meta is None:
        return None
    node = grad_fn(tensor)
    if node is not None:
        return node, meta.output_nr
    return (grad_accumulator(tensor), 0) if meta.requires_grad else None


def gradient_edges(tensors: Any) -> tuple[Edge | None, ...]:
    """Return `gradient_edge` of each tensor of a list, and None for each None."""
    return tuple(gradient_edge(tensor) if tensor is not None else None for tensor in tensors)


def grad_accumulator(tensor: Tensor) -> Node:
    """Return the AccumulateGrad node of a leaf, which stays the same for as long as a graph holds it."""
    meta = tensor._autograd_meta
    leaf = meta.leaf if meta is not None and meta.leaf is not None else get_or_create_leaf_meta(tensor)
    node = leaf.accumulator()
    if node is None:
        node = make_accumulator.function(tensor)
        leaf.accumulator = weakref.ref(node)
        if leaf.hooks:
            node.hooks_made().tensor_pre_hooks[0] = leaf.hooks
    return node


def make_retain_grad_hook(tensor: Tensor) -> Callable[[Tensor], None]:
    """Return a hook that accumulates a gradient into the `.grad` of a tensor, which it references only weakly."""
    reference = weakref.ref(tensor)

    def keep(grad: Tensor) -> None:
        kept = reference()
        if kept is not None:
            meta = kept._autograd_meta
            meta.grad = at.clone(grad, contiguous_format) if meta.grad is None else at.add_Tensor(meta.grad, grad)

    return keep


def set_history(tensor: Tensor | None, node: Node) -> None:
    """Record that `node` is the backward of the operator that made this tensor, its next output.

    Nothing is recorded in an output that was not asked for, which is None.

    Raises:
        RuntimeError: the tensor is of integers or bools, which have no gradient.
    """
    metadata = node.input_metadata
    node.input_metadata = (*metadata, _set_output(tensor, node, len(metadata)))


def set_histories(tensors: Any, node: Node) -> None:
    """Call `set_history` on each tensor of a list, in linear time."""
    first = len(node.input_metadata)
    made = [_set_output(tensor, node, number) for number, tensor in enumerate(tensors, first)]
    node.input_metadata = (*node.input_metadata, *made)


def _set_output(tensor: Tensor | None, node: Node, number: int) -> Any:
    """Make a tensor output `number` of a node; return what its gradient must be."""
    if tensor is None:
        return NOT_ASKED_FOR
    if not tensor._dtype.is_floating_point:
        raise RuntimeError(f"Autograd not support dtype: {SCALAR_TYPE_NAMES[tensor._dtype]}")
    meta = tensor._autograd_meta
    if meta is None:  # field by field, without the frame of `__init__`
        meta = tensor._autograd_meta = _new(AutogradMeta)
        meta.requires_grad, meta.grad, meta.leaf = False, None, None
    meta.grad_fn, meta.output_nr = node, number
    return tensor._sizes, tensor._dtype, tensor._storage.device


def shallow_copy_and_detach(tensor: Tensor) -> Tensor:
    """Return an alias of a tensor without history. A mode, or the tensor's class, makes it, by the operator `detach`.

    A tensor that a transform has wrapped is aliased without an operator.

    Source: TensorImpl::shallow_copy_and_detach (c10/core/TensorImpl.cpp).
    """
    if (thread.modes or type(tensor) is not Tensor) and not tensor._key_set & OF_LAYERS:
        state_ = thread.local.state
        if (tensor._key_set | state_.included) & PYTHON & state_.allowed:
            thread.local.state = state_.below
            try:
                made = at.detach(tensor)
            finally:
                thread.local.state = state_
            made._version_counter = tensor._shared_version()
            return made
    return tensor._alias(tensor._sizes, tensor._strides, tensor._storage_offset)


def with_edge(tensor: Tensor, edge: Edge | None) -> Tensor:
    """Return an alias of a tensor whose gradient flows along `edge`, or nowhere if `edge` is None."""
    made = shallow_copy_and_detach(tensor)
    if edge is None:
        return made
    node, output_nr = edge
    meta = made._autograd_meta = AutogradMeta()
    if node.is_accumulator:
        meta.requires_grad = True
        get_or_create_leaf_meta(made).accumulator = weakref.ref(node)
    else:
        meta.grad_fn, meta.output_nr = node, output_nr
    return made


# ---- views


def as_view(base: Tensor, view: Tensor, creation_meta: CreationMeta | None = None) -> None:
    """Record that `view` is a view of `base`, or of the base of `base`, unless they are inference tensors.

    Args:
        creation_meta: None: as the thread's modes say.

    Source: as_view (torch/csrc/autograd/VariableTypeUtils.h).
    """
    counter = view._version_counter
    if counter is UNTRACKED:
        return
    meta = base._autograd_meta
    if creation_meta is None:
        creation_meta = DEFAULT if state.grad_mode else current_creation_meta()
    if meta is not None and meta.is_view:
        base = meta.base
        if creation_meta is DEFAULT:  # a view of a view inherits what forbids to write to the first
            creation_meta = meta.creation_meta
    if counter is None and view._key_set & SUBCLASS_LIKE:  # made by a class, not as a view of the same storage
        counter = view._version_counter = base._shared_version()
    made = view._autograd_meta = _new(DifferentiableViewMeta)  # field by field, without the frame of `__init__`
    made.requires_grad, made.grad, made.grad_fn, made.output_nr, made.leaf = False, None, None, 0, None
    made.base, made.creation_meta, made.attr_version = base, creation_meta, counter.value if counter else 0


def current_creation_meta() -> CreationMeta:
    """Return the CreationMeta of a view that is created in the current modes."""
    if state.grad_mode:
        return CreationMeta.DEFAULT
    return CreationMeta.INFERENCE_MODE if state.inference_mode else CreationMeta.NO_GRAD_MODE


def grad_fn(tensor: Tensor) -> Node | None:
    """Return the node that made the tensor."""
    meta = tensor._autograd_meta
    if meta is None:
        return None
    return view_grad_fn(tensor, meta) if meta.is_view else meta.grad_fn


def view_grad_fn(tensor: Tensor, meta: Any) -> Node | None:
    """Return the node that made a view, recreated from the current base if its memory was written to since.

    Source: VariableHooks::grad_fn (torch/csrc/autograd/variable.cpp).
    """
    if meta.grad_fn is None and not requires_grad(meta.base):
        return None
    version = tensor._version
    if meta.attr_version != version:
        check_view_is_writable(tensor, meta, modified="its base or another view of its base has been")
        set_gradient_edge(tensor, make_view_node(tensor, meta))
    return meta.grad_fn


def rebase_history(tensor: Tensor, node: Node) -> None:
    """Record that `node` is the backward of an in-place operator that has written to this tensor.

    A view leads the write to its base: everything that looks at the base sees it.
    """
    meta = tensor._autograd_meta
    if meta is None:
        meta = tensor._autograd_meta = AutogradMeta()
    if meta.is_view:
        rebase_view(tensor, meta, node)
        return
    replace_history(tensor, node)


def replace_history(tensor: Tensor, node: Node) -> None:
    """Make `node` the grad_fn of this tensor after an in-place operator, without touching the base of a view.

    An operator that changes a view's geometry, and no element, changes nothing but the view itself.
    """
    set_gradient_edge(tensor, node, node.add_input_metadata(tensor))


def set_gradient_edge(tensor: Tensor, node: Node, output_nr: int = 0) -> None:
    """Set the grad_fn of this tensor to `node`. A `retain_grad` moves to `node`, but hooks stay with the old node."""
    meta = get_or_create_meta(tensor)
    before = meta.grad_fn
    if before is not None and before.hooks and meta.output_nr in before.hooks.retains_grad:
        node.hooks_made().retains_grad[output_nr] = before.hooks.retains_grad.pop(meta.output_nr)
    meta.grad_fn, meta.output_nr = node, output_nr
    if meta.is_view:
        meta.attr_version = tensor._version  # type: ignore[attr-defined]


# ---- may it be written to?

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."
MULTI_OUTPUT = (
    " This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
CUSTOM_FUNCTION = (
    " This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic "
    "to handle view+inplace would override the custom backward associated with the custom Function, leading to "
    "incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)
AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {mode} block (if you don't want the inplace to be tracked) or "
    "both outside (if you want the inplace to be tracked)."
)
WITHOUT_RECORDING = (CreationMeta.NO_GRAD_MODE, CreationMeta.INFERENCE_MODE)
WHY_NOT = {
    CreationMeta.MULTI_OUTPUT_NODE: MULTI_OUTPUT,
    CreationMeta.IN_CUSTOM_FUNCTION: CUSTOM_FUNCTION,
    CreationMeta.NO_GRAD_MODE: AMBIGUOUS.format(mode="no_grad"),
    CreationMeta.INFERENCE_MODE: AMBIGUOUS.format(mode="inference_mode"),
}


def check_view_is_writable(tensor: Tensor, meta: DifferentiableViewMeta, modified: str = "is being") -> None:
    """Raise an error if in-place writes to a view cannot be recorded.

    Args:
        modified: how the message puts it: the view "is being" written to, or "its base ... has been".
    Raises:
        RuntimeError: one of several views of one operator, or made where nothing was recorded.

    Source: handle_view_on_rebase (torch/csrc/autograd/variable.cpp).
    """
    if meta.creation_meta is CreationMeta.DEFAULT:
        return
    made_by = f"Output {meta.output_nr} of {meta.grad_fn.forward_name()}" if meta.grad_fn is not None else ""
    if made_by and meta.creation_meta not in WITHOUT_RECORDING:
        text = f"{made_by} is a view and {modified} modified inplace."
    else:
        text = f"{made_by} is a view of a view which was created in" if made_by else "A view was created in"
        if meta.creation_meta is CreationMeta.INFERENCE_MODE:
            text += f" inference mode and {modified} modified inplace in normal mode."
        else:
            text += f" no_grad mode and {modified} modified inplace with grad mode enabled."
    raise RuntimeError(text + WHY_NOT[meta.creation_meta])


def check_inplace(tensor: Tensor) -> None:
    """Raise an error if a recorded in-place operator must not write to a tensor. Nothing is changed in either case.

    Refused are: a leaf that requires grad; a view that requires grad of a base that is a leaf; and, whether or not it
    requires grad, a view that `check_view_is_writable(tensor, meta)` refuses (by an error of its own).

    Args:
        tensor: what the operator is about to write to. Its `_autograd_meta` is None if autograd knows nothing of it,
            and then everything is allowed. Otherwise `meta.is_view` says whether it is a view, `meta.base` of what.
            A leaf is what `is_leaf(tensor)` says: a view whose node is not made yet is one, too.
    Raises:
        RuntimeError: as above. `LEAF` and `VIEW_OF_LEAF` are the engine's messages.

    Source: check_inplace (torch/csrc/autograd/VariableTypeUtils.h).
    """
    meta = tensor._autograd_meta
    if meta is None:
        return
    if meta.is_view:
        check_view_is_writable(tensor, meta)
        if requires_grad(tensor) and is_leaf(meta.base):
            raise RuntimeError(VIEW_OF_LEAF)
    if requires_grad(tensor) and is_leaf(tensor):  # a view whose node is not made yet is refused, too
        raise RuntimeError(LEAF)


slots.shallow_copy_and_detach.fill(shallow_copy_and_detach)
