"""Check of the bounds-checked accessor (engine/accessor.py): programs of reads and writes."""

import random
from collections.abc import Iterator, Sequence

import numpy as np

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.strides.geometry import repeated, strided, unequal

Tensor = tuple[list[int] | list[float] | np.ndarray, tuple[int, ...], tuple[int, ...], int]
LINE: Tensor = ([40, 41, 42], (3,), (1,), 0)
TABLE: Tensor = ([40, 41, 42, 43, 44, 45], (2, 3), (3, 1), 0)
COLUMNS: Tensor = ([40, 41, 42, 43, 44, 45], (3, 2), (1, 3), 0)
LATER: Tensor = ([40, 41, 42, 43, 44], (2, 2), (2, 1), 1)
EXPANDED: Tensor = ([40, 41, 42, 43, 44, 45], (2, 2), (0, 1), 0)
EMPTY: Tensor = ([40, 41], (2, 0), (1, 1), 0)
HALVES: Tensor = ([0.5, 1.5, 2.5], (3,), (1,), 0)


def _tensor(rng: random.Random, sizes: Sequence[int]) -> Tensor:
    """A view over different values, some of them before its first element and after its last."""
    strides = strided(rng, sizes, gap=2)
    offset = rng.randint(0, 3)
    cells = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True)) + rng.randint(1, 3)
    values = rng.sample(range(100, 1000 + cells), cells)
    return (np.array(values, dtype=np.int64) if rng.random() < 0.3 else values), tuple(sizes), strides, offset


def _index(rng: random.Random, sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(rng.randrange(-size, size) for size in sizes)


def _read(tensor: Tensor, *paths: tuple) -> tuple:
    return (*tensor, [("get", path) for path in paths])


def _reads(rng: random.Random) -> Iterator[Case]:
    for path in [(0,), (2,), (-1,), (-3,)]:
        yield Case(_read(LINE, path), "negative" if path[0] < 0 else "element")
    yield Case(_read(([40, 41, 42, 43], (2,), (2,), 1), (1,)), "element")
    yield Case(_read(HALVES, (1,)), "element")
    yield Case(_read(TABLE, (1,)), "accessor")
    for tensor in (TABLE, COLUMNS, LATER, EXPANDED):
        yield Case(_read(tensor, (1, 0)), "element")
        yield Case(_read(tensor, (0, 1)), "element")
        yield Case(_read(tensor, (-1, -2)), "negative")
        yield Case(_read(tensor, (1, 1), (0, 1), (1, 1)), "again")
    yield Case(_read(EMPTY, (1,)), "accessor")
    for ndim in (*(1, 2, 3, 4) * 12, 5, 6):
        sizes = unequal(rng, ndim, 1, 6)
        paths = [_index(rng, sizes) for _ in range(3)]
        paths.append(paths[0][: rng.randint(1, ndim)])
        yield Case(_read(_tensor(rng, sizes), *paths), "again")


def _writes(rng: random.Random) -> Iterator[Case]:
    for tensor, path in [
        (LINE, (0,)), (LINE, (2,)), (LINE, (-1,)), (TABLE, (1, 0)), (TABLE, (0, -1)), (COLUMNS, (1, 0)),
        (COLUMNS, (-1, -1)), (LATER, (1, 0)), (EXPANDED, (1, 1)),
    ]:  # fmt: skip
        yield Case((*tensor, [("set", path, 7)]), "negative" if min(path) < 0 else "write")
        yield Case((*tensor, [("set", path, 7), ("get", path)]), "write")
    for value in (0.25, 0.0):
        yield Case((*HALVES, [("set", (1,), value)]), "write")
    yield Case((*LINE, [("set", (1,), 0)]), "write")
    for ndim in (1, 2, 3, 4) * 12:
        sizes = unequal(rng, ndim, 1, 5)
        steps: list[tuple] = [("set", _index(rng, sizes), rng.randint(1, 9)) for _ in range(3)]
        yield Case((*_tensor(rng, sizes), [*steps, ("get", steps[0][1])]), "write")


def _refusals(rng: random.Random) -> Iterator[Case]:
    for index in (3, -4, 9):
        yield Case(_read(LINE, (index,)), "out of range")
        yield Case((*LINE, [("set", (index,), 7)]), "out of range")
    for path in [(2,), (-3,), (0, 3), (1, -4), (-3, 0), (0, -4)]:
        yield Case(_read(TABLE, path), "out of range")
        if len(path) == 2:
            yield Case((*TABLE, [("set", path, 7)]), "out of range")
    for path in [(2,), (0, 0), (1, -1)]:
        yield Case(_read(EMPTY, path), "out of range")
    yield Case((*EMPTY, [("set", (0, 0), 7)]), "out of range")
    refused: tuple = (1.0, "0", None, (0,), True, False)
    for index in refused:
        yield Case(_read(LINE, (index,)), "not an int")
        yield Case(_read(TABLE, (0, index)), "not an int")
        yield Case(_read(TABLE, (index,)), "not an int")
        yield Case((*LINE, [("set", (index,), 7)]), "not an int")
    yield Case(_read(TABLE, ((1, 2),)), "not an int")
    yield Case((*TABLE, [("set", ((1, 2),), 7)]), "not an int")
    for path in [(0,), (-1,)]:
        yield Case((*TABLE, [("set", path, 7)]), "a whole row")
    yield Case((*EXPANDED, [("set", (0,), 7)]), "a whole row")
    yield Case(_read(([40], (), (), 0), (0,)), "no dimensions")
    yield Case(_read(([40, 41], (), (), 1), (-1,)), "no dimensions")
    yield Case(([40], (), (), 0, [("set", (0,), 7)]), "no dimensions")
    for ndim in (1, 2, 3) * 8:
        sizes = repeated(rng, ndim, 1, 4)
        tensor, path, at = _tensor(rng, sizes), _index(rng, sizes), rng.randrange(ndim)
        far = path[:at] + (rng.choice((sizes[at], -sizes[at] - 1)),) + path[at + 1 :]
        yield Case(_read(tensor, path, far, path), "out of range")
        yield Case((*tensor, [("set", far, 7), ("get", path)]), "out of range")
        if ndim > 1:
            yield Case((*tensor, [("set", path[:-1], 7), ("get", path)]), "a whole row")


TENSOR_ACCESSOR = Check(
    "accessor.TensorAccessor",
    ("data", "sizes", "strides", "storage_offset", "program"),
    (
        Aspect("ordinary", 2, _reads),
        Aspect("writes", 2, _writes),
        Aspect("refusals", 2, _refusals, needs="ordinary"),
    ),
    {
        "element": "with one dimension left, which cell of `data` does the index lead to? The offset counts too",
        "accessor": "with more than one dimension left, an index gives another accessor: one dimension fewer, "
        "over the same data",
        "negative": "a negative index counts from the end of its dimension, not from the end of `data`",
        "again": "an accessor can be used again: indexing must not change it",
        "write": "writing reaches the cell in `data` itself, so that every other accessor over it sees it",
        "out of range": "compare the index with the size of its dimension: there may be a cell of `data`, but not "
        "one of this tensor",
        "not an int": "only an int is an index; bool is a subclass of int, and must be refused too",
        "a whole row": "only a single element can be written: with more than one dimension left, refuse",
        "no dimensions": "there is no dimension to index",
    },
    probe="strides.accessor.trace",
)

CHECKS = (TENSOR_ACCESSOR,)
