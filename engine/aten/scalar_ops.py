"""A Python number as a tensor. Mirrors aten/src/ATen/ScalarOps.h."""

from ..dtypes import OF_PYTHON
from ..tensor_impl import Tensor
from .empty_tensor import new_dense

Number = bool | int | float


def wrapped_scalar_tensor(number: Number) -> Tensor:
    """A tensor without dimensions that holds `number`, and gives way in type promotion as a Python number does.

    Args:
        number: a bool, an int or a float; it becomes bool, int64 or float64.
    Raises:
        OverflowError: an int of more than 64 bits.
    """
    tensor = new_dense((), (), 1, OF_PYTHON[type(number)])
    tensor._flat()[0] = number
    tensor._wrapped_number = True
    return tensor
