"""float16 and bfloat16 as bits: what Python reads and writes of them, by NumPy.

An element of either is a uint16. It widens to a float32 without loss; a float32 narrows to the nearest half, of two to
the even one. A bfloat16 is the upper half of a float32, and a float16 is NumPy's. Compiled code has the same two
conversions in `cpu/half_bits.py`. Mirrors torch/headeronly/util/{Half,BFloat16}.h.
"""

from typing import Any

import numpy as np

from ..dtypes import BESIDE, HALVES, bfloat16, dtype
from ..tensor_impl import Tensor
from .empty_tensor import new_dense


def widen(bits: np.ndarray, kind: dtype) -> np.ndarray:
    """Return the float32 numbers of an array of bits.

    >>> widen(np.array([0x3F80, 0xC000], np.uint16), bfloat16)
    array([ 1., -2.], dtype=float32)
    """
    if kind is bfloat16:
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return bits.view(np.float16).astype(np.float32)


def narrow(values: np.ndarray, kind: dtype) -> np.ndarray:
    """Return the bits of the halves nearest to numbers, which are rounded to float32 first, as PyTorch does.

    Args:
        values: contiguous.

    >>> narrow(np.array([1, 1 + 2**-8, 1 + 3 * 2**-8]), bfloat16).tolist()
    [16256, 16256, 16258]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        values = values.astype(np.float32)
        if kind is bfloat16:
            return narrow_bfloat16(values.view(np.uint32))
        return values.astype(np.float16).view(np.uint16)


def narrow_bfloat16(bits: np.ndarray) -> np.ndarray:
    """Return the bfloat16 bits nearest to float32 bits: the upper half, rounded to nearest, of two to the even one.

    Args:
        bits: uint32.
    Returns:
        uint16. Any NaN becomes 0x7FC0, since rounding could carry one into infinity.

    Source: c10::detail::round_to_nearest_even (torch/headeronly/util/BFloat16.h).
    """
    is_nan = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    is_odd = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = (bits + np.uint32(0x7FFF) + is_odd) >> np.uint32(16)
    return np.where(is_nan, np.uint16(0x7FC0), rounded.astype(np.uint16))


def numbers_of(cells: np.ndarray, kind: dtype) -> np.ndarray:
    """Return the elements in memory as numbers: halves widened, others as they are."""
    return widen(np.ascontiguousarray(cells), kind) if kind in HALVES else cells


def elements_of(numbers: np.ndarray, kind: dtype) -> np.ndarray:
    """Return numbers as elements in the memory of a dtype; those too large for a floating-point one become infinite."""
    if kind in HALVES:
        return narrow(np.ascontiguousarray(numbers), kind)
    with np.errstate(over="ignore"):
        return numbers.astype(kind.storage)


def element_of(number: Any, kind: dtype) -> Any:
    """Return a Python number as an element in the memory of a dtype."""
    return elements_of(np.array([number], np.float64), kind)[0] if kind in HALVES else number


def number_of(element: int, kind: dtype) -> float:
    """Return the Python number of a half's bits."""
    return float(widen(np.array([element], np.uint16), kind)[0])


def as_integers(tensor: Tensor, kind: dtype) -> Tensor:
    """Return a view of a tensor's memory as a dtype of integers of the same width."""
    geometry = tensor._sizes, tensor._strides, tensor._storage_offset
    return Tensor(tensor._storage, *geometry, kind, tensor._key_set)


def cast_half(tensor: Tensor, scalar_type: dtype, is_second: bool) -> Tensor:
    """Return a single element on the CPU in another dtype, of which either is a half; as `iterator.cast_input` does."""
    number = numbers_of(tensor._flat()[tensor._storage_offset :][:1], tensor._dtype)
    made = new_dense((), (), 1, BESIDE[scalar_type] if is_second and scalar_type in HALVES else scalar_type)
    made._flat()[:] = elements_of(number, made._dtype)
    return made
