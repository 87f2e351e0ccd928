"""Check of directional_derivatives: polynomials of whole numbers; eps is a power of two: nothing is rounded."""

import random
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.autograd.script.cases import numbers

X = ((2,), [2, 3])
Y = ((2,), [5, 7])


def _polynomial(rng: random.Random, kinds: tuple) -> tuple:
    return (rng.choice(kinds), [float(number) for number in numbers(rng, rng.randint(1, 4))])


def _direction(rng: random.Random, count: int) -> list[float]:
    return [rng.choice((-1.0, 0.5, 1.0, 2.0)) for _ in range(count)]


def _ordinary(rng: random.Random) -> Iterator[Case]:
    line, cubic = ("x", [3.0, 1.0]), ("x", [1.0, 0.0, 0.0, 2.0])
    yield Case((X, Y, [line], "x", [1.0, 0.0], 4), "central")
    yield Case((X, Y, [cubic], "x", [1.0, 0.0], 2), "central")
    yield Case((X, Y, [cubic], "y", [1.0, 0.0], 2), "another argument")
    yield Case((X, Y, [line], ("x", (1,)), 1.0, 4), "one element")
    yield Case((X, Y, [("alone", [3.0, 1.0])], "x", [1.0, 1.0], 4), "alone")
    for _ in range(36):
        size = rng.randint(1, 3)
        x, y = ((size,), numbers(rng, size)), ((size,), numbers(rng, size))
        alone = rng.random() < 0.2
        kinds: tuple[str, ...] = ("alone",) if alone else ("x", "y", "both")
        about = "alone" if alone else "central"
        results = [_polynomial(rng, kinds) for _ in range(1 if alone else rng.randint(1, 3))]
        moved: Any = rng.choice(("x", "x", "y"))
        step: Any = _direction(rng, size)
        if rng.random() < 0.4:
            moved, step, about = (moved, (rng.randrange(size),)), 1.0, "one element"
        yield Case((x, y, results, moved, step, rng.randint(1, 6)), about)


def _edge(rng: random.Random) -> Iterator[Case]:
    yield Case((X, Y, [("view", [])], "x", [1.0, 2.0], 4), "a view")
    yield Case((X, Y, [("view", [])], ("x", (0,)), 1.0, 4), "a view")
    yield Case((((0,), []), ((0,), []), [("x", [2.0, 1.0])], "x", [], 3), "empty")
    yield Case((((), [3]), ((), [2]), [("both", [2.0, 1.0])], "x", [1.0], 3), "flat")
    for kind in ("grows", "halves"):
        yield Case((X, Y, [("x", [2.0, 1.0]), (kind, [5.0])], "x", [1.0, 1.0], 3), "another kind")
        yield Case((X, Y, [("x", [2.0, 1.0]), (kind, [9.0])], "x", [1.0, 1.0], 3), "flat")
    for _ in range(38):
        sizes = rng.choice(((2, 2), (3, 1), (1, 2), (2, 3), ()))
        count = 1
        for size in sizes:
            count *= size
        x, y = (sizes, numbers(rng, count)), (sizes, numbers(rng, count))
        results = [_polynomial(rng, ("x", "both", "view")) for _ in range(rng.randint(1, 3))]
        about = "a view" if any(kind == "view" for kind, _ in results) else "flat"
        at = tuple(rng.randrange(size) for size in sizes)
        one = rng.random() < 0.4 and sizes
        moved, step = (("x", at), 1.0) if one else ("x", _direction(rng, count))
        yield Case((x, y, results, moved, step, rng.randint(1, 6)), about)


DIRECTIONAL_DERIVATIVES = Check(
    "autograd.jacobians.directional_derivatives",
    ("x", "y", "polynomials", "moved", "step", "exponent"),
    (Aspect("ordinary", 3, _ordinary), Aspect("edge", 1, _edge, needs="ordinary")),
    {
        "central": "once before and once after: (f(x + eps u) - f(x - eps u)) / (2 eps), and put `moved` back",
        "another argument": "only the memory of `moved` changes",
        "one element": "`step` may be a number, and `moved` a single element of an argument",
        "alone": "a tensor alone counts as a tuple of one: as_tuple",
        "a view": "the result looks at the memory that you write to next: clone it first",
        "empty": "no elements, no differences: nothing needs a case of its own",
        "another kind": "check_same_kind refuses results whose sizes or dtypes change when the input is moved",
        "flat": "each result is flat, and has no history",
        "type": "return a list of tensors",
    },
    probe="autograd.differences.differences",
)

CHECKS = (DIRECTIONAL_DERIVATIVES,)
