"""Kernels of powers.

The plain loop that they replace:

    for to, of_a, of_b in zip(offsets of out, offsets of self, offsets of exponent):
        out[to] = self[of_a] ** exponent[of_b]

A float to the power of a number that is a root, a square or a reciprocal has a kernel of its own, as in PyTorch, whose
results differ in the last place from those of the general one.
Mirrors aten/src/ATen/native/cpu/PowKernel.cpp and aten/src/ATen/native/Pow.h.
"""

import math
from typing import Any

from ..aten.native import pow as native
from ..aten.scalar_ops import checked_convert
from ..aten.stubs import DispatchStub
from .elementwise import FLOATS, INTEGERS, NUMBERS, SAME1, SAME2, Table, register

# Functions of single numbers: inputs, then scalars.


def power(a, b):
    """a ** b"""
    return math.pow(a, b)


def power_integer(a, b):
    """a ** b by squaring, which wraps; of a negative b only 1 and -1 have powers other than 0."""
    if b < 0:
        return a if a == -1 and b % 2 else a * a if a == -1 or a == 1 else a - a
    result = a - a + 1
    while b:
        if b & 1:
            result *= a
        a *= a
        b >>= 1
    return result


def power_square(a):
    """a ** 2"""
    return a * a


def power_cube(a):
    """a ** 3"""
    return a * a * a


def power_inverse_square(a):
    """a ** -2"""
    return 1 / (a * a)


def power_inverse(a):
    """a ** -1"""
    return 1 / a


def power_root(a):
    """a ** 0.5"""
    return math.sqrt(a)


def power_inverse_root(a):
    """a ** -0.5"""
    return 1 / math.sqrt(a)


SPECIAL = {exponent: DispatchStub(f"pow_{exponent}") for exponent in (2, 3, -2, -1, 0.5, -0.5)}
GENERAL = DispatchStub("pow_scalar")

KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (native.pow_tensor_tensor_stub, "pow", {FLOATS: power, INTEGERS: power_integer}, SAME2, 0),
    (GENERAL, "pow", {FLOATS: power, INTEGERS: power_integer}, SAME1, 1),
    (SPECIAL[2], "pow", {NUMBERS: power_square}, SAME1, 0),
    (SPECIAL[3], "pow", {NUMBERS: power_cube}, SAME1, 0),
    (SPECIAL[-2], "pow", {FLOATS: power_inverse_square}, SAME1, 0),
    (SPECIAL[-1], "pow", {FLOATS: power_inverse}, SAME1, 0),
    (SPECIAL[0.5], "pow", {FLOATS: power_root}, SAME1, 0),
    (SPECIAL[-0.5], "pow", {FLOATS: power_inverse_root}, SAME1, 0),
)


def pow_tensor_scalar(iter: Any, exponent: float) -> None:
    """kernel(iter, exponent): out = a ** exponent.

    Raises:
        RuntimeError: the exponent is outside the range of the dtype.
    """
    special = SPECIAL.get(exponent)
    if special is not None:
        special.kernels["cpu"](iter)
    else:
        GENERAL.kernels["cpu"](iter, checked_convert(exponent, iter.plan.common_dtype))


register(KERNELS)
native.pow_tensor_scalar_stub.register("cpu", pow_tensor_scalar)
