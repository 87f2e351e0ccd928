"""Kernels of the numbers in a row. Mirrors aten/src/ATen/native/cpu/RangeFactoriesKernel.cpp."""

import numpy as np
from numba import types

from ..aten.native.range_factories import arange_stub, linspace_stub
from ..aten.scalar_ops import checked_convert
from ..dtypes import dtype, float32, float64, int8, int16, int32, int64, uint8
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA, Compiled

Number = bool | int | float
NUMBERS = (float32, float64, uint8, int8, int16, int32, int64)


def arange(out, first, n, start, step):
    """Compute out[first + i] = start + i * step for i < n."""
    for i in range(n):
        out[first + i] = start + i * step


def arange_arguments(kind: dtype) -> tuple:
    """Return numba's types of the arguments of `arange`; numbers are float64 or int64."""
    wide = types.float64 if kind.is_floating_point else types.int64
    return NUMBA[kind][::1], INDEX, INDEX, wide, wide


ARANGE = Compiled("arange_cpu", NUMBERS, lambda kind: arange, arange_arguments)


def arange_kernel(out: Tensor, start: Number, step: Number) -> None:
    """Set element i of a contiguous tensor to `start + i * step`, computed in float64 or int64 and rounded once."""
    ARANGE[out._dtype](out._flat(), out._storage_offset, out.numel(), start, step)


def linspace_kernel(out: Tensor, start: Number, end: Number) -> None:
    """Fill a contiguous tensor with numbers evenly spaced from `start` to `end`, both included.

    The second half is counted down from `end`, so that it is met exactly.

    Raises:
        RuntimeError: `start` or `end` is outside the range of the dtype.
    """
    first, count = out._storage_offset, out.numel()
    if not count:
        return
    wide = out._dtype.numpy if out._dtype.is_floating_point else np.dtype(np.float64)
    begin, last = (wide.type(checked_convert(value, out._dtype)) for value in (start, end if count > 1 else start))
    places = np.arange(count)
    with np.errstate(all="ignore"):
        step = (last - begin) / wide.type(max(count - 1, 1))
        upward, downward = begin + step * places.astype(wide), last - step * (count - 1 - places).astype(wide)
        out._flat()[first : first + count] = np.where(places < max(count // 2, 1), upward, downward)


arange_stub.register("cpu", arange_kernel)
linspace_stub.register("cpu", linspace_kernel)
