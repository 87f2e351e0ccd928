"""Mutants of the first half's exercises that are not mistakes."""

from autograder.mutants.model import Equivalent

EQUIVALENT = (
    Equivalent(
        "cpu.elementwise_loops.contiguous_binary_vec", "while i < end:", "while i != end:",
        "the vectors end at `end` at the latest, and then i goes up by one",
    ),
    Equivalent(
        "cpu.elementwise_loops.strided_unary",
        "n = np.uintp(min(tile, columns[1] - column))", "n = np.uintp(min(tile, columns[1] ^ column))",
        "beyond a multiple of 16 the two are the same, and elsewhere neither is less than the tile",
    ),
    Equivalent(
        "cpu.elementwise_loops.strided_unary", "while row < rows[1]:", "while row != rows[1]:",
        "no plane has rows beyond the last one that was asked for, so `row` meets it",
    ),
)  # fmt: skip
