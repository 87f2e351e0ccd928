"""sin, cos and tan, fast for all angles but huge ones: kernels that look at a block of elements before they compute it.

    for block in blocks of the elements:
        if a huge angle is in it:
            out[block] = [slow(a) if is_large_angle(a) else near(a) for a in block]
        else:
            out[block] = [near(a) for a in block]

`near` is of `sleef` and compiles to vectors; the C library, which knows pi to as many digits as any float needs, does
not, and a loop that may call it would not either. What an element becomes depends on that element alone.
"""

import math
from collections.abc import Callable

from numba.extending import register_jitable

from ..aten.native import unary_ops
from . import sleef
from .elementwise import FLOATS, SAME1, by_capability
from .elementwise_loops import Loops, Scalar, unary
from .float_bits import fabs, like, select

LARGE = tuple(angle / 4 for angle in sleef.LARGE_ANGLE)  # of `sinc` it is multiplied by pi
BLOCK = 1024  # elements, which stay in the first cache


@register_jitable
def is_large_angle(a):
    """Return True if abs(a) is too large for the argument reduction of `sleef`; True for infinities, False for nan."""
    return fabs(a) >= like(a, LARGE)


def sin(a):
    """Return sin(a)."""
    return math.sin(a) if is_large_angle(a) else sleef.sin(a)


def cos(a):
    """Return cos(a)."""
    return math.cos(a) if is_large_angle(a) else sleef.cos(a)


def tan(a):
    """Return tan(a)."""
    return math.tan(a) if is_large_angle(a) else sleef.tan(a)


@register_jitable
def sinc_of_small(a):
    """Return sin(pi * a) / (pi * a), or 1 if a is 0, for moderate a; pi * a is rounded first, as in PyTorch."""
    angle = a * like(a, math.pi)
    return select(a == like(a, 0), like(a, 1), sleef.sin(angle) / angle)


def sinc(a):
    """Return sin(pi * a) / (pi * a), or 1 if a is 0."""
    angle = a * like(a, math.pi)
    return math.sin(angle) / angle if is_large_angle(a) else sinc_of_small(a)


def by_blocks(near: Callable) -> Callable[[Scalar, int], Loops]:
    """Return a factory of loops that compute a block of elements by `near`, unless it contains a large angle."""

    def make(scalar: Scalar, lanes: int) -> Loops:
        f = register_jitable(scalar.of_one)

        def contiguous(begin, end, out, o, a, p, scalars):
            for first in range(begin, end, BLOCK):
                size = min(BLOCK, end - first)
                to, x = out[o + first : o + first + size], a[p + first : p + first + size]
                is_any_large = False
                for i in range(size):
                    is_any_large |= is_large_angle(x[i])
                if is_any_large:
                    for i in range(size):
                        to[i] = f(x[i])
                elif to.ctypes.data == x.ctypes.data:
                    for i in range(size):
                        x[i] = near(x[i])
                else:
                    for i in range(size):
                        to[i] = near(x[i])

        return contiguous, unary(scalar, lanes)[1]

    return make


for _stub, _name, _function, _near in (
    (unary_ops.sin_stub, "sin_vml_cpu", sin, sleef.sin),
    (unary_ops.cos_stub, "cos_vml_cpu", cos, sleef.cos),
    (unary_ops.tan_stub, "tan_vml_cpu", tan, sleef.tan),
    (unary_ops.sinc_stub, "sinc_cpu", sinc, sinc_of_small),
):
    _kernels = by_capability(_name, dict.fromkeys(FLOATS, _function), SAME1, 0, by_blocks(_near))
    _stub.register("cpu", _kernels["DEFAULT"])
