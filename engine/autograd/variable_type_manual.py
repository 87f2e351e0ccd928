"""Autograd's kernels that are written by hand: of operators that change what a tensor is, and not what it holds.

Mirrors torch/csrc/autograd/VariableTypeManual.cpp.
"""

from collections.abc import Callable

from .. import dtypes
from ..dispatch import dispatcher
from ..dispatch.keys import AFTER_AUTOGRAD
from ..strides import Ints
from ..tensor_impl import Tensor
from .variable import requires_grad

MemoryFormat = dtypes.memory_format | None


def detach(key_set: int, self: Tensor) -> Tensor:
    """The same elements, apart from the history; no view of `self` to autograd."""
    return dispatcher.find("aten::detach").redispatches[key_set & AFTER_AUTOGRAD](self)


def detach_(key_set: int, self: Tensor) -> Tensor:
    """`self` becomes a leaf that asks for no gradient.

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
    """`self` with other sizes.

    Raises:
        RuntimeError: it requires grad; and as the operator does.
    """
    _refuse_to_resize(self)
    return dispatcher.find("aten::resize_").redispatches[key_set & AFTER_AUTOGRAD](self, size, memory_format)


def resize_as_(key_set: int, self: Tensor, the_template: Tensor, memory_format: MemoryFormat) -> Tensor:
    """`self` with the sizes of another tensor; raises as `resize_`."""
    _refuse_to_resize(self)
    redispatches = dispatcher.find("aten::resize_as_").redispatches
    return redispatches[key_set & AFTER_AUTOGRAD](self, the_template, memory_format)


def _refuse_to_resize(self: Tensor) -> None:
    if requires_grad(self):
        raise RuntimeError("cannot resize variables that require grad")


KERNELS: dict[str, Callable[..., Tensor]] = {
    "detach": detach, "detach_": detach_, "resize_": resize_, "resize_as_": resize_as_,
}  # fmt: skip
"""Operator -> its kernel at the Autograd keys."""
