"""Autograd's names of `Tensor`: properties and methods. Mirrors torch/csrc/autograd/python_variable.cpp."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .. import slots
from ..aten import python_methods
from ..aten.python_arg_parser import PythonArgParser
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..dispatch.local import in_transform
from ..tensor_impl import UNTRACKED, Tensor
from ..utils.hooks import RemovableHandle
from . import variable
from .node import Node
from .python_engine import backward
from .state import state

requires_grad_parser = PythonArgParser("requires_grad_(bool requires_grad=True)")

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)


OTHER_DTYPE = (
    "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. The gradient must match the "
    "tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a "
    "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its "
    "gradient may break downstream systems that assume they match."
)
TO_SCALAR = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


def add_hook(hooks: dict[int, Any], hook: Callable[..., Any]) -> RemovableHandle:
    """Append a hook to `hooks`, and return a handle that removes it."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


# ---- requires_grad


NO_LEAF = "you can only change requires_grad flags of leaf variables."
NO_LEAF_UNSET = (
    f"{NO_LEAF} If you want to use a computed variable in a subgraph that doesn't require differentiation use "
    "var_no_grad = var.detach()."
)


IN_TRANSFORM = (
    "inside of a function being transformed by a functorch transform. This is unsupported, please attempt to use the "
    "functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call {}() outside of a function being "
    "transformed instead."
)
REQUIRES_GRAD_IN_TRANSFORM = (
    "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) "
    + IN_TRANSFORM.format("requires_grad_")
)
RETAIN_GRAD_IN_TRANSFORM = f"You are attempting to call Tensor.retain_grad() {IN_TRANSFORM.format('retain_grad')}"


def set_requires_grad(self: Tensor, value: bool) -> None:
    """Set whether a leaf requires grad.

    Raises:
        RuntimeError: the tensor is not a leaf, or no gradient is possible, or `value` is not a bool.
    """
    if not isinstance(value, bool):
        raise RuntimeError("requires_grad must be a bool")
    if not variable.is_leaf(self):
        raise RuntimeError(NO_LEAF if value else NO_LEAF_UNSET)
    if value and not self._dtype.is_floating_point:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    _require_grad(self, value)


def delete_requires_grad(self: Tensor) -> None:
    """Refuse to delete `requires_grad`.

    Raises:
        RuntimeError: always.
    """
    set_requires_grad(self, None)  # type: ignore[arg-type]


def _require_grad(self: Tensor, value: bool) -> None:
    if value and python_methods.is_inference(self) and not state.inference_mode:
        raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
    if value or self._autograd_meta is not None:
        variable.get_or_create_meta(self).requires_grad = bool(value)


def requires_grad_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Set whether autograd records operations on `self`, a leaf, and return `self`.

    Raises:
        RuntimeError: the tensor is not a leaf, or no gradient is possible; or a transform is active.
    """
    (value,) = requires_grad_parser.parse(args, kwargs)[1] if args or kwargs else (True,)
    if in_transform():
        raise RuntimeError(REQUIRES_GRAD_IN_TRANSFORM)
    return require_grad(self, value)


def require_grad(self: Tensor, value: bool = True) -> Tensor:
    """Do what `requires_grad_` does, also inside a transform."""
    if value and not self._dtype.is_floating_point:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if variable.is_leaf(self):
        _require_grad(self, value)
    elif not value:
        raise RuntimeError(NO_LEAF_UNSET)
    return self


# ---- grad


def get_grad(self: Tensor) -> Tensor | None:
    """Return the gradient accumulated by backward passes, or None before the first one."""
    meta = self._autograd_meta
    if meta is None:
        return None
    if meta.grad is None and not variable.is_leaf(self) and not (meta.leaf and meta.leaf.retains_grad):
        warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
    return meta.grad


def set_grad(self: Tensor, grad: Tensor | None) -> None:
    """Set the `.grad` of the tensor, or clear it with None.

    Raises:
        TypeError: it is neither a tensor nor None.
        RuntimeError: it has other sizes, another dtype or device, or is the tensor itself.
    """
    if grad is None:
        if self._autograd_meta is not None:
            self._autograd_meta.grad = None
        return
    if not isinstance(grad, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(grad).__name__}")
    if grad is self:
        raise RuntimeError("can't assign Variable as its own grad")
    if grad._dtype is not self._dtype:
        raise RuntimeError(OTHER_DTYPE.format(grad._dtype.cpp_name, SCALAR_TYPE_NAMES[self._dtype]))
    if grad.device.type != self.device.type:
        raise RuntimeError(
            f"attempting to assign a gradient with device type '{grad.device.type}' to a tensor with device type "
            f"'{self.device.type}'. Please ensure that the gradient and the tensor are on the same device"
        )
    if grad.device != self.device:
        raise RuntimeError(f"assigned grad has data located on a different device: {grad.device} vs {self.device}")
    if grad._sizes != self._sizes:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(grad._sizes)}' to a tensor of size '{list(self._sizes)}'. "
            "Please ensure that the gradient and the tensor are the same size"
        )
    variable.get_or_create_meta(self).grad = grad


def retain_grad(self: Tensor) -> None:
    """Make backward passes keep the `.grad` of this non-leaf tensor. For a leaf it does nothing.

    Raises:
        RuntimeError: it does not require grad; or a transform is active.
    """
    if in_transform():
        raise RuntimeError(RETAIN_GRAD_IN_TRANSFORM)
    if not variable.requires_grad(self):
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if variable.is_leaf(self) or retains_grad(self):
        return
    node = variable.grad_fn(self)
    assert node is not None
    variable.get_or_create_leaf_meta(self).retains_grad = True
    node.hooks_made().retains_grad[self._autograd_meta.output_nr] = variable.make_retain_grad_hook(self)


def retains_grad(self: Tensor) -> bool:
    """Return True if `retain_grad` was called on this non-leaf tensor."""
    meta = self._autograd_meta
    return meta is not None and meta.leaf is not None and meta.leaf.retains_grad and not variable.is_leaf(self)


# ---- hooks


def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Register `hook(grad)` to run when the gradient of this tensor is computed; its result replaces the gradient.

    The hooks of a tensor that a node made are stored in that node, `variable.grad_fn(self)`: in
    `node.hooks_made().tensor_pre_hooks`, a dict from the tensor's `output_nr` to a dict of hooks. (`variable.grad_fn`
    makes the node of a view anew if its base was written to; None means a leaf.) A leaf's are in
    `variable.get_or_create_leaf_meta(self).hooks`, because its accumulator may be made, and go, more than once. An
    accumulator that is made later gets that dict by itself; to the one that there is now,
    `variable.grad_accumulator(self)`, this function gives it: the same dict, not a copy, in its `tensor_pre_hooks`,
    at 0.

    Args:
        hook: takes the gradient, a tensor; returns another in its place, or None to leave it.
    Returns:
        RemovableHandle: `add_hook(hooks, hook)` enters the hook in such a dict, and returns its handle.
    Raises:
        RuntimeError: the tensor does not require grad (`variable.requires_grad`). Then no hook is entered.

    Source: Tensor.register_hook (torch/_tensor.py), VariableHooks::_register_hook (torch/csrc/autograd/variable.cpp).
    """
    if not variable.requires_grad(self):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node = variable.grad_fn(self)
    if node is None:
        hooks = variable.get_or_create_leaf_meta(self).hooks
        variable.grad_accumulator(self).hooks_made().tensor_pre_hooks[0] = hooks
    else:
        hooks = node.hooks_made().tensor_pre_hooks.setdefault(self._autograd_meta.output_nr, {})
    return add_hook(hooks, hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Register `hook(tensor)` to run after each accumulation into the `.grad` of this leaf.

    Raises:
        RuntimeError: the tensor does not require grad, or is not a leaf.
    """
    if not variable.requires_grad(self):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if not variable.is_leaf(self):
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return add_hook(variable.get_or_create_leaf_meta(self).post_accumulate_hooks, hook)


# ---- views and data


def is_view(self: Tensor) -> bool:
    """Return True if `self` is a view of another tensor."""
    meta = self._autograd_meta
    return meta is not None and meta.is_view


def get_base(self: Tensor) -> Tensor | None:
    """Return the tensor that `self` is a view of, or None if `self` is not a view."""
    return self._autograd_meta.base if is_view(self) else None


def get_data(self: Tensor) -> Tensor:
    """Return a tensor that shares the memory, without history and with its own version counter."""
    return python_methods._data(self)


def set_data(self: Tensor, data: Tensor) -> None:
    """Make this tensor use the memory of `data`, without changing its history.

    Raises:
        RuntimeError: `data` is on another device type.
    """
    if not isinstance(data, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
    if variable.requires_grad(self) and not data._dtype.is_floating_point:
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    if (self._key_set | data._key_set) & variable.OF_LAYERS:
        slots.take_data(self, data)
    self._storage, self._sizes, self._strides = data._storage, data._sizes, data._strides
    self._storage_offset, self._dtype, self._elements = data._storage_offset, data._dtype, data._elements
    meta = self._autograd_meta
    if meta is not None and meta.leaf is not None:
        node = meta.leaf.accumulator()
        if node is not None:
            node.input_metadata = ()
            node.add_input_metadata(self)


def get_version(self: Tensor) -> int:
    """Return the number of in-place writes through all tensors that share this tensor's version counter.

    Raises:
        RuntimeError: of an inference tensor nobody counts.
    """
    if self._version_counter is UNTRACKED:
        raise RuntimeError("Inference tensors do not track version counter.")
    return self._version_counter.value if self._version_counter else 0


def to_float(self: Tensor) -> float:
    """Return the value of a one-element tensor as a float, with a warning if it requires grad."""
    if variable.requires_grad(self):
        warnings.warn(TO_SCALAR, UserWarning, stacklevel=2)
    return float(python_methods._as_number(self))


def backward_(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Sequence[Tensor] | Tensor | None = None,
) -> None:
    """Accumulate the gradients of this tensor into the leaves it was computed from; see `autograd.backward`."""
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


backward_.__name__ = "backward"


def get_grad_fn(self: Tensor) -> Node | None:
    """Return the node that made the tensor, or None for a leaf."""
    return variable.grad_fn(self)


def get_output_nr(self: Tensor) -> int:
    """Return the index of this tensor among the outputs of the operator that made it."""
    meta = self._autograd_meta
    return meta.output_nr if meta is not None else 0


MEMBERS: dict[str, Any] = {
    "requires_grad": property(variable.requires_grad, set_requires_grad, delete_requires_grad),
    "requires_grad_": requires_grad_,
    "is_leaf": property(lambda self: variable.grad_fn(self) is None),
    "grad": property(get_grad, set_grad, lambda self: set_grad(self, None)),
    "grad_fn": property(get_grad_fn),
    "_grad_fn": property(get_grad_fn),
    "output_nr": property(get_output_nr),
    "retain_grad": retain_grad,
    "retains_grad": property(retains_grad),
    "register_hook": register_hook,
    "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
    "backward": backward_,
    "data": property(get_data, set_data),
    "_is_view": is_view,
    "_base": property(get_base),
    "_version": property(get_version),
    "__float__": to_float,
}
"""Name -> method or property. `detach` and `detach_` are operators."""

python_methods.METHODS.update(MEMBERS)
for _name, _member in MEMBERS.items():
    setattr(Tensor, _name, _member)
