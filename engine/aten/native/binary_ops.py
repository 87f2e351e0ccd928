"""add, sub, mul, div and the comparisons: what they demand of their inputs, and which kernel computes them.

Each structured operator is a meta function, which builds the iterator and so finds sizes, dtype and errors, and an
impl function, which calls the kernel. Mirrors aten/src/ATen/native/BinaryOps.cpp.
"""

from ...dtypes import bool_, dtype
from ...tensor_impl import Tensor
from ..at import at
from ..iterator import TensorIteratorBase
from ..scalar_ops import checked_convert, wrapped_scalar_tensor
from ..stubs import DispatchStub

Number = bool | int | float

add_stub = DispatchStub("add_stub")
mul_stub = DispatchStub("mul_stub")
div_true_stub = DispatchStub("div_true_stub")
div_trunc_stub = DispatchStub("div_trunc_stub")
div_floor_stub = DispatchStub("div_floor_stub")
eq_stub = DispatchStub("eq_stub")
ne_stub = DispatchStub("ne_stub")
lt_stub = DispatchStub("lt_stub")
le_stub = DispatchStub("le_stub")
gt_stub = DispatchStub("gt_stub")
ge_stub = DispatchStub("ge_stub")

# ---- add, sub


def alpha_check(scalar_type: dtype, alpha: Number) -> None:
    """Check that `alpha` is allowed for a result of dtype `scalar_type`.

    Raises:
        RuntimeError: a bool for numbers, or a fraction for integers.
    """
    if isinstance(alpha, bool) and scalar_type is not bool_:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and not scalar_type.is_floating_point:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")


def sub_check(self: Tensor, other: Tensor) -> None:
    """Refuse bool tensors, which cannot be subtracted.

    Raises:
        RuntimeError: one of them is a bool tensor.
    """
    if self._dtype is bool_ and other._dtype is bool_:
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. "
            "Use the `^` or `logical_xor()` operator instead."
        )
    if self._dtype is bool_ or other._dtype is bool_:
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. "
            "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
        )


def add_Tensor_meta(op: TensorIteratorBase, self: Tensor, other: Tensor, alpha: Number) -> None:
    """Make an output with the broadcast shape and the promoted dtype of the inputs; check `alpha`."""
    op.build_borrowing_binary_op(self, other)
    if type(alpha) is not int:
        alpha_check(op.plan.common_dtype, alpha)


def add_out(op: TensorIteratorBase, self: Tensor, other: Tensor, alpha: Number, out: Tensor) -> None:
    """Compute out = self + alpha * other; for bools, self or (alpha and other).

    Raises:
        RuntimeError: `alpha` is outside the range of the dtype.
    """
    if alpha != 1:
        alpha = checked_convert(alpha, op.plan.common_dtype)
    add_stub.kernels[op.device_type](op, alpha)


def sub_Tensor_meta(op: TensorIteratorBase, self: Tensor, other: Tensor, alpha: Number) -> None:
    """Declare what `add_Tensor_meta` does, but refuse bool tensors."""
    sub_check(self, other)
    op.build_borrowing_binary_op(self, other)
    if type(alpha) is not int:
        alpha_check(op.plan.common_dtype, alpha)


def sub_out(op: TensorIteratorBase, self: Tensor, other: Tensor, alpha: Number, out: Tensor) -> None:
    """Compute out = self - alpha * other by calling the `add` kernel with -alpha.

    Raises:
        RuntimeError: `alpha` is outside the range of the dtype.
    """
    factor = -alpha
    if factor != -1:
        factor = checked_convert(factor, op.plan.common_dtype)
    add_stub.kernels[op.device_type](op, factor)


def rsub_Tensor(self: Tensor, other: Tensor, alpha: Number) -> Tensor:
    """Return other - alpha * self."""
    return at.sub_Tensor(other, self, alpha=alpha)


def rsub_Scalar(self: Tensor, other: Number, alpha: Number) -> Tensor:
    """Return other - alpha * self for a number `other`."""
    return at.sub_Tensor(wrapped_scalar_tensor(other), self, alpha=alpha)


# ---- mul, div


def mul_Tensor_meta(op: TensorIteratorBase, self: Tensor, other: Tensor) -> None:
    """Make an output with the broadcast shape and the promoted dtype of the inputs."""
    op.build_borrowing_binary_op(self, other)


def mul_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self * other; for bools, self and other."""
    mul_stub.kernels[op.device_type](op)


def div_Tensor_meta(op: TensorIteratorBase, self: Tensor, other: Tensor) -> None:
    """Make a floating-point output of the broadcast shape, even if both inputs are integer tensors."""
    op.build_borrowing_binary_float_op(self, other)


def div_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self / other."""
    div_true_stub.kernels[op.device_type](op)


def div_Tensor_mode_meta(op: TensorIteratorBase, self: Tensor, other: Tensor, rounding_mode: str | None) -> None:
    """Build the iterator that the rounding mode of `div` needs, and refuse other modes.

    `op` is an iterator. Its methods `build_borrowing_binary_op(a, b)` and `build_borrowing_binary_float_op(a, b)` find
    the dtype, the broadcast sizes and the loop, and declare the output; the second makes integers floating-point.

    Args:
        rounding_mode: None for the exact quotient, which is never of an integral dtype: 7 / 2 is 3.5. "trunc" and
            "floor" round the quotient, and the result has the dtype that both promote to: integers stay integers.
    Raises:
        RuntimeError: "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'", for "up",
            before anything is built. Errors of the iterator pass through.

    Source: TORCH_META_FUNC2(div, Tensor_mode) (aten/src/ATen/native/BinaryOps.cpp).
    """
    if rounding_mode is None:
        op.build_borrowing_binary_float_op(self, other)
    elif rounding_mode in ("trunc", "floor"):
        op.build_borrowing_binary_op(self, other)
    else:
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )


def div_out_mode(op: TensorIteratorBase, self: Tensor, other: Tensor, rounding_mode: str | None, out: Tensor) -> None:
    """Compute out = self / other: exact (None), rounded toward zero ("trunc") or rounded down ("floor")."""
    {None: div_true_stub, "trunc": div_trunc_stub, "floor": div_floor_stub}[rounding_mode](op)


# ---- comparisons: all six are alike, so they share their functions


def comparison_meta(op: TensorIteratorBase, self: Tensor, other: Tensor) -> None:
    """Make a bool output of the broadcast shape; both inputs are compared in their promoted dtype."""
    op.build_comparison_op(self, other)


def comparison_Scalar_meta(op: TensorIteratorBase, self: Tensor, other: Number) -> None:
    """Declare what `comparison_meta` does, for a number `other`."""
    op.build_comparison_op(self, wrapped_scalar_tensor(other))


eq_Tensor_meta = ne_Tensor_meta = lt_Tensor_meta = le_Tensor_meta = gt_Tensor_meta = ge_Tensor_meta = comparison_meta
eq_Scalar_meta = ne_Scalar_meta = lt_Scalar_meta = comparison_Scalar_meta
le_Scalar_meta = gt_Scalar_meta = ge_Scalar_meta = comparison_Scalar_meta


def eq_Tensor_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self == other."""
    eq_stub.kernels[op.device_type](op)


def ne_Tensor_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self != other."""
    ne_stub.kernels[op.device_type](op)


def lt_Tensor_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self < other."""
    lt_stub.kernels[op.device_type](op)


def le_Tensor_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self <= other."""
    le_stub.kernels[op.device_type](op)


def gt_Tensor_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self > other."""
    gt_stub.kernels[op.device_type](op)


def ge_Tensor_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self >= other."""
    ge_stub.kernels[op.device_type](op)


# the number is in the iterator already, as a tensor
eq_Scalar_out, ne_Scalar_out, lt_Scalar_out = eq_Tensor_out, ne_Tensor_out, lt_Tensor_out
le_Scalar_out, gt_Scalar_out, ge_Scalar_out = le_Tensor_out, gt_Tensor_out, ge_Tensor_out
