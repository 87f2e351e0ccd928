"""Checks of the exercises that describe where a tensor lies in memory (engine/strides.py)."""

import random
from collections.abc import Iterator

from autograder.checks.geometry import repeated, unequal
from autograder.checks.model import Aspect, Case, Check


def _contiguous_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes in [(3,), (2, 3), (3, 2), (2, 3, 4), (4, 2, 3), (2, 2, 2)]:
        yield Case((sizes,), "order")
    for ndim in (2, 3, 4, 5) * 10:
        yield Case((unequal(rng, ndim),), "order")


def _contiguous_edge(rng: random.Random) -> Iterator[Case]:
    yield Case(((),), "no dimensions")
    for sizes in [(0,), (2, 0), (0, 2), (2, 0, 3), (0, 0), (3, 0, 0, 2)]:
        yield Case((sizes,), "size 0")
    for sizes in [(1,), (1, 3), (3, 1), (2, 1, 3), (1, 1, 1)]:
        yield Case((sizes,), "size 1")
    for ndim in (2, 3, 4, 5) * 10:
        sizes = repeated(rng, ndim, 0, 3)
        yield Case((sizes,), "size 0" if 0 in sizes else "size 1" if 1 in sizes else "order")


CONTIGUOUS_STRIDES = Check(
    "strides.contiguous_strides",
    ("sizes",),
    (Aspect("ordinary", 3, _contiguous_ordinary), Aspect("edge", 2, _contiguous_edge)),
    {
        "order": "the last dimension moves fastest: its stride is 1. How many elements does one step of the "
        "dimension before it skip?",
        "no dimensions": "a tensor without dimensions has as many strides as it has sizes",
        "size 0": "a size of 0 counts as 1 here: the strides to its left must not become 0",
        "size 1": "a dimension of size 1 has a stride too: as many elements as lie to its right",
        "type": "return a tuple of ints",
        "returned None": "the function ends without `return`",
        "raised": "every tuple of sizes has contiguous strides, there is nothing to refuse",
    },
)

CHECKS = (CONTIGUOUS_STRIDES,)
