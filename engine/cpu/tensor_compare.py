"""The kernels that choose between operands. Mirrors aten/src/ATen/native/cpu/TensorCompareKernel.cpp."""

from ..aten.native import tensor_compare
from ..dtypes import bool_
from .elementwise import ALL, Table, register

# Functions of single numbers: inputs, then scalars. Of two bools numba's + is "or" and * is "and".


def where(condition, a, b):
    """a where the condition holds, else b."""
    return a if condition else b


KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (tensor_compare.where_stub, "where_cpu", {ALL: where}, (None, bool_, None, None), 0),
)

register(KERNELS)
