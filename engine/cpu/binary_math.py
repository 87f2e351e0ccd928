"""Kernels of two operands beyond arithmetic: the larger one, remainders, bits, angles, logarithms of sums.

The plain loop that each replaces:

    for to, of_a, of_b in zip(offsets of out, offsets of a, offsets of b):
        out[to] = f(a[of_a], b[of_b])

Mirrors aten/src/ATen/native/cpu/BinaryOpsKernel.cpp.
"""

import math
from collections.abc import Callable

import numpy as np
from numba.extending import register_jitable

from ..aten.native import binary_math, bitwise_ops
from ..dtypes import bool_, float32, float64, int64
from . import sleef
from .elementwise import ALL, FLOATS, INTEGERS, SAME2, TEST2, Table, register
from .float_bits import copysign as copysign_of
from .float_bits import fabs, fma, like

BITS = (*INTEGERS, bool_)
INTS = tuple(kind for kind in INTEGERS if kind is not int64)
HALF_PI, LN2 = math.pi / 2, math.log(2)

# ---- the larger and the smaller one; NaN is not equal to itself


def maximum(a, b):
    """Return the larger of a and b; NaN if either is NaN."""
    return a if a > b or a != a else b


def minimum(a, b):
    """Return the smaller of a and b; NaN if either is NaN."""
    return a if a < b or a != a else b


def fmax(a, b):
    """Return the larger of a and b; NaN only if both are NaN."""
    return a if a > b or b != b else b


def fmin(a, b):
    """Return the smaller of a and b; NaN only if both are NaN."""
    return a if a < b or b != b else b


# ---- common divisors


def gcd(a, b):
    """Return the greatest common divisor; if abs() of an operand overflows, the sign follows C's remainder."""
    a, b = abs(a), abs(b)
    is_below = (a < 0) | (b < 0)
    while a != 0:
        r = b % a
        a, b = (r - a if is_below and r != 0 and (b < 0) != (a < 0) else r), a
    return b


@register_jitable
def over_gcd(a, b):
    """Return the quotient of a by the greatest common divisor of a and b, of which neither is 0."""
    x, y = abs(a), abs(b)
    is_below = (x < 0) | (y < 0)
    while x != 0:
        r = y % x
        x, y = (r - x if is_below and r != 0 and (y < 0) != (x < 0) else r), x
    return -a if y == -1 else a // y  # the smallest int has no quotient by -1


def lcm(a, b):
    """Return the least common multiple of a and b, which wraps on overflow, as a product does."""
    return a - a if a == 0 or b == 0 else abs(like(b, over_gcd(a, b) * b))


def lcm_of_int(a, b):
    """Return the least common multiple of integers that C computes with as ints: of fewer bits, the lowest are kept."""
    return a - a if a == 0 or b == 0 else like(b, abs(np.int32(over_gcd(a, b) * b)))


# ---- bits


def bitwise_and(a, b):
    """Return a & b."""
    return a & b


def bitwise_or(a, b):
    """Return a | b."""
    return a | b


def bitwise_xor(a, b):
    """Return a ^ b."""
    return a ^ b


def left_shift(width: int) -> Callable:
    """Return the function a << b of integers with `width` bits; it gives 0 if `b` is negative or at least `width`."""

    def lshift(a, b):
        return a << b if 0 <= b < width else a - a

    return lshift


def right_shift(most: int) -> Callable:
    """Return the function a >> b, an arithmetic shift; by `most`, all but the sign, if `b` is negative or not below."""

    def rshift(a, b):
        return a >> (b if 0 <= b < most else b - b + most)

    return rshift


LEFT = {(kind,): left_shift(8 * kind.itemsize) for kind in INTEGERS}
RIGHT = {(kind,): right_shift(8 * kind.itemsize - kind.is_signed) for kind in INTEGERS}


# ---- truth


def logical_and(a, b):
    """Return True if both a and b are nonzero."""
    return (a != 0) & (b != 0)


def logical_or(a, b):
    """Return True if a or b is nonzero."""
    return (a != 0) | (b != 0)


def logical_xor(a, b):
    """Return True if exactly one of a and b is nonzero."""
    return (a != 0) ^ (b != 0)


# ---- functions of two floats


def atan2(a, b):
    """Return the angle of the point (b, a)."""
    return math.atan2(a, b)


def atan2_float32(a, b):
    """Return the angle of the point (b, a), computed in float64 by a minimax polynomial of a slope in [0, 1].

    Two zeros have the slope 0, and two infinities 1. The polynomial is atan(t) / t of t**2, off by less than 2**-28.
    """
    y, x = np.float64(fabs(a)), np.float64(fabs(b))
    is_steep = y > x
    over, under = (x, y) if is_steep else (y, x)
    t = 1.0 if over == np.inf else 0.0 if under == 0.0 else over / under
    z = t * t
    p = fma(-0.0017539301381738332, z, 0.010726944052174139)
    p = fma(p, z, -0.030804597253970355)
    p = fma(p, z, 0.05755210233346757)
    p = fma(p, z, -0.08377315480569462)
    p = fma(p, z, 0.10942030680749665)
    p = fma(p, z, -0.14261933109069955)
    p = fma(p, z, 0.19998266041838228)
    p = fma(p, z, -0.3333328364170626)
    angle = fma(p, z, 0.9999999976306289) * t
    angle = HALF_PI - angle if is_steep else angle
    angle = 2.0 * HALF_PI - angle if copysign_of(1.0, np.float64(b)) < 0.0 else angle
    angle = np.float64(a) + np.float64(b) if (a != a) | (b != b) else angle
    return np.float32(copysign_of(angle, np.float64(a)))


def hypot(a, b):
    """Return sqrt(a * a + b * b), without intermediate overflow."""
    return math.hypot(a, b)


def hypot_float32(a, b):
    """Return sqrt(a * a + b * b), computed in float64, where the squares do not overflow; infinity if a or b is."""
    x, y = np.float64(a), np.float64(b)
    length = math.sqrt(x * x + y * y)
    return np.float32(np.inf if (fabs(x) == np.inf) | (fabs(y) == np.inf) else length)


def logaddexp(a, b):
    """Return log(e ** a + e ** b), or a if a and b are the same infinity."""
    larger = a if a > b or a != a else b
    total = larger + sleef.log1p(sleef.exp(-fabs(a - b)))
    return a if (a == b) & (fabs(a) == np.inf) else total


def logaddexp2(a, b):
    """Return log2(2 ** a + 2 ** b), or a if a and b are the same infinity."""
    larger = a if a > b or a != a else b
    total = larger + sleef.log1p(sleef.exp2(-fabs(a - b))) * like(a, 1 / LN2)
    return a if (a == b) & (fabs(a) == np.inf) else total


def xlogy(a, b):
    """Return a * log(b), or 0 if `a` is 0 and `b` is not NaN."""
    product = a * sleef.log(b)
    product = like(a, 0) if a == 0 else product
    return b if b != b else product


def copysign(a, b):
    """Return abs(a) with the sign of b."""
    return copysign_of(a, b)


def nextafter(a, b):
    """Return the next representable number after `a` in the direction of `b`."""
    return np.nextafter(a, b)


def heaviside(a, b):
    """Return b if `a` is 0, 1 if `a` is positive, else 0."""
    return b if a == 0 else (a > 0)


KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (binary_math.maximum_stub, "maximum_cpu", {ALL: maximum}, SAME2, 0),
    (binary_math.minimum_stub, "minimum_cpu", {ALL: minimum}, SAME2, 0),
    (binary_math.fmax_stub, "fmax_cpu", {ALL: fmax}, SAME2, 0),
    (binary_math.fmin_stub, "fmin_cpu", {ALL: fmin}, SAME2, 0),
    (binary_math.gcd_stub, "gcd_cpu", {INTEGERS: gcd}, SAME2, 0),
    (binary_math.lcm_stub, "lcm_cpu", {INTS: lcm_of_int, (int64,): lcm}, SAME2, 0),
    (bitwise_ops.bitwise_and_stub, "bitwise_and_cpu", {BITS: bitwise_and}, SAME2, 0),
    (bitwise_ops.bitwise_or_stub, "bitwise_or_cpu", {BITS: bitwise_or}, SAME2, 0),
    (bitwise_ops.bitwise_xor_stub, "bitwise_xor_cpu", {BITS: bitwise_xor}, SAME2, 0),
    (bitwise_ops.lshift_stub, "lshift_cpu", LEFT, SAME2, 0),
    (bitwise_ops.rshift_stub, "rshift_cpu", RIGHT, SAME2, 0),
    (bitwise_ops.logical_and_stub, "logical_and_cpu", {ALL: logical_and}, TEST2, 0),
    (bitwise_ops.logical_or_stub, "logical_or_cpu", {ALL: logical_or}, TEST2, 0),
    (bitwise_ops.logical_xor_stub, "logical_xor_cpu", {ALL: logical_xor}, TEST2, 0),
    (binary_math.atan2_stub, "atan2_cpu", {(float32,): atan2_float32, (float64,): atan2}, SAME2, 0),
    (binary_math.hypot_stub, "hypot_cpu", {(float32,): hypot_float32, (float64,): hypot}, SAME2, 0),
    (binary_math.logaddexp_stub, "logaddexp_cpu", {FLOATS: logaddexp}, SAME2, 0),
    (binary_math.logaddexp2_stub, "logaddexp2_cpu", {FLOATS: logaddexp2}, SAME2, 0),
    (binary_math.xlogy_stub, "xlogy_cpu", {FLOATS: xlogy}, SAME2, 0),
    (binary_math.copysign_stub, "copysign_cpu", {FLOATS: copysign}, SAME2, 0),
    (binary_math.nextafter_stub, "nextafter_cpu", {FLOATS: nextafter}, SAME2, 0),
    (binary_math.heaviside_stub, "heaviside_cpu", {ALL: heaviside}, SAME2, 0),
)

register(KERNELS)
