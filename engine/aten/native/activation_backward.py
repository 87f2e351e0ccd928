"""The backward of activation functions: the gradient of the input, given the gradient of the output.

Each takes the gradient and what the function kept: its input, or its output where that is enough. Mirrors
aten/src/ATen/native/Activation.cpp, and sigmoid, tanh and logit of BinaryOps.cpp.
"""

from ...strides import wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides, new_tensor
from ..iterator import BINARY_OP, TensorIterator, TensorIteratorBase
from ..structured import resize_output
from ..stubs import DispatchStub

Number = bool | int | float

threshold_backward_stub = DispatchStub("threshold_backward_stub")
leaky_relu_backward_stub = DispatchStub("leaky_relu_backward_stub")
threshold_backward_self_first_stub = DispatchStub("threshold_backward_self_first_stub")
leaky_relu_backward_self_first_stub = DispatchStub("leaky_relu_backward_self_first_stub")
"""kernel(iter, number) of operands (grad_input, self, grad_output); the others' are (grad_input, grad_output,
self)."""
hardtanh_backward_stub = DispatchStub("hardtanh_backward_stub")
shrink_backward_stub = DispatchStub("shrink_backward_stub")
hardsigmoid_backward_stub = DispatchStub("hardsigmoid_backward_stub")
hardswish_backward_stub = DispatchStub("hardswish_backward_stub")
sigmoid_backward_stub = DispatchStub("sigmoid_backward_stub")
tanh_backward_stub = DispatchStub("tanh_backward_stub")
logit_backward_stub = DispatchStub("logit_backward_stub")
logit_clamped_backward_stub = DispatchStub("logit_clamped_backward_stub")
gelu_backward_stub = DispatchStub("gelu_backward_stub")
gelu_tanh_backward_stub = DispatchStub("gelu_tanh_backward_stub")
silu_backward_stub = DispatchStub("silu_backward_stub")
mish_backward_stub = DispatchStub("mish_backward_stub")
softplus_backward_stub = DispatchStub("softplus_backward_stub")
elu_backward_stub = DispatchStub("elu_backward_stub")
elu_result_backward_stub = DispatchStub("elu_result_backward_stub")
log_sigmoid_backward_stub = DispatchStub("log_sigmoid_backward_stub")
"""kernel(iter) of operands (grad_input, self, buffer, grad_output)."""
glu_first_backward_stub = DispatchStub("glu_first_backward_stub")
glu_second_backward_stub = DispatchStub("glu_second_backward_stub")
"""kernel(iter) of operands (grad of the second half, first half, second half, grad_output)."""
prelu_backward_stub = DispatchStub("prelu_backward_stub")
prelu_weight_backward_stub = DispatchStub("prelu_weight_backward_stub")


def grad_first_meta(op: TensorIteratorBase, grad_output: Tensor, self: Tensor, *numbers: Number | str | None) -> None:
    """Make an output with the broadcast shape and the promoted dtype of the inputs."""
    op.build_borrowing_binary_op(grad_output, self)


def self_first_meta(op: TensorIteratorBase, grad_output: Tensor, self: Tensor, *numbers: Number) -> None:
    """Declare what `grad_first_meta` does, but with `self` first if strides differ: a new output takes its strides."""
    if grad_output._strides == self._strides:
        op.build_borrowing_binary_op(grad_output, self)
    else:
        op.build_borrowing_binary_op(self, grad_output)


threshold_backward_meta = leaky_relu_backward_meta = self_first_meta
hardshrink_backward_meta = softshrink_backward_meta = hardsigmoid_backward_meta = grad_first_meta
sigmoid_backward_meta = tanh_backward_meta = logit_backward_meta = grad_first_meta
gelu_backward_meta = silu_backward_meta = softplus_backward_meta = grad_first_meta

# ---- relu and its relatives


def threshold_backward_out(
    op: TensorIteratorBase, grad_output: Tensor, self: Tensor, threshold: Number, grad_input: Tensor
) -> None:
    """Compute grad_input = grad_output, or 0 where self <= `threshold`."""
    is_usual = grad_output._strides == self._strides
    stub = threshold_backward_stub if is_usual else threshold_backward_self_first_stub
    stub.kernels[op.device_type](op, threshold)


def leaky_relu_backward_out(
    op: TensorIteratorBase, grad_output: Tensor, self: Tensor, negative_slope: Number, self_is_result: bool,
    grad_input: Tensor,
) -> None:  # fmt: skip
    """Compute grad_input = grad_output where `self` is positive, else grad_output * `negative_slope`.

    Raises:
        RuntimeError: of a result, which with a negative slope does not tell the sign of the input.
    """
    if self_is_result and negative_slope < 0:
        raise RuntimeError(
            "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This "
            "is caused by calling in-place forward function with a negative slope, please call out-of-place version "
            "instead. File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place "
            "leakRelu backward calculation with negative slope"
        )
    is_usual = grad_output._strides == self._strides
    (leaky_relu_backward_stub if is_usual else leaky_relu_backward_self_first_stub)(op, negative_slope)


def _prelu_kernel_backward(grad_output: Tensor, self: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients of `self` and `weight`, both as large as `self`: the caller sums up the second."""
    grad_self = TensorIterator.make(BINARY_OP, None, self, weight, grad_output)
    prelu_backward_stub(grad_self)
    grad_weight = TensorIterator.make(BINARY_OP, None, self, grad_output)
    prelu_weight_backward_stub(grad_weight)
    return grad_self.output(), grad_weight.output()


def hardtanh_backward(grad_output: Tensor, self: Tensor, min_val: Number, max_val: Number) -> Tensor:
    """Return grad_output, or 0 where `self` is not strictly between the bounds."""
    return _binary(hardtanh_backward_stub, None, grad_output, self, min_val, max_val)


def hardtanh_backward_out(
    grad_output: Tensor, self: Tensor, min_val: Number, max_val: Number, grad_input: Tensor
) -> Tensor:
    """Write the result of `hardtanh_backward` into `grad_input`."""
    return _binary(hardtanh_backward_stub, grad_input, grad_output, self, min_val, max_val)


def _binary(stub: DispatchStub, out: Tensor | None, grad_output: Tensor, self: Tensor, *numbers: Number) -> Tensor:
    iter = TensorIterator.binary_op(out, grad_output, self)
    stub(iter, *numbers)
    if out is not None:
        iter.copy_back()
    return iter.output()


def hardshrink_backward_out(
    op: TensorIteratorBase, grad_out: Tensor, self: Tensor, lambd: Number, grad_input: Tensor
) -> None:
    """Compute grad_input = grad_out, or 0 where abs(self) <= lambd."""
    shrink_backward_stub(op, lambd)


def softshrink_backward_out(
    op: TensorIteratorBase, grad_output: Tensor, self: Tensor, lambd: Number, grad_input: Tensor
) -> None:
    """Compute grad_input = grad_output, or 0 where abs(self) <= lambd."""
    shrink_backward_stub(op, lambd)


def hardsigmoid_backward_out(op: TensorIteratorBase, grad_output: Tensor, self: Tensor, grad_input: Tensor) -> None:
    """Compute grad_input = grad_output / 6 where self is between -3 and 3, else 0."""
    hardsigmoid_backward_stub(op)


def hardswish_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    """Return grad_output * (self / 3 + 1 / 2) where self is between -3 and 3, 0 below, and grad_output above."""
    return _binary(hardswish_backward_stub, None, grad_output, self)


# ---- with exponentials


def sigmoid_backward_out(op: TensorIteratorBase, grad_output: Tensor, output: Tensor, grad_input: Tensor) -> None:
    """Compute grad_input = grad_output * (1 - output) * output."""
    sigmoid_backward_stub.kernels[op.device_type](op)


def tanh_backward_out(op: TensorIteratorBase, grad_output: Tensor, output: Tensor, grad_input: Tensor) -> None:
    """Compute grad_input = grad_output * (1 - output**2)."""
    tanh_backward_stub.kernels[op.device_type](op)


def logit_backward_out(
    op: TensorIteratorBase, grad_output: Tensor, self: Tensor, eps: float | None, grad_input: Tensor
) -> None:
    """Compute grad_input = grad_output / (self * (1 - self)); out of range, it is 0 if `eps` is given, else NaN."""
    if eps is None or eps < 0:
        logit_backward_stub(op)
    else:
        logit_clamped_backward_stub(op, eps, 1.0 - eps)


def gelu_backward_out_cpu(
    op: TensorIteratorBase, grad_output: Tensor, self: Tensor, approximate: str, grad_input: Tensor
) -> None:
    """Compute grad_input = grad_output * the derivative of `gelu` at self.

    Raises:
        RuntimeError: `approximate` is neither "none" nor "tanh".
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    (gelu_backward_stub if approximate == "none" else gelu_tanh_backward_stub)(op)


def silu_backward_out(op: TensorIteratorBase, grad_output: Tensor, self: Tensor, grad_input: Tensor) -> None:
    """Compute grad_input = grad_output * s * (1 + self * (1 - s)), where s = sigmoid(self)."""
    silu_backward_stub.kernels[op.device_type](op)


def mish_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    """Return grad_output * (t + self * sigmoid(self) * (1 - t**2)), where t = tanh(softplus(self))."""
    return _binary(mish_backward_stub, None, grad_output, self)


def softplus_backward_out(
    op: TensorIteratorBase, grad_output: Tensor, self: Tensor, beta: Number, threshold: Number, grad_input: Tensor
) -> None:
    """Compute grad_input = grad_output * sigmoid(beta * self), or grad_output where beta * self > `threshold`."""
    softplus_backward_stub(op, beta, threshold)


def elu_backward_meta(
    op: TensorIteratorBase, grad_output: Tensor, alpha: Number, scale: Number, input_scale: Number, is_result: bool,
    self_or_result: Tensor,
) -> None:  # fmt: skip
    """Declare what `grad_first_meta` does, with `self_or_result` instead of `self`.

    Raises:
        RuntimeError: of a result, which with a negative alpha does not tell the sign of the input.
    """
    if is_result and alpha < 0:
        raise RuntimeError(
            "In-place elu backward calculation is triggered with a negative slope which is not supported. This is "
            "caused by calling in-place forward function with a negative slope, please call out-of-place version "
            "instead."
        )
    op.build_borrowing_binary_op(grad_output, self_or_result)


def elu_backward_out(
    op: TensorIteratorBase, grad_output: Tensor, alpha: Number, scale: Number, input_scale: Number, is_result: bool,
    self_or_result: Tensor, grad_input: Tensor,
) -> None:  # fmt: skip
    """Compute grad_input = grad_output * the derivative of `elu`, found from its input or (`is_result`) output."""
    (elu_result_backward_stub if is_result else elu_backward_stub)(op, alpha * scale, scale, input_scale)


def log_sigmoid_backward_cpu(grad_output: Tensor, self: Tensor, buffer: Tensor) -> Tensor:
    """Return grad_output * (1 - sigmoid(self)), computed from buffer = e**-abs(self)."""
    return log_sigmoid_backward_cpu_out(grad_output, self, buffer, at.empty_like(grad_output))


def log_sigmoid_backward_cpu_out(grad_output: Tensor, self: Tensor, buffer: Tensor, grad_input: Tensor) -> Tensor:
    """Write the result of `log_sigmoid_backward_cpu` into `grad_input`."""
    iter = TensorIterator.make(BINARY_OP, grad_input, self, buffer, grad_output)
    log_sigmoid_backward_stub(iter)
    iter.copy_back()
    return grad_input


def glu_backward_cpu(grad_output: Tensor, self: Tensor, dim: int) -> Tensor:
    """Return the gradient of `self`: the gradients of its two halves, concatenated along `dim`."""
    grad_input = new_tensor(self._sizes, contiguous_strides(self._sizes), self._dtype, self._storage.device)
    return glu_backward_cpu_out(grad_output, self, dim, grad_input)


def glu_backward_cpu_out(grad_output: Tensor, self: Tensor, dim: int, grad_input: Tensor) -> Tensor:
    """Write the result of `glu_backward_cpu` into `grad_input`.

    Raises:
        RuntimeError: there are no dimensions; the one that is halved has an odd size.
        IndexError: there is no such dimension.
    """
    if not self._sizes:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    dim = wrap_dim(dim, len(self._sizes))
    half, odd = divmod(self._sizes[dim], 2)
    if odd:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {self._sizes[dim]}")
    resize_output(grad_input, self._sizes)
    first, second = at.narrow(self, dim, 0, half), at.narrow(self, dim, half, half)
    of_first, of_second = at.narrow(grad_input, dim, 0, half), at.narrow(grad_input, dim, half, half)
    glu_first_backward_stub(TensorIterator.make(BINARY_OP, of_first, grad_output, second))
    glu_second_backward_stub(TensorIterator.make(BINARY_OP, of_second, first, second, grad_output))
    return grad_input
