"""The kernels of two operands: arithmetic and comparisons. Mirrors aten/src/ATen/native/cpu/BinaryOpsKernel.cpp."""

from ..aten.native import binary_ops
from ..dtypes import bool_
from .elementwise import FLOATS, NUMBERS, SAME2, TEST2, Table, register, vec

# Functions of single numbers: inputs, then scalars. Of two bools numba's + is "or" and * is "and".


def add(a, b, alpha):
    """Return a + alpha * b; for bools, + is "or" and * is "and"."""
    return a + b * alpha


def mul(a, b):
    """Return a * b; for bools, * is "and"."""
    return a * b


def div_true(a, b):
    """Return a / b."""
    return a / b


def eq(a, b):
    """Return a == b."""
    return a == b


def ne(a, b):
    """Return a != b."""
    return a != b


def lt(a, b):
    """Return a < b."""
    return a < b


def le(a, b):
    """Return a <= b."""
    return a <= b


def gt(a, b):
    """Return a > b."""
    return a > b


def ge(a, b):
    """Return a >= b."""
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
