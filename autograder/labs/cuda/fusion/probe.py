"""Probe of the kernel that adds a bias and applies an activation: one launch under the recorder."""

from functools import partial

import numpy as np

from autograder.labs.cuda.arrays import device, loaded, recorded
from autograder.labs.cuda.gemm.probe import DTYPES, placed

OF_ALL, OF_ROWS, OF_ONE = "whole", "a row", "one number"


def bias_steps(of_bias, n):
    """Return the size of the bias, and the row and column strides that the kernel receives for it."""
    return {OF_ALL: (None, (n, 1)), OF_ROWS: (n, (0, 1)), OF_ONE: (1, (0, 0))}[of_bias]


def bias_begin(seed):
    """Return the index of the bias's first element in its array."""
    return seed % 4


def operands(sizes, layout, of_bias, beta, dtype, seed):
    """Make {"bias": ..., "out": ...} before the launch; without beta, the bias is all NaN, as it must not be read."""
    m, n = sizes
    rng = np.random.default_rng(seed)
    size, first, steps = placed(layout, 1, m, n)
    out = np.full(size, np.nan, DTYPES[dtype])
    rows, columns = np.indices((m, n))
    out[first + rows * steps[1] + columns * steps[2]] = rng.integers(-9, 10, (m, n))
    count = bias_steps(of_bias, n)[0] or m * n
    bias = np.full(bias_begin(seed) + count, np.nan, DTYPES[dtype])
    if beta:
        bias[bias_begin(seed) :] = rng.integers(-9, 10, count)
    return {"bias": bias, "out": out}


def steep(x, slope):
    return x if x > 0 else slope * x


def mirrored(x, middle):
    return middle - 2 * x


ACTIVATIONS = {"x if x > 0 else s * x": steep, "s - 2 * x": mirrored}  # to apply one twice, or too early, shows


def activation(name, scalar, of_device=lambda function: function):
    """Build a kernel's one-argument activation function from a name in ACTIVATIONS and its scalar."""
    function = of_device(ACTIVATIONS[name])

    def activate(x):
        return function(x, scalar)

    return of_device(activate)


def fused(engine, sizes, layout, of_bias, beta, dtype, name, scalar, grid, block, seed):
    """Return the trace of one launch of the kernel that `bias_activation_kernel` makes."""
    loaded(engine)
    kernel = engine.cuda.bias_activation.bias_activation_kernel(activation(name, scalar, partial(device, engine)))
    m, n = sizes
    arrays = operands(sizes, layout, of_bias, beta, dtype, seed)
    _, first, (_, *steps) = placed(layout, 1, m, n)
    return recorded(
        engine, kernel, grid, block, sizes, DTYPES[dtype](beta), arrays["bias"], bias_begin(seed),
        bias_steps(of_bias, n)[1], arrays["out"], first, tuple(steps), most_events=40_000, seconds=10.0,
    )  # fmt: skip
