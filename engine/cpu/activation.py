"""The kernels of activation functions. Mirrors aten/src/ATen/native/cpu/Activation.cpp."""

from ..aten.native import activation
from .elementwise import NUMBERS, SAME1, Table, register

# Functions of single numbers: inputs, then scalars. Of two bools numba's + is "or" and * is "and".


def clamp_min(a, least):
    """a, but at least `least`; nan stays nan."""
    return least if a < least else a


KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (activation.clamp_min_stub, "clamp_min_cpu", {NUMBERS: clamp_min}, SAME1, 1),
)

register(KERNELS)
