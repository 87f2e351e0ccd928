"""One number into every element of any geometry. Mirrors aten/src/ATen/native/cpu/FillKernel.cpp."""

import math

import numpy as np

from ..aten.native.fill import fill_stub
from ..dtypes import bool_, dtype, float32, float64, int32, int64
from ..tensor_impl import Tensor
from .copy import plan_walk, strided_copy


def fill_kernel(self: Tensor, value: bool | int | float) -> None:
    """Write one number into every element.

    Raises:
        RuntimeError: the number does not fit the dtype.
    """
    value = checked_convert(value, self._dtype)
    sizes, strides, first = self._sizes, self._strides, self._storage_offset
    if 0 in sizes:
        return
    run, _, _ = plan_walk(sizes, strides, (0,) * len(sizes))
    if run:
        self._flat()[first : first + run] = value
    else:
        strided_copy(sizes, self._flat(), first, strides, np.array([value], self._dtype.numpy), 0, (0,) * len(sizes))


C_NAMES = {int64: "int64_t", int32: "int", float64: "double", float32: "float"}
LARGEST = {kind: float(np.finfo(kind.numpy).max) for kind in (float64, float32)}
INTEGERS = {int64: range(-(2**63), 2**63), int32: range(-(2**31), 2**31)}


def checked_convert(value: bool | int | float, kind: dtype) -> bool | int | float:
    """A Python number as a dtype takes it: floats lose their fraction in integers, everything but 0 is True as a bool.

    Raises:
        RuntimeError: it is outside the range of the dtype; nan and infinities are outside that of integers.

    >>> checked_convert(-2.7, int64), checked_convert(0.5, bool_)
    (-2, True)

    Source: c10::checked_convert (c10/util/TypeCast.h).
    """
    if kind is bool_:
        return value != 0
    if kind.is_floating_point:
        if -LARGEST[kind] <= value <= LARGEST[kind] or not math.isfinite(value):
            return value
    elif math.isfinite(value) and int(value) in INTEGERS[kind]:
        return int(value)
    raise RuntimeError(f"value cannot be converted to type {C_NAMES[kind]} without overflow")


fill_stub.register("cpu", fill_kernel)
