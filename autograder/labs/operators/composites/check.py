"""Check of an operator made of others: its values, and the gradients that it gets for nothing.

Sums of floats depend on their order, so elements are compared, within a tolerance, with the formula's in NumPy.
"""

import math
import random
from collections.abc import Callable, Iterator

import numpy as np

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.plain_data import equal
from autograder.labs.strides.geometry import unequal


def _values(rng: random.Random, sizes: tuple[int, ...], scale: float = 1.0) -> list[float]:
    """Draw eighths; none is 1.0, which would hide many mistakes: it is its own square and its own root."""
    drawn = ((rng.choice((-1, 1)), rng.randint(1, 40)) for _ in range(math.prod(sizes)))
    return [sign * (41 if eighths == 8 else eighths) / 8 * scale for sign, eighths in drawn]


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
    for sizes, ndim, inner in [((0,), 1, 0), ((0, 3), 1, 3), ((2, 0), 1, 0), ((0, 3), 2, 0), ((2, 0, 3), 2, 0)]:
        yield Case((sizes, [], ndim, None, 0.5, "float64", False), "no elements")
        yield Case((sizes, [], ndim, [2.0] * inner, None, "float32", False), "no elements")
    yield Case(((2, 2), [0.1, 0.2, 0.3, 0.7], 1, [0.1, 0.3], 0.1, "float64", False), "weight")
    yield Case(((2,), [0.1, 0.7], 1, [0.3, 0.9], None, "float32", False), "weight")
    for _ in range(6):
        tiny = _values(rng, (3,), 1e-8)
        yield Case(((3,), tiny, 1, None, None, "float64", False), "no eps")
        yield Case(((3,), _values(rng, (3,), 1e-4), 1, None, None, "float32", False), "no eps")
        yield Case(((3,), tiny, 1, None, 0.0, "float64", False), "eps 0")
    yield from _drawn(rng, gradients=False)


def _gradients(rng: random.Random) -> Iterator[Case]:
    yield Case(((2,), [3.0, 4.0], 1, None, 0.0, "float64", True), "history")
    yield Case(((2, 2), [3.0, 4.0, 1.0, 2.0], 1, [2.0, 5.0], 0.5, "float64", True), "history")
    for plain in ([1.0, 1.0], [0.0, 0.0], [1.0, 0.0]):
        yield Case(((2, 2), _values(rng, (2, 2)), 1, plain, rng.choice((0.0, 0.5)), "float64", True), "history")
    yield Case(((1, 2), [0.0, 0.0], 2, [1.0, 1.0], 1.0, "float64", True), "history")
    yield Case(((2,), [1.0, 1.0], 1, None, 0.0, "float64", True), "history")
    for _ in range(14):
        sizes = unequal(rng, rng.randint(1, 3), 1, 4)
        ndim = rng.randint(1, len(sizes))
        weight = _values(rng, sizes[len(sizes) - ndim :]) if rng.random() < 0.5 else None
        yield Case((sizes, _values(rng, sizes), ndim, weight, rng.choice((0.0, 0.5, None)), "float64", True), "history")
    yield from (Case(case.args, "history") for case in _drawn(rng, gradients=True))


Numbers = np.ndarray
ROUNDED = 1e-5  # what two numbers may differ in that were rounded to six digits


def _axes(x: Numbers, ndim: int) -> tuple[int, ...]:
    return tuple(range(x.ndim - ndim, x.ndim))


def _given(args: tuple) -> tuple[Numbers, Numbers, float]:
    """Return input, weight (ones where there is none) and eps of a case."""
    sizes, values, ndim, weight, eps, dtype, _ = args
    x, inner = np.array(values, float).reshape(sizes), sizes[len(sizes) - ndim :]
    factor = np.ones(inner) if weight is None else np.array(weight).reshape(inner)
    return x, factor, float(np.finfo(dtype).eps) if eps is None else eps


def _root(x: Numbers, ndim: int, eps: float) -> Numbers:
    """Compute one over the root of each row; of complex numbers too, for the derivative by a complex step."""
    axes = _axes(x, ndim)
    count = math.prod(x.shape[axis] for axis in axes)
    with np.errstate(all="ignore"):
        return ((x * x).sum(axes, keepdims=True) / count + eps) ** -0.5


def _gradient(x: Numbers, factor: Numbers, ndim: int, eps: float, cotangents: Numbers) -> Numbers:
    """Compute the gradient of the input."""
    axes, root = _axes(x, ndim), _root(x, ndim, eps)
    count = math.prod(x.shape[axis] for axis in axes)
    along = (cotangents * factor * x).sum(axes, keepdims=True) / count
    return root * cotangents * factor - x * root**3 * along


def _formula(args: tuple) -> dict[str, list[float]]:
    """Compute the right elements, by key."""
    (x, factor, eps), ndim = _given(args), args[2]
    if x.size == 0:
        return {"result": []}
    root, cotangents = _root(x, ndim, eps), np.arange(1.0, x.size + 1).reshape(x.shape)
    found = {"result": x * root * factor}
    if args[-1]:
        turned = x + 1e-30j * cotangents.ravel()[::-1].reshape(x.shape)
        leading = tuple(range(x.ndim - ndim))
        found["input"] = _gradient(x, factor, ndim, eps, cotangents)
        found["weight"] = (cotangents * x * root).sum(leading)
        found["second"] = _gradient(turned, factor, ndim, eps, cotangents).imag / 1e-30
    return {key: values.ravel().tolist() for key, values in found.items()}


def _judged(args: tuple, observed: object) -> object:
    """Return the observation with the formula's numbers, rounded, wherever the elements are near enough to them."""
    if not isinstance(observed, dict):
        return observed
    right = _formula(args)
    return {
        key: [float(f"{number:.6g}") + 0.0 for number in (right[key] if _is_near(args, right[key], values) else values)]
        if key in right and isinstance(values, list)
        else values
        for key, values in observed.items()
    }


def _is_near(args: tuple, right: list[float], values: list[float], least: float = 1e-7) -> bool:
    tolerance = least if args[5] == "float64" else 1e-4
    scale = 1 + max(map(abs, right), default=0.0)
    return len(right) == len(values) and all(
        abs(one - other) <= tolerance * scale for one, other in zip(right, values, strict=True)
    )


def _is(says: str, model: Callable[..., Numbers], *, weighted: bool = False) -> Mistake:
    """Build the mistake of the result `model(x, factor, eps, ndim)`; with `weighted`, only where there is a weight."""

    def shows(args: tuple, wanted, got) -> bool:
        if wanted.value["result"] == got.value["result"] or (weighted and args[3] is None):
            return False
        with np.errstate(all="ignore"):
            modeled = np.ravel(model(*_given(args), args[2])).tolist()
        near_to = (_is_near(args, modeled, seen.value["result"], ROUNDED) for seen in (got, wanted))
        return [*near_to] == [True, False]

    return Mistake(says, shows)


def _mean(x: Numbers, axes: tuple[int, ...]) -> Numbers:
    return (x * x).mean(axes, keepdims=True)


def _has_another_eps(args: tuple, wanted, got) -> bool:
    """Return True if eps is None, and one other number in its place gives all elements."""
    (x, factor, _), ndim = _given(args), args[2]
    if args[4] is not None or wanted.value["result"] == got.value["result"]:
        return False
    with np.errstate(all="ignore"):
        found = (x * factor / np.reshape(got.value["result"], x.shape)) ** 2 - _mean(x, _axes(x, ndim))
    return bool(found.min() > 0 and np.ptp(found) < 1e-3 * found.max())


def _is_constant(args: tuple, wanted, got) -> bool:
    if not _is_near(args, wanted.value["result"], got.value["result"], ROUNDED):
        return False
    (x, factor, eps), ndim = _given(args), args[2]
    constant = _root(x, ndim, eps) * np.arange(1.0, x.size + 1).reshape(x.shape) * factor
    return _is_near(args, constant.ravel().tolist(), got.value["input"], ROUNDED)


def _differs(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    """Yield the keys that differ, in order: what follows from the first key differs as well."""
    return (key for key in wanted if not equal(wanted[key], got[key]))


VALUES_FIRST = (
    "Get the aspect `values` right first. If it is, a step from the input to the result does not call an operator "
    "through the dispatcher, on a tensor that is not detached"
)
RMS_NORM_COMPOSITE = Check(
    "aten.native.layer_norm.rms_norm_composite",
    ("sizes", "values", "ndim", "weight", "eps", "dtype", "gradients"),
    (
        Aspect("values", 3, _results, findings=_judged),
        Aspect("gradients", 3, _gradients, needs="values", findings=_judged),
    ),
    {
        "mean": "each row is divided by the root of the mean of its squares: of its own, not of all rows",
        "several dims": "the mean is over the last ndim dimensions together; they stay, with size 1, so that the "
        "result broadcasts against the input",
        "eps": "eps is added to the mean, inside of the root",
        "no eps": "eps None: the epsilon of the input's dtype",
        "eps 0": "eps 0 is a number that was given: it does not stand for None",
        "weight": "the weight has the sizes of the last ndim dimensions: broadcasting does the rest. Its gradient "
        "comes from the operator that multiplies by it",
        "no elements": "an input without elements is no special case",
        "history": "the gradient comes from the operators that ran",
        "result": "work this case out by hand: input / sqrt(mean of the squares + eps) * weight, each row with its own "
        "mean over the last ndim dimensions",
        "sizes": "the result has the sizes of the input: the mean keeps its dimensions, with size 1",
        "dtype": "the result is of the dtype of the input",
        "is new": "the result is the input itself, or shares its memory: it is a new tensor, even without elements",
        "unchanged": "input or weight was written to: both stay as they are",
        "input": f"the gradient of the input is another. {VALUES_FIRST}",
        "second": f"the first gradient is right, the second is not. {VALUES_FIRST}",
        "returned None": "the function ends without `return`",
    },
    mistakes=(
        Mistake("return a tensor", lambda args, wanted, got: "no tensor" in got.value),
        Mistake(
            "the result has no history: each step has to be an operator that is called through the dispatcher, on a "
            "tensor that is not detached",
            lambda args, wanted, got: got.value["history"] is False,
        ),
        Mistake(
            "the root counts as a constant in this gradient: it depends on the input, too, so it has to come from "
            "operators that are called through the dispatcher, on a tensor that is not detached",
            _is_constant,
        ),
        _is(
            "this is what comes out when the weight is left out",
            lambda x, factor, eps, ndim: x * _root(x, ndim, eps),
        ),
        _is(
            "this is what comes out when the mean is taken of all elements: it is over the last ndim dimensions",
            lambda x, factor, eps, ndim: x * factor * (_mean(x, _axes(x, x.ndim)) + eps) ** -0.5,
        ),
        _is(
            "this is what comes out when the mean is over the last dimension only: it is over the last ndim dimensions",
            lambda x, factor, eps, ndim: x * factor * (_mean(x, (-1,)) + eps) ** -0.5,
        ),
        _is(
            "this is what comes out when the mean is over the first ndim dimensions: it is over the last ones",
            lambda x, factor, eps, ndim: x * factor * (_mean(x, tuple(range(ndim))) + eps) ** -0.5,
        ),
        _is(
            "this is what comes out when eps is left out",
            lambda x, factor, eps, ndim: x * factor * _mean(x, _axes(x, ndim)) ** -0.5,
        ),
        _is(
            "this is what comes out when eps is added to the root: it is added to the mean, before the root is taken",
            lambda x, factor, eps, ndim: x * factor / (_mean(x, _axes(x, ndim)) ** 0.5 + eps),
        ),
        _is(
            "this is what comes out when eps 0 is taken for None: 0 is a number",
            lambda x, factor, eps, ndim: x * factor * _root(x, ndim, eps or float(np.finfo(float).eps)),
        ),
        _is(
            "this is what comes out with the epsilon of float64: it is that of the input's dtype",
            lambda x, factor, eps, ndim: x * factor * _root(x, ndim, float(np.finfo(float).eps)),
        ),
        _is(
            "this is what comes out with the sum of the squares: it is their mean",
            lambda x, factor, eps, ndim: x * factor * ((x * x).sum(_axes(x, ndim), keepdims=True) + eps) ** -0.5,
        ),
        _is(
            "this is what comes out when the root is not taken",
            lambda x, factor, eps, ndim: x * factor / (_mean(x, _axes(x, ndim)) + eps),
        ),
        _is(
            "this is what comes out when the mean is subtracted, as in layer_norm: rms_norm takes no mean of x",
            lambda x, factor, eps, ndim: (
                (x - x.mean(_axes(x, ndim), keepdims=True))
                * factor
                * (x.var(_axes(x, ndim), keepdims=True) + eps) ** -0.5
            ),
        ),
        _is(
            "this is input * weight: the weight multiplies the input that has been divided by the root",
            lambda x, factor, eps, ndim: x * factor,
            weighted=True,
        ),
        _is(
            "this is what comes out when the input is not divided by the root",
            lambda x, factor, eps, ndim: x * factor,
        ),
        _is(
            "this is weight / root: the weight multiplies the input that has been divided by the root",
            lambda x, factor, eps, ndim: np.broadcast_to(factor * _root(x, ndim, eps), x.shape),
            weighted=True,
        ),
        _is(
            "this is what comes out when the input is multiplied by the weight first, and normalized then: the mean is "
            "of the squares of the input alone",
            lambda x, factor, eps, ndim: x * factor * _root(x * factor, ndim, eps),
            weighted=True,
        ),
        _is(
            "this is what comes out when the weight is added: it multiplies",
            lambda x, factor, eps, ndim: x * _root(x, ndim, eps) + factor,
            weighted=True,
        ),
        _is(
            "this is what comes out when the weight divides: it multiplies",
            lambda x, factor, eps, ndim: x * _root(x, ndim, eps) / factor,
            weighted=True,
        ),
        Mistake(
            "eps is None here, so it is `epsilon(input._dtype)`: another number in its place gives this",
            _has_another_eps,
        ),
    ),
    differs=_differs,
    probe="operators.composites.normalized",
    program="operators.program.run",
)

CHECKS = (RMS_NORM_COMPOSITE,)
