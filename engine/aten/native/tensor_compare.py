"""where, clamp, equal, isclose: choices and comparisons. Mirrors aten/src/ATen/native/TensorCompare.cpp."""

import math

from ...dispatch.local import is_subclass_like
from ...dtypes import OF_PYTHON, bool_, dtype, get_default_dtype, strided
from ...tensor_impl import Tensor
from ..at import at
from ..iterator import TERNARY_OP, TensorIterator, TensorIteratorBase
from ..scalar_ops import checked_convert, wrapped_scalar_tensor
from ..structured import CPP_NAMES
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES, Promotion, result_type
from .binary_math import maximum_stub, minimum_stub
from .fill import fill_stub

Number = bool | int | float

where_stub = DispatchStub("where_stub")
clamp_stub = DispatchStub("clamp_stub")
clamp_scalar_stub = DispatchStub("clamp_scalar_stub")
clamp_min_scalar_stub = DispatchStub("clamp_min_scalar_stub")
clamp_max_scalar_stub = DispatchStub("clamp_max_scalar_stub")
equal_stub = DispatchStub("equal_stub")
"""kernel(iter) -> bool: whether two operands of one dtype are equal everywhere; it has no output."""


def where_self(condition: Tensor, self: Tensor, other: Tensor) -> Tensor:
    """Return `self` where `condition` is True, else `other`; broadcast all three, promote the dtypes of the last two.

    Raises:
        RuntimeError: the condition is not a bool tensor.
    """
    return _where(None, condition, self, other)


def where_self_out(condition: Tensor, self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    """Write `where_self` into `out`.

    Raises:
        RuntimeError: as `where_self`; `out` has another dtype than the result.
    """
    return _where(out, condition, self, other)


def _where(out: Tensor | None, condition: Tensor, self: Tensor, other: Tensor) -> Tensor:
    if condition._dtype is not bool_:
        name = SCALAR_TYPE_NAMES[condition._dtype]
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype {name}")
    iter = TensorIterator.where_op(out, condition, self, other)
    if out is not None and iter.plan.common_dtype is not out._dtype:
        expected, got = SCALAR_TYPE_NAMES[iter.plan.common_dtype], SCALAR_TYPE_NAMES[out._dtype]
        raise RuntimeError(f"Expected out type to be {expected} but got {got}")
    where_stub(iter)
    return iter.output()


def where_ScalarSelf(condition: Tensor, self: Number, other: Tensor) -> Tensor:
    """Call `where_self` with a number for the elements where `condition` is True.

    Raises:
        RuntimeError: the number is outside the range of the dtype that it promotes to with `other`.
    """
    other, number = with_number(other, self, condition)
    return at.where_self(condition, number, other)


def where_ScalarOther(condition: Tensor, self: Tensor, other: Number) -> Tensor:
    """Call `where_self` with a number where `condition` is False; raise the same errors as `where_ScalarSelf`."""
    self, number = with_number(self, other, condition)
    return at.where_self(condition, self, number)


def where_Scalar(condition: Tensor, self: Number, other: Number) -> Tensor:
    """Call `where_self` with two numbers; raise the same errors as `where_ScalarSelf`."""
    one, two = wrapped_scalar_tensor(self), wrapped_scalar_tensor(other)
    scalar_type = promoted(one, two)
    checked_convert(self, scalar_type), checked_convert(other, scalar_type)
    if is_subclass_like(condition):
        two, one = (at.scalar_tensor(number, scalar_type, strided, condition.device) for number in (other, self))
    return at.where_self(condition, one, two)


def with_number(tensor: Tensor, number: Number, condition: Tensor) -> tuple[Tensor, Tensor]:
    """Return a tensor and a number as a tensor. If a mode or a tensor is to see it, operators make them of one dtype.

    Raises:
        RuntimeError: the number is outside the range of the dtype that it promotes to with the tensor.
    """
    wrapped = wrapped_scalar_tensor(number)
    scalar_type = promoted(tensor, wrapped)
    checked_convert(number, scalar_type)
    if not is_subclass_like(condition, tensor):
        return tensor, wrapped
    seen = at.scalar_tensor(number, scalar_type, strided, condition.device)
    return at.to_dtype(tensor, scalar_type), seen


def promoted(a: Tensor, b: Tensor) -> dtype:
    """Return the dtype that two tensors promote to. Source: at::result_type (ATen/native/TypeProperties.cpp)."""
    return result_type(*(Promotion(x._dtype, len(x._sizes), x._wrapped_number) for x in (a, b)))


# ---- clamp, between two numbers or one


def clamp_meta(op: TensorIteratorBase, self: Tensor, min: Number | None, max: Number | None) -> None:
    """Declare an output like the input, promoted if a bound is of a higher category (a float bound for integers).

    Raises:
        RuntimeError: there is no bound; the result does not fit an in-place output.
    """
    bounds = [bound for bound in (min, max) if bound is not None]
    if not bounds:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    scalar_type = self._dtype
    if not scalar_type.is_floating_point:
        of_self = Promotion(scalar_type, len(self._sizes), self._wrapped_number)
        scalar_type = result_type(of_self, *(Promotion(OF_PYTHON[type(bound)], 0, True) for bound in bounds))
    if scalar_type is self._dtype:
        return op.build_borrowing_unary_op(self)
    if op.has_given_outputs and op.outputs[0] is self:
        wanted, got = CPP_NAMES[self._dtype], SCALAR_TYPE_NAMES[scalar_type]
        raise RuntimeError(f"result type {got} can't be cast to the desired output type {wanted}")
    op.build_borrowing_unary_op(at._to_copy(self, dtype=scalar_type))


def clamp_min_meta(op: TensorIteratorBase, self: Tensor, min: Number) -> None:
    """Declare the output like `clamp_meta`."""
    clamp_meta(op, self, min, None)


def clamp_max_meta(op: TensorIteratorBase, self: Tensor, max: Number) -> None:
    """Declare the output like `clamp_meta`."""
    clamp_meta(op, self, None, max)


def clamp_out(op: TensorIteratorBase, self: Tensor, min: Number | None, max: Number | None, out: Tensor) -> None:
    """Compute out = `self` raised to at least `min`, then lowered to at most `max`; NaN in `self` or a bound gives NaN.

    Raises:
        RuntimeError: a bound is outside the range of the dtype.
        NotImplementedError: the result would be of bools.
    """
    bounds = [bound for bound in (min, max) if bound is not None]
    if any(math.isnan(bound) for bound in bounds):
        fill_stub.kernels[op.device_type](op.operands[0], math.nan)
        return
    stub = clamp_scalar_stub if len(bounds) == 2 else clamp_max_scalar_stub if min is None else clamp_min_scalar_stub
    scalar_type = op.plan.common_dtype
    stub.kernels[op.device_type](op, *(checked_convert(bound, scalar_type) for bound in bounds))


def clamp_min_out(op: TensorIteratorBase, self: Tensor, min: Number, out: Tensor) -> None:
    """Compute out = `self` raised to at least `min`; raise the same errors as `clamp_out`."""
    clamp_out(op, self, min, None, out)


def clamp_max_out(op: TensorIteratorBase, self: Tensor, max: Number, out: Tensor) -> None:
    """Compute out = `self` lowered to at most `max`; raise the same errors as `clamp_out`."""
    clamp_out(op, self, None, max, out)


def clamp_Tensor_meta(op: TensorIteratorBase, self: Tensor, min: Tensor | None, max: Tensor | None) -> None:
    """Declare an output of the broadcast sizes and the dtype that all inputs promote to.

    Raises:
        RuntimeError: there is no bound.
    """
    if min is not None and max is not None:
        op.build(TERNARY_OP, self, min, max)
    elif (bound := max if min is None else min) is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    else:
        op.build_borrowing_binary_op(self, bound)


def clamp_Tensor_out(op: TensorIteratorBase, self: Tensor, min: Tensor | None, max: Tensor | None, out: Tensor) -> None:
    """Compute out = `self` clamped like `clamp_out`, with bounds for each element."""
    (minimum_stub if min is None else maximum_stub if max is None else clamp_stub)(op)


def clamp_min_Tensor_meta(op: TensorIteratorBase, self: Tensor, min: Tensor) -> None:
    """Declare an output of the broadcast sizes and the dtype that both inputs promote to."""
    op.build_borrowing_binary_op(self, min)


def clamp_min_Tensor_out(op: TensorIteratorBase, self: Tensor, min: Tensor, out: Tensor) -> None:
    """Compute out = maximum(self, min)."""
    maximum_stub(op)


def clamp_max_Tensor_meta(op: TensorIteratorBase, self: Tensor, max: Tensor) -> None:
    """Declare an output of the broadcast sizes and the dtype that both inputs promote to."""
    op.build_borrowing_binary_op(self, max)


def clamp_max_Tensor_out(op: TensorIteratorBase, self: Tensor, max: Tensor, out: Tensor) -> None:
    """Compute out = minimum(self, max)."""
    minimum_stub(op)


# ---- whether two tensors are equal, or nearly so


def cpu_equal(self: Tensor, other: Tensor) -> bool:
    """Return True if both tensors have the same sizes and equal elements; dtypes may differ, and NaN never equals NaN.

    Raises:
        RuntimeError: they are on two devices.

    Source: cpu_equal (aten/src/ATen/native/ReduceOps.cpp).
    """
    one, two = self._storage.device, other._storage.device
    if one != two:
        raise RuntimeError(f"Cannot compare two tensors on different devices. Got: {one} and {two}")
    if self._sizes != other._sizes:
        return False
    iter = TensorIterator.comparison_op(None, self, other)
    return equal_stub(iter)


def isclose(self: Tensor, other: Tensor, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    """Return True where abs(self - other) <= atol + rtol * abs(other); an infinity is close only to itself.

    Raises:
        RuntimeError: the dtypes differ, or a tolerance is negative.
    """
    if self._dtype is not other._dtype:
        one, two = SCALAR_TYPE_NAMES[self._dtype], SCALAR_TYPE_NAMES[other._dtype]
        raise RuntimeError(f"{one} did not match {two}")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance:g}")
    close = at.eq_Tensor(self, other)
    if equal_nan and self._dtype.is_floating_point:
        both_nan = at.logical_and(at.ne_Tensor(self, self), at.ne_Tensor(other, other))
        close = at.logical_or(close, both_nan)
    if rtol == 0 and atol == 0:
        return close
    if not self._dtype.is_floating_point:
        default = get_default_dtype()
        self, other = (at.to_dtype(self, default) if self._dtype is bool_ else self), at.to_dtype(other, default)
    allowed = at.add_Scalar(at.abs(at.mul_Scalar(other, rtol)), atol)
    actual = at.abs(at.sub_Tensor(self, other))
    is_near = at.logical_and(at.ne_Scalar(actual, math.inf), at.le_Tensor(actual, allowed))
    return at.logical_or(close, is_near)


def allclose(self: Tensor, other: Tensor, rtol: float, atol: float, equal_nan: bool) -> bool:
    """Return True if `isclose` is True everywhere; raise the same errors as `isclose`."""
    return bool(at.item(at.all(at.isclose(self, other, rtol, atol, equal_nan))))
