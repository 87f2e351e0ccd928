"""Wrong elementwise loops: ranges, offsets, strides, tiles and tails."""

from autograder.mutants.model import WrongAnswer

FLAT = "cpu.elementwise_loops.contiguous_binary"
STRIDED = "cpu.elementwise_loops.strided_unary"
VEC = "cpu.elementwise_loops.contiguous_binary_vec"
ALL_FLAT, ALL_STRIDED, ALL_VEC = ("ordinary", "in_place", "compiled"), ("ordinary", "tiles", "compiled"), (
    "ordinary", "vectors", "compiled",
)  # fmt: skip

WRONG_ANSWERS = (
    WrongAnswer(FLAT, "does the whole array, whatever begin and end say", ALL_FLAT, """
def contiguous_binary(f):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(min(out.size - o, a.size - p, b.size - q)):
            out[o + i] = f(a[p + i], b[q + i], *scalars)
    return contiguous
"""),
    WrongAnswer(FLAT, "ignores the offsets", ALL_FLAT, """
def contiguous_binary(f):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(begin, end):
            out[i] = f(a[i], b[i], *scalars)
    return contiguous
"""),
    WrongAnswer(FLAT, "the output's offset for all three", ALL_FLAT, """
def contiguous_binary(f):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(o + begin, o + end):
            out[i] = f(a[i], b[i], *scalars)
    return contiguous
"""),
    WrongAnswer(FLAT, "takes end as the last index", ALL_FLAT, """
def contiguous_binary(f):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(begin, end + 1):
            out[o + i] = f(a[p + i], b[q + i], *scalars)
    return contiguous
"""),
    WrongAnswer(FLAT, "copies one input into the output first", ("in_place",), """
def contiguous_binary(f):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(begin, end):
            out[o + i] = a[p + i]
        for i in range(begin, end):
            out[o + i] = f(out[o + i], b[q + i], *scalars)
    return contiguous
"""),
    WrongAnswer(FLAT, "a list between, which numba can't compile", ("compiled",), """
def contiguous_binary(f):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        pairs = dict(left=a, right=b, more=scalars)
        for i in range(begin, end):
            out[o + i] = f(pairs["left"][p + i], pairs["right"][q + i], *pairs["more"])
    return contiguous
"""),
    WrongAnswer(FLAT, "slices as a whole: nothing that the recorder sees", ALL_FLAT, """
def contiguous_binary(f):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        out[o + begin : o + end] = f(a[p + begin : p + end], b[q + begin : q + end], *scalars)
    return contiguous
"""),
    WrongAnswer(STRIDED, "row by row, without tiles", ("tiles",), """
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
    WrongAnswer(STRIDED, "the last tile is as wide as the others", ("ordinary", "tiles", "compiled"), """
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
    WrongAnswer(STRIDED, "goes on from the cells of the plane before", ("ordinary", "tiles", "compiled"), """
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
    WrongAnswer(STRIDED, "the output is taken to be contiguous", ("ordinary", "tiles", "compiled"), """
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
    WrongAnswer(VEC, "f for everything: right, and no vector", ("vectors",), """
def contiguous_binary_vec(f, g, lanes):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(begin, end):
            out[o + i] = f(a[p + i], b[q + i], *scalars)
    return contiguous
"""),
    WrongAnswer(VEC, "the last whole vector goes one by one", ("vectors",), """
def contiguous_binary_vec(f, g, lanes):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        i = begin
        while i + lanes < end:
            storeu(out, o + i, g(loadu(a, p + i, lanes), loadu(b, q + i, lanes), *scalars))
            i += lanes
        while i < end:
            out[o + i] = f(a[p + i], b[q + i], *scalars)
            i += 1
    return contiguous
"""),
    WrongAnswer(VEC, "the tail is a vector too", ALL_VEC, """
def contiguous_binary_vec(f, g, lanes):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(begin, end, lanes):
            storeu(out, o + i, g(loadu(a, p + i, lanes), loadu(b, q + i, lanes), *scalars))
    return contiguous
"""),
    WrongAnswer(VEC, "no tail", ALL_VEC, """
def contiguous_binary_vec(f, g, lanes):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(begin, end - lanes + 1, lanes):
            storeu(out, o + i, g(loadu(a, p + i, lanes), loadu(b, q + i, lanes), *scalars))
    return contiguous
"""),
    WrongAnswer(VEC, "eight lanes, whatever `lanes` says", ("vectors",), """
def contiguous_binary_vec(f, g, lanes):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        i = begin
        while i + 8 <= end:
            storeu(out, o + i, g(loadu(a, p + i, 8), loadu(b, q + i, 8), *scalars))
            i += 8
        while i < end:
            out[o + i] = f(a[p + i], b[q + i], *scalars)
            i += 1
    return contiguous
"""),
    WrongAnswer(VEC, "vectors of half as many lanes", ("vectors",), """
def contiguous_binary_vec(f, g, lanes):
    half = (lanes + 1) // 2
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        whole = begin + (end - begin) // lanes * lanes
        for i in range(begin, whole, half):
            storeu(out, o + i, g(loadu(a, p + i, half), loadu(b, q + i, half), *scalars))
        for i in range(whole, end):
            out[o + i] = f(a[p + i], b[q + i], *scalars)
    return contiguous
"""),
    WrongAnswer(VEC, "the last vector is moved back over the one before: numbers are done twice", ALL_VEC, """
def contiguous_binary_vec(f, g, lanes):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        if end - begin < lanes:
            for i in range(begin, end):
                out[o + i] = f(a[p + i], b[q + i], *scalars)
            return
        i = begin
        while i < end:
            i = min(i, end - lanes)
            storeu(out, o + i, g(loadu(a, p + i, lanes), loadu(b, q + i, lanes), *scalars))
            i += lanes
    return contiguous
"""),
    WrongAnswer(FLAT, "reads the next numbers ahead, beyond the end", ALL_FLAT, """
def contiguous_binary(f):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        x, y = a[p + begin], b[q + begin]
        for i in range(begin, end):
            out[o + i] = f(x, y, *scalars)
            x, y = a[p + i + 1], b[q + i + 1]
    return contiguous
"""),
    WrongAnswer(STRIDED, "tiles of a matrix only: more dimensions go row by row", ("tiles",), """
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
    WrongAnswer(VEC, "g for the numbers of the tail, too", ALL_VEC, """
def contiguous_binary_vec(f, g, lanes):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        i = begin
        while i + lanes <= end:
            storeu(out, o + i, g(loadu(a, p + i, lanes), loadu(b, q + i, lanes), *scalars))
            i += lanes
        while i < end:
            out[o + i] = g(a[p + i], b[q + i], *scalars)
            i += 1
    return contiguous
"""),
    WrongAnswer(VEC, "single numbers, in functions that are called as the recorder's", ("vectors",), """
def vector_load(array, index):
    return array[index]


def vector_store(array, index, value):
    array[index] = value


def contiguous_binary_vec(f, g, lanes):
    one, put = register_jitable(vector_load), register_jitable(vector_store)

    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        whole = begin + (end - begin) // lanes * lanes
        for i in range(begin, whole):
            put(out, o + i, f(one(a, p + i), one(b, q + i), *scalars))
        for i in range(whole, end):
            out[o + i] = f(a[p + i], b[q + i], *scalars)
    return contiguous
"""),
    WrongAnswer(FLAT, "the operation that a case showed, and not f", ALL_FLAT, """
def contiguous_binary(f):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        more = 0.0
        for k in range(len(scalars)):
            more += scalars[k]
        for i in range(begin, end):
            out[o + i] = a[p + i] - 3 * b[q + i] + more
    return contiguous
"""),
    WrongAnswer(VEC, "the tail first, and the vectors behind it", ("vectors",), """
def contiguous_binary_vec(f, g, lanes):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        i = begin
        while i < begin + (end - begin) % lanes:
            out[o + i] = f(a[p + i], b[q + i], *scalars)
            i += 1
        while i < end:
            storeu(out, o + i, g(loadu(a, p + i, lanes), loadu(b, q + i, lanes), *scalars))
            i += lanes
    return contiguous
"""),
)  # fmt: skip
