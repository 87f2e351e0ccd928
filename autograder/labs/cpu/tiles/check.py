"""Checks of what the fast matrix product is made of: panels and the register tile."""

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Case, Check
from autograder.labs.cpu.operands import COUNTED, RESULT, judged, text_of
from autograder.labs.cpu.products import probe as probes
from autograder.labs.cpu.products.check import UNIT
from autograder.labs.cpu.runs import COMPILED, LOOPS, RAISED, compiled, says, traced
from engine import memory_trace
from engine.memory_trace import Trace

ORDERS = ("across", "along", "apart")
HEIGHT = 4

# ---- pack


def _panel(args: tuple) -> tuple[dict, np.ndarray]:
    """Return the arrays of a case, and the whole of `to` afterwards."""
    arrays, (width, x, p, step, x_k, count, k, to, o) = probes.panel(*args)
    right = to.astype(np.float64)
    for t in range(k):
        for i in range(width):
            right[o + t * width + i] = x[p + i * step + t * x_k] if i < count else 0
    return arrays, right


def _packed(args: tuple, observed: object) -> dict[str, str]:
    """Judge whether the panel holds X and zeros, and whether no other cell is touched."""
    arrays, right = _panel(args)
    trace = counting.read(observed, arrays)
    width, count, k = args[:3]
    _, (_, x, p, step, x_k, _, _, to, o) = probes.panel(*args)
    of_x = {p + i * step + t * x_k for t in range(k) for i in range(count)}

    def needed(cell: int) -> dict:
        t, i = divmod(cell - o, width) if width else (0, 0)
        return {"x": [p + i * step + t * x_k]} if 0 <= t < k and i < count else {}

    def without_zeros() -> dict:
        left = right.copy()
        for t in range(k):
            left[o + t * width + count : o + (t + 1) * width] = to[o]
        return {"to": left}

    def transposed() -> dict:
        left = right.copy()
        left[o : o + width * k] = right[o : o + width * k].reshape(k, width).T.reshape(-1)
        return {"to": left}

    def by_count(of_numbers: int, of_zeros: int) -> dict:
        left = to.astype(np.float64)
        for t in range(k):
            for i in range(width):
                begin = o + t * (of_numbers if i < count else of_zeros)
                left[begin + i] = x[p + i * step + t * x_k] if i < count else 0
        return {"to": left}

    instead = {NO_ZEROS: without_zeros, BY_I: transposed}
    instead[BY_COUNT] = lambda: by_count(count, width)
    instead[BOTH_BY_COUNT] = lambda: by_count(count, count)
    instead[ZEROS_BY_COUNT] = lambda: by_count(width, count)
    return {
        "outside the panel": _outside(trace, "store", "to", set(range(o, o + width * k)), "is written"),
        "outside X": _outside(trace, "load", "x", of_x, "is read"),
        "result": judged(trace, arrays, {"to": right}, 0.0, {"to": needed}, instead),
        "out of bounds": counting.out_of_bounds(trace),
    }


NO_ZEROS, BY_I = "the zeros are missing", "all of one i come first"
BY_COUNT, BOTH_BY_COUNT = "numbers of X are `count` cells apart from t to t", "each t begins `count` cells further"
ZEROS_BY_COUNT = "zeros are `count` cells apart from t to t"
BY_WIDTH = "each t begins `width` cells after the one before, also at the edge, where `count` is less than `width`"


def _outside(trace: Trace, kind: str, name: str, cells: set[int], done: str) -> str:
    """Return the finding on accesses to other cells of an array."""
    seen = {access.index for access in memory_trace.accesses(trace, "", kind, name)} - cells
    return "left alone" if not seen else f"{name}[{min(seen)}] {done}"


def _pack_edge_findings(args: tuple, observed: object) -> dict[str, str]:
    """Judge as `_packed` does, and whether each zero is written once; "loads" asks this of X, for full panels."""
    width, count, k, *_, (_, o), _, _ = args
    trace = counting.read(observed, probes.panel(*args)[0])
    zeros = {o + t * width + i for t in range(k) for i in range(count, width)}
    stored = sum(access.index in zeros for access in memory_trace.accesses(trace, "", "store", "to"))
    return _packed(args, observed) | {"stores of zeros": counting.within(stored, len(zeros), len(zeros))}


def _pack_counted(args: tuple, observed: object) -> dict[str, str]:
    width, count, k = args[:3]
    trace = counting.read(observed, probes.panel(*args)[0])
    return {
        RESULT: _packed(args, observed)["result"],
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


def _rows_of_b_apart(args: tuple, c: Any, apart: int) -> dict:
    """Compute C of a tile that takes the rows of B to be `apart` cells apart."""
    return {"c": _tile(args, keep=c, b_row=apart)[1]}


def _tile(
    args: tuple, keep: np.ndarray | None = None, by_rows: bool = False, b_row: int | None = None
) -> tuple[dict, np.ndarray, np.ndarray]:
    """Compute the arrays, the whole of `c` afterwards, and how far its elements may be off.

    Args:
        keep: what C holds before.
        by_rows: A is read as if it were not packed, its rows one behind the other.
        b_row: the step from a row of B to the next, if it is not B's own.
    """
    lanes, k, alpha, beta = args[:4]
    arrays, (a, p, b, q, b_k, c, o, c_m, *_) = probes.operands(*args)
    c = c if keep is None else keep
    steps, across = np.arange(k)[:, None], np.arange(2 * lanes)
    of_t, of_i = (1, k) if by_rows else (HEIGHT, 1)
    of_a = a[p + of_t * steps + of_i * np.arange(HEIGHT)].astype(np.float64).T
    of_b = b[q + steps * (b_k if b_row is None else b_row) + across].astype(np.float64)
    of_c = o + np.arange(HEIGHT)[:, None] * c_m + across
    right, bound = c.astype(np.float64), np.zeros(c.size)
    before = 0 if beta == 0 else beta * right[of_c]
    bound[of_c] = (k + 4) * UNIT[args[6]] * (abs(alpha) * (np.abs(of_a) @ np.abs(of_b)) + np.abs(before))
    right[of_c] = alpha * (of_a @ of_b) + before
    return arrays, right, bound


def _tiled(args: tuple, observed: object) -> dict[str, str]:
    arrays, right, bound = _tile(args)
    trace = counting.read(observed, arrays)
    lanes, k, alpha, beta = args[:4]
    _, (_, p, _, q, b_k, c, o, c_m, *_) = probes.operands(*args)

    def needed(cell: int) -> dict:
        i, j = divmod(cell - o, c_m)
        if not (0 <= i < HEIGHT and 0 <= j < 2 * lanes):
            return {}
        return {"a": [p + HEIGHT * t + i for t in range(k)], "b": [q + t * b_k + j for t in range(k)]}

    def other(first: float, second: float) -> dict:
        return {"c": _tile((*args[:2], first, second, *args[4:]), keep=c)[1]}

    of_c = {o + i * c_m + j for i in range(HEIGHT) for j in range(2 * lanes)}
    instead = {NO_BETA: lambda: other(alpha, 0), NO_ALPHA: lambda: other(1, beta), BETA_1: lambda: other(alpha, 1)}
    instead[BY_ROWS] = lambda: {"c": _tile(args, keep=c, by_rows=True)[1]}
    for apart in (2 * lanes, lanes, 1):
        instead[f"{ROWS_OF_B} {apart}"] = partial(_rows_of_b_apart, args, c, apart)
    result = judged(trace, arrays, {"c": right}, {"c": bound}, {"c": needed}, instead)
    return {
        "outside C": _outside(trace, "store", "c", of_c, "is written"),
        "result": _without_junk(trace, of_c, result),
        "out of bounds": counting.out_of_bounds(trace),
    }


def _without_junk(trace: Trace, of_c: set[int], result: str) -> str:
    """Return the result; for a cell outside C, or one that was never written, leave out the numbers there."""
    cell = result.partition(" is ")[0]
    if cell == result or not cell.startswith("c["):
        return result
    if cell not in {f"c[{index}]" for index in of_c}:
        return f"{cell} is outside C"
    written = {f"c[{access.index}]" for access in memory_trace.accesses(trace, "", "store", "c")}
    return result if cell in written else f"{cell} is not written"


NO_BETA, NO_ALPHA, BETA_1 = "what C held is missing", "alpha is missing", "what C held is not multiplied by beta"
BY_ROWS, ROWS_OF_B = "A is read by rows", "the step from a row of B to the next is"


def _tile_counted(args: tuple, observed: object) -> dict[str, str]:
    """Judge the counts; that beta is forgotten is asked in "update" and costs nothing here."""
    lanes, k, _, beta = args[:4]
    cells = HEIGHT * 2 * lanes
    trace = counting.read(observed, probes.operands(*args)[0])
    of_b = memory_trace.accesses(trace, "", "load", "b")
    result = _tiled(args, observed)["result"]
    is_forgotten = beta != 0 and result.endswith(NO_BETA)
    return {
        RESULT: "right" if is_forgotten else result,
        "loads of a": counting.loads(trace, "a", HEIGHT * k, HEIGHT * k),
        "loads of b": counting.loads(trace, "b", 2 * lanes * k, 2 * lanes * k),
        "loads of b by vectors": counting.within(sum(_is_vectors(trace, load) for load in of_b), *(2 * lanes * k,) * 2),
        "loads of c": counting.loads(trace, "c", 0, cells * (beta != 0)),
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
    sizes = ((1, 1), (2, 1), (1, 2), (2, 3), (4, 2), (3, 5), (4, rng.randint(4, 7)), (8, 3))
    for number, (lanes, k) in enumerate(sizes):
        gap, begin, seed = rng.randint(0, 3), tuple(rng.sample(range(6), 3)), rng.randrange(999)
        dtype = rng.choice(tuple(UNIT))
        yield Case((lanes, k, (2, 1, -3)[number % 3], 0, gap, begin, dtype, seed), "new")


def _tile_edge(rng: random.Random) -> Iterator[Case]:
    for number, (lanes, k) in enumerate(((1, 1), (2, 2), (4, 3), (2, 5), (3, 2), (4, rng.randint(2, 6)))):
        gap, begin, seed = rng.randint(0, 3), tuple(rng.sample(range(6), 3)), rng.randrange(999)
        yield Case(
            (lanes, k, 1 + number // 2 % 2, (-2, 1)[number % 2], gap, begin, rng.choice(tuple(UNIT)), seed), "old"
        )


def _tile_loads(rng: random.Random) -> Iterator[Case]:
    for lanes, k, beta in ((1, 2, 0), (2, 3, 0), (4, 4, 0), (2, 5, 1), (4, 3, 2), (rng.randint(2, 5), 6, 0)):
        yield Case((lanes, k, 1, beta, 1, (2, 0, 1), "float32", rng.randrange(999)), "loads")


def _pack_call(args: tuple) -> str:
    """Write Python text that runs a case."""
    how, *rest = args
    arrays, given = probes.panel(*rest)
    return _call("pack", how, arrays, given, "to")


def _tile_call(args: tuple) -> str:
    """Write Python text that runs a case, compiled: only there are vectors."""
    _, *rest = args
    arrays, given = probes.operands(*rest)
    return _call(f"four_rows({rest[0]})", "compiled", arrays, given, "c")


def _call(function: str, how: str, arrays: dict, given: tuple, output: str) -> str:
    made = "; ".join(f"{name} = {text_of(array)}" for name, array in arrays.items())
    names = {id(array): name for name, array in arrays.items()}
    numbers = (f"np.{one.dtype}({one})" if isinstance(one, np.generic) else str(one) for one in given)
    shown = ", ".join(names.get(id(one), text) for one, text in zip(given, numbers, strict=True))
    function = f"numba.njit(error_model='numpy')({function})" if how == "compiled" else function
    return f"{made}; {function}({shown}); print({output})"


ONCE = "in each step of t: two vectors of B and four elements of A, each read once, for eight products"

CHECKS = (
    Check(
        "cpu.gemm.pack", ("observed", "width", "count", "k", "X lies", "unused behind", "p, o", "dtype", "seed"),
        (
            traced("ordinary", 1, _pack_ordinary, _packed),
            traced("edge", 1, _pack_edge, _pack_edge_findings, "ordinary"),
            traced("loads", 1, _pack_ordinary, _pack_counted, "ordinary"),
            compiled(1, lambda rng: [Case((16, 16, rng.randint(20, 30), "along", 1, (3, 0), "float32",
                                           rng.randrange(999)), "compiled")],
                     _pack_compiled),
        ),
        {
            "full": "to[o + t * width + i] is x[p + i * step + t * x_k]: all of one t, then the next t",
            "across": "here the elements of one t are neighbors: step is 1",
            "along": "here the elements of one i are neighbors: x_k is 1",
            "apart": "here no two elements are neighbors: use both strides",
            "outside the panel": "only the panel is written: cells o to o + width * k - 1 of `to`; the rest of `to` "
                                 "belongs to others",
            "outside X": "of `x` only the elements of X are read: X[i, t] is x[p + i * step + t * x_k], for i < count "
                         "and t < k",
            "few": "the edge of the matrix: behind the `count` elements of each t there are zeros up to `width`, "
                   "and X is not read there",
            "nothing": "no steps: nothing is written",
            "stores of zeros": "each zero is written once",
            "loads of x": "each element of X is read once, and nothing of `x` that is not X",
            "stores to the panel": "each cell of the panel is written once: a number of X, or a zero",
            "loads of the panel": "the panel is only written",
            "compiled": COMPILED,
            "raised": RAISED,
            **COUNTED,
        },
        "cpu.products.packed",
        mistakes=(
            says(NO_ZEROS, "behind the `count` elements of each t there are zeros up to `width`: write them"),
            *(says(apart, BY_WIDTH) for apart in (BY_COUNT, BOTH_BY_COUNT, ZEROS_BY_COUNT)),
            says(BY_I, "to[o + t * width + i] is x[p + i * step + t * x_k]: all of one t, then the next t"),
            *LOOPS,
        ),
        words={
            "across": "the elements of one t are neighbors: step is 1",
            "along": "the elements of one i are neighbors: x_k is 1",
            "apart": "no two elements are neighbors",
        },
        call=_pack_call,
    ),
    Check(
        "cpu.gemm_vectors.four_rows", 
        ("observed", "lanes", "k", "alpha", "beta", "unused behind a row", "p, q, o", "dtype", "seed"),
        (
            traced("ordinary", 2, _tile_ordinary, _tiled),
            traced("update", 1, _tile_edge, _tiled, "ordinary"),
            traced("loads", 2, _tile_loads, _tile_counted, "ordinary"),
            compiled(1, lambda rng: [Case((8, rng.randint(9, 15), 2, 0, 1, (3, 0, 2), "float32",
                                           rng.randrange(999)), "compiled")],
                     _tile_compiled),
        ),
        {
            "new": "row i, both vectors: alpha times the sum over t of a[p + 4 * t + i] times row t of B",
            "old": "beta is not 0: what C held, times beta, stays in the sum. `write` does that",
            "result": "C[i, j] is c[o + i * c_m + j], and becomes alpha times the sum over t of a[p + 4 * t + i] * "
                      "b[q + t * b_k + j], plus beta times what it was: which i and j has the cell that is shown?",
            "loads of b by vectors": "the rows of B come in vectors, two by loadu in each step, and not number by "
                                     "number",
            "outside C": "C[i, j] is c[o + i * c_m + j], for i < 4 and j < 2 * lanes: no other cell is written",
            "loads": ONCE,
            "loads of a": ONCE,
            "loads of b": ONCE,
            "loads of c": "C is read once at most, and only if beta is not 0: the sums are values, not memory",
            "stores to c": "C is written once, at the end: the sums are values, not memory",
            "compiled": COMPILED,
            "raised": RAISED,
            **COUNTED,
        },
        "cpu.products.tile",
        mistakes=(
            says(NO_BETA, "beta is not 0: what C held, times beta, stays in the sum. `write` does that"),
            says(NO_ALPHA, "the sum is multiplied by alpha. `write` does that"),
            says(BETA_1, "what C held is multiplied by beta. `write` does that"),
            says(ROWS_OF_B, "row t of B begins at q + t * b_k: between the rows there may be unused elements"),
            says(BY_ROWS, "A is packed: A[i, t] is a[p + 4 * t + i], so the four elements of a step are neighbors"),
            says("a list of vectors lies in memory", "give each of the eight sums a name of its own: registers have "
                 "no index"),
            *LOOPS,
        ),
        call=_tile_call,
    ),
)  # fmt: skip
