"""A Python number as a tensor, or as the number of a dtype. Mirrors aten/src/ATen/ScalarOps.h."""

import math

import numpy as np

from .. import slots
from ..dtypes import DTYPES, HALVES, INTEGRAL, OF_PYTHON, bool_, dtype, int64, uint8  # noqa: F401 (int64 for the example)
from ..tensor_impl import Tensor
from .empty_tensor import new_dense
from .halves import element_of

Number = bool | int | float

SMALL = 2**24  # integers up to which every dtype of numbers holds
LIMITS = {kind: np.iinfo(kind.storage) for kind in DTYPES.values() if kind.category == INTEGRAL}
INTEGERS = {kind: range(int(limits.min), int(limits.max) + 1) for kind, limits in LIMITS.items()}
WRAPPED = range(-255, 256)  # ints that uint8 takes; one below 0 counts from 256 down


def wrapped_scalar_tensor(number: Number) -> Tensor:
    """Return a zero-dimensional tensor that holds `number`, and counts as a Python number in type promotion.

    Args:
        number: a bool, an int or a float; it becomes bool, int64 or float64.
    Raises:
        OverflowError: an int of more than 64 bits.
    """
    tensor = new_dense((), (), 1, OF_PYTHON[type(number)])
    tensor._flat()[0] = number
    tensor._wrapped_number = True
    return tensor


def scalar_to_tensor(number: Number, scalar_type: dtype) -> Tensor:
    """Return a zero-dimensional CPU tensor that holds `number` in a dtype.

    Raises:
        RuntimeError: the number does not fit.
    """
    tensor = new_dense((), (), 1, scalar_type)
    tensor._flat()[0] = element_of(checked_convert(number, scalar_type), scalar_type)
    return tensor


def checked_convert(value: Number, scalar_type: dtype) -> Number:
    """Convert a number to a dtype: floats are truncated to integers, and any number except 0 is True as a bool.

    Raises:
        RuntimeError: it is outside the range of the dtype; nan and infinities are outside the range of integers.

    >>> checked_convert(-2.7, int64), checked_convert(0.5, bool_)
    (-2, True)

    Source: c10::checked_convert (c10/util/TypeCast.h).
    """
    if type(value) is int and -SMALL <= value <= SMALL and (scalar_type.itemsize > 2 or scalar_type in HALVES):
        return value
    if type(value) is int and scalar_type is uint8 and value in WRAPPED:
        return value & 255
    if scalar_type is bool_:
        return value != 0
    if scalar_type.is_floating_point:
        if -scalar_type.largest <= value <= scalar_type.largest or not math.isfinite(value):
            return value
    elif math.isfinite(value) and INTEGERS[scalar_type][0] <= value <= INTEGERS[scalar_type][-1]:
        return int(value)
    raise RuntimeError(f"value cannot be converted to type {scalar_type.macro_name} without overflow")


slots.wrapped_scalar_tensor.fill(wrapped_scalar_tensor)
