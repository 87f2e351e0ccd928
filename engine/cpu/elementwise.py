"""Elementwise kernels: a table of functions of single numbers, from which `loops` makes loops that `njit` compiles.

The plain loop that the kernel of `add` replaces:

    for to, of_self, of_other in zip(offsets of out, offsets of self, offsets of other):
        out[to] = add(self[of_self], other[of_other], alpha)

Mirrors aten/src/ATen/native/cpu/{BinaryOpsKernel,UnaryOpsKernel,Activation,TensorCompareKernel}.cpp.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from ..aten.native import activation, binary_ops, tensor_compare, unary_ops
from ..aten.stubs import DispatchStub
from ..dtypes import bool_, dtype, float32, float64, int32, int64
from . import cephes, loops
from .loops import Compiled, Kinds

FLOATS = (float32, float64)
INTEGERS = (int32, int64)
NUMBERS = FLOATS + INTEGERS
ALL = (*NUMBERS, bool_)

# ---- functions of single numbers: inputs, then scalars. Of two bools numba's + is "or" and * is "and"


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


def neg(a):
    """-a"""
    return -a


def exp(a):
    """e ** a"""
    return math.exp(a)


def exp_float32(a):
    """e**a of a float32, by a polynomial that compiles to vectors."""
    return cephes.exp(a)


def clamp_min(a, least):
    """a, but at least `least`; nan stays nan."""
    return least if a < least else a


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


def where(condition, a, b):
    """a where the condition holds, else b."""
    return a if condition else b


# ---- how a kernel reads an iterator

Kernel = Callable[..., None]


def unary_kernel(contiguous: Compiled, strided: Compiled) -> Kernel:
    """kernel(iter, *scalars): out = f(a, *scalars) over the iterator's plan and operands."""

    def kernel(iter: Any, *scalars: Any) -> None:
        plan = iter.plan
        out, a = iter.operands
        if plan.is_contiguous:
            loop, walk = contiguous, plan.numel
        else:
            loop, walk = strided, plan.geometry
        to, of_a = out._elements, a._elements
        if to is None or of_a is None:  # looked at first because a call of `_flat` costs as much as a part of the loop
            to, of_a = out._flat(), a._flat()
        loop[a._dtype](to, out._storage_offset, of_a, a._storage_offset, walk, scalars)

    return kernel


def binary_kernel(contiguous: Compiled, strided: Compiled) -> Kernel:
    """kernel(iter, *scalars): out = f(a, b, *scalars) over the iterator's plan and operands."""

    def kernel(iter: Any, *scalars: Any) -> None:
        plan = iter.plan
        out, a, b = iter.operands
        if plan.is_contiguous:
            loop, walk = contiguous, plan.numel
        else:
            loop, walk = strided, plan.geometry
        to, of_a, of_b = out._elements, a._elements, b._elements
        if to is None or of_a is None or of_b is None:
            to, of_a, of_b = out._flat(), a._flat(), b._flat()
        loop[b._dtype](to, out._storage_offset, of_a, a._storage_offset, of_b, b._storage_offset, walk, scalars)

    return kernel


def ternary_kernel(contiguous: Compiled, strided: Compiled) -> Kernel:
    """kernel(iter, *scalars): out = f(a, b, c, *scalars) over the iterator's plan and operands."""

    def kernel(iter: Any, *scalars: Any) -> None:
        plan = iter.plan
        out, a, b, c = iter.operands
        if plan.is_contiguous:
            loop, walk = contiguous, plan.numel
        else:
            loop, walk = strided, plan.geometry
        loop[c._dtype](out._flat(), out._storage_offset, a._flat(), a._storage_offset,
                       b._flat(), b._storage_offset, c._flat(), c._storage_offset, walk, scalars)  # fmt: skip

    return kernel


# ---- the table: None stands for the dtype in which the operation computes

SAME1, SAME2 = (None, None), (None, None, None)
TEST2 = (bool_, None, None)
CHOICE = (None, bool_, None, None)
MAKERS = {2: (loops.unary, unary_kernel), 3: (loops.binary, binary_kernel), 4: (loops.ternary, ternary_kernel)}

KERNELS: tuple[tuple[DispatchStub, str, dict[Kinds, Callable], tuple[dtype | None, ...], int], ...] = (
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
    (unary_ops.neg_stub, "neg_cpu", {NUMBERS: neg}, SAME1, 0),
    (unary_ops.exp_stub, "exp_vml_cpu", {(float32,): exp_float32, (float64,): exp}, SAME1, 0),
    (activation.clamp_min_stub, "clamp_min_cpu", {NUMBERS: clamp_min}, SAME1, 1),
    (tensor_compare.where_stub, "where_cpu", {ALL: where}, CHOICE, 0),
)

for _stub, _name, _functions, _operands, _scalars in KERNELS:
    _make, _kernel = MAKERS[len(_operands)]
    _stub.register("cpu", _kernel(*loops.elementwise(_make, _name, _functions, _operands, _scalars)))
