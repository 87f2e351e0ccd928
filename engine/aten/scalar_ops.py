"""A Python number as a tensor, or as the number of a dtype. Mirrors aten/src/ATen/ScalarOps.h."""

import math

import numpy as np

from ..dtypes import OF_PYTHON, bool_, dtype, float32, float64, int32, int64
from ..tensor_impl import Tensor
from .empty_tensor import new_dense

Number = bool | int | float

C_NAMES = {int64: "int64_t", int32: "int", float64: "double", float32: "float"}
LARGEST = {scalar_type: float(np.finfo(scalar_type.numpy).max) for scalar_type in (float64, float32)}
SMALL = 2**24  # integers up to which every dtype of numbers holds
INTEGERS = {int64: range(-(2**63), 2**63), int32: range(-(2**31), 2**31)}


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
    tensor._flat()[0] = checked_convert(number, scalar_type)
    return tensor


def checked_convert(value: Number, scalar_type: dtype) -> Number:
    """Convert a number to a dtype: floats are truncated to integers, and any number except 0 is True as a bool.

    Raises:
        RuntimeError: it is outside the range of the dtype; nan and infinities are outside the range of integers.

    >>> checked_convert(-2.7, int64), checked_convert(0.5, bool_)
    (-2, True)

    Source: c10::checked_convert (c10/util/TypeCast.h).
    """
    if type(value) is int and -SMALL <= value <= SMALL and scalar_type is not bool_:
        return value
    if scalar_type is bool_:
        return value != 0
    if scalar_type.is_floating_point:
        if -LARGEST[scalar_type] <= value <= LARGEST[scalar_type] or not math.isfinite(value):
            return value
    elif math.isfinite(value) and int(value) in INTEGERS[scalar_type]:
        return int(value)
    raise RuntimeError(f"value cannot be converted to type {C_NAMES[scalar_type]} without overflow")
