"""Elements in and out of a tensor: copy_, fill_, zero_, item, tolist, numpy, accessor.

Mirrors aten/src/ATen/native/{Copy,Fill,Scalar}.cpp and torch/csrc/utils/{tensor_list,tensor_numpy}.cpp.
"""

import math
from typing import Any

import numpy as np

from .. import accessor as element_access
from .. import strides as geometry
from ..cpu.copy import strided_copy
from ..tensor_impl import Tensor, new_tensor
from .registry import op


@op("copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)")
def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Write the elements of `src`, broadcast to the sizes of `self` and converted to its dtype, into `self`.

    Args:
        src: a tensor, or a Python number.
    Raises:
        RuntimeError: the sizes do not broadcast; `self` holds a cell twice; the two share some of their cells.
        TypeError: `src` is neither.
    """
    if not isinstance(src, Tensor):
        src = fill_elements(new_tensor((), (), self._dtype), number(src))
    shape = geometry.broadcast_shapes(self._sizes, src._sizes)
    if shape != self._sizes:
        raise RuntimeError(f"output with shape {list(self._sizes)} doesn't match the broadcast shape {list(shape)}")
    _assert_writable(self)
    _assert_no_partial_overlap(self, src)
    return copy_elements(self, src)


@op("fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)")
def fill_(self: Tensor, value: Any) -> Tensor:
    """Write one number into every element; that one cell may be written twice does not matter here.

    Args:
        value: a Python number, or a tensor without dimensions, which is copied.
    Raises:
        RuntimeError: the value does not fit the dtype; a tensor with dimensions.
        TypeError: no number.
        OverflowError: an int of more than 64 bits.
    """
    if not isinstance(value, Tensor):
        return fill_elements(self, number(value))
    if value._sizes:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {len(value._sizes)} dimensions."
        )
    return copy_(self, value)


@op("zero_(Tensor(a!) self) -> Tensor(a!)")
def zero_(self: Tensor) -> Tensor:
    """Write 0 into every element."""
    return fill_(self, 0)


@op("item(Tensor self) -> Scalar")
def item(self: Tensor) -> bool | int | float:
    """The only element, as a Python number.

    Raises:
        RuntimeError: there are more elements than one, or none.
    """
    if self.numel() != 1:
        raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
    return self._flat()[self._storage_offset].item()


@op("tolist(Tensor self) -> Scalar[]")
def tolist(self: Tensor) -> Any:
    """The elements as nested lists of Python numbers; of a tensor without dimensions the number itself."""
    offsets = geometry.strided_offsets(self._sizes, self._strides, self._storage_offset)
    elements = self._flat()[offsets].tolist() if offsets else []
    for d in reversed(range(1, len(self._sizes))):
        size = self._sizes[d]
        elements = [elements[k * size : (k + 1) * size] for k in range(math.prod(self._sizes[:d]))]
    return elements if self._sizes else elements[0]


@op("numpy(Tensor self) -> ndarray")
def numpy(self: Tensor) -> np.ndarray:
    """The elements as a NumPy array that shares the storage."""
    kind = self._dtype.numpy
    if 0 in self._sizes:
        return np.empty(self._sizes, kind)
    return np.ndarray(
        self._sizes,
        kind,
        buffer=self._storage.elements(np.dtype(np.uint8)).data,
        offset=self._storage_offset * kind.itemsize,
        strides=tuple(stride * kind.itemsize for stride in self._strides),
    )


@op("accessor(Tensor self) -> TensorAccessor")
def accessor(self: Tensor) -> element_access.TensorAccessor:
    """Bounds-checked access to single elements by sizes and strides, as `Tensor::accessor` in C++."""
    return element_access.TensorAccessor(self._flat(), self._sizes, self._strides, self._storage_offset)


def copy_elements(self: Tensor, src: Tensor) -> Tensor:
    """The writing half of `copy_`, for a tensor that is new: nothing is asked, and the version stays 0."""
    _, src_strides = geometry.expand(src._sizes, src._strides, self._sizes)
    strided_copy(
        self._sizes, self._flat(), self._storage_offset, self._strides, src._flat(), src._storage_offset, src_strides
    )
    return self


def fill_elements(self: Tensor, value: Any) -> Tensor:
    """The writing half of `fill_`, for a tensor that is new: nothing is asked, and the version stays 0."""
    cell = scalar_array(value, self._dtype.numpy)
    strided_copy(self._sizes, self._flat(), self._storage_offset, self._strides, cell, 0, (0,) * len(self._sizes))
    return self


def number(value: Any) -> bool | int | float:
    """A Python number, taken out of a tensor without dimensions.

    Raises:
        TypeError: it is neither.
        OverflowError: an int of more than 64 bits.
    """
    if isinstance(value, Tensor) and not value._sizes:
        return item(value)
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"must be Number, not {type(value).__name__}")
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise OverflowError("int too big to convert")
    return value


C_NAMES = {"int64": "int64_t", "int32": "int", "float64": "double", "float32": "float"}


def scalar_array(value: Any, kind: np.dtype) -> np.ndarray:
    """One cell that holds `value`.

    Raises:
        RuntimeError: the value is outside the range of the dtype; nan and infinities are outside that of integers.
    """
    if kind.kind == "i":
        fits = math.isfinite(value) and np.iinfo(kind).min <= int(value) <= np.iinfo(kind).max
    else:
        fits = kind.kind == "b" or not math.isfinite(value) or abs(value) <= float(np.finfo(kind).max)
    if not fits:
        raise RuntimeError(f"value cannot be converted to type {C_NAMES[kind.name]} without overflow")
    return np.array([int(value) if kind.kind == "i" else value]).astype(kind)


def _assert_writable(self: Tensor) -> None:
    if geometry.has_internal_overlap(self._sizes, self._strides) is geometry.MemOverlap.YES:
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )


def _assert_no_partial_overlap(self: Tensor, src: Tensor) -> None:
    if self._storage is src._storage and self._dtype is src._dtype:
        mine = (self._sizes, self._strides, self._storage_offset)
        theirs = (src._sizes, src._strides, src._storage_offset)
        if geometry.has_partial_overlap(mine, theirs):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                "single memory location. Please clone() the tensor before performing the operation."
            )
