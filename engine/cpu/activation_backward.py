"""The kernels of the way back through activation functions. Mirrors aten/src/ATen/native/cpu/Activation.cpp and the
backward kernels of BinaryOpsKernel.cpp."""

import numpy as np

from ..aten.native import activation_backward as backward
from ..dtypes import float32, float64
from . import sleef
from .activation import SQRT_2_OVER_PI, SQRT_HALF
from .elementwise import FLOATS, NUMBERS, SAME2, SAME3, Table, register
from .float_bits import inlined, like, select

# Functions of single numbers: inputs, then scalars. `like(x, 1)` is 1 in the dtype of x. Where x is nan they give what
# PyTorch's vectors give; the last elements of a tensor, which it computes one by one, may have grad there.

INVERSE_SQRT_2_PI = 0.3989422804014327
SIXTH = float(np.float32(1 / 6))  # also of float64


def threshold(grad, x, least):
    """Return grad, or 0 where x is not above least; where x is nan, return grad."""
    return type(grad)(0) if x <= least else grad


def threshold_self_first(x, grad, least):
    """Compute `threshold` with the operands in the order x, grad."""
    return type(grad)(0) if x <= least else grad


def leaky_relu(grad, x, slope):
    """Return grad, times slope where x is not positive."""
    return select(x > like(x, 0), grad, grad * slope)


def leaky_relu_self_first(x, grad, slope):
    """Compute `leaky_relu` with the operands in the order x, grad."""
    return select(x > like(x, 0), grad, grad * slope)


def prelu(x, slope, grad):
    """Return grad, times slope where x is not positive."""
    return select(x > like(x, 0), grad, grad * slope)


def prelu_weight(x, grad):
    """Return x * grad where x is not positive, else 0."""
    return select(x > like(x, 0), like(x, 0), x * grad)


def hardtanh(grad, x, least, most):
    """Return grad where x is strictly between the bounds, else 0."""
    return select((x > least) & (x < most), grad, like(x, 0))


def shrink(grad, x, size):
    """Return grad where abs(x) is greater than size, else 0."""
    return select((x < -size) | (x > size), grad, like(x, 0))


def hardsigmoid(grad, x):
    """Return grad / 6 where x is between -3 and 3, else 0."""
    return select((x > like(x, -3)) & (x < like(x, 3)), grad * like(x, SIXTH), like(x, 0))


def hardswish(grad, x):
    """Return grad times the derivative of hardswish: 0 up to -3, x / 3 + 1 / 2 between -3 and 3, 1 from 3 on."""
    middle = grad * (x / like(x, 3) + like(x, 0.5))
    return select(x <= like(x, -3), like(x, 0), select(x >= like(x, 3), grad, middle))


def sigmoid(grad, y):
    """Return grad * (1 - y) * y."""
    return grad * (like(y, 1) - y) * y


def tanh(grad, y):
    """Return grad * (1 - y * y)."""
    return grad * (like(y, 1) - y * y)


def logit(grad, x):
    """Return grad / (x * (1 - x)), or nan where x is outside [0, 1]."""
    is_inside = (x >= like(x, 0)) & (x <= like(x, 1))
    return select(is_inside, grad / (x * (like(x, 1) - x)), like(x, float("nan")))


def logit_clamped(grad, x, least, most):
    """Return grad / (x * (1 - x)), or 0 where x is outside the bounds."""
    return select((x >= least) & (x <= most), grad / (x * (like(x, 1) - x)), like(x, 0))


@inlined
def gelu(grad, x, erf):
    """Return grad * (P(X <= x) + x * p(x)) for a standard normal X, given erf at x / sqrt(2)."""
    density = sleef.exp(x * x * like(x, -0.5)) * like(x, INVERSE_SQRT_2_PI)
    return grad * (like(x, 0.5) * (like(x, 1) + erf) + x * density)


def gelu_float32(grad, x):
    """Return grad times the derivative of gelu."""
    return gelu(grad, x, sleef.erf_float32(x * like(x, SQRT_HALF)))


def gelu_float64(grad, x):
    """Return grad times the derivative of gelu."""
    return gelu(grad, x, sleef.erf_float64(x * like(x, SQRT_HALF)))


def gelu_tanh(grad, x):
    """Return grad times the derivative of gelu's approximation x / 2 * (1 + tanh(u)), with u a polynomial in x."""
    square = x * x
    t = sleef.tanh(like(x, SQRT_2_OVER_PI) * (x + like(x, 0.044715) * (x * square)))
    slope_of_u = like(x, SQRT_2_OVER_PI) * (like(x, 1) + like(x, 3 * 0.044715) * square)
    return grad * like(x, 0.5) * (like(x, 1) + t + x * (like(x, 1) - t * t) * slope_of_u)


def silu(grad, x):
    """Return grad * s * (1 + x * (1 - s)) with s = sigmoid(x)."""
    s = sleef.sigmoid(x)
    return grad * s * (like(x, 1) + x * (like(x, 1) - s))


def mish(grad, x):
    """Return grad * (t + x * sigmoid(x) * (1 - t * t)) with t = tanh(log(1 + e**x))."""
    t = sleef.tanh(sleef.log1p(sleef.exp(x)))
    return grad * (t + x * sleef.sigmoid(x) * (like(x, 1) - t * t))


def softplus(grad, x, beta, threshold):
    """Return grad * sigmoid(beta * x), or grad itself where beta * x is above `threshold`."""
    z = sleef.exp(x * beta)
    return select(x * beta > threshold, grad, grad * z / (z + like(x, 1)))


def elu(grad, x, negative, positive, inner):
    """Return grad times the derivative of elu, computed from elu's input."""
    return select(x > like(x, 0), grad * positive, grad * inner * negative * sleef.exp(x * inner))


def elu_result(grad, y, negative, positive, inner):
    """Return grad times the derivative of elu, computed from elu's output."""
    return select(y > like(y, 0), grad * positive, grad * inner * (y + negative))


def log_sigmoid(x, buffer, grad):
    """Return grad * (1 - sigmoid(x)), given buffer = e**-abs(x)."""
    share = buffer / (like(x, 1) + buffer)
    return select(x < like(x, 0), like(x, 1) - share, share) * grad


def glu_first(grad, second):
    """Return grad * sigmoid(second)."""
    return grad * sleef.sigmoid(second)


def glu_second(first, second, grad):
    """Return grad * first * s * (1 - s) with s = sigmoid(second)."""
    s = sleef.sigmoid(second)
    return (like(s, 1) - s) * s * grad * first


GELU = {(float32,): gelu_float32, (float64,): gelu_float64}

KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (backward.threshold_backward_stub, "threshold_cpu", {NUMBERS: threshold}, SAME2, 1),
    (backward.threshold_backward_self_first_stub, "threshold_cpu", {NUMBERS: threshold_self_first}, SAME2, 1),
    (backward.leaky_relu_backward_stub, "leaky_relu_backward_cpu", {FLOATS: leaky_relu}, SAME2, 1),
    (
        backward.leaky_relu_backward_self_first_stub,
        "leaky_relu_backward_cpu",
        {FLOATS: leaky_relu_self_first},
        SAME2,
        1,
    ),
    (backward.prelu_backward_stub, "prelu_backward_cpu", {FLOATS: prelu}, SAME3, 0),
    (backward.prelu_weight_backward_stub, "prelu_backward_cpu", {FLOATS: prelu_weight}, SAME2, 0),
    (backward.hardtanh_backward_stub, "hardshrink_backward_cpu", {FLOATS: hardtanh}, SAME2, 2),
    (backward.shrink_backward_stub, "shrink_backward_cpu", {FLOATS: shrink}, SAME2, 1),
    (backward.hardsigmoid_backward_stub, "hardsigmoid_backward", {FLOATS: hardsigmoid}, SAME2, 0),
    (backward.hardswish_backward_stub, "hardswish_backward_cpu", {FLOATS: hardswish}, SAME2, 0),
    (backward.sigmoid_backward_stub, "sigmoid_backward_cpu", {FLOATS: sigmoid}, SAME2, 0),
    (backward.tanh_backward_stub, "tanh_backward_cpu", {FLOATS: tanh}, SAME2, 0),
    (backward.logit_backward_stub, "logit_backward_cpu", {FLOATS: logit}, SAME2, 0),
    (backward.logit_clamped_backward_stub, "logit_backward_cpu", {FLOATS: logit_clamped}, SAME2, 2),
    (backward.gelu_backward_stub, "GeluBackwardKernelImpl", GELU, SAME2, 0),
    (backward.gelu_tanh_backward_stub, "GeluBackwardKernelImpl", {FLOATS: gelu_tanh}, SAME2, 0),
    (backward.silu_backward_stub, "silu_backward_cpu", {FLOATS: silu}, SAME2, 0),
    (backward.mish_backward_stub, "mish_backward_cpu", {FLOATS: mish}, SAME2, 0),
    (backward.softplus_backward_stub, "softplus_backward_cpu", {FLOATS: softplus}, SAME2, 2),
    (backward.elu_backward_stub, "elu_backward_cpu", {FLOATS: elu}, SAME2, 3),
    (backward.elu_result_backward_stub, "elu_backward_cpu", {FLOATS: elu_result}, SAME2, 3),
    (backward.log_sigmoid_backward_stub, "log_sigmoid_backward_cpu", {FLOATS: log_sigmoid}, SAME3, 0),
    (backward.glu_first_backward_stub, "glu_backward_cpu", {FLOATS: glu_first}, SAME2, 0),
    (backward.glu_second_backward_stub, "glu_backward_cpu", {FLOATS: glu_second}, SAME3, 0),
)

register(KERNELS)
