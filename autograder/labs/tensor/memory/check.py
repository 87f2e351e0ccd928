"""Checks of the first two pieces of solutions/00-tensor/tiny_tensor.py: strides, and a tensor that walks by them."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.strides.mistakes import gives

Tensor = tuple[list[int], tuple[int, ...], tuple[int, ...]]
TABLE: Tensor = ([40, 41, 42, 43, 44, 45], (2, 3), (3, 1))
COLUMNS: Tensor = ([40, 41, 42, 43, 44, 45], (3, 2), (1, 3))
REPEATED: Tensor = ([40, 41, 42], (4, 3), (0, 1))
GAPS: Tensor = ([40, 41, 42, 43, 44, 45, 46], (2, 2), (4, 2))
NUMBER: Tensor = ([40], (), ())


def _sizes(rng: random.Random, ndim: int) -> tuple[int, ...]:
    return tuple(rng.sample(range(1, 9), ndim))


def _strides_of(sizes: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= size
    return tuple(strides)


def _fresh(rng: random.Random) -> Iterator[Case]:
    for sizes, about in [
        ((3,), "last"), ((2, 3), "row"), ((3, 2), "row"), ((2, 3, 4), "product"), ((5, 1, 2), "product"), ((), "none"),
    ]:  # fmt: skip
        yield Case((sizes,), about)
    for ndim in (1, 2, 3, 4) * 7:
        yield Case((_sizes(rng, ndim),), "product")


CONTIGUOUS_STRIDES = Check(
    "tiny_tensor.contiguous_strides",
    ("sizes",),
    (Aspect("strides", 8, _fresh),),
    {
        "last": "one step along the last dimension moves one cell",
        "row": "one step down moves over a whole row: the size of the last dimension",
        "product": "the stride of a dimension is the product of all sizes to its right",
        "none": "a tensor without dimensions has no strides: an empty tuple",
        "type": "return a tuple of ints",
        "returned None": "the function ends without `return`",
    },
    mistakes=(
        gives("these are the strides in the wrong order", lambda sizes: _strides_of(sizes)[::-1]),
        gives(
            "here the first index moves fastest; in a fresh tensor the last one does",
            lambda sizes: _strides_of(sizes[::-1])[::-1],
        ),
        gives(
            "a stride is the product of the sizes to its right; its own size does not count",
            lambda sizes: tuple(size * stride for size, stride in zip(sizes, _strides_of(sizes), strict=True)),
        ),
        gives("the right numbers, in a list: return a tuple", lambda sizes: list(_strides_of(sizes))),
    ),
)


def _reads(rng: random.Random) -> Iterator[Case]:
    index: tuple[int, ...]
    for index in [(0, 0), (0, 2), (1, 0), (1, 2)]:
        yield Case((*TABLE, [("read", index)]), "read")
        yield Case((*TABLE, [("offset", index)]), "offset")
    for tensor in (COLUMNS, REPEATED, GAPS):
        yield Case((*tensor, [("read", (1, 1)), ("offset", (1, 0))]), "offset")
    yield Case((*NUMBER, [("read", ()), ("offset", ())]), "none")
    yield Case((*TABLE, [("write", 4, 7), ("read", (1, 1)), ("shares",)]), "shares")
    for sizes in [(2, 3), (4,), (2, 1, 3)]:
        yield Case((list(range(12)), sizes, None, [("sizes",), ("strides",), ("keys",), ("fresh",)]), "made")
    for ndim in (1, 2, 3, 4) * 4:
        sizes = _sizes(rng, ndim)
        strides = tuple(rng.sample(range(1, 12), ndim))
        cells = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
        index = tuple(rng.randrange(size) for size in sizes)
        yield Case((rng.sample(range(100, 1000 + cells), cells), sizes, strides, [("offset", index)]), "offset")


def _transposes(rng: random.Random) -> Iterator[Case]:
    for tensor in (TABLE, COLUMNS, GAPS):
        yield Case((*tensor, [("t",), ("sizes",), ("strides",)]), "t")
        yield Case((*tensor, [("t",), ("read", (0, 1)), ("read", (1, 0))]), "t")
        yield Case((*tensor, [("t",), ("shares",)]), "shares")
        yield Case((*tensor, [("add key",), ("t",), ("keys",)]), "keys")
        yield Case((*tensor, [("t",), ("t",), ("read", (0, 1))]), "t")
    yield Case((*TABLE, [("t",), ("write", 4, 7), ("read", (1, 1))]), "shares")
    for ndim in (1, 2, 3, 4) * 5:
        sizes = _sizes(rng, ndim)
        strides = tuple(rng.sample(range(1, 12), ndim))
        turned = tuple(rng.randrange(size) for size in reversed(sizes))
        cells = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
        yield Case((list(range(cells)), sizes, strides, [("t",), ("sizes",), ("strides",), ("offset", turned)]), "t")


def _refusals(rng: random.Random) -> Iterator[Case]:
    index: tuple[int, ...]
    for index in [(0, 3), (0, 4), (2, 0), (5, 1), (-1, 0), (0, -1)]:
        yield Case((*TABLE, [("offset", index)]), "out of range")
        yield Case((*TABLE, [("read", index)]), "out of range")
    for tensor, index in [(TABLE, (0,)), (TABLE, (0, 0, 0)), (TABLE, ()), (NUMBER, (0,))]:
        yield Case((*tensor, [("offset", index)]), "length")
    for ndim in (1, 2, 3) * 6:
        sizes, at = _sizes(rng, ndim), rng.randrange(ndim)
        index = tuple(size if d == at else rng.randrange(size) for d, size in enumerate(sizes))
        yield Case((list(range(9**ndim)), sizes, None, [("offset", index)]), "out of range")


TENSOR = Check(
    "tiny_tensor.Tensor",
    ("storage", "sizes", "strides", "program"),
    (
        Aspect("walk", 7, _reads),
        Aspect("transpose", 4, _transposes, needs="walk"),
        Aspect("refusals", 3, _refusals, needs="walk"),
    ),
    {
        "read": "`x[index]` is the number in the cell of the storage that `offset_of(index)` gives",
        "offset": "add up, for every dimension, its index times its stride",
        "none": "a tensor without dimensions has one element, in cell 0, at the index ()",
        "shares": "a tensor keeps the very list it was given: no copy, or it misses what is written there later",
        "made": "sizes and strides are kept as tuples; without strides, they are `contiguous_strides(sizes)`; `keys` "
        "is a set of the keys given, {'CPU'} without any; `node` and `grad` are None",
        "keys": "the transpose has the keys of a new tensor, whatever keys the tensor has",
        "t": "the transpose has sizes and strides in reverse order, over the same storage",
        "out of range": "an index is at least 0 and below the size of its dimension: else raise IndexError, even if "
        "the storage has such a cell",
        "length": "there must be one index for each dimension: else raise IndexError",
    },
    probe="tensor.memory.walk",
    words={"program": "what is done with the tensor, step by step; after t, the steps are done with its transpose"},
)

CHECKS = (CONTIGUOUS_STRIDES, TENSOR)
