"""Mutants of the second half of lab 6 that are no mistake: no case that the docstring allows tells them apart."""

from autograder.mutants.cuda.gemm import MULTIPLIER, NAIVE
from autograder.mutants.model import Equivalent

NO_JIT = "on the simulator a device function is the function itself"
FUSED = "cuda.bias_activation.bias_activation_kernel"
EQUIVALENT = (
    Equivalent(
        FUSED, "return cuda.jit(named(bias_activation, 'bias_activation'))", "return cuda.jit(bias_activation)",
        "only the name that a profiler shows",
    ),
    Equivalent(
        NAIVE, "return cuda.jit(named(gemm_naive, 'gemm_naive'))", "return cuda.jit(gemm_naive)",
        "only the name that a profiler shows",
    ),
    Equivalent(
        NAIVE, "total = kind(0)", "total = 0", "in the recorder a number takes the dtype of what is added to it",
    ),
    Equivalent(
        NAIVE, "write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))",
        "write(alpha, total, beta, c, cell_of(o, c_steps, which, i, j))",
        "total * alpha is alpha * total",
    ),
    Equivalent(
        MULTIPLIER, "fragment = device_function(vector if tile.rows == tile.lanes else two_vectors)",
        "fragment = device_function(vector if tile.rows <= tile.lanes else two_vectors)",
        "a tile has as many rows as a vector lanes, or twice as many",
    ),
    Equivalent(
        MULTIPLIER, "while steps < tile.depth:", "while steps != tile.depth:", "the depth is a power of two",
    ),
    Equivalent(
        MULTIPLIER, "fragment = device_function(vector if tile.rows == tile.lanes else two_vectors)",
        "fragment = vector if tile.rows == tile.lanes else two_vectors", NO_JIT,
    ),
    Equivalent(
        MULTIPLIER, "multiply, steps = (device_function(step), 1)", "multiply, steps = (step, 1)", NO_JIT,
    ),
)  # fmt: skip
