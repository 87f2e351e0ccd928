"""Wrong answers to cpu.elementwise_loops.strided_unary."""

from autograder.labs.cpu.strided.right import OTHER_STRIDED_UNARY
from autograder.made_up.wrong_answer import Equivalent, WrongAnswer, changed

STRIDED_UNARY = "cpu.elementwise_loops.strided_unary"

WRONG_ANSWERS = (
    WrongAnswer(STRIDED_UNARY, "row by row, without tiles", ("tiles",), """
def strided_unary(f):
    def strided(begin, end, out, o, a, p, geometry, scalars):
        down, right = steps_of(geometry)
        rows, columns, tile = walk(geometry, begin, end)
        for row in range(rows[0], rows[1]):
            cells = np.array((o, p))
            plane_of(cells, geometry, row, rows[1])
            for i in range(columns[0], columns[1]):
                out[cells[0] + i * right[0]] = f(a[cells[1] + i * right[1]], *scalars)
    return strided
"""),
    WrongAnswer(STRIDED_UNARY, "the last tile is as wide as the others", ("ordinary", "tiles", "compiled"), changed(
        OTHER_STRIDED_UNARY,
        "for i in range(min(tile, columns[1] - column)):",
        "for i in range(tile):",
    )),
    WrongAnswer(STRIDED_UNARY, "goes on from the cells of the plane before", ("ordinary", "tiles", "compiled"), changed(
        OTHER_STRIDED_UNARY,
        """
while row < rows[1]:
    cells = np.array((o, p))
""",
        """
cells = np.array((o, p))
while row < rows[1]:
""",
    )),
    WrongAnswer(STRIDED_UNARY, "the output is taken to be contiguous", ("ordinary", "tiles", "compiled"), changed(
        OTHER_STRIDED_UNARY,
        "to = cells[0] + r * down[0] + column * right[0]",
        "to = cells[0] + r * down[0] + column",
        "out[to + i * right[0]] = f(a[of + i * right[1]], *scalars)",
        "out[to + i] = f(a[of + i * right[1]], *scalars)",
    )),
    WrongAnswer(STRIDED_UNARY, "tiles of 0 columns where a single row has none", ("ordinary", "tiles", "compiled"),
        ("rows, columns, tile = walk(geometry, begin, end)",
         "rows, columns, tile = walk(geometry, begin, end)\ntile = min(tile, columns[1] - columns[0])"),
    ),
    WrongAnswer(STRIDED_UNARY, "a row at a time in a plane: the rows of a plane again and again",
        ("ordinary", "tiles", "compiled"), ("row += count", "row += 1"),
    ),
    WrongAnswer(STRIDED_UNARY, "tiles of a matrix only: more dimensions go row by row", ("tiles",), changed(
        OTHER_STRIDED_UNARY,
        "row = rows[0]",
        """
if geometry.shape[1] > 2:
    tile = columns[1]
row = rows[0]
""",
    )),
)  # fmt: skip

EQUIVALENT = (
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
