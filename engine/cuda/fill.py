"""One number into every element. Mirrors aten/src/ATen/native/cuda/FillKernel.cu."""

from ..aten.iterator import TensorIterator
from ..aten.native.fill import fill_stub
from ..cpu.fill import element_of_fill
from ..tensor_impl import Tensor
from . import loops
from .elementwise import run

Number = bool | int | float


def value_of(i, value):
    """Return `value` at every index."""
    return value


def fill_kernel(self: Tensor, value: Number) -> None:
    """Fill a tensor with a number.

    Raises:
        RuntimeError: it does not fit the dtype.
    """
    number = self._dtype.numpy.type(element_of_fill(value, self))
    iter = TensorIterator.nullary_op(self)
    run(iter.plan, iter.operands, loops.instantiate(loops.nullary, value_of), (number,))


fill_stub.register("cuda", fill_kernel)
