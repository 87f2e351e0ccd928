"""Kernels of the numbers in a row. Mirrors aten/src/ATen/native/cpu/RangeFactoriesKernel.cpp."""

import numpy as np

from ..aten.native.range_factories import arange_stub, linspace_stub
from ..aten.scalar_ops import checked_convert
from ..tensor_impl import Tensor

Number = bool | int | float


def arange_kernel(out: Tensor, start: Number, step: Number) -> None:
    """Element i of a contiguous tensor becomes `start + i * step`, computed in float64 or int64 and rounded once."""
    first, count = out._storage_offset, out.numel()
    out._flat()[first : first + count] = start + np.arange(count) * step


def linspace_kernel(out: Tensor, start: Number, end: Number) -> None:
    """The elements of a contiguous tensor become evenly spaced from `start` to `end`, both included.

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
