"""The kernels of activation functions. Mirrors aten/src/ATen/native/cpu/Activation.cpp."""

from ..aten.native import activation
from ..dtypes import float32, float64
from . import sleef
from .elementwise import FLOATS, NUMBERS, SAME1, SAME2, Table, register
from .float_bits import fabs, inlined, like, select
from .sleef import within

# Functions of single numbers: inputs, then scalars. `like(a, 1)` is 1 in the dtype of a.

SQRT_HALF, SQRT_2_OVER_PI = 0.7071067811865476, 0.7978845608028654


def clamp_min(a, least):
    """Return a, but at least `least`; nan stays nan."""
    return least if a < least else a


def gelu_float32(a):
    """Return a * P(X <= a) for a standard normal X."""
    half = like(a, 0.5)
    return a * (half + half * sleef.erf_float32(a * like(a, SQRT_HALF)))


def gelu_float64(a):
    """Return a * P(X <= a) for a standard normal X."""
    half = like(a, 0.5)
    return a * (half + half * sleef.erf_float64(a * like(a, SQRT_HALF)))


def gelu_tanh(a):
    """Return the tanh approximation of gelu(a)."""
    inner = like(a, SQRT_2_OVER_PI) * (a + like(a, 0.044715) * (a * a * a))
    return like(a, 0.5) * a * (like(a, 1) + sleef.tanh(inner))


def silu(a):
    """Return a / (1 + e**-a)."""
    return a / (like(a, 1) + sleef.exp(-a))


def leaky_relu(a, slope):
    """Return a, times slope where a is not positive."""
    return select(a > like(a, 0), a, a * slope)


def prelu(a, slope):
    """Return a, times slope where a is not positive: bit-identical to `leaky_relu`, with slope as a second input."""
    return select(a > like(a, 0), a, a * slope)


def softplus(a, beta, threshold):
    """Return log(1 + e**(beta * a)) / beta, or a itself where beta * a is above `threshold`."""
    return select(a * beta > threshold, a, sleef.log1p(sleef.exp(a * beta)) / beta)


def elu(a, negative, positive, inner):
    """Return positive * a, or negative * (e**(inner * a) - 1) where a is not positive."""
    return select(a <= like(a, 0), sleef.expm1(a * inner) * negative, a * positive)


def mish(a):
    """Return a * tanh(log(1 + e**a))."""
    return a * sleef.tanh(sleef.log1p(sleef.exp(a)))


@inlined
def relu6(a):
    """Return a, but at least 0 and at most 6; nan stays nan."""
    return within(a, (0.0, 0.0), (6.0, 6.0))


def hardsigmoid(a):
    """Return relu6(a + 3) / 6."""
    return relu6(a + like(a, 3)) / like(a, 6)


def hardswish(a):
    """Return a * relu6(a + 3) / 6."""
    return a * relu6(a + like(a, 3)) / like(a, 6)


def threshold(a, least, value):
    """Return a, or value where a is not above least."""
    return value if a <= least else a


def softshrink(a, size):
    """Return a moved toward 0 by size; 0 where abs(a) is at most size, nan where a is nan."""
    return a - size if a > size else a + size if a < -size else like(a, 0) if a == a else a


def hardshrink(a, size):
    """Return a, or 0 where abs(a) is at most size."""
    return like(a, 0) if (a >= -size) & (a <= size) else a


def glu(a, b):
    """Return a * sigmoid(b)."""
    return a * sleef.sigmoid(b)


def log_sigmoid(a):
    """Return log(1 / (1 + e**-a)) = min(a, 0) - log(1 + e**-abs(a))."""
    least = select(a > like(a, 0), like(a, 0), a)
    return least - sleef.log1p(sleef.exp(-fabs(a)))


def log_sigmoid_buffer(a):
    """Return e**-abs(a), the buffer that the backward of log_sigmoid reads."""
    return sleef.exp(-fabs(a))


GELU = {(float32,): gelu_float32, (float64,): gelu_float64}

KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (activation.clamp_min_stub, "clamp_min_cpu", {NUMBERS: clamp_min}, SAME1, 1),
    (activation.gelu_stub, "GeluKernelImpl", GELU, SAME1, 0),
    (activation.gelu_tanh_stub, "GeluKernelImpl", {FLOATS: gelu_tanh}, SAME1, 0),
    (activation.silu_stub, "silu_cpu", {FLOATS: silu}, SAME1, 0),
    (activation.leaky_relu_stub, "leaky_relu_cpu", {FLOATS: leaky_relu}, SAME1, 1),
    (activation.prelu_stub, "prelu_cpu", {FLOATS: prelu}, SAME2, 0),
    (activation.softplus_stub, "softplus_cpu", {FLOATS: softplus}, SAME1, 2),
    (activation.elu_stub, "elu_cpu", {FLOATS: elu}, SAME1, 3),
    (activation.mish_stub, "mish_cpu", {FLOATS: mish}, SAME1, 0),
    (activation.hardsigmoid_stub, "hardsigmoid_cpu", {FLOATS: hardsigmoid}, SAME1, 0),
    (activation.hardswish_stub, "hardswish_cpu", {FLOATS: hardswish}, SAME1, 0),
    (activation.threshold_stub, "threshold_cpu", {NUMBERS: threshold}, SAME1, 2),
    (activation.softshrink_stub, "softshrink_cpu", {FLOATS: softshrink}, SAME1, 1),
    (activation.hardshrink_stub, "hardshrink_cpu", {FLOATS: hardshrink}, SAME1, 1),
    (activation.glu_stub, "glu_cpu", {FLOATS: glu}, SAME2, 0),
    (activation.log_sigmoid_stub, "log_sigmoid_cpu", {FLOATS: log_sigmoid}, SAME1, 0),
    (activation.log_sigmoid_buffer_stub, "log_sigmoid_cpu", {FLOATS: log_sigmoid_buffer}, SAME1, 0),
)

register(KERNELS)
