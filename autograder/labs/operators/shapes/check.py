"""Checks of the functions that work out what an output looks like: broadcasting, reductions, the meta of `mm`."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.strides.geometry import Sizes, repeated, replaced, shuffled, signed, unequal


def _ones(rng: random.Random, shape: Sizes) -> Sizes:
    """A shape that broadcasts with `shape`: some sizes 1, and some of the first dimensions left out."""
    kept = shape[rng.randint(0, len(shape)) :]
    return tuple(1 if rng.random() < 0.4 else size for size in kept)


def _broadcast_ordinary(rng: random.Random) -> Iterator[Case]:
    for shapes, about in [
        ([(3,), (3,)], "two"), ([(2, 3), (2, 3)], "two"), ([(2, 3), (1, 3)], "one"), ([(2, 1), (2, 3)], "one"),
        ([(2, 1), (1, 3)], "one"), ([(2, 3), (3,)], "right"), ([(3,), (2, 3)], "right"), ([(2, 2, 3), (2, 3)], "right"),
        ([(4, 2, 3), (3,)], "right"), ([(2,), (3, 1)], "right"), ([(3, 1), (2, 1, 4)], "right"),
    ]:  # fmt: skip
        yield Case((shapes,), about)
    for ndim in (1, 2, 3, 4, 5) * 8:
        shape = unequal(rng, ndim)
        yield Case(([_ones(rng, shape), _ones(rng, shape)],), "right")
        shape = repeated(rng, ndim, 2, 3)
        yield Case(([_ones(rng, shape), shape][:: rng.choice((1, -1))],), "right")


def _broadcast_edge(rng: random.Random) -> Iterator[Case]:
    for shapes, about in [
        ([], "none"), ([()], "none"), ([(2, 3)], "none"), ([(0,)], "none"), ([(), ()], "none"), ([(), (2, 3)], "none"),
        ([(2, 3), ()], "none"), ([(1,), (1,)], "none"), ([(1, 1), (1,)], "none"), ([(0,), (1,)], "empty"),
        ([(1,), (0,)], "empty"), ([(0,), (0,)], "empty"), ([(2, 0), (1,)], "empty"), ([(3, 1), (0,)], "empty"),
        ([(0, 1), (3,)], "empty"), ([(0,), ()], "empty"), ([(2,), (1,), (2,)], "many"), ([(1,), (1,), (3,)], "many"),
        ([(3,), (1,), (1,)], "many"), ([(1, 2), (3, 1), (4, 1, 1)], "many"), ([(4, 1, 1), (2,), (3, 1)], "many"),
    ]:  # fmt: skip
        yield Case((shapes,), about)
    for count in (1, 3, 4, 5) * 10:
        shape = replaced(rng, repeated(rng, rng.randint(1, 4), 2, 4), 0, rng.randint(0, 1))
        yield Case(([_ones(rng, shape) for _ in range(count)],), "many")


def _broadcast_refusals(rng: random.Random) -> Iterator[Case]:
    for shapes, about in [
        ([(2,), (3,)], "order"), ([(3,), (2,)], "order"), ([(2, 3), (2,)], "dimension"), ([(2,), (2, 3)], "dimension"),
        ([(2, 3), (3, 3)], "dimension"), ([(2, 3), (3, 2)], "first met"), ([(0,), (2,)], "order"),
        ([(3,), (0,)], "order"), ([(4, 2, 1), (3, 5)], "dimension"), ([(2, 1, 3), (4, 2, 5)], "first met"),
        ([(2,), (1,), (3,)], "many refused"), ([(1,), (2,), (3,)], "many refused"),
        ([(1, 2), (3, 1), (4, 2)], "many refused"), ([(5, 1, 1), (2,), (3, 1), (4, 2)], "many refused"),
        ([(2,), (3,), (4,)], "many refused"),
    ]:  # fmt: skip
        yield Case((shapes,), about)
    for ndim in (1, 2, 3, 4, 5) * 10:
        shape = unequal(rng, ndim, 2, 9)
        other = tuple(size + rng.choice((1, -1)) if rng.random() < 0.5 and size > 2 else size for size in shape)
        kept = replaced(rng, other, 10 + rng.randrange(5))[rng.randrange(ndim) :]
        pair = [shape, kept][:: rng.choice((1, -1))]
        if any(a != b for a, b in zip(reversed(shape), reversed(kept), strict=False)):
            yield Case((pair,), "first met")
            yield Case(([_ones(rng, shape), *pair],), "many refused")


BROADCAST_SHAPES = Check(
    "strides.broadcast_shapes",
    ("shapes",),
    (
        Aspect("ordinary", 2, _broadcast_ordinary),
        Aspect("edge", 1, _broadcast_edge, needs="ordinary"),
        Aspect("refusals", 2, _broadcast_refusals, needs="ordinary"),
    ),
    {
        "two": "equal shapes stay as they are",
        "one": "a size of 1 gives way to the other, whichever of the two shapes it stands in",
        "right": "shapes are aligned at their last dimension: a missing one is missing on the left",
        "none": "no shapes broadcast to (), and one shape to itself",
        "empty": "0 is a size like any other: 1 gives way to it, and 0 and 2 do not go together",
        "many": "each further shape meets what those before it broadcast to",
        "order": "neither is 1: RuntimeError in the docstring's words; a is what came before, b the next shape",
        "dimension": "refused, aligned on the right; the message counts from the first dimension of the longer shape",
        "first met": "dimensions are compared from the last to the first, and the first pair that fails is named",
        "many refused": "a is what all shapes before broadcast to, not only the one before",
        "type": "return a tuple",
        "returned None": "the function ends without `return`",
    },
    probe="operators.shapes.broadcast_shapes",
)


def _mask_ordinary(rng: random.Random) -> Iterator[Case]:
    for dims, ndim in [((0,), 1), ((0,), 2), ((1,), 2), ((0, 1), 2), ((1, 0), 2), ((0, 2), 3), ((2, 0), 3)]:
        yield Case((dims, ndim), "named")
    for dims, ndim in [((-1,), 1), ((-1,), 2), ((-2,), 2), ((0, -1), 3), ((-1, -3), 3)]:
        yield Case((dims, ndim), "negative")
    for ndim in (1, 2, 3, 4, 5, 6, 7) * 6:
        dims = signed(rng, shuffled(rng, ndim)[: rng.randint(1, ndim)], ndim)
        yield Case((dims, ndim), "negative" if min(dims) < 0 else "named")


def _mask_edge(rng: random.Random) -> Iterator[Case]:
    for ndim in (*range(10), 64, 65, rng.randint(66, 80)):
        yield Case((None, ndim), "all")
        yield Case(((), ndim), "all")
    for dims in [(0,), (-1,)]:
        yield Case((dims, 0), "no dimensions")
    for dim in (0, 63, -1, -64, rng.randrange(64)):
        yield Case(((dim,), 64), "64")


def _mask_refusals(rng: random.Random) -> Iterator[Case]:
    for dims, ndim, about in [
        ((1,), 1, "out of range"), ((-2,), 1, "out of range"), ((2,), 2, "out of range"), ((-3,), 2, "out of range"),
        ((0, 0), 1, "twice"), ((0, -1), 1, "twice"), ((1, 1), 2, "twice"), ((0, -2), 2, "twice"),
        ((0, 1, 0), 2, "twice"), ((0, 0, 2), 2, "out of range"), ((-1, 1, -3), 2, "out of range"),
        ((1,), 0, "out of range"), ((-2,), 0, "out of range"), ((0, 0), 0, "twice"), ((0, -1), 0, "twice"),
        ((0,), 65, "64"), ((-1,), 70, "64"), ((99,), 65, "64"), ((0, 0), 65, "64"),
    ]:  # fmt: skip
        yield Case((dims, ndim), about)
    for ndim in (1, 2, 3, 4, 5) * 6:
        dims = shuffled(rng, ndim)[: rng.randint(1, ndim)]
        yield Case((signed(rng, (*dims, rng.choice(dims)), ndim), ndim), "twice")
        at = rng.randrange(len(dims))
        yield Case(((*dims[:at], rng.choice((ndim, -ndim - 1)), *dims[at:]), ndim), "out of range")


MAKE_DIM_MASK = Check(
    "aten.reduction.make_dim_mask",
    ("dims", "ndim"),
    (
        Aspect("ordinary", 2, _mask_ordinary),
        Aspect("edge", 1, _mask_edge, needs="ordinary"),
        Aspect("refusals", 1, _mask_refusals, needs="ordinary"),
    ),
    {
        "named": "one bool for each dimension of the input: True where `dims` names it, in whatever order",
        "negative": "a negative dim counts from the end: -1 is the last one",
        "all": "no dims, None or (), mean all of them, and are never refused",
        "no dimensions": "0 and -1 are taken of a tensor without dimensions, which has no bool to set",
        "64": "dims may be named up to 64 dimensions; beyond, that is refused before anything else is asked",
        "out of range": "IndexError, as geometry.wrap_dim raises it; all dims are asked before any is a repetition",
        "twice": "a dimension is named twice, perhaps by two names: 0 and -2 are one dimension of two",
        "type": "return a tuple of bools",
        "returned None": "the function ends without `return`",
        "raised": "these dims are in range and name each dimension once: nothing to refuse",
        "not raised": "this must be refused: see Raises in the docstring",
    },
)


Described = tuple[Sizes, str, bool]
KINDS = ("float32", "float64", "int64", "int32", "bool")


def _matrix(rng: random.Random, sizes: Sizes, kind: str = "float32") -> Described:
    return sizes, kind, rng.random() < 0.3


def _mm_ordinary(rng: random.Random) -> Iterator[Case]:
    for first, second, about in [
        ((2, 3), (3, 4), "sizes"), ((3, 2), (2, 5), "sizes"), ((1, 3), (3, 1), "sizes"), ((2, 0), (0, 3), "empty"),
        ((0, 2), (2, 3), "empty"), ((2, 3), (3, 0), "empty"), ((0, 0), (0, 0), "empty"), ((1, 1), (1, 1), "sizes"),
    ]:  # fmt: skip
        yield Case(((first, "float32", False), (second, "float32", False)), about)
    for kind in KINDS:
        yield Case((((2, 3), kind, False), ((3, 4), kind, True)), "dtype")
    for one, other in [("float32", "float64"), ("int64", "float32"), ("bool", "int32")]:
        yield Case((((2, 3), one, False), ((3, 4), other, False)), "dtype")
    for _ in range(40):
        m, k, n = repeated(rng, 3, 0, 9)
        kind = rng.choice(KINDS)
        yield Case((_matrix(rng, (m, k), kind), _matrix(rng, (k, n), rng.choice((kind, kind, "float64")))), "sizes")


def _mm_refusals(rng: random.Random) -> Iterator[Case]:
    for first, second, about in [
        ((2, 3), (2, 3), "inner"), ((2, 3), (4, 3), "inner"), ((2, 3), (4, 5), "inner"), ((0, 3), (2, 0), "inner"),
        ((2, 1), (3, 4), "inner"), ((2, 3), (1, 4), "inner"),
        ((3,), (3, 4), "self"), ((2, 3), (3,), "mat2"), ((), (2, 3), "self"), ((2, 3), (), "mat2"),
        ((3,), (3,), "self"), ((2, 2, 3), (2, 3, 4), "self"), ((2, 3), (2, 3, 4), "mat2"), ((2, 2, 3), (3, 4), "self"),
        ((2, 3, 1), (4,), "self"), ((2, 3), (4, 3, 1), "mat2"), ((1, 2, 3), (4, 5), "self"),
    ]:  # fmt: skip
        yield Case(((first, "float32", False), (second, "float32", False)), about)
    for _ in range(25):
        m, k, rows, n = unequal(rng, 4, 0, 9)
        yield Case((_matrix(rng, (m, k)), _matrix(rng, (rows, n), rng.choice(KINDS))), "inner")
        one, other = (repeated(rng, rng.choice((0, 1, 3)), 1, 4) for _ in range(2))
        yield Case((_matrix(rng, one), _matrix(rng, rng.choice(((m, k), other)))), "self")
        yield Case((_matrix(rng, (m, k)), _matrix(rng, other)), "mat2")


MM_META = Check(
    "aten.native.linear_algebra.mm_meta",
    ("self", "mat2"),
    (Aspect("ordinary", 3, _mm_ordinary), Aspect("refusals", 2, _mm_refusals, needs="ordinary")),
    {
        "sizes": "rows of self, columns of mat2; one output, number 0, with the strides of a fresh tensor",
        "empty": "a size of 0 is a size: the product has it, and contiguous_strides counts it as 1",
        "dtype": "the output is of self's dtype; that mat2's is the same is checked later, by the kernel's wrapper",
        "inner": "the columns of self and the rows of mat2 must be equal, even if one is 1; the text counts",
        "self": "self is asked first: it must have two dimensions, whatever mat2 has",
        "mat2": "self is a matrix and mat2 is none",
        "type": "sizes and strides are tuples",
        "raised": "this declares an output",
    },
    probe="operators.shapes.mm_meta",
)

CHECKS = (BROADCAST_SHAPES, MAKE_DIM_MASK, MM_META)
