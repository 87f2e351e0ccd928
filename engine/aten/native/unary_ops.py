"""neg and exp. Mirrors aten/src/ATen/native/UnaryOps.cpp."""

from ...dtypes import bool_
from ...tensor_impl import Tensor
from ..iterator import TensorIteratorBase
from ..stubs import DispatchStub

neg_stub = DispatchStub("neg_stub")
exp_stub = DispatchStub("exp_stub")


def neg_meta(op: TensorIteratorBase, self: Tensor) -> None:
    """The output is as the input.

    Raises:
        RuntimeError: of bools there is no negative.
    """
    if self._dtype is bool_:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. "
            "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
        )
    op.build_borrowing_unary_op(self)


def neg_out(op: TensorIteratorBase, self: Tensor, out: Tensor) -> None:
    """out = -self"""
    neg_stub(op)


def exp_meta(op: TensorIteratorBase, self: Tensor) -> None:
    """The output is floating-point, whatever the input is."""
    op.build_borrowing_unary_float_op(self)


def exp_out(op: TensorIteratorBase, self: Tensor, out: Tensor) -> None:
    """out = e ** self"""
    exp_stub(op)
