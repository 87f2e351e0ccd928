"""The kernels of two operands: arithmetic and comparisons. Mirrors aten/src/ATen/native/cpu/BinaryOpsKernel.cpp."""

from ..aten.native import binary_ops
from ..dtypes import bool_
from .elementwise import FLOATS, NUMBERS, SAME2, TEST2, Table, register, vec

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
    (binary_ops.add_stub, "add_stub", {NUMBERS: vec(add), (bool_,): add}, SAME2, 1),
    (binary_ops.mul_stub, "mul_cpu", {NUMBERS: vec(mul), (bool_,): mul}, SAME2, 0),
    (binary_ops.div_true_stub, "div_cpu", {FLOATS: vec(div_true)}, SAME2, 0),
    (binary_ops.eq_stub, "eq_cpu", {NUMBERS: vec(eq), (bool_,): eq}, TEST2, 0),
    (binary_ops.ne_stub, "ne_cpu", {NUMBERS: vec(ne), (bool_,): ne}, TEST2, 0),
    (binary_ops.lt_stub, "lt_cpu", {NUMBERS: vec(lt), (bool_,): lt}, TEST2, 0),
    (binary_ops.le_stub, "le_cpu", {NUMBERS: vec(le), (bool_,): le}, TEST2, 0),
    (binary_ops.gt_stub, "gt_cpu", {NUMBERS: vec(gt), (bool_,): gt}, TEST2, 0),
    (binary_ops.ge_stub, "ge_cpu", {NUMBERS: vec(ge), (bool_,): ge}, TEST2, 0),
)

register(KERNELS)
