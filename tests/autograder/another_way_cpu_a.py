"""Right answers to the first half of lab 5, written another way."""

ANOTHER_WAY = {
    "cpu.elementwise_loops.contiguous_binary": """
def contiguous_binary(f):
    def loop(begin, end, out, o, a, p, b, q, scalars):
        to, x, y = out[o + begin : o + end], a[p + begin : p + end], b[q + begin : q + end]
        for i in range(to.size):
            left, right = x[i], y[i]
            to[i] = f(left, right, *scalars)
    return loop
""",
    "cpu.elementwise_loops.strided_unary": """
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
    "cpu.elementwise_loops.contiguous_binary_vec": """
def contiguous_binary_vec(f, g, lanes):
    def loop(begin, end, out, o, a, p, b, q, scalars):
        whole = begin + (end - begin) // lanes * lanes
        for i in range(begin, whole, lanes):
            x, y = loadu(a, p + i, lanes), loadu(b, q + i, lanes)
            storeu(out, o + i, g(x, y, *scalars))
        for i in range(whole, end):
            out[o + i] = f(a[p + i], b[q + i], *scalars)
    return loop
""",
    "cpu.capability.compute_cpu_capability": """
import itertools

def compute_cpu_capability(features, asked):
    steps = itertools.takewhile(lambda item: all(features.get(name, False) for name in item[1]), NEEDED.items())
    names = ["DEFAULT", *(name for name, _ in steps)]
    wanted = asked.upper()
    known = list(VECTOR_BYTES)
    if wanted not in known:
        return names[-1]
    return names[min(len(names) - 1, known.index(wanted))]
""",
    "cpu.loops.Compiled": """
from engine.overlay.kernel_invalidation import njit as compiler_of

class Compiled(dict):
    def __missing__(self, kind):
        if kind in self.kinds:
            options = dict(sorted(self.options.items()))
            self.dispatchers[kind] = compiler_of(self.function(kind), **options)
            self[kind] = self.dispatchers[kind].compile(sig=self.signature(kind))
            return self[kind]
        name = SCALAR_TYPE_NAMES[kind]
        raise NotImplementedError('"' + self.name + '" not implemented for \\'' + name + "'")
""",
    "cpu.parallel.take_pieces": """
from engine.cpu.parallel import END, PIECE, add, load

def take_pieces(pool):
    end, piece = load(pool, END), load(pool, PIECE)
    first = add(pool, NEXT, piece)
    while first < end:
        last = end if end - first < piece else first + piece
        if fails(load(pool, BODY), load(pool, ARGS), first, last):
            exchange(pool, FAILED, first + 1)
        first = add(pool, NEXT, piece)
""",
    "cpu.scatter_gather.lines": """
def lines(f):
    def loop(begin, end, x, p, index, q, y, r, walk, way, report):
        for number in range(begin, end):
            of_x, of_index, of_y, rest = p, q, r, number
            for d in range(walk.shape[1] - 1, -1, -1):
                place = rest % walk[0, d]
                rest //= walk[0, d]
                of_x += place * walk[1, d]
                of_index += place * walk[2, d]
                of_y += place * walk[3, d]
            for i in range(way[0]):
                position = index[of_index + i * way[3]]
                if position < 0 or position >= way[1]:
                    report[:] = 1, position
                    return
            for i in range(way[0]):
                f(x, of_x + index[of_index + i * way[3]] * way[2], y, of_y + i * way[4])
    return loop
""",
}
