"""Copies of tensors: `copy.deepcopy`, pickle. Mirrors torch/_tensor.py and torch/_utils.py."""

import copy
from typing import Any

from ..aten.empty_tensor import as_inference
from ..dispatch.keys import KEY_SETS
from ..dtypes import dtype
from ..storage import UntypedStorage
from ..strides import Ints
from ..tensor_impl import Tensor

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
    return made.requires_grad_() if requires_grad else made


def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """Copy a tensor with its storage: tensors that share a storage and are copied together share the copied storage.

    Raises:
        RuntimeError: an operator that was recorded has made it.
    """
    if not self.is_leaf:
        raise RuntimeError(NO_LEAF)
    if id(self) not in memo:
        storage = copy.deepcopy(self._storage, memo)
        memo[id(self)] = made = rebuild(storage, *arguments(self))
        made.grad = copy.deepcopy(self.grad, memo)
    return memo[id(self)]


def reduce_ex(self: Tensor, protocol: Any) -> tuple[Any, ...]:
    """Return the recipe by which pickle rebuilds a tensor as a leaf; tensors that share a storage still share one."""
    return rebuild, (self._storage, *arguments(self))


def arguments(tensor: Tensor) -> tuple[Any, ...]:
    """Return all arguments with which `rebuild` recreates a tensor, except the storage."""
    geometry = tensor._storage_offset, tensor._sizes, tensor._strides
    return (*geometry, tensor._dtype, tensor.requires_grad)


Tensor.__deepcopy__ = deepcopy  # type: ignore[assignment, method-assign]
Tensor.__reduce_ex__ = reduce_ex  # type: ignore[assignment, method-assign]
