"""New tensors: from Python data, from NumPy, filled, uninitialised, like another, and copies of another.

Mirrors aten/src/ATen/native/TensorFactories.cpp, torch/csrc/utils/{tensor_new,tensor_numpy}.cpp and
ATen/native/TensorConversions.cpp.
"""

import math
import operator
import warnings
from typing import Any

import numpy as np

from .. import dtypes
from .. import strides as geometry
from ..dtypes import channels_last, contiguous_format, preserve_format
from ..storage import UntypedStorage
from ..strides import Ints
from ..tensor_impl import Tensor, new_tensor
from .copy import copy_elements, fill_elements, item
from .nested import infer_dtype, nested_shape
from .registry import op

# `dtype`, `layout` and the others are parameters here, so their classes are reached through the module.
Dtype = dtypes.dtype
Options = dict[str, Any]
"""Keyword arguments that every factory takes: layout, device, requires_grad, pin_memory."""


def _check(options: Options) -> None:
    """Refuse what this layer of the engine does not have.

    Raises:
        TypeError: an unknown keyword.
        RuntimeError: an unknown device, or a layout out of scope.
    """
    for name, value in options.items():
        if name == "device":
            if value is not None:
                dtypes.device(value)
        elif name == "layout":
            if value not in (None, dtypes.strided):
                raise RuntimeError(f"layout {value} is out of scope: expected torch.strided")
        elif name in ("requires_grad", "pin_memory"):
            if value:
                raise RuntimeError(f"{name}=True needs a part of the engine that is not there yet")
        else:
            raise TypeError(f"got an unexpected keyword argument '{name}'")


def as_sizes(size: Any) -> Ints:
    """`size` (an int, or a sequence of ints) as a plain tuple of ints.

    Raises:
        TypeError: an entry is not an integer.
    """
    return tuple(map(operator.index, size)) if isinstance(size, (tuple, list)) else (operator.index(size),)


def strides_for(sizes: Ints, memory_format: dtypes.memory_format) -> Ints:
    """Strides of a new tensor in a memory format.

    Raises:
        RuntimeError: channels_last of other than 4 dimensions, or a format that a new tensor can't have.
    """
    if memory_format is contiguous_format:
        return geometry.contiguous_strides(sizes)
    if memory_format is channels_last:
        if len(sizes) != 4:
            raise RuntimeError("required rank 4 tensor to use channels_last format")
        return geometry.channels_last_strides(sizes)
    raise RuntimeError(f"unsupported memory format {memory_format} for a new tensor")


def strides_like(self: Tensor, memory_format: dtypes.memory_format | None) -> Ints:
    """Strides of a new tensor with the sizes of `self`; preserve_format keeps the order of its dimensions."""
    if memory_format not in (None, preserve_format):
        return strides_for(self._sizes, memory_format or contiguous_format)
    if geometry.is_non_overlapping_and_dense(self._sizes, self._strides):
        return self._strides
    return geometry.infer_dense_strides(self._sizes, self._strides)


# ---- uninitialised and filled


@op("empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor")  # fmt: skip
def empty(size: Any, *, dtype: Dtype | None = None, memory_format: Any = None, **options: Any) -> Tensor:
    """A tensor whose elements are whatever the memory holds."""
    _check(options)
    sizes = as_sizes(size)
    return new_tensor(
        sizes, strides_for(sizes, memory_format or contiguous_format), dtype or dtypes.get_default_dtype()
    )


@op("empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor")  # fmt: skip
def empty_strided(size: Any, stride: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """An uninitialised tensor of a given geometry, in a storage just large enough.

    Raises:
        RuntimeError: as many strides as sizes are needed, none negative.
    """
    _check(options)
    sizes, strides = as_sizes(size), as_sizes(stride)
    if len(sizes) != len(strides):
        raise RuntimeError(
            f"dimensionality of sizes ({len(sizes)}) must match dimensionality of strides ({len(strides)})"
        )
    if any(step < 0 for step in strides):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(strides)}"
        )
    return new_tensor(sizes, strides, dtype or dtypes.get_default_dtype())


@op("full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor")  # fmt: skip
def full(size: Any, fill_value: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """A tensor of one value; without a dtype, that of the value."""
    fill_value = item(fill_value) if isinstance(fill_value, Tensor) else fill_value
    return fill_elements(empty(size, dtype=dtype or infer_dtype(fill_value), **options), fill_value)


@op("zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor")  # fmt: skip
def zeros(size: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """A tensor of zeros."""
    return fill_elements(empty(size, dtype=dtype, **options), 0)


@op("ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor")  # fmt: skip
def ones(size: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """A tensor of ones."""
    return fill_elements(empty(size, dtype=dtype, **options), 1)


@op("arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor")  # fmt: skip
def arange(start: Any, end: Any = None, step: Any = 1, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """The numbers start, start + step, ... before `end`; with one argument, from 0 to before it.

    Raises:
        RuntimeError: `step` is 0, or leads away from `end`.
    """
    if end is None:
        start, end = 0, start
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = all(isinstance(value, int) for value in (start, end, step))
    count = -(-(end - start) // step) if whole else math.ceil((end - start) / step)
    made = empty(count, dtype=dtype or (dtypes.int64 if whole else dtypes.get_default_dtype()), **options)
    made._flat()[:count] = start + np.arange(count) * step
    return made


# ---- like another


@op("empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor")  # fmt: skip
def empty_like(self: Tensor, *, dtype: Dtype | None = None, memory_format: Any = None, **options: Any) -> Tensor:
    """An uninitialised tensor of the same sizes and, unless said otherwise, dtype and order of dimensions."""
    _check(options)
    return new_tensor(self._sizes, strides_like(self, memory_format), dtype or self._dtype)


@op("full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor")  # fmt: skip
def full_like(self: Tensor, fill_value: Any, **options: Any) -> Tensor:
    """A tensor of one value, otherwise as `empty_like`."""
    return fill_elements(empty_like(self, **options), fill_value)


@op("zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor")  # fmt: skip
def zeros_like(self: Tensor, **options: Any) -> Tensor:
    """A tensor of zeros, otherwise as `empty_like`."""
    return full_like(self, 0, **options)


@op("ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor")  # fmt: skip
def ones_like(self: Tensor, **options: Any) -> Tensor:
    """A tensor of ones, otherwise as `empty_like`."""
    return full_like(self, 1, **options)


@op("new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor")  # fmt: skip
def new_empty(self: Tensor, size: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """An uninitialised tensor of other sizes and the dtype of `self`."""
    return empty(size, dtype=dtype or self._dtype, **options)


@op("new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor")  # fmt: skip
def new_full(self: Tensor, size: Any, fill_value: Any, **options: Any) -> Tensor:
    """A tensor of other sizes, one value and the dtype of `self`."""
    return fill_elements(new_empty(self, size, **options), fill_value)


@op("new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor")  # fmt: skip
def new_zeros(self: Tensor, size: Any, **options: Any) -> Tensor:
    """A tensor of zeros with other sizes and the dtype of `self`."""
    return new_full(self, size, 0, **options)


@op("new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor")  # fmt: skip
def new_ones(self: Tensor, size: Any, **options: Any) -> Tensor:
    """A tensor of ones with other sizes and the dtype of `self`."""
    return new_full(self, size, 1, **options)


# ---- from data


@op("tensor(t[] data, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor")
def tensor(data: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """A tensor that copies `data`: a number, nested sequences, a NumPy array or a tensor.

    Without a dtype: bool if all is bool, the default dtype if there is a float, else int64; an array's own.

    Raises:
        ValueError: sequences of one level differ in length.
        TypeError: an entry is no number, or an array's dtype has no counterpart.
    """
    _check(options)
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone()",
            stacklevel=2,
        )
        return copy_elements(new_tensor(data._sizes, strides_like(data, None), dtype or data._dtype), data)
    if isinstance(data, (np.ndarray, np.generic)):
        array = np.asarray(data)
        kind = dtype or of_numpy(array.dtype)
    else:
        sizes = nested_shape(data)
        kind = dtype or infer_dtype(data)
        array = _array(data, kind).reshape(sizes)
    made = new_tensor(array.shape, geometry.contiguous_strides(array.shape), kind)
    made._flat()[: array.size] = array.astype(kind.numpy).ravel()
    return made


@op("as_tensor(t[] data, *, ScalarType? dtype=None, Device? device=None) -> Tensor")
def as_tensor(data: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """`data` as a tensor, sharing the memory of a tensor or an array if the dtype stays."""
    _check(options)
    if isinstance(data, np.ndarray) and data.dtype in dtypes.OF_NUMPY:
        data = from_numpy(data)
    if isinstance(data, Tensor):
        return data if dtype in (None, data._dtype) else to_dtype(data, dtype)
    return tensor(data, dtype=dtype)


@op("from_numpy(ndarray data) -> Tensor")
def from_numpy(data: np.ndarray) -> Tensor:
    """A tensor over the memory of a NumPy array; a write to either is seen in both.

    Raises:
        TypeError: not an array, or a dtype without a counterpart.
        ValueError: a negative stride, or one that is no multiple of the itemsize.
    """
    if not isinstance(data, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(data).__name__})")
    kind = of_numpy(data.dtype)
    if any(step < 0 for step in data.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    if any(step % kind.itemsize for step in data.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate "
            "the memory."
        )
    strides = tuple(step // kind.itemsize for step in data.strides)
    nbytes = geometry.compute_storage_nbytes(data.shape, strides, kind.itemsize)
    cells = np.lib.stride_tricks.as_strided(data, (nbytes // kind.itemsize,), (kind.itemsize,))
    return Tensor(UntypedStorage.wrap(cells.view(np.uint8)), data.shape, strides, 0, kind)


def of_numpy(kind: np.dtype) -> Dtype:
    """Counterpart of a NumPy dtype.

    Raises:
        TypeError: there is none.
    """
    if kind not in dtypes.OF_NUMPY:
        supported = ", ".join(known.name for known in dtypes.OF_NUMPY)
        raise TypeError(
            f"can't convert np.ndarray of type {kind.type.__module__}.{kind.type.__name__}. "
            f"The only supported types are: {supported}."
        )
    return dtypes.OF_NUMPY[kind]


def _array(data: Any, kind: Dtype) -> np.ndarray:
    try:
        return np.array(data, np.float64 if kind.is_floating_point else None).astype(kind.numpy)
    except OverflowError:
        raise RuntimeError("Overflow when unpacking long long") from None


# ---- copies of another


@op("clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor")
def clone(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy in a storage of its own, which keeps the order of the dimensions unless told otherwise."""
    return copy_elements(empty_like(self, memory_format=memory_format), self)


@op("contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)")
def contiguous(self: Tensor, *, memory_format: Any = contiguous_format) -> Tensor:
    """`self` if its elements lie in the order of `memory_format`, else a copy that does.

    Raises:
        RuntimeError: preserve_format, which names no order.
    """
    if memory_format is preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return self if self.is_contiguous(memory_format) else clone(self, memory_format=memory_format)


@op("to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
    "MemoryFormat? memory_format=None) -> Tensor(a)")  # fmt: skip
def to_dtype(self: Tensor, dtype: Dtype, *, copy: bool = False, memory_format: Any = None) -> Tensor:
    """`self` if it has the dtype, else a converted copy."""
    if dtype is self._dtype and not copy and memory_format in (None, preserve_format):
        return self
    return copy_elements(empty_like(self, dtype=dtype, memory_format=memory_format), self)
