"""Check of an operator made of others: its values, and the gradients that it gets for nothing."""

import math
import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.strides.geometry import unequal


def _values(rng: random.Random, sizes: tuple[int, ...], scale: float = 1.0) -> list[float]:
    return [rng.choice((-1, 1)) * rng.randint(1, 40) / 8 * scale for _ in range(math.prod(sizes))]


def _drawn(rng: random.Random, gradients: bool) -> Iterator[Case]:
    for ndim_of_input in (1, 2, 2, 3, 3, 4) * 4:
        sizes = unequal(rng, ndim_of_input, 1, 4)
        ndim = rng.randint(1, ndim_of_input)
        inner = sizes[ndim_of_input - ndim :]
        weight = _values(rng, inner) if rng.random() < 0.6 else None
        eps = rng.choice((0.0, 0.5, 1.0, 3.0))
        about = "weight" if weight else "several dims" if ndim > 1 else "eps" if eps else "mean"
        yield Case((sizes, _values(rng, sizes), ndim, weight, eps, "float64", gradients), about)


def _results(rng: random.Random) -> Iterator[Case]:
    yield Case(((2,), [3.0, 4.0], 1, None, 0.0, "float64", False), "mean")
    yield Case(((1,), [2.0], 1, None, 12.0, "float64", False), "eps")
    yield Case(((2, 2), [3.0, 4.0, 0.0, 2.0], 1, None, 0.0, "float64", False), "mean")
    yield Case(((2, 2), [3.0, 4.0, 0.0, 2.0], 2, None, 0.0, "float64", False), "several dims")
    yield Case(((2, 2), [3.0, 4.0, 0.0, 2.0], 1, [1.0, 10.0], 0.0, "float64", False), "weight")
    yield Case(((2, 3), [3.0, 4.0, 1.0, 0.0, 2.0, 2.0], 2, [1.0, 10.0, 2.0, 3.0, 4.0, 5.0], 0.5, "float64", False),
               "weight")  # fmt: skip
    yield Case(((2,), [0.0, 0.0], 1, None, 1.0, "float64", False), "eps")
    for _ in range(6):
        tiny = _values(rng, (3,), 1e-8)
        yield Case(((3,), tiny, 1, None, None, "float64", False), "no eps")
        yield Case(((3,), _values(rng, (3,), 1e-4), 1, None, None, "float32", False), "no eps")
        yield Case(((3,), tiny, 1, None, 0.0, "float64", False), "eps 0")
    yield from _drawn(rng, gradients=False)


def _gradients(rng: random.Random) -> Iterator[Case]:
    yield Case(((2,), [3.0, 4.0], 1, None, 0.0, "float64", True), "history")
    yield Case(((2, 2), [3.0, 4.0, 1.0, 2.0], 1, [2.0, 5.0], 0.5, "float64", True), "history")
    for _ in range(14):
        sizes = unequal(rng, rng.randint(1, 3), 1, 4)
        ndim = rng.randint(1, len(sizes))
        weight = _values(rng, sizes[len(sizes) - ndim :]) if rng.random() < 0.5 else None
        yield Case((sizes, _values(rng, sizes), ndim, weight, rng.choice((0.0, 0.5)), "float64", True), "history")
    yield from (Case(case.args, "history") for case in _drawn(rng, gradients=True))


RMS_NORM_COMPOSITE = Check(
    "aten.native.layer_norm.rms_norm_composite",
    ("sizes", "values", "ndim", "weight", "eps", "dtype", "gradients"),
    (Aspect("values", 2, _results), Aspect("gradients", 2, _gradients, needs="values")),
    {
        "mean": "each row is divided by the root of the mean of its squares: of its own, not of all rows",
        "several dims": "the mean is over the last ndim dimensions together; they stay, with size 1, so that the "
        "result broadcasts against the input",
        "eps": "eps is added to the mean, inside of the root",
        "no eps": "eps None: the epsilon of the input's dtype",
        "eps 0": "eps 0 is a number that was given: it does not stand for None",
        "weight": "the weight has the sizes of the last ndim dimensions: broadcasting does the rest",
        "history": "the gradient comes from the operators that ran: all of the way from input and weight to the result "
        "has to go through `at`, and nothing may be written in place",
        "type": "return a tensor",
        "returned None": "the function ends without `return`",
    },
    probe="operators.composites.normalized",
)

CHECKS = (RMS_NORM_COMPOSITE,)
