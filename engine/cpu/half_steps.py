"""Kernels of halves that PyTorch computes step by step in the half, and rounds after each.

Its other kernels compute in float32 and round once, as `half_blocks.py` does. Mirrors the loops over c10::Half and
c10::BFloat16 in aten/src/ATen/native/cpu/{BinaryOps,UnaryOps}Kernel.cpp.
"""

from collections.abc import Callable

import numpy as np
from numba.extending import register_jitable

from .float_bits import copysign


def div_trunc(rounded: Callable) -> Callable:
    """Return the function that divides, rounds, and cuts the quotient off."""
    return lambda a, b: np.trunc(rounded(a / b))


def div_floor(rounded: Callable) -> Callable:
    """Return the function that divides rounding down, by way of the remainder (c10::div_floor_floating)."""

    def function(a, b):
        if b == 0:
            return a / b
        mod = np.fmod(a, b)
        quotient = rounded(rounded(a - mod) / b)
        if mod != 0 and (b < 0) != (mod < 0):
            quotient = rounded(quotient - np.float32(1))
        if quotient == 0:
            return copysign(np.float32(0), a / b)
        whole = np.floor(quotient)
        return rounded(whole + np.float32(1)) if rounded(quotient - whole) > np.float32(0.5) else whole

    return function


def xlogy(rounded: Callable) -> Callable:
    """Return the function a * log(b), whose logarithm is rounded; 0 if a is 0 and b is a number."""
    return lambda a, b: b if b != b else np.float32(0) if a == 0 else a * rounded(np.log(b))


def logit(rounded: Callable) -> Callable:
    """Return the function log(a / (1 - a)) of numbers between two others."""

    def function(a, least, most):
        a = least if a < least else most if a > most else a
        return np.log(rounded(a / rounded(np.float32(1) - a)))

    return function


STEPS = {"div_trunc_cpu": div_trunc, "div_floor_cpu": div_floor, "xlogy_cpu": xlogy, "logit_cpu": logit}


def unary(function: Callable) -> Callable:
    """Return the loop of out = f(a, *scalars) over a block."""
    f = register_jitable(function)

    def loop(begin, n, out, o, a, p, scalars):
        for i in range(n):
            out[np.uintp(o + i)] = f(a[np.uintp(p + i)], *scalars)

    return loop


def binary(function: Callable) -> Callable:
    """Return the loop of out = f(a, b) over a block."""
    f = register_jitable(function)

    def loop(begin, n, out, o, a, p, b, q, scalars):
        for i in range(n):
            out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)])

    return loop


LOOPS = {1: unary, 2: binary}


def loop_of(name: str, inputs: int, rounded: Callable) -> Callable | None:
    """Return the loop over blocks of a kernel that rounds in steps; None if it rounds once.

    Args:
        inputs: how many tensors the kernel reads.
        rounded: rounds a float32 to the half.
    """
    return LOOPS[inputs](STEPS[name](rounded)) if name in STEPS else None
