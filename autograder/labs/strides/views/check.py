"""Checks of the exercises that make a view: another geometry over the same storage (engine/strides.py)."""

import math
import random
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from autograder.examine.hints import positions
from autograder.examine.model import Aspect, Case, Check, Drawing, Mistake
from autograder.labs.strides.geometry import given, packed, repeated, replaced, shuffled, signed, strided, unequal
from autograder.labs.strides.mistakes import BEYOND, EXACT, ROUNDED, gives

Sizes = tuple[int, ...]


def _permute_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(((), (), ()), "no dimensions")
    yield Case(((2, 3), (3, 1), (0, 1)), "order")
    yield Case(((2, 3), (3, 1), (1, 0)), "order")
    yield Case(((2, 3, 4), (12, 4, 1), (1, 2, 0)), "direction")
    yield Case(((2, 3, 4), (12, 4, 1), (2, 0, 1)), "direction")
    for sizes, dims in [((2, 2), (1, 0)), ((3, 3, 3), (1, 2, 0)), (repeated(rng, 7, 2, 3), shuffled(rng, 7))]:
        yield Case((sizes, packed(sizes), dims), "direction")
    for ndim in (1, 2, 3, 3, 4, 5) * 8:
        sizes = unequal(rng, ndim, 0)
        yield Case((sizes, strided(rng, sizes), shuffled(rng, ndim)), "direction")
    yield Case(((2, 3), (3 * BEYOND, BEYOND), (1, 0)), "direction")


def _permute_negative(rng: random.Random) -> Iterator[Case]:
    for dims in [(-1, -2), (-1, 0), (0, -1), (1, -2)]:
        yield Case(((2, 3), (3, 1), dims), "negative")
    for ndim in (1, 2, 3, 3, 4, 5) * 8:
        sizes = unequal(rng, ndim)
        case = (sizes, strided(rng, sizes), signed(rng, shuffled(rng, ndim), ndim))
        yield Case(case, "negative" if min(case[2]) < 0 else "direction")


def _permute_refusals(rng: random.Random) -> Iterator[Case]:
    for dims in [(0,), (5,), (0, -9)]:
        yield Case(((), (), dims), "length")
    for dims in [(5,), (-3,), (0, 1, 2), (0, 1, -9), (7, 8, 9), (0, 0, 5)]:
        yield Case(((2, 3), (3, 1), dims), "length")
    for dims, about in [
        ((0,), "length"), ((), "length"), ((0, 1, 1), "length"),
        ((0, 0), "twice"), ((0, -2), "twice"), ((-1, 1), "twice"),
        ((0, 2), "out of range"), ((-3, 0), "out of range"), ((1, -3), "out of range"), ((-3, 1), "out of range"),
    ]:  # fmt: skip
        yield Case(((2, 3), (3, 1), dims), about)
    for dims in [(1, 1, 1), (0, 2, 0), (1, -2, 1), (2, 2, -1)]:
        yield Case(((3, 3, 3), (9, 3, 1), dims), "twice")
    for dims in [(0, 0, 3, 3), (1, 2, 1, 2), (-1, 0, -4, 3)]:
        yield Case(((2, 2, 2, 2), (8, 4, 2, 1), dims), "twice")
    for ndim in (2, 3, 4, 5) * 4:
        sizes = unequal(rng, ndim)
        dims = shuffled(rng, ndim)
        at, other = rng.sample(range(ndim), 2)
        yield Case((sizes, packed(sizes), signed(rng, dims[:-1], ndim)), "length")
        yield Case((sizes, packed(sizes), dims + (rng.randrange(ndim),)), "length")
        twice = signed(rng, dims[:at] + (dims[other],) + dims[at + 1 :], ndim)
        yield Case((sizes, packed(sizes), twice), "twice")
        for far in (ndim, -ndim - 1):
            yield Case((sizes, packed(sizes), dims[:at] + (far,) + dims[at + 1 :]), "out of range")


def _sent(sizes: Sizes, strides: Sizes, dims: Sizes) -> tuple[Sizes, Sizes]:
    """Permute the dimensions in the other direction: dimension d goes to the place dims[d]."""
    places = [dim % len(sizes) for dim in dims]
    return tuple(sizes[places.index(d)] for d in range(len(sizes))), tuple(
        strides[places.index(d)] for d in range(len(sizes))
    )


PERMUTE = Check(
    "strides.permute",
    ("sizes", "strides", "dims"),
    (
        Aspect("ordinary", 3, _permute_ordinary),
        Aspect("negative", 2, _permute_negative, needs="ordinary"),
        Aspect("refusals", 3, _permute_refusals, needs="ordinary"),
    ),
    {
        "no dimensions": "no dimensions in another order are no dimensions",
        "order": "sizes and strides move together: a dimension keeps its stride wherever it goes",
        "direction": "dims[d] says where dimension d of the result comes from, not where dimension d goes",
        "sizes": "size d of the result is the size of dimension dims[d]",
        "strides": "the sizes are right; stride d of the result is the stride of the same dimension, dims[d]",
        "negative": "a negative dim counts from the end: -1 is the last one",
        "length": "`dims` must name each dimension once: first compare its length with the number of dimensions",
        "twice": "a dimension is named twice here; two names can mean the same one: 0 and -2 are one dimension of two",
        "out of range": "with n dimensions, dims run from -n to n - 1; Python's own negative indices go wrong silently",
        "type": "return two tuples: (sizes, strides)",
        "returned None": "the function ends without `return`",
        "raised": "these dims name each dimension once: nothing to refuse",
        "raised another": "it is right to refuse this, but not with this error: see Raises in the docstring",
        "not raised": "these dims can't be a permutation: see Raises in the docstring",
    },
    drawing=Drawing(given, lambda args, answer: (*answer, 0)),
    mistakes=(
        Mistake(
            "a wrong number of dims is refused first, whatever the dims are: see Raises in the docstring",
            lambda args, wanted, got: len(args[0]) != len(args[2]) and got.raised not in ("", wanted.raised),
        ),
        gives("in your answer dimension d goes to the place dims[d]; dims[d] says where dimension d comes from", _sent),
        gives(
            "nothing has moved: dimension d of the result is dimension dims[d]",
            lambda sizes, strides, _: (sizes, strides),
        ),
        gives(
            "the sizes have moved, the strides have not: a dimension keeps its stride wherever it goes",
            lambda sizes, strides, dims: (tuple(sizes[d] for d in dims), strides),
        ),
        gives(
            "the strides have moved, the sizes have not: a dimension keeps both wherever it goes",
            lambda sizes, strides, dims: (sizes, tuple(strides[d] for d in dims)),
        ),
        gives(
            "these are the strides of a fresh tensor of the new sizes; each dimension keeps its own, since no element "
            "moves",
            lambda sizes, strides, dims: (tuple(sizes[d] for d in dims), packed([sizes[d] for d in dims])),
        ),
    ),
    differs=positions("sizes", "strides"),
)


def _slice_ordinary(rng: random.Random) -> Iterator[Case]:
    for start, end, step, about in [
        (0, 2, 1, "size"), (1, 3, 1, "offset"), (0, 4, 2, "step"), (0, 5, 2, "step"), (1, 5, 2, "step"),
        (0, 5, 3, "step"), (2, 3, 5, "step"), (0, 5, 1, "size"),
    ]:  # fmt: skip
        yield Case(((5,), (1,), 0, 0, start, end, step), about)
    yield Case(((2, 5), (5, 1), 0, 1, 1, 4, 2), "step")
    yield Case(((5, 2), (2, 1), 0, 0, 1, 4, 1), "offset")
    yield Case(((5, 2), (2, 1), 3, 0, 1, 4, 1), "offset")
    yield Case(((4, 4), (4, 1), 0, 1, 1, 4, 2), "step")
    for ndim in (1, 2, 3, 4) * 15:
        sizes, dim = unequal(rng, ndim, 2, 9), rng.randrange(ndim)
        start, end = sorted(rng.sample(range(sizes[dim] + 1), 2))
        yield Case((sizes, strided(rng, sizes), rng.randint(0, 9), dim, start, end, rng.randint(1, 4)), "step")
    yield Case(((5,), (BEYOND,), 0, 0, 1, 3, 1), "offset")


def _about_bounds(size: int, start: int | None, end: int | None, named: int) -> str:
    """Return the feature that decides which elements are chosen: a key of the hints."""
    bounds = [bound for bound in (start, end) if bound is not None]
    if not range(size)[start:end]:
        return "empty"
    if any(not -size <= bound <= size for bound in bounds):
        return "clamped"
    return "negative" if any(bound < 0 for bound in bounds) else "negative dim" if named < 0 else "none"


def _slice_edge(rng: random.Random) -> Iterator[Case]:
    x = ((4,), (2,), 5)
    for start, end, about in [
        (None, None, "none"), (1, None, "none"), (None, 2, "none"), (-1, None, "negative"), (None, -1, "negative"),
        (-3, -1, "negative"), (0, 9, "clamped"), (-9, 2, "clamped"), (-9, -9, "clamped"), (9, 9, "empty"),
        (4, 4, "empty"), (2, 2, "empty"), (3, 1, "empty"), (-1, 1, "empty"), (5, None, "empty"), (2, -9, "empty"),
        (-4, None, "negative"), (-5, None, "clamped"), (0, 4, "clamped"), (0, 5, "clamped"), (9, 1, "empty"),
        (0, 0, "empty"), (None, 0, "empty"), (1, 0, "empty"), (-2, 0, "empty"),
        (1, 2**63 - 1, "clamped"), (-(2**63), 3, "clamped"), (2**63 - 1, None, "empty"),
    ]:  # fmt: skip
        yield Case((*x, 0, start, end, 1), about)
        yield Case((*x, 0, start, end, 3), about)
    yield Case(((0,), (1,), 2, 0, 0, 1, 1), "empty")
    yield Case(((0, 3), (3, 1), 2, 0, -1, None, 2), "empty")
    yield Case(((2, 3), (3, 1), 0, -1, 1, None, 1), "negative dim")
    yield Case(((2, 3), (3, 1), 0, -2, 1, None, 1), "negative dim")
    yield Case(((2, 3), (3, 1), 0, 1), "none")
    yield Case(((2, 3), (3, 1), 0, 1, 1), "none")
    yield Case(((2, 3), (3, 1), 0, 0, 0, 1), "none")
    yield Case(((2**60 + 1,), (1,), 0, 0, None, None, 2**58), "large")
    yield Case(((2**60 + 2,), (1,), 3, 0, 1, None, 2**58), "large")
    for ndim in (1, 2, 3, 4) * 15:
        sizes, dim = replaced(rng, unequal(rng, ndim), rng.randint(0, 1)), rng.randrange(ndim)
        bounds = [None, *range(-sizes[dim] - 2, sizes[dim] + 3)]
        start, end = rng.choice(bounds), rng.choice(bounds)
        named = dim - ndim if rng.random() < 0.3 else dim
        args = (sizes, strided(rng, sizes), rng.randint(0, 9), named, start, end, rng.randint(1, 3))
        yield Case(args, _about_bounds(sizes[dim], start, end, named))


def _slice_refusals(rng: random.Random) -> Iterator[Case]:
    for dim in (0, -1, 1):
        yield Case(((), (), 0, dim, 0, 1, 1), "no dimensions")
    for ndim in (1, 2, 3) * 4:
        sizes = unequal(rng, ndim)
        for step in (0, -1, -rng.randint(2, 99)):
            yield Case((sizes, packed(sizes), 0, rng.randrange(ndim), 0, 1, step), "step not positive")
            yield Case((sizes, packed(sizes), 0, rng.randrange(ndim), 1, 1, step), "step not positive")
        for dim in (ndim, -ndim - 1, ndim + rng.randint(1, 3)):
            yield Case((sizes, packed(sizes), rng.randint(0, 3), dim, 0, 1, 1), "out of range")


class _Slice(NamedTuple):
    """One dimension that is sliced: the bounds as they are given, `first` and `last` brought into the dimension."""

    size: int
    stride: int
    offset: int
    start: int | None
    end: int | None
    step: int

    def inside(self, value: int | None, other: int) -> int:
        """Clamp a bound into the dimension as Python does; None is `other`."""
        value = other if value is None else value + self.size if value < 0 else value
        return min(max(value, 0), self.size)

    @property
    def first(self) -> int:
        return self.inside(self.start, 0)

    @property
    def last(self) -> int:
        return self.inside(self.end, self.size)

    @property
    def length(self) -> int:
        return len(range(self.first, self.last, self.step))


def _slices(says: str, length: str | Callable = "", stride: Callable = lambda s: s.stride * s.step,
            offset: Callable = lambda s: s.offset + s.first * s.stride) -> Mistake:  # fmt: skip
    """Build the mistake that makes another length, stride or offset of a `_Slice`."""

    def mistaken(sizes, strides, storage_offset, dim, start=None, end=None, step=1):
        at = dim % len(sizes)
        one = _Slice(sizes[at], strides[at], storage_offset, start, end, step)
        new = length(one) if callable(length) else one.length
        return (
            (*sizes[:at], new, *sizes[at + 1 :]),
            (*strides[:at], stride(one), *strides[at + 1 :]),
            offset(one),
        )

    return gives(says, mistaken)


def _length_of(first: int, last: int, step: int) -> int:
    return max(-((first - last) // step), 0)


def _raw(bound: int | None, other: int, size: int) -> int:
    """Translate a bound as Python does, but without clamping it into the dimension."""
    return other if bound is None else bound + size if bound < 0 else bound


NOT_CLAMPED = "a bound beyond either end is brought back to it, after negative ones have been translated"
NOT_TRANSLATED = "a negative start or end counts from the end: the size is added to it, before anything else"
SLICE_DIM = Check(
    "strides.slice_dim",
    ("sizes", "strides", "storage_offset", "dim", "start", "end", "step"),
    (
        Aspect("ordinary", 4, _slice_ordinary),
        Aspect("edge", 3, _slice_edge, needs="ordinary"),
        Aspect("refusals", 2, _slice_refusals, needs="ordinary"),
    ),
    {
        "size": "start is in, end is out",
        "offset": "the new tensor begins at element `start` of this dimension: how far is that in the storage?",
        "step": "how many of start, start + step, ... are below end? The last stretch may be shorter than a step",
        "none": "None is the beginning for start and the end for end",
        "negative": NOT_TRANSLATED,
        "clamped": NOT_CLAMPED,
        "empty": "an empty range has size 0, never less; the offset is that of the clamped start",
        "negative dim": "a negative dim counts from the end: -1 is the last one",
        "large": ROUNDED.says,
        "sizes": "only the size of `dim` changes: it is the number of start, start + step, ... that are below end, "
        "both bounds brought into the dimension",
        "strides": "the sizes are right. Only the stride of `dim` changes: it is step times the old one, whatever the "
        "size",
        "storage_offset": "sizes and strides are right. The offset moves by the old stride for each element before the "
        "first chosen one",
        "no dimensions": "there is nothing to slice: IndexError",
        "step not positive": "a step of 0 or less must be refused first, also if nothing is chosen",
        "out of range": "with n dimensions, dims run from -n to n - 1; Python's own negative indices go wrong silently",
        "type": "return (sizes, strides, storage_offset): two tuples and an int",
        "returned None": "the function ends without `return`",
        "raised": "nothing to refuse here: any bounds are right, and a negative dim counts from the end",
        "not raised": "this must be refused: see Raises in the docstring",
    },
    drawing=Drawing(lambda args: args[:3], lambda args, answer: answer),
    mistakes=(
        _slices(ROUNDED.says, lambda s: math.ceil((s.last - s.first) / s.step) if s.size > EXACT else None),
        _slices(ROUNDED.says, lambda s: int((s.last - s.first + s.step - 1) / s.step) if s.size > EXACT else None),
        _slices(
            "the last stretch may be shorter than a step: its element counts too, so the division is rounded up",
            lambda s: max(s.last - s.first, 0) // s.step,
        ),
        _slices(
            "the size counts only every step-th of the elements between the bounds",
            lambda s: max(s.last - s.first, 0),
        ),
        Mistake(
            "a size is never negative: an empty range has size 0, also if the end is before the start",
            lambda args, wanted, got: min(got.value[0]) < 0,
        ),
        _slices(
            "an end of 0 is not None: nothing is before element 0, so the range is empty",
            lambda s: _length_of(s.first, s.inside(s.end or None, s.size), s.step),
        ),
        _slices(
            NOT_TRANSLATED,
            lambda s: _length_of(0, s.last, s.step) if (s.start or 0) < 0 else None,
            offset=lambda s: s.offset,
        ),
        _slices(
            NOT_TRANSLATED,
            lambda s: _length_of(s.first, s.end or 0, s.step) if (s.end or 0) < 0 else None,
        ),
        _slices(
            NOT_CLAMPED,
            lambda s: _length_of(s.first, _raw(s.end, s.size, s.size), s.step) if (s.end or 0) > s.size else None,
        ),
        _slices("end itself is out: one element too many", lambda s: _length_of(s.first, s.last + 1, s.step)),
        *(
            _slices(
                NOT_CLAMPED,
                lambda s, low=low: _length_of(max(_raw(s.start, 0, s.size), low), s.last, s.step),
                offset=lambda s, low=low: s.offset + max(_raw(s.start, 0, s.size), low) * s.stride,
            )
            for low in (0, -(2**70))
        ),
        _slices(
            "the offset is that of the start after it has been brought into the dimension",
            offset=lambda s: s.offset + _raw(s.start, 0, s.size) * s.stride,
        ),
        _slices(
            "the stride becomes step times the old one, however many elements are chosen", stride=lambda s: s.stride
        ),
        _slices("the new stride is step times the old one, not the step alone", stride=lambda s: s.step),
        _slices(
            "an empty range has the offset of the clamped start, too",
            lambda s: None if s.length else 0,
            offset=lambda s: s.offset,
        ),
        _slices("the offset moves as well, to the first chosen element", offset=lambda s: s.offset),
        _slices("the offset moves, so the old one is added", offset=lambda s: s.first * s.stride),
        _slices("the offset moves by cells: start times the stride", offset=lambda s: s.offset + s.first),
        _slices(
            "the first chosen element is `start` old strides away; the step begins only there",
            offset=lambda s: s.offset + s.first * s.stride * s.step,
        ),
    ),
    differs=positions("sizes", "strides", "storage_offset"),
)


def _unfold_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, dimension, size, step, about in [
        ((5,), (1,), 0, 2, 1, "windows"), ((4,), (1,), 0, 2, 2, "windows"), ((5,), (1,), 0, 2, 2, "windows"),
        ((6,), (1,), 0, 3, 2, "windows"), ((6,), (2,), 0, 3, 2, "strides"), ((4,), (1,), 0, 4, 1, "windows"),
        ((2, 5), (5, 1), 0, 2, 1, "strides"), ((2, 5), (5, 1), 1, 3, 2, "strides"),
        ((5, 2), (1, 5), 0, 3, 1, "strides"), ((4, 4), (4, 1), 1, 3, 1, "strides"),
    ]:  # fmt: skip
        yield Case((sizes, strides, dimension, size, step), about)
    for ndim in (1, 2, 3, 4) * 15:
        sizes, dimension = unequal(rng, ndim, 2 if ndim > 1 else 6, 9), rng.randrange(ndim)
        size = rng.randint(1, sizes[dimension])
        yield Case((sizes, strided(rng, sizes), dimension, size, rng.randint(1, 4)), "windows")
    yield Case(((5,), (BEYOND,), 0, 2, 1), "strides")


def _unfold_edge(rng: random.Random) -> Iterator[Case]:
    for size, step in [(0, 1), (1, 1), (0, 2), (1, 3)]:
        yield Case(((), (), 0, size, step), "no dimensions")
        yield Case(((), (), -1, size, step), "no dimensions")
    for sizes, strides, dimension, size, step, about in [
        ((1,), (1,), 0, 1, 1, "windows"), ((3,), (1,), 0, 0, 1, "size 0"), ((3,), (1,), 0, 0, 2, "size 0"),
        ((0,), (1,), 0, 0, 1, "size 0"), ((0, 3), (3, 1), 1, 2, 1, "windows"), ((3,), (2,), 0, 3, 9, "one window"),
        ((3,), (0,), 0, 2, 1, "strides"), ((2, 3), (3, 1), -1, 2, 1, "negative"),
        ((2, 3), (3, 1), -2, 2, 1, "negative"), ((2**60,), (1,), 0, 1, 2**58, "large"),
        ((3, 2**60 + 1), (2**60 + 1, 1), 1, 2, 2**58, "large"),
    ]:  # fmt: skip
        yield Case((sizes, strides, dimension, size, step), about)
    for ndim in (2, 3, 4) * 16:
        sizes, dimension = repeated(rng, ndim, 0, 4), rng.randrange(ndim)
        named = dimension - ndim if rng.random() < 0.5 else dimension
        case = (sizes, strided(rng, sizes), named, rng.randint(0, sizes[dimension]), rng.randint(1, 5))
        yield Case(case, "negative" if named < 0 else "size 0" if case[3] == 0 else "windows")


def _unfold_refusals(rng: random.Random) -> Iterator[Case]:
    for dimension, size, step, about in [
        (0, 2, 1, "too large"), (-1, 2, 1, "too large"), (0, -1, 1, "negative size"), (0, 1, 0, "step not positive"),
        (0, 1, -1, "step not positive"), (1, 1, 1, "out of range"), (-2, 1, 1, "out of range"),
    ]:  # fmt: skip
        yield Case(((), (), dimension, size, step), about)
    yield Case(((0,), (1,), 0, 1, 1), "too large")
    yield Case(((0, 3), (3, 1), -2, 1, 1), "too large")
    for ndim in (1, 2, 3) * 5:
        sizes, dimension = unequal(rng, ndim), rng.randrange(ndim)
        longest, x = sizes[dimension], (sizes, packed(sizes))
        for size in (longest + 1, longest + rng.randint(2, 4)):
            yield Case((*x, dimension, size, 1), "too large")
        yield Case((*x, dimension, -rng.randint(1, 3), 1), "negative size")
        for step in (0, -rng.randint(1, 3)):
            yield Case((*x, dimension, rng.randint(0, longest), step), "step not positive")
        for far in (ndim, -ndim - 1):
            yield Case((*x, far, 1, 1), "out of range")


def _times(stride: int, step: int) -> int:
    return stride * step


def _windows(says: str, windows: Callable = lambda longest, size, step: (longest - size) // step + 1,
             between: Callable = _times,
             within: Callable = lambda stride, step: stride, is_beside: bool = False) -> Mistake:  # fmt: skip
    """Build the mistake that makes another number of windows or strides, or puts the new dimension beside the old."""

    def mistaken(sizes, strides, dimension, size, step):
        at = dimension % len(sizes)
        stride, new = strides[at], at + 1 if is_beside else len(sizes)
        sizes = (*sizes[:at], windows(sizes[at], size, step), *sizes[at + 1 :])
        strides = (*strides[:at], between(stride, step), *strides[at + 1 :])
        return (*sizes[:new], size, *sizes[new:]), (*strides[:new], within(stride, step), *strides[new:])

    return gives(says, mistaken)


def _of_windows(args: tuple, wanted: object, got: object) -> Iterable[str]:
    return positions("sizes", "strides")(args, wanted, got) if args[0] else ("no dimensions",)


UNFOLD = Check(
    "strides.unfold",
    ("sizes", "strides", "dimension", "size", "step"),
    (
        Aspect("ordinary", 4, _unfold_ordinary),
        Aspect("edge", 3, _unfold_edge, needs="ordinary"),
        Aspect("refusals", 2, _unfold_refusals, needs="ordinary"),
    ),
    {
        "windows": "count the windows that fit completely: the first begins at 0, the last must end inside",
        "strides": "two strides come from one dimension: from window to window, and from element to element within one",
        "sizes": "the number of windows replaces the old size, and the size of a window comes last",
        "size 0": "a window of size 0 fits in many places, the very end included",
        "one window": "one window fits, however long the step",
        "no dimensions": "a tensor without dimensions has one element; its only window is not counted",
        "negative": "a negative dimension counts from the end; the new last dimension doesn't exist yet",
        "large": ROUNDED.says,
        "too large": "a window can't be larger than the dimension",
        "negative size": "a window can't have fewer than 0 elements",
        "step not positive": "a step of 0 or less must be refused, before it divides anything",
        "out of range": "with n dimensions, dims run from -n to n - 1 (without any, as with one)",
        "type": "return two tuples: (sizes, strides)",
        "returned None": "the function ends without `return`",
        "raised": "these windows fit: nothing to refuse",
        "not raised": "this must be refused: see Raises in the docstring",
    },
    drawing=Drawing(given, lambda args, answer: (*answer, 0)),
    mistakes=(
        _windows(ROUNDED.says, lambda longest, size, step: int((longest - size) / step) + 1),
        _windows(
            "one window too few: the first begins at 0, before any step",
            lambda longest, size, step: (longest - size) // step,
        ),
        _windows(
            "this counts the beginnings in the whole dimension; the last window has to end inside",
            lambda longest, size, step: longest // step,
        ),
        _windows(
            "each window begins `step` after the one before: only every step-th beginning counts",
            lambda longest, size, step: longest - size + 1,
        ),
        _windows(
            "a window that would end beyond the dimension is left out: round down",
            lambda longest, size, step: -((size - longest) // step) + 1,
        ),
        _windows(
            "this counts the beginnings in the whole dimension; the last window has to end inside",
            lambda longest, size, step: -(-longest // step),
        ),
        _windows("windows may overlap: one begins `step` after the one before, not `size`",
                 lambda longest, size, step: longest // size),
        _windows("the new dimension, within a window, comes last", is_beside=True),
        _windows("within a window one step is the old stride, whatever `step` is", within=_times),
        _windows("within a window one step is the old stride", within=lambda stride, step: 1),
        _windows("from window to window it is `step` times the old stride", between=lambda stride, step: stride),
        _windows("from window to window it is `step` times the old stride", between=lambda stride, step: step),
        _windows(
            "the two strides have changed places: the old stride is the one within a window",
            between=lambda stride, step: stride, within=_times,
        ),
    ),
    differs=_of_windows,
)  # fmt: skip

CHECKS = (PERMUTE, SLICE_DIM, UNFOLD)
