"""Bits of integers, and truth of anything: and, or, xor, shifts.

Mirrors aten/src/ATen/native/BinaryOps.cpp.
"""

from ...tensor_impl import Tensor
from ..at import at
from ..iterator import TensorIterator, TensorIteratorBase
from ..scalar_ops import wrapped_scalar_tensor
from ..stubs import DispatchStub

Number = bool | int | float

bitwise_and_stub = DispatchStub("bitwise_and_stub")
bitwise_or_stub = DispatchStub("bitwise_or_stub")
bitwise_xor_stub = DispatchStub("bitwise_xor_stub")
lshift_stub = DispatchStub("lshift_stub")
rshift_stub = DispatchStub("rshift_stub")
logical_and_stub = DispatchStub("logical_and_stub")
logical_or_stub = DispatchStub("logical_or_stub")
logical_xor_stub = DispatchStub("logical_xor_stub")

# ---- bits


def bits_meta(op: TensorIteratorBase, self: Tensor, other: Tensor) -> None:
    """Make an output with the broadcast shape and the promoted dtype of the inputs; the kernels refuse floats."""
    op.build_borrowing_binary_op(self, other)


bitwise_and_Tensor_meta = bitwise_or_Tensor_meta = bitwise_xor_Tensor_meta = bits_meta
bitwise_left_shift_Tensor_meta = bitwise_right_shift_Tensor_meta = bits_meta


def bitwise_and_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self & other."""
    bitwise_and_stub.kernels[op.device_type](op)


def bitwise_or_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self | other."""
    bitwise_or_stub.kernels[op.device_type](op)


def bitwise_xor_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self ^ other."""
    bitwise_xor_stub.kernels[op.device_type](op)


def bitwise_left_shift_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self << other; 0 where `other` is negative or at least the bit width."""
    lshift_stub(op)


def bitwise_right_shift_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self >> other, an arithmetic shift; 0 or -1 where `other` is negative or at least the bit width."""
    rshift_stub(op)


# ---- the shifts of Python; `&`, `|` and `^` are aliases


def operand(other: Tensor | Number) -> Tensor:
    """Return the right operand as a tensor, wrapping a Python number."""
    return other if isinstance(other, Tensor) else wrapped_scalar_tensor(other)


def __lshift__(self: Tensor, other: Tensor | Number) -> Tensor:
    """Return self << other."""
    return _shift(lshift_stub, None, self, other)


def __ilshift__(self: Tensor, other: Tensor | Number) -> Tensor:
    """Compute self <<= other."""
    return _shift(lshift_stub, self, self, other)


def __rshift__(self: Tensor, other: Tensor | Number) -> Tensor:
    """Return self >> other."""
    return _shift(rshift_stub, None, self, other)


def __irshift__(self: Tensor, other: Tensor | Number) -> Tensor:
    """Compute self >>= other."""
    return _shift(rshift_stub, self, self, other)


def _shift(stub: DispatchStub, out: Tensor | None, self: Tensor, other: Tensor | Number) -> Tensor:
    iter = TensorIterator.binary_op(out, self, operand(other))
    stub(iter)
    if iter.has_given_outputs:
        iter.copy_back()
    return iter.output()


# ---- truth: everything but 0 is true


def logical_and(self: Tensor, other: Tensor) -> Tensor:
    """Return True where both elements are true, else False."""
    return _logical(logical_and_stub, None, self, other)


def logical_and_(self: Tensor, other: Tensor) -> Tensor:
    """Write the result of `logical_and` into `self`, converted to the dtype of `self`."""
    return at.logical_and_out(self, other, out=self)


def logical_and_out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    """Write the result of `logical_and` into `out`, converted to the dtype of `out`."""
    return _logical(logical_and_stub, out, self, other)


def logical_or(self: Tensor, other: Tensor) -> Tensor:
    """Return True where at least one of the two elements is true, else False."""
    return _logical(logical_or_stub, None, self, other)


def logical_or_(self: Tensor, other: Tensor) -> Tensor:
    """Write the result of `logical_or` into `self`, converted to the dtype of `self`."""
    return at.logical_or_out(self, other, out=self)


def logical_or_out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    """Write the result of `logical_or` into `out`, converted to the dtype of `out`."""
    return _logical(logical_or_stub, out, self, other)


def logical_xor(self: Tensor, other: Tensor) -> Tensor:
    """Return True where exactly one of the two elements is true, else False."""
    return _logical(logical_xor_stub, None, self, other)


def logical_xor_(self: Tensor, other: Tensor) -> Tensor:
    """Write the result of `logical_xor` into `self`, converted to the dtype of `self`."""
    return at.logical_xor_out(self, other, out=self)


def logical_xor_out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    """Write the result of `logical_xor` into `out`, converted to the dtype of `out`."""
    return _logical(logical_xor_stub, out, self, other)


def _logical(stub: DispatchStub, out: Tensor | None, self: Tensor, other: Tensor) -> Tensor:
    """Run a kernel that computes bools from both inputs, read in the dtype that they promote to.

    Source: comparison_op_out (aten/src/ATen/native/BinaryOps.cpp).
    """
    iter = TensorIterator.comparison_op(out, self, other)
    stub(iter)
    if iter.has_given_outputs:
        iter.copy_back()
    return iter.output()
