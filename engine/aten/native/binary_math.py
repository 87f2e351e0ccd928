"""Operators of two tensors beyond arithmetic: the larger one, remainders, angles, logarithms of sums.

Mirrors the rest of aten/src/ATen/native/BinaryOps.cpp.
"""

from ...tensor_impl import Tensor
from ..iterator import TensorIterator, TensorIteratorBase
from ..stubs import DispatchStub
from .binary_ops import div_floor_stub

Number = bool | int | float

maximum_stub = DispatchStub("maximum_stub")
minimum_stub = DispatchStub("minimum_stub")
fmax_stub = DispatchStub("fmax_stub")
fmin_stub = DispatchStub("fmin_stub")
remainder_stub = DispatchStub("remainder_stub")
fmod_stub = DispatchStub("fmod_stub")
atan2_stub = DispatchStub("atan2_stub")
hypot_stub = DispatchStub("hypot_stub")
logaddexp_stub = DispatchStub("logaddexp_stub")
logaddexp2_stub = DispatchStub("logaddexp2_stub")
xlogy_stub = DispatchStub("xlogy_stub")
copysign_stub = DispatchStub("copysign_stub")
heaviside_stub = DispatchStub("heaviside_stub")
nextafter_stub = DispatchStub("nextafter_stub")
gcd_stub = DispatchStub("gcd_stub")
lcm_stub = DispatchStub("lcm_stub")

# ---- what they demand of their inputs


def promoting_meta(op: TensorIteratorBase, self: Tensor, other: Tensor) -> None:
    """Make an output with the broadcast shape and the promoted dtype of the inputs."""
    op.build_borrowing_binary_op(self, other)


def floating_meta(op: TensorIteratorBase, self: Tensor, other: Tensor) -> None:
    """Make a floating-point output of the broadcast shape, even if both inputs are integer tensors."""
    op.build_borrowing_binary_float_op(self, other)


def heaviside_meta(op: TensorIteratorBase, self: Tensor, values: Tensor) -> None:
    """Declare what `promoting_meta` does, but refuse different dtypes.

    Raises:
        RuntimeError: the dtypes differ.
    """
    given = op.outputs[0] if op.has_given_outputs else self
    if not self._dtype is values._dtype is given._dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    op.build_borrowing_binary_op(self, values)


maximum_meta = minimum_meta = fmax_meta = fmin_meta = promoting_meta
remainder_Tensor_meta = fmod_Tensor_meta = hypot_meta = nextafter_meta = promoting_meta
logaddexp_meta = logaddexp2_meta = gcd_meta = lcm_meta = promoting_meta
atan2_meta = xlogy_Tensor_meta = copysign_Tensor_meta = floating_meta

# ---- the larger and the smaller one


def maximum_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = the larger of self and other, or NaN if either is NaN."""
    maximum_stub.kernels[op.device_type](op)


def minimum_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = the smaller of self and other, or NaN if either is NaN."""
    minimum_stub.kernels[op.device_type](op)


def fmax_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = the larger of self and other, ignoring a NaN unless both are NaN."""
    fmax_stub(op)


def fmin_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = the smaller of self and other, ignoring a NaN unless both are NaN."""
    fmin_stub(op)


# ---- division that leaves a rest


def floor_divide(self: Tensor, other: Tensor) -> Tensor:
    """Return self / other, rounded down.

    Raises:
        RuntimeError: an integer divided by 0.
        NotImplementedError: two bools.
    """
    return _floor_divide(None, self, other)


def floor_divide_(self: Tensor, other: Tensor) -> Tensor:
    """Compute self //= other."""
    return _floor_divide(self, self, other)


def floor_divide_out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    """Write the result of `floor_divide` into `out`."""
    return _floor_divide(out, self, other)


def _floor_divide(out: Tensor | None, self: Tensor, other: Tensor) -> Tensor:
    iter = TensorIterator.binary_op(out, self, other)
    div_floor_stub(iter)
    if iter.has_given_outputs:
        iter.copy_back()
    return iter.output()


def remainder_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = the remainder of floor division, self - floor(self / other) * other, with the sign of other."""
    remainder_stub.kernels[op.device_type](op)


def fmod_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = the remainder of truncated division, self - trunc(self / other) * other, with the sign of self."""
    fmod_stub(op)


def gcd_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = the greatest common divisor of self and other."""
    gcd_stub(op)


def lcm_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = the least common multiple of self and other."""
    lcm_stub(op)


# ---- functions of two floats


def atan2_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = the angle of the point (other, self), in [-pi, pi]."""
    atan2_stub(op)


def hypot_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = sqrt(self ** 2 + other ** 2), without intermediate overflow."""
    hypot_stub(op)


def logaddexp_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = log(e ** self + e ** other)."""
    logaddexp_stub(op)


def logaddexp2_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = log2(2 ** self + 2 ** other)."""
    logaddexp2_stub(op)


def xlogy_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = self * log(other), or 0 where self is 0 and other is not NaN."""
    xlogy_stub(op)


def copysign_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = abs(self) with the sign of other, where -0.0 counts as negative."""
    copysign_stub(op)


def nextafter_out(op: TensorIteratorBase, self: Tensor, other: Tensor, out: Tensor) -> None:
    """Compute out = the next floating-point number after self in the direction of other."""
    nextafter_stub(op)


def heaviside_out(op: TensorIteratorBase, self: Tensor, values: Tensor, out: Tensor) -> None:
    """Compute out = 0 where self is negative, `values` where self is 0, and 1 where self is positive."""
    heaviside_stub(op)
