"""Wrong answers to cpu.elementwise_loops.strided_unary."""

from autograder.proof.model import Equivalent, WrongAnswer

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
    WrongAnswer(STRIDED_UNARY, "the last tile is as wide as the others", ("ordinary", "tiles", "compiled"), """
def strided_unary(f):
    def strided(begin, end, out, o, a, p, geometry, scalars):
        down, right = steps_of(geometry)
        rows, columns, tile = walk(geometry, begin, end)
        row = rows[0]
        while row < rows[1]:
            cells = np.array((o, p))
            count = plane_of(cells, geometry, row, rows[1])
            for column in range(columns[0], columns[1], tile):
                for r in range(count):
                    to = cells[0] + r * down[0] + column * right[0]
                    of = cells[1] + r * down[1] + column * right[1]
                    for i in range(tile):
                        out[to + i * right[0]] = f(a[of + i * right[1]], *scalars)
            row += count
    return strided
"""),
    WrongAnswer(STRIDED_UNARY, "goes on from the cells of the plane before", ("ordinary", "tiles", "compiled"), """
def strided_unary(f):
    def strided(begin, end, out, o, a, p, geometry, scalars):
        down, right = steps_of(geometry)
        rows, columns, tile = walk(geometry, begin, end)
        row = rows[0]
        cells = np.array((o, p))
        while row < rows[1]:
            count = plane_of(cells, geometry, row, rows[1])
            for column in range(columns[0], columns[1], tile):
                for r in range(count):
                    to = cells[0] + r * down[0] + column * right[0]
                    of = cells[1] + r * down[1] + column * right[1]
                    for i in range(min(tile, columns[1] - column)):
                        out[to + i * right[0]] = f(a[of + i * right[1]], *scalars)
            row += count
    return strided
"""),
    WrongAnswer(STRIDED_UNARY, "the output is taken to be contiguous", ("ordinary", "tiles", "compiled"), """
def strided_unary(f):
    def strided(begin, end, out, o, a, p, geometry, scalars):
        down, right = steps_of(geometry)
        rows, columns, tile = walk(geometry, begin, end)
        row = rows[0]
        while row < rows[1]:
            cells = np.array((o, p))
            count = plane_of(cells, geometry, row, rows[1])
            for column in range(columns[0], columns[1], tile):
                for r in range(count):
                    to = cells[0] + r * down[0] + column
                    of = cells[1] + r * down[1] + column * right[1]
                    for i in range(min(tile, columns[1] - column)):
                        out[to + i] = f(a[of + i * right[1]], *scalars)
            row += count
    return strided
"""),
    WrongAnswer(STRIDED_UNARY, "tiles of 0 columns where a single row has none", ("ordinary", "tiles", "compiled"),
        ("rows, columns, tile = walk(geometry, begin, end)",
         "rows, columns, tile = walk(geometry, begin, end)\ntile = min(tile, columns[1] - columns[0])"),
    ),
    WrongAnswer(STRIDED_UNARY, "a row at a time in a plane: the rows of a plane again and again",
        ("ordinary", "tiles", "compiled"), ("row += count", "row += 1"),
    ),
    WrongAnswer(STRIDED_UNARY, "tiles of a matrix only: more dimensions go row by row", ("tiles",), """
def strided_unary(f):
    def strided(begin, end, out, o, a, p, geometry, scalars):
        down, right = steps_of(geometry)
        rows, columns, tile = walk(geometry, begin, end)
        if geometry.shape[1] > 2:
            tile = columns[1]
        row = rows[0]
        while row < rows[1]:
            cells = np.array((o, p))
            count = plane_of(cells, geometry, row, rows[1])
            for column in range(columns[0], columns[1], tile):
                for r in range(count):
                    to = cells[0] + r * down[0] + column * right[0]
                    of = cells[1] + r * down[1] + column * right[1]
                    for i in range(min(tile, columns[1] - column)):
                        out[to + i * right[0]] = f(a[of + i * right[1]], *scalars)
            row += count
    return strided
"""),
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
