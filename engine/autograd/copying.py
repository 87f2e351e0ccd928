"""Copies of tensors: `copy.deepcopy`, pickle. Mirrors torch/_tensor.py and torch/_utils.py."""

import copy
from collections.abc import Callable
from typing import Any

from ..aten.empty_tensor import as_inference
from ..dispatch.keys import KEY_SETS, PYTHON
from ..dispatch.local import AutoDispatchBelowAutograd
from ..dtypes import dtype
from ..slots import make_wrapper_subclass
from ..storage import UntypedStorage
from ..strides import Ints
from ..tensor_impl import Tensor

NO_COPY = (
    "The default implementation of __deepcopy__() for {kind} subclasses only works for subclass types that implement "
    "{by}() and for which {calling} returns another instance of the same subclass. You should either properly "
    "implement {by}() for your subclass or override __deepcopy__() if it is intended behavior for {by}() to return an "
    "instance of a different type."
)
COPIES = (("non-wrapper", "new_empty", "that function"), ("wrapper", "clone", "cloning"))
NO_LEAF = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
    "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001"
)


def rebuild(
    storage: UntypedStorage, storage_offset: int, sizes: Ints, strides: Ints, kind: dtype, requires_grad: bool
) -> Tensor:
    """Make a leaf over a storage, from the arguments of `Tensor`. In inference mode it is an inference tensor.

    Its version is 1: PyTorch makes an empty tensor and writes the storage into it.
    """
    made = as_inference(Tensor(storage, sizes, strides, storage_offset, kind, KEY_SETS[storage.device.type]))
    made._bump_version()
    made.requires_grad = requires_grad  # type: ignore[attr-defined]  # `requires_grad_` refuses inside transforms
    return made


def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """Copy a tensor with its storage: tensors that share a storage and are copied together share the copied storage.

    Raises:
        RuntimeError: an operator that was recorded has made it.
    """
    if not self.is_leaf:
        raise RuntimeError(NO_LEAF)
    if id(self) not in memo:
        if type(self) is Tensor:
            made = rebuild(copy.deepcopy(self._storage, memo), *arguments(self))
        else:
            made = _copy_of_class(self)
            made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        memo[id(self)] = made
        made.grad = copy.deepcopy(self.grad, memo)
    return memo[id(self)]


def _copy_of_class(self: Tensor) -> Tensor:
    """Return a copy that the tensor's own class makes, and that is of this class.

    Raises:
        RuntimeError: it is not; classes that do without should define `__deepcopy__`.
    """
    kind, by, calling = COPIES[bool(self._key_set & PYTHON)]
    with AutoDispatchBelowAutograd():
        made = self.clone() if by == "clone" else self.new_empty(self._sizes)
    if type(made) is not type(self):
        raise RuntimeError(NO_COPY.format(kind=kind, by=by, calling=calling))
    return made.requires_grad_(self.requires_grad) if by == "clone" else made.copy_(self.detach())


def rebuild_subclass(make: Callable[..., Tensor], args: tuple[Any, ...], kind: type, state: dict[str, Any]) -> Tensor:
    """Make a tensor of a class of one's own as `make(*args)`, and give it its attributes."""
    made = make(*args)
    made = made if type(made) is kind else made.as_subclass(kind)
    made.__dict__.update(state)
    return made


def reduce_ex(self: Tensor, protocol: Any) -> tuple[Any, ...]:
    """Return the recipe by which pickle rebuilds a tensor as a leaf; tensors that share a storage still share one."""
    kind = type(self)
    if self._key_set & PYTHON and self._storage._cells is None:
        geometry = kind, self._sizes, self._strides, self._storage_offset
        made_as = *geometry, None, self._dtype, self.layout, self.device, False, self.requires_grad
        return rebuild_subclass, (make_wrapper_subclass, made_as, kind, self.__dict__)
    if kind is not Tensor:
        return rebuild_subclass, (rebuild, (self._storage, *arguments(self)), kind, self.__dict__)
    return rebuild, (self._storage, *arguments(self))


def arguments(tensor: Tensor) -> tuple[Any, ...]:
    """Return all arguments with which `rebuild` recreates a tensor, except the storage."""
    geometry = tensor._storage_offset, tensor._sizes, tensor._strides
    return (*geometry, tensor._dtype, tensor.requires_grad)


Tensor.__deepcopy__ = deepcopy  # type: ignore[assignment, method-assign]
Tensor.__reduce_ex__ = reduce_ex  # type: ignore[assignment, method-assign]
