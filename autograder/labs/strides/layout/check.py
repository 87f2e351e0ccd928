"""Checks of the exercises that describe where the elements of a tensor lie (engine/strides.py)."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.strides.geometry import is_dense, packed, repeated, replaced, same_end, shuffled, strided, unequal


def _contiguous_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes in [(3,), (2, 3), (3, 2), (2, 3, 4), (4, 2, 3), (2, 2, 2)]:
        yield Case((sizes,), "order")
    for ndim in (2, 3, 4, 5) * 10:
        yield Case((unequal(rng, ndim),), "order")
    for ndim in (6, 7, 8):
        yield Case((repeated(rng, ndim, 2, 3),), "order")


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


def _nbytes_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, itemsize, about in [
        ((3,), (1,), 1, "last"), ((3,), (1,), 4, "bytes"), ((2, 3), (3, 1), 4, "last"), ((3, 2), (1, 3), 8, "last"),
        ((3,), (2,), 1, "gaps"), ((2, 3), (6, 2), 2, "gaps"), ((2, 2), (4, 1), 4, "gaps"), ((2, 3), (3, 1), 3, "bytes"),
        ((2,), (2**53,), 1, "large"), ((3, 2), (2**31, 2**53 + 1), 16, "large"),
    ]:  # fmt: skip
        yield Case((sizes, strides, itemsize), about)
    for ndim in (*(1, 2, 3, 4) * 12, 5, 6):
        sizes = unequal(rng, ndim)
        strides = strided(rng, sizes)
        about = "expanded" if 0 in strides else "last" if is_dense(sizes, strides) else "gaps"
        yield Case((sizes, strides, rng.choice((1, 2, 4, 8, 16))), about)


def _nbytes_edge(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, itemsize, offset, about in [
        ((), (), 4, 0, "no dimensions"), ((), (), 4, 3, "no dimensions"), ((0,), (1,), 4, 0, "no elements"),
        ((0,), (1,), 4, 5, "no elements"), ((3, 0), (1, 1), 2, 1, "no elements"), ((3,), (0,), 4, 0, "expanded"),
        ((2, 3), (0, 1), 4, 0, "expanded"), ((1,), (9,), 4, 0, "size 1"), ((1, 2), (9, 1), 4, 1, "size 1"),
        ((3,), (1,), 4, 2, "offset"), ((2, 2), (4, 1), 4, 1, "offset"), ((2, 2), (1, 1), 4, 0, "overlap"),
        ((0, 2), (2, 1), 8, 1, "no elements"), ((1,), (0,), 2, 3, "offset"),
    ]:  # fmt: skip
        yield Case((sizes, strides, itemsize, offset), about)
    for ndim in (1, 2, 3, 4) * 10:
        sizes = repeated(rng, ndim, 0, 4)
        args = (sizes, strided(rng, sizes), rng.choice((1, 2, 4, 8)), rng.randint(0, 9))
        yield Case(args, "no elements" if 0 in sizes else "offset" if args[3] else "size 1" if 1 in sizes else "last")


COMPUTE_STORAGE_NBYTES = Check(
    "strides.compute_storage_nbytes",
    ("sizes", "strides", "itemsize", "storage_offset"),
    (Aspect("ordinary", 3, _nbytes_ordinary), Aspect("edge", 2, _nbytes_edge)),
    {
        "last": "which element lies furthest from the beginning? It needs a cell too",
        "bytes": "strides count elements, the answer counts bytes",
        "gaps": "the last index of a dimension is size - 1; a gap after the last element needs no cell",
        "large": "count in ints: a float can't hold every large number",
        "no dimensions": "a tensor without dimensions has one element",
        "no elements": "without elements nothing must lie inside the storage: 0, wherever the offset points",
        "expanded": "with stride 0 all indices reach the same cell",
        "size 1": "a dimension of size 1 has only the index 0: its stride adds nothing",
        "offset": "bytes count from the beginning of the storage, so the cells before the offset count too",
        "overlap": "elements may share cells: look for the last cell, don't count elements",
        "type": "return an int",
        "returned None": "the function ends without `return`",
        "raised": "every geometry has an answer, there is nothing to refuse",
    },
)


def _nearly_packed(rng: random.Random, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Row-major strides, as they are or with one fault: a gap, two dimensions swapped, an expanded one."""
    ndim = len(sizes)
    fault = rng.choice(("none", "none", "gap", "swap", "expanded"))
    if fault == "gap":
        return packed(sizes, gaps=replaced(rng, (1,) * ndim, rng.randint(2, 3)))
    if fault == "swap":
        return packed(sizes, shuffled(rng, ndim))
    return replaced(rng, packed(sizes), 0) if fault == "expanded" else packed(sizes)


def _about_walk(sizes: tuple[int, ...], strides: tuple[int, ...]) -> str:
    """Return the feature that decides whether this geometry is contiguous: a key of the hints."""
    if 0 in sizes or 1 in sizes:
        return "no elements" if 0 in sizes else "size 1"
    if strides == packed(sizes):
        return "packed"
    if 0 in strides:
        return "expanded"
    inner = [stride * size for stride, size in zip(strides[1:], sizes[1:], strict=True)]
    return "gap" if all(outer >= step for outer, step in zip(strides, inner, strict=False)) else "order"


def _is_contiguous_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, about in [
        ((3,), (1,), "packed"), ((3,), (2,), "gap"), ((2, 3), (3, 1), "packed"), ((3, 2), (1, 3), "order"),
        ((2, 3), (6, 2), "gap"), ((2, 3), (4, 1), "gap"), ((2, 3), (0, 1), "expanded"), ((3, 2), (2, 1), "packed"),
        ((2, 2), (1, 2), "order"), ((2, 2), (1, 1), "order"), ((2, 3), (2, 1), "order"), ((3,), (0,), "expanded"),
        ((2, 3, 4), (12, 4, 1), "packed"), ((2, 3, 4), (24, 4, 1), "gap"), ((2, 3, 4), (4, 8, 1), "order"),
        ((2, 3), (5, 0), "expanded"), ((2, 3), (4, 0), "expanded"), ((3, 2, 2), (4, 3, 0), "expanded"),
        ((2, 2, 2), (3, 3, 1), "order"), ((2, 2, 2), (5, 1, 1), "order"),
    ]:  # fmt: skip
        yield Case((sizes, strides), about)
    for ndim in (*(1, 2, 2, 3, 3, 4) * 12, 5, 6):
        sizes = repeated(rng, ndim, 2, 5)
        strides = _nearly_packed(rng, sizes)
        yield Case((sizes, strides), _about_walk(sizes, strides))
    for ndim in (1, 2, 3) * 4:
        sizes, strides = same_end(rng, repeated(rng, ndim, 2, 4))
        yield Case((sizes, strides), _about_walk(sizes, strides))
    for sizes in (unequal(rng, 3, 20, 40), unequal(rng, 3, 20, 40)):
        yield Case((sizes, packed(sizes)), "large")


def _is_contiguous_edge(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, about in [
        ((), (), "no dimensions"), ((1,), (1,), "size 1"), ((1,), (5,), "size 1"), ((1,), (0,), "size 1"),
        ((1, 3), (7, 1), "size 1"), ((3, 1), (1, 7), "size 1"), ((3, 1), (2, 1), "size 1"), ((1, 3), (3, 2), "size 1"),
        ((2, 1, 3), (3, 99, 1), "size 1"), ((0,), (3,), "no elements"), ((0, 2), (1, 9), "no elements"),
        ((2, 0), (7, 5), "no elements"), ((0,), (0,), "no elements"), ((2, 0, 3), (0, 0, 0), "no elements"),
        ((3, 1), (3, 1), "size 1"), ((1, 1), (4, 6), "size 1"), ((2, 1, 3), (1, 9, 2), "order"),
    ]:  # fmt: skip
        yield Case((sizes, strides), about)
    for ndim in (1, 2, 3, 3, 4) * 10:
        sizes = repeated(rng, ndim, 0 if rng.random() < 0.3 else 1, 3)
        strides = tuple(
            rng.randint(0, 9) if size == 1 else stride
            for size, stride in zip(sizes, _nearly_packed(rng, sizes), strict=True)
        )
        yield Case((sizes, strides), _about_walk(sizes, strides))


IS_CONTIGUOUS = Check(
    "strides.is_contiguous",
    ("sizes", "strides"),
    (Aspect("ordinary", 3, _is_contiguous_ordinary), Aspect("edge", 3, _is_contiguous_edge)),
    {
        "packed": "read the elements in order of their indices: every step is to the next cell",
        "gap": "every element comes in order, but some step is longer than one cell",
        "order": "the elements fill the storage, but reading them in order jumps back and forth",
        "expanded": "with stride 0 a step stays where it is",
        "large": "compare numbers with == and !=, never with `is`",
        "no dimensions": "one element is read in one step: contiguous",
        "size 1": "a dimension of size 1 has no second element: its stride can't matter",
        "no elements": "nothing is read, so nothing is read out of order",
        "type": "return True or False",
        "returned None": "one way through the function ends without `return`",
        "raised": "every geometry has an answer, there is nothing to refuse",
    },
)


def _offsets_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, about in [
        ((3,), (1,), "strides"), ((3,), (2,), "strides"), ((2, 2), (2, 1), "order"), ((2, 3), (1, 2), "order"),
        ((2, 3), (0, 1), "expanded"), ((2, 2), (1, 1), "order"), ((2, 3, 2), (1, 4, 2), "order"),
    ]:  # fmt: skip
        yield Case((sizes, strides), about)
        yield Case((sizes, strides, 5), "offset")
    for ndim in (1, 2, 3, 4) * 10:
        sizes = unequal(rng, ndim, 2, 5)
        yield Case((sizes, strided(rng, sizes), rng.randint(0, 9)), "order")
    for ndim in (5, 6):
        sizes = repeated(rng, ndim, 2, 3)
        yield Case((sizes, strided(rng, sizes), rng.randint(0, 9)), "order")


def _offsets_edge(rng: random.Random) -> Iterator[Case]:
    yield Case(((), ()), "no dimensions")
    yield Case(((), (), 4), "no dimensions")
    for sizes, strides, about in [
        ((1,), (1,), "size 1"), ((1,), (8,), "size 1"), ((1, 3), (9, 1), "size 1"), ((3, 1), (1, 9), "size 1"),
        ((0,), (1,), "size 0"), ((2, 0), (1, 1), "size 0"), ((0, 2), (2, 1), "size 0"),
        ((2, 0, 3), (3, 3, 1), "size 0"),
    ]:  # fmt: skip
        yield Case((sizes, strides, 2), about)
    yield Case(((2, 1, 3), (1, 9, 2), 2), "order")
    for ndim in (1, 2, 3, 4) * 10:
        sizes = repeated(rng, ndim, 0, 3)
        about = "size 0" if 0 in sizes else "size 1" if 1 in sizes else "order"
        yield Case((sizes, strided(rng, sizes), rng.randint(0, 9)), about)


STRIDED_OFFSETS = Check(
    "strides.strided_offsets",
    ("sizes", "strides", "storage_offset"),
    (Aspect("ordinary", 4, _offsets_ordinary), Aspect("edge", 2, _offsets_edge)),
    {
        "strides": "one step along a dimension moves by its stride",
        "order": "the last index moves fastest; when it runs over, it goes back to 0 and the one before it moves",
        "expanded": "with stride 0 the same cell is read again",
        "offset": "the first element lies at storage_offset",
        "no dimensions": "a tensor without dimensions has one element",
        "size 1": "the only index of a dimension of size 1 is 0",
        "size 0": "a size of 0 leaves no elements, whatever the other sizes are",
        "type": "return a list of ints",
        "returned None": "the function ends without `return`",
        "raised": "every geometry has an answer, there is nothing to refuse",
    },
)


CHECKS = (CONTIGUOUS_STRIDES, COMPUTE_STORAGE_NBYTES, IS_CONTIGUOUS, STRIDED_OFFSETS)
