"""_addmm_activation: a layer of a network without gradients, the product, the bias and the activation at once.

Mirrors aten/src/ATen/native/LinearAlgebra.cpp and cuda/Blas.cpp, addmm_activation_out_*; PyTorch's
TransformerEncoderLayer calls it when it only predicts (aten/src/ATen/native/transformers/transformer.cpp).
"""

from ...tensor_impl import Tensor
from ..at import at
from ..scalar_ops import checked_convert
from ..structured import MetaBase
from ..stubs import DispatchStub
from .linear_algebra import add_product, addmm_meta, addmm_out_cpu, mm_stub
from .tensor_expand import expand

Number = bool | int | float

bias_activation_stub = DispatchStub("bias_activation_stub")
"""kernel(out, bias, beta, use_gelu): out = activate(out + beta * bias), matrices of the same sizes, none empty."""


def _addmm_activation_meta(
    op: MetaBase, self: Tensor, mat1: Tensor, mat2: Tensor, beta: Number, alpha: Number, use_gelu: bool
) -> None:
    """Make an output of sizes (m, n) from (m, k) and (k, n); `self` will be expanded to these sizes.

    Raises:
        RuntimeError: as `addmm`.
    """
    addmm_meta(op, self, mat1, mat2, beta, alpha)


def addmm_activation_out_cpu(
    op: MetaBase, self: Tensor, mat1: Tensor, mat2: Tensor, beta: Number, alpha: Number, use_gelu: bool, out: Tensor
) -> None:
    """Compute out = relu(beta * self + alpha * mat1 @ mat2), or gelu instead of relu if `use_gelu`, in two steps.

    Raises:
        RuntimeError, NotImplementedError: as `addmm`, `relu_` and `gelu_`.
    """
    addmm_out_cpu(op, self, mat1, mat2, beta, alpha, out)
    if use_gelu:
        at.gelu_(out)
    else:
        at.relu_(out)


def addmm_activation_out_cuda(
    op: MetaBase, self: Tensor, mat1: Tensor, mat2: Tensor, beta: Number, alpha: Number, use_gelu: bool, out: Tensor
) -> None:
    """Compute what `addmm_activation_out_cpu` does, with bias and activation fused in one kernel; gelu uses tanh.

    Raises:
        RuntimeError: `self` cannot be expanded; a number is outside the range of the dtype.
        NotImplementedError: there is no product of bools, no gelu of integers.
    """
    bias = expand(self, (mat1._sizes[0], mat2._sizes[1]), False)
    add_product(mm_stub, out, out, mat1, mat2, 0, alpha)
    if 0 not in out._sizes:
        bias_activation_stub.kernels[out._storage.device.type](out, bias, checked_convert(beta, out._dtype), use_gelu)
