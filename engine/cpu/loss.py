"""The kernels of losses of two operands. Mirrors aten/src/ATen/native/Loss.cpp and cpu/BinaryOpsKernel.cpp."""

import math

import numpy as np

from ..aten.native import loss, loss_backward
from .elementwise import FLOATS, SAME2, SAME3, Table, register
from .float_bits import like, select

# Functions of single numbers: inputs, then scalars.

LEAST = float(np.float32(1e-12))  # also of float64


def mse(a, b):
    """Return (a - b)**2."""
    return (a - b) * (a - b)


def smooth_l1(a, b, beta):
    """Return d**2 / (2 * beta) if d = abs(a - b) is below `beta`, else d - beta / 2."""
    d = abs(a - b)
    half = like(d, 0.5)
    return half * d * d / beta if d < beta else d - half * beta


def huber(a, b, delta):
    """Return d**2 / 2 if d = abs(a - b) is at most `delta`, else delta * (d - delta / 2)."""
    d = abs(a - b)
    half = like(d, 0.5)
    return half * d * d if d <= delta else delta * (d - half * delta)


def binary_cross_entropy(a, target):
    """Return (target - 1) * log(1 - a) - target * log(a), with logarithms clamped to at least -100."""
    if not (a >= 0 and a <= 1):
        raise RuntimeError("all elements of input should be between 0 and 1")
    if not (target >= 0 and target <= 1):
        raise RuntimeError("all elements of target should be between 0 and 1")
    return (target - 1) * max(math.log1p(-a), -100) - target * max(math.log(a), -100)


# The way back: the input, the target, the gradient of the loss; then the scalars, a share for the mean first.


def mse_backward(a, b, grad, factor):
    """Return factor * (a - b) * grad."""
    return factor * (a - b) * grad


def smooth_l1_backward(a, b, grad, share, beta):
    """Return share * grad * d / beta if d = a - b is between -beta and beta, else share * grad * the sign of d."""
    d, whole = a - b, share * grad
    return select(d <= -beta, -whole, select(d >= beta, whole, whole * d / beta))


def huber_backward(a, b, grad, share, delta):
    """Return share * grad * d if d = a - b is between -delta and delta, else share * grad * delta * the sign of d."""
    d, whole = a - b, share * grad
    return select(d <= -delta, -whole * delta, select(d >= delta, whole * delta, whole * d))


def binary_cross_entropy_backward(a, target, grad, share):
    """Return share * grad * (a - target) / (a * (1 - a)), with a divisor of at least 1e-12."""
    divisor, least = (like(a, 1) - a) * a, like(a, LEAST)
    return share * grad * (a - target) / select(divisor < least, least, divisor)


BCE = {FLOATS: binary_cross_entropy_backward}

KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (loss.mse_stub, "mse_cpu", {FLOATS: mse}, SAME2, 0),
    (loss.smooth_l1_stub, "smooth_l1_cpu", {FLOATS: smooth_l1}, SAME2, 1),
    (loss.huber_stub, "huber_cpu", {FLOATS: huber}, SAME2, 1),
    (loss.binary_cross_entropy_stub, "binary_cross_entropy", {FLOATS: binary_cross_entropy}, SAME2, 0),
    (loss_backward.mse_backward_stub, "mse_backward_cpu_out", {FLOATS: mse_backward}, SAME3, 1),
    (loss_backward.smooth_l1_backward_stub, "smooth_l1_backward_cpu_out", {FLOATS: smooth_l1_backward}, SAME3, 2),
    (loss_backward.huber_backward_stub, "huber_backward_cpu_out", {FLOATS: huber_backward}, SAME3, 2),
    (loss_backward.binary_cross_entropy_backward_stub, "binary_cross_entropy_backward", BCE, SAME3, 1),
)

register(KERNELS)
