"""softmax: e to each element over the sum of those along a dimension. Mirrors aten/src/ATen/native/SoftMax.cpp."""

from ...dispatch.keys import DispatchKey
from ...dispatch.local import ExcludeDispatchKeyGuard
from ...dtypes import dtype as Dtype
from ...strides import contiguous_strides, wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..structured import MetaBase
from ..type_promotion import SCALAR_TYPE_NAMES


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
    op.set_output_raw_strided(0, self._sizes, contiguous_strides(self._sizes), self._dtype, self._storage.device)


def softmax_cpu_out(op: MetaBase, self: Tensor, dim: int, half_to_float: bool, out: Tensor) -> None:
    """out = e ** (self - max) / the sum of that along `dim`; without the subtraction e ** 89 would be infinite.

    PyTorch has a kernel for this; here it is written with other operators.

    Raises:
        NotImplementedError: `self` has elements and is not floating-point.
    """
    if 0 in self._sizes:
        return
    if not self._dtype.is_floating_point:
        raise NotImplementedError(
            f"\"softmax_lastdim_kernel_impl\" not implemented for '{SCALAR_TYPE_NAMES[self._dtype]}'"
        )
    with ExcludeDispatchKeyGuard(DispatchKey.ADInplaceOrView):
        powers = at.exp(at.sub_Tensor(self, at.amax(self, (dim,), True)))
        at.div_out(powers, at.sum_dim_IntList(powers, (dim,), True), out=out)
