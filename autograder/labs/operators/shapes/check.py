"""Checks of the functions that compute the shape of an output: broadcasting, and the mask of a reduction."""

import itertools
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.plain_data import equal
from autograder.labs.operators.modeled import gives, is_raised
from autograder.labs.strides.geometry import Sizes, repeated, replaced, shuffled, signed, unequal


def _ones(rng: random.Random, shape: Sizes) -> Sizes:
    """Draw a shape that broadcasts with `shape`: some sizes 1, and some of the first dimensions left out."""
    kept = shape[rng.randint(0, len(shape)) :]
    return tuple(1 if rng.random() < 0.4 else size for size in kept)


def _case_of(*shapes: Sizes) -> Case:
    """Make the case of some shapes, about what is met first in them."""
    if len(shapes) < 2 or not any(shapes):
        about = "none"
    elif len({len(shape) for shape in shapes}) > 1:
        about = "right"
    else:
        about = "one" if len({*shapes}) > 1 else "two"
    return Case(([*shapes],), about)


def _broadcast_ordinary(rng: random.Random) -> Iterator[Case]:
    for pair in [
        ((3,), (3,)), ((2, 3), (2, 3)), ((2, 3), (1, 3)), ((2, 1), (2, 3)), ((2, 1), (1, 3)), ((2, 3), (3,)),
        ((3,), (2, 3)), ((2, 2, 3), (2, 3)), ((4, 2, 3), (3,)), ((2,), (3, 1)), ((3, 1), (2, 1, 4)),
    ]:  # fmt: skip
        yield _case_of(*pair)
    for ndim in (1, 2, 3, 4, 5) * 8:
        shape = unequal(rng, ndim)
        yield _case_of(_ones(rng, shape), _ones(rng, shape))
        shape = repeated(rng, ndim, 2, 3)
        yield _case_of(*[_ones(rng, shape), shape][:: rng.choice((1, -1))])


def _broadcast_edge(rng: random.Random) -> Iterator[Case]:
    for shapes, about in [
        ([(0,), (1,)], "empty"), ([(1,), (0,)], "empty"), ([(0,), (0,)], "empty"), ([(2, 0), (1,)], "empty"),
        ([(3, 1), (0,)], "empty"), ([(0, 1), (3,)], "empty"), ([(0,), ()], "empty"), ([(2,), (1,), (2,)], "many"),
        ([(1,), (1,), (3,)], "many"), ([(3,), (1,), (1,)], "many"), ([(1, 2), (3, 1), (4, 1, 1)], "many"),
        ([(4, 1, 1), (2,), (3, 1)], "many"),
    ]:  # fmt: skip
        yield Case((shapes,), about)
    yield from itertools.starmap(_case_of, [
        (), ((),), ((2, 3),), ((0,),), ((), ()), ((), (2, 3)), ((2, 3), ()), ((1,), (1,)), ((1, 1), (1,)),
    ])  # fmt: skip
    for count in (1, 3, 4, 5) * 10:
        shape = replaced(rng, repeated(rng, rng.randint(1, 4), 2, 4), 0, rng.randint(0, 1))
        case = _case_of(*[_ones(rng, shape) for _ in range(count)])
        yield case if case.about == "none" else replace(case, about="many")


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


MISMATCH = re.compile(
    r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (-?\d+)"
)


def _broadcast_left(shapes: Sequence[Sizes]) -> Sizes | None:
    """Broadcast shapes aligned at their first dimension; return None where they do not broadcast then."""
    result: list[int] = []
    for shape in shapes:
        result += [1] * (len(shape) - len(result))
        for d, size in enumerate(shape):
            if size not in (1, result[d]) and result[d] != 1:
                return None
            result[d] = size if result[d] == 1 else result[d]
    return tuple(result)


def _broadcast_larger(shapes: Sequence[Sizes]) -> Sizes | None:
    """Broadcast by the larger of two sizes if a size is 0, where that is wrong; return None otherwise."""
    result: list[int] = []
    for shape in shapes:
        count = max(len(shape), len(result))
        padded = ([1] * (count - len(sizes)) + list(sizes) for sizes in (result, shape))
        result = [max(pair) for pair in zip(*padded, strict=True)]
    return tuple(result) if any(0 in shape for shape in shapes) else None


def _told(shapes: Sequence[Sizes], *, counted: str = "longer", a: str = "result", from_first: bool = False) -> tuple:
    """Return the refusal by another rule: how dimensions are counted, what a is, which pair is met first."""
    result: list[int] = []
    before: Sizes = ()
    for shape in shapes:
        shown = list(before) if a == "shape before" else result
        shown = [1] * (max(len(shape), len(result)) - len(shown)) + shown
        result = [1] * (len(shape) - len(result)) + result
        for d in range(-len(shape), 0) if from_first else range(-1, -len(shape) - 1, -1):
            if result[d] != 1 and shape[d] not in (1, result[d]):
                pair = (shape[d], result[d]) if a == "swapped" else (shown[d], shape[d])
                at = d if counted == "end" else d + len(shape if counted == "later" else result)
                text = "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}"
                return ("raised", "RuntimeError", text.format(*pair, at))
            result[d] = shape[d] if result[d] == 1 else result[d]
        before = shape
    return ()


def _broadcast_differs(args: tuple, wanted, got) -> Iterable[str]:
    if not is_raised(wanted):
        return
    if not is_raised(got):
        yield "not refused"
    elif (mine := MISMATCH.fullmatch(got[2])) is None:
        yield "words"
    else:
        theirs = MISMATCH.fullmatch(wanted[2])
        yield "sizes in the text" if theirs and theirs.groups()[:2] != mine.groups()[:2] else "dimension in the text"


BROADCAST_SHAPES = Check(
    "strides.broadcast_shapes",
    ("shapes",),
    (
        Aspect("ordinary", 3, _broadcast_ordinary),
        Aspect("edge", 2, _broadcast_edge, needs="ordinary"),
        Aspect("refusals", 2, _broadcast_refusals, needs="ordinary"),
    ),
    {
        "two": "equal shapes stay as they are",
        "one": "a size of 1 gives way to the other, whichever of the two shapes it is in",
        "right": "shapes are aligned at their last dimension: a missing one is missing on the left",
        "none": "one shape broadcasts to itself",
        "empty": "0 is a size like any other: 1 gives way to it, and 0 and 2 do not go together",
        "many": "each further shape meets what those before it broadcast to",
        "order": "neither is 1: RuntimeError in the docstring's words; a is what came before, b the next shape",
        "dimension": "refused, aligned on the right; the message counts from the first dimension of the longer shape",
        "first met": "dimensions are compared from the last to the first, and the first pair that fails is named",
        "many refused": "a is what all shapes before broadcast to, not only the one before",
        "not refused": "two sizes differ in one dimension, aligned on the right, and neither is 1: RuntimeError",
        "words": "the text counts: compare it with the docstring's, letter by letter, numbers and brackets included",
        "sizes in the text": "a is what the shapes so far broadcast to, b the next shape; of several pairs that fail "
        "the one furthest to the right is named",
        "dimension in the text": "the dimension is counted from the first of the longer one of the two",
        "type": "return a tuple",
        "returned None": "the function ends without `return`",
    },
    mistakes=(
        Mistake(
            "shapes without dimensions, or no shapes, broadcast to ()",
            lambda args, wanted, got: not any(args[0]) and not is_raised(got.value) and len(got.value) > 0,
        ),
        gives("this is what comes out when shapes are aligned at their first dimension", _broadcast_left),
        gives(
            "this is what comes out when the larger size is taken: 0 is a size like any other, 1 gives way to it, and "
            "0 and 2 do not go together",
            _broadcast_larger,
        ),
        gives(
            "the dimension is counted from the end here: count it from the first one",
            lambda shapes: _told(shapes, counted="end"),
        ),
        gives(
            "the dimension is counted in the later shape here: count it in the longer one of the two",
            lambda shapes: _told(shapes, counted="later"),
        ),
        gives(
            "a and b are the other way round here: a is what came before, b the next shape",
            lambda shapes: _told(shapes, a="swapped"),
        ),
        gives(
            "a is the shape before, here: it is what all shapes so far broadcast to",
            lambda shapes: _told(shapes, a="shape before"),
        ),
        gives(
            "this pair is met first when dimensions are compared from the first to the last: begin with the last",
            lambda shapes: _told(shapes, from_first=True),
        ),
        Mistake(
            "it is right to refuse this, but with a RuntimeError",
            lambda args, wanted, got: is_raised(wanted.value) and is_raised(got.value, "ValueError"),
        ),
        Mistake(
            "the shapes do go together: nothing is to be refused here",
            lambda args, wanted, got: not is_raised(wanted.value) and is_raised(got.value, "RuntimeError"),
        ),
    ),
    differs=_broadcast_differs,
    probe="operators.shapes.broadcast_shapes",
    program="operators.program.run",
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


def _mask(dims: Sequence[int] | None, ndim: int) -> list[bool]:
    """Return the mask of dims that are in range."""
    return [not dims or d in dims or d - ndim in dims for d in range(ndim)]


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
    },
    mistakes=(
        Mistake(
            "this is what comes out when no dims mean no dimensions: None and () mean all of them",
            lambda args, wanted, got: not args[0] and equal(got.value, (False,) * args[1]),
        ),
        Mistake(
            "a tensor without dimensions takes 0 and -1, and no other dim: IndexError, which geometry.wrap_dim raises "
            "for `ndim` 0, too",
            lambda args, wanted, got: args[1] == 0 and wanted.raised == "IndexError" and equal(got.value, ()),
        ),
        Mistake(
            "a tensor without dimensions takes 0 and -1: geometry.wrap_dim accepts both for `ndim` 0",
            lambda args, wanted, got: args[1] == 0 and not wanted.raised and bool(got.raised),
        ),
        Mistake(
            "0 and -1 are one dimension also where `ndim` is 0: compare what geometry.wrap_dim gives for each",
            lambda args, wanted, got: args[1] == 0 and wanted.raised == "RuntimeError" and equal(got.value, ()),
        ),
        gives(
            "this comes out if -1 is compared as it is: it counts from the end, and `geometry.wrap_dim` says where",
            lambda dims, ndim: tuple(d in dims for d in range(ndim)) if min(dims or (0,)) < 0 else None,
        ),
        gives(
            "this is the mask of the dimensions that are left: True is what the reduction removes",
            lambda dims, ndim: tuple(not is_named for is_named in _mask(dims, ndim)) if ndim else None,
        ),
        Mistake(
            "of several faults the docstring's first counts: more than 64 dimensions, then a dim out of range, then "
            "a dimension that is named twice",
            lambda args, wanted, got: {wanted.raised, got.raised} == {"IndexError", "RuntimeError"},
        ),
        Mistake(
            "None and () are never refused: they name all dimensions, however many",
            lambda args, wanted, got: not args[0] and got.raised == "RuntimeError",
        ),
    ),
    program="operators.program.without_totals",
)


CHECKS = (BROADCAST_SHAPES, MAKE_DIM_MASK)
