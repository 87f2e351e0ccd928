"""Elements from one tensor to another, on the device and between it and the host.

A copy between device and host moves a run of bytes: any other layout is made dense first, on its own side.
Mirrors aten/src/ATen/native/cuda/Copy.cu.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import strides as geometry
from ..aten.at import at
from ..aten.halves import numbers_of
from ..aten.iterator import TensorIterator
from ..aten.native.copy import copy_stub
from ..aten.native.scalar import local_scalar_dense_stub
from ..cpu.half_bits import is_converted
from ..dtypes import CPU, HALVES, INTEGRAL, bool_, dtype, float32
from ..tensor_impl import Tensor
from . import loops
from .elementwise import run
from .half_copy import conversion, copy_bits
from .runtime import to_host
from .transpose import transpose

Number = bool | int | float


def convert(x):
    """Return `x` unchanged: the store converts it to the dtype of the array."""
    return x


@functools.lru_cache
def lowest_bits(kind: dtype, is_of_float: bool) -> Callable:
    """Return the function that keeps of an integer the bits that a dtype has; a float is first cut to an int32."""
    size, above = 2 ** (8 * kind.itemsize), -int(np.iinfo(kind.storage).min)

    def lowest(x):
        return (np.int64(x) + above) % size - above

    def lowest_of_float(x):
        return (np.int64(np.int32(x)) + above) % size - above

    return lowest_of_float if is_of_float else lowest


def is_nonzero(x):
    """Return True if `x` is not 0."""
    return x != 0


def conversion_of_numbers(to: dtype, of: dtype) -> Callable:
    """Return the function that a copy between two dtypes, neither of them a half, applies to each element."""
    if to is bool_ and of is not bool_:
        return is_nonzero
    if is_converted(to, of) or (to is not of and to.category == of.category == INTEGRAL and to.itemsize <= of.itemsize):
        return lowest_bits(to, of.is_floating_point)
    return convert


def copy_kernel(self: Tensor, src: Tensor) -> None:
    """Write the elements of `src`, broadcast to the sizes of `self` and converted to its dtype, into `self`.

    One of the two or both are on the device.
    """
    if 0 in self._sizes:
        return
    if src._storage.device.type == "cpu":
        copy_from_host(self, src)
    elif self._storage.device.type == "cpu":
        copy_to_host(self, src)
    elif (self._dtype in HALVES or src._dtype in HALVES) and self._dtype is not src._dtype:
        copy_half(self, src)
    else:
        iter = TensorIterator.copy_op(self, src)
        operands, is_same = iter.operands, self._dtype is src._dtype
        if is_same and not iter.plan.is_contiguous and transpose(iter.plan, *operands):
            return
        function = conversion_of_numbers(self._dtype, src._dtype)
        run(iter.plan, operands, loops.instantiate(loops.unary, function), ())


def copy_half(self: Tensor, src: Tensor) -> None:
    """Convert to or from a half on the device; between a half and another dtype than float32 in two steps."""
    if function := conversion(self._dtype, src._dtype):
        return copy_bits(self, src, function)
    wide = at.empty_memory_format(src._sizes, float32, device=src._storage.device)
    copy_kernel(wide, src)
    copy_kernel(self, wide)


def copy_from_host(self: Tensor, src: Tensor) -> None:
    """Copy elements from host memory to device memory."""
    if not is_dense(self):
        made = at.empty_memory_format(self._sizes, self._dtype, device=self._storage.device)
        copy_from_host(made, src)
        return copy_kernel(self, made)
    laid_out = at.empty_strided(self._sizes, self._strides, self._dtype, device=CPU)
    copy_stub.kernels["cpu"](laid_out, src)
    elements_of(self).copy_to_device(laid_out._flat())


def copy_to_host(self: Tensor, src: Tensor) -> None:
    """Copy elements from device memory to host memory, after all earlier work is done."""
    if not is_dense(src):
        src = at.clone(src)
    laid_out = at.empty_strided(src._sizes, src._strides, src._dtype, device=CPU)
    laid_out._flat()[:] = to_host(elements_of(src))
    copy_stub.kernels["cpu"](self, laid_out)


def is_dense(self: Tensor) -> bool:
    """Return True if the elements fill one range of memory without gaps or overlaps, in any order of dimensions."""
    return geometry.is_non_overlapping_and_dense(self._sizes, self._strides)


def elements_of(self: Tensor) -> Any:
    """Return the part of the storage that a non-empty dense tensor covers, as a flat array."""
    return self._flat()[self._storage_offset : self._storage_offset + self.numel()]


def local_scalar_dense_kernel(self: Tensor) -> Number:
    """Return the first element as a Python number, after all earlier work is done."""
    first = self._storage_offset
    cell: Any = self._flat()[first : first + 1]
    return numbers_of(to_host(cell), self._dtype).item()


copy_stub.register("cuda", copy_kernel)
local_scalar_dense_stub.register("cuda", local_scalar_dense_kernel)
