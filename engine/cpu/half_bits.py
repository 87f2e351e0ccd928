"""float16 and bfloat16 in compiled code: their bits, uint16, to float32 and back; and what a copy converts.

Each conversion takes a number or a vector. `engine/aten/halves.py` has the same two in NumPy.
Mirrors torch/headeronly/util/{Half,BFloat16}.h and c10::convert (c10/util/TypeCast.h).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import register_jitable

from ..dtypes import DTYPES, HALVES, INTEGRAL, bfloat16, bool_, dtype, float16
from .vectorized import Vectorized, compiled_as, with_dtype

BITS_OF = {kind: kind for kind in DTYPES.values() if not kind.is_floating_point}
BITS_OF |= {kind: DTYPES[f"int{8 * kind.itemsize}"] for kind in DTYPES.values() if kind not in BITS_OF}
"""Dtype -> the one that a kernel that only moves elements runs in: integers of the same width for floats."""
BITS = tuple(dict.fromkeys(BITS_OF.values()))

WORD, HALF_WORD = ir.IntType(32), ir.IntType(16)


def _as(kind: ir.Type, like: ir.Type) -> ir.Type:
    """Return a type of LLVM, or the vector of it with as many lanes as another type has."""
    return ir.VectorType(kind, like.count) if isinstance(like, ir.VectorType) else kind


def _constant(kind: ir.Type, value: int) -> ir.Constant:
    return ir.Constant(kind, [value] * kind.count if isinstance(kind, ir.VectorType) else value)


def _widen_bfloat16(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    word = _as(WORD, bits.type)
    shifted = builder.shl(builder.zext(bits, word), _constant(word, 16))
    return builder.bitcast(shifted, _as(ir.FloatType(), bits.type))


def _narrow_bfloat16(builder: ir.IRBuilder, number: ir.Value) -> ir.Value:
    word = _as(WORD, number.type)
    bits = builder.bitcast(number, word)
    is_odd = builder.and_(builder.lshr(bits, _constant(word, 16)), _constant(word, 1))
    rounded = builder.add(builder.add(bits, _constant(word, 0x7FFF)), is_odd)
    upper = builder.lshr(rounded, _constant(word, 16))
    is_nan = builder.fcmp_unordered("uno", number, number)
    return builder.trunc(builder.select(is_nan, _constant(word, 0x7FC0), upper), _as(HALF_WORD, number.type))


def _widen_float16(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    number = builder.bitcast(bits, _as(ir.HalfType(), bits.type))
    return builder.fpext(number, _as(ir.FloatType(), bits.type))


def _narrow_float16(builder: ir.IRBuilder, number: ir.Value) -> ir.Value:
    return builder.bitcast(builder.fptrunc(number, _as(ir.HalfType(), number.type)), _as(HALF_WORD, number.type))


def _conversion(of: types.Type, to: types.Type, build_one: Callable[..., ir.Value]) -> Callable[[Callable], Callable]:
    """Return a decorator that makes compiled code convert numbers and vectors of one type to another."""

    def typed(value):
        value = types.unliteral(value)
        if (value.dtype if isinstance(value, Vectorized) else value) is not of:
            return None
        return with_dtype(value, to)(value), lambda context, builder, signature, args: build_one(builder, args[0])

    return compiled_as(1, typed)


@_conversion(types.uint16, types.float32, _widen_bfloat16)
def widen_bfloat16(bits):
    """Convert the bits of bfloat16 numbers to float32, without loss."""
    raise NotImplementedError("a function of compiled code")


@_conversion(types.float32, types.uint16, _narrow_bfloat16)
def narrow_bfloat16(number):
    """Round float32 numbers to bfloat16, ties to even, and return the bits."""
    raise NotImplementedError("a function of compiled code")


@_conversion(types.uint16, types.float32, _widen_float16)
def widen_float16(bits):
    """Convert the bits of float16 numbers to float32, without loss."""
    raise NotImplementedError("a function of compiled code")


@_conversion(types.float32, types.uint16, _narrow_float16)
def narrow_float16(number):
    """Round float32 numbers to float16, ties to even, and return the bits."""
    raise NotImplementedError("a function of compiled code")


WIDEN = {float16: widen_float16, bfloat16: widen_bfloat16}
NARROW = {float16: narrow_float16, bfloat16: narrow_bfloat16}

# ---- the functions that a copy converts by


@register_jitable
def same(element):
    """Return the element, which the store converts."""
    return element


@register_jitable
def truncated(number):
    """Return a float cut to an int32, of which an integer of fewer bits takes the lowest, as PyTorch's does."""
    return np.int32(number)


def narrowed(narrow: Callable) -> Callable:
    """Return the function that rounds any number to float32 and then to a half."""

    @register_jitable
    def narrowed_once(number):
        return narrow(np.float32(number))

    return narrowed_once


NARROWED = {kind: narrowed(narrow) for kind, narrow in NARROW.items()}


def is_converted(to: dtype, of: dtype) -> bool:
    """Return True if a copy of elements of dtype `of` to dtype `to` is more than a store."""
    if to is of:
        return False
    is_small = to.category == INTEGRAL and to.itemsize < 4
    return to in HALVES or of in HALVES or (is_small and of.is_floating_point)


def ways(to: dtype, of: dtype) -> tuple[Any, Any]:
    """Return the function that reads an element of dtype `of`, and one that makes an element of dtype `to` of that."""
    write = NARROWED.get(to, truncated if to is not bool_ and to.itemsize < 4 and of.is_floating_point else same)
    return WIDEN.get(of, same), write
