"""The kernels that choose between operands, and whether two are equal everywhere.

Mirrors aten/src/ATen/native/cpu/TensorCompareKernel.cpp, and cpu_equal of aten/src/ATen/native/ReduceOps.cpp.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..aten.native import tensor_compare
from ..dtypes import bool_, dtype
from .elementwise import ALL, NUMBERS, SAME1, SAME3, Table, register
from .loops import GEOMETRY, INDEX, NUMBA, Compiled, advance, rows_of

BLOCK = 4096  # elements that are compared before the first difference ends it

# Functions of single numbers: inputs, then scalars. Of two bools numba's + is "or" and * is "and".


def where(condition, a, b):
    """Return a if the condition is true, else b."""
    return a if condition else b


def clamp(a, least, most):
    """Return min(max(a, least), most); NaN if any of them is NaN."""
    a = least if a < least or least != least else a
    return most if a > most or most != most else a


def clamp_scalar(a, least, most):
    """Return min(max(a, least), most); the bounds are not NaN."""
    a = least if a < least else a
    return most if a > most else a


def clamp_min_scalar(a, least):
    """Return a, but at least `least`; NaN stays NaN."""
    return least if a < least else a


def clamp_max_scalar(a, most):
    """Return a, but at most `most`; NaN stays NaN."""
    return most if a > most else a


KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (tensor_compare.where_stub, "where_cpu", {ALL: where}, (None, bool_, None, None), 0),
    (tensor_compare.clamp_stub, "clamp_cpu", {NUMBERS: clamp}, SAME3, 0),
    (tensor_compare.clamp_scalar_stub, "clamp_scalar_cpu", {NUMBERS: clamp_scalar}, SAME1, 2),
    (tensor_compare.clamp_min_scalar_stub, "clamp_min_scalar_cpu", {NUMBERS: clamp_min_scalar}, SAME1, 1),
    (tensor_compare.clamp_max_scalar_stub, "clamp_max_scalar_cpu", {NUMBERS: clamp_max_scalar}, SAME1, 1),
)

register(KERNELS)

# ---- equal


def all_equal(a, p, b, q, geometry):
    """Return True if all pairs of elements are equal, compared in blocks without branches, which LLVM vectorizes."""
    last = geometry.shape[1] - 1
    index, cells = np.zeros(last, np.int64), np.array((0, p, q))
    n, sa, sb = geometry[0, last], geometry[2, last], geometry[3, last]
    for _ in range(rows_of(geometry)):
        for first in range(0, n, BLOCK):
            count = min(BLOCK, n - first)
            p, q = cells[1] + first * sa, cells[2] + first * sb
            differs = False
            if sa == 1 and sb == 1:
                x, y = a[p : p + count], b[q : q + count]
                for i in range(count):
                    differs |= x[i] != y[i]
            else:
                p, q = np.uintp(p), np.uintp(q)
                for i in range(np.uintp(count)):
                    differs |= a[p + i * np.uintp(sa)] != b[q + i * np.uintp(sb)]
            if differs:
                return False
        advance(index, cells, geometry)
    return True


def equal_signature(kind: dtype) -> tuple:
    """Return numba's types of the arguments of `all_equal`."""
    array = NUMBA[kind][::1]
    return (array, INDEX, array, INDEX, GEOMETRY)


EQUAL = Compiled("equal_cpu", ALL, lambda kind: all_equal, equal_signature)


def equal(iter: Any) -> bool:
    """Return True if two operands of one dtype are equal everywhere."""
    _, a, b = iter.operands
    if not a.numel():
        return True
    compare: Callable[..., bool] = EQUAL[iter.plan.common_dtype]  # type: ignore[assignment]
    return compare(a._flat(), a._storage_offset, b._flat(), b._storage_offset, iter.plan.geometry)


tensor_compare.equal_stub.register("cpu", equal)
