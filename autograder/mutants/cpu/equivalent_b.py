"""Mutants of lab 5's sums and products that are not mistakes."""

from autograder.mutants.model import Equivalent

SOFTMAX, ROWS = "cpu.soft_max.largest_and_sum", "cpu.gemm_loops.row_products"

TILE = "cpu.gemm_vectors.four_rows"


def _turned(row: int, half: str) -> Equivalent:
    """The product of a number of A and a vector of B, the other way round."""
    factors = {"left": f"a{row}, left", "right": f"a{row}, right"}
    turned = {**factors, half: ", ".join(reversed(factors[half].split(", ")))}
    before, after = (
        f"s{row}, u{row} = (fmadd({pair['left']}, s{row}), fmadd({pair['right']}, u{row}))"
        for pair in (factors, turned)
    )
    return Equivalent(TILE, before, after, "a product does not depend on the order of its factors")


EQUIVALENT = (
    *(_turned(row, half) for row in range(4) for half in ("left", "right")),
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
