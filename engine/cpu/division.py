"""Kernels of division that rounds, and of what it leaves: //, %, fmod.

The plain loop that each replaces:

    for to, of_a, of_b in zip(offsets of out, offsets of a, offsets of b):
        out[to] = f(a[of_a], b[of_b])

Quotients are found by dividing floats, which compiles to vectors, where integers and `fmod` of C go one by one; what
rounding does to them is put right by the remainder, which is exact. Divisors are searched for a 0 beforehand.
Mirrors aten/src/ATen/native/cpu/BinaryOpsKernel.cpp.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from ..aten.native import binary_math, binary_ops
from ..aten.stubs import DispatchStub
from ..dtypes import dtype, float32, float64, int64
from .elementwise import FLOATS, INTEGERS, SAME2, Table, register
from .loops import GEOMETRY, INDEX, NUMBA, Compiled, advance, rows_of
from .vectorized import fmadd

inlined = register_jitable(forceinline=True)

# ---- integers: quotient and remainder, rounded to 0; the divisor is not 0


@inlined
def divide_int32(a, b):
    """Return (q, r) with a == q * b + r, by a division in float64, which is precise enough for int32."""
    q = np.int64(np.float64(a) / np.float64(b))
    return q, a - q * b


@inlined
def divide_int64(a, b):
    """Return (q, r) with a == q * b + r in wrapping int64 arithmetic.

    A quotient of floats is off by as much as 2**-52 of itself; the quotient of the remainder is off by 1 at most.
    The lowest integer over -1 would not fit in a float's quotient, so -1 is divided by as 1.
    """
    divisor = 1 if b == -1 else b
    y = np.float64(divisor)
    q = np.int64(np.float64(a) / y)
    q += np.int64(np.float64(a - q * divisor) / y)
    r = a - q * divisor
    is_over = (r != 0) & ((r ^ a) < 0)
    step = 1 if (a ^ divisor) >= 0 else -1
    q = q - step if is_over else q
    r = r + step * divisor if is_over else r
    return -q if b == -1 else q, r


@inlined
def goes_below(r, b):
    """Return True if a / b rounded down is one less than a / b rounded toward 0, given the remainder `r`."""
    return (r != 0) & ((r ^ b) < 0)


def div_trunc_int32(a, b):
    """Return a / b, rounded toward 0."""
    return divide_int32(a, b)[0]


def div_trunc_int64(a, b):
    """Return a / b, rounded toward 0."""
    return divide_int64(a, b)[0]


def div_floor_int32(a, b):
    """Return a / b, rounded down."""
    q, r = divide_int32(a, b)
    return q - 1 if goes_below(r, b) else q


def div_floor_int64(a, b):
    """Return a / b, rounded down."""
    q, r = divide_int64(a, b)
    return q - 1 if goes_below(r, b) else q


def fmod_int32(a, b):
    """Return the remainder of a / b, with the sign of a."""
    return divide_int32(a, b)[1]


def fmod_int64(a, b):
    """Return the remainder of a / b, with the sign of a."""
    return divide_int64(a, b)[1]


def remainder_int32(a, b):
    """Return the remainder of a / b, with the sign of b."""
    r = divide_int32(a, b)[1]
    return r + b if goes_below(r, b) else r


def remainder_int64(a, b):
    """Return the remainder of a / b, with the sign of b."""
    r = divide_int64(a, b)[1]
    return r + b if goes_below(r, b) else r


# ---- floats


@inlined
def fmod_step(r, y, inverse):
    """Return r - q * y exactly, for a whole q near r / y: a result smaller than y, or 2**52 times smaller than r."""
    return fmadd(-np.trunc(r * inverse), y, r)


def fmod_float32(a, b):
    """Return the remainder of a / b, with the sign of a, by six exact steps in float64: the quotient of two
    float32 numbers is less than 2**(6 * 52)."""
    x, y = np.float64(abs(a)), np.float64(abs(b))
    inverse = 1.0 / y
    r = fmod_step(x, y, inverse)
    r = fmod_step(r, y, inverse)
    r = fmod_step(r, y, inverse)
    r = fmod_step(r, y, inverse)
    r = fmod_step(r, y, inverse)
    r = fmod_step(r, y, inverse)
    r = r + y if r < 0.0 else r
    r = r - y if r >= y else r
    r = x if (y == np.inf) & (x < np.inf) else r
    return np.float32(math.copysign(r, a))


def fmod_float64(a, b):
    """Return the remainder of a / b, with the sign of a."""
    x, y = abs(a), abs(b)
    q = x / y
    if not q < 2.0**53 or y == np.inf:
        return np.fmod(a, b)
    r = fmadd(-np.trunc(q), y, x)  # exact, because the quotient is rounded to the nearest
    return math.copysign(r + y if r < 0.0 else r, a)


of_float32, of_float64 = inlined(fmod_float32), inlined(fmod_float64)


def remainder_float32(a, b):
    """Return the remainder of a / b, with the sign of b."""
    r = of_float32(a, b)
    return r + b if (r != 0) & ((b < 0) != (r < 0)) else r


def remainder_float64(a, b):
    """Return the remainder of a / b, with the sign of b."""
    r = of_float64(a, b)
    return r + b if (r != 0) & ((b < 0) != (r < 0)) else r


@inlined
def div_floor(a, b, r, one):
    """Return a / b, rounded down, computed from `r`, the remainder with the sign of a: the float a / b may be rounded
    up to a whole number that is one too high."""
    direct = a / b
    quotient = (a - r) / b
    quotient = quotient - one if (r != 0) & ((b < 0) != (r < 0)) else quotient
    whole = np.floor(quotient)
    whole = whole + one if quotient - whole > 0.5 else whole
    whole = math.copysign(one - one, direct) if quotient == 0 else whole
    return direct if b == 0 else whole


def div_floor_float32(a, b):
    """Return a / b, rounded down."""
    return div_floor(a, b, of_float32(a, b), np.float32(1))


def div_floor_float64(a, b):
    """Return a / b, rounded down."""
    return div_floor(a, b, of_float64(a, b), 1.0)


def div_trunc(a, b):
    """Return a / b, rounded toward 0."""
    return np.trunc(a / b)


# ---- the kernels


def any_zero(b, q, geometry):
    """Return True if an element of the divisor, the third operand of an iterator, is 0."""
    last = geometry.shape[1] - 1
    index, cells = np.zeros(last, np.int64), np.array((0, 0, q))
    step = np.uintp(geometry[3, last])
    n = np.uintp(min(geometry[0, last], 1 if step == 0 else geometry[0, last]))
    for _ in range(rows_of(geometry)):
        first = np.uintp(cells[2])
        found = False
        for i in range(n):
            found |= b[first + i * step] == 0
        if found:
            return True
        advance(index, cells, geometry)
    return False


def any_zero_signature(kind: dtype) -> tuple:
    """Return numba's types of the arguments of `any_zero`."""
    return (NUMBA[kind][::1], INDEX, GEOMETRY)


ANY_ZERO = Compiled("any_zero_cpu", INTEGERS, lambda kind: any_zero, any_zero_signature)

DIVIDE = {
    stub: DispatchStub(f"{stub.name} after the search for a 0")
    for stub in (
        binary_ops.div_trunc_stub,
        binary_ops.div_floor_stub,
        binary_math.fmod_stub,
        binary_math.remainder_stub,
    )
}


def checked(stub: DispatchStub) -> Callable[..., None]:
    """Build kernel(iter), which raises if it would divide an integer by 0, and otherwise calls the kernel of `stub`."""
    kernels = stub.kernels

    def kernel(iter: Any) -> None:
        divisor = iter.operands[2]
        if divisor._dtype in ANY_ZERO.kinds and ANY_ZERO[divisor._dtype](
            divisor._flat(), divisor._storage_offset, iter.plan.geometry
        ):
            raise RuntimeError("ZeroDivisionError")
        kernels["cpu"](iter)

    return kernel


SMALL = tuple(kind for kind in INTEGERS if kind is not int64)  # float64 divides them precisely enough
# fmt: off
KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (DIVIDE[binary_ops.div_trunc_stub], "div_trunc_cpu",
     {FLOATS: div_trunc, SMALL: div_trunc_int32, (int64,): div_trunc_int64}, SAME2, 0),
    (DIVIDE[binary_ops.div_floor_stub], "div_floor_cpu",
     {(float32,): div_floor_float32, (float64,): div_floor_float64,
      SMALL: div_floor_int32, (int64,): div_floor_int64}, SAME2, 0),
    (DIVIDE[binary_math.fmod_stub], "fmod_cpu",
     {(float32,): fmod_float32, (float64,): fmod_float64, SMALL: fmod_int32, (int64,): fmod_int64}, SAME2, 0),
    (DIVIDE[binary_math.remainder_stub], "remainder_cpu",
     {(float32,): remainder_float32, (float64,): remainder_float64,
      SMALL: remainder_int32, (int64,): remainder_int64}, SAME2, 0),
)
# fmt: on

register(KERNELS)
for _stub, _unchecked in DIVIDE.items():
    _stub.register("cpu", checked(_unchecked))
