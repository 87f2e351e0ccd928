"""Kernels of division that rounds, and of what it leaves: //, %, fmod.

The CPU finds quotients of integers by dividing floats, for its vectors, and searches divisors for a 0 beforehand. A GPU
divides integers one by one; a division by 0 gives some number and no error, as in PyTorch, because to tell would mean
to wait for the device. Mirrors aten/src/ATen/native/cuda/BinaryDiv{Floor,Trunc}Kernel.cu, BinaryRemainderKernel.cu.
"""

from ..aten.native import binary_math, binary_ops
from ..cpu.division import div_floor, div_trunc
from ..cpu.elementwise import FLOATS, INTEGERS, SAME2, Table
from . import libdevice
from .elementwise import register

# ---- integers: Python's // and % round down


def div_floor_integer(a, b):
    """Return a / b, rounded down."""
    return a // b


def div_trunc_integer(a, b):
    """Return a / b, rounded toward 0."""
    q = a // b
    return q + 1 if (q < 0) & (q * b != a) else q


def remainder_integer(a, b):
    """Return the remainder of a / b, with the sign of b."""
    return a % b


def fmod_integer(a, b):
    """Return the remainder of a / b, with the sign of a."""
    r = a % b
    return r - b if (r != 0) & ((r ^ a) < 0) else r


# ---- floats


def fmod(a, b):
    """Return the remainder of a / b, with the sign of a."""
    return libdevice.fmod(a, b)


def remainder(a, b):
    """Return the remainder of a / b, with the sign of b."""
    r = libdevice.fmod(a, b)
    return r + b if (r != 0) & ((b < 0) != (r < 0)) else r


def div_floor_float(a, b):
    """Return a / b, rounded down."""
    return div_floor(a, b, libdevice.fmod(a, b), libdevice.like(a, 1))


KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (binary_ops.div_trunc_stub, "div_trunc_cuda", {FLOATS: div_trunc, INTEGERS: div_trunc_integer}, SAME2, 0),
    (binary_ops.div_floor_stub, "div_floor_cuda", {FLOATS: div_floor_float, INTEGERS: div_floor_integer}, SAME2, 0),
    (binary_math.fmod_stub, "fmod_cuda", {FLOATS: fmod, INTEGERS: fmod_integer}, SAME2, 0),
    (binary_math.remainder_stub, "remainder_cuda", {FLOATS: remainder, INTEGERS: remainder_integer}, SAME2, 0),
)

register(KERNELS)
