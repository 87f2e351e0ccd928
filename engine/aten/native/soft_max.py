"""softmax: e to each element over the sum of those along a dimension. Mirrors aten/src/ATen/native/SoftMax.cpp."""

from ...dtypes import dtype as Dtype
from ...strides import wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides
from ..structured import MetaBase
from ..stubs import DispatchStub

softmax_stub = DispatchStub("softmax_stub")
"""kernel(out, self, dim): both contiguous, of the same sizes and dtype, with elements."""


def softmax(self: Tensor, dim: int, dtype: Dtype | None) -> Tensor:
    """softmax along `dim`, of `self` converted to `dtype` first if that is given."""
    converted = self if dtype is None or dtype is self._dtype else at._to_copy(self, dtype=dtype)
    return at._softmax(converted, dim, False)


def softmax_out(self: Tensor, dim: int, dtype: Dtype | None, out: Tensor) -> Tensor:
    """`softmax`, written into `out`."""
    converted = self if dtype is None or dtype is self._dtype else at._to_copy(self, dtype=dtype)
    return at._softmax_out(converted, dim, False, out=out)


def _softmax_meta(op: MetaBase, self: Tensor, dim: int, half_to_float: bool) -> None:
    """A contiguous output of the input's sizes and dtype.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `half_to_float`, which is for CUDA.
    """
    if half_to_float:
        raise RuntimeError("softmax with half to float conversion is not supported on CPU")
    wrap_dim(dim, len(self._sizes))
    op.set_output_strided(0, self._sizes, contiguous_strides(self._sizes), self._dtype, self._storage.device)


def softmax_cpu_out(op: MetaBase, self: Tensor, dim: int, half_to_float: bool, out: Tensor) -> None:
    """out = e ** (self - max) / the sum of that along `dim`; without the subtraction e ** 89 would be infinite.

    With other operators it is five passes over memory:

        powers = at.exp(at.sub_Tensor(self, at.amax(self, (dim,), True)))
        at.div_Tensor(powers, at.sum_dim_IntList(powers, (dim,), True))

    Raises:
        NotImplementedError: `self` has elements and is not floating-point.
    """
    if 0 not in self._sizes:
        softmax_stub.kernels[op.device_type](out, at.contiguous(self), dim)
