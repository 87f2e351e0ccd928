"""Checks of the exercises that make a view: another geometry over the same storage (engine/strides.py)."""

import math
import random
from collections.abc import Iterator

from autograder.checks.geometry import packed, repeated, replaced, shuffled, signed, strided, unequal
from autograder.checks.model import Aspect, Case, Check


def _permute_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(((), (), ()), "no dimensions")
    for dims in [(0, 1), (1, 0)]:
        yield Case(((2, 3), (3, 1), dims), "order")
    for dims in [(1, 2, 0), (2, 0, 1)]:
        yield Case(((2, 3, 4), (12, 4, 1), dims), "direction")
    for ndim in (1, 2, 3, 3, 4, 5) * 8:
        sizes = unequal(rng, ndim, 0)
        yield Case((sizes, strided(rng, sizes), shuffled(rng, ndim)), "direction")


def _permute_negative(rng: random.Random) -> Iterator[Case]:
    for dims in [(-1, -2), (-1, 0), (0, -1), (1, -2)]:
        yield Case(((2, 3), (3, 1), dims), "negative")
    for ndim in (1, 2, 3, 3, 4, 5) * 8:
        sizes = unequal(rng, ndim)
        yield Case((sizes, strided(rng, sizes), signed(rng, shuffled(rng, ndim), ndim)), "negative")


def _permute_refusals(rng: random.Random) -> Iterator[Case]:
    yield Case(((), (), (0,)), "length")
    for dims, about in [
        ((0,), "length"), ((), "length"), ((0, 1, 1), "length"),
        ((0, 0), "twice"), ((0, -2), "twice"), ((-1, 1), "twice"),
        ((0, 2), "out of range"), ((-3, 0), "out of range"), ((1, -3), "out of range"), ((-3, 1), "out of range"),
    ]:  # fmt: skip
        yield Case(((2, 3), (3, 1), dims), about)
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


PERMUTE = Check(
    "strides.permute",
    ("sizes", "strides", "dims"),
    (
        Aspect("ordinary", 2, _permute_ordinary),
        Aspect("negative", 1, _permute_negative, needs="ordinary"),
        Aspect("refusals", 2, _permute_refusals, needs="ordinary"),
    ),
    {
        "no dimensions": "no dimensions in another order are no dimensions",
        "order": "sizes and strides move together: a dimension keeps its stride wherever it goes",
        "direction": "dims[d] says where dimension d of the result comes from, not where dimension d goes",
        "negative": "a negative dim counts from the end: -1 is the last one",
        "length": "`dims` must name each dimension once: compare its length with the number of dimensions",
        "twice": "two names can mean the same dimension: 0 and -2 are one dimension of two",
        "out of range": "with n dimensions, dims run from -n to n - 1; Python's own negative indices "
        "go wrong silently",
        "type": "return two tuples: (sizes, strides)",
        "returned None": "the function ends without `return`",
        "raised": "these dims name each dimension once: nothing to refuse",
        "not raised": "these dims can't be a permutation: see Raises in the docstring",
    },
)


def _factored(rng: random.Random, numel: int) -> tuple[int, ...]:
    """Sizes of 2 and more whose product is `numel`, cut at random."""
    sizes = []
    while numel > 1:
        size = rng.choice([k for k in range(2, numel + 1) if numel % k == 0])
        sizes.append(size)
        numel //= size
    return tuple(sizes)


def _grouped(rng: random.Random, groups: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Sizes, strides and the elements of each group: dimensions packed within a group, a gap between groups."""
    sizes: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    numels = tuple(rng.choice((2, 3, 4, 6, 8, 12)) for _ in range(groups))
    bases = packed(numels, shuffled(rng, groups), [rng.randint(1, 3) for _ in numels])
    for numel, base in zip(numels, bases, strict=True):
        cut = _factored(rng, numel)
        sizes += cut
        strides += tuple(base * stride for stride in packed(cut))
    return sizes, strides, numels


def _view_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, new_sizes, about in [
        ((2,), (1,), (2,), "merge"), ((2,), (3,), (2,), "merge"), ((4,), (1,), (2, 2), "split"),
        ((4,), (3,), (2, 2), "split"), ((2, 2), (2, 1), (4,), "merge"), ((2, 3), (3, 1), (6,), "merge"),
        ((3, 2), (1, 3), (6,), "copy"), ((2, 2), (1, 2), (2, 2), "apart"), ((2, 3), (3, 1), (3, 2), "both"),
        ((3, 2), (1, 3), (2, 3), "copy"), ((2, 3), (4, 1), (6,), "copy"), ((2, 3), (0, 1), (6,), "copy"),
        ((2, 3), (0, 0), (6,), "merge"), ((2, 3), (6, 2), (6,), "merge"), ((2, 4), (8, 1), (2, 2, 2), "split"),
        ((2, 4), (8, 1), (4, 2), "copy"), ((2, 4), (1, 2), (4, 2), "copy"), ((2, 2, 3), (1, 6, 2), (2, 6), "merge"),
        ((2, 3, 4), (12, 4, 1), (4, 6), "both"), ((2, 3), (1, 0), (6,), "copy"),
    ]:  # fmt: skip
        yield Case((sizes, strides, new_sizes), about)
    for groups in (1, 2, 3) * 16:
        sizes, strides, numels = _grouped(rng, groups)
        fitting = tuple(size for numel in numels for size in _factored(rng, numel))
        yield Case((sizes, strides, fitting), "both")
        yield Case((sizes, strides, _factored(rng, math.prod(sizes))), "copy")


def _view_ones(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, new_sizes in [
        ((1,), (1,), ()), ((1,), (5,), (1,)), ((1, 3), (7, 1), (3, 1)), ((3, 1), (1, 7), (3,)),
        ((3, 1), (1, 7), (3, 1)), ((3,), (2,), (1, 3)), ((3,), (2,), (3, 1)), ((2, 1, 3), (3, 9, 1), (6,)),
        ((2, 1, 3), (1, 9, 2), (6,)), ((2, 1, 3), (5, 9, 1), (2, 3)), ((2, 3), (1, 2), (2, 1, 3)),
        ((1, 1), (4, 9), (1,)), ((1, 1), (4, 9), (1, 1, 1)), ((2, 1), (1, 2), (1, 2)), ((1, 2), (0, 0), (2, 1)),
    ]:  # fmt: skip
        yield Case((sizes, strides, new_sizes), "size 1")
    for groups in (0, 1, 1, 2, 2, 3) * 10:
        sizes, strides, numels = _grouped(rng, groups)
        target = tuple(size for numel in numels for size in _factored(rng, numel))
        if rng.random() < 0.3:
            target = _factored(rng, math.prod(sizes))
        for _ in range(rng.randint(0 if sizes else 1, 2)):
            at = rng.randint(0, len(sizes))
            sizes, strides = sizes[:at] + (1,) + sizes[at:], strides[:at] + (rng.randint(0, 9),) + strides[at:]
        for _ in range(rng.randint(0, 3)):
            at = rng.randint(0, len(target))
            target = target[:at] + (1,) + target[at:]
        yield Case((sizes, strides, target), "size 1")


def _view_empty(rng: random.Random) -> Iterator[Case]:
    for target in [(), (1,), (1, 1), (1, 1, 1)]:
        yield Case(((), (), target), "no dimensions")
    for sizes, strides, target, about in [
        ((0,), (1,), (0,), "no elements, same"), ((0,), (3,), (0,), "no elements, same"),
        ((0,), (3,), (2, 0), "no elements"), ((0,), (1,), (0, 2), "no elements"), ((0, 2), (5, 7), (0,), "no elements"),
        ((2, 0), (1, 2), (2, 0), "no elements, same"), ((2, 0), (1, 2), (0, 2), "no elements"),
    ]:  # fmt: skip
        yield Case((sizes, strides, target), about)
    for ndim in (1, 2, 3, 4) * 10:
        sizes = replaced(rng, repeated(rng, ndim, 1, 4), 0)
        target = replaced(rng, repeated(rng, rng.randint(1, 4), 0, 5), 0)
        strides = strided(rng, sizes)
        yield Case((sizes, strides, target), "no elements, same" if target == sizes else "no elements")
        yield Case((sizes, strides, sizes), "no elements, same")


VIEW_STRIDES = Check(
    "strides.view_strides",
    ("sizes", "strides", "new_sizes"),
    (
        Aspect("ordinary", 5, _view_ordinary),
        Aspect("ones", 2, _view_ones, needs="ordinary"),
        Aspect("empty", 2, _view_empty, needs="ordinary"),
    ),
    {
        "merge": "two neighbours merge when the outer stride is the inner stride times the inner size",
        "split": "one dimension can always be cut: its stride belongs to the innermost piece",
        "apart": "dimensions that don't merge can still stay as they are",
        "both": "first find the groups that merge, then cut each group into new dimensions",
        "copy": "walk off the end of the inner dimension: does the outer one step exactly there? If not, "
        "no new dimension may reach across",
        "size 1": "a dimension of size 1 has no second element: its old stride can't matter, and it ends no group. "
        "The docstring says which stride a new one gets",
        "no dimensions": "a tensor without dimensions has one element: each new size is 1, each stride 1",
        "no elements": "without elements there is no order to keep: contiguous strides of the new sizes",
        "no elements, same": "without elements and with the same sizes, nothing changes: the old strides",
        "type": "return a tuple of ints, or None",
        "returned None": "these sizes can be a view: which old dimensions merge into one group?",
        "raised": "a view that can't be is not an error here: return None",
    },
)

CHECKS = (PERMUTE, VIEW_STRIDES)
