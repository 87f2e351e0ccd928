"""Checks of products of matrices on a device: one thread an element, and tiles in shared memory.

The probe returns the raw trace of one launch (probe.py); all else is found out here.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check
from autograder.labs.cuda.gemm import probe as probe
from autograder.labs.cuda.sharing import (
    BESIDE_SHARED,
    NOT_STORED,
    NOT_TO_LOAD,
    OF_PRODUCT,
    RACE_FOR_OUTPUT,
    RESULT,
    STARTS,
    UNLESS_RIGHT,
    first_misplaced,
    gives,
    guessed,
    most_of_a_thread,
    of_product,
    reason_of_an_element,
    reasons,
)
from engine.memory_trace import Trace, accesses

Findings = dict[str, str]
ROWS = ("rows", "rows", "rows")


# ---- what follows from a trace


def _read(
    data: Any, sizes: Sequence[int], layouts: Any, beta: int, dtype: str, seed: int, grid: int, block: Any
) -> Any:
    arrays = probe.operands(sizes, layouts, beta, dtype, seed)
    return arrays, counting.read(data, arrays, (grid,), block if isinstance(block, tuple) else (block,))


def _result(
    trace: Trace, arrays: dict[str, np.ndarray], sizes: tuple, layouts: Any, alpha: int, beta: int, tile: int = 0
) -> Findings:
    """Find whether the product is right and follows from what was loaded, and whether nothing else was touched."""
    batch, m, n, k = sizes
    of_a, of_b, of_c = (
        probe.cells(layout, batch, rows, columns)
        for layout, rows, columns in zip(layouts, (m, k, m), (k, n, n), strict=True)
    )
    before = arrays["c"]
    right = before.copy()
    exact = np.int64 if before.dtype == np.int64 else np.float64
    right[of_c] = alpha * (arrays["a"][of_a].astype(exact) @ arrays["b"][of_b].astype(exact))
    if beta:
        right[of_c] += beta * before[of_c]
    place = {int(cell): at for at, cell in np.ndenumerate(of_c)}

    def needed(cell: int) -> dict[str, list]:
        if cell not in place:
            return {}
        which, i, j = place[cell]
        return {"a": of_a[which, i].tolist(), "b": of_b[which, :, j].tolist()}

    a, b = arrays["a"].astype(np.float64), arrays["b"].astype(np.float64)

    def made(total: np.ndarray, alpha: int = alpha, beta: int = beta) -> np.ndarray:
        result = before.astype(np.float64)
        result[of_c] = alpha * total + (beta * before[of_c] if beta else 0)
        return result

    total = a[of_a] @ b[of_b]
    said = counting.judged_result(trace, arrays, {"c": right}, needed={"c": needed})
    said = guessed(trace, arrays, "c", said, right, {
        NO_ALPHA: lambda: made(total, alpha=1),
        NO_BETA: lambda: made(total, beta=0),
        BETA_1: lambda: made(total, beta=1 if beta else 0),
        FIRST: lambda: made(np.broadcast_to(total[:1], total.shape)),
        LAST_K: lambda: made(a[of_a[:, :, -1:]] @ b[of_b[:, -1:]]),
        SHORT_K: lambda: made(a[of_a[:, :, :-1]] @ b[of_b[:, :-1]]),
        ONE_TILE: lambda: made(a[of_a[:, :, : tile or k]] @ b[of_b[:, : tile or k]]),
    })  # fmt: skip
    said = reason_of_an_element(trace, "c", said, is_output_alone=beta == 0)
    return {**reasons(trace, said), "result": said}


OF_STRIDES = "result with any strides"
NO_ALPHA = "without alpha"
NO_BETA = "without beta * c"
BETA_1 = "with c added as it is, not beta times"
FIRST = "with the first matrix of the batch everywhere"
LAST_K = "with the last product alone"
SHORT_K = "without the last product"
ONE_TILE = "with the first tile along k alone"


MISTAKES = (
    gives(NOT_TO_LOAD, "where beta is 0, c may hold nan, and 0 * nan is nan: do not load it then"),
    gives(NO_ALPHA, "c becomes alpha * total + beta * c: alpha is missing"),
    gives(NO_BETA, "c becomes alpha * total + beta * c: what c held is missing"),
    gives(BETA_1, "c becomes alpha * total + beta * c: what c held is to be multiplied by beta"),
    gives(FIRST, "each matrix of the batch has its own A and B: the first of the three steps is the batch's"),
    gives(LAST_K, "the sum goes over all k: it is begun once, before the loop, and added to in it"),
    gives(SHORT_K, "the sum goes over all k products: the last one is missing"),
    gives(ONE_TILE, "there is more than one tile along k: the sum goes on from tile to tile"),
)


def _naive_result(args: tuple, data: object) -> Findings:
    sizes, layouts, alpha, beta, dtype, grid, block, seed = args
    arrays, trace = _read(data, sizes, layouts, beta, dtype, seed, grid, block)
    found = _result(trace, arrays, sizes, layouts, alpha, beta)
    result, (batch, m, n, _) = found.pop("result"), sizes
    of_c = "none" if beta or result == "right" else counting.loads(trace, "c", 0, 0)  # what may explain it
    stores = counting.stores(trace, "c", batch * m * n, None)
    return {**found, "races": counting.races(trace), "stores": stores, "loads of c": of_c, "result": result}


def _naive_strided(args: tuple, data: object) -> Findings:
    """Judge as `_naive_result` does; the result has another hint."""
    return {OF_STRIDES if name == "result" else name: said for name, said in _naive_result(args, data).items()}


def _naive_counts(args: tuple, data: object) -> Findings:
    sizes, layouts, _, beta, dtype, grid, block, seed = args
    _, trace = _read(data, sizes, layouts, beta, dtype, seed, grid, block)
    batch, m, n, k = sizes
    made = batch * m * n
    return {
        RESULT: _naive_result(args, data)["result"],
        "loads of a": counting.loads(trace, "a", made * k, made * k),
        "loads of b": counting.loads(trace, "b", made * k, made * k),
        **of_product(trace, made, beta),
        "loads of one thread": most_of_a_thread(trace, "a", -(-made // (grid * block)) * k),
        # What a warp stores is a run of at most 128 bytes, which spans one segment or two.
        "transactions of c": counting.transactions(trace, "c", "store", 0, 2 * -(-made // min(block, 32))),
    }


def _tiled_result(args: tuple, data: object) -> Findings:
    sizes, layouts, alpha, beta, dtype, grid, side, seed = args
    arrays, trace = _read(data, sizes, layouts, beta, dtype, seed, grid, (side, side))
    found = _result(trace, arrays, sizes, layouts, alpha, beta, side)
    return {**found, STARTS: counting.uninitialised_reads(trace)}


def _tiled_counts(args: tuple, data: object) -> Findings:
    sizes, layouts, _, beta, dtype, grid, side, seed = args
    _, trace = _read(data, sizes, layouts, beta, dtype, seed, grid, (side, side))
    batch, m, n, k = sizes
    down, across = -(-m // side), -(-n // side)
    of_a, of_b = batch * m * k * across, batch * k * n * down
    share = -(-batch * down * across // grid) * -(-k // side)
    which, i, j = np.indices((batch, m, n))
    block = (which * down * across + i // side * across + j // side) % grid
    cells = probe.cells(layouts[2], batch, m, n)
    owner = {
        int(cell): (int(b), int(t))
        for cell, b, t in zip(*map(np.ravel, (cells, block, i % side * side + j % side)), strict=True)
    }
    return {
        RESULT: _tiled_result(args, data)["result"],
        "loads of a": counting.loads(trace, "a", of_a, of_a),
        "loads of b": counting.loads(trace, "b", of_b, of_b),
        **of_product(trace, batch * m * n, beta),
        "loads of one thread": most_of_a_thread(trace, "a", share),
        "element of a thread": first_misplaced(
            accesses(trace, "global", "store", "c"), owner, "block b: tiles b, b + gridDim.x, ...; thread (x, y): y, x"
        ),
        "transactions of a": counting.transactions(trace, "a", "load", 0, _runs(args, "a")),
        "transactions of b": counting.transactions(trace, "b", "load", 0, _runs(args, "b")),
    }


def _runs(args: tuple, name: str) -> int:
    """Return the number of 128-byte segments that the warps touch if neighboring threads load neighboring elements.

    `side` threads load a run of neighbors; a run that does not begin at a boundary may span two segments.
    """
    (batch, m, n, k), layouts, _, _, dtype, _, side, _ = args
    layout, rows, columns, tiles = (
        (layouts[0], m, k, -(-n // side)) if name == "a" else (layouts[1], k, n, -(-m // side))
    )
    if layout in ("gaps", "same"):
        return 1 << 30
    runs, length = (columns, rows) if layout.endswith("columns") else (rows, columns)
    across = length + probe.FAR * layout.startswith("far")
    size = np.dtype(dtype).itemsize
    segments = 0
    for run in range(batch * runs):
        first = run * across * size
        for begin in range(0, length, side):
            end = first + min(begin + side, length) * size - 1
            segments += end // 128 - (first + begin * size) // 128 + 1
    return segments * tiles


def _tiled_shared(args: tuple, data: object) -> Findings:
    sizes, layouts, _, beta, dtype, grid, side, seed = args
    _, trace = _read(data, sizes, layouts, beta, dtype, seed, grid, (side, side))
    batch, m, n, k = sizes
    return {
        "barriers": counting.barriers(trace),
        "races": counting.races(trace),
        RESULT: _tiled_result(args, data)["result"],
        "loads from shared memory": counting.of_space(trace, "shared", "load", 2 * batch * m * n * k, None),
        "bank conflicts": counting.bank_conflicts(trace),
    }


# ---- gemm_naive_kernel


def _case(rng: random.Random, sizes: tuple, about: str, layouts: tuple = ROWS, alpha: int = 1, beta: int = 0,
          dtype: str = "float32", grid: int = 2, block: int = 8) -> Case:  # fmt: skip
    return Case((sizes, layouts, alpha, beta, dtype, grid, block, rng.randrange(10_000)), about)


def _size(rng: random.Random, most: int = 6) -> tuple[int, int, int, int]:
    """Draw (1, m, n, k), with m, n and k all different."""
    m, n, k = rng.sample(range(2, most), 3)
    return 1, m, n, k


def _naive_ordinary(rng: random.Random) -> Iterator[Case]:
    yield _case(rng, (1, 1, 1, 1), "elements", grid=1, block=1)
    yield _case(rng, (1, 2, 3, 1), "elements", grid=1, block=6)
    yield _case(rng, (1, 3, 2, 4), "elements", grid=1, block=6)
    yield _case(rng, (1, 3, 2, 4), "elements", grid=1, block=8)
    yield _case(rng, (1, 2, 3, 2), "elements", grid=3, block=4)
    yield _case(rng, (1, 2, 5, 3), "elements", grid=1, block=4)
    yield _case(rng, (1, 5, 3, 2), "elements", grid=2, block=2)
    yield _case(rng, (1, 2, 3, 4), "kind", dtype="int64", grid=2, block=4)
    for about, dtype in 2 * (("elements", "float32"), ("kind", "float64")):
        yield _case(rng, _size(rng), about, dtype=dtype, grid=rng.randint(2, 3))


LAYOUTS = (
    ("columns", "rows", "rows"), ("rows", "columns", "rows"), ("rows", "rows", "columns"),
    ("gaps", "rows", "rows"), ("rows", "gaps", "rows"), ("rows", "rows", "gaps"), ("same", "gaps", "rows"),
    ("columns", "same", "gaps"),
)  # fmt: skip


def _general(rng: random.Random) -> Iterator[Case]:
    """Yield cases of any strides, batches, alpha and beta."""
    betas = cycle((0, 2, -1))
    yield _case(rng, (1, 2, 1, 3), "beta", alpha=3, beta=-2)
    yield _case(rng, (1, 3, 2, 2), "beta", alpha=-1, beta=0, grid=1, block=4)
    yield _case(rng, (2, 2, 3, 2), "batch")
    yield _case(rng, (3, 1, 2, 3), "batch", alpha=2, beta=1)
    for layouts in LAYOUTS:
        sizes = (2, *_size(rng, 5)[1:])
        yield _case(rng, sizes, "strides", layouts, rng.choice((2, -3)), next(betas))


def _naive_counted(rng: random.Random) -> Iterator[Case]:
    yield _case(rng, (1, 2, 3, 4), "loads", grid=1, block=6)
    yield _case(rng, (1, 3, 4, 2), "loads", grid=1, block=16)
    yield _case(rng, (1, 4, 3, 5), "loads", grid=1, block=4)
    yield _case(rng, (1, 3, 2, 4), "loads", beta=3)
    yield _case(rng, (1, 3, 5, 2), "loads")
    yield _case(rng, (1, 12, 33, 1), "loads", grid=2, block=32)
    yield _case(rng, (1, rng.randint(9, 12), 40, 1), "loads", grid=3, block=32)
    for _ in range(3):
        yield _case(rng, _size(rng, 7), "loads", beta=rng.choice((0, 2)), grid=rng.randint(1, 3))


NAIVE_KERNEL = Check(
    "cuda.gemm.gemm_naive_kernel",
    ("sizes", "layouts", "alpha", "beta", "dtype", "grid", "block", "seed"),
    (
        Aspect("ordinary", 2, _naive_ordinary, findings=_naive_result),
        Aspect("strides", 2, _general, findings=_naive_strided),
        Aspect("loads", 2, _naive_counted, needs="ordinary", findings=_naive_counts),
    ),
    mistakes=(
        gives(
            NOT_STORED,
            "an element stays as it was: element e is in row e // n % m, column e % n of matrix "
            "e // (m * n), and the threads go on in steps of the whole grid until all are done",
        ),
        *MISTAKES,
    ),
    hints={
        RESULT: UNLESS_RIGHT,
        "elements": "element e is in row i = e // n % m, column e % n: the sum over all k of A[i, t] * B[t, j]",
        "result": "element e: matrix e // (m * n), i = e // n % m, j = e % n; kind(0) + all the A[i, t] * B[t, j]",
        OF_STRIDES: "see the aspect `ordinary` first; if it is right, a cell is not where its strides lead: "
        "`cell_of(p, a_steps, which, i, t)`, and from t to t + 1 it is a_steps[2] further, in B b_steps[1]",
        "kind": "element e, of row e // n % m and column e % n, is a sum over all k; it begins with kind(0)",
        "beta": "c = alpha * total + beta * c; where beta is 0, c may hold nan, and 0 * nan is nan",
        "batch": "element number e belongs to matrix e // (m * n); the first steps are those of the batch",
        "strides": "every index is multiplied by the step that came with its array, and the first element is not at 0",
        "out of bounds": "is there an element for this thread? and is the place made of the first cell and its steps?",
        "races": "each element of the output belongs to one thread of the whole grid: begin at cuda.grid(1)",
        "loads": "each thread loads k elements of A and k of B for an element of the output, each once",
        "loads of a": "each thread loads k elements of A for an element of the output, each once",
        "loads of b": "each thread loads k elements of B for an element of the output, each once",
        **OF_PRODUCT,
        "loads of one thread": "all threads of the grid share the elements: t, t + T, t + 2T, ... of T threads",
        "transactions of c": "neighboring threads make neighbors of a row: the stores of a warp lie side by side",
        "raised": "no kernel came, or it stops: the message says at which thread and line",
        "returned None": "the maker ends without `return`",
    },
    probe="cuda.gemm.naive",
    program="cuda.program.products",
)


# ---- gemm_tiled_kernel


def _tiled(rng: random.Random, sizes: tuple, about: str, side: int = 4, **more: Any) -> Case:
    return _case(rng, sizes, about, block=side, **more)


def _tiled_ordinary(rng: random.Random) -> Iterator[Case]:
    betas = cycle((0, 2, -1))
    yield _tiled(rng, (1, 1, 1, 1), "edges", 2, grid=1)
    yield _tiled(rng, (1, 4, 4, 4), "one tile", grid=1)
    yield _tiled(rng, (1, 2, 4, 6), "along k", 2, grid=2)
    yield _tiled(rng, (1, 3, 2, 5), "edges", 4, grid=1)
    yield _tiled(rng, (1, 4, 3, 2), "grid", 2, grid=3)
    yield _tiled(rng, (1, 3, 6, 5), "grid", 2, grid=2)
    yield _tiled(rng, (1, 5, 5, 5), "edges", 3, grid=1)
    yield _tiled(rng, (2, 3, 2, 3), "batch", 2, grid=3, alpha=2, beta=-1)
    for layouts in (LAYOUTS[0], LAYOUTS[1], LAYOUTS[2], LAYOUTS[6], LAYOUTS[7]):
        sizes = (2, *_size(rng, 5)[1:])
        yield _tiled(rng, sizes, "strides", rng.choice((2, 3)), layouts=layouts, beta=next(betas),
                     alpha=rng.choice((2, -3)))  # fmt: skip


def _tiled_counted(rng: random.Random) -> Iterator[Case]:
    yield _tiled(rng, (1, 4, 4, 4), "loads", 2, grid=4)
    yield _tiled(rng, (1, 4, 8, 4), "loads", 4, grid=2)
    yield _tiled(rng, (1, 3, 5, 6), "loads", 4, grid=2)
    yield _tiled(rng, (1, 3, 5, 2), "loads", 4, grid=3, beta=1)
    for a, b in (("far", "far"), ("far columns", "far"), ("far", "far columns")):
        yield _tiled(rng, (1, *rng.sample(range(5, 9), 3)), "loads", 8, layouts=(a, b, "rows"), grid=1)


def _tiled_ordered(rng: random.Random) -> Iterator[Case]:
    yield _tiled(rng, (1, 2, 2, 2), "shared", 2, grid=1)
    yield _tiled(rng, (1, 2, 2, 4), "shared", 2, grid=1)
    yield _tiled(rng, (1, 3, 3, 3), "shared", 2, grid=1)
    yield _tiled(rng, (1, 4, 6, 5), "shared", 4, grid=3, beta=1)
    yield _tiled(rng, (1, 8, 7, 6), "shared", 8, grid=1)
    yield _tiled(rng, (1, 8, 5, 8), "shared", 8, grid=1, layouts=LAYOUTS[0])
    yield _tiled(rng, (1, 6, 8, 8), "shared", 8, grid=1, layouts=LAYOUTS[1])
    yield _tiled(rng, (1, rng.randint(5, 8), 8, rng.randint(5, 8)), "shared", 8, grid=1, layouts=LAYOUTS[1],
                 dtype="float64")  # fmt: skip
    yield _tiled(rng, (2, 3, 4, rng.randint(3, 6)), "shared", 4, grid=rng.randint(1, 3))


TILED_KERNEL = Check(
    "cuda.gemm.gemm_tiled_kernel",
    ("sizes", "layouts", "alpha", "beta", "dtype", "grid", "side", "seed"),
    (
        Aspect("ordinary", 4, _tiled_ordinary, findings=_tiled_result),
        Aspect("loads", 2, _tiled_counted, findings=_tiled_counts),
        Aspect("shared", 3, _tiled_ordered, findings=_tiled_shared),
    ),
    mistakes=(
        BESIDE_SHARED,
        gives(
            NOT_STORED,
            "an element stays as it was: tile number t begins at row t // across % down * side, column "
            "t % across * side of matrix t // (down * across), and block b makes tiles b, b + gridDim.x, ...",
        ),
        *MISTAKES,
        RACE_FOR_OUTPUT,
    ),
    hints={
        RESULT: UNLESS_RIGHT,
        "element of a thread": "block b makes tiles b, b + gridDim.x, ..., thread (x, y) row y, column x of each",
        "one tile": "thread (x, y) makes row y, column x: it goes along row y of A's tile and down column x of B's",
        "along k": "there is more than one tile along k: the sum goes on from tile to tile",
        "edges": "where a tile hangs over the edge, bring 0; all threads go on to the barriers, also those outside",
        "result": "for each tile, from 0 on, thread (x, y) adds up A's row top + y times B's column left + x, by steps",
        "grid": "there are fewer blocks than tiles, or more: block b makes tiles b, b + gridDim.x, ...",
        "batch": "tiles are counted batch after batch, in each row of tiles after row of tiles",
        "strides": "where a matrix is transposed, x and y change roles for its load; every index has its own step",
        "out of bounds": "is an element compared with the sizes before it is loaded or stored?",
        "races": "one barrier before the tiles are read, one before they are overwritten: both are needed",
        "barriers": "all threads of a block reach both barriers, also those without an element: they stand in no guard",
        STARTS: "what is read there nobody has written: bring 0 where there is no element, and wait for the others",
        "loads": "an element of A is loaded once for each tile of its row of tiles, one of B of its column of tiles",
        **OF_PRODUCT,
        "loads of one thread": "block b makes tiles b, b + gridDim.x, ...; each thread brings one element of each tile",
        "transactions of a": "thread x + 1 loads the next in memory: along columns where the matrix is transposed",
        "transactions of b": "thread x + 1 loads the next in memory: along columns where the matrix is transposed",
        "shared": "the product reads the two tiles in shared memory, not `a` and `b`",
        "loads from shared memory": "the product reads the two tiles in shared memory, not `a` and `b`",
        "loads of a": "an element of A is loaded once for each tile of its row of tiles, and none beyond the edges",
        "loads of b": "an element of B is loaded once for each tile of its column of tiles, and none beyond the edges",
        "bank conflicts": "in which banks are a warp's words? Stored rows lie `side` apart, stored columns `pitch_of`",
        "raised": "no kernel came, or it stops: the message says at which thread and line",
        "returned None": "the maker ends without `return`",
    },
    probe="cuda.gemm.tiled",
    program="cuda.program.products",
)

CHECKS = (NAIVE_KERNEL, TILED_KERNEL)
