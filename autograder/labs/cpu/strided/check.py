"""Check of the loop over one input that lies anyhow: its traces are replayed, and the cache's misses counted."""

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation
from autograder.labs.cpu.elementwise.probe import one
from autograder.labs.cpu.operands import (
    COUNTED,
    RESULT,
    TRACED,
    arrays_of,
    beside,
    call_of,
    judged,
    operand,
    touched,
    with_factor,
)
from autograder.labs.cpu.runs import COMPILED, LOOPS, STAR, says
from engine import memory_trace
from engine.cpu.elementwise_loops import plane_of, steps_of, walk
from engine.memory_trace import Cache, Trace

CACHE = Cache(1, 24, 64)  # 24 lines of 8 numbers: a tile's, and no whole row's


def _geometry(sizes: tuple[int, ...], out: tuple[int, ...], a: tuple[int, ...]) -> list[list[int]]:
    return [list(sizes), list(out), list(a)]


def _reach(sizes: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """Return the number of cells that a geometry needs, counted from its first element."""
    return 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))


def _strided(
    rng: random.Random, sizes: tuple[int, ...], out: tuple[int, ...], a: tuple[int, ...], part: tuple[int, int] | None,
    offsets: tuple[int, int] = (0, 0), scalars: tuple = (), more: int | None = None,
) -> tuple:  # fmt: skip
    """Make the arguments of the probe; without `part`, for the whole geometry."""
    rows = math.prod(sizes[:-1]) if len(sizes) > 1 else sizes[0]
    begin, end = part or (0, rows)
    operands = (
        operand(rng, _reach(sizes, strides), offset, more) for strides, offset in zip((out, a), offsets, strict=True)
    )
    return "trace", begin, end, *operands, _geometry(sizes, out, a), scalars


def _in_place(rng: random.Random, sizes: tuple[int, ...], strides: tuple[int, ...]) -> tuple:
    """Make the arguments of the probe for a loop whose output is its input."""
    observed, begin, end, (cells, offset), _, geometry, scalars = _strided(rng, sizes, strides, strides, None, (1, 1))
    return observed, begin, end, (cells, offset), ("out", offset), geometry, scalars


def _of_one(args: tuple, observed: Any) -> tuple[Trace, dict[str, str], int]:
    """Return the trace of a strided loop, the findings on its cells and its result, and how many elements it has."""
    _, begin, end, out, a, geometry, scalars, c = args
    arrays = arrays_of(out, a) | {"geometry": np.array(geometry, np.int64)}
    trace = counting.read(observed, arrays)
    sizes, *strides = geometry
    width = sizes[-1] if len(sizes) > 1 else 1
    index = np.indices(sizes).reshape(len(sizes), -1)[:, begin * width : end * width]
    to, of = (offset + steps @ index for offset, steps in zip((out[1], a[1]), np.array(strides), strict=True))
    source = dict(zip(to.tolist(), of.tolist(), strict=True))
    numbers = arrays["a"][of].copy()

    def with_out(more: tuple) -> dict[str, np.ndarray]:
        whole = arrays["out"].copy()
        whole[to] = [one(c)(x, *more) for x in numbers]
        return {"out": whole}

    def needed(cell: int) -> dict[str, list[int]]:
        return {"a": [source[cell]]} if cell in source else {}

    instead = {"this is f without the scalars": lambda: with_out(())}
    result = judged(trace, arrays, with_out(scalars), needed={"out": needed}, instead=instead)
    cells = touched(trace, {"out": set(to.tolist())}, {"a": set(of.tolist())})
    stale = _stale(geometry, begin, end, out[1])
    if stale != set(to.tolist()) and stale == {one.index for one in memory_trace.accesses(trace, "", "store", "out")}:
        cells["out is written"] += f": {STALE}"
    return trace, {**cells, "result": result}, len(source)


STALE = "`cells` went on from the plane before"


def _stale(geometry: list[list[int]], begin: int, end: int, o: int) -> set[int]:
    """Return the cells of out that are written if `plane_of` moves the same `cells` plane after plane."""
    sizes = np.array(geometry)
    rows, columns, _ = walk.py_func(sizes, begin, end)
    (down, *_), (right, *_) = steps_of(sizes)
    cells, row, found = np.array((o,)), rows[0], set()
    while row < rows[1]:
        count = plane_of.py_func(cells, sizes[:2], row, rows[1])
        found |= {int(cells[0] + r * down + i * right) for r in range(count) for i in range(*columns)}
        row += count
    return found


def _strided_findings(args: tuple, observed: Any) -> dict[str, str]:
    trace, found, count = _of_one(args, observed)
    return {**found, "numbers stored": _stored(trace, count), **beside(trace)}


def _stored(trace: Trace, count: int) -> str:
    return counting.within(memory_trace.count(trace, "", "store"), count, count)


def _tiles_findings(args: tuple, observed: Any) -> dict[str, str]:
    trace, found, count = _of_one(args, observed)
    least, missed = count // 8, memory_trace.misses(trace, CACHE)
    return {RESULT: found["result"], "numbers stored": _stored(trace, count)} | {
        f"misses of {name}": counting.within(missed[name], least // 2, least * 5 // 2) for name in ("a", "out")
    }


def _strided_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(_strided(rng, (3,), (1,), (2,), None), "steps")
    yield Case(_strided(rng, (1,), (1,), (1,), None), "steps")
    yield Case(_strided(rng, (4,), (2,), (3,), None, (1, 2)), "offsets")
    yield Case(_strided(rng, (6,), (1,), (2,), (2, 5), (0, 1)), "elements")
    yield Case(_strided(rng, (5,), (3,), (1,), (1, 4), (2, 0)), "elements")
    yield Case(_strided(rng, (2, 3), (3, 1), (1, 2), None), "rows")
    yield Case(_strided(rng, (2, 3), (3, 1), (0, 1), None), "steps")
    yield Case(_strided(rng, (2, 3), (3, 1), (1, 0), None, (0, 4)), "steps")
    yield Case(_strided(rng, (2, 2), (2, 1), (1, 2), None, (0, 1), (4, -7)), "scalars")
    yield Case(_strided(rng, (4, 3), (3, 1), (1, 4), (1, 3), (0, 2)), "part")
    yield Case(_strided(rng, (4, 2), (2, 1), (1, 4), (3, 4)), "part")
    yield Case(_strided(rng, (3, 2), (2, 1), (3, 1), (0, 0)), "empty")
    yield Case(_strided(rng, (3, 2), (2, 1), (3, 1), (2, 2)), "empty")
    yield Case(_strided(rng, (5,), (1,), (2,), (0, 0)), "empty")
    yield Case(_strided(rng, (5,), (2,), (1,), (3, 3), (1, 0)), "empty")
    yield Case(_in_place(rng, (4,), (2,)), "in place")
    yield Case(_in_place(rng, (3, 2), (1, 3)), "in place")
    yield Case(_in_place(rng, (2, 3, 2), (2, 4, 1)), "in place")
    yield Case(_strided(rng, (2, 3, 2), (6, 2, 1), (1, 2, 6), None), "planes")
    yield Case(_strided(rng, (2, 3, 2), (6, 2, 1), (9, 2, 1), (2, 5)), "planes")
    yield Case(_strided(rng, (2, 2, 3, 2), (12, 6, 2, 1), (2, 30, 4, 14), (1, 9), (3, 2)), "planes")
    yield Case(_strided(rng, (2, 19), (19, 1), (1, 2), None), "tile")
    yield Case(_strided(rng, (2, 33), (33, 1), (1, 3), None, (1, 0), (2,)), "tile")
    for _ in range(8):
        sizes = tuple(rng.randint(2, 4) for _ in range(rng.randint(2, 3)))
        order = rng.sample(range(len(sizes)), len(sizes))
        a, cells = [0] * len(sizes), rng.randint(1, 2)
        for d in order:
            a[d] = cells
            cells *= sizes[d]
        out = tuple(math.prod(sizes[d + 1 :]) for d in range(len(sizes)))
        rows = math.prod(sizes[:-1])
        begin = rng.randrange(rows)
        part = begin, rng.randint(begin + 1, rows)
        yield Case(_strided(rng, sizes, out, tuple(a), part, (rng.randint(0, 3), rng.randint(1, 4))), "part")


def _strided_tiles(rng: random.Random) -> Iterator[Case]:
    for rows, width in ((26, 32), (32, 26), (34, 28), (rng.choice((30, 36)), 26)):
        yield Case(_strided(rng, (rows, width), (width, 1), (1, rows), None, more=0), "across")
    yield Case(_strided(rng, (2, 26, 26), (676, 26, 1), (676, 1, 26), (26, 52), more=0), "across")
    yield Case(_strided(rng, (32, 30), (30, 1), (1, 32), (0, rng.choice((24, 26))), more=0), "across")


def _strided_compiled(rng: random.Random) -> Iterator[Case]:
    """Yield a case of ints that no float64 holds."""
    out, a = ([2**53 + rng.randint(1, 99) for _ in range(14)] for _ in "oa")
    geometry = _geometry((3, 4), (4, 1), (1, 3))
    yield Case(("compiled", 1, 3, (out, 1), (a, 2), geometry, (rng.randint(1, 5),)), "compiled")


def _all_tiles_are_whole(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if as many numbers are stored as if the last, narrower tile had `tile` columns, too."""
    _, begin, end, _, _, geometry, *_ = args
    rows, columns, tile = walk.py_func(np.array(geometry), begin, end)
    width = columns[1] - columns[0]
    stored = (rows[1] - rows[0]) * -(-width // tile) * tile
    return width % tile != 0 and got.value["numbers stored"].startswith(f"{stored}, and at most")


STRIDED_UNARY = Check(
    "cpu.elementwise_loops.strided_unary",
    ("observed", "begin", "end", "out", "a", "geometry", "scalars", "c"),
    (
        Aspect("ordinary", 6, with_factor(_strided_ordinary), findings=_strided_findings),
        Aspect("tiles", 4, with_factor(_strided_tiles), needs="ordinary", findings=_tiles_findings),
        Aspect("compiled", 1, with_factor(_strided_compiled), needs="ordinary", compiled=True),
    ),
    {
        "steps": "the strides of the last column of the geometry are the steps from an element to the next one",
        "offsets": "o and p are the cells of the first element of the whole geometry",
        "elements": "with one dimension there is one row, and begin..end are elements: `walk` gives them as columns",
        "rows": "with more dimensions begin..end number rows: all dimensions but the last",
        "part": "the first row is number begin: `plane_of` moves `cells` from the geometry's first cells to the row's",
        "scalars": "f takes the scalars after the number: f(x, *scalars)",
        "empty": "begin == end: nothing is read and nothing is written",
        "in place": "the output may be the input, the same cells in the same places: read a number, write it, go on",
        "planes": "after the rows of one plane comes another: ask `plane_of` again, with fresh first cells (o, p)",
        "tile": "the last tile may have fewer columns than `tile`",
        "across": "the input lies by columns: all rows of `tile` columns come first, then the next columns",
        "out is written": "out is written in the cells of the rows begin..end and in no others: compare the cells of a "
        "row's first element (o, and `plane_of`), the strides of out, and the columns from columns[0] to columns[1]",
        "a is read": "a is read in the cells of the rows begin..end and in no others: compare the cells of a row's "
        "first element (p, and `plane_of`), the strides of a, and the columns from columns[0] to columns[1]",
        "numbers stored": "each element is stored once: after a plane, `row` goes on by all rows of the plane",
        "misses of a": "the input lies by columns: all rows of `tile` columns come first, then the next columns",
        "misses of out": "within a tile the columns of a row come one after the other, `tile` of them: so a line of "
        "the output is full before it goes",
        "compiled": COMPILED,
        "returned": "the loop returns nothing",
        **COUNTED,
    },
    mistakes=(
        Mistake(
            "the last tile may have fewer columns than `tile`: it ends with the last column of `walk`, "
            "min(tile, columns[1] - column) columns further on",
            _all_tiles_are_whole,
        ),
        says(STALE, "`plane_of` changes `cells`: make new ones for each plane, np.array((o, p)), inside the `while`"),
        says("without the scalars", "f takes the scalars after the number: f(x, *scalars)"),
        STAR,
        *LOOPS,
    ),
    words={"c": "f(x) is c * x, plus the scalars", **TRACED},
    call=lambda args: call_of("strided_unary(f)", "{c} * x", args),
    probe="cpu.elementwise.unary",
)

CHECKS = (STRIDED_UNARY,)
