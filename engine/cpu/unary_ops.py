"""The kernels of one operand. Mirrors aten/src/ATen/native/cpu/UnaryOpsKernel.cpp."""

import math

from ..aten.native import unary_ops
from ..dtypes import float32, float64
from . import cephes
from .elementwise import NUMBERS, SAME1, Table, register

# Functions of single numbers: inputs, then scalars. Of two bools numba's + is "or" and * is "and".


def neg(a):
    """-a"""
    return -a


def exp(a):
    """e ** a"""
    return math.exp(a)


def exp_float32(a):
    """e**a of a float32, by a polynomial that compiles to vectors."""
    return cephes.exp(a)


KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (unary_ops.neg_stub, "neg_cpu", {NUMBERS: neg}, SAME1, 0),
    (unary_ops.exp_stub, "exp_vml_cpu", {(float32,): exp_float32, (float64,): exp}, SAME1, 0),
)

register(KERNELS)
