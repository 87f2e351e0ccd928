"""The kernels of one operand, with the functions of `engine/cpu/unary_ops.py`, and angles of all sizes by libdevice.

Mirrors aten/src/ATen/native/cuda/Unary*Kernel*.cu.
"""

import math

from ..aten.native import unary_ops as native
from ..cpu import unary_ops as cpu
from ..cpu.elementwise import FLOATS, SAME1, Table
from . import libdevice
from .elementwise import register
from .libdevice import copysign, like, select

# Functions of single numbers. NumPy's bools, of the simulator, have no difference.


def sign(a):
    """Return the sign of a: -1, 0 or 1; 0 for nan."""
    return like(a, a > 0) - like(a, a < 0)


def signbit(a):
    """Return True if the sign bit of a float is set."""
    return copysign(like(a, 1), a) < 0


def sin(a):
    """Return sin(a)."""
    return libdevice.sin(a)


def cos(a):
    """Return cos(a)."""
    return libdevice.cos(a)


def tan(a):
    """Return tan(a)."""
    return libdevice.tan(a)


def sinc(a):
    """Return sin(pi * a) / (pi * a), or 1 for a = 0; pi * a is rounded first, as in PyTorch."""
    angle = a * like(a, math.pi)
    return select(a == 0, like(a, 1), libdevice.sin(angle) / angle)


ANGLES: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (native.sin_stub, "sin_cuda", {FLOATS: sin}, SAME1, 0),
    (native.cos_stub, "cos_cuda", {FLOATS: cos}, SAME1, 0),
    (native.tan_stub, "tan_cuda", {FLOATS: tan}, SAME1, 0),
    (native.sinc_stub, "sinc_cuda", {FLOATS: sinc}, SAME1, 0),
)

register(cpu.KERNELS, {cpu.sign: sign, cpu.signbit: signbit})
register(ANGLES)
