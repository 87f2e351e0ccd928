"""softmax, e to each element over the sum of those along a dimension, and its logarithm.

Mirrors aten/src/ATen/native/SoftMax.cpp.
"""

import math

from ...dtypes import dtype as Dtype
from ...strides import wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides
from ..structured import MetaBase
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .normalization import expect_contiguous

softmax_stub = DispatchStub("softmax_lastdim_kernel")
log_softmax_stub = DispatchStub("log_softmax_lastdim_kernel")
"""kernel(out, self, dim): both contiguous, of the same sizes and dtype, with elements."""
softmax_backward_stub = DispatchStub("softmax_backward_lastdim_kernel")
log_softmax_backward_stub = DispatchStub("log_softmax_backward_lastdim_kernel")
"""kernel(grad_input, grad_output, output, dim): all contiguous, of the same sizes and dtype, with elements."""


def softmax(self: Tensor, dim: int, dtype: Dtype | None) -> Tensor:
    """Return softmax of `self` along `dim`, after conversion to `dtype` if given."""
    return at._softmax(_converted(self, dtype), dim, False)


def softmax_out(self: Tensor, dim: int, dtype: Dtype | None, out: Tensor) -> Tensor:
    """Write `softmax` into `out`."""
    return at._softmax_out(_converted(self, dtype), dim, False, out=out)


def log_softmax(self: Tensor, dim: int, dtype: Dtype | None) -> Tensor:
    """Return the logarithm of softmax of `self` along `dim`, after conversion to `dtype` if given."""
    return at._log_softmax(_converted(self, dtype), dim, False)


def log_softmax_out(self: Tensor, dim: int, dtype: Dtype | None, out: Tensor) -> Tensor:
    """Write `log_softmax` into `out`."""
    return at._log_softmax_out(_converted(self, dtype), dim, False, out=out)


def _safe_softmax(self: Tensor, dim: int, dtype: Dtype | None) -> Tensor:
    """Return `softmax`, but zeros and not NaN where all along `dim` is -inf: where attention may look at nothing."""
    weights = at.softmax_int(self, dim, dtype=dtype)
    if weights.numel() == 0:
        return weights
    lost = at.all_dim(at.eq_Scalar(self, -math.inf), dim, True)
    return at.where_ScalarSelf(lost, 0.0, weights)


def _converted(self: Tensor, dtype: Dtype | None) -> Tensor:
    return self if dtype is None or dtype is self._dtype else at._to_copy(self, dtype=dtype)


# ---- below them, in the dtype of the input


def _softmax_meta(op: MetaBase, self: Tensor, dim: int, half_to_float: bool) -> None:
    """Make a contiguous output of the input's sizes and dtype.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `half_to_float`, which is for CUDA.
    """
    if half_to_float:
        raise RuntimeError("softmax with half to float conversion is not supported on CPU")
    wrap_dim(dim, len(self._sizes))
    op.set_output_strided(0, self._sizes, contiguous_strides(self._sizes), self._dtype, self._storage.device)


_log_softmax_meta = _softmax_meta


def softmax_cpu_out(op: MetaBase, self: Tensor, dim: int, half_to_float: bool, out: Tensor) -> None:
    """Compute softmax: out = e ** (self - max) over its sum along `dim`; without `max`, e ** 89 overflows float32.

    With other operators it is five passes over memory:

        powers = at.exp(at.sub_Tensor(self, at.amax(self, (dim,), True)))
        at.div_Tensor(powers, at.sum_dim_IntList(powers, (dim,), True))

    Raises:
        NotImplementedError: `self` has elements and is not floating-point.
    """
    if 0 not in self._sizes:
        softmax_stub.kernels[op.device_type](out, expect_contiguous(self), dim)


def log_softmax_cpu_out(op: MetaBase, self: Tensor, dim: int, half_to_float: bool, out: Tensor) -> None:
    """Compute out = self - max - log(sum(e ** (self - max))): the log of softmax, accurate even if softmax rounds to 0.

    Raises:
        NotImplementedError: `self` has elements and is not floating-point.
    """
    if 0 not in self._sizes:
        log_softmax_stub.kernels[op.device_type](out, expect_contiguous(self), dim)


# ---- their gradients


def _softmax_backward_data_meta(
    op: MetaBase, grad_output: Tensor, output: Tensor, dim: int, input_dtype: Dtype
) -> None:
    """Make a contiguous gradient of the sizes and the dtype of `grad_output`.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: sizes or dtypes differ.
    """
    if grad_output._sizes != output._sizes:
        raise RuntimeError(
            "Expected tensor for argument #1 'grad' to have same size as tensor for argument #2 'output'; but "
            f"{list(grad_output._sizes)} does not equal {list(output._sizes)} (while checking arguments for "
            "softmax_backward)"
        )
    wrap_dim(dim, len(output._sizes))
    if grad_output._dtype is not output._dtype:
        expected, found = SCALAR_TYPE_NAMES[grad_output._dtype], SCALAR_TYPE_NAMES[output._dtype]
        raise RuntimeError(f"expected scalar type {expected} but found {found}")
    sizes = output._sizes
    op.set_output_strided(0, sizes, contiguous_strides(sizes), grad_output._dtype, output._storage.device)


_log_softmax_backward_data_meta = _softmax_backward_data_meta


def softmax_backward_cpu_out(
    op: MetaBase, grad_output: Tensor, output: Tensor, dim: int, input_dtype: Dtype, grad_input: Tensor
) -> None:
    """Compute grad_input = (grad_output - sum(grad_output * output) along `dim`) * output.

    Raises:
        NotImplementedError: there are elements, and they are not floating-point.
    """
    if 0 not in output._sizes:
        softmax_backward_stub.kernels[op.device_type](
            grad_input, expect_contiguous(grad_output), expect_contiguous(output), dim
        )


def log_softmax_backward_cpu_out(
    op: MetaBase, grad_output: Tensor, output: Tensor, dim: int, input_dtype: Dtype, out: Tensor
) -> None:
    """Compute out = grad_output - e ** output * sum(grad_output) along `dim`.

    Raises:
        NotImplementedError: there are elements, and they are not floating-point.
    """
    if 0 not in output._sizes:
        log_softmax_backward_stub.kernels[op.device_type](
            out, expect_contiguous(grad_output), expect_contiguous(output), dim
        )
