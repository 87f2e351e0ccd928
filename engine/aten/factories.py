"""New tensors: uninitialised, filled, like another, and copies of another.

Mirrors aten/src/ATen/native/{TensorFactories,TensorConversions}.cpp.
"""

import math
import operator
from typing import Any

import numpy as np

from .. import dtypes
from .. import strides as geometry
from ..dtypes import channels_last, contiguous_format, preserve_format
from ..strides import Ints
from ..tensor_impl import Tensor, new_tensor
from .copy import copy_elements, fill_elements, number
from .nested import infer_dtype
from .registry import op

# `dtype`, `layout` and the others are parameters here, so their classes are reached through the module.
Dtype = dtypes.dtype
Options = dict[str, Any]
"""Keyword arguments that every factory takes: layout, device, requires_grad, pin_memory."""


def check_options(options: Options) -> None:
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
    """`size`, a tuple or list of ints, as a plain tuple of ints.

    Raises:
        TypeError: `size` is no tuple or list, an entry is not an integer, or the first is a bool.
    """
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"must be tuple of ints, not {type(size).__name__}")
    if size and type(size[0]) is bool:
        raise TypeError("must be tuple of ints, but found element of type bool")
    return tuple(map(operator.index, size))


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
    check_options(options)
    sizes = as_sizes(size)
    kind = dtypes.as_dtype(dtype, dtypes.get_default_dtype())
    return new_tensor(sizes, strides_for(sizes, memory_format or contiguous_format), kind)


@op("empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor")  # fmt: skip
def empty_strided(size: Any, stride: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """An uninitialised tensor of a given geometry, in a storage just large enough.

    Raises:
        RuntimeError: as many strides as sizes are needed, none negative.
    """
    check_options(options)
    sizes, strides = as_sizes(size), as_sizes(stride)
    if len(sizes) != len(strides):
        raise RuntimeError(
            f"dimensionality of sizes ({len(sizes)}) must match dimensionality of strides ({len(strides)})"
        )
    if any(step < 0 for step in strides):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(strides)}"
        )
    return new_tensor(sizes, strides, dtypes.as_dtype(dtype, dtypes.get_default_dtype()))


@op("full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor")  # fmt: skip
def full(size: Any, fill_value: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """A tensor of one value; without a dtype, that of the value."""
    fill_value = number(fill_value)
    return fill_elements(empty(size, dtype=infer_dtype(fill_value) if dtype is None else dtype, **options), fill_value)


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
def arange(start: Any = None, end: Any = None, step: Any = 1, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """The numbers start, start + step, ... before `end`; with one argument, from 0 to before it.

    An integer dtype takes the whole part of `start` and `step`; int64 also of `end`, before it counts.
    PyTorch's floats depend in the last bit on the width of the CPU's vectors; here element i is
    `start + i * step` in float64, rounded once, because that is the same everywhere.

    Raises:
        RuntimeError: `step` is 0, or leads away from `end`; a bound is infinite or nan.
        ValueError: `step` is 0 as an int64.
        TypeError: a bound is no number.
        NotImplementedError: dtype bool.
    """
    if end is None:
        start, end = None, start
    start, end, step = number(0 if start is None else start), number(end), number(step)
    kind = dtypes.as_dtype(dtype, infer_dtype([start, end, step]))
    kind = dtypes.int64 if dtype is None and kind is dtypes.bool_ else kind
    if kind is dtypes.bool_:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    start, end, step = map(int if kind is dtypes.int64 else float, (start, end, step))
    if step == 0:
        raise ValueError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = -(-(end - start) // step) if kind is dtypes.int64 else math.ceil((end - start) / step)
    if not kind.is_floating_point:
        start, step = int(start), int(step)
    made = empty((count,), dtype=kind, **options)
    made._flat()[:] = start + np.arange(count) * step
    return made


# ---- like another


@op("empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor")  # fmt: skip
def empty_like(self: Tensor, *, dtype: Dtype | None = None, memory_format: Any = None, **options: Any) -> Tensor:
    """An uninitialised tensor of the same sizes and, unless said otherwise, dtype and order of dimensions."""
    check_options(options)
    return new_tensor(self._sizes, strides_like(self, memory_format), dtypes.as_dtype(dtype, self._dtype))


@op("full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor")  # fmt: skip
def full_like(self: Tensor, fill_value: Any, **options: Any) -> Tensor:
    """A tensor of one value, otherwise as `empty_like`."""
    return fill_elements(empty_like(self, **options), number(fill_value))


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
    return empty(size, dtype=dtypes.as_dtype(dtype, self._dtype), **options)


@op("new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor")  # fmt: skip
def new_full(self: Tensor, size: Any, fill_value: Any, **options: Any) -> Tensor:
    """A tensor of other sizes, one value and the dtype of `self`."""
    return fill_elements(new_empty(self, size, **options), number(fill_value))


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


# ---- copies of another


@op("clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor")
def clone(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy in a storage of its own, which keeps the order of the dimensions unless told otherwise."""
    return copy_elements(empty_like(self, memory_format=memory_format), self)


@op("contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)")
def contiguous(self: Tensor, *, memory_format: Any = contiguous_format) -> Tensor:
    """`self` if its elements lie in the order of `memory_format`, else a copy that does.

    Raises:
        RuntimeError: preserve_format of a tensor that is not contiguous.
    """
    if self.is_contiguous(memory_format):
        return self
    if memory_format is preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return clone(self, memory_format=memory_format)


@op("to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
    "MemoryFormat? memory_format=None) -> Tensor(a)")  # fmt: skip
def to_dtype(self: Tensor, dtype: Dtype | None, *, copy: bool = False, memory_format: Any = None) -> Tensor:
    """`self` if it has the dtype, else a converted copy."""
    dtype = dtypes.as_dtype(dtype, self._dtype)
    if dtype is self._dtype and not copy and memory_format in (None, preserve_format):
        return self
    return copy_elements(empty_like(self, dtype=dtype, memory_format=memory_format), self)
