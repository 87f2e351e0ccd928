"""A tensor's elements as Python sees them one by one: nested lists, and an accessor.

Mirrors torch/csrc/utils/tensor_list.cpp and Tensor::accessor.
"""

import math
from typing import Any

from .. import accessor as element_access
from .. import strides as geometry
from ..dispatch.keys import PYTHON
from ..dtypes import CPU
from ..tensor_impl import Tensor, is_contiguous
from .at import at
from .halves import numbers_of


def tolist(self: Tensor) -> Any:
    """Return the elements as nested lists of Python numbers; for a zero-dimensional tensor, the number itself.

    Raises:
        NotImplementedError: the tensor has no memory.
        RuntimeError: its class answers calls of operators.
    """
    if self._key_set & PYTHON:
        raise RuntimeError(f".tolist() is not supported for tensor subclasses, got {type(self).__name__}")
    _require_memory(self)
    if self._storage.device.type == "cuda":
        self = at.to_device(self, CPU, self._dtype)
    sizes, first = self._sizes, self._storage_offset
    if is_contiguous(sizes, self._strides):
        cells = numbers_of(self._flat()[first : first + math.prod(sizes)], self._dtype)
        return cells.tolist() if len(sizes) == 1 else cells.reshape(sizes).tolist()
    offsets = geometry.strided_offsets(self._sizes, self._strides, self._storage_offset)
    elements = numbers_of(self._flat()[offsets], self._dtype).tolist() if offsets else []
    for d in reversed(range(1, len(self._sizes))):
        size = self._sizes[d]
        elements = [elements[k * size : (k + 1) * size] for k in range(math.prod(self._sizes[:d]))]
    return elements if self._sizes else elements[0]


def accessor(self: Tensor) -> element_access.TensorAccessor:
    """Return bounds-checked access to single elements by sizes and strides, as `Tensor::accessor` in C++.

    Raises:
        NotImplementedError: the tensor has no memory.
        RuntimeError: it is in a GPU's memory, where Python reads no single elements.
    """
    _require_memory(self)
    if self._storage.device.type == "cuda":
        raise RuntimeError("accessor() expected a tensor in host memory, got one on cuda:0: use Tensor.cpu() first")
    return element_access.TensorAccessor(self._flat(), self._sizes, self._strides, self._storage_offset)


def _require_memory(self: Tensor) -> None:
    if self.device.type == "meta":
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
