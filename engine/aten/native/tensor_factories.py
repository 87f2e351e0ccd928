"""New tensors: uninitialized, filled, and like another.

Mirrors aten/src/ATen/native/TensorFactories.cpp. Only `empty` and `empty_strided` know devices; the others call them.
"""

import functools
from collections.abc import Callable

from ... import dtypes
from ... import strides as geometry
from ...dtypes import CPU, contiguous_format, preserve_format
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import new_dense, new_tensor
from .fill import fill_stub
from .resize import strides_of_format

MEMORY = 4096  # geometries that a memo keeps

Number = bool | int | float
Dtype = dtypes.dtype | None
Layout = dtypes.layout | None
Device = dtypes.device | None
MemoryFormat = dtypes.memory_format | None


# ---- uninitialized


def empty_cpu(
    size: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None,
    memory_format: MemoryFormat = None,
) -> Tensor:  # fmt: skip
    """Return an uninitialized tensor in CPU memory.

    Raises:
        RuntimeError: a negative size, a memory format that does not fit, or an option out of scope.
    """
    if layout is not None or pin_memory:
        require_supported(layout, pin_memory)
    strides, cells = _geometry_of_empty(size, memory_format or contiguous_format)
    return new_dense(size, strides, cells, dtype or dtypes._default)


def empty_cuda(
    size: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None,
    memory_format: MemoryFormat = None,
) -> Tensor:  # fmt: skip
    """Return an uninitialized tensor in GPU memory."""
    require_supported(layout, pin_memory)
    strides, _ = _geometry_of_empty(size, memory_format or contiguous_format)
    return new_tensor(size, strides, dtype or dtypes._default, device or dtypes.CUDA)


def empty_meta(
    size: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None, memory_format: MemoryFormat
) -> Tensor:
    """Return a tensor on the meta device, without memory."""
    require_supported(layout, pin_memory)
    strides, _ = _geometry_of_empty(size, memory_format or contiguous_format)
    return new_tensor(size, strides, dtype or dtypes.get_default_dtype(), dtypes.META)


def empty_strided_cpu(
    size: Ints, stride: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return an uninitialized tensor with the given sizes and strides, in a storage just large enough.

    Raises:
        RuntimeError: as many strides as sizes are needed, none negative.
    """
    if layout is not None or pin_memory:
        require_supported(layout, pin_memory)
    return new_dense(size, stride, _cells(size, stride), dtype or dtypes._default)


def empty_strided_cuda(
    size: Ints, stride: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return an uninitialized tensor with the given sizes and strides in GPU memory."""
    require_supported(layout, pin_memory)
    _cells(size, stride)
    return new_tensor(size, stride, dtype or dtypes._default, device or dtypes.CUDA)


def empty_strided_meta(
    size: Ints, stride: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return a meta tensor with the given sizes and strides."""
    require_supported(layout, pin_memory)
    _cells(size, stride)
    return new_tensor(size, stride, dtype or dtypes.get_default_dtype(), dtypes.META)


def require_supported(layout: Layout, pin_memory: bool | None) -> None:
    """Refuse a layout or pinned memory that the engine does not support.

    Raises:
        RuntimeError: a layout out of scope, or pinned memory, which is for copies to an accelerator.
    """
    if layout is not None and layout is not dtypes.strided:
        raise RuntimeError(f"layout {layout} is out of scope: expected torch.strided")
    if pin_memory:
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available here"
        )


@functools.lru_cache(MEMORY)
def _geometry_of_empty(size: Ints, memory_format: dtypes.memory_format) -> tuple[Ints, int]:
    """Return the strides in a memory format, and the number of cells that they span."""
    strides = strides_of_format(size, memory_format)
    return strides, _cells(size, strides)


@functools.lru_cache(MEMORY)
def _cells(size: Ints, stride: Ints) -> int:
    """Return the number of elements that a storage must have room for."""
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    if stride and min(stride) < 0:
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    for count in size:
        if count < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {count}: {list(size)}")
    return geometry.compute_storage_nbytes(size, stride, 1)


def empty_on(device: Device) -> Callable[..., Tensor]:
    """Return `at.empty_memory_format`, or, for the CPU, the kernel that it would dispatch to."""
    return empty_cpu if device is None or device is CPU else at.empty_memory_format


def empty_out(size: Ints, memory_format: MemoryFormat, out: Tensor) -> Tensor:
    """Resize `out`; its elements are uninitialized."""
    return at.resize_(out, size, memory_format=memory_format)


# ---- filled


def zeros(size: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None) -> Tensor:
    """Return a tensor of zeros."""
    return at.zero_(empty_on(device)(size, dtype, layout, device, pin_memory))


def zeros_out(size: Ints, out: Tensor) -> Tensor:
    """Resize `out` and fill it with zeros."""
    return at.zero_(_resized(out, size))


def ones(size: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None) -> Tensor:
    """Return a tensor of ones."""
    return full(size, 1, dtype or dtypes.get_default_dtype(), layout, device, pin_memory)


def ones_out(size: Ints, out: Tensor) -> Tensor:
    """Resize `out` and fill it with ones."""
    return at.full_out(size, 1, out=out)


def full(
    size: Ints, fill_value: Number, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return a tensor filled with one value; `dtype` defaults to the dtype of the value."""
    dtype = dtype or dtype_of_number(fill_value)
    return at.fill__Scalar(empty_on(device)(size, dtype, layout, device, pin_memory), fill_value)


def full_out(size: Ints, fill_value: Number, out: Tensor) -> Tensor:
    """Resize `out` and fill it with one value."""
    return at.fill__Scalar(_resized(out, size), fill_value)


def scalar_tensor(s: Number, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None) -> Tensor:
    """Return a 0-dim tensor that holds a number, in the default dtype unless one is given."""
    return at.fill__Scalar(empty_on(device)((), dtype, layout, device, pin_memory), s)


def dtype_of_number(number: Number) -> dtypes.dtype:
    """Return the dtype of a tensor made from a Python number: int64 for an int, the default dtype for a float."""
    return dtypes.get_default_dtype() if type(number) is float else dtypes.OF_PYTHON[type(number)]


def _resized(out: Tensor, size: Ints) -> Tensor:
    return out if out._sizes == size else at.resize_(out, size)


# ---- like another


def empty_like(
    self: Tensor, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None, memory_format: MemoryFormat
) -> Tensor:
    """Return an uninitialized tensor with the sizes and, by default, dtype, device and dimension order of `self`."""
    dtype, device = dtype or self._dtype, device or self._storage.device
    if memory_format not in (None, preserve_format):
        return empty_on(device)(self._sizes, dtype, layout, device, pin_memory, memory_format)
    strides, cells = _geometry_like(self._sizes, self._strides)
    if device is not CPU or layout is not None or pin_memory:
        return at.empty_strided(self._sizes, strides, dtype, layout, device, pin_memory)
    return new_dense(self._sizes, strides, cells, dtype)


@functools.lru_cache(MEMORY)
def _geometry_like(sizes: Ints, strides: Ints) -> tuple[Ints, int]:
    """Return dense strides with the same order of dimensions in memory, and the number of cells that they span."""
    if not geometry.is_non_overlapping_and_dense(sizes, strides):
        strides = geometry.infer_dense_strides(sizes, strides)
    return strides, _cells(sizes, strides)


def like(self: Tensor) -> Callable[..., Tensor]:
    """Return `at.empty_like`, or, for a tensor on the CPU, the kernel that it would dispatch to."""
    return empty_like if self._storage.device is CPU else at.empty_like


def filled(made: Tensor, value: Number) -> Tensor:
    """Return `made.fill_(value)`; on the CPU, call the kernel directly: below autograd, versions are not counted."""
    if made._storage.device is not CPU:
        return at.fill__Scalar(made, value)
    fill_stub.kernels["cpu"](made, value)
    return made


def full_like(
    self: Tensor, fill_value: Number, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None,
    memory_format: MemoryFormat,
) -> Tensor:  # fmt: skip
    """Return a tensor filled with one value, otherwise like `empty_like`."""
    return filled(like(self)(self, dtype, layout, device, pin_memory, memory_format), fill_value)


def zeros_like(
    self: Tensor, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None, memory_format: MemoryFormat
) -> Tensor:
    """Return a tensor of zeros, otherwise like `empty_like`."""
    made = like(self)(self, dtype, layout, device, pin_memory, memory_format)
    return filled(made, 0) if made._storage.device is CPU else at.zero_(made)


def ones_like(
    self: Tensor, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None, memory_format: MemoryFormat
) -> Tensor:
    """Return a tensor of ones, otherwise like `empty_like`."""
    return filled(like(self)(self, dtype, layout, device, pin_memory, memory_format), 1)


def new_empty(
    self: Tensor, size: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return an uninitialized tensor of the given sizes, by default with the dtype and device of `self`."""
    device = device or self._storage.device
    return empty_on(device)(size, dtype or self._dtype, layout, device, pin_memory, None)


def new_empty_strided(
    self: Tensor, size: Ints, stride: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return an uninitialized tensor of the given sizes and strides, by default with the dtype and device of `self`."""
    return at.empty_strided(size, stride, dtype or self._dtype, layout, device or self._storage.device, pin_memory)


def new_full(
    self: Tensor, size: Ints, fill_value: Number, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return a tensor of the given sizes filled with one value, by default with the dtype and device of `self`."""
    return at.full(size, fill_value, dtype or self._dtype, layout, device or self._storage.device, pin_memory)


def new_zeros(
    self: Tensor,
    size: Ints,
    dtype: Dtype = None,
    layout: Layout = None,
    device: Device = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """Return a tensor of zeros of the given sizes, by default with the dtype and device of `self`."""
    dtype, device = dtype or self._dtype, device or self._storage.device
    if device is not CPU:
        return at.zeros(size, dtype, layout, device, pin_memory)
    return filled(empty_cpu(size, dtype, layout, device, pin_memory), 0)


def new_ones(self: Tensor, size: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None) -> Tensor:
    """Return a tensor of ones of the given sizes, by default with the dtype and device of `self`."""
    return at.ones(size, dtype or self._dtype, layout, device or self._storage.device, pin_memory)
