"""Elementwise kernels: a table of functions of single numbers, from which `loops` makes loops that `njit` compiles.

The plain loop that the kernel of `add` replaces:

    for to, of_self, of_other in zip(offsets of out, offsets of self, offsets of other):
        out[to] = add(self[of_self], other[of_other], alpha)

The tables stand in `binary_ops`, `unary_ops`, `activation` and `tensor_compare`; `register` makes a kernel of each row.
Mirrors cpu_kernel of aten/src/ATen/native/cpu/Loops.h.
"""

from collections.abc import Callable
from typing import Any

from ..aten.stubs import DispatchStub
from ..dtypes import bool_, dtype, float32, float64, int32, int64
from . import loops
from .loops import Compiled, Kinds

FLOATS = (float32, float64)
INTEGERS = (int32, int64)
NUMBERS = FLOATS + INTEGERS
ALL = (*NUMBERS, bool_)

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


# ---- from a table to kernels

# Dtypes of (output, inputs...) in a row; None stands for the dtype in which the operation computes.
SAME1, SAME2, SAME3 = (None,) * 2, (None,) * 3, (None,) * 4
TEST1, TEST2 = (bool_, None), (bool_, None, None)
MAKERS = {2: (loops.unary, unary_kernel), 3: (loops.binary, binary_kernel), 4: (loops.ternary, ternary_kernel)}

Row = tuple[DispatchStub, str, dict[Kinds, Callable], tuple[dtype | None, ...], int]
Table = tuple[Row, ...]


def register(table: Table) -> None:
    """Enter a kernel for the CPU at each stub.

    Args:
        table: rows of (stub, name in messages, {dtypes: function of single numbers}, dtypes of output and inputs, how
            many scalars follow the inputs).
    """
    for stub, name, functions, operands, scalars in table:
        make, kernel = MAKERS[len(operands)]
        stub.register("cpu", kernel(*loops.elementwise(make, name, functions, operands, scalars)))
