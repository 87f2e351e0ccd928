"""The kernels of one operand. Mirrors aten/src/ATen/native/cpu/UnaryOpsKernel.cpp."""

import math

import numpy as np

from ..aten.native import unary_ops, unary_others
from ..dtypes import bool_, float32, float64
from . import sleef, sleef_inverse
from .elementwise import ALL, FLOATS, INTEGERS, NUMBERS, SAME1, TEST1, Table, register
from .float_bits import bits_of, fabs, like, select

# Functions of single numbers: inputs, then scalars. Those in `sleef` are in their table already. `like(a, 1)` is 1 in
# the dtype of a; of a float32 and an int numba would make a float64.


def same(a):
    """Return a unchanged: an integer is its own rounding, and a bool its own sign."""
    return a


def neg(a):
    """Return -a."""
    return -a


def abs(a):
    """Return the absolute value of an integer."""
    return -a if a < 0 else a


def abs_float(a):
    """Return the absolute value of a float, by clearing its sign bit."""
    return fabs(a)


def sign(a):
    """Return the sign of a as -1, 0 or 1; 0 for nan."""
    return (a > 0) - (a < 0)


def sqrt(a):
    """Return the square root of a."""
    return math.sqrt(a)


def rsqrt(a):
    """Return 1 / sqrt(a)."""
    return like(a, 1) / math.sqrt(a)


def reciprocal(a):
    """Return 1 / a."""
    return like(a, 1) / a


def exp(a):
    """Return e**a."""
    return sleef.exp(a)


def floor(a):
    """Return the largest whole number that is not above a."""
    return np.floor(a)


def ceil(a):
    """Return the smallest whole number that is not below a."""
    return np.ceil(a)


def trunc(a):
    """Return a, rounded toward 0."""
    return np.trunc(a)


def round(a):
    """Return a, rounded to the nearest whole number, with ties to even."""
    return np.rint(a)


def round_decimals(a, power, is_negative):
    """Return a rounded to a multiple of 1 / power, or of power if `is_negative`."""
    return np.rint(a / power) * power if is_negative else np.rint(a * power) / power


def invert(a):
    """Return a with all bits inverted."""
    return ~a


def logical_not(a):
    """Return True if a is 0."""
    return a == 0


def frac(a):
    """Return a - trunc(a)."""
    return a - np.trunc(a)


def nan_to_num(a, nan, posinf, neginf):
    """Return a, or one of three replacements for nan, infinity and -infinity."""
    number = select(a == like(a, np.inf), posinf, select(a == like(a, -np.inf), neginf, a))
    return select(a == a, number, nan)


def logit(a, least, most):
    """Return log(b / (1 - b)), where b is a, clamped to `least` and `most`."""
    return sleef_inverse.logit(select(a < least, least, select(a > most, most, a)))


def signbit(a):
    """Return True if the sign bit of a float is set."""
    return bits_of(a) < 0


def is_negative(a):
    """Return True if an integer is negative."""
    return a < 0


def isposinf(a):
    """Return True if a is infinity."""
    return a == np.inf


def isneginf(a):
    """Return True if a is -infinity."""
    return a == -np.inf


def false(a):
    """Return False, for dtypes whose elements never pass the test."""
    return False


KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (unary_ops.neg_stub, "neg_cpu", {NUMBERS: neg}, SAME1, 0),
    (unary_ops.abs_stub, "abs_cpu", {FLOATS: abs_float, INTEGERS: abs}, SAME1, 0),
    (unary_ops.sign_stub, "sign_cpu", {NUMBERS: sign, (bool_,): same}, SAME1, 0),
    (unary_ops.sqrt_stub, "sqrt_vml_cpu", {FLOATS: sqrt}, SAME1, 0),
    (unary_ops.rsqrt_stub, "rsqrt_vml_cpu", {FLOATS: rsqrt}, SAME1, 0),
    (unary_ops.reciprocal_stub, "reciprocal_cpu", {FLOATS: reciprocal}, SAME1, 0),
    (unary_ops.exp_stub, "exp_vml_cpu", {FLOATS: exp}, SAME1, 0),
    (unary_ops.exp2_stub, "exp2", {FLOATS: sleef.exp2}, SAME1, 0),
    (unary_ops.expm1_stub, "expm1_vml_cpu", {FLOATS: sleef.expm1}, SAME1, 0),
    (unary_ops.log_stub, "log_vml_cpu", {FLOATS: sleef.log}, SAME1, 0),
    (unary_ops.log2_stub, "log2_vml_cpu", {FLOATS: sleef.log2}, SAME1, 0),
    (unary_ops.log10_stub, "log10_vml_cpu", {FLOATS: sleef.log10}, SAME1, 0),
    (unary_ops.log1p_stub, "log1p_vml_cpu", {FLOATS: sleef.log1p}, SAME1, 0),
    (unary_ops.tanh_stub, "tanh_vml_cpu", {FLOATS: sleef.tanh}, SAME1, 0),
    (unary_ops.sigmoid_stub, "sigmoid_cpu", {FLOATS: sleef.sigmoid}, SAME1, 0),
    (unary_ops.erf_stub, "erf_vml_cpu", {(float32,): sleef.erf_float32, (float64,): sleef.erf_float64}, SAME1, 0),
    (unary_ops.asin_stub, "asin_vml_cpu", {FLOATS: sleef_inverse.asin}, SAME1, 0),
    (unary_ops.acos_stub, "acos_vml_cpu", {FLOATS: sleef_inverse.acos}, SAME1, 0),
    (unary_ops.atan_stub, "atan_vml_cpu", {FLOATS: sleef_inverse.atan}, SAME1, 0),
    (unary_ops.sinh_stub, "sinh_vml_cpu", {FLOATS: sleef_inverse.sinh}, SAME1, 0),
    (unary_ops.cosh_stub, "cosh_vml_cpu", {FLOATS: sleef_inverse.cosh}, SAME1, 0),
    (unary_ops.asinh_stub, "asinh_cpu", {FLOATS: sleef_inverse.asinh}, SAME1, 0),
    (unary_ops.acosh_stub, "acosh_cpu", {FLOATS: sleef_inverse.acosh}, SAME1, 0),
    (unary_ops.atanh_stub, "atanh_cpu", {FLOATS: sleef_inverse.atanh}, SAME1, 0),
    (unary_ops.erfc_stub, "erfc_vml_cpu", {FLOATS: sleef_inverse.erfc}, SAME1, 0),
    (unary_ops.frac_stub, "frac_cpu", {FLOATS: frac}, SAME1, 0),
    (unary_others.nan_to_num_stub, "nan_to_num", {FLOATS: nan_to_num}, SAME1, 3),
    (unary_others.logit_stub, "logit_cpu", {FLOATS: logit}, SAME1, 2),
    (unary_others.signbit_stub, "signbit_cpu", {FLOATS: signbit, INTEGERS: is_negative, (bool_,): false}, TEST1, 0),
    (unary_others.isposinf_stub, "isposinf_cpu", {FLOATS: isposinf, (*INTEGERS, bool_): false}, TEST1, 0),
    (unary_others.isneginf_stub, "isneginf_cpu", {FLOATS: isneginf, (*INTEGERS, bool_): false}, TEST1, 0),
    (unary_ops.floor_stub, "floor_vml_cpu", {FLOATS: floor, INTEGERS: same}, SAME1, 0),
    (unary_ops.ceil_stub, "ceil_vml_cpu", {FLOATS: ceil, INTEGERS: same}, SAME1, 0),
    (unary_ops.trunc_stub, "trunc_vml_cpu", {FLOATS: trunc, INTEGERS: same}, SAME1, 0),
    (unary_ops.round_stub, "round_vml_cpu", {FLOATS: round, INTEGERS: same}, SAME1, 0),
    (unary_ops.round_decimals_stub, "round_cpu", {FLOATS: round_decimals}, SAME1, 2),
    (unary_ops.bitwise_not_stub, "bitwise_not_cpu", {INTEGERS: invert, (bool_,): logical_not}, SAME1, 0),
    (unary_ops.logical_not_stub, "logical_not_cpu", {ALL: logical_not}, TEST1, 0),
)

register(KERNELS)
