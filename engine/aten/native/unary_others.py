"""Operators of one operand with arguments, and of bool results.

Mirrors the rest of aten/src/ATen/native/UnaryOps.cpp.
"""

import math

from ...dtypes import bool_
from ...tensor_impl import Tensor
from ..at import at
from ..iterator import TensorIterator, TensorIteratorBase
from ..scalar_ops import wrapped_scalar_tensor
from ..structured import resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES

nan_to_num_stub = DispatchStub("nan_to_num_stub")
"""kernel(iter, nan, posinf, neginf)"""
logit_stub = DispatchStub("logit_stub")
"""kernel(iter, least, most): of a number that is brought between these two first."""
signbit_stub = DispatchStub("signbit_stub")
isposinf_stub = DispatchStub("isposinf_stub")
isneginf_stub = DispatchStub("isneginf_stub")

# ---- bool results


def _bool_meta(name: str, op: TensorIteratorBase, self: Tensor) -> None:
    if op.has_given_outputs and op.outputs[0]._dtype is not bool_:
        raise RuntimeError(f"{name} does not support non-boolean outputs.")
    op.build_borrowing_unary_force_boolean_op(self)


def signbit_meta(op: TensorIteratorBase, self: Tensor) -> None:
    """Declare a bool output.

    Raises:
        RuntimeError: `out` has another dtype.
    """
    _bool_meta("signbit", op, self)


def isposinf_meta(op: TensorIteratorBase, self: Tensor) -> None:
    """Declare the output like `signbit_meta`."""
    _bool_meta("isposinf", op, self)


def isneginf_meta(op: TensorIteratorBase, self: Tensor) -> None:
    """Declare the output like `signbit_meta`."""
    _bool_meta("isneginf", op, self)


def signbit_out(op: TensorIteratorBase, self: Tensor, out: Tensor) -> None:
    """Compute out = True if the sign bit is set, as it is in -0.0, else False."""
    signbit_stub(op)


def isposinf_out(op: TensorIteratorBase, self: Tensor, out: Tensor) -> None:
    """Compute out = (self == infinity)."""
    isposinf_stub(op)


def isneginf_out(op: TensorIteratorBase, self: Tensor, out: Tensor) -> None:
    """Compute out = (self == -infinity)."""
    isneginf_stub(op)


def isinf(self: Tensor) -> Tensor:
    """Return True where an element is an infinity; integers and bools never are."""
    if not self._dtype.is_floating_point:
        return at.zeros_like(self, dtype=bool_)
    return at.eq_Scalar(at.abs(self), math.inf)


# ---- with arguments


def nan_to_num(self: Tensor, nan: float | None, posinf: float | None, neginf: float | None) -> Tensor:
    """Replace NaN by `nan` (0 if None), infinities by `posinf` and `neginf` (largest and smallest number if None)."""
    return _nan_to_num(None, self, nan, posinf, neginf)


def nan_to_num_(self: Tensor, nan: float | None, posinf: float | None, neginf: float | None) -> Tensor:
    """Write `nan_to_num` into `self`."""
    return _nan_to_num(self, self, nan, posinf, neginf)


def nan_to_num_out(self: Tensor, nan: float | None, posinf: float | None, neginf: float | None, out: Tensor) -> Tensor:
    """Write `nan_to_num` into `out`.

    Raises:
        RuntimeError: `out` has another dtype.
    """
    if self._dtype is not out._dtype:
        raise RuntimeError(
            f"nan_to_num: dtype of out: {SCALAR_TYPE_NAMES[out._dtype]} should be same as input: "
            f"{SCALAR_TYPE_NAMES[self._dtype]}"
        )
    return _nan_to_num(out, self, nan, posinf, neginf)


def _nan_to_num(
    out: Tensor | None, self: Tensor, nan: float | None, posinf: float | None, neginf: float | None
) -> Tensor:
    if not self._dtype.is_floating_point:
        if out is None:
            return at.clone(self)
        resize_output(out, self._sizes)
        return at.copy_(out, self)
    most = self._dtype.largest
    iter = TensorIterator.unary_op(out, self)
    nan_to_num_stub(
        iter, 0.0 if nan is None else nan, most if posinf is None else posinf, -most if neginf is None else neginf
    )
    return iter.output()


def logit(self: Tensor, eps: float | None) -> Tensor:
    """Return log(self / (1 - self)), with `self` clamped to [eps, 1 - eps] first if eps is given."""
    return _logit(None, self, eps)


def logit_(self: Tensor, eps: float | None) -> Tensor:
    """Write `logit` into `self`."""
    return _logit(self, self, eps)


def logit_out(self: Tensor, eps: float | None, out: Tensor) -> Tensor:
    """Write `logit` into `out`."""
    return _logit(out, self, eps)


def _logit(out: Tensor | None, self: Tensor, eps: float | None) -> Tensor:
    iter = TensorIterator.unary_float_op(out, self)
    least, most = (-math.inf, math.inf) if eps is None or eps < 0 else (eps, 1.0 - eps)
    logit_stub(iter, least, most)
    iter.copy_back()
    return iter.output()


def deg2rad(self: Tensor) -> Tensor:
    """Convert degrees to radians."""
    return at.mul_Tensor(self, wrapped_scalar_tensor(math.pi / 180))


def deg2rad_(self: Tensor) -> Tensor:
    """Write `deg2rad` into `self`."""
    return at.mul__Tensor(self, wrapped_scalar_tensor(math.pi / 180))


def deg2rad_out(self: Tensor, out: Tensor) -> Tensor:
    """Write `deg2rad` into `out`."""
    return at.mul_out(self, wrapped_scalar_tensor(math.pi / 180), out=out)


def rad2deg(self: Tensor) -> Tensor:
    """Convert radians to degrees."""
    return at.mul_Tensor(self, wrapped_scalar_tensor(180 / math.pi))


def rad2deg_(self: Tensor) -> Tensor:
    """Write `rad2deg` into `self`."""
    return at.mul__Tensor(self, wrapped_scalar_tensor(180 / math.pi))


def rad2deg_out(self: Tensor, out: Tensor) -> Tensor:
    """Write `rad2deg` into `out`."""
    return at.mul_out(self, wrapped_scalar_tensor(180 / math.pi), out=out)


def positive(self: Tensor) -> Tensor:
    """Return `self`, unchanged.

    Raises:
        RuntimeError: of bools there is no sign.
    """
    if self._dtype is bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self
