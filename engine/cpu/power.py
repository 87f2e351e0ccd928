"""Kernels of powers.

The plain loop that they replace:

    for to, of_a, of_b in zip(offsets of out, offsets of self, offsets of exponent):
        out[to] = self[of_a] ** exponent[of_b]

A float to the power of a number that is a root, a square or a reciprocal has a kernel of its own, as in PyTorch, whose
results differ in the last place from the results of the general one.
Mirrors aten/src/ATen/native/cpu/PowKernel.cpp and aten/src/ATen/native/Pow.h.
"""

import math
from typing import Any

import numpy as np

from ..aten.native import pow as native
from ..aten.scalar_ops import checked_convert
from ..aten.stubs import DispatchStub
from ..dtypes import float32, float64
from .elementwise import FLOATS, INTEGERS, NUMBERS, SAME1, SAME2, Table, register
from .vectorized import bits, fmadd

SQRT_HALF = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)
ROUNDING = 6755399441055744.0  # 1.5 * 2**52: added to a small number it leaves the nearest whole one in the low bits

# Functions of single numbers: inputs, then scalars.


def power(a, b):
    """Return a ** b."""
    return math.pow(a, b)


def power_float32(a, b):
    """Return a ** b of float32, computed in float64 as 2 ** (b * log2(abs(a))), by polynomials that vectorize.

    With abs(a) = 2**e * m and m in [sqrt(1/2), sqrt(2)), log2(abs(a)) = e + log2(m), and log2(m) is s * p(s**2) for
    s = (m - 1) / (m + 1). The exponent t is n + f with n whole and abs(f) <= 1/2, so 2**t = 2**n * q(f), where 2**n is
    made by writing n into the bits of a float. The polynomials are minimax fits; p is off by less than 2**-37 of its
    value, q by less than 2**-28.
    """
    x, y = np.float64(abs(a)), np.float64(b)
    places = bits(x) - SQRT_HALF
    e = places >> 52
    m = bits(bits(x) - (e << 52))
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = fmadd(0.3407301066570125, z, 0.4116727187678673)
    p = fmadd(p, z, 0.5770835849751813)
    p = fmadd(p, z, 0.9617966733416875)
    p = fmadd(p, z, 2.8853900817900864)
    log2 = fmadd(p, s, np.float64(e))
    log2 = -np.inf if x == 0.0 else x if x == np.inf else log2
    t = y * log2
    t = 160.0 if t > 160.0 else t  # beyond are infinity and 0
    t = -160.0 if t < -160.0 else t
    shifted = t + ROUNDING
    f = t - (shifted - ROUNDING)
    q = fmadd(0.00015345788945893526, f, 0.0013399957628179669)
    q = fmadd(q, f, 0.009618489244502051)
    q = fmadd(q, f, 0.055503287118024686)
    q = fmadd(q, f, 0.2402264688607895)
    q = fmadd(q, f, 0.6931472057671414)
    q = fmadd(q, f, 1.0000000005550496)
    result = bits(bits(q) + (bits(shifted) << 52))
    result = np.nan if (a != a) | (b != b) else result
    is_whole, is_odd = np.trunc(y) == y, np.trunc(0.5 * y) != 0.5 * y
    result = np.nan if (a < 0) & (x != np.inf) & (not is_whole) else result
    result = math.copysign(result, a) if is_whole & is_odd else result
    result = 1.0 if (y == 0.0) | (a == 1) | ((x == 1.0) & (abs(y) == np.inf)) else result
    return np.float32(result)


def power_integer(a, b):
    """Return a ** b by repeated squaring, wrapping on overflow; for a negative b, 0 unless a is 1 or -1."""
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
    """Return a ** 2."""
    return a * a


def power_cube(a):
    """Return a ** 3."""
    return a * a * a


def power_inverse_square(a):
    """Return a ** -2."""
    return 1 / (a * a)


def power_inverse(a):
    """Return a ** -1."""
    return 1 / a


def power_root(a):
    """Return a ** 0.5."""
    return math.sqrt(a)


def power_inverse_root(a):
    """Return a ** -0.5."""
    return 1 / math.sqrt(a)


SPECIAL = {exponent: DispatchStub(f"pow_{exponent}") for exponent in (2, 3, -2, -1, 0.5, -0.5)}
GENERAL = DispatchStub("pow_scalar")

GENERAL_POWERS = {(float32,): power_float32, (float64,): power, INTEGERS: power_integer}

KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (
        native.pow_tensor_tensor_stub,
        "pow",
        {(float32,): power_float32, (float64,): power, INTEGERS: power_integer},
        SAME2,
        0,
    ),
    (GENERAL, "pow", GENERAL_POWERS, SAME1, 1),
    (SPECIAL[2], "pow", {NUMBERS: power_square}, SAME1, 0),
    (SPECIAL[3], "pow", {NUMBERS: power_cube}, SAME1, 0),
    (SPECIAL[-2], "pow", {FLOATS: power_inverse_square}, SAME1, 0),
    (SPECIAL[-1], "pow", {FLOATS: power_inverse}, SAME1, 0),
    (SPECIAL[0.5], "pow", {FLOATS: power_root}, SAME1, 0),
    (SPECIAL[-0.5], "pow", {FLOATS: power_inverse_root}, SAME1, 0),
)


def pow_tensor_scalar(iter: Any, exponent: float) -> None:
    """Compute out = a ** exponent over the operands of `iter`.

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
