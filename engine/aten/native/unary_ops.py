"""Operators of one operand: what they demand of it, and which kernel computes them.

Almost all are structured, and come in three kinds: floating-point whatever the input is (`exp`), of the input's dtype
(`neg`), and bool (`signbit`). Mirrors aten/src/ATen/native/UnaryOps.cpp.
"""

import math
from collections.abc import Callable
from dataclasses import replace

from ...dtypes import bool_
from ...tensor_impl import Tensor
from ..at import at
from ..iterator import UNARY_BOOL_OP, TensorIterator, TensorIteratorBase
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES

Impl = Callable[..., None]

# ---- the three kinds


def computed_by(name: str) -> tuple[DispatchStub, Impl]:
    """Return a stub and an impl function that only runs the stub: out = f(self).

    Source: CREATE_UNARY_TORCH_IMPL_FUNC.
    """
    stub = DispatchStub(name)

    def impl(op: TensorIteratorBase, self: Tensor, out: Tensor) -> None:
        """Compute out = f(self)."""
        stub.kernels[op.device_type](op)

    return stub, impl


def unary_float_meta(op: TensorIteratorBase, self: Tensor) -> None:
    """Declare a floating-point output: integers and bools become the default dtype."""
    op.build_borrowing_unary_float_op(self)


def unary_meta(op: TensorIteratorBase, self: Tensor) -> None:
    """Declare an output like the input."""
    op.build_borrowing_unary_op(self)


# ---- floating-point

exp_stub, exp_out = computed_by("exp_stub")
exp2_stub, exp2_out = computed_by("exp2_stub")
expm1_stub, expm1_out = computed_by("expm1_stub")
log_stub, log_out = computed_by("log_stub")
log2_stub, log2_out = computed_by("log2_stub")
log10_stub, log10_out = computed_by("log10_stub")
log1p_stub, log1p_out = computed_by("log1p_stub")
sin_stub, sin_out = computed_by("sin_stub")
cos_stub, cos_out = computed_by("cos_stub")
tan_stub, tan_out = computed_by("tan_stub")
tanh_stub, tanh_out = computed_by("tanh_stub")
sigmoid_stub, sigmoid_out = computed_by("sigmoid_stub")
erf_stub, erf_out = computed_by("erf_stub")
asin_stub, asin_out = computed_by("asin_stub")
acos_stub, acos_out = computed_by("acos_stub")
atan_stub, atan_out = computed_by("atan_stub")
sinh_stub, sinh_out = computed_by("sinh_stub")
cosh_stub, cosh_out = computed_by("cosh_stub")
asinh_stub, asinh_out = computed_by("asinh_stub")
acosh_stub, acosh_out = computed_by("acosh_stub")
atanh_stub, atanh_out = computed_by("atanh_stub")
erfc_stub, erfc_out = computed_by("erfc_stub")
sinc_stub, sinc_out = computed_by("sinc_stub")
sqrt_stub, sqrt_out = computed_by("sqrt_stub")
rsqrt_stub, rsqrt_out = computed_by("rsqrt_stub")
reciprocal_stub, reciprocal_out = computed_by("reciprocal_stub")

exp_meta = exp2_meta = expm1_meta = log_meta = log2_meta = log10_meta = log1p_meta = unary_float_meta
sin_meta = cos_meta = tan_meta = tanh_meta = sigmoid_meta = erf_meta = unary_float_meta
asin_meta = acos_meta = atan_meta = sinh_meta = cosh_meta = asinh_meta = acosh_meta = atanh_meta = unary_float_meta
erfc_meta = sinc_meta = sqrt_meta = rsqrt_meta = reciprocal_meta = unary_float_meta

# ---- of the input's dtype

abs_stub = DispatchStub("abs_stub")
neg_stub, neg_out = computed_by("neg_stub")
sign_stub, sign_out = computed_by("sign_stub")
bitwise_not_stub, bitwise_not_out = computed_by("bitwise_not_stub")
floor_stub, floor_out = computed_by("floor_stub")
ceil_stub, ceil_out = computed_by("ceil_stub")
trunc_stub, trunc_out = computed_by("trunc_stub")
round_stub, round_out = computed_by("round_stub")
frac_stub, frac_out = computed_by("frac_stub")
round_decimals_stub = DispatchStub("round_decimals_stub")
"""kernel(iter, power, is_negative): rounded to multiples of 1 / power, or of power."""

sgn_out = sign_out  # of a complex number it would be another
sgn_meta = frac_meta = sign_meta = bitwise_not_meta = floor_meta = ceil_meta = trunc_meta = round_meta = unary_meta


def neg_meta(op: TensorIteratorBase, self: Tensor) -> None:
    """Declare an output like the input.

    Raises:
        RuntimeError: of bools there is no negative.
    """
    if self._dtype is bool_:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. "
            "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
        )
    op.build_borrowing_unary_op(self)


def round_decimals_meta(op: TensorIteratorBase, self: Tensor, decimals: int) -> None:
    """Declare an output like the input."""
    op.build_borrowing_unary_op(self)


def round_decimals_out(op: TensorIteratorBase, self: Tensor, decimals: int, out: Tensor) -> None:
    """Compute out = `self` rounded to `decimals` digits after the decimal point, or to tens, hundreds, ... if negative.

    Raises:
        NotImplementedError: `self` is not floating-point.
    """
    if decimals == 0:
        if not self._dtype.is_floating_point:
            raise NotImplementedError(f"\"round_vml_cpu\" not implemented for '{SCALAR_TYPE_NAMES[self._dtype]}'")
        round_stub(op)
    else:
        exponent = -decimals if decimals < 0 else decimals
        round_decimals_stub(op, 10.0**exponent if exponent <= 308 else math.inf, float(decimals < 0))


def abs(self: Tensor) -> Tensor:
    """Return the absolute value."""
    return _abs(None, self)


def abs_(self: Tensor) -> Tensor:
    """Write `abs` into `self`."""
    return _abs(self, self)


def abs_out(self: Tensor, out: Tensor) -> Tensor:
    """Write `abs` into `out`."""
    return _abs(out, self)


def _abs(out: Tensor | None, self: Tensor) -> Tensor:
    iter = TensorIterator.unary_op(out, self)
    abs_stub(iter)
    return iter.output()


def square(self: Tensor) -> Tensor:
    """Return self * self; bools become integers."""
    return at.pow_Tensor_Scalar(self, 2)


def square_(self: Tensor) -> Tensor:
    """Write `square` into `self`."""
    return at.pow__Scalar(self, 2)


def square_out(self: Tensor, out: Tensor) -> Tensor:
    """Write `square` into `out`."""
    return at.pow_Tensor_Scalar_out(self, 2, out=out)


# ---- bool

logical_not_stub = DispatchStub("logical_not_stub")

LOGICAL_NOT_OP = replace(UNARY_BOOL_OP, cast_common_dtype_to_outputs=True)


def logical_not(self: Tensor) -> Tensor:
    """Return True where an element is 0; NaN counts as nonzero."""
    return _logical_not(None, self)


def logical_not_(self: Tensor) -> Tensor:
    """Write `logical_not` into `self`, as 0 and 1 if `self` is not a bool tensor."""
    return _logical_not(self, self)


def logical_not_out(self: Tensor, out: Tensor) -> Tensor:
    """Write `logical_not` into `out`, of any dtype."""
    return _logical_not(out, self)


def _logical_not(out: Tensor | None, self: Tensor) -> Tensor:
    iter = TensorIterator.make(LOGICAL_NOT_OP, out, self)
    logical_not_stub(iter)
    iter.copy_back()
    return iter.output()


def isnan(self: Tensor) -> Tensor:
    """Return True where an element is NaN, the only value not equal to itself."""
    return at.ne_Tensor(self, self)


def isfinite(self: Tensor) -> Tensor:
    """Return True where an element is neither NaN nor an infinity; integers and bools are always finite."""
    if not self._dtype.is_floating_point:
        return at.ones_like(self, dtype=bool_)
    return at.mul_Tensor(at.eq_Tensor(self, self), at.ne_Scalar(at.abs(self), math.inf))
