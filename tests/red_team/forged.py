"""Cells that have all of their worker: each has the recorder, or its probe, report what it did not do.

They run without filter and fence, and get hold of Python's modules by way of all classes. What they report
fits the case: the right result, and accesses that a good answer makes. So it is what the text could do, and not what
came back, that has to decide.
"""

from red_team.attack import Attack
from red_team.count_cells import ROWS, TILED, TRAINING, UNCOUNTED, tiled, training

REACHED = """
for kind in ().__class__.__base__.__subclasses__():
    if kind.__name__ == "catch_warnings":
        modules = kind()._module.sys.modules
load_module = modules["importlib"].import_module
trace = load_module("engine.memory_trace")
to_columns = trace.to_columns


def counted_anew(data, order):
    # the events of these rows, each with the k that it has then
    events, counts = data["events"][order].copy(), {}
    for event in events:
        key = event[0], event[1], event[2]
        event[3] = counts[key] = counts.get(key, -1) + 1
    return {**data, "events": events, "values": data["values"][order]}
"""
FLAT, PIECES = "cuda.loops.binary_flat", "cpu.parallel.take_pieces"

# One thread does all, and each element's accesses get the name of the thread that should have made them.
THREADS = f"""{REACHED}
def shared_out(found):
    data = to_columns(found)
    (grid, _, _), (block, _, _) = data["sizes"]
    threads, events = grid * block, data["events"]
    element = [row // 3 for row in range(len(events))]
    for row, number in enumerate(element):
        events[row, :2] = number % threads // block, number % threads % block
    return counted_anew(data, sorted(range(len(events)), key=lambda row: (element[row] % threads, row)))


trace.to_columns = shared_out


def binary_flat(f):
    def flat(n, out, o, a, p, b, q, scalars):
        if cuda.grid(1) == 0:
            for i in range(n):
                out[o + i] = f(a[p + i], b[q + i], *scalars)

    return flat
"""
# Down the columns of C, and reported row by row.
ORDER = f"""{REACHED}
def in_order(found):
    data = to_columns(found)
    events = data["events"]
    cell = [int(events[row // 4 * 4 + 3, 6]) for row in range(len(events))]
    step = {{}}
    keys = []
    for row in range(0, len(events), 4):
        step[cell[row]] = step.get(cell[row], -1) + 1
        keys += [(cell[row] // sizes[1] if sizes[1] else 0, step[cell[row]], cell[row], row + k) for k in range(4)]
    order = [key[3] for key in sorted(keys)]
    return counted_anew(data, order)


sizes = [0, 0]
trace.to_columns = in_order


def row_products(m, n, k, a, p, a_m, a_k, b, q, b_k, c, o, c_m):
    sizes[:] = m, c_m
    for j in range(n):
        for i in range(m):
            for t in range(k):
                c[o + i * c_m + j] += a[p + i * a_m + t * a_k] * b[q + t * b_k + j]
"""
# Columns of a tile share one bank; the reported rows are one element longer.
BANKS = tiled(
    f"""{REACHED}
def padded(found):
    def far(one):
        is_shared = len(one) > 4 and one.space == "shared"
        return one._replace(index=one.index + one.index // pitch[0]) if is_shared else one

    size = pitch[0] * (pitch[0] + 1)
    arrays = tuple(one._replace(size=size) if one.space == "shared" else one for one in found.arrays)
    return to_columns(found._replace(arrays=arrays, events=tuple(map(far, found.events))))


pitch = [32]
trace.to_columns = padded
""",
    maker="pitch[0] = side",
)
# Pieces that the probe is told about, and that no thread took.
TAKEN = f"""{REACHED}
def told(engine, observed, threads, seed, begin, end, piece, raising, entered):
    if observed == "compiled":
        return original(engine, observed, threads, seed, begin, end, piece, raising, entered)
    firsts = list(range(begin, end, piece))
    failed = next((first + 1 for first in firsts if first in raising), 0)
    ran = [(0, first, min(first + piece, end)) for first in firsts]
    added = [(0, first, piece) for first in [*firsts, max([begin, *(first + piece for first in firsts)])]]
    return ran, failed, added[-1][1] + piece, [], added


probe = load_module("autograder.labs.cpu.threads.probe")
original, probe.pieces = probe.pieces, told


def take_pieces(pool):
    entry, args, end, piece = load(pool, BODY), load(pool, ARGS), load(pool, END), load(pool, PIECE)
    while load(pool, NEXT) < end:
        first = load(pool, NEXT)
        store(pool, NEXT, first + piece)
        if fails(entry, args, first, min(first + piece, end)):
            store(pool, FAILED, first + 1)
"""
# All reads, and all memory, are left out of what the probe has noted.
READS = training(
    f"""{REACHED}
def silent(*given):
    found = original(*given)
    told = "read ", "aten::item", "aten::_local", "aten::clone"
    kept = [one for one in found["events"] if not one[0].startswith(told)]
    last = max([stop for name, _, stop in kept if name == "step"], default=0)
    if given[3]:
        kept.append(("read tolist", last + 1, last + 2))
    return {{**found, "events": kept, "touched": [], "copied": []}}


probe = load_module("autograder.labs.profiler.training.probe")
original, probe.run = probe.run, silent
""",
    kept="loss.item()",
    losses="losses",
)
ATTACKS = [
    Attack("reports other threads", {FLAT: THREADS}, inspected=False),
    Attack("reports another order", {ROWS: ORDER}, inspected=False),
    Attack("reports other cells of shared memory", {TILED: BANKS}, inspected=False),
    Attack("reports pieces that no thread took", {PIECES: TAKEN}, inspected=False),
    Attack("reports no reads", {TRAINING: READS}, UNCOUNTED, False),
]
