"""Pieces of scripts: small tensors with whole numbers, whose gradients are exact."""

import random
from collections.abc import Sequence

Step = tuple
ARGUMENTS = ("script",)


def numbers(rng: random.Random, count: int) -> list[int]:
    """Numbers that are neither 0 nor 1, which would hide a mistake."""
    return [rng.choice((-3, -2, 2, 3, 4)) for _ in range(count)]


def leaf(rng: random.Random, name: str, sizes: Sequence[int], requires_grad: bool = True) -> Step:
    """The step that makes a leaf."""
    count = 1
    for size in sizes:
        count *= size
    return ("leaf", name, tuple(sizes), numbers(rng, count), requires_grad)


def unrecorded(*steps: Step) -> list[Step]:
    """Steps in a `no_grad` block."""
    return [("enter", "no_grad"), *steps, ("leave",)]
