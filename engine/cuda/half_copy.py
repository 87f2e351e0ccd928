"""Conversions of float16 and bfloat16 on the device, on their bits: numba's device code has no halves.

A half and a float32 are read and written as signed integers of their width, so that the same four functions run on a
GPU, on the simulator and in plain Python. A float32 rounds to the nearest half, of two to the even one.
Mirrors torch/headeronly/util/{Half,BFloat16}.h; a GPU has an instruction, `cvt.rn.f16.f32`, for two of the four.
"""

from collections.abc import Callable

import numpy as np

from ..aten.halves import as_integers
from ..aten.iterator import TensorIterator
from ..dtypes import bfloat16, dtype, float16, float32, int16, int32
from ..tensor_impl import Tensor
from . import loops
from .elementwise import run


def widen_bfloat16(bits):
    """Return the bits of the float32 number that a bfloat16 is: its bits are the upper half of them."""
    return np.int64(bits) << 16


def narrow_bfloat16(word):
    """Return the bits of the bfloat16 nearest to a float32; 0x7FC0 for a NaN, which rounding could make infinite."""
    word = np.int64(word)
    if word & 0x7FFFFFFF > 0x7F800000:
        return np.int64(0x7FC0)
    return (word + 0x7FFF + (word >> 16 & 1)) >> 16


def widen_float16(bits):
    """Return the bits of the float32 number that a float16 is. Its exponent is 112 less; a subnormal gets a larger one.

    >>> hex(widen_float16(0x3C00)), hex(widen_float16(0x0001))  # 1 and 2**-24
    ('0x3f800000', '0x33800000')
    """
    bits = np.int64(bits)
    sign, exponent, fraction = bits >> 15 << 31, bits >> 10 & 31, bits & 0x3FF
    if exponent == 31:  # infinity, or a NaN, which becomes quiet
        return sign | 0x7F800000 | fraction << 13 | (0x400000 if fraction else 0)
    if exponent:
        return sign | exponent + 112 << 23 | fraction << 13
    if not fraction:
        return sign
    exponent = np.int64(113)
    while fraction < 0x400:
        fraction <<= 1
        exponent -= 1
    return sign | exponent << 23 | (fraction & 0x3FF) << 13


def narrow_float16(word):
    """Return the bits of the float16 nearest to a float32; infinite from 65,520 on.

    >>> hex(narrow_float16(0x3F800000)), hex(narrow_float16(0x477FF000))  # 1 and 65,520
    ('0x3c00', '0x7c00')
    """
    word = np.int64(word)
    sign, size = word >> 31 << 15, word & 0x7FFFFFFF
    if size > 0x7F800000:
        return sign | 0x7E00 | size >> 13 & 0x3FF
    if size >= 0x477FF000:
        return sign | 0x7C00
    if size >= 0x38800000:  # 2**-14: not subnormal as a half either
        moved = size - 0x38000000
        return sign | (moved + 0xFFF + (moved >> 13 & 1)) >> 13
    shift = 126 - (size >> 23)  # from units of the float32's last digit to 2**-24
    if shift > 24:
        return sign
    digits = size & 0x7FFFFF | 0x800000
    return sign | (digits + (1 << shift - 1) - 1 + (digits >> shift & 1)) >> shift


WIDEN = {float16: widen_float16, bfloat16: widen_bfloat16}
NARROW = {float16: narrow_float16, bfloat16: narrow_bfloat16}
BITS = {float16: int16, bfloat16: int16, float32: int32}


def conversion(to: dtype, of: dtype) -> Callable | None:
    """Return the function of bits that converts one dtype to another; None if they convert in two steps, or stores."""
    return WIDEN.get(of) if to is float32 else NARROW.get(to) if of is float32 else None


def copy_bits(self: Tensor, src: Tensor, function: Callable) -> None:
    """Write the elements of `src`, broadcast to the sizes of `self` and converted bit by bit, into `self`."""
    iter = TensorIterator.copy_op(*(as_integers(tensor, BITS[tensor._dtype]) for tensor in (self, src)))
    run(iter.plan, iter.operands, loops.instantiate(loops.unary, function), ())
