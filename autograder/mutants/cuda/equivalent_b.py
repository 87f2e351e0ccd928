"""Mutants of the second half of lab 6 that are not mistakes: no case that the docstring allows tells them apart."""

from autograder.mutants.cuda.gemm import MULTIPLIER, NAIVE, TILED
from autograder.mutants.model import Equivalent

OF_A = "of_a[row_a, step_a] = a[cell_of(p, a_steps, which, i_a, t_a)] if i_a < m and t_a < k else "
OF_B = "of_b[step_b, column_b] = b[cell_of(q, b_steps, which, t_b, j_b)] if j_b < n and t_b < k else "
EDGE = "beyond the end of k the other factor is 0; beyond the rows and columns nothing is stored"
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
        MULTIPLIER, "fragment = device_function(vector if tile.rows == tile.lanes else two_vectors)",
        "fragment = vector if tile.rows == tile.lanes else two_vectors", NO_JIT,
    ),
    Equivalent(
        MULTIPLIER, "multiply, steps = (device_function(step), 1)", "multiply, steps = (step, 1)", NO_JIT,
    ),
    Equivalent(
        TILED, "return cuda.jit(named(gemm_tiled, 'gemm_tiled'))", "return cuda.jit(gemm_tiled)",
        "only the name that a profiler shows",
    ),
    Equivalent(
        TILED, "total = kind(0)", "total = 0", "in the recorder a number takes the dtype of what is added to it",
    ),
    Equivalent(
        TILED, "write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))",
        "write(alpha, total, beta, c, cell_of(o, c_steps, which, i, j))",
        "total * alpha is alpha * total",
    ),
    *(
        Equivalent(TILED, f"{fill}kind(0)", f"{fill}{other}", reason)
        for fill in (OF_A, OF_B)
        for other, reason in (("0", "a shared array has its dtype"), ("kind(1)", EDGE), ("kind(-1)", EDGE))
    ),
)  # fmt: skip
