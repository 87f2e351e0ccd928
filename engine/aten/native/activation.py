"""Activation functions. Mirrors aten/src/ATen/native/Activation.cpp and GatedLinearUnit.cpp."""

from dataclasses import replace

from ...dtypes import bool_, contiguous_format, float64
from ...strides import wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..iterator import UNARY_FLOAT_OP, TensorIterator, TensorIteratorBase
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES

Number = bool | int | float

clamp_min_stub = DispatchStub("clamp_min_stub")
"""kernel(iter, least): the larger of each element and a number; NaN stays NaN."""
gelu_stub = DispatchStub("gelu_stub")
gelu_tanh_stub = DispatchStub("gelu_tanh_stub")
leaky_relu_stub = DispatchStub("leaky_relu_stub")
softplus_stub = DispatchStub("softplus_stub")
elu_stub = DispatchStub("elu_stub")
threshold_stub = DispatchStub("threshold_stub")
hardswish_stub = DispatchStub("hardswish_stub")
softshrink_stub = DispatchStub("softshrink_stub")
hardshrink_stub = DispatchStub("hardshrink_stub")
glu_stub = DispatchStub("glu_stub")
prelu_stub = DispatchStub("prelu_stub")
log_sigmoid_stub = DispatchStub("log_sigmoid_stub")
log_sigmoid_buffer_stub = DispatchStub("log_sigmoid_buffer_stub")

silu_stub = DispatchStub("silu_stub")
mish_stub = DispatchStub("mish_stub")
hardsigmoid_stub = DispatchStub("hardsigmoid_stub")


def same_dtype_meta(op: TensorIteratorBase, self: Tensor, *numbers: Number | str) -> None:
    """Make an output with the shape and dtype of the input."""
    op.build_borrowing_unary_op(self)


leaky_relu_meta = silu_meta = mish_meta = softplus_meta = elu_meta = same_dtype_meta
hardsigmoid_meta = hardshrink_meta = gelu_meta = same_dtype_meta

# ---- relu and its relatives


def relu(self: Tensor) -> Tensor:
    """Return `self` with its negative elements replaced by 0.

    Raises:
        RuntimeError: `self` is a bool tensor.
    """
    return _relu(None, self)


def relu_(self: Tensor) -> Tensor:
    """Write the result of `relu` into `self`."""
    return _relu(self, self)


def _relu(out: Tensor | None, self: Tensor) -> Tensor:
    if self._dtype is bool_:
        raise RuntimeError("Boolean inputs not supported for relu")
    iter = TensorIterator.unary_op(out, self)
    clamp_min_stub.kernels[self._storage.device.type](iter, 0)
    return iter.outputs[0]


def leaky_relu_out(op: TensorIteratorBase, self: Tensor, negative_slope: Number, out: Tensor) -> None:
    """Compute out = self where self is positive, else self * `negative_slope`."""
    leaky_relu_stub(op, negative_slope)


def prelu(self: Tensor, weight: Tensor) -> Tensor:
    """Return `leaky_relu` with slopes from `weight`: one slope for all elements, or one per channel (dimension 1).

    Raises:
        RuntimeError: `weight` has another dtype, several dimensions, or not as many numbers as there are entries.
    """
    if self._dtype is not weight._dtype:
        mine, theirs = SCALAR_TYPE_NAMES[self._dtype], SCALAR_TYPE_NAMES[weight._dtype]
        raise RuntimeError(f"prelu: Type promoting not supported. Got {mine} and {theirs}")
    if weight.numel() != 1:
        if not self._sizes:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = self._sizes[1] if len(self._sizes) > 1 else 1
        if channels != weight.numel():
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight.numel()} and channel size = {channels}."
            )
    if len(weight._sizes) > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.dim()}")
    if len(self._sizes) > 1:
        weight = at.reshape(weight, (1, weight.numel(), *(1,) * (len(self._sizes) - 2)))
    elif weight._sizes != (1,) * len(self._sizes):
        weight = at.reshape(weight, (1,) * len(self._sizes))
    return at._prelu_kernel(self, weight)


def _prelu_kernel(self: Tensor, weight: Tensor) -> Tensor:
    iter = TensorIterator.binary_op(at.empty_like(self), self, weight)
    prelu_stub(iter)
    return iter.output()


def hardtanh(self: Tensor, min_val: Number, max_val: Number) -> Tensor:
    """Return `self` clamped to [min_val, max_val]; for integers, the bounds are truncated.

    Raises:
        RuntimeError: `self` is a bool tensor.
    """
    return at.clamp(self, *_limits(self, min_val, max_val))


def hardtanh_(self: Tensor, min_val: Number, max_val: Number) -> Tensor:
    """Write the result of `hardtanh` into `self`."""
    return at.clamp_(self, *_limits(self, min_val, max_val))


def hardtanh_out(self: Tensor, min_val: Number, max_val: Number, out: Tensor) -> Tensor:
    """Write the result of `hardtanh` into `out`."""
    return at.clamp_out(self, *_limits(self, min_val, max_val), out=out)


def _limits(self: Tensor, least: Number, most: Number) -> tuple[Number, Number]:
    if self._dtype is bool_:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    return (least, most) if self._dtype.is_floating_point else (int(least), int(most))


def relu6(self: Tensor) -> Tensor:
    """Return `self` clamped to [0, 6]."""
    return at.hardtanh(self, 0, 6)


def relu6_(self: Tensor) -> Tensor:
    """Write the result of `relu6` into `self`."""
    return at.hardtanh_(self, 0, 6)


THRESHOLD_OP = replace(UNARY_FLOAT_OP, promote_integer_inputs_to_float=False)


def threshold_meta(op: TensorIteratorBase, self: Tensor, threshold: Number, value: Number) -> None:
    """Make an output with the shape and dtype of the input."""
    op.build_borrowing_unary_op(self, THRESHOLD_OP)


def threshold_out(op: TensorIteratorBase, self: Tensor, threshold: Number, value: Number, out: Tensor) -> None:
    """Compute out = self, or `value` where self <= `threshold`."""
    threshold_stub(op, threshold, value)


# ---- with exponentials


def gelu_out_cpu(op: TensorIteratorBase, self: Tensor, approximate: str, out: Tensor) -> None:
    """Compute out = self * P(X <= self) for a standard normal X, exactly or by the tanh approximation.

    Raises:
        RuntimeError: `approximate` is neither "none" nor "tanh".
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    (gelu_stub if approximate == "none" else gelu_tanh_stub)(op)


def silu_out(op: TensorIteratorBase, self: Tensor, out: Tensor) -> None:
    """Compute out = self * sigmoid(self)."""
    silu_stub.kernels[op.device_type](op)


def mish_out(op: TensorIteratorBase, self: Tensor, out: Tensor) -> None:
    """Compute out = self * tanh(softplus(self))."""
    mish_stub(op)


def softplus_out(op: TensorIteratorBase, self: Tensor, beta: Number, threshold: Number, out: Tensor) -> None:
    """Compute out = log(1 + e**(beta * self)) / beta, or self where beta * self is above `threshold`."""
    softplus_stub(op, beta, threshold)


def elu_out(
    op: TensorIteratorBase, self: Tensor, alpha: Number, scale: Number, input_scale: Number, out: Tensor
) -> None:
    """Compute out = scale * self where self is positive, else scale * alpha * (e**(input_scale * self) - 1)."""
    elu_stub(op, alpha * scale, scale, input_scale)


SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


def selu(self: Tensor) -> Tensor:
    """Return `elu` with the alpha and scale that keep activations at mean 0 and variance 1."""
    return at.elu(self, SELU_ALPHA, SELU_SCALE)


def selu_(self: Tensor) -> Tensor:
    """Write the result of `selu` into `self`."""
    return at.elu_(self, SELU_ALPHA, SELU_SCALE)


def celu(self: Tensor, alpha: Number) -> Tensor:
    """Return self where self is positive, else alpha * (e**(self / alpha) - 1): `elu` with input_scale 1 / alpha.

    Raises:
        RuntimeError: alpha is 0.
    """
    return at.elu(self, alpha, 1.0, _inverse(alpha))


def celu_(self: Tensor, alpha: Number) -> Tensor:
    """Write the result of `celu` into `self`."""
    return at.elu_(self, alpha, 1.0, _inverse(alpha))


def _inverse(alpha: Number) -> float:
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return 1.0 / alpha


def log_sigmoid(self: Tensor) -> Tensor:
    """Return log(1 / (1 + e**-self))."""
    return at.log_sigmoid_forward(self)[0]


def log_sigmoid_out(self: Tensor, out: Tensor) -> Tensor:
    """Write the result of `log_sigmoid` into `out`."""
    return at.log_sigmoid_forward_output(self, output=out, buffer=at.empty_like(self))[0]


def log_sigmoid_forward_cpu(self: Tensor) -> tuple[Tensor, Tensor]:
    """Return log(1 / (1 + e**-self)) and, as the buffer for the backward pass, e**-abs(self)."""
    output, buffer = (at.empty_like(self, memory_format=contiguous_format) for _ in range(2))
    return log_sigmoid_forward_out_cpu(self, output, buffer)


def log_sigmoid_forward_out_cpu(self: Tensor, output: Tensor, buffer: Tensor) -> tuple[Tensor, Tensor]:
    """Write the results of `log_sigmoid_forward_cpu` into `output` and `buffer`."""
    log_sigmoid_stub(TensorIterator.unary_op(output, self))
    log_sigmoid_buffer_stub(TensorIterator.unary_op(buffer, self))
    return output, buffer


# ---- by pieces


def hardsigmoid_out(op: TensorIteratorBase, self: Tensor, out: Tensor) -> None:
    """Compute out = relu6(self + 3) / 6."""
    hardsigmoid_stub(op)


def hardswish(self: Tensor) -> Tensor:
    """Return self * relu6(self + 3) / 6."""
    return _hardswish(None, self)


def hardswish_(self: Tensor) -> Tensor:
    """Write the result of `hardswish` into `self`."""
    return _hardswish(self, self)


def hardswish_out(self: Tensor, out: Tensor) -> Tensor:
    """Write the result of `hardswish` into `out`."""
    return _hardswish(out, self)


def _hardswish(out: Tensor | None, self: Tensor) -> Tensor:
    iter = TensorIterator.unary_op(out, self)
    hardswish_stub(iter)
    return iter.output()


def softshrink_meta(op: TensorIteratorBase, self: Tensor, lambd: Number) -> None:
    """Make an output with the shape and dtype of the input.

    Raises:
        NotImplementedError: `self` is not floating-point.
        RuntimeError: `lambd` is negative, or too large for the dtype.
    """
    if not self._dtype.is_floating_point:
        raise NotImplementedError(f"\"softshrink_check\" not implemented for '{SCALAR_TYPE_NAMES[self._dtype]}'")
    if not 0 <= lambd <= self._dtype.largest:
        name = SCALAR_TYPE_NAMES[self._dtype]
        most = "1.79769e+308" if self._dtype is float64 else "3.40282e+38"
        raise RuntimeError(f"lambda must be in range [0, {most}] for input dtype {name}, but found {lambd:g}")
    op.build_borrowing_unary_op(self)


def softshrink_out(op: TensorIteratorBase, self: Tensor, lambd: Number, out: Tensor) -> None:
    """Compute out = self moved toward 0 by `lambd`, or 0 where abs(self) <= lambd."""
    softshrink_stub(op, lambd)


def hardshrink_out(op: TensorIteratorBase, self: Tensor, lambd: Number, out: Tensor) -> None:
    """Compute out = self, or 0 where abs(self) <= lambd."""
    hardshrink_stub(op, lambd)


def glu_meta(op: TensorIteratorBase, self: Tensor, dim: int) -> None:
    """Make an output whose size in `dim` is half of the input's.

    Raises:
        RuntimeError: there are no dimensions; the one that is halved has an odd size.
        IndexError: there is no such dimension.
    """
    if not self._sizes:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    dim = wrap_dim(dim, len(self._sizes))
    size = self._sizes[dim]
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {size}")
    first, second = at.narrow(self, dim, 0, size // 2), at.narrow(self, dim, size // 2, size // 2)
    op.build_borrowing_binary_op(first, second)


def glu_out(op: TensorIteratorBase, self: Tensor, dim: int, out: Tensor) -> None:
    """Compute out = the first half of self times the sigmoid of the second half."""
    glu_stub(op)
