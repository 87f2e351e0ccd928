"""Wrong answers to cpu.gemm.multiply_panels."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

PANELS = "cpu.gemm.multiply_panels"
WHOLE = "is_whole = count == rows and width == columns and c_n == 1"
WHERE = "to, cell, step, factor = (out, first, c_m, beta) if is_whole else (edge, 0, columns, zero)"
CALL = "multiply_tile(rows, a, i * k, of_b, q + j * b_j, b_k, to, cell, step, k, alpha, factor)"
COPY = "out[cell] = edge[x * columns + y] + (out[cell] * beta if beta != zero else zero)"
EVERYTHING, EDGE = ("ordinary", "edge", "tiles", "compiled"), ("edge", "tiles", "compiled")


def _changed(about: str, loses: tuple[str, ...], line: str, *words: str) -> WrongAnswer:
    """The reference with words of a line replaced: before, after."""
    before, after = words
    return WrongAnswer(PANELS, about, loses, (line, line.replace(before, after)))


WRONG_ANSWERS = (
    _changed("a tile of too many rows goes to C", EDGE, WHOLE, "count == rows and ", ""),
    _changed("a tile of too many columns goes to C", EDGE, WHOLE, "width == columns and ", ""),
    _changed("the columns of C are taken for neighbors", EDGE, WHOLE, " and c_n == 1", ""),
    _changed("every tile goes through the edge", ("tiles",), WHOLE, WHOLE[11:], "False"),
    _changed("only full panels count as whole", ("tiles",), WHOLE, "count == rows", "count == height"),
    _changed("what C held is lost at the edge", EDGE, COPY, " + (out[cell] * beta if beta != zero else zero)", ""),
    _changed("beta for the edge as well", EDGE, WHERE, "columns, zero", "columns, beta"),
    _changed("C is read at the edge whatever beta is", ("edge", "tiles"), COPY, " if beta != zero else zero", ""),
    _changed("the panels of B are k apart, whatever the stride is", EVERYTHING, CALL, "j * b_j", "j * k"),
    _changed("B begins at cell 0", EVERYTHING, CALL, "q + j", "j"),
    _changed("the panels of A are one step apart", EVERYTHING, CALL, "i * k", "i"),
    _changed("all tiles have the full height", EDGE, "rows = height_of(count)", "height_of(count)", "height"),
    _changed("the edge's rows are as long as what C has", EDGE, COPY, "x * columns", "x * width"),
    _changed("only whole panels of B", EDGE, "for j in range(0, n, columns):", "n, ", "n - columns + 1, "),
    _changed("C begins at cell 0", EVERYTHING, "first = o + i * c_m + j * c_n", "o + ", ""),
    WrongAnswer(PANELS, "the tile of this processor for any height", EVERYTHING, (
        "for i in range(0, m, height):", "for i in range(0, m, ROWS):",
        "count = min(height, m - i)", "count = min(ROWS, m - i)",
    )),
)  # fmt: skip

EQUIVALENT = tuple(
    Equivalent(PANELS, "is_whole = count == rows and width == columns and (c_n == 1)",
               f"is_whole = {changed}", why)
    for changed, why in (
        ("count == rows and width == columns and (c_n <= 1)", "a column of C is at least one element from the next"),
        ("count >= rows and width == columns and (c_n == 1)", "a tile never has fewer rows than are left"),
        ("count == rows and width >= columns and (c_n == 1)", "no more columns are taken than a tile has"),
    )
)  # fmt: skip
