"""Checks of what the fast matrix product is made of: panels and the register tile."""

import random
from collections.abc import Iterator

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Case, Check
from autograder.labs.cpu.products import probe as probes
from autograder.labs.cpu.products.check import UNIT
from autograder.labs.cpu.runs import COMPILED, RAISED, compiled, traced
from engine import memory_trace
from engine.memory_trace import Trace

ORDERS = ("across", "along", "apart")
HEIGHT = 4

# ---- pack


def _panel(args: tuple) -> tuple[dict, np.ndarray]:
    """The arrays of a case, and the whole of `to` afterwards."""
    arrays, (width, x, p, step, x_k, count, k, to, o) = probes.panel(*args)
    right = to.astype(np.float64)
    for t in range(k):
        for i in range(width):
            right[o + t * width + i] = x[p + i * step + t * x_k] if i < count else 0
    return arrays, right


def _packed(args: tuple, observed: object) -> object:
    arrays, right = _panel(args)
    trace = counting.read(observed, arrays)
    width, count, k = args[:3]
    _, (_, _, p, step, x_k, _, _, _, o) = probes.panel(*args)

    def needed(cell: int) -> dict:
        t, i = divmod(cell - o, width) if width else (0, 0)
        return {"x": [p + i * step + t * x_k]} if 0 <= t < k and i < count else {}

    return {
        "result": counting.judged_result(trace, arrays, {"to": right}, needed={"to": needed}),
        "out of bounds": counting.out_of_bounds(trace),
    }


def _pack_counted(args: tuple, observed: object) -> object:
    width, count, k = args[:3]
    trace = counting.read(observed, probes.panel(*args)[0])
    return {
        "loads of x": counting.loads(trace, "x", count * k, count * k),
        "stores to the panel": counting.stores(trace, "to", width * k, width * k),
        "loads of the panel": counting.loads(trace, "to", 0, 0),
    }


def _pack_compiled(args: tuple, observed: object) -> object:
    return "right" if np.array_equal(np.asarray(observed, np.float64), _panel(args)[1]) else "another panel"


def _panels(rng: random.Random, sizes: list[tuple[int, int, int]], about: str) -> Iterator[Case]:
    for size in sizes:
        where = (rng.choice(ORDERS), rng.randint(0, 3), tuple(rng.sample(range(6), 2)))
        yield Case((*size, *where, rng.choice(("float32", "float64", "int64")), rng.randrange(999)), about)


def _pack_ordinary(rng: random.Random) -> Iterator[Case]:
    yield from _panels(rng, [(1, 1, 1), (2, 2, 3), (3, 3, 2), (4, 4, 5), (8, 8, 4), (6, 6, rng.randint(5, 9))], "full")
    for order in ORDERS:
        yield Case((5, 5, 6, order, rng.randint(0, 3), (2, 1), "float32", rng.randrange(999)), order)


def _pack_edge(rng: random.Random) -> Iterator[Case]:
    yield from _panels(rng, [(2, 1, 1), (3, 2, 4), (8, 5, 6), (8, 7, 9), (12, 4, 4), (4, rng.randint(1, 3), 7)], "few")
    yield Case((4, 4, 0, "across", 1, (0, 0), "float32", rng.randrange(999)), "nothing")
    yield Case((3, 0, 2, "across", 1, (0, 1), "float32", rng.randrange(999)), "few")


# ---- four_rows


def _tile(args: tuple) -> tuple[dict, np.ndarray, np.ndarray]:
    """The arrays, the whole of `c` afterwards, and how far its elements may be off."""
    lanes, k, alpha, beta = args[:4]
    arrays, (a, p, b, q, b_k, c, o, c_m, *_) = probes.operands(*args)
    steps, across = np.arange(k)[:, None], np.arange(2 * lanes)
    of_a = a[p + HEIGHT * steps + np.arange(HEIGHT)].astype(np.float64).T
    of_b = b[q + steps * b_k + across].astype(np.float64)
    of_c = o + np.arange(HEIGHT)[:, None] * c_m + across
    right, bound = c.astype(np.float64), np.zeros(c.size)
    before = 0 if beta == 0 else beta * right[of_c]
    bound[of_c] = (k + 4) * UNIT[args[6]] * (abs(alpha) * (np.abs(of_a) @ np.abs(of_b)) + np.abs(before))
    right[of_c] = alpha * (of_a @ of_b) + before
    return arrays, right, bound


def _tiled(args: tuple, observed: object) -> object:
    arrays, right, bound = _tile(args)
    trace = counting.read(observed, arrays)
    lanes, k = args[:2]
    _, (_, p, _, q, b_k, _, o, c_m, *_) = probes.operands(*args)

    def needed(cell: int) -> dict:
        i, j = divmod(cell - o, c_m)
        if not (0 <= i < HEIGHT and 0 <= j < 2 * lanes):
            return {}
        return {"a": [p + HEIGHT * t + i for t in range(k)], "b": [q + t * b_k + j for t in range(k)]}

    return {
        "result": counting.judged_result(trace, arrays, {"c": right}, {"c": bound}, {"c": needed}),
        "out of bounds": counting.out_of_bounds(trace),
    }


def _tile_counted(args: tuple, observed: object) -> object:
    lanes, k, _, beta = args[:4]
    cells = HEIGHT * 2 * lanes
    trace, of_c = counting.read(observed, probes.operands(*args)[0]), 0 if beta == 0 else cells
    of_b = memory_trace.accesses(trace, "", "load", "b")
    return {
        "loads of a": counting.loads(trace, "a", HEIGHT * k, HEIGHT * k),
        "loads of b": counting.loads(trace, "b", 2 * lanes * k, 2 * lanes * k),
        "loads of b by vectors": counting.within(sum(_is_vectors(trace, load) for load in of_b), *(2 * lanes * k,) * 2),
        "loads of c": counting.loads(trace, "c", of_c, of_c),
        "stores to c": counting.stores(trace, "c", cells, cells),
    }


def _is_vectors(trace: Trace, access: memory_trace.Access) -> bool:
    """Return whether the call is of the probe's `loadu`, and not of another function with that name."""
    instruction = trace.instructions[access.instruction]
    return instruction.function == "loadu" and instruction.file.endswith("looped.py")


def _tile_compiled(args: tuple, observed: object) -> object:
    _, right, bound = _tile(args)
    got = np.asarray(observed, np.float64)
    is_near = np.abs(got - right) <= bound + 1e-30
    is_right = got.shape == right.shape and bool(np.all(is_near | (np.isnan(got) & np.isnan(right))))
    return "right" if is_right else "another tile"


def _tile_ordinary(rng: random.Random) -> Iterator[Case]:
    for lanes, k in ((1, 1), (2, 1), (1, 2), (2, 3), (4, 2), (3, 5), (4, rng.randint(4, 7)), (8, 3)):
        gap, begin, seed = rng.randint(0, 3), tuple(rng.sample(range(6), 3)), rng.randrange(999)
        dtype = rng.choice(tuple(UNIT))
        yield Case((lanes, k, rng.choice((1, 2, -3)), 0, gap, begin, dtype, seed), "new")


def _tile_edge(rng: random.Random) -> Iterator[Case]:
    for lanes, k in ((1, 1), (2, 2), (4, 3), (2, 5), (3, 2), (4, rng.randint(2, 6))):
        gap, begin, seed = rng.randint(0, 3), tuple(rng.sample(range(6), 3)), rng.randrange(999)
        yield Case(
            (lanes, k, rng.choice((1, 2)), rng.choice((1, -2)), gap, begin, rng.choice(tuple(UNIT)), seed), "old"
        )


def _tile_loads(rng: random.Random) -> Iterator[Case]:
    for lanes, k, beta in ((1, 2, 0), (2, 3, 0), (4, 4, 0), (2, 5, 1), (4, 3, 2), (rng.randint(2, 5), 6, 0)):
        yield Case((lanes, k, 1, beta, 1, (2, 0, 1), "float32", rng.randrange(999)), "loads")


CHECKS = (
    Check(
        "cpu.gemm.pack", ("", "width", "count", "k", "x lies", "gap", "p, o", "dtype", "seed"),
        (
            traced("ordinary", 2, _pack_ordinary, _packed),
            traced("edge", 2, _pack_edge, _packed, "ordinary"),
            traced("loads", 1, lambda rng: [*_pack_ordinary(rng), *_pack_edge(rng)], _pack_counted, "ordinary"),
            compiled(1, lambda rng: [Case((16, 11, rng.randint(20, 30), "along", 1, (3, 0), "float32",
                                           rng.randrange(999)), "compiled")],
                     _pack_compiled),
        ),
        {
            "full": "to[o + t * width + i] is x[p + i * step + t * x_k]: all of one t, then the next t",
            "across": "here the elements of one t are neighbours: step is 1",
            "along": "here the elements of one i are neighbours: x_k is 1",
            "apart": "here no two elements are neighbours: use both strides",
            "few": "the edge of the matrix: behind the `count` elements of each t there are zeros up to `width`, "
                   "and X is not read there",
            "nothing": "no steps: nothing is written",
            "loads of x": "each element of X is read once, and nothing of `x` that is not X",
            "stores to the panel": "each cell of the panel is written once: a number of X, or a zero",
            "loads of the panel": "the panel is only written",
            "compiled": COMPILED,
            "raised": RAISED,
        },
        "cpu.products.packed",
    ),
    Check(
        "cpu.gemm_vectors.four_rows", ("", "lanes", "k", "alpha", "beta", "gap", "p, q, o", "dtype", "seed"),
        (
            traced("ordinary", 3, _tile_ordinary, _tiled),
            traced("update", 1, _tile_edge, _tiled, "ordinary"),
            traced("loads", 3, _tile_loads, _tile_counted, "ordinary"),
            compiled(2, lambda rng: [Case((8, rng.randint(9, 15), 2, 0, 1, (3, 0, 2), "float32",
                                           rng.randrange(999)), "compiled"),
                                     Case((4, rng.randint(9, 15), 1, 1, 1, (3, 0, 2), "float64",
                                           rng.randrange(999)), "compiled")],
                     _tile_compiled),
        ),
        {
            "new": "row i, both vectors: alpha times the sum over t of a[p + 4 * t + i] times row t of B",
            "old": "beta is not 0: what C held, times beta, stays in the sum. `write` does that",
            "loads of b by vectors": "the rows of B come in vectors, two by loadu in each step, and not number by "
                                     "number",
            "loads": "in each step of t: two vectors of B and four elements of A, each read once. C is read or written "
                     "once, at the end: the sums are values, not memory",
            "compiled": "numba must be able to compile the tile. All numbers and vectors have the dtype of `a`: begin "
                        "the sums with broadcast(a.dtype.type(0), lanes), and not with 0.0, a list or NumPy's arrays",
            "raised": RAISED,
        },
        "cpu.products.tile",
    ),
)  # fmt: skip
