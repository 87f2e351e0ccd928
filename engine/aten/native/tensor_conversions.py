"""Another dtype or device: `x.to(...)`. Mirrors aten/src/ATen/native/TensorConversions.cpp."""

from ... import dtypes
from ...dtypes import preserve_format
from ...tensor_impl import Tensor
from ..at import at
from .copy import copied
from .resize import suggested_format
from .tensor_factories import like

Dtype = dtypes.dtype
Device = dtypes.device
MemoryFormat = dtypes.memory_format


def to_dtype(self: Tensor, dtype: Dtype, non_blocking: bool, copy: bool, memory_format: MemoryFormat | None) -> Tensor:
    """Return `self` if it already has the dtype, else a converted copy."""
    return _to(self, dtype, None, non_blocking, copy, memory_format)


def to_device(
    self: Tensor, device: Device, dtype: Dtype, non_blocking: bool, copy: bool, memory_format: MemoryFormat | None
) -> Tensor:
    """Return `self` if it is already on the device and has the dtype, else a copy."""
    return _to(self, dtype, device, non_blocking, copy, memory_format)


def to_other(self: Tensor, other: Tensor, non_blocking: bool, copy: bool, memory_format: MemoryFormat | None) -> Tensor:
    """Return `self` converted to the dtype and device of another tensor."""
    return _to(self, other._dtype, other._storage.device, non_blocking, copy, memory_format)


def to_dtype_layout(
    self: Tensor,
    dtype: Dtype | None,
    layout: dtypes.layout | None,
    device: Device | None,
    pin_memory: bool | None,
    non_blocking: bool,
    copy: bool,
    memory_format: MemoryFormat | None,
) -> Tensor:
    """Return `self` converted to the given options, or `self` itself if it already has them.

    Raises:
        RuntimeError: another layout than strided.
    """
    if layout not in (None, dtypes.strided):
        raise RuntimeError(f"to(options) doesn't support converting to a different layout, but got {layout}")
    return _to(self, dtype, device, non_blocking, copy, memory_format)


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Return `self` converted to the dtype of another tensor."""
    return at.to_dtype(self, other._dtype)


def _to(
    self: Tensor,
    dtype: Dtype | None,
    device: Device | None,
    non_blocking: bool,
    copy: bool,
    memory_format: MemoryFormat | None,
) -> Tensor:
    if copy or dtype not in (None, self._dtype) or not _is_as_asked(self, device, memory_format):
        return at._to_copy(self, dtype, None, device, None, non_blocking, memory_format)
    return self


def _is_as_asked(self: Tensor, device: Device | None, memory_format: MemoryFormat | None) -> bool:
    """Return True if `to` needs no copy of `self`. Source: to_will_alias (ATen/native/TensorConversions.cpp)."""
    is_there = device is None or device.type == self._storage.device.type
    return is_there and (
        memory_format in (None, preserve_format) or memory_format is suggested_format(self._sizes, self._strides)
    )


def _to_copy(
    self: Tensor,
    dtype: Dtype | None,
    layout: dtypes.layout | None,
    device: Device | None,
    pin_memory: bool | None,
    non_blocking: bool,
    memory_format: MemoryFormat | None,
) -> Tensor:
    """Return a copy with another dtype or device, which keeps the order of the dimensions by default."""
    return copied(like(self)(self, dtype, layout, device, pin_memory, memory_format), self, non_blocking)
