"""Wrong answers to cpu.elementwise_loops.contiguous_binary, cpu.elementwise_loops.contiguous_binary_vec."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

CONTIGUOUS_BINARY = "cpu.elementwise_loops.contiguous_binary"
CONTIGUOUS_BINARY_VEC = "cpu.elementwise_loops.contiguous_binary_vec"

WRONG_ANSWERS = (
    WrongAnswer(CONTIGUOUS_BINARY, "one array for both inputs is taken for one run", ("compiled",), (
        "for i in range(begin, end):",
        """
if a is b:
    q = p
for i in range(begin, end):
""",
    )),
    WrongAnswer(
        CONTIGUOUS_BINARY, "does the whole array, whatever begin and end say", ("ordinary", "in_place", "compiled"), (
        """
for i in range(begin, end):
    out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)
""",
        """
for i in range(min(out.size - o, a.size - p, b.size - q)):
    out[o + i] = f(a[p + i], b[q + i], *scalars)
""",
    )),
    WrongAnswer(CONTIGUOUS_BINARY, "ignores the offsets", ("ordinary", "in_place", "compiled"),
        ("out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)",
         "out[i] = f(a[i], b[i], *scalars)"),
    ),
    WrongAnswer(CONTIGUOUS_BINARY, "the output's offset for all three", ("ordinary", "in_place", "compiled"), (
        """
for i in range(begin, end):
    out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)
""",
        """
for i in range(o + begin, o + end):
    out[i] = f(a[i], b[i], *scalars)
""",
    )),
    WrongAnswer(CONTIGUOUS_BINARY, "takes end as the last index", ("ordinary", "in_place", "compiled"), (
        """
for i in range(begin, end):
    out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)
""",
        """
for i in range(begin, end + 1):
    out[o + i] = f(a[p + i], b[q + i], *scalars)
""",
    )),
    WrongAnswer(CONTIGUOUS_BINARY, "forgets the scalars", ("ordinary", "in_place", "compiled"),
        ("out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)",
         "out[o + i] = f(a[p + i], b[q + i])"),
    ),
    WrongAnswer(CONTIGUOUS_BINARY, "returns the output", ("compiled",),
        ("""
for i in range(begin, end):
    out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)
""", """
for i in range(begin, end):
    out[o + i] = f(a[p + i], b[q + i], *scalars)
return out
"""),
    ),
    WrongAnswer(CONTIGUOUS_BINARY, "a float64 between: large ints are rounded", ("compiled",),
        ("out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)",
         "out[o + i] = f(a[p + i] * 1.0, b[q + i], *scalars)"),
    ),
    WrongAnswer(CONTIGUOUS_BINARY, "the last f for every loop that was made", ("ordinary", "in_place", "compiled"), """
made = {}

def contiguous_binary(f):
    made["f"] = f

    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(begin, end):
            out[o + i] = made["f"](a[p + i], b[q + i], *scalars)

    return contiguous
"""),
    WrongAnswer(CONTIGUOUS_BINARY, "copies one input into the output first", ("in_place",), (
        """
for i in range(begin, end):
    out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)
""",
        """
for i in range(begin, end):
    out[o + i] = a[p + i]
for i in range(begin, end):
    out[o + i] = f(out[o + i], b[q + i], *scalars)
""",
    )),
    WrongAnswer(CONTIGUOUS_BINARY, "a dict of names between, no loop", ("ordinary", "in_place", "compiled"), (
        "for i in range(begin, end):",
        """
pairs = dict(left=a, right=b, more=scalars)
for i in range(begin, end):
""",
        "out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)",
        'out[o + i] = f(pairs["left"][p + i], pairs["right"][q + i], *pairs["more"])',
    )),
    WrongAnswer(
        CONTIGUOUS_BINARY, "slices as a whole: nothing that the recorder sees", ("ordinary", "in_place", "compiled"), (
        """
for i in range(begin, end):
    out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)
""",
        "out[o + begin : o + end] = f(a[p + begin : p + end], b[q + begin : q + end], *scalars)",
    )),
    WrongAnswer(
        CONTIGUOUS_BINARY, "reads the next numbers ahead, beyond the end", ("ordinary", "in_place", "compiled"), (
        "for i in range(begin, end):",
        """
x, y = a[p + begin], b[q + begin]
for i in range(begin, end):
""",
        "out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)",
        """
out[o + i] = f(x, y, *scalars)
x, y = a[p + i + 1], b[q + i + 1]
""",
    )),
    WrongAnswer(
        CONTIGUOUS_BINARY, "the operation that a case showed, and not f", ("ordinary", "in_place", "compiled"), (
        "for i in range(begin, end):",
        """
more = 0.0
for k in range(len(scalars)):
    more += scalars[k]
for i in range(begin, end):
""",
        "out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)",
        "out[o + i] = a[p + i] - 3 * b[q + i] + more",
    )),
    WrongAnswer(CONTIGUOUS_BINARY_VEC, "f for everything: right, and no vector", ("vectors",), """
def contiguous_binary_vec(f, g, lanes):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(begin, end):
            out[o + i] = f(a[p + i], b[q + i], *scalars)
    return contiguous
"""),
    WrongAnswer(CONTIGUOUS_BINARY_VEC, "the last whole vector goes one by one", ("vectors",), (
        "while i + lanes <= end:",
        "while i + lanes < end:",
        "out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)",
        "out[o + i] = f(a[p + i], b[q + i], *scalars)",
    )),
    WrongAnswer(CONTIGUOUS_BINARY_VEC, "the tail is a vector too", ("ordinary", "vectors", "compiled"), """
def contiguous_binary_vec(f, g, lanes):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(begin, end, lanes):
            storeu(out, o + i, g(loadu(a, p + i, lanes), loadu(b, q + i, lanes), *scalars))
    return contiguous
"""),
    WrongAnswer(CONTIGUOUS_BINARY_VEC, "no tail", ("ordinary", "vectors", "compiled"), """
def contiguous_binary_vec(f, g, lanes):
    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        for i in range(begin, end - lanes + 1, lanes):
            storeu(out, o + i, g(loadu(a, p + i, lanes), loadu(b, q + i, lanes), *scalars))
    return contiguous
"""),
    WrongAnswer(CONTIGUOUS_BINARY_VEC, "eight lanes, whatever `lanes` says", ("vectors",), (
        """
while i + lanes <= end:
    storeu(out, o + i, g(loadu(a, p + i, lanes), loadu(b, q + i, lanes), *scalars))
    i += lanes
""",
        """
while i + 8 <= end:
    storeu(out, o + i, g(loadu(a, p + i, 8), loadu(b, q + i, 8), *scalars))
    i += 8
""",
        "out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)",
        "out[o + i] = f(a[p + i], b[q + i], *scalars)",
    )),
    WrongAnswer(CONTIGUOUS_BINARY_VEC, "vectors of half as many lanes", ("vectors",), """
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
    WrongAnswer(
        CONTIGUOUS_BINARY_VEC, "the last vector is moved back over the one before: numbers are done twice",
        ("ordinary", "vectors", "compiled"), """
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
    WrongAnswer(CONTIGUOUS_BINARY_VEC, "g for the numbers of the tail, too", ("ordinary", "vectors", "compiled"),
        ("out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)",
         "out[o + i] = g(a[p + i], b[q + i], *scalars)"),
    ),
    WrongAnswer(
        CONTIGUOUS_BINARY_VEC, "single numbers, in functions that are called as the recorder's", ("vectors",), """
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
    WrongAnswer(CONTIGUOUS_BINARY_VEC, "the tail first, and the vectors behind it", ("vectors",), """
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

EQUIVALENT = (
    Equivalent(
        "cpu.elementwise_loops.contiguous_binary_vec", "while i < end:", "while i != end:",
        "the vectors end at `end` at the latest, and then i goes up by one",
    ),
)  # fmt: skip
