"""Checks of scatter's loop over lines: traces of ranges of lines, replayed here (probe.py)."""

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation
from autograder.labs.cpu.operands import TRACED, judged, touched
from autograder.labs.cpu.runs import COMPILED, LOOPS
from autograder.labs.cpu.scatter.probe import storages
from engine import memory_trace

Ranges = tuple[tuple[int, int], ...]


def _args(
    rng: random.Random, kind: str, sizes: tuple[int, ...], dim: int, size: int, ranges: Ranges = (),
    offsets: tuple[int, ...] = (0, 0, 0), gap: int = 1, bad: int | None = None, order: tuple[int, ...] = (),
    y_gap: int = 1, y_order: tuple[int, ...] = (), last: int | None = None,
) -> tuple:  # fmt: skip
    """Make the arguments of the probe at random.

    Args:
        sizes: of index and y.
        dim, size: the dimension of scatter, and the size of x in it.
        ranges: of lines; all in one range if there are none.
        gap, y_gap: cells from one element of x, or of y, to the next.
        bad: a position that is out of range, put at a random place; of several places one that is not the last.
        last: one more, in the last place.
        order, y_order: the dimensions from the outermost in memory to the innermost; as they come if empty.
    """
    x_sizes = tuple(size if d == dim else count for d, count in enumerate(sizes))
    x_strides, x_cells = _layout(x_sizes, order, gap)
    y_strides, y_cells = _layout(sizes, y_order, y_gap)
    dense, count = _layout(sizes, (), 1)
    positions = [rng.randrange(size) for _ in range(count)]
    if bad is not None:
        positions[rng.randrange(max(count - 1, 1))] = bad
    if last is not None:
        positions[-1] = last
    others = [d for d in range(len(sizes)) if d != dim]
    walk = [[numbers[d] for d in others] or [one] for numbers, one in
            ((sizes, 1), (x_strides, 0), (dense, 0), (y_strides, 0))]  # fmt: skip
    lines = count // sizes[dim] if sizes[dim] else math.prod(sizes[d] for d in others)
    x, index, y = (
        ([rng.randint(-9, 9) for _ in range(offset)] + cells + [rng.randint(-9, 9)], offset)
        for offset, cells in zip(
            offsets,
            ([rng.randint(-9, 9) for _ in range(x_cells)], positions, [rng.randint(1, 9) for _ in range(y_cells)]),
            strict=True,
        )
    )
    way = [sizes[dim], size, x_strides[dim], dense[dim], y_strides[dim]]
    return "trace", kind, [list(part) for part in ranges or ((0, lines),)], x, index, y, walk, way


def _layout(sizes: tuple[int, ...], order: tuple[int, ...], gap: int) -> tuple[list[int], int]:
    """Return the strides of a tensor whose dimensions are in this order, and how many cells it takes."""
    strides, step = [0] * len(sizes), gap
    for d in reversed(order or range(len(sizes))):
        strides[d] = step
        step *= sizes[d]
    return strides, step


def _places(args: tuple, begin: int, end: int) -> list[tuple[int, int, int]]:
    """Return (cell of x without the position's share, place of index, place of y) for lines begin..end, in order."""
    _, _, _, x, index, y, walk, way = args
    sizes, *strides = walk
    found = []
    for at in list(np.ndindex(*sizes))[begin:end]:
        first = [
            offset + sum(i * step for i, step in zip(at, steps, strict=True))
            for offset, steps in zip((x[1], index[1], y[1]), strides, strict=True)
        ]
        found += [(first[0], first[1] + i * way[3], first[2] + i * way[4]) for i in range(way[0])]
    return found


def _findings(args: tuple, observed: Any) -> dict[str, str]:
    """Return what is wrong in the first range that has something wrong, or that all is right."""
    _, kind, ranges, x, index, y, walk, way = args
    arrays = storages(x, index, y, walk)
    if len(observed) != len(ranges):
        raise ValueError(f"{len(observed)} traces, expected {len(ranges)}")
    owner: dict[int, str] = {}
    found = dict(RIGHT)
    for (begin, end), data in zip(ranges, observed, strict=True):
        said = f"lines {begin}..{end}: "
        trace = counting.read(data, arrays)
        right, places = arrays["x"].copy(), _places(args, begin, end)
        sources: dict[int, list[int]] = {}
        cells = []
        for base, of_index, of_y in places:
            cell = base + int(arrays["index"][of_index]) * way[2]
            right[cell] = arrays["y"][of_y] + (right[cell] if kind == "add" else 0)
            sources.setdefault(cell, []).append(of_y)
            cells.append(cell)
        stored = [access.index for access in memory_trace.accesses(trace, "", "store", "x")]
        found = {
            "index": _said_of({"index": {place for _, place, _ in places}}, trace),
            "y": _said_of({"y": {place for *_, place in places}}, trace),
            "x": _said_of({"x": set(cells)}, trace),
            "result": _result(trace, arrays, right, kind, sources),
            "stores": "one for each place" if len(stored) == len(places) else f"{len(stored)} for {len(places)} places",
            "order": _order(stored, [cells[i : i + way[0]] for i in range(0, len(cells), max(way[0], 1))]),
            "owners": RIGHT["owners"],
            "report": "left alone" if not _touches(trace, "report") else "written, and no position is out of range",
        }
        for access in memory_trace.accesses(trace, "", "", "x"):
            if owner.setdefault(access.index, said) != said:
                found["owners"] = f"x[{access.index}] is touched for {owner[access.index]}and for {said[:-2]}"
        wrong = {key: said + text for key, text in found.items() if text != RIGHT[key]}
        if wrong:
            return RIGHT | wrong
        arrays["x"] = right
    return found


RIGHT = {
    "index": "read in the right cells", "y": "read in the right cells", "x": "written in the right cells",
    "result": "right", "stores": "one for each place", "order": "upwards in each line", "owners": "one of each cell",
    "report": "left alone",
}  # fmt: skip


def _said_of(wanted: dict[str, set[int]], trace: Any) -> str:
    """Describe which cells of an argument are read or, for x, written."""
    (name,) = wanted
    given = (wanted, {}) if name == "x" else ({}, wanted)
    (said,) = touched(trace, *given).values()
    done = "written" if name == "x" else "read"
    return f"{done} {said}"


def _order(stored: list[int], lines: list[list[int]]) -> str:
    """Return the finding on the order of the places in each line, by the cells of x they mean; lines share no cell."""
    seen = [[cell for cell in stored if cell in set(line)] for line in lines]
    wrong = sorted(stored) == sorted(sum(lines, [])) and seen != lines
    return RIGHT["order"] if not wrong else "another one in some line"


def _reports_what_is_right(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if `report` was written after positions that are all in range, and were read in the right cells."""
    return got.value["report"] != RIGHT["report"] and "also" not in got.value["index"]


def _touches(trace: Any, name: str) -> bool:
    return any(True for _ in memory_trace.accesses(trace, "", "store", name))


def _result(trace: Any, arrays: dict, right: np.ndarray, kind: str, sources: dict[int, list[int]]) -> str:
    def needed(cell: int) -> dict[str, list[int]]:
        of_y = sources.get(cell, [])
        return {"y": of_y if kind == "add" else of_y[-1:]}

    return judged(trace, arrays, {"x": right}, needed={"x": needed}, also=("report",))


def _outside_findings(args: tuple, observed: Any) -> dict[str, str]:
    """Judge a range with positions that are out of range: the report of the first, and nothing else there or later."""
    _, _, _, x, index, y, walk, way = args
    arrays = storages(x, index, y, walk)
    (data,) = observed
    trace = counting.read(data, arrays)
    (begin, end), cells = args[2][0], set()
    places = _places(args, begin, end)
    positions = [int(arrays["index"][of_index]) for _, of_index, _ in places]
    bad = next(position for position in positions if not 0 <= position < way[1])
    right = {"report": np.array([1, bad], np.int64)}
    for (base, _, _), position in zip(places, positions, strict=True):
        if not 0 <= position < way[1]:
            break
        cells.add(base + position * way[2])
    beside = [access.index for access in memory_trace.accesses(trace, "", "", "x") if access.index not in cells]
    names = [trace.arrays[access.array].name for access in memory_trace.accesses(trace)]
    after = names[names.index("report") :].count("x") if "report" in names else 0
    return {
        "x after the report": "left alone" if not after else f"read or written {after} times",
        "x at this place": "left alone, and later" if not beside else f"x[{beside[0]}] is read or written",
        "report": counting.judged_result(trace, arrays, right, also=("x",)),
        "beside an array": counting.out_of_bounds(trace),
    }


def _lines_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(_args(rng, "scatter", (3,), 0, 5), "line")
    yield Case(_args(rng, "add", (3,), 0, 4), "line")
    yield Case(_args(rng, "add", (4,), 0, 1), "repeated")
    yield Case(_args(rng, "scatter", (4,), 0, 1), "repeated")
    yield Case(_args(rng, "add", (6,), 0, 2), "repeated")
    yield Case(_args(rng, "add", (3,), 0, 3, offsets=(2, 0, 1)), "offsets")
    yield Case(_args(rng, "add", (3,), 0, 3, gap=2), "strides")
    yield Case(_args(rng, "add", (3,), 0, 3, y_gap=2), "strides")
    yield Case(_args(rng, "add", (2, 3), 1, 3, y_order=(1, 0)), "strides")
    yield Case(_args(rng, "add", (37,), 0, 3), "line")
    yield Case(_args(rng, "add", (2, 3), 1, 4), "lines")
    yield Case(_args(rng, "add", (2, 3), 0, 4), "lines")
    yield Case(_args(rng, "scatter", (3, 2), 0, 2, order=(1, 0)), "strides")
    yield Case(_args(rng, "add", (2, 3), 1, 2, ((0, 0),)), "empty")
    yield Case(_args(rng, "add", (0,), 0, 2), "empty")
    for _ in range(10):
        sizes = tuple(rng.randint(2, 4) for _ in range(rng.randint(2, 3)))
        dim, order = rng.randrange(len(sizes)), tuple(rng.sample(range(len(sizes)), len(sizes)))
        offsets = tuple(rng.sample(range(5), 3))
        kind, y_order = rng.choice(("scatter", "add")), tuple(rng.sample(range(len(sizes)), len(sizes)))
        args = _args(rng, kind, sizes, dim, rng.randint(1, 5), (), offsets, order=order, y_order=y_order,
                     y_gap=rng.randint(1, 2))  # fmt: skip
        yield Case(args, "lines")


def _lines_apart(rng: random.Random) -> Iterator[Case]:
    yield Case(_args(rng, "add", (2, 3), 1, 2, ((0, 1), (1, 2))), "owner")
    yield Case(_args(rng, "add", (2, 3), 1, 2, ((1, 2), (0, 1))), "owner")
    yield Case(_args(rng, "add", (3, 2), 0, 2, ((1, 2), (0, 1))), "owner")
    for _ in range(10):
        sizes = tuple(rng.randint(2, 4) for _ in range(rng.randint(2, 3)))
        dim = rng.randrange(len(sizes))
        lines = math.prod(sizes) // sizes[dim]
        cut = sorted(rng.sample(range(1, lines), min(lines - 1, rng.randint(1, 2))))
        ranges = list(zip((0, *cut), (*cut, lines), strict=True))
        rng.shuffle(ranges)
        args = _args(rng, "add", sizes, dim, rng.randint(1, 3), tuple(ranges), tuple(rng.sample(range(4), 3)))
        yield Case(args, "owner")


def _lines_outside(rng: random.Random) -> Iterator[Case]:
    yield Case(_args(rng, "scatter", (1,), 0, 3, bad=-1), "negative")
    yield Case(_args(rng, "add", (1,), 0, 3, bad=3), "too large")
    yield Case(_args(rng, "add", (2,), 0, 2, bad=70), "too large")
    yield Case(_args(rng, "add", (3,), 0, 1, bad=2), "too large")
    yield Case(_args(rng, "scatter", (3, 3), 1, 3, bad=-2), "negative")
    yield Case(_args(rng, "add", (5,), 0, 3, bad=7, last=-1), "first")
    yield Case(_args(rng, "add", (2, 3), 1, 3, bad=-1, last=70), "first")
    yield Case(_args(rng, "scatter", (3, 2), 1, 2, bad=2, last=3), "first")
    for _ in range(12):
        size, sizes = rng.randint(1, 4), tuple(rng.randint(1, 3) for _ in range(rng.choice((1, 2, 2))))
        bad = rng.choice((-1, -size, -rng.randint(1, 9), size, size + 1, size + rng.randint(2, 50)))
        args = _args(rng, "add", sizes, rng.randrange(len(sizes)), size, (), (rng.randint(2, 12), 0, 1), bad=bad)
        yield Case(args, "negative" if bad < 0 else "too large")


def _lines_compiled(rng: random.Random) -> Iterator[Case]:
    _, *rest = _args(rng, "add", (3, 4), 1, 3, (), (1, 2, 0), y_order=(1, 0))
    yield Case(("compiled", *rest), "compiled")


def _call(args: tuple) -> str:
    """Write Python text that runs a case."""
    observed, kind, ranges, *operands, walk, way = args
    made = [f"{name} = np.array({cells}{', float' * (name != 'index')})"
            for name, (cells, _) in zip(("x", "index", "y"), operands, strict=True)]  # fmt: skip
    given = ", ".join(f"{name}, {offset}" for name, (_, offset) in zip(("x", "index", "y"), operands, strict=True))
    f = "lambda x, cell, y, place: x.__setitem__(cell, y[place]" + f"{' + x[cell]' * (kind == 'add')})"
    if observed == "compiled":
        return ""
    calls = f"[lines(f)(*part, {given}, walk, {tuple(way)}, report) for part in {ranges}]"
    made += [f"walk = np.array({walk})", "report = np.zeros(2, int)"]
    return f"f = {f}; {'; '.join(made)}; {calls}; print(x, report)"


LINES = Check(
    "cpu.scatter_gather.lines",
    ("observed", "f", "ranges", "x", "index", "y", "walk", "way"),
    (
        Aspect("ordinary", 3, _lines_ordinary, findings=_findings),
        Aspect("apart", 1, _lines_apart, needs="ordinary", findings=_findings),
        Aspect("outside", 1, _lines_outside, needs="ordinary", findings=_outside_findings),
        Aspect("compiled", 1, _lines_compiled, needs="ordinary", compiled=True),
    ),
    {
        "line": "f(x, cell, y, place): cell = the line's first cell of x + position * its stride along the dimension",
        "repeated": "two places may mean one cell: go through a line upwards, so the last one wins",
        "offsets": "p, q and r are the first cells of x, index and y",
        "strides": "`way` has three strides along the dimension: of x, of index and of y; they need not be equal",
        "lines": "`advance` brings the three cells to the next line, as `walk` says",
        "empty": "no lines, or none that has a place: nothing is read and nothing is written",
        "owner": "do the lines begin..end and no others: other threads have those, at the same time",
        "index": "place i of a line of index is the line's first cell of index + i times the stride of index; `enter` "
        "finds the first cells of line number begin, `advance` those of the next line",
        "y": "place i of y is the line's first cell of y + i times the stride of y along the dimension",
        "x": "cell is the line's first cell of x + position times the stride of x along the dimension; i is not in it",
        "stores": "f is called once for each place",
        "order": "the places of a line are done upwards",
        "owners": "do the lines begin..end and no others: other threads have those, at the same time",
        "report": "`report` is two numbers: 1 and the first position that is out of range; else it is left alone",
        "x after the report": "the loop ends with the report: nothing of x is read or written afterwards, in no line",
        "x at this place": "of x only the cells of earlier places are touched: a position is judged before it is used, "
        "and it is out of range if it is negative, or the size of x or more",
        "negative": "a negative position is out of range here: report 1 and the position, and stop before it is used",
        "too large": "a position of `size of x` or more is out of range: report 1 and it, and stop before it is used",
        "first": "of several positions that are out of range the first one ends the loop, in the order of the places",
        "compiled": COMPILED,
        "returned": "the loop returns nothing",
        "raised": "nothing is raised: `report` says what is out of range, since a thread has nobody to raise to",
    },
    mistakes=(
        Mistake(
            "here no position is out of range, so `report` must be left alone: a position is out of range if it is "
            "negative, or `way[1]` or more, which is the size of x along the dimension",
            _reports_what_is_right,
        ),
        *LOOPS,
    ),
    words=TRACED,
    call=_call,
    probe="cpu.scatter.lines",
)

CHECKS = (LINES,)
