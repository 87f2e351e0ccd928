"""Operators of three tensors: addcmul, addcdiv, lerp. Mirrors aten/src/ATen/native/{PointwiseOps,Lerp}.cpp."""

from ...tensor_impl import Tensor
from ..iterator import BINARY_OP, IteratorConfig, TensorIteratorBase
from ..structured import CPP_NAMES
from ..stubs import DispatchStub

Number = bool | int | float

addcmul_stub = DispatchStub("addcmul_stub")
addcdiv_stub = DispatchStub("addcdiv_stub")
lerp_scalar_stub = DispatchStub("lerp_kernel_scalar_weight")
lerp_tensor_stub = DispatchStub("lerp_kernel_tensor_weight")

SAME_DTYPES = IteratorConfig(max_cpu_scalars=1)


def addcmul_meta(op: TensorIteratorBase, self: Tensor, tensor1: Tensor, tensor2: Tensor, value: Number) -> None:
    """Make an output with the broadcast shape and the promoted dtype of all three tensors."""
    op.build_ternary_op(self, tensor1, tensor2)


def addcmul_out(
    op: TensorIteratorBase, self: Tensor, tensor1: Tensor, tensor2: Tensor, value: Number, out: Tensor
) -> None:
    """Compute out = self + value * tensor1 * tensor2."""
    addcmul_stub(op, value)


def addcdiv_meta(op: TensorIteratorBase, self: Tensor, tensor1: Tensor, tensor2: Tensor, value: Number) -> None:
    """Declare what `addcmul_meta` does, but refuse to divide an integer tensor by an integer tensor.

    Raises:
        RuntimeError: an integer divided by an integer.
    """
    if not (tensor1._dtype.is_floating_point or tensor2._dtype.is_floating_point):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value "
            "* torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
            "tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value "
            "* tensor1 / tensor2), for all dtypes."
        )
    op.build_ternary_op(self, tensor1, tensor2)


def addcdiv_out(
    op: TensorIteratorBase, self: Tensor, tensor1: Tensor, tensor2: Tensor, value: Number, out: Tensor
) -> None:
    """Compute out = self + value * tensor1 / tensor2."""
    addcdiv_stub(op, value)


def _require_same_dtype(self: Tensor, other: Tensor, name: str) -> None:
    if other._dtype is not self._dtype:
        expected, got = CPP_NAMES[self._dtype], CPP_NAMES[other._dtype]
        raise RuntimeError(f"expected dtype {expected} for `{name}` but got dtype {got}")


def lerp_Scalar_meta(op: TensorIteratorBase, self: Tensor, end: Tensor, weight: Number) -> None:
    """Make an output of the broadcast shape of `self` and `end`, which must have the same dtype.

    Raises:
        RuntimeError: the dtypes differ.
    """
    _require_same_dtype(self, end, "end")
    op.build_borrowing_binary_op(self, end)


def lerp_Scalar(op: TensorIteratorBase, self: Tensor, end: Tensor, weight: Number, out: Tensor) -> None:
    """Compute out = self + weight * (end - self)."""
    lerp_scalar_stub.kernels[op.device_type](op, weight)


def lerp_Tensor_meta(op: TensorIteratorBase, self: Tensor, end: Tensor, weight: Tensor) -> None:
    """Make an output of the broadcast shape; a 0-dimensional weight may have another dtype.

    Raises:
        RuntimeError: the dtypes differ.
    """
    _require_same_dtype(self, end, "end")
    if weight._sizes:
        _require_same_dtype(self, weight, "weight")
    op.build(SAME_DTYPES if weight._sizes else BINARY_OP, self, end, weight)


def lerp_Tensor(op: TensorIteratorBase, self: Tensor, end: Tensor, weight: Tensor, out: Tensor) -> None:
    """Compute out = self + weight * (end - self)."""
    lerp_tensor_stub.kernels[op.device_type](op)
