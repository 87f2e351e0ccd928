"""The kernels of two operands: arithmetic and comparisons. Mirrors aten/src/ATen/native/cpu/BinaryOpsKernel.cpp."""

import numpy as np
from numba.extending import register_jitable

from ..aten.native import binary_ops
from .elementwise import ALL, FLOATS, INTEGERS, SAME2, TEST2, Table, register

# Functions of single numbers: inputs, then scalars. Of two bools numba's + is "or" and * is "and".


def add(a, b, alpha):
    """a + alpha * b; of bools: or."""
    return a + b * alpha


def mul(a, b):
    """a * b; of bools: and."""
    return a * b


def div_true(a, b):
    """a / b"""
    return a / b


def div_trunc(a, b):
    """a / b, rounded towards 0."""
    return np.trunc(a / b)


def div_trunc_integer(a, b):
    """a // b, but rounded towards 0."""
    quotient = div_floor_integer(a, b)
    return quotient + (quotient * b != a and (a < 0) != (b < 0))


def div_floor(a, b):
    """Found from the remainder: where `a / b` is rounded up to a whole number, its floor is one too high."""
    if b == 0:
        return a / b
    remainder = np.fmod(a, b)
    quotient = (a - remainder) / b
    if remainder != 0 and (b < 0) != (remainder < 0):
        quotient -= 1
    if quotient == 0:
        return np.copysign(quotient, a / b)
    whole = np.floor(quotient)
    return whole + 1 if quotient - whole > 0.5 else whole


@register_jitable
def div_floor_integer(a, b):
    """a // b; RuntimeError for a divisor of 0."""
    if b == 0:
        raise RuntimeError("ZeroDivisionError")
    return -a if b == -1 else a // b  # the lowest integer over -1 would stop the process


def eq(a, b):
    """a == b"""
    return a == b


def ne(a, b):
    """a != b"""
    return a != b


def lt(a, b):
    """a < b"""
    return a < b


def le(a, b):
    """a <= b"""
    return a <= b


def gt(a, b):
    """a > b"""
    return a > b


def ge(a, b):
    """a >= b"""
    return a >= b


KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (binary_ops.add_stub, "add_stub", {ALL: add}, SAME2, 1),
    (binary_ops.mul_stub, "mul_cpu", {ALL: mul}, SAME2, 0),
    (binary_ops.div_true_stub, "div_cpu", {FLOATS: div_true}, SAME2, 0),
    (binary_ops.div_trunc_stub, "div_trunc_cpu", {FLOATS: div_trunc, INTEGERS: div_trunc_integer}, SAME2, 0),
    (binary_ops.div_floor_stub, "div_floor_cpu", {FLOATS: div_floor, INTEGERS: div_floor_integer}, SAME2, 0),
    (binary_ops.eq_stub, "eq_cpu", {ALL: eq}, TEST2, 0),
    (binary_ops.ne_stub, "ne_cpu", {ALL: ne}, TEST2, 0),
    (binary_ops.lt_stub, "lt_cpu", {ALL: lt}, TEST2, 0),
    (binary_ops.le_stub, "le_cpu", {ALL: le}, TEST2, 0),
    (binary_ops.gt_stub, "gt_cpu", {ALL: gt}, TEST2, 0),
    (binary_ops.ge_stub, "ge_cpu", {ALL: ge}, TEST2, 0),
)

register(KERNELS)
