"""Kernels of the numbers in a row. Mirrors aten/src/ATen/native/cuda/RangeFactories.cu."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..aten.iterator import TensorIterator
from ..aten.native.range_factories import arange_stub, linspace_stub
from ..aten.scalar_ops import checked_convert
from ..tensor_impl import Tensor
from . import loops
from .elementwise import run

Number = bool | int | float

# Functions of an index, then of scalars.


def arange(i, start, step):
    """Return start + i * step."""
    return start + i * step


def linspace(i, start, end, step, half, last):
    """Return start + i * step in the first half, and count down from `end` in the second, so that `end` is exact."""
    return start + step * type(step)(i) if i < half else end - step * type(step)(last - i)


def write(out: Tensor, f: Callable, *scalars: Any) -> None:
    """Write f(i, *scalars) into each element i of a contiguous tensor."""
    iter = TensorIterator.nullary_op(out)
    run(iter.plan, iter.operands, loops.instantiate(loops.nullary, f), scalars)


def arange_kernel(out: Tensor, start: Number, step: Number) -> None:
    """Write start + i * step into element i of a contiguous tensor, computed in float64 or int64, rounded once."""
    wide = np.float64 if out._dtype.is_floating_point else np.int64
    write(out, arange, wide(start), wide(step))


def linspace_kernel(out: Tensor, start: Number, end: Number) -> None:
    """Fill a contiguous tensor with numbers evenly spaced from `start` to `end`, inclusive.

    Raises:
        RuntimeError: `start` or `end` is outside the range of the dtype.
    """
    count = out.numel()
    if not count:
        return
    wide = out._dtype.numpy.type if out._dtype.is_floating_point else np.float64
    begin, last = (wide(checked_convert(value, out._dtype)) for value in (start, end if count > 1 else start))
    with np.errstate(all="ignore"):
        step = (last - begin) / wide(max(count - 1, 1))
    write(out, linspace, begin, last, step, max(count // 2, 1), count - 1)


arange_stub.register("cuda", arange_kernel)
linspace_stub.register("cuda", linspace_kernel)
