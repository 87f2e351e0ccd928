"""Check of the loop that joins panels and tiles to a product of matrices (probe.py)."""

import random
from collections.abc import Iterator

import numpy as np

import engine
from autograder.examine import counting
from autograder.examine.model import Case, Check
from autograder.labs.cpu.operands import COUNTED, RESULT, judged
from autograder.labs.cpu.panels import probe as probes
from autograder.labs.cpu.products.check import UNIT
from autograder.labs.cpu.runs import COMPILED, LOOPS, RAISED, compiled, says, traced
from engine import memory_trace
from engine.cpu.gemm import HEIGHTS
from engine.memory_trace import Trace

TILES = ((4, (6, 4, 2)), (2, (3, 2, 1)), (3, (4, 2, 1)))
WAYS = ("rows", "columns", "neither")
BETA_0 = "beta is 0, and what C held is read"
BY_WIDTH = "`edge` is read with another row stride than the tile wrote with"
EDGE_BETA, OF_EDGE = "what C held is missing in tiles that are not whole", "beta times what lay in `edge` is in it"
NO_BETA = "what C held is missing everywhere"
APART = "a tile went to C at once, whose columns are no neighbors"
TOO_TALL = "a panel before the last one is read with more than `height` rows"
MEANS = (NO_BETA, EDGE_BETA, BETA_0, BY_WIDTH)


def _cells(args: tuple) -> tuple[np.ndarray, dict[str, np.ndarray], tuple, tuple]:
    """Return the cells of C, the arrays by name, the matrices A and B, and what the function is given."""
    (m, n, _), *_ = args
    a, b, given = probes.operands(*args)
    c, o, c_m, c_n = given[8]
    arrays = {"a": given[5], "b.elements": given[6][0], "c.elements": c, "edge": given[9]}
    return o + np.arange(m)[:, None] * c_m + np.arange(n) * c_n, arrays, (a, b), given


def _whole(args: tuple) -> np.ndarray:
    """Return as an (m, n) bool array which elements of C are in a tile that is written to C at once."""
    (m, n, _), (columns, heights), *_ = args
    *_, given = _cells(args)
    height, (_, _, _, c_n) = given[0], given[8]
    found = np.zeros((m, n), bool)
    for i in range(0, m, height):
        count = min(height, m - i)
        is_whole = count == probes.height_of(heights, count) and c_n == 1
        found[i : i + count, : n // columns * columns] = is_whole
    return found


def _right(args: tuple, mistake: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Compute all of C's array afterwards, and how far its elements may be off."""
    of_c, arrays, (a, b), given = _cells(args)
    alpha, beta = args[3]
    c, bound = arrays["c.elements"].astype(np.float64), np.zeros(arrays["c.elements"].size)
    a, b, held = a.astype(np.float64), b.astype(np.float64), 0 if beta == 0 else beta * c[of_c]
    bound[of_c] = (args[0][2] + 4) * UNIT[args[7]] * (abs(alpha) * (np.abs(a) @ np.abs(b)) + np.abs(held))
    if mistake == NO_BETA:
        held = 0
    elif mistake == EDGE_BETA:
        held = held * _whole(args)
    elif mistake == BETA_0:
        held = np.where(_whole(args), held, beta * c[of_c])
    product = _by_width(args, a @ b) if mistake == BY_WIDTH else a @ b
    c[of_c] = alpha * product + held
    return c, bound


def _by_width(args: tuple, product: np.ndarray) -> np.ndarray:
    """Return the product as it is if tiles at the right edge are read with too short a step from row to row."""
    (m, n, _), (columns, heights), which, *_ = args
    left, found = n % columns, product.copy()
    for i in range(0, m, heights[which]) if left else ():
        count = min(heights[which], m - i)
        tile = np.zeros((count, columns))
        tile[:, :left] = product[i : i + count, n - left :]
        found[i : i + count, n - left :] = tile.reshape(-1)[: count * left].reshape(count, left)
    return found


def _joined(args: tuple, observed: object) -> dict[str, str]:
    """Judge whether C is right, made of A and B, and whether nothing else of C's array is touched."""
    of_c, arrays, _, given = _cells(args)
    trace = counting.read(observed, arrays)
    right, bound = _right(args)
    (m, _, k), (columns, heights), height = args[0], args[1], given[0]
    _, q, b_k, b_j = given[6]
    places = {int(cell): place for place, cell in np.ndenumerate(of_c)}

    def needed(cell: int) -> dict:
        if cell not in places:
            return {}
        i, j = places[cell]
        first, panel = i // height * height, j // columns * columns
        rows = probes.height_of(heights, min(height, m - first))
        return {
            "a": [first * k + t * rows + i - first for t in range(k)],
            "b.elements": [q + panel * b_j + t * b_k + j - panel for t in range(k)],
        }

    instead = {means: (lambda means=means: {"c.elements": _right(args, means)[0]}) for means in MEANS}
    seen = {access.index for access in memory_trace.accesses(trace, "", "", "c.elements")} - places.keys()
    result = judged(trace, arrays, {"c.elements": right}, {"c.elements": bound}, {"c.elements": needed}, instead,
                    also=("edge",))  # fmt: skip
    if result.startswith("c.elements[") and _reads_edge(trace):
        result = f"{result.partition(': ')[0]}: {OF_EDGE}"
    if result.startswith("c.elements[") and given[8][3] != 1 and _by_tiles(trace, "store", "c.elements"):
        result = f"{result.partition(': ')[0]}: {APART}"
    if result.startswith("c.elements[") and _are_too_tall(args, trace):
        result = f"{result.partition(': ')[0]}: {TOO_TALL}"
    return {
        "outside C": "left alone" if not seen else f"c.elements[{min(seen)}] is read or written",
        "result": result,
        "out of bounds": counting.out_of_bounds(trace),
    }


def _are_too_tall(args: tuple, trace: Trace) -> bool:
    """Return True if A is read as often as by tiles of height_of(all rows that are left), where these are too tall."""
    (m, n, k), (columns, heights), which, *_ = args
    firsts = range(0, m, heights[which])
    of_all, of_panel = (
        sum(probes.height_of(heights, min(m - i, most)) for i in firsts) for most in (m, heights[which])
    )
    loads = memory_trace.count(trace, "", "load", "a")
    return of_all != of_panel and loads == of_all * -(-n // columns) * columns * k


def _joined_at_the_edge(args: tuple, observed: object) -> dict[str, str]:
    """Judge as `_joined` does; the result has another hint."""
    return {"edge" if name == "result" else name: said for name, said in _joined(args, observed).items()}


def _reads_edge(trace: Trace) -> bool:
    """Return True if a tile reads `edge`, as it does if its beta is not 0; the copy to C has to read it."""
    return _by_tiles(trace, "load", "edge")


def _by_tiles(trace: Trace, kind: str, name: str) -> bool:
    """Return True if a tile reads or writes the array."""
    by = (trace.instructions[access.instruction] for access in memory_trace.accesses(trace, "", kind, name))
    return any(one.function == "multiply_tile" and one.file.endswith("probe.py") for one in by)


def _counted(args: tuple, observed: object) -> dict[str, str]:
    """Judge whether each panel of A meets each panel of B once, and whether whole tiles go to C without a detour."""
    _, arrays, _, given = _cells(args)
    trace = counting.read(observed, arrays)
    (m, n, k), (columns, heights), height = args[0], args[1], given[0]
    across = -(-n // columns)
    down = [probes.height_of(heights, min(height, m - i)) for i in range(0, m, height)]
    products = sum(down) * across * columns * k
    whole = int(_whole(args).sum())
    by_edge = sum(down) * across * columns - whole
    return {
        RESULT: _joined(args, observed)["result"],
        "loads of a": counting.loads(trace, "a", products, products),
        "stores to c": counting.stores(trace, "c.elements", m * n, m * n),
        "stores to edge": counting.stores(trace, "edge", by_edge, by_edge),
    }


def _compiled(args: tuple, observed: object) -> object:
    right, bound = _right((args[0], probes.tile_of(engine, args[1], args[7]), *args[2:]))
    got = np.asarray(observed, np.float64)
    is_near = np.abs(got - right) <= bound + 1e-30
    is_right = got.shape == right.shape and bool(np.all(is_near | (np.isnan(got) & np.isnan(right))))
    return "right" if is_right else "another matrix"


def _case(
    rng: random.Random, about: str, size: tuple, tile: tuple, which: int, beta: int, b_is: str, c_by: str
) -> Case:
    numbers, begin = (rng.choice((1, 2, -3)), beta), (rng.randint(1, 5), rng.randint(1, 5))
    return Case((size, tile, which, numbers, b_is, c_by, begin, rng.choice(tuple(UNIT)), rng.randrange(999)), about)


def _ordinary(rng: random.Random) -> Iterator[Case]:
    """Yield cases of whole tiles only."""
    for columns, heights in TILES:
        for which, height in enumerate(heights):
            down, across, k = rng.randint(1, 3), rng.randint(1, 3), rng.randint(2, 3)
            if which == 0:
                down, across = 2, 2
            size = (down * height, across * columns, k)
            beta, b_is = (0, 2, -1)[which], ("packed", "unpacked")[which % 2]
            yield _case(rng, "result", size, (columns, heights), which, beta, b_is, "rows")


def _edge(rng: random.Random) -> Iterator[Case]:
    for number, (columns, heights) in enumerate(TILES):
        tallest = heights[0]
        beta = (0, 3, -2)[number]
        yield _case(rng, "edge", (tallest + 1, 2 * columns, 2), (columns, heights), 0, beta, "packed", "rows")
        yield _case(rng, "edge", (2 * tallest - 1, columns, 2), (columns, heights), 0, 2, "unpacked", "rows")
        yield _case(rng, "edge", (tallest, columns + 1, 2), (columns, heights), 0, beta, "packed", "rows")
        yield _case(rng, "edge", (2 * heights[1], 2 * columns - 1, 3), (columns, heights), 1, 0, "packed", "rows")
        yield _case(rng, "edge", (tallest, columns, 2), (columns, heights), 0, beta, "packed", WAYS[1 + number % 2])
        yield _case(rng, "edge", (tallest + 1, 2 * columns + 1, 2), (columns, heights), 0, 2, "packed", "neither")
    yield _case(rng, "edge", (2, 2, 1), TILES[1], 1, 0, "packed", "neither")


def _both(rng: random.Random) -> Iterator[Case]:
    yield from list(_ordinary(rng))[:4]
    yield from list(_edge(rng))[:7]


def _large(rng: random.Random) -> Iterator[Case]:
    for which, c_by in ((0, "rows"), (2, "columns")):  # the last panel has one row, for which a lower tile is enough
        size = (HEIGHTS[0] * rng.randint(5, 8) + 1, 2 * rng.randint(35, 45) + 1, rng.randint(20, 30))
        args = size, probes.ENGINE, which, (2, 3), "packed", c_by, (3, 1), "float32", rng.randrange(999)
        yield Case(args, "compiled")


CHECKS = (
    Check(
        "cpu.gemm.multiply_panels",
        ("observed", "m, n, k", "columns and heights of a tile", "height number", "alpha, beta", "B is",
         "C lies by", "starts of B and C", "dtype", "seed"),
        (
            traced("ordinary", 1, _ordinary, _joined),
            traced("edge", 2, _edge, _joined_at_the_edge, "ordinary"),
            traced("tiles", 1, _both, _counted, "ordinary"),
            compiled(1, _large, _compiled),
        ),
        {
            "result": "C becomes alpha * A @ B + beta * C: the panel of A from row i on begins at i * k, the panel of "
                      "B from column j on at b.start + j * b.column_stride, its row t is t * b.row_stride further",
            "edge": "the last tile of A has height_of(rows that are left) rows, each one before it `height`. A tile "
                    "that is not whole in C, or whose columns are no neighbors there (column_stride is not 1), goes to "
                    "`edge`, and its part to C",
            "outside C": "of `c` only elements of C are touched: a tile that is not whole in C goes to `edge`, and "
                         "from there only what C has is copied",
            "loads of a": "each panel of A meets each panel of B once",
            "stores to c": "each element of C is written once",
            "stores to edge": "only tiles that are not whole, or whose columns are not neighbors in C, go to `edge`",
            "compiled": COMPILED,
            "raised": RAISED,
            **COUNTED,
        },
        "cpu.panels.joined",
        mistakes=(
            says(APART, "the columns of C are no neighbors here (column_stride is not 1): such a tile goes to `edge`, "
                 "too"),
            says(NO_BETA, "C becomes alpha * A @ B + beta * C, and beta times what it held is missing"),
            says(EDGE_BETA, "from `edge` too, what C held stays in the sum, times beta"),
            says("writes beside edge", "`edge` has columns_of(a) cells for each row: this is the row stride that the "
                 "tile gets with it, and not C's"),
            says(TOO_TALL, "a panel that is not the last has `height` rows, whatever height_of of all remaining rows "
                 "says: ask height_of for at most `height` rows"),
            says("reads beside a,", "the last panel of A may have fewer rows than `height`: it has "
                 "height_of(rows that are left), and so has its tile; each panel before it has `height` rows"),
            says(BETA_0, "if beta is 0, what C held is not read, at the edge either: it may be NaN, and 0 times NaN is "
                 "NaN"),
            says(BY_WIDTH, "a row of the tile in `edge` is columns_of(a) cells behind the one before, also where C has "
                 "fewer columns: row x, column y is edge[x * columns_of(a) + y]"),
            says(OF_EDGE, "this is beta times what lay in `edge`: the tile that goes there gets a beta of 0, and the "
                 "copy adds beta times what C held"),
            *LOOPS,
        ),
        words={
            "packed": "B lies in panels: row_stride is columns_of(a), column_stride is k",
            "unpacked": "B lies as it is: row_stride is n, column_stride is 1",
            "columns": "the elements of a column of C are neighbors: row_stride is 1",
            "neither": "no two elements of C are neighbors",
            "height number": "0 means that `height` is the first of the heights, 1 that it is the second, 2 the third",
            probes.ENGINE: f"columns_of(a) columns, and the heights {HEIGHTS}",
        },
    ),
)  # fmt: skip
