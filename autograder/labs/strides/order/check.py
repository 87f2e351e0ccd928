"""Checks of the exercises that ask in which order dimensions are stored in memory (engine/strides.py)."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.strides.geometry import is_dense, packed, repeated, replaced, same_end, shuffled, strided, unequal


def _about_overlap(sizes: tuple[int, ...], strides: tuple[int, ...]) -> str:
    """Return the feature that decides whether this geometry overlaps with itself: a key of the hints."""
    if 0 in sizes or 1 in sizes:
        return "size 0" if 0 in sizes else "size 1"
    return "dense" if is_dense(sizes, strides) else "expanded" if 0 in strides else "windows"


def _overlap_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, about in [
        ((3,), (1,), "dense"), ((3,), (2,), "gap"), ((3,), (0,), "expanded"), ((2, 3), (3, 1), "dense"),
        ((3, 2), (1, 3), "dense"), ((2, 3), (0, 1), "expanded"), ((2, 3), (1, 0), "expanded"), ((2, 3), (6, 2), "gap"),
        ((2, 3), (4, 1), "gap"), ((3, 3), (1, 1), "windows"), ((2, 2), (1, 1), "windows"), ((2, 3), (2, 1), "windows"),
        ((3, 3), (2, 2), "windows"), ((2, 2, 2), (3, 3, 1), "windows"), ((2, 2, 3), (1, 4, 3), "windows"),
        ((2, 3), (0, 2), "expanded"), ((2, 3, 4), (4, 8, 1), "dense"), ((2, 3, 4), (1, 2, 6), "dense"),
        ((4, 3, 2), (1, 4, 12), "dense"), ((2, 3, 4), (1, 1, 1), "windows"), ((2, 2), (0, 0), "expanded"),
    ]:  # fmt: skip
        yield Case((sizes, strides), about)
    for ndim in (1, 2, 3, 4) * 6:
        sizes = repeated(rng, ndim, 2, 5)
        yield Case((sizes, packed(sizes, shuffled(rng, ndim))), "dense")
        for drawn in ((sizes, strided(rng, sizes)), (sizes, repeated(rng, ndim, 0, 6)), same_end(rng, sizes[1:])):
            yield Case(drawn, _about_overlap(*drawn))
    sizes = repeated(rng, 6, 2, 3)
    yield Case((sizes, packed(sizes, shuffled(rng, 6))), "dense")
    for sizes in (unequal(rng, 3, 20, 40), unequal(rng, 3, 20, 40)):
        yield Case((sizes, packed(sizes, shuffled(rng, 3))), "large")


def _overlap_edge(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, about in [
        ((), (), "no dimensions"), ((1,), (0,), "size 1"), ((1,), (7,), "size 1"), ((1, 3), (0, 1), "size 1"),
        ((3, 1), (1, 2), "size 1"), ((3, 1), (1, 1), "size 1"), ((3, 1), (2, 0), "size 1"),
        ((2, 1, 3), (3, 1, 1), "size 1"),
        ((0,), (0,), "size 0"), ((0,), (5,), "size 0"), ((0, 3), (3, 1), "size 0"), ((0, 3), (1, 2), "size 0"),
        ((0, 3), (1, 0), "size 0"), ((0, 3), (0, 2), "size 0"), ((3, 0), (1, 0), "size 0"),
        ((2, 0, 3), (3, 0, 1), "size 0"), ((0, 1), (0, 0), "size 0"), ((3, 0, 2), (1, 9, 4), "size 0"),
    ]:  # fmt: skip
        yield Case((sizes, strides), about)
    for ndim in (2, 3, 4) * 12:
        sizes = repeated(rng, ndim, 0, 3)
        real = packed(tuple(max(size, 1) for size in sizes), shuffled(rng, ndim))
        strides = tuple(rng.randint(0, 9) if size < 2 else stride for size, stride in zip(sizes, real, strict=True))
        for drawn in (strides, replaced(rng, strides, rng.randint(0, 4))):
            yield Case((sizes, drawn), _about_overlap(sizes, drawn))


HAS_INTERNAL_OVERLAP = Check(
    "strides.has_internal_overlap",
    ("sizes", "strides"),
    (Aspect("ordinary", 4, _overlap_ordinary), Aspect("edge", 2, _overlap_edge, needs="ordinary")),
    {
        "dense": "the dimensions may lie in memory in any order: begin with the smallest stride",
        "gap": "cells are left out, and deciding what that means in general is hard: TOO_HARD, unless a stride is 0",
        "expanded": "with stride 0 and size 2 or more, two indices reach the same cell",
        "windows": "these may or may not overlap; only the cheap cases are decided, this one is TOO_HARD",
        "large": "compare numbers with ==, never with `is`",
        "no dimensions": "one element can't overlap with itself",
        "size 1": "a dimension of size 1 is ignored, whatever its stride",
        "size 0": "a tensor without elements can't overlap with itself, whatever its strides",
        "type": "return a member of MemOverlap",
        "returned None": "one way through the function ends without `return`",
        "raised": "every geometry has an answer, there is nothing to refuse",
    },
    probe="strides.order.has_internal_overlap",
)


def _dense_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, about in [
        ((3,), (1,), "gap"), ((3,), (2,), "gap"), ((2, 3), (3, 1), "order"), ((2, 3), (6, 2), "gap"),
        ((2, 3), (1, 2), "order"), ((2, 3), (1, 4), "gap"), ((2, 3, 4), (12, 1, 3), "order"),
        ((2, 3, 4), (1, 2, 6), "order"), ((2, 3, 4, 5), (120, 2, 30, 6), "gap"),
    ]:  # fmt: skip
        yield Case((sizes, strides), about)
    for ndim in (2, 3, 3, 4, 5) * 12:
        sizes = repeated(rng, ndim, 2, 5)
        yield Case((sizes, packed(sizes, shuffled(rng, ndim), [rng.randint(1, 3) for _ in sizes])), "order")


def _dense_edge(rng: random.Random) -> Iterator[Case]:
    yield Case(((), ()), "no dimensions")
    for sizes, strides, about in [
        ((0,), (1,), "size 0"), ((0, 2), (1, 5), "size 0"), ((2, 0), (1, 5), "size 0"), ((1, 3), (9, 2), "size 1"),
        ((3, 1), (2, 9), "size 1"), ((2, 0, 3), (7, 3, 2), "size 0"), ((0, 0), (2, 5), "size 0"),
        ((1,), (5,), "size 1"),
    ]:  # fmt: skip
        yield Case((sizes, strides), about)
    for ndim in (2, 3, 4, 5) * 10:
        sizes, strides = repeated(rng, ndim, 0, 3), tuple(rng.sample(range(1, 12), ndim))
        yield Case((sizes, strides), "size 0" if 0 in sizes else "size 1" if 1 in sizes else "order")


def _about_ties(strides: tuple[int, ...]) -> str:
    """Return the feature that decides the order of these strides: a key of the hints."""
    if 0 in strides:
        return "past zero" if len(strides) - strides.count(0) > 1 else "expanded"
    return "tie" if len(set(strides)) < len(strides) else "order"


def _dense_ties(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, about in [
        ((2, 3), (1, 1), "tie"), ((3, 2), (1, 1), "tie"), ((2, 2), (3, 3), "tie"), ((3,), (0,), "expanded"),
        ((2, 3), (0, 1), "expanded"), ((2, 3), (1, 0), "expanded"), ((2, 3), (0, 0), "expanded"),
        ((2, 3, 4), (1, 0, 2), "past zero"), ((2, 3, 4), (2, 0, 1), "past zero"), ((3, 2, 4), (1, 1, 1), "tie"),
        ((4, 3, 2), (5, 0, 5), "past zero"), ((2, 3, 4), (5, 0, 5), "past zero"),
        ((2, 3, 4, 5), (1, 0, 3, 2), "past zero"),
    ]:  # fmt: skip
        yield Case((sizes, strides), about)
    for ndim in (2, 3, 4, 5, 6) * 14:
        sizes, strides = repeated(rng, ndim, 1, 4), repeated(rng, ndim, 0, 3)
        yield Case((sizes, strides), _about_ties(strides))


INFER_DENSE_STRIDES = Check(
    "strides.infer_dense_strides",
    ("sizes", "strides"),
    (
        Aspect("ordinary", 4, _dense_ordinary),
        Aspect("edge", 2, _dense_edge),
        Aspect("ties", 2, _dense_ties, needs="ordinary"),
    ),
    {
        "order": "the dimension with the smallest stride stays innermost and gets stride 1",
        "gap": "only the order of the strides is kept: a dense copy has no gaps",
        "no dimensions": "no dimensions, no strides",
        "size 0": "a size of 0 counts as 1 when the next stride is made",
        "size 1": "a dimension of size 1 takes its place in the order as any other",
        "tie": "of two equal strides the smaller size goes inside; equal in both, they stay as they are",
        "expanded": "a stride of 0 says nothing about the order: that dimension keeps its place",
        "past zero": "dimensions of stride 0 keep their places; all the others are sorted among what is left, "
        "also past them",
        "type": "return a tuple of ints",
        "returned None": "the function ends without `return`",
        "raised": "every geometry has an answer, there is nothing to refuse",
    },
)

CHECKS = (HAS_INTERNAL_OVERLAP, INFER_DENSE_STRIDES)
