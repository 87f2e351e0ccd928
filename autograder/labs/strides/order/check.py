"""Checks of the exercises about the order of dimensions in memory (engine/strides.py)."""

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence

from autograder.examine.case_call import python_text
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.strides.geometry import is_dense, packed, repeated, replaced, same_end, shuffled, strided, unequal
from autograder.labs.strides.mistakes import BEYOND, gives

Sizes = tuple[int, ...]


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
        ((2, 2, 3), (7, 3, 1), "gap"), ((3, 2, 2), (1, 3, 7), "gap"), ((3, 2), (2, 1), "windows"),
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
    yield Case(((2, 3), (3 * BEYOND, BEYOND)), "gap")


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


def _why_overlap(args: tuple, wanted: str, got: object) -> Iterable[str]:
    """Return why the right answer is right, if it does not depend on dimensions of size 1, as keys of the hints."""
    sizes, strides = args
    if not sizes or 0 in sizes:
        return ("size 0" if sizes else "no dimensions",)
    real = [(size, stride) for size, stride in zip(sizes, strides, strict=True) if size > 1]
    if wanted == "NO":
        return () if len(real) < len(sizes) else ("dense",)
    if wanted == "YES":
        return ("expanded",)
    cells = 1 + sum((size - 1) * stride for size, stride in real)
    return ("gap" if cells > math.prod(size for size, _ in real) else "windows",)


HAS_INTERNAL_OVERLAP = Check(
    "strides.has_internal_overlap",
    ("sizes", "strides"),
    (Aspect("ordinary", 6, _overlap_ordinary), Aspect("edge", 3, _overlap_edge, needs="ordinary")),
    {
        "dense": "the dimensions may be in any order in memory: start with the smallest stride",
        "gap": "not dense, since cells are left out, and no stride is 0: TOO_HARD, even if nothing overlaps",
        "expanded": "with stride 0 and size 2 or more, two indices reach the same cell: YES",
        "windows": "not dense, and no stride is 0: only the cheap cases are decided, and this one is TOO_HARD",
        "large": "compare numbers with ==, never with `is`",
        "no dimensions": "one element can't overlap with itself",
        "size 1": "a dimension of size 1 is ignored, whatever its stride",
        "size 0": "a tensor without elements can't overlap with itself, whatever its strides",
        "type": "return a member of MemOverlap",
        "returned None": "one path through the function ends without `return`",
        "raised": "every geometry has an answer, there is nothing to refuse",
    },
    probe="strides.order.has_internal_overlap",
    mistakes=(
        Mistake(
            "YES needs elements, and a dimension of size 2 or more whose stride is 0",
            lambda args, wanted, got: (
                got.value == "YES"
                and (0 in args[0] or not any(size > 1 and not stride for size, stride in zip(*args, strict=True)))
            ),
        ),
        Mistake(
            "compare numbers with == and !=: `is` and `is not` fail for large ones",
            lambda args, wanted, got: wanted.value == "NO" and 1 not in args[0] and max(args[1]) > 256,
        ),
    ),
    differs=_why_overlap,
    call=lambda args: f"has_internal_overlap({', '.join(map(python_text, args))})",
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
    yield Case(((2, 3), (BEYOND, 3 * BEYOND)), "gap")


def _dense_edge(rng: random.Random) -> Iterator[Case]:
    yield Case(((), ()), "no dimensions")
    for sizes, strides, about in [
        ((0,), (1,), "size 0"), ((0, 2), (1, 5), "size 0"), ((2, 0), (1, 5), "size 0"), ((1, 3), (9, 2), "size 1"),
        ((3, 1), (2, 9), "size 1"), ((2, 0, 3), (7, 3, 2), "size 0"), ((0, 0), (2, 5), "size 0"),
        ((1,), (5,), "size 1"), ((1, 3), (99, 1), "size 1"), ((3, 1), (1, 7), "size 1"),
        ((2, 1, 3), (3, 50, 1), "size 1"),
        ((5000, 3), (1, 2), "order"),
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
        sizes, strides = repeated(rng, ndim, 2, 5), repeated(rng, ndim, 0, 3)
        yield Case((sizes, strides), _about_ties(strides))


def _in_order(says: str, order: Callable[[Sizes, Sizes], Sequence[int]], least: int = 1) -> Mistake:
    """Build the mistake of taking the dimensions in another order, from the innermost to the outermost."""

    def mistaken(sizes: Sizes, strides: Sizes) -> Sizes:
        dense, step = [0] * len(sizes), 1
        for d in order(sizes, strides):
            dense[d] = step
            step *= max(sizes[d], least)
        return tuple(dense)

    return gives(says, mistaken)


def _right_order(sizes: Sizes, strides: Sizes) -> list[int]:
    places = range(len(sizes) - 1, -1, -1)
    moving = sorted((d for d in places if strides[d]), key=lambda d: (strides[d], sizes[d]))
    return [moving.pop(0) if strides[d] else d for d in places]


def _within_runs(sizes: Sizes, strides: Sizes) -> list[int]:
    """Return the dimensions, innermost first, sorted only between two dimensions of stride 0."""
    order: list[int] = []
    run: list[int] = []
    for d in reversed(range(len(sizes))):
        if strides[d]:
            run.append(d)
            continue
        order += [*sorted(run, key=lambda d: (strides[d], sizes[d])), d]
        run = []
    return order + sorted(run, key=lambda d: (strides[d], sizes[d]))


def _about_order(args: tuple, wanted: Sizes, got: Sizes) -> Iterable[str]:
    sizes, strides = args
    if len(wanted) != len(got):
        return ("length",)
    is_plain = min(sizes) > 1 and 0 not in strides and len(set(strides)) == len(strides)
    return ("order",) if is_plain else ()


TIE = "of two equal strides the smaller size goes inside; equal in both, they stay as they are, the later one inside"
ZERO = "a stride of 0 says nothing about the order: that dimension keeps its place"


def _sorted_by(key: Callable) -> Callable:
    """Return the function that sorts dimensions by a key of sizes, strides and the dimension."""
    return lambda sizes, strides: sorted(range(len(sizes)), key=lambda d: key(sizes, strides, d))


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
        "length": "there is one stride for each size",
        "no dimensions": "no dimensions, no strides",
        "size 0": "a size of 0 counts as 1 when the next stride is made",
        "size 1": "a dimension of size 1 takes its place in the order as any other",
        "tie": TIE,
        "expanded": ZERO,
        "past zero": "dimensions of stride 0 keep their places; all the others are sorted among what is left, "
        "also past them",
        "type": "return a tuple of ints",
        "returned None": "the function ends without `return`",
        "raised": "every geometry has an answer, there is nothing to refuse",
    },
    mistakes=(
        gives(
            "these are the old strides. A dense copy gets new ones, even if the original is already dense",
            lambda sizes, strides: strides,
        ),
        _in_order("a size of 0 counts as 1 when the next stride is made", _right_order, least=0),
        _in_order(ZERO, lambda sizes, strides: sorted(range(len(sizes)), key=lambda d: (strides[d], sizes[d], -d))),
        _in_order(
            ZERO,
            lambda sizes, strides: sorted(range(len(sizes)), key=lambda d: (strides[d] == 0, strides[d], sizes[d], -d)),
        ),
        _in_order("dimensions are sorted also past one of stride 0, which keeps its place", _within_runs),
        *(
            _in_order(TIE, _sorted_by(key))
            for key in (
                lambda sizes, strides, d: strides[d],
                lambda sizes, strides, d: (strides[d], -d),
                lambda sizes, strides, d: (strides[d], sizes[d]),
                lambda sizes, strides, d: (strides[d], -sizes[d], -d),
            )
        ),
        gives(
            "these are contiguous strides. The copy keeps the order in memory: the smallest old stride is innermost",
            lambda sizes, strides: packed(sizes),
        ),
    ),
    differs=_about_order,
)

CHECKS = (HAS_INTERNAL_OVERLAP, INFER_DENSE_STRIDES)
