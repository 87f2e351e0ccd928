"""Mutants of lab 5's sums and products that are no mistake."""

from autograder.mutants.model import Equivalent

SOFTMAX, ROWS = "cpu.soft_max.largest_and_sum", "cpu.gemm_loops.row_products"

EQUIVALENT = (
    Equivalent(
        SOFTMAX, "sums[j] = sums[j] * factor + 1 if step > 0 else sums[j] + factor",
        "sums[j] = sums[j] * factor + 1 if step >= 0 else sums[j] + factor",
        "at a step of 0 the factor is 1, and both are the sum and 1",
    ),
    Equivalent(SOFTMAX, "of = x[row:row + sums.size]", "of = x[row:]", "the loop reads no further than sums.size"),
    Equivalent(
        SOFTMAX, "largest[j] = larger(largest[j], element)", "largest[j] = larger(element, largest[j])",
        "the larger of two does not depend on their order",
    ),
    Equivalent(
        ROWS, "row = b[q + t * b_k:q + t * b_k + n]", "row = b[q + t * b_k:]", "the loop ends with the row of C",
    ),
)  # fmt: skip
