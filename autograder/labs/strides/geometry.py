"""Geometries for cases: sizes and strides as tensors have them, and as they hardly ever have them."""

import math
import random
from collections.abc import Sequence

Sizes = tuple[int, ...]


def packed(sizes: Sequence[int], order: Sequence[int] | None = None, gaps: Sequence[int] = ()) -> Sizes:
    """Return the packed strides for dimensions stored in `order`, innermost first (row-major if it is None).

    Args:
        gaps: factor by which each dimension of `order` steps further than packed (1: no gap).
    """
    strides, step = [0] * len(sizes), 1
    for position, d in enumerate(reversed(range(len(sizes))) if order is None else order):
        step *= gaps[position] if gaps else 1
        strides[d] = step
        step *= max(sizes[d], 1)
    return tuple(strides)


def is_dense(sizes: Sequence[int], strides: Sequence[int]) -> bool:
    """Return True if `strides` are packed in some order of the dimensions; no size may be 0."""
    moving = sorted((stride, size) for size, stride in zip(sizes, strides, strict=True) if size > 1)
    return [stride for stride, _ in moving] == [*reversed(packed([size for _, size in reversed(moving)]))]


def unequal(rng: random.Random, ndim: int, low: int = 2, high: int = 7) -> Sizes:
    """Draw `ndim` different sizes, so that no two dimensions can be mistaken for each other."""
    return tuple(rng.sample(range(low, high + 1), ndim))


def repeated(rng: random.Random, ndim: int, low: int = 1, high: int = 3) -> Sizes:
    """Draw `ndim` sizes from a small range, so that sizes often repeat."""
    return tuple(rng.randint(low, high) for _ in range(ndim))


def shuffled(rng: random.Random, ndim: int) -> Sizes:
    """Return the dimensions 0, ..., ndim - 1 in random order."""
    return tuple(rng.sample(range(ndim), ndim))


def replaced(rng: random.Random, values: Sequence[int], value: int, count: int = 1) -> Sizes:
    """Return a copy of `values` with `count` entries, chosen at random, set to `value`."""
    chosen = rng.sample(range(len(values)), count)
    return tuple(value if d in chosen else old for d, old in enumerate(values))


def strided(rng: random.Random, sizes: Sequence[int], gap: int = 3) -> Sizes:
    """Draw strides of a view with shape `sizes`: permuted, stepped, and in one of four cases expanded."""
    strides = packed(sizes, shuffled(rng, len(sizes)), [rng.randint(1, gap) for _ in sizes])
    return replaced(rng, strides, 0) if sizes and rng.random() < 0.25 else strides


def same_end(rng: random.Random, sizes: Sequence[int]) -> tuple[Sizes, Sizes]:
    """Insert a dimension of size 2 into `sizes`, and draw strides that reach the last cell of a packed tensor."""
    left, strides = 2 * math.prod(sizes) - 1, []
    for size in sizes:
        strides.append(rng.randint(0, left // max(size - 1, 1)))
        left -= (size - 1) * strides[-1]
    at = rng.randint(0, len(sizes))
    return (*sizes[:at], 2, *sizes[at:]), (*strides[:at], left, *strides[at:])


def signed(rng: random.Random, dims: Sequence[int], ndim: int) -> Sizes:
    """Return `dims` with about half of them, chosen at random, counted from the end."""
    return tuple(d - ndim if rng.random() < 0.5 else d for d in dims)


def given(args: tuple) -> tuple:
    """Return (sizes, strides, offset 0) from a case's first two arguments, to draw its picture."""
    return args[0], args[1], 0
