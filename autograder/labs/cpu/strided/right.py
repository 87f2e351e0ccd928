"""Right answers written in another way than the engine's."""

OTHER_STRIDED_UNARY = """
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
                    for i in range(min(tile, columns[1] - column)):
                        out[to + i * right[0]] = f(a[of + i * right[1]], *scalars)
            row += count
    return strided
"""

RIGHT_ANSWERS = {
    "cpu.elementwise_loops.strided_unary": (
        """
WIDTH = 8

def number_of(geometry, row):
    o, p = 0, 0
    for d in range(geometry.shape[1] - 2, -1, -1):
        o += row % geometry[0, d] * geometry[1, d]
        p += row % geometry[0, d] * geometry[2, d]
        row //= geometry[0, d]
    return o, p

def strided_unary(f):
    numbers = register_jitable(number_of)

    def loop(begin, end, out, o, a, p, geometry, scalars):
        last = geometry.shape[1] - 1
        so, sa = geometry[1, last], geometry[2, last]
        if last == 0:
            for i in range(begin, end):
                out[o + i * so] = f(a[p + i * sa], *scalars)
            return
        for first in range(0, geometry[0, last], WIDTH):
            for row in range(begin, end):
                to, of = numbers(geometry, row)
                for i in range(first, min(first + WIDTH, geometry[0, last])):
                    out[o + to + i * so] = f(a[p + of + i * sa], *scalars)
    return loop
""",
        OTHER_STRIDED_UNARY,
    ),
}
